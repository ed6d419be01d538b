"""The command line of `patchkit check`: its options, and what they mean together.

Takes the values of its flags; gives what to check and what to check it against, or says which options contradict each
other.
"""

from __future__ import annotations

import os

from patchkit.changes.options import Options
from patchkit.cli import flags
from patchkit.cli.changed_files import changed_since
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.flags import Flag, argument
from patchkit.cli.inputs import text_of_file
from patchkit.cli.starting import check_start
from patchkit.matching.model import NAMES
from patchkit.policy.limits import Limits, is_glob, project
from patchkit.report.checked import STDIN, Acceptance
from patchkit.report.findings import codes_of, known_by
from patchkit.report.formats import FORMATS, OutputFormat
from patchkit.tools.check import MOST_BYTES, CheckRequest
from patchkit.tools.checking.sources import OF_DIFFS, SUFFIXES, PatchSource, sources

Given = dict[str, object]

HELP = """Check whether patches apply, without changing files.

PATCH is a file, a directory (its *.patch, *.apply_patch and *.applypatch files, with '--from' also *.diff, at any
depth), a quoted glob, or '-' for standard input, which is also read when nothing is named.

A format without a file goes to standard output: 'patchkit check p --format sarif'. With files there can be several at
once, and standard output keeps the text: 'patchkit check p --format sarif=p.sarif --format html=p.html'.

Limits can also be set in pyproject.toml, [tool.patchkit.check], or in .patchkit.toml, [check]: max-pass, forbid, allow,
max-files, max-lines.

The status is 0 when all patches are good, 1 when some are refused, 2 when the call itself is wrong.
"""


WORDS = (argument("patches", "[PATCH]...", many=True),)
FLAGS = (
    # -- what patches are checked against
    flags.ROOT,
    flags.START,
    Flag("--syntax-only", "syntax_only", "parse the patches and look at no file"),
    Flag("--against", "against", "check against a git commit", "; no work tree is needed", value="REV"),
    Flag("--git-dir", "git_dir", "the repository of '--against'", " (default: that of the workspace)", value="DIR"),
    Flag("--since", "since", "check only patch files that were changed since a git commit", value="REV"),
    Flag("--sequence", "sequence", "check each patch on top of those before it, in memory"),
    # -- how patches are read and matched
    flags.FROM,
    flags.STRIP,
    flags.SKIP_UNSAYABLE,
    flags.REVERSE,
    flags.BASE,
    flags.STRICT,
    flags.OVERWRITE,
    flags.FORWARD,
    flags.ALLOW_VCS,
    flags.ALLOW_DUPLICATE,
    flags.ALLOW_PLACEHOLDER,
    flags.DIALECT,
    flags.ENCODING,
    # -- what is allowed
    flags.MAX_PASS,
    flags.SYNTAX,
    Flag("--forbid", "forbid", "refuse patches that touch such files", ", as in a .gitignore", value="GLOB", many=True),
    Flag("--allow", "allow", "refuse patches that touch any other files", value="GLOB", many=True),
    Flag("--max-files", "max_files", "refuse patches that touch more files", value="N"),
    Flag("--max-lines", "max_lines", "refuse patches that add and remove more lines", value="N"),
    flags.MAX_PATCH_BYTES,
    # -- output
    Flag("--format", "formats", ", ".join(FORMATS), value="NAME[=FILE]", many=True, offers="formats"),
    Flag("-o --output", "output", "where the format without a file of its own goes", value="FILE"),
    Flag("--statistics", "statistics", "print how often each code occurs instead of every error"),
    Flag(
        "--ignore",
        "ignore",
        "errors of this code do not fail the check",
        ": P201, P2 for all that begin so, a name, several with commas",
        value="CODE",
        many=True,
        offers="codes",
    ),
    Flag(
        *("--fail-on", "fail_on", "only errors and notes of this code fail the check"),
        value="CODE",
        many=True,
        offers="codes",
    ),
    Flag("--exit-zero", "exit_zero", "end with status 0 although patches are refused"),
    flags.FIX.saying(
        "write certain corrections beside their patches: 'a.patch' gets 'a.corrected.patch'; "
        "--fix=likely writes likely ones, too"
    ),
    Flag("--baseline", "baseline", "a file of known errors, which do not fail the check", value="FILE"),
    Flag(
        "--write-baseline",
        "write_baseline",
        "write all errors to a file for '--baseline', and end with status 0",
        value="FILE",
    ),
    flags.JSON.saying("the same as '--format json'"),
    Flag(
        *(
            "--annotations --no-annotations",
            "annotations",
            "annotate the pull request",
            " (default: on GitHub Actions)",
        ),
        off="--no-annotations",
    ),
    flags.COLOR,
    Flag("-q --quiet", "quiet", "show refused patches only, and no notes"),
    Flag("-v --verbose", "verbose", "show every hunk of good patches, too"),
    Flag(
        *("--jobs", "jobs", "how many processes share the work", " (default: 1; 0: as many as there are cores)"),
        value="N",
    ),
    flags.AS_AGENT,
)


def text_of(given: Given, name: str) -> str | None:
    """An option with a text, None where it was not given."""
    return given[name]  # type: ignore[return-value]  # the reader gives a text


def number_of(given: Given, name: str) -> int | None:
    """An option with a whole number, None where it was not given."""
    return given[name]  # type: ignore[return-value]  # the reader gives a number


def list_of(given: Given, name: str) -> list[str]:
    """All values of an option that can be given several times."""
    return list(given[name])  # type: ignore[call-overload, no-any-return]  # the reader gives a tuple of texts


def wanted_of(given: Given, formats: list[OutputFormat]) -> CheckRequest:
    """What patches are checked against: as the command line says, and as the project says where that says nothing."""
    _refuse_contradictions(given)
    if not given["against"]:
        check_start(text_of(given, "start"))
    root = text_of(given, "root") or None
    rules = project(root or ".")
    chosen = (bool(given[name]) for name in ("strict", "overwrite", "forward", "allow_vcs", "allow_duplicate"))
    max_pass = given["max_pass"] or rules.max_pass or NAMES[-1]
    options = Options(check=True)
    options.max_pass, options.dialect = str(max_pass), text_of(given, "dialect") or "safe"
    options.strict, options.overwrite, options.forward, options.allow_vcs, options.allow_duplicate = chosen
    options.allow_placeholder = bool(given["allow_placeholder"])
    options.encoding = text_of(given, "encoding")
    options.source, options.reverse = text_of(given, "source") or "", bool(given["reverse"])
    options.skip_unsayable, options.strip = bool(given["skip_unsayable"]), number_of(given, "strip")
    options.suggest = bool(given["fix"]) or any(each.suggestions for each in formats)
    options.syntax = text_of(given, "syntax") or os.environ.get("PATCHKIT_SYNTAX") or "note"
    wanted = CheckRequest(root, text_of(given, "start"), options.checked())
    for name in ("against", "git_dir", "syntax_only", "sequence"):
        setattr(wanted, name, given[name])
    wanted.base = text_of(given, "base_name")
    wanted.limits = _limits(given, rules.limits)
    wanted.brief = not given["verbose"] and all(each.name in ("text", "github", "markdown") for each in formats)
    wanted.pictures = any(each.lines for each in formats) or bool(given["baseline"] or given["write_baseline"])
    return wanted


def _refuse_contradictions(given: Given) -> None:
    if given["git_dir"] and not given["against"]:
        raise CommandLineError("option '--git-dir' needs '--against REV'")
    if given["syntax_only"] and (given["against"] or given["sequence"]):
        raise CommandLineError("option '--syntax-only' looks at no files: leave '--against' and '--sequence' out")
    if given["base_name"] and (given["against"] or given["syntax_only"]):
        other = "--against" if given["against"] else "--syntax-only"
        raise CommandLineError(f"option '--base' is about the files of the workspace: leave '{other}' out")
    if given["fix"] and given["syntax_only"]:
        raise CommandLineError("option '--fix' needs files to compare with: leave '--syntax-only' out")
    if given["sequence"] and given["jobs"] is not None:
        raise CommandLineError("option '--sequence' takes one patch after the other: leave '--jobs' out")


def _limits(given: Given, project: Limits) -> Limits:
    """The project's limits and those of the command line: lists grow, single values are replaced."""
    forbid, allow = _globs(given, "forbid"), _globs(given, "allow")
    files, lines = number_of(given, "max_files"), number_of(given, "max_lines")
    return Limits(
        project.forbid + forbid,
        project.allow + allow,
        project.max_files if files is None else files,
        project.max_lines if lines is None else lines,
    )


def _globs(given: Given, name: str) -> list[str]:
    globs = list_of(given, name)
    for glob in globs:
        if not is_glob(glob):
            raise CommandLineError(f"option '--{name}' needs a pattern as in a '.gitignore', not '{glob}'")
    return globs


def sources_of(given: Given) -> list[PatchSource]:
    """The patches that are named; those of standard input when none is."""
    words, limit = list_of(given, "patches"), number_of(given, "max_patch_bytes")
    if not words and os.isatty(0):
        raise CommandLineError("no patch: name files, directories or globs, or pipe one in")
    diffs = given["strip"] is not None or (given["source"] or "v4a") != "v4a"
    suffixes = SUFFIXES + OF_DIFFS if diffs else SUFFIXES
    found = sources(words or [STDIN], MOST_BYTES if limit is None else limit, suffixes)
    if not words and not found[0].data:
        raise CommandLineError("no patch: standard input is empty, and no file is named")
    if given["fix"] and any(each.name == STDIN for each in found):
        raise CommandLineError("option '--fix' writes beside patch files: name files instead of standard input")
    since = text_of(given, "since")
    return found if since is None else _changed(found, since)


def _changed(found: list[PatchSource], since: str) -> list[PatchSource]:
    """The patches whose files were changed since a commit; standard input counts as changed."""
    names = changed_since(since)
    return [each for each in found if each.name == STDIN or os.path.realpath(each.name) in names]


def acceptance_of(given: Given) -> Acceptance:
    """Which errors do not fail the check."""
    found = Acceptance()
    for name in ("ignore", "fail_on"):
        try:
            setattr(found, name, codes_of(list_of(given, name)))
        except ValueError as error:
            spelled = "--" + name.replace("_", "-")
            raise CommandLineError(f"option '{spelled}' needs a code or its name, not '{error}'") from None
    path = text_of(given, "baseline")
    if path is not None:
        try:
            found.known = known_by(text_of_file(path))
        except ValueError as error:
            raise CommandLineError(f"cannot use the baseline '{path}': {error}") from None
    return found


def jobs_of(given: Given) -> int:
    """How many processes to use."""
    jobs = number_of(given, "jobs")
    return 1 if jobs is None else jobs or os.cpu_count() or 1
