"""The page of a code, as a person reads it in a terminal.

Takes the text of docs/errors.md; gives the section of a code laid out for a screen: prose broken to its width, examples
set in below a word on what each part is, the marks of Markdown gone. Where the page is, and which code is meant, is
for others to know.
"""

from __future__ import annotations

import re

from patchkit.report import colour
from patchkit.report.width import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.colour import Pen

_HEADING = re.compile(r"#{1,2} (.*)")
_FENCE = re.compile(r"(`{3,}) *(\S*) *(.*)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_WORDS = re.compile(r"[^\s`]*`[^`]*`\S*|\S+")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_CODE = re.compile(r"`([^`]+)`")
_LABELS = {"files": "Files", "patch": "Patch", "command": "Command", "after": "Files afterwards", "output": "Output"}


def sections(page: str) -> dict[str, list[str]]:
    """The lines below each heading of the page."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    fence = ""
    for line in page.split("\n"):
        ticks = _FENCE.fullmatch(line)
        if ticks and (not fence or line == fence):
            fence = "" if fence else ticks[1]
        heading = _HEADING.fullmatch(line) if not fence else None
        if heading:
            lines = found[heading[1]] = []
        else:
            lines.append(line)
    return found


def sentence(lines: list[str]) -> str:
    """What a section opens with: the sentence of its code."""
    return next((line.strip("`") for line in lines if line.strip()), "")


def render(code: str, lines: list[str], columns: int, pen: Pen = colour.plain) -> str:
    """A section as text, with the code and its sentence as the title."""
    title = pen("note" if code.startswith("P9") else "error", code) + pen("strong", f": {sentence(lines)}")
    parts = [title]
    for kind, words, block in _blocks(lines)[1:]:
        if kind == "prose":
            parts.append("\n".join(_prose(line, pen) for line in filled(_words(block), columns)))
        else:
            parts.append(_example(kind, words, block, pen))
    return "\n\n".join(parts) + "\n"


def _blocks(lines: list[str]) -> list[tuple[str, str, list[str]]]:
    """Paragraphs and examples in order: what it is, the rest of an example's first line, its lines."""
    blocks: list[tuple[str, str, list[str]]] = []
    fence, going_on = "", False
    for line in lines:
        ticks = _FENCE.fullmatch(line)
        if fence:
            if line == fence:
                fence, going_on = "", False
            else:
                blocks[-1][2].append(line)
        elif ticks:
            fence = ticks[1]
            blocks.append((ticks[2] or "text", ticks[3], []))
        elif not line.strip():
            going_on = False
        elif going_on and not line.startswith(("- ", "| ")):
            blocks[-1][2].append(line)
        else:
            blocks.append(("prose", "", [line]))
            going_on = True
    return blocks


def _words(paragraph: list[str]) -> list[str]:
    """The words of a paragraph, links as their text; what is between backticks is one word."""
    return _WORDS.findall(_LINK.sub(r"\1", " ".join(paragraph)))


def _prose(line: str, pen: Pen) -> str:
    line = _BOLD.sub(lambda found: pen("strong", found[1]), line)
    return line if pen is colour.plain else _CODE.sub(lambda found: pen("place", found[1]), line)


def _example(kind: str, words: str, block: list[str], pen: Pen) -> str:
    """A part of an example, set in by four columns below a word on what it is."""
    label = _LABELS.get(kind, "")
    if kind == "patch" and words:
        label += f" ({words})"
    text = "\n".join(block)
    if kind == "output":
        text = colour.diagnostics(text, pen)
    body = "\n".join(f"    {line}".rstrip() for line in text.split("\n"))
    return f"{pen('faint', label + ':')}\n{body}" if label else body
