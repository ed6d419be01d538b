"""Where patchkit keeps what it remembers about a workspace: outside of it, in the user's state directory.

Takes the real path of a root; gives the directory for what is kept about it, and makes it. Every root has one of its
own there, with a directory below it for each kind of state: the history of runs, the files that sessions have seen,
large outputs. Directories are made when there is something to keep, and only this user may read them. What is
written there, and for how long it is kept, is decided by the module of each kind.

Where there is no state directory, what has to be remembered is kept in `.patchkit` in the root.
"""

from __future__ import annotations

import os
from sys import version_info

from patchkit.core.workspace.entries import NEW, write_closing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256 as sha256

    from patchkit.core.workspace import Directories
else:

    def sha256(data=b""):
        """A hash, begun with some bytes. Its module is loaded here: a plain run makes none."""
        if version_info >= (3, 12):  # `hashlib` loads OpenSSL: that takes as long as a small read
            from _sha2 import sha256 as begun
        else:
            from _sha256 import sha256 as begun
        return begun(data)


INSIDE = ".patchkit"  # in the root, where there is no state directory
HISTORY, SESSIONS, OUTPUTS = "history", "tracker", "large_tool_results"  # the kinds of state, by directory
_LONGEST = 160  # bytes of a path that is used as a file name; a file name may have 255


def state_directory(root: str) -> str | None:
    """The directory for what is kept about `root`; None where there is none.

    There is none either where it would be inside the root, or inside version control, whose tools may follow it.
    """
    base = os.environ.get("XDG_STATE_HOME") or ""
    if not base.startswith("/"):  # the standard says to ignore a relative one
        user = os.path.expanduser("~")
        if not user.startswith("/"):
            return None
        base = f"{user}/.local/state"
    if f"{base}/".startswith(root if root == "/" else f"{root}/"):
        return None
    if "/.git/" in f"{base}/" or "/.hg/" in f"{base}/" or "/.svn/" in f"{base}/":
        return None
    return f"{base}/patchkit/{root_id(root)}"


def root_id(root: str) -> str:
    """A path as one file name: '/work/my-app' is '+work+my-app'. Two paths never have the same one.

    A path that is too long for a file name is a hash, followed by the end of the path for people.
    """
    name = root.replace("=", "==").replace("+", "=+").replace("/", "+")
    if len(os.fsencode(name)) <= _LONGEST:
        return name
    end = os.fsencode(root)[-60:].decode("utf-8", "ignore").replace("/", "+")
    return f"{sha256(os.fsencode(root)).hexdigest()[:32]}={end}"


def places(root: str, kind: str) -> list[str]:
    """The directories in which state of a kind may be kept, the usual one first."""
    above = state_directory(root)
    usual = [f"{above}/{kind}"] if above is not None else []
    return [*usual, f"{root.rstrip('/')}/{INSIDE}/{kind}"]


def make(directory: str) -> None:
    """Makes a directory of ours and those above it, for this user only."""
    if not os.path.isdir(directory):
        make(os.path.dirname(directory))
        try:
            os.mkdir(directory, 0o700)
        except FileExistsError:
            pass  # another run made it meanwhile


def open_kept(path: str, flags: int = os.O_RDONLY) -> int:
    """Opens a file of ours; raises OSError, also where something else has its name: a FIFO would wait for ever."""
    opened = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    if os.fstat(opened).st_mode & 0o170000 != 0o100000:
        os.close(opened)
        raise OSError(0, "it is not a regular file")
    return opened


def make_inside(directories: Directories, kind: str) -> None:
    """Makes a directory of ours in the root itself, which version control ignores; no link is followed there."""
    directories.make((), (INSIDE, kind), [])
    try:
        write_closing(os.open(".gitignore", NEW, 0o600, dir_fd=directories.handle((INSIDE,))), b"*\n")
    except FileExistsError:
        pass


def has_sessions(root: str, directories: Directories, outside_is_used: bool) -> bool:
    """Whether tools have recorded here which files they saw.

    One look in the state directory; a second one in the root, unless that directory is known to be in use.
    """
    above = state_directory(root)
    if above is not None and os.path.exists(f"{above}/{SESSIONS}"):
        return True
    try:
        return not outside_is_used and directories.status((), INSIDE) is not None
    except OSError:
        return False
