"""`patchkit log --all`: the calls that are recorded in the audit logs of a root."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta

from patchkit.errors import Note, PatchkitError
from patchkit.globs.rule_patterns import known, names_of, path_patterns
from patchkit.policy.audit import Recorded, logs, recorded
from patchkit.policy.settings import settings
from patchkit.report.result import Result
from patchkit.report.width import visible
from patchkit.tools.registry import named
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Test = Callable[[Recorded], bool]

_AGE = re.compile(r"(\d{1,9})([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_WIDEST = 1000  # columns of a line; a path may be long


def recorded_calls(files: Workspace, count: int | None, wanted: dict[str, str]) -> tuple[Result, list[Note]]:
    """The newest `count` calls that are as `wanted`, by the names of the options."""
    found, broken = recorded(logs(settings(files.real), files.real))
    tests = [_TESTS[name](value, files) for name, value in wanted.items()]
    calls = [call for call in found if all(test(call) for test in tests)][:count]
    notes = [Note("P986", count=broken)] if broken else []
    text = "".join(f"{visible(_line(call), _WIDEST)}\n" for call in calls)
    return Result("success", {"calls": [call.data for call in calls]}, text), notes


def _line(call: Recorded) -> str:
    moment = f"{call.time.astimezone():%Y-%m-%d %H:%M:%S}"
    ended = f"{call.status} {call.code}" if call.code else call.status
    decided = [f"{call.decision} by {call.rule}"] if call.decision else []
    return "  ".join([moment, f"{call.caller:<6}", call.tool, ended, *call.about, *decided])


# -- which calls are wanted ----------------------------------------------------------------------


def _by_tool(name: str, _files: Workspace) -> Test:
    tool = name if name in ("undo", "redo") else named(name).name
    return lambda call: call.tool == tool


def _by_path(text: str, files: Workspace) -> Test:
    patterns = path_patterns(text, names_of(files.real), names_of(os.path.expanduser("~")))
    if not patterns:
        raise PatchkitError("P601", option="--path", given=text, allowed="a path, which may hold '*', '**' and '?'")
    return lambda call: any(
        known(names_of(f"{call.root}/{path}")).within(pattern) for path in call.about for pattern in patterns
    )


def _by_time(text: str, _files: Workspace) -> Test:
    since = _moment(text)
    return lambda call: call.time >= since


def _moment(text: str) -> datetime:
    age = _AGE.fullmatch(text)
    try:
        if age is not None:
            return datetime.now(UTC) - timedelta(**{_UNITS[age[2]]: int(age[1])})
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        allowed = "a time such as 2026-01-31T12:00, an age such as 90m, 2h or 7d"
        raise PatchkitError("P601", option="--since", given=text, allowed=allowed) from None


_TESTS: dict[str, Callable[[str, Workspace], Test]] = {
    "tool": _by_tool,
    "path": _by_path,
    "since": _by_time,
    "status": lambda text, _files: lambda call: call.status == text,
    "session": lambda text, _files: lambda call: call.session == text,
}
