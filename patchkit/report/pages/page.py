"""One HTML page that needs nothing else, no font, no picture, no network: its head, its style, and text for it.

Takes what is inside; gives the page. Long lists are shown twenty at a time, in groups that fold, with one search. Text
out of patches, files and names, hostile ones included, is escaped: every character is visible, and none is markup.
Nothing may be loaded, and no script runs but the one that the page is given, which its policy names by its hash:
whatever a patch holds, no other can run.

Every colour has a name and two values, for light screens and for dark ones. Pairs of text and ground keep a contrast
of 4.5 to 1 or more; a test in a browser measures it.
"""

from __future__ import annotations

import re
from posixpath import commonprefix

from patchkit import __version__
from patchkit.report.width import shown_char, visible

_LONGEST = 400  # characters of a quoted line
NOTHING_LOADED = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = """\
:root {
  color-scheme: light dark;
  --ground: #f4f5f7; --card: #ffffff; --raised: #f8f9fb; --line: #dde1e7; --ink: #1b1f27; --soft: #59616e;
  --good: #176639; --good-ground: #e2f6e9; --bad: #b3142d; --bad-ground: #fdecee;
  --note: #735000; --note-ground: #fdf3d9; --link: #2350c4;
  --added: #e4f8ea; --removed: #fdecee; --differs: #fff4d1; --differs-mark: #ffd666;
  --word: #6b2aa8; --text-ink: #0b4a91; --remark: #4d5561; --digit: #84400a;
  --shadow: 0 1px 2px rgb(20 25 40 / .06), 0 4px 16px rgb(20 25 40 / .05);
  --text: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  --code: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1216; --card: #171b21; --raised: #1c2128; --line: #2d343e; --ink: #e7ebf0; --soft: #9aa5b3;
    --good: #5fd38d; --good-ground: #12291c; --bad: #ff8b96; --bad-ground: #331419;
    --note: #e8bf5d; --note-ground: #2c2410; --link: #8ab4ff;
    --added: #10271a; --removed: #30161b; --differs: #2e2610; --differs-mark: #75590b;
    --word: #d9b8ff; --text-ink: #a5d6ff; --remark: #a7b1be; --digit: #ffb77c;
    --shadow: 0 1px 2px rgb(0 0 0 / .4);
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 var(--text); }
.page { max-width: 76rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
code, .lines { font-family: var(--code); font-size: .8125rem; font-variant-ligatures: none; }
code { overflow-wrap: anywhere; }
h1, h2, h3, h4, p, dl, figure { margin: 0; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--card); color: var(--link); z-index: 1; }

/* -- the verdict -- */
.verdict { background: var(--card); border: 1px solid var(--line); border-radius: 14px; box-shadow: var(--shadow);
  padding: 1.5rem; margin-bottom: 1.25rem; }
.brand { color: var(--soft); font: 600 .8125rem/1.4 var(--code); }
h1 { font-size: clamp(1.5rem, 1.1rem + 2vw, 2.25rem); line-height: 1.2; letter-spacing: -.02em; margin: .35rem 0 0;
  text-wrap: balance; }
.verdict.refused h1 b { color: var(--bad); }
.verdict.applies h1 b { color: var(--good); }
.bar { display: flex; gap: 3px; height: 8px; margin: 1.1rem 0 1.25rem; }
.bar i { border-radius: 4px; min-width: 6px; }
.bar .good { background: var(--good); }
.bar .bad { background: var(--bad); }
.facts { display: flex; flex-wrap: wrap; gap: 1rem 2.25rem; }
.facts div { display: flex; flex-direction: column-reverse; min-width: 4rem; }
.facts dd { margin: 0; font-size: 1.375rem; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
.facts dt { color: var(--soft); font-size: .8125rem; }
.facts .bad dd { color: var(--bad); }
.asked { display: flex; flex-wrap: wrap; gap: .4rem; margin-top: 1.25rem; padding: 1rem 0 0; list-style: none;
  border-top: 1px solid var(--line); color: var(--soft); font-size: .875rem; }
.asked li { border: 1px solid var(--line); border-radius: 99px; padding: .1rem .7rem; overflow-wrap: anywhere; }

/* -- which patches are shown: no script, the state of the page is the state of the buttons -- */
.shown { border: 0; padding: 0; margin: 0 0 .75rem; display: flex; gap: .35rem; flex-wrap: wrap; }
.shown label { position: relative; border: 1px solid var(--line); background: var(--card); border-radius: 99px;
  padding: .3rem .95rem; font-size: .875rem; cursor: pointer; }
.shown input { position: absolute; inset: 0; opacity: 0; margin: 0; cursor: pointer; }
.shown label:has(:checked) { background: var(--ink); color: var(--card); border-color: var(--ink); }
.shown label:has(:focus-visible) { outline: 2px solid var(--link); outline-offset: 2px; }
body:has(#show-refused:checked) .patch.good, body:has(#show-good:checked) .patch.bad { display: none; }

/* -- patches -- */
.patch { background: var(--card); border: 1px solid var(--line); border-radius: 12px; margin-bottom: .6rem;
  box-shadow: var(--shadow); }
.patch > summary, .patch > .row { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem .75rem;
  padding: .7rem 1rem; list-style: none; }
.patch > summary { cursor: pointer; position: relative; padding-right: 2.75rem; }
.patch > summary::-webkit-details-marker { display: none; }
.patch > summary::after { content: ""; width: .5rem; height: .5rem; position: absolute; right: 1.25rem; top: 1.15rem;
  border: solid var(--soft); border-width: 0 2px 2px 0; rotate: 45deg; translate: 0 -2px; transition: rotate .15s; }
.patch[open] > summary::after { rotate: 225deg; translate: 0 2px; }
.patch > summary:hover .source { text-decoration: underline; text-underline-offset: 3px; }
h2 { font: 600 .9375rem/1.4 var(--code); overflow-wrap: anywhere; min-width: 0; }
.size { color: var(--soft); font-size: .8125rem; }
.pill { border-radius: 99px; padding: .1rem .65rem; font-size: .8125rem; font-weight: 600; white-space: nowrap; }
.pill.good { background: var(--good-ground); color: var(--good); }
.pill.bad { background: var(--bad-ground); color: var(--bad); }
.inside { border-top: 1px solid var(--line); padding: 1rem; display: grid; gap: 1.25rem;
  grid-template-columns: minmax(0, 1fr); }
.file { display: grid; gap: .6rem; grid-template-columns: minmax(0, 1fr); }
.file > header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .6rem; }
h3 { font: 600 .9375rem/1.4 var(--code); overflow-wrap: anywhere; min-width: 0; }
.op { font: 700 .75rem/1 var(--code); border: 1px solid var(--line); border-radius: 5px; padding: .2rem .4rem;
  color: var(--soft); background: var(--raised); }
.delta { font: .8125rem/1.4 var(--code); font-variant-numeric: tabular-nums; white-space: nowrap; }
.delta .plus { color: var(--good); } .delta .minus { color: var(--bad); }
.was { color: var(--soft); font-size: .8125rem; overflow-wrap: anywhere; }

/* -- hunks -- */
.hunk { border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.hunk > header { display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline; padding: .45rem .8rem;
  background: var(--raised); border-bottom: 1px solid var(--line); font-size: .8125rem; }
h4 { font-size: .8125rem; font-weight: 650; }
.hunk .at { color: var(--soft); }
.hunk > header code { font-weight: 600; }
.hunk .outcome { margin-left: auto; font-weight: 600; color: var(--good); }
.hunk.bad .outcome { color: var(--bad); }
.hunk.unchecked .outcome { color: var(--soft); }
.error { padding: .65rem .8rem; background: var(--bad-ground); border-left: 4px solid var(--bad); font-size: .9375rem;
  overflow-wrap: anywhere; }
.hunk .error { border-bottom: 1px solid var(--line); }
.inside > .error, .file > .error { border-radius: 8px; }
.error b { font: 700 .8125rem/1 var(--code); color: var(--bad); margin-right: .45rem; }
.error .help { margin-top: .25rem; color: var(--ink); font-size: .875rem; }
.error .help::before { content: "→ "; color: var(--soft); }
.quoted { margin-top: .5rem; padding: .35rem .6rem; background: var(--card); border-radius: 6px;
  overflow-wrap: anywhere; white-space: pre-wrap; font: .8125rem/1.5 var(--code); tab-size: 4; }
.quoted span { color: var(--soft); margin-right: .75rem; user-select: none; }
.pair { display: grid; grid-template-columns: minmax(0, 1fr); }
.pair figure + figure { border-top: 1px solid var(--line); }
figcaption { padding: .35rem .8rem; font-size: .75rem; color: var(--soft); overflow-wrap: anywhere; }
figcaption b { color: var(--ink); font-weight: 600; }
.lines { border-collapse: collapse; width: 100%; line-height: 1.55; }
.lines td { padding: 0 .5rem; vertical-align: top; }
.lines .number { width: 1%; min-width: 3.25rem; text-align: right; color: var(--soft); user-select: none;
  white-space: nowrap; font-variant-numeric: tabular-nums; }
.lines .sign { width: 1.1rem; padding: 0; text-align: center; white-space: pre; }
.lines .line { white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; padding-left: .25rem; }
.lines .added { background: var(--added); } .lines .removed { background: var(--removed); }
.lines .differs { background: var(--differs); }
.lines .differs .number { color: var(--ink); font-weight: 700; }
.lines mark { color: inherit; background: var(--differs-mark); border-radius: 3px; padding: .05em 0; }
.lines .around { color: var(--soft); }
.lines i { font-style: normal; }
.lines .w { color: var(--word); } .lines .s { color: var(--text-ink); } .lines .d { color: var(--digit); }
.lines .c { color: var(--remark); } .lines mark i { color: inherit; }
.lines .gap { display: none; }
.more { padding: .3rem .8rem; color: var(--soft); font-size: .8125rem; }
.fixed { border: 1px solid var(--line); border-radius: 8px; background: var(--good-ground); }
.fixed summary { padding: .5rem .9rem; cursor: pointer; color: var(--good); font-weight: 600; font-size: .875rem; }
.fixed pre { margin: 0; padding: .25rem .9rem .75rem; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4;
  font: .8125rem/1.55 var(--code); }
.notes { font-size: .875rem; color: var(--note); background: var(--note-ground); border-radius: 8px;
  padding: .5rem .9rem; list-style: none; margin: 0; overflow-wrap: anywhere; }
.notes b { font: 700 .8125rem/1 var(--code); margin-right: .45rem; }
.find { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-bottom: .75rem; color: var(--soft);
  font-size: .875rem; }
.find input { font: inherit; flex: 1 1 12rem; min-width: 0; max-width: 30rem; padding: .4rem .8rem; color: var(--ink);
  background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.steps > summary { cursor: pointer; color: var(--link); padding: .5rem .25rem; font-size: .875rem; }
[hidden] { display: none !important; }
footer { color: var(--soft); font-size: .8125rem; margin-top: 2rem; }
@media (min-width: 60rem) {
  .pair.two { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .pair.two figure + figure { border-top: 0; border-left: 1px solid var(--line); }
  .pair.two .lines .gap { display: table-row; }
}
@media (max-width: 40rem) {
  .page { padding: .75rem .75rem 3rem; }
  .verdict { padding: 1.1rem; }
  .facts { gap: 1rem 1.5rem; }
  .facts div { min-width: 0; }
  .inside { padding: .75rem; }
  .hunk .outcome { margin-left: 0; width: 100%; }
  .lines .number { min-width: 2.25rem; padding: 0 .35rem 0 .25rem; }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media print { .shown, .skip { display: none; } .patch, .verdict { box-shadow: none; } }
"""


def page(
    title: str, inside: str, made_by: str, style: str = "", script: str = "", policy: str = "", skip: str = ""
) -> str:
    """The page; `policy` is what it forbids besides, `skip` where to go behind its head, and the words for that."""
    policy += script_source(script) if script else ""
    target, _, words = skip.partition(" ")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{NOTHING_LOADED}{policy}">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="same-origin">\n'
        f"<title>{escaped(title)} · patchkit</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n"
        + (f'<a class="skip" href="{target}">{words}</a>\n' if skip else "")
        + f'<div class="page">\n{inside}<footer>Made by <code>{made_by}</code> {escaped(__version__)}. '
        "<code>patchkit explain CODE</code> explains a code.</footer>\n"
        "</div>\n" + (f"<script>{script}</script>\n" if script else "") + "</body>\n</html>\n"
    )


def script_source(script: str) -> str:
    """The part of a policy that lets this script run, and no other."""
    from base64 import b64encode
    from hashlib import sha256

    return f"; script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


AT_ONCE = 20  # entries of a list that are shown before one asks for more


def in_steps(entries: list[str], opening: str = "", ending: str = "") -> str:
    """A list, twenty at a time: what follows is folded. `opening` and `ending` go around those of each step."""
    steps = [entries[start : start + AT_ONCE] for start in range(0, len(entries), AT_ONCE)] or [[]]
    out = ""
    for number in reversed(range(len(steps))):
        out = f"{opening}{''.join(steps[number])}{ending}{out}"
        if number:
            left = len(entries) - number * AT_ONCE
            words = f"Show {min(AT_ONCE, left)} more of {left:,}"
            out = f'<details class="steps"><summary>{words}</summary>\n{out}</details>\n'
    return out


# A search in what has `data-words`: all of its words must be there. Folds with a hit are opened, the others hidden.
SEARCH_SCRIPT = """
(() => {
  const main = document.querySelector("main"), all = [...main.querySelectorAll("[data-words]")];
  const folds = [...main.querySelectorAll("details.steps, details.group")].map((fold) => [fold, fold.open]);
  const texts = all.map((each) => each.dataset.words.toLowerCase());
  const label = document.createElement("label"), field = document.createElement("input");
  const count = document.createElement("span");
  label.className = "find";
  field.type = "search";
  field.id = "find";
  field.placeholder = "a name, a path, a code or an id";
  count.setAttribute("role", "status");
  label.append("Search ", field, " ", count);
  (document.getElementById("found") ?? main).prepend(label);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
    all.forEach((each, place) => { each.hidden = !words.every((word) => texts[place].includes(word)); });
    for (const [fold, open] of folds) {
      const hit = fold.querySelector("[data-words]:not([hidden])") !== null;
      fold.open = words.length ? hit : open;
      fold.hidden = !hit;
    }
    const found = all.filter((each) => !each.hidden).length;
    count.textContent = words.length ? `${found} of ${all.length}` : "";
  });
})();
"""


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def shown(text: str) -> str:
    """Text of a sentence or a name, control characters visible."""
    return escaped(visible(text, 1000))


def line(text: str, start: int | None = None, stop: int | None = None, path: str = "") -> str:
    """A line of code, coloured by the name of its file; what is from `start` to before `stop` is marked."""
    if start is None:
        cut = "…" if len(text) > _LONGEST else ""
        return _coloured(text, 0, _LONGEST, path) + cut
    stop = len(text) if stop is None else stop
    first = max(0, start - _LONGEST // 2) if stop > _LONGEST else 0
    last = first + _LONGEST
    marked = code(text[start : min(stop, last)], spaces=True)
    return (
        ("…" if first else "")
        + _coloured(text, first, start, path)
        + (f"<mark>{marked}</mark>" if marked else "")
        + _coloured(text, stop, last, path)
        + ("…" if len(text) > last else "")
    )


# What most languages share, by the ending of a file: how a remark begins. One line is looked at by itself, so the
# inside of a text over several lines has the colours of code.
_REMARKS = {
    "#": "py pyi sh bash zsh rb pl toml yaml yml cfg ini r jl ex exs cmake mk dockerfile tf",
    "//": "js jsx ts tsx mjs c h cc cpp hpp cs java kt go rs swift scala php dart zig proto css scss less",
    "--": "sql lua hs elm ada",
}
_REMARK_OF = {ending: sign for sign, endings in _REMARKS.items() for ending in endings.split()}
_WORDS = set(
    "and as assert async await break case catch class const continue def default del do elif else enum except export "
    "extends false finally fn for foreach from func function global if impl implements import in interface is lambda "
    "let local match mod mut new nil none None not null or package pass pub public private protected raise return self "
    "static struct super switch then this throw trait true True False try type use var void when where while with "
    "yield select insert update delete create table SELECT INSERT UPDATE DELETE CREATE TABLE FROM WHERE".split()
)
_TOKEN = re.compile(r"""(?P<s>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)|(?P<w>[^\W\d]\w*)|(?P<d>\b\d[\w.]*)""")


def _coloured(text: str, first: int, last: int, path: str) -> str:
    """The characters from `first` to before `last` of a line, with the colours that they have in the whole line."""
    sign = _REMARK_OF.get(path.rpartition(".")[2].lower()) if "." in path else None
    out, at = "", first
    for start, stop, kind in _tokens(text[: last + _LONGEST], sign) if sign is not None else ():
        start, stop = max(start, at), min(stop, last)
        if start < stop:
            out += f'{code(text[at:start])}<i class="{kind}">{code(text[start:stop])}</i>'
            at = stop
    return out + code(text[at:last])


def _tokens(text: str, sign: str) -> list[tuple[int, int, str]]:
    """The parts of a line that have a colour: texts, numbers, words of languages, and the remark at its end."""
    found: list[tuple[int, int, str]] = []
    at = 0
    for token in _TOKEN.finditer(text):
        if sign in text[at : token.start()]:
            break
        at = token.end()
        if token.lastgroup != "w" or token[0] in _WORDS:
            found.append((token.start(), at, str(token.lastgroup)))
    remark = text.find(sign, at)
    return [*found, (remark, len(text), "c")] if remark >= 0 else found


def code(text: str, spaces: bool = False) -> str:
    """Text of a line, whole; with `spaces` a text of nothing but whitespace is made visible."""
    if spaces and not text.strip():
        text = text.replace(" ", "·").replace("\t", "⇥\t")
    if not text.isprintable():
        text = "".join(char if char == "\t" else shown_char(char) for char in text)
    return escaped(text)


def difference(one: str, other: str) -> tuple[int, int]:
    """Where a line differs from another: from the first character that does to the last."""
    start = len(commonprefix([one, other]))
    stop, end = len(one), len(other)
    while stop > start and end > start and one[stop - 1] == other[end - 1]:
        stop, end = stop - 1, end - 1
    return start, stop
