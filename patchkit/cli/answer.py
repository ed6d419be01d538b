"""A Result as a command tells it: text or JSON on the streams, and the exit status that says the same."""

from __future__ import annotations

import os

from patchkit.cli.signals import Interrupted, finish_in_spite_of_signals, roll_back_on_signals
from patchkit.cli.streams import say, show
from patchkit.errors import PatchkitError
from patchkit.policy import READ
from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import Tool
from patchkit.tools.result import Result, failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


_POLICY = (
    "P301",
    "P306",
    "P307",
    "P312",
    "P318",
    "P610",
    "P611",
    "P612",
    "P613",
    "P651",
    "P652",
    "P657",
)  # what the workspace or a rule does not allow
_USAGE = (
    "P601",
    "P602",
    "P603",
    "P604",
    "P605",
    "P606",
    "P607",
    "P632",
    "P650",
    "P653",
    "P654",
    "P655",
    "P656",
)  # and of settings
_WIDEST = 2000  # characters of a note: some of them name a whole call


def tell(result: Result, as_json: bool = False) -> str:
    """Prints a Result: the envelope, or its text on standard output (an error's on standard error) and its notes.

    Gives the reason why standard output did not take it, '' when it did.
    """
    if as_json:
        import json

        words = json.dumps(result.envelope(), ensure_ascii=False, indent=2)
        return printed(words.encode("utf-8", "backslashreplace") + b"\n")
    why = ""
    words = _fitted(result)
    words = words if words.endswith("\n") or not words else words + "\n"
    if result.status == "error":
        show(2, "diagnostics", words)
    else:
        why = printed(_encoded(words))
    if result.notes:
        from patchkit.report.width import visible

        lines = (f"note[{note['code']}]: {visible(str(note['message']), _WIDEST)}\n" for note in result.notes)
        show(2, "diagnostics", "".join(lines))
    return why


def _encoded(words: str) -> bytes:
    """Words as bytes: those of a name that is no UTF-8 as they are, half of a character as an escape."""
    try:
        return words.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return words.encode("utf-8", "backslashreplace")


def printed(data: bytes) -> str:
    """Writes to standard output; gives the reason why that was not possible, else ''."""
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(1, left) :]
    except BrokenPipeError:
        pass  # whoever read it has read enough
    except OSError as error:
        return str(error.strerror).lower()
    return ""


def _fitted(result: Result) -> str:
    """The text of a Result, a refusal's made for the terminal it will stand on."""
    if result.fitted is None or not os.isatty(2):
        return result.text
    from patchkit.cli.streams import columns

    wide = columns(2)
    return result.fitted(wide) if wide is not None else result.text


def status_of(result: Result) -> int:
    """0 done, 1 refused, 2 usage, 3 policy, 4 input or output failed and was rolled back, 5 recovery needed."""
    if not result.errors:
        return 5 if result.data.get("left") else 0
    code = str(result.errors[0]["code"])
    if code in _POLICY:
        return 3
    if code in _USAGE:
        return 2
    return 5 if code == "P404" else 4 if code.startswith("P4") else 1


# -- tool_answer: A tool called from a command line: what came of it goes to the streams, and the process ends with
# its status.


def answer(tool: Tool, arguments: Callable[[], object], caller: Caller, as_json: bool) -> None:
    """Calls the tool, tells what came of it, and ends the process with the status that says so."""
    caller.on_commit = finish_in_spite_of_signals
    try:
        roll_back_on_signals()
        result = call(tool.name, arguments(), caller)
    except PatchkitError as error:  # the arguments could not be read
        result = failure(error)
    except Interrupted as signal:
        result = failure(PatchkitError("P406", signal=str(signal)))
    why = tell(result, as_json)
    if why and tool.effect == READ:  # what changed files has done so, whether that can be told or not
        result = failure(PatchkitError("P402", file="standard output", reason=why))
        say(2, result.text)
    os._exit(exit_status(tool, result))


def exit_status(tool: Tool, result: Result) -> int:
    """The status of the process: the tool's own answer where it has one, else the usual."""
    try:
        own = tool.part("exit_status")
    except AttributeError:
        return status_of(result)
    return own(result, status_of(result))  # type: ignore[operator, no-any-return]
