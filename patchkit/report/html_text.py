"""Text of a report as HTML: every character seen and none obeyed.

Takes text out of patches and files, hostile ones included; gives markup.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.report.width import shown_char, visible

MINUS = "\u2212"
_LONGEST = 400  # characters of a quoted line
_OPS = {"add": "added", "delete": "deleted", "update": "changed", "move": "moved"}


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def shown(text: str) -> str:
    """Text of a sentence or a name, control characters visible."""
    return escaped(visible(text, 1000))


def stand_in(op: str) -> str:
    """The word for an operation whose letter is shown."""
    return _OPS[op]


def line(text: str, start: int | None = None, stop: int | None = None) -> str:
    """A line of code; the characters from `start` to before `stop` are marked, blanks among them made visible."""
    if start is None:
        cut = "…" if len(text) > _LONGEST else ""
        return code(text[:_LONGEST]) + cut
    stop = len(text) if stop is None else stop
    first = max(0, start - _LONGEST // 2) if stop > _LONGEST else 0
    last = first + _LONGEST
    marked = code(text[start : min(stop, last)], blanks=True)
    return (
        ("…" if first else "")
        + code(text[first:start])
        + (f"<mark>{marked}</mark>" if marked else "")
        + code(text[stop:last])
        + ("…" if len(text) > last else "")
    )


def code(text: str, blanks: bool = False) -> str:
    """Text of a line, whole; with `blanks` a text of nothing but blanks is made visible."""
    if blanks and not text.strip():
        text = text.replace(" ", "·").replace("\t", "⇥\t")
    if not text.isprintable():
        text = "".join(char if char == "\t" else shown_char(char) for char in text)
    return escaped(text)


def finding(error_and_line: tuple[PatchkitError, str | None]) -> str:
    """An error as a block: code, sentence, the line of the patch where it is known, the next step."""
    error, text = error_and_line
    quoted = f'<p class="quoted"><span>{error.patch_line}</span>{line(text)}</p>' if text is not None else ""
    hint = f'<p class="help">{shown(error.hint)}</p>' if error.hint else ""
    return f'<div class="error"><p><b>{error.code}</b>{shown(error.message)}</p>{quoted}{hint}</div>\n'
