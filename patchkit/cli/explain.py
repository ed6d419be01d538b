"""`patchkit explain` and `patchkit grammar`: the documentation that this installation carries.

The page of a code comes from docs/errors.md, the grammar from the tables that the parser uses.
"""

from __future__ import annotations

import os
import re
import sys

import click

import patchkit
from patchkit.catalogue import ENTRIES
from patchkit.cli import exit_status
from patchkit.cli.click_options import with_flags
from patchkit.cli.flags import COLOR
from patchkit.cli.streams import columns, show, takes_colour
from patchkit.errors import PatchkitError
from patchkit.language import _grammar_text
from patchkit.report.diagnostics import error_spans
from patchkit.report.manual import manual_spans, sections, sentence

_WIDEST = 100  # columns of prose that are still easy to read
_PIPED = 80
_WRITTEN = re.compile(r"\s*(?:error|note)?\[?P?([0-9]+)\]?(?::.*)?\s*", re.IGNORECASE)
_SHOWN = 6  # codes that are offered instead of one there is not


def _complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    return [code for code in ENTRIES if code.startswith(incomplete.upper())]


@with_flags(COLOR)
@click.command()
@click.argument("codes", nargs=-1, metavar="[CODE]...", shell_complete=_complete)
def explain(codes: tuple[str, ...], color: str | None) -> None:
    """Print the page of a code: what it means, what causes it, an example, and what to do.

    A code may be written as a message has it: P201, p201, error[P201]. Without one, all codes are listed.
    """
    color = color or "auto"
    try:
        asked = [_code(given) for given in codes]
    except PatchkitError as error:
        show(2, error_spans([error], None, columns(2)), color)
        sys.exit(exit_status.USAGE)
    room = min(columns(1) or _PIPED, _WIDEST)
    page = sections(_page())
    ticks = not takes_colour(1, color)
    for index, code in enumerate(asked):
        show(1, [("\n\n" if index else "", ""), *manual_spans(code, page.get(code, []), room, ticks)], color)
    if not asked:
        lines = ([(code, "strong"), (f"  {sentence(page.get(code, []))}\n", "")] for code in sorted(ENTRIES))
        show(1, [span for line in lines for span in line], color)


@click.command()
@click.option(
    "--for-model", is_flag=True, help="The narrower grammar a runtime hands to a model API as a tool grammar."
)
def grammar(for_model: bool) -> None:
    """Print the grammar of the patch language (Lark notation)."""
    click.echo(_grammar_text.FOR_MODEL if for_model else _grammar_text.SOURCE, nl=False)


def _code(given: str) -> str:
    """The code that is meant; raises with those that come near it when there is none."""
    found = _WRITTEN.fullmatch(given)
    if found and f"P{found[1]}" in ENTRIES:
        return f"P{found[1]}"
    near = _nearest(found[1]) if found else _having(given)
    raise PatchkitError("P608", given=given, like=", ".join(near))


def _nearest(number: str) -> list[str]:
    """The codes of the same family with the nearest numbers."""

    def distance(code: str) -> tuple[bool, int]:
        return code[1] != number[0], abs(int(code[1:]) - int(number[:6]))

    return sorted(sorted(ENTRIES, key=distance)[:_SHOWN])


def _having(given: str) -> list[str]:
    """The codes whose sentence has the word, else the first of every family."""
    having = [each for each, entry in ENTRIES.items() if given.strip().lower() in entry.sentence.lower()]
    return having[:_SHOWN] or sorted({each[:2]: each for each in reversed(ENTRIES)}.values())


def _page() -> str:
    """docs/errors.md: a wheel has it beside the package's modules, a checkout where it is written."""
    here = os.path.dirname(os.path.abspath(patchkit.__file__))
    for path in (f"{here}/errors.md", f"{os.path.dirname(here)}/docs/errors.md"):
        try:
            with open(path, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            pass
    raise click.ClickException("this installation has no page of errors: install it again")
