"""Work out what a patch does to the files it names, and write nothing.

Takes a Patch and a source of files (a workspace, or a mapping); gives a Plan, or raises with every fault
it found. Sections see the results of earlier ones: what a section leaves behind is what the next
one reads.
"""

from __future__ import annotations

from patchkit.core.changes import (
    Entry,
    FileChange,
    Files,
    Options,
    Plan,
    Section,
    Whole,
    ancestors,
    hindrance_in,
    refuse_lost_endings,
    refuse_protected,
    replacements,
    splice,
    watched,
)
from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, Patch, SpecialFile, UpdateFile
from patchkit.core.matching import OF_SCOPES, Match, Miss
from patchkit.core.matching.locate import locate
from patchkit.core.text import Document, is_surely_utf8, is_utf8
from patchkit.errors import Note, PatchkitError, raise_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import NoReturn, Protocol

    from patchkit.globs.conventions import Conventions

    Results = list[Match | Miss]

    class SecondOpinion(Protocol):
        """What else is known of scopes, for hunks that were refused because of theirs; it serves one plan."""

        def placed(
            self, path: str, document: Document, hunks: list[Hunk], results: Results, options: Options
        ) -> Results: ...


_MOST_HELD = 256 << 20  # bytes of texts that sections of the same files keep
_MOST_SEARCHED = 512 << 20  # bytes of files in which sections are looked for that are not their first
_MOST_REFUSED = 500_000  # lines of files in which sections were refused: every place of their hunks is looked at
_BY_LINES = 400  # bytes that each line counts for, where lines had to be compared
_MOST_ERRORS = 1_000  # of a patch; a small text can have a hundred thousand


def plan(
    patch: Patch,
    files: Files,
    options: Options | None = None,
    second_opinion: Callable[[], SecondOpinion] | None = None,
    done: Mapping[int, Miss] | None = None,
) -> Plan:
    """Returns the plan for a whole patch; raises with all faults of all sections when it has any.

    `second_opinion` is asked about hunks that have several places in their scope, or none. `done` are hunks, by `id`,
    that are known to be in the file already, each with its Miss.
    """
    if not patch.sections:
        raise PatchkitError("P110")
    planner = PlanBuilder(files, (options if options is not None else Options()).begun(), second_opinion, done)
    for section in watched(getattr(files, "on_progress", None), "reading", patch.sections, len(patch.sections)):
        planner.add(section)
    if planner.errors:
        planner.errors[0].plan = planner.plan  # what is known of the other sections, for those who report it
        raise_all(planner.errors)
    if not any(change.changed for change in planner.plan.changes.values()):
        planner.plan.notes.append(Note("P933"))
    return planner.plan


class PlanBuilder:
    """Takes sections one after the other; `plan` holds what they come to, `errors` what is wrong with them."""

    def __init__(
        self,
        files: Files,
        options: Options,
        second_opinion: Callable[[], SecondOpinion] | None = None,
        done: Mapping[int, Miss] | None = None,
    ) -> None:
        self.plan = Plan(files)
        self.options = options
        self._reading = options.reading
        self.errors: list[PatchkitError] = []
        self._files = files
        self._second_opinion = second_opinion
        self._scopes: SecondOpinion | None = None
        self._done = done
        self._homes: dict[str, int] = {}  # directories, and how many files and directories of this plan are in each
        self._held: dict[str, str] = {}  # by directory, a file that it holds: a patch may ask a thousand times
        self._latest: dict[str, Section] = {}  # the last update of each file
        self._texts_held = self._searched = 0  # bytes of sections whose files later ones change as well
        self._goals: set[str] = set()  # names in which changes were looked for once: thousands may be refused
        self._refused: dict[str, Document | None] = {}  # by path, what sections were refused for
        self._lines_refused = self._faults = 0
        self._gone: set[str] | None = getattr(files, "gone", None)  # links of this plan, which lead nowhere from now on
        if self._gone:
            self._gone.clear()
        self._read_settings: Conventions | None = None
        self._looked_at: set[str] = set()  # directories that are known not to be files of this plan

    def add(self, op: FileOp) -> None:
        if self._faults > _MOST_ERRORS:
            return
        try:
            if self._faults == _MOST_ERRORS:
                raise _unread(op.path)
            if isinstance(op, SpecialFile):
                op.plan_in(self)
            elif isinstance(op, UpdateFile):
                self.update(op)
            elif isinstance(op, AddFile):
                self._add(op)
            else:
                self._delete(op)
        except PatchkitError as error:
            for each in error.errors:
                each.facts.setdefault("file", op.path)
                each.facts.setdefault("patch_line", op.line)
            self.errors.append(error.with_traceback(None))  # thousands would keep their frames
            self._faults += len(error.errors)
            if self.plan.sections and self.plan.sections[-1].op is op:
                document = self._refused[op.path] = self.plan.sections[-1].document
                self._lines_refused += document.data.count(b"\n") if document is not None else 0

    # -- the three operations --------------------------------------------------------------------

    def _add(self, op: AddFile) -> None:
        _refuse_directory_name(op.path)
        entry = self.find(op.path, follow=False)
        text = self.ended(entry, op.text.encode("utf-8", "surrogateescape"))
        self.plan.sections.append(Section(op, "A", op.path, entry.name))
        if entry.kind == "file" and self.is_there(op, self._current(entry), text):
            return
        self.refuse_existing(op.path, entry, "P303")
        self.leave(op.path, entry, [text] if text else [], self.original(entry))

    def is_there(self, op: AddFile, there: list[bytes] | None, text: bytes) -> bool:
        """Whether a new file is there already, as it shall be, and can be left out; notes that."""
        if there is None or (self.options.strict and not self.options.forward) or b"".join(there) != text:
            return False
        self.plan.notes.append(Note("P929", why="applied", file=op.path, what="the new file"))
        return True

    def ended(self, entry: Entry, text: bytes) -> bytes:
        """The text of a new file with the line endings that new files have there."""
        if type(self._files).new_ending is Files.new_ending:  # which reads the settings files anew for each name
            ending = self._conventions.ending(entry.name)
        else:
            ending = self._files.new_ending(entry.name)
        return text if ending == b"\n" else text.replace(b"\r\n", b"\n").replace(b"\n", ending)

    def _delete(self, op: DeleteFile) -> None:
        entry = self.find(op.path, follow=False)
        if not self._is_file(entry) and entry.kind != "link":
            if not self._was_absent(entry):
                self._refuse_absent(op.path, entry)
            self.plan.notes.append(Note("P929", why="applied", file=op.path, what="the deletion", patch_line=op.line))
        self.leave(op.path, entry, None, None)
        self.plan.sections.append(Section(op, "D", op.path, entry.name))

    def update(self, op: UpdateFile, content: list[bytes] | None = None) -> Section | None:
        """Plans a change of a file, or another `content`; gives its section, None where nothing is left to do."""
        if self._searched > _MOST_SEARCHED or (self._lines_refused > _MOST_REFUSED and op.path in self._refused):
            self._stop(op)
            return None
        entry = self.find(op.path, follow=True)
        before = self._current(entry)
        if before is None:
            if op.move_to is not None and self._was_absent(entry) and self._is_moved(op, op.move_to):
                return None
            self._refuse_absent(op.path, entry)
        section = Section(op, "M", op.move_to or op.path, entry.name, op.path if op.move_to else None)
        self.plan.sections.append(section)
        earlier, self._latest[entry.name] = self._latest.get(entry.name), section
        if earlier is not None:
            self._let_go(earlier)
        after = content or (self._edited(op, before, section) if op.hunks else before)
        if op.move_to is None:
            self.leave(op.path, entry, after, self.keeps(entry))
        else:
            section.name = self._move(op, op.move_to, entry, after)
        return section

    def _let_go(self, section: Section) -> None:
        """Forgets the text of a section whose file is changed once more, once such texts are too much to keep."""
        document = section.document
        if document is None:
            return
        if document.has_lines:
            self._searched += _BY_LINES * document.data.count(document.separator)
        self._searched += len(document.data)
        if document.known is None:
            document.forget_lines()  # several times as large as the text, and made again if they are asked for
        self._texts_held += len(document.data)
        if self._texts_held > _MOST_HELD:
            for result in section.results:
                if isinstance(result, Match):
                    result.forget_document()
                else:
                    result.sought = None
            section.document = None

    def _was_absent(self, entry: Entry) -> bool:
        """Whether there was no file before the run, where that may mean that the section was applied before."""
        return self.options.forward and entry.kind == "missing" and entry.name not in self.plan.changes

    def _is_moved(self, op: UpdateFile, move_to: str) -> bool:
        """Whether a file that is not under its old name has its new one, and all of the changes; notes that."""
        goal = self.find(move_to, follow=False)
        if goal.kind != "file" or goal.name in self.plan.changes or goal.name in self._goals:
            return False
        self._goals.add(goal.name)
        section = Section(op, "M", move_to, goal.name)
        there = Whole(goal)
        noted = len(self.plan.notes)
        try:
            is_same = (
                not op.hunks or self._edited(UpdateFile(move_to, None, op.hunks, op.line), there, section) is there
            )
        except PatchkitError:
            is_same = False
        if not is_same:
            del self.plan.notes[noted:]
            return False
        note = Note("P929", why="applied", file=move_to, what=f"the rename of '{op.path}'", patch_line=op.line)
        self.plan.notes.insert(noted, note)
        self.plan.sections.append(section)
        self.leave(move_to, goal, there, goal)
        return True

    def _stop(self, op: UpdateFile) -> None:
        """Refuses the patch at the first section that is too much work; the others need not be looked at."""
        if not any(error.code == "P117" for error in self.errors):
            reason = f"'{op.path}' is changed by too many sections for its size"
            raise PatchkitError("P117", file=op.path, reason=reason, instead="put the hunks of one file in one section")

    def _move(self, op: UpdateFile, move_to: str, entry: Entry, after: list[bytes]) -> str:
        """Leaves the content under another name, which it returns."""
        try:
            return self._moved(op, move_to, entry, after)
        except PatchkitError as error:
            error.facts.setdefault("patch_line", op.move_line)
            raise

    def _moved(self, op: UpdateFile, move_to: str, entry: Entry, after: list[bytes]) -> str:
        _refuse_directory_name(move_to)
        goal = self.find(move_to, follow=False)
        if goal.name == entry.name:
            said, leaf = move_to.rstrip(" \t/"), goal.name.rpartition("/")[2]
            if said.casefold().endswith(leaf.casefold()) and not said.endswith(leaf):
                raise PatchkitError("P304", file=move_to, source=op.path)  # one name where case makes no difference
            self.leave(op.path, entry, after, self.keeps(entry))
            return entry.name
        source = self.find(op.path, follow=False) if entry.target else entry
        if source.kind == "link" and source.name not in self.plan.changes:
            raise PatchkitError("P314", file=op.path, target=source.target)
        self.refuse_existing(move_to, goal, "P304", source=op.path)
        executable = getattr(self.plan.changes.get(entry.name), "executable", None)
        self.leave(move_to, goal, after, self.keeps(entry))
        self.plan.changes[goal.name].executable = executable
        self.leave(op.path, entry, None, None)
        return goal.name

    def _edited(self, op: UpdateFile, before: list[bytes], section: Section) -> list[bytes]:
        """The file's new bytes, or the old ones when nothing changes; raises with every hunk that has no place."""
        document = section.document = self._document(op, before)
        section.results = locate(document, op.hunks, self.options)
        if Miss in map(type, section.results):
            section.results = self._parsed_again(op.path, document, op.hunks, section.results)
        if self._done:
            section.results = [self._done.get(id(hunk), each) for hunk, each in zip(op.hunks, section.results)]
        faults: list[PatchkitError] = []
        for number, result in enumerate(section.results, 1):
            if isinstance(result, Match):
                if not result.notes:
                    continue
                for note in result.notes:
                    note.facts["file"] = op.path
                if not self.options.strict:
                    self.plan.notes.extend(result.notes)
                    continue
                # It has its place, but only with what the note reports.
                result = Miss("P213", [result.line], what=result.notes[0].message, line=result.line + 1)
                section.results[number - 1] = result
            hunk = op.hunks[number - 1]
            place = {"file": op.path, "hunk": number, "patch_line": hunk.line}
            if result.code == "P205" and self.options.forward:
                done = Note("P929", why="applied", file=op.path, what=f"hunk {number}", patch_line=hunk.line)
                self.plan.notes.append(done)
            elif self._faults + len(faults) == _MOST_ERRORS:
                faults.append(_unread(op.path, hunk=number, patch_line=hunk.line))
                break
            else:
                result.facts["taken_back"] = self.options.reverse
                faults.append(fault(result, place))
        if faults:
            raise_all(faults)
        made, ends = section.replacements, section.ends
        wanted = self._final_newline(op, document)
        for hunk, result in zip(op.hunks, section.results):
            if type(result) is Match:
                try:
                    new = replacements(document, result)
                except PatchkitError as error:
                    error.facts["patch_line"] = hunk.line
                    raise
                new = [each for each in new if not each.changes_nothing_in(document)]
                made += new
                if not new:
                    self._note_idle(op, len(ends), result, wanted not in (None, document.terminated))
            ends.append(len(made))
        if self.options.reverse and document.endings == "mixed":
            refuse_lost_endings(op.path, made, bool(wanted) and not document.terminated)
        if not made and (wanted is None or wanted == document.terminated):
            return before
        return document.file_bytes(splice(document, made, wanted))

    def _parsed_again(self, path: str, document: Document, hunks: list[Hunk], results: Results) -> Results:
        """The results with the second opinion on the scopes of anchors that hunks were refused for."""
        if not any(isinstance(each, Miss) and each.code in OF_SCOPES for each in results):
            return results
        if self._scopes is None:
            if self._second_opinion is None:
                return results
            self._scopes = self._second_opinion()
        return self._scopes.placed(path, document, hunks, results, self.options)

    def _note_idle(self, op: UpdateFile, number: int, match: Match, ending: bool) -> None:
        """Notes a hunk that changes nothing; not one that keeps the place of the next, or what is moved.

        Nor where the `ending` of the file is changed.
        """
        hunk = op.hunks[number]
        pins = number + 1 < len(op.hunks) and all(line[0] == " " for line in hunk.lines)
        if pins or op.move_to or ending or any(note.code == "P930" for note in match.notes):
            return
        facts = {"hunk": number + 1, "file": op.path, "patch_line": hunk.line, "line": match.line + 1}
        self.plan.notes.append(Note("P930", **facts))

    def _document(self, op: UpdateFile, before: list[bytes]) -> Document:
        """The file's text. Hunks of ASCII characters fit it in any encoding; for others it may have to be known."""
        data = before.entry.data if isinstance(before, Whole) else b"".join(before)  # one piece is not copied
        memory = self.options.memory if isinstance(before, Whole) else None  # what a section left is met once
        document = Document(data) if memory is None else memory.document(data)
        if op.path in self._refused:
            document = self._seen_before(op.path, document)
        if self._reading.ends_at_cr:
            from patchkit.core.text.loose import LooseDocument  # for Codex's reading only

            if LooseDocument.reads_otherwise(document):
                return LooseDocument(data)
        if document.bom:
            return Document.with_mark_as_text(data) if _speaks_of_mark(document, op) else document
        for hunk in op.hunks:
            if not "".join(hunk.lines).isascii():
                break
        else:
            return document
        said = document.data.isascii() or not is_utf8(document.data)  # what settings files name may count
        setting = self._conventions.charset("/".join(self._files.parts(op.path))) if said else ""
        if _is_plain(document.data, self.options.encoding) and not setting:
            return document
        from patchkit.core.changes.legacy import HunkEncodings  # for text that is not surely UTF-8

        reader = HunkEncodings(self.options)
        document = reader.read(document, op, setting)
        if reader.guessed:
            why = "it is not UTF-8 and declares no encoding"
            self.plan.notes.append(Note("P934", file=op.path, encoding=document.encoding, reason=why))
        return document

    @property
    def _conventions(self) -> Conventions:
        """What settings files say, read once for the plan: a patch may have thousands of new files."""
        if self._read_settings is None:
            from patchkit.globs.conventions import Conventions

            self._read_settings = Conventions(self._files.settings)
        return self._read_settings

    def _seen_before(self, path: str, document: Document) -> Document:
        """The document that another section was refused for, with what its search needs: thousands may be refused."""
        from patchkit.core.matching.scopes.anchors import KnownDocument

        seen = self._refused[path]
        if seen is None or type(seen) is not Document or seen.codec or seen.data != document.data or seen.bom:
            return document
        if seen.known is None and type(seen.texts) is list:
            seen.known = KnownDocument(seen.texts)
        return seen

    def _final_newline(self, op: UpdateFile, document: Document) -> bool | None:
        always: bool | None = self._reading.final_newline
        if document.terminated or not self.options.reverse:  # else lines were appended to a file without one
            always = always or None
        wanted = [hunk.final_newline for hunk in op.hunks if hunk.final_newline is not None]
        return wanted[-1] if wanted else always

    # -- what is at a path, as this patch has left it so far ----------------------------------------

    def find(self, path: str, follow: bool) -> Entry:
        entry: Entry = self._files.find(path, follow)
        self._refuse_below_a_file(path, entry)
        if entry.name != path and path != path.strip(" \t") and entry.name == path.strip(" \t"):
            note = Note("P901", lenience="spaces-around-name", file=path)
            if self.options.strict:
                raise PatchkitError("P213", file=path, what=note.message)
            self.plan.notes.append(note)
        return entry

    def _refuse_below_a_file(self, path: str, entry: Entry) -> None:
        """A file cannot hold files: neither one that exists, nor one this patch has made."""
        parent = entry.name.rpartition("/")[0]
        if not entry.blocker and (not parent or parent in self._looked_at):
            return
        above = ancestors(entry.name)
        for name in [*above, entry.blocker]:
            change = self.plan.changes.get(name)
            if (name == entry.blocker != "" and change is None) or (change is not None and change.after is not None):
                raise PatchkitError("P310", file=path, parent=name)
        self._looked_at.update(above)

    def _current(self, entry: Entry) -> list[bytes] | None:
        change = self.plan.changes.get(entry.name)
        if change is not None:
            return change.after
        return Whole(entry) if entry.kind == "file" else None

    def _is_file(self, entry: Entry) -> bool:
        """Whether a file is there; asking reads nothing."""
        change = self.plan.changes.get(entry.name)
        return change.after is not None if change is not None else entry.kind == "file"

    def original(self, entry: Entry) -> Entry | None:
        """The file that was here before the run, whose mode a new one at the same name takes over."""
        change = self.plan.changes.get(entry.name)
        before = change.before if change is not None else entry
        return before if before.kind == "file" else None

    def keeps(self, entry: Entry) -> Entry | None:
        change = self.plan.changes.get(entry.name)
        return change.keeps if change is not None else entry

    def leave(self, path: str, entry: Entry, after: list[bytes] | None, keeps: Entry | None) -> None:
        """Records what is at a name after this section."""
        name, changes = entry.name, self.plan.changes
        refuse_protected(path, name, self.options.allow_vcs)
        change = changes.get(name)
        more = (after is not None) - (change is not None and change.after is not None)
        home = name.rpartition("/")[0] if more else ""
        while home:
            known = self._homes.get(home, 0)
            self._homes[home] = known + more
            home = "" if known and known + more else home.rpartition("/")[0]
        if name in self._looked_at:
            self._looked_at = set()
        if entry.kind == "link" and self._gone is not None:
            self._gone.add(name)
        if change is None or change.is_link:
            changes[name] = FileChange(path, entry if change is None else change.before, after, keeps)
        else:
            if keeps is not change.keeps or after is None:  # what was said of the mode was said of the file before
                change.executable = None
            change.path, change.after, change.keeps = path, after, keeps

    def _refuse_absent(self, path: str, entry: Entry) -> NoReturn:
        if entry.kind == "directory":
            raise PatchkitError("P305", file=path)
        if entry.kind == "link" and entry.name not in self.plan.changes:
            raise PatchkitError("P307", file=path, target=entry.target)
        if entry.kind not in ("missing", "file", "link"):
            raise PatchkitError("P306", file=path, type=entry.kind)
        raise PatchkitError("P302", file=path)

    def refuse_existing(self, path: str, entry: Entry, code: str, **facts: object) -> None:
        change = self.plan.changes.get(entry.name)
        there = entry.kind if change is None else ("file" if change.after is not None else "missing")
        if self._homes.get(entry.name):
            raise PatchkitError("P305", file=path)
        if there == "directory":
            held = self._held.get(entry.name)
            if held is None or held in self.plan.changes:
                held = hindrance_in(entry, self.plan)
            if held is not None:
                self._held[entry.name] = held
                may_read = getattr(self._files, "may_read", None) or bool  # a name that rules hide is not said
                raise PatchkitError("P305", file=path, **({"held": held} if held and may_read(held) else {}))
            entry.kind = "missing"  # the directory goes with its last file
            return
        if there == "link":
            raise PatchkitError("P308", file=path)
        if there == "missing" or (there == "file" and (self.options.overwrite or self._reading.overwrite)):
            return
        if there != "file":
            raise PatchkitError("P306", file=path, type=there)
        raise PatchkitError(code, file=path, **facts)


def _refuse_directory_name(path: str) -> None:
    if path.rstrip(" \t").endswith("/"):
        raise PatchkitError("P116", file=path)


def _unread(file: str, **place: object) -> PatchkitError:
    """What is said of everything behind the last error that is listed."""
    reason = f"it has {_MOST_ERRORS:,} errors up to here, and what follows was not looked at"
    return PatchkitError("P117", file=file, **place, reason=reason, instead="correct these first")


def fault(miss: Miss, place: dict[str, object]) -> PatchkitError:
    """A hunk without a place, as an error that knows where the hunk is."""
    return PatchkitError(miss.code, **{**miss.facts, **place, "candidates": [line + 1 for line in miss.candidates]})


def _speaks_of_mark(document: Document, op: UpdateFile) -> bool:
    """Whether a hunk shows the file's byte order mark in front of a line: then it says what becomes of it, too."""
    marked = [line[2:] for hunk in op.hunks for line in hunk.lines if line[1:2] == "\ufeff" and line[0] != "+"]
    if b"\n\xef\xbb\xbf" in document.data and marked:  # further down, as in files that were joined
        return document.texts[0] in marked
    return document.codec is None and bool(marked)


def _is_plain(data: bytes, named: str | None) -> bool:
    """Whether a file is UTF-8 beyond doubt, and not of ASCII characters that are said to be something else."""
    return (named is None or not data.isascii()) and is_surely_utf8(data)
