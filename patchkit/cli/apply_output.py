"""The other outputs of `apply_patch`: JSON, the diff, how much changed. Loaded when an option asks for them."""

from __future__ import annotations

import json
import time

from patchkit.changes.diff import file_diffs, merged_plan, unified, unified_file
from patchkit.changes.model import Plan
from patchkit.cli.apply_patch import Arguments
from patchkit.cli.streams import say, show
from patchkit.errors import PatchkitError
from patchkit.report.diagnostics import render_errors
from patchkit.report.summary import summary
from patchkit.tools.apply import Applied
from patchkit.tools.apply_result import apply_data
from patchkit.tools.calling import current_directory, resolved
from patchkit.tools.result import Result, error_data, note_data


def print_json(
    arguments: Arguments, done: Applied | None, errors: list[PatchkitError], patch: str | None = None
) -> None:
    """Prints the envelope on standard output."""
    text = render_errors(errors, patch) if errors else summary(done.sections, arguments.options.check)  # type: ignore[union-attr]
    if done is None:
        done = Applied()
        done.plans = [error.plan for error in errors if isinstance(error.plan, Plan)]
    result = Result("error" if errors else "success", apply_data(done, errors, arguments.options.dialect), text)
    if arguments.diff and not errors:
        result.data["diff"] = unified(merged_plan(done.plans)).decode("utf-8", "backslashreplace")
    result.errors = [error_data(error) for error in errors]
    result.notes = [note_data(note) for note in done.notes]
    result.stats = {"time_ms": round(time.process_time() * 1000)}
    result.context = {
        "cwd": current_directory(),
        "params_input": {
            "root": arguments.root,
            "directory": arguments.directory,
            "dialect": arguments.options.dialect,
        },
        "path_resolved": resolved(arguments.root),
    }
    words = json.dumps(result.envelope(), ensure_ascii=False, indent=2) + "\n"
    say(1, words.encode("utf-8", "backslashreplace"))


def show_changes(arguments: Arguments, done: Applied) -> None:
    """Prints what was asked for of the changes: how many lines, the table, the diff."""
    from patchkit.cli.terminal import columns
    from patchkit.report.stat import numstat, stat

    diffs = file_diffs(merged_plan(done.plans))
    if arguments.numstat:
        say(1, numstat(diffs))
    if arguments.stat:
        show(1, "stat", stat(diffs, columns(1)), arguments.color)
    if arguments.diff:
        show(1, "diff", b"".join(map(unified_file, diffs)), arguments.color)
