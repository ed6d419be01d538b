"""Lines as they are shown: readable text, and of a long line what stands around the match."""

from __future__ import annotations

LONGEST = 500  # characters of a line
_BEFORE = 100  # of them in front of the match


def shown(line: bytes, at: int) -> tuple[str, bool]:
    """The text of a line without its end, and whether it was clipped; the match begins at the byte `at`."""
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    if len(line) <= LONGEST:
        return line.decode("utf-8", "replace"), False
    # Of a line of a gigabyte only the surroundings are decoded: four bytes are the most a character takes.
    first = max(at - 4 * LONGEST, 0)
    before = line[first:at].decode("utf-8", "replace")
    after = line[at : at + 4 * LONGEST].decode("utf-8", "replace")
    start = max(len(before) - _BEFORE, 0) if len(before) + len(after) > LONGEST else 0
    text = (before + after)[start : start + LONGEST]
    cut_before = start > 0 or first > 0
    cut_after = len(before) + len(after) - start > LONGEST or at + 4 * LONGEST < len(line)
    if not (cut_before or cut_after):
        return text, False
    return ("…" if cut_before else "") + text + ("…" if cut_after else ""), True
