"""A tool called from a command line: what came of it goes to the streams, and the status says the same.

Takes a tool, its arguments and the caller; prints the Result as text or JSON. Tags and reminders in a text are for
models: they are printed by `patchkit call` and for `--as-agent`, and not to a person, in a pipe neither.
"""

from __future__ import annotations

import os

from patchkit.cli import (
    Interrupted,
    columns,
    finish_in_spite_of_signals,
    is_screen,
    roll_back_on_signals,
    show,
    write,
    write_json,
)
from patchkit.cli.statuses import of_tool
from patchkit.errors import PatchkitError
from patchkit.policy import READ
from patchkit.report.result import Result, failure
from patchkit.tools.answers import SECONDS
from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.report.spans import Span, Spans


_SEARCHES = ("Grep", "Glob")
_LISTS = ("Grep", "Glob", "LS")
_SNIPPET = " Here's the result of running `cat -n` on a snippet of the edited file:\n"
_WIDEST = 2000  # characters of a note: some of them name a whole call


def answer(tool: Tool, arguments: Callable[[], object], caller: Caller, as_json: bool, name: str = "") -> int:
    """Calls the tool, by another `name` of it if one is given, and prints what came of it.

    Returns the status that says the same.
    """
    caller.on_commit = finish_in_spite_of_signals
    caller.owns_process = True  # the process is ours alone
    try:
        roll_back_on_signals()
        if caller.start is not None:
            from patchkit.cli.inputs import check_start

            check_start(caller.start)
        given = arguments()
        if tool.name in _SEARCHES and os.isatty(2):
            result = _waited_for(tool, given, caller)
        else:
            result = call(name or tool.name, given, caller)
        if tool.name in _LISTS and is_screen(1) and caller.by_hand and result.status != "error":
            from patchkit.cli.search_looks import looks  # only for a terminal

            result.for_people = lambda _columns: looks(tool.name, result, given)
        elif caller.by_hand and not caller.agent:
            _address_person(result, tool)
    except PatchkitError as error:  # the arguments could not be read
        result = failure(error)
    except Interrupted as signal:
        result = failure(PatchkitError("P406", signal=str(signal)))
    why = print_result(result, as_json, tags=not caller.by_hand or caller.agent)
    if why and tool.effect == READ:  # a tool that changed files did so, whether that could be printed or not
        result = failure(PatchkitError("P402", file="standard output", reason=why))
        write(2, result.text)
    return of_tool(tool.name, result)


def _address_person(result: Result, tool: Tool) -> None:
    """Puts what is said to a model into a person's words: no `cat -n`, options in the place of fields."""
    said = result.for_people
    if result.status != "error":
        if said is None and _SNIPPET in result.text:
            result.for_people = lambda _columns: [(result.text.replace(_SNIPPET, "\n", 1), "")]
    elif said is not None:
        names = {
            field: spelled.split("/")[-1]
            for field, spelled in tool.declaration.command_line.options.items()
            if "_" in field
        }

        def in_options(span: Span) -> Span:
            text, style = span
            for field, option in names.items() if style in ("strong", "there") else ():
                text = text.replace(f": {field} ", f": '{option}' ").replace(f" {field}", f" '{option}'")
                text = f"'{option}'" + text.removeprefix(field) if text.startswith(f"{field}:") else text
            return text, style

        result.for_people = lambda columns: list(map(in_options, said(columns)))


def _waited_for(tool: Tool, given: object, caller: Caller) -> Result:
    """Calls a tool that searches, with a line on the terminal that says how far it is."""
    from patchkit.cli.search_looks import Waiting  # only for a terminal

    most = given.get("timeout", SECONDS) if isinstance(given, dict) else SECONDS
    waiting = Waiting("searching", most if isinstance(most, (int, float)) else SECONDS)
    try:
        return call(tool.name, given, caller)
    finally:
        waiting.end()


def print_result(result: Result, as_json: bool = False, tags: bool = False) -> str:
    """Prints a Result: the envelope, or its text on standard output (an error's on standard error) and its notes.

    `tags` keeps what is meant for models. Returns the reason why standard output did not take it,
    '' when it did.
    """
    if as_json:
        return write_json(result.envelope())
    why = ""
    if result.status == "error":
        _print_error(result, tags)
    else:
        why = _print_success(result, tags)
    if result.notes:
        show(2, _notes(result))
    return why


def _print_success(result: Result, tags: bool) -> str:
    """Prints the text of a success for the reader of standard output; returns as `write`.

    Onto a terminal it goes as spans: the content and the names of files must not act on it.
    """
    if tags or result.for_people is None:
        return show(1, [(_ended(result.text), "")])
    spans = result.for_people(columns(1))
    if any(style for _text, style in spans):
        return show(1, spans)
    return show(1, [(_ended("".join([text for text, _style in spans])), "")])


def _print_error(result: Result, tags: bool) -> None:
    if tags or result.for_people is None:
        show(2, [(_ended(result.text), "")])
    else:
        show(2, result.for_people(columns(2)))


def _notes(result: Result) -> Spans:
    from patchkit.report.spans import note_line  # only where there is a note
    from patchkit.report.width import visible

    lines = [note_line(str(note["code"]), visible(str(note["message"]), _WIDEST)) for note in result.notes]
    return [span for line in lines for span in line]


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else text + "\n"
