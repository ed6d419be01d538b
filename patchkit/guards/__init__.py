"""Doubts about a finished plan: what its author hardly meant, though every hunk has its place.

Takes a Plan, or what was made of one that is refused, and the options; gives an error for each hunk and each new file
that repeats what the file has (P205, P216, P217) or has a line in place of code (P218). A quick look decides that most
plans add nothing of the kind; the guards are loaded for the others. Whether the doubts are a refusal is for those to
decide who asked: a text that is only made or converted is doubted when it is applied.
"""

from __future__ import annotations

from patchkit.core.changes import Options, Plan, Replacement, Section, Whole
from patchkit.core.language import AddFile, HashedUpdate, Hunk, UpdateFile
from patchkit.core.matching import DEFINING, RUN, Match, Miss
from patchkit.errors import PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def doubts(made: Plan, options: Options, since: int = 0) -> list[PatchkitError]:
    """The doubts about sections of a plan, from number `since` on; the results of doubted hunks become misses.

    A section that was surely made for its file is not doubted, nor one that takes something back: that was there
    before. Nor is one whose text was let go, as happens in a patch that changes large files again and again.
    """
    found: list[PatchkitError] = []
    sections = made.sections[since:]
    # Most patches add nothing that is looked at more closely: it is asked once for all files.
    replacements = [each for section in sections for each in section.replacements] if not options.reverse else []
    added = b"\n".join([each.new for each in replacements])
    suspicious = may_repeat(replacements, added) or may_leave_out(added) or b"\t" in added
    for number, section in enumerate(sections, since):
        op = section.op
        if suspicious and section.replacements and isinstance(op, UpdateFile):
            found += _of_update(op, section, options)
        if section.name.endswith(".ipynb"):
            found += _of_notebook(made, section)
        if section.letter == "A" and isinstance(op, AddFile) and not options.allow_placeholder:
            found += _of_new_file(op, section, made, number)
    return found


def _of_update(op: UpdateFile, section: Section, options: Options) -> list[PatchkitError]:
    if section.document is None or len(section.ends) < len(op.hunks):
        return []  # it was refused before all of its hunks had their replacements
    if isinstance(op, HashedUpdate) and not op.blob:
        return []  # it was made here, for this very content
    added = b"\n".join([each.new for each in section.replacements])
    repeats = not options.allow_duplicate and may_repeat(section.replacements, added)
    leaves_out = not options.allow_placeholder and may_leave_out(added)
    if not (repeats or leaves_out):
        return []
    kept = section.document.file_bytes([section.document.kept])
    if _is_where_it_says(op.hunks, section.results) or (
        isinstance(op, HashedUpdate) and _has_id(b"".join(kept), op.blob)
    ):
        return []
    faults: list[tuple[int, PatchkitError]] = []
    if repeats:
        from patchkit.guards.duplicates import duplicates

        faults = duplicates(section)
    if leaves_out and not faults:
        from patchkit.guards.placeholders import omissions

        faults = omissions(section, section.document, op.hunks)
    for number, error in faults:
        section.results[number] = Miss(error.code, [error.line - 1] if error.line else [], **error.facts)
        error.facts.setdefault("patch_line", op.hunks[number].line)
        candidates = [error.line] if error.line else []
        error.facts.update(file=op.path, hunk=number + 1, candidates=candidates)
    return [error for _, error in faults]


def _of_notebook(made: Plan, section: Section) -> list[PatchkitError]:
    """A notebook that would not be one any more."""
    from patchkit.structure.notebook import breaks_notebook

    change = made.changes.get(section.name)
    before = made.changes.get(section.source, change)
    if change is None or before is None or change.after is None or before.before.kind != "file":
        return []
    if not breaks_notebook(before.before.data, b"".join(change.after)):
        return []
    return [
        PatchkitError("P627", file=section.op.path, patch_line=section.op.line, reason="it is not valid JSON of cells")
    ]


def _of_new_file(op: AddFile, section: Section, made: Plan, number: int) -> list[PatchkitError]:
    data = op.text.encode("utf-8", "surrogateescape")
    if section.name not in made.changes or not may_leave_out(data):
        return []
    from patchkit.guards.placeholders import omission

    blob = getattr(op, "blob", None)
    if getattr(op, "source", "") or (blob is not None and _has_id(data, blob)):
        return []  # which is surely all of it
    before = made.changes[section.name].before
    touched = {name for each in made.sections[:number] for name in (each.name, each.source)}
    error = omission(data, before.data if before.kind == "file" and section.name not in touched else b"")
    if error is None:
        return []
    error.facts.update(file=op.path, patch_line=op.line)
    return [error]


# -- whether a change was surely made for the file that it is applied to ---------------------------
# Every number of every `@@` line is right. A model seldom counts so; a diff of a program has such numbers, on the text
# that it was made for. So nothing about it was guessed, and `git apply` would take it without an offset. The hash of
# the old content in a diff of git says the same.


def _has_id(data: bytes, blob: str) -> bool:
    """Whether the id that git gives a content begins so; any does with what was made for it here."""
    if not blob:
        return True
    from patchkit.core.changes.legacy import blob_id  # few patches name one

    return blob_id(data).startswith(blob)


def _is_where_it_says(hunks: list[Hunk], results: Sequence[Match | Miss]) -> bool:
    """Whether all hunks have numbers, and each is placed exactly, with these numbers and these counts."""
    moved = 0  # how many lines later the next hunk begins in the new file
    for hunk, result in zip(hunks, results):
        if hunk.numbers is None or type(result) is not Match or result.pass_name != "exact":
            return False
        start, old, new_start, new = hunk.numbers
        signs = "".join([line[0] for line in hunk.lines])
        removed, added = (len(signs) - signs.count(sign) for sign in "+-")
        first = start + (not old)  # the number of a side without lines is that of the line above
        if (old, new) != (removed, added) or first != result.line + 1 or new_start + (not new) != first + moved:
            return False
        moved += new - old
    return True


# -- quick looks: whether added text may be of a kind that is doubted; most is not, and the guards need not be loaded


def may_repeat(made: list[Replacement], added: bytes) -> bool:
    """Whether replacements add a run of lines, or in all they add a definition perhaps; most patches add neither."""
    for each in made:
        if each.added >= RUN:
            return True
    return not DEFINING.isdisjoint(added.split())


def may_leave_out(text: bytes) -> bool:
    """Whether a line of the text may be a placeholder, or of a listing: a quick look, for most have no dots or arrows.

    Searching backwards takes half the time of searching forwards.
    """
    if (b"." in text and text.rfind(b"...") >= 0) or text.rfind(b"est of ") >= 0:
        return True
    if text.startswith(b" ") and b"\t" in text[:8]:
        return True  # as 'cat -n' has it
    return not text.isascii() and (b"\xe2\x80\xa6" in text or b"\xe2\x86\x92" in text)


# The suffixes of all languages that `structure` knows; a test compares them.
PARSED = frozenset(
    "sh bash c h cs cc cpp cxx hh hpp hxx go java cjs js jsx mjs json php py pyi rb rs toml tsx cts mts ts "
    "yaml yml".split()
)
_QUICK = 1 << 18  # bytes of a Python file that is read at once


def may_break_syntax(made: Plan) -> bool:
    """Whether a plan leaves a source file that has to be looked at by a parser.

    Python sources are read by the interpreter itself, which loads nothing; nearly all of them are sound.
    """
    for name, change in made.changes.items():
        dot, suffix = name.rpartition(".")[1:]
        if not dot or suffix.lower() not in PARSED or change.after is None or isinstance(change.after, Whole):
            continue
        source = b"".join(change.after)
        if suffix.lower() not in ("py", "pyi") or len(source) > _QUICK:
            return True
        from patchkit.structure.python_source import fault  # for sources only

        if fault(source):
            return True
    return False
