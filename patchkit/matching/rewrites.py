"""Hunks that were changed on their way here, and how to undo it.

A rewrite turns all lines of a hunk back, added ones included, and is tried only when the hunk as written fits
nowhere; afterwards every line has to match as usual, so the file itself proves it right.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.language.model import Hunk

_ENTITIES = (
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", '"'),
    ("&apos;", "'"),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&nbsp;", " "),
    ("&amp;", "&"),  # last: what it uncovers is text, not another entity
)
_MARKS = "→|:\t"


def entities(lines: list[str]) -> list[str]:
    """`&lt;` and the like back to the characters they encode."""
    out = []
    for line in lines:
        for entity, char in _ENTITIES:
            line = line.replace(entity, char)
        out.append(line)
    return out


def escapes(lines: list[str]) -> list[str]:
    """Literal `\\t` at the start of lines back to tabs, literal `\\n` back to line ends."""
    out: list[str] = []
    for line in lines:
        sign, text = line[0], line[1:]
        for part in text.split("\\n"):
            margin = 0
            while part.startswith("\\t", margin):
                margin += 2
            out.append(sign + "\t" * (margin // 2) + part[margin:])
    return out


def quotes(lines: list[str]) -> list[str]:
    """A backslash and a quote back to the quote, where no line has one that would be read otherwise."""
    if any("\\\\" in line for line in lines):
        return lines
    return [line.replace('\\"', '"').replace("\\'", "'") for line in lines]


def line_numbers(lines: list[str]) -> list[str]:
    """`   12→text`, as a numbered listing shows it, back to `text`; only when every old line has its number."""
    return _listed(lines, lambda text: text)


def spaced_line_numbers(lines: list[str]) -> list[str]:
    """The same for `12: text`, where a blank parts all numbers from their texts."""
    texts = [_unnumbered(line[1:]) for line in lines]
    if not all(text[0] == " " for text in texts if text):
        return lines
    return _listed(lines, lambda text: text[1:])


def _listed(lines: list[str], part: Callable[[str], str]) -> list[str]:
    out = []
    for line in lines:
        text = _unnumbered(line[1:])
        if text is None and line[0] != "+":
            return lines
        out.append(line if text is None else line[0] + part(text))
    return out


def lost_pluses(lines: list[str]) -> list[str]:
    """Blank lines between added ones back to added ones."""
    out = list(lines)
    for at in range(1, len(lines)):
        if lines[at][0] == "+" and not lines[at - 1].strip():
            first = at - 1
            while first and not lines[first - 1].strip():
                first -= 1
            if first and lines[first - 1][0] == "+":
                out[first:at] = ["+"] * (at - first)
    return out


def lost_signs(hunk: Hunk, sign: str) -> Hunk | None:
    """The hunk with this sign for lines that came without one between lines that have it; None if there are none.

    A minus is not taken for lost in a hunk that has context lines without a sign: it leaves out the sign of those, so
    one between removed lines may be context as well.
    """
    lines = list(hunk.lines)
    unsigned = set(hunk.unsigned or ())
    for row in sorted(unsigned):
        above = lines[row - 1][0] if row else ""  # one that was lost as well has been given its sign
        below = next((lines[each][0] for each in range(row + 1, len(lines)) if each not in unsigned), "")
        if above == below == sign:
            lines[row] = sign + lines[row][1:]
        elif sign == "-" and not above == below == "+":
            return None
    return hunk.with_lines(lines) if lines != hunk.lines else None


def _unnumbered(text: str) -> str | None:
    bare = text.lstrip(" ")
    digits = len(bare) - len(bare.lstrip("0123456789"))
    if not digits:
        return None
    rest = bare[digits:]
    if rest[:1] and rest[0] in _MARKS:
        return rest[1:]
    return rest[3:] if rest[:3] == " | " else None


# By name; of several ways to undo the same, the one by which the hunk fits most strictly is taken.
REWRITES = {
    "entities": (entities,),
    "escapes": (escapes,),
    "escaped quotes": (quotes,),
    "line-numbers": (spaced_line_numbers, line_numbers),
    "lost pluses": (lost_pluses,),
}
