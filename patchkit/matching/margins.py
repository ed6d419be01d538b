"""Margins of tabs beside margins of spaces.

Takes a file's lines; gives them with margins that can be compared: where some lines begin with tabs and others with
spaces, tabs become spaces. How wide a tab is, is read from the lines below those that open a block.
"""

from __future__ import annotations

_WIDTHS = (4, 8, 2, 3)  # of a tab, the likely ones first
_WRONG = 100  # columns: what is in a block is not deeper than its head


def evened(texts: list[str]) -> list[str]:
    """The lines with spaces for tabs in their margins; the lines themselves where not both are used."""
    whole = "\n".join(texts)
    if "\n\t" not in whole or "\n  " not in whole:
        return texts
    width = _width_of_tabs(texts)
    return [_margin(text).expandtabs(width) + text.lstrip() if "\t" in _margin(text) else text for text in texts]


def _width_of_tabs(texts: list[str]) -> int:
    """The width by which blocks are deeper than their heads, and by little; else one step of those with spaces."""
    off = dict.fromkeys(_WIDTHS, 0)
    step = 0
    above, opens = "", False
    for text in texts:
        bare = text.strip()
        if not bare:
            continue
        margin = _margin(text)
        if opens and ("\t" in margin) != ("\t" in above) and margin and above:
            for width in _WIDTHS:
                deeper = len(margin.expandtabs(width)) - len(above.expandtabs(width))
                off[width] += deeper if deeper > 0 else _WRONG
        if opens and "\t" not in margin + above and len(margin) > len(above) + 1:
            step = min(step or len(margin), len(margin) - len(above))
        above, opens = margin, bare[-1] in "{:"
    best = min(off.values())
    return min(_WIDTHS, key=off.__getitem__) if best < max(off.values()) else step or _WIDTHS[0]


def _margin(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]
