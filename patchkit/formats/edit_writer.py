"""Write the changes of two trees in a format of edits: blocks, JSON edits, operations or whole files.

Takes files before and after, and hunks of them that are known; gives the text. What the format cannot say is refused,
or left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from patchkit.core.changes import Plan, Section
from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.core.language.parser import parse
from patchkit.core.matching import Match
from patchkit.core.text import Document, is_utf8
from patchkit.diffs.compare import Span, compared
from patchkit.diffs.unique_hunks import are_alone, are_read_as_bytes, hunks_between, is_binary, is_unicode
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.formats.blocks import may_be_marker, write_blocks
from patchkit.formats.foreign import block_hunk
from patchkit.formats.indexed_text import IndexedText
from patchkit.formats.json_edits import write_json_edits, write_operations
from patchkit.formats.making import Repeats, leave_final_newlines
from patchkit.formats.model import (
    SAME,
    TITLES,
    Block,
    CopyFile,
    Foreign,
    TextEdit,
    Unsayable,
    WholeFile,
    shell_word,
    without_guesses,
)
from patchkit.formats.paths import is_spaced, is_word, line_of, maybe_named_by, named_by
from patchkit.formats.snippets import NoPlaceError, merged
from patchkit.formats.unified import NOT_ENDED
from patchkit.formats.whole_files import write_whole_files
from patchkit.guards import may_leave_out
from patchkit.guards.placeholders import placeholder
from patchkit.values import Record
from patchkit.writer import header, write, write_bare

# What a plan does as the sections of a patch for the same files, taken from the plan and not from comparing them.
#
# Takes a Plan; gives sections whose hunks have the lines that those of the plan have, as the files have them. Hunks
# that are not alone in the old and in the new file, and whatever else is not plain, are made by comparing.


def sections_of(made: Plan) -> list[FileOp] | None:
    """The sections that say what a plan does, in its order; None where only the files before and after say it."""
    found: list[FileOp] = []
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
        if any(name in made.changes and made.changes[name].changed for name in names):
            op = _op_of(made, section, after)
            if op is None:
                return None
            found.append(op)
    return found


def _op_of(made: Plan, section: Section, after: bytes) -> FileOp | None:
    """What a section does; None if it is not plain."""
    change = made.changes[section.name]
    before = made.changes[section.source].before
    if section.letter == "D":
        return DeleteFile(section.name) if before.kind in ("file", "link") else None
    if section.letter == "A":
        text = after.decode("utf-8", "surrogateescape")
        return AddFile(section.name, text) if before.kind == "missing" else None
    moved = section.name if section.name != section.source else None
    if before.kind != "file" or (moved and change.before.kind != "missing"):
        return None
    if after == before.data:
        return UpdateFile(section.source, moved)
    if is_binary(before.data):
        return None
    return UpdateFile(
        section.source, moved, _hunks_of(section, after) or hunks_between(section.name, before.data, after)
    )


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
    hunks = [Hunk([], match.lines) for match in sorted(matches, key=lambda match: match.offset)]
    return hunks if are_alone(hunks, document, new) and are_read_as_bytes(document, new, hunks) else None


_MARK = "\ufeff"


class EditWriter(Record):
    """The changes of two trees on their way to a text."""

    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    name: str
    known: Mapping[str, list[Hunk]]
    repeats: Repeats  # what the text seems to repeat
    left_out: set[str] = set()  # files that it does not say

    @cached_property
    def as_json(self) -> bool:
        """Whether whole files need strings: a fence says not every name, no CR, and no missing final newline."""
        if self.name != "whole-file":
            return False
        changed = [
            (path, new) for path, new in self.after.items() if self.before.get(path) != new and not is_binary(new)
        ]
        if not all(is_unicode(path + new.decode("utf-8", "surrogateescape")) for path, new in changed):
            return False
        return any(not self._is_for_a_fence(path, new) for path, new in changed)

    def _is_for_a_fence(self, path: str, new: bytes) -> bool:
        old = self.before.get(path)
        if new[-1:] not in (b"\n", b"") or (b"\r" in new and (old is None or Document(old).endings != "crlf")):
            return False
        return _is_named(path, old)

    def written(self, skip: bool) -> tuple[bytes, list[Note]]:
        unsayable: list[Unsayable] = []
        changed: list[tuple[str, bytes | None, bytes | None]] = []
        for path in sorted({*self.before, *self.after}, key=lambda each: (each in self.after, each)):
            old, new = self.before.get(path), self.after.get(path)
            if old == new:
                continue
            fault = self._fault(path, old, new)
            if fault is not None:
                unsayable.append(fault)
                self.left_out.add(path)
            else:
                changed.append((path, old, new))
        if unsayable and not skip:
            raise_all([each.error() for each in unsayable])
        text = self._text(changed) if changed else ""
        return text.encode("utf-8", "surrogateescape"), [each.note() for each in unsayable]

    def _text(self, changed: list[tuple[str, bytes | None, bytes | None]]) -> str:
        if self.name == "openai-ops":
            return write_operations(Patch([self._section(*each) for each in changed]))
        if self.name == "whole-file":
            files = [WholeFile(path, (new or b"").decode("utf-8", "surrogateescape")) for path, _, new in changed]
            return write_json_edits([*files]) if self.as_json else write_whole_files(files)
        if self.name == "json-edits":
            return write_json_edits([edit for path, old, new in changed for edit in self._edits(path, old, new or b"")])
        return write_blocks([block for path, old, new in changed for block in self._blocks(path, old, new or b"")])

    def _fault(self, path: str, old: bytes | None, new: bytes | None) -> Unsayable | None:
        """What the format cannot say about a file, with the command that does it."""
        if new is None:
            if self.name == "openai-ops":
                return None
            return Unsayable(path, f"the deletion of '{path}', in {TITLES[self.name]}", f"rm {shell_word(path)}")
        if old is None and path != path.strip():
            what = f"whitespace at the ends of the name '{path}', in {TITLES[self.name]}"
            return Unsayable(path, what, "patchkit convert --to unified")
        if is_binary(new) or (old is not None and is_binary(old)):
            return Unsayable(path, f"the binary content of '{path}'", f"cp NEW {shell_word(path)}")
        if self.name == "openai-ops":
            return None
        if self.name != "json-edits" and not self.as_json and not _is_named(path, old):
            return Unsayable(path, f"the name '{path}', in {TITLES[self.name]}", "patchkit convert --to v4a")
        ended, was = new[-1:] in (b"\n", b""), old is not None and old[-1:] in (b"\n", b"")
        if self.name == "whole-file" and old is not None and _is_filled(old, new):
            what = f"a line of '{path}' that would be read as lines left out, in whole files"
            return Unsayable(path, what, "patchkit convert --to v4a")
        if self.name == "whole-file" and not ended and not self.as_json:
            return Unsayable(path, f"the missing final newline of '{path}'", "patchkit convert --to v4a")
        if self.name == "search-replace" and (not ended if old is None else ended != was):
            return Unsayable(path, f"the final newline of '{path}'", "patchkit convert --to v4a")
        return None

    def _section(self, path: str, old: bytes | None, new: bytes | None) -> FileOp:
        if new is None:
            return DeleteFile(path)
        if old is None:
            return AddFile(path, new.decode("utf-8", "surrogateescape"))
        return UpdateFile(path, None, self._taken(path) or self._made(path, old, new))

    def _blocks(self, path: str, old: bytes | None, new: bytes) -> list[Block]:
        if old is None:
            return [Block(path, [], new.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")[:-1])]
        if old.strip():
            hunks = self._unanchored(path)
            if hunks is None or not all(any(map(str.strip, hunk.old())) for hunk in hunks):
                hunks = self._made(path, old, new, anchored=False)
            return [Block(path, hunk.old(), hunk.new()) for hunk in hunks]
        what = f"a change of '{path}', which has nothing but blank lines, in {TITLES['search-replace']}"
        raise PatchkitError("P112", file=path, what=what, instead="write it with '--to v4a'")

    def _edits(self, path: str, old: bytes | None, new: bytes) -> list[TextEdit | WholeFile]:
        if old is not None:
            edits = text_edits(path, old, new)
            if edits is not None:
                return [*edits]
        text, was = ((data or b"").decode("utf-8", "surrogateescape") for data in (new, old))
        if was and (was[:1] == _MARK) != (text[:1] == _MARK):
            return [TextEdit(path, was, text)]  # a whole file keeps the mark that it has
        return [WholeFile(path, text)]

    def _made(self, path: str, old: bytes, new: bytes, anchored: bool = True) -> list[Hunk]:
        pins = self.repeats.pins.get(path, ())
        blocks = self.name == "search-replace"
        unshown = None if not blocks and is_utf8(old) else self._is_unshown
        one = unshown is None and path in self.repeats.replaced
        return hunks_between(
            path, old, new, anchored=anchored, pins=pins, blocks=blocks, one=one, unshown=unshown, as_bytes=blocks
        )

    def _is_unshown(self, line: str) -> bool:
        """Whether the format cannot show a line of a file."""
        return may_be_marker(line) if self.name == "search-replace" else not is_unicode(line)

    def _unanchored(self, path: str) -> list[Hunk] | None:
        """The known hunks of a file, if none needs an anchor, and each changes something."""
        hunks = self._taken(path)
        plain = hunks and not any(hunk.anchors or hunk.old() == hunk.new() for hunk in hunks)
        return hunks if plain else None

    def _taken(self, path: str) -> list[Hunk] | None:
        """The known hunks of a file, if the format can show all their lines: others may have less context."""
        hunks = self.known.get(path) if path not in self.repeats.pins else None
        return None if any(self._is_unshown(line[1:]) for hunk in hunks or () for line in hunk.lines) else hunks


def _is_filled(old: bytes, new: bytes) -> bool:
    """Whether a whole file has a line that a reader would replace by lines of the old one."""
    if not may_leave_out(new):
        return False
    text, was = (data.decode("utf-8", "surrogateescape") for data in (new, old))
    try:
        return bool(placeholder(text, was) and merged(text, was))
    except NoPlaceError:
        return False


def _is_named(path: str, old: bytes | None) -> bool:
    """Whether a line can name a file above a fence or a block; more can if there is such a file."""
    line = line_of(path)
    return named_by(line) == path or (old is not None and maybe_named_by(line) == path)


_TRIES = ((True, False), (True, True), (False, False), (False, True))  # whether with care, and whether backwards
_RAW = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, as they are decoded


_Change = tuple[list[str], list[str], Span]  # the lines of a piece before and after, and which of them change


def text_edits(path: str, old: bytes, new: bytes) -> list[TextEdit] | None:
    """Returns the edits of a file, of the pieces between bytes that are not UTF-8; None if those bytes do not stay."""
    before, after = (data.decode("utf-8", "surrogateescape") for data in (old, new))
    if _RAW.findall(before) != _RAW.findall(after):
        return None
    changes: list[_Change] = []
    for piece, put in zip(_RAW.split(before), _RAW.split(after)):
        lines, others = _lines(piece), _lines(put)
        changes += [(lines, others, span) for span in compared(lines, others)]
    # What one edit writes may be like what another looks for, and like what is there: the other order, or less care,
    # may do. The text is proved in any case.
    found = (_one_by_one(path, before, changes, careful, backwards) for careful, backwards in _TRIES)
    return next((edits for edits in found if edits is not None), None)


def _one_by_one(
    path: str, before: str, changes: list[_Change], careful: bool, backwards: bool
) -> list[TextEdit] | None:
    """An edit for each change, each of which is found at one place of what those before it leave; None without one."""
    found: list[TextEdit] = []
    text = IndexedText(before)
    for old, new, (a, b, c, d) in changes[::-1] if backwards else changes:
        above, below, first, last = (old, new, a, d) if backwards else (new, old, c, b)
        for size in _sizes(len(old) + len(new)):
            head, tail = "".join(above[max(0, first - size) : first]), "".join(below[last : last + size])
            edit = TextEdit(path, "".join([head, *old[a:b], tail]), "".join([head, *new[c:d], tail]))
            is_made = careful and edit.new not in edit.old and text.has(edit.new)
            if not is_made and text.replace(edit.old, edit.new):
                break
        else:
            return None
        found.append(edit)
    return found


def _lines(text: str) -> list[str]:
    """The lines of a text, with their line feeds."""
    *ended, last = text.split("\n")
    return [*(line + "\n" for line in ended), last]


def _sizes(most: int) -> Iterator[int]:
    """How many lines of context to try on either side."""
    size = 0
    while size < 2 * most:
        yield size
        size = 2 * size or 1


# Write what a text in one edit format says in another, without any file.
#
# Takes a Foreign; gives the text. The line numbers of a diff stay as hints in our own language, unless it is to be
# `portable`, and formats that need the files are refused.
def write_blind(foreign: Foreign, name: str, portable: bool = False) -> str:
    """Returns a text in the format `name` for what another text says; its notes get those about what is left out."""
    patch = _patch_alone(foreign)
    if name == "v4a":
        for section in patch.sections:  # what the text does not give again cannot be said, such as a CR at a line's end
            if parse(write_bare(Patch([section]))).sections != [section]:
                what = f"what changes in '{section.path}', without the files"
                raise PatchkitError("P112", file=section.path, what=what, instead="apply it with 'git apply FILE'")
        if portable:
            leave_final_newlines(patch)
            foreign.notes += patch.notes
        return write_bare(patch) if portable else write(patch)
    if name == "unified":
        return write_unified_patch(patch)
    if name == "openai-ops":
        for section in patch.sections:
            if isinstance(section, UpdateFile) and section.move_to:
                raise _needs_files(f"the rename of '{section.path}', in {TITLES['openai-ops']},")
        return write_operations(patch)
    blocks = [block for section in patch.sections for block in _blocks_alone(section, name)]
    if name == "search-replace":
        return write_blocks(blocks)
    if name == "json-edits":
        edits = [_edit_alone(block) for block in blocks]
        return write_json_edits(edits)
    if any(block.search for block in blocks):
        raise _needs_files("whole files")
    files = [WholeFile(block.path, "".join(line + "\n" for line in block.replace)) for block in blocks]
    return write_whole_files(files)


def _patch_alone(foreign: Foreign) -> Patch:
    sections: list[FileOp] = []
    errors: list[PatchkitError] = []
    updates: dict[str, UpdateFile] = {}
    named: set[int] = set()  # lines of blocks whose path is not that of the block before
    for each in foreign.sections:
        if isinstance(each, Block) and each.line in foreign.unsure:
            each = _named_alone(each, foreign.unsure[each.line], named)
        if isinstance(each, Block) and not each.path:
            errors.append(PatchkitError("P126", patch_line=each.line))
        elif isinstance(each, Block) and each.doubt is not None:
            errors.append(each.doubt)
        elif isinstance(each, Block) and each.search and each.search == each.replace:
            foreign.note("P929", why="no-change", file=each.path, patch_line=each.line, what=SAME)
        elif isinstance(each, Block) and each.search:
            if each.path not in updates:
                updates[each.path] = UpdateFile(each.path)
                sections.append(updates[each.path])
            updates[each.path].hunks.append(block_hunk(each))
        elif isinstance(each, Block):
            sections.append(AddFile(each.path, "".join(line + "\n" for line in each.replace)))
        elif isinstance(each, Unsayable):
            errors.append(each.error())
        elif isinstance(each, (TextEdit, WholeFile, CopyFile)):
            errors.append(_needs_files(TITLES[foreign.name]))
        else:
            sections.append(each)
    raise_all(errors)
    foreign.notes = without_guesses(foreign.notes, named)
    return Patch(sections)


def _named_alone(block: Block, maybe: str, named: set[int]) -> Block:
    """A block below a line that may be a path: one word is, and of several only the files could say it."""
    if is_word(maybe) or is_spaced(maybe):
        named.add(block.line)
        return block.cut(maybe if is_word(maybe) else "", block.search, block.replace)
    return block


def _needs_files(what: str, path: str | None = None) -> PatchkitError:
    facts = {"file": path} if path is not None else {}
    instead = "leave '--no-files' out, and give '--root DIR'"
    return PatchkitError("P112", **facts, what=f"{what} without the files", instead=instead)


def _blocks_alone(section: FileOp, name: str) -> list[Block]:
    if isinstance(section, AddFile):
        return [Block(section.path, [], section.text.split("\n")[:-1])]
    word = shell_word(section.path)
    if isinstance(section, DeleteFile):
        raise Unsayable(section.path, f"the deletion of '{section.path}', in {TITLES[name]}", f"rm {word}").error()
    if section.move_to:
        command = f"mv {word} {shell_word(section.move_to)}"
        raise Unsayable(section.path, f"the rename of '{section.path}', in {TITLES[name]}", command).error()
    if not all(hunk.old() for hunk in section.hunks):
        raise _needs_files(f"a hunk of '{section.path}' that only adds lines,")
    return [Block(section.path, hunk.old(), hunk.new()) for hunk in section.hunks]


def _edit_alone(block: Block) -> TextEdit | WholeFile:
    if not block.search:
        return WholeFile(block.path, "".join(line + "\n" for line in block.replace))
    return TextEdit(block.path, "\n".join(block.search), "\n".join(block.replace))


def write_unified_patch(patch: Patch) -> str:
    """Returns a unified diff; raises P112 for a hunk whose line number is not known, and for a deleted file."""
    out: list[str] = []
    for section in patch.sections:
        if isinstance(section, DeleteFile):
            raise _needs_files(f"the lines of '{section.path}', which is deleted,", section.path)
        if isinstance(section, AddFile):
            out += [f"--- /dev/null\n+++ b/{section.path}\n", _added(section.text)]
            continue
        if section.move_to:
            out.append(f"diff --git a/{section.path} b/{section.move_to}\n")
            out.append(f"rename from {section.path}\nrename to {section.move_to}\n")
        if section.hunks:
            out.append(f"--- a/{section.path}\n+++ b/{section.move_to or section.path}\n")
        moved = 0
        for hunk in section.hunks:
            if hunk.hint is None:
                raise _needs_files(f"the line number of a hunk of '{section.path}',", section.path)
            out.append(header(hunk, hunk.hint, moved) + "\n")
            moved += len(hunk.new()) - len(hunk.old())
            out += [line + "\n" for line in hunk.lines]
            if hunk.final_newline is False:
                out.append(NOT_ENDED + "\n")
    return "".join(out)


def _added(text: str) -> str:
    lines = text.split("\n")
    last = lines.pop()
    body = "".join(f"+{line}\n" for line in lines)
    count = len(lines) + bool(last)
    return f"@@ -0,0 +1,{count} @@\n{body}" + (f"+{last}\n{NOT_ENDED}\n" if last else "") if count else ""
