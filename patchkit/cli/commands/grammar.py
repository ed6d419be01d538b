"""`patchkit grammar`: the grammar of the language, and grammars that allow only patches that apply to some files."""

from __future__ import annotations

from typing import Any

import click

from patchkit.cli import CommandLineError, show, taken, write
from patchkit.cli.parameters import FILE, command, options
from patchkit.cli.quick import AS_AGENT, ROOT, START
from patchkit.report.spans import note_spans
from patchkit.runtimes import _grammar_text
from patchkit.runtimes.grammar import MOST_STARTS, WantedGrammar, grammar_for, ranges


@command()
@click.argument("words", metavar="[PATH]...", nargs=-1, type=FILE)
@click.option("--for-model", is_flag=True, help="the narrower grammar a runtime hands to a model API as a tool grammar")
@click.option("--for-files", is_flag=True, help="a grammar whose patches all apply to the files PATH, as they are now")
@click.option(
    "--lines",
    "parts",
    metavar="[PATH:]A-B",
    multiple=True,
    help="show only these lines of a file in hunks; several parts with commas, or with the option again",
)
@click.option("--seen", is_flag=True, help="show only the lines that were read in this session")
@click.option("--delete", "deletes", is_flag=True, help="let the patch delete the files")
@click.option(
    "--move", "moves", metavar="PATH=NEW", multiple=True, help="let the patch rename a file; NEW may have one '*'"
)
@click.option("--add", "added", metavar="NEW", multiple=True, help="let the patch add a file; NEW may have one '*'")
@click.option("--end-of-file", "ends", is_flag=True, help="allow '*** End of File' below the last line")
@click.option(
    "--max-starts",
    "most",
    metavar="N",
    type=click.IntRange(1),
    default=MOST_STARTS,
    help=f"refuse to make a grammar with more lines that start a hunk (default: {MOST_STARTS})",
)
@options(ROOT, START, AS_AGENT)
def grammar(
    words: tuple[str, ...], for_model: bool, for_files: bool, root: str | None, start: str | None, **asked: Any
) -> None:
    """Print the grammar of the patch language (Lark notation), or one for some files.

    With --for-files, hunks of the grammar can only show lines that are in the files, one below the other and enough of
    them to have one place. Added lines are free. What follows the grammar applies by exact text, also with --strict.
    """
    if not for_files:
        if words or any(asked[name] for name in ("parts", "seen", "deletes", "moves", "added", "ends")):
            raise CommandLineError("'--for-files' is missing: only a grammar for files takes paths and their options")
        taken(write(1, _grammar_text.FOR_MODEL if for_model else _grammar_text.SOURCE))
        return
    asked["lines"] = _lines(list(words), asked.pop("parts"), asked["seen"])
    asked["moves"] = dict(map(_pair, asked["moves"]))
    text, notes = grammar_for(root, WantedGrammar(words, **asked), start)
    taken(write(1, text))
    if notes:
        show(2, note_spans(notes))


def _lines(paths: list[str], parts: tuple[str, ...], seen: bool) -> dict[str, list[tuple[int, int]]]:
    """The first and last lines of the parts that are asked for, by path."""
    if not paths and not seen:
        raise CommandLineError("give the files, or '--seen' for those that were read in this session")
    lines: dict[str, list[tuple[int, int]]] = {}
    for part in parts:
        path, colon, written = part.rpartition(":")
        if not colon:
            if len(paths) != 1:
                raise CommandLineError(f"say which file the lines '{part}' are of: '--lines PATH:{part}'")
            path = paths[0]
        if path not in paths:
            raise CommandLineError(f"'{path}' has lines and is not among the files")
        lines.setdefault(path, []).extend(ranges(written))
    return lines


def _pair(written: str) -> tuple[str, str]:
    old, equals, new = written.partition("=")
    if not (old and equals and new):
        raise CommandLineError(f"'--move {written}': write PATH=NEW")
    return old, new
