"""What a plan changes: the diff, and how many lines of each file, as git prints them.

Takes the diffs of files; gives `--numstat` lines for programs, and the `--stat` table and the diff as spans for
people. As plain text all of them are git's to the byte, so that programs that read git's output can read ours.
"""

from __future__ import annotations

from posixpath import commonprefix

from patchkit.diffs.diff import FileDiff, quoted
from patchkit.report.spans import Spans
from patchkit.report.width import width
from patchkit.values import Record

_PIPED = 80  # columns where no terminal says how many there are
_LOOKED_AT = 8000  # bytes in which a NUL makes a file binary


class Row(Record):
    """What became of one file: its name as it is shown, and its lines, or its bytes if it is binary."""

    name: str
    added: int
    removed: int
    sizes: tuple[int, int] | None = None


def numstat(diffs: list[FileDiff]) -> str:
    """One line a file: lines added, lines removed, name; a binary file has '-' for both."""
    out = []
    for row in _rows(diffs):
        added, removed = ("-", "-") if row.sizes is not None else (str(row.added), str(row.removed))
        out.append(f"{added}\t{removed}\t{row.name}\n")
    return "".join(out)


def stat(diffs: list[FileDiff], columns: int | None = None) -> Spans:
    """A table of names and bars, and a line that adds them up."""
    rows = _rows(diffs)
    if not rows:
        return []
    table = _Table(rows, columns or _PIPED)
    return [*(span for row in rows for span in table.line(row)), (_total(rows), "")]


def diff_spans(diff: str | bytes) -> Spans:
    """A unified diff, each line in the style of what it is; bytes that are not UTF-8 are kept."""
    spans: Spans = []
    old = new = 0  # lines of the hunk that are still to come: a removed line may look like a header
    if isinstance(diff, bytes):
        diff = diff.decode("utf-8", "surrogateescape")
    *lines, last = diff.split("\n")
    for line in [*(line + "\n" for line in lines), *([last] if last else [])]:
        text, sign, end = line.rstrip("\n"), line[:1], "\n" if line.endswith("\n") else ""
        if old > 0 or new > 0:
            old -= sign in ("-", " ")
            new -= sign in ("+", " ")
            spans.append((text, _LINE_STYLES.get(sign, "")))
        elif line.startswith("@@ "):
            head, mark, rest = text[3:].partition(" @@")
            old, new = _counts(head)
            spans += [(f"@@ {head}{mark}", "place"), (rest, "")]
        else:
            spans.append((text, "" if sign == "\\" else "strong"))
        spans.append((end, ""))
    return spans


def patch_spans(patch: str) -> Spans:
    """A patch in the apply_patch language, each line in the style of what it is."""
    spans: Spans = []
    for line in patch.splitlines(keepends=True):
        text = line.rstrip("\n")
        style = "strong" if text.startswith("*** ") else "place" if text.startswith("@@") else ""
        spans += [(text, style or _LINE_STYLES.get(text[:1], "")), (line[len(text) :], "")]
    return spans


_LINE_STYLES = {"-": "removed", "+": "added"}


def _counts(ranges: str) -> tuple[int, int]:
    """How many lines the ranges in a hunk's header cover: '-12,3 +4' three and one; none where they are not that."""
    counts = [numbers.partition(",")[2] if "," in numbers else "1" for numbers in ranges.split(" ")]
    if len(counts) != 2 or not all(count.isdecimal() and len(count) < 10 for count in counts):
        return 0, 0
    return int(counts[0]), int(counts[1])


def _rows(diffs: list[FileDiff]) -> list[Row]:
    """One row a file: a link that became a file has two diffs, and git counts them as one."""
    rows: dict[tuple[str, str], Row] = {}
    for each in diffs:
        names = (each.old_name, each.new_name)
        row = rows.setdefault(names, Row(_shown(*names), 0, 0))
        old, new = b"".join(each.old), b"".join(each.new)
        if b"\0" in old[:_LOOKED_AT] or b"\0" in new[:_LOOKED_AT]:
            row.sizes = (len(old), len(new)) if old != new else (0, 0)
        row.added += each.added
        row.removed += each.removed
    return list(rows.values())


def _shown(old: str, new: str) -> str:
    """A name, or both names of a moved file with what they share outside the braces."""
    if old == new:
        return quoted(old)
    if quoted(old) != old or quoted(new) != new:
        return f"{quoted(old)} => {quoted(new)}"
    head = commonprefix([old, new]).rfind("/") + 1
    # The slash before the part that differs may be the one behind it, too: '{ => a}/b' has both.
    shared, most = 0, min(len(old), len(new)) - head + (1 if head else 0)
    while shared < most and old[-1 - shared] == new[-1 - shared]:
        shared += 1
    tail = old.find("/", len(old) - shared)
    ending = old[tail:] if tail >= 0 else ""
    if not head and not ending:
        return f"{old} => {new}"
    return f"{old[:head]}{{{_middle(old, head, ending)} => {_middle(new, head, ending)}}}{ending}"


def _middle(name: str, head: int, ending: str) -> str:
    return name[head : max(head, len(name) - len(ending))]


class _Table:
    """The columns of a table: as wide as the names and bars want, and no wider than the terminal."""

    def __init__(self, rows: list[Row], columns: int) -> None:
        self.most = most = max([0, *(row.added + row.removed for row in rows if row.sizes is None)])
        sizes = [_bytes(row) for row in rows if row.sizes is not None]
        self.number = max(len(str(most)), 3 if sizes else 0)
        columns = max(columns, 16 + 6 + self.number)
        self.bar = max([most, *(len(words) - 1 for words in sizes)])
        self.name = max(width(row.name) for row in rows)
        fixed = self.number + 6
        if self.name + fixed + self.bar > columns:
            if self.bar > columns * 3 // 8 - fixed:
                self.bar = max(6, columns * 3 // 8 - fixed)
            if self.name > columns - fixed - self.bar:
                self.name = columns - fixed - self.bar
            else:
                self.bar = columns - fixed - self.name

    def line(self, row: Row) -> Spans:
        name = self._fitted(row.name)
        head = f" {name}{' ' * (self.name - width(name))} | "
        if row.sizes is not None:
            return [(f"{head}{'Bin':>{self.number}}{_bytes(row)}\n", "")]
        changed = row.added + row.removed
        added, removed = self._bars(row.added, row.removed)
        numbers = f"{head}{changed:>{self.number}}{' ' if changed else ''}"
        return [(numbers, ""), ("+" * added, "added"), ("-" * removed, "removed"), ("\n", "")]

    def _fitted(self, name: str) -> str:
        """The end of a name that is too long, from a slash on where there is one."""
        if width(name) <= self.name:
            return name
        room = max(0, self.name - 3)
        name = name[-room:] if room else ""
        slash = name.find("/")
        return "..." + (name[slash:] if slash >= 0 else name)

    def _bars(self, added: int, removed: int) -> tuple[int, int]:
        if self.bar > self.most:
            return added, removed
        total = self._scaled(added + removed)
        if total < 2 and added and removed:
            total = 2
        if added < removed:
            added = self._scaled(added)
            return added, total - added
        removed = self._scaled(removed)
        return total - removed, removed

    def _scaled(self, count: int) -> int:
        return 1 + count * (self.bar - 1) // self.most if count else 0


def _bytes(row: Row) -> str:
    before, after = row.sizes or (0, 0)
    return f" {before} -> {after} bytes" if before or after else ""


def _total(rows: list[Row]) -> str:
    added = sum(row.added for row in rows if row.sizes is None)
    removed = sum(row.removed for row in rows if row.sizes is None)
    words = [f" {len(rows)} file{'s' if len(rows) != 1 else ''} changed"]
    if added or not removed:
        words.append(f" {added} insertion{'s' if added != 1 else ''}(+)")
    if removed or not added:
        words.append(f" {removed} deletion{'s' if removed != 1 else ''}(-)")
    return ",".join(words) + "\n"
