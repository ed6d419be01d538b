"""Take some of a plan, and leave the rest as a patch.

Takes a Plan; gives its parts, each a thing that a person can take or leave: a hunk, a new name, a whole file. From
the parts taken comes a plan, from those left a patch that applies after it, and both together make what the whole
plan would have made. A group of parts is one file, or several that build on each other. Each way of taking it apart
gives its parts, adds to a plan what was taken, and says what was left as sections of a patch. Hunks keep the places
that were found for all of them together: one that is placed by its neighbours stays placed without them.
"""

from __future__ import annotations

from collections.abc import Callable

from patchkit.catalogue.sentences import tolerance
from patchkit.core.changes import (
    FileChange,
    Files,
    Options,
    Plan,
    Replacement,
    Section,
    ancestors,
    joined_moves,
    replacements,
    splice,
)
from patchkit.core.language import DeleteFile, FileOp, Hunk, Patch, SpecialFile, UpdateFile
from patchkit.core.matching import SHOWN, Match, Miss
from patchkit.core.text import Document
from patchkit.diffs.diff import FileDiff, body, file_diffs, groups, hunk_text, unified_file
from patchkit.errors import PatchkitError
from patchkit.formats.foreign import gives
from patchkit.formats.making import make_patch
from patchkit.repair import planned
from patchkit.repair.choices import Choice, chooser_of
from patchkit.values import Record, Value


class Part(Record):
    """One thing to take or to leave: what it is, where, and the diff that shows it."""

    file: str
    what: str  # 'hunk', 'new name', 'new file', 'deletion', 'change'
    place: str
    diff: Callable[[], bytes]  # what the part alone would change, without the lines that name the file
    taken: bool = False
    hunk: Hunk | None = None  # of the patch, where it is one as a whole
    key: tuple[int, int] = (0, 0)  # the line of its section, and its number there (from 0)
    pieces: int = 1  # that it can be split into


class AsOne:
    """Sections that are taken or left together: a new file, a deleted one, files that change places.

    As the other ways it adds by `take` what was taken to a plan; `rest` is what was left then, as sections.
    """

    def __init__(self, whole: Plan, sections: list[Section]) -> None:
        self._whole = whole
        self._sections = sections
        names = dict.fromkeys(name for section in sections for name in (section.source, section.name))
        self._changes = {name: whole.changes[name] for name in names if name in whole.changes}
        shown = joined_moves(sections)
        op = shown[0].op
        changes = len(shown) > 1 or isinstance(op, UpdateFile)
        what = "change" if changes else "deletion" if isinstance(op, DeleteFile) else "new file"
        place = f"{len(shown)} sections that build on each other" if len(shown) > 1 else ""
        changed = any(change.changed for change in self._changes.values())
        self.parts = [Part(shown[0].path, what, place, self._diff)] if changed else []

    def _diff(self) -> bytes:
        alone = Plan(self._whole.files)
        alone.changes = self._changes
        return b"".join(map(unified_file, file_diffs(alone)))

    def take(self, made: Plan) -> None:
        if self.parts and self.parts[0].taken:
            made.changes.update(self._changes)
            made.sections.extend(self._sections)

    def rest(self) -> list[FileOp]:
        return [] if not self.parts or self.parts[0].taken else [section.op for section in self._sections]


class BySpan:
    """Several updates of one file, taken apart by what they change in the end."""

    def __init__(self, whole: Plan, sections: list[Section]) -> None:
        self._sections = sections
        self._change = whole.changes[sections[0].name]
        self._old, new = Document(self._change.before.data), Document(_joined(self._change))
        alike = (self._old.bom, self._old.codec) == (new.bom, new.codec)
        both = (self._old.data, new.data) if alike else (self._change.before.data, _joined(self._change))
        self._whole_file = not alike
        self._diff = FileDiff(("", ""), ("", ""), *both)
        self._groups = groups(self._diff.spans)
        self.parts = [self._part(number, len(self._groups)) for number in range(len(self._groups))]

    def _part(self, number: int, total: int) -> Part:
        group = self._groups[number]
        place = f"{number + 1} of {total}, line {group[0][0] + 1}, from {len(self._sections)} sections"
        return Part(self._sections[0].path, "hunk", place, lambda: hunk_text(self._diff.old, self._diff.new, group))

    def _after(self) -> list[bytes]:
        """The file with the spans taken."""
        pieces: list[bytes] = []
        at = 0
        for part, group in zip(self.parts, self._groups):
            for a, b, c, d in group if part.taken else ():
                pieces.extend([*self._diff.old[at:a], *self._diff.new[c:d]])
                at = b
        pieces.extend(self._diff.old[at:])
        return [b"".join(pieces)] if self._whole_file else self._old.file_bytes([b"".join(pieces)])

    def take(self, made: Plan) -> None:
        if any(part.taken for part in self.parts):
            change, first = self._change, self._sections[0]
            made.changes[change.before.name] = FileChange(change.path, change.before, self._after(), change.keeps)
            made.sections.append(Section(first.op, "M", first.path, first.name))

    def rest(self) -> list[FileOp]:
        if all(part.taken for part in self.parts):
            return []
        path = self._sections[0].path
        if not any(part.taken for part in self.parts):
            return [section.op for section in self._sections]
        return [UpdateFile(path, None, _hunks(path, b"".join(self._after()), _joined(self._change), []))]


class _Piece(Record):
    """What is taken or left together of a hunk: all of it, or one of its changes once it is split."""

    index: int
    edits: list[Replacement]
    ends: bool | None  # what it says of the final newline
    part: Part


class ByHunk:
    """One update: its new name, if it gets one, and its hunks, each by itself."""

    def __init__(self, whole: Plan, section: Section, op: UpdateFile, final_newline: bool | None) -> None:
        self._section = section
        self._op = op
        self._moves = section.moved_from is not None and section.name != section.source
        self._source = whole.changes[section.source]
        self._goal = whole.changes.get(section.name, self._source)
        # A section without hunks has no document, and none of it is asked for.
        self._document = section.document if section.document is not None else Document(b"")
        self._always = final_newline if final_newline or not self._document.terminated else None
        self._moved = Part(self._op.path, "new name", f"'{self._op.move_to}'", lambda: b"")
        made = [self._piece(index) for index in range(len(section.results))]
        self._pieces = [piece for piece in made if piece is not None]
        self._list_parts()

    def _list_parts(self) -> None:
        self.parts = [self._moved] * self._moves + [piece.part for piece in self._pieces]

    def _piece(self, index: int) -> _Piece | None:
        """A hunk as one piece; None for one that changes nothing."""
        result, document = self._section.results[index], self._document
        if not isinstance(result, Match):
            return None
        edits = [each for each in replacements(document, result) if not each.changes_nothing_in(document)]
        ends = self._op.hunks[index].final_newline
        if not edits and (ends is None or ends == document.terminated):
            return None
        how = "exact" if result.pass_name == "exact" else tolerance(result.pass_name)
        piece = self._made(index, edits, ends, f"line {result.line + 1}, {how}")
        piece.part.hunk, piece.part.pieces = self._op.hunks[index], len(edits)
        return piece

    def _made(self, index: int, edits: list[Replacement], ends: bool | None, where: str) -> _Piece:
        place = f"{index + 1} of {len(self._section.results)}, {where}"
        part = Part(self._op.path, "hunk", place, lambda: self._shown(piece), key=(self._op.line, index))
        piece = _Piece(index, edits, ends, part)
        return piece

    def split(self, part: Part) -> None:
        whole = next((piece for piece in self._pieces if piece.part is part and len(piece.edits) > 1), None)
        if whole is None:
            return
        total = len(whole.edits)
        at = self._pieces.index(whole)
        self._pieces[at : at + 1] = [
            self._made(
                whole.index,
                [edit],
                whole.ends if number == total else None,
                f"part {number} of {total}, line {edit.line + 1}",
            )
            for number, edit in enumerate(whole.edits, 1)
        ]
        self._list_parts()

    def _shown(self, piece: _Piece) -> bytes:
        document = self._document
        texts = [text.replace(document.separator, b"\n") for text in (document.data, b"".join(self._text([piece])))]
        return body(FileDiff(("", ""), ("", ""), *texts))

    def _text(self, pieces: list[_Piece]) -> list[bytes]:
        """The file's text with some of the pieces applied."""
        made = [each for piece in pieces for each in piece.edits]
        wanted = [piece.ends for piece in pieces if piece.ends is not None]
        return splice(self._document, made, wanted[-1] if wanted else self._always)

    @property
    def _taken(self) -> list[_Piece]:
        return [piece for piece in self._pieces if piece.part.taken]

    def _after(self) -> list[bytes]:
        taken = self._taken
        if not taken:
            return [self._source.before.data]
        return self._document.file_bytes(self._text(taken))

    def take(self, made: Plan) -> None:
        if not any(part.taken for part in self.parts):
            return
        name = self._section.source
        if self._moved.taken and self._moves:
            goal = self._goal
            made.changes[self._section.name] = FileChange(goal.path, goal.before, self._after(), goal.keeps)
            made.changes[name] = self._source
        else:
            before = self._source.before
            made.changes[name] = FileChange(self._op.path, before, self._after(), before)
        made.sections.append(self._taken_section())

    def _taken_section(self) -> Section:
        """The section as if the patch had held nothing but what was taken of it."""
        was, indexes = self._section, list(dict.fromkeys(piece.index for piece in self._taken))
        hunks = [self._op.hunks[index] for index in indexes]
        moves = self._moved.taken and self._moves
        op = UpdateFile(self._op.path, self._op.move_to if moves else None, hunks, self._op.line)
        section = Section(op, "M", was.path if moves else op.path, was.source, was.moved_from if moves else None)
        section.name = was.name if moves else was.source
        section.document = was.document
        section.results = [was.results[index] for index in indexes]
        section.replacements = [each for piece in self._taken for each in piece.edits]
        return section

    def rest(self) -> list[FileOp]:
        indexes = dict.fromkeys(piece.index for piece in self._pieces if not piece.part.taken)
        left = [self._op.hunks[index] for index in indexes]
        moves_on = self._moves and not self._moved.taken
        path = str(self._op.move_to) if self._moves and self._moved.taken else self._op.path
        now, then = b"".join(self._after()), _joined(self._goal if self._moves else self._source)
        if not left or now == then:
            return [UpdateFile(path, self._op.move_to)] if moves_on else []
        return [UpdateFile(path, self._op.move_to if moves_on else None, _hunks(path, now, then, left))]


def _joined(change: FileChange) -> bytes:
    return b"".join(change.after or [])


def _hunks(path: str, now: bytes, then: bytes, left: list[Hunk]) -> list[Hunk]:
    """Hunks from what the file is now to what it shall be: those that were left if they still say that, else new."""
    if left and gives(left, now, then, reread=True):
        return left
    try:
        section = make_patch({"file": now}, {"file": then}).sections[0]
    except PatchkitError:
        what = f"the rest of '{path}' after the hunks you took"
        raise PatchkitError("P112", file=path, what=what, instead="take all hunks of the file, or none") from None
    return section.hunks if isinstance(section, UpdateFile) else []


class Selection:
    """The parts of a plan, and what was said of them. `final_newline` is what is asked of changed files without one."""

    def __init__(self, plan: Plan, final_newline: bool | None = None) -> None:
        self._plan = plan
        self._groups = [_parts(plan, sections, final_newline) for sections in related(plan.sections)]

    @property
    def parts(self) -> list[Part]:
        return [part for group in self._groups for part in group.parts]

    def split(self, part: Part) -> None:
        """Puts the pieces of a part in its place, where it can be split."""
        for group in self._groups:
            if isinstance(group, ByHunk):
                group.split(part)

    def taken(self) -> Plan:
        """The plan that makes what was taken true, and nothing else."""
        made = Plan(self._plan.files)
        for group in self._groups:
            group.take(made)
        return made

    def rest(self) -> Patch:
        """What was left, as a patch for the files as the taken parts leave them; raises P112 if that cannot be said."""
        sections: list[FileOp] = []
        for group in self._groups:
            sections.extend(group.rest())
        return Patch(sections)


def _parts(plan: Plan, sections: list[Section], final_newline: bool | None) -> AsOne | BySpan | ByHunk:
    if all(isinstance(section.op, UpdateFile) and not isinstance(section.op, SpecialFile) for section in sections):
        op = sections[0].op
        if len(sections) == 1 and isinstance(op, UpdateFile):
            return ByHunk(plan, sections[0], op, final_newline)
        if not any(section.moved_from for section in sections):
            return BySpan(plan, sections)
    return AsOne(plan, sections)


def related(sections: list[Section]) -> list[list[Section]]:
    """The sections in groups, in order: those that name one file, or a file and something below it, go together.

    Groups are independent: any of them can be left out and the others still mean the same.
    """
    names = {name for section in sections for name in (section.name, section.source)}
    first: dict[str, int] = {}  # the first section that has to do with a name
    leader = list(range(len(sections)))  # a section of the same group, nearer to its first

    def lead(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    for number, section in enumerate(sections):
        for name in {section.name, section.source}:
            for each in [name, *(above for above in ancestors(name) if above in names)]:
                one, other = lead(first.setdefault(each, number)), lead(number)
                leader[max(one, other)] = min(one, other)
    groups: dict[int, list[Section]] = {}
    for number, section in enumerate(sections):
        groups.setdefault(lead(number), []).append(section)
    return list(groups.values())


class Fitting(Record):
    """What fits of a patch that is refused as a whole: its plan, the rest as a patch, and why that does not fit."""

    left: Plan  # the sections that were refused, as far as they were placed
    rest: Patch
    plan: Plan | None = None  # None where nothing fits
    errors: list[PatchkitError] = []


def fitting(patch: Patch, files: Files, options: Options) -> Fitting:
    """What fits of a patch: every file whose hunks all fit; under 'hunks' also the hunks that fit of the others.

    Files that build on each other are taken or left together: each such group is planned by itself.
    """
    made = Fitting(Plan(files), Patch([]))
    kept: dict[int, FileOp] = {}  # by the `id` of a section, what is taken of it
    left: dict[int, FileOp] = {}
    for group in related([_named(op, files) for op in patch.sections]):
        ops = [section.op for section in group]
        error = _refusal(ops, files, options)
        if error is None:
            kept.update({id(op): op for op in ops})
            continue
        made.errors += error.errors
        if isinstance(error.plan, Plan):
            made.left.sections += error.plan.sections
        op = ops[0]
        parts = _by_fit(op, error, files, options) if options.partial == "hunks" and len(ops) == 1 else None
        if parts is None:
            left.update({id(op): op for op in ops})
        else:
            kept[id(op)], left[id(op)] = parts
    for each in made.errors:
        each.facts["read_only"] = True  # its help does not say that nothing was written
    made.rest = Patch([left[id(op)] for op in patch.sections if id(op) in left], patch.environment_id)
    taken = [kept[id(op)] for op in patch.sections if id(op) in kept]
    if taken:
        made.plan = planned(Patch(taken), files, options)
    return made


def fit_words(patch: Patch, files: Files, options: Options) -> str:
    """How much of a refused patch fits: '2 of 3 files, 3 of 4 hunks', whatever of that would be applied."""
    each_hunk = options.limited_to(options.max_pass, options.budget)
    each_hunk.partial = "hunks"
    rest = fitting(patch, files, each_hunk).rest
    paths, left = (len({op.path for op in each.sections}) for each in (patch, rest))
    hunks, others = _hunk_count(patch), _hunk_count(rest)
    words = f"{paths - left} of {paths} files"
    return f"{words}, {hunks - others} of {hunks} hunks" if hunks else words


def _hunk_count(patch: Patch) -> int:
    return sum(len(op.hunks) for op in patch.sections if isinstance(op, UpdateFile))


def _named(op: FileOp, files: Files) -> Section:
    """A section with the names that it has to do with, before it is planned."""
    names = []
    for path in (op.path, op.move_to if isinstance(op, UpdateFile) and op.move_to else op.path):
        try:
            names.append("/".join(files.parts(path.strip(" \t"))))
        except PatchkitError:
            names.append(path)
    section = Section(op, "M", op.path, names[1])
    section.source = names[0]
    return section


def _refusal(ops: list[FileOp], files: Files, options: Options) -> PatchkitError | None:
    try:
        planned(Patch(ops), files, options)
    except PatchkitError as error:
        return error
    return None


def _by_fit(op: FileOp, error: PatchkitError, files: Files, options: Options) -> tuple[UpdateFile, UpdateFile] | None:
    """The hunks of a section that fit, and the others; None where none fits, or where it is not about hunks."""
    if not isinstance(op, UpdateFile):
        return None
    hunks, refused = list(op.hunks), error
    while True:
        numbers = {each.hunk for each in refused.errors}
        if None in numbers or not isinstance(refused.plan, Plan) or not refused.plan.sections:
            return None
        results = refused.plan.sections[-1].results
        unfit = {number - 1 for number in numbers if number is not None}
        unfit |= {at for at, each in enumerate(results) if isinstance(each, Miss) and each.code != "P205"}
        fits = [hunk for at, hunk in enumerate(hunks) if at not in unfit]
        if not fits or len(fits) == len(hunks):
            return None
        hunks = fits
        again = _refusal([UpdateFile(op.path, op.move_to, hunks, op.line)], files, options)
        if again is None:
            break
        refused = again
    taken = set(map(id, hunks))
    others = [hunk for hunk in op.hunks if id(hunk) not in taken]
    return UpdateFile(op.path, op.move_to, hunks, op.line), UpdateFile(op.move_to or op.path, None, others, op.line)


_MOST_CONTEXT = 60  # lines of the file on either side that may be needed to choose a place

Chosen = dict[tuple[int, int], "Hunk | None"]  # by the line of a section and the number of a hunk; None leaves it out


class OpenHunk(Value):
    """One ambiguous hunk: the section it is in, its number there (from 0), and the first of its places."""

    __slots__ = ("section", "index", "hunk", "choices", "count")
    count: int  # of all places

    def __init__(self, section: Section, index: int, hunk: Hunk, miss: Miss) -> None:
        self.section = section
        self.index = index
        self.hunk = hunk
        chooser = chooser_of(miss)
        self.choices = chooser.first(SHOWN) if chooser is not None else []
        self.count = max(len(self.choices), len(miss.candidates))

    @property
    def key(self) -> tuple[int, int]:
        return self.section.op.line, self.index

    @property
    def texts(self) -> list[str]:
        return self.section.document.texts if self.section.document is not None else []

    def placed(self, choice: Choice) -> Hunk | None:
        """The hunk as it goes to one of its places; None where no lines around it differ from those of the others."""
        if choice.add:
            return choice.followed(self.hunk)
        size = len(self.hunk.old())
        place = choice.line - 1 if size else choice.line
        texts = self.texts
        for count in range(1, _MOST_CONTEXT + 1):
            first, last = max(0, place - count), min(len(texts), place + size + count)
            if _is_once(texts[first:last], texts):
                above, below = texts[first:place], texts[place + size : last]
                lines = [*(" " + text for text in above), *self.hunk.lines, *(" " + text for text in below)]
                return self.hunk.with_lines(lines)
        return None


def open_hunks(plan: Plan) -> list[OpenHunk]:
    """The hunks of a plan that fit several places, in the patch's order."""
    return [
        OpenHunk(section, index, hunk, result)
        for section in plan.sections
        if isinstance(section.op, UpdateFile)
        for index, (hunk, result) in enumerate(zip(section.op.hunks, section.results))
        if isinstance(result, Miss) and chooser_of(result) is not None
    ]


def with_chosen(patch: Patch, chosen: Chosen) -> tuple[Patch, list[FileOp]]:
    """The patch with hunks as they were chosen, and what was left out of it, as sections."""
    made = Patch([], patch.environment_id)
    left: list[FileOp] = []
    made.notes = patch.notes
    for op in patch.sections:
        if not isinstance(op, UpdateFile):
            made.sections.append(op)
            continue
        both = [(hunk, chosen.get((op.line, index), hunk)) for index, hunk in enumerate(op.hunks)]
        hunks = [new for _, new in both if new is not None]
        out = [old for old, new in both if new is None]
        left += [UpdateFile(op.path, None, out, op.line)] if out else []
        if hunks or op.move_to is not None:
            made.sections.append(UpdateFile(op.path, op.move_to, hunks, op.line))
    return made, left


def _is_once(lines: list[str], texts: list[str]) -> bool:
    """Whether a run of lines is in a file exactly once."""
    size, seen = len(lines), 0
    for start, text in enumerate(texts):
        seen += text == lines[0] and texts[start : start + size] == lines
        if seen > 1:
            return False
    return seen == 1
