"""Read a patch while it is still being written, and refuse it as soon as it cannot apply.

Takes text or bytes in any pieces; gives what each piece completed: a section that opened, a hunk, a whole section.
Where files are given, each is looked at as it completes, and what no further text can mend is raised at once: a file
that is not there, a hunk whose text is nowhere. What more text may still decide, such as which of several places is
meant, is left until the section is complete. The end gives the same Patch as `parse` does for the whole text.
"""

from __future__ import annotations

from codecs import getincrementaldecoder

from patchkit.core.changes import Files, Options, Section, refuse_protected
from patchkit.core.changes.planner import PlanBuilder, fault
from patchkit.core.language import AddFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.core.language.lenience import BEGIN
from patchkit.core.language.parser import Parser, parse
from patchkit.core.matching import Match, Miss, WorkBudget
from patchkit.core.matching.locate import is_settled, locate
from patchkit.core.text import Document, is_surely_utf8
from patchkit.errors import PatchkitError
from patchkit.formats.foreign import BlockPlaces
from patchkit.guards import doubts
from patchkit.host_input import for_library
from patchkit.repair import parsed_scopes
from patchkit.repair.explain import LostHunk, explain, name_near_places, raise_explained
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
    from typing import Literal

    What = Literal["opened", "hunk", "section"]


class StreamedPatch:
    """A patch that is being written. `patch` is all of it once it has ended, None before."""

    def __init__(
        self, pieces: Iterable[str | bytes] | AsyncIterable[str | bytes], files: Files | None, options: Options
    ) -> None:
        self.patch: Patch | None = None
        self._pieces = pieces
        self._strict = options.strict
        self._stream = PatchStream(files, options)
        self._decoder = getincrementaldecoder("utf-8")("surrogateescape")

    def feed(self, piece: str | bytes) -> list[Arrival]:
        """Takes more text and returns what it completed; raises what makes the patch impossible."""
        if not isinstance(piece, (str, bytes)):
            given = type(piece).__name__
            raise for_library(PatchkitError("P601", option="a piece", given=given, allowed="str or bytes"))
        try:
            return self._stream.feed(self._decoder.decode(piece) if isinstance(piece, bytes) else piece)
        except PatchkitError as error:
            raise for_library(error, self._stream.text, self._strict) from None

    def finish(self) -> Patch:
        """Ends the text and returns the whole patch; raises what is wrong with it, as `parse` does."""
        try:
            self._stream.feed(self._decoder.decode(b"", True))
            self.patch = self._stream.finish()
            return self.patch
        except PatchkitError as error:
            raise for_library(error, self._stream.text, self._strict) from None

    def __iter__(self) -> Iterator[Arrival]:
        for piece in self._pieces:  # type: ignore[union-attr]  # pieces that come with `async` are for `async for`
            yield from self.feed(piece)
        self.finish()

    async def __aiter__(self) -> AsyncIterator[Arrival]:
        async for piece in self._pieces:  # type: ignore[union-attr]  # as above
            for arrival in self.feed(piece):
                yield arrival
        self.finish()


# Why a hunk has no place that no other hunk can change: its text, its anchor or the end of the file is not there.
CERTAIN = frozenset(["P201", "P203", "P206", "P207", "P209", "P211"])


_MOST_SEARCHED = 2_000_000  # lines of files that hunks are looked for in one by one, before their section is complete


class Arrival(Record):
    """What a piece of text completed: the header of a section ('opened'), a 'hunk' of it, or all of a 'section'.

    `op` is the section, as far as it has arrived. `hunk` is the number of the hunk, from 1, and `line` where it is in
    the file, as far as that is known from the hunk alone; both are None for other kinds.
    """

    what: What
    op: FileOp
    hunk: int | None = None
    line: int | None = None


class PatchStream:
    """A patch that is arriving: `feed` takes text and returns what it completed, `finish` returns the Patch.

    Both raise PatchkitError; after that the stream takes nothing more. Without files the text alone is looked at.
    """

    def __init__(self, files: Files | None = None, options: Options | None = None) -> None:
        options = options if options is not None else Options()
        self._strict = options.strict
        self._texts: list[str] = []
        self._line: list[str] = []  # what came of a line without its end
        self._parser = Parser(options.strict)
        self._planner = _ArrivingPlanner(files, options.begun(), parsed_scopes) if files is not None else None
        self._latest = "\n"  # the end of the text before the patch begins
        self._begun = options.strict  # otherwise what is around a patch may have to be seen first
        self._whole = False  # whether the text can be read only when all of it is there
        self._sections: list[FileOp] = []  # those that are complete
        self._opened: FileOp | None = None
        self._hunks = 0  # of the section at hand that have been looked at
        self._failed = False

    @property
    def text(self) -> str:
        return "".join(self._texts)

    @property
    def move_to(self) -> str | None:
        """The new name in the section at hand, as soon as its line is complete."""
        op = self._parser.section
        return op.move_to if isinstance(op, UpdateFile) else None

    def so_far(self) -> tuple[Patch, str | None]:
        """A patch of what is complete, with the section at hand as far as it is, and the path of that section.

        An update with nothing but its header is a move of a file to its own name: such a patch applies where there is
        a file. A new file is an empty one until it is complete.
        """
        op = self._parser.section
        if isinstance(op, AddFile):
            return Patch([*self._sections, AddFile(op.path, line=op.line)]), op.path
        if not isinstance(op, UpdateFile):
            return Patch(list(self._sections)), None
        hunks = op.hunks[: self._hunks]
        op = UpdateFile(op.path, op.move_to if hunks or op.move_to else op.path, hunks, op.line)
        return Patch([*self._sections, op]), op.path

    def feed(self, text: str) -> list[Arrival]:
        """Takes more text and returns what it completed."""
        if self._failed or not text:
            return []
        self._texts.append(text)
        if not self._strict and "\r" in text:
            self._whole = True  # whether a return belongs to a line or ends it is known at the end
        if self._whole:
            return []
        if not self._begun:
            latest = self._latest + text
            if f"\n{BEGIN}\n" not in latest:
                self._latest = latest[-len(BEGIN) - 1 :]
                return []
            self._begun, text = True, self.text
        self._line.append(text)
        if "\n" not in text:  # which completes nothing
            return []
        text, self._line = "".join(self._line), []
        try:
            return self._arrivals(text)
        except PatchkitError:
            self._failed = True
            raise

    def finish(self) -> Patch:
        """Ends the text; returns the whole patch, which was looked at section by section."""
        patch = parse(self.text, self._strict)
        if self._planner is not None:
            for section in patch.sections[self._planner.taken :]:
                self._planner.open(section)
                self._planner.take(section)
        return patch

    def _arrivals(self, text: str) -> list[Arrival]:
        """Feeds the parser line by line, so that a hunk is looked at before a later one is."""
        found: list[Arrival] = []
        for line in text.splitlines(keepends=True) if self._planner is not None else [text]:
            for section in self._parser.feed(line):
                found += self._of_section(section)
                if self._planner is not None:
                    self._planner.take(section)
                self._sections.append(section)
                found.append(Arrival("section", section))
                self._opened, self._hunks = None, 0
            if self._parser.section is not None:
                found += self._of_section(self._parser.section, complete=False)
        return found

    def _of_section(self, op: FileOp, complete: bool = True) -> list[Arrival]:
        """The header of the section, and hunks of it that no line can be added to."""
        found = []
        if self._opened is not op:
            self._opened = op
            if self._planner is not None:
                self._planner.open(op)
            found.append(Arrival("opened", op))
        if isinstance(op, UpdateFile):
            done = len(op.hunks) - (0 if complete else 1)
            while self._hunks < done:
                hunk = op.hunks[self._hunks]
                self._hunks += 1
                line = self._planner.look(op, hunk, self._hunks) if self._planner is not None else None
                found.append(Arrival("hunk", op, self._hunks, line))
        return found


class _ArrivingPlanner(PlanBuilder):
    """Plans sections as they complete, and looks at those that are still arriving."""

    taken = 0  # sections that are planned
    _file: _ArrivingFile | None = None  # of the section whose hunks arrive
    _searched = 0  # lines of files that single hunks were looked for in
    _meant = ""  # by the path of the section that is open, where it is only spelled otherwise

    def take(self, section: FileOp) -> None:
        """Plans a complete section; raises what is wrong with it."""
        since = len(self.plan.sections)
        if isinstance(section, UpdateFile) and self._meant:  # its file, whose path is spelled otherwise
            section, self._meant = UpdateFile(self._meant, section.move_to, section.hunks, section.line), ""
        self.add(section)
        self.taken += 1
        faults = [each for error in self.errors for each in error.errors]
        found = doubts(self.plan, self.options, since)
        if self.options.forward:  # which leaves out what is there
            found = [each for each in found if each.code != "P205"]
        if faults or found:
            raise_explained(self.plan, faults, found, self.options)

    def open(self, op: FileOp) -> None:
        """Raises what the path of a section alone makes impossible."""
        notes = len(self.plan.notes)
        try:
            entry = self.find(op.path, follow=isinstance(op, UpdateFile))
            if isinstance(op, UpdateFile) and self._current(entry) is None and not self._was_absent(entry):
                self._refuse_absent(op.path, entry)  # else its new name, which is still to come, decides
            if isinstance(op, AddFile) and entry.kind != "file":  # a file that is there may be what is to be added
                self.refuse_existing(op.path, entry, "P303")
            if not self.options.allow_vcs:
                refuse_protected(op.path, entry.name)
        except PatchkitError as error:
            for each in error.errors:
                each.facts.setdefault("file", op.path)
                each.facts.setdefault("patch_line", op.line)
            explain(self.plan, [error], self.options)
            near = error.facts.get("near_names") if error.facts.get("spelled") else None
            if self.options.strict or not isinstance(op, UpdateFile) or not isinstance(near, list):
                raise
            self._meant = near[0]
        finally:
            del self.plan.notes[notes:]  # they come when the section is planned

    def look(self, op: UpdateFile, hunk: Hunk, number: int) -> int | None:
        """The line of a hunk, where it has one place by itself; raises when it cannot have any.

        The lines of the file are indexed for all hunks of the section. What they do not settle is looked for in the
        whole file, until that is too much work: then it is left until the section is complete.
        """
        if self._file is None or self._file.op is not op:
            before = self._current(self._files.find(op.path, True))
            self._file = None if before is None else _ArrivingFile(op, before)
        file = self._file
        if file is None or (file.plain is None and self._searched > _MOST_SEARCHED):
            return None
        document = file.plain if "".join(hunk.lines).isascii() or file.is_utf8 else None
        if document is None:
            document = self._document_of(op, hunk, file.before)
            if document is None:
                return None
            if type(document) is Document and not document.bom and not document.codec:
                file.plain = document
        elif (row := file.row(hunk)) is not None:
            return row + 1
        self._searched += document.data.count(b"\n")
        if self._searched > _MOST_SEARCHED:
            return None
        (result,) = self._parsed_again(op.path, document, [hunk], locate(document, [hunk], self.options))
        if isinstance(result, Match):
            return result.line + 1
        if isinstance(result, Miss) and result.code in CERTAIN:
            error = fault(result, {"file": op.path, "hunk": number, "patch_line": hunk.line})
            lost = [LostHunk(Section(op, "M", op.path, op.path), hunk, result, error)]
            name_near_places(lost, self.options.budget or WorkBudget())
            raise error
        return None

    def _document_of(self, op: UpdateFile, hunk: Hunk, before: list[bytes]) -> Document | None:
        """The text of a file as one hunk alone shows that it is read; None where all of them may decide that."""
        notes = len(self.plan.notes)
        try:
            document = self._document(UpdateFile(op.path, hunks=[hunk]), before)
        except PatchkitError:
            return None
        finally:
            del self.plan.notes[notes:]
        return None if document.codec and not document.bom else document


class _ArrivingFile:
    """The file of a section that is arriving. `plain` is its text, once that is known to be the bytes as they are."""

    def __init__(self, op: UpdateFile, before: list[bytes]) -> None:
        self.op = op
        self.before = [b"".join(before)]
        data = self.before[0]
        self.is_utf8 = not data.isascii() and is_surely_utf8(data)  # else what hunks show may decide how it is read
        self.plain: Document | None = None
        self._places: BlockPlaces | None = None

    def row(self, hunk: Hunk) -> int | None:
        """The row of a hunk, from 0, that has one place by its text; None where it takes more to know."""
        if self.plain is None:
            return None
        if self._places is None:
            self._places = BlockPlaces(self.plain.data)
        row = self._places.only(hunk.old())
        return row if row is not None and is_settled(self.plain, hunk, self.plain.offsets[row]) else None
