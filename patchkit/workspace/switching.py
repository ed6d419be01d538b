"""Give names their new content, or their old content back: what a run and the recovery of a dead one have in common.

Takes one Step at a time; every function can be called again after a kill. The order of steps, and what to do when one
fails, is the caller's affair.
"""

from __future__ import annotations

import os
from errno import EEXIST

from patchkit.workspace.directories import Directories
from patchkit.workspace.journal import Step


def switch(directories: Directories, step: Step, sync: bool = True) -> None:
    """Gives one name its new content, or takes it away."""
    if step.through:
        from patchkit.workspace import through

        through.switch(directories, step, sync)
    elif not step.staged:
        _take_away(directories, step)
    elif step.old:
        directory = directories.handle(step.directory)
        os.rename(step.staged, step.leaf, src_dir_fd=directory, dst_dir_fd=directory)
    else:
        source, home = directories.pair(step.directory, step.home)
        try:  # a link refuses to replace what someone else put there meanwhile; a rename would not
            os.link(step.staged, step.leaf, src_dir_fd=source, dst_dir_fd=home, follow_symlinks=False)
        except OSError as error:
            if error.errno == EEXIST or directories.sign(step.home, step.leaf):
                raise
            os.rename(step.staged, step.leaf, src_dir_fd=source, dst_dir_fd=home)


def _take_away(directories: Directories, step: Step) -> None:
    """Takes a name away by giving the file one of ours: what somebody put there at the last moment can be put back."""
    directory = directories.handle(step.directory)
    os.rename(step.leaf, step.saved, src_dir_fd=directory, dst_dir_fd=directory)
    if directories.sign(step.directory, step.saved) != step.old:
        os.link(step.saved, step.leaf, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
        raise OSError(EEXIST, "another file stands there")


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


def remove_leavings(directories: Directories, step: Step) -> None:
    for name in (step.staged, step.saved):
        if name:
            directories.remove(step.directory, name)
