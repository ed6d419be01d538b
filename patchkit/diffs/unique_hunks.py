"""The hunks that turn one content of a file into another, each of which fits one place.

Takes the two contents; gives hunks that the exact pass places and nothing else, with as little context as that needs.
Each fits one place of the old and one of the new file, so that it can be taken back.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator

from patchkit.core.changes import Options
from patchkit.core.changes.legacy import HunkEncodings
from patchkit.core.language import Hunk, UpdateFile, swapped
from patchkit.core.matching import FEW
from patchkit.core.matching.already_applied import AppliedCheck
from patchkit.core.matching.passes import PASSES, LargeView, View, Views
from patchkit.core.matching.scopes.anchors import Anchors
from patchkit.core.text import Document, is_surely_utf8
from patchkit.diffs.compare import SharedSteps, Span, compared
from patchkit.errors import PatchkitError

_ENOUGH = 3  # lines of context on either side before an anchor is tried
_ONE_BY_ONE = 6  # neighbours that a group of changes takes singly, to become no larger than it must
_FEW_LARGE = 256  # hunks with one of so many lines of the file: there are not more
_STEPS = 12  # lines of context that are tried one by one; beyond, in growing steps
_MOST_SOUGHT = 30_000_000  # lines that hunks of one file may be looked for in, together, where a text has many files
_MOST_ANCHORED = 100_000  # lines of such a file, all of which are looked at for an anchor
_PER_FILE, _PER_SPAN = 5_000, 200  # what a file and the lines around a change count for, in steps of a comparison


def hunks_between(
    path: str,
    before: bytes,
    after: bytes,
    portable: bool = False,
    anchored: bool = True,
    pins: Collection[int] = (),
    blocks: bool = False,
    one: bool = False,
    unshown: Callable[[str], bool] | None = None,
    as_bytes: bool = True,
    steps: SharedSteps | None = None,
) -> list[Hunk]:
    """The hunks that turn one content of a file into another; raises P112 for binary content.

    `pins` are lines of the old file, from 0, that hunks shall show although they stay. With `blocks`, no hunk shows
    nothing else, and each has an old line that is not blank. With `one`, all lines from the first to the last change or
    pin are replaced. Lines that are `unshown` are not taken for context, where there is a way without. With `as_bytes`,
    hunks that could be read as text in another encoding show a line which says that they are bytes. Comparisons that
    take the same `steps` share them, and files with hopelessly many changes get one hunk.
    """
    if before == after:
        return []
    if is_binary(before) or is_binary(after):
        raise binary_content(path)
    old, new = Document(before), Document(after)
    if old.bom != new.bom and old.codec is None and new.codec is None:
        old, new = Document.with_mark_as_text(before), Document.with_mark_as_text(after)
    maker = _Maker(old, new, portable, anchored, blocks, unshown)
    lines = _ended_lines(old), _ended_lines(new)
    spans = compared(*lines, steps=steps) if unshown is None else _compared_around(old, new, unshown)
    hopeless = False
    if steps is not None:
        hopeless = len(spans) * len(old.texts) > _MOST_SOUGHT or not steps.left
        steps.left = max(steps.left - _PER_FILE - _PER_SPAN * len(spans), 0)
        maker.anchored = maker.anchored and not hopeless and len(old.texts) <= _MOST_ANCHORED
    if (one or hopeless) and spans:
        first, last = min([spans[0][0], *pins]), max([spans[-1][1], *(line + 1 for line in pins)])
        spans, pins = [(first, last, first, last + sum((d - c) - (b - a) for a, b, c, d in spans))], ()
    hunks = maker.hunks(spans, pins) if not hopeless else maker.whole(spans)
    plain = not as_bytes or all("".join(hunk.lines).isascii() for hunk in hunks)
    line = byte_line(old, new, hunks) if not plain else -1
    return hunks if line < 0 else _Maker(old, new, portable, anchored, blocks, unshown).hunks(spans, {*pins, line})


def signed_lines(old: list[str], new: list[str], spans: list[Span], start: int, stop: int) -> list[str]:
    """The lines of a hunk with their signs: the old lines from `start` to before `stop`, changed in these spans."""
    lines: list[str] = []
    for a, b, c, d in spans:
        lines += [" " + text for text in old[start:a]]
        lines += ["-" + text for text in old[a:b]]
        lines += ["+" + text for text in new[c:d]]
        start = b
    return lines + [" " + text for text in old[start:stop]]


def binary_content(path: str) -> PatchkitError:
    return PatchkitError("P112", file=path, what=f"'{path}' is binary", instead="copy the file itself")


def _compared_around(old: Document, new: Document, unshown: Callable[[str], bool]) -> list[Span]:
    """The differing spans, none with a line that cannot be shown if all of those stay."""
    mine, theirs = ([line for line, text in enumerate(each.texts) if unshown(text)] for each in (old, new))
    lines, others = _ended_lines(old), _ended_lines(new)
    if [lines[line] for line in mine] != [others[line] for line in theirs]:
        return compared(lines, others)
    spans: list[Span] = []
    a = c = 0
    for b, d in zip([*mine, len(lines)], [*theirs, len(others)]):
        spans += [(a + i, a + j, c + k, c + m) for i, j, k, m in compared(lines[a:b], others[c:d])]
        a, c = b + 1, d + 1
    return spans


def _ended_lines(document: Document) -> list[bytes]:
    if b"\r" not in document.data:
        return document.data.splitlines(keepends=True)
    bounds = document.offsets
    return [document.data[a:b] for a, b in zip(bounds, bounds[1:])]


class _Side:
    """The old or the new text of a file, and where lines are in it."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        views = Views(texts)
        self.view = views.by(PASSES[0])
        self.anchors = Anchors(texts, views)
        self.already = AppliedCheck(texts, views)

    def anchor_for(self, lines: list[str], start: int, first: int) -> str:
        """The line of the definition around a place, if it occurs once and holds this place alone."""
        definition = self.anchors.enclosing(start)
        if definition is None or definition.line >= start:
            return ""
        name = self.texts[definition.line]
        scopes = self.anchors.scopes([name]) if name.strip() else []
        if len(scopes) != 1 or scopes[0].how != "exact" or first >= definition.end:
            return ""
        inside = [place for place in self.view.occurrences(lines) if definition.line <= place < definition.end]
        return name if inside == [start] and "@@" not in name and not name.lstrip().startswith(("-", ".")) else ""


class _Maker:
    """Turns differing spans of one file into hunks that each fit one place of it, before and after."""

    def __init__(
        self,
        old: Document,
        new: Document,
        portable: bool,
        anchored: bool,
        blocks: bool,
        unshown: Callable[[str], bool] | None,
    ) -> None:
        self.old, self.new = old, new
        self.texts, self.new_texts = old.texts, new.texts
        self.before, self.after = _Side(old.texts), _Side(new.texts)
        self.portable = portable
        self.anchored = anchored
        self.blocks = blocks
        self._pins: set[Span] = set()  # lines that are shown as they are
        self._unshown = [line for line, text in enumerate(old.texts) if unshown(text)] if unshown is not None else []
        self._no_anchors = {old.texts[line] for line in self._unshown}  # and those in use

    def hunks(self, spans: list[Span], pins: Collection[int] = ()) -> list[Hunk]:
        """One hunk a group of spans; context that would overlap joins its neighbours."""
        changed = {line for a, b, _, _ in spans for line in range(a, b)} if pins else ()
        for line in {*pins}.difference(changed):  # another comparison may have kept a line that this one removes
            moved = sum([(d - c) - (b - a) for a, b, c, d in spans if b <= line])
            self._pins.add((line, line + 1, line + moved, line + moved + 1))
        groups = [[span] for span in sorted([*spans, *self._pins])]
        if self.blocks and self._pins:
            groups = self._joined(groups)
        groups.reverse()
        made: list[tuple[int, int, list[str], list[Span]]] = []  # from line, to line, anchors, spans
        while groups:
            group = groups.pop()
            start, stop, anchors = self._room(group)
            rounds = 0
            while (groups and stop > groups[-1][0][0]) or (made and start < made[-1][1]):
                # One neighbour may do, and many are taken together: each time all lines may be looked through.
                rounds += 1
                for _ in range(1 if rounds < _ONE_BY_ONE else 4 * len(group)):
                    if made and start < made[-1][1]:
                        group, below = made.pop()[3], group
                        group += below
                    elif groups and stop > groups[-1][0][0]:
                        group += groups.pop()
                    else:
                        break
                start, stop, anchors = self._room(group)
            made.append((start, stop, anchors, group))
            if self.portable:
                self._no_anchors.update(anchors)
        return [self._hunk(group, start, stop, anchors) for start, stop, anchors, group in made]

    def whole(self, spans: list[Span]) -> list[Hunk]:
        """One hunk with all lines, which has no other place."""
        return [self._hunk(spans, 0, len(self.texts), [])] if spans else []

    def _joined(self, groups: list[list[Span]]) -> list[list[Span]]:
        """The groups with pins in that of the change below them, or of the last one."""
        found: list[list[Span]] = []
        for group in groups:
            if found and self._pins.issuperset(found[-1]):
                found[-1] += group
            else:
                found.append(list(group))
        if len(found) > 1 and self._pins.issuperset(found[-1]):
            last = found.pop()
            found[-1] += last
        return found

    def _room(self, group: list[Span]) -> tuple[int, int, list[str]]:
        """The least lines around a group that occur nowhere else, with an anchor where that saves many."""
        first, last = group[0][0], group[-1][1]
        count = len(self.texts)
        lowest, highest = self._shown_around(first, last)
        tried = set()
        for above, below in self._contexts(group):
            start, stop = max(lowest, first - above), min(highest, last + below)
            if (start, stop) in tried or start == stop:
                continue
            tried.add((start, stop))
            there = self._new_range(group, start, stop)
            old, new = self.texts[start:stop], self.new_texts[slice(*there)]
            if self.blocks and not any(map(str.strip, old)):
                continue
            alone = _is_once(old, self.before.view) and _is_once(new, self.after.view)
            if alone and self._is_to_be_made(group, start, stop):
                return start, stop, []
            if self.anchored and min(above, below) >= min(_ENOUGH, count):
                anchor = self._anchor(group, start, there, old, new)
                if anchor and self._is_to_be_made(group, start, stop):
                    return start, stop, [anchor]
        old = self.texts[lowest:highest]
        if old and _is_once(old, self.before.view) and (any(map(str.strip, old)) or not self.blocks):
            return lowest, highest, []  # which cannot be taken back, perhaps
        if lowest == count and not self.blocks:
            return count, count, []  # added at the end, below a line that cannot be shown
        return 0, count, []

    def _shown_around(self, first: int, last: int) -> tuple[int, int]:
        """The lines around these up to the next ones that cannot be shown."""
        if not self._unshown:
            return 0, len(self.texts)
        above, below = bisect_left(self._unshown, first), bisect_left(self._unshown, last)
        lowest = self._unshown[above - 1] + 1 if above else 0
        return lowest, self._unshown[below] if below < len(self._unshown) else len(self.texts)

    def _contexts(self, group: list[Span]) -> Iterator[tuple[int, int]]:
        """How many lines to try above and below: as few as can be, on one side where that suffices."""
        only = not any(b > a for a, b, _, _ in group) or not any(d > c for _, _, c, d in group)
        least = 1 if self.portable or only else 0
        size = len(self.texts) + 1
        if self.portable:
            yield from ((each, each) for each in range(least, _ENOUGH))
        elif only:
            yield from ((1, 0), (0, 1))
        else:
            yield 0, 0
        lines = 1
        while lines < 2 * size:
            both = max(lines, least)
            if both <= _ENOUGH or self.portable:
                yield both, both
            else:
                yield both, least
                yield least, both
                yield both, both
            lines += 1 if lines < _STEPS else lines // 2

    def _new_range(self, group: list[Span], start: int, stop: int) -> tuple[int, int]:
        """The lines of the new file that the hunk leaves."""
        return group[0][2] - (group[0][0] - start), group[-1][3] + (stop - group[-1][1])

    def _anchor(self, group: list[Span], start: int, there: tuple[int, int], old: list[str], new: list[str]) -> str:
        """An anchor that chooses the place in the old file, and in the new one."""
        name = self.before.anchor_for(old, start, group[0][0])
        if not name or name in self._no_anchors:
            return ""
        again = self.after.anchor_for(new, there[0], group[0][2]) if new else ""
        return name if again == name else ""

    def _is_to_be_made(self, group: list[Span], start: int, stop: int) -> bool:
        """Whether the change cannot be taken for one that has been made, nor its reverse."""
        lines = self._lines(group, start, stop)
        if self.before.already.again_at(lines, start, stop - start) is not None:
            return False
        there = self._new_range(group, start, stop)
        return self.after.already.again_at(swapped(lines), there[0], there[1] - there[0]) is None

    def _lines(self, group: list[Span], start: int, stop: int) -> list[str]:
        """The lines of the hunk that makes the changes of a group, with their signs."""
        spans = [span for span in group if span not in self._pins]
        return signed_lines(self.texts, self.new_texts, spans, start, stop)

    def _hunk(self, group: list[Span], start: int, stop: int, anchors: list[str]) -> Hunk:
        hunk = Hunk(anchors, self._lines(group, start, stop))
        _, b, _, d = group[-1]
        if b == len(self.texts) and d == len(self.new_texts) and self.old.terminated != self.new.terminated:
            hunk.final_newline = self.new.terminated
            hunk.was_unended = not self.old.terminated
            hunk.at_eof = True
        if start == stop:
            hunk.at_eof = True
        return hunk


def are_alone(hunks: list[Hunk], old: Document, new: Document) -> bool:
    """Whether each of some hunks, in order, is at one place before and at one after, below the hunk above it.

    None can be taken for one that has been made, nor its reverse.
    """
    before, after = _Side(old.texts), _Side(new.texts)
    behind = 0
    for hunk in hunks:
        for side, lines in ((before, hunk.lines), (after, swapped(hunk.lines))):
            there = [line[1:] for line in lines if line[0] != "+"]
            if not there or not _is_once(there, side.view):
                return False
            place = side.view.occurrences(there)[0]
            if side.already.again_at(lines, place, len(there)) is not None or (side is before and place < behind):
                return False
            behind = place + len(there) if side is before else behind
    return True


def byte_line(old: Document, new: Document, hunks: list[Hunk]) -> int:
    """The number of the line, from 0; -1 if none is needed, or there is none."""
    if are_read_as_bytes(old, new, hunks):
        return -1
    lines = [number for number, line in enumerate(old.texts) if not line.isascii() and not is_unicode(line)]
    if not lines:
        return -1
    shown = {line[1:] for hunk in hunks for line in hunk.lines}
    places = [number for number, line in enumerate(old.texts) if line in shown]
    return min(lines, key=lambda number: _distance(number, places))


def _distance(number: int, places: list[int]) -> int:
    """How far a line is from the next of these lines, which are in order."""
    at = bisect_left(places, number)
    return min((abs(number - place) for place in places[max(0, at - 1) : at + 1]), default=number)


def other_encoding(error: PatchkitError) -> PatchkitError:
    """The refusal of lines that no line of the file shows to be bytes."""
    what = f"lines of '{error.file}' in UTF-8, where the file declares or has another encoding"
    return PatchkitError("P112", file=error.file, what=what, instead="copy the file itself, or apply git's own diff")


def are_read_as_bytes(old: Document, new: Document, hunks: list[Hunk]) -> bool:
    """Whether hunks are surely read as the bytes that they are, forwards and backwards."""
    text = "".join(line for hunk in hunks for line in hunk.lines)
    if not is_unicode(text) or old.bom or old.codec:
        return True
    if is_surely_utf8(old.data) and is_surely_utf8(new.data):
        return True
    return _is_as_it_is(old, hunks) and _is_as_it_is(new, [Hunk(hunk.anchors, swapped(hunk.lines)) for hunk in hunks])


def _is_as_it_is(document: Document, hunks: list[Hunk]) -> bool:
    """Whether hunks are surely read as the bytes that they are."""
    if is_surely_utf8(document.data):
        return True
    try:
        return HunkEncodings(Options()).read(document, UpdateFile("", None, hunks)) is document
    except PatchkitError:
        return False


def is_binary(data: bytes) -> bool:
    """Whether a file is not text, as git decides it."""
    return b"\0" in data[:8192]


def is_unicode(text: str) -> bool:
    """Whether a text has no bytes that are not UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def hunk_of_texts(old: list[str], new: list[str], line: int = 0, hint: int | None = None) -> Hunk:
    """The hunk of an edit by two texts: lines that both have are context, the others are removed and added.

    A last line that both have is context in any case: the file may end there, without a newline.
    """
    kept = len(new) < len(old) and old[-1:] == new[-1:]
    spans = compared(old[:-1], new[:-1]) if kept else compared(old, new)
    hunk = Hunk([], signed_lines(old, new, spans, 0, len(old)), line=line)
    hunk.hint, hunk.of_texts = hint, True
    hunk.body_line = line + 1
    return hunk


def _is_once(wanted: list[str], view: View) -> bool:
    """Whether the lines `wanted` are at one place; of lines that are everywhere not all places are looked for."""
    is_large = len(wanted) * _FEW_LARGE > len(view.lines)  # then an index of all lines costs more than looking for it
    some = wanted[:: len(wanted) // FEW + 1] if not is_large else ()
    seldom = len(wanted) < 2 or any(len(view.numbers(line)) <= FEW for line in some)
    if seldom or isinstance(view, LargeView):
        return len(view.occurrences(wanted)) == 1
    needle = "\n" + "\n".join(wanted) + "\n"
    position = view.whole.find(needle)
    return position >= 0 and view.whole.find(needle, position + 1) < 0
