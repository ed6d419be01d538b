"""Count outcomes and set them out, as Markdown for people and as JSON for programs.

Takes cases and the outcomes of each applier; judges nothing itself. Averages are over classes, each
weighing the same; `ambiguous` is in no average and is listed apart.
"""

from collections import Counter

from .classes import CLASSES
from .outcomes import GOOD, OUTCOMES


def summary(cases, results, appliers):
    """{applier: {version, averages, classes: {class: counts}, errors}}"""
    whole = {}
    for applier in appliers:
        classes, kinds = {}, Counter()
        for case, outcome in zip(cases, results[applier.name]):
            if outcome is not None:
                counts = classes.setdefault(case.kind, dict.fromkeys(("cases", *OUTCOMES, "good"), 0))
                counts["cases"] += 1
                counts[outcome.name] += 1
                counts["good"] += outcome.name in GOOD[case.right]
                kinds[outcome.kind] += bool(outcome.kind)
        whole[applier.name] = {
            "version": applier.version,
            "averages": averages(classes),
            "classes": classes,
            "errors": dict(+kinds),
        }
    return whole


def averages(classes):
    """Per cent, class by class: good, needlessly refused, dirty, silently wrong; and the ambiguous apart."""
    scored = [(kind, classes[kind.name]) for kind in CLASSES if kind.name in classes and kind.right != "ambiguous"]
    apart = classes.get("ambiguous")

    def mean(share):
        return round(sum(share(kind, c) * 100 / c["cases"] for kind, c in scored) / len(scored), 2) if scored else None

    return {
        "good": mean(lambda kind, c: c["good"]),
        "needlessly refused": mean(lambda kind, c: c["refused"] * ("refused" not in GOOD[kind.right])),
        "dirty": mean(lambda kind, c: c["dirty"]),
        "silently wrong": mean(lambda kind, c: c["wrong"]),
        "ambiguous refused": round(apart["refused"] * 100 / apart["cases"], 2) if apart else None,
    }


def markdown(whole, title):
    names = list(whole)
    lines = [f"## {title}", "", *_row(["class-averaged %", *names]), _rule(len(names), lead=1)]
    for figure in ("good", "needlessly refused", "dirty", "silently wrong", "ambiguous refused"):
        lines += _row([figure, *(_number(whole[name]["averages"][figure], 2) for name in names)])
    lines += ["", "### By class: correct / refused / dirty / wrong %", ""]
    lines += [*_row(["class", "right outcome", "n", *names]), _rule(len(names) + 1, lead=2)]
    for kind in CLASSES:
        counts = [whole[name]["classes"].get(kind.name) for name in names]
        if any(counts):
            most = max(c["cases"] for c in counts if c)
            lines += _row([kind.name, kind.right, str(most), *map(_cell, counts)])
    lines += ["", "### What the wrong results look like (count by kind)", ""]
    kinds = ("eol", "space", "place", "content", "noop", "files")
    lines += [*_row(["applier", *kinds]), _rule(len(kinds), lead=1)]
    for name in names:
        lines += _row([name, *(str(whole[name]["errors"].get(kind, 0)) for kind in kinds)])
    return "\n".join(lines) + "\n"


def _row(cells):
    return ["| " + " | ".join(cells) + " |"]


def _rule(numbers, lead):
    return "|" + "---|" * lead + "--:|" * numbers


def _cell(counts):
    if not counts:
        return "–"
    return " / ".join(_number(counts[outcome] * 100 / counts["cases"]) for outcome in OUTCOMES)


def _number(value, digits=1):
    return "–" if value is None else f"{value:.{digits}f}".removesuffix("." + "0" * digits)
