"""Paths by their text: what `.` and `..` come to, which spelling of a name is meant, and which names are off limits."""

from __future__ import annotations

from patchkit.errors import PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, TypeVar

    class OfAKind(Protocol):
        kind: str

    Found = TypeVar("Found", bound=OfAKind)


DEEPEST = 2000  # components of one name: no system has longer ones, and each has all directories above it looked at
_VERSION_CONTROL = (".git", ".hg", ".svn", "git~1", "hg~1", "svn~1")  # with the short names on Windows' disks
_OURS = (".patchkit", "patchk~1")
# Characters that count for nothing in names on macOS' disks.
_IGNORED = dict.fromkeys([*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])


def joined(start: list[str], path: str) -> list[str] | None:
    """The components of `path` taken from `start`; None when it climbs above where all paths start."""
    named = path.split("/")
    if "" not in named and "." not in named and ".." not in named:
        return [*start, *named]
    parts = list(start)
    for part in named:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return parts


def ancestors(name: str) -> list[str]:
    """The names of the directories around a name, outermost first."""
    found = []
    slash = name.find("/")
    while slash >= 0:
        found.append(name[:slash])
        slash = name.find("/", slash + 1)
    return found


def as_written_or_bare(path: str, find: Callable[[str], Found]) -> Found:
    """The entry of a name that may have whitespace at its ends: exactly as written if it exists, else without them."""
    bare = path.strip(" \t")
    if bare == path:
        return find(path)
    exact, trimmed = find(path), find(bare)
    if exact.kind != "missing" and trimmed.kind != "missing":
        raise PatchkitError("P313", file=path, other=bare)
    return exact if exact.kind != "missing" else trimmed


def refuse_protected(path: str, name: str, allow_vcs: bool = False) -> None:
    """Refuses the insides of version control, unless they are allowed, and patchkit's own files."""
    part = protected_part(name)
    if part and not (allow_vcs and _plain(part) in _VERSION_CONTROL):
        raise PatchkitError("P318", file=path, part=part)


def protected_part(name: str) -> str:
    """The component of a name that is version control's or patchkit's own; '' where there is none.

    Of several, one of patchkit's own.
    """
    if "~" not in name and name.isascii() and ("." not in name or "/." not in f"/{name}"):
        return ""  # nothing begins with a dot, on any file system
    found = ""
    for part in name.split("/"):
        seen = _plain(part)
        if seen in _OURS or seen.startswith(".patchkit-"):
            return part
        if not found and seen in _VERSION_CONTROL:
            found = part
    return found


def _plain(part: str) -> str:
    """A component as the least exact file systems see it, where case, dots and spaces at the end do not count."""
    return part.lower().translate(_IGNORED).partition(":")[0].rstrip(" .")
