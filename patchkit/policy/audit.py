"""The audit log: one JSON line for every call of a tool. Never the content of a file, a patch or a command.

Takes the settings of a root, which say where the logs are, and the outcome of a call; appends one line, and reads the
lines back. A line is written by one system call, so that many processes may write at once. Settings of a project name a
log inside it, or none (then it is in the user's state directory, where the tools cannot write); the user's own settings
and PATCHKIT_AUDIT may name any file.
"""

from __future__ import annotations

import errno
import json
import os
from datetime import UTC, datetime, timedelta

from patchkit.core.workspace import make, open_kept, state_directory
from patchkit.errors import PatchkitError, reason
from patchkit.handles import ReportedAs
from patchkit.policy.settings import Settings, SettingsFile
from patchkit.values import Record, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KEYS = ("on", "file")
_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_MOST_BYTES = 4 << 20  # of a log that is kept by default, which is followed by a new one then
_OLDER = ".1"  # at the end of the name of the one before
_OPENING = b'{"time":'  # of every line; one that was cut short may have the next one behind it


class Log(Record):
    """A file that calls are recorded in."""

    path: str
    inside: str = ""  # the directory that it may not leave by a link, '' for any
    by_default: bool = False  # then it is bounded, and where it cannot be written, calls are made all the same

    def open(self) -> int:
        """Opens the log to append to it, made where it is missing, for this user only; raises OSError."""
        directory = os.path.dirname(self.path) or "."
        try:
            make(directory)
        except RecursionError:
            raise OSError(0, "it is nested too deep") from None
        if self.inside and not f"{os.path.realpath(directory)}/".startswith(f"{self.inside}/"):
            raise OSError(0, f"a link leads out of '{self.inside}'")
        try:
            if self.inside:
                return open_kept(self.path, _APPENDING | os.O_NOFOLLOW)
            return os.open(self.path, _APPENDING, 0o600)
        except OSError as error:
            if error.errno == errno.ENXIO:
                raise OSError(0, "it is a pipe without a reader") from None
            raise

    def check_writable(self) -> None:
        """Raises where the log cannot be written: what cannot be recorded is not done."""
        if self.by_default:
            return
        with ReportedAs("P657", file=self.path):
            os.close(self.open())

    def append(self, line: bytes) -> str:
        """Writes a line at the end; returns why it could not, '' when it could."""
        try:
            opened = self.open()
        except OSError as error:
            return reason(error)
        try:
            if self.by_default and os.fstat(opened).st_size > _MOST_BYTES:
                os.replace(self.path, self.path + _OLDER)  # this line is the last one in the older file
            return "" if os.write(opened, line) == len(line) else "the disk is full"
        except OSError as error:
            return reason(error)
        finally:
            os.close(opened)


def logs(known: Settings, root: str, agent: bool = False) -> list[Log]:
    """Where calls in a real root are recorded: as the project, the user and the environment say, each in addition.

    Those of an `agent` are recorded where nothing is said, too, in the user's state directory.
    """
    found = named_logs()
    for source in (known.source("audit"), known.user):
        log = _log(source, source is known.user, root) if source is not None else None
        if log is not None and log.path not in [each.path for each in found]:
            found.append(log)
    if agent and not found and not known.has("audit"):
        directory = state_directory(root)
        found += [Log(f"{directory}/audit.jsonl", by_default=True)] if directory is not None else []
    return found


def named_logs() -> list[Log]:
    path = os.environ.get("PATCHKIT_AUDIT")
    if not path:
        return []
    try:
        return [Log(os.path.abspath(path))]
    except OSError:  # the current directory was removed: writing will say so
        return [Log(path)]


def _log(source: SettingsFile, own: bool, root: str) -> Log | None:
    table = source.table("audit")
    if table is None:
        return None
    for key in table:
        if key not in _KEYS:
            raise source.unknown(f"audit.{key}", _KEYS)
    on, file = table.get("on", True), table.get("file")
    if not isinstance(on, bool):
        raise source.wrong("audit.on", on, "true or false")
    if file is not None:
        path = _path(file, source.directory, own)
        if path is None:
            raise source.wrong("audit.file", file, "a path" if own else "a path inside the project")
        return Log(path, "" if own else source.directory) if on else None
    directory = state_directory(root if own else source.directory)
    if on and directory is None:
        raise source.wrong("audit.on", on, "false, or set 'audit.file': there is no state directory to record calls in")
    return Log(f"{directory}/audit.jsonl") if on else None


def _path(file: object, directory: str, own: bool) -> str | None:
    """The absolute path of a log; None for one that a project must not name."""
    if not isinstance(file, str) or not file or "\0" in file:
        return None
    if own:
        return os.path.normpath(os.path.join(directory, os.path.expanduser(file)))
    path = os.path.normpath(os.path.join(directory, file))
    return path if path.startswith(f"{directory}/") and not os.path.isabs(file) else None


class Recorded(Value):
    """A call as its line records it: `data` is the line, the rest are the fields that are used most."""

    __slots__ = ("data", "time", "session", "root", "caller", "tool", "status", "code", "decision", "rule", "about")
    data: dict[str, Any]
    time: datetime
    session: str | None
    root: str
    caller: str
    tool: str
    status: str
    code: str | None
    decision: str | None
    rule: str | None
    about: list[str]  # the paths, then the programs

    def __init__(self, data: dict[str, Any]) -> None:
        """Raises ValueError, TypeError or KeyError for any other line."""
        self.data = data
        self.time = datetime.fromisoformat(str(data["time"]))
        if self.time.tzinfo is None:
            raise ValueError("a time without its zone")
        for name in ("root", "caller", "tool", "status"):
            setattr(self, name, str(data[name]))
        for name in ("session", "code", "decision", "rule"):
            setattr(self, name, None if data[name] is None else str(data[name]))
        self.about = [*(each["path"] for each in data["paths"]), *data["commands"]]
        if not all(isinstance(each, str) for each in self.about):
            raise TypeError("a path that is not text")


def recorded(found: list[Log]) -> tuple[list[Recorded], int]:
    """Every call in these logs, the newest first, and how many lines could not be read."""
    lines: dict[bytes, None] = {}  # a call that is in two logs is one call
    paths = [path for log in found for path in (*([log.path + _OLDER] if log.by_default else ()), log.path)]
    for path in paths:
        try:
            with os.fdopen(open_kept(path), "rb") as file:  # what went to a device or a pipe cannot be read back
                lines.update(dict.fromkeys(file))
        except FileNotFoundError:
            continue
        except OSError as error:
            raise PatchkitError("P401", file=path, reason=reason(error)) from None
    read = [_recorded(line) for line in lines if line.strip()]
    whole = [each for each in read if each is not None]
    return sorted(whole, key=lambda each: each.time, reverse=True), len(read) - len(whole)


def _recorded(line: bytes) -> Recorded | None:
    """The call that a line records; None for any other line."""
    try:
        return Recorded(json.loads(line[max(line.rfind(_OPENING), 0) :]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


_LATER = timedelta(seconds=5)  # beyond the time that the call took


def calls_of(runs: list[tuple[str, int, set[str]]], calls: list[Recorded]) -> dict[str, Recorded]:
    """The call of each run, by the run's id; a run is its id, its time in nanoseconds and its paths."""
    changing = [call for call in calls if call.status != "error" and call.tool not in ("undo", "redo")]
    found: dict[str, Recorded] = {}
    taken: set[int] = set()
    for run_id, moment, paths in runs:
        at = datetime.fromtimestamp(moment / 1e9, UTC)
        fitting = [
            call for call in changing if id(call) not in taken and _is_in_time(call, at) and paths <= set(call.about)
        ]
        if fitting:
            found[run_id] = min(fitting, key=lambda call: abs(call.time - at))
            taken.add(id(found[run_id]))
    return found


def _is_in_time(call: Recorded, at: datetime) -> bool:
    took = call.data.get("duration_ms")
    lasted = timedelta(milliseconds=took) if isinstance(took, int) else timedelta()
    return call.time - lasted - timedelta(seconds=1) <= at <= call.time + _LATER
