"""The exit status of every command: decided here and nowhere else, and what each means.

Takes what came of a command; gives its status. The usual ones are the exit classes of the catalogue: 0 done, 1 refused,
2 usage, 3 policy, 4 input or output failed and was rolled back, 5 recovery needed. `apply_patch`, `check`, `grep`,
`exec` and `intercept` have contracts of their own with other programs. A command that was interrupted dies by its
signal instead: see `patchkit.cli`. The tables at the end are what help and the manual pages show.
"""

from __future__ import annotations

from patchkit.cli import DONE, INTERNAL, POLICY, RECOVERY, REFUSED, USAGE, status_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from patchkit.report.result import Result

_VERDICTS = {"apply_patch": 0, "other": 10, "error": 1}
_TIMED_OUT, _NOT_RUN, _NOT_STARTED = 124, 126, 127


def of_code(code: str) -> int:
    """The usual status of a command that was stopped by an error of this code."""
    from patchkit.catalogue.sentences import entry  # a command that succeeds does not need the words of errors

    return entry(code).exit_class


def of_result(result: Result) -> int:
    """The usual status for what a command or a tool returned."""
    if not result.errors:
        return RECOVERY if result.data.get("left") else DONE
    return of_code(str(result.errors[0]["code"]))


def of_apply(code: str) -> int:
    """The status of an `apply_patch` that was stopped: refused for any reason, unless files may be mixed."""
    status = of_code(code)
    return status if status in (RECOVERY, INTERNAL) else REFUSED


def of_check(refused: bool, codes: Iterable[str] = ()) -> int:
    """The status of a check that was made. An internal error among its codes says nothing about a patch."""
    if any(of_code(code) == INTERNAL for code in codes):
        return INTERNAL
    return REFUSED if refused else DONE


def of_policy(denied: bool) -> int:
    return POLICY if denied else DONE


def of_verdict(verdict: str) -> int:
    """The status of `intercept`: what the command turned out to be."""
    return _VERDICTS[verdict]


def of_tool(name: str, result: Result) -> int:
    """The status of a command that calls a tool: the tool's own contract where it has one, else the usual."""
    own = _TOOLS.get(name)
    usual = of_result(result)
    return own(result) if own is not None and usual != INTERNAL else usual


def _of_grep(result: Result) -> int:
    """As every grep: 0 found, 1 not found, 2 something is wrong."""
    return USAGE if result.errors else DONE if result.data["files"] else REFUSED


def _of_exec(result: Result) -> int:
    """That of the command; 124 when its time was up, 126 when it was not run, 127 when it could not be started."""
    stopped, status = result.data.get("stopped_by"), result.data.get("exit_code")
    if stopped:
        return status_of(str(stopped))
    if result.data.get("timed_out"):
        return _TIMED_OUT
    if isinstance(status, int):
        return status
    code = str(result.errors[0]["code"]) if result.errors else ""
    if code in ("P642", "P651", "P652") or code.startswith(("P5", "P67")):
        return _NOT_RUN
    return {"P643": USAGE, "P644": _NOT_STARTED}.get(code) or of_result(result)


def _of_check_call(result: Result) -> int:
    """One patch checked as a tool: 0 good, 1 refused, 2 the call is wrong, 3 the rules deny it."""
    if "refused" in result.data:
        return of_check(result.status == "error")
    return POLICY if of_result(result) == POLICY else USAGE


_TOOLS = {"Grep": _of_grep, "Bash": _of_exec, "check": _of_check_call}


Statuses = dict[int, str]

_USAGE: Statuses = {2: "wrong usage"}
_OUTSIDE: Statuses = {3: "not allowed: outside the workspace, or denied by a rule"}
_UNSEEN: Statuses = {3: "not allowed: outside the workspace, not read before, changed since, or denied by a rule"}
_UNREADABLE: Statuses = {4: "reading failed"}
_UNCHANGED: Statuses = {4: "reading or writing failed; everything is as it was"}
_MIXED: Statuses = {5: "files may be mixed: run 'patchkit recover'"}
_CHANGING = {**_USAGE, **_OUTSIDE, **_UNCHANGED, **_MIXED}
_EDITING = {**_USAGE, **_UNSEEN, **_UNCHANGED, **_MIXED}
_READING = {**_USAGE, **_OUTSIDE, **_UNREADABLE}
_SETTING_UP = {**_USAGE, 3: "not allowed: an agent sets up no client", **_UNCHANGED}
_UNPRINTED: Statuses = {4: "standard output does not take it"}
_NO_ROOT: Statuses = {3: "the workspace cannot be used"}
_PRINTING = {**_USAGE, **_UNPRINTED}
_LEFT_OUT: Statuses = {1: "refused; or something is left out, which a note names"}
_PRINTED: Statuses = {0: "printed", **_PRINTING}

MEANINGS: dict[str, Statuses] = {
    "apply": {
        0: "applied, or nothing to change",
        1: "refused, nothing was written; or work is left, which a note names",
        **_USAGE,
        **_MIXED,
    },
    "write": {0: "written", 1: "refused: it cannot be a text file", **_EDITING},
    "edit": {0: "edited", 1: "refused: the text is not found, or is there several times", **_EDITING},
    "multi-edit": {0: "edited", 1: "refused: a text is not found, or is there several times", **_EDITING},
    "notebook-edit": {0: "edited", 1: "refused: not a notebook, or there is no such cell", **_EDITING},
    "insert": {0: "inserted", 1: "refused: there is no such file or line", **_EDITING},
    "delete": {0: "deleted", 1: "refused: there is nothing of that name, or it is a directory", **_EDITING},
    "move": {0: "moved", 1: "refused: there is nothing of that name, or the new name is taken", **_EDITING},
    "read": {0: "shown, wholly or in part", 1: "refused: not found, binary, too large", **_READING},
    "ls": {0: "listed", 1: "refused: there is no such directory", **_READING},
    "glob": {0: "searched, whether a file was found or not", 1: "refused: there is no such directory", **_READING},
    "grep": {0: "found", 1: "not found", 2: "an error"},
    "diff": {0: "printed, or nothing to change", **_LEFT_OUT, **_PRINTING},
    "convert": {0: "printed", **_LEFT_OUT, **_PRINTING},
    "check": {0: "all patches are good", 1: "some patches are refused", **_USAGE},
    "batch": {
        0: "every row has a verdict",
        1: "a row has a verdict or a code of '--fail-on', or the engine failed",
        **_USAGE,
        4: "the verdicts cannot be written; what is done is kept",
    },
    "study": {0: "printed", 1: "the page cannot be written", **_PRINTING},
    "policy": {0: "the call would be made", **_USAGE, 3: "the call would be refused", **_UNPRINTED},
    "trust": {0: "shown, trusted or revoked", **_USAGE, 3: "not allowed: an agent cannot trust rules", **_UNCHANGED},
    "mcp": {0: "the input has ended, or the configuration is printed", **_USAGE, **_NO_ROOT, **_UNPRINTED},
    "install": {0: "installed, or it was", 1: "a file is in the way", **_SETTING_UP},
    "uninstall": {0: "taken out, or it was not there", **_SETTING_UP},
    "intercept": {
        0: "the command is one apply_patch call",
        1: "an apply_patch call that cannot be trusted",
        **_USAGE,
        10: "another command",
    },
    "hook": {
        0: "the answer is in the JSON, or there is none",
        2: "the call is blocked, for a runtime that takes a status; or wrong usage without an event",
    },
    "exec": {
        0: "that of the command, also other numbers",
        **_USAGE,
        **_NO_ROOT,
        124: "timed out",
        126: "refused: not run",
        127: "could not be started",
    },
    "call": {0: "done, wholly or in part", 1: "refused by the tool", **_EDITING},
    "schema": _PRINTED,
    "prompt": _PRINTED,
    "session": {0: "shown, or forgotten", 1: "refused: there is no such file", **_READING},
    "log": {0: "listed, cleared or written", **_USAGE, **_OUTSIDE, **_UNCHANGED},
    "serve": {0: "ended by Ctrl-C", **_USAGE, **_NO_ROOT, 4: "the port cannot be used"},
    "undo": {0: "undone", 1: "refused: nothing to undo, or a file was changed since", **_CHANGING},
    "redo": {0: "redone", 1: "refused: nothing to redo, or a file was changed since", **_CHANGING},
    "recover": {0: "nothing is left behind", **_CHANGING, 5: "something is left that a person should look at"},
    "doctor": {0: "patchkit can do its work", 1: "something keeps it from that", **_USAGE, **_NO_ROOT, **_UNPRINTED},
    "completion": _PRINTED,
    "explain": {0: "printed", 2: "wrong usage, or no such code", **_UNPRINTED},
    "grammar": {0: "printed", 1: "refused: a file cannot be used, or the grammar would be too large", **_READING},
    "help": _PRINTED,
}
SIGNALS = (
    "A command that is interrupted rolls back and dies by the signal. "
    "A shell shows 128 plus the number of the signal: 130 for Ctrl-C. "
    "An internal error (P499) is 70, for every command."
)
