"""Landlock: which files the calling thread, and all that it starts, may use.

Takes rights for files and directories, by open handles; makes a Ruleset of them, and restricts the calling thread to
it. Rights for a directory hold for everything below it, also for what is made there later, and nothing takes them back
further down. Which rights are granted is decided by others.
"""

from __future__ import annotations

import os

from patchkit.handles import OpenHandle
from patchkit.sandbox.system_calls import call, is_known

NEEDED = 3  # the first version that knows truncating, without which a file can be emptied that may not be written
WHOLE = 6  # the first version that stops signals and abstract sockets

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIRECTORY = (1 << bit for bit in range(4))
_REMOVE_DIRECTORY, _REMOVE_FILE, _CHARACTER, _DIRECTORY, _REGULAR, _SOCKET, _PIPE, _BLOCK, _LINK = (
    1 << bit for bit in range(4, 13)
)
_REFER, _TRUNCATE, _IOCTL = (1 << bit for bit in range(13, 16))
LIST = _READ_DIRECTORY
READ = _READ_FILE | _READ_DIRECTORY
RUN = READ | _EXECUTE
_MAKE = _DIRECTORY | _REGULAR | _SOCKET | _PIPE | _LINK  # no devices
WRITE = _WRITE_FILE | _TRUNCATE | _REMOVE_DIRECTORY | _REMOVE_FILE | _REFER | _MAKE
DEVICE = READ | _WRITE_FILE | _IOCTL
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL  # the only ones that a file may have
# What each version added: to the rights of files, to those of TCP, and to what ends at the border of the sandbox.
_FILE_RIGHTS = {1: 0x1FFF, 2: _REFER, 3: _TRUNCATE, 5: _IOCTL}
_TCP = {4: 0b11}
_ABSTRACT_SOCKETS, _SIGNALS = 1, 2
_FOR_VERSION, _PATH_BENEATH = 1, 1
_PATH = 0x200000 | os.O_CLOEXEC  # O_PATH


def version() -> int:
    """The version of Landlock that this kernel has; 0 where it has none, or does not use it."""
    if not is_known():
        return 0
    try:
        return call("landlock_create_ruleset", None, 0, _FOR_VERSION)
    except OSError:
        return 0


class Ruleset:
    """Rights to be granted. `close` it when the thread, or the child, is restricted."""

    def __init__(self, abi: int, network: bool) -> None:
        """Everything that this version can restrict is forbidden, until it is granted; raises OSError."""
        self._handled = _up_to(abi, _FILE_RIGHTS)
        tcp = 0 if network else _up_to(abi, _TCP)
        ends = (_SIGNALS | (0 if network else _ABSTRACT_SOCKETS)) if abi >= WHOLE else 0
        size = 8 if abi < 4 else 16 if abi < WHOLE else 24
        self.handle = call(
            "landlock_create_ruleset", (self._handled | tcp << 64 | ends << 128).to_bytes(24, "little"), size, 0
        )

    def grant(self, handle: int, rights: int, is_directory: bool) -> None:
        """Grants rights for what is open, and for all below a directory; raises OSError."""
        allowed = rights & self._handled & (-1 if is_directory else _OF_FILES)
        if allowed:
            call("landlock_add_rule", self.handle, _PATH_BENEATH, (allowed | handle << 64).to_bytes(12, "little"), 0)

    def grant_at(self, path: str, rights: int) -> None:
        """Grants rights for a path, links followed; raises OSError."""
        with OpenHandle(os.open(path, _PATH)) as handle:
            self.grant(handle, rights, os.path.isdir(path))

    def restrict(self) -> None:
        """Restricts the calling thread, which must not be able to gain privileges; raises OSError."""
        call("landlock_restrict_self", self.handle, 0)

    def close(self) -> None:
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


def _up_to(abi: int, added: dict[int, int]) -> int:
    found = 0
    for version_, rights in added.items():
        found |= rights if version_ <= abi else 0
    return found
