"""Bounds on sections that change the same files again and again.

Takes each section whose file a later one changes as well; forgets its text once such texts are too much to keep, and
knows when looking for hunks in them has become too much work.
"""

from __future__ import annotations

from patchkit.changes.model import Section
from patchkit.matching.model import Match

_MOST_HELD = 256 << 20  # bytes of texts that sections of the same files keep
_MOST_SEARCHED = 10 << 30  # bytes of files in which sections are looked for that are not their first
_TOLERANT = 40  # times as much work for a section that needs more than an exact search


class RepeatedSections:
    """What such sections of a plan hold and cost so far."""

    __slots__ = ("_held", "_searched")

    def __init__(self) -> None:
        self._held = self._searched = 0

    @property
    def are_too_many(self) -> bool:
        return self._searched > _MOST_SEARCHED

    def let_go(self, section: Section) -> None:
        """Forgets the text of a section, once such texts are too much to keep."""
        document = section.document
        if document is None:
            return
        if document.known is None:
            document.forget_lines()  # several times as large as the text, and made again if they are asked for
        exact = all(type(result) is not Match or result.pass_name == "exact" for result in section.results)
        self._searched += len(document.data) * (1 if exact else _TOLERANT)
        self._held += len(document.data)
        if self._held > _MOST_HELD:
            for result in section.results:
                if isinstance(result, Match):
                    result.forget_document()
                else:
                    result.sought = None
            section.document = None
