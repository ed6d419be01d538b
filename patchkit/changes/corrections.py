"""What a hunk that was refused should have said, where that is certain.

Takes the file, the hunk and why it has no place; gives the hunk as it should be sent and the line where it goes, the
word that it can be left out, or nothing. docs/matching.md says what counts as certain: when in doubt, nothing.
"""

from __future__ import annotations

from re import findall

from patchkit.language.model import Hunk
from patchkit.matching.anchors import Anchors, Reach, opening
from patchkit.matching.indentation import margin_of
from patchkit.matching.locate import locate
from patchkit.matching.model import Match, Miss, Policy
from patchkit.matching.near_miss import NearMiss
from patchkit.matching.ordering import SizedHunk
from patchkit.matching.passes import PASSES
from patchkit.text.document import Document
from patchkit.values import Value

_MOST_LINES = 400  # of a hunk whose context is held against the file line by line
_MOST_PLACES = 1000  # of the longest word that is changed: where there are more, nothing is certain
_SLIP = 0.75  # how much of two lines must be the same for one to be a slip for the other
_SLACK = 10  # lines the file may have more than the hunk on either side of what it changes


class Correction(Value):
    """A hunk as it should be, and the line it goes to (from 0); no hunk at all for one that can be left out."""

    __slots__ = ("hunk", "line")
    hunk: Hunk | None
    line: int

    def __init__(self, hunk: Hunk | None, line: int) -> None:
        self.hunk = hunk
        self.line = line


class Corrections:
    """The refused hunks of one file."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._texts = document.texts
        self._anchors = Anchors(self._texts)

    def of(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """The one correction that is certain; None when there is none, or more than one."""
        correct = CORRECTED.get(miss.code)
        return correct(self, hunk, miss) if correct is not None else None

    # -- one for each reason ---------------------------------------------------------------------

    def _left_out(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk that is applied already, at one place, and shows enough to know that."""
        signs = [line[0] for line in hunk.lines if line[1:].strip()]
        adds, kept = "+" in signs, [n for n, sign in enumerate(signs) if sign == " "]
        between = "-" in signs[kept[0] : kept[-1]] if kept else False
        if len(miss.candidates) != 1 or not (adds or between):
            return None
        place, new = miss.candidates[0], hunk.new()
        there = self._texts[place : place + len(new)] == new
        return Correction(None, place) if there or not hunk.old() else None

    def _not_at_the_end(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk that stands at one place, which is not the end of the file."""
        if len(miss.candidates) != 1 or hunk.final_newline is not None:
            return None
        return Correction(Hunk(hunk.anchors, hunk.lines, line=hunk.line), miss.candidates[0])

    def _as_it_stands(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk that fits one place by a pass that is not allowed: with the file's own lines it fits exactly."""
        match = locate(self._document, [hunk], Policy())[0]
        if len(miss.candidates) != 1 or not isinstance(match, Match) or match.pairs is not None:
            return None
        return Correction(self._standing(hunk, match.line, match.lines), match.line)

    def _without_anchors(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk that stands at one place outside its anchors, and does not hang on them.

        It does where the anchor names another definition: then the anchor may be right and the lines a twin. Not so
        where the anchor opens none, or where the hunk shows the line that opens its definition itself.
        """
        scopes = self._anchors.scopes(hunk.anchors)
        free = all(scope.definition is None for scope in scopes)
        if len(miss.candidates) != 1 or not (free or any(opening(text) for text in hunk.old())):
            return None
        return Correction(_without(hunk), miss.candidates[0])

    def _other_anchor(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk whose anchor is nowhere: without it if its lines have one place, or with the one that was meant."""
        if not hunk.old():
            anchors = self._anchors_meant(hunk)
            scopes = self._anchors.scopes(anchors) if anchors else []
            return Correction(_with(hunk, anchors or []), scopes[0].line + 1) if len(scopes) == 1 else None
        match = locate(self._document, [_without(hunk)], Policy())[0]
        if not isinstance(match, Match) or match.pairs is not None:
            return None
        return Correction(_without(self._standing(hunk, match.line, match.lines)), match.line)

    def _other_context(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk whose changed lines stand at one place, near enough to the rest of what it shows."""
        near = miss.facts.get("near")
        old = hunk.old()
        if not isinstance(near, NearMiss) or len(old) > _MOST_LINES:
            return None
        needed = _needed(hunk.lines)
        places = self._places(old, needed) if needed else []
        if len(places) != 1 or not near.line <= places[0] + needed[0] < near.line + near.total:
            return None
        place = places[0]
        anchors = self._anchors_around(hunk, place)
        if anchors is None or not self._agrees(hunk, needed, place):
            return None
        return Correction(_with(self._standing(hunk, place, hunk.lines), anchors), max(0, place))

    # -- what they lean on -----------------------------------------------------------------------

    def _standing(self, hunk: Hunk, place: int, lines: list[str]) -> Hunk:
        """The hunk with the file's own text for what it keeps and removes; its first old line lies on `place`."""
        made: list[str] = []
        row = place
        for line in lines:
            if line[0] == "+":
                made.append(line)
                continue
            if 0 <= row < len(self._texts):
                made.append(line[0] + self._texts[row])
            row += 1
        return Hunk(hunk.anchors, made, hunk.at_eof, hunk.final_newline, hunk.line)

    def _places(self, old: list[str], needed: list[int]) -> list[int]:
        """Where all needed lines stand at their distances, by the line that the first old line would lie on."""
        words = [_longest_word(old[index]) for index in needed]
        word = max(words, key=len)
        pivot = needed[words.index(word)]
        rows = [row for row, text in enumerate(self._texts) if word in text] if word else []
        if len(rows) > _MOST_PLACES:
            return []
        return [row - pivot for row in rows if all(self._is(row - pivot + index, old[index]) for index in needed)]

    def _is(self, row: int, text: str) -> bool:
        return 0 <= row < len(self._texts) and _key(self._texts[row]) == _key(text)

    def _agrees(self, hunk: Hunk, needed: list[int], place: int) -> bool:
        """Whether two thirds of what the hunk shows stand there in order, and no definition is another one.

        The file may have lines that the hunk leaves out, but not next to lines that it adds, which could belong on
        either side of those: there the next line has to be the same, or almost.
        """
        old = hunk.old()
        first, last = needed[0], needed[-1] + 1
        changes = "".join(line[0] for line in hunk.lines).strip()
        above, below = (0 if edge == "+" else _SLACK for edge in (changes[0], changes[-1]))
        head = self._texts[max(0, place - above) : place + first]
        tail = self._texts[place + last : place + len(old) + below]
        parts = [(old[:first][::-1], head[::-1], above), (old[last:], tail, below)]
        wanted = set(needed)
        for index in range(first, last):
            if index not in wanted:
                parts.append(([old[index]], [self._texts[place + index]], 0))
        agree = sum(bool(old[index].strip()) for index in needed)
        for mine, theirs, slack in parts:
            found = _in_order(mine, theirs, slack)
            if found is None:
                return False
            agree += found
        return 3 * agree >= 2 * sum(bool(text.strip()) for text in old)

    def _anchors_around(self, hunk: Hunk, place: int) -> list[str] | None:
        """The anchors that the hunk should have at this place; None when those it has lead elsewhere."""
        if not hunk.anchors or hunk.hint is not None:
            return []
        anchors = hunk.anchors if self._anchors.scopes(hunk.anchors) else self._anchors_meant(hunk)
        scopes = self._anchors.scopes(anchors) if anchors else []
        return anchors if scopes and Reach(scopes).admits(SizedHunk(0, hunk, []), place) else None

    def _anchors_meant(self, hunk: Hunk) -> list[str] | None:
        """The hunk's anchors, those that are not there replaced by the one line that opens what they name."""
        anchors: list[str] = []
        for anchor in hunk.anchors:
            if not self._anchors.scopes([*anchors, anchor]):
                name = _name(anchor)
                alike = [text for text in self._texts if opening(text) and _name(text) == name] if name else []
                if len(alike) != 1:
                    return None
                anchor = alike[0].strip()
            anchors.append(anchor)
        return anchors


# What corrects a hunk, by the code of its refusal; docs/matching.md says when.
CORRECTED = {
    "P201": Corrections._other_context,
    "P203": Corrections._other_anchor,
    "P205": Corrections._left_out,
    "P206": Corrections._not_at_the_end,
    "P207": Corrections._as_it_stands,
    "P211": Corrections._without_anchors,
}


def _needed(lines: list[str]) -> list[int]:
    """The old lines that say what is changed and where: removed ones, and kept ones next to lines only added."""
    needed: set[int] = set()
    old = 0
    for row, line in enumerate(lines):
        if line[0] == "-":
            needed.add(old)
        elif line[0] == "+" and (row == 0 or lines[row - 1][0] != "+"):
            below = next((other[0] for other in lines[row:] if other[0] != "+"), "")
            above = lines[row - 1][0] if row else ""
            if "-" not in (above, below):
                needed.update(index for index, sign in ((old - 1, above), (old, below)) if sign)
        old += line[0] != "+"
    return sorted(needed)


def _key(text: str) -> tuple[str, str]:
    """A line as a removed line has to agree: margin and characters; blanks inside it and typography do not count."""
    return margin_of(text), "".join(PASSES[-1].lines([text])[0].split())


def _longest_word(text: str) -> str:
    """What a line that agrees must hold as it is: blanks may differ between words, not inside them."""
    return max(findall(r"\w+", text), key=len, default="")


def _in_order(mine: list[str], theirs: list[str], slack: int) -> int | None:
    """How many of the hunk's lines the file has in the same order; None when one opens what the file does not.

    Without slack a line counts only at its own distance. A line that opens what a line of the file opens agrees with
    it, whatever its details.
    """
    plain_mine, plain_theirs = PASSES[-1].lines(mine), PASSES[-1].lines(theirs)
    if not slack and mine and not (theirs and _alike(plain_mine[0], plain_theirs[0])):
        return None
    agree = at = 0
    for index, (text, plain) in enumerate(zip(mine, plain_mine)):
        rows = range(at, len(theirs)) if slack else range(index, min(index + 1, len(theirs)))
        row = next((row for row in rows if plain and plain_theirs[row] == plain), None)
        if row is not None:
            agree, at = agree + 1, row + 1
        elif plain and opening(text):
            if _name(text) not in [_name(other) for other in theirs if opening(other)]:
                return None
            agree += 1
    return agree


def _alike(one: str, other: str) -> bool:
    """Whether a line may be another by a slip of the pen."""
    from difflib import SequenceMatcher

    return one == other or SequenceMatcher(None, one[:500], other[:500], autojunk=False).ratio() >= _SLIP


def _name(text: str) -> str:
    """What a line that opens something opens: its words up to the first sign that goes into details."""
    bare = text.strip()
    return bare[: next((n for n, char in enumerate(bare) if char in "({:<="), len(bare))].rstrip()


def _without(hunk: Hunk) -> Hunk:
    return _with(hunk, [])


def _with(hunk: Hunk, anchors: list[str]) -> Hunk:
    return Hunk(anchors, hunk.lines, hunk.at_eof, hunk.final_newline, hunk.line)
