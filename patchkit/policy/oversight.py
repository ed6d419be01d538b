"""Oversee a call: judge it before it runs, record it afterwards. Every entry point does this in the same way.

Takes who calls and what the call would do; raises what the rules refuse, and appends a line to the audit logs when the
call is over. Where there are no settings, nothing is judged and nothing is written. The rules are in `permissions`,
the logs in `audit`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from json import dumps

from patchkit.core.workspace import sha256
from patchkit.core.workspace.root import Workspace
from patchkit.errors import Note, PatchkitError
from patchkit.policy import EXECUTE, READ, WRITE, author, settings_files
from patchkit.policy.audit import Log, logs, named_logs
from patchkit.policy.deeds import Deed, Tree
from patchkit.policy.permissions import Judge, Judged, Judgement, refuse
from patchkit.policy.rules import ASK, ToolNames
from patchkit.policy.settings import SettingsFile, settings
from patchkit.policy.trust import is_first_report, remember_session
from patchkit.reading import open_file

Row = dict[str, object]


class Oversight:
    """One overseen call: what runs inside `over` is judged first; `record` comes at the end.

    `tool_names` knows the tools that rules may name: this package knows none itself. `approves` asks a person about
    the parts of a call that need it; None where making the call is the approval, or where there is no person.
    """

    def __init__(
        self,
        tool: str,
        agent: bool,
        root: str | None = None,
        effect: str = "",
        *,
        tool_names: ToolNames,
        session: str | None = None,
        approves: Callable[[Judge, list[Judged], str], bool] | None = None,
    ) -> None:
        self.tool = tool
        self.tool_names = tool_names
        self.effect = effect  # '' where it is not known what the call would have done
        self.agent = agent
        self._approves = approves
        self._unattended = agent and approves is None  # no person can say yes
        self._session = session or os.environ.get("PATCHKIT_SESSION") or None
        self._judgement: Judgement | None = None
        self._started = time.monotonic()
        self._root = root
        self._logs: list[Log] | None = None  # not known yet
        self._touched: list[tuple[Deed, Row]] = []
        self._untrusted: SettingsFile | None = None  # settings that allow more than they may
        self.judge: Judge | None = None  # None where there are no rules
        self.may_read: Callable[[str], bool] | None = None  # for names that a search finds; None: all may be read

    def over(self, files: Workspace, judged: Callable[[Judge], Judgement]) -> Oversight:
        """Raises what the rules refuse; `judged` asks a Judge about what the call would do."""
        judge = self.judge_over(files)
        if judge is not None:
            self._settle(files, judge, judged(judge))
            files.may_read = self.may_read = judge.reader(self.tool, self.agent)
            # What a call turns out to do besides is judged, too, and recorded with the rest.
            files.on_renamed = lambda patch, check: self._settle(
                files, judge, judge.judge(self.tool, judge.deeds.of_patch(patch, check=check))
            )
        files.author = author(self.agent, self._session, self.tool)
        self._files = files
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._look(self._files, "after")

    def judge_over(self, files: Tree) -> Judge | None:
        """The Judge of these files; None where there are no rules for them and nothing is recorded."""
        self._root = files.real
        asks = self.agent or self._approves is not None
        if not asks and not os.environ.get("PATCHKIT_AUDIT") and not settings_files(files.real):
            self._logs = []
            return None
        known = settings(files.real)
        self._logs = logs(known, files.real, self.agent)
        if asks or self._logs or known.has("permissions"):
            protected = [log.path for log in self._logs]
            judge = Judge(files, known, self.tool_names, protected, self._unattended, self._session)
            self.judge = judge
            self._untrusted = judge.rules.untrusted
            return judge
        return None

    def learn(self, parts: list[Judged]) -> None:
        """Takes what was decided about the parts of a call that only reads, where each part was judged by itself."""
        self._judgement = Judgement(parts)
        rows = {(part.deed.recorded, part.deed.operation): part.deed for part in parts}  # each path once
        self._touched = [(deed, _row(deed)) for deed in rows.values()]

    def _settle(self, files: Workspace, judge: Judge, judgement: Judgement) -> None:
        """Has a judgement recorded, with the parts that were judged before, and carries it out: asks, or refuses."""
        before = self._judgement.parts if self._judgement is not None else []
        self._judgement = Judgement([*before, *judgement.parts])
        if self._logs:
            self._prepare(files, self._logs, [part.deed for part in self._judgement.parts])
        asked = [part for part in judgement.parts if part.decision == ASK]
        if asked and self.agent:
            remember_session(files.real, self._session)
        approves = self._approves if judgement.decision == ASK else None
        if approves is None or not approves(judge, asked, self._session or ""):
            refuse(judgement, self.agent or self._approves is not None)
            asked = []
        if self.effect == EXECUTE:
            judge.open_approved(judgement.parts, asked)
        files.on_found = self._judging_again(files, judge, self._judgement)

    def _judging_again(self, files: Workspace, judge: Judge, judgement: Judgement) -> Callable[[str, str], None]:
        """Judges a path again under the name that it has when it is opened: a link may have changed since the decision.

        A name that was judged before needs nothing; any other has to be allowed as well.
        """
        judged: dict[tuple[str, ...], list[Deed]] = {}
        for part in judgement.parts:
            if part.deed.spelled:
                judged.setdefault(tuple(files.parts(part.deed.spelled)), []).append(part.deed)

        def again(path: str, name: str) -> None:
            for deed in judged.get(tuple(files.parts(path)), ()):
                found = judge.deeds.name(name)
                if found not in deed.names:
                    refuse(judge.judge(self.tool, [deed.under(found)]), self.agent or self._approves is not None)
                    deed.names.append(found)

        return again

    def _prepare(self, files: Workspace, found: list[Log], deeds: list[Deed]) -> None:
        """Makes sure that a change can be recorded before it is made, and hashes the files that will be changed."""
        if any(deed.effect != READ for deed in deeds):
            for log in found:
                log.check_writable()
        self._touched = [(deed, _row(deed)) for deed in deeds if deed.effect != EXECUTE]
        self._look(files, "before")

    def _look(self, files: Workspace, when: str) -> None:
        for deed, row in self._touched:
            if deed.effect == WRITE:
                row[when] = _hash(files, os.path.join(files.real, deed.recorded))

    def record(self, status: str, code: object = None) -> list[Note]:
        """Appends the call to the logs; returns notes where that failed, which does not fail the call."""
        found = self._logs if self._logs is not None else self._logs_unjudged()
        notes: list[Note] = []
        if self._untrusted is not None and is_first_report(self._untrusted):
            notes.append(Note("P987", file=self._untrusted.shown))
        if not found:
            return notes
        line = dumps(self._line(status, code)).encode() + b"\n"
        problems = [(log.path, log.append(line)) for log in found]
        return notes + [Note("P985", file=path, reason=problem) for path, problem in problems if problem]

    def record_failure(self, error: BaseException) -> None:
        """Records a call that ended with an exception: a refusal, a signal, or an internal error."""
        code = "P499" if isinstance(error, Exception) else "P406"
        self.record("error", error.code if isinstance(error, PatchkitError) else code)

    def _logs_unjudged(self) -> list[Log]:
        """The logs for a call that was never judged, because its arguments or its root were wrong."""
        try:
            self._root = os.path.realpath(self._root or ".")
            return logs(settings(self._root), self._root, self.agent)
        except (PatchkitError, OSError):  # the settings may be what is wrong, or the current directory was removed
            return named_logs()

    def _line(self, status: str, code: object) -> Row:
        judgement = self._judgement
        deeds = [part.deed for part in judgement.parts] if judgement is not None else []
        only_reads = bool(deeds) and all(deed.effect == READ for deed in deeds)
        return {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "session": self._session,
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
    """The SHA-256 of a file; None where it does not exist or cannot be read."""
    try:
        with open_file(files, path) as opened:
            digest = sha256()
            while piece := os.read(opened.fd, 1 << 20):
                digest.update(piece)
            return digest.hexdigest()
    except (PatchkitError, OSError):
        return None
