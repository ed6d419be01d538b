"""The headers of the files of a unified diff, and the paths that they mean.

Takes a FileHeader; gives the old and the new path, without prefixes. What the header alone does not decide is left in
the Foreign for the files to decide: `spelled` and `preferred`.
"""

from __future__ import annotations

import re

from patchkit.formats.model import Foreign, unreadable
from patchkit.formats.paths import plain
from patchkit.formats.unified_names import git_names, header_name, whole_name
from patchkit.values import Value

NOWHERE = "/dev/null"
_PAIRS = {"ab", "ba", "iw", "wi", "ci", "ic", "cw", "wc", "ow", "wo", "oi", "12", "21"}
_RELEASE = r"[-_]v?\d+\.\d"  # in a directory such as `zlib-1.2.13`, as archives have it


def _without_parts(name: str, count: int, line: int) -> str:
    """The path without its first parts, as `patch` counts them: each ends with slashes."""
    path = name.replace("\\", "/") if "/" not in name else name
    for _ in range(count):
        path = path.partition("/")[2].lstrip("/")
        if not path:
            reason = f"the path '{name}' has too few parts to remove {count}"
            raise unreadable("unified", line, reason, "give a smaller number of parts to remove")
    return plain(path)


class FileHeader(Value):
    """What is known of one file of a diff before its hunks: names as written, git's own lines, and the line."""

    __slots__ = ("old", "new", "git", "said", "line", "old_epoch", "new_epoch", "binary", "bare")
    old: str
    new: str
    git: str  # the text behind `diff --git `
    said: dict[str, str]  # git's own lines
    line: int
    old_epoch: bool
    new_epoch: bool
    binary: str
    bare: bool  # whether the names are paths already, and not as a header writes them

    def __init__(self, line: int) -> None:
        self.old = self.new = self.git = self.binary = ""
        self.said = {}
        self.line = line
        self.old_epoch = self.new_epoch = self.bare = False


class HeaderNames:
    """The paths that the headers of one diff mean; `strip` is how many leading parts they lose, where that is known."""

    def __init__(self, foreign: Foreign, lines: list[str], strip: int | None = None) -> None:
        self.foreign = foreign
        self.lines = lines
        self.strip = strip
        self._prefixes: set[str] | None = None  # once they were looked for

    def of(self, header: FileHeader) -> tuple[str, str]:
        said = header.said
        for word in ("rename", "copy"):
            if f"{word} from" in said and f"{word} to" in said:
                old, new = whole_name(said[f"{word} from"]), whole_name(said[f"{word} to"])
                if self.strip is None or self.strip < 2:
                    return old, new
                less = self.strip - 1  # git writes no prefix there
                return _without_parts(old, less, header.line), _without_parts(new, less, header.line)
        old, new = header.old, header.new
        if header.git and not (old and new):
            old, new = git_names(header.git)
        if self.strip is not None:
            return (old, new) if header.bare else self.stripped(old, new, header)
        if NOWHERE in (old, new) and header.git:
            first, second = (name.partition("/") for name in git_names(header.git))
            if first[2] and first[2] == second[2] and first[0] != second[0]:
                named = second if old == NOWHERE else first
                path = self._kept("".join(named), len(named[0]) + 1)
                self.foreign.preferred[path] = path
                return path, path
        paths = self.stripped(old, new, header)
        if old != new and paths[0] == paths[1] and header.git.rstrip("\r") == f"{old} {new}":
            self.foreign.preferred[paths[1]] = paths[1]  # git writes two prefixes, or one name twice
        return paths

    def stripped(self, old: str, new: str, header: FileHeader | None = None) -> tuple[str, str]:
        if self.strip is not None:
            line = header.line if header is not None else 1
            paths = [_without_parts(name, self.strip, line) for name in (old, new) if name != NOWHERE]
            return self._either(paths[0], paths[-1], header)
        if NOWHERE in (old, new):
            one = new if old == NOWHERE else old
            if one[:2] in ("a/", "b/"):
                path = self._kept(one, 2)
            elif one.partition("/")[0] in self._prefixes_of_others():
                path = one.partition("/")[2]
            else:
                path = self._unpacked(plain(one))
            return path, path
        pair = old[:1] + new[:1]
        if pair in _PAIRS and old[1:2] == new[1:2] == "/":
            return self._kept(old, 2), self._kept(new, 2)
        if (old[:2] == "a/" and old[2:] == new) or (new[:2] == "b/" and new[2:] == old):
            self.foreign.lenient("one-prefix", found=old, other=new)
            path = self._kept(old if old[:2] == "a/" and old[2:] == new else new, 2)
            return path, path
        first, _, rest = old.partition("/")
        other, _, also = new.partition("/")
        if rest and rest == also and first != other:
            return self._kept(old, len(first) + 1), self._kept(new, len(other) + 1)
        if old != new and header is not None and not header.bare:
            return self._either(plain(old), plain(new), header)
        return (self._unpacked(plain(new)),) * 2

    def _either(self, old: str, new: str, header: FileHeader | None) -> tuple[str, str]:
        """The path of a file whose two names are not one path behind prefixes.

        A name is that of a copy if it is the other one with something behind it, such as `a.c.orig`, `a.c.new` and
        `a.c~`, or in another directory. Else the files show which of the two is meant.
        """
        if old == new:
            return old, old
        if header is not None and header.old_epoch != header.new_epoch:  # one of the files does not exist
            return (new if header.old_epoch else old,) * 2
        path, other = sorted((old, new), key=lambda name: (name[:1] == "/", name.count("/"), len(name)))
        if other.endswith("/" + path) or (other.startswith(path) and "/" not in other[len(path) :]):
            return (path if self.strip is not None else self._unpacked(path),) * 2
        self.foreign.spelled.setdefault(path, other)
        self.foreign.preferred.setdefault(path, "")
        return path, path

    def _kept(self, written: str, count: int) -> str:
        """The path without its first component, which is remembered with it."""
        path = written[count:]
        if ".." not in path.split("/"):  # or a path that leaves the prefix would be one that stays inside
            self.foreign.spelled.setdefault(path, written)
        return path

    def _unpacked(self, path: str) -> str:
        """The path without the directory that an archive is unpacked to, if the files are in that directory."""
        first, _, rest = path.partition("/")
        if not rest or re.search(_RELEASE, first) is None:
            return path
        inner = self._kept(path, len(first) + 1)
        self.foreign.preferred[inner] = path
        return inner

    def _prefixes_of_others(self) -> set[str]:
        """The first components that other files of the diff have on one side only: `zlib.orig/` and `zlib/`.

        The name of a new file is that of one side, and does not show by itself what is a prefix.
        """
        if self._prefixes is None:
            self._prefixes = set()
            for at, line in enumerate(self.lines[:-1]):
                if line.startswith("--- ") and self.lines[at + 1].startswith("+++ "):
                    old, new = (header_name(each[4:])[0].partition("/") for each in self.lines[at : at + 2])
                    if old[2] and old[2] == new[2] and old[0] != new[0]:
                        self._prefixes |= {old[0], new[0]}
        return self._prefixes
