"""Find every place one hunk could have.

Takes a hunk; gives the lines where its old text is found by the strictest pass that finds it within its
anchors and its end-of-file mark, or a Miss that says which of these failed. Choosing among the
places is done by `placer`.
"""

from __future__ import annotations

from patchkit.core.language import Hunk
from patchkit.core.matching import (
    FEW,
    LONGEST,
    MOST_COMPARED,
    MOST_EXPLAINED,
    SEVERAL,
    Miss,
    Sought,
    WorkBudget,
    indentation,
    listed,
)
from patchkit.core.matching.already_applied import AppliedCheck
from patchkit.core.matching.candidates import Candidates, Fit, InexactSearch, Levels, OldSigns, Reach, alike, is_like
from patchkit.core.matching.passes import PASSES, Pass, View, Views, allows, level_of, up_to
from patchkit.core.matching.scopes.anchors import Anchors
from patchkit.core.matching.scopes.openings import defines_another, opening
from patchkit.core.text import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from patchkit.core.matching import Tolerance
    from patchkit.core.matching.scopes.anchors import KnownScopes
    from patchkit.core.matching.wrong_encoding import MisreadLines


# -- hunks that were changed on their way here, and how to undo it ---------------------------------
# A rewrite turns all lines of a hunk back, added ones included, and is tried only when the hunk as written fits
# nowhere; afterwards every line has to match as usual, so the file itself proves it right.


_ENTITIES = (
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", '"'),
    ("&apos;", "'"),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&nbsp;", " "),
    ("&amp;", "&"),  # last: what it uncovers is text, not another entity
)
_MARKS = "→|:\t"


def entities(lines: list[str]) -> list[str]:
    """`&lt;` and the like back to the characters they encode."""
    out = []
    for line in lines:
        for entity, char in _ENTITIES if "&" in line else ():
            line = line.replace(entity, char)
        out.append(line)
    return out


def escapes(lines: list[str]) -> list[str]:
    """Literal `\\t` at the start of lines back to tabs, literal `\\n` back to line ends."""
    out: list[str] = []
    ends = _has_line_ends(lines)
    if '\\"' in (said := "".join(lines)) and '"' not in said.replace('\\"', ""):
        return lines  # a text that has no quote without a backslash is escaped as a whole
    for line in lines:
        sign, text = line[0], line[1:]
        for part in text.split("\\n") if ends else [text]:
            margin = 0
            while part.startswith("\\t", margin):
                margin += 2
            out.append(sign + "\t" * (margin // 2) + part[margin:])
    return out


def decoded(lines: list[str]) -> list[str]:
    """Every line as a program reads it that takes a backslash for an escape."""
    out: list[str] = []
    escaped = _ESCAPED if _has_line_ends(lines) else {**_ESCAPED, "n": "\\n"}
    for line in lines:
        made, at = ([], 0) if "\\" in line else ([*line], len(line))
        while at < len(line):
            known = escaped.get(line[at + 1 : at + 2]) if line[at] == "\\" else None
            made.append(line[at] if known is None else known)
            at += 1 if known is None else 2
        out += [line[0] + part for part in "".join(made[1:]).split("\n")]
    return out


def _has_line_ends(lines: list[str]) -> bool:
    """Whether a literal `\\n` may be a line end: not where the old text has line ends of its own, and it in no line."""
    old = [line for line in lines if line[0] != "+"]
    return len(old) < 2 or any("\\n" in line.replace("\\\\", "") for line in old)


_ESCAPED = {"n": "\n", "t": "\t", '"': '"', "'": "'", "\\": "\\"}


def escaped_quotes(lines: list[str]) -> list[str]:
    """A quote back to a backslash and the quote."""
    return [line.replace('"', '\\"') for line in lines]


def escaped_all(lines: list[str]) -> list[str]:
    """A quote and a backslash back to a backslash and the character."""
    return [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]


def quotes(lines: list[str]) -> list[str]:
    """A backslash and a quote back to the quote, where no line has one that would be read otherwise."""
    if any("\\\\" in line for line in lines):
        return lines
    return [line.replace('\\"', '"').replace("\\'", "'") for line in lines]


def line_numbers(lines: list[str]) -> list[str]:
    """`   12→text`, as a numbered listing shows it, back to `text`; only when every old line has its number."""
    return _listed(lines, lambda text: text)


def spaced_line_numbers(lines: list[str]) -> list[str]:
    """The same for `12: text`, where a blank parts all numbers from their texts."""
    texts = [_unnumbered(line[1:]) for line in lines]
    if not all(text[0] == " " for text in texts if text):
        return lines
    return _listed(lines, lambda text: text[1:])


def _listed(lines: list[str], part: Callable[[str], str]) -> list[str]:
    out = []
    for line in lines:
        text = _unnumbered(line[1:])
        if text is None and line[0] != "+":
            return lines
        out.append(line if text is None else line[0] + part(text))
    return out


def lost_pluses(lines: list[str]) -> list[str]:
    """Blank lines between added ones back to added ones."""
    out = list(lines)
    for at in range(1, len(lines)):
        if lines[at][0] == "+" and not lines[at - 1].strip():
            first = at - 1
            while first and not lines[first - 1].strip():
                first -= 1
            if first and lines[first - 1][0] == "+":
                out[first:at] = ["+"] * (at - first)
    return out


def lost_signs(hunk: Hunk, sign: str) -> Hunk | None:
    """The hunk with this sign for lines that came without one between lines that have it; None if there are none.

    A minus is not taken for lost in a hunk that has context lines without a sign: it leaves out the sign of those, so
    one between removed lines may be context as well.
    """
    lines = list(hunk.lines)
    unsigned = set(hunk.unsigned or ())
    for row in sorted(unsigned):
        above = lines[row - 1][0] if row else ""  # one that was lost as well has been given its sign
        below = next((lines[each][0] for each in range(row + 1, len(lines)) if each not in unsigned), "")
        if above == below == sign:
            lines[row] = sign + lines[row][1:]
        elif sign == "-" and not above == below == "+":
            return None
    return hunk.with_lines(lines) if lines != hunk.lines else None


def _unnumbered(text: str) -> str | None:
    bare = text.lstrip(" ")
    digits = len(bare) - len(bare.lstrip("0123456789"))
    if not digits:
        return None
    rest = bare[digits:]
    if rest[:1] and rest[0] in _MARKS:
        return rest[1:]
    return rest[3:] if rest[:3] == " | " or rest == " |" else None


# By name; of several ways to undo the same, the one by which the hunk fits most strictly is taken.
REWRITES = {
    "entities": (entities,),
    "escapes": (escapes, decoded),
    "escaped quotes": (quotes,),
    "lost backslashes": (escaped_quotes, escaped_all),
    "line-numbers": (spaced_line_numbers, line_numbers),
    "lost pluses": (lost_pluses,),
}


# What begins lines above a definition that belong to it, or that end the one above.
_LEADING = ("#", "//", "/*", "*", "--", "@", "}", ")", "]", ">", ";", "end")
_LONGEST = 20_000  # lines of a hunk that is looked for otherwise than as it is


def _ends_blank(texts: Sequence[str], most: int) -> int:
    """How many blank lines, `most` at the most, are at the end."""
    count = 0
    while count < min(most, len(texts)) and not any(PASSES[-1].lines([texts[len(texts) - 1 - count]])):
        count += 1
    return count


class Search:
    """The candidates of hunks in one document; what one hunk made it compute serves the next."""

    def __init__(self, document: Document, policy: Tolerance, hunks: list[Hunk], scopes: KnownScopes = None) -> None:
        self.texts = document.texts
        self.policy = policy
        self._hunks = hunks
        if document.known is None:
            asked = {line[1:] for hunk in hunks for line in hunk.lines}
            self._views = Views(self.texts, asked.union(*[hunk.anchors for hunk in hunks]))
            self.anchors = Anchors(self.texts, self._views)
        else:
            self._views, self.anchors = document.known.searched()  # type: ignore[attr-defined]  # a KnownDocument
        if scopes is not None:
            self.anchors.know(scopes)
        self.already = AppliedCheck(self.texts, self._views)
        self._nearly: dict[str, InexactSearch] = {}
        self._misread: MisreadLines | None = None
        # By what bounds a hunk and its old text: where the text is, the places it may take, and how strictly it fits.
        self._known: dict[tuple[object, ...], tuple[list[int], list[int], Levels]] = {}
        self._unit: int | None = None
        self._solid: int | None = None  # the line behind the last one that is not blank
        self._missed = 0
        self._reaches: dict[tuple[str, ...], Reach] = {}

    def view(self, by: Pass) -> View:
        return self._views.by(by)

    def nearly_by(self, by: Pass) -> InexactSearch:
        if by.name not in self._nearly:
            self._nearly[by.name] = InexactSearch(self.view(by))
        return self._nearly[by.name]

    @property
    def budget(self) -> WorkBudget:
        """The work that explaining refusals may still do in this run."""
        if self.policy.budget is None:
            self.policy.budget = WorkBudget()
        return self.policy.budget

    def places(self, number: int, hunk: Hunk) -> Candidates | Miss:
        """Returns the hunk with all its places, or why it has none."""
        found = Candidates(number, hunk)
        found = self._signed(found, "-") or found
        if hunk.anchors:
            self._bind(found)
            if not found.scopes and (not found.old or not (self.policy.lost_anchors or found.soft)):
                return Miss("P203", anchor=hunk.anchors[-1])
        if not found.old:
            return self._insertion(found)
        placed = self._in_scope(found)
        if isinstance(placed, Candidates) and placed.changes and placed.fit is None and placed.old == placed.hunk.new():
            # It removes what it adds: where that is there as it says, it changes nothing.
            exact = [line for line in placed.places if not placed.levels.get(line)]
            if exact and placed.hunk.final_newline is None:
                placed.idle, placed.places, placed.trail = True, exact, 0
        return placed

    def _signed(self, found: Candidates, sign: str) -> Candidates | None:
        """The hunk with the sign of the lines around them for lines that lost it; None if there are no such lines."""
        hunk = lost_signs(found.hunk, sign) if found.hunk.unsigned else None
        if hunk is None:
            return None
        exact, kept = self.view(PASSES[0]), [line for line in found.hunk.lines if line[0] == " " and line[1:].strip()]
        # Where the file has a kept line with its sign as a part of it, those lost their signs: this is one of them.
        if sign == "-" and any(exact.numbers(line) and not exact.numbers(line[1:]) for line in kept):
            return None
        again = Candidates(found.number, hunk)
        again.scopes, again.reach = found.scopes, found.reach
        changed = next(new for new, old in zip(hunk.lines, found.hunk.lines) if new != old)
        again.note("P936", kind="removed" if sign == "-" else "added", found=changed[1:])
        return again

    def _insertion(self, found: Candidates) -> Candidates | Miss:
        """A hunk that only adds: right after its anchor, else at the end of the file."""
        if found.scopes and found.hunk.at_eof:
            if not any(scope.end == len(self.texts) for scope in found.scopes):
                return Miss("P206", line=found.scopes[-1].line + 1)
        elif found.scopes:
            found.places = [scope.line + 1 for scope in found.scopes]
            self._note_anchors(found)
            return found
        hint = found.hunk.hint
        if hint is not None and hint != len(self.texts):
            return Miss("P209", line=hint)
        found.places = [len(self.texts)]
        found.at_end = True
        return found

    def _in_scope(self, found: Candidates) -> Candidates | Miss:
        placed = self._by_passes(found) or self._begins_behind_scope(found)
        if not placed and self._missed >= MOST_EXPLAINED:
            return Miss("P201", line=None, scope=(1, len(self.texts)))
        if not placed or self.already.is_rather_done(found):
            done = self.already.places(found)
            if done:
                kept = self._kept(found) if placed else None
                return kept if kept is not None else Miss("P205", done, line=done[0] + 1)
        if not placed and found.size > _LONGEST:
            return self._why_not(found)
        if placed:
            if not found.old[-1].strip() and found.changes and found.size <= _LONGEST and self._is_loose(found):
                again = self.past_the_end(found)  # at the end of the file its margins may be its own
                found = found if again is None or self._is_loose(again) else again
        else:
            again = self._in_scope_rewritten(found) or self.past_the_end(found)
            if again is not None:
                # With other margins it fits there less than where it fits as it is but for blank lines.
                loose = self._is_loose(again) and found.changes
                found = found if loose and self._fits_by(found, "blank-lines", PASSES[0]) else again
            elif not found.changes or self.already.has_result(found):
                return self._why_not(found)
            else:  # it may have one place but for blank lines or one context line, by exact text or else tolerantly
                ways = [(name, by) for name in ("blank-lines", "context-line") for by in (PASSES[0], PASSES[-1])]
                if not any(self._fits_by(found, name, by) for name, by in ways):
                    return self._why_not(found)
        self._note_reach(found)
        return found

    @staticmethod
    def _is_loose(found: Candidates) -> bool:
        """Whether the hunk fits by a pass that ignores margins, at all of its places."""
        return bool(found.levels) and all(PASSES[level].reindents for level in found.levels.values())

    def _begins_behind_scope(self, found: Candidates) -> bool:
        """Whether the hunk's only place begins with the definition or heading that ends the scope of its anchor.

        So the anchor is the one above, as in the headers that git writes; of several of its name, the one right above.
        The definition may begin a few lines higher, with its type, and behind comments and decorators.
        """
        if len(found.astray) != 1 or found.hunk.at_eof or opening(found.old[0]) is None:
            return False
        place = found.astray[0]
        above = [each for each in found.scopes if each.definition is not None and each.end <= place]
        if not above:
            return False
        scope = max(above, key=lambda each: each.end)
        between = self.texts[scope.end : place]
        leads = all(not text.strip() or text.lstrip().startswith(_LEADING) for text in between)
        if any(map(opening, between)) or not (leads or len(between) <= SEVERAL):
            return False
        found.scopes, found.reach = [], None
        found.places = found.astray
        found.levels = self._levels(found, up_to(self.policy.max_pass))
        found.note("P922", anchor_match="above", anchor=found.hunk.anchors[-1], line=scope.line + 1)
        return True

    def _kept(self, found: Candidates) -> Candidates | None:
        """A hunk that changes whitespace or typography alone and fits only within its result, as the context it is."""
        if PASSES[-1].lines(found.old) != PASSES[-1].lines(found.hunk.new()):
            return None
        kept = Candidates(found.number, found.hunk.with_lines([" " + text for text in found.hunk.new()]))
        kept.scopes, kept.reach = found.scopes, found.reach
        self._by_passes(kept)
        kept.note("P930", differs="whitespace", line=kept.places[0] + 1)
        return kept

    def _by_passes(self, found: Candidates) -> bool:
        """Whether the hunk has places by a pass that is allowed: all of them, each with its strictest pass.

        A stricter pass finds no place that a more tolerant one does not find, so the most tolerant is asked.
        """
        hunk = found.hunk
        anchors = hunk.anchors if found.reach is not None else []  # those that the file does not have bound nothing
        bounds = (*anchors, hunk.at_eof, hunk.final_newline, found.soft, found.lead, found.trail)
        key = (bounds, tuple(found.old))
        known = self._known.get(key)
        if known is None:  # another hunk like this has the same places: a thousand of them are looked for once
            self._look_everywhere(found)
            self._known[key] = found.astray, found.places, found.levels
        else:
            found.astray, found.places, found.levels = known
        return bool(found.places)

    def _look_everywhere(self, found: Candidates) -> None:
        passes = up_to(self.policy.max_pass)
        found.astray = self.view(passes[-1]).occurrences(passes[-1].lines(found.old))
        found.places = self._admitted(found)
        if not any(map(str.isalnum, "".join(found.old))):
            # Braces and blank lines alone identify no place unless they are at their own depth.
            found.places = self._at_their_depth(found)
        if len(found.places) <= FEW:
            found.levels = self._levels(found, passes)
        else:
            found.levels = Levels(dict.fromkeys(found.places, len(passes) - 1))
            for level in range(len(passes) - 2, -1, -1):
                strict = self.view(passes[level]).occurrences(passes[level].lines(found.old))
                found.levels.update(dict.fromkeys([n for n in strict if n in found.levels], level))
        self._drop_askew(found)

    def _levels(self, found: Candidates, passes: tuple[Pass, ...]) -> Levels:
        return Levels((n, level_of(self.texts[n : n + found.size], found.old, passes)) for n in found.places)

    def _drop_askew(self, found: Candidates) -> None:
        """Drops places that fit without their margins only by taking one brace for another."""
        if len(found.places) * found.size > MOST_COMPARED:
            return
        askew = {
            line
            for line in found.places
            if PASSES[found.levels[line]].reindents
            and indentation.is_askew(found.old, self.texts[line : line + found.size])
            and not self._removes_exactly(found, line)
        }
        if askew:
            found.places = [line for line in found.places if line not in askew]
            found.levels = Levels((line, level) for line, level in found.levels.items() if line not in askew)

    def _removes_exactly(self, found: Candidates, line: int) -> bool:
        """Whether the hunk removes lines with words, and all that it removes is there with its margins."""
        rows = zip([row for row in found.lines if row[0] != "+"], self.texts[line : line + found.size])
        removed = [(row[1:], text) for row, text in rows if row[0] == "-"]
        worded = any(char.isalnum() for row, _ in removed for char in row)
        return worded and all(row.rstrip() == text.rstrip() for row, text in removed)

    def _at_their_depth(self, found: Candidates) -> list[int]:
        if len(found.places) * found.size <= MOST_COMPARED:
            texts, size, known = self.texts, found.size, dict[object, int]()
            return [n for n in found.places if indentation.ranks(found.old, texts[n : n + size], known) == 0]
        at_depth = set(self.view(PASSES[1]).occurrences(PASSES[1].lines(found.old)))
        return [n for n in found.places if n in at_depth]

    def _in_scope_rewritten(self, found: Candidates) -> Candidates | None:
        if allows(self.policy.max_pass, "rewritten"):
            signed = self._signed(found, "+")
            if signed is not None and signed.old and self._by_passes(signed):
                return signed
            for name in REWRITES:
                again = self.rewritten(found, name)
                if again is not None:
                    return again
            if not "".join(found.old).isascii():
                from patchkit.core.matching.wrong_encoding import READ_AS  # most hunks are ASCII

                return next((each for codec in READ_AS if (each := self._reread(found, codec)) is not None), None)
        return None

    def _reread(self, found: Candidates, codec: str, proven: bool = False) -> Candidates | None:
        from patchkit.core.matching.wrong_encoding import MisreadLines

        if self._misread is None:
            self._misread = MisreadLines(self.texts)
        lines = self._misread.undone(found.hunk.lines, codec, proven)
        return None if lines is None else self._turned(found, lambda _: lines, codec)

    def past_the_end(self, found: Candidates) -> Candidates | None:
        """The hunk without blank lines that it shows behind the last line, if it ends the file without them.

        An editor shows such a line, and a file that ends with a newline has none. One that the hunk keeps between a
        line of the file and lines it appends is what shall be there, so it is appended with them.
        """
        hunk = found.hunk
        if not allows(self.policy.max_pass, "blank-lines") or hunk.final_newline is not None:
            return None
        lines, deed = list(hunk.lines), "ignored"
        rows = [row for row, line in enumerate(lines) if line[0] != "+"]
        appends = max((row for row, line in enumerate(lines) if line[0] == "+"), default=-1)
        # Blank lines that stay end the file, so they are as many as it has; of blank lines alone there may be fewer.
        blank = _ends_blank(found.old, len(rows))
        most = len(rows) - blank + _ends_blank(self.texts, blank)
        while len(rows) > max(most - SEVERAL + 1, 0) and not lines[rows[-1]][1:].strip():
            row = rows.pop()
            kept = lines[row][0] == " " and bool(rows) and lines[rows[-1]][0] == " "
            lines[row] = "+" + lines[row][1:] if kept and row < appends else ""
            deed = "added" if lines[row] else deed
            if len(rows) > most:
                continue
            again = Candidates(found.number, hunk.with_lines([*filter(None, lines)]))
            again.hunk.at_eof = True
            again.scopes, again.reach = found.scopes, found.reach
            if not again.old:
                if self.texts or not again.changes:
                    return None
                again.places, again.at_end = [0], True
            else:
                self._by_passes(again)
            if again.places and again.places[-1] + again.size == len(self.texts):
                again.places = again.places[-1:]
                again.note("P925", blank_lines="in-hunk", deed=deed)
                return again
        return None

    def _fits_by(self, found: Candidates, name: str, by: Pass) -> bool:
        if not allows(self.policy.max_pass, name):
            return False
        signs, nearly = OldSigns(found.lines), self.nearly_by(by)
        search = nearly.but_for_blank_lines if name == "blank-lines" else nearly.but_for_one_line
        fits = search(by.lines(found.old), signs, MOST_COMPARED)
        fits = [fit for fit in fits if self._admits(found, fit.first, fit.span)]
        lying = [(old, self.texts[row]) for fit in fits for old, row in zip(found.old, fit.pairs) if row >= 0]
        if (
            len(fits) == 1
            and not indentation.is_askew([old for old, _ in lying], [text for _, text in lying])
            and self._holds_where_it_counts(found, fits[0])
            and (name == "blank-lines" or self._adds_nothing_known(found, fits[0]))
        ):
            found.fit, found.places, found.size = fits[0], [fits[0].first], fits[0].span
            return True
        return False

    def _adds_nothing_known(self, found: Candidates, fit: Fit) -> bool:
        """Whether a place that lacks a line of the hunk may be its own: not where the file has what the hunk adds.

        Nor where the line in its place is much more like one that the hunk adds, or unlike it and its own is near.
        Where a brace is in its place, beside added lines, one like it is its own.
        A hunk whose removed lines are there was not applied before, whatever else the file has; lines that it puts back
        are not removed.
        """
        added = [line[1:] for line in found.lines if line[0] == "+"]
        back = {text.rstrip() for text in added}
        gone = [line[1:] for line in found.lines if line[0] == "-" and line[1:].rstrip() not in back]
        if fit.lacks_a_line or any(map(str.isalnum, "".join(gone))):
            return True
        view, signs = self.view(PASSES[-1]), OldSigns(found.lines)
        for index, (mine, row) in enumerate(zip(PASSES[-1].lines(found.old), fit.pairs)):
            theirs = view.lines[row] if row >= 0 else mine
            if mine == theirs:
                continue
            if not is_like(mine, theirs):
                near = view.lines[max(0, row - found.size) : row + found.size + 1]
                beside = index in signs.above | signs.below and not any(map(str.isalnum, theirs))
                if mine in near or (beside and any(is_like(mine, text) for text in near)):
                    return False
                continue
            half = (1 + alike(mine[:LONGEST], theirs[:LONGEST])) / 2
            others = [text for text in PASSES[-1].lines(added[:FEW]) if text != theirs and is_like(text, theirs)]
            if any(alike(text[:LONGEST], theirs[:LONGEST]) > half for text in others):
                return False  # less than half as different
        return not self.already.has_added(found, self._hunks)

    def _holds_where_it_counts(self, found: Candidates, fit: Fit) -> bool:
        """Whether the line that differs is neither all that says where lines are added, nor another definition.

        Where the file has it right behind lines that are added at an end of the hunk, they have two sides. Where it has
        an added line in its place, that was made. One beside a removed line that is not nearby may have lost its plus,
        if the file lacks it or it is like the removed one.
        """
        old, nearly = PASSES[-1].lines(found.old), self.nearly_by(PASSES[-1])
        differs = [index for index in range(len(old)) if not nearly.holds(fit, index, old)]
        for line, end, behind in ((found.lines[0], 0, fit.first - 1), (found.lines[-1], -1, fit.first + fit.span)):
            there = "".join(nearly.lines[max(behind, 0) : behind + 1])
            if line[0] == "+" and any(index == end % len(old) or old[index] == there != "" for index in differs):
                return False
        added = {*PASSES[-1].lines([line[1:] for line in found.lines if line[0] == "+"])} - {""}
        rows = [row for row, line in enumerate(found.lines) if line[0] != "+"]
        near = nearly.lines[max(0, fit.first - 1) : fit.first + fit.span + 1]
        for index in differs:
            mine, above, lacks = old[index], max(fit.pairs[: index + 1]), fit.pairs[index] < 0
            row = above + lacks if above >= 0 else fit.first - 1
            theirs = "".join(nearly.lines[max(row, 0) : row + 1]) if not lacks or row not in fit.pairs else ""
            beside = found.lines[max(0, rows[index] - 1) : rows[index] + 2] if mine and mine not in near else []
            gone = PASSES[-1].lines([line[1:] for line in beside if line[0] == "-"])
            lost = any(lacks or is_like(mine, text) for text in gone)
            if (lost or theirs in added) and not is_like(mine, theirs):
                return False
        pairs = [(found.old[index], self.texts[fit.pairs[index]]) for index in differs if fit.pairs[index] >= 0]
        return not any(defines_another(mine, theirs) for mine, theirs in pairs)

    def rewritten(self, found: Candidates, name: str) -> Candidates | None:
        """The hunk with all its lines turned back by one rewrite in its strictest way, if that places it."""
        if name not in REWRITES:  # an encoding in which another hunk was read
            return self._reread(found, name, proven=True)
        placed = [each for undo in REWRITES[name] if (each := self._turned(found, undo, name)) is not None]
        # Where it fits at its own depth, it fits more strictly than where its margins are explained.
        ranked = [(min(each.levels.values(), default=0), not self._at_their_depth(each)) for each in placed]
        return placed[ranked.index(min(ranked))] if placed else None

    def _turned(self, found: Candidates, undo: Callable[[list[str]], list[str]], name: str) -> Candidates | None:
        hunk, lines = found.hunk, undo(found.hunk.lines)
        if lines == hunk.lines:
            return None
        again = Candidates(found.number, hunk.with_lines(lines))
        again.scopes, again.reach, again.rewrite = found.scopes, found.reach, name
        if not again.old:
            again.places, again.at_end = found.places, found.at_end
        else:
            self._by_passes(again)
        if not again.places:
            return None
        again.note("P921", tolerance=name)
        return again

    def _why_not(self, found: Candidates) -> Miss:
        astray = found.astray
        for by in PASSES[len(up_to(self.policy.max_pass)) :]:
            beyond = [n for n in self.view(by).occurrences(by.lines(found.old)) if self._admits(found, n)]
            if beyond:
                return Miss("P207", beyond, found_pass=by.name, max_pass=self.policy.max_pass, line=beyond[0] + 1)
        if astray and found.hunk.at_eof and not found.scopes:
            return Miss("P206", astray, line=astray[0] + 1)
        if astray and found.scopes:
            return Miss("P211", astray, anchor=found.hunk.anchors[-1], **listed([n + 1 for n in astray]))
        miss = Miss("P201", line=None)
        self._missed += 1
        signs = [line[0] for line in found.lines if line[0] != "+"]
        removed = frozenset(index for index, sign in enumerate(signs) if sign == "-")
        miss.sought = Sought(found.old, self.texts, self.view(PASSES[-1]), found.reach, removed)
        if found.hunk.anchors:
            miss.facts["anchor"] = found.hunk.anchors[-1]
            miss.facts["anchor_line"] = found.scopes[-1].line + 1 if found.scopes else None
        if len(found.scopes) == 1 and not found.soft:
            miss.facts["scope"] = found.scopes[0].line + 1, found.scopes[0].end
        elif self.texts:
            miss.facts["scope"] = 1, len(self.texts)  # the lines to read
        return miss

    # -- anchors and marks -----------------------------------------------------------------------

    def _bind(self, found: Candidates) -> None:
        """Gives the hunk the scopes of its anchors; hunks under the same anchors share them."""
        key = tuple(found.hunk.anchors)
        found.scopes = self.anchors.scopes(found.hunk.anchors)
        if found.scopes:
            if key not in self._reaches:
                self._reaches[key] = Reach(found.scopes)
            found.reach = self._reaches[key]

    def _admitted(self, found: Candidates) -> list[int]:
        """The places of the hunk's text that anchors and marks let it have."""
        places = found.astray
        if found.reach is not None and not found.soft:
            places = found.reach.candidates(places, found.size)
        elif not found.hunk.at_eof:
            return places
        admitted = [line for line in places if self._admits(found, line)]
        if found.hunk.at_eof and admitted and admitted[-1] + found.size == len(self.texts):
            return admitted[-1:]  # the very end: blank lines alone differ in nothing else
        return admitted

    def _admits(self, found: Candidates, line: int, span: int | None = None) -> bool:
        if found.hunk.at_eof and not self._ends_file(line + (found.size if span is None else span), found.hunk):
            return False
        return found.reach is None or found.soft or found.reach.admits(found, line)

    def _ends_file(self, stop: int, hunk: Hunk) -> bool:
        """Whether nothing follows, or only blank lines; a hunk with a final newline marker means the very end."""
        if stop >= len(self.texts) or hunk.final_newline is not None:
            return stop >= len(self.texts)
        if self._solid is None:
            self._solid = len(self.texts)
            while self._solid and not self.texts[self._solid - 1].strip():
                self._solid -= 1
        return stop >= self._solid

    def _note_reach(self, found: Candidates) -> None:
        if found.hunk.anchors and not found.scopes and not found.soft and not found.notes:
            found.note("P922", anchor_match="none", anchor=found.hunk.anchors[-1], line=found.places[0] + 1)
        elif found.scopes:
            self._note_anchors(found)
        if found.hunk.at_eof and found.places[-1] + found.size < len(self.texts):
            found.note("P925", blank_lines="in-file")

    def _note_anchors(self, found: Candidates) -> None:
        """Notes which anchors were recognised otherwise than as whole lines in their place."""
        for scope in found.scopes[0].chain:
            if scope.how in ("prefix", "after"):
                found.note("P922", anchor_match=scope.how, anchor=scope.anchor, line=scope.line + 1)

    def matched_texts(self, found: Candidates, line: int) -> list[str]:
        """The file's text for each old line of a placed hunk, '' where there is none that agrees with it."""
        if found.fit is None:
            return self.texts[line : line + found.size]
        old = PASSES[-1].lines(found.old)
        nearly = self.nearly_by(PASSES[-1])
        holds = [nearly.holds(found.fit, index, old) for index in range(len(old))]
        return [self.texts[row] if held else "" for row, held in zip(found.fit.pairs, holds)]

    def unit(self) -> int:
        """How many spaces this file indents by."""
        if self._unit is None:
            self._unit = indentation.unit_of(self.texts)
        return self._unit
