"""What was perhaps meant by a word that is not known: a command or an option.

Takes the word and those there are; gives the nearest, or the words of a message.
"""

from __future__ import annotations

from difflib import get_close_matches

from patchkit.report.width import visible

_NEAR = 0.65  # how alike two words are, from 0 to 1, when one may be meant for the other


def nearest(word: str, known: list[str]) -> str:
    """The known word that was perhaps meant, '' where none is near."""
    return next(iter(get_close_matches(word, known, 1, _NEAR)), "")


def unknown_option(word: str, known: list[str]) -> str:
    """The message for an option there is not."""
    meant = nearest(word, known)
    return f"unknown option '{visible(word, 80)}'" + (f" (did you mean '{meant}'?)" if meant else "")
