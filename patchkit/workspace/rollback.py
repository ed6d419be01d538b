"""Put back what a run had switched when it failed, and remove what it had made.

Takes the changes and steps of a Transaction, or of the journal a dead one left; every function can be called again
after a kill. Loaded with every run, not when one fails: that may be for want of the very files an import would open.
"""

from __future__ import annotations

import os

from patchkit.changes.model import FileChange
from patchkit.errors import PatchkitError
from patchkit.workspace.directories import Directories, reason
from patchkit.workspace.journal import NAME, Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.workspace.transaction import Transaction

    Switched = list[tuple[FileChange, Step]]


def roll_back(run: Transaction, switched: Switched) -> list[str]:
    """Puts every switched name back; returns those that could not be."""
    left = _put_all_back(run, [each for each in switched if not each[1].old])
    for made in reversed(run.new_directories):  # before the old files: one may belong where a directory stands now
        run.directories.unmake(made)
    left += _put_all_back(run, [each for each in switched if each[1].old])
    try:
        run.sync_directories({step.home for _, step in switched if not step.missing})
    except OSError:
        pass  # the names are back; whether a power cut now would forget that is out of our hands
    return left


def _put_all_back(run: Transaction, switched: Switched) -> list[str]:
    left = []
    for change, step in reversed(switched):
        try:
            if not put_back(run.directories, step):
                _restage_old(run, step, change)
        except (OSError, PatchkitError):
            left.append(change.path)
    return left


def put_back(directories: Directories, step: Step) -> bool:
    """Gives one name its old content again if it has the new; False when there is no second name to do it with."""
    if step.through:
        from patchkit.workspace import through

        through.put_back(directories, step)
        return True
    now = directories.sign(step.home, step.leaf)
    if now != step.new:
        return True  # not switched, or somebody else's since
    directory = directories.handle(step.home)
    if not step.old:
        os.unlink(step.leaf, dir_fd=directory)
    elif not step.saved:
        return False
    elif now or directories.sign(step.directory, step.saved):  # else it was not we who took the name away
        os.rename(step.saved, step.leaf, src_dir_fd=directory, dst_dir_fd=directory)
    return True


def _restage_old(run: Transaction, step: Step, change: FileChange) -> None:
    """Brings the old content of a single file back from memory: it had no second name."""
    if run.directories.sign(step.home, step.leaf) != step.new:
        return
    run.save_copy(step.staged, step.home, change, sync=False)  # the disk may be what failed
    directory = run.directories.handle(step.home)
    os.rename(step.staged, step.leaf, src_dir_fd=directory, dst_dir_fd=directory)


def remove_leavings(directories: Directories, step: Step) -> None:
    """Removes the staged file and the second name of a step, if they are there."""
    for name in (step.staged, step.saved):
        if name:
            directories.remove(step.directory, name)


def explained(error: BaseException, at: FileChange | None, left: list[str]) -> BaseException:
    """The error as one of ours: what failed, and whether everything is as it was."""
    path = at.path if at is not None else NAME
    if not left and not isinstance(error, OSError):
        return error
    why = reason(error) if isinstance(error, OSError) else type(error).__name__
    if left:
        return PatchkitError("P404", file=path, reason=why, left=", ".join(left))
    return PatchkitError("P402", file=path, reason=why)
