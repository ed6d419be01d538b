"""Make a Plan true, or leave no trace.

Takes a Plan whose every byte is computed. New content is staged beside its targets first; only when all of
it is safely written are names switched, one rename each; an error at any point puts every name back.
"""

from __future__ import annotations

import os
import stat
from errno import ENOENT

from patchkit.changes.model import FileChange, Plan
from patchkit.errors import PatchkitError
from patchkit.workspace.root import Standing, Workspace, reason

_STAGE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Step:
    """One name on its way from its old content to its new."""

    __slots__ = ("change", "directory", "leaf", "staged", "saved", "switched")

    def __init__(self, change: FileChange) -> None:
        standing: Standing = change.before.standing  # type: ignore[assignment]
        self.change = change
        self.directory: tuple[str, ...] = (*standing.directory, *standing.missing)
        self.leaf = standing.leaf
        self.staged = ""  # the new content beside the target
        self.saved = ""  # the old content beside the target
        self.switched = False


class Transaction:
    """The making of one plan in one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._made: list[tuple[str, ...]] = []  # directories that were not there before
        self._serial = 0

    def commit(self, plan: Plan) -> None:
        """Makes every change of the plan, or raises with every name as it was."""
        steps = [Step(change) for change in plan.effective]
        step = None
        try:
            for step in steps:
                self._stage(step)
            for step in steps:
                self._check_unchanged(step)
            for step in steps:
                self._switch(step, alone=len(steps) == 1)
            self._sync_directories(steps)
        except BaseException as error:
            left = self._roll_back(steps)
            if isinstance(error, OSError) and step is not None:
                code = "P404" if left else "P402"
                raise PatchkitError(code, file=step.change.path, reason=reason(error), left=", ".join(left)) from None
            raise
        self._clear(steps)

    # -- forward ---------------------------------------------------------------------------------

    def _stage(self, step: Step) -> None:
        change = step.change
        if change.after is None:
            return
        directory = self._directory_for(step)
        name = self._temporary()
        keeps = change.keeps.standing.status if change.keeps is not None else None  # type: ignore[attr-defined]
        opened = os.open(name, _STAGE, 0o666 if keeps is None else 0o600, dir_fd=directory)
        step.staged = name
        try:
            _write(opened, change.after)
            if keeps is not None:
                mine = os.fstat(opened)
                if (mine.st_uid, mine.st_gid) != (keeps.st_uid, keeps.st_gid):
                    os.fchown(opened, keeps.st_uid, keeps.st_gid)
                os.fchmod(opened, stat.S_IMODE(keeps.st_mode))
            os.fsync(opened)
        finally:
            os.close(opened)

    def _directory_for(self, step: Step) -> int:
        for depth in range(1, len(step.directory) + 1):
            directory = step.directory[:depth]
            try:
                self.workspace.handle(directory)
            except OSError as error:
                if error.errno != ENOENT:
                    raise
                os.mkdir(directory[-1], dir_fd=self.workspace.handle(directory[:-1]))
                self._made.append(directory)
        return self.workspace.handle(step.directory)

    def _check_unchanged(self, step: Step) -> None:
        before = step.change.before
        standing: Standing = before.standing  # type: ignore[assignment]
        try:
            now = os.stat(step.leaf, dir_fd=self._handle_of(step), follow_symlinks=False)
        except OSError as error:
            if error.errno != ENOENT:
                raise
            now = None
        was = standing.status
        if (now is None) != (was is None) or (now is not None and was is not None and _sign(now) != _sign(was)):
            raise PatchkitError("P311", file=step.change.path)

    def _switch(self, step: Step, alone: bool) -> None:
        directory = self._handle_of(step)
        if step.change.before.kind == "missing":
            if step.staged:
                os.link(step.staged, step.leaf, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
                step.switched = True
            return
        if step.change.after is None:
            saved = self._temporary()
            os.rename(step.leaf, saved, src_dir_fd=directory, dst_dir_fd=directory)
            step.saved, step.switched = saved, True
            return
        if not alone:  # one rename cannot half-happen; several need a way back
            saved = self._temporary()
            os.link(step.leaf, saved, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
            step.saved = saved
        os.rename(step.staged, step.leaf, src_dir_fd=directory, dst_dir_fd=directory)
        step.staged, step.switched = "", True

    def _sync_directories(self, steps: list[Step]) -> None:
        parents = {made[:-1] for made in self._made} | set(self._made)
        for directory in parents | {step.directory for step in steps}:
            os.fsync(self.workspace.handle(directory))

    # -- back, and away --------------------------------------------------------------------------

    def _roll_back(self, steps: list[Step]) -> list[str]:
        """Puts every name back; returns those that could not be."""
        left = []
        for step in reversed(steps):
            try:
                if step.switched:
                    directory = self._handle_of(step)
                    if step.change.before.kind == "missing":
                        os.unlink(step.leaf, dir_fd=directory)
                    elif step.saved:
                        os.rename(step.saved, step.leaf, src_dir_fd=directory, dst_dir_fd=directory)
                        step.saved = ""
            except OSError:
                left.append(step.change.path)
        self._clear(steps)
        for made in reversed(self._made):
            try:
                self.workspace.forget(made)
                os.rmdir(made[-1], dir_fd=self.workspace.handle(made[:-1]))
            except OSError:
                pass  # somebody put something there meanwhile: it stays
        return left

    def _clear(self, steps: list[Step]) -> None:
        for step in steps:
            for name in (step.staged, step.saved):
                if name:
                    try:
                        os.unlink(name, dir_fd=self._handle_of(step))
                    except OSError:
                        pass

    def _handle_of(self, step: Step) -> int:
        return self.workspace.handle(step.directory)

    def _temporary(self) -> str:
        self._serial += 1
        return f".patchkit-{os.getpid()}-{self._serial}.tmp"


def _sign(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode


def _write(opened: int, pieces: list[bytes]) -> None:
    """Writes all pieces, many in one call."""
    pending = [memoryview(piece) for piece in pieces]
    pending.reverse()
    while pending:
        batch = pending[-1:-513:-1]
        written = os.writev(opened, batch)
        while pending and written >= len(pending[-1]):
            written -= len(pending.pop())
        if pending and written:
            pending[-1] = pending[-1][written:]
