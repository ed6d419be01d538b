"""A Report as one HTML file that needs nothing else: no script, no font, no picture, no network.

Takes a Report whose patches have their lines (`pictures`); gives the page. It reads on a phone and on a desk, on light
and dark screens, with a keyboard and with a screen reader: words and signs say what colours say.
"""

from __future__ import annotations

from patchkit import __version__
from patchkit.errors import Note, PatchkitError
from patchkit.report.check_text import size
from patchkit.report.checked import REFUSED, CheckedFile, CheckedPatch, Report, counted
from patchkit.report.html_hunks import hunk_article, new_file
from patchkit.report.html_style import STYLE
from patchkit.report.html_text import MINUS, code, escaped, finding, shown, stand_in

_DRAWN = 300  # good patches that are drawn hunk by hunk; beyond them they are one line each
_SUGGESTED = 20_000  # characters of a corrected patch
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(report: Report) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escaped(report.verdict)} · patchkit</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#patches">Skip to the patches</a>\n<div class="page">\n'
        f'{_verdict(report)}<main id="patches">\n{_choice(report)}{_patches(report)}</main>\n'
        f"<footer>Made by <code>patchkit check</code> {escaped(__version__)}. "
        "<code>patchkit explain CODE</code> tells more about a code.</footer>\n"
        "</div>\n</body>\n</html>\n"
    )


# -- the head of the page ------------------------------------------------------------------------


def _verdict(report: Report) -> str:
    count, refused = len(report.patches), len(report.refused)
    if refused:
        headline = f"<b>{refused:,} of {counted(count, 'patch')}</b> {'is' if refused == 1 else 'are'} refused"
        headline = "<b>The patch is refused</b>" if count == 1 else headline
    else:
        subject = "The patch" if count == 1 else f"All {counted(count, 'patch')}"
        headline = f"<b>{subject} {report.good}</b>"
    return (
        f'<header class="verdict {"refused" if refused else "applies"}">\n<p class="brand">patchkit check</p>\n'
        f"<h1>{headline}</h1>\n{_bar(count - refused, refused)}{_facts(report)}{_asked(report)}</header>\n"
    )


def _bar(good: int, bad: int) -> str:
    parts = [f'<i class="{name}" style="flex:{size}"></i>' for name, size in (("good", good), ("bad", bad)) if size]
    return f'<div class="bar" role="img" aria-label="{good} good, {bad} refused">{"".join(parts)}</div>\n'


def _facts(report: Report) -> str:
    files = [file for patch in report.patches for file in patch.files]
    rows = (
        ("patches", len(report.patches), False),
        ("refused", len(report.refused), True),
        ("errors", report.error_count, True),
        ("files", len(files), False),
        ("hunks", sum(len(file.hunks) for file in files), False),
        ("notes", sum(len(patch.notes) for patch in report.patches) + len(report.notes), False),
    )
    cells = [f"<div{_bad(bad and count > 0)}><dt>{name}</dt><dd>{count:,}</dd></div>" for name, count, bad in rows]
    return f'<dl class="facts">{"".join(cells)}</dl>\n'


def _bad(bad: bool) -> str:
    return ' class="bad"' if bad else ""


def _asked(report: Report) -> str:
    """What the patches were held against."""
    told = [f"against commit {report.against[:12]}"] if report.against else []
    told += report.rules
    return f'<ul class="asked">{"".join(f"<li>{shown(each)}</li>" for each in told)}</ul>\n' if told else ""


def _choice(report: Report) -> str:
    """Buttons that choose what is shown, where there is something to choose."""
    refused = len(report.refused)
    if not refused or refused == len(report.patches):
        return ""
    count = len(report.patches)
    buttons = (("all", "All", count), ("refused", "Refused", refused), ("good", "Good", count - refused))
    labels = [
        f'<label><input type="radio" name="show" id="show-{name}"{" checked" if name == "all" else ""}> '
        f"{word} <span>{count:,}</span></label>"
        for name, word, count in buttons
    ]
    return f'<fieldset class="shown"><legend class="unseen">Patches to show</legend>{"".join(labels)}</fieldset>\n'


# -- patches -------------------------------------------------------------------------------------


def _patches(report: Report) -> str:
    notes = _notes(report.notes)
    refused = [_patch(patch, drawn=True) for patch in report.refused]
    good = [patch for patch in report.patches if patch.status != REFUSED]
    return notes + "".join(refused) + "".join(_patch(patch, place < _DRAWN) for place, patch in enumerate(good))


def _patch(patch: CheckedPatch, drawn: bool) -> str:
    bad = patch.status == REFUSED
    word = "✕ refused" if bad else "✓ can be read" if patch.status == "parsed" else "✓ applies"
    kind = "bad" if bad else "good"
    head = (
        f'<span class="pill {kind}">{word}</span><h2>{shown(patch.source)}</h2><span class="size">{size(patch)}</span>'
    )
    if not drawn:
        return f'<div class="patch {kind}"><div class="row">{head}</div></div>\n'
    inside = "".join(map(finding, _with_lines(patch))) + "".join(map(_file, patch.files))
    inside += _suggestion(patch) + _notes(patch.notes)
    opened = " open" if bad else ""
    return (
        f'<details class="patch {kind}"{opened}><summary>{head}</summary>\n'
        f'<div class="inside">\n{inside}</div>\n</details>\n'
    )


def _with_lines(patch: CheckedPatch) -> list[tuple[PatchkitError, str | None]]:
    """The errors of the patch as a whole, each with the line of the patch it speaks of."""
    lines = patch.text.split("\n") if patch.text is not None and patch.errors else []
    numbers = [error.patch_line or 0 for error in patch.errors]
    return [(error, lines[at - 1] if 0 < at <= len(lines) else None) for error, at in zip(patch.errors, numbers)]


def _file(file: CheckedFile) -> str:
    moved = f'<span class="was">from {shown(file.moved_from)}</span>' if file.moved_from else ""
    plus = f'<span class="plus">+{file.added}</span>' if file.added else ""
    minus = f' <span class="minus">{MINUS}{file.removed}</span>' if file.removed else ""
    state = "" if file.hunks or file.errors else f'<span class="was">{escaped(file.status)}</span>'
    by_hunk: dict[int, list[PatchkitError]] = {}
    for error in file.errors:
        by_hunk.setdefault(error.hunk if file.hunks and error.hunk else 0, []).append(error)
    body = "".join(finding((error, None)) for error in by_hunk.get(0, []))
    body += new_file(file) if file.text else ""
    body += "".join(hunk_article(file, hunk, by_hunk.get(hunk.index, [])) for hunk in file.hunks)
    return (
        f'<section class="file"><header><span class="op" title="{stand_in(file.op)}">{file.letter}</span>'
        f'<h3>{shown(file.path)}</h3>{moved}<span class="delta">{plus}{minus}</span>{state}</header>\n'
        f"{body}</section>\n"
    )


def _suggestion(patch: CheckedPatch) -> str:
    """The patch that should have been sent, whole and ready to be copied; a very long one is for other faces."""
    if patch.suggestion is None or len(patch.suggestion) > _SUGGESTED:
        return ""
    text = "\n".join(map(code, patch.suggestion.removesuffix("\n").split("\n")))
    return f'<details class="fixed"><summary>A patch that applies</summary><pre>{text}</pre></details>\n'


def _notes(notes: list[Note]) -> str:
    rows = [f"<li><b>{note.code}</b>{shown(note.message)}</li>" for note in notes]
    return f'<ul class="notes">{"".join(rows)}</ul>\n' if rows else ""
