"""Which line ending new files have, as the `.editorconfig` and `.gitattributes` files on the way to them say.

Takes a function that reads a file by its name from the root (None for no file); gives an ending for a name. Every plain
run that adds a file asks, so this looks first whether any of these files names an ending other than a line feed; only
then are they read, by `editorconfig` and `gitattributes`.
"""

from __future__ import annotations

from patchkit.text.document import ENDINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.text.editorconfig import EditorConfig
    from patchkit.text.gitattributes import GitAttributes

EDITOR, GIT = ".editorconfig", ".gitattributes"

SettingsFile = tuple[str, str, bytes]  # the directory of a file, which of the two it is, and its content


class Conventions:
    """The line endings of new files under one root; every directory is looked at once."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._on_the_way: dict[str, list[SettingsFile]] = {}  # by directory; the nearest file comes first
        self._editor_configs: dict[SettingsFile, EditorConfig] = {}
        self._git_attributes: dict[SettingsFile, GitAttributes] = {}

    def ending(self, name: str) -> bytes:
        """The ending of the lines of a new file of this name."""
        found = self._found(name.rpartition("/")[0])
        if not any(b"cr" in data.lower() for _, _, data in found):  # neither 'crlf' nor 'cr'
            return b"\n"
        said = self._editor_says(name, found) or self._git_says(name, found)
        return ENDINGS.get(said, b"\n")

    def _found(self, directory: str) -> list[SettingsFile]:
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

    def _in(self, directory: str) -> list[SettingsFile]:
        above = f"{directory}/" if directory else ""
        read = [(directory, which, self._read(above + which)) for which in (EDITOR, GIT)]
        return [(directory, which, data) for directory, which, data in read if data is not None]

    def _editor_says(self, name: str, found: list[SettingsFile]) -> str:
        for each in found:
            directory, which, data = each
            if which == EDITOR:
                if each not in self._editor_configs:
                    from patchkit.text.editorconfig import EditorConfig  # most trees have no such file

                    self._editor_configs[each] = EditorConfig(data)
                config = self._editor_configs[each]
                said = config.end_of_line(_from(directory, name))
                if said is not None or config.root:
                    return said if said in ENDINGS else ""
        return ""

    def _git_says(self, name: str, found: list[SettingsFile]) -> str:
        files = []
        for each in found:
            directory, which, data = each
            if which == GIT:
                if each not in self._git_attributes:
                    from patchkit.text.gitattributes import GitAttributes  # nor such a one

                    self._git_attributes[each] = GitAttributes(data, top=not directory)
                files.append((_from(directory, name), self._git_attributes[each]))
        if not files:
            return ""
        from patchkit.text.gitattributes import end_of_line

        return end_of_line(files)


def _from(directory: str, name: str) -> str:
    """A name as it is written from a directory above it."""
    return name[len(directory) + 1 :] if directory else name
