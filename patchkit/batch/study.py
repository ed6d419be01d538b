"""Which slips patches have: classes of them, how often each occurs in each group, with examples.

Takes the answers of a batch, line by line; gives a Study of bounded size, as plain values for the report. A row that
applies has the slips that it was forgiven; one that does not has the reason of its first error.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from patchkit.batch.request import APPLIES
from patchkit.batch.tally import MOST_GROUPS, OTHERS, Tally, group_word
from patchkit.catalogue.sentences import about, name_of
from patchkit.errors import PatchkitError
from patchkit.handles import ReportedAs
from patchkit.values import Record

_MOST_CLASSES = 400
_MOST_EXAMPLES = 3  # of a class
_MOST_ROWS = 2_000  # that are listed, of those that do not apply
_LONGEST = 300  # characters of a message
# How the causes of near misses begin that name words of the file, and what they have in common.
_CAUSES = {
    "the file has '": "a word differs",
    "the file's line ends here": "the patch's line is longer",
    "the file goes on with": "the patch's line is shorter",
    "the lines are in '": "the lines are in another file of the patch",
}


class SlipClass(Record):
    """One class of slips: how many rows of each group have it, and a few of them."""

    code: str
    title: str
    verdict: str  # of its rows: a class is of rows that apply, are refused, or cannot be read
    groups: Counter[str] = Counter()
    examples: list[dict[str, object]] = []

    @property
    def rows(self) -> int:
        return self.groups.total()


class Study:
    """What the answers of a batch have in common. `columns` are what groups are made by."""

    def __init__(self, columns: tuple[str, ...] = ()) -> None:
        self.columns = columns
        self.tally = Tally()
        self._classes: dict[str, SlipClass] = {}
        self._sizes: Counter[str] = Counter()
        self._applied: Counter[str] = Counter()
        self._listed: list[dict[str, object]] = []

    def add(self, answer: dict[str, Any]) -> None:
        self.tally.add_line(answer, self.columns)
        group = " · ".join(group_word(answer.get(column)) or "(none)" for column in self.columns) or "all rows"
        if group not in self._sizes and len(self._sizes) >= MOST_GROUPS:
            group = OTHERS
        self._sizes[group] += 1
        if answer["verdict"] == APPLIES:
            self._applied[group] += 1
            tolerance = answer.get("pass")
            if tolerance and tolerance != "exact":
                self._count(f"pass {tolerance}", "P921", f"matched by the pass '{tolerance}'", group, answer)
            for what in answer.get("notes") or []:
                code, _, variant = what.partition(":")
                if code != "P921" or variant not in answer["passes"]:
                    self._count(what, code, _about(what), group, answer)
        else:
            code = str(answer["code"])
            title = _about(code)
            found = (answer.get("errors") or [{}])[0].get("cause")
            if found:  # a cause without the words of the file
                kinds = (words for start, words in _CAUSES.items() if str(found).startswith(start))
                title = f"{title}: {next(kinds, found)}"
            self._count(f"{code} {title}", code, title, group, answer)
            if len(self._listed) < _MOST_ROWS:
                self._listed.append(_shown(answer, group))

    def _count(self, key: str, code: str, title: str, group: str, answer: dict[str, Any]) -> None:
        known = self._classes.get(key)
        if known is None:
            if len(self._classes) >= _MOST_CLASSES:
                return
            known = self._classes[key] = SlipClass(code, title, str(answer["verdict"]))
        known.groups[group] += 1
        if len(known.examples) < _MOST_EXAMPLES:
            known.examples.append(_shown(answer, group))

    def values(self) -> dict[str, object]:
        """The study as plain values; classes that refuse most come first."""
        total = self._sizes.total()
        classes = sorted(self._classes.values(), key=lambda each: (each.verdict == APPLIES, -each.rows, each.title))
        return {
            "summary": self.tally.values(self.columns),
            "columns": list(self.columns),
            "groups": [
                {"group": group, "rows": rows, "applies": self._applied[group]}
                for group, rows in sorted(self._sizes.items(), key=lambda each: (-each[1], each[0]))
            ],
            "classes": [
                {
                    "code": each.code,
                    "name": name_of(each.code),
                    "title": each.title,
                    "verdict": each.verdict,
                    "rows": each.rows,
                    "rate": each.rows / total if total else 0.0,
                    "groups": {
                        group: {"rows": count, "rate": count / self._sizes[group]}
                        for group, count in each.groups.most_common()
                    },
                    "examples": each.examples,
                }
                for each in classes
            ],
            "rows": self._listed,
        }


def _about(label: str) -> str:
    try:
        return about(label)
    except KeyError:
        return label


def _shown(answer: dict[str, Any], group: str) -> dict[str, object]:
    error = (answer.get("errors") or [{}])[0]
    message = str(error.get("message") or "")
    if error.get("cause"):
        message += f" ({error['cause']})"
    return {
        "id": answer.get("id"),
        "row": answer.get("row"),
        "group": group,
        "verdict": answer["verdict"],
        "code": answer.get("code"),
        "message": message[:_LONGEST],
    }


def study_of(path: str, columns: tuple[str, ...] = ()) -> Study:
    study = Study(columns)
    with ReportedAs("P690", file=path), open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                study.add(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError):
                why = f"line {number} is not a verdict of 'patchkit batch'"
                raise PatchkitError("P690", file=path, reason=why) from None
    return study
