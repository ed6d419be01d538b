"""Which of the files that ripgrep found count.

Takes a query, the directory searched and paths below it; says of each whether the query means it. ripgrep is asked
for no less than that, and what it cannot be asked is decided here: it knows no ignore files above the directory it
searches, a rule that keeps a name shows it hidden names, and its own patterns of files would bring back ignored ones.
"""

from __future__ import annotations

from patchkit.search.ignoring import Ignoring, rules_above
from patchkit.search.patterns import Level, level
from patchkit.search.query import Query
from patchkit.workspace.directories import Parts
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Glob:
    """A pattern of files as a filter: without a slash it means names at any depth, with `!` in front all others."""

    __slots__ = ("_level", "_others")

    def __init__(self, pattern: str) -> None:
        self._others = pattern.startswith("!")
        self._level = filter_level(pattern.removeprefix("!")) if pattern else None

    def admits(self, parts: Sequence[str]) -> bool:
        return self._level is None or self._level.fits_path(parts) != self._others


def filter_level(pattern: str, hidden: bool = True) -> Level:
    """The Level of a pattern that is a filter."""
    anywhere = "/" not in pattern.rstrip("/")
    return level(f"**/{pattern}" if anywhere else pattern.removeprefix("/"), hidden)


class Sieve:
    """Decides about paths below one directory; what it learns of the directories on the way it keeps."""

    def __init__(self, files: Workspace, start: Parts, query: Query) -> None:
        self._files = files
        self._start = start
        self._hidden = query.hidden
        self._glob = Glob(query.glob)
        self._above = None if query.ignored else rules_above(files, start)
        self._known: dict[Parts, Ignoring | None] = {}  # None: the directory is ignored itself

    def admits(self, path: str) -> bool:
        """Whether a file counts, given by its path below the directory."""
        parts = path.split("/")
        if not self._hidden and any(part.startswith(".") for part in parts):
            return False
        return self._glob.admits(parts) and not self._ignored(parts)

    def _ignored(self, parts: list[str]) -> bool:
        if self._above is None or not self._above.from_files:
            return False  # all rules there are stand below the start, where ripgrep has read them
        directory = (*self._start, *parts[:-1])
        try:
            rules = self._inside(directory)
        except OSError:
            return False  # gone since: whoever opens it will see
        return rules is None or rules.ignores(directory, parts[-1], False)

    def _inside(self, directory: Parts) -> Ignoring | None:
        """The rules that hold in a directory, None when it is ignored itself."""
        rules = self._above
        for depth in range(len(self._start), len(directory) + 1):
            here = directory[:depth]
            if here not in self._known:
                ignored = rules is None or (depth > len(self._start) and rules.ignores(here[:-1], here[-1], True))
                self._known[here] = None if ignored else rules.inside(self._files.directories.handle(here), depth)  # type: ignore[union-attr]
            rules = self._known[here]
        return rules
