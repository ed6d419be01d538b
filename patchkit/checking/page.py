"""A Report as one HTML file that needs nothing else: no font, no picture, no network.

Takes a Report whose hunks have their lines; gives the page. It can be read on a phone and on a large screen, light or
dark, with a keyboard and with a screen reader: words and signs say what colours say. A hunk that applies is a diff with
the file's line numbers; one that does not is beside the closest place, or the places it could mean, line by line, with
what differs marked. Text out of patches and files is escaped: every character is visible, and none is markup.
"""

from __future__ import annotations

from patchkit.catalogue.sentences import name_of
from patchkit.checking.findings import accepted_words
from patchkit.checking.report import (
    REFUSED,
    UNCHECKED,
    CheckedFile,
    CheckedHunk,
    CheckedPatch,
    Excerpt,
    Report,
)
from patchkit.checking.text import outcome, size
from patchkit.errors import Note, PatchkitError
from patchkit.report.diagnostics import choices_of
from patchkit.report.pages.page import SEARCH_SCRIPT, code, difference, escaped, in_steps, line, page, shown
from patchkit.report.width import counted

_DRAWN = 300  # good patches that are drawn hunk by hunk; beyond them they are one line each
_OPENED = 20  # refused patches that are open when the page is; of more, each is opened by a click
_SUGGESTED = 20_000  # characters of a corrected patch
_MINUS = "\u2212"
_OPERATIONS = {"add": "added", "delete": "deleted", "update": "changed", "move": "moved"}
_KINDS = {"+": "added", "-": "removed", " ": ""}  # classes of rows


def render(report: Report) -> str:
    inside = f'{_verdict(report)}<main id="patches">\n{_choice(report)}{_patches(report)}</main>\n'
    script = SEARCH_SCRIPT if len(report.patches) > MANY else ""
    return page(report.verdict, inside, "patchkit check", GROUP_STYLE, script, skip="#patches Skip to the patches")


def _verdict(report: Report) -> str:
    count, refused = len(report.patches), len(report.refused)
    if refused:
        headline = f"<b>{refused:,} of {counted(count, 'patch')}</b> {'is' if refused == 1 else 'are'} refused"
        headline = "<b>The patch is refused</b>" if count == 1 else headline
    else:
        subject = "The patch" if count == 1 else f"All {counted(count, 'patch')}"
        headline = f"<b>{subject} {report.good}</b>" if count else "<b>No patch to check</b>"
    good = count - refused
    parts = [f'<i class="{name}" style="flex:{size}"></i>' for name, size in (("good", good), ("bad", refused)) if size]
    bar = f'<div class="bar" role="img" aria-label="{good} good, {refused} refused">{"".join(parts)}</div>\n'
    return (
        f'<header class="verdict {"refused" if refused else "applies"}">\n<p class="brand">patchkit check</p>\n'
        f"<h1>{headline}</h1>\n{bar}{_facts(report)}{_asked(report)}</header>\n"
    )


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
    cells = ""
    for name, count, bad in rows:
        kind = ' class="bad"' if bad and count else ""
        cells += f"<div{kind}><dt>{name}</dt><dd>{count:,}</dd></div>"
    return f'<dl class="facts">{cells}</dl>\n'


def _asked(report: Report) -> str:
    """What the patches were checked against."""
    asked = [f"against commit {report.against[:12]}"] if report.against else []
    asked += report.rules
    asked += [accepted_words(report)] if report.accepted else []
    return f'<ul class="asked">{"".join(f"<li>{shown(each)}</li>" for each in asked)}</ul>\n' if asked else ""


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


def _patches(report: Report) -> str:
    good = [patch for patch in report.patches if patch.status != REFUSED]
    groups = grouped(report.refused)
    few = len(report.refused) <= _OPENED
    refused = [
        group(code, len(patches), in_steps([_patch(each, True, few) for each in patches]), number == 0 or few)
        for number, (code, patches) in enumerate(groups)
    ]
    applying = in_steps([_patch(patch, place < _DRAWN) for place, patch in enumerate(good)])
    return _notes(report.notes) + list_of_groups(groups) + "".join(refused) + applying


def _patch(patch: CheckedPatch, drawn: bool, opened: bool = False) -> str:
    bad = patch.status == REFUSED
    word = "✕ refused" if bad else "✓ can be read" if patch.status == "parsed" else "✓ applies"
    kind = "bad" if bad else "good"
    level = "h3" if bad else "h2"  # below the heading of its group
    head = (
        f'<span class="pill {kind}">{word}</span><{level} class="source">{shown(patch.source)}</{level}>'
        f'<span class="size">{size(patch)}</span>{_reason(patch)}'
    )
    if not drawn:
        return f'<div class="patch {kind}"{words_of(patch)}><div class="row">{head}</div></div>\n'
    lines = dict(enumerate(patch.text.split("\n"), 1)) if patch.text is not None and patch.errors else {}
    inside = "".join(_error(error, lines.get(error.patch_line or 0)) for error in patch.errors)
    inside += "".join(map(_file, patch.files))
    inside += _suggestion(patch) + _notes(patch.notes)
    return (
        f'<details class="patch {kind}"{words_of(patch)}{" open" if opened else ""}><summary>{head}</summary>\n'
        f'<div class="inside">\n{inside}</div>\n</details>\n'
    )


def _reason(patch: CheckedPatch) -> str:
    """The first error of a patch, for a row that is closed: its sentence names the file."""
    errors = patch.every_error
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f'<span class="reason">{shown(errors[0].message)}{more}</span>' if errors else ""


def _file(file: CheckedFile) -> str:
    moved = f'<span class="was">from {shown(file.data["moved_from"])}</span>' if file.data["moved_from"] else ""
    plus = f'<span class="plus">+{file.data["added"]}</span>' if file.data["added"] else ""
    minus = f' <span class="minus">{_MINUS}{file.data["removed"]}</span>' if file.data["removed"] else ""
    state = "" if file.hunks or file.errors else f'<span class="was">{escaped(file.status)}</span>'
    by_hunk: dict[int, list[PatchkitError]] = {}
    for error in file.errors:
        by_hunk.setdefault(error.hunk if file.hunks and error.hunk else 0, []).append(error)
    body = "".join(map(_error, by_hunk.get(0, [])))
    body += _new_file(file) if file.text else ""
    body += "".join(_hunk(file, hunk, by_hunk.get(hunk.data["index"], [])) for hunk in file.hunks)
    return (
        f'<section class="file"><header><span class="op" title="{_OPERATIONS[file.data["op"]]}">{file.letter}</span>'
        f'<h3>{shown(file.data["path"])}</h3>{moved}<span class="delta">{plus}{minus}</span>{state}</header>\n'
        f"{body}</section>\n"
    )


def _suggestion(patch: CheckedPatch) -> str:
    """The patch that should have been sent, whole and ready to be copied; a very long one is left to other formats."""
    if patch.suggestion is None or len(patch.suggestion) > _SUGGESTED:
        return ""
    text = "\n".join(map(code, patch.suggestion.removesuffix("\n").split("\n")))
    return f'<details class="fixed"><summary>Corrected patch ({patch.certainty})</summary><pre>{text}</pre></details>\n'


def _notes(notes: list[Note]) -> str:
    rows = [f"<li><b>{note.code}</b>{shown(note.message)}</li>" for note in notes]
    return f'<ul class="notes">{"".join(rows)}</ul>\n' if rows else ""


def _hunk(file: CheckedFile, hunk: CheckedHunk, errors: list[PatchkitError]) -> str:
    bad = bool(errors)
    words = "".join(map(_error, errors))
    body = _beside(file, hunk, errors) if bad and hunk.windows else _alone(hunk, file.data["path"])
    kind = " bad" if bad else " unchecked" if hunk.data["status"] == UNCHECKED else ""
    anchors = "".join(f"<code>@@ {shown(anchor)}</code>" for anchor in hunk.anchors)
    line = f'<span class="at">patch line {hunk.data["patch_line"]}</span>' if hunk.data["patch_line"] else ""
    return (
        f'<article class="hunk{kind}"><header><h4>Hunk {hunk.data["index"]}</h4>{anchors}'
        f'{line}<span class="outcome">{shown(outcome(hunk))}</span>'
        f"</header>\n{words}{body}</article>\n"
    )


def _new_file(file: CheckedFile) -> str:
    """The text of a file that the patch adds."""
    rows = [
        _row("added", str(number), "+", line(text, path=file.data["path"])) for number, text in enumerate(file.text, 1)
    ]
    return f'<div class="hunk">{_table(rows)}{_more(file.more)}</div>\n'


def _alone(hunk: CheckedHunk, path: str) -> str:
    """The lines of a hunk, numbered as in the file where it has its place there, else as in the patch."""
    rows = []
    at = hunk.data["line"]
    for index, text in enumerate(hunk.lines):
        sign = text[0]
        number = str(hunk.body_line + index) if at is None else "" if sign == "+" else str(at)
        at = at + 1 if at is not None and sign != "+" else at
        rows.append(_row(_KINDS[sign], number, sign, line(text[1:], path=path)))
    return _table(rows) + _more(hunk.more)


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
    path = shown(file.data["moved_from"] or file.data["path"])
    if hunk.near is not None and not hunk.candidates:
        return f"<b>{path}</b>, closest place, line {hunk.near.line + 1} ({hunk.near.agreement})"
    place = hunk.candidates[number] if hunk.candidates else hunk.data["line"]
    choices = [each for error in errors for each in choices_of(error.facts) if each.line == place]
    inside = f", in <b>{shown(choices[0].inside)}</b>" if choices and choices[0].inside else ""
    by = " and ".join(f"<code>{shown(line)}</code>" for line in choices[0].add) if choices else ""
    return f"<b>{path}</b>, line {place}{inside}{f', chosen by {by}' if by else ''}"


def _sides(hunk: CheckedHunk, window: Excerpt) -> tuple[list[str], list[str]]:
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
    return ("differs", line(own, *difference(own, other))), ("differs", line(other, *difference(other, own)))


def _place(hunk: CheckedHunk, window: Excerpt) -> int:
    """The line of the excerpt that the hunk's first line is compared with."""
    known = [hunk.near.line + 1] if hunk.near is not None and not hunk.candidates else hunk.candidates
    inside = range(window.line, window.line + len(window.texts) + 1)
    return next((place for place in known if place in inside and place - window.line <= 1), window.line)


def _at(window: Excerpt, number: int) -> str | None:
    index = number - window.line
    return window.texts[index] if 0 <= index < len(window.texts) else None


def _table(rows: list[str]) -> str:
    return f'<table class="lines"><tbody>\n{"".join(rows)}</tbody></table>' if rows else ""


def _row(kind: str, number: str, sign: str, words: str) -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<tr{name}><td class="number">{number}</td><td class="sign">{sign}</td><td class="line">{words}</td></tr>\n'


_GAP = _row("gap", "", " ", "")


def _more(count: int) -> str:
    return f'<p class="more">… {count:,} more lines</p>' if count else ""


def _error(error: PatchkitError, text: str | None = None) -> str:
    """An error as a block: code, sentence, the line of the patch where it is known, the next step."""
    quoted = f'<p class="quoted"><span>{error.patch_line}</span>{line(text)}</p>' if text is not None else ""
    hint = f'<p class="help">{shown(error.hint)}</p>' if error.hint else ""
    return f'<div class="error"><p><b>{error.code}</b>{shown(error.message)}</p>{quoted}{hint}</div>\n'


# -- refused patches by the code of their first error ------------------------------------------------


MANY = 20  # patches from which on a report has a search

GROUP_STYLE = """\
.codes { display: flex; flex-wrap: wrap; gap: .35rem; list-style: none; padding: 0; margin: 0 0 1rem;
  font-size: .875rem; }
.codes a { display: block; border: 1px solid var(--line); border-radius: 99px; padding: .1rem .7rem; color: var(--ink);
  background: var(--card); text-decoration: none; }
.codes a:hover { border-color: var(--soft); }
.group > summary { cursor: pointer; margin: 1rem 0 .5rem; }
.group > summary h2 { display: inline; }
.group > summary span { color: var(--soft); font-weight: 400; }
.reason { flex-basis: 100%; color: var(--bad); font-size: .875rem; overflow-wrap: anywhere; }
.patch[open] > summary .reason { display: none; }
body:has(#show-good:checked) .group, body:has(#show-good:checked) .codes { display: none; }
"""


def codes_of(patch: CheckedPatch) -> list[str]:
    """The codes of a patch's errors, each once, in their order."""
    return list(dict.fromkeys(error.code for error in patch.every_error))


def grouped(refused: list[CheckedPatch]) -> list[tuple[str, list[CheckedPatch]]]:
    """The refused patches by the code of their first error, the most frequent code first."""
    found: dict[str, list[CheckedPatch]] = {}
    for patch in refused:
        found.setdefault(codes_of(patch)[0], []).append(patch)
    return sorted(found.items(), key=lambda group: (-len(group[1]), group[0]))


def list_of_groups(groups: list[tuple[str, list[CheckedPatch]]]) -> str:
    """Links to the groups, where there is more than one."""
    if len(groups) < 2:
        return ""
    rows = [
        f'<li><a href="#code-{escaped(code)}"><b>{code}</b> {escaped(name_of(code))} · {len(patches):,}</a></li>'
        for code, patches in groups
    ]
    return f'<ul class="codes" aria-label="Causes">{"".join(rows)}</ul>\n'


def group(code: str, count: int, patches: str, opened: bool) -> str:
    """The refused patches of one code, which fold."""
    head = f"<summary><h2>{escaped(code)} {escaped(name_of(code))} <span>{count:,}</span></h2></summary>\n"
    is_open = " open" if opened else ""
    return f'<details class="group" id="code-{escaped(code)}"{is_open}>{head}{patches}</details>\n'


def words_of(patch: CheckedPatch) -> str:
    """What a search looks at, as an attribute."""
    words = [
        patch.source,
        *codes_of(patch),
        *map(name_of, codes_of(patch)),
        *(file.data["path"] for file in patch.files),
    ]
    return f' data-words="{shown(" ".join(words))}"'
