"""The study of a batch as one HTML file that needs nothing else: no font, no picture, no network.

Takes the plain values of a Study; gives the page: how many rows apply, by code, by pass and by group, as bars; the
classes of slips with examples, the worst first; and a search in classes and rows. Text out of rows is escaped.
"""

from __future__ import annotations

from typing import Any

from patchkit.catalogue.sentences import name_of
from patchkit.report.pages.page import SEARCH_SCRIPT, escaped, in_steps, page
from patchkit.report.width import visible

Values = dict[str, Any]

_MOST_GROUPS = 30
_MOST_CODES = 12
_MORE_STYLE = """\
.verdict .bar { height: 14px; }
.applies-part { background: var(--good); } .refused-part { background: var(--bad); }
.unreadable-part { background: var(--note); } .no-base-part { background: var(--soft); }
.failed-part { background: var(--link); }
.legend { display: flex; flex-wrap: wrap; gap: .35rem 1.25rem; list-style: none; margin: 0 0 .5rem; padding: 0;
  font-size: .875rem; }
.legend i { display: inline-block; width: .7rem; height: .7rem; border-radius: 3px; margin-right: .4rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 1rem;
  margin-bottom: 1rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; box-shadow: var(--shadow);
  padding: 1rem 1.15rem; min-width: 0; }
.card h2 { font: 650 1rem/1.4 var(--text); margin-bottom: .6rem; }
.chart { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr max-content; gap: .3rem .75rem;
  align-items: center; font-size: .875rem; margin: 0; }
.chart dt { overflow-wrap: anywhere; } .chart dd { margin: 0; }
.chart .track { background: var(--raised); border-radius: 4px; height: .9rem; display: flex; overflow: hidden; }
.chart .track i { min-width: 2px; } .chart .number { text-align: right; font-variant-numeric: tabular-nums;
  color: var(--soft); white-space: nowrap; }
.plain-part { background: var(--link); }
.slip { margin-bottom: .75rem; }
.slip > summary { cursor: pointer; display: flex; flex-wrap: wrap; gap: .4rem .8rem; align-items: center; }
.slip h3 { font: 600 1rem/1.4 var(--text); flex: 1 1 16rem; min-width: 0; overflow-wrap: anywhere; }
.slip .chart { margin: .75rem 0 0; } .slip ul { margin: .75rem 0 0; padding-left: 1.1rem; font-size: .875rem; }
.slip li { overflow-wrap: anywhere; } .pill.note { background: var(--note-ground); color: var(--note); }
table { width: 100%; border-collapse: collapse; font-size: .875rem; } .wide { overflow-x: auto; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; } td:first-child { min-width: 8rem; }
"""


def render_page(study: Values) -> str:
    summary: Values = study["summary"]
    applies, rows = summary["verdicts"].get("applies", 0), summary["rows"]
    share = f"{100 * applies / rows:.1f} %" if rows else "0 %"
    slips = [_slip(each, number == 0) for number, each in enumerate(study["classes"])]
    listed = f'<section id="slips" aria-label="Classes of slips">{in_steps(slips)}</section>\n'
    lists = f'<div id="found"></div>\n{listed}{_rows(study)}'
    inside = f"{_head(summary, share)}<main>\n{_charts(study)}{lists}</main>\n"
    title = f"{share} of {rows:,} patches apply"
    return page(title, inside, "patchkit study", _MORE_STYLE, SEARCH_SCRIPT, skip="#slips Skip to the classes")


def _escaped(text: object) -> str:
    return escaped(visible(str(text)))


def _head(summary: Values, share: str) -> str:
    verdicts: dict[str, int] = summary["verdicts"]
    rows = summary["rows"]
    parts = "".join(f'<i class="{name}-part" style="flex:{count}"></i>' for name, count in verdicts.items())
    legend = "".join(
        f'<li><i class="{name}-part"></i>{name} <b>{count:,}</b> ({100 * count / rows:.1f} %)</li>'
        for name, count in verdicts.items()
    )
    return (
        f'<header class="verdict"><p class="brand">patchkit batch</p><h1><b>{share}</b> of {rows:,} patches apply</h1>'
        f'<div class="bar" role="img" aria-label="rows by verdict">{parts}</div>'
        f'<ul class="legend">{legend}</ul></header>\n'
    )


def _charts(study: Values) -> str:
    summary: Values = study["summary"]
    codes = {f"{code} {name_of(code)}": rows for code, rows in list(summary["codes"].items())[:_MOST_CODES]}
    found = [_bars("Reasons", codes, summary["rows"]), _bars("Passes of those that apply", summary["passes"])]
    if study["columns"]:
        found.append(_groups(study))
    return f'<div class="charts">{"".join(found)}</div>\n'


def _bars(title: str, counts: dict[str, int], total: int = 0) -> str:
    if not counts:
        return ""
    total, most = total or sum(counts.values()), max(counts.values())
    rows = "".join(
        _bar(name, count / most, f"{count:,} · {100 * count / total:.1f} %") for name, count in counts.items()
    )
    return f'<section class="card"><h2>{_escaped(title)}</h2><dl class="chart">{rows}</dl></section>'


def _bar(name: str, part: float, number: str) -> str:
    return (
        f'<dt>{_escaped(name)}</dt><dd class="track"><i class="plain-part" style="width:{100 * part:.2f}%"></i></dd>'
        f'<dd class="number">{number}</dd>'
    )


def _groups(study: Values) -> str:
    groups: list[Values] = study["groups"]
    rows = []
    for group in groups[:_MOST_GROUPS]:
        share = 100 * group["applies"] / group["rows"]
        rows.append(
            f'<dt>{_escaped(group["group"])}</dt><dd class="track">'
            f'<i class="applies-part" style="width:{share:.2f}%"></i><i class="refused-part" style="flex:1"></i></dd>'
            f'<dd class="number">{share:.1f} % of {group["rows"]:,}</dd>'
        )
    more = f"<p>and {len(groups) - _MOST_GROUPS} more</p>" if len(groups) > _MOST_GROUPS else ""
    title = _escaped(", ".join(study["columns"]))
    return f'<section class="card"><h2>By {title}</h2><dl class="chart">{"".join(rows)}</dl>{more}</section>'


def _slip(slip: Values, opened: bool) -> str:
    """A class of slips, which folds: closed, it shows its sentence and how many rows have it."""
    kind, word = (
        ("note", "accepted") if slip["verdict"] == "applies" else ("bad", str(slip["verdict"]).replace("-", " "))
    )
    groups: dict[str, Values] = slip["groups"]
    most = max(each["rate"] for each in groups.values())
    bars = "".join(
        _bar(group, each["rate"] / most, f"{each['rows']:,} · {100 * each['rate']:.2f} %")
        for group, each in list(groups.items())[:_MOST_GROUPS]
    )
    examples = "".join(f"<li><code>{_named(each)}</code> {_escaped(each['message'])}</li>" for each in slip["examples"])
    text = " ".join([slip["code"], slip["name"], slip["title"], *groups, *(str(each) for each in slip["examples"])])
    return (
        f'<details class="card slip" data-words="{_escaped(text)}"{" open" if opened else ""}>'
        f'<summary><span class="pill {kind}">{word}</span>'
        f"<h3>{_escaped(slip['title'])}</h3><code>{_escaped(slip['code'])}</code>"
        f"<b>{slip['rows']:,} rows · {100 * slip['rate']:.2f} %</b></summary>"
        f'<dl class="chart">{bars}</dl><ul>{examples}</ul></details>\n'
    )


def _named(row: Values) -> str:
    return _escaped(row["id"] if row["id"] is not None else f"row {row['row']}")


def _rows(study: Values) -> str:
    rows: list[Values] = study["rows"]
    if not rows:
        return ""
    lines = [
        f'<tr data-words="{_escaped(" ".join(str(value) for value in each.values()))}">'
        f"<td><code>{_named(each)}</code></td>"
        f"<td>{_escaped(each['group'])}</td><td>{_escaped(each['verdict'])}</td><td>{_escaped(each['code'])}</td>"
        f"<td>{_escaped(each['message'])}</td></tr>"
        for each in rows
    ]
    head = "".join(f"<th>{name}</th>" for name in ("id", "group", "verdict", "code", "message"))
    table = in_steps(
        lines, f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>', "</tbody></table></div>\n"
    )
    return f'<section class="card"><h2>Rows that do not apply (the first {len(rows):,})</h2>{table}</section>\n'
