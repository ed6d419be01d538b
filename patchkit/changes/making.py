"""Make the patch that turns one set of files into another.

Takes two mappings of paths to bytes; gives a Patch whose every hunk is placed by the exact pass and by nothing
else, with as little context as that needs, adds, deletes and renames included. What the language
cannot say is an error: the patch is planned against the old files before it is given away.
"""

from __future__ import annotations

from patchkit.changes.compare import Span, compared
from patchkit.changes.options import Options
from patchkit.changes.planner import plan
from patchkit.changes.sources import MemoryFiles
from patchkit.errors import PatchkitError
from patchkit.language.model import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.language.parser import parse
from patchkit.language.writer import write
from patchkit.matching.already_applied import AppliedCheck
from patchkit.matching.anchors import Anchors
from patchkit.matching.passes import PASSES
from patchkit.matching.view import Views
from patchkit.text.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_ENOUGH = 3  # lines of context on either side before an anchor is tried
_ALIKE = 0.6  # share of common lines that makes a deleted and an added file one that was renamed


def make_patch(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Patch:
    """Returns the patch from `before` to `after`; raises P112 for what the language cannot say."""
    gone = {path: before[path] for path in sorted(before) if path not in after}
    new = {path: after[path] for path in sorted(after) if path not in before}
    sections: list[FileOp] = []
    for old_path, new_path in _renames(gone, new):
        hunks = _hunks(new_path, gone.pop(old_path), new.pop(new_path))
        sections.append(UpdateFile(old_path, new_path, hunks))
    for path in sorted(before):
        if path in after and before[path] != after[path]:
            sections.append(UpdateFile(path, None, _hunks(path, before[path], after[path])))
    sections += [DeleteFile(path) for path in gone]
    sections += [AddFile(path, _added_text(path, data)) for path, data in new.items()]
    patch = Patch(sections)
    if sections:
        _prove(patch, before, after)
    return patch


def _added_text(path: str, data: bytes) -> str:
    _refuse_binary(path, data)
    return data.decode("utf-8", "surrogateescape")


def _refuse_binary(path: str, data: bytes) -> None:
    if b"\0" in data[:8192]:
        raise PatchkitError("P112", file=path, what=f"'{path}' is binary", instead="copy the file itself")


def _prove(patch: Patch, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> None:
    """Applies the patch in memory by the exact pass alone; what does not come out as it should is refused."""
    files = MemoryFiles(dict(before))
    plan(parse(write(patch), strict=True), files, Options(max_pass="exact", lost_anchors=False)).commit()
    for path, data in after.items():
        if files.content.get(path) != data:
            raise PatchkitError(
                "P112",
                file=path,
                what=f"'{path}' changes line endings of lines it keeps, or in a way that lines cannot show",
                instead="write the whole file instead, or convert its line endings in a step of its own",
            )


# -- renames -------------------------------------------------------------------------------------


def _renames(gone: dict[str, bytes], new: dict[str, bytes]) -> list[tuple[str, str]]:
    """Pairs of a deleted and an added file that are the same, or nearly."""
    pairs: list[tuple[str, str]] = []
    taken: set[str] = set()
    for old_path, data in gone.items():
        best, most = "", _ALIKE
        lines = set(data.split(b"\n"))
        for new_path, other in new.items():
            if new_path in taken:
                continue
            theirs = set(other.split(b"\n"))
            alike = 1.0 if other == data else len(lines & theirs) / max(len(lines), len(theirs))
            if alike >= most and data:
                best, most = new_path, alike
        if best and b"\0" not in data[:8192]:
            taken.add(best)
            pairs.append((old_path, best))
    return pairs


# -- hunks ---------------------------------------------------------------------------------------


def _hunks(path: str, before: bytes, after: bytes) -> list[Hunk]:
    if before == after:
        return []
    _refuse_binary(path, before)
    _refuse_binary(path, after)
    old, new = Document(before), Document(after)
    maker = _Maker(old, new)
    return maker.hunks(compared(_ended_lines(old), _ended_lines(new)))


def _ended_lines(document: Document) -> list[bytes]:
    bounds = document.offsets
    return [document.data[a:b] for a, b in zip(bounds, bounds[1:])]


class _Maker:
    """Turns differing spans of one file into hunks that each fit one place of it."""

    def __init__(self, old: Document, new: Document) -> None:
        self.old, self.new = old, new
        self.texts, self.new_texts = old.texts, new.texts
        views = Views(self.texts)
        self.view = views.by(PASSES[0])
        self.anchors = Anchors(self.texts, views)
        self.already = AppliedCheck(self.texts, views)

    def hunks(self, spans: list[Span]) -> list[Hunk]:
        """One hunk a group of spans; context that would overlap joins its neighbours."""
        groups = [[span] for span in spans]
        made: list[tuple[int, int, list[str], list[Span]]] = []  # from line, to line, anchors, spans
        while groups:
            group = groups.pop(0)
            start, stop, anchors = self._room(group)
            while (groups and stop > groups[0][0][0]) or (made and start < made[-1][1]):
                group = [*made.pop()[3], *group] if made and start < made[-1][1] else [*group, *groups.pop(0)]
                start, stop, anchors = self._room(group)
            made.append((start, stop, anchors, group))
        return [self._hunk(group, start, stop, anchors) for start, stop, anchors, group in made]

    def _room(self, group: list[Span]) -> tuple[int, int, list[str]]:
        """The least lines around a group that occur nowhere else, with an anchor where that saves many."""
        first, last = group[0][0], group[-1][1]
        count = len(self.texts)
        for context in range(count + 1):
            start, stop = max(0, first - context), min(count, last + context)
            if start < stop:
                places = self.view.occurrences(self.texts[start:stop])
                if len(places) == 1 and self._is_to_be_made(group, start, stop):
                    return start, stop, []
                if context >= min(_ENOUGH, count):
                    anchor = self._anchor_for(places, start, first)
                    if anchor and self._is_to_be_made(group, start, stop):
                        return start, stop, [anchor]
            if start == 0 and stop == count:
                break
        return 0, count, []

    def _is_to_be_made(self, group: list[Span], start: int, stop: int) -> bool:
        """Whether the change cannot be taken for one that has been made."""
        return self.already.again_at(self._lines(group, start, stop), start, stop - start) is None

    def _anchor_for(self, places: list[int], start: int, first: int) -> str:
        """The line of the definition around a place, if it occurs once and holds this place alone."""
        definition = self.anchors.enclosing(start)
        if definition is None or definition.line >= start:
            return ""
        name = self.texts[definition.line]
        scopes = self.anchors.scopes([name]) if name.strip() else []
        if len(scopes) != 1 or scopes[0].how != "exact" or first >= definition.end:
            return ""
        inside = [place for place in places if definition.line <= place < definition.end]
        return name if inside == [start] and "@@" not in name and not name.lstrip().startswith(("-", ".")) else ""

    def _lines(self, group: list[Span], start: int, stop: int) -> list[str]:
        """The lines of the hunk that makes the changes of a group, with their signs."""
        lines: list[str] = []
        at = start
        for a, b, c, d in group:
            lines.extend(" " + text for text in self.texts[at:a])
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
            hunk.at_eof = True
        return hunk
