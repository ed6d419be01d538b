"""Where two lists of lines differ."""

from __future__ import annotations

Span = tuple[int, int, int, int]  # old lines from, to; new lines from, to


def compared(old: list[bytes], new: list[bytes]) -> list[Span]:
    """The differing spans of two lists of lines. Common ends are taken off first: most edits are local."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    return [(a + head, b + head, c + head, d + head) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
