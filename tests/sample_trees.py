"""Trees on disk as values: made from a value, read back as one, and the patches that are tried on them.

A tree is a dict of names to what is there: `File`, `Link`, or a directory's mode. Whole trees are compared, so
a stray directory, a lost attribute or a file of ours left behind is a difference like any other.
"""

from __future__ import annotations

import os
import shutil
import stat
from typing import Any, NamedTuple

import patchkit
from patchkit.catalogue.sentences import label
from patchkit.history import tracked_workspace


class File(NamedTuple):
    data: bytes
    mode: int = 0o644
    attributes: tuple[tuple[str, bytes], ...] = ()


class Link(NamedTuple):
    target: str


Tree = dict[str, "File | Link | str"]


def build(root: str | os.PathLike[str], tree: Tree) -> None:
    """Makes exactly this tree, whatever was there, and removes what was remembered of it."""
    root = os.fspath(root)
    shutil.rmtree(root, ignore_errors=True)
    shutil.rmtree(os.environ["XDG_STATE_HOME"], ignore_errors=True)
    os.mkdir(root)
    for name, what in tree.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path) if not isinstance(what, str) else path, exist_ok=True)
        if isinstance(what, Link):
            os.symlink(what.target, path)
        elif isinstance(what, File):
            with open(path, "wb") as file:
                file.write(what.data)
            os.chmod(path, what.mode)
            for attribute, value in what.attributes:
                os.setxattr(path, attribute, value)


def snapshot(root: str | os.PathLike[str]) -> Tree:
    """Everything under a directory; directories that hold something are implied by what they hold."""
    root = os.fspath(root)
    found: Tree = {}
    for directory, below, files in os.walk(root):
        within = os.path.relpath(directory, root)
        if not below and not files and within != ".":
            found[within] = "directory"
        for name in [*files, *below]:
            path = os.path.join(directory, name)
            status = os.lstat(path)
            plain = os.path.normpath(os.path.join(within, name))
            if stat.S_ISLNK(status.st_mode):
                found[plain] = Link(os.readlink(path))
            elif stat.S_ISREG(status.st_mode):
                found[plain] = _file(path, status)
            elif not stat.S_ISDIR(status.st_mode):
                found[plain] = f"special {stat.S_IFMT(status.st_mode):o}"
    return found


def _file(path: str, status: os.stat_result) -> File:
    with open(path, "rb") as file:
        data = file.read()
    attributes = tuple(sorted((name, os.getxattr(path, name)) for name in os.listxattr(path)))
    return File(data, stat.S_IMODE(status.st_mode), attributes)


def attributes_are_kept(directory: str | os.PathLike[str]) -> bool:
    """Whether the file system under a directory has extended attributes of users."""
    path = os.path.join(directory, "attributes-tried")
    with open(path, "w"):
        pass
    try:
        os.setxattr(path, "user.tried", b"")
    except OSError:
        return False
    finally:
        os.unlink(path)
    return True


def lines(word: str, count: int) -> str:
    return "".join(f"{word} line {number}\n" for number in range(count))


def recorded(patch: str | bytes, root: str, history: bool = True, **options: Any) -> patchkit.Applied:
    """patchkit.apply with the record that undoing needs: the library makes none by default, the commands do."""
    return patchkit.apply(patch, root, history=history, **options)


def envelope(*sections: str) -> str:
    return "*** Begin Patch\n" + "".join(sections) + "*** End Patch\n"


def add(name: str, text: str) -> str:
    return f"*** Add File: {name}\n" + "".join(f"+{line}\n" for line in text.splitlines())


def update(name: str, *changes: tuple[str, str], move_to: str = "") -> str:
    """A section with one hunk for each pair of an old line and its new lines."""
    hunks = "".join(f"@@\n-{old}\n" + "".join(f"+{line}\n" for line in new.split("\n")) for old, new in changes)
    return f"*** Update File: {name}\n" + (f"*** Move to: {move_to}\n" if move_to else "") + hunks


def delete(name: str) -> str:
    return f"*** Delete File: {name}\n"


# -- seven files, of which every one goes another way ---------------------------------------------

_ALPHA, _BRAVO, _DELTA, _ECHO, _FOX = (
    lines("a", 60),
    lines("b", 30),
    lines("d", 30),
    lines("echo", 6000),  # more than is read at once
    lines("f", 9),
)


def seven_before(attributes: tuple[tuple[str, bytes], ...] = ()) -> Tree:
    return {
        "update.txt": File(_ALPHA.encode()),
        "move.txt": File(_BRAVO.encode(), 0o640, attributes),
        "delete.txt": File(lines("c", 20).encode(), 0o600),
        "script.sh": File(_DELTA.encode(), 0o755, attributes),
        "big.txt": File(_ECHO.encode()),
        "sub/nested.txt": File(_FOX.encode(), 0o444),
    }


def seven_after(attributes: tuple[tuple[str, bytes], ...] = ()) -> Tree:
    alpha = _ALPHA.replace("a line 7\n", "A seven\n").replace("a line 50\n", "A fifty\nextra\n")
    return {
        "new/deep/add.txt": File(lines("g", 20).encode()),
        "update.txt": File(alpha.encode()),
        "moved/here/move.txt": File(_BRAVO.replace("b line 3\n", "B three\n").encode(), 0o640, attributes),
        "script.sh": File(_DELTA.replace("d line 9\n", "D nine\n").encode(), 0o755, attributes),
        "big.txt": File(_ECHO.replace("echo line 5990\n", "E big\n").encode()),
        "sub/nested.txt": File(_FOX.replace("f line 4\n", "F four\n").encode(), 0o444),
    }


SEVEN = envelope(
    add("new/deep/add.txt", lines("g", 20)),
    update("update.txt", ("a line 7", "A seven"), ("a line 50", "A fifty\nextra")),
    update("move.txt", ("b line 3", "B three"), move_to="moved/here/move.txt"),
    delete("delete.txt"),
    update("script.sh", ("d line 9", "D nine")),
    update("big.txt", ("echo line 5990", "E big")),
    update("sub/nested.txt", ("f line 4", "F four")),
)

# -- small ones: a few files in few calls, for faults in pairs; one file each, for what needs no commit record ----

SMALL_BEFORE: Tree = {"a.txt": File(b"one\n"), "b.txt": File(b"two\n", 0o755), "gone.txt": File(b"three\n")}
SMALL_AFTER: Tree = {"a.txt": File(b"ONE\n"), "b.txt": File(b"TWO\n", 0o755), "new/deep/c.txt": File(b"four\n")}
SMALL = envelope(
    update("a.txt", ("one", "ONE")),
    add("new/deep/c.txt", "four\n"),
    delete("gone.txt"),
    update("b.txt", ("two", "TWO")),
)


class Case(NamedTuple):
    """A patch with the trees before and after it."""

    before: Tree
    patch: str
    after: Tree


_ONE = File(b"one\n", 0o640)
SINGLES = {
    "update": Case({"a.txt": _ONE}, envelope(update("a.txt", ("one", "ONE"))), {"a.txt": File(b"ONE\n", 0o640)}),
    "add": Case({"a.txt": _ONE}, envelope(add("b.txt", "two\n")), {"a.txt": _ONE, "b.txt": File(b"two\n")}),
    "add in a new directory": Case(
        {"a.txt": _ONE}, envelope(add("n/d/b.txt", "two\n")), {"a.txt": _ONE, "n/d/b.txt": File(b"two\n")}
    ),
    "delete": Case({"a.txt": _ONE, "b.txt": _ONE}, envelope(delete("b.txt")), {"a.txt": _ONE}),
    "move": Case({"a.txt": _ONE}, envelope(update("a.txt", move_to="n/b.txt")), {"n/b.txt": _ONE}),
    "file in the place of a link": Case(
        {"a.txt": _ONE, "b.txt": Link("a.txt")},
        envelope(delete("b.txt"), add("b.txt", "two\n")),
        {"a.txt": _ONE, "b.txt": File(b"two\n")},
    ),
    "update of a nested file": Case(
        {"s/a.txt": _ONE}, envelope(update("s/a.txt", ("one", "ONE"))), {"s/a.txt": File(b"ONE\n", 0o640)}
    ),
}
SEVERAL = {
    "tiny": Case(
        {"a.txt": _ONE, "b.txt": _ONE},
        envelope(update("a.txt", ("one", "ONE")), add("n/c.txt", "two\n"), delete("b.txt")),
        {"a.txt": File(b"ONE\n", 0o640), "n/c.txt": File(b"two\n")},
    ),
    "small": Case(SMALL_BEFORE, SMALL, SMALL_AFTER),
    "a directory and a file in each other's place": Case(
        {"d/a.txt": _ONE, "d/s/b.txt": _ONE, "f": _ONE},
        envelope(*map(delete, ("d/a.txt", "d/s/b.txt", "f")), add("d", "two\n"), add("f/s/c.txt", "two\n")),
        {"d": File(b"two\n"), "f/s/c.txt": File(b"two\n")},
    ),
}
SMALL_CASES = {**SINGLES, **SEVERAL}
NEXT = envelope(add("elsewhere.txt", "next\n"))


def seven(place: str) -> Case:
    """The patch over seven files, and the trees around it; with extended attributes where there are any."""
    attributes = (("user.note", b"kept"),) if attributes_are_kept(place) else ()
    return Case(seven_before(attributes), SEVEN, seven_after(attributes))


def state(root: str, case: Case) -> str:
    """'old', 'new', or what the files are instead; empty directories are asked for on their own."""
    now = {name: what for name, what in snapshot(root).items() if what != "directory"}
    if now == case.before:
        return "old"
    if now == case.after:
        return "new"
    words = []
    for name in sorted({*now, *case.before, *case.after}):
        here = [when for when, tree in (("old", case.before), ("new", case.after)) if tree.get(name) == now.get(name)]
        words.append(f"{name} {'/'.join(here) or 'neither'}")
    return ", ".join(words)


def empty_directories(root: str) -> list[str]:
    return sorted(name for name, what in snapshot(root).items() if what == "directory")


def state_after_the_next_run(root: str, case: Case) -> tuple[str, list[str]]:
    """The state once another patch was applied elsewhere in the tree, and the labels of what that run said."""
    there = os.path.exists(os.path.join(root, "elsewhere.txt"))
    done = patchkit.apply(NEXT if not there else envelope(delete("elsewhere.txt")), root)
    if not there:
        os.unlink(os.path.join(root, "elsewhere.txt"))
    return state(root, case), [label(note.code, note.facts) for note in done.notes]


def do(verb, root, *arguments):
    """What undo or redo answers about the runs of a tree."""
    with tracked_workspace(root) as files:
        return verb(files, *arguments)
