"""How many rows had which verdict, code and pass, by the columns that a summary is grouped by.

Takes answers one by one, or the tallies of chunks; gives counts. A tally is small whatever the number of rows: groups
beyond the first thousand are counted together.
"""

from __future__ import annotations

from collections import Counter

from patchkit.batch.request import VERDICTS

Group = tuple[str, ...]
Key = tuple[Group, str, str, str]  # group, verdict, code, pass

MOST_GROUPS = 1_000
OTHERS = "(others)"


def group_word(value: object) -> str:
    """The value of a column, as groups are named."""
    return "" if value is None else str(value)[:200]


class Tally:
    """Counts of rows."""

    def __init__(self) -> None:
        self._counts: Counter[Key] = Counter()
        self._groups: set[Group] = set()

    def add(self, group: Group, verdict: str, code: str, pass_name: str, count: int = 1) -> None:
        if group not in self._groups:
            if len(self._groups) >= MOST_GROUPS:
                group = tuple(OTHERS for _ in group)
            self._groups.add(group)
        self._counts[group, verdict, code, pass_name] += count

    def add_line(self, answer: dict[str, object], columns: tuple[str, ...]) -> None:
        group = tuple(group_word(answer.get(column)) for column in columns)
        self.add(group, str(answer["verdict"]), str(answer["code"] or ""), str(answer["pass"] or ""))

    def add_all(self, rows: list[list[object]]) -> None:
        """Adds what `rows` of another tally gave."""
        for group, verdict, code, pass_name, count in rows:
            self.add(tuple(group), str(verdict), str(code), str(pass_name), int(count))  # type: ignore[arg-type,call-overload]  # as `rows` makes them

    def rows(self) -> list[list[object]]:
        return [[list(group), *rest, count] for (group, *rest), count in sorted(self._counts.items())]

    @property
    def total(self) -> int:
        return sum(self._counts.values())

    def by_verdict(self, group: Group | None = None) -> dict[str, int]:
        """Rows of each verdict, in the order of the verdicts."""
        found = self._by(1, group)
        return {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}

    def by_code(self, group: Group | None = None) -> dict[str, int]:
        """Rows of each code, the most frequent first."""
        return dict(sorted(self._by(2, group).items(), key=lambda each: (-each[1], each[0])))

    def by_pass(self, group: Group | None = None) -> dict[str, int]:
        """Rows that apply, by the most tolerant pass that they needed."""
        return dict(self._by(3, group, "applies").most_common())

    def _by(self, index: int, group: Group | None, verdict: str = "") -> Counter[str]:
        found = Counter[str]()
        for key, count in self._counts.items():
            if key[index] and (group is None or key[0] == group) and verdict in ("", key[1]):
                found[str(key[index])] += count
        return found

    def groups(self) -> list[Group]:
        """The groups, the largest first."""
        sizes = Counter[Group]()
        for (group, *_rest), count in self._counts.items():
            sizes[group] += count
        return [group for group, _count in sorted(sizes.items(), key=lambda each: (-each[1], each[0]))]

    def values(self, columns: tuple[str, ...] = ()) -> dict[str, object]:
        found: dict[str, object] = {"rows": self.total, **self._counted()}
        if columns:
            found["groups"] = [{**dict(zip(columns, group)), **self._counted(group)} for group in self.groups()]
        return found

    def _counted(self, group: Group | None = None) -> dict[str, object]:
        return {"verdicts": self.by_verdict(group), "codes": self.by_code(group), "passes": self.by_pass(group)}
