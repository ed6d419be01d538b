"""Text for HTML pages: every character is visible, and none is markup.

Takes text out of patches, files and names, hostile ones included; gives HTML. The pages are made elsewhere.
"""

from __future__ import annotations

from patchkit.report.width import shown_char, visible

_LONGEST = 400  # characters of a quoted line


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def shown(text: str) -> str:
    """Text of a sentence or a name, control characters visible."""
    return escaped(visible(text, 1000))


def line(text: str, start: int | None = None, stop: int | None = None) -> str:
    """A line of code; the characters from `start` to before `stop` are marked, whitespace among them made visible."""
    if start is None:
        cut = "…" if len(text) > _LONGEST else ""
        return code(text[:_LONGEST]) + cut
    stop = len(text) if stop is None else stop
    first = max(0, start - _LONGEST // 2) if stop > _LONGEST else 0
    last = first + _LONGEST
    marked = code(text[start : min(stop, last)], spaces=True)
    return (
        ("…" if first else "")
        + code(text[first:start])
        + (f"<mark>{marked}</mark>" if marked else "")
        + code(text[stop:last])
        + ("…" if len(text) > last else "")
    )


def code(text: str, spaces: bool = False) -> str:
    """Text of a line, whole; with `spaces` a text of nothing but whitespace is made visible."""
    if spaces and not text.strip():
        text = text.replace(" ", "·").replace("\t", "⇥\t")
    if not text.isprintable():
        text = "".join(char if char == "\t" else shown_char(char) for char in text)
    return escaped(text)


def difference(one: str, other: str) -> tuple[int, int]:
    """Where a line differs from another: from the first character that does to the last."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    stop, end = len(one), len(other)
    while stop > start and end > start and one[stop - 1] == other[end - 1]:
        stop, end = stop - 1, end - 1
    return start, stop
