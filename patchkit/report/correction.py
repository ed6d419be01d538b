"""The corrected patch beside a refusal: a short diff for people, the whole patch for a model.

Takes the errors of a refusal and the patch that was sent; gives the errors with the correction below them, if there
is one: what it changes in the patch, how sure it is, and how to apply it.
"""

from __future__ import annotations

from patchkit.diffs.compare import compared
from patchkit.errors import PatchkitError
from patchkit.report.diagnostics import error_spans, framed, help_spans, place_lines, quoted_line
from patchkit.report.spans import Spans, joined, plain
from patchkit.report.width import visible

_MOST_LINES = 24  # of a diff: a correction that changes more has to be read as a whole
_CONTEXT = 1  # lines of the patch around a change
_MOST_ERRORS = 5  # that are named above a corrected patch
_LONGEST = 20_000  # characters of a corrected patch that a model is given as a whole

SURE = {
    "certain": "certain: all that it removes, and what is beside added lines, is in the file",
    "likely": "likely",
}
# How a caller applies a correction: by the command line, by the library, or by a new call.
BY_COMMAND = {
    "certain": "run the same command with '--fix' to apply the corrected patch",
    "likely": "run the same command with '--fix=likely' if the corrected patch is what you meant",
}
BY_LIBRARY = {
    "certain": "pass fix='certain' to apply the corrected patch",
    "likely": "pass fix='likely' to apply the corrected patch, if it is what you meant",
}
BY_CHECK = {
    "certain": "write the corrected patch beside this one with 'patchkit check --fix'",
    "likely": "write the corrected patch beside this one with 'patchkit check --fix=likely', and read it",
}
BY_CALL = {
    "certain": "send the corrected patch",
    "likely": "send the corrected patch if it is what you meant",
}


def refusal_spans(
    errors: list[PatchkitError],
    patch: str | None = None,
    columns: int | None = None,
    source: str = "patch",
    steps: dict[str, str] = BY_COMMAND,
    foreign: bool = False,
) -> Spans:
    """All errors of a refusal for people, and the correction of the patch, if the first of them has one.

    `error_spans` says what the arguments mean; `steps` are the words for how a correction is applied; `foreign` says
    that the patch was sent in another edit format, with which a correction cannot be compared.
    """
    spans = error_spans(errors, patch, columns, source)
    suggestion, certainty = correction_of(errors)
    sent = None if foreign else patch
    return [*spans, *correction_spans(sent, suggestion, certainty, columns, source, steps)] if suggestion else spans


def refusal_text(errors: list[PatchkitError], patch: str | None = None, columns: int | None = None) -> str:
    """All errors of a refusal as plain text, with the words for a program where the library raised them."""
    steps = BY_LIBRARY if errors[0].for_library else BY_COMMAND
    return plain(refusal_spans(errors, patch, columns, steps=steps))


def refusal_for_model(errors: list[PatchkitError], patch: str | None = None, long: int = 10_000) -> str:
    """All errors of a refusal; where there is a corrected patch, that as a whole: a model sends it as it is.

    With it no more than what is wrong is said. Where the lines of a hunk nearly are is in the corrected patch itself.
    A client may cut the middle out of one with more than `long` characters: a diff is better, if that says all.
    """
    suggestion, certainty = correction_of(errors)
    if suggestion is None:
        return plain(error_spans(errors, patch))
    rows = _rows(patch, suggestion) if len(suggestion) > long else []
    new = [f"{quoted_line(line, None)}\n" for _, sign, line in rows if sign == "+" or patch is None]
    says_all = 0 < len(rows) <= _MOST_LINES and all(line in suggestion for line in new)
    if says_all or len(suggestion) > _LONGEST:
        spans = error_spans(errors, patch)
        return plain([*spans, *correction_spans(patch, suggestion, certainty, None, "patch", BY_CALL)])
    said = [f"error[{each.code}]: {visible(each.message)}\n" for each in errors[:_MOST_ERRORS]]
    said += [f"and {len(errors) - _MOST_ERRORS:,} more errors\n"] if len(errors) > _MOST_ERRORS else []
    said += [f"corrected patch ({SURE[certainty]}):\n", suggestion.removesuffix("\n"), "\n"]
    return plain([("".join(said), ""), *help_spans(BY_CALL[certainty])])


def correction_of(errors: list[PatchkitError]) -> tuple[str | None, str]:
    """The corrected patch of a refusal and how sure it is; None where there is none."""
    first = errors[0] if errors else None
    return (first.suggestion, first.certainty or "likely") if first is not None else (None, "")


def correction_spans(
    sent: str | None, corrected: str, certainty: str, columns: int | None, source: str, steps: dict[str, str]
) -> Spans:
    """What a corrected patch changes in the one that was sent, how sure it is, and by `steps` how to apply it.

    Where the patch that was sent is not known, or was in another format, the corrected patch is shown as it is.
    """
    rows = _rows(sent, corrected)
    first = next((number for number, sign, _ in rows if sign != " " and number), 0)
    place = [f"{visible(source)}:{first},"] if first and sent is not None else []
    shown = rows[:_MOST_LINES]
    digits = max(len(str(number)) for number, _, _ in [*shown, (0, "", "")])
    out = place_lines([*place, *f"corrected patch ({SURE[certainty]})".split(" ")], columns)
    out += [_row(row, digits, columns) for row in shown]
    if len(rows) > len(shown):
        out.append(framed(" " * digits, f" … {len(rows) - len(shown):,} more lines"))
    return [*joined(out), *(help_spans(steps[certainty], columns) if steps else [])]


Row = tuple[int, str, str]  # the number of a line in the patch that was sent, 0 for a new line; a sign; the line


def _row(row: Row, digits: int, columns: int | None) -> Spans:
    number, sign, line = row
    text = f" {sign} {quoted_line(line, columns, digits + 2)}".rstrip()
    style = {"-": "removed", "+": "added"}.get(sign, "")
    return [framed(f"{number or '':>{digits}}")[0], (text, style)]


def _rows(before: str | None, after: str) -> list[Row]:
    """The lines that differ, each change with the lines around it; all lines where the text before is not known."""
    corrected = after.removesuffix("\n").split("\n")
    if before is None:
        return [(number, " ", line) for number, line in enumerate(corrected, 1)]
    sent = before.removesuffix("\n").split("\n")
    old, new = ([line.encode("utf-8", "surrogatepass") for line in side] for side in (sent, corrected))
    rows: list[Row] = []
    shown = 0  # lines of the patch that was sent up to here are shown or skipped
    for a, b, c, d in compared(old, new):
        start = max(shown, a - _CONTEXT)
        rows += [(0, "…", "")] if rows and start > shown else []
        rows += [(at + 1, " ", sent[at]) for at in range(start, a)]
        removed, added = _made_visible(sent[a:b], corrected[c:d])
        rows += [(at, "-", line) for at, line in enumerate(removed, a + 1)]
        rows += [(0, "+", line) for line in added]
        shown = min(len(sent), b + _CONTEXT)
        rows += [(at + 1, " ", sent[at]) for at in range(b, shown)]
    return rows


def _made_visible(removed: list[str], added: list[str]) -> tuple[list[str], list[str]]:
    """The lines of one change; whitespace at the ends of lines is made visible where nothing else differs."""
    if [(line[:1], line[1:].split()) for line in removed] != [(line[:1], line[1:].split()) for line in added]:
        return removed, added
    return list(map(_with_marks, removed)), list(map(_with_marks, added))


def _with_marks(line: str) -> str:
    """A line of a patch with a dot for every blank and an arrow for every tab behind its sign and at its end."""
    body = line[1:].strip()
    before, after = line[1 : len(line) - len(line[1:].lstrip())], line[len(line.rstrip()) :] if body else ""
    return line[:1] + before.translate(_MARKS) + body + after.translate(_MARKS)


_MARKS = {ord(" "): "·", ord("\t"): "→"}
