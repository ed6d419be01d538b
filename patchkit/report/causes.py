"""Why two lines are not the same, in words, when it is one of the known reasons."""

from __future__ import annotations

from patchkit.core.matching.passes import TYPOGRAPHY
from patchkit.core.matching.search import REWRITES
from patchkit.repair.near_miss import indented_alike

_LONGEST = 30  # characters of a word that are worth seeing


def cause(expected: str, found: str, column: int, by: str = "the patch") -> str:
    """What differs between the line that is expected and the file's: the most specific reason that holds.

    `by` is what expects it: the patch, or a field of an edit.
    """
    for same, words in _REASONS:
        if same(expected) == same(found):
            return words
    for name, words in _REWRITTEN.items():
        if any([line[1:].strip() for line in undo([" " + expected])] == [found.strip()] for undo in REWRITES[name]):
            return f"{by} has {words}"
    expected = indented_alike(expected, found)
    if not _is_text(found):
        return "the file's line is not UTF-8"
    mine, theirs = _word(expected, column, found), _word(found, column, expected)
    if not theirs:
        rest = _rest(expected, column)
        return f"the file's line ends here, {by} goes on with '{rest}'" if rest else "the file has nothing here"
    if not mine:
        return f"the file goes on with '{_rest(found, column)}', {by}'s line ends here"
    return f"the file has '{theirs}', {by} expects '{mine}'"


def _is_text(line: str) -> bool:
    """Whether all bytes of a line were UTF-8: those that were not are lone surrogates in it."""
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True


def _rest(text: str, column: int) -> str:
    """What a line has from a column on, as far as it helps to see it."""
    rest = text[column:].strip()
    return rest if len(rest) <= _LONGEST else rest[:_LONGEST].rstrip() + "…"


def _word(text: str, column: int, other: str) -> str:
    """The word around a column, as far as it helps to see it; '' where the line has ended before it.

    A line that ends within a word of the `other` has that word's beginning for its own.
    """
    start = column
    if "\\" in text[column : column + 1] + other[column : column + 1]:
        return _run(text, column)
    while start and column - start < _LONGEST and _is_of_a_word(text, start - 1):
        start -= 1
    if column >= len(text):
        return text[start:] if start < column < len(other) and _is_of_a_word(other, column) else ""
    stop = column + 1
    while stop < len(text) and stop - start < _LONGEST and _is_of_a_word(text, stop):
        stop += 1
    return text[start:stop]


def _run(text: str, column: int) -> str:
    """What is around a column without a blank in it: backslashes say nothing without what they are in front of."""
    start, stop = column, column
    while start and column - start < _LONGEST and not text[start - 1].isspace():
        start -= 1
    while stop < len(text) and stop - start < _LONGEST and not text[stop].isspace():
        stop += 1
    return text[start:stop]


def _is_of_a_word(text: str, at: int) -> bool:
    """Whether a character belongs to a word or a number, as the point in '0.05' does."""
    inside = text[at] in ".," and text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit()
    return inside or text[at].isalnum() or text[at] == "_"


_REASONS = (
    (lambda text: text.rstrip(), "only whitespace at the end of the line differs"),
    (lambda text: text.replace("\r", ""), "only carriage returns differ"),
    (lambda text: text.replace("\ufeff", ""), "only a byte order mark differs"),
    (lambda text: text.strip() if "\t" not in text else text, "only the indentation differs"),
    (lambda text: text.expandtabs(4).strip(), "tabs and spaces differ"),
    (lambda text: text.expandtabs(8).strip(), "tabs and spaces differ"),
    (lambda text: text.translate(TYPOGRAPHY).strip(), "typographic quotes, dashes or spaces differ"),
    (lambda text: "".join(text.split()), "only whitespace inside the line differs"),
    (lambda text: text.strip().casefold(), "only upper and lower case differ"),
)
_REWRITTEN = {
    "entities": "HTML entities where the file has characters",
    "escapes": "a backslash and a letter where the file has a tab",
    "escaped quotes": "backslashes in front of quotes",
    "line-numbers": "the line number of a listing in front",
}
