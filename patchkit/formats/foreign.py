"""Turn what another edit format says into a Patch, with the files at hand.

Takes a Foreign and a source of files; gives a Patch for the one planner. Formats leave questions open that only the
files answer: whether a path is new, whether `a/` is a prefix or a directory, where a piece of text is. Nothing is
written, and where a hunk belongs is left to planning: all blocks of a file are placed together on its old text.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice

from patchkit.core.changes import ASKS_FOR_NOTHING, Files, Options
from patchkit.core.changes.planner import PlanBuilder, plan
from patchkit.core.language import (
    AddFile,
    DeleteFile,
    FileOp,
    HashedAdd,
    HashedUpdate,
    Hunk,
    Patch,
    UpdateFile,
)
from patchkit.core.language.parser import parse
from patchkit.core.matching import LONGEST, says_it_by_text
from patchkit.core.matching.passes import PASSES, Views
from patchkit.core.text import Document, is_surely_utf8
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.formats.model import (
    NO_PATH,
    SAME,
    Block,
    CopyFile,
    Foreign,
    TextEdit,
    Unsayable,
    WholeFile,
    shell_word,
    unreadable,
    without_guesses,
)
from patchkit.formats.paths import is_spaced
from patchkit.formats.reading import read_format
from patchkit.formats.special_files import LINK, GitAdd, GitUpdate
from patchkit.formats.unified import binary_content
from patchkit.repair import parsed_scopes, planned
from patchkit.sources import MemoryFiles
from patchkit.values import Record
from patchkit.writer import write_bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from patchkit.diffs.compare import SharedSteps
    from patchkit.formats.indexed_text import LinesAround
    from patchkit.globs.conventions import Conventions


_FEW = 256  # texts that are looked for in the bytes of a file, before its lines are indexed
_FEW_EDITS = 4  # of one file, however large it is, that are sections of their own
_MANY_EDITS = 32  # and of one that is not
_MOST_IN_ORDER = 100_000_000  # characters of files that are searched for such edits, until they are indexed
_MOST_COMPARED = 4_000_000  # characters of files that are compared for such sections


def patch_of(text: str, name: str, files: Files, options: Options) -> Patch:
    """Returns the patch that a text in some format means for these files; raises with what is wrong with it."""
    return resolved_patch(read_format(text, name, options.strict, options.strip), files, options)


def paths_of(text: str, name: str, options: Options) -> Patch:
    """A patch with the paths that a text in some format names, for rules that are asked before any file is read."""
    foreign = read_format(text, name, options.strict, options.strip)
    sections: list[FileOp] = [
        each if isinstance(each, (AddFile, DeleteFile, UpdateFile)) else UpdateFile(each.path, line=each.line)
        for each in foreign.sections
    ]
    sections += [UpdateFile(each.to, line=each.line) for each in foreign.sections if isinstance(each, CopyFile)]
    others = [*foreign.spelled.values(), *foreign.unsure.values()]
    sections = [each for each in sections if each.path] + [UpdateFile(each) for each in others]
    return Patch(sorted(sections, key=lambda each: each.line))


def resolved_patch(foreign: Foreign, files: Files, options: Options) -> Patch:
    """Returns the patch that a Foreign means for these files."""
    work = _Work(foreign, files, options)
    blocks = _Blocks(work)
    errors: list[PatchkitError] = []
    for section in foreign.sections:
        try:
            if isinstance(section, Block):
                blocks.add(section)
            elif isinstance(section, TextEdit):
                _add_edit(work, section)
            elif isinstance(section, WholeFile):
                _add_whole(work, section)
            elif isinstance(section, CopyFile):
                _add_copy(work, section)
            elif isinstance(section, Unsayable):
                work.unsayable.append(section)
            else:
                _add_section(work, section)
        except PatchkitError as error:
            for each in error.errors:
                each.facts.setdefault("file", section.path)
                if section.line:
                    each.facts.setdefault("patch_line", section.line)
            errors.append(error)
            if work.limits.exceeded:
                break
    for copy in foreign.copies if not errors else ():
        try:
            _check_copy(work, copy)
        except PatchkitError as error:
            error.facts.setdefault("patch_line", copy.line)
            errors.append(error)
    if work.unsayable and not options.skip_unsupported:
        raise_all([each.error() for each in work.unsayable])
    work.notes += [each.note() for each in work.unsayable]
    raise_all(errors)
    blocks.drop_repeats()
    blocks.put_behind()
    work.say_absent()
    work.notes = without_guesses(work.notes, work.named)
    if foreign.sections and not work.sections and not any(note.code in ASKS_FOR_NOTHING for note in work.notes):
        raise unreadable(foreign.name, 1, *NO_PATH)
    return Patch(work.finished(), None, work.notes)


class _Work:
    """What the sections of a Foreign come to: the files as those so far leave them, and the sections of the Patch."""

    def __init__(self, foreign: Foreign, files: Files, options: Options) -> None:
        self.foreign = foreign
        self.files = files
        self.options = options
        self.is_diff = foreign.name == "unified" and not options.sayable_only  # which says modes and links
        self.limits = EditLimits()
        self.sections: list[FileOp] = []
        self.notes = list(foreign.notes)
        self.unsayable: list[Unsayable] = []
        self.now: dict[str, EditedText] = {}  # what earlier sections left at a path
        self._as_found: dict[str, bytes | None] = {}  # what was at a path before the run, read once for all blocks
        self.named: set[int] = set()  # lines of sections whose path the line above them says
        self.touched: set[str] = set()  # paths that sections of diffs change
        self.absent: list[Block] = []  # edits that change nothing, of texts that are not there
        self.wholes: dict[str, str] = {}  # the texts of whole files, by path
        self.placed: set[str] = set()  # paths with edits that planning places by their lines
        self._known: dict[str, bool] = {}  # whether something was at a path before the run
        self._made: PlanBuilder | None = None  # what the sections so far come to, once that is asked for
        self._planned = 0  # how many sections that has
        self._compared = 0
        self._codecs: dict[str, tuple[str | None, bool]] = {}  # of files that are not UTF-8
        self._conventions: Conventions | None = None
        self._steps: SharedSteps | None = None  # of comparing whole files
        self._edits: dict[str, int] = {}  # by path, how many edits have changed it
        self._open: dict[str, tuple[UpdateFile, bytes]] = {}  # by path, the section of many edits, and what it is for
        self._closed: dict[int, list[FileOp]] = {}  # what such a section has become, by its identity

    def data(self, path: str) -> bytes | None:
        """The content at a path, as earlier sections left it; None where there is no file."""
        if path in self.now:
            return self.now[path].data
        if path in self._as_found and path not in self.touched and path not in self.placed:
            return self._as_found[path]
        try:
            entry = self.files.find(path)
            if path in self.touched:
                return self._left_at(path)
            left = self._left_at(path) if path in self.placed else None
            if left is not None:
                self.now[path] = EditedText(left)
                return left
        except PatchkitError:
            return None  # planning refuses the path, with its reason
        self._as_found[path] = entry.data if entry.kind == "file" else None
        return self._as_found[path]

    def _left_at(self, path: str, link: bool = False) -> bytes | None:
        """What the sections so far leave at a path: a mail speaks of what those before it made."""
        if self._made is None:
            self._made = PlanBuilder(self.files, self.options.begun(), parsed_scopes)
        for section in self.finished(self._planned) if not self._made.errors else ():
            self._made.add(section)
        self._planned = len(self.sections)
        change = self._made.plan.changes.get(self.files.find(path, not link).name)
        if change is None or change.after is None or self._made.errors or (link and not change.is_link):
            return None
        return b"".join(change.after)

    @property
    def is_hopeless(self) -> bool:
        """Whether a section was refused already: then every place is looked at for each of the others."""
        return self._made is not None and bool(self._made.errors)

    def exists(self, path: str) -> bool:
        if path not in self._known:
            try:
                self._known[path] = self.files.find(path, False).kind != "missing"
            except PatchkitError:
                self._known[path] = False
        return self._known[path]

    def target(self, path: str) -> bytes | None:
        """Where the link at a path leads, as earlier sections left it; None where there is none."""
        try:
            if path in self.touched:
                return self._left_at(path, link=True)
            entry = self.files.find(path, False)
        except PatchkitError:
            return None  # planning refuses the path, with its reason
        return _bytes(entry.target) if entry.kind == "link" else None

    def edited(self, path: str) -> EditedText | None:
        """What is at a path, for edits that follow each other; None where there is no file."""
        if path not in self.now:
            data = self.data(path)
            if data is None:
                return None
            self.now[path] = EditedText(data)
        return self.now[path]

    def codec_of(self, path: str, data: bytes) -> tuple[str | None, bool]:
        """The encoding of a file that is not UTF-8, and whether it is certain; the planner has the last word."""
        if is_surely_utf8(data):
            return None, True
        if path in self._codecs:  # an edit leaves a file in the encoding that it has
            return self._codecs[path]
        from patchkit.globs.conventions import Conventions
        from patchkit.shown_encoding import codec_of

        self._conventions = self._conventions or Conventions(self.files.settings)
        setting = self._conventions.charset("/".join(self.files.parts(path)))
        codec, certain = codec_of(data, self.options.encoding, setting)
        self._codecs[path] = (codec, certain) if certain or not self.options.strict else (None, True)
        return self._codecs[path]

    def path_of(self, section: Block | WholeFile) -> str:
        """The path of a section: the line above it is one if there is such a file, or a place for it."""
        maybe = self.foreign.unsure.get(section.line, "")
        folder = maybe.rpartition("/")[0]
        if maybe and (self.exists(maybe) or (folder and is_spaced(maybe) and self.exists(folder))):
            self.named.add(section.line)
            return maybe
        return section.path

    def say_absent(self) -> None:
        """Says which texts are not there; they are looked for, and so refused, where nothing else is asked for."""
        for block in self.absent:
            if self.sections and not isinstance(self.sections[-1], _Absent):
                facts = {"file": block.path, "patch_line": block.line}
                self.notes.append(
                    Note("P929", why="not-there", what="an edit whose old and new text are the same", **facts)
                )
            else:
                self.sections.append(_Absent(block.path, None, [block_hunk(block)], block.line))

    def refuse_placeholders(self, path: str, text: str, before: str | bytes, shown: str = "") -> None:
        """A comment in place of other lines, or a listing, must not become lines of a file that does not have them."""
        found = self.seems_left_out(text, shown)
        is_whole = not shown and text[:1].isdigit() and not self.options.allow_placeholder
        if not found and not is_whole:
            return
        from patchkit.guards.placeholders import listed_line, placeholder

        old = before if isinstance(before, str) else before.decode("utf-8", "surrogateescape")
        numbered = listed_line(text, old) if is_whole or listed_line(text, shown) else ""
        if numbered or (found and not listed_line(text, shown) and placeholder(text, old)):
            raise PatchkitError("P127", file=path, found=numbered or found, numbered=bool(numbered))

    def seems_left_out(self, text: str, shown: str) -> str:
        """What of a new text is in place of other lines, or is a listing; '' where nothing does."""
        from patchkit.guards.placeholders import listed_line, placeholder

        return "" if self.options.allow_placeholder else listed_line(text, shown) or placeholder(text, "")

    def leave(self, path: str, now: EditedText, made: str | bytes, line: int = 0, as_bytes: bool = False) -> None:
        """Adds the section that turns one content into another; with `as_bytes`, whatever its encoding is."""
        if made == (now.data if isinstance(made, bytes) else now.text):
            self.notes.append(_unchanged(path, line, "an edit that changes nothing"))
            return
        before = None if self.is_one_of_many(path, now, line) else now.data
        if isinstance(made, bytes):
            now.put_data(made)
        else:
            now.put(made)
        if before is not None:
            self.sections += self.between(path, before, now.data, line, as_bytes or now.codec is not None)

    def between(self, path: str, before: bytes, after: bytes, line: int, as_bytes: bool = False) -> list[FileOp]:
        """The sections that turn one content of a file into another; with `as_bytes`, whatever its encoding is."""
        if wide_codec(before) is not None:  # of which a part of a line is not a line of bytes
            whole = GitUpdate(path, None, [], line, ("", ""))
            whole.content = after
            return [whole]
        from patchkit.diffs.compare import SharedSteps  # here and below: for other formats than diffs
        from patchkit.diffs.unique_hunks import hunks_between

        self._steps = self._steps or SharedSteps()
        hunks = hunks_between(path, before, after, as_bytes=as_bytes, steps=self._steps)
        if b"\r" in before + after and not gives(hunks, before, after):  # endings that differ from line to line
            return [DeleteFile(path, line), AddFile(path, after.decode("utf-8", "surrogateescape"), line)]
        return [HashedUpdate(path, None, hunks, line, "")]  # made for this content

    def is_one_of_many(self, path: str, now: EditedText, line: int) -> bool:
        """Whether an edit goes into a section with others. Each of thousands would read the whole file again."""
        if path in self._open:
            return True
        self._edits[path] = self._edits.get(path, 0) + 1
        self._compared += len(now.text)
        if self._edits[path] <= (_MANY_EDITS if self._compared <= _MOST_COMPARED else _FEW_EDITS):
            return False
        self._open[path] = UpdateFile(path, None, [], line), now.data
        self.sections.append(self._open[path][0])
        return True

    def section_of(self, path: str, now: EditedText, edit: LinesOfEdit, is_below: bool) -> UpdateFile | None:
        """Adds the hunk of an edit of one place; gives its section, None where that is one of many edits.

        Edits that follow each other down the file are one section: what is below the last one is as it was, so the
        hunks have one placement in order. Not where one may begin on lines of the one above: order leaves that open.
        """
        section = self._section_above(now) if is_below else None
        if section is not None and (not section.hunks or edit.hunk.old()[0] not in section.hunks[-1].old()):
            section.hunks.append(edit.hunk)
            return section
        if self.is_one_of_many(path, now, edit.hunk.line):
            return None
        section = HashedUpdate(path, None, [edit.hunk], edit.hunk.line, "")  # made for this content
        self.sections.append(section)
        return section

    def _section_above(self, now: EditedText) -> UpdateFile | None:
        """The section of the last edit, where a hunk may still be added to it."""
        section = now.lowest
        if section is None or section is not self.sections[-1] or self._planned == len(self.sections):
            return None
        return section if self.limits.searched <= _MOST_IN_ORDER else None

    def with_lines_before(self, now: EditedText, text: str, edit: LinesOfEdit) -> LinesOfEdit:
        """An edit that changes lines of the one before, as one with that, whose hunk it takes; any other as it is."""
        section = self._section_above(now) if now.begin <= edit.start < now.end else None
        if section is None:
            return edit
        start, stop, before = now.begin, max(edit.stop, now.end), section.hunks[-1]
        after = text[start : edit.start] + edit.after + text[edit.stop : stop]
        search, replace = before.old() + text[now.end : stop].split("\n")[:-1], after.split("\n")[:-1]
        if search == replace:
            return edit
        from patchkit.diffs.unique_hunks import hunk_of_texts

        section.hunks.pop()
        now.end = start
        return LinesOfEdit(hunk_of_texts(search, replace, before.line), start, stop, after)

    def is_open(self, path: str) -> bool:
        return path in self._open

    def close(self, path: str) -> None:
        """Finds out what the section of many edits comes to, before another section changes the file."""
        if path in self._open:
            section, before = self._open.pop(path)
            after = self.now[path].data
            made = self.between(path, before, after, section.line) if after != before else []
            self._closed[id(section)] = made

    def finished(self, start: int = 0) -> list[FileOp]:
        """The sections from the given one on, and those of many edits as what they come to."""
        for path in [*self._open]:
            self.close(path)
        return [made for each in self.sections[start:] for made in self._closed.get(id(each), [each])]


class _Absent(UpdateFile):
    """A section that changes nothing, for a text that is not in the file."""

    __slots__ = ()


def _unchanged(path: str, line: int, what: str) -> Note:
    return Note("P929", why="no-change", file=path, patch_line=line, what=what)


def _add_section(work: _Work, op: FileOp) -> None:
    path = _settled(work, op.path, isinstance(op, AddFile), op.line)
    of_lines = isinstance(op, GitUpdate) and op.forward is not None and op.forward[0] == "lines" and not op.modes[1]
    if isinstance(op, (GitAdd, GitUpdate)) and work.options.sayable_only and not of_lines:
        said, left = sayable(op)
        work.unsayable += left
        if said is None:
            return
        op = said
    blob = work.foreign.blobs.get((op.path, op.line), (None, None))[1]
    if isinstance(op, GitAdd):
        op = GitAdd(path, op.text, op.line, op.mode, op.exact, op.source, blob)
    elif isinstance(op, GitUpdate):
        op = _settled_git(work, path, op)
    elif isinstance(op, AddFile) and path in work.touched and work.is_diff:
        op = GitAdd(path, op.text, op.line, "100644", blob=blob)  # the mode of the file before is not that of this one
    elif isinstance(op, AddFile):
        op = AddFile(path, op.text, op.line) if blob is None else HashedAdd(path, op.text, op.line, blob)
    elif isinstance(op, DeleteFile):
        _check_deleted(work, path, op)
        op = DeleteFile(path, op.line)
    else:
        op = _settled_update(work, path, op, work.foreign.blobs.get((op.path, op.line)))
    work.sections.append(op)
    work.touched.add(path)
    if isinstance(op, UpdateFile) and op.move_to:
        work.touched.add(op.move_to)


def _settled_update(work: _Work, path: str, op: UpdateFile, blobs: tuple[str, str] | None) -> FileOp:
    move_to = _settled(work, op.move_to, True, op.line) if op.move_to else None
    only = op.hunks[0] if len(op.hunks) == 1 else None
    if only is not None and only.hint == 0 and not only.old() and move_to is None and work.data(path) is None:
        text = "".join(line[1:] + "\n" for line in only.lines)
        return AddFile(path, text[:-1] if only.final_newline is False else text, op.line)
    if move_to and not op.hunks and work.is_diff and work.target(path) is not None:  # a link itself
        return GitUpdate(path, move_to, [], op.line, ("", ""))
    made = UpdateFile(path, move_to, op.hunks, op.line)
    for last in op.hunks[-1:] if blobs is not None else ():
        # With nothing below the change it is the end: git and patch go there, whatever the number is.
        if last.lines[0][0] == " " != last.lines[-1][0] and not last.at_eof:
            old, texts = last.old(), Document(work.data(path) or b"").texts
            last.hint = len(texts) - len(old) + 1 if texts[-len(old) :] == old else last.hint
    if blobs is not None and blobs[0]:
        made = HashedUpdate(path, move_to, op.hunks, op.line, blobs[0])
    made.move_line = op.move_line
    return made


def _settled_git(work: _Work, path: str, op: GitUpdate) -> FileOp:
    """The section with its paths, and the new content of a binary file, which has to be the one it is made for."""
    goal = _settled(work, op.move_to, True, op.line) if op.move_to else None
    made = GitUpdate(path, goal, op.hunks, op.line, op.modes)
    made.content, made.was, made.blobs = op.content, op.was, op.blobs
    made.forward, made.backward = op.forward, op.backward
    if op.forward is None:
        return made
    data = work.data(path)
    if op.forward[0] == "lines":
        made.content = _exact_content(work, op, data, op.blobs[0]) if data is not None else None
        if made.content is None and op.hunks and not op.modes[1]:
            return _settled_update(work, path, UpdateFile(op.path, op.move_to, op.hunks, op.line), op.blobs)
        made.hunks = [] if made.content is not None else op.hunks
        return made
    if data is None:
        return made  # planning refuses it
    from patchkit.core.changes.legacy import blob_id  # for binary content

    old, new = op.blobs
    if len(old) == 40 and blob_id(data) != old:
        if blob_id(data) == new:
            made.content = data
            return made
        raise PatchkitError("P125", file=path, changes=True)
    made.content = binary_content(op.forward, data, op.line)
    if len(new) == 40 and blob_id(made.content) != new:
        raise unreadable("unified", op.line, f"the binary content of '{path}' is not what it says", "send it anew")
    return made


def _exact_content(work: _Work, op: GitUpdate | CopyFile, data: bytes, blob: str) -> bytes | None:
    """What a diff makes of the very bytes that it was made for; None for others, or where its hunks come to that.

    Those are shown by the id that git gives the content, or by line endings and NUL bytes with old lines in each hunk,
    or the end of the file.
    """
    part = op.forward or ("lines", [])
    rows = part[1] if isinstance(part[1], list) else []
    shown, lines = b"".join(old + new for _, old, new in rows), data.count(b"\n")
    certain = (b"\r" in shown or b"\0" in shown) and all(old or start == lines for start, old, _ in rows)
    try:
        if not op.hunks or certain or (blob and _has_id(data, blob)):
            made = binary_content(part, data, op.line)
            return None if op.hunks and gives(op.hunks, data, made, back=work.options.reverse) else made
    except PatchkitError:
        if not op.hunks:
            raise
    return None


def sayable(op: GitAdd | GitUpdate) -> tuple[FileOp | None, list[Unsayable]]:
    """What a patch can say of a section of git's, for a text in another format, and what it cannot."""
    word, path = shell_word(op.path), op.path
    is_link = (op.mode if isinstance(op, GitAdd) else op.modes[1]) == "120000"
    if is_link:
        target = op.text if isinstance(op, GitAdd) else (op.content or b"").decode("utf-8", "surrogateescape")
        command = f"ln -sfn {shell_word(target) if target else 'TARGET'} {word}"
        return None, [Unsayable(path, f"the symbolic link '{path}'", command, op.line)]
    if (isinstance(op, GitAdd) and op.exact) or (isinstance(op, GitUpdate) and op.forward is not None and not op.hunks):
        command = f"git apply --include={word} FILE"
        return None, [Unsayable(path, f"the binary content of '{path}'", command, op.line)]
    left = []
    mode = op.mode if isinstance(op, GitAdd) else op.modes[1]
    if mode:
        goal = op.move_to or path if isinstance(op, GitUpdate) else path
        command = f"chmod {'+x' if mode == '100755' else '-x'} {shell_word(goal)}"
        left.append(Unsayable(goal, f"the mode of '{goal}'", command, op.line))
    if isinstance(op, GitAdd):
        return AddFile(path, op.text, op.line), left
    return UpdateFile(path, op.move_to, op.hunks, op.line) if op.hunks or op.move_to else None, left


def _settled(work: _Work, path: str, new: bool, line: int) -> str:
    """The path that is meant: as it was written, or without its first component."""
    written = work.foreign.spelled.get(path)
    if written is None or path in work.now or path in work.touched:
        return path
    meant = _meant(work, path, written, new, line)
    if meant == path and work.foreign.preferred.get(path) == written:
        work.notes.append(Note("P901", lenience="path-spelling", file=path, found=written, patch_line=line))
    return meant


def _meant(work: _Work, path: str, written: str, new: bool, line: int) -> str:
    preferred = work.foreign.preferred.get(path)
    if new and preferred == path:
        return path
    if new:
        parent, other = path.rpartition("/")[0], written.rpartition("/")[0]
        if preferred == written:
            return path if work.exists(parent) and not work.exists(written.partition("/")[0]) else written
        return written if parent and not work.exists(parent) and work.exists(other) else path
    there = work.exists(written.partition("/")[0]) and work.exists(written)
    if not there and preferred != written:
        return path  # in most diffs, whose `a/` and `b/` are not directories: one look answers for all files
    here = work.exists(path)
    if here and there:
        if preferred is None:
            raise PatchkitError("P123", file=path, written=written)
        if not preferred:
            reason = f"its headers name '{path}' and '{written}', and both exist"
            raise unreadable("unified", line, reason, "write the name of one of them in both lines")
        return preferred
    return written if there or not here else path


def _check_deleted(work: _Work, path: str, op: DeleteFile) -> None:
    """A diff that deletes a file says what was in it, by its text or by git's id: another content is another file."""
    wanted = work.foreign.deleted.get((op.path, op.line))
    blob = work.foreign.blobs.get((op.path, op.line), ("", ""))[0]
    target = work.target(path)
    if wanted is None:
        data = work.data(path) if target is None else target
        same = data is None or not blob or _has_id(data, blob)
    elif isinstance(wanted, GitAdd) and wanted.mode == LINK and path not in work.touched:
        same = target == _bytes(wanted.text) or not work.exists(path)
    else:
        data, text = work.data(path), _bytes(wanted.text)
        exact = isinstance(wanted, GitAdd) and wanted.exact
        same = data is None or data == text or (not exact and _with_lf(data) == _with_lf(text))
    if not same:
        raise PatchkitError("P125", file=path, edit_format="unified")


def _check_copy(work: _Work, op: CopyFile) -> None:
    """A copy without changes that is taken back is what the file is that it was copied from."""
    here = work.files.find(op.to, False)
    if here.kind not in ("file", "link"):
        return  # planning refuses to delete it, with its reason
    there = work.target(op.path)
    content = _bytes(here.target) if here.kind == "link" else here.data
    if content != (work.data(op.path) if there is None else there):
        raise PatchkitError("P125", file=op.to, edit_format="unified")


def _has_id(data: bytes, blob: str) -> bool:
    from patchkit.core.changes.legacy import blob_id  # for few diffs

    return any(blob_id(each).startswith(blob) for each in (data, _with_lf(data)))


def _with_lf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _add_copy(work: _Work, op: CopyFile) -> None:
    path = _settled(work, op.path, False, op.line)
    target = work.target(path) if not work.options.sayable_only else None
    if target is not None:
        new = [line[1:] for hunk in op.hunks for line in hunk.lines if line[0] == "+"]
        leads = new[0] if new else target.decode("utf-8", "surrogateescape")
        work.sections.append(GitAdd(op.to, leads, op.line, "120000"))
        work.touched.add(op.to)
        return
    data = work.data(path)
    if data is None:
        raise PatchkitError("P302", file=path)
    exact = None
    if op.forward is not None:
        exact = _exact_content(work, op, data, work.foreign.blobs.get((op.to, op.line), ("", ""))[0])
    if exact is not None:
        data = exact
    elif op.hunks:
        files = MemoryFiles({op.to: data})
        made = planned(Patch([UpdateFile(op.to, None, op.hunks, op.line)]), files, work.options, False)
        data = b"".join(made.changes[op.to].after or [])
    work.limits.copy(op.to, len(data))
    text = data.decode("utf-8", "surrogateescape")
    if not work.options.sayable_only:
        work.sections.append(GitAdd(op.to, text, op.line, op.mode, exact=True, source=path))
        work.touched.add(op.to)
        return
    from patchkit.diffs.unique_hunks import is_binary  # few texts copy a file

    if is_binary(data):
        work.unsayable.append(Unsayable(op.to, f"the binary content of '{op.to}'", f"cp {path} {op.to}", op.line))
        return
    work.sections.append(AddFile(op.to, text, op.line))
    work.touched.add(op.to)
    work.notes.append(Note("P976", change="copy", file=op.to, source=path))


class _Blocks(Record):
    """Search/replace blocks: all of a file are placed together, on its old text."""

    work: _Work
    _indexed: dict[str, tuple[bytes, BlockPlaces]] = {}  # by path, with the content that they are the lines of
    _updates: dict[str, UpdateFile] = {}  # by path, for the blocks that are placed together

    def add(self, block: Block) -> None:
        path = self.work.path_of(block)
        if not path:
            raise PatchkitError("P126", patch_line=block.line)
        data = self.work.data(path)
        if block.readings:
            block = self._decided(block, path, data)
        elif path != block.path:
            block = block.cut(path, block.search, block.replace)
        if block.search and block.search == block.replace:
            if data is None or not self._lines(path, data).has(block.search):
                self.work.absent.append(block)
            else:
                self.work.notes.append(_unchanged(path, block.line, SAME))
            return
        if not any(line.strip() for line in block.search):
            self._add_new(block, data)
            return
        self.work.refuse_placeholders(block.path, "\n".join(block.replace), data or b"", "\n".join(block.search))
        update = self._updates.get(block.path)
        if update is None:
            update = self._updates[block.path] = UpdateFile(block.path, None, [], block.line)
            self.work.sections.append(update)
        if data is not None and not self.work.options.strict:
            places = self._lines(block.path, data)
            block = _without_blank_ends(self.work, block, places, len(update.hunks) + 1)
        update.hunks.append(block_hunk(block))

    def _decided(self, block: Block, path: str, data: bytes | None) -> Block:
        """The block as its file shows that it is cut: the longest old text that is there, at one place."""
        places = None if data is None else self._lines(path, data)
        for search, replace in reversed(block.readings) if not self.work.options.strict else ():
            is_new = places is None and not search and len(block.readings) > 1
            if is_new or (places is not None and places.only(search) is not None):
                facts = {"file": path, "patch_line": block.line}
                self.work.notes.append(Note("P901", lenience="block-cut", **facts))
                return block.cut(path, search, replace)
        assert block.doubt is not None, "a block with several readings has one"
        raise block.doubt

    def _add_new(self, block: Block, data: bytes | None) -> None:
        """A block with nothing to search makes a file; on a file that has text it does not say where to go."""
        if data is not None and not block.search and not block.replace:
            self.work.notes.append(_unchanged(block.path, block.line, SAME))
            return
        text = "".join(line + "\n" for line in block.replace)
        self.work.refuse_placeholders(block.path, text, data or b"")
        if data is None or data.decode("utf-8", "surrogateescape") == text:
            self.work.sections.append(AddFile(block.path, text, block.line))
        elif not data.strip():
            hunk = Hunk([], ["-" + line for line in Document(data).texts], line=block.line)
            hunk.lines += ["+" + line for line in block.replace]
            self.work.sections.append(UpdateFile(block.path, None, [hunk], block.line))
        else:
            raise PatchkitError("P124", file=block.path)
        self.work.now[block.path] = EditedText(text.encode("utf-8", "surrogateescape"))

    def _lines(self, path: str, data: bytes) -> BlockPlaces:
        """The lines of what is at a path, indexed once for all blocks."""
        known = self._indexed.get(path)
        if known is None or known[0] is not data:
            known = self._indexed[path] = data, BlockPlaces(data, self._asked.get(path, ()))
        return known[1]

    @cached_property
    def _asked(self) -> dict[str, set[str]]:
        """By path the lines of all old texts."""
        asked: dict[str, set[str]] = {}
        for each in self.work.foreign.sections:
            if isinstance(each, Block):
                asked.setdefault(each.path, set()).update(each.search, *[search for search, _ in each.readings])
        return asked

    def drop_repeats(self) -> None:
        """Leaves out blocks that are sent again, where the file has one place for them."""
        for update in self._updates.values():
            data = self.work.data(update.path)
            seen: set[tuple[str, ...]] = set()
            kept: list[Hunk] = []
            for hunk in update.hunks if data is not None and len(update.hunks) > 1 else ():
                lines = tuple(hunk.lines)
                if lines in seen and not self._lines(update.path, data or b"").has_twice(hunk.old()):
                    what = "a block that is the same as one above it"
                    self.work.notes.append(_unchanged(update.path, hunk.line, what))
                else:
                    kept.append(hunk)
                seen.add(lines)
            update.hunks = kept or update.hunks

    def put_behind(self) -> None:
        """Gives blocks that change what others of their file put in a section of their own, behind those."""
        for update in self._updates.values():
            data = self.work.data(update.path) if len(update.hunks) > 1 else None
            section: UpdateFile | None = update
            places = self._lines(update.path, data) if data is not None else None
            hunks = _bare_hunks(update.hunks) if places is not None else []
            while places is not None and section is not None:
                places, section, hunks = self._followers(section, places, hunks)

    def _followers(
        self, update: UpdateFile, places: BlockPlaces, hunks: list[_BareHunk]
    ) -> tuple[BlockPlaces | None, UpdateFile | None, list[_BareHunk]]:
        """Moves hunks whose lines only the others make to a section behind; returns what they are for, it, and them."""
        added: set[str] = set()
        first: list[_BareHunk] = []
        later: list[_BareHunk] = []
        for each in hunks:
            behind = bool(later) or not added.isdisjoint(each.old)
            (later if behind and not places.has(each.hunk.old()) else first).append(each)
            added |= each.added
        if not later or not first:
            return None, None, []
        # Each round looks for every hunk again, which takes about as long as four lines of the file.
        self.work.limits.place(update.path, places.data.count(b"\n") + 4 * len(hunks))
        files = MemoryFiles({"file": places.data})
        try:
            plan(Patch([UpdateFile("file", None, [each.hunk for each in first])]), files, self.work.options).commit()
        except PatchkitError:
            return None, None, []
        after = BlockPlaces(files.content["file"], self._asked.get(update.path, ()))
        if not after.has(later[0].hunk.old()):
            return None, None, []
        update.hunks = [each.hunk for each in first]
        section = UpdateFile(update.path, None, [each.hunk for each in later], later[0].hunk.line)
        sections = self.work.sections
        at = next(at for at, each in enumerate(sections) if each is update)
        sections.insert(at + 1, section)
        return after, section, later


def _without_blank_ends(
    work: _Work, block: Block, places: BlockPlaces, number: int = 1, of_edit: bool = False
) -> Block:
    """The block without blank lines around its old text, where only these are not in the file.

    An edit may have any around it: those that stay say nothing where the whole text is not there.
    """
    if block.search[0].strip() and block.search[-1].strip():
        return block
    from patchkit.diffs.parts import without_blank_ends

    search, replace = without_blank_ends(block.search, block.replace)
    stay = of_edit and len(block.search) - len(search) == len(block.replace) - len(replace)
    if places.has(block.search) or not (stay or places.has(search)):
        return block
    facts = {"hunk": number, "file": block.path, "patch_line": block.line}
    work.notes.append(Note("P921", tolerance="blank-lines", **facts))
    return block.cut(block.path, search, replace)


def _with_line_ends(work: _Work, block: Block, places: BlockPlaces) -> Block:
    """A block of one line whose line ends were escaped, as its lines: those that it does not change stay so."""
    if len(block.search) > 1 or "\\n" not in block.search[0] or places.has(block.search):
        return block
    from patchkit.core.matching.search import REWRITES  # few texts are escaped twice

    for undo in REWRITES["escapes"]:
        lines = undo(["-" + block.search[0], *("+" + line for line in block.replace)])
        search, replace = ([line[1:] for line in lines if line[0] == sign] for sign in "-+")
        if places.has(search):
            work.notes.append(Note("P921", tolerance="escapes", hunk=1, file=block.path, patch_line=block.line))
            return block.cut(block.path, search, replace)
    return block


class _BareHunk(Record):
    """A hunk, and its old and added lines without the space around them."""

    hunk: Hunk
    old: list[str]
    added: set[str]


def _bare_hunks(hunks: list[Hunk]) -> list[_BareHunk]:
    olds, news = ([[line[1:] for line in each.lines if line[0] in signs] for each in hunks] for signs in ("- ", "+"))
    bare = iter(PASSES[-1].lines([line for each in olds + news for line in each]))  # all at once
    old, added = ([list(islice(bare, len(each))) for each in texts] for texts in (olds, news))
    return [_BareHunk(hunk, mine, {*new} - {""}) for hunk, mine, new in zip(hunks, old, added)]


def _add_edit(work: _Work, edit: TextEdit) -> None:
    path = edit.path
    now = work.edited(path)
    if now is None:
        if edit.old or edit.after is not None:
            work.files.find(path)  # which may have another reason
            raise PatchkitError("P302", file=path)
        work.sections.append(AddFile(path, edit.new, edit.line))
        work.now[path] = EditedText(edit.new.encode("utf-8", "surrogateescape"))
        return
    if (work.is_open(path) and _is_in_index(work, now, edit)) or (now.lowest and _is_below(work, now, edit)):
        return
    now.read_by_mark()
    if now.codec is None and not (edit.old + edit.new).isascii():
        now.read_in(*work.codec_of(path, now.data))
    if edit.after is not None:
        before = None if work.is_one_of_many(path, now, edit.line) else now.data
        now.insert(edit)
        if before is not None:
            work.sections += work.between(path, before, now.data, edit.line)
        return
    text = now.text
    if edit.old and edit.old == edit.new:
        same = edit.old.removesuffix("\n").split("\n")
        if edit.old in text or BlockPlaces(now.data).has(same):
            work.notes.append(_unchanged(path, edit.line or 1, "an edit whose old and new text are the same"))
        else:
            work.absent.append(Block(path, same, same, edit.line))
        return
    if not edit.old:
        if text.strip():
            raise PatchkitError("P124", file=path)
        work.leave(path, now, edit.new)
        return
    if path.endswith(".ipynb") and not work.options.strict and _is_in_cells(work, now, edit):
        return
    # Where all lines end with CRLF, texts are compared with LF, and added lines get the ending back.
    has_cr = "\r" in text  # asked first: to look for two characters takes many times as long as for one
    is_crlf = has_cr and text.count("\r") == text.count("\n") == text.count("\r\n")
    text = text.replace("\r\n", "\n") if is_crlf else text
    work.limits.search(path, len(text) * (NOT_INDEXED if now.is_never_indexed else 1))
    work.refuse_placeholders(path, edit.new, text, edit.old)
    if has_cr and ("\r\n" in text or "\n" not in text):
        _add_among_endings(work, now, edit)
        return
    old, new = edit.old, edit.new
    if is_crlf or not has_cr:
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    at = text.find(old)
    if at < 0:
        work.limits.place(path, _size_of(text) * (REFUSED if work.is_hopeless else 1))
        _add_as_lines(work, edit)
        return
    # The file is read once for each of many edits: up to the place, and on from there for another one.
    count = 1 + text.count(old, at + len(old))
    is_at_start = at <= text.startswith("\ufeff") or text[at - 1] == "\n"
    if (
        not (new or edit.every or old.endswith("\n"))
        and is_at_start
        and count == 1
        and text.startswith("\n", at + len(old))
    ):
        old += "\n"  # whole lines are removed with their line ending, as Edit removes them
        work.notes.append(Note("P960", what="the old text", file=path))
    if edit.every or count == (edit.count or 1):
        is_text = count == 1 and "\r" not in text and not now.has_nul
        around = hunk_around(text, at, old, new, edit.line) if is_text else None
        if around is None:
            work.limits.make(path, count * (len(new) - len(old)))
            work.limits.search(path, REPLACED * count)
            now.refuse_doubtful(new)
            made = text.replace(old, new)
            work.leave(path, now, made.replace("\n", "\r\n") if is_crlf else made)
        else:
            is_plain = now.codec is None and _is_plain(text, old + new)
            if is_plain and says_it_by_text(around.hunk):
                around = work.with_lines_before(now, text, around)
            section = work.section_of(path, now, around, is_plain and _is_apart(around, now.end))
            if is_crlf:
                made = text[:at] + new + text[at + len(old) :]
                now.put(made.replace("\n", "\r\n"), "\0" in new)
            else:
                now.put_lines(text, around, section if is_plain else None, "\0" in new)
    else:
        from re import escape, finditer

        places = [each.start() for each, _ in zip(finditer(escape(old), text), range(20))]
        raise _several(path, count, [text.count("\n", 0, at) + 1 for at in places])


def _several(path: str, count: int, lines: list[int]) -> PatchkitError:
    if count == 1:
        reason = f"an edit of '{path}' expects several places, and its old text has one (line {lines[0]})"
        return unreadable("json-edits", 1, reason, "correct the number, or send the text that is at all these places")
    places = "lines " + ", ".join(map(str, lines))
    return PatchkitError("P622", file=path, what="the old text", count=count, places=places)


def _add_among_endings(work: _Work, now: EditedText, edit: TextEdit) -> None:
    """An edit of a file in which line endings differ from line to line, or are CR, made as Edit makes it."""
    from patchkit.formats.edits import Text  # few files mix them

    text = Text(_document(now))
    count = text.count(edit.old)
    if not count:
        work.limits.place(edit.path, _size_of(now.text) * (REFUSED if work.is_hopeless else 1))
        _add_as_lines(work, edit)
        return
    if not edit.every and count != (edit.count or 1):
        data = text.document.data
        raise _several(edit.path, count, [data.count(b"\n", 0, at) + 1 for at, _ in text.spans(edit.old, 20)])
    work.limits.make(edit.path, count * (len(edit.new) - len(edit.old)))
    work.limits.search(edit.path, REPLACED * count)
    now.refuse_doubtful(edit.new)
    edited = text.replaced(edit.old, edit.new) if edit.new or edit.every or count > 1 else text.removed(edit.old)
    if edited.with_line_end:
        work.notes.append(Note("P960", what="the old text", file=edit.path))
    work.leave(edit.path, now, b"".join(edited.file_bytes()))


def _document(now: EditedText) -> Document:
    """A content as lines, without the mark in front of the first."""
    marked = Document(now.data)
    return marked if marked.codec or now.codec is None else Document(now.data, now.codec)


def _size_of(text: str) -> int:
    """How many lines a text counts for: a line of many characters is as much work as several."""
    return max(text.count("\n") + 1, len(text) // USUAL)


def _is_in_cells(work: _Work, now: EditedText, edit: TextEdit) -> bool:
    """Makes an edit of the text of a notebook's cells; False where they do not have it, or the file has it, too."""
    from patchkit.structure.notebook import Notebook  # few files are one

    work.limits.place(edit.path, _size_of(now.text))
    notebook = Notebook.of(now.data)
    view = notebook.view() if notebook is not None else None
    if notebook is None or view is None or (edit.old in now.text and not notebook.escapes(edit.old, edit.new)):
        return False
    old, new = (each.replace("\r\n", "\n").encode("utf-8", "surrogateescape") for each in (edit.old, edit.new))
    from re import escape, finditer

    places = [each.start() for each in finditer(escape(old), view.data)]
    if not places or (not edit.every and len(places) != (edit.count or 1)):
        return False
    after = notebook.with_changes(view, [(at, at + len(old), new) for at in places])
    if after is None:
        return False
    work.refuse_placeholders(edit.path, edit.new, now.text, edit.old)
    line = view.data.count(b"\n", 0, places[0]) + 1
    work.notes.append(Note("P921", what="an edit", tolerance="cells", file=edit.path, line=line))
    work.leave(edit.path, now, after.text)
    return True


def _is_plain(text: str, said: str) -> bool:
    """Whether the encoding of a file does not matter for an edit: both are ASCII, or the file is surely UTF-8."""
    return said.isascii() if text.isascii() else is_surely_utf8(text.encode("utf-8", "surrogateescape"))


def _is_apart(edit: LinesOfEdit, end: int) -> bool:
    """Whether an edit is below the end of another one, and what that left has no say in where it goes.

    What is only added may have been made by the edit right above.
    """
    near = 0 if says_it_by_text(edit.hunk) else 2 * (len("".join(edit.hunk.lines)) + LONGEST)
    return edit.start >= end + near


def _is_below(work: _Work, now: EditedText, edit: TextEdit) -> bool:
    """Makes an edit of one place below the edit before; False where there is more to it. No long text is copied."""
    said = edit.old + edit.new
    if not (edit.old and edit.new) or edit.old == edit.new or edit.every or edit.count or edit.after is not None:
        return False
    if not said.isascii() or "\r" in said or "\0" in edit.new or edit.path.endswith(".ipynb"):
        return False
    if work.seems_left_out(edit.new, edit.old):
        return False
    found = now.only_below(edit.old)
    if found is None:
        return False
    text, at = found
    lines = hunk_around(text, at, edit.old, edit.new, edit.line)
    if lines is None or not _is_apart(lines, now.below):
        return False
    work.limits.search(edit.path, len(text))
    now.put_lines_below(lines, work.section_of(edit.path, now, lines, True))
    return True


def _is_in_index(work: _Work, now: EditedText, edit: TextEdit) -> bool:
    """Makes an edit of one place by the index of a file that has many; False where there is more to it."""
    if not edit.old or edit.after is not None or edit.count or work.seems_left_out(edit.new, edit.old):
        return False
    if edit.old != edit.new:
        return now.replace_one_of_many(edit.old, edit.new)
    if now.has_one_of_many(edit.old):
        work.notes.append(_unchanged(edit.path, edit.line or 1, "an edit whose old and new text are the same"))
        return True
    return False


def _add_as_lines(work: _Work, edit: TextEdit) -> None:
    """Text that is not there letter by letter is placed by its lines, with the tolerance that hunks have."""
    sides = (edit.old, edit.new)
    search, replace = (side.replace("\r\n", "\n").removesuffix("\n").split("\n") for side in sides)
    now = work.edited(edit.path)
    texts = _document(now).texts if now is not None and not work.options.strict else []
    from patchkit.diffs.parts import whole_lines

    parts = whole_lines(texts, edit.old, edit.new)
    if len(parts) > 1:
        raise _several(edit.path, len(parts), [part.line + 1 for part in parts])
    replace = replace if edit.new else []
    if parts:
        search, replace = parts[0].old, parts[0].new
    block = Block(edit.path, search, replace, edit.line)
    if now is not None and any(map(str.strip, search)) and not parts and not work.options.strict:
        places = BlockPlaces(now.data)
        block = _without_blank_ends(work, _with_line_ends(work, block, places), places, of_edit=True)
    work.close(edit.path)
    work.sections.append(UpdateFile(edit.path, None, [block_hunk(block)], edit.line))
    work.now.pop(edit.path, None)
    work.placed.add(edit.path)


def _add_whole(work: _Work, whole: WholeFile) -> None:
    path = work.path_of(whole)
    if not path:
        return  # a fence without a path is prose
    whole = whole if path == whole.path else WholeFile(path, whole.text, whole.line)
    data = work.data(whole.path)
    is_part = work.foreign.name == "snippet"
    if path in work.wholes and work.wholes[path] != whole.text and not is_part:
        reason = f"'{path}' comes twice, and two texts cannot both be the whole file"
        raise unreadable("whole-file", whole.line or 1, reason, "send the whole file once, or edits of its parts")
    work.wholes[path] = whole.text
    from patchkit.diffs.unique_hunks import is_unicode
    from patchkit.formats.whole_files import refuse_edit

    refuse_edit(whole, None if data is None else data.decode("utf-8", "surrogateescape"))
    if data is not None:
        whole = _merged(work, whole, data, is_part)
    work.refuse_placeholders(whole.path, whole.text, data or b"")
    if data is None:
        work.sections.append(AddFile(whole.path, whole.text, whole.line))
        work.now[whole.path] = EditedText(whole.text.encode("utf-8", "surrogateescape"))
        return
    encoding = work.codec_of(path, data) if is_unicode(whole.text) else (None, True)
    made = whole_bytes(whole.text, data, encoding)
    if made == data:
        work.notes.append(_unchanged(whole.path, whole.line, "a file that is the same"))
    else:
        as_bytes = not is_unicode(whole.text) or encoding[0] is not None
        work.leave(whole.path, work.now.setdefault(whole.path, EditedText(data)), made, whole.line, as_bytes)


def _merged(work: _Work, whole: WholeFile, data: bytes, is_part: bool) -> WholeFile:
    """The file with the lines that placeholders replace; raises for a part of a file that has no certain place."""
    from patchkit.formats.snippets import NoPlaceError, merged
    from patchkit.guards.placeholders import placeholder

    codec = work.codec_of(whole.path, data)[0]
    old = data.decode(codec, "replace") if codec else data.decode("utf-8", "surrogateescape")
    found = "" if work.options.strict or work.options.allow_placeholder else placeholder(whole.text, old)
    if not found and not is_part:
        return whole
    work.limits.merge(whole.path, old.count("\n"))
    try:
        text = merged(whole.text, old)
        if is_part and text == old != whole.text:
            raise NoPlaceError(0, "the file has all of it as it is, and nothing would change")
    except NoPlaceError as error:
        if not is_part:
            return whole  # and refused by its placeholder
        row, lines = error.row, whole.text.split("\n")
        raise PatchkitError(
            "P127", file=whole.path, found=lines[row].strip(), reason=error.reason, patch_line=whole.line + row + 1
        ) from None
    if not is_part:
        work.notes.append(Note("P981", file=whole.path, found=found, patch_line=whole.line))
    return WholeFile(whole.path, text, whole.line)


def gives(hunks: list[Hunk], before: bytes, after: bytes, reread: bool = False, back: bool = False) -> bool:
    """Whether hunks turn one content into the other, by exact text alone; `reread`, also written and read again."""
    files, patch = MemoryFiles({"file": before}), Patch([UpdateFile("file", None, hunks)])
    try:
        options = Options(max_pass="exact", lost_anchors=False, reverse=back)
        plan(parse(write_bare(patch), strict=True) if reread else patch, files, options).commit()
    except PatchkitError:
        return False
    return files.content["file"] == after


def wide_codec(data: bytes) -> str | None:
    """UTF-16 or UTF-32, where a mark says so and the content is text in it; None for any other."""
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff", b"\0\0"):
        return None
    codec = Document(data).codec
    try:
        data.decode(codec or "ascii")
    except UnicodeError:
        return None
    return codec


def whole_bytes(text: str, before: bytes, encoding: tuple[str | None, bool] = (None, True)) -> bytes:
    """The bytes of a file that is written anew, in the encoding and with the line endings that it had.

    Raises where a character needs an encoding that is not certain.
    """
    codec, certain = encoding
    document = Document(before, codec if certain else None)
    if document.endings == "crlf" and "\r\n" not in text:
        text = text.replace("\n", "\r\n")
    if document.bom:
        text = text.removeprefix("\ufeff")  # which the file keeps in any case
    if codec:
        now = EditedText(b"")
        now.read_in(codec, certain)
        now.refuse_doubtful(text)
        now.put(text)
        return now.data
    return b"".join(document.file_bytes([text.encode("utf-8", "surrogateescape")]))


class LinesOfEdit(Record):
    """The hunk of an edit, where the lines are that it changes, and what becomes of them."""

    hunk: Hunk
    start: int
    stop: int
    after: str


def hunk_around(text: str, at: int, old: str, new: str, line: int) -> LinesOfEdit | None:
    """The hunk of the lines that a piece of text is in, which is at one place; None where only a comparison says it."""
    start, stop = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(old) - old.endswith("\n")) + 1
    after = text[start:at] + new + text[at + len(old) : stop]
    if not stop or (after and not after.endswith("\n")) or old == new or text[:1] == "\ufeff":
        return None
    search, replace = text[start : stop - 1].split("\n"), after.split("\n")[:-1]
    from patchkit.diffs.unique_hunks import hunk_of_texts

    return LinesOfEdit(hunk_of_texts(search, replace, line), start, stop, after)


def block_hunk(block: Block) -> Hunk:
    from patchkit.diffs.unique_hunks import hunk_of_texts

    return hunk_of_texts(block.search, block.replace, block.line, block.hint)


class BlockPlaces:
    """The lines of a file, and at which of them each text is."""

    def __init__(self, data: bytes, asked: Iterable[str] = ()) -> None:
        """`asked` are the lines that will be looked for, where they are known."""
        self.data = data
        self._asked = asked
        self._searches = 0

    @cached_property
    def _views(self) -> Views:
        return Views(Document(self.data).texts, self._asked)

    @cached_property
    def _with_line_feeds(self) -> bytes:
        return self.data.replace(b"\r\n", b"\n") if b"\r" in self.data else self.data

    def bare_places(self, bare: list[str]) -> list[int]:
        """Where lines are that have no whitespace around them, but for that."""
        return self._views.by(PASSES[-1]).occurrences(bare)

    def has(self, lines: list[str]) -> bool:
        """Whether the lines are there, but for the whitespace around them."""
        self._searches += 1
        if self._searches <= _FEW:
            data, text = self._with_line_feeds, "\n".join(["", *lines, ""]).encode("utf-8", "surrogateescape")
            if text in data or data.startswith(text[1:]) or data.endswith(text[:-1]) or data == text[1:-1]:
                return True  # as most are
        return bool(self.bare_places(PASSES[-1].lines(lines)))

    def only(self, lines: list[str]) -> int | None:
        """The row of the lines, from 0, if they are there, just as they are, at one place; else None."""
        found = self._views.by(PASSES[0]).occurrences(lines)
        return found[0] if len(found) == 1 else None

    def has_twice(self, lines: list[str]) -> bool:
        """Whether the lines are at more than one place."""
        return len(self.bare_places(PASSES[-1].lines(lines))) > 1


class EditedText:
    """A content that changes; of its four forms at least one is up to date."""

    def __init__(self, data: bytes) -> None:
        self.codec: str | None = None  # of a file that is not UTF-8
        self.certain = True  # whether that is known
        self._data: bytes | None = data
        self._text: str | None = None
        self._lines: list[str] | None = None  # what is between line feeds
        from patchkit.formats.indexed_text import IndexedText

        self._indexed = IndexedText("")  # with LF where all lines end with CRLF
        self._is_indexed = False
        self._is_crlf = self._is_utf8 = self._is_mixed = False
        self._has_nul: bool | None = None
        # Of the last edit, where that left lines: its section, and where what it left begins and ends. What is above
        # that end is a text of its own, and what is below it is still that of another text, from some place on.
        self.lowest: UpdateFile | None = None
        self.begin = self.end = 0
        self._above = ""
        self._below: tuple[str, int] | None = None

    @property
    def has_nul(self) -> bool:
        """Asked once: a text with other than Latin letters takes long to look through for it."""
        if self._has_nul is None:
            self._has_nul = b"\0" in self.data
        return self._has_nul

    @property
    def data(self) -> bytes:
        if self._data is None:
            self._data = self._encoded(self.text)
        return self._data

    def _encoded(self, text: str) -> bytes:
        if self.codec is None:
            return text.encode("utf-8", "surrogateescape")
        try:
            return text.encode(self.codec)
        except UnicodeEncodeError as error:
            char = error.object[error.start]
            raise PatchkitError("P210", encoding=self.codec, what=f"the character '{char}'") from None

    def refuse_doubtful(self, new: str) -> None:
        """Raises for text that is to be written in an encoding that is only the likeliest one."""
        if not self.certain and not new.isascii():
            raise PatchkitError("P215", encodings=f"perhaps {self.codec}" if self.codec else "none fits")

    @property
    def text(self) -> str:
        if self._text is None:
            if self._lines is not None:
                self._text = "\n".join(self._lines)
            elif self._below is not None:
                text, start = self._below
                self._text = self._above + text[start:]
            elif self._is_indexed:
                whole = self._indexed.whole
                self._text = whole.replace("\n", "\r\n") if self._is_crlf else whole
            else:
                data = self._data or b""
                self._text = data.decode(self.codec) if self.codec else data.decode("utf-8", "surrogateescape")
        return self._text

    def read_by_mark(self) -> None:
        """Reads a content with the mark of UTF-16 or UTF-32 in that: its letters are not those of its bytes."""
        codec = wide_codec(self._data) if self.codec is None and self._data is not None else None  # no edit brings one
        if codec is not None:
            self.read_in(codec, True)

    def read_in(self, codec: str | None, certain: bool) -> None:
        """Reads the content in an encoding from now on."""
        if (codec, certain) != (self.codec, self.certain):
            self.put_data(self.data)
            self.codec, self.certain = codec, certain

    def put(self, text: str, nul: bool | None = None) -> None:
        """Leaves another text; `nul` says whether it brings a NUL, where that is known."""
        self._text, self._is_indexed = text, False
        self._data = self._lines = self._below = self.lowest = None
        self._has_nul = None if nul is None else nul or self._has_nul

    @property
    def below(self) -> int:
        """Where the lines below the last edit begin in the text that they are of."""
        return self._below[1] if self._below is not None else 0

    def put_lines(self, text: str, edit: LinesOfEdit, section: UpdateFile | None, nul: bool) -> None:
        """Leaves a text with the lines that an edit makes of its lines."""
        self.put(text, nul)
        self._above, self._below = "", (text, 0)
        self.put_lines_below(edit, section)

    def only_below(self, piece: str) -> tuple[str, int] | None:
        """The one place of a piece, in whole lines below the last edit: a text, and where in it; None if it is not."""
        if self._below is None or self.codec is not None or self._has_nul is not False:
            return None
        text, start = self._below
        at, reach = text.find(piece, start), len(piece) - 1
        if at < 0 or text.find(piece, at + 1) >= 0 or piece in self._above:
            return None
        across = self._above[-reach:] + text[start : start + reach] if reach else ""
        return None if piece in across else (text, at)

    def put_lines_below(self, edit: LinesOfEdit, section: UpdateFile | None) -> None:
        """Leaves what an edit makes of lines below the last one."""
        text, start = self._below or ("", 0)
        above, self._above = self._above, ""  # what nothing else holds grows in place
        above += text[start : edit.start] + edit.after
        self.begin, self.end = len(above) - len(edit.after), len(above)
        self._above, self._below, self.lowest = above, (text, edit.stop), section
        self._text = self._data = None

    def put_data(self, data: bytes) -> None:
        self._data, self._is_indexed = data, False
        self._text = self._lines = self._has_nul = self._below = self.lowest = None

    def has_one_of_many(self, piece: str) -> bool:
        """Whether the piece of one of many edits is known to be there."""
        found = self._for_index(piece)
        return found is not None and self._indexed.has(found[0])

    def replace_one_of_many(self, old: str, new: str) -> bool:
        """Makes one of many edits, whose piece is there once; False where it takes more to know."""
        found = self._for_index(old, new)
        if found is None or not self._indexed.replace(found[0], found[1]):
            return False
        self._text = self._data = self._lines = self._has_nul = self._below = self.lowest = None
        return True

    def around(self, piece: str) -> LinesAround | None:
        """The lines around the one place of whole lines, but for the space around each, of one of many edits."""
        found = self._for_index(piece)
        return self._indexed.around(found[0]) if found is not None else None

    def content_of(self, stretch: LinesAround) -> bytes:
        text = stretch.text.replace("\n", "\r\n") if self._is_crlf else stretch.text
        return text.encode("utf-8", "surrogateescape")

    def put_around(self, stretch: LinesAround, data: bytes) -> bool:
        """Puts what an edit made of a stretch in its place; False where that is known of the whole text only."""
        text = data.decode("utf-8", "surrogateescape")
        text = text.replace("\r\n", "\n") if self._is_crlf else text
        if "\r" in text or not self._indexed.put_around(stretch, text):
            return False
        self._text = self._data = self._lines = self._has_nul = self._below = self.lowest = None
        return True

    @property
    def is_never_indexed(self) -> bool:
        return self.codec is not None or self._is_mixed

    def _for_index(self, *pieces: str) -> list[str] | None:
        """The pieces of an edit as the index has them; None where bytes, encodings or line ends have a say in it."""
        if self.is_never_indexed:
            return None
        if not self._is_indexed:
            text = self.text
            returns = text.count("\r")
            if returns and not returns == text.count("\n") == text.count("\r\n"):
                self._is_mixed = True  # as it is after most edits
                return None
            self._indexed.put(text.replace("\r\n", "\n") if returns else text)
            self._is_indexed, self._is_crlf = True, returns > 0
            from patchkit.diffs.unique_hunks import is_unicode

            self._is_utf8 = not text.isascii() and is_unicode(text)
        found = [piece.replace("\r\n", "\n") for piece in pieces] if self._is_crlf else [*pieces]
        joined = "".join(found)
        return None if "\r" in joined or not (self._is_utf8 or joined.isascii()) else found

    def insert(self, edit: TextEdit) -> None:
        """Puts new lines below the line that an editor's insert names; raises P122 where there is no such line."""
        if self._lines is None:
            self._lines = self.text.split("\n")
            self._is_crlf = "\r\n" in self.text
        lines, after = self._lines, edit.after
        if after is None or not 0 <= after <= len(lines) - (not lines[-1]):
            reason = f"'{edit.path}' has no line {after}"
            raise PatchkitError("P122", format="JSON edits", reason=reason, instead="name a line of the file")
        self.refuse_doubtful(edit.new)
        self._is_indexed = False
        new = edit.new.removesuffix("\n").split("\n")
        lines[after:after] = [line.removesuffix("\r") + "\r" for line in new] if self._is_crlf else new
        self._text = self._data = self._has_nul = self._below = self.lowest = None


MOST_SEARCHED = 3_000_000_000  # characters that edits are looked for in, a second or two
REPLACED = 20  # characters searched, which one of many places costs as much as
NOT_INDEXED = 8  # times that all of a file is looked at for each of many edits, where it has no index
USUAL = 40  # characters of a line
MOST_PLACED = 600_000  # lines of files in which edits are placed by their lines
REFUSED = 4  # times as much for a file in which one was refused: every place is looked at
MOST_COPIED = 256 << 20  # characters that copies of files may add
MOST_MADE = 16 << 20  # and edits of every place, each of which may make places for the next


class EditLimits(Record):
    """What the edits of one text have cost, so that a small text does not keep a machine busy or fill its memory.

    Sizes are counted in characters and not in time, so that the answer never varies. An edit sees what those before it
    left: each is looked for in the whole file again. P117 says the way that does not cost as much.
    """

    exceeded: bool = False
    _spent: dict[str, int] = {}

    @property
    def searched(self) -> int:
        return self._spent.get("searched", 0)

    def search(self, path: str, size: int) -> None:
        """Counts a search of a text of this size."""
        reason = f"there are too many edits for the size of '{path}'"
        self._count("searched", size, MOST_SEARCHED, path, reason, "send blocks or a diff, or fewer edits")

    def place(self, path: str, lines: int) -> None:
        """Counts an edit that is not in the file letter by letter, and is placed by its lines."""
        reason = f"too many edits have another text than '{path}'"
        instead = "copy the old texts from the file, or send blocks or a diff"
        self._count("placed", lines, MOST_PLACED, path, reason, instead)

    def merge(self, path: str, lines: int) -> None:
        """Counts a part of a file that is merged into all of it."""
        reason = f"too many parts of '{path}' come one by one"
        self._count("placed", lines, MOST_PLACED, path, reason, "send them as one part, with a comment between two")

    def copy(self, path: str, size: int) -> None:
        reason = f"it copies more than {MOST_COPIED >> 20} MB, up to '{path}'"
        self._count("copied", size, MOST_COPIED, path, reason, "send it in parts")

    def make(self, path: str, size: int) -> None:
        """Counts what an edit of every place adds."""
        reason = f"it adds more than {MOST_MADE >> 20} MB, up to '{path}'"
        self._count("made", max(size, 0), MOST_MADE, path, reason, "send it in parts")

    def _count(self, what: str, size: int, most: int, path: str, reason: str, instead: str) -> None:
        self._spent[what] = self._spent.get(what, 0) + size
        if self._spent[what] > most:
            self.exceeded = True
            raise PatchkitError("P117", file=path, reason=reason, instead=instead)
