"""Explain a refusal by what only the whole patch and the whole workspace show.

Takes a plan that could not be finished and its errors; adds facts to them, and raises with them: what would choose
between the places of a hunk, where a lost hunk nearly fits, what a missing path may have meant, which other file of the
patch has the lines of a lost hunk, that a file is in an encoding that was not named. An error that only follows from
another is left out.
"""

from __future__ import annotations

from patchkit.catalogue.sentences import quoted
from patchkit.core.changes import Options, Plan, Section
from patchkit.core.language import AddFile, FileOp, Hunk, UpdateFile
from patchkit.core.matching import SEVERAL, SHOWN, Match, Miss, Sought, WorkBudget
from patchkit.core.matching.passes import PASSES, View, Views
from patchkit.core.text import Document, is_utf8
from patchkit.errors import PatchkitError, raise_all
from patchkit.guards.placeholders import elisions
from patchkit.repair.alignment import TELLING
from patchkit.repair.choices import offer_choices
from patchkit.repair.near_miss import NearMissSearch
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from patchkit.core.matching.wrong_encoding import MisreadLines


def raise_explained(
    made: Plan,
    faults: list[PatchkitError],
    found: list[PatchkitError],
    options: Options,
    sections: Sequence[FileOp] = (),
) -> None:
    """Raises with the faults of a plan and what was found doubtful about it, in the order of the text."""
    errors = [*faults]
    explain(made, errors, options, sections)
    if found:
        errors = sorted([*errors, *found], key=lambda each: each.patch_line or 0)
    for each in errors:
        each.others = []
    errors[0].plan = made  # what is known of the other sections, for those who report it
    raise_all(errors)


def explain(plan: Plan, errors: list[PatchkitError], options: Options, sections: Sequence[FileOp] = ()) -> None:
    """Adds to the errors what can be found out about them, and leaves out those that follow from others."""
    _leave_out_what_follows(errors, sections)
    for section in plan.sections:
        offer_choices(section.results)
    faults = [each for error in errors for each in error.errors]
    _name_what_was_meant(plan, [each for each in faults if each.code in ("P301", "P302")])
    lost = _lost_hunks(plan, [each for each in faults if each.code == "P201"])
    if lost:
        budget = options.budget if options.budget is not None else WorkBudget()
        _mark_encodings(lost)
        name_near_places(lost, budget)
        _mark_misreadings(lost)
        _mark_elisions(lost)
        look_elsewhere(plan, lost, budget)


class LostHunk(Record):
    """A hunk whose lines are nowhere in its file: its section, what matching says of it, and the error."""

    section: Section
    hunk: Hunk
    miss: Miss
    error: PatchkitError


def _lost_hunks(plan: Plan, errors: list[PatchkitError]) -> list[LostHunk]:
    """The hunks that errors are about, which are in the order of the sections."""
    found: list[LostHunk] = []
    for section in plan.sections if errors else ():
        hunks = section.op.hunks if isinstance(section.op, UpdateFile) else []
        for hunk, result in zip(hunks, section.results):
            if isinstance(result, Miss) and result.code == "P201" and len(found) < len(errors):
                found.append(LostHunk(section, hunk, result, errors[len(found)]))
    return found


def _leave_out_what_follows(errors: list[PatchkitError], sections: Sequence[FileOp]) -> None:
    """Leaves out that a file is missing which a refused section would have moved there, or is still where it was.

    The missing one may have a name of ours: a circle of renames goes through another name.
    """
    moves = {op.path: op.move_to for op in sections if isinstance(op, UpdateFile) and op.move_to}
    left: set[tuple[str, str | None]] = set()  # faults that follow from those before them, and their files
    kept = []
    for error in errors:
        if (error.code, error.file) not in left:
            kept.append(error)
        path = str(error.facts.get("source", error.file))  # of the section
        if path in moves:
            left |= {("P302", moves[path]), ("P303", path), ("P304", path)}
    errors[:] = kept


def _name_what_was_meant(plan: Plan, strays: list[PatchkitError]) -> None:
    if not strays:
        return
    from patchkit.repair.names import known_names, names_like, spelled_otherwise  # few refusals are about a path

    names: list[str] | None = None
    for error in strays[:SHOWN]:
        where = _why_missing(plan, str(error.file))
        if where:
            error.facts["suggestion"] = f" ({where})"
            continue
        if names is None:
            names = known_names(plan.files)
        near = spelled_otherwise(str(error.file), names, plan.files)
        error.facts["spelled"] = bool(near)
        if not near and error.code == "P302":
            near = names_like(str(error.file), names)
        if near:
            words = " or ".join(f"'{name}'" for name in near)
            error.facts.update(suggestion=f" (perhaps {words})", near_names=near)


def _why_missing(plan: Plan, path: str) -> str:
    """Why nothing is at a path, where that is known."""
    try:
        entry = plan.files.find(path, True)
    except PatchkitError:
        return ""
    if entry.target:
        return f"it is a link to '{entry.target}', and nothing is there"
    change = plan.changes.get(entry.name)
    return "another section deletes or moves the file" if change is not None and change.after is None else ""


_MOST_NEAR = 50_000  # lines of a hunk for which the nearest place is looked for, in 3 s: bounds work


def name_near_places(lost: list[LostHunk], budget: WorkBudget) -> None:
    """Adds the place that comes nearest to the lines of each hunk, and its first line that differs."""
    searches: dict[int, NearMissSearch] = {}  # by what they look at: of one file they know more and more
    for each in lost:
        sought = each.miss.sought
        if sought is None or len(sought.old) > _MOST_NEAR:
            continue
        if id(sought.view) not in searches:
            searches[id(sought.view)] = NearMissSearch(sought, budget)
        near = searches[id(sought.view)].miss(sought)
        for facts in (each.miss.facts, each.error.facts):
            facts.update(near=near, line=near.line + 1 if near is not None else None)
        if near is None:
            each.error.facts.update(_where_the_lines_are(each.hunk, sought))
        if near is not None and each.hunk.line:  # a hunk of a JSON edit is on no line of its own
            rows = [row for row, line in enumerate(each.hunk.lines) if line[0] != "+"]
            each.error.facts["differs_at"] = each.hunk.body_line + rows[near.index]


def _where_the_lines_are(hunk: Hunk, sought: Sought) -> dict[str, object]:
    """Facts about a hunk that no place comes near to: where some of its lines are, or that none is in the file.

    One that removes what it adds again, most of it nowhere, was written for what an earlier patch should have made.
    """
    view = sought.view
    texts = PASSES[-1].lines(sought.old)
    telling = [text for text in texts if sum(map(str.isalnum, text)) >= TELLING]
    removed = [text for index, text in enumerate(texts) if index in sought.removed and text in telling]
    added = {line[1:].strip() for line in hunk.lines if line[0] == "+"}
    again = any(line[0] == "-" and line[1:].strip() in added for line in hunk.lines)
    if again and len(telling) > 1 and SEVERAL * sum(bool(view.numbers(text)) for text in removed) <= len(removed):
        return {"unmade": True}
    rows = sorted({row for text in telling for row in view.numbers(text)[:2]})
    if rows:
        parts: list[tuple[int, int]] = []
        for row in rows:
            first, last = max(1, row + 1 - SEVERAL), min(row + 1 + SEVERAL, len(sought.texts))
            if parts and first <= parts[-1][1] + 1:
                parts[-1] = parts[-1][0], last
            else:
                parts.append((first, last))
        return {"scattered": parts} if len(parts) <= SEVERAL else {}
    return {"absent": True} if len(telling) > 1 else {}


def _mark_encodings(lost: list[LostHunk]) -> None:
    """Has lost hunks looked for among the lines that their file is shown as, where it is not UTF-8, and marks them."""
    known: dict[int, tuple[list[str], View] | None] = {}  # of each that is not UTF-8, the lines that it is shown as
    for each in lost:
        document = each.section.document
        if document is not None and not document.data:
            each.error.facts["fill"] = "send only lines to add"
        if document is None or document.codec or document.bom or "".join(each.hunk.old()).isascii():
            continue
        if id(document) not in known:
            known[id(document)] = None if is_utf8(document.data) else _as_shown(document.data)
        shown, sought = known[id(document)], each.miss.sought
        if shown is not None:
            telling = [text for text in PASSES[-1].lines(each.hunk.old()) if not text.isascii()]
            each.error.facts["unread"] = not any(map(shown[1].numbers, telling))  # or the encoding is right
        if shown is not None and sought is not None:
            sought.texts, sought.view = shown


def _as_shown(data: bytes) -> tuple[list[str], View]:
    """The lines of a file in the likeliest encoding, as they are and as the most tolerant pass sees them."""
    from patchkit.shown_encoding import likeliest  # most files are UTF-8

    texts = Document(data, likeliest(data) or "latin-1").texts
    return texts, Views(texts).by(PASSES[-1])


def _mark_misreadings(lost: list[LostHunk]) -> None:
    """Marks lost hunks that have lines of the file as a shell shows them in a wrong encoding."""
    readers: dict[int, MisreadLines] = {}
    for each in lost:
        document = each.section.document
        if document is not None and not "".join(each.hunk.old()).isascii():
            from patchkit.core.matching.wrong_encoding import READ_AS, MisreadLines  # most hunks are ASCII

            if id(document) not in readers:
                readers[id(document)] = MisreadLines(document.texts)
            codec = readers[id(document)].read_as(each.hunk.old())
            if codec:
                each.error.facts["misread"] = READ_AS[codec]


def _mark_elisions(lost: list[LostHunk]) -> None:
    """Marks lost hunks that have a line such as '...' in place of lines of the file."""
    known: dict[int, set[str]] = {}  # the lines of each file
    for each in lost:
        document = each.section.document
        found = elisions(each.hunk.old())
        if document is not None and found:  # before the file is divided into lines
            if id(document) not in known:
                known[id(document)] = {line.strip() for line in document.texts}
            for line in [line for line in found if line not in known[id(document)]][:1]:
                each.error.facts["elided"] = line


def name_ignored_lines(made: Plan) -> None:
    """Adds to notes of hunks that fit but for one context line which one that is."""
    for section in made.sections:
        document = section.document
        for match in section.results:
            if document is not None and isinstance(match, Match) and match.pairs is not None:
                for note in match.notes:
                    if note.facts.get("tolerance") == "context-line":
                        note.facts["ignored"] = _ignored(match, document.texts)


def _ignored(match: Match, texts: list[str]) -> str:
    """The context line that a hunk and its place do not share."""
    old, rows = [line[1:].strip() for line in match.lines if line[0] != "+"], match.pairs or []
    if -1 in rows:
        return f"the file does not have {quoted(old[rows.index(-1)])}"
    for above, row in zip(rows, rows[1:]):
        if row - above > 1:
            return f"line {row} is {quoted(texts[row - 1].strip())}, which the hunk does not have"
    bare, seen = (PASSES[-1].lines(lines) for lines in (old, [texts[row] for row in rows]))
    at = next((at for at, (mine, theirs) in enumerate(zip(bare, seen)) if mine != theirs), 0)
    return f"line {rows[at] + 1} is {quoted(texts[rows[at]].strip())}, the hunk has {quoted(old[at])}"


# -- hunks that were sent for the wrong file of a patch --------------------------------------------
# The search is counted work like that for near misses.


def look_elsewhere(plan: Plan, lost: list[LostHunk], budget: WorkBudget) -> None:
    """Adds the fact `elsewhere`, a path and a line, to errors whose hunk fits another file of the patch."""
    if len(plan.sections) < 2:
        return
    texts = _Texts(plan)
    for each in lost:
        found = texts.find(each.hunk, each.section, budget)
        if found is not None:
            for facts in (each.miss.facts, each.error.facts):
                facts.update(elsewhere=found, near=None)
                facts.pop("differs_at", None)


class _Texts:
    """The files that a patch names, each as one text of lines without their margins."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._joined: dict[int, str] = {}
        self._files: dict[str | None, list[int]] = {}  # the sections of each file
        for number, section in enumerate(plan.sections):
            self._files.setdefault(section.source, []).append(number)

    def find(self, hunk: Hunk, own: Section, budget: WorkBudget) -> tuple[str, int] | None:
        """The first other file that has all old lines of the hunk, and the line where they begin."""
        lines = [text.strip() for text in hunk.old()]
        if sum(map(bool, lines)) < 2 and len("".join(lines)) < TELLING:
            return None
        if len(self._files) < 2 or budget.left <= 0:
            return None  # with thousands of sections, asking each of them is work as well
        wanted = "\n".join(["", *lines, ""])
        longest = max(lines, key=len)
        for number, section in enumerate(self._plan.sections):
            if section.source != own.source:
                document = section.document
                if document is not None and longest.isascii() and longest.encode() not in document.data:
                    budget.spend(len(document.data))
                    continue  # nearly always: its lines need not be looked at
                if number not in self._joined:
                    self._joined[number] = "\n".join(["", *map(str.strip, self._lines(section)), ""])
                joined = self._joined[number]
                position = joined.find(wanted) if budget.spend(len(joined)) else -1
                if position >= 0:
                    return section.op.path, joined.count("\n", 0, position) + 1
        return None

    def _lines(self, section: Section) -> list[str]:
        if section.document is not None:
            return section.document.texts
        if isinstance(section.op, AddFile):
            return section.op.text.split("\n")
        change = self._plan.changes.get(section.name)
        if change is None or change.before.kind != "file":
            return []
        try:
            return Document(change.before.data).texts
        except PatchkitError:
            return []  # it cannot be read, and was not asked for
