"""What an `.editorconfig` file says about line endings.

Takes the content of one file; gives the `end_of_line` of a name in its directory or below. What a pattern means is
decided in `globs`, which files count, and in what order, in `endings`. docs/decisions.md says why no library is used.
"""

from __future__ import annotations

from patchkit.globs.patterns import DEEP, EDITORCONFIG, MOST_WORK, matcher_of, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.globs.patterns import Test

_MOST_BYTES = 1 << 20
_LONGEST = 1024  # characters of a section's pattern: what the format promises to take


class EditorConfig:
    """One file: whether it is the last to be asked (`root`), and its sections that set line endings."""

    __slots__ = ("root", "_sections", "_tests")

    def __init__(self, data: bytes) -> None:
        self.root = False
        self._sections: list[tuple[str, str]] = []
        self._tests: dict[str, Test] = {}  # of the sections that a path was compared with
        section: str | None = None
        text = data[:_MOST_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
        for line in text.split("\n"):
            line = line.strip()
            if line[:1] in ("", "#", ";"):
                continue
            if line.startswith("[") and "]" in line:
                section = line[1 : line.rindex("]")]
                continue
            name, value = _setting(line)
            if name == "root" and section is None:
                self.root = value == "true"
            elif name == "end_of_line" and section is not None and 0 < len(section) <= _LONGEST:
                self._sections.append((section, value))

    def end_of_line(self, path: str) -> str | None:
        """The setting for a path from the file's directory: that of the last section that matches; None for none."""
        work = 0
        for section, value in reversed(self._sections):
            work += len(section) * len(path)
            if work > MOST_WORK:
                return None
            if section not in self._tests:
                self._tests[section] = _test(section)
            if self._tests[section](f"/{path}"):
                return value
        return None


def _setting(line: str) -> tuple[str, str]:
    """The name and the value of a line, both in lower case."""
    places = [place for place in (line.find("="), line.find(":")) if place >= 0]
    if not places:
        return "", ""
    name, value = line[: min(places)], line[min(places) + 1 :]
    for mark in (" #", " ;"):  # a comment behind the value
        value = value.partition(mark)[0]
    return name.strip().lower(), value.strip().lower()


def _test(section: str) -> Test:
    """A section's test of paths that begin with a slash: a pattern without any slash is for every directory."""
    if "/" not in section:
        return matcher_of([DEEP, "/", *tokens(section, EDITORCONFIG)])
    return matcher_of(tokens("/" + section.removeprefix("/"), EDITORCONFIG))
