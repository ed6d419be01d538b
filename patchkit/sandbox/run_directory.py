"""A directory that belongs to one run: for the temporary files of its command, and for what patchkit keeps inside.

Makes a directory that no other user can enter, and removes it afterwards with all that the command left there. The
command may still run then, and may have made trees that are deep, or that may not be changed: a tree is taken apart by
handles, one level at a time, and no link is followed. Does not load `tempfile`, which takes as long as making the whole
sandbox.
"""

from __future__ import annotations

import os
from contextlib import suppress
from errno import EEXIST, ENOENT

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PLACE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_TRIES = 100
SHARED_MEMORY = "/dev/shm"  # a sandboxed command has its own there
_MOST_DIRECTORIES = 100_000  # a command that still runs can make more of them at any time


class RunDirectory:
    """The directory at `path`, for one command."""

    def __init__(self) -> None:
        """Raises OSError where no directory can be made. Only one is: removing each can take a disk milliseconds."""
        self.path = _made()
        self._handle = os.open(self.path, _DIRECTORY)  # its path may be where the command can move it away

    def remove(self) -> None:
        """Removes it; what cannot be removed is left, as the temporary files of any program are."""
        try:
            if not self._removed():
                _emptied(self._handle)
                self._removed()
        except OSError:
            pass
        finally:
            os.close(self._handle)

    def _removed(self) -> bool:
        """Removes what is at the path, if it is empty; returns whether that was this directory."""
        try:
            os.rmdir(self.path)
        except OSError:
            return False
        return os.fstat(self._handle).st_nlink == 0


def _made() -> str:
    """A new directory where temporary files belong; its name cannot be guessed."""
    error = OSError(ENOENT, os.strerror(ENOENT))
    for place in dict.fromkeys((os.environ.get("TMPDIR", ""), "/tmp", "/var/tmp")):
        real = os.path.realpath(place)
        if not place.startswith("/") or f"{real}/".startswith(f"{SHARED_MEMORY}/"):
            continue
        for _ in range(_TRIES):
            path = f"{real.rstrip('/')}/patchkit-{os.urandom(8).hex()}"
            try:
                os.mkdir(path, 0o700)
                return path
            except OSError as failed:
                error = failed
                if failed.errno != EEXIST:
                    break
    raise error


def _emptied(top: int) -> None:
    """Removes all in a directory. What is in one of its directories is moved up into it first: no tree is too deep."""
    waiting = _without_files(top)
    for number in range(_MOST_DIRECTORIES):
        if not waiting:
            return
        name = waiting.pop()
        try:
            _opened_to_us(top, name)
            handle = os.open(name, _DIRECTORY, dir_fd=top)
        except OSError:
            continue  # it is gone, or became something else
        try:
            for inner in _without_files(handle):
                moved = f"{number}-{len(waiting)}"
                _opened_to_us(handle, inner)
                os.rename(inner, moved, src_dir_fd=handle, dst_dir_fd=top)
                waiting.append(moved)
        except OSError:
            pass
        finally:
            os.close(handle)
        with suppress(OSError):
            os.rmdir(name, dir_fd=top)


def _opened_to_us(above: int, name: str) -> None:
    """Makes a directory ours to change where the command took the rights away."""
    handle = os.open(name, _PLACE, dir_fd=above)
    try:
        if os.fstat(handle).st_mode & 0o700 != 0o700:
            os.chmod(f"/proc/self/fd/{handle}", 0o700)
    except OSError:
        pass
    finally:
        os.close(handle)


def _without_files(handle: int) -> list[str]:
    """Removes what is not a directory; returns the names of those that are."""
    directories = []
    for name in os.listdir(handle):
        try:
            os.rmdir(name, dir_fd=handle)
        except NotADirectoryError:
            with suppress(OSError):
                os.unlink(name, dir_fd=handle)
        except FileNotFoundError:
            continue
        except OSError:
            directories.append(name)
    return directories
