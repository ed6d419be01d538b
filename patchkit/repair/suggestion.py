"""A patch that should have been sent, where one reading of a refused one is clearly best.

Takes the patch, why it was refused, and the files it is for; gives the text of a patch that applies to them and how
sure it is, or nothing. It was written, parsed and planned before it is offered, and every hunk is where the refused
patch had it or where its correction puts it.
"""

from __future__ import annotations

from posixpath import commonprefix

from patchkit.core.changes import Files, Options, Plan, Section
from patchkit.core.language import AddFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.core.language.parser import parse
from patchkit.core.matching import MANY, SEVERAL, SHOWN, Match, Miss
from patchkit.core.text import Document
from patchkit.errors import Note, PatchkitError
from patchkit.guards import may_break_syntax
from patchkit.guards.placeholders import elisions
from patchkit.repair import planned
from patchkit.repair.choices import chooser_of
from patchkit.repair.corrections import CERTAIN, LIKELY, Correction, Corrections
from patchkit.repair.garbled import GARBLED
from patchkit.repair.names import bare_path
from patchkit.values import Record
from patchkit.writer import write_bare

_STRICT = ("exact", "trailing-space")
_MENDED = ("P301", "P302", "P303")  # faults of whole sections


class Suggestion(Record):
    """The text of a corrected patch, and how sure it is: 'certain' or 'likely'."""

    text: str
    certainty: str


def names_another_file(error: PatchkitError) -> bool:
    """Whether the correction of a refusal is for another file than the patch names, by which rules have judged it."""
    return any(each.code in ("P301", "P302") for each in error.errors)


class Draft(Record):
    """A section as it will be sent, and the lines its hunks should go to; `renamed` when it got another path."""

    op: FileOp
    lines: list[int] | None = None
    renamed: bool = False
    certainty: str = CERTAIN


def suggest(
    patch: Patch, error: PatchkitError, files: Files, options: Options, strict: bool = False
) -> Suggestion | None:
    """Returns the corrected patch, None when not everything that is wrong has one best correction."""
    if all(each.code == "P205" for each in error.errors) and _is_garbled(patch):
        return None  # it was written to mend text that the file has whole
    certainty, tried = CERTAIN, ""
    for number in range(SEVERAL):  # a correction may let the next fault come to light
        drafts = _Round(error, files, options, is_first=number == 0).drafts(patch.sections)
        if not drafts:
            return None
        if len(drafts) < len(patch.sections) or any(draft.certainty == LIKELY for draft in drafts):
            certainty = LIKELY
        try:
            text = write_bare(Patch([draft.op for draft in drafts], patch.environment_id))
            text.encode("utf-8")
            if text == tried:
                return None
            tried = text
            patch = parse(text, strict)
            made = planned(patch, files, options)
        except UnicodeError:
            return None  # bytes that are not text cannot be sent as text
        except PatchkitError as next_error:
            if not isinstance(next_error.plan, Plan):
                return None
            error = next_error
            continue
        changes = any(change.changed for change in made.changes.values())
        if not changes or not _as_drafted(drafts, made.sections):
            return None
        return Suggestion(text, certainty) if not breaks_syntax(made) else None
    return None


def respelled(patch: Patch, error: PatchkitError, files: Files, options: Options, doubting: bool) -> Plan:
    """The plan of a patch with the paths of the files that it means; raises the error where that is not enough."""
    better = suggest(patch, error, files, options)
    meant = parse(better.text).sections if better is not None and better.certainty == CERTAIN else []
    sent = {id(now): op for now, op in zip(meant, patch.sections)}
    hunks = [[op.hunks for op in ops if isinstance(op, UpdateFile)] for ops in (meant, patch.sections)]
    if not meant or hunks[0] != hunks[1]:
        raise error
    for now, op in zip(meant, patch.sections):
        if isinstance(now, UpdateFile) and isinstance(op, UpdateFile):
            now.hunks, now.line = op.hunks, op.line
    made = corrected(patch, Patch(meant), error, files, options, doubting)
    for section in made.sections:
        section.op = sent.get(id(section.op), section.op)
    return made


def corrected(
    patch: Patch, meant: Patch, error: PatchkitError, files: Files, options: Options, doubting: bool = True
) -> Plan:
    """The plan of what a refused patch meant, with a note that says so.

    The rules have judged the patch by the files that it names, so they judge this one again.
    """
    judge = getattr(files, "on_renamed", None) if names_another_file(error) else None
    if judge is not None:
        judge(meant, options.check)
    made = planned(meant, files, options, doubting)
    both = zip(patch.sections, meant.sections if len(meant.sections) == len(patch.sections) else ())
    names = [f"'{sent.path}' is taken for '{now.path}'" for sent, now in both if sent.path != now.path]
    facts = {"paths": f": {', '.join(names)}"} if names else {}
    made.notes.insert(0, Note("P939", refusal=error.code, certainty=error.certainty or CERTAIN, **facts))
    return made


def _leading(old: str, new: str) -> tuple[str, str]:
    """What is in front of the directories that two paths have in common at their ends."""
    both = bare_path(old).split("/")[:-1], new.split("/")[:-1]
    common = len(commonprefix([each[::-1] for each in both]))
    ends, others = ("".join(f"{part}/" for part in each[: len(each) - common]) for each in both)
    return ends, others


def breaks_syntax(made: Plan) -> bool:
    """Whether a plan leaves new syntax errors."""
    if not may_break_syntax(made):
        return False
    from patchkit.guards.syntax import check_syntax  # loads parsers

    check_syntax(made, "note")
    return any(note.code == "P967" for note in made.notes)


class _Round:
    """One refusal: what the plan knows of each section, and the faults that belong to whole sections."""

    def __init__(self, error: PatchkitError, files: Files, options: Options, is_first: bool) -> None:
        made = error.plan
        self._is_first = is_first
        self._sections = {id(section.op): section for section in made.sections} if isinstance(made, Plan) else {}
        self._faults = {each.patch_line: each for each in error.errors if each.hunk is None}
        self._files = files
        self._forward = options.forward
        self._budget = options.budget
        self._renamed: list[tuple[str, str]] = []  # paths that are not there, and those that were meant

    def drafts(self, ops: list[FileOp]) -> list[Draft] | None:
        """The sections as they should be; None when one of them has no certain correction."""
        if not all(fault.code in _MENDED for fault in self._faults.values()):
            return None
        made: list[Draft] = []
        for op in ops:
            section = self._sections.get(id(op))
            if op.line in self._faults:
                drafts = self._mended(op, self._faults[op.line])
            elif section is not None and isinstance(op, UpdateFile) and section.document is not None:
                drafts = self._corrected(op, section, section.document)
            else:
                drafts = [Draft(op)]
            if drafts is None:
                return None
            made.extend(drafts)
        return self._moved_along(made)

    def _moved_along(self, drafts: list[Draft]) -> list[Draft]:
        """The drafts with new files where the other paths are: behind the directories that those have, too."""
        changes = {_leading(old, new) for old, new in self._renamed}
        if len(changes) != 1:
            return drafts
        ((old, new),) = changes
        plain = bare_path if any(bare_path(path) != path for path, _ in self._renamed) else str
        for draft in drafts:
            op = draft.op
            name = op.path if isinstance(op, AddFile) else op.move_to if isinstance(op, UpdateFile) else None
            moved = plain(name) if name else ""
            moved = new + moved[len(old) :] if moved.startswith(old) else moved
            if isinstance(op, AddFile) and moved != name:
                draft.op, draft.certainty = AddFile(moved, op.text, op.line), LIKELY
            elif isinstance(op, UpdateFile) and name and moved != name:
                draft.op, draft.certainty = UpdateFile(op.path, moved, op.hunks, op.line), LIKELY
        return drafts

    def _mended(self, op: FileOp, fault: PatchkitError) -> list[Draft] | None:
        """A section for a file that is not there, or is there already: with the path that was meant, or left out."""
        if isinstance(op, AddFile):
            if fault.code != "P303":
                return None
            there = self._files.find(op.path, False)
            return [] if there.kind == "file" and there.data == op.text.encode("utf-8", "surrogateescape") else None
        names = fault.facts.get("near_names")
        if not isinstance(op, UpdateFile) or not op.hunks or not isinstance(names, list) or len(names) != 1:
            return None
        self._renamed.append((op.path, names[0]))
        certainty = CERTAIN if fault.facts.get("spelled") else LIKELY  # the same path, or one like it
        return [Draft(UpdateFile(names[0], op.move_to, op.hunks, op.line), renamed=True, certainty=certainty)]

    def _corrected(self, op: UpdateFile, section: Section, document: Document) -> list[Draft] | None:
        """A section with its refused hunks corrected; none at all when nothing is left of it."""
        lost = [hunk for hunk, result in zip(op.hunks, section.results) if isinstance(result, Miss)]
        removed = [[line[1:] for line in hunk.lines if line[:1] == "-"] for hunk in lost]
        elided = {line for lines in removed for line in elisions(lines)}
        if elided and elided.difference(map(str.strip, document.texts)):
            return None  # which lines it would remove is not said
        corrections = Corrections(document, op.hunks, self._budget, _taken(section.results))
        placed: list[tuple[int, Hunk]] = []
        certainty = CERTAIN
        # What a correction brought to the lines of another hunk was read wrongly.
        revised = _revised(op.hunks, section.results) if self._is_first else {}
        for number, (hunk, result) in enumerate(zip(op.hunks, section.results)):
            if number in revised:
                correction: Correction | None = revised[number]
            elif isinstance(result, Match):
                # A line that the hunk lacks, or the file, was passed over.
                correction = Correction([hunk], [result.line], CERTAIN if result.pairs is None else LIKELY)
            elif self._forward and result.code == "P205":
                correction = Correction([], [], CERTAIN)
            elif result.code == "P202":
                correction = _nearest(hunk, result, section.results[:number])
            else:
                correction = corrections.of(hunk, result)
                room = _room(section.results, number)
                if correction is None and room != (0, None):
                    correction = corrections.of(hunk, result, *room)
            if correction is None or _leaves_alone(correction, op.hunks[number : number + 2]):
                return None
            if correction.certainty == LIKELY:
                certainty = LIKELY
            placed.extend(zip(correction.lines, correction.hunks))
        placed.sort(key=lambda each: each[0])  # hunks that came in another order are in the file's order now
        hunks = [hunk for _, hunk in placed]
        if not hunks and op.move_to is None:
            return []
        return [Draft(UpdateFile(op.path, op.move_to, hunks, op.line), [line for line, _ in placed], False, certainty)]


def _nearest(hunk: Hunk, miss: Miss, others: list[Match | Miss]) -> Correction | None:
    """The hunk at its first place below the one above, if that is less than half as far from there as the next.

    A hunk of context lines only says nothing here: where it has one place, the hunk has its own by it.
    """
    above = others[-1] if others else None
    if not isinstance(above, Match) or all(line[0] == " " for line in above.lines):
        return None
    end = above.line + above.count
    near = [place for place in miss.candidates if place >= end]
    chooser = chooser_of(miss)
    choices = chooser.first(SHOWN) if chooser is not None else []
    chosen = [each for each in choices if near[:1] == [each.line - 1] and each.add]
    if not chosen or (len(near) > 1 and 2 * (near[0] - end) >= near[1] - end):
        return None
    return Correction([chosen[0].followed(hunk)], [near[0] - chosen[0].shift])


def _leaves_alone(correction: Correction, hunks: list[Hunk]) -> bool:
    """Whether the first of two hunks shows where the second goes, and is left out, and the second shows too little."""
    if correction.hunks or correction.certainty != LIKELY or len(hunks) < 2:
        return False
    shown = sum(map(str.isalnum, "".join(hunks[1].old())))
    return all(line[0] == " " for line in hunks[0].lines) and shown < MANY


def _revised(hunks: list[Hunk], results: list[Match | Miss]) -> dict[int, Correction]:
    """Hunks that change the same lines, by number: an earlier one keeps what no later one changes again.

    The later one has to show it anew: several old lines, or all lines of one of them.
    """
    places = [_place(each) for each in results]
    overlapping = [n for n, each in enumerate(results) if isinstance(each, Miss) and each.code == "P204"]
    if not any(_is_shown_anew(hunks, places, number) for number in overlapping):
        return {}
    found: dict[int, Correction] = {}
    later: dict[tuple[int, int], list[str]] = {}  # what hunks further down change, by its span
    for number in range(len(hunks) - 1, -1, -1):
        place, result = places[number], results[number]
        if place is None:
            continue
        lines = result.lines if isinstance(result, Match) else hunks[number].lines
        kept, spans, again = _unless_changed(lines, place, later)
        if kept != lines or isinstance(result, Miss):
            left = any(line[0] != " " for line in kept)
            made = [hunks[number].with_lines(kept)] if left else []
            found[number] = Correction(made, [place] if left else [], CERTAIN if again else LIKELY)
        later.update(spans)
    return found


def _is_shown_anew(hunks: list[Hunk], places: list[int | None], number: int) -> bool:
    """Whether every hunk that shares lines of the file with hunk `number` shares several, or one is in the other."""
    found = False
    place, size = places[number], len(hunks[number].old())
    for other, (at, hunk) in enumerate(zip(places, hunks)):
        if place is None or at is None or other == number:
            continue
        common = min(place + size, at + len(hunk.old())) - max(place, at)
        if common > 0:
            found = True
            if common < SEVERAL and not (_has(hunk, hunks[number]) or _has(hunks[number], hunk)):
                return False
    return found


def _has(hunk: Hunk, other: Hunk) -> bool:
    """Whether a hunk has the old lines of another, or all its lines in a row: the same change with more around it."""
    size = len(other.lines)
    return hunk.old() == other.old() or any(
        hunk.lines[at : at + size] == other.lines for at in range(len(hunk.lines) - size + 1)
    )


def _place(result: Match | Miss) -> int | None:
    """The line of a hunk that lies on the file's lines one by one, also where another hunk has its lines."""
    if isinstance(result, Match):
        return result.line if result.pairs is None else None
    return result.candidates[0] if result.code == "P204" and len(result.candidates) == 1 else None


def _unless_changed(
    lines: list[str], place: int, later: dict[tuple[int, int], list[str]]
) -> tuple[list[str], dict[tuple[int, int], list[str]], bool]:
    """The lines of a hunk at `place` without its changes of `later` spans of the file.

    And what it changes by its spans, and whether all that it loses is said again there, word for word.
    """
    kept: list[str] = []
    spans: dict[tuple[int, int], list[str]] = {}
    again = True
    run: list[str] = []
    row = place
    for line in [*lines, " "]:
        if line[0] != " ":
            run.append(line)
            continue
        stop = row + sum(each[0] == "-" for each in run)
        if run and any((first < stop and row < last) or (first, last) == (row, stop) for first, last in later):
            kept += [" " + each[1:] for each in run if each[0] == "-"]
            again = again and later.get((row, stop)) == run
        elif run:
            kept += run
            spans[row, stop] = run
        kept.append(line)
        run, row = [], stop + 1
    return kept[:-1], spans, again


def _taken(results: list[Match | Miss]) -> set[int]:
    """The lines of the file that hunks with a place remove: no other hunk means them."""
    found: set[int] = set()
    for each in results:
        if isinstance(each, Match):
            old = [line for line in each.lines if line[0] != "+"]
            rows = each.pairs if each.pairs is not None else range(each.line, each.line + len(old))
            found.update(row for row, line in zip(rows, old) if line[0] == "-")
    return found


def _is_garbled(patch: Patch) -> bool:
    updates = [op for op in patch.sections if isinstance(op, UpdateFile)]
    return any(GARBLED in line for op in updates for hunk in op.hunks for line in hunk.lines)


def _room(results: list[Match | Miss], number: int) -> tuple[int, int | None]:
    """The lines between the hunks around one that have their places."""
    above = [each.line + each.count for each in results[:number] if isinstance(each, Match)]
    below = [each.line for each in results[number + 1 :] if isinstance(each, Match)]
    start, stop = max(above, default=0), min(below, default=None)
    return (start, stop) if stop is None or start < stop else (0, None)


def _as_drafted(drafts: list[Draft], sections: list[Section]) -> bool:
    """Whether every hunk went where its draft says. What an earlier section has changed may have moved lines since."""
    seen: set[str] = set()
    for draft, section in zip(drafts, sections):
        if draft.renamed:
            if not all(map(_speaks_for_itself, section.op.hunks, section.results)):  # type: ignore[union-attr]  # updates
                return False
        elif draft.lines is not None and section.source not in seen:
            placed = [result.line if isinstance(result, Match) else -1 for result in section.results]
            if placed != draft.lines:
                return False
        seen.add(section.source)
    return True


def _speaks_for_itself(hunk: Hunk, result: Match | Miss) -> bool:
    """Whether a hunk shows by its text alone that the file is the right one."""
    words = any(char.isalnum() for text in hunk.old() for char in text)
    return words and isinstance(result, Match) and result.pass_name in _STRICT
