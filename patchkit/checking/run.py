"""One run of check: what was asked for, and the files it is about.

Takes a CheckRequest; opens the workspace or the git commit that patches are checked against, once for all of them, and
checks one patch after the other. Several processes at once are the work of `jobs`.
"""

from __future__ import annotations

import os
from bisect import bisect_right

from patchkit.applying import Applied, asks_for_nothing, name_format, notes_on_nothing, planned_as_meant, read_patch
from patchkit.checking.limits import Guard, Limits, PatchPermissions, lines_of
from patchkit.checking.report import (
    APPLIES,
    PARSED,
    REFUSED,
    STDIN,
    UNCHECKED,
    CheckedFile,
    CheckedHunk,
    CheckedPatch,
    Excerpt,
    Report,
)
from patchkit.core.changes import Options, Plan, Section, joined
from patchkit.core.language import AddFile, FileOp, Patch, UpdateFile
from patchkit.core.language.parser import decode, parse, without_wrapping
from patchkit.core.matching import Match, Miss
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError, raise_all
from patchkit.guards import may_break_syntax
from patchkit.handles import ReportedAs
from patchkit.sources import DocumentMemory, MemoryFiles, Overlay
from patchkit.tools.apply_result import apply_data
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.bases import PatchBases
    from patchkit.core.changes import Files
    from patchkit.diffs.git_tree import GitTree
    from patchkit.policy.oversight import Oversight
    from patchkit.report.result import Json


# The patches that a command line names: files, directories, globs, standard input.
#
# Takes the words as they were given; returns one PatchSource for each patch, in a fixed order; each is read when it is
# checked. These are a person's own files, not paths of the workspace: they may be anywhere.
SUFFIXES = (".patch", ".apply_patch", ".applypatch")  # what counts as a patch in a directory
OF_DIFFS = (".diff",)  # and where patches in other formats are checked
_PIECE = 1 << 20
_HUGE = 1 << 32  # a read of so many bytes takes the memory for them, however small the file is


class PatchSource(Record):
    """One patch to check: its name, and how many bytes of it are read at most."""

    name: str
    limit: int
    data: bytes | None = None  # of standard input, which only one process can read

    def read(self) -> bytes:
        """The bytes of the patch; raises for a file that cannot be read, and for one that is too large."""
        data = self.data
        if data is None:
            with ReportedAs("P401", file=self.name), open(self.name, "rb") as file:
                data = file.read(self.limit + 1 if self.limit < _HUGE else -1)
        if len(data) > self.limit:
            raise PatchkitError("P115", limit=self.limit)
        return data


def sources(words: list[str], limit: int, suffixes: tuple[str, ...] = SUFFIXES) -> list[PatchSource]:
    """The patches that `words` name, each once; raises P661 for a word that names none."""
    names: dict[str, None] = {}
    for word in words:
        found = [STDIN] if word == STDIN else _named(word, suffixes)
        if not found:
            raise PatchkitError("P661", given=word, **_why_none(word, suffixes))
        names.update(dict.fromkeys(found))
    return [PatchSource(name, limit, _stdin(limit) if name == STDIN else None) for name in names]


def _why_none(word: str, suffixes: tuple[str, ...]) -> dict[str, str]:
    """What there is in the place of patches: nothing of the name, or a directory of files with other names."""
    facts = {"suffixes": ", ".join(f"'*{suffix}'" for suffix in suffixes)}
    if os.path.isdir(word):
        others = _below(word, ("",))[:1]
        return {**facts, "example": others[0]} if others else facts
    return facts if any(char in word for char in "*?[") else {**facts, "missing": word}


def _named(word: str, suffixes: tuple[str, ...]) -> list[str]:
    """The files a word means. A file of exactly this name wins over what it says as a glob."""
    if os.path.isdir(word):
        return _below(word, suffixes)
    if os.path.lexists(word):
        return [word]
    if not any(char in word for char in "*?["):
        return []
    found: list[str] = []
    from glob import glob  # it loads `re`

    for path in sorted(glob(word, recursive=True)):
        found += [path] if os.path.isfile(path) else _below(path, suffixes) if "**" not in word else []
    return found


def _below(directory: str, suffixes: tuple[str, ...]) -> list[str]:
    """The patches in a directory and below it, by their names; hidden directories are left out."""
    found = []
    for base, names, files in os.walk(directory):
        names[:] = sorted(name for name in names if not name.startswith("."))
        paths = [os.path.join(base, name) for name in sorted(files) if name.endswith(suffixes)]
        found += [path for path in paths if os.path.isfile(path)]  # a FIFO is not a patch
    return found


def _stdin(limit: int) -> bytes:
    """All of standard input, or enough of it to see that it is too much."""
    pieces, size = [], 0
    with ReportedAs("P403"):
        while size <= limit and (piece := os.read(0, _PIECE)):
            pieces.append(piece)
            size += len(piece)
    return b"".join(pieces)


# One patch, checked: read, parsed, planned and compared with the limits, with nothing written.
#
# Takes the bytes of a patch and the files it is about (None when only the syntax is checked); returns a CheckedPatch,
# whatever is wrong with it. The parser and the planner are those of apply, and so are the facts. For output formats
# that show hunks, the lines of the hunks and of the files around them are added, within bounds.
_LINES = 120  # of a hunk, of a new file, of a window: what is longer is cut
_WINDOWS = 3  # places of an ambiguous hunk that are shown


class PatchChecker(Record):
    """Checks the patches of a run."""

    files: Files | None  # None where only the syntax is checked
    options: Options
    guard: Guard
    pictures: bool = False  # whether the lines of hunks, and of the files around them, are kept
    layered: bool = False  # whether each patch that applies is visible to those after it
    brief: bool = False  # whether what a list of good patches does not show is dropped
    permissions: PatchPermissions | None = None  # None where all files may be read
    bases: PatchBases | None = None  # what patches were made for, where they are checked against `workspace`
    workspace: Workspace | None = None

    def check(self, name: str, read: Callable[[], bytes]) -> CheckedPatch:
        """Checks one patch. Never raises for anything that a patch or a tree can cause."""
        checked = CheckedPatch(name)
        checked.foreign = bool(self.options.source)
        try:
            text = decode(read())
            checked.text = text
            files = self.files if self.files is not None else MemoryFiles({})
            judges = self.permissions if self.bases is not None or self.options.source else None
            asked = self._asked(text) if judges is not None else Patch([])
            judged = judges.refusals(asked) if judges is not None else []
            patch = asked if judged else self._read(text, files)
            checked.notes.extend(patch.notes)
            if asks_for_nothing(patch):
                checked.notes.extend(notes_on_nothing(patch))
            elif not patch.sections:
                raise PatchkitError("P110")
            else:
                self._check(patch, checked, judged)
            if self.layered and self.bases is not None and checked.status == APPLIES:
                self.bases.add(text)
        except PatchkitError as error:
            if self.bases is not None and self.workspace is not None:
                from patchkit.bases import FoundBase

                if isinstance(self.options.base, FoundBase):
                    self.options.base.explain(error)
                from patchkit.repair.looking_back import look_back  # refusals alone

                look_back(error, self.workspace, self.options)
            if error.code == "P109":
                error.code = "P101"  # whose message is for a patch that was given as an argument
            checked.errors.extend(error.errors)
        except Exception as error:  # is reported for the patch that met it, and the others are checked
            from patchkit.report.diagnostics import as_error

            checked.errors.append(as_error(error))
        for fault in checked.every_error:
            fault.facts["read_only"] = True  # a check never writes, so its help does not say so
        if checked.text is None or not checked.every_error:  # nothing will be quoted from it
            checked.text = None
        elif not self.options.strict and not self.options.source:
            try:
                checked.text = without_wrapping(checked.text)  # which line numbers refer to
            except PatchkitError:
                pass  # the text around the patch is the problem
        if self.brief:
            checked.shorten()
        return checked

    def _read(self, text: str, files: Files) -> Patch:
        """The patch that a text means for the files; with a base, what its changes are when they are merged."""
        if self.bases is None or self.workspace is None:
            return read_patch(text, files, self.options)
        self.options.base = None
        self.options.base = self.bases.base_of(text, self.workspace, self.options, files)
        return read_patch(text, files, self.options)

    def _asked(self, text: str) -> Patch:
        """The paths that a text names, to be judged before a base, or a file that another format needs, is read."""
        from patchkit.formats.foreign import paths_of

        source = self.options.source
        return paths_of(text, source, self.options) if source else parse(text, self.options.strict)

    def _check(self, patch: Patch, checked: CheckedPatch, judged: list[PatchkitError]) -> None:
        checked.files = [_unplaced(op) for op in patch.sections]
        if self.pictures:
            for file, op in zip(checked.files, patch.sections):
                _add_lines(file, op)
        errors = judged or (self.permissions.refusals(patch) if self.permissions is not None else [])
        made: Plan | None = None
        if self.files is not None and not errors:
            made, errors = self._planned(patch, self.files, checked)
        if made is not None:
            checked.notes.extend(made.notes)
            self._describe(patch, made, checked)
        gone = sum(file.data["removed"] for file in checked.files if file.data["op"] == "delete")
        known = {id(section.op): section for section in made.sections} if made is not None else {}
        errors += self.guard.refusals(patch, lambda op: self._paths(op, known.get(id(op))), lines_of(patch) + gone)
        openings = [file.patch_line for file in checked.files]  # ascending, as the sections are
        for error in errors:  # one without a line belongs to the whole patch
            at = bisect_right(openings, error.patch_line or 0)
            (checked.files[at - 1].errors if at else checked.errors).append(error)
        for file in checked.files if self.files is not None else ():
            file.status = REFUSED if file.errors else APPLIES if made is not None else PARSED
            for hunk in file.hunks:
                if hunk.data["status"] == PARSED:  # there was no file to look at
                    hunk.data["status"] = UNCHECKED
        _join_moves(patch, checked)
        if made is not None and self.layered and checked.status == APPLIES:
            made.commit()

    def _planned(self, patch: Patch, files: Files, checked: CheckedPatch) -> tuple[Plan, list[PatchkitError]]:
        """The plan as far as it could be made, and its errors."""
        try:
            made = planned_as_meant(patch, files, self.options)
            if self.options.syntax not in ("", "off") and may_break_syntax(made):
                from patchkit.guards.syntax import check_syntax  # loads parsers

                check_syntax(made, self.options.syntax)
            errors: list[PatchkitError] = []
        except PatchkitError as error:
            if not isinstance(error.plan, Plan):
                raise
            if self.options.suggest:
                from patchkit.repair.suggestion import suggest

                better = suggest(patch, error, files, self.options, self.options.strict)
                if better is not None:
                    checked.suggestion, checked.certainty = better.text, better.certainty
            if self.options.source:
                name_format(error, patch, self.options)
            if self.options.partial:
                from patchkit.selecting import fit_words

                checked.fits = fit_words(patch, files, self.options)
            made, errors = error.plan, error.errors
        return made, errors

    def _describe(self, patch: Patch, made: Plan, checked: CheckedPatch) -> None:
        """Fills in what the plan knows of each section, as in the result of apply."""
        done = Applied()
        done.plans = [made]
        try:
            known = apply_data(done, [], self.options.dialect)["files"]
        except PatchkitError:
            return  # a file that may be deleted but not read: the patch applies, and nothing more is known
        sections = {id(section.op): (section, data) for section, data in zip(made.listed, known)}
        for op, file in zip(patch.sections, checked.files):
            if id(op) in sections:
                section, data = sections[id(op)]
                _fill(file, section, data)
                if self.pictures:
                    _add_surroundings(file, section)

    def _paths(self, op: FileOp, section: Section | None) -> list[str]:
        """The workspace names a section touches: as its paths spell them, and as the tree knows them."""
        paths = [op.path, *([op.move_to] if isinstance(op, UpdateFile) and op.move_to else [])]
        names = [name for name in map(self._name, paths) if name]
        names += [section.source, section.name] if section is not None else []
        return list(dict.fromkeys(names))

    def _name(self, path: str) -> str:
        """A path from the root; '' for one that is refused anyway."""
        path = path.strip(" \t")
        try:
            parts = self.files.parts(path) if self.files is not None else joined([], path)
        except PatchkitError:
            return ""
        return "/".join(parts or [])


def _unplaced(op: FileOp) -> CheckedFile:
    """A section as far as the patch alone describes it, as in the result of apply."""
    data: Json = {"path": op.path, "op": "delete", "moved_from": None, "added": 0, "removed": 0}
    data.update(sha256_before=None, sha256_after=None, hunks=[])
    file = CheckedFile(data, op.line)
    if isinstance(op, AddFile):
        data.update(op="add", added=lines_of(Patch([op])))
    elif isinstance(op, UpdateFile):
        signs = [line[0] for hunk in op.hunks for line in hunk.lines]
        data.update(op="update", added=signs.count("+"), removed=signs.count("-"))
        if op.move_to:
            data.update(op="move", path=op.move_to, moved_from=op.path)
        for number, hunk in enumerate(op.hunks, 1):
            about: Json = {"index": number, "patch_line": hunk.line, "status": PARSED, "line": None}
            unplaced: Json = {"candidates": [], "candidate_count": 0, "near_miss": None, "pass": None, "evidence": []}
            file.hunks.append(CheckedHunk({**about, **unplaced}))
    return file


def _fill(file: CheckedFile, section: Section, data: Json) -> None:
    file.data = data
    for hunk, known, result in zip(file.hunks, data["hunks"], section.results):
        hunk.data = known
        if isinstance(result, Miss):
            from patchkit.repair.near_miss import NearMiss

            near = result.facts.get("near")
            hunk.miss, hunk.near = result.code, near if isinstance(near, NearMiss) else None


def _join_moves(patch: Patch, checked: CheckedPatch) -> None:
    """Leaves one file of two sections that move it on one line of the text: of a circle of renames, as in a plan."""
    away: dict[tuple[int, str], int] = {}
    second: set[int] = set()
    for number, op in enumerate(patch.sections):
        if not isinstance(op, UpdateFile) or not op.move_to or not op.line:
            continue
        first = away.pop((op.line, op.path), None)
        if first is None:
            away[op.line, op.move_to] = number
            continue
        kept, left = (number, first) if op.hunks else (first, number)
        file = checked.files[kept]
        file.data["path"], file.data["moved_from"] = op.move_to, patch.sections[first].path
        file.errors += checked.files[left].errors
        second.add(left)
    checked.files = [file for number, file in enumerate(checked.files) if number not in second]


def _add_lines(file: CheckedFile, op: FileOp) -> None:
    if isinstance(op, AddFile):
        texts = op.text.removesuffix("\n").split("\n") if op.text else []
        file.text, file.more = texts[:_LINES], max(0, len(texts) - _LINES)
    elif isinstance(op, UpdateFile):
        for shown, hunk in zip(file.hunks, op.hunks):
            shown.anchors, shown.lines, shown.body_line = hunk.anchors, hunk.lines[:_LINES], hunk.body_line
            shown.more = max(0, len(hunk.lines) - _LINES)


def _add_surroundings(file: CheckedFile, section: Section) -> None:
    """The lines of the file where a hunk goes, or could go, or nearly matches."""
    if section.document is None or not isinstance(section.op, UpdateFile):
        return
    texts = section.document.texts
    for hunk, result, asked in zip(file.hunks, section.results, section.op.hunks):
        if isinstance(result, Match):
            hunk.lines = _as_applied(result, texts)[:_LINES]
        else:
            size = sum(line[0] != "+" for line in asked.lines)
            nearest = [hunk.near.line + 1] if hunk.near is not None else []
            hunk.windows = [_window(texts, place, size) for place in hunk.candidates[:_WINDOWS] or nearest]


def _as_applied(match: Match, texts: list[str]) -> list[str]:
    """The lines of a hunk that matches: the old ones as the file has them, the added ones as they will be."""
    lines, old = [], 0
    for line in match.lines:
        if line[0] != "+":
            at = match.line + old if match.pairs is None else match.pairs[old]
            line = line[0] + texts[at] if 0 <= at < len(texts) else line
            old += 1
        lines.append(line)
    return lines


def _window(texts: list[str], line: int, size: int) -> Excerpt:
    """The lines that a hunk of this size would replace, and one on either side."""
    first = max(1, line - 1)
    last = min(len(texts), line + size)
    shown = texts[first - 1 : last][:_LINES]
    return Excerpt(first, shown, max(0, last - first + 1 - len(shown)))


MOST_BYTES = 64 << 20  # of one patch
_MEMORY = 32 << 20  # bytes that a run takes to remember files that several patches are about


class CheckRequest(Record):
    """What to check patches against, and how; see PatchChecker for what is not said here."""

    root: str | None
    start: str | None
    options: Options
    against: str | None = None  # a git revision
    git_dir: str | None = None  # where the repository is not that of `root`
    base: str | None = None  # what patches were made for: a revision, a directory or 'auto'
    syntax_only: bool = False
    sequence: bool = False  # whether each patch is planned on top of those before it
    limits: Limits = Limits()
    pictures: bool = False
    brief: bool = False

    def __init__(self, root: str | None = None, start: str | None = None, options: Options | None = None) -> None:
        super().__init__(root, start, options or Options(check=True))

    def rules(self) -> list[str]:
        """What is asked for beyond applying, in words."""
        rules = ["syntax only"] if self.syntax_only else []
        if self.sequence:
            rules.append("each patch on top of those before it")
        if self.base is not None:
            rules.append(f"merged from the base '{self.base}'")
        if self.options.strict:
            rules.append("strict")
        elif self.options.max_pass != Options().max_pass:
            rules.append(f"no pass beyond {self.options.max_pass}")
        return rules + self.limits.rules()


class CheckRun:
    """One run of check: the files, opened once for all patches, and what every patch is checked against.

    `files` are those of a caller who has opened them already, and who will close them. `watch` says who calls, where
    the call has not been judged yet.
    """

    def __init__(self, request: CheckRequest, files: Workspace | None = None, watch: Oversight | None = None) -> None:
        self._own: Workspace | GitTree | None = None
        self.report = Report([], os.path.realpath(request.root or "."))
        self.report.rules = request.rules()
        source = files if files is not None else self._opened(request)
        if isinstance(source, Workspace):
            source.prepare(request.options)
            self.report.notes = source.begin(writing=False)
        self.report.start = _start(request, source)
        files_of_patches = Overlay(source) if request.sequence and source is not None else source
        options = request.options.limited_to(request.options.max_pass, None)
        options.memory = DocumentMemory(_MEMORY)
        how = (request.pictures, request.sequence, request.brief)
        self.checker = PatchChecker(files_of_patches, options, Guard(request.limits), *how)
        if request.base is not None and isinstance(source, Workspace):
            from patchkit.bases import PatchBases  # which loads all that reads repositories

            self.checker.workspace, self.checker.bases = source, PatchBases(request.base)
            self.checker.bases.open(source)
        self.watch = watch
        if watch is not None and source is not None:
            self.checker.permissions = _permissions(watch, source)

    def _opened(self, request: CheckRequest) -> Workspace | GitTree | None:
        if request.syntax_only:
            return None
        if request.against is None:
            self._own = Workspace(request.root, request.start)
            return self._own
        from patchkit.diffs.git_tree import GitTree

        commit = self._own = GitTree(request.against, request.git_dir, request.root, request.start)
        self.report.against = commit.commit_id
        return commit

    def __enter__(self) -> CheckRun:
        return self

    def __exit__(self, *_: object) -> None:
        if self.checker.bases is not None:
            self.checker.bases.close()
        if self._own is not None:
            self._own.close()


def _start(request: CheckRequest, source: Workspace | GitTree | None) -> str:
    """Where the paths of patches begin, as a directory; '' in a repository without a work tree."""
    if request.git_dir:
        return ""
    if source is None:
        return os.path.realpath(request.start or request.root or ".")
    return os.path.realpath(os.path.join(source.root, *source.parts("")))


def _permissions(watch: Oversight, source: Workspace | GitTree) -> PatchPermissions | None:
    judge = watch.judge_over(source)
    if judge is None:
        return None
    if isinstance(source, Workspace):
        source.may_read = judge.reader(watch.tool, watch.agent)
    else:
        source.refuse_bare_tree()
    made = PatchPermissions(judge, watch.agent)
    source.on_renamed = lambda patch, _check: raise_all(made.refusals(patch))
    return made


def checked_in_turn(
    patches: list[PatchSource], run: CheckRun, on_done: Callable[[int], None] | None = None
) -> list[CheckedPatch]:
    """Checks the patches one after the other, in this process; `on_done` gets the number of those done."""
    found = []
    for number, patch in enumerate(patches, 1):
        found.append(run.checker.check(patch.name, patch.read))
        if on_done is not None:
            on_done(number)
    return found
