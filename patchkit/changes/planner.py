"""Work out what a patch does to the files it names, and write nothing.

Takes a Patch and a source of files (a workspace, or a mapping); gives a Plan, or raises with every fault
it found. Sections see the results of earlier ones: what a section leaves behind is what the next
one reads.
"""

from __future__ import annotations

from patchkit.changes.duplicates import refuse_duplicates
from patchkit.changes.model import SAFE, Dialect, Entry, FileChange, Plan, Section, Whole, watched
from patchkit.changes.paths import ancestors, refuse_protected
from patchkit.changes.splice import Replacement, replacements, splice
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.language.model import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.matching.locate import locate
from patchkit.matching.model import Match, Miss, Policy
from patchkit.text.document import Document


class Rules:
    """How to plan: the dialect, whether existing files may be replaced, and what matching may tolerate."""

    __slots__ = ("dialect", "overwrite", "policy", "forward", "allow_vcs", "allow_duplicate", "strict", "encoding")

    def __init__(self, dialect: Dialect = SAFE, overwrite: bool = False, policy: Policy | None = None) -> None:
        self.dialect = dialect
        self.overwrite = overwrite or dialect.overwrite
        self.policy = policy if policy is not None else Policy(first_wins=dialect.first_wins)
        self.forward = False  # what is there already counts as done
        self.allow_duplicate = False  # what the file has already may be put in again
        self.allow_vcs = False  # the insides of version control may be changed
        self.strict = False  # what would be forgiven with a note is refused
        self.encoding: str | None = None  # of files that are not UTF-8


def plan(patch: Patch, files: object, rules: Rules | None = None) -> Plan:
    """Returns the plan for a whole patch; raises with all faults of all sections when it has any."""
    if not patch.sections:
        raise PatchkitError("P110")
    planner = Planner(files, rules if rules is not None else Rules())
    for section in watched(files, "reading", patch.sections, len(patch.sections)):
        planner.add(section)
    if planner.errors:
        from patchkit.changes.explain import explain

        explain(planner.plan, planner.errors, planner.rules.policy)
        planner.errors[0].plan = planner.plan  # what is known of the other sections, for whoever reports
        raise_all(planner.errors)
    if not any(change.changed for change in planner.plan.changes.values()):
        planner.plan.notes.append(Note("P933"))
    return planner.plan


class Planner:
    """Takes sections one after the other; `plan` holds what they come to, `errors` what is wrong with them."""

    def __init__(self, files: object, rules: Rules) -> None:
        self.plan = Plan(files)
        self.rules = rules
        self.errors: list[PatchkitError] = []
        self._files = files
        self._homes: set[str] = set()  # directories that files of this plan stand in

    def add(self, op: FileOp) -> None:
        try:
            if isinstance(op, UpdateFile):
                self._update(op)
            elif isinstance(op, AddFile):
                self._add(op)
            else:
                self._delete(op)
        except PatchkitError as error:
            for each in error.errors:
                each.facts.setdefault("file", op.path)
                each.facts.setdefault("patch_line", op.line)
            self.errors.append(error)

    # -- the three operations --------------------------------------------------------------------

    def _add(self, op: AddFile) -> None:
        entry = self._find(op.path, follow=False)
        text = self._ended(entry, op.text.encode("utf-8", "surrogateescape"))
        self.plan.sections.append(Section(op, "A", op.path, entry.name))
        if self.rules.forward and entry.kind == "file" and b"".join(self._current(entry) or []) == text:
            self.plan.notes.append(Note("P929", file=op.path, what="the new file"))
            return
        self._refuse_existing(op.path, entry, "P303")
        self._leave(op.path, entry, [text] if text else [], self._original(entry))

    def _ended(self, entry: Entry, text: bytes) -> bytes:
        """The text of a new file with the line endings that new files have there."""
        asked = getattr(self._files, "new_ending", None)
        ending = asked(entry.name) if asked is not None else b"\n"
        return text if ending == b"\n" else text.replace(b"\r\n", b"\n").replace(b"\n", ending)

    def _delete(self, op: DeleteFile) -> None:
        entry = self._find(op.path, follow=False)
        if not self._is_file(entry) and entry.kind != "link":
            self._refuse_absent(op.path, entry)
        self._leave(op.path, entry, None, None)
        self.plan.sections.append(Section(op, "D", op.path, entry.name))

    def _update(self, op: UpdateFile) -> None:
        entry = self._find(op.path, follow=True)
        before = self._current(entry)
        if before is None:
            self._refuse_absent(op.path, entry)
        section = Section(op, "M", op.move_to or op.path, entry.name, op.path if op.move_to else None)
        self.plan.sections.append(section)
        after = self._edited(op, before, section) if op.hunks else before  # type: ignore[arg-type]
        if op.move_to is None:
            self._leave(op.path, entry, after, self._keeps(entry))
        else:
            section.name = self._move(op, entry, after)  # type: ignore[arg-type]

    def _move(self, op: UpdateFile, entry: Entry, after: list[bytes]) -> str:
        """Leaves the content under another name, which it returns."""
        try:
            return self._moved(op, entry, after)
        except PatchkitError as error:
            error.facts.setdefault("patch_line", op.move_line)
            raise

    def _moved(self, op: UpdateFile, entry: Entry, after: list[bytes]) -> str:
        goal = self._find(op.move_to, follow=False)  # type: ignore[arg-type]
        if goal.name == entry.name:
            said, leaf = op.move_to.rstrip(" \t/"), goal.name.rpartition("/")[2]  # type: ignore[union-attr]
            if said.casefold().endswith(leaf.casefold()) and not said.endswith(leaf):
                raise PatchkitError("P304", file=op.move_to, source=op.path)  # one name where case makes no difference
            self._leave(op.path, entry, after, self._keeps(entry))
            return entry.name
        source = self._find(op.path, follow=False) if entry.target else entry
        if source.kind == "link" and source.name not in self.plan.changes:
            raise PatchkitError("P314", file=op.path, target=source.target)
        self._refuse_existing(op.move_to, goal, "P304", source=op.path)  # type: ignore[arg-type]
        self._leave(op.move_to, goal, after, self._keeps(entry))  # type: ignore[arg-type]
        self._leave(op.path, entry, None, None)
        return goal.name

    def _edited(self, op: UpdateFile, before: list[bytes], section: Section) -> list[bytes]:
        """The file's new bytes, or the old ones when nothing changes; raises with every hunk that has no place."""
        document = section.document = self._document(op, before)
        section.results = locate(document, op.hunks, self.rules.policy)
        faults = []
        for number, result in enumerate(section.results, 1):
            if type(result) is Match:
                if not result.notes:
                    continue
                for note in result.notes:
                    note.facts["file"] = op.path
                if not (result.notes and self.rules.strict):
                    self.plan.notes.extend(result.notes)
                    continue

                result = section.results[number - 1] = unforgiven(result.notes[0], result.line)
            hunk = op.hunks[number - 1]
            place = {"file": op.path, "hunk": number, "patch_line": hunk.line}
            if result.code == "P205" and self.rules.forward:  # type: ignore[union-attr]
                self.plan.notes.append(Note("P929", file=op.path, what=f"hunk {number}", patch_line=hunk.line))
            else:
                faults.append(fault(result, hunk, place))  # type: ignore[arg-type]
        raise_all(faults)
        made = section.replacements
        parts: list[tuple[int, list[Replacement]]] = []  # of each hunk that changes something
        for number, (hunk, result) in enumerate(zip(op.hunks, section.results)):
            if type(result) is Match:
                try:
                    new = replacements(document, result)
                except PatchkitError as error:
                    error.facts["patch_line"] = hunk.line
                    raise
                new = [each for each in new if not each.changes_nothing_in(document)]
                made.extend(new)
                parts.append((number, new))
        if not self.rules.allow_duplicate:
            self._refuse_duplicates(op, document, parts, section)
        wanted = self._final_newline(op)
        if not made and (wanted is None or wanted == document.terminated):
            return before
        return document.file_bytes(splice(document, made, wanted))

    def _refuse_duplicates(
        self, op: UpdateFile, document: Document, parts: list[tuple[int, list[Replacement]]], section: Section
    ) -> None:
        """Raises with every hunk that would put something into the file a second time."""
        faults = []
        for number, own in parts:
            try:
                refuse_duplicates(document, section.replacements, own)
            except PatchkitError as error:
                hunk = op.hunks[number]
                miss = Miss(error.code, [int(str(error.facts["line"])) - 1], **error.facts)
                section.results[number] = miss
                faults.append(fault(miss, hunk, {"file": op.path, "hunk": number + 1, "patch_line": hunk.line}))
        raise_all(faults)

    def _document(self, op: UpdateFile, before: list[bytes]) -> Document:
        """The file's text. Hunks of ASCII characters fit it in any encoding; for others it may have to be known."""
        document = Document(before[0] if len(before) == 1 and type(before[0]) is bytes else b"".join(before))
        if document.bom or all("".join(hunk.lines).isascii() for hunk in op.hunks):
            return document
        if _is_plain(document.data, self.rules.encoding):
            return document
        from patchkit.changes.legacy import Reader

        rules = self.rules
        reader = Reader(rules.encoding, rules.policy, rules.forward, rules.strict)
        document = reader.read(document, op.hunks)
        if reader.guessed:
            self.plan.notes.append(Note("P934", file=op.path, encoding=document.encoding))
        return document

    def _final_newline(self, op: UpdateFile) -> bool | None:
        said = [hunk.final_newline for hunk in op.hunks if hunk.final_newline is not None]
        if said:
            return said[-1]
        return True if self.rules.dialect.final_newline else None

    # -- what stands where, as this patch has left it so far --------------------------------------

    def _find(self, path: str, follow: bool) -> Entry:
        entry: Entry = self._files.find(path, follow)  # type: ignore[attr-defined]
        self._refuse_below_a_file(path, entry)
        if entry.name != path and path != path.strip(" \t") and entry.name == path.strip(" \t"):
            note = Note("P931", file=path)
            if self.rules.strict:
                raise PatchkitError("P213", file=path, what=note.message)
            self.plan.notes.append(note)
        return entry

    def _refuse_below_a_file(self, path: str, entry: Entry) -> None:
        """A file cannot hold files: neither one that stands there, nor one this patch has put there."""
        for name in [*ancestors(entry.name), entry.blocker]:
            change = self.plan.changes.get(name)
            if (name == entry.blocker != "" and change is None) or (change is not None and change.after is not None):
                raise PatchkitError("P310", file=path, parent=name)

    def _current(self, entry: Entry) -> list[bytes] | None:
        change = self.plan.changes.get(entry.name)
        if change is not None:
            return change.after
        return Whole(entry) if entry.kind == "file" else None

    def _is_file(self, entry: Entry) -> bool:
        """Whether a file stands there; asking reads nothing."""
        change = self.plan.changes.get(entry.name)
        return change.after is not None if change is not None else entry.kind == "file"

    def _original(self, entry: Entry) -> Entry | None:
        """The file that stood here before the run, whose mode a new one at the same name takes over."""
        change = self.plan.changes.get(entry.name)
        before = change.before if change is not None else entry
        return before if before.kind == "file" else None

    def _keeps(self, entry: Entry) -> Entry | None:
        change = self.plan.changes.get(entry.name)
        return change.keeps if change is not None else entry

    def _leave(self, path: str, entry: Entry, after: list[bytes] | None, keeps: Entry | None) -> None:
        """Records what is at a name after this section."""
        if not self.rules.allow_vcs:
            refuse_protected(path, entry.name)
        if after is not None and entry.name.rpartition("/")[0] not in self._homes:
            self._homes.update(ancestors(entry.name))
        change = self.plan.changes.get(entry.name)
        if change is None:
            self.plan.changes[entry.name] = FileChange(path, entry, after, keeps)
        else:
            change.path, change.after, change.keeps = path, after, keeps

    def _refuse_absent(self, path: str, entry: Entry) -> None:
        if entry.kind == "directory":
            raise PatchkitError("P305", file=path)
        if entry.kind == "link":
            raise PatchkitError("P307", file=path, target=entry.target)
        if entry.kind not in ("missing", "file"):
            raise PatchkitError("P306", file=path, type=entry.kind)
        raise PatchkitError("P302", file=path)

    def _refuse_existing(self, path: str, entry: Entry, code: str, **facts: object) -> None:
        change = self.plan.changes.get(entry.name)
        there = entry.kind if change is None else ("file" if change.after is not None else "missing")
        if there == "directory" or entry.name in self._homes:
            raise PatchkitError("P305", file=path)
        if there == "link":
            raise PatchkitError("P308", file=path)
        if there == "missing" or (there == "file" and self.rules.overwrite):
            return
        if there != "file":
            raise PatchkitError("P306", file=path, type=there)
        raise PatchkitError(code, file=path, **facts)


def _is_plain(data: bytes, named: str | None) -> bool:
    """Whether a file is UTF-8 beyond doubt; one of ASCII characters alone may still be declared as something else."""
    if data.isascii():
        head = data[:1024]
        return named is None and b"coding" not in head and b"charset" not in head
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


# -- faults: Hunks without a place, as errors. Loaded when there is one.


def unforgiven(note: Note, line: int) -> Miss:
    """A hunk that has its place, but not without what a note tells of, for a caller who wants nothing forgiven."""
    return Miss("P213", [line], what=note.message, line=line + 1)


def fault(miss: Miss, hunk: Hunk, place: dict[str, object]) -> PatchkitError:
    """A hunk without a place, as an error that knows where in the patch its trouble starts."""
    error = PatchkitError(miss.code, **{**miss.facts, **place})
    error.facts["candidates"] = [line + 1 for line in miss.candidates]
    near = miss.facts.get("near")
    if near is not None:
        rows = [row for row, line in enumerate(hunk.lines) if line[0] != "+"]
        error.facts["differs_at"] = hunk.body_line + rows[near.index]  # type: ignore[attr-defined]
    return error
