"""Which files a path without one may mean: it is spelled otherwise, misspelt, or of another directory.

Takes a path as it was sent, and the names that there are; gives those that come near.
"""

from __future__ import annotations

from posixpath import commonprefix, join, normpath, relpath

from patchkit.core.changes import Files, ancestors
from patchkit.core.matching import MOST_EXPLAINED, SEVERAL
from patchkit.errors import PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from patchkit.core.workspace.root import Workspace
    from patchkit.sources import Overlay

MOST_NAMES = 20_000  # that are read
_LEFT_OUT = ("node_modules", "__pycache__")  # besides hidden directories: they hold thousands of names
# Keystrokes. With 1, 2 and 3 of them 209, 358 and 360 of 385 names of this project's files are found by a name with a
# slip or two, and 0, 0 and 10 of them would be taken for another if they were not there.
_NEAR = 2


def nearest_names(files: Workspace, path: str) -> list[str]:
    """The files and directories that a path may mean, spelled as it is: absolute, or from where relative paths start.

    A person or a model chooses among them, so names that are only a little alike are better than none.
    """
    start = "/" + "/".join(files.start)
    try:
        below = "/" + "/".join(files.parts(path.strip(" \t")))
    except PatchkitError:
        below = ""
    wanted = relpath(below, start) if path.startswith("/") and below else path
    names = known_names(files)
    known = [*names, *dict.fromkeys([parent for name in names for parent in ancestors(name)])]
    near = spelled_otherwise(wanted, names, files) or names_like(wanted, known) or _alike(wanted, known)
    if wanted == path:
        return near
    return [files.root.rstrip("/") + normpath(join(start, name)) for name in near]


def known_names(files: Files, most: int = MOST_NAMES) -> list[str]:
    """Paths of files as a patch may spell them, those in the nearest directories first.

    The search of a workspace is bounded: `most` names are read, no link is followed, and what cannot be listed is
    passed over, as what may not be read is.
    """
    below = getattr(files, "files", None)
    if below is not None:  # of an overlay
        overlay: Overlay = files  # type: ignore[assignment]  # whose class few refusals need
        return overlay.now(known_names(below, most))
    if not hasattr(files, "directories"):
        return files.names(most)
    tree: Workspace = files  # type: ignore[assignment]  # which alone has them
    found: list[str] = []
    waiting: list[tuple[str, ...]] = [tuple(tree.start), ()]
    seen: set[tuple[str, ...]] = set()
    for directory in waiting:  # which grows meanwhile
        if directory in seen:
            continue
        if most <= 0:
            break
        seen.add(directory)
        home = relpath("/" + "/".join(directory), "/" + "/".join(tree.start)) + "/"
        home = "" if home == "./" else home
        try:
            listed = tree.directories.listed(directory, most)
        except OSError:
            continue  # a guess at what was meant is not worth a failure
        most -= len(listed)
        for name, is_directory in listed:
            if is_directory:
                if not name.startswith(".") and name not in _LEFT_OUT:
                    waiting.append((*directory, name))
            elif tree.may_read is None or tree.may_read("/".join((*directory, name))):
                found.append(home + name)
    return found


def names_like(path: str, names: list[str]) -> list[str]:
    """Returns up to three of the names, of the first kind of nearness that any of them has."""
    wanted = "/".join(part for part in path.strip(" \t").split("/") if part not in ("", "."))
    for near in (_but_for_case, _in_another_directory, _mistyped):
        found = near(wanted, names)
        if found:
            return found[:SEVERAL]
    return []


def spelled_otherwise(path: str, names: list[str], files: Files) -> list[str]:
    """The file that a path means without quotes around it, with slashes, and without a drive or the parts in front.

    An absolute path is of another checkout: all parts may be missing but the last two, as `/testbed/src/a.py` is
    `src/a.py`. Another path may begin with `a/` or `b/`, or with the name of the workspace; a directory that is
    nowhere may be that of another file. Where no file has such a name, the only one that has it in other case is meant.
    """
    own = str(getattr(files, "real", "")).rpartition("/")[2]
    bare = bare_path(path)
    has_drive = bare[1:2] == ":"
    parts = [part for part in (bare[2:] if has_drive else bare).split("/") if part not in ("", ".")]
    if ".." in parts or not parts:
        return []
    firsts: Sequence[int] = range(max(1, len(parts) - 1)) if has_drive or bare.startswith("/") else (0,)
    if len(parts) > 1 and parts[0] in ("a", "b", own):
        firsts = (0, 1)
    spelled = ["/".join(parts[first:]) for first in firsts]
    known = set(names)
    found = [each for each in spelled if each in known][:1]
    for each in () if found else spelled:
        found = found or _but_for_case(each, names)
    return found if len(found) == 1 and path not in found else []


def bare_path(path: str) -> str:
    """A path without quotes around it, with slashes."""
    bare = path.strip(" \t")
    if len(bare) > 2 and bare[0] == bare[-1] and bare[0] in "`'\"":
        bare = bare[1:-1]
    return bare.replace("\\", "/")


def _but_for_case(wanted: str, names: list[str]) -> list[str]:
    folded = wanted.casefold()
    return [name for name in names if name.casefold() == folded]


def _in_another_directory(wanted: str, names: list[str]) -> list[str]:
    """Files of the same name; where there are several, those that share most of the directories above it."""
    parts = wanted.split("/")[::-1]
    shared: dict[int, list[str]] = {}
    for name in names:
        common = len(commonprefix([parts, name.split("/")[::-1]]))
        if common:
            shared.setdefault(common, []).append(name)
    return shared[max(shared)] if shared else []


def _mistyped(wanted: str, names: list[str]) -> list[str]:
    """Files in the same directory whose names are a keystroke or two away, the nearest only.

    In a short name one is the limit, and other digits are another number, not a slip.
    """
    directory, _, mine = wanted.rpartition("/")
    directory = directory.casefold()
    most = min(_NEAR, len(mine.partition(".")[0]) // 3)
    letters = set(mine)
    near: dict[int, list[str]] = {}
    compared = 0
    for name in names:
        home, _, theirs = name.rpartition("/")
        if home.casefold() != directory or abs(len(theirs) - len(mine)) > most or len(letters ^ set(theirs)) > 2 * most:
            continue
        compared += 1
        if compared > MOST_EXPLAINED:
            break
        distance = keystrokes(mine, theirs)
        if distance <= most and _digits(theirs) == _digits(mine):
            near.setdefault(distance, []).append(name)
    return near[min(near)] if near else []


def _alike(wanted: str, names: list[str]) -> list[str]:
    """Names of the same directory that have most of their letters in common with the wanted one."""
    from difflib import get_close_matches  # it loads `re`, and most names are right

    directory, slash, mine = wanted.rpartition("/")
    home = [each for each in names if each.startswith(directory + slash) and "/" not in each[len(directory + slash) :]]
    leaves = {each.rpartition("/")[2].casefold(): each for each in home[:MOST_EXPLAINED]}
    return [leaves[each] for each in get_close_matches(mine.casefold(), leaves, n=SEVERAL)]


def _digits(name: str) -> str:
    return "".join(char for char in name if char.isdigit())


def keystrokes(one: str, other: str) -> int:
    """How many characters have to be put in, left out, changed, or swapped with the next."""
    above: list[int] = []
    row = list(range(len(other) + 1))
    for at, char in enumerate(one):
        below = [at + 1]
        for now, theirs in enumerate(other):
            cost = min(row[now] + (char != theirs), row[now + 1] + 1, below[now] + 1)
            if at and now and char == other[now - 1] and one[at - 1] == theirs:
                cost = min(cost, above[now - 1] + 1)
            below.append(cost)
        above, row = row, below
    return row[-1]
