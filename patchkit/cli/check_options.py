"""The command line of `patchkit check`: its words, and what they mean together.

Takes what click has read; gives what to check and what to hold it against, or says which words contradict each other.
"""

from __future__ import annotations

import os

import click

from patchkit.changes.options import Options
from patchkit.matching.model import NAMES
from patchkit.policy.limits import Limits, is_glob, project
from patchkit.report.checked import STDIN
from patchkit.tools.check import MOST_BYTES, Wanted
from patchkit.tools.checking.faces import DRAWN, FACES, REMEMBERING
from patchkit.tools.checking.sources import Source, sources

Given = dict[str, object]

HELP = """Say for any number of patches whether they apply, and write nothing.

PATCH is a file, a directory (its *.patch and *.apply_patch files, at any depth), a quoted glob, or '-' for standard
input, which is also read when nothing is named.

A format without a file goes to standard output: 'patchkit check p --format sarif'. With files there can be several at
once, and standard output keeps the text: 'patchkit check p --format sarif=p.sarif --format html=p.html'.

Limits also stand in pyproject.toml, [tool.patchkit.check], or in .patchkit.toml, [check]: max-pass, forbid, allow,
max-files, max-lines.

The status is 0 when all patches are good, 1 when some are refused, 2 when the call itself is wrong.
"""


class UsageError(Exception):
    """The words contradict each other: said on one line, with exit status 2."""


def _option(*names: str, about: str, **more: object) -> click.Option:
    return click.Option(names, help=about, **more)  # type: ignore[arg-type]


def _flag(*names: str, about: str) -> click.Option:
    return _option(*names, about=about, is_flag=True)


def _count(name: str, about: str) -> click.Option:
    return _option(name, about=about, metavar="N", type=click.IntRange(min=0))


PARAMETERS: list[click.Parameter] = [
    click.Argument(["patches"], nargs=-1, metavar="[PATCH]..."),
    # -- what patches are held against
    _option(
        "--root", about="The workspace (default: PATCHKIT_ROOT, else here).", metavar="DIR", envvar="PATCHKIT_ROOT"
    ),
    _option("-C", "start", about="Where relative paths start, inside the workspace.", metavar="DIR"),
    _flag("--syntax-only", about="Read the patches and look at no file."),
    _option("--against", about="Check against a git commit; no work tree is needed.", metavar="REV"),
    _option("--git-dir", about="The repository of '--against' (default: that of the workspace).", metavar="DIR"),
    _flag("--sequence", about="Each patch on top of those before it, in memory."),
    # -- how patches are meant
    _flag("--strict", about="Exact matches and the bare grammar only."),
    _flag("--overwrite", about="Let Add and Move replace existing files."),
    _flag("--forward", about="What is there already counts as done."),
    _flag("--allow-vcs", about="Let patches change the insides of .git, .hg and .svn."),
    _option(
        "--dialect",
        about="How patches are meant (default: safe).",
        type=click.Choice(["safe", "codex"]),
        envvar="PATCHKIT_DIALECT",
    ),
    _option("--encoding", about="Of files that are neither UTF-8 nor marked with what they are.", metavar="NAME"),
    # -- what is allowed
    _option("--max-pass", about="The most tolerant pass allowed.", type=click.Choice(NAMES)),
    _option(
        "--forbid", about="Refuse patches that touch such files, as in a .gitignore.", multiple=True, metavar="GLOB"
    ),
    _option("--allow", about="Refuse patches that touch any other files.", multiple=True, metavar="GLOB"),
    _count("--max-files", "Refuse patches that touch more files."),
    _count("--max-lines", "Refuse patches that add and remove more lines."),
    _count("--max-patch-bytes", f"How large a patch may be (default: {MOST_BYTES})."),
    # -- how it is told
    _option("--format", "formats", about=f"{', '.join(FACES)}.", multiple=True, metavar="NAME[=FILE]"),
    _option("-o", "--output", about="Where the format without a file of its own goes.", metavar="FILE"),
    _flag("--json", "as_json", about="The same as '--format json'."),
    _option(
        "--annotations/--no-annotations", about="Annotate the pull request (default: on GitHub Actions).", default=None
    ),
    _option("--color", about="Colour the text.", type=click.Choice(["auto", "always", "never"]), default="auto"),
    _flag("-q", "--quiet", about="Tell of refused patches only, and no notes."),
    _flag("-v", "--verbose", about="Tell of every hunk of good patches, too."),
    _count("--jobs", "How many processes share the work (default: 1; 0: as many as there are cores)."),
]


def wanted_of(given: Given, faces: list[str]) -> Wanted:
    """What patches are held against: the command line's word, and the project's where that is silent."""
    _refuse_contradictions(given)
    root: str | None = given["root"] or None  # type: ignore[assignment]
    rules = project(root or ".")
    flags = (bool(given[name]) for name in ("strict", "overwrite", "forward", "allow_vcs"))
    max_pass = given["max_pass"] or rules.max_pass or NAMES[-1]
    options = Options(check=True)
    options.max_pass, options.dialect = str(max_pass), str(given["dialect"] or "safe")
    options.strict, options.overwrite, options.forward, options.allow_vcs = flags
    options.encoding = given["encoding"]  # type: ignore[assignment]
    options.remember = any(name in REMEMBERING for name in faces)
    wanted = Wanted(root, given["start"], options.checked())  # type: ignore[arg-type]
    for name in ("against", "git_dir", "syntax_only", "sequence"):
        setattr(wanted, name, given[name])
    wanted.limits = _limits(given, rules.limits)
    wanted.pictures = any(name in DRAWN for name in faces)
    return wanted


def _refuse_contradictions(given: Given) -> None:
    if given["git_dir"] and not given["against"]:
        raise UsageError("option '--git-dir' needs '--against REV'")
    if given["syntax_only"] and (given["against"] or given["sequence"]):
        raise UsageError("option '--syntax-only' looks at no files: leave '--against' and '--sequence' out")
    if given["sequence"] and given["jobs"] is not None:
        raise UsageError("option '--sequence' takes one patch after the other: leave '--jobs' out")


def _limits(given: Given, project: Limits) -> Limits:
    """The project's limits and those of the command line: lists grow, single values are replaced."""
    forbid, allow = _globs(given, "forbid"), _globs(given, "allow")
    files, lines = given["max_files"], given["max_lines"]
    return Limits(
        project.forbid + forbid,
        project.allow + allow,
        project.max_files if files is None else files,  # type: ignore[arg-type]
        project.max_lines if lines is None else lines,  # type: ignore[arg-type]
    )


def _globs(given: Given, name: str) -> list[str]:
    globs: list[str] = list(given[name])  # type: ignore[call-overload]
    for glob in globs:
        if not is_glob(glob):
            raise UsageError(f"option '--{name}' needs a pattern as in a '.gitignore', not '{glob}'")
    return globs


def sources_of(given: Given) -> list[Source]:
    """The patches that are named; those of standard input when none is."""
    words: list[str] = list(given["patches"])  # type: ignore[call-overload]
    limit = given["max_patch_bytes"] if given["max_patch_bytes"] is not None else MOST_BYTES
    if not words and os.isatty(0):
        raise UsageError("no patch: name files, directories or globs, or pipe one in")
    found = sources(words or [STDIN], limit)  # type: ignore[arg-type]
    if not words and not found[0].data:
        raise UsageError("no patch: standard input is empty, and no file is named")
    return found


def jobs_of(given: Given) -> int:
    jobs: int = given["jobs"] if given["jobs"] is not None else 1  # type: ignore[assignment]
    return jobs or os.cpu_count() or 1
