"""A Report as Markdown: for the summary of a CI step, a comment, a merge request.

Takes a Report; gives a table of the patches and, for each refused one, its diagnostics in a fenced block. No text of a
patch can break out of the place it is quoted in.
"""

from __future__ import annotations

from re import findall

from patchkit.checking.findings import accepted_words
from patchkit.checking.report import REFUSED, CheckedFile, CheckedPatch, Report
from patchkit.checking.text import correction, outcome
from patchkit.report.diagnostics import render_errors
from patchkit.report.spans import note_spans, plain
from patchkit.report.width import counted, visible

_MARKS = {"applies": "✅ applies", "parsed": "✅ can be read", "refused": "❌ refused"}
_CLOSING = 100  # bytes kept for the line that counts what did not fit
_MOST_ROWS = 200  # patches in the table: what is not refused and beyond it is counted


def render(report: Report, limit: int | None = None) -> str:
    """The whole report; `limit` is how many bytes it may have: what does not fit is counted instead."""
    head = [f"# {'❌' if report.refused else '✅'} patchkit check\n", f"{report.verdict}.\n"]
    if report.accepted:
        head.append(f"{accepted_words(report).capitalize()}.\n")
    if report.against:
        head.append(f"Checked against commit {_code(report.against)}.\n")
    if report.rules:
        head.append(f"Rules: {', '.join(_code(rule) for rule in report.rules)}.\n")
    head += [_table(report)] if report.patches else []
    head += [_fence(plain(note_spans(report.notes)))] if report.notes else []
    return _within(head, [_refusal(patch) for patch in report.refused], limit)


def _within(head: list[str], refusals: list[str], limit: int | None) -> str:
    """As many of the refusals as the limit allows."""
    out = ["\n".join(head)]
    room = limit - len(out[0].encode()) - _CLOSING if limit is not None else 0
    for number, refusal in enumerate(refusals):
        room -= len(refusal.encode()) + 1
        if limit is not None and room < 0:
            out.append(f"… and {counted(len(refusals) - number, 'more refused patch')}.\n")
            break
        out.append(refusal)
    return "\n".join(out)


def _table(report: Report) -> str:
    """Refused patches first: they are what the reader came for."""
    ordered = sorted(report.patches, key=lambda patch: patch.status != REFUSED)
    rows = [_row(patch) for patch in ordered[:_MOST_ROWS]]
    rest = len(ordered) - len(rows)
    more = f"\n… and {counted(rest, 'more patch')}.\n" if rest else ""
    return "| patch | | files | hunks |\n|---|---|--:|--:|\n" + "".join(rows) + more


def _row(patch: CheckedPatch) -> str:
    name = _code(patch.source).replace("|", "\\|")  # a bar would end its cell, even between backticks
    return f"| {name} | {_MARKS[patch.status]} | {len(patch.files)} | {len(patch.hunks)} |\n"


def _refusal(patch: CheckedPatch) -> str:
    out = [f"## {_code(patch.source)}\n"]
    files = "".join(_file(file) for file in patch.files)
    if files:
        out.append(files)
    errors = render_errors(patch.every_error, patch.text, source=patch.source)
    out.append(_fence(errors + plain(correction(patch))))
    if patch.notes:
        notes = _fence(plain(note_spans(patch.notes)))
        out.append(f"<details><summary>{counted(len(patch.notes), 'note')}</summary>\n\n{notes}\n</details>\n")
    return "\n".join(out)


def _file(file: CheckedFile) -> str:
    mark = "❌" if file.errors else "✅"
    moved = f" (from {_code(file.data['moved_from'])})" if file.data["moved_from"] else ""
    lines = [f"- {mark} {file.data['op']} {_code(file.data['path'])}{moved}\n"]
    for hunk in file.hunks:
        lines.append(f"  - {hunk.title}: {outcome(hunk)}\n")
    return "".join(lines)


def _code(text: str) -> str:
    """Text between as many backticks as it takes for none of its own to end it."""
    text = visible(text)
    ticks = "`" * (_longest_run(text) + 1)
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{room}{text}{room}{ticks}"


def _fence(text: str) -> str:
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}text\n{text}{ticks}\n"


def _longest_run(text: str) -> int:
    return max(map(len, findall("`+", text)), default=0)
