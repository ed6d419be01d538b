"""Give a name its new content: what a run and the recovery of a dead one have in common.

Takes one Step at a time; can be called again after a kill. The order of steps, and what to do when one fails
(`rollback` puts names back), is the caller's affair.
"""

from __future__ import annotations

import os

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
        except FileExistsError:
            raise
        except OSError:
            if directories.sign(step.home, step.leaf):
                raise
            os.rename(step.staged, step.leaf, src_dir_fd=source, dst_dir_fd=home)


def _take_away(directories: Directories, step: Step) -> None:
    """Takes a name away by giving the file one of ours: what somebody put there at the last moment can be put back."""
    directory = directories.handle(step.directory)
    os.rename(step.leaf, step.saved, src_dir_fd=directory, dst_dir_fd=directory)
    if directories.sign(step.directory, step.saved) != step.old:
        os.link(step.saved, step.leaf, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
        raise FileExistsError("another file stands there")
