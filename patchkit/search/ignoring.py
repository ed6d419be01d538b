"""What a search leaves out: names in ignore files, and directories that tools make.

Takes directory handles of a walk; says of every name in a directory whether it is ignored there. The files and their
order are ripgrep's: `.rgignore`, `.ignore`, `.gitignore`, `.git/info/exclude`, then the user's own (git's
`core.excludesFile`); of one kind, the file nearest to the name decides. A `.gitignore` counts whether there is a
repository or not, and ends where another repository begins. Nothing above the root of the workspace is read. What a
line of an ignore file means is decided in `globs.git`.
"""

from __future__ import annotations

import os

from patchkit.globs.git import IgnoreRules, ignore_rules
from patchkit.workspace.directories import READING, Parts, close
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

# Directories of tools and of what tools made: left out unless ignored names are asked for.
USUAL = frozenset("node_modules dist target build venv .venv __pycache__ .git .hg .svn .idea .vscode".split())
OURS = ".patchkit"  # where patchkit keeps its state if no other place is writable: never searched
_KINDS = (".rgignore", ".ignore", ".gitignore")
_GIT, _EXCLUDE = 2, 3
_MOST_BYTES = 128 << 10  # of an ignore file: thousands of rules, which are read in a moment
_DIRECTORY = READING | os.O_DIRECTORY

_Placed = tuple[IgnoreRules, int]  # the rules of a file, and how many components lead to its directory


class Ignoring:
    """The ignore rules of a directory. Directories without ignore files share those of the one above."""

    __slots__ = ("_by_kind", "_user", "_ordered")

    def __init__(self, by_kind: tuple[tuple[_Placed, ...], ...], user: IgnoreRules | None) -> None:
        self._by_kind = by_kind
        self._user = user
        self._ordered = [placed for kind in by_kind for placed in kind]
        if user:
            self._ordered.append((user, 0))

    def __bool__(self) -> bool:
        return bool(self._ordered)

    @property
    def from_files(self) -> bool:
        """Whether any of the rules are in files of the workspace, and not only in the user's own file."""
        return any(self._by_kind)

    def ignores(self, directory: Parts, name: str, is_directory: bool) -> bool:
        """Whether a name in the directory with these components is ignored."""
        for rules, depth in self._ordered:
            verdict = rules.verdict(directory[depth:], name, is_directory)
            if verdict is not None:
                return verdict
        return False

    def inside(self, handle: int, depth: int, names: Container[str] | None = None) -> Ignoring:
        """The rules of a directory below; `names` are those it has, None where they are not known."""
        kinds = [_read(handle, name) if names is None or name in names else None for name in _KINDS]
        repository = (names is None or ".git" in names) and _exists(handle, ".git")
        if not repository and not any(kinds):
            return self
        kinds.append(_excluded(handle) if repository else None)
        above = list(self._by_kind)
        if repository:
            above[_GIT] = above[_EXCLUDE] = ()
        own = [((rules, depth),) if rules else () for rules in kinds]
        return Ignoring(tuple(new + old for new, old in zip(own, above)), self._user)


def rules_above(files: Workspace, directory: Parts) -> Ignoring:
    """The rules for a directory from the root on: the user's own, and those of all directories above it."""
    rules = Ignoring(((), (), (), ()), _user_rules())
    try:
        for depth in range(len(directory)):
            rules = rules.inside(files.directories.handle(directory[:depth]), depth)
    except OSError:
        pass  # a directory is gone, and so is what the rules were for
    return rules


def rules_in(files: Workspace, directory: Parts) -> Ignoring:
    """The rules for the names in a directory."""
    above = rules_above(files, directory)
    try:
        return above.inside(files.directories.handle(directory), len(directory))
    except OSError:
        return above


def _read(handle: int, name: str) -> IgnoreRules | None:
    """The rules of an ignore file in a directory; None when no such file can be read."""
    try:
        opened = os.open(name, READING, dir_fd=handle)
    except OSError:
        return None
    try:
        return ignore_rules(_beginning(opened))
    except OSError:  # a directory of that name
        return None
    finally:
        close(opened)


def _beginning(opened: int) -> str:
    """The lines of an ignore file, up to the size of any that was written by hand."""
    data = os.read(opened, _MOST_BYTES)
    if len(data) == _MOST_BYTES:
        data = data[: data.rfind(b"\n") + 1]
    return data.decode("utf-8", "surrogateescape")


def _exists(handle: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=handle, follow_symlinks=False)
    except OSError:
        return False
    return True


def _excluded(handle: int) -> IgnoreRules | None:
    """The rules of a repository's own `info/exclude`."""
    opened: list[int] = []
    try:
        for part in (".git", "info"):
            opened.append(os.open(part, _DIRECTORY, dir_fd=opened[-1] if opened else handle))
        return _read(opened[-1], "exclude")
    except OSError:
        return None
    finally:
        for each in opened:
            close(each)


# -- the user's own file -------------------------------------------------------------------------


def _user_rules() -> IgnoreRules | None:
    """The rules of `core.excludesFile`, or of `git/ignore` in the user's configuration; None where it has none."""
    home = os.environ.get("HOME", "")
    settings = os.environ.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
    files = [f"{home}/.gitconfig"] if home else []
    files += [f"{settings}/git/config"] if settings else []
    named = next((path for path in map(_excludes_file, files) if path), None)
    if named is not None:
        path = home + named[1:] if named.startswith("~/") else named
    elif settings:
        path = f"{settings}/git/ignore"
    else:
        return None
    text = _text(path)
    return ignore_rules(text) if text else None


def _excludes_file(config: str) -> str | None:
    """What a configuration of git says about `excludesFile`."""
    for line in _text(config).split("\n"):
        name, equals, value = line.partition("=")
        if equals and name.strip().lower() == "excludesfile":
            return value.strip().strip('"').strip() or None
    return None


def _text(path: str) -> str:
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return _beginning(opened)
    except OSError:
        return ""
    finally:
        close(opened)
