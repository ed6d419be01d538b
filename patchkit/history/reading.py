"""Read what earlier runs recorded.

Takes the real path of a root; gives its Runs, newest first, each with what it did and what it kept for undoing it; or
removes them all. Undoing is the work of `undo`.
"""

from __future__ import annotations

import os

from patchkit.core.workspace import Parts, open_kept
from patchkit.errors import PatchkitError
from patchkit.history import ENDING, FIELDS, HEAD, directory_of, is_marked_by, pack
from patchkit.history.bounds import tidy
from patchkit.values import Record, Value


class NameRecord(Value):
    """What a run recorded of one name: what it left there, and how to restore what was there before.

    `way` is 'none' (there was nothing, or a directory, of which `needs` has the mode), 'spans' (`needs`: the name whose
    content the old one is made of, and the places; `content`: the old bytes of all of them), 'whole' (metadata;
    content), 'link' (where it led) or 'lost' (why it was not kept).
    """

    __slots__ = (*FIELDS, "needs", "content")
    name: str
    after: str
    sign: str
    size: str
    hash: str
    before: str
    way: str

    def __init__(self, description: bytes, content: bytes) -> None:
        fields = os.fsdecode(description).split("\0")
        for name, field in zip(FIELDS, fields[: len(FIELDS)], strict=True):  # ValueError where one is missing
            setattr(self, name, field)
        self.needs = fields[len(FIELDS) :]
        self.content = content

    @property
    def base(self) -> str:
        """The name whose content the old content is made of; '' when it is made of nothing."""
        return self.needs[0] if self.way == "spans" else ""


class Commit(Record):
    """What one transaction did: the directories that were new, and the names that changed."""

    directories: list[Parts]
    names: list[NameRecord]


class Touched(Record):
    """One line of what a run did: A, M or D, the name it left (D: took away), and the name that was moved there."""

    letter: str
    path: str
    moved_from: str | None = None

    def reversed(self) -> Touched:
        if self.moved_from is not None:
            return Touched("M", self.moved_from, self.path)
        return Touched({"A": "D", "D": "A"}.get(self.letter, "M"), self.path)


class Run(Value):
    """A patch that was applied: `state` 'applied' or 'undone', `commits` the way to the other state.

    `since` is when it came into this state, `time` when it was first applied, both in nanoseconds. `remarks` is what
    else is known of it, each 'name=value': the commands that proved it, the files they changed, the commit of git it
    is in.
    """

    __slots__ = ("id", "state", "time", "since", "root", "author", "remarks", "commits", "whole")
    commits: list[Commit]

    def __init__(self, run_id: str, head: list[bytes]) -> None:
        self.id = run_id
        self.state = head[1].decode()
        self.time, self.since = map(int, head[2].split())
        self.root = os.fsdecode(head[3])
        self.author = os.fsdecode(head[4]).split("\0") if len(head) > 4 else ["", "", ""]
        self.remarks = os.fsdecode(head[5]).split("\0") if len(head) > 5 else []
        self.commits = []
        self.whole = True  # and not cut short

    def remarked(self, name: str) -> list[str]:
        """The values of the remarks of a name."""
        return [each.removeprefix(f"{name}=") for each in self.remarks if each.startswith(f"{name}=")]

    def directories(self, name: str) -> dict[Parts, int]:
        """The modes of the directories that a run is about, which it 'had' before or 'has' after it."""
        each = [remark.partition(" ") for remark in self.remarked(name)]
        found = {tuple(path.split("/")): int(mode) for mode, _, path in each if mode.isdecimal()}
        return {parts: mode for parts, mode in found.items() if not {"", ".", ".."} & {*parts}}  # nothing forged

    @property
    def hindrance(self) -> str:
        """Why the run cannot be undone whatever the files are; '' when it can."""
        if not self.whole:
            return "its record is not whole"
        for commit in self.commits:
            for kept in commit.names:
                if kept.way == "lost":
                    return f"'{kept.name}': {kept.needs[0]}"
        return ""

    @property
    def touched(self) -> list[Touched]:
        """What the patch did, also when that is undone by now: added, then modified, then deleted files."""
        lines = _touched([kept for commit in self.commits for kept in commit.names])
        lines = [line.reversed() for line in lines] if self.state == "undone" else lines
        return [line for letter in "AMD" for line in lines if line.letter == letter]


def _touched(names: list[NameRecord]) -> list[Touched]:
    """The result of several changes, one after the other: each name before the first and after the last."""
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for kept in names:
        before.setdefault(kept.name, kept.before)
        after[kept.name] = kept.after
    moved: dict[str, str] = {}
    for kept in names:
        if kept.base not in ("", kept.name) and after[kept.name] == "missing":
            moved[kept.base] = moved.get(kept.name, kept.name)
    # Not where it replaced another file, which is back when the run is undone.
    made = {name for name in after if (before[name], after[name]) == ("missing", "file")}
    moved = {new: old for new, old in moved.items() if new in made and before[old] != "missing"}
    lines, sources = [], set(moved.values())
    for name in after:
        if name in moved:
            lines.append(Touched("M", name, moved[name]))
        elif name not in sources and (before[name], after[name]) != ("missing", "missing"):
            letter = "A" if before[name] == "missing" else "D" if after[name] == "missing" else "M"
            lines.append(Touched(letter, name))
    return lines


def runs(root: str) -> list[Run]:
    """Every run recorded for `root`, newest first; what cannot be read is left out."""
    directory = directory_of(root)
    if directory is None:
        return []
    tidy(directory)
    try:
        names = sorted((name for name in os.listdir(directory) if name.endswith(ENDING)), reverse=True)
    except OSError:
        return []
    found = []
    for name in names:
        try:
            with os.fdopen(open_kept(f"{directory}/{name}"), "rb") as file:
                run = load(name.removesuffix(ENDING), file.read())
        except (OSError, ValueError):
            continue
        if run.root == root:
            found.append(run)
    return found


def load(run_id: str, data: bytes) -> Run:
    """The run that a record describes; ValueError when it is not a record of ours."""
    frames, whole = unpack(data)
    head, _ = unpack(frames[0]) if frames else ([], False)
    if len(head) not in (4, 5, 6) or head[0] != HEAD:
        raise ValueError(run_id)
    run = Run(run_id, head)
    run.whole = whole and len(frames) > 1
    for frame in frames[1:]:
        fields = unpack(frame)[0] or [b""]
        mark = fields.pop()
        if not is_marked_by(frame[: -len(pack(mark))], mark.decode("ascii", "replace")):
            run.whole = False
            break
        directories, *names = fields
        made = [tuple(each.split("/")) for each in os.fsdecode(directories).split("\0") if each]
        run.commits.append(Commit(made, list(map(NameRecord, names[::2], names[1::2]))))
    return run


def unpack(data: bytes) -> tuple[list[bytes], bool]:
    """The netstrings in `data`, and whether the last one is whole."""
    fields: list[bytes] = []
    at = 0
    while at < len(data):
        colon = data.find(b":", at, at + 20)
        if colon < 0:
            return fields, False
        stop = colon + 1 + int(data[at:colon])
        if stop > len(data):
            return fields, False
        fields.append(data[colon + 1 : stop])
        at = stop
    return fields, True


def clear(root: str) -> int:
    """Removes every record of `root`; returns how many there were."""
    directory = directory_of(root)
    if directory is None:
        return 0
    try:
        names = os.listdir(directory)
        for name in names:
            os.unlink(f"{directory}/{name}")
        os.rmdir(directory)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise PatchkitError("P402", file=directory, reason=str(error.strerror).lower()) from None
    return len(names)
