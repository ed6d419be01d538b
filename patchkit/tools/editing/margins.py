"""The indentation of new lines, by what the lines that were found show.

Takes the margins of an old text and those of the file's lines it matched; returns the rule that turns the first into
the second, for every line of the new text. A shift that all lines have in common holds for all new lines, deeper ones
too. Another width of a level needs two margins to prove it. Where the lines show different things there is no rule.
"""

from __future__ import annotations

from math import gcd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    MarginRule = Callable[[str], str | None]  # the file's margin for one of the text; None where it is not known
    MarginPairs = list[tuple[str, str]]  # margins in the text and in the file


def margin_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def margin_pairs(lines: list[str], found: list[str]) -> MarginPairs:
    """The margins of lines and of the file's lines for them, each pair once; blank lines have none."""
    both = [
        (margin_of(mine), margin_of(theirs)) for mine, theirs in zip(lines, found) if mine.strip() and theirs.strip()
    ]
    return list(dict.fromkeys(both))


def margin_rule(pairs: MarginPairs, margins: list[str]) -> MarginRule | None:
    """The rule that explains all pairs; `margins` are all that the two texts have. None where there is none."""
    if all(mine == theirs for mine, theirs in pairs):
        return lambda margin: margin
    return _shift(pairs) or _other_kind(pairs, margins) or _other_width(pairs) or _known_only(pairs)


def _shift(pairs: MarginPairs) -> MarginRule | None:
    """The same whitespace in front of every margin, or gone from it."""
    mine, theirs = pairs[0]
    if theirs.endswith(mine):
        more = theirs[: len(theirs) - len(mine)]
        return (lambda margin: more + margin) if all(b == more + a for a, b in pairs) else None
    if mine.endswith(theirs):
        less = mine[: len(mine) - len(theirs)]
        if all(a == less + b for a, b in pairs):
            return lambda margin: margin[len(less) :] if margin.startswith(less) else None
    return None


def _other_kind(pairs: MarginPairs, margins: list[str]) -> MarginRule | None:
    """Tabs for spaces or spaces for tabs: so many spaces are one tab, wherever a line is indented."""
    indented = [pair for pair in pairs if pair != ("", "")]
    for tabs_at in (0, 1):
        tabs = [pair[tabs_at] for pair in indented]
        spaces = [pair[1 - tabs_at] for pair in indented]
        if "".join(tabs).strip("\t") or "".join(spaces).strip(" ") or not all(tabs) or not all(spaces):
            continue
        widths = {len(space) / len(tab) for tab, space in zip(tabs, spaces)}
        width = len(spaces[0]) // len(tabs[0])
        if len(widths) > 1 or width not in widths:
            continue
        if len(indented) == 1 and not _is_a_level(tabs[0], spaces[0], margins):
            continue
        return _to_spaces(width) if tabs_at == 0 else _to_tabs(width)
    return None


def _is_a_level(tabs: str, spaces: str, margins: list[str]) -> bool:
    """Whether one margin shows how wide a level is: it is one tab, and the spaces are one step of the text."""
    return len(tabs) == 1 and (not any(" " in margin for margin in margins) or gcd(*map(len, margins)) == len(spaces))


def _to_spaces(width: int) -> MarginRule:
    return lambda margin: " " * (width * len(margin)) if not margin.strip("\t") else None


def _to_tabs(width: int) -> MarginRule:
    return lambda margin: "\t" * (len(margin) // width) if not margin.strip(" ") and not len(margin) % width else None


def _other_width(pairs: MarginPairs) -> MarginRule | None:
    """Levels of another width, proved by two margins: spaces on both sides, in the same ratio."""
    if len(pairs) < 2 or "".join(mine + theirs for mine, theirs in pairs).strip(" "):
        return None
    mine, theirs = max((len(mine), len(theirs)) for mine, theirs in pairs)
    if not mine or any(len(a) * theirs != len(b) * mine for a, b in pairs):
        return None

    def scaled(margin: str) -> str | None:
        size, rest = divmod(len(margin) * theirs, mine)
        return None if rest or margin.strip(" ") else " " * size

    return scaled


def _known_only(pairs: MarginPairs) -> MarginRule | None:
    """Margins that the matched lines have, and no others; None where one depth would become two or two one."""
    known = dict(pairs)
    if len(known) < len(pairs) or len(set(known.values())) < len(pairs):
        return None
    return known.get
