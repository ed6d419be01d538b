"""`patchkit explain`: the pages of docs/errors.md, which every installation carries."""

from __future__ import annotations

import os
import re

import click

import patchkit
from patchkit.catalogue.entries import ENTRIES, code_of
from patchkit.catalogue.sentences import CatalogueEntry, entry, general, name_of
from patchkit.cli import DONE, CommandLineError, completion, show, taken, takes_colour, write_json
from patchkit.cli.options import COLOR
from patchkit.cli.parameters import command, options, page_width
from patchkit.errors import PatchkitError
from patchkit.report.spans import Spans
from patchkit.report.width import filled

_INDENT = 6  # of a sentence below its code
_WRITTEN = re.compile(r"\s*(?:error|note)?\[?P?([0-9]+)\]?(?::.*)?\s*", re.IGNORECASE)
_SHOWN = 6  # codes that are offered instead of one there is not
_HEADING = re.compile(r"#{1,2} (.*)")
_FENCE = re.compile(r"(`{3,}) *(\S*) *(.*)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_WORDS = re.compile(r"[^\s`]*`[^`]*`\S*|\S+")
_MARKED = re.compile(r"\*\*([^*]+)\*\*|`([^`]+)`")
_MESSAGE = re.compile(r"(error|note)(\[P\d{3}\])(: .*)")
_LABELS = {"files": "Files", "patch": "Patch", "command": "Command", "after": "Files afterwards", "output": "Output"}


@command()
@click.argument("codes", metavar="[CODE|NAME|WORD]...", nargs=-1, shell_complete=completion.codes)
@click.option("--all", "every", is_flag=True, help="print the pages of all codes")
@click.option("--json", "as_json", is_flag=True, help="print code, name, sentence, kind and page as JSON")
@options(COLOR)
def explain(codes: tuple[str, ...], every: bool, as_json: bool, color: str | None) -> int:
    """Print the page of a code: what it means, what causes it, an example, and what to do.

    A code may be written as a message has it (P201, p201, error[P201]), or by its name (hunk-not-found). Any other word
    is searched: the codes whose name, sentence or page has it are listed. Without a word, all codes are listed.
    """
    color = color or "auto"
    page = sections(_page())
    asked = sorted(ENTRIES) if every else [code for given in codes for code in [_code(given)] if code]
    found = [] if every else [_found(given, page) for given in codes if _code(given) is None]
    matching = sorted({code for each in found for code in each})
    if len(matching) == 1 and not asked:
        asked, matching = matching, []
    listed = matching if codes or every else sorted(ENTRIES)
    if as_json:
        taken(write_json([_data(code, page) for code in asked or listed]))
        return DONE
    room = page_width(1)
    ticks = not takes_colour(1, color)
    for index, code in enumerate(asked):
        taken(show(1, [("\n\n" if index else "", ""), *manual_spans(code, page.get(code, []), room, ticks)], color))
    if listed:
        taken(show(1, _list(listed, page, room), color))
    return DONE


def _list(codes: list[str], page: dict[str, list[str]], room: int) -> Spans:
    """Codes below the headings of their families."""
    spans: Spans = []
    for heading in (each for each in page if each[2:4] == "xx"):
        of_family = [code for code in codes if code[:2] == heading[:2]]
        spans += [("\n" if spans else "", ""), (f"{heading}\n", "strong")] if of_family else []
        for code in of_family:
            spans += [(code, "strong"), (f"  {name_of(code)}\n", "place")]
            lines = filled(general(ENTRIES[code].sentence).split(), room - _INDENT)
            spans += [(f"{'':{_INDENT}}{line}\n", "") for line in lines]
    return spans


def _data(code: str, page: dict[str, list[str]]) -> dict[str, object]:
    entry = ENTRIES[code]
    return {
        "code": code,
        "name": name_of(code),
        "kind": entry.kind or "NOTE",
        "sentence": general(entry.sentence),
        "page": "\n".join(page.get(code, [])).strip("\n"),
    }


def _code(given: str) -> str | None:
    """The code that is meant by number or name, None for a word to search; raises for a number there is not."""
    found = _WRITTEN.fullmatch(given)
    if found is None:
        return code_of(given)
    if f"P{found[1]}" not in ENTRIES:
        raise PatchkitError("P608", given=given, like=", ".join(_nearest(found[1])))
    return f"P{found[1]}"


def _nearest(number: str) -> list[str]:
    """The codes of the same family with the nearest numbers."""

    def distance(code: str) -> tuple[bool, int]:
        return code[1] != number[0], abs(int(code[1:]) - int(number[:6]))

    return sorted(sorted(ENTRIES, key=distance)[:_SHOWN])


def _found(words: str, page: dict[str, list[str]]) -> list[str]:
    """The codes about some words: by name and sentence, else by the text of their page; raises if there are none."""
    wanted = words.lower().split()

    def having(texts: list[str]) -> bool:
        return all(word in " ".join(texts).lower() for word in wanted)

    def is_about(row: CatalogueEntry) -> bool:
        return having([row.name, row.sentence]) or any(having([each.value, each.sentence]) for each in row.variants)

    found = [code for code, row in ENTRIES.items() if is_about(row)]
    found = found or [code for code in ENTRIES if having(page.get(code, []))]
    if not wanted or not found:
        raise PatchkitError("P608", given=words)
    return found


def _page() -> str:
    """docs/errors.md: a wheel has it beside the package's modules, a checkout where it is written."""
    here = os.path.dirname(os.path.abspath(patchkit.__file__))
    for path in (f"{here}/errors.md", f"{os.path.dirname(here)}/docs/errors.md"):
        try:
            with open(path, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            pass
    raise CommandLineError("this installation has no page of errors: install it again")


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
    """A section, its code and sentence as the title; `ticks` keeps the backticks, where no colour shows code."""
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
        if kind == "prose":
            prose = _WORDS.findall(_LINK.sub(r"\1", " ".join(block)))  # links as their text
            spans += _prose(filled(prose, columns), ticks)
        else:
            spans += _example(kind, words, block)
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
