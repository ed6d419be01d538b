"""Where definitions end, for tests of scopes."""

from __future__ import annotations

from patchkit.core.matching.scopes.anchors import Anchors


def ends(texts: list[str]) -> dict[int, int]:
    """The lines of the definitions of some lines, and where their scopes end; found one by one and all together."""
    anchors = Anchors(texts)
    list(anchors.around(0))
    known = {line: each.end for line in range(len(texts)) if (each := anchors.definition_at(line)) is not None}
    alone = {line: each.end for line in range(len(texts)) if (each := Anchors(texts).definition_at(line)) is not None}
    assert alone == known
    return known
