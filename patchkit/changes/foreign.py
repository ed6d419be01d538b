"""Turn what another edit format says into a Patch, with the files at hand.

Takes a Foreign and a source of files; gives a Patch for the one planner. Formats leave questions open that only the
files answer: whether a path is new, whether `a/` is a prefix or a directory, where a piece of text is. Nothing is
written, and where a hunk belongs is left to planning: all blocks of a file are placed together on its old text.
"""

from __future__ import annotations

from patchkit.changes.compare import compared
from patchkit.changes.making import hunks_between
from patchkit.changes.options import Options
from patchkit.changes.planner import PlanBuilder, plan
from patchkit.changes.sources import MemoryFiles
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.formats.model import Block, CopyFile, Foreign, ForeignOp, TextEdit, Unsayable, WholeFile
from patchkit.formats.reading import read_format
from patchkit.language.model import AddFile, DeleteFile, FileOp, HashedAdd, HashedUpdate, Hunk, Patch, UpdateFile
from patchkit.text.document import Document
from patchkit.text.placeholders import placeholder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.changes.sources import Files


def patch_of(text: str, name: str, files: Files, options: Options) -> Patch:
    """Returns the patch that a text in some format means for these files; raises with what is wrong with it."""
    return resolved_patch(read_format(text, name, options.strict), files, options)


def paths_of(text: str, name: str, options: Options) -> Patch:
    """A patch with the paths that a text in some format names, for rules that are asked before any file is read."""
    foreign = read_format(text, name, options.strict)
    sections: list[FileOp] = [
        each if isinstance(each, (AddFile, DeleteFile, UpdateFile)) else UpdateFile(each.path)
        for each in foreign.sections
    ]
    sections += [UpdateFile(each.to) for each in foreign.sections if isinstance(each, CopyFile)]
    return Patch(sections + [UpdateFile(each) for each in foreign.spelled.values()])


def resolved_patch(foreign: Foreign, files: Files, options: Options) -> Patch:
    """Returns the patch that a Foreign means for these files."""
    resolver = _Resolver(foreign, files, options)
    for section in foreign.sections:
        resolver.add(section)
    if resolver.unsayable and not options.skip_unsayable:
        raise_all([each.error() for each in resolver.unsayable])
    resolver.notes += [
        Note("P983", file=each.path, what=each.what, command=each.command) for each in resolver.unsayable
    ]
    raise_all(resolver.errors)
    resolver.drop_repeats()
    return Patch(resolver.sections, None, resolver.notes)


class _Resolver:
    """The sections of a Foreign on their way to those of a Patch."""

    def __init__(self, foreign: Foreign, files: Files, options: Options) -> None:
        self.foreign = foreign
        self.files = files
        self.options = options
        self.sections: list[FileOp] = []
        self.notes = list(foreign.notes)
        self.errors: list[PatchkitError] = []
        self.unsayable: list[Unsayable] = []
        self._now: dict[str, bytes | None] = {}  # what earlier sections left at a path
        self._known: dict[str, bool] = {}  # whether something was at a path before the run
        self._touched: set[str] = set()  # paths that sections of diffs change
        self._made: PlanBuilder | None = None  # what those come to, once that is asked for
        self._planned = 0  # how many sections that has
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
            return self._now[path]
        try:
            entry = self.files.find(path)
            if path in self._touched:
                return self._left_at(path)
        except PatchkitError:
            return None  # planning refuses the path, with its reason
        return entry.data if entry.kind == "file" else None

    def _left_at(self, path: str) -> bytes | None:
        """What the sections so far leave at a path: a mail speaks of what those before it made."""
        if self._made is None:
            self._made = PlanBuilder(self.files, self.options.begun())
        for section in self.sections[self._planned :]:
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
        path = self._settled(op.path, isinstance(op, AddFile))
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
        move_to = self._settled(op.move_to, True) if op.move_to else None
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

    def _settled(self, path: str, new: bool) -> str:
        """The path that is meant: as it was written, or without its first component."""
        written = self.foreign.spelled.get(path)
        if written is None or path in self._now:
            return path
        if new:
            parent, other = path.rpartition("/")[0], written.rpartition("/")[0]
            both = parent and not self._exists(parent) and self._exists(other)
            return written if both else path
        here, there = self._exists(path), self._exists(written.partition("/")[0]) and self._exists(written)
        if here and there:
            raise PatchkitError("P123", file=path, written=written)
        return written if there else path

    def _check_deleted(self, path: str, op: DeleteFile) -> None:
        """A diff that deletes a file says what was in it: another content is another file."""
        wanted = self.foreign.deleted.get((op.path, op.line))
        data = self._data(path)
        if wanted is None or data is None:
            return
        if data.replace(b"\r\n", b"\n") != wanted.encode("utf-8", "surrogateescape").replace(b"\r\n", b"\n"):
            raise PatchkitError("P125", file=path)

    def _add_copy(self, op: CopyFile) -> None:
        path = self._settled(op.path, False)
        data = self._data(path)
        if data is None:
            raise PatchkitError("P302", file=path)
        if op.hunks:
            files = MemoryFiles({op.to: data})
            made = plan(Patch([UpdateFile(op.to, None, op.hunks, op.line)]), files, self.options)
            data = b"".join(made.changes[op.to].after or [])
        if b"\0" in data[:8192]:
            self.unsayable.append(Unsayable(op.to, f"the binary content of '{op.to}'", f"cp {path} {op.to}", op.line))
            return
        self.sections.append(AddFile(op.to, data.decode("utf-8", "surrogateescape"), op.line))
        self._touched.add(op.to)
        self.notes.append(Note("P989", file=op.to, source=path))

    # -- blocks ----------------------------------------------------------------------------------------

    def _add_block(self, block: Block) -> None:
        data = self._data(block.path)
        if not any(line.strip() for line in block.search):
            self._add_new(block, data)
            return
        self._refuse_placeholders(block.path, "\n".join(block.replace), data)
        update = self._updates.get(block.path)
        if update is None:
            update = self._updates[block.path] = UpdateFile(block.path, None, [], block.line)
            self.sections.append(update)
        if data is not None and not self.options.strict and not _has_lines(data, block.search):
            shifted = _with_margin(block, Document(data).texts)
            if shifted is not None:
                block = shifted
                number = len(update.hunks) + 1
                self.notes.append(Note("P924", hunk=number, file=block.path, patch_line=block.line))
        update.hunks.append(block_hunk(block))

    def drop_repeats(self) -> None:
        """Leaves out blocks that are sent again, where the file has one place for them."""
        for update in self._updates.values():
            data = self._data(update.path)
            seen: list[list[str]] = []
            kept: list[Hunk] = []
            for hunk in update.hunks if data is not None and len(update.hunks) > 1 else ():
                if hunk.lines in seen and _count(hunk.old(), Document(data or b"").texts) < 2:
                    what = "a block that is the same as one above it"
                    self.notes.append(Note("P998", file=update.path, patch_line=hunk.line, what=what))
                else:
                    kept.append(hunk)
                seen.append(hunk.lines)
            update.hunks = kept or update.hunks

    def _add_new(self, block: Block, data: bytes | None) -> None:
        """A block with nothing to search makes a file; on a file that has text it does not say where to go."""
        text = "".join(line + "\n" for line in block.replace)
        self._refuse_placeholders(block.path, text, data)
        if data is None or data.decode("utf-8", "surrogateescape") == text:
            self.sections.append(AddFile(block.path, text, block.line))
            self._now[block.path] = text.encode("utf-8", "surrogateescape")
        elif not data.strip():
            hunk = Hunk([], ["-" + line for line in Document(data).texts], line=block.line)
            hunk.lines += ["+" + line for line in block.replace]
            self.sections.append(UpdateFile(block.path, None, [hunk], block.line))
        else:
            raise PatchkitError("P124", file=block.path)

    # -- pieces of text ------------------------------------------------------------------------------

    def _add_edit(self, edit: TextEdit) -> None:
        data = self._data(edit.path)
        if data is None:
            if edit.old or edit.after is not None:
                self.files.find(edit.path)  # which may have another reason
                raise PatchkitError("P302", file=edit.path)
            self.sections.append(AddFile(edit.path, edit.new, edit.line))
            self._now[edit.path] = edit.new.encode("utf-8", "surrogateescape")
            return
        text = data.decode("utf-8", "surrogateescape")
        if edit.after is not None:
            self._leave(edit.path, data, _inserted(edit, text))
            return
        if not edit.old:
            if text.strip():
                raise PatchkitError("P124", file=edit.path)
            self._leave(edit.path, data, edit.new)
            return
        self._refuse_placeholders(edit.path, edit.new, data)
        old, new = edit.old, edit.new
        if old not in text and "\r\n" in text:
            old, new = (each.replace("\r\n", "\n").replace("\n", "\r\n") for each in (old, new))
        count = text.count(old)
        if count == 0:
            self._add_as_lines(edit)
        elif count == 1 or edit.every or count == edit.count:
            hunk = _hunk_around(text, old, new, edit.line) if count == 1 and "\r" not in text else None
            if hunk is None:
                self._leave(edit.path, data, text.replace(old, new))
            else:
                self.sections.append(HashedUpdate(edit.path, None, [hunk], edit.line, ""))  # made for this content
                self._now[edit.path] = text.replace(old, new).encode("utf-8", "surrogateescape")
        else:
            lines = [text.count("\n", 0, at) + 1 for at in _places(text, old)]
            places = "lines " + ", ".join(map(str, lines[:20]))
            raise PatchkitError("P622", file=edit.path, what="the old text", count=count, places=places)

    def _add_as_lines(self, edit: TextEdit) -> None:
        """Text that is not there letter by letter is placed by its lines, with the tolerance that hunks have."""
        search, replace = edit.old.removesuffix("\n").split("\n"), edit.new.removesuffix("\n").split("\n")
        block = Block(edit.path, search, replace if edit.new else [], edit.line)
        self.sections.append(UpdateFile(edit.path, None, [block_hunk(block)], edit.line))
        self._now.pop(edit.path, None)

    def _add_whole(self, whole: WholeFile) -> None:
        data = self._data(whole.path)
        self._refuse_placeholders(whole.path, whole.text, data)
        if data is None:
            self.sections.append(AddFile(whole.path, whole.text, whole.line))
            self._now[whole.path] = whole.text.encode("utf-8", "surrogateescape")
            return
        made = whole_bytes(whole.text, data)
        if made == data:
            self.notes.append(Note("P998", file=whole.path, patch_line=whole.line, what="a file that is the same"))
        else:
            self._leave(whole.path, data, made.decode("utf-8", "surrogateescape"), whole.line)

    def _refuse_placeholders(self, path: str, text: str, data: bytes | None) -> None:
        """A comment in place of other lines must not become a line of a file that does not have it."""
        if self.options.allow_placeholder:
            return
        found = placeholder(text, (data or b"").decode("utf-8", "surrogateescape"))
        if found:
            raise PatchkitError("P127", file=path, found=found)

    def _leave(self, path: str, before: bytes, text: str, line: int = 0) -> None:
        """Adds the section that turns one content into another."""
        after = text.encode("utf-8", "surrogateescape")
        if after == before:
            self.notes.append(Note("P998", file=path, patch_line=line, what="an edit that changes nothing"))
            return
        hunks = hunks_between(path, before, after)
        if b"\r" in before + after and not _gives(hunks, before, after):  # endings that differ from line to line
            self.sections += [DeleteFile(path, line), AddFile(path, text, line)]
        else:
            self.sections.append(HashedUpdate(path, None, hunks, line, ""))  # made for this content
        self._now[path] = after


def _gives(hunks: list[Hunk], before: bytes, after: bytes) -> bool:
    """Whether hunks turn one content into the other, to the byte."""
    files = MemoryFiles({"file": before})
    options = Options(max_pass="exact", lost_anchors=False, allow_duplicate=True, allow_placeholder=True)
    try:
        plan(Patch([UpdateFile("file", None, hunks)]), files, options).commit()
    except PatchkitError:
        return False
    return files.content["file"] == after


def whole_bytes(text: str, before: bytes) -> bytes:
    """The bytes of a file that is written anew, in the encoding and with the line endings that it had."""
    document = Document(before)
    if document.endings == "crlf" and "\r\n" not in text:
        text = text.replace("\n", "\r\n")
    return b"".join(document.file_bytes([text.encode("utf-8", "surrogateescape")]))


def _hunk_around(text: str, old: str, new: str, line: int) -> Hunk | None:
    """The hunk of the lines that a piece of text is in, which is at one place; None where only a comparison says it."""
    at = text.index(old)
    start, stop = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(old) - old.endswith("\n")) + 1
    after = text[start:at] + new + text[at + len(old) : stop]
    if not stop or (after and not after.endswith("\n")) or old == new or text[:1] == "\ufeff" or "\0" in text:
        return None
    search, replace = text[start : stop - 1].split("\n"), after.split("\n")[:-1]
    return block_hunk(Block("", search, replace, line))


def _has_lines(data: bytes, lines: list[str]) -> bool:
    """Whether a file has lines just as they are."""
    try:
        needle = "\n".join(["", *lines, ""]).encode("utf-8", "surrogateescape")
    except UnicodeError:
        return False
    return needle in data or data.startswith(needle[1:])


def block_hunk(block: Block) -> Hunk:
    """The hunk of a block: lines that both sides have are context, the others are removed and added."""
    old = [line.encode("utf-8", "surrogateescape") for line in block.search]
    new = [line.encode("utf-8", "surrogateescape") for line in block.replace]
    lines: list[str] = []
    at = 0
    for a, b, c, d in compared(old, new):
        lines += [" " + line for line in block.search[at:a]]
        lines += ["-" + line for line in block.search[a:b]]
        lines += ["+" + line for line in block.replace[c:d]]
        at = b
    lines += [" " + line for line in block.search[at:]]
    hunk = Hunk([], lines, line=block.line)
    hunk.hint = block.hint
    hunk.body_line = block.line + 1
    return hunk


def _count(old: list[str], texts: list[str]) -> int:
    """At how many places the lines are, but for the whitespace around them."""
    bare, there = [line.strip() for line in old], [text.strip() for text in texts]
    return sum(there[at : at + len(bare)] == bare for at, text in enumerate(there) if text == bare[0])


def _with_margin(block: Block, texts: list[str]) -> Block | None:
    """The block with another margin on all of its lines, if that and only that lets it fit, at one place."""
    search = block.search
    solid = [row for row, line in enumerate(search) if line.strip()]
    first = search[solid[0]]
    bare = [line.strip() for line in search]
    margins: set[tuple[str, str]] = set()
    made: list[str] | None = None
    for at in [n - solid[0] for n, text in enumerate(texts) if text.strip() == first.strip()]:
        there = texts[max(at, 0) : at + len(search)]
        if at < 0 or [text.strip() for text in there] != bare:
            continue
        if there == search:
            return None
        margins.add(_margin_between(first, there[solid[0]]))
        made = _shifted(search, *_margin_between(first, there[solid[0]]))
        if made is None or [line.rstrip() for line in made] != [text.rstrip() for text in there]:
            return None
    if len(margins) != 1 or made is None:
        return None
    replace = _shifted(block.replace, *margins.pop())
    if replace is None:
        return None
    found = Block(block.path, made, replace, block.line)
    found.hint = block.hint
    return found


def _margin_between(mine: str, theirs: str) -> tuple[str, str]:
    """What to take off the margin of a line, and what to put there, so that it has another's."""
    old, new = (line[: len(line) - len(line.lstrip())] for line in (mine, theirs))
    return (old[: -len(new)] if new else old, "") if old.endswith(new) else ("", new[: len(new) - len(old)])


def _shifted(lines: list[str], off: str, on: str) -> list[str] | None:
    """The lines with another margin; blank lines stay. None where one does not have what is to be taken off."""
    if any(line.strip() and not line.startswith(off) for line in lines):
        return None
    return [on + line[len(off) :] if line.strip() else line for line in lines]


def _inserted(edit: TextEdit, text: str) -> str:
    """The text with the new lines below the line that an editor's insert names."""
    lines = text.split("\n")
    ended = not lines[-1]
    if edit.after is None or not 0 <= edit.after <= len(lines) - ended:
        reason = f"'{edit.path}' has no line {edit.after}"
        raise PatchkitError("P122", format="JSON edits", reason=reason, instead="name a line of the file")
    new = edit.new.removesuffix("\n").split("\n")
    if "\r\n" in text:
        new = [line.removesuffix("\r") + "\r" for line in new]
    return "\n".join([*lines[: edit.after], *new, *lines[edit.after :]])


def _places(text: str, piece: str) -> list[int]:
    found: list[int] = []
    at = text.find(piece)
    while at >= 0 and len(found) < 20:
        found.append(at)
        at = text.find(piece, at + len(piece))
    return found
