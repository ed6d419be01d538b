"""What a batch is asked to do: the columns of its rows, how patches are read, what the answers hold.

Values only. A request goes to every worker, and a run that is resumed must have been started by an equal one.
"""

from __future__ import annotations

from patchkit.core.changes import Options
from patchkit.values import Record

APPLIES, REFUSED, UNREADABLE, NO_BASE, FAILED = "applies", "refused", "unreadable", "no-base", "failed"
VERDICTS = (APPLIES, REFUSED, UNREADABLE, NO_BASE, FAILED)
EMITTED = ("verdict", "diff", "files", "suggestion")
# What a row needs, and the columns that it is taken from: the first that a row has, unless the caller names one.
COLUMNS = {
    "id": ("id", "instance_id"),
    "patch": ("patch", "model_patch"),
    "files": ("files",),
    "repo": ("repo",),
    "base_commit": ("base_commit",),
}
ROW_TIMEOUT = 10.0  # seconds


class BatchRequest(Record):
    """How the rows of a run are read and judged.

    `columns` are those that the caller named, by what they hold; `emit` what answers hold beside the verdict; `repos`
    is the directory of repositories; `group_by` are columns that the summary counts by; `source` is the edit format
    of patches, 'auto' to find it out for each.
    """

    columns: dict[str, str] = {}
    emit: tuple[str, ...] = ()
    repos: str | None = None
    row_timeout: float = ROW_TIMEOUT
    group_by: tuple[str, ...] = ()
    source: str = "auto"
    options: dict[str, object] = {}  # of `Options`, those that are not the default
    repair: str = ""  # write patches back that git refuses: those whose repair is 'certain', or also 'likely' ones

    def planning(self) -> Options:
        """How patches are planned. Raises for what cannot be meant together."""
        made = Options(check=True, history=False, source=self.source, **self.options)  # type: ignore[arg-type]  # by their names
        return made.checked()

    def identity(self) -> dict[str, object]:
        """What answers depend on, as plain values: a run with another identity gives other answers."""
        known = {name: getattr(self, name) for name in self._fields()}
        return {**known, "emit": sorted(self.emit), "group_by": list(self.group_by)}

    def column(self, row: dict[str, object], name: str) -> str:
        """The column of a row that holds something; '' where the row has none."""
        named = self.columns.get(name)
        if named is not None:
            return named if named in row else ""
        for column in COLUMNS[name]:
            if row.get(column) is not None:
                return column
        return ""
