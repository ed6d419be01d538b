"""Put the files of a run, and nothing else, into one commit of git on the current branch.

Takes a plan before and after its files are written. The commit is made with an index of its own: what the user has
staged stays staged, and the user's hooks and signing are obeyed. Where git refuses, P649 is raised and the run is taken
back. The run's id is a trailer of the message (`history.git_runs`).
"""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory

from patchkit.core.changes import Plan
from patchkit.core.workspace import journal
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.history import CommitRecords
from patchkit.history.git_runs import SETTINGS, TRAILER, commit_of, git, literal
from patchkit.history.recording import run_id
from patchkit.processes.running import RunRequest, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.core.workspace.transaction import Transaction
    from patchkit.tools.declaration import ToolCall

_LONGEST = 3600  # seconds that hooks may take
_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")
_TAIL = 4000  # bytes of what git said


class GitCommit:
    """The commit of one run; `message` is '' where the user gives none."""

    def __init__(self, files: Workspace, message: str) -> None:
        self._files = files
        self._where = files.real
        self._message = message
        self._names: list[str] = []
        self._head = ""  # the commit before; '' in a repository without any

    def look(self, plan: Plan) -> None:
        """Raises where the files of the plan cannot be committed alone."""
        status, said = git(self._where, "rev-parse", "--is-inside-work-tree")
        if status or said.strip() != "true":
            raise PatchkitError("P649", reason="the workspace is not in a work tree of git")
        for name in _UNDER_WAY:
            path = git(self._where, "rev-parse", "--git-path", name)[1].rstrip("\n")
            if os.path.lexists(os.path.join(self._where, path)):
                raise PatchkitError("P649", reason=f"git is in the middle of something else ('{name}' exists)")
        self._names = [change.before.name for change in plan.effective]
        words = ("status", "--porcelain", "-z", "--ignored", "--untracked-files=all", "--no-renames", "--")
        status, said = git(self._where, *words, *literal(self._names))
        if status:
            raise PatchkitError("P649", reason=said.strip()[:_TAIL])
        if said:
            name = said.split("\0")[0]
            raise PatchkitError("P649", file=name[3:], reason=f"'{name[3:]}' has changes that are not committed")
        status, said = git(self._where, "rev-parse", "--verify", "-q", "HEAD")
        self._head = said.strip() if status == 0 else ""

    def make(self, plan: Plan, transaction: Transaction, call: ToolCall) -> str:
        """Makes the commit, and returns its id."""
        observer = self._files.observer
        recorder = observer.recorder if isinstance(observer, CommitRecords) else None
        name = recorder.reserve() if recorder is not None else run_id(os.getpid())
        transaction.record(f"{journal.IN_GIT} {name}")
        try:
            self._commit(name, call)
            transaction.rewritten(plan)  # a hook may have changed files
            made = git(self._where, "rev-parse", "HEAD")[1].strip()
            transaction.made = True  # the commit is what counts: whatever fails from here on, the run is there
            return made
        except BaseException:
            if not transaction.made:
                self._take_back(name)
            raise

    def _commit(self, name: str, call: ToolCall) -> None:
        with TemporaryDirectory(prefix="patchkit-") as own:
            index = {"GIT_INDEX_FILE": f"{own}/index"}
            if self._head:
                self._checked(*git(self._where, "read-tree", "HEAD", **index))
            self._checked(*git(self._where, "add", "-A", "--", *literal(self._names), **index))
            words = ("commit", "-q", "-m", self._message or self._usual(), "-m", f"{TRAILER}: {name}")
            self._run(*words, cancelled=call.caller.cancelled, **index)
        call.refuse_cancelled()
        self._run("reset", "-q", "--", *literal(self._names))

    def _run(self, *words: str, cancelled: Callable[[], bool] | None = None, **env: str) -> None:
        """Runs git, which ends before anything is taken back, also where a signal comes while it starts."""
        said: list[bytes] = []
        request = RunRequest(["git", *words], self._where, {**os.environ, **SETTINGS, **env}, _LONGEST)
        request.cancelled, request.passed = cancelled, [self._files.lend_lock()]
        ran = run(request, said.append)
        if cancelled is None or not cancelled():
            self._checked(ran.status, b"".join(said).decode("utf-8", "replace"))

    def _checked(self, status: int, said: str) -> None:
        if status:
            raise PatchkitError("P649", reason="git commit failed", output=said.strip()[-_TAIL:])

    def _usual(self) -> str:
        first, *more = self._names
        return f"Change {first}" + (f" and {len(more)} more file{'s' if len(more) > 1 else ''}" if more else "")

    def _take_back(self, name: str) -> None:
        """Takes the commit off the branch again, where it was made and is still the latest."""
        made = commit_of(self._where, name)
        if made and self._head:
            git(self._where, "update-ref", "HEAD", self._head, made)
        elif made:
            git(self._where, "update-ref", "-d", "HEAD", made)
        if made:
            git(self._where, "reset", "-q", "--", *literal(self._names))
