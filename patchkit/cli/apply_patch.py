"""The `apply_patch` command: arguments, streams and the exit status.

Reads a patch from its one argument or from standard input, applies it under the workspace, prints the summary; with
'-i' asks a person about every hunk first. Where settings have rules or a log, or an agent calls, the run is overseen:
asked about before, recorded after. The plain successful run uses little of what is imported here; the build loads the
rest when it is needed, and the process ends without tearing the interpreter down.
"""

from __future__ import annotations

import os
import sys
import time

from patchkit.changes.apply import Applied, apply, joined_patch, written_patch
from patchkit.changes.based import based_patch, planner_for
from patchkit.changes.diff import file_diffs, merged_plan, unified, unified_file
from patchkit.changes.foreign import paths_of
from patchkit.changes.model import Plan
from patchkit.cli import exit_status
from patchkit.cli.arguments import ApplyArguments
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.help import APPLY_USAGE, NAMED_USAGE, apply_patch_help, version
from patchkit.cli.inputs import text_of_file, text_of_stream
from patchkit.cli.interactive import Interview, named_patch
from patchkit.cli.signals import Interrupted, end, finish_in_spite_of_signals, roll_back_on_signals
from patchkit.cli.starting import check_start
from patchkit.cli.streams import columns, is_screen, progress, show, write, write_json
from patchkit.errors import PatchkitError
from patchkit.language.lenience import unwrap
from patchkit.language.model import Patch
from patchkit.language.parser import decode
from patchkit.policy import WRITE
from patchkit.policy.oversight import Oversight
from patchkit.policy.settings_files import is_overseen
from patchkit.report.correction import refusal_for_model, refusal_spans
from patchkit.report.diagnostics import as_error
from patchkit.report.notes import note_spans
from patchkit.report.result import Result, error_data, note_data
from patchkit.report.spans import plain
from patchkit.report.stat import diff_spans, numstat, stat
from patchkit.report.summary import summary, summary_spans
from patchkit.tools.apply_result import apply_data
from patchkit.tools.registry import effect_and_name
from patchkit.workspace.bases import AUTO as AUTO_BASE
from patchkit.workspace.bases import FoundBase, PatchBases
from patchkit.workspace.directories import current_directory, resolved
from patchkit.workspace.history.observing import tracked_workspace
from patchkit.workspace.looking_back import look_back
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.changes.options import Options
    from patchkit.report.progress import Progress
    from patchkit.report.spans import Spans

    Work = Callable[[str | Patch, Workspace, Options], Applied]

_LEFT = ("P982", "P983")  # notes on work that is left: conflicts to decide, changes to make by a command
_MANY = 64  # files: a run over fewer is over before a person wonders


def main(words: list[str] | None = None, by_name: bool = False) -> None:
    """Runs the command and ends the process; `by_name` for `patchkit apply`, which takes the names of files."""
    words = sys.argv[1:] if words is None else words
    if not words and "_APPLY_PATCH_COMPLETE" in os.environ:  # a shell asks what could be typed next
        from patchkit.cli.completion import complete  # which loads much, and only here is needed

        complete("apply_patch")
    kept: list[object] = []  # releasing what is in it would cost more than the patch
    end(run(words, kept=kept, by_name=by_name))


def run(words: list[str], patch: bytes | None = None, kept: list[object] | None = None, by_name: bool = False) -> int:
    """Runs the command and returns its exit status; `patch` where the caller has read it already.

    What was made is put into `kept` for a caller that ends the process without releasing it.
    """
    try:
        arguments = ApplyArguments(words, by_name)
        arguments.options.checked()
    except CommandLineError as error:
        return _complain(f"Error: {error}\n")
    except PatchkitError as error:
        return _complain(f"Error: {error.message}; {error.hint}\n")
    if arguments.help or arguments.version:
        if arguments.help:
            apply_patch_help(by_name).show()
        else:
            write(1, version())
        return exit_status.DONE
    text: str | None = None
    try:
        roll_back_on_signals()
        if arguments.named:
            return _apply_files(arguments, kept)
        data = _read_patch(arguments) if patch is None else _within_limit(arguments, patch)
        if data is None:
            return _complain(_usage(by_name))
        text = decode(data)
        return _apply(arguments, text, kept)
    except CommandLineError as error:
        return _complain(f"Error: {error}\n")
    except PatchkitError as error:
        return _refuse(arguments, error, text)
    except Interrupted as signal:
        _refuse(arguments, PatchkitError("P406", signal=str(signal)), text)
        return signal.status
    except Exception as error:  # a defect of ours must still be reported in one line
        return _refuse(arguments, as_error(error), text)


def _apply(arguments: ApplyArguments, text: str | Patch, kept: list[object] | None) -> int:
    if arguments.interactive:
        return _ask_and_apply(arguments, text)
    done = _applied(arguments, text, apply)
    if kept is not None:
        kept.append(done)
    if arguments.as_json:
        _print_json(arguments, done, [])
    else:
        _print(arguments, done)
    left = any(note.code in _LEFT for note in done.notes)
    return exit_status.REFUSED if left else exit_status.DONE


def _joined(arguments: ApplyArguments, texts: list[str]) -> Patch:
    """Several texts as one patch for the files; with a base, carried over from there as a whole."""
    options = arguments.options
    with tracked_workspace(arguments.root, arguments.start) as files:
        if arguments.base_name is None:
            return joined_patch(texts, files, options)
        if options.reverse:
            raise CommandLineError("options '--base', '--reverse' and '--together' exclude each other")
        sections = []
        if arguments.base_name == AUTO_BASE:
            sections = [section for text in texts for section in written_patch(text, files, options).sections]
        base = PatchBases(arguments.base_name).base_of(Patch(sections), files, options)
        arguments.base_name = None  # the patch is for the files as they are
        return based_patch(joined_patch(texts, base, options, planner_for(base)), base, files, options)


def _apply_files(arguments: ApplyArguments, kept: list[object] | None) -> int:
    """Applies files with patches in order: each a patch of its own, or all of them as one."""
    texts = [decode(_within_limit(arguments, _named(name))) for name in arguments.named]
    if arguments.together and len(texts) > 1:
        try:
            joined = _joined(arguments, texts)
        except PatchkitError as error:
            part = error.errors[0].facts.get("part")
            if not isinstance(part, int):
                raise
            return _refuse(arguments, error, texts[part], arguments.named[part])
        return _apply(arguments, joined, kept)
    status = exit_status.DONE
    for number, (name, text) in enumerate(zip(arguments.named, texts)):
        try:
            if number:
                roll_back_on_signals()  # a signal may have come when the files of the one before were new
            status = _apply(arguments, text, kept) or status
            if arguments.bases is not None:
                arguments.bases.add(text)
        except (PatchkitError, Interrupted) as error:
            interrupted = PatchkitError("P406", signal=str(error), before=number)
            reason = interrupted if isinstance(error, Interrupted) else error
            status = _refuse(arguments, reason, text, name if name != "-" else "patch")
            if len(texts) > 1:
                write(2, f"stopped at '{name}'; applied before it: {number} of {len(texts)}\n")
            return error.status if isinstance(error, Interrupted) else status
    return status


def _named(name: str) -> bytes:
    """The bytes of a file with a patch; '-' is standard input."""
    if name == "-":
        return text_of_stream().encode("utf-8", "surrogateescape")
    return text_of_file(name).encode("utf-8", "surrogateescape")


def _ask_and_apply(arguments: ApplyArguments, text: str | Patch) -> int:
    interview = Interview(arguments)
    interview.report(_applied(arguments, text, interview.apply))
    return exit_status.REFUSED if interview.refused else exit_status.DONE


def _applied(arguments: ApplyArguments, text: str | Patch, work: Work) -> Applied:
    """What came of the work in the workspace, overseen where that is asked for."""
    watch = None
    with tracked_workspace(arguments.root, arguments.start) as files:
        if arguments.start is not None:
            check_start(arguments.start)
        files.on_commit = finish_in_spite_of_signals
        if os.isatty(2) and not arguments.quiet and not arguments.interactive:
            files.on_progress = watch = Watch()
        if arguments.base_name is not None:
            arguments.bases = arguments.bases or PatchBases(arguments.base_name)
            arguments.options.base = arguments.bases.base_of(text, files, arguments.options)
        try:
            if is_overseen(arguments.agent, files.real):
                return _overseen(text, files, arguments, work)
            return work(text, files, arguments.options)
        except PatchkitError as error:
            if isinstance(arguments.options.base, FoundBase):
                arguments.options.base.explain(error)
            look_back(error, files, arguments.options)
            raise
        finally:
            if watch is not None:
                watch.end()


def _overseen(text: str | Patch, files: Workspace, arguments: ApplyArguments, work: Work) -> Applied:
    """Applies the patch if the rules allow it, and records what came of it."""
    options = arguments.options
    watch = Oversight("apply_patch", arguments.agent, arguments.root, WRITE, tool_names=effect_and_name)
    try:
        asked = text
        if options.source and isinstance(text, str):
            asked = paths_of(text, options.source, options)
        with watch.over(files, lambda judge: judge.patch(asked, options.strict, options.check)):
            done = work(text, files, options)
    except BaseException as error:
        watch.record_failure(error)
        raise
    done.notes += watch.record("success")
    return done


class Watch:
    """Reports on the terminal how far a run is, once it has many files or has to wait."""

    __slots__ = ("line",)

    def __init__(self) -> None:
        self.line: Progress | None = None

    def __call__(self, doing: str, number: int, total: int) -> None:
        if self.line is None:
            if total and number < _MANY:
                return
            self.line = progress(2)
        self.line(doing, number, total)

    def end(self) -> None:
        if self.line is not None:
            self.line.end()


# -- the patch -----------------------------------------------------------------------------------


def _read_patch(arguments: ApplyArguments) -> bytes | None:
    """The patch as bytes; None when there is none to read, which is a matter of usage."""
    if arguments.patch is not None and arguments.patch != "-":
        return _within_limit(arguments, _argument(arguments))
    try:
        if os.isatty(0) and arguments.patch is None:
            return None
        pieces, size = [], 0
        at_once = max(min(os.fstat(0).st_size, arguments.max_patch_bytes) + 1, 1 << 16)  # all of a file, a pipe's fill
        while size <= arguments.max_patch_bytes and (piece := os.read(0, at_once)):
            pieces.append(piece)
            size += len(piece)
    except OSError as error:
        raise PatchkitError("P403", reason=str(error.strerror).lower()) from None
    return _within_limit(arguments, b"".join(pieces)) or None


def _argument(arguments: ApplyArguments) -> bytes:
    """The patch of the command line; a person who is asked about it may name a file."""
    word = arguments.patch or ""
    return named_patch(word) if arguments.interactive else os.fsencode(word)


def _within_limit(arguments: ApplyArguments, data: bytes) -> bytes:
    if len(data) > arguments.max_patch_bytes:
        raise PatchkitError("P115", limit=arguments.max_patch_bytes)
    return data


# -- what came of it -------------------------------------------------------------------------------


def _print(arguments: ApplyArguments, done: Applied) -> None:
    if not arguments.quiet and not arguments.only_numbers:
        checked = arguments.options.check
        show(1, summary_spans(done.sections, checked, both_names=os.isatty(1)), arguments.color)
    if arguments.shows_changes:
        _print_changes(arguments, done)
    if done.notes and not arguments.quiet:
        show(2, note_spans(done.notes), arguments.color)


def _print_changes(arguments: ApplyArguments, done: Applied) -> None:
    """Prints what was asked for of the changes: how many lines, the table, the diff."""
    diffs = file_diffs(merged_plan(done.plans))
    if arguments.numstat:
        write(1, numstat(diffs))
    if arguments.stat:
        show(1, stat(diffs, columns(1)), arguments.color)
    if arguments.diff:
        diff = b"".join(map(unified_file, diffs))
        if is_screen(1, arguments.color):
            show(1, diff_spans(diff), arguments.color)
        else:
            write(1, diff)  # which may be large


def _usage(by_name: bool) -> str:
    """How to call it; the two lines of Codex in a pipe, with a word about help for a person."""
    if by_name:
        return NAMED_USAGE + "'patchkit apply --help' lists the options.\n"
    return APPLY_USAGE + ("'apply_patch --help' lists the options.\n" if os.isatty(2) else "")


def _complain(words: str) -> int:
    write(2, words)
    return exit_status.USAGE


def _refuse(arguments: ApplyArguments, error: PatchkitError, text: str | None, source: str = "patch") -> int:
    """Reports what is wrong with a patch, `text` if it could be read; returns the status to end with.

    `source` is the name of the patch.
    """
    if text is not None and not arguments.options.strict and not arguments.options.source:
        try:
            text = unwrap(text).text  # line numbers count the text without what was around it
        except PatchkitError:
            pass  # what is around it is the trouble
    if arguments.as_json:
        _print_json(arguments, None, error.errors, text)
    else:
        show(2, _refusal(arguments, error, text, source), arguments.color)
    return exit_status.of_apply(error.code)


def _refusal(arguments: ApplyArguments, error: PatchkitError, text: str | None, source: str) -> Spans:
    """What is wrong with a patch, and its correction. A patch of which sections were applied is not to be run again."""
    options = arguments.options
    if error.suggestion is not None and options.reading.one_by_one and not options.check:
        return [(refusal_for_model(error.errors, text), "")]
    return refusal_spans(error.errors, text, columns(2), source, foreign=bool(options.source))


def _print_json(
    arguments: ApplyArguments, done: Applied | None, errors: list[PatchkitError], patch: str | None = None
) -> None:
    """Prints the envelope on standard output."""
    if done is None:
        done = Applied()
        done.plans = [error.plan for error in errors if isinstance(error.plan, Plan)]
    if errors:
        text = plain(refusal_spans(errors, patch, foreign=bool(arguments.options.source)))
    else:
        text = summary(done.sections, arguments.options.check)
    result = Result("error" if errors else "success", apply_data(done, errors, arguments.options.dialect), text)
    if arguments.diff and not errors:
        result.data["diff"] = unified(merged_plan(done.plans)).decode("utf-8", "backslashreplace")
    result.errors = [error_data(error) for error in errors]
    result.notes = [note_data(note) for note in done.notes]
    result.stats = {"time_ms": round(time.process_time() * 1000)}
    asked = {"root": arguments.root, "directory": arguments.start, "dialect": arguments.options.dialect}
    where = resolved(arguments.root)
    result.context = {"cwd": current_directory(), "params_input": asked, "path_resolved": where}
    write_json(result.envelope())
