"""Write changes in an edit format, and prove that they say what they should.

Takes files before and after; gives a text in one of the formats. It is read back and planned on the old files, and what
does not give the new ones is refused. Without files, `blind` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping

from patchkit.applying import name_format, planned_as_meant, read_patch
from patchkit.core.changes import Files, Options, Plan
from patchkit.core.changes.planner import plan
from patchkit.core.language import DeleteFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.core.language.parser import parse
from patchkit.core.text import is_utf8
from patchkit.diffs.diff import mode_of, os_bytes, unified
from patchkit.diffs.unique_hunks import is_binary
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.formats.edit_writer import EditWriter, sections_of, write_blind
from patchkit.formats.foreign import resolved_patch, sayable, whole_bytes
from patchkit.formats.making import ROUNDS, Repeats, make_patch, repeated
from patchkit.formats.model import TITLES, Foreign, ForeignOp, Unsayable, WholeFile, shell_word
from patchkit.formats.reading import AUTO, read_format
from patchkit.formats.special_files import LINK, GitAdd, GitUpdate
from patchkit.formats.whole_files import refuse_edit
from patchkit.sources import MemoryFiles
from patchkit.values import Record
from patchkit.writer import write_bare

Tree = dict[str, bytes]
_MOST_LEFT = 50  # files that are found one by one to be unsayable


class Converted(Record):
    """A text in a format, with notes about what it does not say."""

    text: bytes
    notes: list[Note]


def convert(text: str, files: Files | None, target: str, options: Options, portable: bool = False) -> Converted:
    """Returns a text in one edit format as a text in another: planned on the files, and proved, if there are any.

    Nothing is written, so what looks like a slip may stay in the text: it is doubted when that is applied.
    """
    if files is None:
        foreign = read_format(text, options.source or AUTO, options.strict, options.strip)
        foreign.sections = [each for op in foreign.sections for each in _said(op)]
        if options.skip_unsupported:
            foreign.notes += [each.note() for each in foreign.sections if isinstance(each, Unsayable)]
            foreign.sections = [each for each in foreign.sections if not isinstance(each, Unsayable)]
        return Converted(_bytes(write_blind(foreign, target, portable)), foreign.notes)
    options.check = True
    options.sayable_only = True
    patch = read_patch(text, files, options)
    if not patch.sections:
        return Converted(b"", list(patch.notes))
    try:
        made = planned_as_meant(patch, files, options, doubting=False)
    except PatchkitError as error:
        name_format(error, patch, options)
        raise
    converted = write_plan(made, target, portable, options.skip_unsupported)
    converted.notes = [*patch.notes, *made.notes, *converted.notes]
    return converted


def _said(op: ForeignOp) -> list[ForeignOp]:
    """A section as formats can say it, and what they cannot."""
    if not isinstance(op, (GitAdd, GitUpdate)):
        return [op]
    said, left = sayable(op)
    return [*([said] if said is not None else []), *left]


def trees_of(made: Plan) -> tuple[Tree, Tree]:
    """The files that a plan changes, before and after; a link that it takes away is as git shows it, by its target."""
    before: Tree = {}
    after: Tree = {}
    for name, change in made.changes.items():
        if change.before.kind == "file":
            before[name] = change.before.data
        elif change.before.kind == "link":
            before[name] = os_bytes(change.before.target)
        if change.after is not None:
            after[name] = b"".join(change.after)
    return before, after


def write_plan(made: Plan, name: str, portable: bool = False, skip: bool = False) -> Converted:
    """Returns what a plan changes as a text in the format `name`; a unified diff has the modes of the files, too."""
    sections = sections_of(made) if name != "unified" and not portable else None
    if name == "v4a" and sections is not None:
        text = _bytes(write_bare(Patch(sections))) if sections else b""
        if not text or _is_proved(text, sections, made):
            return Converted(text, [])
    before, after = trees_of(made)
    if name == "unified" and not any(map(is_binary, after.values())):
        text = unified(made)
        if text:
            _prove(text, name, before, after)
        return Converted(text, [])
    # A new file would be written through the link.
    links = [path for path, change in made.changes.items() if change.before.kind == "link" and path in after]
    what = "the symbolic link '{}', which becomes a file"
    left = [Unsayable(path, what.format(path), f"rm {shell_word(path)}") for path in links]
    if left and not skip:
        raise_all([each.error() for each in left])
    for each in left:
        del before[each.path], after[each.path]
    updates = [each for each in sections or () if isinstance(each, UpdateFile) and not each.move_to]
    known = {each.path: each.hunks for each in updates}
    converted = write_changes(before, after, name, portable, skip, known)
    converted.notes += [each.note() for each in left]
    converted.notes += _renames(made, converted.text) if name in ("openai-ops", "v4a") else []
    return converted


def _renames(made: Plan, text: bytes) -> list[Note]:
    """What is lost where a text has a rename as a deletion and a new file."""
    notes = []
    said = {line for line in text.split(b"\n") if line.startswith(b"*** Move to: ")}
    for section in made.sections:
        is_said = os_bytes(f"*** Move to: {section.name}") in said
        if section.letter == "M" and section.name != section.source and not is_said:
            runs = mode_of(made.changes[section.source].before) == "100755"
            mode = f"; its mode is lost: run 'chmod +x {shell_word(section.name)}' afterwards" if runs else ""
            notes.append(Note("P976", change="rename", file=section.source, target=section.name, mode=mode))
    return notes


def _is_proved(text: bytes, sections: list[FileOp], made: Plan) -> bool:
    """Whether a text gives the sections again, and the exact pass alone applies them."""
    try:
        words = text.decode("utf-8", "surrogateescape")
        if parse(words, True).sections != sections:
            return False
        if b"\r" in text and parse(words).sections != sections:
            return False  # a CR at the end of a line is left out by leniences
        before, after = trees_of(made)
        files = MemoryFiles(before)
        again = plan(Patch(sections), files, Options(max_pass="exact", lost_anchors=False))
        if repeated(again):
            return False
        again.commit()
    except PatchkitError:
        return False
    return files.content == after


def write_changes(
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    name: str,
    portable: bool = False,
    skip: bool = False,
    known: Mapping[str, list[Hunk]] | None = None,
) -> Converted:
    """Returns the changes between two trees as a text in the format `name`; raises P112 for what that cannot say.

    With `skip` the files that it cannot say are left out, and notes name them. `known` are hunks of files, by path,
    that need not be worked out by comparing.
    """
    left: list[Note] = []
    while True:
        try:
            converted = _written(before, after, name, portable, skip, known)
        except PatchkitError as error:
            faults = {each.file: each.facts for each in error.errors if each.code == "P112" and each.file is not None}
            if (
                not skip
                or len(faults) < len(error.errors)
                or not {*faults} <= {*before, *after}
                or len(left) > _MOST_LEFT
            ):
                raise
            for path, facts in faults.items():
                left.append(Note("P983", file=path, what=facts["what"], command=facts["instead"]))
            before = {path: data for path, data in before.items() if path not in faults}
            after = {path: data for path, data in after.items() if path not in faults}
        else:
            converted.notes = left + converted.notes
            return converted


def _written(
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    name: str,
    portable: bool,
    skip: bool,
    known: Mapping[str, list[Hunk]] | None,
) -> Converted:
    """The changes in the format; raises P112 for what that cannot say, if it is not found before they are written."""
    if name == "v4a":
        patch = make_patch(before, after, portable)
        return Converted(_bytes(write_bare(patch)) if patch.sections else b"", patch.notes)
    if name == "unified":
        patch = make_patch(before, after)
        if not patch.sections:
            return Converted(b"", [])
        text = unified(plan(patch, MemoryFiles(dict(before)), Options(max_pass="exact")))
        _prove(text, name, before, after)
        return Converted(text, [])
    repeats = Repeats()
    for _ in range(ROUNDS):
        writer = EditWriter(before, after, name, known or {}, repeats)
        text, notes = writer.written(skip)
        kept = {path: after[path] for path in after if path not in writer.left_out}
        kept.update({path: before[path] for path in writer.left_out if path in before})
        found = _prove(text, name, before, kept) if text else {}
        if not repeats.learn(found, before, name == "openai-ops"):
            break
    if not repeats.replaced.isdisjoint(found):  # in vain
        repeats.replaced -= {*found}
        text, notes = writer.written(skip)
        _prove(text, name, before, kept)
    return Converted(text, notes)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _prove(text: bytes, name: str, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, set[int]]:
    """Reads the text back and plans it on the old files: what does not give the new ones is refused.

    Gives the lines by file, from 0, that it seems to add a second time and does not show.
    """
    content = dict(before)
    files = MemoryFiles(content)
    options = Options(max_pass="exact", lost_anchors=False, overwrite=True, allow_placeholder=True)
    found: dict[str, set[int]] = {}
    try:
        foreign = read_format(text.decode("utf-8", "surrogateescape"), name)
        for each in foreign.sections:
            if _is_link(foreign, each):
                content.pop(each.path, None)
        foreign.sections = [each for each in foreign.sections if not _is_link(foreign, each)]  # nothing to place
        wholes = [each for each in foreign.sections if isinstance(each, WholeFile)]
        placed = foreign.unsure or not all(_is_plain(each.text, content.get(each.path)) for each in wholes)
        if len(wholes) == len(foreign.sections) and not placed:  # nothing has to be placed
            for each in wholes:
                old = content.get(each.path)
                refuse_edit(each, None if old is None else old.decode("utf-8", "surrogateescape"))
                content[each.path] = _bytes(each.text) if old is None else whole_bytes(each.text, old)
        else:
            patch = resolved_patch(foreign, files, options)
            if patch.sections:
                made = plan(patch, files, options)
                found = repeated(made)
                made.commit()
    except PatchkitError as error:
        raise _unsaid(error.file or "the files", name) from None
    for path in sorted({*content, *after}):
        if content.get(path) != after.get(path):
            raise _unsaid(path, name)
    return found


def _is_link(foreign: Foreign, op: ForeignOp) -> bool:
    """Whether a section deletes a link."""
    gone = foreign.deleted.get((op.path, op.line)) if isinstance(op, DeleteFile) else None
    return isinstance(gone, GitAdd) and gone.mode == LINK


def _is_plain(text: str, old: bytes | None) -> bool:
    """Whether a whole file is written as it is: without characters that another encoding would write otherwise."""
    return old is None or text.isascii() or (not old.isascii() and is_utf8(old))


def _unsaid(path: str, name: str) -> PatchkitError:
    what = f"what changes in '{path}', in {TITLES[name]}"
    return PatchkitError("P112", file=path, what=what, instead="write it with '--to v4a' or '--to unified'")
