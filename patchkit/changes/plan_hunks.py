"""What a plan does as the sections of a patch for the same files, taken from the plan and not from comparing them.

Takes a Plan; gives sections whose hunks have the lines that those of the plan have, as the files have them. Hunks that
are not alone in the old and in the new file, and whatever else is not plain, are left to `making`.

A section with hunks of the plan, each alone in the file, has one plan: the one it was taken from. Sections for which
that does not hold are `doubted`, and have to be planned to know.
"""

from __future__ import annotations

from patchkit.changes.making import hunks_between, is_binary
from patchkit.changes.model import Plan, Section
from patchkit.changes.splice import may_repeat
from patchkit.language.model import AddFile, DeleteFile, FileOp, Hunk, UpdateFile
from patchkit.matching import fast_exact
from patchkit.matching.model import Match
from patchkit.text.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_SWAPPED = {" ": " ", "-": "+", "+": "-"}


class Sections:
    """What a plan says, in its order, and those of its sections that must be planned to know what they do."""

    __slots__ = ("ops", "doubted")

    def __init__(self) -> None:
        self.ops: list[FileOp] = []
        self.doubted: list[FileOp] = []


def sections_of(made: Plan, after: Mapping[str, bytes]) -> Sections | None:
    """The sections that say what a plan does; None where only the files before and after say it.

    `after` are the files that it leaves.
    """
    found = Sections()
    seen: set[str] = set()
    for section in made.sections:
        names = {section.name, section.source}
        if not seen.isdisjoint(names):
            return None  # what sections leave together is more than each of them says
        seen |= names
        changed = any(name in made.changes and made.changes[name].changed for name in names)
        if changed and not _add_op(found, made, section, after.get(section.name, b"")):
            return None
    return found


def _add_op(found: Sections, made: Plan, section: Section, after: bytes) -> bool:
    """Adds what a section does; False if it is not plain."""
    change = made.changes[section.name]
    before = made.changes[section.source].before
    if section.letter == "D":
        found.ops.append(DeleteFile(section.name))
        return before.kind == "file"
    if section.letter == "A":
        found.ops.append(AddFile(section.name, after.decode("utf-8", "surrogateescape")))
        return before.kind == "missing" and not is_binary(after)
    moved = section.name if section.name != section.source else None
    if before.kind != "file" or (moved and change.before.kind != "missing"):
        return False
    op = UpdateFile(section.source, moved)
    found.ops.append(op)
    if after != before.data:
        if is_binary(after) or is_binary(before.data):
            return False
        hunks = _hunks_of(section, after)
        if hunks is None:
            op.hunks = hunks_between(section.name, before.data, after)
            found.doubted.append(op)
        else:
            op.hunks = hunks
            replaced = section.replacements
            if may_repeat(replaced, b"\n".join([each.new for each in replaced])) or _may_overlap(hunks):
                found.doubted.append(op)
    return True


def _hunks_of(section: Section, after: bytes) -> list[Hunk] | None:
    """The hunks of a section as the file has their lines, each at one place before and at one after; None if not."""
    document = section.document
    if document is None or type(document) is not Document or document.endings not in ("lf", "crlf"):
        return None
    if document.bom or document.codec or document.charset or not document.terminated or after[-1:] != b"\n":
        return None
    found: list[tuple[int, Hunk]] = []
    added = None
    if all(each.added for each in section.replacements):
        added = {
            line[1:] for match in section.results if type(match) is Match for line in match.lines if line[0] == "+"
        }
    for match in section.results:
        if type(match) is not Match or match.pass_name != "exact" or match.pairs is not None:
            return None
        lines = match.lines
        signs = {line[0] for line in lines}
        if signs == {" "}:
            continue
        hunk = Hunk([], lines)
        if not fast_exact.is_plain(hunk) or (len(signs) < 3 and not _is_reversible(hunk, signs)):
            return None
        alone = (added is not None and _begins_alone(document, lines, added)) or (
            _is_alone(document, document.data, lines, "+") and _is_alone(document, after, lines, "-")
        )
        if not alone:
            return None
        found.append((match.offset, hunk))
    return [hunk for _, hunk in sorted(found, key=_by_offset)]


def _by_offset(each: tuple[int, Hunk]) -> int:
    return each[0]


def _may_overlap(hunks: list[Hunk]) -> bool:
    """Whether a hunk may begin on a line of the one above it."""
    for above, below in zip(hunks, hunks[1:]):
        first = next(line[1:] for line in below.lines if line[0] != "+")
        if " " + first in above.lines or "-" + first in above.lines:
            return True
    return False


def _is_reversible(hunk: Hunk, signs: set[str]) -> bool:
    """Whether a hunk that only adds, only removes or keeps nothing can be taken back as well."""
    if signs == {"-", "+"}:
        return True
    return " " in signs and fast_exact.is_plain(Hunk([], [_SWAPPED[line[0]] + line[1:] for line in hunk.lines]))


def _begins_alone(document: Document, lines: list[str], added: set[str]) -> bool:
    """Whether the kept lines that a hunk begins with are at one place of the file, and none of them is added to it.

    If all that is removed is replaced, no lines of the file come together anew: these are at one place of the new
    file, too, and so is the hunk in both. One search answers for two.
    """
    kept = []
    for line in lines:
        if line[0] != " ":
            break
        kept.append(line[1:])
    if not kept or not added.isdisjoint(kept):
        return False
    return _is_at_one_place(document, document.data, kept)


def _is_alone(document: Document, data: bytes, lines: list[str], without: str) -> bool:
    """Whether the lines of a hunk, without those of one sign, are at one place of the data."""
    return _is_at_one_place(document, data, [line[1:] for line in lines if line[0] != without])


def _is_at_one_place(document: Document, data: bytes, lines: list[str]) -> bool:
    """Whether lines that are in the data are not in it twice."""
    text = "\n".join(lines)
    needle, size = document.encode(f"\n{text}\n"), 1  # between two line ends
    if document.endings == "crlf":
        needle, size = needle.replace(b"\n", b"\r\n"), 2
    at = data.find(needle)
    if at < 0:
        return True  # the file begins with it
    return data.find(needle, at + 1) < 0 and not data.startswith(needle[size:])
