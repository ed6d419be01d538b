"""Turn what another edit format says into a Patch, with the files at hand.

Takes a Foreign and a source of files; gives a Patch for the one planner. Formats leave questions open that only the
files answer: whether a path is new, whether `a/` is a prefix or a directory, where a piece of text is. Nothing is
written, and where a hunk belongs is left to planning: all blocks of a file are placed together on its old text.
"""

from __future__ import annotations

from patchkit.core.changes import ASKS_FOR_NOTHING
from patchkit.core.changes.options import Options
from patchkit.core.changes.planner import PlanBuilder
from patchkit.core.changes.sources import MemoryFiles
from patchkit.core.language import AddFile, DeleteFile, FileOp, HashedAdd, HashedUpdate, Hunk, Patch, UpdateFile
from patchkit.core.text import Document, is_binary
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.formats.block_places import BlockPlaces
from patchkit.formats.blocks import SAME, is_block
from patchkit.formats.edit_limits import REFUSED, EditLimits
from patchkit.formats.edited_text import EditedText
from patchkit.formats.foreign_hunks import block_hunk, hunk_around, sections_between, whole_bytes
from patchkit.formats.json_edits import is_unicode
from patchkit.formats.model import Block, CopyFile, Foreign, ForeignOp, TextEdit, Unsayable, WholeFile, unreadable
from patchkit.formats.reading import read_format
from patchkit.formats.whole_files import NO_PATH
from patchkit.guards.placeholders import filled, placeholder
from patchkit.planned import explained_plan, parsed_scopes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.changes import Files

_MANY_EDITS = 32  # of one file that are sections of their own
_MOST_COMPARED = 500_000  # lines of files that are compared for such sections


def patch_of(text: str, name: str, files: Files, options: Options) -> Patch:
    """Returns the patch that a text in some format means for these files; raises with what is wrong with it."""
    return resolved_patch(read_format(text, name, options.strict, options.strip), files, options)


def paths_of(text: str, name: str, options: Options) -> Patch:
    """A patch with the paths that a text in some format names, for rules that are asked before any file is read."""
    foreign = read_format(text, name, options.strict, options.strip)
    sections: list[FileOp] = [
        each if isinstance(each, (AddFile, DeleteFile, UpdateFile)) else UpdateFile(each.path)
        for each in foreign.sections
    ]
    sections += [UpdateFile(each.to) for each in foreign.sections if isinstance(each, CopyFile)]
    others = [*foreign.spelled.values(), *foreign.unsure.values()]
    return Patch([each for each in sections if each.path] + [UpdateFile(each) for each in others])


def resolved_patch(foreign: Foreign, files: Files, options: Options) -> Patch:
    """Returns the patch that a Foreign means for these files."""
    resolver = _Resolver(foreign, files, options)
    for section in foreign.sections:
        resolver.add(section)
        if resolver.limits.exceeded:
            break
    if resolver.unsayable and not options.skip_unsayable:
        raise_all([each.error() for each in resolver.unsayable])
    resolver.notes += [each.note() for each in resolver.unsayable]
    raise_all(resolver.errors)
    resolver.drop_repeats()
    resolver.drop_guesses()
    if foreign.sections and not resolver.sections and not any(note.code in ASKS_FOR_NOTHING for note in resolver.notes):
        raise unreadable(foreign.name, 1, *NO_PATH)
    return Patch(resolver.finished(), None, resolver.notes)


class _Resolver:
    """The sections of a Foreign on their way to those of a Patch."""

    def __init__(self, foreign: Foreign, files: Files, options: Options) -> None:
        self.foreign = foreign
        self.files = files
        self.options = options
        self.limits = EditLimits()
        self.sections: list[FileOp] = []
        self.notes = list(foreign.notes)
        self.errors: list[PatchkitError] = []
        self.unsayable: list[Unsayable] = []
        self._now: dict[str, EditedText] = {}  # what earlier sections left at a path
        self._as_found: dict[str, bytes | None] = {}  # what was at a path before the run, read once for all blocks
        self._named: set[int] = set()  # lines of sections whose path the line above them says
        self._known: dict[str, bool] = {}  # whether something was at a path before the run
        self._touched: set[str] = set()  # paths that sections of diffs change
        self._made: PlanBuilder | None = None  # what those come to, once that is asked for
        self._planned = 0  # how many sections that has
        self._indexed: dict[str, tuple[bytes, BlockPlaces]] = {}  # by path, with the content that they are the lines of
        self._compared = 0
        self._edits: dict[str, int] = {}  # by path, how many edits have changed it
        self._open: dict[str, tuple[UpdateFile, bytes]] = {}  # by path, the section of many edits, and what it is for
        self._closed: dict[int, list[FileOp]] = {}  # what such a section has become, by its identity
        self._placed: set[str] = set()  # paths with edits that planning places by their lines
        self._updates: dict[str, UpdateFile] = {}  # by path, for the blocks that are placed together

    def add(self, section: ForeignOp) -> None:
        try:
            if isinstance(section, Block):
                self._add_block(section)
            elif isinstance(section, TextEdit):
                self._add_edit(section)
            elif isinstance(section, WholeFile):
                self._add_whole(section)
            elif isinstance(section, CopyFile):
                self._add_copy(section)
            elif isinstance(section, Unsayable):
                self.unsayable.append(section)
            else:
                self._add_section(section)
        except PatchkitError as error:
            for each in error.errors:
                each.facts.setdefault("file", section.path)
                if section.line:
                    each.facts.setdefault("patch_line", section.line)
            self.errors.append(error)

    # -- files ---------------------------------------------------------------------------------------

    def _data(self, path: str) -> bytes | None:
        """The content at a path, as earlier sections left it; None where there is no file."""
        if path in self._now:
            return self._now[path].data
        if path in self._as_found and path not in self._touched and path not in self._placed:
            return self._as_found[path]
        try:
            entry = self.files.find(path)
            if path in self._touched:
                return self._left_at(path)
            left = self._left_at(path) if path in self._placed else None
            if left is not None:
                self._now[path] = EditedText(left)
                return left
        except PatchkitError:
            return None  # planning refuses the path, with its reason
        self._as_found[path] = entry.data if entry.kind == "file" else None
        return self._as_found[path]

    def _left_at(self, path: str) -> bytes | None:
        """What the sections so far leave at a path: a mail speaks of what those before it made."""
        if self._made is None:
            self._made = PlanBuilder(self.files, self.options.begun(), parsed_scopes)
        for section in self.finished(self._planned) if not self._made.errors else ():
            self._made.add(section)
        self._planned = len(self.sections)
        change = self._made.plan.changes.get(self.files.find(path).name)
        if change is None or change.after is None or self._made.errors:
            return None
        return b"".join(change.after)

    def _exists(self, path: str) -> bool:
        if path not in self._known:
            try:
                self._known[path] = self.files.find(path, False).kind != "missing"
            except PatchkitError:
                self._known[path] = False
        return self._known[path]

    # -- sections of diffs ---------------------------------------------------------------------------

    def _add_section(self, op: FileOp) -> None:
        path = self._settled(op.path, isinstance(op, AddFile), op.line)
        if isinstance(op, AddFile):
            blobs = self.foreign.blobs.get((op.path, op.line))
            op = AddFile(path, op.text, op.line) if blobs is None else HashedAdd(path, op.text, op.line, blobs[1])
        elif isinstance(op, DeleteFile):
            self._check_deleted(path, op)
            op = DeleteFile(path, op.line)
        else:
            op = self._settled_update(path, op)
        self.sections.append(op)
        self._touched.add(path)
        if isinstance(op, UpdateFile) and op.move_to:
            self._touched.add(op.move_to)

    def _settled_update(self, path: str, op: UpdateFile) -> FileOp:
        move_to = self._settled(op.move_to, True, op.line) if op.move_to else None
        only = op.hunks[0] if len(op.hunks) == 1 else None
        if only is not None and only.hint == 0 and not only.old() and move_to is None and self._data(path) is None:
            text = "".join(line[1:] + "\n" for line in only.lines)
            return AddFile(path, text[:-1] if only.final_newline is False else text, op.line)
        blobs = self.foreign.blobs.get((op.path, op.line))
        made = UpdateFile(path, move_to, op.hunks, op.line)
        if blobs is not None:
            made = HashedUpdate(path, move_to, op.hunks, op.line, blobs[0])
        made.move_line = op.move_line
        return made

    def _settled(self, path: str, new: bool, line: int) -> str:
        """The path that is meant: as it was written, or without its first component."""
        written = self.foreign.spelled.get(path)
        if written is None or path in self._now or path in self._touched:
            return path
        meant = self._meant(path, written, new, line)
        if meant == path and self.foreign.preferred.get(path) == written:
            self.notes.append(Note("P997", file=path, found=written, patch_line=line))
        return meant

    def _meant(self, path: str, written: str, new: bool, line: int) -> str:
        preferred = self.foreign.preferred.get(path)
        if new and preferred == path:
            return path
        if new:
            parent, other = path.rpartition("/")[0], written.rpartition("/")[0]
            if preferred == written:
                return path if self._exists(parent) and not self._exists(written.partition("/")[0]) else written
            return written if parent and not self._exists(parent) and self._exists(other) else path
        there = self._exists(written.partition("/")[0]) and self._exists(written)
        if not there and preferred != written:
            return path  # in most diffs, whose `a/` and `b/` are not directories: one look answers for all files
        here = self._exists(path)
        if here and there:
            if preferred is None:
                raise PatchkitError("P123", file=path, written=written)
            if not preferred:
                reason = f"its headers name '{path}' and '{written}', and both exist"
                raise unreadable("unified", line, reason, "write the name of one of them in both lines")
            return preferred
        return written if there or not here else path

    def _check_deleted(self, path: str, op: DeleteFile) -> None:
        """A diff that deletes a file says what was in it: another content is another file."""
        wanted = self.foreign.deleted.get((op.path, op.line))
        data = self._data(path)
        if wanted is None or data is None:
            return
        if data.replace(b"\r\n", b"\n") != wanted.encode("utf-8", "surrogateescape").replace(b"\r\n", b"\n"):
            raise PatchkitError("P125", file=path, edit_format="unified")

    def _add_copy(self, op: CopyFile) -> None:
        path = self._settled(op.path, False, op.line)
        data = self._data(path)
        if data is None:
            raise PatchkitError("P302", file=path)
        if op.hunks:
            files = MemoryFiles({op.to: data})
            made = explained_plan(Patch([UpdateFile(op.to, None, op.hunks, op.line)]), files, self.options)
            data = b"".join(made.changes[op.to].after or [])
        if is_binary(data):
            self.unsayable.append(Unsayable(op.to, f"the binary content of '{op.to}'", f"cp {path} {op.to}", op.line))
            return
        self.limits.copy(op.to, len(data))
        self.sections.append(AddFile(op.to, data.decode("utf-8", "surrogateescape"), op.line))
        self._touched.add(op.to)
        self.notes.append(Note("P989", file=op.to, source=path))

    # -- blocks ----------------------------------------------------------------------------------------

    def _path_of(self, section: Block | WholeFile) -> str:
        """The path of a section: the line above it is one if there is such a file, or a place for it."""
        maybe = self.foreign.unsure.get(section.line, "")
        folder = maybe.rpartition("/")[0]
        if maybe and (self._exists(maybe) or (folder and "." in maybe[len(folder) :] and self._exists(folder))):
            self._named.add(section.line)
            return maybe
        return section.path

    def _add_block(self, block: Block) -> None:
        path = self._path_of(block)
        if not path:
            raise PatchkitError("P126", patch_line=block.line)
        if path != block.path:
            hint, block = block.hint, Block(path, block.search, block.replace, block.line)
            block.hint = hint
        data = self._data(block.path)
        if not any(line.strip() for line in block.search):
            self._add_new(block, data)
            return
        self._refuse_placeholders(block.path, "\n".join(block.replace), data or b"")
        update = self._updates.get(block.path)
        if update is None:
            update = self._updates[block.path] = UpdateFile(block.path, None, [], block.line)
            self.sections.append(update)
        if data is not None and not self.options.strict:
            shifted = self._lines(block.path, data).with_margin(block)
            if shifted is not None:
                block = shifted
                number = len(update.hunks) + 1
                self.notes.append(Note("P924", hunk=number, file=block.path, patch_line=block.line))
        update.hunks.append(block_hunk(block))

    def drop_guesses(self) -> None:
        """Leaves out notes about paths that were taken from the section before, where the files showed another."""
        if self._named:
            guessed = [note.code == "P996" and note.facts.get("patch_line") in self._named for note in self.notes]
            self.notes = [note for note, wrong in zip(self.notes, guessed) if not wrong]

    def drop_repeats(self) -> None:
        """Leaves out blocks that are sent again, where the file has one place for them."""
        for update in self._updates.values():
            data = self._data(update.path)
            seen: set[tuple[str, ...]] = set()
            kept: list[Hunk] = []
            for hunk in update.hunks if data is not None and len(update.hunks) > 1 else ():
                lines = tuple(hunk.lines)
                if lines in seen and not self._lines(update.path, data or b"").has_twice(hunk.old()):
                    what = "a block that is the same as one above it"
                    self.notes.append(Note("P998", file=update.path, patch_line=hunk.line, what=what))
                else:
                    kept.append(hunk)
                seen.add(lines)
            update.hunks = kept or update.hunks

    def _lines(self, path: str, data: bytes) -> BlockPlaces:
        """The lines of what is at a path, indexed once for all blocks."""
        known = self._indexed.get(path)
        if known is None or known[0] is not data:
            known = self._indexed[path] = data, BlockPlaces(data)
        return known[1]

    def _add_new(self, block: Block, data: bytes | None) -> None:
        """A block with nothing to search makes a file; on a file that has text it does not say where to go."""
        if data is not None and not block.search and not block.replace:
            self.notes.append(Note("P998", file=block.path, patch_line=block.line, what=SAME))
            return
        text = "".join(line + "\n" for line in block.replace)
        self._refuse_placeholders(block.path, text, data or b"")
        if data is None or data.decode("utf-8", "surrogateescape") == text:
            self.sections.append(AddFile(block.path, text, block.line))
            self._now[block.path] = EditedText(text.encode("utf-8", "surrogateescape"))
        elif not data.strip():
            hunk = Hunk([], ["-" + line for line in Document(data).texts], line=block.line)
            hunk.lines += ["+" + line for line in block.replace]
            self.sections.append(UpdateFile(block.path, None, [hunk], block.line))
        else:
            raise PatchkitError("P124", file=block.path)

    # -- pieces of text ------------------------------------------------------------------------------

    def _add_edit(self, edit: TextEdit) -> None:
        path = edit.path
        now = self._edited(path)
        if now is None:
            if edit.old or edit.after is not None:
                self.files.find(path)  # which may have another reason
                raise PatchkitError("P302", file=path)
            self.sections.append(AddFile(path, edit.new, edit.line))
            self._now[path] = EditedText(edit.new.encode("utf-8", "surrogateescape"))
            return
        if edit.after is not None:
            before = None if self._is_one_of_many(path, now, edit.line) else now.data
            now.insert(edit)
            if before is not None:
                self.sections += sections_between(path, before, now.data, edit.line)
            return
        text = now.text
        if not edit.old:
            if text.strip():
                raise PatchkitError("P124", file=path)
            self._leave(path, now, edit.new)
            return
        self.limits.search(path, len(text))
        self._refuse_placeholders(path, edit.new, text)
        old, new = edit.old, edit.new
        at = text.find(old)
        if at < 0 and "\r\n" in text:
            old, new = (each.replace("\r\n", "\n").replace("\n", "\r\n") for each in (old, new))
            at = text.find(old)
        if at < 0:
            hopeless = self._made is not None and bool(self._made.errors)
            self.limits.place(path, (text.count("\n") + 1) * (REFUSED if hopeless else 1))
            self._add_as_lines(edit)
            return
        # The file is read once for each of many edits: up to the place, and on from there for another one.
        count = 1 + text.count(old, at + len(old))
        if count == 1 or edit.every or count == edit.count:
            hunk = hunk_around(text, at, old, new, edit.line) if count == 1 and "\r" not in text else None
            if hunk is None:
                self.limits.make(path, count * (len(new) - len(old)))
                self._leave(path, now, text.replace(old, new))
            else:
                if not self._is_one_of_many(path, now, edit.line):
                    self.sections.append(HashedUpdate(path, None, [hunk], edit.line, ""))  # made for this content
                now.put(text[:at] + new + text[at + len(old) :])
        else:
            lines = [text.count("\n", 0, at) + 1 for at in _places(text, old)]
            places = "lines " + ", ".join(map(str, lines[:20]))
            raise PatchkitError("P622", file=path, what="the old text", count=count, places=places)

    def _edited(self, path: str) -> EditedText | None:
        """What is at a path, for edits that follow each other; None where there is no file."""
        if path not in self._now:
            data = self._data(path)
            if data is None:
                return None
            self._now[path] = EditedText(data)
        return self._now[path]

    def _add_as_lines(self, edit: TextEdit) -> None:
        """Text that is not there letter by letter is placed by its lines, with the tolerance that hunks have."""
        search, replace = edit.old.removesuffix("\n").split("\n"), edit.new.removesuffix("\n").split("\n")
        block = Block(edit.path, search, replace if edit.new else [], edit.line)
        self._close(edit.path)
        self.sections.append(UpdateFile(edit.path, None, [block_hunk(block)], edit.line))
        self._now.pop(edit.path, None)
        self._placed.add(edit.path)

    def _add_whole(self, whole: WholeFile) -> None:
        path = self._path_of(whole)
        if not path:
            return  # a fence without a path is prose
        whole = WholeFile(path, whole.text, whole.line)
        data = self._data(whole.path)
        whole = self._filled(whole, data)
        self._refuse_placeholders(whole.path, whole.text, data or b"")
        if data is None:
            self.sections.append(AddFile(whole.path, whole.text, whole.line))
            self._now[whole.path] = EditedText(whole.text.encode("utf-8", "surrogateescape"))
            return
        if is_block(whole.text) and not is_block(data.decode("utf-8", "surrogateescape")):
            reason = f"the text of '{path}' is a search/replace block"
            raise unreadable("whole-file", whole.line, reason, "read it with '--from search-replace'")
        made = whole_bytes(whole.text, data)
        if made == data:
            self.notes.append(Note("P998", file=whole.path, patch_line=whole.line, what="a file that is the same"))
        else:
            now = self._now.setdefault(whole.path, EditedText(data))
            as_bytes = not is_unicode(whole.text)
            self._leave(whole.path, now, made.decode("utf-8", "surrogateescape"), whole.line, as_bytes)

    def _filled(self, whole: WholeFile, data: bytes | None) -> WholeFile:
        """The file with the lines that its placeholders replace, where only one reading is left."""
        old = (data or b"").decode("utf-8", "surrogateescape")
        found = "" if self.options.strict or self.options.allow_placeholder else placeholder(whole.text, old)
        text = filled(whole.text, old) if found and Document(data or b"").endings != "mixed" else ""
        if not text:
            return whole
        self.notes.append(Note("P981", file=whole.path, found=found, patch_line=whole.line))
        return WholeFile(whole.path, text, whole.line)

    def _refuse_placeholders(self, path: str, text: str, before: str | bytes) -> None:
        """A comment in place of other lines must not become a line of a file that does not have it."""
        if self.options.allow_placeholder:
            return
        found = placeholder(text, "")
        if not found:
            return
        old = before if isinstance(before, str) else before.decode("utf-8", "surrogateescape")
        if placeholder(text, old):
            raise PatchkitError("P127", file=path, found=found)

    def _leave(self, path: str, now: EditedText, text: str, line: int = 0, as_bytes: bool = False) -> None:
        """Adds the section that turns one content into another."""
        if text == now.text:
            self.notes.append(Note("P998", file=path, patch_line=line, what="an edit that changes nothing"))
            return
        before = None if self._is_one_of_many(path, now, line) else now.data
        now.put(text)
        if before is not None:
            self.sections += sections_between(path, before, now.data, line, as_bytes)

    def _is_one_of_many(self, path: str, now: EditedText, line: int) -> bool:
        """Whether an edit goes into a section with others. Each of thousands would read the whole file again."""
        self._edits[path] = self._edits.get(path, 0) + 1
        self._compared += now.text.count("\n")
        if self._edits[path] <= _MANY_EDITS and self._compared <= _MOST_COMPARED:
            return False
        if path not in self._open:
            self._open[path] = UpdateFile(path, None, [], line), now.data
            self.sections.append(self._open[path][0])
        return True

    def _close(self, path: str) -> None:
        """Finds out what the section of many edits comes to, before another section changes the file."""
        if path in self._open:
            section, before = self._open.pop(path)
            after = self._now[path].data
            made = sections_between(path, before, after, section.line) if after != before else []
            self._closed[id(section)] = made

    def finished(self, start: int = 0) -> list[FileOp]:
        """The sections from the given one on, and those of many edits as what they come to."""
        for path in [*self._open]:
            self._close(path)
        return [made for each in self.sections[start:] for made in self._closed.get(id(each), [each])]


def _places(text: str, piece: str) -> list[int]:
    found: list[int] = []
    at = text.find(piece)
    while at >= 0 and len(found) < 20:
        found.append(at)
        at = text.find(piece, at + len(piece))
    return found
