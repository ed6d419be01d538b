"""What a patch would put into a file a second time.

Takes a file and the replacements that a hunk makes in it; gives the refusal of one that adds a definition which the
file has in the same scope already, or lines of which a good part is right behind them already. Such a patch was
written for an older state of the file, or was applied before in other words; one that shows what it would repeat was
not. Only bytes near the change are read, and the whole file where a definition is added.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from patchkit.core.changes import Replacement, Section
from patchkit.core.matching import DEFINING, RUN, Match, Miss
from patchkit.core.text import Document
from patchkit.errors import PatchkitError
from patchkit.values import Record

_MODIFIERS = frozenset(
    b"abstract async declare default export extern final inline internal open override private protected pub public "
    b"sealed static suspend unsafe virtual".split()
)
_ABOVE = (b"#", b"//", b"/*", b"*", b"--", b"@")  # begin lines that belong to the definition below them
_MARKED = (b"@", b"#[")  # begin decorators and attributes
_BRANCHES = (b"#if", b"#el")  # begin the branches of a preprocessor, of which a program has one
_PROSE = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".txt")  # files whose examples may define a name again
_WITH_FIELDS = (b"class", b"record")  # open definitions that may end with their parameters
_LONGEST_HEAD = 4_000  # bytes of a definition's head over several lines that are compared
_PART = 3  # one in so many of them
_MOST_PART = 1.25  # four of five
_MOST_ABOVE = 5_000  # lines that are looked at for what is around a definition
_BEGINNING = 3  # lines right behind among which the first of the run is
_TELLING = 4  # letters and digits that a line needs to count
_MARKS = bytes((*range(48), *range(58, 65), *range(91, 97), *range(123, 128)))  # what is neither, in ASCII
_SEARCHES = 64  # definitions that are searched for in a file one by one; for more of them it is indexed
_MOST_SEEN = 20_000  # lines with the same definition that are compared in one file


def duplicates(section: Section) -> list[tuple[int, PatchkitError]]:
    """The hunks of a section that would put something into its file a second time, by number from 0."""
    assert section.document is not None
    made, ends = section.replacements, section.ends
    guard = DuplicateGuard(section.document, made, section.op.path, section.results)
    found = []
    for number, (start, stop) in enumerate(zip([0, *ends], ends)):
        error = guard.fault(made[start:stop])
        if error is not None:
            found.append((number, error))
    return found


class DuplicateGuard(Record):
    """Looks at the replacements of one file's hunks; `made` are those of all of them, `results` their places.

    The work is bounded: a file to which many definitions are added is indexed once, and what is compared is counted.
    """

    _document: Document
    _made: Iterable[Replacement]
    _path: str = ""
    _results: Sequence[Match | Miss] = ()
    _searches: int = _SEARCHES
    _heads: dict[bytes, list[int]] = {}  # where the definitions of the file begin, once they are indexed
    _spans: list[tuple[int, int]] | None = None  # of what is replaced, once that is asked for
    _left: int = _MOST_SEEN
    _lines: list[bytes] = []  # of the file, without blank ones, once they are asked for; where each begins
    _starts: list[int] = []
    _rows: dict[bytes, list[int]] = {}  # and where each text is among them
    _shown_spans: list[tuple[int, int]] | None = None  # of what hunks show, once that is asked for

    @property
    def _is_code(self) -> bool:
        return not self._path.lower().endswith(_PROSE)

    def fault(self, own: list[Replacement]) -> PatchkitError | None:
        """The refusal of `own`, the replacements of one hunk, where they would put something in twice.

        P205 where all of it is there, whole: then nothing is lost by leaving the hunk out.
        """
        for each in own:
            lines = each.new.splitlines()
            found = self._defined_twice(each, lines, own) if self._is_code and lines else None
            found = found or (self._run_twice(each, lines) if len(lines) >= RUN else None)
            if found is not None:
                return found
        return None

    def _defined_twice(self, added: Replacement, lines: list[bytes], own: list[Replacement]) -> PatchkitError | None:
        at = self._second_definition(added, lines)
        if at < 0 or self._is_shown_late(added, lines):
            return None
        other = self._document.data.count(self._document.separator, 0, at) + 1
        if own == [added] and self._is_there_whole(added):
            return PatchkitError("P205", line=other, other=other, whole=True)
        head = _opening_of(lines)[0].decode("utf-8", "replace").strip()
        return PatchkitError("P216", head=head, line=added.line + 1, other=other)

    def _second_definition(self, added: Replacement, lines: list[bytes]) -> int:
        """Where the file has the definition already that these lines, among the added ones, open with; else -1."""
        head, marks, alone = _opening_of(lines)
        if not head:
            return -1
        document = self._document
        if alone:
            marks = _marks_above(document, added.start) + marks
        whole = _whole_head(added.new[added.new.index(head) :])
        for at in self._places(head):
            self._left -= 1
            if self._left < 0:
                return -1
            if self._is_replaced(at) or self._is_shown_elsewhere(at, added) or marks != _marks_above(document, at):
                continue
            if (
                whole == _whole_head(document.data[at : at + _LONGEST_HEAD])
                and _is_same_scope(document, head, at, added)
                and _branch(document, at) == _branch(document, added.start)
            ):
                return -1 if self._is_repeated(head, at) and not self._is_copied(added, lines) else at
        return -1

    def _is_copied(self, added: Replacement, lines: list[bytes]) -> bool:
        """Whether all lines of the definition that added lines open with are in the file."""
        block = _blocks(lines)[0]
        return len(block) >= RUN and self._has_block(block, added)

    def _is_repeated(self, head: bytes, at: int) -> bool:
        """Whether the file itself has a definition several times, each below a line of the same text.

        There one more is not a slip, unless it is a copy: its author was shown that such definitions are repeated.
        """
        document, margin = self._document, _depth(head)
        around = _line_at(document, _around(document, at, margin)) if margin else b""
        for other in self._places(head):
            self._left -= 1
            if self._left < 0:
                break
            if other != at and (not margin or _line_at(document, _around(document, other, margin)) == around):
                return True
        return False

    def _is_shown_late(self, added: Replacement, lines: list[bytes]) -> bool:
        """Whether added lines begin like the lines behind them, and go on with a definition around those.

        A diff may show a new class from the middle of the one above: the methods that both have come first. The result
        is the same as if the new class came first, and so the methods are in another scope.
        """
        behind = self._document.data[added.stop : added.stop + 2 * len(added.new) + 200].splitlines()
        same = 0
        while same < min(len(lines), len(behind)) and lines[same].rstrip() == behind[same].rstrip():
            same += 1
        head, around = _opening_of(lines[:same])[0], _opening_of(lines[same:])[0]
        is_around = bool(head and around) and _depth(around) < _depth(head)
        return is_around and self._second_definition(added, lines[same:]) < 0

    def _is_there_whole(self, added: Replacement) -> bool:
        """Whether all that a hunk does is to add definitions of which the file has every line."""
        blocks = _blocks(added.new.splitlines())
        if added.removed or sum(map(len, blocks)) < RUN:
            return False
        return all(self._has_block(block, added) for block in blocks)

    def _has_block(self, block: list[bytes], added: Replacement) -> bool:
        """Whether the file has the lines of a block in the same scope, all of them, and nothing replaces them."""
        if not self._lines:
            at = 0
            for line in self._document.data.split(self._document.separator):
                bare = line.rstrip()
                if bare:
                    self._rows.setdefault(bare, []).append(len(self._lines))
                    self._lines.append(bare)
                    self._starts.append(at)
                at += len(line) + 1
        for row in self._rows.get(block[0], ()):
            self._left -= 1
            if self._left < 0:
                return False
            stop = self._end_of(block, row)
            if stop and not any(map(self._is_replaced, self._starts[row:stop])):
                return _is_same_scope(self._document, block[0], self._starts[row], added)
        return False

    def _end_of(self, block: list[bytes], row: int) -> int:
        """Where the lines of a block end that begin at a row, in order, with deeper lines between them; else 0.

        Deeper lines are within the definition: it has grown since.
        """
        margin = _depth(block[0])
        for line in block:
            while row < len(self._lines) and self._lines[row] != line:
                if _depth(self._lines[row]) <= margin:
                    return 0
                row += 1
            row += 1
        return row if row <= len(self._lines) else 0

    def _run_twice(self, added: Replacement, lines: list[bytes]) -> PatchkitError | None:
        """The refusal of a run where what is right behind begins like the run and has a good part of it.

        A run that leaves the block of its first line may not copy what begins there: it begins with the end of one
        block and ends before the end of the next, as a diff may show an insertion between two blocks that end alike.
        So most of it has to be there.
        Nor does one that names what is not there: a test may be much like the next one. Lines that the patch takes
        away from behind the run are moved.
        """
        behind = self._document.data[added.stop : added.stop + 2 * len(added.new) + 200].splitlines(True)[: len(lines)]
        begins = next((line.rstrip() for line in lines if _is_telling(line)), b"")
        if begins not in {line.rstrip() for line in behind}:
            return None  # most runs
        worded = [line.rstrip() for line in lines if _is_telling(line)]
        if len(worded) < RUN:
            return None
        part = _PART if min(map(_depth, worded)) >= _depth(worded[0]) else _MOST_PART
        if not _is_copy(worded, [line.rstrip() for line in behind], part):
            return None
        at, there, begin = added.stop, [], -1
        for line in behind:
            if not self._is_replaced(at):
                there.append(line.rstrip())
                begin = at if begin < 0 and there[-1] == worded[0] else begin
            at += len(line)
        count = _is_copy(worded, there, part)
        known = set(there)
        if self._is_shown(begin):
            return None
        if count and not self._names_another(worded, known) and _are_its_own(self._document, worded, known):
            first = added.line + added.removed + 1
            last = first + len(behind) - 1
            other = self._document.data.count(self._document.separator, 0, begin) + 1  # where the copy begins
            facts = {"count": count, "total": len(worded), "first": first, "last": last, "other": other}
            return PatchkitError("P217", line=added.line + 1, **facts)
        return None

    def _names_another(self, run: list[bytes], known: set[bytes]) -> bool:
        """Whether a run has the first line of a definition, or in prose a heading, that is not among known lines."""
        is_name = is_definition if self._is_code else lambda line: line.startswith(b"#")
        return any(line not in known and is_name(line) for line in run)

    def _is_replaced(self, at: int) -> bool:
        if self._spans is None:
            self._spans = sorted([(each.start, each.stop) for each in self._made])
        return _is_within(self._spans, at)

    @property
    def _shown(self) -> list[tuple[int, int]]:
        """Where the lines are that the patch shows as they are: its author knew of them."""
        if self._shown_spans is None:
            self._shown_spans = sorted(
                (each.offset, self._document.boundaries(each.offset, each.count)[-1])
                for each in self._results
                if isinstance(each, Match) and each.pass_name == "exact"
            )
        return self._shown_spans

    def _is_shown(self, at: int) -> bool:
        return _is_within(self._shown, at)

    def _is_shown_elsewhere(self, at: int, added: Replacement) -> bool:
        """Whether another hunk shows a line. One that adds a definition beside the same may mean to replace that."""
        own = bisect_left(self._shown, (added.start + 1, 0)) - 1  # has its place in it, or at its end
        return self._is_shown(at) and not _is_within([self._shown[own]], at)

    def _places(self, head: bytes) -> Iterable[int]:
        """Where whole lines of this text begin."""
        if self._searches:
            self._searches -= 1
            return _line_starts(self._document.data, head, self._document.separator)
        if not self._heads:
            at = 0
            for line in self._document.data.split(self._document.separator):
                if is_definition(line):
                    self._heads.setdefault(line.rstrip(b"\r"), []).append(at)
                at += len(line) + 1
            self._heads.setdefault(b"", [])  # indexed, also when there is none
        return self._heads.get(head, ())


def _opening_of(lines: list[bytes]) -> tuple[bytes, list[bytes], bool]:
    """The definition that added lines open with, below blank lines and comments, and the marks right above it.

    b'' where they open with none. Marks are decorators and attributes: an overload, a setter or a variant for another
    system defines a name that is there already, and its marks differ. Last, whether marks are all that is above it:
    then it has those of the file above the added lines, too.
    """
    marks: list[bytes] = []
    for number, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith(_BRANCHES):
            break  # under a condition of its own
        if bare and not bare.startswith(_ABOVE):
            return (line.rstrip() if is_definition(line) else b""), marks, number == len(marks)
        marks = [*marks, bare] if bare.startswith(_MARKED) else []
    return b"", [], False


def _is_within(spans: list[tuple[int, int]], at: int) -> bool:
    """Whether a position is in one of some spans, which are in order and do not overlap."""
    before = bisect_left(spans, (at + 1, 0))
    return before > 0 and at < spans[before - 1][1]


def _blocks(lines: list[bytes]) -> list[list[bytes]]:
    """Lines in blocks that begin below a blank line, at most as deep as the first, without blank lines."""
    blocks: list[list[bytes]] = []
    is_new, margin = True, 0
    for line in lines:
        bare = line.rstrip()
        if bare and not blocks:
            margin = _depth(bare)
        if bare and is_new and (not blocks or _depth(bare) <= margin):
            blocks.append([bare])
        elif bare:
            blocks[-1].append(bare)
        is_new = not bare
    return blocks


def _whole_head(text: bytes) -> bytes:
    """The head of the definition that a text begins with, to its last bracket, on one line."""
    found: list[bytes] = []
    depth = 0
    for line in text[:_LONGEST_HEAD].splitlines():
        found.append(line.strip())
        depth += line.count(b"(") - line.count(b")")
        if depth <= 0:
            break
    return b" ".join(found)


def _marks_above(document: Document, at: int) -> list[bytes]:
    """The decorators and attributes right above the line that begins at `at`."""
    data, separator = document.data, document.separator
    found: list[bytes] = []
    while at > 0:
        start = data.rfind(separator, 0, at - 1) + 1
        line = data[start : at - 1].strip()
        if not line.startswith(_MARKED):
            break
        found.insert(0, line)
        at = start
    return found


def is_definition(line: bytes) -> bool:
    """Whether a line opens a definition with a name: `def f(`, `export function g(`, `pub(crate) struct S {`.

    `struct s;` and `function f(x: Integer): Integer;` declare a name, and may do so again.
    """
    words = line.split(None, 4)
    while words and words[0].partition(b"(")[0] in _MODIFIERS:
        words = words[1:]
    if len(words) < 2 or words[0] not in DEFINING or not (words[1][:1].isalpha() or words[1][:1] == b"_"):
        return False
    if words[0] == b"func" and words[1].startswith(b"init("):
        return False  # a file of Go may have several
    ends = not line.rstrip().endswith(b";")
    return ends or any(sign in line for sign in (b"{", b"=")) or (b"(" in line and words[0] in _WITH_FIELDS)


def _is_copy(run: list[bytes], there: list[bytes], part: float) -> int:
    """How many lines of a run are right behind it, where those begin like the run and are such a part of it; else 0."""
    known = set(there)
    again = sum([line in known for line in run])
    begins = [line for line in there if _is_telling(line)][:_BEGINNING]
    alike = run[0] in begins and (run[1] in begins or run[-1] in known)
    return again if alike and part * again >= len(run) and again > 1 else 0


def _line_starts(data: bytes, line: bytes, separator: bytes) -> Iterator[int]:
    """Where whole lines of this text begin."""
    at = data.find(line)
    while at >= 0:
        ends = data[at + len(line) : at + len(line) + 1]
        if (at == 0 or data[at - 1 : at] == separator) and ends in (b"", b"\r", separator):
            yield at
        at = data.find(line, at + 1)


def _is_same_scope(document: Document, head: bytes, at: int, added: Replacement) -> bool:
    """Whether the last line above that is less deep is the same for a line of the file and for the added one."""
    margin = _depth(head)
    if not margin:
        return _package(document, at) == _package(document, added.start)
    around = _around(document, added.start, margin)
    return around >= 0 and around == _around(document, at, margin)


def _package(document: Document, at: int) -> int:
    """Where the last line above begins that names a package: in Perl each has its own names."""
    return document.data.rfind(document.separator + b"package ", 0, at)


def _around(document: Document, at: int, margin: int) -> int:
    """Where the last line above begins that is less deep; -1 when there is none near."""
    data, separator = document.data, document.separator
    stop = at
    for _ in range(_MOST_ABOVE):
        if stop <= 0:
            return -1
        start = data.rfind(separator, 0, stop - 1) + 1
        line = data[start : stop - 1]
        if line.strip() and _depth(line) < margin:
            return start
        stop = start
    return -1


def _line_at(document: Document, start: int) -> bytes:
    """The line that begins at a position; b'' for one that is none."""
    stop = document.data.find(document.separator, max(start, 0))
    return document.data[start : stop if stop >= 0 else None].rstrip() if start >= 0 else b""


def _branch(document: Document, at: int) -> int:
    """Where the branch of a preprocessor begins that a line is in; -1 for none."""
    data, separator = document.data, document.separator
    inner, at = 0, data.rfind(separator + b"#", 0, at)
    while at >= 0:
        line = data[at + 1 : at + 7]
        if line == b"#endif":
            inner += 1
        elif line.startswith(_BRANCHES):
            if not inner:
                return at
            inner -= line.startswith(b"#if")
        at = data.rfind(separator + b"#", 0, at)
    return -1


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _are_its_own(document: Document, worded: list[bytes], there: set[bytes]) -> bool:
    """Whether a good part of the run is right behind, too, without the lines that the file has at several places.

    Entries of a lock file or of a table begin and end alike, and what is their own differs.
    """
    counts = dict.fromkeys(worded, 0)
    for line in document.data.splitlines():
        bare = line.rstrip()
        if bare in counts:
            counts[bare] += 1
    own = [line for line in worded if counts[line] < 2]
    return _PART * len([line for line in own if line in there]) >= max(len(own), 1)


def _is_telling(line: bytes) -> bool:
    return len(line.translate(None, _MARKS)) >= _TELLING
