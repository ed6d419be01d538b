"""Every change of every run of a workspace, as one HTML page: who made it, and the text before and after, side by side.

Takes Runs for the page; gives the page, which needs nothing else and runs no script. Names and contents of files are
escaped: every character is visible, and none is markup. What may be done from the page (undoing a run) are plain links
and forms; a page in a file has none.
"""

from __future__ import annotations

from patchkit.diffs.compare import Span, compared
from patchkit.diffs.diff import groups
from patchkit.errors import PatchkitError
from patchkit.history.reading import Touched
from patchkit.history.timeline import Changed, Held, file_changes
from patchkit.report.pages.page import NOTHING_LOADED, difference, escaped, line, page, shown
from patchkit.report.width import counted
from patchkit.values import Value

# No script, nothing from elsewhere; forms go to the server of the page only. The header also forbids frames, which a
# page cannot do itself.
_FORMS = "; form-action 'self'; base-uri 'none'"
POLICY = f"{NOTHING_LOADED}{_FORMS}; frame-ancestors 'none'"
_MOST_ROWS = 400  # of one file
_MOST_BYTES = 1 << 20  # of a file that is shown
_AROUND = 3  # unchanged lines around a change
_SHOWN = 20_000  # lines of a file that are compared


class ShownRun(Value):
    """A run for the page. `author` is what is known of who made it: a name and a value each."""

    __slots__ = ("id", "moment", "state", "author", "touched", "changes", "hindrance")
    id: str
    moment: str
    state: str
    author: list[tuple[str, str]]
    touched: list[Touched]
    changes: list[Changed]
    hindrance: str

    def __init__(self, run_id: str, moment: str, state: str) -> None:
        self.id = run_id
        self.moment = moment
        self.state = state
        self.author = []
        self.touched = []
        self.changes = []
        self.hindrance = ""


class Wanted(Value):
    """What a person looks for: words in names of files, sessions and ids; the state of a run; how many runs."""

    __slots__ = ("words", "state", "count")
    words: str
    state: str
    count: int

    def __init__(self, words: str = "", state: str = "", count: int = 50) -> None:
        self.words = words
        self.state = state
        self.count = count

    def takes(self, run: ShownRun) -> bool:
        texts = [run.id, *(value for _, value in run.author), *(each.path for each in run.touched)]
        texts += [each.moved_from for each in run.touched if each.moved_from]
        return self.state in ("", run.state) and all(
            any(word in text.lower() for text in texts) for word in self.words.lower().split()
        )


def changes_page(
    root: str, runs: list[ShownRun], wanted: Wanted | None = None, live: bool = False, message: str = ""
) -> str:
    """The page of all runs. A live one has a search, and a way to undo each run."""
    wanted = wanted or Wanted(count=len(runs))
    fitting = [run for run in runs if wanted.takes(run)]
    visible_runs = fitting[: wanted.count]
    body = f'<p class="done" role="status">{shown(message)}</p>\n' if message else ""
    body += _search(wanted, len(runs), len(fitting)) if live else ""
    body += "".join(_run(run, live, place == 0) for place, run in enumerate(visible_runs))
    if not runs:
        body += '<p class="none">Nothing was applied here yet, or the history was cleared.</p>\n'
    elif not fitting:
        body += '<p class="none">No run has these words.</p>\n'
    if len(fitting) > wanted.count:
        more = f"?count={wanted.count + 50}&amp;words={_quoted(wanted.words)}&amp;state={_quoted(wanted.state)}"
        link = f'<a href="{more}">Show more</a>' if live else ""
        body += f'<p class="none">{counted(len(fitting) - wanted.count, "older run")} not shown. {link}</p>\n'
    undone = sum(run.state == "undone" for run in runs)
    facts = (("runs", len(runs)), ("undone", undone), ("files", len({t.path for r in runs for t in r.touched})))
    cells = "".join(f"<div><dt>{name}</dt><dd>{count:,}</dd></div>" for name, count in facts)
    head = f'<h1>What was changed</h1>\n<p class="where"><code>{shown(root)}</code></p><dl class="facts">{cells}</dl>\n'
    return _page("What was changed", head, body)


def confirmation_page(root: str, run: ShownRun, verb: str, action: str, plan: list[Changed]) -> str:
    """What an undo would change, and the button that does it."""
    word = verb.capitalize()
    head = f'<h1>{word} run {escaped(run.id)}?</h1>\n<p class="where"><code>{shown(root)}</code></p>\n'
    lines = run.touched if verb == "redo" else [each.reversed() for each in run.touched]
    files = _files(plan, lines)
    body = (
        f"<p>This changes {counted(len(plan), 'file')}, all or none. "
        "A file that was changed since is never overwritten: then nothing is done.</p>\n"
        f'<form class="decide" method="post" action="{escaped(action)}">'
        f'<input type="hidden" name="id" value="{escaped(run.id)}">'
        f'<button type="submit" class="go">{word} this run</button> <a href="./">Cancel</a></form>\n'
        f'<div class="patch"><div class="inside">{files}</div></div>\n'
    )
    return _page(f"{word} run {run.id}?", head, body)


def error_page(errors: list[PatchkitError]) -> str:
    """Why something was not done, and a way back."""
    rows = "".join(
        f'<div class="error"><p><b>{escaped(error.code)}</b>{shown(error.message)}</p>'
        f'<p class="help">{shown(error.hint or "")}</p></div>\n'
        for error in errors
    )
    return _page(
        "Refused", "<h1>Refused: nothing was changed</h1>\n", f'{rows}<p><a href="./">Back to the list</a></p>\n'
    )


def _page(title: str, head: str, body: str) -> str:
    inside = f'<header class="verdict">\n<p class="brand">patchkit log</p>\n{head}</header>\n<main>\n{body}</main>\n'
    return page(title, inside, "patchkit log", CHANGES_STYLE, policy=_FORMS)


def _search(wanted: Wanted, every: int, fitting: int) -> str:
    states = "".join(
        f'<option value="{value}"{" selected" if value == wanted.state else ""}>{words}</option>'
        for value, words in (("", "all runs"), ("applied", "applied"), ("undone", "undone"))
    )
    return (
        '<form class="search" method="get" action="./"><label>File, session or id '
        f'<input type="search" name="words" value="{shown(wanted.words)}"></label>'
        f'<label>State <select name="state">{states}</select></label><button type="submit">Search</button>'
        f"<span>{fitting:,} of {counted(every, 'run')}</span></form>\n"
    )


def _quoted(text: str) -> str:
    return "".join(
        char if char.isascii() and char.isalnum() else "".join(f"%{b:02X}" for b in char.encode("utf-8", "replace"))
        for char in text
    )


# -- one run -------------------------------------------------------------------------------------


def _run(run: ShownRun, live: bool, opened: bool) -> str:
    names = ", ".join(_both_names(each) for each in run.touched[:3])
    names += f" and {len(run.touched) - 3} more" if len(run.touched) > 3 else ""
    undone = '<span class="pill undone">undone</span>' if run.state == "undone" else ""
    who = "".join(f'<span class="who">{shown(value)}</span>' for name, value in run.author if name in ("by", "session"))
    files = _files(run.changes, run.touched)
    facts = "".join(f"<div><dt>{escaped(name)}</dt><dd>{shown(value)}</dd></div>" for name, value in run.author)
    facts = f'<dl class="author">{facts}</dl>\n' if facts else '<p class="was">Not recorded who made this change.</p>\n'
    is_open = " open" if opened else ""
    return (
        f'<details class="patch run" id="run-{escaped(run.id)}"{is_open}><summary><h2>{names}</h2>{undone}{who}'
        f'<time class="size">{escaped(run.moment)}</time><span class="size">{escaped(run.id)}</span></summary>\n'
        f'<div class="inside">\n{facts}{_offer(run) if live else ""}{files}</div>\n</details>\n'
    )


def _offer(run: ShownRun) -> str:
    if run.hindrance:
        return f'<p class="was">Cannot be undone: {shown(run.hindrance)}</p>\n'
    verb = "redo" if run.state == "undone" else "undo"
    return f'<p><a class="button" href="{verb}?id={escaped(run.id)}">{verb.capitalize()} this run …</a></p>\n'


def _both_names(each: Touched) -> str:
    return f"{shown(each.moved_from)} → {shown(each.path)}" if each.moved_from else shown(each.path)


# -- one file ------------------------------------------------------------------------------------


def _files(changes: list[Changed], touched: list[Touched]) -> str:
    """Every file of a run."""
    out = "".join(_change(change, each) for each, change in file_changes(changes, touched) if change is not None)
    known = {name for each in touched for name in (each.path, each.moved_from)}
    return out + "".join(_change(each, None) for each in changes if each.path not in known)


def _change(change: Changed, touched: Touched | None) -> str:
    moved = f'<span class="was">from {shown(touched.moved_from)}</span>' if touched and touched.moved_from else ""
    letter = touched.letter if touched else _letter(change)
    added, removed = change.lines or (0, 0)
    plus = f'<span class="plus">+{added:,}</span>' if added else ""
    minus = f'<span class="minus">−{removed:,}</span>' if removed else ""
    counts = f'<span class="delta">{plus}{" " * bool(plus and minus)}{minus}</span>' if plus or minus else ""
    head = f'<span class="op">{letter}</span><h3>{shown(change.path)}</h3>{moved}{counts}'
    return f'<section class="file"><header>{head}</header>\n{_body(change)}</section>\n'


def _letter(change: Changed) -> str:
    if change.before is not None and change.before.kind == "missing":
        return "A"
    return "D" if change.after is not None and change.after.kind == "missing" else "M"


def _body(change: Changed) -> str:
    if change.before is None or change.after is None:
        words = f'<p class="was">Not shown: {shown(change.why)}.</p>\n'
        return words + _old_text(change.kept)
    before, after = change.before, change.after
    if "link" in (before.kind, after.kind):
        return f'<p class="was">{_as_words(before)} → {_as_words(after)}</p>\n'
    if _is_opaque(before.data) or _is_opaque(after.data):
        sizes = f"{len(before.data):,} bytes before, {len(after.data):,} bytes after"
        return f'<p class="was">Binary, or too large to be shown: {sizes}.</p>\n'
    old, new = _lines(before.data), _lines(after.data)
    if old == new:
        return '<p class="was">The text is the same.</p>\n'
    return _beside(old, new)


def _old_text(kept: bytes) -> str:
    if not kept or _is_opaque(kept):
        return ""
    rows = [_both(("removed", "", line(_text(each))), ("void", "", "")) for each in _lines(kept)[:_MOST_ROWS]]
    return f'<p class="was">The text that it replaced:</p>\n{_table(rows, 0)}'


def _as_words(held: Held) -> str:
    if held.kind == "link":
        return f"a link to {shown(_text(held.data))}"
    return "nothing" if held.kind == "missing" else f"a file of {len(held.data):,} bytes"


def _is_opaque(data: bytes) -> bool:
    return b"\0" in data or len(data) > _MOST_BYTES or data.count(b"\n") > _SHOWN


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


def _text(data: bytes) -> str:
    return data.removesuffix(b"\r").decode("utf-8", "backslashreplace")


def _beside(old: list[bytes], new: list[bytes]) -> str:
    """Both texts, the changes with the lines around them."""
    rows: list[str] = []
    for group in groups(compared(old, new)):
        if rows:
            rows.append('<tr class="skipped"><td colspan="4">⋯</td></tr>\n')
        rows += _group(old, new, group)
    return _table(rows[:_MOST_ROWS], max(0, len(rows) - _MOST_ROWS))


def _group(old: list[bytes], new: list[bytes], group: list[Span]) -> list[str]:
    rows = []
    mine, theirs = max(0, group[0][0] - _AROUND), max(0, group[0][2] - _AROUND)
    ending = (min(len(old), group[-1][1] + _AROUND), 0, min(len(new), group[-1][3] + _AROUND), 0)
    for start, stop, at, end in [*group, ending]:
        while mine < start and theirs < at:
            text = line(_text(old[mine]))
            rows.append(_both(("", str(mine + 1), text), ("same", str(theirs + 1), text)))
            mine, theirs = mine + 1, theirs + 1
        for step in range(max(stop - start, end - at, 0)):
            rows.append(_pair(old, start + step, stop, new, at + step, end))
        mine, theirs = max(mine, stop), max(theirs, end)
    return rows


def _pair(old: list[bytes], mine: int, stop: int, new: list[bytes], theirs: int, end: int) -> str:
    one = _text(old[mine]) if mine < stop else None
    other = _text(new[theirs]) if theirs < end else None
    left, right = ("void", "", ""), ("void", "", "")
    if one is not None:
        marked = _marked(one, other)
        left = ("removed", str(mine + 1), marked)
    if other is not None:
        marked = _marked(other, one)
        right = ("added", str(theirs + 1), marked)
    return _both(left, right)


def _marked(own: str, other: str | None) -> str:
    """A line with what differs from the other side marked, unless all of it does."""
    if other is None:
        return line(own)
    start, stop = difference(own, other)
    return line(own) if own[start:stop].strip() == own.strip() else line(own, start, stop)


def _both(left: tuple[str, str, str], right: tuple[str, str, str]) -> str:
    cells = "".join(
        f'<td class="number {kind}">{number}</td><td class="line {kind}">{words}</td>'
        for kind, number, words in (left, right)
    )
    return f"<tr>{cells}</tr>\n"


def _table(rows: list[str], more: int) -> str:
    rest = f'<p class="more">… {more:,} more lines</p>' if more else ""
    return f'<div class="hunk"><table class="lines both"><tbody>\n{"".join(rows)}</tbody></table>{rest}</div>\n'


CHANGES_STYLE = """\
.where { margin: .35rem 0 1.1rem; }
.search { display: flex; flex-wrap: wrap; gap: .5rem .9rem; align-items: end; margin-bottom: 1rem; font-size: .875rem; }
.search label { display: grid; gap: .2rem; color: var(--soft); flex: 0 1 auto; min-width: 0; }
.search label:first-of-type { flex: 1 1 14rem; }
.search span { color: var(--soft); padding-bottom: .45rem; }
input, select, button, .button { font: inherit; color: var(--ink); background: var(--card);
  border: 1px solid var(--line); border-radius: 8px; padding: .4rem .8rem; min-width: 0; max-width: 100%; }
button, .button { cursor: pointer; text-decoration: none; display: inline-block; }
button:hover, .button:hover { border-color: var(--soft); }
button.go { background: var(--bad); color: var(--card); border-color: var(--bad); font-weight: 600; }
a { color: var(--link); }
.decide { margin: 1rem 0; display: flex; gap: 1rem; align-items: center; }
.done { background: var(--good-ground); color: var(--good); border-radius: 8px; padding: .6rem 1rem;
  margin-bottom: 1rem; overflow-wrap: anywhere; }
.none { color: var(--soft); padding: .5rem 0; }
.pill.undone { background: var(--note-ground); color: var(--note); }
.who { border: 1px solid var(--line); border-radius: 99px; padding: .05rem .6rem; font-size: .8125rem;
  color: var(--soft); overflow-wrap: anywhere; }
.author { display: flex; flex-wrap: wrap; gap: .4rem 1.75rem; font-size: .875rem; }
.author dt { color: var(--soft); font-size: .75rem; }
.author dd { margin: 0; overflow-wrap: anywhere; }
.run:target { border-color: var(--link); }
.both { table-layout: fixed; }
.both .number { width: 3.25rem; padding-right: .6rem; }
.both td.line { padding-right: .75rem; }
.both td:nth-child(3) { border-left: 1px solid var(--line); }
.both td.void { background: var(--raised); }
.both td.added { background: var(--added); } .both td.removed { background: var(--removed); }
.both .skipped td { text-align: center; color: var(--soft); background: var(--raised); }
@media (max-width: 48rem) {
  .both, .both tbody { display: block; }
  .both tr { display: grid; grid-template-columns: 2.75rem minmax(0, 1fr); }
  .both tr.skipped { display: block; }
  .both td { min-height: 1.55em; }
  .both td.same, .both td.void { display: none; }
  .both td:nth-child(3) { border-left: 0; }
}
"""
