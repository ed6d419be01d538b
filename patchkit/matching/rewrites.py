"""Hunks that were changed on their way here, and how to undo it.

A rewrite turns all lines of a hunk back, added ones included, and is tried only when the hunk as written fits
nowhere; afterwards every line has to match as usual, so the file itself proves it right.
"""

from __future__ import annotations

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
    """`&lt;` and the like back to the characters they stand for."""
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


def line_numbers(lines: list[str]) -> list[str]:
    """`   12→text`, as a numbered listing shows it, back to `text`; only when every old line has its number."""
    out = []
    for line in lines:
        text = _unnumbered(line[1:])
        if text is None:
            if line[0] != "+":
                return lines
            text = line[1:]
        out.append(line[0] + text)
    return out


def _unnumbered(text: str) -> str | None:
    bare = text.lstrip(" ")
    digits = len(bare) - len(bare.lstrip("0123456789"))
    if not digits:
        return None
    rest = bare[digits:]
    if rest[:1] and rest[0] in _MARKS:
        return rest[1:]
    return rest[3:] if rest[:3] == " | " else None


REWRITES = {"entities": entities, "escapes": escapes, "line-numbers": line_numbers}
