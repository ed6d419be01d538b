"""What a hunk that was refused should have said, where one reading is clearly best.

Takes the file, the hunk and why it has no place; gives the hunks to send instead and the lines where they go, or
nothing. A correction takes the file's own text for kept and removed lines, puts back lines that were left out,
splits a hunk where many were left out, and drops what is there already. It changes no added line beyond its
indentation, and removes no line that the hunk does not show. docs/matching.md says what counts as certain.
"""

from __future__ import annotations

from itertools import groupby

from patchkit.core.changes.options import Options
from patchkit.core.language import Hunk
from patchkit.core.matching import MANY, SEVERAL, WORD, Match, Miss, WorkBudget, indentation
from patchkit.core.matching.already_applied import known_part, removed_lines, runs
from patchkit.core.matching.locate import locate
from patchkit.core.matching.passes import PASSES, Views
from patchkit.core.matching.scopes.anchors import Anchors
from patchkit.core.matching.scopes.openings import defines_another, is_slip, opening
from patchkit.core.text import Document
from patchkit.repair.alignment import ALIKE, HALF, MOSTLY, NEARLY, TELLING, Alignment, align, likeness
from patchkit.repair.garbled import GARBLED, with_less_changed
from patchkit.repair.hunk_builder import HunkBuilder
from patchkit.repair.near_miss import letters_of
from patchkit.repair.stale_lines import BareText, added_for, closed, completed, filled, in_word, is_replaced, parts_of
from patchkit.repair.wanted_text import wanted_text
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

CERTAIN = "certain"  # only whitespace, typography or order differ
LIKELY = "likely"


class Correction(Value):
    """The hunks to send instead of one, none if it can be left out, the line each goes to (from 0), and how sure."""

    __slots__ = ("hunks", "lines", "certainty")
    hunks: list[Hunk]
    lines: list[int]
    certainty: str

    def __init__(self, hunks: list[Hunk], lines: list[int], certainty: str = LIKELY) -> None:
        self.hunks = hunks
        self.lines = lines
        self.certainty = certainty


class Corrections:
    """The refused hunks of one file."""

    def __init__(self, document: Document, hunks: list[Hunk], budget: WorkBudget | None = None) -> None:
        """`hunks` are all of the file's: what one of them removes, another may put elsewhere."""
        self._document = document
        self._texts = document.texts
        self._views = Views(self._texts)
        self._anchors = Anchors(self._texts, self._views)
        self._gone = removed_lines(hunks)
        self._bare: BareText | None = None
        self._budget = budget if budget is not None else WorkBudget()

    def of(self, hunk: Hunk, miss: Miss, above: int = 0, below: int | None = None) -> Correction | None:
        """The one best correction; None when there is none, or more than one.

        `above` and `below` are the lines between which the hunks around it leave it free.
        """
        correct = CORRECTED.get(miss.code)
        found = correct(self, hunk, miss) if correct is not None else None
        if found is None and miss.code in _ALIGNED:
            stop = len(self._texts) if below is None else below
            found = self._aligned(hunk, above, stop)
            if hunk.of_texts and (found is None or found.certainty == LIKELY):
                found = self._as_wanted(hunk) or found
        if found is not None and miss.code == "P212":
            found.certainty = LIKELY  # how to indent what it adds is what is not clear
        return found

    # -- one for each reason ---------------------------------------------------------------------

    def _left_out(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk that is applied already, at one place, and shows enough to know that."""
        if miss.facts.get("whole"):
            return Correction([], [], CERTAIN)  # it adds definitions, and the file has all of them
        signs = [line[0] for line in hunk.lines if line[1:].strip()]
        adds, kept = "+" in signs, [n for n, sign in enumerate(signs) if sign == " "]
        between = "-" in signs[kept[0] : kept[-1]] if kept else False
        if len(miss.candidates) != 1 or not (adds or between):
            return None
        place, new = miss.candidates[0], hunk.new()
        there = self._texts[place : place + len(new)] == new
        return Correction([], [], CERTAIN) if there or not hunk.old() else None

    def _not_at_the_end(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk whose text is at one place, which is not the end of the file."""
        if len(miss.candidates) != 1 or hunk.final_newline is not None:
            return None
        return Correction([Hunk(hunk.anchors, hunk.lines, line=hunk.line)], miss.candidates[:1])

    def _as_it_stands(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk that fits one place by a pass that is not allowed: with the file's own lines it fits exactly."""
        match = locate(self._document, [hunk], Options())[0]
        if len(miss.candidates) != 1 or not isinstance(match, Match) or match.pairs is not None:
            return None
        return Correction([self._as_the_file(hunk, match.line, match.lines)], [match.line], CERTAIN)

    def _without_anchors(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk whose text is at one place outside its anchors, and does not depend on them.

        It does where the anchor names another definition: then the anchor may be right and the lines a twin. Not so
        where the anchor opens none, or where the hunk shows a line that opens a definition beside it. One inside it
        may have a twin of the same name: a method of another class.
        """
        if len(miss.candidates) != 1:
            return None
        place = miss.candidates[0]
        depths = [each.definition.depth for each in self._anchors.scopes(hunk.anchors) if each.definition is not None]
        shown = [
            each[1] for each in map(opening, self._anchors.lines[place : place + len(hunk.old())]) if each is not None
        ]
        if depths and min(shown, default=max(depths) + 1) > min(depths):
            return None
        return Correction([_without(hunk)], [place])

    def _other_anchor(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk whose anchor is nowhere: without it if its lines have one place, or with the one that was meant."""
        if not hunk.old():
            anchors = self._anchors_meant(hunk)
            scopes = self._anchors.scopes(anchors) if anchors else []
            return Correction([_with(hunk, anchors or [])], [scopes[0].line + 1]) if len(scopes) == 1 else None
        match = locate(self._document, [_without(hunk)], Options())[0]
        if not isinstance(match, Match) or match.pairs is not None:
            return None
        return Correction([_without(self._as_the_file(hunk, match.line, match.lines))], [match.line])

    # -- the best reading of a hunk that fits nowhere ----------------------------------------------

    def _aligned(self, hunk: Hunk, above: int, below: int) -> Correction | None:
        """The hunk as its lines lie on the file, where one reading of them is clearly the best."""
        sent, hunk = hunk, with_less_changed(hunk)
        if any(GARBLED in line for line in hunk.lines if line[0] == "+"):
            return None
        if all(line[0] == " " for line in hunk.lines):
            return self._of_no_change(sent, hunk)
        start, stop, anchors = self._scope(hunk, above, below)
        is_garbled = any(GARBLED in line for line in sent.lines)
        core = self._by_what_it_changes(hunk, start, stop)
        found = core if core is not None and core.certainty == CERTAIN else None
        if found is None:
            found = self._as_it_lies(hunk, start, stop, anchors)
        if found is None or found.certainty == LIKELY:
            return self._rewrapped(hunk) or found or core
        found.certainty = LIKELY if is_garbled else CERTAIN
        return found

    def _as_it_lies(self, hunk: Hunk, start: int, stop: int, anchors: list[str]) -> Correction | None:
        """The hunk with the lines of the file that its old lines are, or are like, in order."""
        of_texts, view = hunk.of_texts, self._views.by(PASSES[-1])
        reading = align(hunk.old(), _pivots(hunk.lines), view, self._budget, start, stop, _below_added(hunk.lines))
        reading = closed(hunk, filled(hunk, reading, self._texts), self._texts) if reading is not None else None
        if reading is not None and of_texts:
            hunk, reading = completed(hunk, reading, self._texts)
        if reading is None or not self._is_enough(hunk, reading):
            return None
        if not anchors and not self._is_recognised(hunk, reading):
            return None
        builder = HunkBuilder(hunk, reading, self._texts)
        built = builder.build()
        if not built or any(map(self._is_known, built)):
            return None
        hunks, lines = [], []
        for lines_of, row in built:
            made = self._unique(_with(hunk, anchors).with_lines(lines_of), row)
            hunks.append(made[0])
            lines.append(made[1])
        is_certain = not builder.is_guess and self._is_certain(hunk, reading)
        return Correction(hunks, lines, CERTAIN if is_certain else LIKELY)

    def _of_no_change(self, sent: Hunk, hunk: Hunk) -> Correction | None:
        """A hunk that changes nothing: with the lines that it wants there, or left out.

        One that mostly removes what it adds was written for what an earlier patch should have made. The file's lines
        become those where each lies on one like it; where only some do, what it wants is not known.
        """
        made = self._with_its_plus(hunk)
        view = self._views.by(PASSES[-1])
        again = PASSES[-1].lines([line[1:] for line in sent.lines if line[0] == "-"])
        is_pin = 2 * len(again) < len(hunk.lines)
        if made is not None or is_pin or all(GARBLED in text or view.numbers(text) for text in again):
            known = [bool(view.numbers(text)) for text in (again or PASSES[-1].lines(hunk.old())) if text]
            return made or Correction([], [], CERTAIN if not any(known) or (again and all(known)) else LIKELY)
        reading = align(hunk.old(), list(range(len(hunk.lines))), view, self._budget, 0, len(self._texts))
        if reading is None:
            return None
        first = reading.rows[0]
        if reading.rows != list(range(first, first + len(reading.rows))):
            return None
        lines = list[str]()
        for text, there in zip(sent.new(), self._texts[first:]):
            lines += [" " + there] if text.strip() == there.strip() else ["-" + there, "+" + text]
        better, row = self._unique(_without(hunk).with_lines(lines), first)
        return Correction([better], [row])

    def _with_its_plus(self, hunk: Hunk) -> Correction | None:
        """A hunk of context lines with those that the file lacks as added ones, if the others have one place so."""
        view = self._views.by(PASSES[-1])
        lines = [("+" if text and not view.numbers(text) else " ") + text for text in PASSES[-1].lines(hunk.old())]
        signs = "".join([line[0] for line in lines])
        if not signs.strip(" ") or "+ " in signs.strip(" ") or signs[:1] == "+":
            return None
        made = hunk.with_lines([sign + line[1:] for sign, line in zip(signs, hunk.lines)])
        match = locate(self._document, [made], Options())[0]
        if not isinstance(match, Match) or match.pairs is not None:
            return None
        at = match.line + signs.index("+")
        added = [line[1:] for line in made.lines if line[0] == "+"]
        beside = self._texts[max(0, at - 1) : at + 1]
        signed = any(bare[:1] in ("+", "-") and bare[1:2] != " " for bare in map(str.strip, added))
        if signed or any(likeness(line, text) >= ALIKE for line in added for text in beside):
            return None  # a line of the file with a slip, or with another sign
        return Correction([made], [match.line])

    def _by_what_it_changes(self, hunk: Hunk, start: int, stop: int) -> Correction | None:
        """The hunk with the context that is beside what it removes, where all of that is in the file once.

        Lines that are only added go below the line above them, where that is there once with those above it, and the
        file has all other lines, too.
        """
        changed = [row for row, line in enumerate(hunk.lines) if line[0] != " "]
        first, last = changed[0], changed[-1] + 1
        view, old = self._views.by(PASSES[-1]), PASSES[-1].lines
        core = old([line[1:] for line in hunk.lines[first:last] if line[0] != "+"])
        head, tail = (old([line[1:] for line in part]) for part in (hunk.lines[:first], hunk.lines[last:]))
        if core:
            places = [n for n in view.occurrences(core) if start <= n and n + len(core) <= stop]
            if len(places) != 1 or len(_letters("".join(core))) < TELLING:
                return None
            place = places[0]
            if any(opening(line) and not view.numbers(line) for line in (*head, *tail)):
                return None  # it may be meant for another definition
        else:
            if not all(view.numbers(line) for line in (*head, *tail) if line):
                return None
            ends = [at for size in range(len(head), 0, -1) for at in self._ends_of(head[-size:], start, stop)]
            if not ends or len(_letters(head[-1])) < TELLING or len(set(ends)) != 1:
                return None
            place = ends[0]
        above = _agreeing(reversed(head), reversed(view.lines[max(0, place - len(head)) : place]))
        end = place + len(core)
        below = _agreeing(tail, view.lines[end : end + len(tail)])
        if not above + below and len(_letters("".join(core))) < MANY:
            return None
        made = hunk.with_lines(hunk.lines[first - above : last + below])
        if made.lines == hunk.lines or any(GARBLED in line for line in made.lines) or self._is_known((made.lines, 0)):
            return None
        texts = self._texts[place - above : end + below]
        lines = indentation.follow(made.lines, texts, indentation.unit_of(self._texts))
        beside = [text.strip() for text in self._texts[max(0, place - 1) : place] + self._texts[end : end + 1]]
        if lines is None or any(line[1:].strip() in beside for line in lines if _letters(line) and line[0] == "+"):
            return None  # it would be there twice
        better = self._as_the_file(_without(made), place - above, lines)
        if better.old() != texts:
            return None
        hunks, row = self._unique(better, place - above)
        # What is only added is sure where all above it is there, and all below it is further down.
        is_certain = core or (above == len(head) and all(view.numbers(line)[-1] >= end for line in tail if line))
        return Correction([hunks], [row], CERTAIN if is_certain else LIKELY)

    def _ends_of(self, lines: list[str], start: int, stop: int) -> list[int]:
        """The line behind the only place of these lines; nothing where there are several."""
        found = [n for n in self._views.by(PASSES[-1]).occurrences(lines) if start <= n and n + len(lines) <= stop]
        return [found[0] + len(lines)] if len(found) == 1 else []

    def _rewrapped(self, hunk: Hunk) -> Correction | None:
        """The hunk on the file's own lines, where these have its text with other breaks, bullets or accents."""
        view = self._views.by(PASSES[-1])
        if all(view.numbers(text) for text in PASSES[-1].lines(hunk.old()) if text):
            return None
        if self._bare is None:
            self._bare = BareText(self._texts)
        made = self._bare.hunk(hunk.lines)
        if made is None or self._is_known(made):
            return None
        better, row = self._unique(_without(hunk).with_lines(made[0]), made[1])
        return Correction([better], [row])

    def _as_wanted(self, hunk: Hunk) -> Correction | None:
        """The block that makes its new text of an earlier form of it, where one reading of that is clearly the best."""
        made = wanted_text(hunk, self._views.by(PASSES[-1]), self._texts, self._budget)
        if made is None or self._is_known(made):
            return None
        better, row = self._unique(hunk.with_lines(made[0]), made[1])
        return Correction([better], [row])

    def _scope(self, hunk: Hunk, above: int, below: int) -> tuple[int, int, list[str]]:
        """The lines that the hunk may lie on, and the anchors that it should keep."""
        if not hunk.anchors or hunk.hint is not None:
            return above, below, []
        anchors = hunk.anchors if self._anchors.scopes(hunk.anchors) else self._anchors_meant(hunk)
        scopes = self._anchors.scopes(anchors) if anchors else []
        if len(scopes) != 1 or anchors is None:
            return above, below, []
        scope = scopes[0]
        # Lines right above the anchor may belong to it: comments and decorators.
        return max(0, scope.line - len(hunk.old())), scope.end, anchors

    def _is_enough(self, hunk: Hunk, reading: Alignment) -> bool:
        """Whether a reading finds what the hunk needs: most of what it shows, and all that it removes."""
        rows = [line for line in hunk.lines if line[0] != "+"]
        total = found = 0.0
        gone, removed = 0, 0
        pivots = set(_pivots(hunk.lines))
        in_a_row = hunk.of_texts and _is_in_a_row(reading) and not self._is_begun(hunk, reading)
        escaped = any("\\" in line for line in hunk.lines if line[0] == "+")
        unsigned = {sum(line[0] != "+" for line in hunk.lines[:row]) for row in hunk.unsigned or ()}
        for index, (line, row, like) in enumerate(zip(rows, reading.rows, reading.likeness)):
            weight = letters_of(line)
            total += weight
            removed += line[0] == "-" and weight > 0
            if row < 0:
                if index in unsigned:
                    return False  # it lost its sign, and may be one to add
                gone += (
                    line[0] == "-"
                    and weight > 0
                    and not (added_for(hunk, index) and self._is_gone(line, reading, index))
                )
                continue
            found += weight * like
            if index in pivots and not weight and _is_other_brace(line[1:], self._texts[row]):
                return False
            there = self._texts[row]
            least = MOSTLY if _is_enclosed(reading, index) else ALIKE
            loose = line[0] == "-" and not in_a_row
            if loose and like < least and weight and not is_replaced(hunk, index, there):
                return False
            other = loose and _numbers(there) not in (_numbers(line), _numbers(added_for(hunk, index)))
            if other and not _has_more(there, line[1:]):
                return False  # another number is another value, not a slip
            if line[0] == "-" and like < 1 and _is_escaped(line[1:], there) and escaped:
                return False  # the added lines were escaped on their way, too
            if like < 1 and _lost_its_bullet(line[1:], there, added_for(hunk, index) if line[0] == "-" else ""):
                return False
            if like < 1 and defines_another(line[1:], there):
                return False
            if like < 1 and index in pivots and not _is_enclosed(reading, index) and self._is_another(line[1:], there):
                return False
        return found >= max(WORD, HALF * total) and SEVERAL * gone <= removed

    def _is_another(self, mine: str, theirs: str) -> bool:
        """Whether two lines differ in one word, no slip of the other, and a third line of the file in that word, too.

        So such lines are different by that word: `send({type: "Patch"})` is not `send({type: "Result"})`.
        """
        one, other = (["".join(run) for _, run in groupby(text.strip(), in_word)] for text in (mine, theirs))
        differing = [at for at, (a, b) in enumerate(zip(one, other)) if a != b]
        if len(one) != len(other) or len(differing) != 1:
            return False
        at = differing[0]
        start, end, words = "".join(one[:at]), "".join(one[at + 1 :]), (one[at], other[at])
        if is_slip(*words) or not all(map(in_word, "".join(words))):
            return False
        if not self._budget.spend(len(self._texts)):
            return True  # not known any more, and a correction less does no harm
        thirds = [text for text in map(str.strip, self._texts) if text.startswith(start) and text.endswith(end)]
        found = {text[len(start) : len(text) - len(end)] for text in thirds}
        return any(word and all(map(in_word, word)) for word in found.difference(words))

    def _is_begun(self, hunk: Hunk, reading: Alignment) -> bool:
        """Whether a removed line is what is added for it by now: the rest may be on its way to something else."""
        return any(
            row >= 0 and like < 1 and added_for(hunk, index).strip() == self._texts[row].strip()
            for index, (row, like) in enumerate(zip(reading.rows, reading.likeness))
        )

    def _is_gone(self, line: str, reading: Alignment, index: int) -> bool:
        """Whether a removed line is gone already: the lines around it are the same in the file and follow each other.

        At the end of a hunk nothing is below it; there the file's next line must not begin like it.
        """
        rows, same = reading.rows, [row if like == 1 else -1 for row, like in zip(reading.rows, reading.likeness)]
        above = next((n for n in range(index, -1, -1) if rows[n] >= 0), 0)
        below = next((n for n in range(index, len(rows)) if rows[n] >= 0), -1)
        if not above or same[above - 1] < 0 or same[above] != same[above - 1] + 1:
            return False
        row = same[above] + 1
        if below >= 0:
            return same[below] == row
        following = self._texts[row].split() if row < len(self._texts) else []
        return following[:1] != line[1:].split()[:1]

    def _is_recognised(self, hunk: Hunk, reading: Alignment) -> bool:
        """Whether lines of which none is the same in the file are its own: by the same letters, or by many of them.

        Short lines of code are alike whatever they say. Where a line that is kept says alone where others are added, it
        has to be more alike.
        """
        if any(like == 1 for like in reading.likeness):
            return True
        kept = [line[0] == " " for line in hunk.lines if line[0] != "+"]
        if any(kept[each] and 0 < reading.likeness[each] < MOSTLY for each in _pivots(hunk.lines)):
            return False
        pairs = [(_letters(old), _letters(self._texts[row])) for old, row in zip(hunk.old(), reading.rows) if row >= 0]
        other = [mine for mine, theirs in pairs if mine.casefold() != theirs.casefold()]
        if hunk.of_texts and min(reading.likeness) >= NEARLY and len("".join(other)) > 2 * WORD:
            return True
        return not other or len("".join(other)) >= MANY

    def _is_known(self, made: tuple[list[str], int]) -> bool:
        """Whether half of what a hunk adds is in the file already: then it was written for an older state of it.

        So it was where a line is added beside the same line.
        """
        view = self._views.by(PASSES[-1])
        if any(_is_twice(one, other) for one, other in zip(made[0], made[0][1:])):
            return True
        return any(known_part(PASSES[-1].lines(run), view, self._gone) >= HALF for run in runs(made[0]))

    def _is_certain(self, hunk: Hunk, reading: Alignment) -> bool:
        """Whether all that is removed, and what is beside added lines, is there, but for whitespace and typography.

        Lines that follow each other in a change, and the kept ones beside what it adds, follow each other in the file,
        too. No other line of the hunk is elsewhere in the file.
        """
        view, old, rows = self._views.by(PASSES[-1]), hunk.old(), reading.rows
        if any(like < 1 and view.numbers(text) for text, like in zip(PASSES[-1].lines(old), reading.likeness)):
            return False
        pivots = _pivots(hunk.lines)
        if any(rows[at] < 0 or _plain(old[at]) != _plain(self._texts[rows[at]]) for at in pivots):
            return False
        return all(rows[below] == rows[above] + 1 for above, below in zip(pivots, pivots[1:]) if below == above + 1)

    def _unique(self, hunk: Hunk, row: int) -> tuple[Hunk, int]:
        """The hunk with as many more lines of context as it takes to have one place; `row` is its first old line."""
        lines, size = hunk.lines, len(hunk.old())
        first, last = row, row + size
        view = self._views.by(PASSES[0])
        for _ in range(SEVERAL):
            old = self._texts[first:last]
            touching = (first and lines[0][0] == "+") or (last < len(self._texts) and lines[-1][0] == "+")
            if old and not touching and len(view.occurrences(old)) == 1:
                break
            if first:
                first -= 1
                lines = [" " + self._texts[first], *lines]
            if last < len(self._texts):
                lines = [*lines, " " + self._texts[last]]
                last += 1
        return hunk.with_lines(lines), first

    # -- what they lean on -----------------------------------------------------------------------

    def _as_the_file(self, hunk: Hunk, place: int, lines: list[str]) -> Hunk:
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


_ALIGNED = ("P201", "P203", "P204", "P206", "P211", "P212")
# What corrects a hunk, by the code of its refusal, before its lines are aligned; docs/matching.md says when.
CORRECTED = {
    "P203": Corrections._other_anchor,
    "P205": Corrections._left_out,
    "P206": Corrections._not_at_the_end,
    "P207": Corrections._as_it_stands,
    "P211": Corrections._without_anchors,
}


def _agreeing(mine: Iterable[str], theirs: Iterable[str]) -> int:
    """How many lines from the first on are the same."""
    count = 0
    for one, other in zip(mine, theirs):
        if one != other:
            break
        count += 1
    return count


def _is_in_a_row(reading: Alignment) -> bool:
    """Whether old lines lie on as many lines of the file, one for one, and most of them are the same."""
    first = reading.rows[0]
    one_for_one = reading.rows == list(range(first, first + len(reading.rows)))
    return one_for_one and sum(reading.likeness) > NEARLY * len(reading.rows)


def _is_enclosed(reading: Alignment, index: int) -> bool:
    """Whether the two lines above and below an old line are the same in the file, right above and below its line."""
    around = range(index - 2, index + 3)
    if around[0] < 0 or around[-1] >= len(reading.rows):
        return False
    row = reading.rows[index]
    return all(
        reading.rows[each] == row + each - index and (each == index or reading.likeness[each] == 1) for each in around
    )


def _is_other_brace(mine: str, theirs: str) -> bool:
    """Whether a line without words, which only its depth identifies, is at another depth in the file."""
    return bool(mine.strip()) and indentation.margin_of(mine) != indentation.margin_of(theirs)


def _lost_its_bullet(mine: str, theirs: str, added: str) -> bool:
    """Whether the file's line begins with a dash or plus that the hunk took for a sign: added lines may lack theirs.

    Not so where the line that is `added` for it begins with that dash or plus.
    """
    bare = theirs.lstrip()
    sign = bare[:1]
    return sign in ("-", "+") and bare[1:].strip() == mine.strip() and not added.lstrip().startswith(sign)


def _is_twice(one: str, other: str) -> bool:
    """Whether of two neighbouring lines of a hunk one is added and the other kept, and they say the same."""
    return {one[0], other[0]} == {"+", " "} and one[1:].strip() == other[1:].strip() and len(_letters(one)) >= WORD


def _is_escaped(mine: str, theirs: str) -> bool:
    """Whether a line has backslashes that the file's line lacks, and nothing else is different."""
    return "\\" in mine and mine.replace("\\", "").strip() == theirs.replace("\\", "").strip()


def _numbers(text: str) -> list[str]:
    return [part for part in parts_of(text, str.isdecimal) if part[0].isdecimal()]


def _has_more(text: str, line: str) -> bool:
    """Whether a line of the file has all of another and its numbers, in order, and something more between them."""
    pairs = (line.strip(), text.strip()), (_numbers(line), _numbers(text))
    return all(all(each in rest for each in some) for some, rest in ((some, iter(others)) for some, others in pairs))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _pivots(lines: list[str]) -> list[int]:
    """The old lines that say what is changed and where: removed ones, and the nearest beside added ones."""
    pivots: list[int] = []
    index = -1
    for row, line in enumerate(lines):
        if line[0] != "+":
            index += 1
            beside = [other[:1] for other in (lines[row - 1] if row else "", *lines[row + 1 : row + 2])]
            if line[0] == "-" or "+" in beside:
                pivots.append(index)
    return pivots


def _below_added(lines: list[str]) -> set[int]:
    """The old lines that are kept right below added ones, where the one above those is kept, too."""
    found: set[int] = set()
    index, above, adds = -1, "", False
    for line in lines:
        if line[0] == "+":
            adds = True
            continue
        index += 1
        if adds and above == line[0] == " ":
            found.add(index)
        above, adds = line[0], False
    return found


def _plain(text: str) -> str:
    """A line without whitespace and typography."""
    return "".join(PASSES[-1].lines([text])[0].split())


def _name(text: str) -> str:
    """What a line that opens something opens: its words up to the first sign that goes into details."""
    bare = text.strip()
    return bare[: next((n for n, char in enumerate(bare) if char in "({:<="), len(bare))].rstrip()


def _without(hunk: Hunk) -> Hunk:
    return _with(hunk, [])


def _with(hunk: Hunk, anchors: list[str]) -> Hunk:
    return Hunk(anchors, hunk.lines, hunk.at_eof, hunk.final_newline, hunk.line)
