"""The progress and the summary of a batch as text.

Takes plain values: rows by verdict, code, pass and group; gives lines for a person.
"""

from __future__ import annotations

from patchkit.catalogue.sentences import name_of

_MOST_CODES = 15
_MOST_GROUPS = 40
_WIDE = 30  # columns of a bar


def progress_line(rows: int, rate: float, left: float | None, verdicts: dict[str, int]) -> str:
    """How far a run is: rows, how many a second, the time that is left, rows by verdict."""
    counts = ", ".join(f"{verdict} {count:,}" for verdict, count in verdicts.items())
    rest = f", {_time(left)} left" if left is not None else ""
    return f"{rows:,} rows, {rate:,.0f} a second{rest}{': ' if counts else ''}{counts}"


def _time(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def summary_text(summary: dict[str, object], columns: tuple[str, ...], width: int | None = None) -> str:
    """The summary of a run, as tables."""
    rows = int(str(summary["rows"]))
    out = [f"{rows:,} {'row' if rows == 1 else 'rows'}"]
    out += _bars(_counts(summary["verdicts"]), rows)
    codes, passes = _counts(summary["codes"]), _counts(summary["passes"])
    if codes:
        named = {f"{code} {name_of(code)}": count for code, count in codes.items()}
        out += ["", "By code", *_bars(dict(list(named.items())[:_MOST_CODES]), rows)]
        out += [f"  and {len(codes) - _MOST_CODES} more codes"] if len(codes) > _MOST_CODES else []
    if len(passes) > 1 or (passes and "exact" not in passes):
        out += ["", "By the most tolerant pass of those that apply", *_bars(passes, sum(passes.values()))]
    groups = summary.get("groups")
    if isinstance(groups, list):
        out += ["", f"By {', '.join(columns)}", *_groups(groups, columns)]
    return "\n".join(out) + "\n"


def _counts(value: object) -> dict[str, int]:
    return value if isinstance(value, dict) else {}


def _bars(counts: dict[str, int], total: int) -> list[str]:
    name = max(map(len, counts), default=0)
    most = max(counts.values(), default=1)
    return [
        f"  {key:<{name}}  {count:>{len(f'{most:,}')},}  {100 * count / total if total else 0:5.1f} %  "
        f"{'█' * max(1, round(_WIDE * count / total)) if count else ''}"
        for key, count in counts.items()
    ]


def _groups(groups: list[dict[str, object]], columns: tuple[str, ...]) -> list[str]:
    lines = []
    names = [" ".join(str(group.get(column, "")) or "(none)" for column in columns) for group in groups]
    wide = max(map(len, names[:_MOST_GROUPS]), default=0)
    for name, group in list(zip(names, groups))[:_MOST_GROUPS]:
        verdicts = _counts(group["verdicts"])
        total = sum(verdicts.values())
        codes = list(_counts(group["codes"]).items())[:3]
        worst = ", ".join(f"{code} {100 * count / total:.1f} %" for code, count in codes)
        share = 100 * verdicts.get("applies", 0) / total
        lines.append(f"  {name:<{wide}}  {total:>9,} rows  {share:5.1f} % apply{'; ' + worst if worst else ''}")
    if len(groups) > _MOST_GROUPS:
        lines.append(f"  and {len(groups) - _MOST_GROUPS} more groups")
    return lines


def study_text(study: dict[str, object]) -> str:
    """The classes of slips of a batch, as a list: those that refuse first, with their rates by group and an example."""
    groups, classes = study["groups"], study["classes"]
    assert isinstance(groups, list)
    assert isinstance(classes, list)
    rows = sum(group["rows"] for group in groups)
    applies = sum(group["applies"] for group in groups)
    out = [f"{rows:,} rows, {100 * applies / rows if rows else 0:.1f} % apply"]
    for group in groups[:_MOST_GROUPS] if study["columns"] else []:
        out.append(f"  {group['group']}: {group['rows']:,} rows, {100 * group['applies'] / group['rows']:.1f} % apply")
    for applies_too, title in ((False, "Does not apply"), (True, "Accepted with a note, or by a tolerant pass")):
        chosen = [each for each in classes if (each["verdict"] == "applies") is applies_too]
        out += ["", title] if chosen else []
        for each in chosen:
            out.append(f"  {each['rows']:>9,}  {100 * each['rate']:6.2f} %  {each['code']} {each['title']}")
            if study["columns"]:
                rates = [f"{name} {100 * one['rate']:.2f} %" for name, one in list(each["groups"].items())[:6]]
                out.append(f"{'':22}{', '.join(rates)}")
            example = each["examples"][0]
            named = example["id"] if example["id"] is not None else f"row {example['row']}"
            out.append(f"{'':22}such as {named}{': ' + example['message'] if example['message'] else ''}")
    return "\n".join(out) + "\n"
