"""The page of a code, as a person reads it in a terminal.

Takes the text of docs/errors.md; gives the section of a code laid out for a screen: prose broken to its width, examples
indented below a word on what each part is, the marks of Markdown gone. Where the page is, and which code is meant, is
the caller's to know.
"""

from __future__ import annotations

import re

from patchkit.catalogue.sentences import entry, general
from patchkit.report.spans import Spans
from patchkit.report.width import filled

_HEADING = re.compile(r"#{1,2} (.*)")
_FENCE = re.compile(r"(`{3,}) *(\S*) *(.*)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_WORDS = re.compile(r"[^\s`]*`[^`]*`\S*|\S+")
_MARKED = re.compile(r"\*\*([^*]+)\*\*|`([^`]+)`")
_MESSAGE = re.compile(r"(error|note)(\[P\d{3}\])(: .*)")
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


def manual_spans(code: str, lines: list[str], columns: int, ticks: bool = True) -> Spans:
    """A section, with the code and its sentence as the title; of a note for several things, the sentence of each.

    `ticks` keeps the backticks around code, for a reader who does not see its colour.
    """
    row = entry(code)
    spans: Spans = [
        (code, "note" if code.startswith("P9") else "error"),
        (f" {row.name}", "place"),
        (f": {general(row.sentence)}", "strong"),
    ]
    each = [each for each in row.variants if each.fact == row.by]
    spans += [("\n\nIts variant is one of:", "")] if each else []
    for variant in each:
        lead, *rest = filled(general(variant.sentence).split(), columns - 8)
        spans += [(f"\n    {variant.value}", "place"), *((f"\n        {line}", "") for line in (lead, *rest))]
    for kind, words, block in _blocks(lines)[1:]:
        spans.append(("\n\n", ""))
        spans += _prose(filled(_words(block), columns), ticks) if kind == "prose" else _example(kind, words, block)
    return [*spans, ("\n", "")]


def _blocks(lines: list[str]) -> list[tuple[str, str, list[str]]]:
    """Paragraphs and examples in order: what it is, the rest of an example's first line, its lines."""
    blocks: list[tuple[str, str, list[str]]] = []
    fence, continues = "", False
    for line in lines:
        ticks = _FENCE.fullmatch(line)
        if fence:
            if line == fence:
                fence, continues = "", False
            else:
                blocks[-1][2].append(line)
        elif ticks:
            fence = ticks[1]
            blocks.append((ticks[2] or "text", ticks[3], []))
        elif not line.strip():
            continues = False
        elif continues and not line.startswith(("- ", "| ")):
            blocks[-1][2].append(line)
        else:
            blocks.append(("prose", "", [line]))
            continues = True
    return blocks


def _words(paragraph: list[str]) -> list[str]:
    """The words of a paragraph, links as their text; what is between backticks is one word."""
    return _WORDS.findall(_LINK.sub(r"\1", " ".join(paragraph)))


def _prose(lines: list[str], ticks: bool) -> Spans:
    """Lines of a paragraph: what Markdown marks as strong or as code has a style instead of its marks."""
    spans: Spans = []
    text, at = "\n".join(lines), 0
    for found in _MARKED.finditer(text):
        spans.append((text[at : found.start()], ""))
        code = found[0] if ticks else found[2]
        spans.append((found[1], "strong") if found[1] else (code, "place"))
        at = found.end()
    return [*spans, (text[at:], "")]


def _example(kind: str, words: str, block: list[str]) -> Spans:
    """A part of an example, indented by four columns below a word on what it is."""
    label = _LABELS.get(kind, "")
    if kind == "patch" and words:
        label += f" ({words})"
    spans: Spans = [(f"{label}:", "faint"), ("\n", "")] if label else []
    for index, line in enumerate(block):
        spans += [("\n", "")] if index else []
        spans += _output(line) if kind == "output" else [(f"    {line}".rstrip(), "")]
    return spans


def _output(line: str) -> Spans:
    """A line of a command's output: the messages in it have the colours that the command would give them."""
    found = _MESSAGE.fullmatch(line)
    if found is None:
        return [(f"    {line}".rstrip(), "")]
    kind = found[1]
    return [("    ", ""), (kind + found[2], kind), (found[3], "strong" if kind == "error" else "")]
