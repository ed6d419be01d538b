"""`patchkit study`: which slips the patches of a batch have, by class and by group."""

from __future__ import annotations

import os

from patchkit.batch.study import Study, study_of
from patchkit.cli import exit_status
from patchkit.cli.flags import JSON, Flag, argument
from patchkit.cli.signals import end
from patchkit.cli.streams import columns, show, write, write_json
from patchkit.cli.subcommand import Subcommand
from patchkit.errors import PatchkitError
from patchkit.report.batch_page import render_page
from patchkit.report.batch_text import study_text
from patchkit.report.diagnostics import error_spans
from patchkit.workspace.directories import reason

HELP = """Report which slips the patches of a batch have: by class, with rates and examples.

OUT is what 'patchkit batch' wrote. Rows that apply have the slips that they were forgiven, others the reason of their
first error.

  patchkit study verdicts.jsonl --group-by model
  patchkit study verdicts.jsonl --group-by model --report html
"""
REPORTS = ("html",)


def _main(out: str, group_by: tuple[str, ...], report: str | None, as_json: bool) -> None:
    """Runs the command and ends the process."""
    status = exit_status.DONE
    try:
        names = tuple(each.strip() for word in group_by for each in word.split(",") if each.strip())
        study = study_of(out, names)
        if report:
            write(1, f"{write_page(study, out)}\n")
        elif as_json:
            write_json(study.values())
        else:
            write(1, study_text(study.values()))
    except PatchkitError as error:
        show(2, error_spans(error.errors, columns=columns(2)))
        status = exit_status.of_code(error.code)
    end(status)


def write_page(study: Study, out: str) -> str:
    """Writes the page of a study beside the output of its batch; returns its name."""
    name = f"{os.path.splitext(out)[0]}.html"
    try:
        with open(name, "wb") as file:
            file.write(render_page(study.values()).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise PatchkitError("P668", file=name, reason=reason(error)) from None
    return name


study = Subcommand(
    "study",
    HELP,
    _main,
    (argument("out", "OUT", required=True),),
    (
        Flag("--group-by", "group_by", "columns that slips are counted by", value="COLUMNS", many=True),
        Flag(
            *("--report", "report", "write a page beside OUT", f": {', '.join(REPORTS)}"), value="NAME", choices=REPORTS
        ),
        JSON,
    ),
)
