"""The style of the page of changes, added to that of the report: two texts side by side, forms, buttons."""

from __future__ import annotations

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
