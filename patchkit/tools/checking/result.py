"""A Report as the one Result, and as lines of JSON: the faces for programs.

Takes a Report; gives plain values. A file and its hunks look as they do in the result of an apply; docs/schemas tells
the shape.
"""

from __future__ import annotations

from patchkit.report.check_text import render
from patchkit.report.checked import CheckedFile, CheckedPatch, Report
from patchkit.tools.result import Result, error_data, note_data

Data = dict[str, object]


def check_result(report: Report) -> Result:
    """The envelope: every error of every patch in `errors`, each with the patch it is from."""
    patches = [patch_data(patch) for patch in report.patches]
    data = {**summary_data(report), "patches": patches}
    result = Result("error" if report.refused else "success", data, render(report))
    result.errors = [error for patch in patches for error in patch["errors"]]  # type: ignore[attr-defined]
    result.notes = [note_data(note) for note in report.notes]
    result.notes += [note for patch in patches for note in patch["notes"]]  # type: ignore[attr-defined]
    result.stats, result.context = report.stats, report.context
    return result


def json_lines(report: Report) -> list[Data]:
    """One value a patch, and the summary as the last."""
    notes = [note_data(note) for note in report.notes]  # of the run, and of no patch
    return [*(patch_data(patch) for patch in report.patches), {"summary": {**summary_data(report), "notes": notes}}]


def summary_data(report: Report) -> Data:
    return {
        "checked": len(report.patches),
        "refused": len(report.refused),
        "root": report.root,
        "against": report.against or None,
        "rules": report.rules,
    }


def patch_data(patch: CheckedPatch) -> Data:
    return {
        "patch": patch.name,
        "status": patch.status,
        "files": [_file_data(file) for file in patch.files],
        "suggestion": patch.suggestion,
        "errors": [{**error_data(error), "patch": patch.name} for error in patch.every_error],
        "notes": [{**note_data(note), "patch": patch.name} for note in patch.notes],
    }


def _file_data(file: CheckedFile) -> Data:
    place = {"patch_line": file.patch_line, "status": file.status}
    return {**file.data, **place, "hunks": [hunk.data for hunk in file.hunks]}
