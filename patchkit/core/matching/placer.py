"""Place the hunks of one file together, and say of each why it sits where it does.

Takes the places `search` found for each hunk; gives Matches when one placement remains after all the
evidence, Misses for the hunks that have none or several. `locate` comes
here only when the fast searches do not settle everything.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from patchkit.core.language import Hunk
from patchkit.core.matching import MOST_COMPARED, MOST_EXPLAINED, SHOWN, Match, Miss, indentation, listed, ordering
from patchkit.core.matching.candidates import Candidates
from patchkit.core.matching.ordering import Placement
from patchkit.core.matching.passes import INVISIBLE, PASSES
from patchkit.core.matching.scopes.anchors import Anchors, Definition
from patchkit.core.matching.search import Search
from patchkit.core.text import Document
from patchkit.errors import Note, PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.core.matching import Tolerance
    from patchkit.core.matching.scopes.anchors import KnownScopes


# Which of several places a hunk has, by a name that the patch makes known at one of them only.
#
# Takes a hunk with its places and the hunks that have theirs; gives the one place in a definition to which another hunk
# adds a name that this hunk uses, as what is given a value, where neither that definition nor the ones around the other
# places have the name so far. At any other place the hunk would use a name that nothing there knows.
# Not behind a dot or in quotes: members and texts are known in other definitions, too.
_NAME = r"(?<![\w.'\"`$@#-])[A-Za-z_]\w{3,}"
_WORD = r"[A-Za-z_]\w{3,}"
# A line that gives a name its value: `name = `, `name := `, `const name: Type = `. Not an argument, not a member.
_GIVEN = r"(?m)^[ \t]*(?:[A-Za-z_][\w<>\[\].*&]*[ \t]+){0,3}([A-Za-z_]\w{3,})[ \t]*(?::[^=\n]{0,80})?:?=(?![=>])"


def place_of_new_name(
    found: Candidates, places: list[int], settled: list[tuple[Candidates, int]], texts: list[str], anchors: Anchors
) -> tuple[int, str] | None:
    """The one place that a new name shows, and the name; None where none is shown, or more than one."""
    if len(places) > SHOWN or not settled:
        return None
    wanted = _names(found.lines, "+", _NAME) - _names(found.lines, " -", _WORD)
    given = [(line, each, _names(each.lines, "+", _GIVEN) - _names(each.lines, " -", _WORD)) for each, line in settled]
    others = [(each.changed(line)[0], wanted & names) for line, each, names in given if wanted & names]
    if not wanted or not others:
        return None
    shown: list[tuple[int, set[str]]] = []
    for place in places:
        around = _around(place, found, places, others, anchors)
        if around is not None:
            names = set.union(*[names for first, names in others if around.line <= first < around.end])
            shown.append((place, names - _known(around, texts)))
    if len(shown) != 1:
        return None
    place, names = shown[0]
    for other in places:
        if other != place:
            outer = next(iter([*anchors.around(found.changed(other)[0])][-1:]), None)
            if outer is None:
                return None
            names = names - _known(outer, texts)
    return (place, min(names)) if names else None


def _around(
    place: int, found: Candidates, places: list[int], others: list[tuple[int, set[str]]], anchors: Anchors
) -> Definition | None:
    """The smallest definition around a place with another hunk in it that adds a wanted name, and no other place."""
    for definition in anchors.around(found.changed(place)[0]):
        span = range(definition.line, definition.end)
        if any(found.changed(each)[0] in span for each in places if each != place):
            return None
        if definition.kind == "code" and any(first in span for first, _ in others):
            return definition
    return None


def _known(definition: Definition, texts: list[str]) -> set[str]:
    return _found(_WORD, texts[definition.line : definition.end])


def _names(lines: list[str], signs: str, pattern: str) -> set[str]:
    return _found(pattern, [line[1:] for line in lines if line[0] in signs])


def _found(pattern: str, lines: list[str]) -> set[str]:
    from re import findall  # one hunk has no others to look at, and its refusal is there sooner without

    return set(findall(pattern, "\n".join(lines)))


_PROOF = 100_000  # what trying a choice costs, in characters searched
PLACING = 10_000  # and looking at one place of a hunk
_MOST_FITTING = 1_000_000_000  # places of all hunks of one file together: ten thousand that each fit everywhere
_MOST_HUNKS = 20_000  # of one file that are placed one by one
_MOST_NEARLY = 5_000  # hunks that fit but for a line, or rewritten, which take 1.3 s: bounds work


class HunkPlacer:
    """The hunks of one file on their way to their places; `scopes` of their anchors may be known already."""

    def __init__(self, document: Document, hunks: list[Hunk], policy: Tolerance, scopes: KnownScopes = None) -> None:
        if len(hunks) > _MOST_HUNKS and sum(line[0] != " " for hunk in hunks for line in hunk.lines) > _MOST_HUNKS:
            reason = f"it has more than {_MOST_HUNKS:,} hunks for one file, and some are not where their order says"
            raise PatchkitError("P117", reason=reason, instead="send them as the file has them, in its order")
        self.document = document
        self.policy = policy
        self.search = Search(document, policy, hunks, scopes)
        self.evidence = Evidence(self.search)
        self.hunks = hunks
        self.results: list[Candidates | Miss] = []
        fitting = nearly = 0
        for number, hunk in enumerate(hunks):
            found = self.search.places(number, hunk)
            self.results.append(found)
            fitting += len(found.places) if isinstance(found, Candidates) else 0
            if fitting > _MOST_FITTING:
                facts = {"hunk": number + 1, "patch_line": hunk.line, "instead": "show more lines in each hunk"}
                raise PatchkitError("P117", reason="its hunks fit more than a billion places", **facts)
            nearly += isinstance(found, Candidates) and (found.fit is not None or bool(found.rewrite))
            if nearly > _MOST_NEARLY:
                facts = {"hunk": number + 1, "patch_line": hunk.line, "instead": "copy the lines from the file"}
                reason = f"more than {_MOST_NEARLY:,} of its hunks have other lines than the file"
                raise PatchkitError("P117", reason=reason, **facts)
        self._rewrite_alike()
        self._leave_applied()
        self._end_in_order()
        self._places = [each.places if isinstance(each, Candidates) else [] for each in self.results]
        self._listed = 0  # places of ambiguous hunks
        self._ambiguities = 0  # hunks that are ambiguous
        self._free: dict[int, tuple[int, int]] = {}  # of hunks placed in order: from where, and down to where

    def place(self) -> list[Match | Miss]:
        """Returns a Match for every hunk, or a Miss for at least one."""
        answers = self._answers(self.results)
        free = self._free
        for number, answer in enumerate(answers):
            if isinstance(answer, Miss) and answer.code in ("P202", "P208"):
                answer.ambiguity = Ambiguity(self, number, free.get(number))
                answer.facts.update(choices=[], anchored=bool(self.hunks[number].anchors))
        return answers

    def _answers(self, results: list[Candidates | Miss]) -> list[Match | Miss]:
        ordered = [each for each in results if isinstance(each, Candidates) and not each.at_end]
        ends = [each for each in results if isinstance(each, Candidates) and each.at_end]
        lines = dict(zip((each.number for each in ordered), self._choose(ordered)))
        lines.update((each.number, each.places[0]) for each in ends)
        answers: list[Match | Miss] = []
        for number, each in enumerate(results):
            where = lines.get(number)
            if isinstance(each, Miss):
                answers.append(each)
            elif isinstance(where, int):
                answers.append(self._match(each, where))
            elif where is not None:
                answers.append(where)
        return answers

    def _rewrite_alike(self) -> None:
        """What happened to one hunk on its way here happened to all: those that fit either way follow it."""
        for name in {each.rewrite for each in self.results if isinstance(each, Candidates) and each.rewrite}:
            for number, each in enumerate(self.results):
                if isinstance(each, Candidates) and not each.rewrite:
                    again = self.search.rewritten(each, name)
                    if again is not None and again.places == each.places:
                        self.results[number] = again

    def _leave_applied(self) -> None:
        """Where one hunk has been applied already, no other is taken to a twin of what it changes.

        So it is with one whose result is there, too: the patch has been applied before.
        """
        applied = [(hunk, miss) for hunk, miss in zip(self.hunks, self.results) if isinstance(miss, Miss)]
        places = [(hunk, at) for hunk, miss in applied if miss.code == "P205" for at in miss.candidates[:SHOWN]]
        taken = {line for hunk, at in places for line in range(at, at + len(hunk.new()))}
        for number, each in enumerate(self.results) if places else ():
            if isinstance(each, Candidates) and not each.idle and self.search.already.has_result(each):
                # What another hunk has made is not made by this one.
                done = [line for line in self.search.already.places(each) if line not in taken]
                if done:
                    self.results[number] = Miss("P205", done, line=done[0] + 1)

    def _end_in_order(self) -> None:
        """Takes a last hunk that ends with a blank line to the end of the file, if only that keeps the hunks in order.

        The blank line is behind the last line there; with it the hunk matches above the others.
        """
        last = self.results[-1] if len(self.results) > 1 else None
        if not isinstance(last, Candidates) or not last.old or last.old[-1].strip():
            return
        others = [each for each in self.results[:-1] if isinstance(each, Candidates) and not each.at_end]
        if not last.at_end and ordering.in_order([*others, last]) is None:
            again = self.search.past_the_end(last)
            if again is not None and ordering.in_order([*others, again]) is not None:
                self.results[-1] = again

    # -- choosing --------------------------------------------------------------------------------

    def _choose(self, wanted: list[Candidates]) -> list[int | Miss]:
        """One line or one Miss for each hunk that has places.

        The order of the hunks counts first: what it leaves is narrowed by how strictly the places fit, and then
        by what else is known of them.
        """
        self._free = {}
        if not wanted:
            return []
        placed = ordering.in_order(wanted)
        if placed is None:
            return self._choose_unordered(wanted)
        if placed.top != placed.bottom:
            placed = self._narrow_by_evidence(wanted, placed)
        self._free = ordering.free_lines(wanted, placed)
        answers: list[int | Miss] = list(placed.top)
        clash = ordering.overlap(wanted, placed.top) if placed.shared else None
        if clash is not None:
            return self._clashing(wanted, answers, *clash)
        undecided = set(self._open_ones(wanted, placed))
        strictest = _strictest_left(wanted, placed)
        for index, each in enumerate(wanted):
            if index in undecided:
                answers[index] = self._ambiguous(each, placed.top[index], placed.bottom[index])
            elif self._contradicted(each, placed.top[index], strictest[id(each.levels)]):
                each.places = sorted(each.levels)  # evidence has left one of them, and others speak against it
                answers[index] = self._ambiguous(each, 0, len(self.document.texts))
            elif each.hunk.hint == 1 and each.lines[0][0] != " " and placed.top[index] and not each.hunk.of_texts:
                each.note("P937", evidence="first-line", line=placed.top[index] + 1)
        return answers

    def _narrow_by_evidence(self, wanted: list[Candidates], placed: Placement) -> Placement:
        placed = self._narrow(wanted, placed, self.evidence.by_strictness, first_may_win=False)
        narrowings = (
            _earlier(wanted, placed),
            self.evidence.by_changed_lines,
            self.evidence.by_nearest_definition,
            self.evidence.by_indentation,
            self.evidence.by_pass,
            self.evidence.by_line_number,
        )
        known = [(each.hunk.hint, top) for each, top, end in zip(wanted, placed.top, placed.bottom) if top == end]
        moved = {top + 1 - hint for hint, top in known if hint is not None}
        self.evidence.moved = moved.pop() if len(moved) == 1 else 0
        for narrowing in () if self._too_many(wanted, self._open_ones(wanted, placed)) else narrowings:
            placed = self._narrow(wanted, placed, narrowing)
        for each in wanted:
            if "line-number" in each.evidence and each.hunk.hint not in (None, each.places[0] + 1):
                each.note("P937", evidence="line-number", line=each.places[0] + 1, number=each.hunk.hint)
        self._pin_below(wanted, placed)
        self._follow_new_names(wanted, placed)
        return placed

    def _contradicted(self, found: Candidates, line: int, strictest: int) -> bool:
        """Whether the order of the hunks leads to one place, and the hunk's own text or line number to another.

        `strictest` is the strictest pass of its other places.
        """
        if not found.changes or self.policy.first_wins:
            return False
        level, hint = found.levels.get(line, 0), found.hunk.hint
        if hint is not None and hint - 1 != line and found.levels.get(hint - 1, level + 1) <= level:
            return True
        return level > INVISIBLE and strictest < level

    def _open_ones(self, wanted: list[Candidates], placed: Placement, first_may_win: bool = True) -> list[int]:
        """Hunks that change something and still have a choice, which the first place may not settle."""
        return [
            index
            for index, (each, top, bottom) in enumerate(zip(wanted, placed.top, placed.bottom))
            if each.changes and top != bottom and not (each.idle or (first_may_win and self._first_wins(each, top)))
        ]

    def _first_wins(self, found: Candidates, line: int) -> bool:
        """In the codex dialect the first place is taken, unless Codex itself would have read the hunk otherwise:
        it looks below the anchor only, and takes a stray blank line for a hunk."""
        return self.policy.first_wins and not found.hunk.bare and not (found.scopes and line <= found.scopes[0].line)

    def _narrow(
        self,
        wanted: list[Candidates],
        placed: Placement,
        narrowing: Callable[[Candidates, list[int]], list[int]],
        first_may_win: bool = True,
    ) -> Placement:
        """Keeps the better places of the open hunks, if that leaves every hunk one."""
        undecided = self._open_ones(wanted, placed, first_may_win)
        if not undecided or self._too_many(wanted, undecided):
            return placed
        before = [each.places for each in wanted]
        for index in undecided:
            each = wanted[index]
            reach = each.places[
                bisect_left(each.places, placed.top[index]) : bisect_right(each.places, placed.bottom[index])
            ]
            better = narrowing(each, reach)
            if better and len(better) < len(reach):
                each.places = better
                each.evidence.append(narrowing.__name__.removeprefix("by_").replace("_", "-"))
        narrowed = ordering.in_order(wanted)
        if narrowed is None:
            for each, places in zip(wanted, before):
                each.places = places
            return placed
        return narrowed

    def _too_many(self, wanted: list[Candidates], undecided: list[int]) -> bool:
        places = sum(len(wanted[index].places) for index in undecided)
        return 4 * places > MOST_COMPARED  # each of them is looked at several times

    def _pin_below(self, wanted: list[Candidates], placed: Placement) -> None:
        """Takes hunks below a hunk of context lines only to the nearest place behind it: such a hunk pins the next.

        So does one that ends in two blocks which it opens, for a hunk that shows the ends of both. The hunk above has
        to have one place itself, or one by another such hunk above it. The topmost places are in order already, so the
        other hunks keep theirs.
        """
        for index in range(1, len(wanted)):
            pin, each = wanted[index - 1], wanted[index]
            top, bottom = placed.top[index], placed.bottom[index]
            if top == bottom or placed.top[index - 1] != placed.bottom[index - 1]:
                continue
            first = bisect_left(each.places, top)
            count = bisect_right(each.places, bottom) - first
            evidence = "context-above"
            if pin.changes and not pin.idle:
                ends = open_ends(self.document.texts, placed.top[index - 1], pin.size, bottom + each.size)
                places = each.places[first : first + count]
                # The end of one block is everywhere; the ends of two are those that the hunk above leaves open.
                closing = [n for n in places if sum(_holds_end(each, n, end, self.document.texts) for end in ends) > 1]
                if len(closing) != 1:
                    continue
                top, evidence = closing[0], "open-block"
                if any(line < top + each.size for line in placed.bottom[index + 1 : index + 2]):
                    continue  # the hunk below would lose its place
                placed.top[index] = top
            placed.bottom[index] = top
            self._pinned(each, top, count, evidence)

    def _pinned(self, found: Candidates, line: int, count: int, evidence: str) -> None:
        """Takes a hunk to one of `count` places, by the hunk above it."""
        found.places = [line]
        if found.changes and not self._first_wins(found, line):
            found.evidence.append(evidence)
            found.note("P937", evidence=evidence, count=count, line=line + 1)

    def _follow_new_names(self, wanted: list[Candidates], placed: Placement) -> None:
        """Takes a hunk to the place where it uses a name that the patch adds there, if all others have their places."""
        undecided = self._open_ones(wanted, placed)
        if len(undecided) != 1 or len(wanted) == 1:
            return
        index = undecided[0]
        each = wanted[index]
        settled = [(other, line) for n, (other, line) in enumerate(zip(wanted, placed.top)) if n != index]
        places = each.places[
            bisect_left(each.places, placed.top[index]) : bisect_right(each.places, placed.bottom[index])
        ]
        shown = place_of_new_name(each, places, settled, self.document.texts, self.search.anchors)
        if shown is not None:
            each.places = [shown[0]]
            placed.top[index] = placed.bottom[index] = shown[0]
            each.evidence.append("new-name")
            each.note("P937", evidence="new-name", count=len(places), line=shown[0] + 1, name=shown[1])

    def _choose_unordered(self, wanted: list[Candidates]) -> list[int | Miss]:
        """No placement in the file's order: each hunk must be alone at one place of its own.

        A hunk of context lines only pins the next one here, too.
        """
        for each in wanted:
            if each.old:
                each.places = self.evidence.by_pass(each, each.places)
        for pin, each in zip(wanted, wanted[1:]):
            below = bisect_left(each.places, pin.places[0] + pin.size)
            if not pin.changes and len(pin.places) == 1 < len(each.places) and below < len(each.places):
                self._pinned(each, each.places[below], len(each.places), "context-above")
        alone = ordering.out_of_order(wanted)
        if alone is not None:
            # Braces that are at another depth are not looked at, but where they would be in order, they may be meant.
            bound = [bool(each.reach or each.hunk.at_eof or not each.astray) for each in wanted]
            meant = [each if fixed else each.again(each.astray) for each, fixed in zip(wanted, bound)]
            if ordering.in_order(meant) is None:
                wanted[0].notes.append(Note("P926"))
                return list(alone)
            wanted = meant
        answers: list[int | Miss] = [each.places[0] for each in wanted]
        for index, each in enumerate(wanted):
            if len(each.places) > 1 and each.changes:
                answers[index] = self._ambiguous(each, each.places[0], each.places[-1])
        if not any(isinstance(answer, Miss) for answer in answers):
            places = [each.places[0] for each in wanted]
            pair = ordering.overlap(wanted, places, ordered=False) or (0, len(wanted) - 1)
            return self._clashing(wanted, answers, *pair)
        return answers

    def _clashing(
        self, wanted: list[Candidates], answers: list[int | Miss], first: int, second: int
    ) -> list[int | Miss]:
        """Answers for hunks of which two change the same lines."""
        lines = sorted({n + 1 for n in (answers[first], answers[second]) if isinstance(n, int)})
        hunks = f"{wanted[first].number + 1} and {wanted[second].number + 1}"
        answers[second] = Miss("P204", wanted[second].places, hunks=hunks, **listed(lines))
        return answers

    def _ambiguous(self, found: Candidates, top: int, bottom: int) -> Miss:
        first, end = bisect_left(found.places, top), bisect_right(found.places, bottom)
        most = max(SHOWN, MOST_EXPLAINED - self._listed)
        self._ambiguities += 1
        if self._ambiguities > MOST_EXPLAINED:
            most = 1
        places = found.places[first : min(end, first + most)]
        self._listed += len(places)
        if not found.old:
            return Miss("P208", places, anchor=found.hunk.anchors[-1], **listed(places, end - first))
        return Miss("P202", places, **listed([n + 1 for n in places], end - first))

    # -- what would choose -----------------------------------------------------------------------

    def would_place(self, number: int, free: tuple[int, int] | None, hunk: Hunk, line: int) -> bool:
        """Whether another text of a hunk has its place at `line`.

        A hunk with one place, in the lines that the others leave free, is there whatever they do. Otherwise all are
        placed again, which is work that counts.
        """
        budget = self.search.budget
        if not budget.spend(_PROOF):
            return False
        changed = self.search.places(number, hunk)
        if isinstance(changed, Miss):
            return False
        if free is not None and changed.places == [line] and free[0] <= line <= free[1] - changed.size:
            return isinstance(self._match(changed, line), Match)
        if not budget.spend(PLACING * (len(self.hunks) + sum(map(len, self._places)))):
            return False
        again = self._answers([changed if n == number else self._fresh(n) for n in range(len(self.hunks))])[number]
        return isinstance(again, Match) and again.line == line

    def _fresh(self, number: int) -> Candidates | Miss:
        """A hunk with its places as they were before any evidence was used."""
        result = self.results[number]
        if isinstance(result, Candidates):
            result = result.again(self._places[number])
        return result

    # -- the answer ------------------------------------------------------------------------------

    def _match(self, found: Candidates, line: int) -> Match | Miss:
        name, reindents = found.pass_at(line)
        match = Match(line, self.document.start(line), found.lines, found.size, name)
        match.evidence = found.evidence
        match.notes = found.notes
        if name != "exact":
            found.note("P921", line=line + 1, tolerance=name)
        if found.fit is not None:
            match.pairs = found.fit.pairs
        if reindents:
            there = self.search.matched_texts(found, line)
            lines = indentation.follow(found.lines, there, self.search.unit, bool(found.hunk.unsigned))
            is_flat = indentation.is_flat([row[1:] for row in found.lines])  # every margin may have been lost
            if lines is None and not is_flat and _stands_beside_exact_lines(found.lines, there):
                lines = found.lines
            if lines is None:
                return Miss("P212", [line], line=line + 1)
            if lines != found.lines:
                found.note("P924")
            match.lines = lines
        end = len(self.search.texts) if found.number == len(self.hunks) - 1 else 0
        if name == "exact" and (not found.changes or found.hunk.is_made_for(line, end)):
            return match  # nothing is made twice
        again = self.search.already.again_at(match.lines, line, found.size)
        return match if again is None else again


class Ambiguity:
    """A hunk that has several places, and whether another text of it would have one of them."""

    __slots__ = ("search", "found", "hunk", "chooser", "_placer", "_free")

    def __init__(self, placer: HunkPlacer, number: int, free: tuple[int, int] | None) -> None:
        found = placer.results[number]
        assert isinstance(found, Candidates)
        self.search = placer.search
        self.found = found
        self.hunk = placer.hunks[number]  # as it was sent
        self.chooser: object = None  # of those who offer what would choose
        self._placer = placer
        self._free = free  # the lines that the other hunks leave to it

    def would_place(self, hunk: Hunk, line: int) -> bool:
        """Whether the hunk so changed has its place at a line."""
        return self._placer.would_place(self.found.number, self._free, hunk, line)


class Evidence:
    """What narrows the places of a hunk down when its text and the order of the hunks leave several.

    Each method takes a hunk and some of its places, in file order, and gives the better ones, or all if in doubt.
    """

    __slots__ = ("_search", "moved")

    def __init__(self, search: Search) -> None:
        self._search = search
        self.moved = 0

    def by_strictness(self, found: Candidates, places: list[int]) -> list[int]:
        """Places that fit as strictly as any of these; other margins and other quotes count alike."""
        return self._least_level(found, places, INVISIBLE + 1)

    def by_changed_lines(self, found: Candidates, places: list[int]) -> list[int]:
        """Places whose changed lines, not only their context, lie in an anchor's scope."""
        reach = found.reach
        return places if reach is None else [n for n in places if reach.covers(*found.changed(n))]

    def by_nearest_definition(self, found: Candidates, places: list[int]) -> list[int]:
        """Places whose nearest enclosing definition is the anchor itself."""
        reach, around = found.reach, self._search.anchors.around
        if reach is None or not found.old:  # lines that only go below their anchor are in no nearer definition
            return places
        end = len(self._search.texts)  # behind the last line nothing is open any more that could be nearer
        firsts = [found.changed(n)[0] for n in places]
        return [
            n
            for n, first in zip(places, firsts)
            if (reach.is_nearest(found, n, list(around(first))) if first < end else reach.admits(found, n))
        ]

    def by_indentation(self, found: Candidates, places: list[int]) -> list[int]:
        """Places whose indentation agrees best with the patch."""
        if not found.old or not found.pass_at(places[0])[1]:
            return places
        if len(places) * found.size > MOST_COMPARED:
            return places
        texts, known = self._search.texts, dict[object, int]()
        return _least(places, lambda n: indentation.ranks(found.old, texts[n : n + found.size], known))

    def by_pass(self, found: Candidates, places: list[int]) -> list[int]:
        """Places that the strictest pass finds."""
        return self._least_level(found, places, len(PASSES))

    def _least_level(self, found: Candidates, places: list[int], most: int) -> list[int]:
        """Places by the strictest pass, passes from `most` on being one; all, if only others end lines as written."""
        if not found.levels or found.levels.ends[0] == found.levels.ends[1]:
            return places
        best, texts = _least(places, lambda n: min(found.levels.get(n, 0), most)), self._search.texts
        ends = [(n, text[len(text.rstrip()) :]) for n, text in enumerate(found.old) if text[-1:].isspace()]
        if ends and found.levels.get(best[0], 0) == INVISIBLE:
            as_written = [n for n in places if all(texts[n + row].endswith(end) for row, end in ends)]
            return places if as_written and not set(as_written) & set(best) else best
        return best

    def by_line_number(self, found: Candidates, places: list[int]) -> list[int]:
        """The place that a unified header's line number points at, or one that is less than half as far as the next.

        A number that was counted is near, is not 1, and has right counts beside it; one of the three may be missing.
        Where all hunks that have their places are off their numbers by the same, a place that is off so is meant.
        """
        hint, hunk = found.hunk.hint, found.hunk
        if hint is None or len(places) < 2:
            return places
        meant = hint - 1 + (self.moved if hint - 1 + self.moved in places else 0)
        (nearest, place), (second, _) = sorted((abs(n - meant), n) for n in places)[:2]
        signs = (nearest <= found.size) + (hint > 1) + (hunk.numbers is None or hunk.is_at(hint - 1))
        return [place] if not nearest or (signs > 1 and 2 * nearest < second) else places


def _stands_beside_exact_lines(lines: list[str], there: list[str]) -> bool:
    """Whether most lines of a hunk are as the file has them, those beside the added ones among them.

    So the added ones are at the depth that they show, though the file, or the patch, is ragged elsewhere.
    """
    texts = iter(there)
    same = [None if line[0] == "+" else line[1:].rstrip() == next(texts).rstrip() for line in lines]
    margins = {indentation.margin_of(line[1:]) for line, exact in zip(lines, same) if exact and line.strip()}
    if 2 * same.count(False) >= len(there) or any(line[0] == "-" and not exact for line, exact in zip(lines, same)):
        return False
    first = 0
    while first < len(lines):
        last = first
        while last < len(lines) and same[last] is None:
            last += 1
        if last > first:
            beside = [n for n in (first - 1, last) if 0 <= n < len(lines) and lines[n].strip()]
            added = {indentation.margin_of(line[1:]) for line in lines[first:last] if line[1:].strip()}
            if not added <= margins or not any(same[n] for n in beside):
                return False
        first = last + 1
    return True


def _earlier(wanted: list[Candidates], placed: Placement) -> Callable[[Candidates, list[int]], list[int]]:
    """What hunks that have their places insert, and where: no other hunk is meant to insert it there once more."""
    made = {
        each.changed(top): [line for line in each.lines if line[0] == "+"]
        for each, top, bottom in zip(wanted, placed.top, placed.bottom)
        if top == bottom and each.changes
    }

    def by_earlier_hunk(found: Candidates, places: list[int]) -> list[int]:
        if any(line[0] == "-" for line in found.lines):
            return places
        added = [line for line in found.lines if line[0] == "+"]
        return [n for n in places if made.get(found.changed(n)) != added]

    return by_earlier_hunk


def _strictest_left(wanted: list[Candidates], placed: Placement) -> dict[int, int]:
    """The strictest pass of the places that no hunk has, by the identity of their levels, which hunks alike share."""
    taken: dict[int, set[int]] = {}
    for each, top in zip(wanted, placed.top):
        taken.setdefault(id(each.levels), set()).add(top)
    levels = {id(each.levels): each.levels for each in wanted}
    return {
        key: min([level for place, level in each.items() if place not in taken[key]], default=len(PASSES))
        for key, each in levels.items()
    }


_OPENERS, _CLOSERS = ("{", "(", "[", ":"), ("}", ")", "]", "end")


def _holds_end(hunk: Candidates, place: int, end: int, texts: list[str]) -> bool:
    """Whether a hunk has the line that ends a block, and what it changes above that line is in the block.

    One that begins by ending the block itself says nothing about which block it is.
    """
    if not 0 <= end - place < hunk.size:
        return False
    changed = [line[1:] for line in hunk.lines if line[0] != " " and line[1:].strip()]
    is_below = hunk.changed(place)[0] > end or not changed
    return is_below or len(indentation.margin_of(changed[0])) > len(indentation.margin_of(texts[end]))


def open_ends(texts: list[str], start: int, size: int, stop: int) -> list[int]:
    """The lines before `stop` that close the blocks which `size` lines from `start` open and leave open."""
    margins: list[int] = []  # of the lines that open a block, the deepest first
    least = 1 << 30  # the margin of the lines below the one at hand
    for text in reversed(texts[start : start + size]):
        if text.strip():
            margin = len(indentation.margin_of(text))
            if margin < least and (least < 1 << 30 or text.rstrip().endswith(_OPENERS)):
                margins.append(margin)
            least = min(least, margin)
    found: list[int] = []
    for number in range(start + size, min(stop, len(texts))):
        text = texts[number]
        margin = len(indentation.margin_of(text))
        if not margins or not text.strip() or margin > margins[0]:
            continue
        while margins and margin < margins[0]:
            del margins[0]
        if margins and margin == margins[0]:
            if text.strip().startswith(_CLOSERS):
                found.append(number)
            del margins[0]
    return found


def _least(places: list[int], rank: Callable[[int], int]) -> list[int]:
    """The places of the lowest rank."""
    ranked = [(rank(place), place) for place in places]
    best = min(ranked)[0]
    return [place for number, place in ranked if number == best]
