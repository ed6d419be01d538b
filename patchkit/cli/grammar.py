"""`patchkit grammar`: the grammar of the language, and grammars that allow only patches that apply to some files."""

from __future__ import annotations

import os
import sys

import click

from patchkit.cli import exit_status
from patchkit.cli.click_commands import command
from patchkit.cli.click_options import with_flags
from patchkit.cli.flags import AS_AGENT, ROOT, START
from patchkit.cli.streams import columns, show, write
from patchkit.errors import PatchkitError
from patchkit.language import _grammar_text
from patchkit.report.diagnostics import error_spans, note_spans
from patchkit.runtimes.grammar import MOST_STARTS, WantedGrammar, grammar_for, ranges


@with_flags(ROOT, START, AS_AGENT)
@command()
@click.argument("words", nargs=-1, metavar="[PATH]...", type=click.Path())
@click.option(
    "--for-model", is_flag=True, help="The narrower grammar a runtime hands to a model API as a tool grammar."
)
@click.option("--for-files", is_flag=True, help="A grammar whose patches all apply to the files PATH, as they are now.")
@click.option(
    "--lines",
    "parts",
    multiple=True,
    metavar="[PATH:]A-B",
    help="Show only these lines of a file in hunks; several parts with commas, or with the option again.",
)
@click.option("--seen", is_flag=True, help="Show only the lines that were read in this session.")
@click.option("--delete", "deletes", is_flag=True, help="Let the patch delete the files.")
@click.option(
    "--move", "moves", multiple=True, metavar="PATH=NEW", help="Let the patch rename a file; NEW may have one '*'."
)
@click.option("--add", "added", multiple=True, metavar="NEW", help="Let the patch add a file; NEW may have one '*'.")
@click.option("--end-of-file", "ends", is_flag=True, help="Allow '*** End of File' below the last line.")
@click.option(
    "--max-starts",
    "most",
    type=click.IntRange(min=1),
    default=MOST_STARTS,
    show_default=True,
    help="Refuse to make a grammar with more lines that start a hunk.",
)
def grammar(
    words: tuple[str, ...],
    for_model: bool,
    for_files: bool,
    parts: tuple[str, ...],
    seen: bool,
    deletes: bool,
    moves: tuple[str, ...],
    added: tuple[str, ...],
    ends: bool,
    most: int,
    root: str | None,
    start: str | None,
    agent: bool,
) -> None:
    """Print the grammar of the patch language (Lark notation), or one for some files.

    With --for-files, hunks of the grammar can only show lines that are in the files, one below the other and enough of
    them to have one place. Added lines are free. What follows the grammar applies by exact text, also with --strict.
    """
    if not for_files:
        if words or parts or seen or deletes or moves or added or ends:
            raise click.UsageError("'--for-files' is missing: only a grammar for files takes paths and their options")
        click.echo(_grammar_text.FOR_MODEL if for_model else _grammar_text.SOURCE, nl=False)
        return
    try:
        wanted = _wanted([word for word in words if not _is_part(word)], [*parts, *filter(_is_part, words)], seen)
        wanted.deletes, wanted.added, wanted.ends, wanted.most = deletes, added, ends, most
        wanted.moves = dict(_pair(each) for each in moves)
        wanted.agent = agent
        made = grammar_for(root, wanted, start)
    except PatchkitError as error:
        show(2, error_spans(error.errors, columns=columns(2)))
        sys.exit(exit_status.of_code(error.code))
    write(1, made.text)
    if made.notes:
        show(2, note_spans(made.notes))


def _is_part(word: str) -> bool:
    """Whether a word behind the paths is a further part for '--lines', and not a file."""
    first, dash, last = word.partition("-")
    return bool(dash) and first.isdecimal() and last.isdecimal() and not os.path.lexists(word)


def _wanted(paths: list[str], parts: list[str], seen: bool) -> WantedGrammar:
    if not paths and not seen:
        raise click.UsageError("give the files, or '--seen' for those that were read in this session")
    lines: dict[str, list[tuple[int, int]]] = {}
    for part in parts:
        path, colon, written = part.rpartition(":")
        if not colon:
            if len(paths) != 1:
                raise click.UsageError(f"say which file the lines '{part}' are of: '--lines PATH:{part}'")
            path = paths[0]
        if path not in paths:
            raise click.UsageError(f"'{path}' has lines and is not among the files")
        lines.setdefault(path, []).extend(ranges(written))
    return WantedGrammar(paths, lines, seen)


def _pair(written: str) -> tuple[str, str]:
    old, equals, new = written.partition("=")
    if not (old and equals and new):
        raise click.UsageError(f"'--move {written}': write PATH=NEW")
    return old, new
