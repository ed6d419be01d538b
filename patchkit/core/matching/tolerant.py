"""Place hunks in a file that differs from what the patch shows in whitespace or look-alike characters throughout.

The same two searches a hunk as in `locate`, over the lines as the most tolerant pass that is allowed compares
them, so no line is indexed. What they settle is what `placer` would settle: one placement in order, and for no hunk a
place elsewhere that fits more strictly. Anything else is answered None and left to `placer`.
"""

from __future__ import annotations

from functools import cache

from patchkit.core.language import Hunk
from patchkit.core.matching import LONGEST, SEVERAL, Match, indentation, may_share, says_it_by_text
from patchkit.core.matching.passes import INVISIBLE, Pass, level_of, up_to
from patchkit.core.text import Document
from patchkit.errors import Note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from patchkit.core.matching import Tolerance

    Text = TypeVar("Text", str, bytes)


# What turns ASCII into its words.
_WORDS = bytes([code if code < 128 and (chr(code).isalnum() or code == 95) else 32 for code in range(256)])


def place_tolerant(document: Document, hunks: list[Hunk], policy: Tolerance) -> list[Match] | None:
    """Returns the one placement of the hunks that tolerance leaves, None when it takes more to know."""
    if any(hunk.anchors or hunk.hint is not None or not says_it_by_text(hunk) for hunk in hunks):
        return None
    passes = up_to(policy.max_pass)
    olds = [hunk.old() for hunk in hunks]
    if len(passes) == 1 or not all(any(map(str.isalnum, "".join(old))) for old in olds):
        return None  # braces and blank lines alone differ in their depth alone
    if not may_fit(document, hunks):
        return None
    lines = _lines_of(document, passes[-1], hunks, olds)
    if lines is None:
        return None
    levels = [level_of(document.texts[n : n + len(old)], old, passes) for n, old in zip(lines, olds)]
    if not _nowhere_stricter(document.texts, lines, hunks, levels, passes):
        return None
    return _as_matches(document, hunks, olds, lines, levels, passes)


def may_fit(document: Document, hunks: list[Hunk]) -> bool:
    """Whether the file has words of the first hunks: one that fits nowhere is known before every line is looked at."""
    data, at = document.data, 0
    for hunk in hunks[:SEVERAL]:
        word = _longest_word(hunk)
        found = data.find(word, at)  # most hunks follow each other, and then this reads the file once
        at = found if found >= 0 else data.find(word)
        if at < 0:
            return False
    return True


def _longest_word(hunk: Hunk) -> bytes:
    """A word that no pass changes, of the lines that the hunk removes, or else of those it shows."""
    old = [line[1:] for line in hunk.lines if line[0] == "-"] or hunk.old()
    longest = max((text for text in old if text.isascii()), key=len, default="")[:LONGEST]
    return max(longest.encode().translate(_WORDS).split(), key=len, default=b"")


def _lines_of(document: Document, by: Pass, hunks: list[Hunk], olds: list[list[str]]) -> list[int] | None:
    """The line of each hunk's only place in order, as this pass sees them."""
    known = document.known
    there = by.lines(document.texts) if known is None else []
    sizes = [len(old) for old in olds]
    seen = by.lines([text for old in olds for text in old])
    needles, end = [], 0
    above: list[str] = []
    for number, size in enumerate(sizes):
        old = seen[end : end + size]
        if above and old[0] in above and may_share(above, old, (hunks[number - 1], hunks[number])):
            return None
        needles.append("\n".join(["", *old, ""]))
        above, end = old, end + size
    if known is not None:
        return _in_order(known.views.by(by).whole, needles, "\n")  # type: ignore[attr-defined]  # a KnownDocument
    if type(there) is list:
        return _in_order("\n".join(["", *there, ""]), needles, "\n")
    whole: bytes = there.joined()  # type: ignore[attr-defined]  # a large file is searched as bytes, to save memory
    return _in_order(whole, [needle.encode("utf-8", "surrogatepass") for needle in needles], b"\n")


def _in_order(joined: Text, needles: list[Text], end: Text) -> list[int] | None:
    """The line of each needle's only place in order; `end` is that of a line."""
    positions: list[int] = []
    start = 0
    for needle in needles:
        start = joined.find(needle, start)
        if start < 0:
            return None
        positions.append(start)
        start += len(needle) - 1  # the last line's end is the next line's beginning
    stop = len(joined)
    for needle, position in zip(reversed(needles), reversed(positions)):
        if joined.find(needle, position + 1, stop) >= 0:
            return None
        stop = position + 1
    lines, line, counted = [], 0, 0
    for position in positions:
        line += joined.count(end, counted, position)
        counted = position
        lines.append(line)
    return lines


def _nowhere_stricter(
    texts: list[str], lines: list[int], hunks: list[Hunk], levels: list[int], passes: tuple[Pass, ...]
) -> bool:
    """Whether no hunk whose place differs visibly can fit more strictly, out of order, nor have been applied already.

    For that, a line that a stricter pass does not find here, or one that the hunk adds, would have to be elsewhere:
    they are looked for in the whole file, all of them at once.
    """
    for level in range(INVISIBLE + 1, len(passes)):
        stricter = passes[level - 1]
        missing = set()
        for line, hunk, each in zip(lines, hunks, levels):
            if each == level:
                added = [row[1:] for row in hunk.lines if row[0] == "+" and row[1:].strip()]
                if not added:
                    return False
                old = hunk.old()
                missing.update(stricter.lines(added[:1]))
                pairs = zip(stricter.lines(texts[line : line + len(old)]), stricter.lines(old))
                missing.add(next(mine for theirs, mine in pairs if mine != theirs))
        if missing and not missing.isdisjoint(stricter.lines(texts)):
            return False
    return True


def _as_matches(
    document: Document,
    hunks: list[Hunk],
    olds: list[list[str]],
    lines: list[int],
    levels: list[int],
    passes: tuple[Pass, ...],
) -> list[Match] | None:
    matches: list[Match] = []
    unit = cache(lambda: indentation.unit_of(document.texts))
    for number, (hunk, old, line, offset) in enumerate(zip(hunks, olds, lines, document.starts(lines)), 1):
        by = passes[levels[number - 1]]
        match = Match(line, offset, hunk.lines, len(old), by.name)
        matches.append(match)
        if by is not passes[0]:
            match.notes.append(Note("P921", hunk=number, patch_line=hunk.line, line=line + 1, tolerance=by.name))
        if by.reindents:
            there = document.texts[line : line + len(old)]
            if indentation.is_askew(old, there):
                return None
            followed = indentation.follow(hunk.lines, there, unit, bool(hunk.unsigned))
            if followed is None:
                return None
            if followed != hunk.lines:
                match.notes.append(Note("P924", hunk=number, patch_line=hunk.line))
                match.lines = followed
    return matches
