"""Make the patch that turns one set of files into another.

Takes two mappings of paths to bytes; gives a Patch with the hunks of `unique_hunks`, and with new, deleted and renamed
files. A patch that adds what the file seems to have already shows that, too. What the language cannot say is an error,
found before files are compared; the patch is planned against the old files before it is given away.
"""

from __future__ import annotations

from collections.abc import Mapping

from patchkit.core.changes import Options, Plan, ancestors
from patchkit.core.changes.planner import plan
from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.core.language.parser import parse
from patchkit.core.text import Document
from patchkit.diffs.unique_hunks import binary_content, hunks_between, is_binary, other_encoding
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.formats.model import ordered, shell_word
from patchkit.guards import doubts
from patchkit.sources import MemoryFiles
from patchkit.values import Record
from patchkit.writer import write_bare

ROUNDS = 16  # in which a section is made again, to show what it seems to repeat


def make_patch(before: Mapping[str, bytes], after: Mapping[str, bytes], portable: bool = False) -> Patch:
    """Returns the patch from `before` to `after`; raises P112 with every file that the language cannot say.

    `portable` writes what other programs for this language accept as well: a hunk in every section that moves a file,
    a line of context on both sides, no anchor twice in a file, and no word about the final newline.
    """
    gone = {path: before[path] for path in sorted(before) if path not in after}
    new = {path: after[path] for path in sorted(after) if path not in before}
    changed = [path for path in sorted(before) if path in after and before[path] != after[path]]
    renames = renames_of(gone, new)
    moved = {new_path: old_path for old_path, new_path in renames}
    binaries: list[PatchkitError] = []
    for path in [*changed, *new]:  # deleting binary content or giving it another name is fine
        old = before.get(moved.get(path, path))
        if old != after[path] and (is_binary(after[path]) or is_binary(before.get(path, b""))):
            binaries.append(binary_content(path))
    raise_all(binaries)
    _refuse_directories(gone, new)
    sections: list[FileOp] = []
    for old_path, new_path in renames:
        hunks = hunks_between(new_path, gone.pop(old_path), new.pop(new_path), portable)
        texts = Document(before[old_path]).texts if not hunks else []
        if texts:  # a hunk that changes nothing: Codex takes no section without one
            hunks = [Hunk([], [" " + next(filter(str.strip, texts), texts[0])])]
        sections.append(UpdateFile(old_path, new_path, hunks))
    for path in changed:
        sections.append(UpdateFile(path, None, hunks_between(path, before[path], after[path], portable)))
    sections += [DeleteFile(path) for path in gone]
    sections += [AddFile(path, data.decode("utf-8", "surrogateescape")) for path, data in new.items()]
    patch = Patch([each for each in ordered([*sections]) if isinstance(each, FileOp)])
    if portable:
        leave_final_newlines(patch)
    if sections:
        _prove(patch, before, after, portable)
    return patch


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


def leave_final_newlines(patch: Patch) -> None:
    """Takes off what the patch says about final newlines; a file whose only change that is keeps it."""
    for section in patch.sections:
        if isinstance(section, AddFile) and section.text and not section.text.endswith("\n"):
            section.text += "\n"
            patch.notes.append(Note("P999", lost="final-newline", file=section.path))
        for hunk in section.hunks if isinstance(section, UpdateFile) else ():
            if hunk.final_newline is not None:
                same = hunk.was_unended and not hunk.final_newline
                hunk.final_newline = None
                hunk.was_unended = False
                if same:
                    continue
                patch.notes.append(Note("P999", lost="final-newline", file=section.path))


def _prove(patch: Patch, before: Mapping[str, bytes], after: Mapping[str, bytes], portable: bool) -> None:
    """Applies the patch in memory by the exact pass alone; what does not come out as it should is refused."""
    files = MemoryFiles(dict(before))
    try:
        _planned(patch, before, after, portable, files).commit()
    except PatchkitError as error:
        raise_all([other_encoding(each) if each.code in ("P210", "P215") else each for each in error.errors])
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
    text = write_bare(patch)
    if "\r" in text:  # which a reader takes for a part of the line's ending
        read = MemoryFiles(dict(before))
        try:
            plan(parse(text), read, Options()).commit()
        except PatchkitError:
            pass  # nothing is as it should be
        for path in after:
            if read.content.get(path) != files.content[path]:
                what = f"lines of '{path}' that end with a CR of their own"
                raise PatchkitError("P112", file=path, what=what, instead="copy the file itself")


def _planned(
    patch: Patch, before: Mapping[str, bytes], after: Mapping[str, bytes], portable: bool, files: MemoryFiles
) -> Plan:
    """The plan of the patch. Sections show what they seem to repeat: else it would be taken for a slip."""
    repeats = Repeats()
    shown: dict[str, list[Hunk]] = {}  # the hunks of files before their lines are replaced
    for _ in range(ROUNDS):
        made = plan(parse(write_bare(patch), strict=True), files, Options(max_pass="exact", lost_anchors=False))
        left = repeated(made)
        if not left:
            return made
        again = repeats.learn(left, before)
        if not again:
            break
        for section in patch.sections:
            if isinstance(section, UpdateFile) and section.path in again:
                path, one = section.path, section.path in repeats.replaced
                if one:
                    shown.setdefault(path, section.hunks)
                old, new = before[path], after[section.move_to or path]
                section.hunks = hunks_between(path, old, new, portable, pins=repeats.pins[path], one=one)
    for section in patch.sections:
        if isinstance(section, UpdateFile) and section.path in shown and section.path in left:
            section.hunks = shown[section.path]  # replacing lines was in vain
    return plan(parse(write_bare(patch), strict=True), files, Options(max_pass="exact", lost_anchors=False))


class Repeats(Record):
    """What a patch seems to repeat: the lines, from 0, that it has to show by file, and files where that is not enough.

    There a line is next to the change, or cannot be shown alone: it is replaced, with all that is between.
    """

    pins: dict[str, set[int]] = {}
    replaced: set[str] = set()

    def learn(self, found: dict[str, set[int]], before: Mapping[str, bytes], replaces: bool = True) -> set[str]:
        """Takes lines that are doubted; gives the files to be made again.

        Not every format `replaces` a line by itself; and where lines end in several ways, it may get another ending.
        """
        again: set[str] = set()
        for path, lines in found.items():
            pins = self.pins.setdefault(path, set())
            if not lines <= pins:
                pins |= lines
                again.add(path)
            elif replaces and path not in self.replaced and Document(before.get(path, b"")).endings != "mixed":
                self.replaced.add(path)
                again.add(path)
        return again


def repeated(made: Plan) -> dict[str, set[int]]:
    """The lines, from 0, that the sections of a plan seem to repeat, by file."""
    found: dict[str, set[int]] = {}
    for each in doubts(made, Options()):
        other = each.facts.get("other")
        if each.code in ("P205", "P216", "P217") and isinstance(other, int):
            found.setdefault(each.file or "", set()).add(other - 1)
    return found


_ALIKE = 0.6  # share of common lines that makes a deleted and an added file one that was renamed
_RARE = 8  # files that a line may be in and still say which file another was


def renames_between(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
    """The old names of files that a patch between two trees gives another name, by their new ones."""
    gone = {path: before[path] for path in sorted(before) if path not in after}
    new = {path: after[path] for path in sorted(after) if path not in before}
    return {new_path: old_path for old_path, new_path in renames_of(gone, new)}


def renames_of(gone: dict[str, bytes], new: dict[str, bytes]) -> list[tuple[str, str]]:
    """Pairs of a deleted and an added file that are the same, or nearly.

    Equal ones are found by their content. For the others each line that few of the added files have speaks for
    those, and only the few that most lines speak for are compared: pairing all with all would be quadratic.
    """
    by_content: dict[bytes, list[str]] = {}
    for path in sorted(new, reverse=True):
        by_content.setdefault(new[path], []).append(path)
    found: dict[str, str] = {}
    for path, data in gone.items():
        same = by_content.get(data) if data else None
        if same:
            leaf = path.rpartition("/")[2]
            best = next((each for each in same if each.rpartition("/")[2] == leaf), same[-1])
            if not best.startswith(path + "/"):
                same.remove(best)
                found[path] = best
    taken = set(found.values())
    lines = {path: set(data.split(b"\n")) for path, data in new.items() if path not in taken and not is_binary(data)}
    holders: dict[bytes, list[str]] = {}
    for path, texts in lines.items():
        for text in texts:
            holders.setdefault(text, []).append(path)
    for path, data in gone.items():
        if path not in found and data and not is_binary(data):
            best = _most_alike(path, set(data.split(b"\n")), lines, holders, taken)
            if best:
                taken.add(best)
                found[path] = best
    return [(path, found[path]) for path in gone if path in found]


def _most_alike(
    path: str, mine: set[bytes], lines: dict[str, set[bytes]], holders: dict[bytes, list[str]], taken: set[str]
) -> str:
    votes: dict[str, int] = {}
    for text in mine:
        there = holders.get(text, ())
        for other in there if len(there) <= _RARE else ():
            votes[other] = votes.get(other, 0) + 1
    best, most = "", _ALIKE
    for other in sorted(votes, key=lambda each: -votes[each])[:_RARE]:
        theirs = lines[other]
        alike = len(mine & theirs) / max(len(mine), len(theirs))
        if alike >= most and other not in taken and not other.startswith(path + "/"):
            best, most = other, alike
    return best
