"""What a plan does as the sections of a patch for the same files, taken from the plan and not from comparing them.

Takes a Plan; gives sections whose hunks have the lines that those of the plan have, as the files have them. Hunks that
are not alone in the old and in the new file, and whatever else is not plain, are left to `making`.
"""

from __future__ import annotations

from patchkit.changes.making import hunks_between, is_binary
from patchkit.changes.model import Plan, Section
from patchkit.language.model import AddFile, DeleteFile, FileOp, Hunk, UpdateFile
from patchkit.matching import fast_exact
from patchkit.matching.model import Match
from patchkit.text.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_SWAPPED = {" ": " ", "-": "+", "+": "-"}


def sections_of(made: Plan, after: Mapping[str, bytes]) -> list[FileOp] | None:
    """The sections that say what a plan does, in its order; None where only the files before and after say it.

    `after` are the files that it leaves.
    """
    found: list[FileOp] = []
    seen: set[str] = set()
    for section in made.sections:
        names = {section.name, section.source}
        if not seen.isdisjoint(names):
            return None  # what sections leave together is more than each of them says
        seen |= names
        if any(name in made.changes and made.changes[name].changed for name in names):
            op = _op_of(made, section, after.get(section.name, b""))
            if op is None:
                return None
            found.append(op)
    return found


def _op_of(made: Plan, section: Section, after: bytes) -> FileOp | None:
    change = made.changes[section.name]
    before = made.changes[section.source].before
    if section.letter == "D":
        return DeleteFile(section.name) if before.kind == "file" else None
    if section.letter == "A":
        plain = before.kind == "missing" and not is_binary(after)
        return AddFile(section.name, after.decode("utf-8", "surrogateescape")) if plain else None
    moved = section.name if section.name != section.source else None
    if before.kind != "file" or (moved and change.before.kind != "missing"):
        return None
    hunks: list[Hunk] | None = []
    if after != before.data:
        if is_binary(after) or is_binary(before.data):
            return None
        hunks = _hunks_of(section, after)
        if hunks is None:
            hunks = hunks_between(section.name, before.data, after)
    return UpdateFile(section.source, moved, hunks)


def _hunks_of(section: Section, after: bytes) -> list[Hunk] | None:
    """The hunks of a section as the file has their lines, each at one place before and at one after; None if not."""
    document = section.document
    if document is None or type(document) is not Document or document.endings not in ("lf", "crlf"):
        return None
    if document.bom or document.codec or document.charset or not document.terminated or after[-1:] != b"\n":
        return None
    found: list[tuple[int, Hunk]] = []
    for match in section.results:
        if type(match) is not Match or match.pass_name != "exact" or match.pairs is not None:
            return None
        signs = {line[0] for line in match.lines}
        if signs == {" "}:
            continue
        hunk = Hunk([], match.lines)
        if not fast_exact.is_plain(hunk) or (len(signs) < 3 and not _is_reversible(hunk, signs)):
            return None
        lines = match.lines
        if not _is_alone(document, document.data, lines, "+") or not _is_alone(document, after, lines, "-"):
            return None
        found.append((match.offset, hunk))
    return [hunk for _, hunk in sorted(found, key=lambda each: each[0])]


def _is_reversible(hunk: Hunk, signs: set[str]) -> bool:
    """Whether a hunk that only adds, only removes or keeps nothing can be taken back as well."""
    if signs == {"-", "+"}:
        return True
    return " " in signs and fast_exact.is_plain(Hunk([], [_SWAPPED[line[0]] + line[1:] for line in hunk.lines]))


def _is_alone(document: Document, data: bytes, lines: list[str], without: str) -> bool:
    """Whether the lines of a hunk, without those of one sign, are at one place of the data."""
    text = "\n".join([line[1:] for line in lines if line[0] != without])
    needle, size = document.encode(f"\n{text}\n"), 1  # between two line ends
    if document.endings == "crlf":
        needle, size = needle.replace(b"\n", b"\r\n"), 2
    at = data.find(needle)
    if at < 0:
        return True  # the file begins with it
    return data.find(needle, at + 1) < 0 and not data.startswith(needle[size:])
