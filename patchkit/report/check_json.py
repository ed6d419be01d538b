"""A Report for programs: as the one Result, and as lines of JSON.

Takes a Report; gives plain values, or their text. A file and its hunks look as they do in the result of an apply;
docs/schemas describes the shape.
"""

from __future__ import annotations

import json

from patchkit.report.check_text import TextLayout, report_spans
from patchkit.report.checked import CheckedFile, CheckedPatch, Report
from patchkit.report.correction import BY_CALL
from patchkit.report.result import Result, error_data, note_data
from patchkit.report.spans import plain

Data = dict[str, object]


def render_json(report: Report) -> str:
    """The envelope, indented."""
    return json.dumps(check_result(report).envelope(), ensure_ascii=False, indent=2) + "\n"


def render_json_lines(report: Report) -> str:
    """One line a patch, and the summary as the last."""
    notes = [note_data(note) for note in report.notes]  # of the run, not of a patch
    values = [*map(patch_data, report.patches), {"summary": {**summary_data(report), "notes": notes}}]
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def check_result(report: Report) -> Result:
    """The envelope: every error of every patch in `errors`, each with the patch it is from."""
    data = {**summary_data(report), "patches": [patch_data(patch) for patch in report.patches]}
    layout = TextLayout()
    layout.steps = BY_CALL
    result = Result("error" if report.refused else "success", data, plain(report_spans(report, layout)))
    result.for_people = lambda columns: report_spans(report, TextLayout(columns))
    result.errors = [error for patch in report.patches for error in _errors(patch)]
    result.notes = [note_data(note) for note in report.notes]
    result.notes += [note for patch in report.patches for note in _notes(patch)]
    result.stats, result.context = report.stats, report.context
    return result


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
        "confidence": patch.certainty,
        "errors": _errors(patch),
        "notes": _notes(patch),
    }


def _errors(patch: CheckedPatch) -> list[Data]:
    return [{**error_data(error), "patch": patch.name} for error in patch.every_error]


def _notes(patch: CheckedPatch) -> list[Data]:
    return [{**note_data(note), "patch": patch.name} for note in patch.notes]


def _file_data(file: CheckedFile) -> Data:
    place = {"patch_line": file.patch_line, "status": file.status}
    return {**file.data, **place, "hunks": [hunk.data for hunk in file.hunks]}
