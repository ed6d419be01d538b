"""One patch, judged: read, parsed, planned and held against the limits, with nothing written.

Takes the bytes of a patch and a source of files (none when only the language is in question); gives a CheckedPatch,
whatever is wrong with it. The road is that of apply: the same parser, the same planner, the same facts.
"""

from __future__ import annotations

from bisect import bisect_right

from patchkit.changes.apply import Applied, Options
from patchkit.changes.model import Plan, Section
from patchkit.changes.paths import joined
from patchkit.changes.planner import plan
from patchkit.errors import PatchkitError
from patchkit.language.model import AddFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.language.parser import decode, parse
from patchkit.matching.model import Miss
from patchkit.policy.limits import Guard, lines_of
from patchkit.report.checked import APPLIES, PARSED, REFUSED, UNCHECKED, CheckedFile, CheckedHunk, CheckedPatch
from patchkit.tools.apply_result import apply_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.policy.limits import Gate


class Judge:
    """What every patch of a run is held against.

    `files` is None where only the language is in question; `pictures` asks for the lines of hunks and of the files
    beside them; `layered` lets each patch that applies be there for those after it; `gate` is asked whether the files
    of a patch may be read at all, None where everybody may.
    """

    def __init__(self, files: object, options: Options, guard: Guard) -> None:
        self.files = files
        self.options = options
        self.guard = guard
        self.pictures = False
        self.layered = False
        self.gate: Gate | None = None

    def judge(self, name: str, read: Callable[[], bytes]) -> CheckedPatch:
        """What becomes of one patch. Never raises for anything the patch or the tree can bring about."""
        checked = CheckedPatch(name)
        try:
            text = decode(read())
            checked.text = text
            patch = parse(text, self.options.strict)
            checked.notes.extend(patch.notes)
            if not patch.sections:
                raise PatchkitError("P110")
            self._judge(patch, checked)
        except PatchkitError as error:
            if error.code == "P109":
                error.code = "P101"  # its words are for a patch that was given as an argument
            checked.errors.extend(error.errors)
        except Exception as error:  # a defect of ours is told for the patch that met it, and the others are judged
            from patchkit.report.diagnostics import as_error

            checked.errors.append(as_error(error))
        self._tell_of_the_text(checked)
        return checked

    def _judge(self, patch: Patch, checked: CheckedPatch) -> None:
        checked.files = [_unplaced(op) for op in patch.sections]
        if self.pictures:
            from patchkit.tools.checking.pictures import lines

            for file, op in zip(checked.files, patch.sections):
                lines(file, op)
        errors = self.gate.refusals(patch) if self.gate is not None else []
        made: Plan | None = None
        if self.files is not None and not errors:
            made, errors = self._planned(patch, checked)
        if made is not None:
            checked.notes.extend(made.notes)
            self._describe(patch, made, checked)
        gone = sum(file.removed for file in checked.files if file.op == "delete")
        known = {id(section.op): section for section in made.sections} if made is not None else {}
        errors += self.guard.refusals(patch, lambda op: self._names(op, known.get(id(op))), lines_of(patch) + gone)
        _spread(errors, checked)
        if self.files is not None:
            _settle(checked, APPLIES if made is not None else PARSED)
        if made is not None and self.layered and checked.status == APPLIES:
            made.commit()

    def _planned(self, patch: Patch, checked: CheckedPatch) -> tuple[Plan, list[PatchkitError]]:
        """The plan as far as it could be made, and what hinders it."""
        try:
            made = plan(patch, self.files, self.options.rules())
            errors: list[PatchkitError] = []
        except PatchkitError as error:
            if not isinstance(error.plan, Plan):
                raise
            if self.options.remember:
                from patchkit.changes.suggestion import suggest

                better = suggest(patch, error, self.files, self.options.rules(), self.options.strict)
                checked.suggestion = better.text if better is not None else None
            made, errors = error.plan, error.errors
        return made, errors

    def _describe(self, patch: Patch, made: Plan, checked: CheckedPatch) -> None:
        """Fills in what the plan knows of each section, in the words of apply's own result."""
        done = Applied()
        done.plans = [made]
        try:
            known = apply_data(done, [], self.options.dialect)["files"]
        except PatchkitError:
            return  # a file that may be deleted but not read: the patch applies, and there is nothing to tell of it
        sections = {id(section.op): (section, data) for section, data in zip(made.sections, known)}  # type: ignore[call-overload]
        for op, file in zip(patch.sections, checked.files):
            if id(op) in sections:
                section, data = sections[id(op)]
                _fill(file, section, data)
                if self.pictures:
                    from patchkit.tools.checking.pictures import beside

                    beside(file, section)

    def _names(self, op: FileOp, section: Section | None) -> list[str]:
        """The workspace names a section touches: as its paths spell them, and as the tree knows them."""
        paths = [op.path, *([op.move_to] if isinstance(op, UpdateFile) and op.move_to else [])]
        names = [name for name in map(self._name, paths) if name]
        names += [section.source, section.name] if section is not None else []
        return list(dict.fromkeys(names))

    def _name(self, path: str) -> str:
        """A path from the root; '' for one that is refused anyway."""
        path = path.strip(" \t")
        try:
            parts = self.files.parts(path) if self.files is not None else joined([], path)  # type: ignore[attr-defined]
        except PatchkitError:
            return ""
        return "/".join(parts or [])

    def _tell_of_the_text(self, checked: CheckedPatch) -> None:
        """Keeps the text that line numbers speak of, where something will be quoted from it."""
        if checked.text is None or not checked.every_error:
            checked.text = None
        elif not self.options.strict:
            from patchkit.language.lenience import unwrap

            try:
                checked.text = unwrap(checked.text).text
            except PatchkitError:
                pass  # what is around the patch is the trouble


def _unplaced(op: FileOp) -> CheckedFile:
    """A section as the patch alone tells of it, in the words of apply's result."""
    data: dict[str, object] = {"path": op.path, "op": "delete", "moved_from": None, "added": 0, "removed": 0}
    data.update(sha256_before=None, sha256_after=None, hunks=[])
    file = CheckedFile(data, op.line)
    if isinstance(op, AddFile):
        data.update(op="add", added=lines_of(Patch([op])))
    elif isinstance(op, UpdateFile):
        signs = [line[0] for hunk in op.hunks for line in hunk.lines]
        data.update(op="update", added=signs.count("+"), removed=signs.count("-"))
        if op.move_to:
            data.update(op="move", path=op.move_to, moved_from=op.path)
        file.hunks = [CheckedHunk(_unplaced_hunk(number, hunk)) for number, hunk in enumerate(op.hunks, 1)]
    return file


def _unplaced_hunk(number: int, hunk: Hunk) -> dict[str, object]:
    data: dict[str, object] = {"index": number, "patch_line": hunk.line, "status": PARSED, "line": None}
    data.update({"candidates": [], "candidate_count": 0, "near_miss": None, "pass": None, "evidence": []})
    return data


def _fill(file: CheckedFile, section: Section, data: dict[str, object]) -> None:
    file.data = data
    for hunk, known, result in zip(file.hunks, data["hunks"], section.results):  # type: ignore[call-overload]
        hunk.data = known
        if isinstance(result, Miss):
            hunk.miss, hunk.near = result.code, result.facts.get("near")


def _settle(checked: CheckedPatch, otherwise: str) -> None:
    """Says of every file whether it is refused, and of every hunk that has no place that nobody looked for one."""
    for file in checked.files:
        file.status = REFUSED if file.errors else otherwise
        for hunk in file.hunks:
            if hunk.status == PARSED:  # there was no file to look at
                hunk.data["status"] = UNCHECKED


def _spread(errors: list[PatchkitError], checked: CheckedPatch) -> None:
    """Gives each error to the section it stands in; what has no line of its own is the whole patch's."""
    openings = [file.patch_line for file in checked.files]  # ascending, as the sections are
    for error in errors:
        at = bisect_right(openings, error.patch_line or 0)
        (checked.files[at - 1].errors if at else checked.errors).append(error)
