"""What the edits of one text may cost, so that a small text does not keep a machine busy or fill its memory.

Takes the sizes of what is searched, placed or made, counted in characters and not in time, so that the answer never
varies; raises P117 with the way that does not cost as much. An edit sees what those before it left: each is looked for
in the whole file again.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError

MOST_SEARCHED = 5_000_000_000  # characters that edits are looked for in, some seconds
MOST_PLACED = 600_000  # lines of files in which edits are placed by their lines
REFUSED = 4  # times as much for a file in which one was refused: every place is looked at
MOST_COPIED = 256 << 20  # characters that copies of files may add
MOST_MADE = 64 << 20  # and edits of every place, each of which may make places for the next


class EditLimits:
    """Work that is left for the edits of one text. `exceeded` is set once there is not enough."""

    __slots__ = ("exceeded", "_searched", "_placed", "_copied", "_made")

    def __init__(self) -> None:
        self.exceeded = False
        self._searched = self._placed = self._copied = self._made = 0

    def search(self, path: str, size: int) -> None:
        """Counts a search of a text of this size."""
        self._searched += size
        if self._searched > MOST_SEARCHED:
            self._exceed(
                path, f"there are too many edits for the size of '{path}'", "send blocks or a diff, or fewer edits"
            )

    def place(self, path: str, lines: int) -> None:
        """Counts an edit that is not in the file letter by letter, and is placed by its lines."""
        self._placed += lines
        if self._placed > MOST_PLACED:
            reason = f"too many edits have another text than '{path}'"
            self._exceed(path, reason, "copy the old texts from the file, or send blocks or a diff")

    def copy(self, path: str, size: int) -> None:
        """Counts a file that is copied."""
        self._copied += size
        if self._copied > MOST_COPIED:
            self._exceed(path, f"it copies more than {MOST_COPIED >> 20} MB, up to '{path}'", "send it in parts")

    def make(self, path: str, size: int) -> None:
        """Counts what an edit of every place adds."""
        self._made += max(size, 0)
        if self._made > MOST_MADE:
            self._exceed(path, f"it adds more than {MOST_MADE >> 20} MB, up to '{path}'", "send it in parts")

    def _exceed(self, path: str, reason: str, instead: str) -> None:
        self.exceeded = True
        raise PatchkitError("P117", file=path, reason=reason, instead=instead)
