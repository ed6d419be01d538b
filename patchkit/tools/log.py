"""List what was applied in a workspace: each run with its files, and how many lines it added and removed.

Takes a workspace; gives the runs, newest first, as records, as text and as data. The numbers are worked out from what
the records keep and what the files hold now; where another program changed a file since, they are not known.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from patchkit.applying import lines_spans
from patchkit.core.workspace.root import Workspace
from patchkit.history.reading import Run, Touched, runs
from patchkit.history.timeline import changes_of, file_changes
from patchkit.report.spans import Span, Spans
from patchkit.report.width import visible
from patchkit.values import Record

_COUNTED = 2000  # files whose lines are counted, of the newest runs first


class LoggedFile(Record):
    """One file of a run; `lines` is how many were added and removed, None where that is not known."""

    touched: Touched
    lines: tuple[int, int] | None


class LoggedRun(Record):
    """A run and its files; `author` is what is known of who made it: 'agent' or 'person', the session, the tool."""

    run: Run
    author: list[str]
    files: list[LoggedFile]


def log(files: Workspace, count: int | None = None) -> list[LoggedRun]:
    """The runs that were recorded here, newest first: all, or the newest `count`."""
    known = runs(files.real)[:count]
    changes = changes_of(_newest(known), files)
    return [
        LoggedRun(
            run, run.author, [LoggedFile(each, change.lines if change is not None else None) for each, change in pairs]
        )
        for run in known
        for pairs in [file_changes(changes.get(run.id, []), run.touched)]
    ]


def _newest(known: list[Run]) -> list[Run]:
    """The newest runs, as many as have few enough files to count their lines."""
    left = _COUNTED
    for number, run in enumerate(known):
        left -= sum(len(commit.names) for commit in run.commits)
        if left < 0:
            return known[:number]
    return known


def log_spans(known: list[LoggedRun], link: Callable[[Touched, str], Span] | None = None) -> Spans:
    """Runs as people read them, with their files; `link` makes a name something that a terminal can open."""
    spans: Spans = []
    for each in known:
        moment = datetime.fromtimestamp(each.run.time / 1e9)
        state = "  undone" if each.run.state == "undone" else ""
        caller, session, _tool = each.author
        who = "".join(f"  {visible(word)}" for word in (caller, f"session {session}" if session else "") if word)
        spans += [(each.run.id, "place"), (f"  {moment:%Y-%m-%d %H:%M:%S}{who}{state}\n", "")]
        rewritten = each.run.remarked("rewritten")
        for kind in ("format", "verify", "commit"):
            spans += [(f"  {kind}  {visible(text)}\n", "") for text in each.run.remarked(kind)]
        for file in each.files:
            letter, moved_from = file.touched.letter, file.touched.moved_from
            name = visible(f"{moved_from} => {file.touched.path}" if moved_from is not None else file.touched.path)
            spans += [(f"  {letter}", _LETTERS[letter]), (" ", ""), link(file.touched, name) if link else (name, "")]
            spans += lines_spans(file.lines or (0, 0))
            spans.append(("  changed by a command of the run\n" if file.touched.path in rewritten else "\n", ""))
    return spans


_LETTERS = {"A": "added", "M": "changed", "D": "removed"}


def run_data(each: LoggedRun) -> dict[str, object]:
    run = each.run
    return {
        "id": run.id,
        "time": datetime.fromtimestamp(run.time / 1e9, UTC).isoformat(timespec="milliseconds"),
        "state": run.state,
        **{name: value or None for name, value in zip(("by", "session", "tool"), each.author)},
        "reversible": not run.hindrance,
        **{name: run.remarked(name) for name in ("format", "verify") if run.remarked(name)},
        **({"commit": run.remarked("commit")[0]} if run.remarked("commit") else {}),
        "files": [
            {
                **file_data(file.touched),
                **({"rewritten": True} if file.touched.path in run.remarked("rewritten") else {}),
                "added": file.lines[0] if file.lines else None,
                "removed": file.lines[1] if file.lines else None,
            }
            for file in each.files
        ],
    }


def file_data(line: Touched) -> dict[str, object]:
    op = {"A": "add", "M": "update", "D": "delete"}[line.letter]
    return {"path": line.path, "op": "move" if line.moved_from is not None else op, "moved_from": line.moved_from}
