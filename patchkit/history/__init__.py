"""What was done in a workspace: runs, undo and redo, sessions, kept outputs."""

from __future__ import annotations

from patchkit.core.workspace.root import Workspace
from patchkit.core.workspace.state import has_sessions
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from patchkit.core.changes import Plan
    from patchkit.core.workspace.transaction import Transaction
    from patchkit.history.recording import Recorder


# -- record what the commits of a workspace do: how to undo them, and what a session has seen of the files
# Takes a root; gives a Workspace with an observer of its commits. The recorder and the tracker are loaded when
# something is committed. A failure to record is not a failure of the commit.


def tracked_workspace(
    root: str | os.PathLike[str] | None = None, start: str | os.PathLike[str] | None = None
) -> Workspace:
    """A workspace whose commits can be undone, and are known to the sessions that have seen its files."""
    return Workspace(root, start, CommitRecords())


class CommitRecords(Record):
    """The records of a workspace's commits; `recorder` has the history of the run under way, once there is any."""

    recorder: Recorder | None = None

    def begin(self) -> None:
        self.recorder = None

    def is_in_git(self, files: Workspace, run: str, names: list[str]) -> bool:
        """Whether a run that was interrupted while it was put into a commit is in one."""
        from patchkit.history.git_runs import finish

        return finish(files.real, run, names)

    def before(self, files: Workspace, plan: Plan) -> None:
        """Takes down what undoing will need, while it is there."""
        if self.recorder is None and files.history:
            from patchkit.history.recording import recorder_for

            self.recorder = recorder_for(files.real)
            if self.recorder is not None:
                self.recorder.author = files.author
        if self.recorder is not None:
            self.recorder.look(plan)

    def after(self, files: Workspace, plan: Plan, done: Transaction) -> None:
        """Records how to undo a commit, and the new content of files that a session has seen."""
        recorder = self.recorder
        if recorder is not None:
            recorder.written_to = done.written_to
            recorder.remarks = recorder.remarks or files.remarks
            recorder.write(plan, done.outcome, done.new_directories)
            if recorder.failure:
                from patchkit.errors import Note

                plan.notes.append(Note("P962", reason=recorder.failure))
        try:
            recorded = recorder is not None and recorder.begun
            # The plan of an undo has no sections, and sessions are updated by its caller.
            if plan.sections and (files.tracked or has_sessions(files.real, files.directories, recorded)):
                from patchkit.history.sessions import after_commit

                after_commit(files, plan, done.outcome)
        except Exception:  # not only OSError, as importing may fail, too: the files are changed all the same
            pass
