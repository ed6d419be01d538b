"""Text around a patch, passed over at one stroke.

Takes what stands before the Begin marker or behind the End marker; leaves to `lenience` each line there that may mean
something, and notes the first that means nothing. Prose may be as long as a patch may be.
"""

from __future__ import annotations

import re

from patchkit.errors import Note
from patchkit.language.parser import Parser

_WORDS = ("***", "<<", "```", "~~~")
# Lines that may open a patch, a heredoc or a fence; and lines that may not stand behind a patch, or open a further one.
_BEFORE = re.compile(r"^[^\S\n]*(?:\*\*\*|```|~~~)|<<", re.MULTILINE)
_BEHIND = re.compile(r"^(?:[^\S\n]*\*\*\*|\+|@@)", re.MULTILINE)
_SOLID = re.compile(r"\S[^\n]*")


def pass_over(parser: Parser, text: str) -> str:
    """Takes whole lines as long as they stand outside a patch; returns those from which on they stand inside."""
    position, plain = 0, not parser.begun and not any(word in text for word in _WORDS)
    while position < len(text) and (parser.ended or not parser.begun):
        telling = None if plain else (_BEHIND if parser.begun else _BEFORE).search(text, position)
        stop = len(text)
        if telling is not None:
            stop = text.rfind("\n", position, telling.start() + 1) + 1 or position
        if not parser.prose:
            _note_first(parser, text, position, stop)
        parser.number += text.count("\n", position, stop)
        position = text.find("\n", stop) + 1 or len(text)
        if telling is not None:
            parser.number += 1
            parser.take_line(text[stop : position - 1])
    return text[position:]


def _note_first(parser: Parser, text: str, start: int, stop: int) -> None:
    for found in _SOLID.finditer(text, start, stop):
        bare = found[0].rstrip()
        if not (parser.wrapper and bare.startswith(parser.wrapper)):
            line = parser.number + text.count("\n", start, found.start()) + 1
            parser.notes.append(Note("P901", patch_line=line, found=bare))
            parser.prose = True
            return
