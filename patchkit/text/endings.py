"""Which line ending new files have at a place, as `.editorconfig` and `.gitattributes` files on the way to it say.

Takes a function that reads a file by its name from the root (None for no file); gives an ending for a name. Part of
adding a file, so this is only the look: what the files say is worked out, by other modules, where one of them speaks of
an ending other than a line feed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

EDITOR, GIT = ".editorconfig", ".gitattributes"
_ENDINGS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}

Found = tuple[str, str, bytes]  # the directory a file stands in, which of the two it is, and its content


class Conventions:
    """The conventions under one root; every directory is looked at once."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._on_the_way: dict[str, list[Found]] = {}  # by directory; what stands nearest comes first
        self._known: dict[Found, object] = {}  # files that were understood already

    def ending(self, name: str) -> bytes:
        """The ending of the lines of a new file of this name."""
        found = self._found(name.rpartition("/")[0])
        if not any(b"cr" in data.lower() for _, _, data in found):  # neither 'crlf' nor 'cr'
            return b"\n"
        said = self._editor_says(name, found) or self._git_says(name, found)
        return _ENDINGS.get(said, b"\n")

    def _found(self, directory: str) -> list[Found]:
        """The files in a directory and in those above it."""
        below = []
        while directory not in self._on_the_way:
            below.append(directory)
            if not directory:
                self._on_the_way[""] = self._in("")
                break
            directory = directory.rpartition("/")[0]
        for each in reversed(below):
            if each:
                self._on_the_way[each] = self._in(each) + self._on_the_way[each.rpartition("/")[0]]
        return self._on_the_way[below[0] if below else directory]

    def _in(self, directory: str) -> list[Found]:
        above = f"{directory}/" if directory else ""
        read = [(directory, which, self._read(above + which)) for which in (EDITOR, GIT)]
        return [(directory, which, data) for directory, which, data in read if data is not None]

    def _editor_says(self, name: str, found: list[Found]) -> str:
        from patchkit.text.editorconfig import EditorConfig

        for each in found:
            directory, which, data = each
            if which == EDITOR:
                if each not in self._known:
                    self._known[each] = EditorConfig(data)
                config: EditorConfig = self._known[each]  # type: ignore[assignment]
                said = config.end_of_line(_from(directory, name))
                if said is not None or config.root:
                    return said if said in _ENDINGS else ""
        return ""

    def _git_says(self, name: str, found: list[Found]) -> str:
        from patchkit.text.gitattributes import GitAttributes, end_of_line

        files = []
        for each in found:
            directory, which, data = each
            if which == GIT:
                if each not in self._known:
                    self._known[each] = GitAttributes(data, top=not directory)
                files.append((_from(directory, name), self._known[each]))
        return end_of_line(files)  # type: ignore[arg-type]


def _from(directory: str, name: str) -> str:
    """A name as it reads from a directory above it."""
    return name[len(directory) + 1 :] if directory else name
