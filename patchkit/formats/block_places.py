"""The lines of one file, indexed for blocks: where the lines of a block are, but for the whitespace around them.

Takes the content of a file; says how often lines are there, and gives a block the margin of its place. A file may get
thousands of blocks, so only a few questions read it as a whole; most files get a few that fit as they are, and need no
index.
"""

from __future__ import annotations

from patchkit.core.text import Document
from patchkit.formats.model import Block

_FEW = 32  # blocks that are looked for in the file as a whole
_MOST_PLACES = 1_000  # of one line that are looked at


class BlockPlaces:
    """The lines of a file, and at which of them each text is."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._asked = 0
        self._texts: list[str] = []
        self._bare: list[str] = []
        self._rows: dict[str, list[int]] = {}

    def _index(self) -> None:
        if not self._rows:
            self._texts = Document(self._data).texts
            self._bare = [text.strip() for text in self._texts]
            for row, text in enumerate(self._bare):
                self._rows.setdefault(text, []).append(row)

    def _has(self, lines: list[str]) -> bool:
        """Whether the file is known to have lines just as they are."""
        self._asked += 1
        if self._asked > _FEW:
            return False
        try:
            needle = "\n".join(["", *lines, ""]).encode("utf-8", "surrogateescape")
        except UnicodeError:
            return False
        return needle in self._data or self._data.startswith(needle[1:])

    def _places(self, lines: list[str]) -> list[int] | None:
        """Where lines are, but for the whitespace around them: by that of them which is there least.

        None where that one is too common for each of its places to be looked at.
        """
        self._index()
        bare = [line.strip() for line in lines]
        rows = [self._rows.get(text, []) for text in bare]
        index = min(range(len(bare)), key=lambda each: len(rows[each]))
        if len(rows[index]) > _MOST_PLACES:
            return None
        starts = (row - index for row in rows[index] if row >= index)
        return [at for at in starts if self._bare[at : at + len(bare)] == bare]

    def has_twice(self, lines: list[str]) -> bool:
        """Whether the lines are at more than one place, or may be."""
        places = self._places(lines)
        return places is None or len(places) > 1

    def with_margin(self, block: Block) -> Block | None:
        """The block with another margin on all of its lines, if that and only that lets it fit."""
        search = block.search
        if self._has(search):
            return None
        solid = next(row for row, line in enumerate(search) if line.strip())
        first = search[solid]
        margins: set[tuple[str, str]] = set()
        made: list[str] | None = None
        for at in self._places(search) or ():
            there = self._texts[at : at + len(search)]
            if there == search:
                return None
            margin = _margin_between(first, there[solid])
            if margin not in margins:
                made = _shifted(search, *margin)
            margins.add(margin)
            if (
                made is None
                or len(margins) > 1
                or [line.rstrip() for line in made] != [line.rstrip() for line in there]
            ):
                return None
        replace = _shifted(block.replace, *margins.pop()) if margins else None
        if made is None or replace is None:
            return None
        found = Block(block.path, made, replace, block.line)
        found.hint = block.hint
        return found


def _margin_between(mine: str, theirs: str) -> tuple[str, str]:
    """What to take off the margin of a line, and what to put there, so that it has another's."""
    old, new = (line[: len(line) - len(line.lstrip())] for line in (mine, theirs))
    return (old[: -len(new)] if new else old, "") if old.endswith(new) else ("", new[: len(new) - len(old)])


def _shifted(lines: list[str], off: str, on: str) -> list[str] | None:
    """The lines with another margin; blank lines stay. None where one does not have what is to be taken off."""
    if any(line.strip() and not line.startswith(off) for line in lines):
        return None
    return [on + line[len(off) :] if line.strip() else line for line in lines]
