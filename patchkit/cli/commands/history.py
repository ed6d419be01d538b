"""`patchkit log`, `undo`, `redo` and `recover`: what was done in a workspace, and how to take it back."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from patchkit.cli import (
    CommandLineError,
    Interrupted,
    finish_in_spite_of_signals,
    is_screen,
    roll_back_on_signals,
    taken,
)
from patchkit.cli.commands.changes_view import author_of, calls_by_run, page_of, reader_of
from patchkit.cli.completion import applied_runs, tool_names, undone_runs
from patchkit.cli.options import ALLOW_VCS, QUIET
from patchkit.cli.parameters import FILE, command, one_of, options
from patchkit.cli.quick import AS_AGENT, JSON, ROOT, START
from patchkit.cli.search_looks import file_link
from patchkit.cli.statuses import of_result
from patchkit.cli.tools import print_result
from patchkit.core.workspace.root import Workspace
from patchkit.diffs.diff import unified
from patchkit.errors import Note, PatchkitError
from patchkit.globs.rule_patterns import Pattern, names_of, path_patterns
from patchkit.globs.rule_patterns import known as known_path
from patchkit.handles import ReportedAs
from patchkit.history import tracked_workspace
from patchkit.history.reading import clear
from patchkit.history.sessions import MOST_HASHED, Seen, Tracker, hashed
from patchkit.policy import WRITE
from patchkit.policy.audit import Recorded, logs, recorded
from patchkit.policy.oversight import Oversight
from patchkit.policy.settings import settings
from patchkit.reading import open_file
from patchkit.report.diagnostics import as_error
from patchkit.report.pages.changes_page import Wanted
from patchkit.report.result import Result, context, failure, note_data, resolved
from patchkit.report.stat import diff_spans
from patchkit.report.width import counted, visible
from patchkit.tools import log as listing
from patchkit.tools import undo as tool
from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import effect_and_name, named

Answer = tuple[Result, list[Note]]
Asked = dict[str, object]  # what the command line asks for, as the context of the result shows it
_AGE = re.compile(r"(\d{1,9})([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_WIDEST = 1000  # columns of a line; a path may be long
_CHANGING = (ROOT, ALLOW_VCS.but(group="Options"), QUIET.but(group="Options"), JSON, AS_AGENT)
_STATUSES = ("success", "partial", "error")


@command()
@click.option("-n", "--limit", "count", type=click.IntRange(0), metavar="N", help="show the newest N only")
@click.option("--all", "every", is_flag=True, help="list every recorded call of a tool, from the audit log")
@click.option("--tool", metavar="NAME", shell_complete=tool_names, help="with --all: calls of this tool")
@one_of("--status", "with --all: calls that ended so", _STATUSES)
@click.option("--path", metavar="GLOB", help="with --all: calls about such a path")
@click.option("--since", metavar="WHEN", help="with --all: calls since then: 2026-01-31, 2026-01-31T12:00, 90m, 2h, 7d")
@click.option("--session", metavar="ID", help="with --all: calls of this session (PATCHKIT_SESSION)")
@click.option("--clear", "clears", is_flag=True, help="forget every run: nothing can be undone any more")
@click.option(
    "--html", "page", metavar="FILE", type=FILE, help="write a page with every change, side by side, to a file"
)
@options(ROOT, JSON, AS_AGENT)
def log(
    count: int | None,
    every: bool,
    clears: bool,
    page: str | None,
    root: str | None,
    as_json: bool,
    agent: bool,
    **only: str | None,
) -> int:
    """List what was applied in this workspace, newest first: id, time, who, files with lines added and removed.

    The old content of changed files is kept in the state directory of the user, at most 200 runs, 64 MiB and 30 days of
    a workspace; 'patchkit doctor' says where.
    """
    if clears and (every or count is not None):
        raise CommandLineError("--clear forgets every run: leave -n and --all out")
    if page is not None and (clears or every):
        raise CommandLineError("--html writes the page of all runs: leave --all and --clear out")
    wanted = {name: value for name, value in only.items() if value is not None}
    if wanted and not every:
        raise CommandLineError(f"--{next(iter(wanted))} goes with --all")

    def work(files: Workspace) -> Answer:
        if clears:
            files.begin()
            count_of = clear(files.real)
            return Result("success", {"cleared": count_of}, f"Forgot {counted(count_of, 'run')}.\n"), []
        if every:
            return recorded_calls(files, count, wanted)
        if page is not None:
            return _written_page(files, page, count, agent), []
        known = listing.log(files, count)
        calls = calls_by_run(files, [each.run for each in known])
        for each in known:
            each.author = author_of(each.run, calls.get(each.run.id))
        text = "".join([text for text, _style in listing.log_spans(known)])
        result = Result("success", {"runs": [listing.run_data(run) for run in known]}, text)
        if is_screen(1):
            here = files.real  # the name of a file is a link to what has that name now
            result.for_people = lambda _columns: listing.log_spans(
                known, lambda line, name: file_link(name, "", f"{here}/{line.path}")
            )
        return result, []

    asked = {"root": root, "n": count, **({"all": True, **wanted} if every else {})}
    return _answer(work, as_json, asked, only_reads=True)


def _written_page(files: Workspace, page: str, count: int | None, agent: bool) -> Result:
    """Writes the page of changes to a file that the person names; '-' is standard output.

    For an agent the page has only what it may read, and writing it is a call of the tool that writes.
    """
    wanted = None if count is None else Wanted(count=count)
    text = page_of(files, wanted, may_read=reader_of(files, agent))
    if page == "-":
        return Result("success", {"file": None}, text)
    if agent:
        return call("Write", {"file_path": os.path.abspath(page), "content": text}, Caller(files.root, None, agent))
    with ReportedAs("P402", file=page), open(page, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    return Result("success", {"file": page}, f"Wrote {page}\n")


@command()
@click.argument("run", metavar="[ID]", default="", shell_complete=applied_runs)
@click.option("--show", "shows", is_flag=True, help="print as a diff what would be changed, and change nothing")
@options(*_CHANGING)
def undo(run: str, shows: bool, **given: Any) -> int:
    """Take back the patch applied last, or the one with this ID: content, modes, moves, deletions, links.

    Nothing is written when a file was changed since. Empty directories that the patch had made are removed, too.
    """
    return _taken_back("undo", run, shows, **given)


@command()
@click.argument("run", metavar="[ID]", default="", shell_complete=undone_runs)
@options(*_CHANGING)
def redo(run: str, **given: Any) -> int:
    """Take back the last undo, or that of the run with this ID.

    After a new patch the ID is needed to say which undo is meant.
    """
    return _taken_back("redo", run, False, **given)


def _taken_back(
    verb: str, run: str, shows: bool, root: str | None, allow_vcs: bool, quiet: bool, as_json: bool, agent: bool
) -> int:
    """Undoes or redoes a run as far as the rules allow it, or shows what an undo would change; records the call."""
    asked: Asked = {"root": root, "id": run or None}
    watch = Oversight(verb, agent, _root(asked), WRITE, tool_names=effect_and_name)
    silent = quiet and not as_json

    def work(files: Workspace) -> Answer:
        files.allow_vcs = allow_vcs
        try:
            if shows:
                result, notes = _preview(files, run, watch), []
            else:
                done = tool.reversed_by(watch, files, run)
                result, notes = Result("success", done.data, "" if silent else done.text), done.notes
        except BaseException as error:
            watch.record_failure(error)
            raise
        return result, [*([] if silent else notes), *watch.record(result.status)]

    return _answer(work, as_json, asked)


def _preview(files: Workspace, run: str, watch: Oversight) -> Result:
    """What an undo would change, as a diff."""
    found, plan = tool.preview(files, run, watch)
    diff = unified(plan)
    data = {"id": found.id, "undone": False, "diff": diff.decode("utf-8", "backslashreplace")}
    result = Result("success", data, diff.decode("utf-8", "surrogateescape"))
    result.for_people = lambda _columns: diff_spans(diff)
    return result


@command()
@options(ROOT, JSON)
def recover(root: str | None, as_json: bool) -> int:
    """Finish or undo what an interrupted run left behind. Every command that writes does so first, too."""

    def work(files: Workspace) -> Answer:
        notes = files.begin()
        back = [note for note in notes if note.code == "P944" and note.facts["outcome"] == "rolled-back"]
        left = bool(back) or any(note.code == "P943" for note in notes)  # which a person should look at
        data: dict[str, object] = {"recovered": bool(notes), "left": left}
        return Result("success", data, "" if notes else "Nothing to recover.\n"), notes

    return _answer(work, as_json, {"root": root})


def _answer(
    work: Callable[[Workspace], Answer], as_json: bool, asked: Asked, only_reads: bool = False, start: str | None = None
) -> int:
    """Does the work in the workspace and prints what came of it; returns the status that says the same."""
    try:
        roll_back_on_signals()
        with tracked_workspace(_root(asked), start) as files:
            files.on_commit = finish_in_spite_of_signals
            result, notes = work(files)
            result.notes = [note_data(note) for note in notes]
    except Interrupted as signal:
        result = failure(PatchkitError("P406", signal=str(signal)))
    except Exception as error:
        result = failure(as_error(error))
    result.stats = {"time_ms": round(time.process_time() * 1000)}
    result.context = context(asked, resolved(_root(asked)))
    why = print_result(result, as_json)
    if only_reads:
        taken(why)
    return of_result(result)


def _root(asked: Asked) -> str | None:
    return str(asked["root"]) if asked["root"] else None


# -- the audit log ---------------------------------------------------------------------------------


def recorded_calls(files: Workspace, count: int | None, wanted: dict[str, str]) -> tuple[Result, list[Note]]:
    """The newest `count` calls that are as `wanted`, by the names of the options."""
    kept = logs(settings(files.real), files.real, agent=True)
    found, broken = recorded(kept)
    if "tool" in wanted:
        meant = wanted["tool"] if wanted["tool"] in ("undo", "redo") else named(wanted["tool"]).name
        found = [call for call in found if call.tool == meant]
    if "path" in wanted:
        patterns = path_patterns(wanted["path"], names_of(files.real), names_of(os.path.expanduser("~")))
        if not patterns:
            allowed = "a path, which may hold '*', '**' and '?'"
            raise PatchkitError("P601", option="--path", given=wanted["path"], allowed=allowed)
        found = [call for call in found if _is_about(call, patterns)]
    if "since" in wanted:
        since = _moment(wanted["since"])
        found = [call for call in found if call.time >= since]
    for name in ("status", "session"):
        found = [call for call in found if name not in wanted or getattr(call, name) == wanted[name]]
    calls = found[:count]
    notes = [Note("P986", count=broken)] if broken else []
    if not kept or kept[0].by_default:
        notes.append(Note("P968", agents="not recorded" if not kept else "recorded"))
    text = "".join(f"{visible(_line(call), _WIDEST)}\n" for call in calls)
    return Result("success", {"calls": [call.data for call in calls]}, text), notes


def _line(call: Recorded) -> str:
    moment = f"{call.time.astimezone():%Y-%m-%d %H:%M:%S}"
    ended = f"{call.status} {call.code}" if call.code else call.status
    decided = [f"{call.decision} by {call.rule}"] if call.decision else []
    return "  ".join([moment, f"{call.caller:<6}", call.tool, ended, *call.about, *decided])


def _is_about(call: Recorded, patterns: list[Pattern]) -> bool:
    paths = [known_path(names_of(f"{call.root}/{path}")) for path in call.about]
    return any(path.within(pattern) for path in paths for pattern in patterns)


def _moment(text: str) -> datetime:
    age = _AGE.fullmatch(text)
    try:
        if age is not None:
            return datetime.now(UTC) - timedelta(**{_UNITS[age[2]]: int(age[1])})
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        allowed = "a time such as 2026-01-31T12:00, an age such as 90m, 2h or 7d"
        raise PatchkitError("P601", option="--since", given=text, allowed=allowed) from None


# `patchkit session`: what the tools have seen in this workspace, and forgetting it.
@command()
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=FILE)
@click.option("--clear", is_flag=True, help="forget these files, or all of them: they count as unread")
@options(ROOT, START, JSON)
def session(paths: tuple[str, ...], clear: bool, root: str | None, start: str | None, as_json: bool) -> int:
    """Show which files were read or written in this session, and whether they are still the same.

    A session is what PATCHKIT_SESSION names, else the workspace. Write, Insert and the Edit tools need it: they change
    no file that was not seen in it, nor one that was changed since.
    """
    asked: Asked = {"root": root, "paths": list(paths)}
    work = _cleared if clear else _listed
    return _answer(lambda files: (work(files, paths), []), as_json, asked, not clear, start)


def _listed(files: Workspace, paths: tuple[str, ...]) -> Result:
    tracker = Tracker(files)
    wanted = {tracker.path(files.find(path).name) for path in paths}
    rows = [(each, _state(files, each)) for each in tracker.all() if not paths or each.path in wanted]
    data = {**_which(tracker), "files": [_file_data(each, state) for each, state in rows]}
    lines = [f"{state:<9}{os.path.relpath(each.path, files.real)}" for each, state in rows]
    of = f"In this session nothing was seen of: {', '.join(paths)}"
    nothing = of if paths else "Nothing was seen in this session."
    return Result("success", data, "\n".join(lines) if rows else nothing)


def _cleared(files: Workspace, paths: tuple[str, ...]) -> Result:
    tracker = Tracker(files)
    if not paths:
        tracker.clear()
        return Result("success", _which(tracker), "Forgot everything that was seen in this session.")
    names = [files.find(path).name for path in paths]
    why = tracker.forget(names)
    if why:
        raise PatchkitError("P402", file=str(tracker.state_file), reason=why)
    return Result("success", _which(tracker), f"Forgot {', '.join(paths)}.")


def _which(tracker: Tracker) -> dict[str, object]:
    return {"session": tracker.session or None, "state_file": tracker.state_file}


def _state(files: Workspace, seen: Seen) -> str:
    """Whether a file is still what was seen: 'current', 'changed', or 'gone'."""
    try:
        with open_file(files, seen.path) as opened:
            small = opened.status.st_size <= MOST_HASHED
            current = seen.is_current(opened.status, lambda: hashed([opened.content() if small else b""]))
            return "current" if current else "changed"
    except PatchkitError as error:
        return "gone" if error.code in ("P302", "P310") else "changed"


def _file_data(seen: Seen, state: str) -> dict[str, object]:
    return {
        "path": seen.path,
        "state": state,
        "file_mtime_ms": seen.mtime_ns // 1_000_000 or None,
        "sha256": seen.sha256 or None,
        "seen_ms": seen.at_ns // 1_000_000,
    }
