"""Make the patch that turns one set of files into another.

Takes two mappings of paths to bytes; gives a Patch whose every hunk is placed by the exact pass and by nothing
else, with as little context as that needs, adds, deletes and renames included. Every hunk fits one place of the old
and one of the new file, so the patch can be taken back. A patch that adds what the file seems to have already shows
that, too. What the language cannot say is an error, found before files
are compared; the patch is planned against the old files before it is given away.
"""

from __future__ import annotations

from bisect import bisect_left

from patchkit.changes.byte_lines import byte_line
from patchkit.changes.compare import Span, compared
from patchkit.changes.options import Options
from patchkit.changes.paths import ancestors
from patchkit.changes.planner import plan
from patchkit.changes.renames import renames_of
from patchkit.changes.sources import MemoryFiles
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.formats.ordering import ordered
from patchkit.formats.unified_names import shell_word
from patchkit.language.model import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.language.parser import parse
from patchkit.language.writer import write
from patchkit.matching.already_applied import AppliedCheck
from patchkit.matching.anchors import Anchors
from patchkit.matching.passes import PASSES
from patchkit.matching.view import Views
from patchkit.text.document import Document, is_binary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from patchkit.changes.model import Plan
    from patchkit.formats.model import ForeignOp

_ENOUGH = 3  # lines of context on either side before an anchor is tried
_ONE_BY_ONE = 6  # neighbours that a group of changes takes singly, to become no larger than it must
_STEPS = 12  # lines of context that are tried one by one; beyond, in growing steps
_SWAPPED = {" ": " ", "-": "+", "+": "-"}
_ROUNDS = 8  # in which a section is made again, to show what it seems to repeat


def make_patch(before: Mapping[str, bytes], after: Mapping[str, bytes], portable: bool = False) -> Patch:
    """Returns the patch from `before` to `after`; raises P112 with every file that the language cannot say.

    `portable` writes what other programs for this language accept as well: a hunk in every section that moves a file,
    a line of context on both sides, no anchor twice in a file, and no word about the final newline.
    """
    gone = {path: before[path] for path in sorted(before) if path not in after}
    new = {path: after[path] for path in sorted(after) if path not in before}
    changed = [path for path in sorted(before) if path in after and before[path] != after[path]]
    renames = renames_of(gone, new)
    _refuse_binaries(before, after, changed, gone, new, renames)
    _refuse_directories(gone, new)
    sections: list[FileOp] = []
    for old_path, new_path in renames:
        hunks = hunks_between(new_path, gone.pop(old_path), new.pop(new_path), portable)
        if portable and not hunks:
            hunks = _context_only(before[old_path])
        sections.append(UpdateFile(old_path, new_path, hunks))
    for path in changed:
        sections.append(UpdateFile(path, None, hunks_between(path, before[path], after[path], portable)))
    sections += [DeleteFile(path) for path in gone]
    sections += [AddFile(path, data.decode("utf-8", "surrogateescape")) for path, data in new.items()]
    patch = Patch(cast_sections(ordered(list(sections))))
    if portable:
        leave_final_newlines(patch)
    if sections:
        _prove(patch, before, after, portable)
    return patch


def cast_sections(sections: list[ForeignOp]) -> list[FileOp]:
    """The sections of the language among others."""
    return [each for each in sections if isinstance(each, (AddFile, DeleteFile, UpdateFile))]


def _refuse_binaries(
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    changed: list[str],
    gone: dict[str, bytes],
    new: dict[str, bytes],
    renames: list[tuple[str, str]],
) -> None:
    """Raises for all binary content that would have to be written; deleting it or giving it another name is fine."""
    moved = {new_path: old_path for old_path, new_path in renames}
    errors = [_binary(path) for path in changed if is_binary(before[path]) or is_binary(after[path])]
    for path, data in new.items():
        if is_binary(data) and (path not in moved or gone[moved[path]] != data):
            errors.append(_binary(path))
    raise_all(errors)


def _refuse_directories(gone: dict[str, bytes], new: dict[str, bytes]) -> None:
    """Raises for directories that become files: a patch takes files away, and not the directories that they were in."""
    above = {parent for path in gone for parent in ancestors(path)}
    raise_all(
        [
            PatchkitError(
                "P112",
                file=path,
                what=f"the directory '{path}', which becomes a file",
                instead=f"run: rm -r {shell_word(path)}, and write the file after that",
            )
            for path in new
            if path in above
        ]
    )


def _binary(path: str) -> PatchkitError:
    return PatchkitError("P112", file=path, what=f"'{path}' is binary", instead="copy the file itself")


def _context_only(data: bytes) -> list[Hunk]:
    """A hunk that changes nothing, for a program that accepts no section without one."""
    first = next((text for text in Document(data).texts if text.strip()), None)
    return [Hunk([], [" " + first])] if first is not None else []


def leave_final_newlines(patch: Patch) -> None:
    """Takes off what the patch says about final newlines; a file whose only change that is keeps it."""
    for section in patch.sections:
        if isinstance(section, AddFile) and section.text and not section.text.endswith("\n"):
            section.text += "\n"
            patch.notes.append(Note("P984", file=section.path))
        for hunk in section.hunks if isinstance(section, UpdateFile) else ():
            if hunk.final_newline is not None:
                same = hunk.was_unended and not hunk.final_newline
                hunk.final_newline = None
                hunk.was_unended = False
                if same:
                    continue
                patch.notes.append(Note("P984", file=section.path))


def _prove(patch: Patch, before: Mapping[str, bytes], after: Mapping[str, bytes], portable: bool) -> None:
    """Applies the patch in memory by the exact pass alone; what does not come out as it should is refused."""
    _refuse_returns(patch)
    files = MemoryFiles(dict(before))
    try:
        _planned(patch, before, after, portable, files).commit()
    except PatchkitError as error:
        raise_all([_other_encoding(each) if each.code in ("P210", "P215") else each for each in error.errors])
        raise
    for path, data in after.items():
        made = files.content.get(path)
        if made is None and path != path.strip():
            what = f"whitespace at the ends of the name '{path}'"
            raise PatchkitError("P112", file=path, what=what, instead="apply git's own diff, or copy the file itself")
        if made != data and not (portable and made is not None and made.rstrip(b"\r\n") == data.rstrip(b"\r\n")):
            raise PatchkitError(
                "P112",
                file=path,
                what=f"'{path}' changes line endings of lines it keeps, or in a way that lines cannot show",
                instead="write the whole file instead, or convert its line endings in a step of its own",
            )


def _other_encoding(error: PatchkitError) -> PatchkitError:
    what = f"lines of '{error.file}' in UTF-8, where the file declares or has another encoding"
    return PatchkitError("P112", file=error.file, what=what, instead="copy the file itself, or apply git's own diff")


def _refuse_returns(patch: Patch) -> None:
    """Raises for changed lines whose text ends with a CR, which a reader takes for a part of the line's ending."""
    for section in patch.sections:
        lines = [line for hunk in section.hunks for line in hunk.lines] if isinstance(section, UpdateFile) else ()
        doubled = isinstance(section, AddFile) and ("\r\r\n" in section.text or section.text.endswith("\r\r"))
        if doubled or any(line.endswith("\r") and line[0] != " " for line in lines):
            what = f"lines of '{section.path}' that end with a CR of their own"
            raise PatchkitError("P112", file=section.path, what=what, instead="copy the file itself")


def _planned(
    patch: Patch, before: Mapping[str, bytes], after: Mapping[str, bytes], portable: bool, files: MemoryFiles
) -> Plan:
    """The plan of the patch. Sections show what they seem to repeat: else it would be taken for a slip."""
    pins: dict[str, set[int]] = {}
    for _ in range(_ROUNDS):
        try:
            return plan(parse(write(patch), strict=True), files, _exact())
        except PatchkitError as error:
            found = {path: lines - pins.get(path, set()) for path, lines in repeated(error).items()}
        if not any(found.values()):
            break
        for section in patch.sections:
            if isinstance(section, UpdateFile) and found.get(section.path):
                lines = pins.setdefault(section.path, set())
                lines |= found[section.path]
                new = after[section.move_to or section.path]
                section.hunks = hunks_between(section.path, before[section.path], new, portable, pins=lines)
    shown = [each for each in patch.sections if isinstance(each, UpdateFile) and each.path in pins]
    kept = [each.hunks for each in shown]
    for section in shown:  # a repeated line that cannot be shown alone is replaced, with all that is between
        new = after[section.move_to or section.path]
        section.hunks = hunks_between(
            section.path, before[section.path], new, portable, pins=pins[section.path], one=True
        )
    try:
        return plan(parse(write(patch), strict=True), files, _exact())
    except PatchkitError:
        for section, hunks in zip(shown, kept):
            section.hunks = hunks
    return plan(parse(write(patch), strict=True), files, _exact(allow_duplicate=True))


def _exact(allow_duplicate: bool = False) -> Options:
    return Options(max_pass="exact", lost_anchors=False, allow_duplicate=allow_duplicate, allow_placeholder=True)


def repeated(error: PatchkitError) -> dict[str, set[int]]:
    """The lines, from 0, that sections seem to repeat, by file."""
    found: dict[str, set[int]] = {}
    for each in error.errors:
        other = each.facts.get("other")
        if each.code in ("P205", "P216", "P217") and isinstance(other, int):
            found.setdefault(each.file or "", set()).add(other - 1)
    return found


# -- hunks ---------------------------------------------------------------------------------------


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
) -> list[Hunk]:
    """The hunks that turn one content of a file into another; raises P112 for binary content.

    `pins` are lines of the old file, from 0, that hunks shall show although they stay. With `blocks`, no hunk shows
    nothing else, and each has an old line that is not blank. With `one`, all lines from the first to the last change or
    pin are replaced. Lines that are `unshown` are not taken for context, where there is a way without. With `as_bytes`,
    hunks that could be read as text in another encoding show a line which says that they are bytes.
    """
    if before == after:
        return []
    if is_binary(before) or is_binary(after):
        raise _binary(path)
    old, new = Document(before), Document(after)
    if old.bom != new.bom and old.codec is None and new.codec is None:
        old, new = Document.with_mark_as_text(before), Document.with_mark_as_text(after)
    maker = _Maker(old, new, portable, anchored, blocks, unshown)
    spans = compared(_ended_lines(old), _ended_lines(new)) if unshown is None else _compared_around(old, new, unshown)
    if one and spans:
        first, last = min([spans[0][0], *pins]), max([spans[-1][1], *(line + 1 for line in pins)])
        spans, pins = [(first, last, first, last + sum((d - c) - (b - a) for a, b, c, d in spans))], ()
    hunks = maker.hunks(spans, pins)
    if not as_bytes or all("".join(hunk.lines).isascii() for hunk in hunks):
        return hunks
    line = byte_line(old, new, hunks)
    if line < 0:
        return hunks
    return _Maker(old, new, portable, anchored, blocks, unshown).hunks(spans, {*pins, line})


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
    bounds = document.offsets
    return [document.data[a:b] for a, b in zip(bounds, bounds[1:])]


class _Side:
    """The old or the new text of a file, and where lines are in it."""

    __slots__ = ("texts", "view", "anchors", "already")

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
        for line in pins:
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
            alone = self.before.view.is_once(old) and self.after.view.is_once(new)
            if alone and self._is_to_be_made(group, start, stop):
                return start, stop, []
            if self.anchored and min(above, below) >= min(_ENOUGH, count):
                anchor = self._anchor(group, start, there, old, new)
                if anchor and self._is_to_be_made(group, start, stop):
                    return start, stop, [anchor]
        old = self.texts[lowest:highest]
        if old and self.before.view.is_once(old) and (any(map(str.strip, old)) or not self.blocks):
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
        swapped = [_SWAPPED[line[0]] + line[1:] for line in lines]
        return self.after.already.again_at(swapped, there[0], there[1] - there[0]) is None

    def _lines(self, group: list[Span], start: int, stop: int) -> list[str]:
        """The lines of the hunk that makes the changes of a group, with their signs."""
        lines: list[str] = []
        at = start
        for a, b, c, d in group:
            lines.extend(" " + text for text in self.texts[at:a])
            if (a, b, c, d) in self._pins:
                at = a
                continue
            lines.extend("-" + text for text in self.texts[a:b])
            lines.extend("+" + text for text in self.new_texts[c:d])
            at = b
        lines.extend(" " + text for text in self.texts[at:stop])
        return lines

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
