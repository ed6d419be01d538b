"""Which interrupted run was allowed to change version control: what a journal in the tree cannot say by itself.

Takes a root and the name by which a run is known; keeps it in the user's state directory for as long as the run is
under way. A journal may come with a cloned tree, or an agent may write one. One that names a file inside version
control, where hooks are, is followed only if the run that it names was kept here: the run had `--allow-vcs`.
"""

from __future__ import annotations

import os

from patchkit.workspace.state import make, state_directory

_KIND = "vcs"


def vouch(root: str, run: str) -> None:
    """Keeps that this run may change version control; where that fails, it is not recovered after a kill."""
    path = _path(root, run)
    if not path:
        return
    try:
        make(os.path.dirname(path))
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        os.fsync(opened)
        os.close(opened)
    except OSError:
        pass


def is_vouched(root: str, run: str) -> bool:
    return bool(run) and os.path.lexists(_path(root, run))


def forget(root: str, run: str) -> None:
    """Forgets a run that is over."""
    try:
        os.unlink(_path(root, run))
    except OSError:
        pass


def _path(root: str, run: str) -> str:
    base = state_directory(os.path.realpath(root))
    return f"{base}/{_KIND}/{run}" if base is not None else ""
