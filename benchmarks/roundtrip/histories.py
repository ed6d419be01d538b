"""What a commit changes, read from any git repository: which files, what is in them, and git's own diff of it.

Takes a repository; gives Changes. One `git cat-file --batch` serves a run.
"""

from __future__ import annotations

import collections
import re
import subprocess
from pathlib import Path

from patchkit.guards.placeholders import placeholder

REGULAR = ("100644", "100755")


class Change:
    """One commit against its parent: regular files before and after, and what is not content of regular files."""

    def __init__(self, commit: str) -> None:
        self.commit = commit
        self.before: dict[str, bytes] = {}
        self.after: dict[str, bytes] = {}
        self.modes: list[str] = []  # paths whose mode changes, or that are no regular files

    @property
    def is_binary(self) -> bool:
        return any(
            b"\0" in data[:8192]
            for side, other in ((self.before, self.after), (self.after, self.before))
            for path, data in side.items()
            if other.get(path) != data
        )

    @property
    def has_other_endings(self) -> bool:
        """Whether a file gets other line endings, or has several kinds, or a CR of its own at the end of a line."""
        kinds = [endings(data) for data in (*self.before.values(), *self.after.values())]
        if any(b"\r" in each or len(each) > 1 for each in kinds):
            return True
        pairs = [(self.before[path], after) for path, after in self.after.items() if path in self.before]
        return any(gets_other_endings(old, new) for old, new in pairs)

    @property
    def has_odd_name(self) -> bool:
        """Whether a name has a line break, or whitespace at its ends: no line of a patch says that."""
        return any("\n" in path or "\r" in path or path != path.strip() for path in (*self.before, *self.after))

    @property
    def has_new_directory(self) -> bool:
        """Whether a file becomes a directory of its name."""
        return any(path.startswith(gone + "/") for gone in self.before if gone not in self.after for path in self.after)

    @property
    def has_lost_directory(self) -> bool:
        """Whether a directory becomes a file of its name: a patch takes files away, and no directories."""
        return any(path.startswith(new + "/") for new in self.after if new not in self.before for path in self.before)

    @property
    def other_encodings(self) -> list[str]:
        """Files that are not UTF-8, or declare something else, and get or lose other characters than ASCII in UTF-8."""
        pairs = [(path, self.before[path], new) for path, new in self.after.items() if path in self.before]
        gone = [each for each in self.before.items() if each[0] not in self.after]
        come = [each for each in self.after.items() if each[0] not in self.before]
        for name, data in come:  # files that may be one under two names
            pairs += [(each, old, data) for path, old in gone for each in (path, name)]
        return [path for path, old, new in pairs if _gets_utf8(old, new)]

    @property
    def has_placeholder(self) -> bool:
        """Whether a file gets a line such as `# ... existing code ...`, and had none."""
        return any(
            placeholder(*(side.get(path, b"").decode("utf-8", "surrogateescape") for side in (self.after, self.before)))
            for path in self.after
        )


def _gets_utf8(old: bytes, new: bytes) -> bool:
    """Whether a file that may be taken for one in another encoding changes lines with characters in UTF-8."""
    counts = [collections.Counter(data.split(b"\n")) for data in (old, new)]
    lines = b"\n".join([*(counts[0] - counts[1]), *(counts[1] - counts[0])])
    if lines.isascii() or not _is_utf8(lines):
        return False
    return not _is_utf8(old) or any(is_misdeclared(data) for data in (old, new))


def is_misdeclared(data: bytes) -> bool:
    """Whether a file of ASCII characters says that it is not UTF-8: others come into it as that says."""
    said = re.search(rb"(?:coding|charset)[\s:=]\W*([-\w.]+)", data[:1024])
    return data.isascii() and said is not None and said[1].lower() not in (b"utf-8", b"utf8")


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def gets_other_endings(old: bytes, new: bytes) -> bool:
    """Whether lines end in another way than before, or may: both have several kinds of endings."""
    return b"\r" in old + new and (endings(old) != endings(new) or len(endings(old)) > 1)


def taken_back(wanted: bytes, found: bytes, after: bytes | None) -> bytes:
    """What a file should have when a patch is taken back: what it had, or the same lines with the endings it has now.

    A patch does not say how the lines ended that it removes. Where none of that kind is left in the file, those that
    come back end as its other lines do.
    """
    lost = len(endings(wanted)) > 1 if after is None else not endings(wanted) <= endings(after)
    return found if lost and bare_lines(found) == bare_lines(wanted) else wanted


def bare_lines(data: bytes) -> list[bytes]:
    return re.split(rb"\r\n|\n|\r", data)


def endings(data: bytes) -> set[bytes]:
    """How lines end: in LF, CRLF or CR."""
    return set(re.findall(rb"\r\n|\n|\r", data))


class MissingObjectError(Exception):
    """A snapshot lists an object that it does not hold."""


class History:
    """The commits of a repository, newest first."""

    def __init__(self, repository: str | Path) -> None:
        self.repository = str(repository)
        self._objects = subprocess.Popen(
            ["git", "-C", self.repository, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def close(self) -> None:
        self._objects.stdin.close()
        self._objects.stdout.close()
        self._objects.wait()

    def git(self, *words: str) -> bytes:
        return subprocess.run(["git", "-C", self.repository, *words], capture_output=True, check=True).stdout

    def commits(self, most: int) -> list[str]:
        words = ["rev-list", "--no-merges", "--min-parents=1", f"--max-count={most}", "HEAD"]
        return self.git(*words).decode().split()

    def content(self, oid: str) -> bytes:
        self._objects.stdin.write(oid.encode() + b"\n")
        self._objects.stdin.flush()
        head = self._objects.stdout.readline().split()
        if head[-1] == b"missing":
            raise MissingObjectError(oid)
        return self._objects.stdout.read(int(head[2]) + 1)[:-1]

    def trees(self, commit: str) -> tuple[dict[str, tuple[str, bytes]], dict[str, tuple[str, bytes]]]:
        """The files and links that a commit changes, before and after, with their modes; submodules are left out."""
        sides: tuple[dict[str, tuple[str, bytes]], dict[str, tuple[str, bytes]]] = ({}, {})
        raw = self.git("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-commit-id", f"{commit}^", commit)
        fields = raw.split(b"\0")
        for head, name in zip(fields[::2], fields[1::2]):
            old_mode, new_mode, old, new, _status = head.decode()[1:].split()
            path = name.decode("utf-8", "surrogateescape")
            for mode, oid, side in ((old_mode, old, sides[0]), (new_mode, new, sides[1])):
                if mode in (*REGULAR, "120000"):
                    side[path] = (mode, self.content(oid))
        return sides

    def change(self, commit: str) -> Change:
        change = Change(commit)
        raw = self.git("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-commit-id", f"{commit}^", commit)
        fields = raw.split(b"\0")
        for head, name in zip(fields[::2], fields[1::2]):
            old_mode, new_mode, old, new, _status = head.decode()[1:].split()
            path = name.decode("utf-8", "surrogateescape")
            for mode, oid, side in ((old_mode, old, change.before), (new_mode, new, change.after)):
                if mode in REGULAR:
                    side[path] = self.content(oid)
            present = [mode for mode in (old_mode, new_mode) if mode != "000000"]
            special = any(mode not in REGULAR for mode in present) or len(set(present)) > 1
            if special or (old_mode == "000000" and new_mode == "100755"):
                change.modes.append(path)
        if change.modes:
            moved = self.git("diff-tree", "-r", "-z", "-M", "--diff-filter=R", "--no-commit-id", f"{commit}^", commit)
            kept = {new for head, _, new in zip(*[iter(moved.split(b"\0"))] * 3) if len({*head[1:].split()[:2]}) == 1}
            change.modes = [path for path in change.modes if path.encode("utf-8", "surrogateescape") not in kept]
        return change
