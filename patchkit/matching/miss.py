"""What locating gives where a hunk has no place, or more than one. Loaded when there is such a hunk."""

from __future__ import annotations

from patchkit.values import Value


class Miss(Value):
    """Why a hunk has no place: the code, the facts, and the places that were in question.

    `chooser`, a choices.Chooser where there is one, knows what would choose each of them.
    """

    __slots__ = ("code", "facts", "candidates", "chooser")
    _place = ("chooser",)
    code: str
    facts: dict[str, object]
    candidates: list[int]
    chooser: object

    def __init__(self, code: str, candidates: list[int] | None = None, **facts: object) -> None:
        self.code = code
        self.facts = facts
        self.candidates = candidates if candidates is not None else []
        self.chooser = None


def listed(lines: list[int], count: int | None = None) -> dict[str, object]:
    """Line numbers as facts of a Miss: how many there are in all, the first, and the first twenty in words."""
    count = len(lines) if count is None else count
    shown = ", ".join(str(line) for line in lines[:20])
    more = f" and {count - 20:,} more" if count > 20 else ""
    return {"count": count, "places": f"{'line' if count == 1 else 'lines'} {shown}{more}", "line": lines[0]}
