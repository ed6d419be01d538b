"""A Result as a command tells it: text or JSON on the streams, and the exit status that says the same."""

from __future__ import annotations

from patchkit.cli.apply_patch import say, show
from patchkit.tools.result import Result

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
    "P650",
    "P653",
    "P654",
    "P655",
    "P656",
)  # and of settings


def tell(result: Result, as_json: bool = False) -> None:
    """Prints a Result: the envelope, or its text on standard output (an error's on standard error) and its notes."""
    if as_json:
        import json

        words = json.dumps(result.envelope(), ensure_ascii=False, indent=2)
        say(1, words.encode("utf-8", "backslashreplace") + b"\n")
        return
    words = result.text if result.text.endswith("\n") or not result.text else result.text + "\n"
    if result.status == "error":
        show(2, "diagnostics", words)
    else:
        say(1, words)
    show(2, "diagnostics", "".join(f"note[{note['code']}]: {note['message']}\n" for note in result.notes))


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
