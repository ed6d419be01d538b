"""A grammar for the files of a workspace, to hand to a model's host: every patch it allows applies to them.

Takes a root, paths and what a patch may do to them; returns the text of the grammar with notes about what it leaves
out, or raises. The files are read under the same rules as by the Read tool. The rules of the grammar are made in
`file_grammar`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from patchkit.core.changes import Options
from patchkit.core.language import AddFile, DeleteFile, FileOp, Patch, UpdateFile
from patchkit.core.text import Document
from patchkit.core.workspace.root import Workspace
from patchkit.errors import Note, PatchkitError
from patchkit.file_grammar import FileGrammar, GrammarFile, NamePattern
from patchkit.history.sessions import Tracker, hashed
from patchkit.policy import READ
from patchkit.policy.oversight import Oversight
from patchkit.reading import open_file
from patchkit.repair import planned
from patchkit.tools.registry import effect_and_name, named
from patchkit.values import Record

Lines = Sequence[tuple[int, int]]

MOST_STARTS = 900  # lines that may start a hunk, in all files together; hosts with default limits take about 950
_RANGES = "first and last line, as in 10-40"


class WantedGrammar(Record):
    """What a grammar is asked for."""

    paths: Sequence[str]
    lines: Mapping[str, Lines] = {}  # for a path the first and last lines of its parts
    seen: bool = False  # the lines that were read in the session instead
    deletes: bool = False  # a patch may delete the files
    ends: bool = False  # it may have End of File markers
    agent: bool = False
    added: Sequence[str] = ()  # paths of new files, with one star at most
    moves: Mapping[str, str] = {}  # new paths of the files, as above
    most: int = MOST_STARTS  # lines that start a hunk; more are refused
    session: str | None = None


def grammar_for(root: str | None, wanted: WantedGrammar, start: str | None = None) -> tuple[str, list[Note]]:
    """The grammar for files under a root, and notes about lines that it leaves out; raises where it cannot be made."""
    watch = Oversight("Read", wanted.agent, root, READ, tool_names=effect_and_name, session=wanted.session)
    try:
        with Workspace(root, start) as files:
            files.session = wanted.session
            paths = list(wanted.paths) or _seen_paths(files)
            tool = named("Read")
            with watch.over(
                files,
                lambda judge: judge.judge(
                    "Read", [deed for path in paths for deed in tool.deeds(judge.deeds, {"file_path": path})]
                ),
            ):
                text, notes = _made(files, paths, wanted)
    except BaseException as error:
        for each in error.errors if isinstance(error, PatchkitError) else []:
            each.facts["read_only"] = True  # its help does not say that nothing was written
        watch.record_failure(error)
        raise
    return text, notes + watch.record("success", None)


def ranges(written: str) -> list[tuple[int, int]]:
    """The parts of a file that a text like `10-40,80-90` names."""
    found = []
    for part in written.split(","):
        first, dash, last = part.strip().partition("-")
        if not (first.isdecimal() and last.isdecimal() and dash and 0 < int(first) <= int(last)):
            raise PatchkitError("P601", option="lines", given=written, allowed=_RANGES)
        found.append((int(first), int(last)))
    return found


def _seen_paths(files: Workspace) -> list[str]:
    """The files under the root that were read in the session, and are there."""
    above = files.real.rstrip("/") + "/"
    names = [each.path.removeprefix(above) for each in Tracker(files).all() if each.path.startswith(above)]
    spelled = [name if files.parts(name) == name.split("/") else above + name for name in names]
    return [path for path in spelled if files.find(path).kind == "file"]


def _made(files: Workspace, paths: list[str], wanted: WantedGrammar) -> tuple[str, list[Note]]:
    given: dict[str, GrammarFile] = {}  # by the name from the root: one file under two names counts once
    notes = []
    for path in paths:
        is_text = not any("\ud800" <= char <= "\udfff" for char in path)
        if len(path.splitlines()) != 1 or path.strip() != path or "\0" in path or not is_text:
            allowed = "a path that a patch can say: UTF-8, on one line, without spaces around it"
            raise PatchkitError("P601", option="path", given=path, allowed=allowed)
        with open_file(files, path) as opened:
            name = opened.entry.name
            data = opened.content()
        if name in given:
            continue
        windows = list(wanted.lines[path]) if path in wanted.lines else None
        if windows is None and wanted.seen:
            windows = Tracker(files).lines_read(name, hashed([data]))
            if not windows and data:
                raise PatchkitError("P682", file=path)
        given[name] = file = GrammarFile(path, Document(data), windows)
        file.deletes = wanted.deletes
        _refuse_unplannable(files, [UpdateFile(path, line=1)])
    added = _with_new_names(files, list(given.values()), wanted)
    made = FileGrammar(list(given.values()), added, wanted.ends)
    if made.starts > wanted.most:
        raise PatchkitError("P680", count=made.starts, limit=wanted.most)
    for file, count in zip(given.values(), made.covered):
        total = len(file.document.texts)
        if count < total:
            why = "were not chosen or cannot be written in a patch" if file.windows else "cannot be written in a patch"
            notes.append(Note("P966", file=file.path, count=count, total=total, why=why))
    return made.text, notes


def _with_new_names(files: Workspace, given: list[GrammarFile], wanted: WantedGrammar) -> list[str]:
    """Gives the files the names that they may move to; returns the names of new files. Raises where one cannot be."""
    by_path = {file.path: file for file in given}
    unknown = [path for path in wanted.moves if path not in by_path]
    if unknown:
        raise PatchkitError("P601", option="move", given=unknown[0], allowed=", ".join(by_path))
    moves = {path: NamePattern(written) for path, written in wanted.moves.items()}
    patterns = [*moves.values(), *map(NamePattern, wanted.added)]
    for number, one in enumerate(patterns):
        if any(one.may_equal(other) for other in patterns[:number]):
            allowed = "paths of which no two may be the same"
            raise PatchkitError("P601", option="a path for a new file", given=one.written, allowed=allowed)
    taken = {each.written: _names(files, each) for each in patterns}
    trial: list[FileOp] = [UpdateFile(path, each.example(taken[each.written]), line=1) for path, each in moves.items()]
    trial += [AddFile(each.example(taken[each.written]), "\n", line=1) for each in patterns[len(moves) :]]
    trial += [DeleteFile(file.path, line=1) for file in given if file.deletes and file.path not in moves]
    _refuse_unplannable(files, trial)
    for path, each in moves.items():
        by_path[path].move_to = each.expression(taken[each.written])
    return [each.expression(taken[each.written]) for each in patterns[len(moves) :]]


def _refuse_unplannable(files: Workspace, sections: list[FileOp]) -> None:
    """Raises what applying such sections would raise: a path outside the root, protected, or taken."""
    if sections:
        planned(Patch(sections, None, []), files, Options())


def _names(files: Workspace, pattern: NamePattern) -> list[str]:
    """The names in the directory of a pattern; none where there is no such directory."""
    entry = files.find(pattern.directory or ".")
    if entry.kind != "directory":
        return []
    return os.listdir(files.directories.handle(tuple(part for part in entry.name.split("/") if part not in ("", "."))))
