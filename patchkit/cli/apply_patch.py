"""The `apply_patch` command: arguments, streams and the exit status.

Reads a patch from its one argument or from standard input, applies it under the workspace, prints the
summary. The plain successful run imports nothing that it does not use: failure texts, JSON and
diffs are loaded when they are needed, and the process ends without tearing the interpreter down.
"""

from __future__ import annotations

import json
import os
import sys
import time

from patchkit.changes.apply import Applied, apply
from patchkit.changes.diff import file_diffs, merged_plan, unified, unified_file
from patchkit.changes.model import Plan
from patchkit.cli.arguments import USAGE, Arguments, UsageError
from patchkit.cli.signals import Interrupted, finish_in_spite_of_signals, roll_back_on_signals
from patchkit.cli.streams import columns, progress, say, show
from patchkit.errors import PatchkitError
from patchkit.language.lenience import unwrap
from patchkit.policy.settings_files import is_overseen
from patchkit.report.diagnostics import render_errors, render_help
from patchkit.report.summary import summary
from patchkit.tools.apply_result import apply_data
from patchkit.tools.calling import current_directory, resolved
from patchkit.tools.result import Result, error_data, note_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.progress import Progress


def main(words: list[str] | None = None) -> None:
    """Runs the command and ends the process."""
    words = sys.argv[1:] if words is None else words
    if not words and "_APPLY_PATCH_COMPLETE" in os.environ:  # a shell asks what could be typed next
        from patchkit.cli.completion import complete_apply

        complete_apply()
    kept: list[object] = []
    status = run(words, kept=kept)
    # Not sys.exit: everything is written and closed, and taking the interpreter apart costs more than the patch; so
    # does what stands in `kept`.
    os._exit(status)


def run(words: list[str], patch: bytes | None = None, kept: list[object] | None = None) -> int:
    """Runs the command and returns its exit status; `patch` where whoever calls has read it already.

    What was made is put into `kept` by those who will end without taking it apart.
    """
    try:
        arguments = Arguments(words)
        arguments.options.checked()
    except UsageError as error:
        return _complain(f"Error: {error}\n", 2)
    except PatchkitError as error:
        return _complain(f"Error: {error.message}; {error.hint}\n", 2)
    if arguments.help or arguments.version:
        from patchkit.cli.help import apply_patch_help, version

        say(1, apply_patch_help() if arguments.help else version())
        return 0
    text: str | None = None
    try:
        roll_back_on_signals()
        data = _read_patch(arguments) if patch is None else _within_limit(arguments, patch)
        if data is None:
            return _complain(USAGE, 2)
        from patchkit.language.parser import decode

        text = decode(data)
        return _apply(arguments, text, kept)
    except UsageError as error:
        return _complain(f"Error: {error}\n", 2)
    except PatchkitError as error:
        return _refused(arguments, error, text)
    except Interrupted as signal:
        return _refused(arguments, PatchkitError("P406", signal=str(signal)), text)
    except Exception as error:  # a defect of ours must still say so in one line
        from patchkit.report.diagnostics import as_error

        return _refused(arguments, as_error(error), text)


def _apply(arguments: Arguments, text: str, kept: list[object] | None) -> int:
    from patchkit.workspace.root import Workspace

    if arguments.interactive:
        from patchkit.cli.interactive import converse

        return converse(arguments, text)
    watch = None
    with Workspace(arguments.root, arguments.directory) as files:
        files.on_commit = finish_in_spite_of_signals
        if os.isatty(2) and not arguments.quiet:
            files.on_progress = watch = Watch()
        try:
            if is_overseen(arguments.agent, files.real):
                from patchkit.cli.apply_overseen import apply_overseen

                done = apply_overseen(text, files, arguments)
            else:
                done = apply(text, files, arguments.options)
        finally:
            if watch is not None:
                watch.end()
    if kept is not None:
        kept.append(done)
    if arguments.json:
        print_json(arguments, done, [])
    else:
        _tell(arguments, done)
    return 0


def _tell(arguments: Arguments, done: Applied) -> None:
    if not arguments.quiet:
        show(1, "summary", summary(done.sections, checked=arguments.options.check), arguments.color)
    if arguments.shows_changes:
        show_changes(arguments, done)
    if done.notes and not arguments.quiet:
        from patchkit.report.diagnostics import render_note

        show(2, "diagnostics", "".join(render_note(note) for note in done.notes), arguments.color)


def _refused(arguments: Arguments, error: PatchkitError, text: str | None) -> int:

    return refuse(arguments, error, text)


def _complain(words: str, status: int) -> int:
    say(2, words)
    return status


# -- streams -----------------------------------------------------------------------------------
def _read_patch(arguments: Arguments) -> bytes | None:
    """The patch as bytes; None when there is none to read, which is a matter of usage."""
    if arguments.patch is not None and arguments.patch != "-":
        if arguments.interactive:
            from patchkit.cli.interactive import named_patch

            return _within_limit(arguments, named_patch(arguments.patch))
        return _within_limit(arguments, os.fsencode(arguments.patch))
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


def _within_limit(arguments: Arguments, data: bytes) -> bytes:
    if len(data) > arguments.max_patch_bytes:
        raise PatchkitError("P115", limit=arguments.max_patch_bytes)
    return data


# -- refusing: How `apply_patch` tells of a refusal: words or JSON, and the exit status. Loaded when there is one.
CORRECTED = "or send the patch as it should be: the same call with '--check --json' has it, under 'data.suggestion'"


def refuse(arguments: Arguments, error: PatchkitError, text: str | None) -> int:
    """Tells what is wrong with a patch, `text` if it could be read; gives the status to end with."""
    if text is not None and not arguments.options.strict:
        try:
            text = unwrap(text).text  # line numbers speak of the text without what was around it
        except PatchkitError:
            pass  # what is around it is the trouble
    if arguments.json:
        print_json(arguments, None, error.errors, text)
    else:
        words = render_errors(error.errors, text, columns(2))
        if error.errors[0].suggestion is not None:
            words += render_help(CORRECTED, columns(2))
        show(2, "diagnostics", words, arguments.color)
    return 5 if error.code == "P404" else 1


# -- watching: Word of how far a run of `apply_patch` is, for whoever watches it on a terminal. Loaded only there.
_MANY = 64  # files, before anybody could wonder what takes so long


class Watch:
    """Takes what is done, how many, of how many; says so once there is much to tell."""

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


# -- apply_output: The other outputs of `apply_patch`: JSON, the diff, how much changed. Loaded when an option asks for
# them.


def print_json(
    arguments: Arguments, done: Applied | None, errors: list[PatchkitError], patch: str | None = None
) -> None:
    """Prints the envelope on standard output."""
    text = render_errors(errors, patch) if errors else summary(done.sections, arguments.options.check)  # type: ignore[union-attr]
    if done is None:
        done = Applied()
        done.plans = [error.plan for error in errors if isinstance(error.plan, Plan)]
    result = Result("error" if errors else "success", apply_data(done, errors, arguments.options.dialect), text)
    if arguments.diff and not errors:
        result.data["diff"] = unified(merged_plan(done.plans)).decode("utf-8", "backslashreplace")
    result.errors = [error_data(error) for error in errors]
    result.notes = [note_data(note) for note in done.notes]
    result.stats = {"time_ms": round(time.process_time() * 1000)}
    result.context = {
        "cwd": current_directory(),
        "params_input": {
            "root": arguments.root,
            "directory": arguments.directory,
            "dialect": arguments.options.dialect,
        },
        "path_resolved": resolved(arguments.root),
    }
    words = json.dumps(result.envelope(), ensure_ascii=False, indent=2) + "\n"
    say(1, words.encode("utf-8", "backslashreplace"))


def show_changes(arguments: Arguments, done: Applied) -> None:
    """Prints what was asked for of the changes: how many lines, the table, the diff."""
    from patchkit.cli.streams import columns
    from patchkit.report.stat import numstat, stat

    diffs = file_diffs(merged_plan(done.plans))
    if arguments.numstat:
        say(1, numstat(diffs))
    if arguments.stat:
        show(1, "stat", stat(diffs, columns(1)), arguments.color)
    if arguments.diff:
        show(1, "diff", b"".join(map(unified_file, diffs)), arguments.color)
