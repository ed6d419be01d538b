"""What a file has besides its content: owner, mode, extended attributes, access control lists."""

from __future__ import annotations

import os
import stat
from errno import EACCES, ENODATA, ENOSYS, ENOTSUP, EPERM

from patchkit.errors import PatchkitError

# Attributes the kernel hands out itself; failing to set them again is not a loss.
_SYSTEM_OWNED = ("security.", "trusted.")


class Metadata:
    """A file's status and extended attributes, taken while it was open."""

    __slots__ = ("status", "attributes")

    def __init__(self, opened: int) -> None:
        self.status = os.fstat(opened)
        self.attributes: list[tuple[str, bytes]] = []
        if hasattr(os, "listxattr"):
            try:
                self.attributes = [(name, os.getxattr(opened, name)) for name in os.listxattr(opened)]
            except OSError as error:
                if error.errno not in (ENOTSUP, ENODATA, ENOSYS):
                    raise  # not knowing them would mean losing them


_ACCESS_LIST = "system.posix_acl_access"


def _drop_inherited_list(opened: int, wanted: Metadata) -> None:
    """Takes off the access control list a new file got from its directory when the old one had none."""
    if hasattr(os, "listxattr") and all(name != _ACCESS_LIST for name, _ in wanted.attributes):
        try:
            if _ACCESS_LIST in os.listxattr(opened):
                os.removexattr(opened, _ACCESS_LIST)
        except OSError as error:
            if error.errno not in (ENOTSUP, ENODATA, ENOSYS):
                raise


def give(opened: int, wanted: Metadata, path: str, owner_may_change: bool = False) -> None:
    """Gives an open new file the metadata of an old one; an owner that cannot be kept is refused."""
    mine, status = os.fstat(opened), wanted.status
    if (mine.st_uid, mine.st_gid) != (status.st_uid, status.st_gid):
        try:
            os.fchown(opened, status.st_uid, status.st_gid)
        except OSError as error:
            if error.errno not in (EPERM, EACCES):
                raise
            if not owner_may_change:
                raise PatchkitError("P317", file=path, owner=f"{status.st_uid}:{status.st_gid}") from None
    _drop_inherited_list(opened, wanted)
    os.fchmod(opened, stat.S_IMODE(status.st_mode))  # after chown, which takes setuid away
    for name, value in wanted.attributes:
        try:
            os.setxattr(opened, name, value)
        except OSError:
            if not name.startswith(_SYSTEM_OWNED):
                raise
