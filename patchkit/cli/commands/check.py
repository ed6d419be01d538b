"""`patchkit check`: whether patches apply, for CI and for a person who wants to know before applying them.

Takes the patches that are named and the options; checks them, and writes what was found to the streams and files that
were asked for. Nothing of the workspace is changed; `--fix` writes new files beside the patches.
"""

from __future__ import annotations

import os
import time
from types import SimpleNamespace as Asked  # by the names of the parameters

from patchkit.checking.findings import baseline, codes_of, failing, hide_accepted, known_by
from patchkit.checking.limits import Limits, is_glob, project
from patchkit.checking.report import FORMATS, STDIN, Acceptance, CheckedPatch, OutputFormat, Report
from patchkit.checking.run import MOST_BYTES, OF_DIFFS, SUFFIXES, CheckRequest, PatchSource, sources
from patchkit.checking.text import TextLayout, report_spans, statistics_spans
from patchkit.checking.tool import check as check_patches
from patchkit.cli import (
    USAGE,
    CommandLineError,
    Interrupted,
    columns,
    progress,
    refused,
    roll_back_on_signals,
    takes_colour,
    write,
)
from patchkit.cli.inputs import check_start, text_of_file
from patchkit.cli.options import (
    AGENT,
    BASE,
    COLOR,
    FIX,
    JUDGING,
    MAX_PATCH_BYTES,
    QUIET,
    REVERSE,
    SYNTAX,
    WORKSPACE,
    planned,
)
from patchkit.cli.quick import JSON, Flag, Given, QuickCommand
from patchkit.cli.statuses import of_check
from patchkit.core.changes import Options
from patchkit.errors import Note, PatchkitError, reason
from patchkit.handles import ReportedAs
from patchkit.policy import READ, is_overseen, variable
from patchkit.report.result import context
from patchkit.report.spans import on_screen, plain
from patchkit.report.width import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from patchkit.policy.oversight import Oversight

_SUFFIX = ".corrected"  # in the names of corrected patches
_AGAINST, _LIMITS, _OUTPUT, _VERDICT = "Files", "Limits", "Output", "Verdict"


def _row(names: str, about: str, group: str, value: str = "", **other: Any) -> Flag:
    return Flag(names, about, value=value, group=group, **other)


_ABOUT = """Check whether patches apply, without changing files.

PATCH is a file, a directory (its *.patch, *.apply_patch and *.applypatch files, with '--from' also *.diff, at any
depth), a quoted glob, or '-' for standard input, which is also read when nothing is named.

A format without a file goes to standard output: 'patchkit check p --format sarif'. With files there can be several
at once, and standard output keeps the text: 'patchkit check p --format sarif=p.sarif --format html=p.html'.

Limits can also be set in pyproject.toml, [tool.patchkit.check], or in .patchkit.toml, [check]: max-pass, forbid,
allow, max-files, max-lines.
"""
_ROWS = (
    *WORKSPACE,
    _row("--syntax-only", "parse the patches and look at no file", _AGAINST),
    _row("--against", "check against a git commit; no work tree is needed", _AGAINST, "REV", brief=True),
    _row("--git-dir", "the repository of '--against' (default: that of the workspace)", _AGAINST, value="DIR"),
    _row("--since", "check only patch files that were changed since a git commit", _AGAINST, "REV"),
    _row("--sequence", "check each patch on top of those before it, in memory", _AGAINST, brief=True),
    *(BASE.but(group=_AGAINST), REVERSE, *JUDGING, MAX_PATCH_BYTES, SYNTAX),
    _row("--forbid", "refuse patches that touch such files, as in a .gitignore", _LIMITS, "GLOB", many=True),
    _row("--allow", "refuse patches that touch any other files", _LIMITS, "GLOB", many=True),
    _row("--max-files", "refuse patches that touch more files", _LIMITS, "N"),
    _row("--max-lines", "refuse patches that add and remove more lines", _LIMITS, "N"),
    AGENT,
    _row(
        "--ignore",
        "errors of this code do not fail the check: P201, P2 for all that begin so, a name, several with commas",
        _VERDICT,
        "CODE",
        many=True,
        brief=True,
    ),
    _row("--fail-on", "only errors and notes of this code fail the check", _VERDICT, "CODE", many=True),
    _row("--exit-zero", "end with status 0 although patches are refused", _VERDICT),
    _row("--baseline", "a file of known errors, which do not fail the check", _VERDICT, "FILE"),
    _row("--write-baseline", "write all errors to a file for '--baseline', and end with status 0", _VERDICT, "FILE"),
    _row("--format", ", ".join(FORMATS), _OUTPUT, "NAME[=FILE]", many=True, brief=True, field="formats"),
    _row("-o --output", "where the format without a file of its own goes", _OUTPUT, "FILE"),
    _row("--statistics", "print how often each code occurs instead of every error", _OUTPUT, brief=True),
    JSON.but(about="the same as '--format json'", group=_OUTPUT),
    FIX.but(
        about="write certain corrections beside their patches: 'a.patch' gets 'a.corrected.patch'; "
        "--fix=likely writes likely ones, too",
        group=_OUTPUT,
    ),
    _row("--annotations", "annotate the pull request (default: on GitHub Actions)", _OUTPUT),
    _row("--no-annotations", "annotate nothing", _OUTPUT),
    COLOR,
    QUIET.but(about="show refused patches only, and no notes"),
    _row("-v --verbose", "show every hunk of good patches, too", _OUTPUT, brief=True),
    Flag("--jobs", "how many processes share the work (default: 1; 0: as many as there are cores)", value="N"),
)


def _answer(given: Given) -> int:
    try:
        filled = CHECK.filled(given)
        asked = Asked(given=filled, **filled)
        roll_back_on_signals()
        return _run(asked)
    except (PatchkitError, Interrupted) as error:
        found = PatchkitError("P406", signal=str(error)) if isinstance(error, Interrupted) else error
        refused(found, asked.as_json or "json" in asked.formats, asked.color or "auto")
        # What concerns no single patch is a matter of the call.
        return error.status if isinstance(error, Interrupted) else USAGE


CHECK = QuickCommand(
    "check", _ABOUT, _answer, (Flag("", value="[PATCH]...", kind="FILE", many=True, field="patches"),), _ROWS
)
quick = CHECK.called


def _run(asked: Asked) -> int:
    started = time.monotonic()
    outputs = Outputs(asked)
    acceptance = acceptance_of(asked)
    watch = _oversight(asked)
    try:
        report = _checked(asked, outputs, watch)
    except BaseException as error:
        if watch is not None and not isinstance(error, CommandLineError):
            watch.record_failure(error)
        raise
    report.acceptance = acceptance
    if asked.fix:
        write_corrected(report, asked.fix)
    if asked.write_baseline is not None:
        _write(asked.write_baseline, _bytes(baseline(report)))
    accepts = asked.exit_zero or asked.write_baseline or not failing(report)
    codes = [error.code for patch in report.refused for error in patch.every_error]
    hide_accepted(report)
    outputs.write(report, round((time.monotonic() - started) * 1000))
    return of_check(not accepts, codes)


def _oversight(asked: Asked) -> Oversight | None:
    """What asks the rules and keeps the log; None where there are none."""
    try:
        if not is_overseen(asked.agent, os.path.realpath(asked.root or ".")):
            return None
    except OSError:  # the current directory was removed
        return None
    from patchkit.policy.oversight import Oversight
    from patchkit.tools.registry import effect_and_name

    return Oversight("check", asked.agent, asked.root or None, READ, tool_names=effect_and_name)


def _checked(asked: Asked, outputs: Outputs, watch: Oversight | None) -> Report:
    """Checks the patches under the rules of the project, and records that in its log."""
    wanted = wanted_of(asked, outputs.formats)
    patches = sources_of(asked)
    line = progress(2, "patches") if len(patches) > 1 and os.isatty(2) else None
    on_done = (lambda number: line("checking", number, len(patches))) if line is not None else None
    jobs = 1 if asked.jobs is None else asked.jobs or os.cpu_count() or 1
    try:
        report = check_patches(patches, wanted, jobs, on_done=on_done, watch=watch)
    finally:
        if line is not None:
            line.end()
    if watch is not None:
        first = next((error.code for patch in report.refused for error in patch.every_error), None)
        report.notes += watch.record("error" if report.refused else "success", first)
    return report


# -- what is checked, and against what -----------------------------------------------------------


def wanted_of(asked: Asked, formats: list[OutputFormat]) -> CheckRequest:
    """What patches are checked against: as the command line says, and as the project says where that says nothing."""
    _refuse_contradictions(asked)
    if not asked.against:
        check_start(asked.start)
    root = asked.root or None
    rules = project(root or ".")
    options = planned(asked.given, Options(check=True, max_pass=asked.max_pass or rules.max_pass or Options().max_pass))
    options.fix = ""  # a check writes corrections, and applies none
    options.suggest = bool(asked.fix) or any(each.suggestions for each in formats)
    options.syntax = options.syntax or variable("PATCHKIT_SYNTAX")
    wanted = CheckRequest(root, asked.start, options.checked())
    wanted.against, wanted.git_dir = asked.against, asked.git_dir
    wanted.syntax_only, wanted.sequence = asked.syntax_only, asked.sequence
    wanted.base = asked.base_name
    wanted.limits = _limits(asked, rules)
    wanted.brief = not asked.verbose and all(each.name in ("text", "github", "markdown") for each in formats)
    wanted.pictures = any(each.lines for each in formats) or bool(asked.baseline or asked.write_baseline)
    return wanted


def _refuse_contradictions(asked: Asked) -> None:
    if asked.git_dir and not asked.against:
        raise CommandLineError("option '--git-dir' needs '--against REV'")
    if asked.syntax_only and (asked.against or asked.sequence):
        raise CommandLineError("option '--syntax-only' looks at no files: leave '--against' and '--sequence' out")
    if asked.base_name and (asked.against or asked.syntax_only):
        other = "--against" if asked.against else "--syntax-only"
        raise CommandLineError(f"option '--base' is about the files of the workspace: leave '{other}' out")
    if asked.fix and asked.syntax_only:
        raise CommandLineError("option '--fix' needs files to compare with: leave '--syntax-only' out")
    if asked.sequence and asked.jobs is not None:
        raise CommandLineError("option '--sequence' takes one patch after the other: leave '--jobs' out")


def _limits(asked: Asked, project: Limits) -> Limits:
    """The project's limits and those of the command line: lists grow, single values are replaced."""
    forbid, allow = _globs("--forbid", asked.forbid), _globs("--allow", asked.allow)
    files = project.max_files if asked.max_files is None else asked.max_files
    lines = project.max_lines if asked.max_lines is None else asked.max_lines
    return Limits(project.forbid + forbid, project.allow + allow, files, lines)


def _globs(option: str, globs: tuple[str, ...]) -> list[str]:
    for glob in globs:
        if not is_glob(glob):
            raise CommandLineError(f"option '{option}' needs a pattern as in a '.gitignore', not '{glob}'")
    return list(globs)


def sources_of(asked: Asked) -> list[PatchSource]:
    """The patches that are named; those of standard input when none is."""
    words, limit = list(asked.patches), asked.max_patch_bytes
    if not words and os.isatty(0):
        raise CommandLineError("no patch: name files, directories or globs, or pipe one in")
    diffs = asked.strip is not None or (asked.source or "v4a") != "v4a"
    suffixes = SUFFIXES + OF_DIFFS if diffs else SUFFIXES
    found = sources(words or [STDIN], MOST_BYTES if limit is None else limit, suffixes)
    if not words and not found[0].data:
        raise CommandLineError("no patch: standard input is empty, and no file is named")
    if asked.fix and any(each.name == STDIN for each in found):
        raise CommandLineError("option '--fix' writes beside patch files: name files instead of standard input")
    if asked.since is None:
        return found
    names = changed_since(asked.since)
    return [each for each in found if each.name == STDIN or os.path.realpath(each.name) in names]


def acceptance_of(asked: Asked) -> Acceptance:
    """Which errors do not fail the check."""
    found = Acceptance()
    found.ignore, found.fail_on = _codes("--ignore", asked.ignore), _codes("--fail-on", asked.fail_on)
    path = asked.baseline
    if path is not None:
        try:
            found.known = known_by(text_of_file(path))
        except ValueError as error:
            raise CommandLineError(f"cannot use the baseline '{path}': {error}") from None
    return found


def _codes(option: str, words: tuple[str, ...]) -> set[str]:
    try:
        return codes_of(list(words))
    except ValueError as error:
        raise CommandLineError(f"option '{option}' needs a code or its name, not '{error}'") from None


def changed_since(revision: str) -> set[str]:
    """The files that are not as in the commit; `main...` means since the work branched off from main."""
    top = _git([], "rev-parse", "--show-toplevel")
    if top is None:
        raise PatchkitError("P667", reason="the current directory is not in a git repository", of_directory=True)
    directory = os.fsdecode(top.rstrip(b"\n"))
    place = ["-C", directory]
    listing = ["--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty"]
    changed = _git(place, "diff", *listing, "--end-of-options", revision, "--")
    if changed is None:
        raise PatchkitError("P666", revision=revision, where=directory)
    new = _git(place, "ls-files", "--others", "--exclude-standard", "-z") or b""
    names = [os.fsdecode(name) for name in (changed + new).split(b"\0") if name]
    return {os.path.realpath(os.path.join(directory, name)) for name in names}


def _git(place: list[str], *words: str) -> bytes | None:
    """What git prints, None where it refuses."""
    from patchkit.diffs.git_calls import run_git  # it loads what starts processes

    done = run_git(place, [*words], work_tree=words[0] == "diff")
    return done.stdout if done.returncode == 0 else None


# -- where what was found goes ------------------------------------------------------------------


class Outputs:
    """What goes where: `files` are formats with their paths, `stream` is the format on standard output."""

    def __init__(self, asked: Asked) -> None:
        self.files: list[tuple[OutputFormat, str]] = []
        loose: list[OutputFormat] = [FORMATS["json"]] if asked.as_json else []
        for word in asked.formats:
            name, _, file = word.partition("=")
            if name not in FORMATS:
                raise CommandLineError(f"there is no format '{name}'; use one of: {', '.join(FORMATS)}")
            if file:
                self.files.append((FORMATS[name], file))
            elif FORMATS[name] not in loose:
                loose.append(FORMATS[name])
        if len(loose) > 1:
            name = loose[1].name
            raise CommandLineError(f"only one format can go to one place: give '{name}' a file, '{name}=FILE'")
        self.stream = loose[0] if loose else FORMATS["text"]
        if asked.output is not None and asked.output != "-":
            self.files.append((self.stream, asked.output))
            self.stream = FORMATS["text"]
        self._asked = asked
        self._color = asked.color or "auto"
        self._on_github = os.environ.get("GITHUB_ACTIONS") == "true"
        wanted = asked.annotations or (self._on_github and not asked.no_annotations)
        self.annotates = wanted and self.stream.name != "github"

    @property
    def formats(self) -> list[OutputFormat]:
        return [self.stream, *(each for each, _file in self.files)]

    def write(self, report: Report, time_ms: int) -> None:
        """Writes every format to its place: files first, so that the last line on a screen is the verdict."""
        asked = {name: value for name, value in self._asked.given.items() if value not in (None, False, (), "auto")}
        report.stats = {"time_ms": time_ms}
        report.context = context(asked, report.root)
        base = (os.environ.get("GITHUB_WORKSPACE") if self._on_github else None) or "."
        for each, file in self.files:
            _write(file, _bytes(each.render(report, base)))
            if os.isatty(2):
                write(2, f"Wrote {visible(file)}\n")
        text = self._text(report) if self.stream.name == "text" else self.stream.render(report, base)
        if self.annotates:
            self._print_annotated(text, report, base)
            _summarise(report)
        else:
            _print(text)

    def _print_annotated(self, text: str, report: Report, base: str) -> None:
        """Prints with GitHub's commands: behind the text, beside any other format."""
        from patchkit.checking.annotations import quoted, render_github  # most runs are on no runner

        annotations = render_github(report, base, with_notes=not self._asked.quiet)
        if self.stream.name == "text":
            # The runner executes the commands it finds in a log: those in the text of a patch are switched off.
            text = quoted(text, os.urandom(16).hex()) if text else ""
            _print(text + annotations)
        else:
            _print(text)
            write(2, _bytes(annotations))

    def _text(self, report: Report) -> str:
        """The report as text, for the terminal if there is one."""
        layout = TextLayout(columns(1), self._asked.quiet, self._asked.verbose)
        spans = statistics_spans(report) if self._asked.statistics else report_spans(report, layout)
        return on_screen(spans, colour=True) if takes_colour(1, self._color) else plain(spans)


def _summarise(report: Report) -> None:
    """Adds the report to the summary of the step, as far as GitHub takes it."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        from patchkit.checking.annotations import SUMMARY_BYTES
        from patchkit.checking.markdown import render

        _write(path, _bytes(render(report, SUMMARY_BYTES)), "ab")


def _print(text: str) -> None:
    """Prints a format; a disk that is full behind standard output is as bad as one behind a file."""
    why = write(1, _bytes(text))
    if why:
        raise PatchkitError("P668", file="standard output", reason=why)


def _write(path: str, data: bytes, mode: str = "wb") -> None:
    with ReportedAs("P668", file=path):
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        except FileExistsError:
            pass  # something else has that name: opening the file will fail and name it
        with open(path, mode) as file:
            file.write(data)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def write_corrected(report: Report, fix: str) -> None:
    """Writes the corrected patches of a report: those that are certain, with 'likely' the others, too."""
    for patch in report.refused:
        if patch.suggestion is not None and (patch.certainty == "certain" or fix == "likely"):
            try:
                patch.corrected = _write_new(patch, patch.suggestion)
            except PatchkitError as error:
                error.facts["read_only"] = True
                patch.errors.append(error)
            else:
                patch.notes.append(Note("P946", file=patch.corrected, certainty=patch.certainty))


def _write_new(patch: CheckedPatch, text: str) -> str:
    """Writes the file for a corrected patch and returns its name; one that has this text already is left as it is."""
    stem, ending = os.path.splitext(patch.name)
    name = f"{stem}{_SUFFIX}{'.patch' if patch.foreign else ending}"
    data = text.encode("utf-8", "surrogateescape")
    try:
        with open(name, "xb") as file:
            file.write(data)
    except FileExistsError:
        if os.path.isdir(name) or not _holds(name, data):
            raise PatchkitError("P224", file=name) from None
    except OSError as error:
        raise PatchkitError("P225", file=name, reason=reason(error)) from None
    return name


def _holds(name: str, data: bytes) -> bool:
    try:
        with open(name, "rb") as file:
            return file.read(len(data) + 1) == data
    except OSError:
        return False
