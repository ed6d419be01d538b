"""Give added lines the indentation of the place they land in.

Takes the hunk's lines and the file's lines they matched when leading blanks were ignored; gives the
hunk's lines with the added ones re-indented the way the matched ones show: a common margin lost or
gained, another width, tabs for spaces. Where the matched lines agree with the patch nothing moves.
"""

from __future__ import annotations


def margin_of(text: str) -> str:
    """The blanks a line begins with, hard spaces among them."""
    return text[: len(text) - len(text.lstrip())]


def follow(lines: list[str], matched: list[str]) -> list[str]:
    """Returns `lines` with added lines indented as `matched`, the file's lines for the old ones, shows."""
    pairs = []  # (line number in the hunk, margin in the patch, margin in the file)
    old = iter(matched)
    for number, line in enumerate(lines):
        if line[0] != "+":
            text = next(old)
            if line[1:].strip() and text.strip():
                pairs.append((number, margin_of(line[1:]), margin_of(text)))
    if all(mine == theirs for _, mine, theirs in pairs):
        return lines
    known = _agreed(pairs)
    out = []
    for number, line in enumerate(lines):
        if line[0] == "+" and line[1:].strip():
            mine = margin_of(line[1:])
            out.append("+" + _margin_for(mine, number, pairs, known) + line[1 + len(mine) :])
        else:
            out.append(line)
    return out


def ranks(lines: list[str], matched: list[str]) -> int:
    """How well the indentation of a place agrees: 0 the same, 1 one margin throughout, 2 one rule, 3 neither."""
    pairs = [
        (0, margin_of(line), margin_of(text)) for line, text in zip(lines, matched) if line.strip() and text.strip()
    ]
    if all(mine == theirs for _, mine, theirs in pairs):
        return 0
    if _shift(pairs) is not None:
        return 1
    return 2 if _agreed(pairs) is not None else 3


def _agreed(pairs: list[tuple[int, str, str]]) -> dict[str, str] | None:
    """What each margin of the patch is in the file, None when one margin became two."""
    known: dict[str, str] = {}
    for _, mine, theirs in pairs:
        if known.setdefault(mine, theirs) != theirs:
            return None
    return known


def _shift(pairs: list[tuple[int, str, str]]) -> tuple[str, str] | None:
    """(taken off, put on) when every margin changed by the same blanks at its left."""
    if not pairs:
        return None
    _, mine, theirs = pairs[0]
    common = 0
    while common < min(len(mine), len(theirs)) and mine[-1 - common] == theirs[-1 - common]:
        common += 1
    off, on = mine[: len(mine) - common], theirs[: len(theirs) - common]
    if all(m.startswith(off) and on + m[len(off) :] == t for _, m, t in pairs):
        return off, on
    return None


def _margin_for(mine: str, number: int, pairs: list[tuple[int, str, str]], known: dict[str, str] | None) -> str:
    """The file's margin for an added line of the patch with margin `mine`."""
    shift = _shift(pairs)
    if shift is not None and mine.startswith(shift[0]):
        return shift[1] + mine[len(shift[0]) :]
    if known is None:  # one margin became two: the line just above decides
        near = min(pairs, key=lambda pair: (abs(pair[0] - number), pair[0] > number))
        return near[2] if near[1] == mine else _stretched(mine, near[1], near[2], _units(pairs))
    if mine in known:
        return known[mine]
    base = max((m for m in known if mine.startswith(m)), key=len, default=None)
    if base is None:
        base = min(known, key=lambda m: abs(len(m) - len(mine)))
    return _stretched(mine, base, known[base], _units(pairs))


def _units(pairs: list[tuple[int, str, str]]) -> tuple[int, str]:
    """One level of indentation: its width in the patch, its blanks in the file."""
    mine = sorted({len(m.expandtabs(8)) for _, m, _ in pairs})
    theirs = sorted({t for _, _, t in pairs}, key=len)
    width = min((b - a for a, b in zip([0, *mine], mine) if b > a), default=4)
    steps = [b[len(a) :] for a, b in zip(["", *theirs], theirs) if len(b) > len(a) and b.startswith(a)]
    return width, min(steps, key=len, default=" " * width)


def _stretched(mine: str, base: str, there: str, units: tuple[int, str]) -> str:
    """`there`, the file's form of margin `base`, moved by as many levels as `mine` lies from `base`."""
    width, level = units
    levels = (len(mine.expandtabs(8)) - len(base.expandtabs(8))) / width
    if levels >= 0:
        whole = int(levels)
        rest = round((levels - whole) * width)
        return there + level * whole + " " * rest
    drop = round(-levels) * len(level)
    return there[: max(0, len(there) - drop)]
