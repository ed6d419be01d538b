"""Watch over a call, whichever door it came through: judge it before it runs, record it afterwards.

Takes who calls and what the call would do; raises where rules are in its way, and appends a line to the audit logs
once it is over. Where no settings hold, nothing more is loaded and nothing is written. What the rules are and where
the logs stand is said in `permissions` and `audit`.
"""

from __future__ import annotations

import os
import time

from patchkit.errors import Note, PatchkitError
from patchkit.policy import EXECUTE, READ, WRITE
from patchkit.policy.settings_files import settings_files
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.policy.audit import Log
    from patchkit.policy.deeds import Deed, Tree
    from patchkit.policy.permissions import Judge, Judged, Judgement

Row = dict[str, object]


class _Over:
    """The time of a call under watch. Not `contextlib`, which every call would have to load."""

    __slots__ = ("_watch", "_files")

    def __init__(self, watch: Oversight, files: Workspace) -> None:
        self._watch = watch
        self._files = files

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._watch.look_afterwards(self._files)


class Oversight:
    """One call under watch: what runs `over` its workspace is judged first; `record` comes at the end."""

    def __init__(self, tool: str, agent: bool, root: str | None = None, effect: str = "") -> None:
        self.tool = tool
        self.effect = effect  # '' where nobody knows what the call would have done
        self.agent = agent
        self._judgement: Judgement | None = None
        self._started = time.monotonic()
        self._root = root
        self._logs: list[Log] | None = None  # not known yet
        self._touched: list[tuple[Deed, Row]] = []
        self.may_read: Callable[[str], bool] | None = None  # about names a search comes across; None: all of them

    def over(self, files: Workspace, judged: Callable[[Judge], Judgement]) -> _Over:
        """Raises what stands in the way of a call; `judged` asks a Judge about what the call would do.

        What changes is looked at before and after it.
        """
        self._admit(files, judged)
        return _Over(self, files)

    def judge_over(self, files: Tree) -> Judge | None:
        """Who decides about these files; None where no rules hold for them and nothing is recorded."""
        self._root = files.real
        if not self.agent and not os.environ.get("PATCHKIT_AUDIT") and not settings_files(files.real):
            self._logs = []
            return None
        from patchkit.policy.audit import logs
        from patchkit.policy.permissions import Judge
        from patchkit.policy.settings import settings

        known = settings(files.real)
        self._logs = logs(known, files.real)
        if self.agent or self._logs or known.has("permissions"):
            return Judge(files, known, [log.path for log in self._logs])
        return None

    def learn(self, parts: list[Judged]) -> None:
        """Takes what was decided about the parts of a call that only reads, by those who judge one after the other."""
        from patchkit.policy.permissions import Judgement

        self._judgement = Judgement(parts)
        rows = {(part.deed.recorded, part.deed.operation): part.deed for part in parts}  # each path once
        self._touched = [(deed, _row(deed)) for deed in rows.values()]

    def _admit(self, files: Workspace, judged: Callable[[Judge], Judgement]) -> None:
        judge = self.judge_over(files)
        if judge is None:
            return
        from patchkit.policy.permissions import refuse

        self._judgement = judged(judge)
        self._prepare(files, self._logs or [], [part.deed for part in self._judgement.parts])
        refuse(self._judgement, self.agent)
        files.may_read = self.may_read = judge.reader(self.tool, self.agent)

    def _prepare(self, files: Workspace, found: list[Log], deeds: list[Deed]) -> None:
        """Makes sure that a change can be recorded before it is made, and looks at what will be changed."""
        if not found:
            return
        if any(deed.effect != READ for deed in deeds):
            for log in found:
                log.try_out()
        self._touched = [(deed, _row(deed)) for deed in deeds if deed.effect != EXECUTE]
        self._look(files, "before")

    def look_afterwards(self, files: Workspace) -> None:
        self._look(files, "after")

    def _look(self, files: Workspace, when: str) -> None:
        for deed, row in self._touched:
            if deed.effect == WRITE:
                row[when] = _hash(files, os.path.join(files.real, deed.recorded))

    def record(self, status: str, code: object = None) -> list[Note]:
        """Writes the call down; gives notes where that failed, which is no failure of the call."""
        found = self._logs if self._logs is not None else self._logs_unjudged()
        if not found:
            return []
        from json import dumps

        line = dumps(self._line(status, code)).encode() + b"\n"
        problems = [(log.path, log.append(line)) for log in found]
        return [Note("P985", file=path, reason=problem) for path, problem in problems if problem]

    def record_failure(self, error: BaseException) -> None:
        """Writes down a call that ended with an exception: a refusal, a signal, or a defect of ours."""
        code = "P499" if isinstance(error, Exception) else "P406"
        self.record("error", error.code if isinstance(error, PatchkitError) else code)

    def _logs_unjudged(self) -> list[Log]:
        """Where a call is recorded that did not come as far as being judged: its arguments or its root were wrong."""
        from patchkit.policy.audit import logs, named_logs
        from patchkit.policy.settings import settings

        try:
            self._root = os.path.realpath(self._root or ".")
            return logs(settings(self._root), self._root)
        except (PatchkitError, OSError):  # the settings themselves may be what is wrong, or where we stand is gone
            return named_logs()

    def _line(self, status: str, code: object) -> Row:
        from datetime import UTC, datetime

        judgement = self._judgement
        deeds = [part.deed for part in judgement.parts] if judgement is not None else []
        only_reads = bool(deeds) and all(deed.effect == READ for deed in deeds)
        return {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "session": os.environ.get("PATCHKIT_SESSION") or None,
            "root": self._root,
            "caller": "agent" if self.agent else "person",
            "tool": self.tool,
            "effect": READ if only_reads else self.effect,
            "paths": [row for _, row in self._touched],
            "commands": [deed.recorded for deed in deeds if deed.effect == EXECUTE],
            "decision": judgement.decision if judgement is not None else None,
            "rule": judgement.rule if judgement is not None else None,
            "status": status,
            "code": code,
            "duration_ms": round((time.monotonic() - self._started) * 1000),
        }


def _row(deed: Deed) -> Row:
    return {"path": deed.recorded, "operation": deed.operation}


def _hash(files: Workspace, path: str) -> str | None:
    """The SHA-256 of a file; None where there is none that can be read."""
    from hashlib import sha256

    from patchkit.workspace.reading import open_file

    try:
        with open_file(files, path) as opened:
            digest = sha256()
            while piece := os.read(opened.fd, 1 << 20):
                digest.update(piece)
            return digest.hexdigest()
    except (PatchkitError, OSError):
        return None
