"""What a plan does as the sections of a patch for the same files, taken from the plan and not from comparing them.

Takes a Plan; gives sections whose hunks have the lines that those of the plan have, as the files have them. Hunks that
are not alone in the old and in the new file, and whatever else is not plain, are left to `making`.

A section with hunks of the plan, each alone in the file, has one plan: the one it was taken from. Sections for which
that does not hold are `doubted`, and have to be planned to know.
"""

from __future__ import annotations

from patchkit.core.changes import Plan, Section
from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, UpdateFile, swapped
from patchkit.core.matching import Match, exact
from patchkit.core.matching.passes import PASSES, View, Views
from patchkit.core.text import Document, is_binary
from patchkit.diffs.unique_hunks import are_read_as_bytes, hunks_between
from patchkit.errors import PatchkitError
from patchkit.guards.duplicates import DuplicateGuard
from patchkit.guards.quick_looks import may_repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    _Place = tuple[int, list[str]]  # where a hunk begins in the file, and its lines

_MOST_READ = 50_000_000  # bytes, in which hunks are looked for one by one
_MOST_MORE = 20  # lines that a hunk gets above or below, to be alone
_TRIES = 200  # in which the hunks of a file get them


class Sections:
    """What a plan says, in its order, and those of its sections that must be planned to know what they do."""

    __slots__ = ("ops", "doubted")

    def __init__(self) -> None:
        self.ops: list[FileOp] = []
        self.doubted: list[FileOp] = []


def sections_of(made: Plan) -> Sections | None:
    """The sections that say what a plan does; None where only the files before and after say it."""
    found = Sections()
    seen: set[str] = set()
    for section in made.sections:
        names = {section.name, section.source}
        if not seen.isdisjoint(names):
            return None  # what sections leave together is more than each of them says
        seen |= names
        change = made.changes.get(section.name)
        pieces = change.after if change is not None else None
        after = b"".join(pieces) if pieces is not None else b""  # of one file at a time: all would be as large again
        if is_binary(after):
            return None
        changed = any(name in made.changes and made.changes[name].changed for name in names)
        if changed and not _add_op(found, made, section, after):
            return None
    return found


def _add_op(found: Sections, made: Plan, section: Section, after: bytes) -> bool:
    """Adds what a section does; False if it is not plain."""
    change = made.changes[section.name]
    before = made.changes[section.source].before
    if section.letter == "D":
        found.ops.append(DeleteFile(section.name))
        return before.kind == "file"
    if section.letter == "A":
        found.ops.append(AddFile(section.name, after.decode("utf-8", "surrogateescape")))
        return before.kind == "missing"
    moved = section.name if section.name != section.source else None
    if before.kind != "file" or (moved and change.before.kind != "missing"):
        return False
    op = UpdateFile(section.source, moved)
    found.ops.append(op)
    if after != before.data:
        if is_binary(before.data):
            return False
        hunks = _hunks_of(section, after)
        if hunks is None:
            op.hunks = hunks_between(section.name, before.data, after)
            found.doubted.append(op)
        else:
            op.hunks = hunks
            certain = len(hunks) == len(section.results) and not _may_end(hunks, before.data, after)
            if not certain or _seems_to_repeat(section):
                found.doubted.append(op)
    return True


def _hunks_of(section: Section, after: bytes) -> list[Hunk] | None:
    """The hunks of a section as the file has their lines, each at one place before and at one after; None if not."""
    document = section.document
    if document is None or type(document) is not Document or document.endings not in ("lf", "crlf"):
        return None
    if document.bom or document.codec or document.terminated != (after[-1:] == b"\n"):
        return None
    new = Document(after)
    if new.bom or new.codec or new.endings != document.endings:
        return None
    matches: list[Match] = []
    for match in section.results:
        if type(match) is not Match or match.pass_name != "exact" or match.pairs is not None:
            return None
        if any(line[0] != " " for line in match.lines):
            matches.append(match)
    matches.sort(key=_by_offset)
    hunks = _Hunks(document, new, section).of(matches)
    if hunks is None or all("".join(hunk.lines).isascii() for hunk in hunks):
        return hunks
    return hunks if are_read_as_bytes(document, new, hunks) else None


def _may_end(hunks: list[Hunk], before: bytes, after: bytes) -> bool:
    """Whether a hunk may have the last line of a file that does not end with a line ending."""
    if after[-1:] == b"\n":
        return False
    last = {data[data.rfind(b"\n") + 1 :].decode("utf-8", "surrogateescape") for data in (before, after)}
    return any(line[1:] in last for hunk in hunks for line in hunk.lines)


def _by_offset(match: Match) -> int:
    return match.offset


def _seems_to_repeat(section: Section) -> bool:
    """Whether a section would be refused for what it adds, if it came without line numbers."""
    made = section.replacements
    if section.document is None or not may_repeat(made, b"\n".join([each.new for each in made])):
        return False
    guard = DuplicateGuard(section.document, made, section.name, section.results)
    try:
        guard.refuse(made)
    except PatchkitError:
        return True
    return False


class _Hunks:
    """Hunks of one file with the lines that they have, or more where they would not be alone with those."""

    def __init__(self, document: Document, after: Document, section: Section) -> None:
        self._document = document
        self._after = after
        self._tries = _TRIES
        # An index of the lines takes as long as reading the files for some hunks.
        self._is_indexed = len(section.results) * len(document.data) > _MOST_READ
        self._views: dict[bool, View] = {}
        # What all hunks add, if all that they remove is replaced.
        self._added: set[str] | None = None
        if all(each.added for each in section.replacements):
            matches = [match for match in section.results if type(match) is Match]
            self._added = {line[1:] for match in matches for line in match.lines if line[0] == "+"}

    def of(self, matches: list[Match]) -> list[Hunk] | None:
        """Hunks that do what the matches do, in the order of the file; None where that takes more to know.

        A hunk for each match, but for one that is not alone with the lines between its neighbours: it is joined with
        the one above it, or below.
        """
        found: list[_Place] = []
        waits: _Place | None = None  # the first hunk, to be joined with the next
        for match, below in zip(matches, [*matches[1:], None]):
            place: _Place | None = (match.offset, match.lines)
            end = self._end(found[-1]) if found else 0
            if match.offset < (self._end(waits) if waits is not None else end):
                return None  # they share lines
            if waits is not None:
                place, waits = self._joined(waits, match.offset, match.lines), None
            if place is None:
                return None
            if not self._is_alone(place[1], place[0]):
                grown = self._grown(place, end, below.offset if below is not None else len(self._document.data))
                if grown is None and not found:
                    waits = place
                    continue
                place = grown if grown is not None else self._joined(found.pop(), *place)
                if place is None or not (grown is not None or self._is_alone(place[1], place[0])):
                    return None
            found.append(place)
        return [Hunk([], lines) for _, lines in found] if waits is None else None

    def _end(self, place: _Place) -> int:
        return place[0] + self._size(place[1])

    def _joined(self, above: _Place, offset: int, lines: list[str]) -> _Place | None:
        """Two hunks as one, with the lines between them; None if those are many."""
        between = self._document.texts_of(self._document.data[self._end(above) : offset])
        if len(between) > 2 * _MOST_MORE:
            return None
        return above[0], [*above[1], *[" " + text for text in between], *lines]

    def _size(self, lines: list[str]) -> int:
        """How many bytes of the file the lines of a hunk are."""
        return len(exact.block(self._document, [line[1:] for line in lines if line[0] != "+"]))

    def _grown(self, place: _Place, start: int, stop: int) -> _Place | None:
        """A hunk with as many more lines between two positions as make it alone."""
        data, texts_of = self._document.data, self._document.texts_of
        above = [" " + text for text in texts_of(data[start : place[0]])[-_MOST_MORE:]]
        below = [" " + text for text in texts_of(data[self._end(place) : stop])[:_MOST_MORE]]
        for size in range(1, _MOST_MORE + 1):
            for up, down in ((size, 0), (0, size), (size, size)):
                self._tries -= 1
                if self._tries < 0:
                    return None
                if up <= len(above) and down <= len(below):
                    more = above[len(above) - up :]
                    lines, offset = [*more, *place[1], *below[:down]], place[0] - self._size(more)
                    if self._is_alone(lines, offset):
                        return offset, lines
        return None

    def _is_alone(self, lines: list[str], offset: int) -> bool:
        """Whether a hunk is at one place of the file before and at one after, and cannot be taken for one that has
        been made, nor its reverse.
        """
        document = self._document
        signs = {line[0] for line in lines}
        if signs in ({"-"}, {"+"}):
            return False
        place = -1
        if not self._begins_alone(lines):
            if self._only_place(document, [line[1:] for line in lines if line[0] != "+"]) < 0:
                return False
            place = self._only_place(self._after, [line[1:] for line in lines if line[0] != "-"])
            if place < 0:
                return False
        if signs == {" ", "+"}:
            return not exact.is_there(document, document.data, lines, offset)
        if signs == {" ", "-"}:
            return not exact.is_there(document, self._after.data, swapped(lines), place)
        return True

    def _begins_alone(self, lines: list[str]) -> bool:
        """Whether the kept lines that a hunk begins with are at one place of the file, and none of them is added to it.

        If all that is removed is replaced, no lines of the file come together anew: these are at one place of the new
        file, too, and so is the hunk in both. One search answers for two.
        """
        if self._added is None:
            return False
        kept = []
        for line in lines:
            if line[0] != " ":
                break
            kept.append(line[1:])
        return bool(kept) and self._added.isdisjoint(kept) and self._only_place(self._document, kept) >= 0

    def _only_place(self, document: Document, lines: list[str]) -> int:
        """Where whole lines are in the old or the new file; -1 if that is not one place."""
        if self._is_indexed:
            return self._only_line(document, lines)
        data = document.data
        needle = exact.block(self._document, ["", *lines])  # between two line ends
        size = 2 if self._document.endings == "crlf" else 1
        places = [0] if data.startswith(needle[size:]) else []
        at = data.find(needle)
        if at >= 0:
            places.append(at + size)
            if data.find(needle, at + 1) >= 0:
                return -1
        if not document.terminated and data.endswith(needle[:-size]):
            places.append(len(data) - len(needle) + 2 * size)
        elif not document.terminated and data == needle[size:-size]:
            places.append(0)
        return places[0] if len(places) == 1 else -1

    def _only_line(self, document: Document, lines: list[str]) -> int:
        """The same by an index of the file's lines."""
        view = self._views.get(document is self._document)
        if view is None:
            view = self._views[document is self._document] = Views(document.texts).by(PASSES[0])
        rows = view.occurrences(lines)
        return document.offsets[rows[0]] if len(rows) == 1 else -1
