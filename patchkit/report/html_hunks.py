"""Hunks as pictures: what the patch says, and beside it what stands in the file.

Takes a hunk with its lines and windows; gives markup. A hunk that applies is a diff with the file's line numbers; one
that does not stands beside the closest place, or the places it could mean, line by line, with what differs marked.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.report.check_text import outcome
from patchkit.report.checked import CheckedFile, CheckedHunk, Window, counted
from patchkit.report.html_text import finding, line, shown

_KINDS = {"+": "added", "-": "removed", " ": ""}


def hunk_article(file: CheckedFile, hunk: CheckedHunk, errors: list[PatchkitError]) -> str:
    bad = bool(errors)
    words = "".join(finding((error, None)) for error in errors)
    body = _beside(file, hunk, errors) if bad and hunk.windows else _alone(hunk)
    anchors = "".join(f"<code>@@ {shown(anchor)}</code>" for anchor in hunk.anchors)
    return (
        f'<article class="hunk{" bad" if bad else ""}"><header><h4>Hunk {hunk.index}</h4>{anchors}'
        f'<span class="at">patch line {hunk.patch_line}</span><span class="outcome">{shown(outcome(hunk))}</span>'
        f"</header>\n{words}{body}</article>\n"
    )


def new_file(file: CheckedFile) -> str:
    """The text of a file that the patch adds."""
    rows = [_row("added", str(number), "+", line(text)) for number, text in enumerate(file.text, 1)]
    return f'<div class="hunk">{_table(rows)}{_more(file.more)}</div>\n'


# -- a hunk by itself ----------------------------------------------------------------------------


def _alone(hunk: CheckedHunk) -> str:
    """The lines of a hunk, numbered as in the file where it has its place there, else as in the patch."""
    rows = []
    at = hunk.line
    for index, text in enumerate(hunk.lines):
        sign = text[0]
        number = str(hunk.body_line + index) if at is None else "" if sign == "+" else str(at)
        at = at + 1 if at is not None and sign != "+" else at
        rows.append(_row(_KINDS[sign], number, sign, line(text[1:])))
    return _table(rows) + _more(hunk.more)


# -- a hunk and the file -------------------------------------------------------------------------


def _beside(file: CheckedFile, hunk: CheckedHunk, errors: list[PatchkitError]) -> str:
    """The patch on one side and the file on the other; of several places each below the one before."""
    sides = [_sides(hunk, window) for window in hunk.windows]
    captions = [_caption(file, hunk, number, errors) for number in range(len(hunk.windows))]
    theirs = [_figure(caption, rows, window.more) for caption, (_, rows), window in zip(captions, sides, hunk.windows)]
    mine = _figure("<b>the patch</b>", sides[0][0], hunk.more)
    two = " two" if len(sides) == 1 else ""
    return f'<div class="pair{two}">{mine}{"".join(theirs)}</div>\n'


def _figure(caption: str, rows: list[str], more: int) -> str:
    return f"<figure><figcaption>{caption}</figcaption>{_table(rows)}{_more(more)}</figure>\n"


def _caption(file: CheckedFile, hunk: CheckedHunk, number: int, errors: list[PatchkitError]) -> str:
    path = shown(file.moved_from or file.path)
    if hunk.near is not None and not hunk.candidates:
        agree = f"{hunk.near.agree} of {counted(hunk.near.total, 'line')} agree"
        return f"<b>{path}</b>, closest place, line {hunk.near.line + 1} ({agree})"
    place = hunk.candidates[number] if hunk.candidates else hunk.line
    choices = [each for error in errors for each in error.facts.get("choices") or [] if each.line == place]  # type: ignore[attr-defined]
    inside = f", in <b>{shown(choices[0].inside)}</b>" if choices and choices[0].inside else ""
    by = " and ".join(f"<code>{shown(line)}</code>" for line in choices[0].add) if choices else ""
    return f"<b>{path}</b>, line {place}{inside}{f', chosen by {by}' if by else ''}"


def _sides(hunk: CheckedHunk, window: Window) -> tuple[list[str], list[str]]:
    """Both sides, row by row. Where one side has nothing to show it has a gap, so that the other stays level."""
    mine: list[str] = []
    theirs: list[str] = []
    number = _place(hunk, window)
    above, texts = range(window.line, number), hunk.lines
    mine += [_GAP for _ in above]
    theirs += [_row("around", str(each), " ", line(_at(window, each) or "")) for each in above]
    for at, text in enumerate(texts, hunk.body_line):
        if text[0] == "+":
            mine.append(_row("added", str(at), "+", line(text[1:])))
            theirs.append(_GAP)
            continue
        found = _at(window, number)
        left, right = _compared(text, found)
        mine.append(_row(left[0], str(at), text[0], left[1]))
        theirs.append(_row(right[0], str(number), " ", right[1]) if found is not None else _GAP)
        number += 1
    below = range(number, window.line + len(window.texts))
    return mine, theirs + [_row("around", str(each), " ", line(_at(window, each) or "")) for each in below]


def _compared(text: str, found: str | None) -> tuple[tuple[str, str], tuple[str, str]]:
    """How a line of the hunk and the file's line beside it are drawn: the kind of row, and its markup."""
    kind, own, other = _KINDS[text[0]], text[1:], found or ""
    if found is not None and found.strip() == own.strip():
        return (kind, line(own)), ("", line(other))
    return ("differs", line(own, *_difference(own, other))), ("differs", line(other, *_difference(other, own)))


def _place(hunk: CheckedHunk, window: Window) -> int:
    """The line of the window that the hunk's first line is held against."""
    known = [hunk.near.line + 1] if hunk.near is not None and not hunk.candidates else hunk.candidates
    inside = range(window.line, window.line + len(window.texts) + 1)
    return next((place for place in known if place in inside and place - window.line <= 1), window.line)


def _at(window: Window, number: int) -> str | None:
    index = number - window.line
    return window.texts[index] if 0 <= index < len(window.texts) else None


def _difference(one: str, other: str) -> tuple[int, int]:
    """Where a line differs from another: from the first character that does to the last."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    stop, end = len(one), len(other)
    while stop > start and end > start and one[stop - 1] == other[end - 1]:
        stop, end = stop - 1, end - 1
    return start, stop


# -- rows ----------------------------------------------------------------------------------------


def _table(rows: list[str]) -> str:
    return f'<table class="lines"><tbody>\n{"".join(rows)}</tbody></table>' if rows else ""


def _row(kind: str, number: str, sign: str, words: str) -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<tr{name}><td class="number">{number}</td><td class="sign">{sign}</td><td class="line">{words}</td></tr>\n'


_GAP = _row("gap", "", " ", "")


def _more(count: int) -> str:
    return f'<p class="more">… {count:,} more lines</p>' if count else ""
