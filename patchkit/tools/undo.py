"""Undo and redo what was applied in a workspace: the work of the commands, and the tool Undo.

Takes a workspace; returns what was done, or raises with nothing written. `undo` takes back the latest run that is
applied, or the one named; `redo` takes back the latest undo, until something new is applied.
"""

from __future__ import annotations

from patchkit.core.changes import Plan
from patchkit.core.workspace.root import Workspace
from patchkit.errors import Note, PatchkitError
from patchkit.history.reading import Run, Touched, runs
from patchkit.history.sessions import after_undo
from patchkit.history.undo import inverse_of, planned, reverse
from patchkit.policy import READ
from patchkit.policy.deeds import Deed, Deeds
from patchkit.policy.oversight import Oversight
from patchkit.policy.permissions import Judge, Judgement
from patchkit.report.result import Json, Result
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall, field, fields
from patchkit.tools.log import file_data
from patchkit.tools.registry import effect_and_name
from patchkit.values import Record

DESCRIPTION = """\
Takes back what was changed last in the workspace by a tool for files or by apply_patch: content, modes, moves, \
deletions.
- All files of that change become exactly what they were, or nothing is written: newer work is never overwritten
- Called again, it takes back the change before that
- What commands did is not taken back"""
SCHEMA: Json = fields(None, id=field("string", "The change to take back; the last one if left out"))
VERBS = {"undo": "Undid", "redo": "Redid"}  # each with what is said of it when it is done


class Reversed(Record):
    """What an undo or a redo did: the run it is about, and the files it changed."""

    verb: str
    run: str
    touched: list[Touched]
    notes: list[Note]

    @property
    def text(self) -> str:
        lines = "".join(f"{each.letter} {each.path}\n" for each in self.touched)
        return f"{VERBS[self.verb]} {self.run}. Updated the following files:\n{lines}"

    @property
    def data(self) -> dict[str, object]:
        return {"id": self.run, "files": [file_data(each) for each in self.touched]}


def undo(files: Workspace, run_id: str = "") -> Reversed:
    """Makes the files what they were before a run: the latest that is applied, or the one named."""
    return reversed_by(Oversight("undo", agent=False, tool_names=effect_and_name), files, run_id)


def redo(files: Workspace, run_id: str = "") -> Reversed:
    """Takes back the latest undo. What was undone before the newest patch came is redone only by name."""
    return reversed_by(Oversight("redo", agent=False, tool_names=effect_and_name), files, run_id)


def preview(files: Workspace, run_id: str, watch: Oversight) -> tuple[Run, Plan]:
    """The run that an undo, or a redo by name, would take back, and what that would change; nothing is written."""
    verb = watch.tool
    run = _meant(files, runs(files.real), run_id, verb)
    changes = [change for line in _lines(run, verb) for change in _changes(line)]

    def judged(judge: Judge) -> Judgement:
        """What is shown has to be readable, too, also where the file is gone by now."""
        seen = [judge.deeds.at(READ, "read", path) for _, path in changes]
        return judge.judge("", [*judge.deeds.of_paths(changes), *seen])

    with watch.over(files, judged):
        return run, planned(inverse_of(run, files), run)


def _latest(known: list[Run], verb: str) -> Run | None:
    """The run that comes next: the latest that is applied, or was undone since the newest patch came."""
    newest = max((run.time for run in known), default=0) if verb == "redo" else 0
    state = "undone" if verb == "redo" else "applied"
    found = [run for run in known if run.state == state and run.since >= newest]
    return max(found, key=lambda run: run.since, default=None)


def _meant(files: Workspace, known: list[Run], run_id: str, verb: str) -> Run:
    """The run that is named, or the one that comes next."""
    if not run_id:
        latest = _latest(known, verb)
        if latest is None:
            raise PatchkitError("P321", verb=verb, root=files.root)
        return latest
    found = next((run for run in known if run.id == run_id), None)
    if found is None:
        raise PatchkitError("P322", run=run_id, root=files.root)
    if found.state == ("undone" if verb == "undo" else "applied"):
        other = "redo" if verb == "undo" else "undo"
        raise PatchkitError("P325", run=run_id, verb=verb, other=other, state=found.state)
    return found


def _lines(run: Run, verb: str) -> list[Touched]:
    """What becomes of each file of a run."""
    return run.touched if verb == "redo" else [line.reversed() for line in run.touched]


def reversed_by(watch: Oversight, files: Workspace, run_id: str) -> Reversed:
    """Undoes or redoes a run, as the call that is overseen says, if the rules allow it."""
    notes = files.begin()
    known = runs(files.real)
    verb = watch.tool
    run = _meant(files, known, run_id, verb)
    lines = _lines(run, verb)
    changes = [change for line in lines for change in _changes(line)]
    with watch.over(files, lambda judge: judge.judge("", judge.deeds.of_paths(changes))):
        plan = reverse(run, files, max(max(each.time, each.since) for each in known) + 1)
    after_undo(files, plan)
    ordered = [line for letter in "AMD" for line in lines if line.letter == letter]
    return Reversed(verb, run.id, ordered, [*notes, *plan.notes])


def _changes(line: Touched) -> list[tuple[str, str]]:
    """The operation on each path, in the words of rules."""
    if line.moved_from is not None:
        return [("move_from", line.moved_from), ("move_to", line.path)]
    return [({"A": "add", "D": "delete"}.get(line.letter, "update"), line.path)]


def run(call: ToolCall) -> Result:
    done = undo(call.files, call.text("id"))
    call.notes.extend(done.notes)
    return Result("success", done.data, done.text)


def _deeds(deeds: Deeds, arguments: Json) -> list[Deed]:
    known = runs(deeds.files.real)
    wanted = arguments.get("id")
    run = _latest([run for run in known if wanted in (None, "", run.id)], "undo")
    return deeds.of_paths(change for line in (run.touched if run else ()) for change in _changes(line.reversed()))


TOOL = Declaration(DESCRIPTION, SCHEMA, run, command_line=FieldSpelling(positional=("id",)), deeds=_deeds)
