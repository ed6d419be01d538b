"""The exit status of every command, decided here and nowhere else.

Takes what came of a command; gives its status. The usual ones are the exit classes of the catalogue: 0 done, 1 refused,
2 usage, 3 policy, 4 input or output failed and was rolled back, 5 recovery needed. `apply_patch`, `check`, `grep`,
`exec` and `intercept` have contracts of their own with other programs. A command that was interrupted dies by its
signal instead: see `signals`.
"""

from __future__ import annotations

from patchkit.cli.signals import status_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.result import Result

DONE, REFUSED, USAGE, POLICY, RECOVERY = 0, 1, 2, 3, 5  # as `catalogue.entry` has them, without loading its words
_VERDICTS = {"apply_patch": 0, "other": 10, "error": 1}
_TIMED_OUT, _NOT_RUN, _NOT_STARTED = 124, 126, 127


class CommandLineError(Exception):
    """The command line itself is wrong: reported on one line, with the status of usage."""


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
    return RECOVERY if of_code(code) == RECOVERY else REFUSED


def of_check(refused: bool) -> int:
    """The status of a check that was made; one that could not be made is a matter of usage."""
    return REFUSED if refused else DONE


def of_policy(denied: bool) -> int:
    return POLICY if denied else DONE


def of_verdict(verdict: str) -> int:
    """The status of `intercept`: what the command turned out to be."""
    return _VERDICTS[verdict]


def of_tool(name: str, result: Result) -> int:
    """The status of a command that calls a tool: the tool's own contract where it has one, else the usual."""
    own = _TOOLS.get(name)
    return own(result) if own is not None else of_result(result)


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
