"""Merge a part of a file, with comments such as `# ... existing code ...`, into the file.

Takes the lines of the part and of the file; gives the lines of the merged file, or raises with the line that has no
place. Between two such comments is a piece: it begins and ends with lines of the file, and replaces what is between
these two. What is between pieces stays. Without a comment above the first piece it begins with the file, and without
one below the last piece it ends with it. Nothing is guessed: a piece that could be at two places is refused.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container

from patchkit.guards.placeholders import is_placeholder

_MOST_PAIRS = 2000  # places of a piece that are weighed against each other
_MOST_ROUNDS = 8  # in which pieces get a place by those that have one
_CLEAR = 12  # lines that another place must change beyond twice as many, so that it is out of the question
_FAR = 6  # the same where two lines speak for an end of it, of which the outer one has no words
_MOST_LOST = 4  # lines that a piece may remove where only a single line speaks for one of its ends, and no new ones
_NEAR = 8  # lines around a piece: one of these that it adds may be meant to move
_UNDERLINES = frozenset("=-~^*#+")
_WIDEST = 1_000_000
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_QUOTES = ('"""', "```")
_MOST_REPLACED = 3  # first or last lines of a file that others may replace without a line of the file beyond them


class NoPlaceError(Exception):
    """A line of a part of a file, by its number from 0, and why it has no place in the file."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(reason)
        self.row = row
        self.reason = reason


def merged(new: str, old: str) -> str:
    """The text of a file with a part of it merged in; raises NoPlaceError."""
    known = {line.strip() for line in old.split("\n")}
    lines = new.removesuffix("\n").split("\n")
    marks = [is_placeholder(line) and line.strip() not in known for line in lines]
    for row, line in enumerate(lines):
        if line.strip() in ("...", "\u2026") and line.strip() not in known:
            raise NoPlaceError(row, "it may be code, or be in place of lines of the file: a comment would say which")
    file = _PartedFile(old)
    pieces = _pieces(lines, marks)
    if not pieces:
        raise NoPlaceError(0, "it has no line of the file")
    _place(pieces, file)
    made: list[str] = []
    taken = 0
    for piece in pieces:
        if piece.place is not None:
            start, stop = piece.place
            made += file.ended[taken:start]
            made += file.with_endings(piece.lines, start, stop)
            taken = stop
    text = "".join([*made, *file.ended[taken:]])
    return text if old.endswith("\n") or not old else text.removesuffix("\n").removesuffix("\r")


class _PartedFile:
    """The lines of a file, and where each of them is."""

    def __init__(self, text: str) -> None:
        self.ended = [line + "\n" for line in text.removesuffix("\n").split("\n")]
        self.lines = [line[:-1].removesuffix("\r") for line in self.ended]
        if self.lines[0][:1] == "\ufeff":
            self.lines[0] = self.lines[0][1:]
        self.rows: dict[str, list[int]] = {}
        self._solid = [0]  # how many lines above each row are not blank
        for row, line in enumerate(self.lines):
            self.rows.setdefault(line, []).append(row)
            self._solid.append(self._solid[-1] + bool(line.strip()))

    def within(self, line: str, low: int, high: int) -> list[int]:
        """The rows of a line in a part of the file."""
        rows = self.rows.get(line, [])
        return rows[bisect_left(rows, low) : bisect_left(rows, high)]

    def count(self, line: str, low: int, high: int) -> int:
        rows = self.rows.get(line, [])
        return bisect_left(rows, high) - bisect_left(rows, low)

    def block_end(self, row: int, outer: int) -> int:
        """The first row from this one on whose margin is not larger than another one."""
        rows = range(row, len(self.lines))
        return next((row for row in rows if self.lines[row].strip() and _margin(self.lines[row]) <= outer), rows.stop)

    def solid(self, start: int, stop: int) -> int:
        return self._solid[stop] - self._solid[start]

    def with_endings(self, lines: list[str], start: int, stop: int) -> list[str]:
        """Lines that replace a part of the file, each that is there as it is there, the others with its line ending."""
        left: dict[str, list[str]] = {}
        for row in range(stop - 1, start - 1, -1):
            left.setdefault(self.lines[row], []).append(self.ended[row])
        ending = "\r\n" if self.ended[start].endswith("\r\n") else "\n"
        return [left[line].pop() if left.get(line) else line + ending for line in lines]


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _has_words(line: str) -> bool:
    return any(map(str.isalnum, line))


class _FilePiece:
    """The lines between two comments, and whether there is one above and below; its place once that is known."""

    def __init__(self, row: int, lines: list[str], above: bool, below: bool) -> None:
        self.row = row
        self.lines = lines
        self.above = above
        self.below = below
        self.place: tuple[int, int] | None = None
        self.counts: dict[str, int] = {}
        for line in lines:
            if line.strip():
                self.counts[line] = self.counts.get(line, 0) + 1
        self.solid = sum(self.counts.values())

    def places(self, file: _PartedFile, low: int, high: int) -> list[tuple[int, int, int]]:
        """The ways to put the piece into a part of the file: how many lines each changes, its start and its stop."""
        if any(file.count(line, low, high) > _MOST_PAIRS for line in (self.lines[0], self.lines[-1])):
            raise NoPlaceError(self.row, "the file has it at too many places")
        starts, stops = self._starts(file, low, high), self._stops(file, low, high)
        if len(starts) * len(stops) > _MOST_PAIRS:
            raise NoPlaceError(self.row, "the file has it at too many places")
        least = min(len(self.lines), 1 + (self.above and self.below))
        pairs = [(start, stop) for start in starts for stop in stops if stop - start >= least]
        if self.above and self.below and len(self.lines) == 1:
            pairs = [(start, start + 1) for start in starts]
        return sorted((sum(self.changed(file, *pair)), *pair) for pair in pairs if self.has_shape(file, *pair))

    def has_shape(self, file: _PartedFile, start: int, stop: int) -> bool:
        """Whether a place has no line further out than the piece has; none but its ends, if the piece is a block."""
        if not self.above or not self.below:
            return True
        inner = self.lines[1:-1]
        outer = [_margin(self.lines[0]), _margin(self.lines[-1])]
        least = min(map(_margin, filter(str.strip, inner)), default=_WIDEST)
        is_block = outer[0] == outer[1] < least < _WIDEST
        most = outer[0] + 1 if is_block else min(*outer, least)
        return all(_margin(line) >= most for line in file.lines[start + 1 : stop - 1] if line.strip())

    def _starts(self, file: _PartedFile, low: int, high: int) -> list[int]:
        if self.above:
            found = file.within(self.lines[0], low, high)
            if not found:
                raise NoPlaceError(self.row, _missing(file, self.lines[0]))
            return found
        if not _meets(self.lines, file.lines, self.counts):
            raise NoPlaceError(self.row, "no comment above it is in place of the lines that the file has there")
        return [0]

    def _stops(self, file: _PartedFile, low: int, high: int) -> list[int]:
        last = self.row + len(self.lines) - 1
        if self.below:
            found = file.within(self.lines[-1], low, high)
            if not found:
                raise NoPlaceError(last, _missing(file, self.lines[-1]))
            return [row + 1 for row in found]
        if not _meets(self.lines[::-1], file.lines[::-1], self.counts):
            raise NoPlaceError(last, "no comment below it is in place of the lines that the file has there")
        return [len(file.lines)]

    def run(self, file: _PartedFile, end: int, step: int, counts: Callable[[str], object] = _has_words) -> int:
        """How many lines that count follow each other in the piece and in the file, from one end of the piece."""
        row, found = end if step > 0 else end - 1, 0
        for line in self.lines[::step]:
            if not 0 <= row < len(file.lines) or file.lines[row] != line:
                break
            found += bool(counts(line))
            row += step
        return found

    def is_clear(self, file: _PartedFile, best: tuple[int, int], other: tuple[int, int], more: int) -> bool:
        """Whether several lines speak for a place, and fewer for another that changes `more`, where the ends differ.

        Of two places that have no line in common, it is enough that the other has a single line at one end.
        """
        ends = [
            (self.run(file, mine, step, str.strip), self.run(file, theirs, step, str.strip), self.lines[::step][0])
            for mine, theirs, step in zip(best, other, (1, -1))
            if mine != theirs
        ]
        is_apart = other[1] <= best[0] or best[1] <= other[0]
        if is_apart and any(theirs < 2 for _, theirs, _ in ends):
            return all(mine > 1 and mine >= theirs for mine, theirs, _ in ends)
        return all(
            mine > theirs and mine >= (2 if more >= _FAR or _has_words(line) else 3) for mine, theirs, line in ends
        )

    def adds_only(self, file: _PartedFile, best: tuple[int, int], other: tuple[int, int]) -> bool:
        """Whether the piece has another place within the best one, removes nothing there, and several lines say so."""
        inside = best[0] <= other[0] and other[1] <= best[1] and not self.changed(file, *other)[0]
        return inside and all(self.run(file, row, step, str.strip) > 1 for row, step in zip(other, (1, -1)))

    def is_same(self, file: _PartedFile, one: tuple[int, int], other: tuple[int, int]) -> bool:
        """Whether the piece makes the same file at both places."""
        low, high = min(one[0], other[0]), max(one[1], other[1])
        if one[1] - one[0] != other[1] - other[0]:
            return False
        first, second = (file.lines[low:start] + self.lines + file.lines[stop:high] for start, stop in (one, other))
        return first == second

    def is_near(self, file: _PartedFile, line: str, start: int, stop: int) -> bool:
        """Whether the file has a line right above or below a place."""
        near = max(start - _NEAR, 0), min(stop + _NEAR, len(file.lines))
        return file.count(line, *near) > file.count(line, start, stop)

    def repeated(self, file: _PartedFile, start: int, stop: int) -> list[str]:
        """The lines with words that the piece adds at a place, and that the file has elsewhere."""
        return [
            line
            for line, count in self.counts.items()
            if _has_words(line) and file.count(line, start, stop) < min(count, len(file.rows.get(line, ())))
        ]

    def again(self, file: _PartedFile, start: int, stop: int) -> set[str]:
        """The lines that the piece has more often than a place."""
        return {line for line, count in self.counts.items() if count > max(file.count(line, start, stop), 1)}

    def changed(self, file: _PartedFile, start: int, stop: int) -> tuple[int, int]:
        """How many lines the piece removes and adds at a place."""
        kept = sum(min(count, file.count(line, start, stop)) for line, count in self.counts.items())
        return file.solid(start, stop) - kept, self.solid - kept


def _meets(mine: list[str], theirs: list[str], said: Container[str]) -> bool:
    """Whether lines begin as those of a file do, but for a few that are replaced by no fewer."""
    new = [line for line in mine if line.strip()]
    old = [line for line in theirs if line.strip()]
    removed = next((row for row, line in enumerate(old) if line in said), len(old))
    added = new.index(old[removed]) if removed < len(old) else len(new)
    return removed <= min(added, _MOST_REPLACED)


def _missing(file: _PartedFile, line: str) -> str:
    return "it is not there in this order" if line in file.rows else "it is not a line of the file"


def _pieces(lines: list[str], marks: list[bool]) -> list[_FilePiece]:
    """The runs of lines between comments, without the blank lines next to these."""
    found: list[_FilePiece] = []
    start = 0
    for stop in [row for row, mark in enumerate(marks) if mark] + [len(lines)]:
        first, last, above, below = start, stop, start > 0, stop < len(lines)
        while above and first < last and not lines[first].strip():
            first += 1
        while below and first < last and not lines[last - 1].strip():
            last -= 1
        if any(map(str.strip, lines[first:last])):
            found.append(_FilePiece(first, lines[first:last], above, below))
        start = stop + 1
    return found


def _place(pieces: list[_FilePiece], file: _PartedFile) -> None:
    """Finds the one place of each piece: first of those that have one in the whole file, then between these."""
    left = pieces
    for round_ in range(_MOST_ROUNDS):
        still: list[_FilePiece] = []
        doubt: NoPlaceError | None = None
        bounds = _bounds(pieces, file)
        for piece in left:
            try:
                piece.place = _one_place(piece, file, *bounds[id(piece)])
            except NoPlaceError as error:
                doubt = doubt or error
                still.append(piece)
        _check_order(pieces)
        if doubt is not None and (len(still) == len(left) or round_ + 1 == _MOST_ROUNDS):
            raise doubt
        left = still


def _bounds(pieces: list[_FilePiece], file: _PartedFile) -> dict[int, tuple[int, int]]:
    """The part of the file that is left for each piece by those that have a place.

    A piece below one that changes nothing is in the block that this one opens, if it is further in.
    """
    found: dict[int, tuple[int, int]] = {}
    low, high = 0, len(file.lines)
    last = None
    for piece in pieces:
        end = high
        if last is not None and last.place and not any(last.changed(file, *last.place)):
            outer = _margin(last.lines[-1])
            if outer < min(map(_margin, filter(str.strip, piece.lines))):
                end = file.block_end(last.place[1], outer)
        found[id(piece)] = low, end
        low = piece.place[1] if piece.place else low
        last = piece
    for piece in reversed(pieces):
        found[id(piece)] = found[id(piece)][0], min(found[id(piece)][1], high)
        high = piece.place[0] if piece.place else high
    return found


def _check_order(pieces: list[_FilePiece]) -> None:
    low = 0
    for piece in pieces:
        if piece.place is not None:
            if piece.place[0] < low:
                raise NoPlaceError(piece.row, "it is not there in this order")
            low = piece.place[1]


def _one_place(piece: _FilePiece, file: _PartedFile, low: int, high: int) -> tuple[int, int] | None:
    """The place of a piece; None where it changes nothing, wherever it is. Raises for none and for several."""
    places = piece.places(file, low, high)
    if not places:
        raise NoPlaceError(piece.row, "it is not there in this order")
    cost, start, stop = places[0]
    if places[-1][0] == 0 and len(places) > 1:
        return None
    added = piece.changed(file, start, stop)[1]
    ends = [piece.run(file, *end, str.strip) for end in ((start, 1), (stop, -1))]
    has_ends = all(run > 1 for run in ends)
    for other, first, last in places[1:]:
        is_far = other >= 2 * cost + _CLEAR
        if cost == 0:
            is_clear = is_far and first != start and last != stop
        else:
            is_clear = is_far or (
                added > 0
                and other > cost
                and not piece.adds_only(file, (start, stop), (first, last))
                and piece.is_clear(file, (start, stop), (first, last), other - cost)
            )
        if not is_clear and not piece.is_same(file, (start, stop), (first, last)):
            lines = sorted({start + 1, first + 1})
            where = " and ".join(map(str, lines)) if len(lines) > 1 else f"{start + 1}, up to {stop} or {last}"
            raise NoPlaceError(piece.row, f"it may be at line {where} of the file")
    if cost:
        _check_ends(piece, file, (start, stop), has_ends, len(places) == 1)
    return start, stop


def _check_ends(piece: _FilePiece, file: _PartedFile, place: tuple[int, int], has_ends: bool, is_only: bool) -> None:
    """Raises where too little speaks for the ends of a piece that changes the file."""
    start, stop = place
    is_weak = not has_ends and not is_only
    removed, added = piece.changed(file, start, stop)
    repeated = piece.repeated(file, start, stop)
    if not added:
        for line, mine, step in ((piece.lines[0], start, 1), (piece.lines[-1], stop - 1, -1)):
            for row in file.rows.get(line, ())[:_MOST_PAIRS]:
                if row != mine and piece.run(file, row + (step < 0), step, str.strip) > 1:
                    raise NoPlaceError(piece.row, f"it may be at line {row + 1} of the file")
    rare = [line for line in repeated if len(file.rows[line]) < 3]
    if not (has_ends and is_only) and (
        (len(repeated) == added > 0 and (rare or not has_ends))
        or any(piece.is_near(file, line, start, stop) for line in (repeated if is_weak else rare))
        or (is_weak and any(len(file.rows[line]) == 1 for line in repeated))
    ):
        raise NoPlaceError(piece.row, "lines of it are elsewhere in the file")
    above = piece.run(file, start, 1) if piece.above else 2
    below = piece.run(file, stop, -1) if piece.below else 2
    is_short = added > 0 and removed > 2 * piece.solid + _CLEAR and min(above, below) < 3
    if is_short or (removed > _MOST_LOST and not added and above + below > piece.solid):
        raise NoPlaceError(piece.row, f"{removed} lines of the file would be lost between lines that it has twice")
    is_whole = not repeated and _balance(piece.lines) == _balance(file.lines[start:stop])
    is_edit = is_whole and 0 < removed <= min(added, _MOST_REPLACED)
    for run, row, side in ((below, len(piece.lines) - 1, "above"), (above, 0, "below")):
        is_once = len(file.rows.get(piece.lines[row], ())) == 1
        most = max(added if is_once else added // 2, _MOST_LOST)
        if run < 2 and not added and not has_ends:
            most = 0
        if piece.run(file, *((start, 1) if row == 0 else (stop, -1)), str.strip) < 2:  # a single line, and no blank one
            # If the file has it elsewhere, or the piece adds it again, it is one of many alike: another may be meant.
            most = 0 if piece.lines[row] in piece.again(file, start, stop) else most if is_once else added // 2
        if run < 2 and removed and _is_underlined(piece, file, stop):
            most = 0
        is_sure = is_edit or (is_whole and not removed and row == 0)  # what is new often ends in a bracket alone
        if (not run and not is_sure) or (run < 2 and removed > most and not (has_ends and is_only)):
            reason = f"{removed} lines of the file would be lost {side} it, and it alone says so"
            raise NoPlaceError(piece.row + row, reason if removed else "it has no word that shows its place")


def _is_underlined(piece: _FilePiece, file: _PartedFile, stop: int) -> bool:
    """Whether the last change of a piece is to a heading: another one may be new above it, with the same underline."""
    kept = piece.run(file, stop, -1, lambda line: True)
    line = piece.lines[len(piece.lines) - kept].strip() if piece.below and kept < len(piece.lines) else ""
    return len(line) > 2 and len({*line}) == 1 and line[0] in _UNDERLINES


def _balance(lines: list[str]) -> list[int]:
    """How many brackets lines leave open, and whether they end within quotes or a fence."""
    text = "\n".join(lines)
    return [text.count(a) - text.count(b) for a, b in _BRACKETS] + [text.count(each) % 2 for each in _QUOTES]
