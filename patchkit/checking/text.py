"""A Report as people read it: one line a patch, what became of each hunk of a refused one, its errors, its notes.

Takes a Report; gives spans, or the same as plain text for a pipe; or one line for each error and note, as editors and
grep take it.
"""

from __future__ import annotations

from patchkit.catalogue.sentences import about, label, name_of, tolerance
from patchkit.checking.findings import accepted_words, failing, findings_of
from patchkit.checking.report import REFUSED, CheckedFile, CheckedHunk, CheckedPatch, Data, Report
from patchkit.report.result import Result, error_data, note_data
from patchkit.report.spans import Spans, note_spans, plain
from patchkit.report.width import counted, visible
from patchkit.values import Record

_HUNK_STYLES = {"applied": "good", "parsed": "good", "unchecked": "faint", "already_applied": "note"}
_STYLES = {"applies": "good", "parsed": "good", "refused": "error"}
# A text that was read, and cannot be a patch for the files as they are: in another format, or with a base.
_ABOUT_FILES = ("P123", "P124", "P125", "P127", "P128", "P2", "P3")


class TextLayout(Record):
    """How a report is laid out: the terminal's width, and how much is shown."""

    columns: int | None = None
    quiet: bool = False  # refused patches alone, and no notes
    verbose: bool = False  # the hunks of good patches, too
    for_calls: bool = False  # whether a program reads how a correction is applied


def render(report: Report) -> str:
    """The whole report as plain text."""
    return plain(report_spans(report))


def report_spans(report: Report, layout: TextLayout | None = None) -> Spans:
    """The whole report. A quiet one of nothing but good patches is empty."""
    layout = layout or TextLayout()
    patches = report.refused if layout.quiet else report.patches
    if layout.quiet and not patches:
        return [(f"{accepted_words(report)}\n", "")] if report.accepted else []
    blocks: list[Spans] = [note_spans(report.notes)] if report.notes and not layout.quiet else []
    blocks += [_patch(patch, layout) for patch in patches]
    gap: Spans = [("\n", "")] if len(blocks) > 1 or any(map(_is_long, blocks)) else []
    return [*_stacked(blocks), *gap, *_verdict(report)]


def _verdict(report: Report) -> Spans:
    accepted = accepted_words(report)
    bad = bool(failing(report))
    return [(report.verdict, "error" if bad else "good"), (f"\n{accepted}\n" if accepted else "\n", "")]


def statistics_spans(report: Report) -> Spans:
    """How often each code occurs, the most frequent error first, then notes; then the verdict."""
    counts: dict[str, int] = {}
    for each in findings_of(report):
        what = label(each.what.code, each.what.facts)
        counts[what] = counts.get(what, 0) + 1
    rows = sorted(counts.items(), key=lambda row: (row[0].startswith("P9"), -row[1], row[0]))
    number = max([len(f"{count:,}") for _code, count in rows] or [0])
    name = max([len(name_of(what[:4])) for what, _count in rows] or [0])
    out: Spans = []
    for what, count in rows:
        style = "note" if what.startswith("P9") else "error"
        words = f"  {name_of(what[:4]):<{name}}  {about(what)}\n"
        out += [(f"{count:>{number},}  ", ""), (what[:4], style), (words, "")]
    return [*out, *([("\n", "")] if out else []), *_verdict(report)]


def _stacked(blocks: list[Spans]) -> Spans:
    """Blocks below each other: a blank line separates a block of several lines from its neighbours."""
    out: Spans = []
    for index, block in enumerate(blocks):
        if index and (_is_long(blocks[index - 1]) or _is_long(block)):
            out.append(("\n", ""))
        out += block
    return out


def _is_long(block: Spans) -> bool:
    return "\n" in plain(block)[:-1]


def _patch(patch: CheckedPatch, layout: TextLayout) -> Spans:
    refused = patch.status == REFUSED
    out: Spans = [
        (patch.status, _STYLES[patch.status]),
        (f"  {visible(patch.source)}  {size(patch)}\n", ""),
    ]
    if refused or layout.verbose:
        out += [span for file in patch.files for span in _file(file)]
    if refused:
        from patchkit.report.diagnostics import error_spans  # all that says what a refusal means

        out += [("\n", ""), *error_spans(patch.every_error, patch.text, layout.columns, patch.source)]
        out += correction(patch, layout.for_calls, layout.columns)
    return out + ([] if layout.quiet else note_spans(patch.notes))


def correction(patch: CheckedPatch, for_calls: bool = False, columns: int | None = None) -> Spans:
    """What the corrected patch changes in a refused one, and how to apply it; nothing where there is none."""
    if patch.suggestion is None or patch.certainty is None:
        return []
    from patchkit.report.correction import BY_CALL, BY_CHECK, correction_spans

    sent = None if patch.foreign else patch.text
    steps = {} if patch.corrected else BY_CALL if for_calls else BY_CHECK
    return correction_spans(sent, patch.suggestion, patch.certainty, columns, patch.source, steps)


def size(patch: CheckedPatch) -> str:
    """How many files and hunks a patch has, in words."""
    if not patch.files:
        codes = [error.code for error in patch.every_error]
        if not codes:
            return "nothing to change"
        return "does not match the files" if codes[0].startswith(_ABOUT_FILES) else "cannot be read"
    hunks = f", {counted(len(patch.hunks), 'hunk')}" if patch.hunks else ""
    if patch.fits:
        return f"{patch.fits} fit"
    bad = sum(bool(file.errors) for file in patch.files)
    if bad and len(patch.files) > 1:
        return f"{bad} of {counted(len(patch.files), 'file')}{hunks}"
    return counted(len(patch.files), "file") + hunks


def _file(file: CheckedFile) -> Spans:
    moved = f" (from {visible(file.data['moved_from'])})" if file.data["moved_from"] else ""
    head = f"  {file.letter} {visible(file.data['path'])}{moved}"
    if not file.hunks:
        return [(f"{head}  ", ""), (file.status, _STYLES[file.status]), ("\n", "")]
    out: Spans = [(f"{head}\n", "")]
    for hunk in file.hunks:
        style = _HUNK_STYLES.get(hunk.data["status"], "error")
        out += [(f"    {hunk.title}  ", ""), (outcome(hunk), style), ("\n", "")]
    return out


def outcome(hunk: CheckedHunk) -> str:
    if hunk.data["status"] == "applied":
        how = "" if hunk.data["pass"] == "exact" else f", {tolerance(str(hunk.data['pass']))}"
        return f"applies at line {hunk.data['line']}{how}"
    if hunk.data["status"] == "ambiguous":
        lines = ", ".join(map(str, hunk.candidates[:6])) + (", …" if len(hunk.candidates) > 6 else "")
        return f"matches {hunk.data['candidate_count']} places (lines {lines})" if lines else "matches several places"
    if hunk.data["status"] == "not_found":
        near = f", closest at line {hunk.near.line + 1}" if hunk.near is not None else ""
        return _MISSES.get(hunk.miss, "not found") + near
    return _OUTCOMES[hunk.data["status"]]


_MISSES = {
    "P203": "anchor not found",
    "P206": "not at the end of the file",
    "P207": "matches inexactly only",
    "P209": "nothing but a line number",
    "P210": "not in the file's encoding",
    "P211": "not below its anchor",
    "P212": "indentation not clear",
    "P213": "not with '--strict'",
}
_OUTCOMES = {
    "duplicate": "adds what the file has already",
    "placeholder": "adds a placeholder instead of code",
    "already_applied": "already applied",
    "conflict": "overlaps another hunk",
    "parsed": "can be read",
    "unchecked": "not checked",
}


# -- a Report for programs: as the one Result, and as lines of JSON --------------------------------
# Takes a Report; gives plain values, or their text. A file and its hunks look as they do in the result of an apply;
# docs/schemas describes the shape.


def render_json(report: Report) -> str:
    """The envelope, indented."""
    import json  # text needs none of it

    return json.dumps(check_result(report).envelope(), ensure_ascii=False, indent=2) + "\n"


def render_json_lines(report: Report) -> str:
    """One line a patch, and the summary as the last."""
    import json

    notes = [note_data(note) for note in report.notes]  # of the run, not of a patch
    values = [*map(patch_data, report.patches), {"summary": {**summary_data(report), "notes": notes}}]
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def check_result(report: Report) -> Result:
    """The envelope: every error of every patch in `errors`, each with the patch it is from."""
    data = {**summary_data(report), "patches": [patch_data(patch) for patch in report.patches]}
    layout = TextLayout(for_calls=True)
    result = Result("error" if report.refused else "success", data, plain(report_spans(report, layout)))
    result.for_people = lambda columns: report_spans(report, TextLayout(columns))
    result.errors = [error for patch in report.patches for error in _errors(patch)]
    result.notes = [note_data(note) for note in report.notes]
    result.notes += [note for patch in report.patches for note in _notes(patch)]
    result.stats, result.context = report.stats, report.context
    return result


def summary_data(report: Report) -> Data:
    return {
        "checked": len(report.patches) + report.hidden,
        "refused": len(report.refused),
        "accepted": report.accepted,
        "root": report.root,
        "against": report.against or None,
        "rules": report.rules,
    }


def patch_data(patch: CheckedPatch) -> Data:
    return {
        "patch": patch.name,
        "status": patch.status,
        "files": [_file_data(file) for file in patch.files],
        **({"fits": patch.fits} if patch.fits else {}),
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
