"""`patchkit grammar`: the grammar of the language, and grammars that allow only patches that apply to some files."""

from __future__ import annotations

import os

from patchkit.cli import exit_status
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.flags import AS_AGENT, ROOT, START, Flag, argument
from patchkit.cli.streams import columns, show, write
from patchkit.cli.subcommand import Subcommand
from patchkit.errors import PatchkitError
from patchkit.language import _grammar_text
from patchkit.report.diagnostics import error_spans
from patchkit.report.notes import note_spans
from patchkit.runtimes.grammar import MOST_STARTS, WantedGrammar, grammar_for, ranges


def _grammar(
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
) -> int:
    if not for_files:
        if words or parts or seen or deletes or moves or added or ends:
            raise CommandLineError("'--for-files' is missing: only a grammar for files takes paths and their options")
        write(1, _grammar_text.FOR_MODEL if for_model else _grammar_text.SOURCE)
        return exit_status.DONE
    try:
        wanted = _wanted([word for word in words if not _is_part(word)], [*parts, *filter(_is_part, words)], seen)
        wanted.deletes, wanted.added, wanted.ends, wanted.most = deletes, added, ends, most
        wanted.moves = dict(_pair(each) for each in moves)
        wanted.agent = agent
        made = grammar_for(root, wanted, start)
    except PatchkitError as error:
        show(2, error_spans(error.errors, columns=columns(2)))
        return exit_status.of_code(error.code)
    write(1, made.text)
    if made.notes:
        show(2, note_spans(made.notes))
    return exit_status.DONE


def _is_part(word: str) -> bool:
    """Whether a word behind the paths is a further part for '--lines', and not a file."""
    first, dash, last = word.partition("-")
    return bool(dash) and first.isdecimal() and last.isdecimal() and not os.path.lexists(word)


def _wanted(paths: list[str], parts: list[str], seen: bool) -> WantedGrammar:
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
    return WantedGrammar(paths, lines, seen)


def _pair(written: str) -> tuple[str, str]:
    old, equals, new = written.partition("=")
    if not (old and equals and new):
        raise CommandLineError(f"'--move {written}': write PATH=NEW")
    return old, new


grammar = Subcommand(
    "grammar",
    """Print the grammar of the patch language (Lark notation), or one for some files.

With --for-files, hunks of the grammar can only show lines that are in the files, one below the other and enough of them
to have one place. Added lines are free. What follows the grammar applies by exact text, also with --strict.
""",
    _grammar,
    (argument("words", "[PATH]...", many=True),),
    (
        Flag("--for-model", "for_model", "the narrower grammar a runtime hands to a model API as a tool grammar"),
        Flag("--for-files", "for_files", "a grammar whose patches all apply to the files PATH, as they are now"),
        Flag(
            "--lines",
            "parts",
            "show only these lines of a file in hunks",
            "; several parts with commas, or with the option again",
            value="[PATH:]A-B",
            many=True,
        ),
        Flag("--seen", "seen", "show only the lines that were read in this session"),
        Flag("--delete", "deletes", "let the patch delete the files"),
        Flag(
            *("--move", "moves", "let the patch rename a file", "; NEW may have one '*'"), value="PATH=NEW", many=True
        ),
        Flag("--add", "added", "let the patch add a file", "; NEW may have one '*'", value="NEW", many=True),
        Flag("--end-of-file", "ends", "allow '*** End of File' below the last line"),
        Flag(
            "--max-starts",
            "most",
            "refuse to make a grammar with more lines that start a hunk",
            f" (default: {MOST_STARTS})",
            value="N",
            default=MOST_STARTS,
            least=1,
        ),
        ROOT,
        START,
        AS_AGENT,
    ),
)
