"""Every change of every run of a workspace, as one HTML page: who made it, and the text before and after, side by side.

Takes runs and refusals for the page; gives the page. Names and contents of files are escaped: every character is
visible, and none is markup. What may be done from the page (undoing a run) are plain links and forms. One script of our
own renews a page that is served, and lets keys move in it; a page in a file has no links, no forms and no script.
"""

from __future__ import annotations

from urllib.parse import urlencode

from patchkit.catalogue.entries import ENTRIES
from patchkit.catalogue.sentences import general, name_of
from patchkit.diffs.compare import Span, compared
from patchkit.diffs.diff import groups
from patchkit.errors import PatchkitError
from patchkit.history.reading import Touched
from patchkit.history.timeline import Changed, Held, file_changes
from patchkit.report.pages.page import NOTHING_LOADED, difference, escaped, line, page, script_source, shown
from patchkit.report.width import counted
from patchkit.values import Record

# Nothing from elsewhere; forms and the one script go to the server of the page only.
_FORMS = "; form-action 'self'; base-uri 'none'"
_LIVE = f"{_FORMS}; connect-src 'self'"
_MOST_ROWS = 400  # of one file
_MOST_BYTES = 1 << 20  # of a file that is shown
_AROUND = 3  # unchanged lines around a change
_SHOWN = 20_000  # lines of a file that are compared


def served_policy() -> str:
    """The policy of every answer of the server; it forbids frames, too, which a page cannot do itself."""
    return f"{NOTHING_LOADED}{_LIVE}; frame-ancestors 'none'{script_source(_SCRIPT)}"


class ShownRun(Record):
    """A run for the page: applied, undone, or refused, then with the `code` and without an id."""

    id: str
    moment: str  # its time for people
    state: str
    time: int = 0  # in nanoseconds
    touched: list[Touched] = []
    author: list[tuple[str, str]] = []  # what is known of who made it: a name and a value each
    changes: list[Changed] = []
    hindrance: str = ""
    code: str = ""

    def known(self, label: str) -> str:
        """What is known of the author under a label; '' where that is nothing."""
        return next((value for name, value in self.author if name == label), "")

    @property
    def lines(self) -> tuple[int, int]:
        """How many lines the run added and removed, as far as that is known."""
        counts = [change.lines for _each, change in file_changes(self.changes, self.touched) if change is not None]
        known = [each for each in counts if each is not None]
        return sum(added for added, _ in known), sum(removed for _, removed in known)


class Wanted(Record):
    """What a person looks for: words in names and changed lines; state, author, session and file; how many runs."""

    words: str = ""
    state: str = ""
    count: int = 50
    by: str = ""
    session: str = ""
    file: str = ""

    def takes(self, run: ShownRun) -> bool:
        paths = [path for each in run.touched for path in (each.path, each.moved_from or "")]
        if self.state not in ("", run.state) or not any(self.file.lower() in path.lower() for path in paths or [""]):
            return False
        if self.by not in ("", run.known("by")) or self.session not in ("", run.known("session")):
            return False
        texts = [run.id, run.code, *(value for _, value in run.author), *paths]
        lines: list[str] | None = None
        for word in self.words.lower().split():
            if not any(word in text.lower() for text in texts):
                lines = _changed_lines(run) if lines is None else lines
                if not any(word in text for text in lines):
                    return False
        return True


def _changed_lines(run: ShownRun) -> list[str]:
    """The lines that are on one side only, in small letters."""
    found: set[bytes] = set()
    for change in run.changes:
        sides = [set(each.data.split(b"\n")) if each is not None else set() for each in (change.before, change.after)]
        found |= sides[0] ^ sides[1]
    return [each.decode("utf-8", "replace").lower() for each in found]


def changes_page(
    root: str, runs: list[ShownRun], wanted: Wanted | None = None, live: str = "", message: str = "", hint: str = ""
) -> str:
    """The page of all runs. A live one, with the mark of what it shows, has filters, and a way to undo each run."""
    wanted = wanted or Wanted(count=len(runs))
    fitting = [run for run in runs if wanted.takes(run)]
    visible_runs = fitting[: wanted.count]
    body = f'<p class="done" role="status">{shown(message)}</p>\n' if message else ""
    body += _search(wanted, runs) if live else ""
    body += f'<div id="list" data-mark="{escaped(live)}">\n' if live else ""
    body += f'<p class="count" role="status">{len(fitting):,} of {counted(len(runs), "record")}</p>\n' if live else ""
    body += "".join(_run(run, bool(live), place == 0) for place, run in enumerate(visible_runs))
    if not runs:
        body += '<p class="none">Nothing was applied here yet, or the history was cleared.</p>\n'
    elif not fitting:
        body += '<p class="none">Nothing is like this.</p>\n'
    if len(fitting) > wanted.count:
        names = ("words", "state", "by", "session", "file")
        asked = {"count": wanted.count + 50, **{name: value for name in names if (value := getattr(wanted, name))}}
        link = f'<a href="?{escaped(urlencode(asked, errors="replace"))}">Show more</a>' if live else ""
        body += f'<p class="none">{counted(len(fitting) - wanted.count, "older run")} not shown. {link}</p>\n'
    body += "</div>\n" if live else ""
    body += f'<p class="none">{shown(hint)}</p>\n' if hint else ""
    body += _KEYS if live else ""
    states = [run.state for run in runs]
    changed = [run for run in runs if run.state != "refused"]
    facts = [("runs", len(changed)), ("undone", states.count("undone"))]
    facts += [("refused", states.count("refused"))] if "refused" in states else []
    facts += [("files", len({each.path for run in changed for each in run.touched}))]
    cells = "".join(f"<div><dt>{name}</dt><dd>{count:,}</dd></div>" for name, count in facts)
    head = f'<h1>What was changed</h1>\n<p class="where"><code>{shown(root)}</code></p>'
    head += f'<dl class="facts" id="facts">{cells}</dl>\n'
    return _page("What was changed", head, body, bool(live))


_KEYS = (
    '<p class="none"><kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>enter</kbd> open, <kbd>u</kbd> undo, '
    '<kbd>/</kbd> search. <span id="live" role="status">The page renews itself.</span></p>\n'
)


def confirmation_page(root: str, run: ShownRun, verb: str, action: str, plan: list[Changed]) -> str:
    """What an undo would change, and the button that does it."""
    word = verb.capitalize()
    caller, session = run.known("by"), run.known("session")
    who = [f"by {shown(caller)}"] * bool(caller) + [f"session {shown(session)}"] * bool(session)
    facts = " · ".join([*who, escaped(run.moment), f"run {escaped(run.id)}", f"<code>{shown(root)}</code>"])
    head = f'<h1>{word} the change of {_names(run)}?</h1>\n<p class="where">{facts}</p>\n'
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
    return _page(f"{word} run {run.id}?", head, body, live=True)


def error_page(errors: list[PatchkitError]) -> str:
    """Why something was not done, and a way back."""
    rows = "".join(
        f'<div class="error"><p><b>{escaped(error.code)}</b>{shown(error.message)}</p>'
        f'<p class="help">{shown(error.hint or "")}</p></div>\n'
        for error in errors
    )
    return _page(
        "Refused", "<h1>Refused: nothing was changed</h1>\n", f'{rows}<p><a href="./">Back to the list</a></p>\n', True
    )


def _page(title: str, head: str, body: str, live: bool = False) -> str:
    name = f"patchkit {'serve' if live else 'log'}"
    inside = f'<header class="verdict">\n<p class="brand">{name}</p>\n{head}</header>\n<main>\n{body}</main>\n'
    script, policy = (_SCRIPT, _LIVE) if live else ("", _FORMS)
    return page(title, inside, name, CHANGES_STYLE, script, policy)


def _search(wanted: Wanted, runs: list[ShownRun]) -> str:
    """The filters: what they offer is what the runs have."""
    callers = sorted({run.known("by") for run in runs} - {""})
    sessions = list(dict.fromkeys(run.known("session") for run in runs if run.known("session")))
    states = [("applied", "applied"), ("undone", "undone"), ("refused", "refused")]
    return (
        '<form class="search" method="get" action="./"><label>Text '
        f'<input type="search" name="words" id="words" value="{shown(wanted.words)}"></label>'
        f'<label>File <input type="search" name="file" value="{shown(wanted.file)}"></label>'
        + _chosen("By", "by", "anyone", [(each, each) for each in callers], wanted.by)
        + _chosen("Session", "session", "all", [(each, each) for each in sessions], wanted.session)
        + _chosen("State", "state", "all", states, wanted.state)
        + '<button type="submit">Search</button></form>\n'
    )


def _chosen(label: str, name: str, every: str, values: list[tuple[str, str]], now: str) -> str:
    options = "".join(
        f'<option value="{shown(value)}"{" selected" if value == now else ""}>{shown(words)}</option>'
        for value, words in [("", every), *values]
    )
    return f'<label>{label} <select name="{name}">{options}</select></label>'


def _names(run: ShownRun) -> str:
    before = [f"{shown(each.moved_from)} → " if each.moved_from else "" for each in run.touched[:3]]
    names = ", ".join(old + shown(each.path) for old, each in zip(before, run.touched))
    return names + (f" and {len(run.touched) - 3} more" if len(run.touched) > 3 else "")


def _refusal(run: ShownRun) -> str:
    """A call that was refused: what it was about, and why."""
    words = f"{run.code} {name_of(run.code)}" if run.code in ENTRIES else run.code
    sentence = general(ENTRIES[run.code].sentence) if run.code in ENTRIES else ""
    # The log knows what the call was about, and not which of several files, and which line, was refused.
    about = f"'{run.touched[0].path}'" if len(run.touched) == 1 else "one of the files"
    sentence = shown(sentence.replace("'FILE'", about).replace(" (line N)", ""))
    return (
        f'<details class="patch run" id="refused-{run.time}"><summary><span class="pill bad">refused</span>'
        f"<h2>{_names(run) or shown(run.known('tool'))}</h2>"
        f'<span class="why">{shown(words)}</span>{_who(run)}{_moment(run)}</summary>\n'
        f'<div class="inside">\n<div class="error"><p><b>{shown(run.code)}</b>{sentence}</p>'
        f'<p class="help">Nothing was written. patchkit explain {shown(run.code)} says more.</p></div>\n'
        f"{_author(run)}</div>\n</details>\n"
    )


def _author(run: ShownRun) -> str:
    facts = "".join(f"<div><dt>{escaped(name)}</dt><dd>{shown(value)}</dd></div>" for name, value in run.author)
    return f'<dl class="author">{facts}</dl>\n'


def _who(run: ShownRun) -> str:
    return "".join(
        f'<span class="who">{shown(value)}</span>' for name, value in run.author if name in ("by", "session")
    )


def _moment(run: ShownRun) -> str:
    return f'<time class="size">{escaped(run.moment)}</time>'


def _counts(lines: tuple[int, int]) -> str:
    """Lines added and removed, as '+12 −3'; nothing where there are none."""
    plus = f'<span class="plus">+{lines[0]:,}</span>' if lines[0] else ""
    minus = f'<span class="minus">−{lines[1]:,}</span>' if lines[1] else ""
    return f'<span class="delta">{plus}{" " * bool(plus and minus)}{minus}</span>' if plus or minus else ""


def _run(run: ShownRun, live: bool, opened: bool) -> str:
    if run.state == "refused":
        return _refusal(run)
    undone = '<span class="pill undone">undone</span>' if run.state == "undone" else ""
    files = _files(run.changes, run.touched)
    facts = _author(run) if run.author else '<p class="was">Not recorded who made this change.</p>\n'
    is_open = " open" if opened else ""
    return (
        f'<details class="patch run" id="run-{escaped(run.id)}"{is_open}><summary><h2>{_names(run)}</h2>'
        f"{_counts(run.lines)}{undone}{_who(run)}{_moment(run)}"
        f'<span class="size">{escaped(run.id)}</span></summary>\n'
        f'<div class="inside">\n{facts}{_offer(run) if live else ""}{files}</div>\n</details>\n'
    )


def _offer(run: ShownRun) -> str:
    if run.hindrance:
        return f'<p class="was">Cannot be undone: {shown(run.hindrance)}</p>\n'
    verb = "redo" if run.state == "undone" else "undo"
    return f'<p><a class="button" href="{verb}?id={escaped(run.id)}">{verb.capitalize()} this run …</a></p>\n'


def _files(changes: list[Changed], touched: list[Touched]) -> str:
    out = "".join(_change(change, each) for each, change in file_changes(changes, touched) if change is not None)
    known = {name for each in touched for name in (each.path, each.moved_from)}
    return out + "".join(_change(each, None) for each in changes if each.path not in known)


def _change(change: Changed, touched: Touched | None) -> str:
    moved = f'<span class="was">from {shown(touched.moved_from)}</span>' if touched and touched.moved_from else ""
    kinds = [held.kind if held is not None else "" for held in (change.before, change.after)]
    letter = "A" if kinds[0] == "missing" else "D" if kinds[1] == "missing" else "M"
    letter = touched.letter if touched else letter
    counts = _counts(change.lines or (0, 0))
    head = f'<span class="op">{letter}</span><h3>{shown(change.path)}</h3>{moved}{counts}'
    return f'<section class="file"><header>{head}</header>\n{_body(change)}</section>\n'


def _body(change: Changed) -> str:
    if change.before is None or change.after is None:
        words = f'<p class="was">Not shown: {shown(change.why)}.</p>\n'
        if not change.kept or _is_opaque(change.kept):
            return words
        rows = [_both(("removed", "", line(_text(each))), _VOID) for each in _lines(change.kept)[:_MOST_ROWS]]
        return f'{words}<p class="was">The text that it replaced:</p>\n{_table(rows, 0)}'
    before, after = change.before, change.after
    if "link" in (before.kind, after.kind):
        return f'<p class="was">{_as_words(before)} → {_as_words(after)}</p>\n'
    if _is_opaque(before.data) or _is_opaque(after.data):
        sizes = f"{len(before.data):,} bytes before, {len(after.data):,} bytes after"
        return f'<p class="was">Binary, or too large to be shown: {sizes}.</p>\n'
    old, new = _lines(before.data), _lines(after.data)
    if old == new:
        return '<p class="was">The text is the same.</p>\n'
    return _beside(old, new, change.path)


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


def _beside(old: list[bytes], new: list[bytes], path: str) -> str:
    """Both texts, the changes with the lines around them."""
    rows: list[str] = []
    for group in groups(compared(old, new)):
        if rows:
            rows.append('<tr class="skipped"><td colspan="4">⋯</td></tr>\n')
        rows += _group(old, new, group, path)
    return _table(rows[:_MOST_ROWS], max(0, len(rows) - _MOST_ROWS))


def _group(old: list[bytes], new: list[bytes], group: list[Span], path: str) -> list[str]:
    rows = []
    mine, theirs = max(0, group[0][0] - _AROUND), max(0, group[0][2] - _AROUND)
    ending = (min(len(old), group[-1][1] + _AROUND), 0, min(len(new), group[-1][3] + _AROUND), 0)
    for start, stop, at, end in [*group, ending]:
        while mine < start and theirs < at:
            text = line(_text(old[mine]), path=path)
            rows.append(_both(("", str(mine + 1), text), ("same", str(theirs + 1), text)))
            mine, theirs = mine + 1, theirs + 1
        for step in range(max(stop - start, end - at, 0)):
            one = _text(old[start + step]) if start + step < stop else None
            other = _text(new[at + step]) if at + step < end else None
            left = ("removed", str(start + step + 1), _marked(one, other, path)) if one is not None else _VOID
            right = ("added", str(at + step + 1), _marked(other, one, path)) if other is not None else _VOID
            rows.append(_both(left, right))
        mine, theirs = max(mine, stop), max(theirs, end)
    return rows


_VOID = ("void", "", "")


def _marked(own: str, other: str | None, path: str) -> str:
    """A line with what differs from the other side marked, unless all of it does."""
    start, stop = difference(own, other) if other is not None else (0, len(own))
    return line(own, path=path) if own[start:stop].strip() == own.strip() else line(own, start, stop, path)


def _both(left: tuple[str, str, str], right: tuple[str, str, str]) -> str:
    cells = "".join(
        f'<td class="number {kind}">{number}</td><td class="line {kind}">{words}</td>'
        for kind, number, words in (left, right)
    )
    return f"<tr>{cells}</tr>\n"


def _table(rows: list[str], more: int) -> str:
    rest = f'<p class="more">… {more:,} more lines</p>' if more else ""
    return f'<div class="hunk"><table class="lines both"><tbody>\n{"".join(rows)}</tbody></table>{rest}</div>\n'


# Renews the list when something was applied, undone or refused, with what was open still open; and keys.
_SCRIPT = """
(() => {
  const list = document.getElementById("list");
  if (!list) return;
  const rows = () => [...document.querySelectorAll("#list > details")];
  const rowOf = (element) => element?.closest("#list > details");
  const said = document.getElementById("live");
  const renew = async () => {
    try {
      const mark = await (await fetch("state")).text();
      said.textContent = "The page renews itself.";
      if (mark !== document.getElementById("list").dataset.mark && !getSelection().toString()) {
        const answer = await (await fetch(location.href)).text();
        const next = new DOMParser().parseFromString(answer, "text/html");
        const open = new Map(rows().map((row) => [row.id, row.open])), focused = rowOf(document.activeElement)?.id;
        for (const id of ["list", "facts"]) document.getElementById(id).replaceWith(next.getElementById(id));
        for (const row of rows()) open.has(row.id) ? row.open = open.get(row.id) : row.classList.add("fresh");
        if (focused) document.getElementById(focused)?.querySelector("summary").focus({ preventScroll: true });
      }
    } catch {
      said.textContent = "The server has ended.";
    }
    setTimeout(renew, 1000);
  };
  setTimeout(renew, 1000);
  const form = document.querySelector("form.search");
  form.addEventListener("change", (event) => event.target.tagName === "SELECT" && form.submit());
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT/.test(event.target.tagName)) return;
    const all = rows(), at = all.indexOf(rowOf(document.activeElement));
    const step = { j: 1, k: -1 }[event.key];
    if (step) {
      const row = all[Math.min(Math.max(at + step, 0), all.length - 1)];
      row?.querySelector("summary").focus();
      row?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "u") {
      all[at]?.querySelector("a.button")?.click();
    } else if (event.key === "/") {
      event.preventDefault();
      document.getElementById("words").focus();
    }
  });
})();
"""
CHANGES_STYLE = """\
.count { color: var(--soft); font-size: .875rem; margin-bottom: .5rem; }
.why { color: var(--bad); font: .8125rem/1.4 var(--code); overflow-wrap: anywhere; }
.fresh { border-color: var(--good); }
kbd { font: .8125rem/1 var(--code); border: 1px solid var(--line); border-radius: 4px; padding: .05rem .35rem; }
.where { margin: .35rem 0 1.1rem; }
.search { display: flex; flex-wrap: wrap; gap: .5rem .9rem; align-items: end; margin-bottom: 1rem; font-size: .875rem; }
.search label { display: grid; gap: .2rem; color: var(--soft); flex: 0 1 auto; min-width: 0; }
.search label:first-of-type { flex: 1 1 14rem; }
.search span { color: var(--soft); padding-bottom: .45rem; }
input, select, button, .button { font: inherit; color: var(--ink); background: var(--card);
  border: 1px solid var(--line); border-radius: 8px; padding: .4rem .8rem; min-width: 0; max-width: 100%; }
input, select { width: 100%; height: 2.25rem; }
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
  .search { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .both, .both tbody { display: block; }
  .both tr { display: grid; grid-template-columns: 2.75rem minmax(0, 1fr); }
  .both tr.skipped { display: block; }
  .both td { min-height: 1.55em; }
  .both td.same, .both td.void { display: none; }
  .both td:nth-child(3) { border-left: 0; }
}
"""
