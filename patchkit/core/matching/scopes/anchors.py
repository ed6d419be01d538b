"""Where the text after `@@` is found, and how far its scope reaches.

An anchor names a line, usually one that opens a definition or a heading. Its scope runs to the next
line of its kind at the same or a lower depth, so a hunk under `@@ def f` never lands in `g`; an
anchor that opens nothing reaches to the end of the file.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import islice

from patchkit.core.matching.indentation import WIDTHS, margin_of
from patchkit.core.matching.passes import PASSES, Pass, Views
from patchkit.core.matching.scopes.heads import (
    LOST,
    MOST_LINES,
    Braces,
    behind_brackets,
    end_of_head,
    is_type_of_head,
    may_be_head,
    uncommented,
)
from patchkit.core.matching.scopes.openings import is_end, is_fence, opening, reopens
from patchkit.values import Record, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    KnownScopes = dict[tuple[str, ...], list["Scope"]] | None  # of stacked anchors; None: all are to be found


# -- margins of tabs beside margins of spaces ------------------------------------------------------
# Takes a file's lines; gives them with margins that can be compared: where some lines begin with tabs and others with
# spaces, tabs become spaces. How wide a tab is, is read from the lines below those that open a block.


_WRONG = 100  # columns: what is in a block is not deeper than its head


def evened(texts: list[str]) -> list[str]:
    """The lines with spaces for tabs in their margins; the lines themselves where not both are used."""
    whole = "\n".join(texts)
    if "\n\t" not in whole or "\n  " not in whole:
        return texts
    width = _width_of_tabs(texts)
    return [margin_of(text).expandtabs(width) + text.lstrip() if "\t" in margin_of(text) else text for text in texts]


def _width_of_tabs(texts: list[str]) -> int:
    """The width by which blocks are deeper than their heads, and by little; else one step of those with spaces."""
    off = dict.fromkeys(WIDTHS, 0)
    step = 0
    above, opens = "", False
    for text in texts:
        bare = text.strip()
        if not bare:
            continue
        margin = margin_of(text)
        if opens and ("\t" in margin) != ("\t" in above) and margin and above:
            for width in WIDTHS:
                deeper = len(margin.expandtabs(width)) - len(above.expandtabs(width))
                off[width] += deeper if deeper > 0 else _WRONG
        if opens and "\t" not in margin + above and len(margin) > len(above) + 1:
            step = min(step or len(margin), len(margin) - len(above))
        above, opens = margin, bare[-1] in "{:"
    best = min(off.values())
    return min(WIDTHS, key=off.__getitem__) if best < max(off.values()) else step or WIDTHS[0]


# -- methods whose names are words of the language, or no words ------------------------------------
# Takes a file's lines; says whether a line is directly in a class or an object. There `catch(done) {` and `[key](a) {`
# are methods; elsewhere they are statements, or a lambda of C++.


# Words that are names of methods, too. Not `if`, `for`, `switch`, `while`: these are statements wherever they are.
_NAMES = frozenset(
    "assert await break case catch continue default delete do except finally foreach from goto guard import lock loop "
    "match new not print raise return select throw try typeof unless until using when with yield".split()
)
_TYPES = frozenset("class enum extension extends impl implements interface object protocol record struct trait".split())
_OF_OBJECTS = ("=", "(", ",", "[", "?", ":", "return", "default")  # before the brace of an object
_CASES = ("case ", "default:")


def may_be_member(bare: str) -> bool:
    """Whether a line may begin a method with such a name, by a look that costs little; `bare` is stripped."""
    at = bare.find("(")
    if at < 1:
        return False
    if "](" in bare:
        return bare[0] == "[" or bare[: bare.find("[")].replace(" ", "").isalpha()
    words = bare[:at].partition("<")[0].split()
    return bool(words) and words[-1] in _NAMES


class Members:
    """The lines of one file that are directly in a class or an object; lines are asked for in the file's order."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self._known: dict[int, tuple[int, bool]] = {}  # by margin: a line, and whether it is a member

    def holds(self, line: int) -> bool:
        """Whether the block around a line is that of a class or an object."""
        text = self._texts[line]
        margin = len(text) - len(text.lstrip())
        known, answer = self._known.get(margin, (-1, False))
        for number in range(line - 1, -1, -1):
            if number == known:
                break
            if self._texts[number][:margin].strip():
                answer = self._opens_one(number)
                break
        else:
            answer = False
        self._known[margin] = line, answer
        return answer

    def _opens_one(self, line: int) -> bool:
        """Whether a line ends with the brace of a class or an object, or is that brace."""
        bare = self._texts[line].strip()
        if bare == "{" and line:
            bare = self._texts[line - 1].strip() + " {"
        if bare[-1] != "{":
            return False
        before = bare[:-1].rstrip()
        words = before.replace("(", " ( ").split()
        if not _TYPES.isdisjoint(words):
            return True
        if before.endswith(")"):
            return "new" in words  # a class without a name
        return before.endswith(_OF_OBJECTS) and not bare.startswith(_CASES)


_MOST_WORK = 100_000
_DEEPEST = 1 << 60  # a depth that no line has
_FOLLOWED = 400  # heads whose brackets are not closed near them, and more in large files; after them none is followed
_FEW_ALONE = 8  # definitions that are found one by one; of more all are found at once


class Definition(Value):
    """A line that opens a scope: its number, kind and depth, the line its scope ends before, what is around it."""

    __slots__ = ("line", "kind", "depth", "end", "outer")
    _place = ("outer",)
    line: int
    kind: str
    depth: int
    end: int
    outer: Definition | None

    def __init__(self, line: int, kind: str, depth: int) -> None:
        self.line = line
        self.kind = kind
        self.depth = depth
        self.end = 0
        self.outer = None

    @property
    def lines(self) -> list[int]:
        """The line of the definition, and that of its type where that is the line above."""
        outer = self.outer
        typed = outer is not None and (outer.line, outer.depth, outer.end) == (self.line - 1, self.depth, self.end)
        return [self.line - 1, self.line] if typed else [self.line]


class Scope(Record):
    """The reach of one occurrence of an anchor, how the anchor was recognised, and the scope around it."""

    anchor: str
    line: int
    end: int
    how: str  # a pass name, 'prefix', or 'after' for a stacked anchor found behind the scope above it
    definition: Definition | None
    outer: Scope | None = None

    @property
    def chain(self) -> list[Scope]:
        """This scope and those around it, outermost first."""
        chain: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            chain.append(scope)
            scope = scope.outer
        return chain[::-1]


class Anchors:
    """The anchors of one document; `views` of it may be shared with other searches."""

    def __init__(self, texts: list[str], views: Views | None = None) -> None:
        self._texts = texts
        self._views = views if views is not None else Views(texts)
        self._source = self
        self._sorted: list[tuple[str, int]] | None = None
        self._definitions: list[Definition] | None = None
        self._openings: list[int] = []  # lines that open a scope, in a code fence too
        self._kinds: dict[str, tuple[str, int] | None] = {}  # what a line opens by itself: many lines are alike
        self._scopes: dict[tuple[str, ...], list[Scope]] = {}
        self._work = 0  # scopes looked at
        self._alone = 0  # definitions found without the others
        self._lines = texts  # as `lines` gives them, where these have been needed
        self._are_even = type(texts) is not list
        self._begun: tuple[str, list[int]] = "", []
        self._holding: Members | None = None
        self._braces: Braces | None = None
        self._followed = _FOLLOWED + len(texts) // 20  # heads that may still be followed in vain

    def again(self) -> Anchors:
        """The same document for another search; both know all definitions once these are looked for."""
        other = Anchors(self._texts, self._views)
        other._source = self
        return other

    def know(self, scopes: dict[tuple[str, ...], list[Scope]]) -> None:
        """Takes these scopes for anchors, in place of those that would be found."""
        self._scopes.update(scopes)

    def scopes(self, anchors: list[str]) -> list[Scope]:
        """Returns the scopes that stacked anchors leave, in file order; none when an anchor is not there."""
        key = tuple(anchors)
        if key not in self._scopes:
            scopes = self._scopes_of(anchors[0], 0, len(self._texts))
            for anchor in anchors[1:]:
                scopes = self._narrow(scopes, anchor)
            self._scopes[key] = scopes
        return self._scopes[key]

    def _narrow(self, outer: list[Scope], anchor: str) -> list[Scope]:
        inner: dict[int, Scope] = {}
        reached = 0  # scopes in file order may overlap: no line is looked at twice
        for scope in outer:
            start = max(scope.line + 1, reached)
            for each in self._scopes_of(anchor, start, scope.end) if start < scope.end else ():
                each.outer = scope
                inner[each.line] = each
            reached = max(reached, scope.end)
        if inner:
            return [inner[line] for line in sorted(inner)]
        after = self._scopes_of(anchor, outer[0].end, len(self._texts)) if outer else []
        if len(after) == 1:
            after[0].how, after[0].outer = "after", outer[0]
            return after
        return []

    def _scopes_of(self, anchor: str, start: int, stop: int) -> list[Scope]:
        lines, how = self._lines_of(anchor, start, stop)
        self._work += len(lines)
        if self._work > _MOST_WORK:
            return []  # thousands of anchors that are everywhere narrow nothing down
        found = []
        for line in lines:
            definition = self.definition_at(line)
            end = definition.end if definition is not None else len(self._texts)
            found.append(Scope(anchor, line, end, how, definition))
        return found

    def lines_like(self, anchor: str, start: int, stop: int) -> tuple[list[int], str]:
        """All lines that any pass takes for the anchor, or that it begins, and how the strictest pass finds some."""
        lines, how = self._lines_of(anchor, start, stop)
        return self._lines_by(PASSES[-1], anchor, start, stop) or lines, how

    def _lines_of(self, anchor: str, start: int, stop: int) -> tuple[list[int], str]:
        """The lines that are the anchor, by the strictest pass that knows any; else those it begins."""
        for each in PASSES:
            within = self._lines_by(each, anchor, start, stop)
            if within:
                return within, each.name
        bare = anchor.strip()
        return self._lines_begun_by(bare, start, stop) if bare else [], "prefix"

    def _lines_by(self, by: Pass, anchor: str, start: int, stop: int) -> list[int]:
        lines = self._views.by(by).numbers(by.lines([anchor])[0])
        return lines[bisect_left(lines, start) : bisect_left(lines, stop)]

    def _lines_begun_by(self, prefix: str, start: int, stop: int) -> list[int]:
        """Lines that open a scope and begin with the anchor, the next character not going on with its last word."""
        if self._sorted is None:
            self._alone += 1
            if self._alone < _FEW_ALONE and not any(text.lstrip().startswith(prefix) for text in self._texts):
                return []  # without looking for all that is opened
            self.all_definitions()
            self._sorted = sorted((self._texts[line].strip(), line) for line in self._openings)
        if prefix != self._begun[0]:  # which is looked for in one scope after the other
            self._begun = prefix, self._all_begun_by(prefix, self._sorted)
        lines = self._begun[1]
        return lines[bisect_left(lines, start) : bisect_left(lines, stop)]

    def _all_begun_by(self, prefix: str, openings: list[tuple[str, int]]) -> list[int]:
        found = []
        for text, line in islice(openings, bisect_left(openings, (prefix, -1)), None):
            if not text.startswith(prefix):
                break
            following = text[len(prefix) : len(prefix) + 1]
            goes_on = (following.isalnum() or following == "_") and (prefix[-1].isalnum() or prefix[-1] == "_")
            if not goes_on:
                found.append(line)
        return sorted(found)

    # -- definitions -----------------------------------------------------------------------------

    @property
    def lines(self) -> list[str]:
        """The lines with margins that can be compared."""
        if not self._are_even:
            self._lines, self._are_even = evened(self._texts), True
        return self._lines

    @property
    def _members(self) -> Members:
        if self._holding is None:
            self._holding = Members(self.lines)
        return self._holding

    def definition_at(self, line: int) -> Definition | None:
        """The definition that a line opens, None where it opens none; what is around it is known to `around` only."""
        if self._definitions is None and self._alone < _FEW_ALONE and type(self._texts) is list:
            self._alone += 1
            return self._definition_alone(line)
        definitions = self.all_definitions()
        index = bisect_left(definitions, line, key=lambda d: d.line)
        if index < len(definitions) and definitions[index].line == line:
            return definitions[index]
        return None

    def _definition_alone(self, line: int) -> Definition | None:
        """The definition at a line, without those elsewhere: most lines of a file need not be looked at for it."""
        kind, body = self._opened(line)
        if kind is None or (kind[0] == "code" and self._is_in_a_head(line)):
            return None
        definition = Definition(line, *kind)
        body = max(body, self._least_end(line))
        headings = kind[0] == "heading"  # they are none inside a code fence
        if headings and sum(map(is_fence, self._lines[: line + 1])) % 2:
            return None
        depth, reach, fenced = kind[1], kind[1] + 1, False
        first = kind[0] == "code"  # whether every line of the body so far is deeper
        texts = self._lines
        uneven = ("  " if texts[line][0] == "\t" else "\t") if first and depth and not self._are_even else ""
        for number in range(line + 1, len(texts)):
            text = texts[number]
            if uneven and text.startswith(uneven):
                if self.lines is not texts:
                    return self._definition_alone(line)
                uneven = ""
            if headings:
                fenced ^= is_fence(text)
                if fenced or text[:1] != "#":
                    continue
            elif kind[0] == "code" and not text[:reach].strip():
                continue  # blank, or deeper
            if number < body:
                continue
            if first and not reopens(text):
                first = False
                if is_end(text, depth, texts[line]):
                    depth = reach = _DEEPEST  # what comes next is outside, however deep it is
            other, behind = self._opened(number)
            body = max(body, behind)
            if other is not None and other[0] == kind[0] and other[1] <= depth:
                definition.end = number
                return definition
        definition.end = len(texts)
        return definition

    def _opened(self, line: int) -> tuple[tuple[str, int] | None, int]:
        """What a line opens, if anything, and the line behind its head: what is in a head opens nothing."""
        texts = self._lines
        text = texts[line]
        bare = text.strip()
        if not bare or bare[:2] == "//":
            return None, line
        if bare[0] in "/*[":
            text = uncommented(text)
            bare = text.strip()
        if text not in self._kinds:
            self._kinds[text] = opening(text)
        kind, body = self._kinds[text], line
        if kind is not None and kind[0] != "code":
            return kind, body
        named = kind is None and bare[-1:] in ("{", "(", ",") and may_be_member(bare) and self._members.holds(line)
        if named and bare[-1] == "{":
            return ("code", len(text) - len(text.lstrip())), line
        if bare[-1:] != "{" and is_type_of_head(texts, line):
            return ("code", len(text) - len(text.lstrip())), line
        if self._followed > 0 and may_be_head(bare, texts[line + 1] if line + 1 < len(texts) else ""):
            head = end_of_head(texts, line, named)
            self._followed -= head == LOST
            if head:
                kind, body = ("code", len(text) - len(text.lstrip())), head
            elif kind is not None and text.count("(") > text.count(")"):
                body = behind_brackets(texts, line)
        return kind, body

    def _is_in_a_head(self, line: int) -> bool:
        """Whether a head that begins above a line goes on there."""
        for number in range(line - 1, max(-1, line - MOST_LINES), -1):
            bare = self._lines[number].strip()
            if not bare or bare[-1] in ";{}":
                return False
            if may_be_head(bare, self._lines[number + 1]) and self._opened(number)[1] > line:
                return True
        return False

    def _least_end(self, line: int) -> int:
        """The line that a definition reaches at least, whatever opens another one before it; else the line itself.

        What is in a namespace is often not indented. The name below a type opens the same definition once more, for
        anchors that name it.
        """
        if is_type_of_head(self._lines, line):
            return line + 2
        opens = self._lines[line].lstrip().startswith(("namespace", 'extern "C" {'))
        if not opens:
            return line
        if self._braces is None:
            self._braces = Braces(self._lines)
        return self._braces.end(line)

    def enclosing(self, line: int) -> Definition | None:
        """The innermost definition around a line."""
        return next(self.around(line), None)

    def around(self, line: int) -> Iterator[Definition]:
        """The definitions around a line, innermost first; one that the line itself opens is the first."""
        definitions = self.all_definitions()
        index = bisect_right(definitions, line, key=lambda d: d.line)
        definition = definitions[index - 1] if index else None
        while definition is not None:
            if definition.end > line:
                yield definition
            definition = definition.outer

    def all_definitions(self) -> list[Definition]:
        """The definitions of the file in its order, each with the one around it."""
        if self._definitions is None and self._source is not self:
            self._definitions = self._source.all_definitions()
            self._openings, self._lines, self._are_even = self._source._openings, self._source._lines, True
        if self._definitions is None:
            found: list[Definition] = []
            open_ones: list[Definition] = []
            fenced = False  # inside a Markdown code fence a `#` opens no heading
            body = 0  # the line behind the head at hand
            waiting: list[tuple[int, int, int]] = []  # depth, where the body begins, line: see `_ended_by`
            deepest = 0  # characters of a line that is not deeper than all of them
            ended: set[int] = set()  # definitions, by their lines, that a brace or an `end` closes
            for line, text in enumerate(self.lines):
                if is_fence(text):
                    fenced = not fenced
                if line < body:
                    continue
                kind, body = self._opened(line)
                if waiting and (kind is None or kind[0] != "code") and text[:deepest].strip():
                    self._ended_by(line, waiting, ended)
                if kind is None:
                    continue
                self._openings.append(line)
                if fenced and kind[0] == "heading":
                    continue
                definition = Definition(line, *kind)
                definition.end = self._least_end(line)
                if kind[0] == "code":
                    waiting = [each for each in waiting if each[0] < kind[1] or line < each[1]]
                    waiting.append((kind[1], max(body, line + 1, definition.end), line))
                    deepest = max(each[0] for each in waiting) + 1
                still_open = []
                for outer in open_ones:
                    closed = outer.depth >= definition.depth or outer.line in ended
                    if outer.kind == definition.kind and closed and outer.end <= line:
                        outer.end = line
                    else:
                        still_open.append(outer)
                definition.outer = still_open[-1] if still_open else None
                open_ones = [*still_open, definition]
                found.append(definition)
            for outer in open_ones:
                outer.end = len(self._lines)
            self._definitions = found
        return self._definitions

    def _ended_by(self, line: int, waiting: list[tuple[int, int, int]], ended: set[int]) -> None:
        """Takes out of `waiting` the definitions whose first line that is not deeper this is; it may close them."""
        text = self._lines[line]
        margin = len(text) - len(text.lstrip())
        if margin == len(text) or reopens(text):
            return
        for each in waiting[:]:
            depth, begins, opened = each
            if margin <= depth and begins <= line:
                waiting.remove(each)
                if is_end(text, depth, self._lines[opened]):
                    ended.add(opened)


class KnownDocument:
    """What searching a document needs, kept for one that is searched again and again; answers are the same."""

    __slots__ = ("views", "_texts", "_first")

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self.views = Views(texts)
        self._first: Anchors | None = None

    def searched(self) -> tuple[Views, Anchors]:
        """The views, and anchors for one more search."""
        self.views.forget_searches()
        if self._first is None:
            self._first = Anchors(self._texts, self.views)
        return self.views, self._first.again()
