"""A Plan as a unified diff.

Takes a plan; gives, file by file, what is before and after, and the diff that `git apply` takes. Which lines count as
changed is worked out from the two texts, not from the hunks: a hunk may remove a line and add it again.
"""

from __future__ import annotations

from patchkit.core.changes import Entry, FileChange, Plan
from patchkit.core.text import is_utf8
from patchkit.diffs.compare import Span, compared
from patchkit.values import Value

CONTEXT = 3
_EMPTY_GONE = "index e69de29..0000000\n"  # without it, patch(1) asks whether an empty file shall really be deleted


class FileDiff(Value):
    """One file before and after; a mode of None means that there is no file on that side."""

    __slots__ = ("old_name", "new_name", "old_mode", "new_mode", "old", "new", "spans")
    old_name: str
    new_name: str
    old_mode: str | None
    new_mode: str | None

    def __init__(self, names: tuple[str, str], modes: tuple[str | None, str | None], old: bytes, new: bytes) -> None:
        self.old_name, self.new_name = names
        self.old_mode, self.new_mode = modes
        self.old, self.new = lines_of(old), lines_of(new)
        self.spans = compared(self.old, self.new)

    @property
    def differs(self) -> bool:
        """Whether there is anything to show: a file replaced by an equal one is the same afterwards."""
        return bool(self.spans) or self.old_name != self.new_name or self.old_mode != self.new_mode

    @property
    def added(self) -> int:
        return sum(d - c for _, _, c, d in self.spans)

    @property
    def removed(self) -> int:
        return sum(b - a for a, b, _, _ in self.spans)


def unified(plan: Plan) -> bytes:
    """Returns what the plan changes as a diff that `git apply` takes."""
    return b"".join(map(unified_file, file_diffs(plan)))


def file_diffs(plan: Plan) -> list[FileDiff]:
    """What the plan changes, file by file, in the plan's order."""
    moved = moves(plan)
    gone = set(moved.values())
    return [
        each
        for change in plan.effective
        if change.before.name not in gone
        for each in file_diff(plan, change, moved.get(change.before.name))
        if each.differs
    ]


def merged_plan(plans: list[Plan]) -> Plan:
    """Several plans, made one after the other, as one: each name before the first and after the last."""
    if len(plans) == 1:
        return plans[0]
    merged = Plan(plans[0].files)
    for plan in plans:
        merged.sections.extend(plan.sections)
        for name, change in plan.changes.items():
            first = merged.changes.get(name)
            before = first.before if first is not None else change.before
            keeps = change.keeps
            if keeps is not None and keeps.name in merged.changes:
                keeps = merged.changes[keeps.name].keeps or keeps
            merged.changes[name] = FileChange(change.path, before, change.after, keeps)
    return merged


def moves(plan: Plan) -> dict[str, str]:
    """New name to old name of the files that are there under another name afterwards."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for change in plan.effective:
        keeps = change.keeps
        if change.after is not None and change.before.kind == "missing" and keeps is not None:
            source = plan.changes.get(keeps.name)
            if source is not None and source.after is None and keeps.name not in taken:
                found[change.before.name] = keeps.name
                taken.add(keeps.name)
    return found


def file_diff(plan: Plan, change: FileChange, source: str | None) -> list[FileDiff]:
    """What one change of a plan does: nothing, one thing, or a deletion and an addition."""
    name = change.before.name
    before = plan.changes[source].before if source else change.before
    after = b"".join(change.after) if change.after is not None else None
    mode = _mode_after(change) if after is not None else None
    if before.kind == "link" and change.is_link:
        return [FileDiff((before.name, name), ("120000", mode), os_bytes(before.target), after or b"")]
    if before.kind == "link":  # git shows a change of type as a deletion and an addition
        gone = FileDiff((before.name, before.name), ("120000", None), os_bytes(before.target), b"")
        return [gone, FileDiff((name, name), (None, mode), b"", after)] if after is not None else [gone]
    if before.kind == "missing":
        return [FileDiff((name, name), (None, mode), b"", after)] if after is not None else []
    if change.is_link:
        gone = FileDiff((before.name, before.name), (mode_of(before), None), before.data, b"")
        return [gone, FileDiff((name, name), (None, mode), b"", after or b"")]
    return [FileDiff((before.name, name), (mode_of(before), mode), before.data, after or b"")]


def _mode_after(change: FileChange) -> str:
    if change.is_link:
        return "120000"
    return mode_of(change.keeps) if change.executable is None else "100755" if change.executable else "100644"


def mode_of(entry: Entry | None) -> str:
    """The mode of a file, as git writes it."""
    status = getattr(getattr(entry, "location", None), "status", None)
    return "100755" if status is not None and status.st_mode & 0o100 else "100644"


def head(each: FileDiff, index: str = "") -> bytes:
    """The lines that name a file, with its modes; `index` is the line that names its contents."""
    old_name, new_name = each.old_name, each.new_name
    # Without hunks this line alone names the file: `patch` reads a name with spaces there only in quotes.
    spaces = not each.spans or old_name.endswith(" ") or new_name.endswith(" ")
    head = f"diff --git {quoted('a/' + old_name, spaces)} {quoted('b/' + new_name, spaces)}\n"
    if each.old_mode is None:
        head += f"new file mode {each.new_mode}\n"
    elif each.new_mode is None:
        head += f"deleted file mode {each.old_mode}\n"
        head += "" if each.spans else _EMPTY_GONE
    elif each.old_mode != each.new_mode:
        head += f"old mode {each.old_mode}\nnew mode {each.new_mode}\n"
    if old_name != new_name:
        head += f"rename from {quoted(old_name)}\nrename to {quoted(new_name)}\n"
    head += index
    if each.spans:
        head += f"--- {'/dev/null' if each.old_mode is None else _ended('a/' + old_name)}\n"
        head += f"+++ {'/dev/null' if each.new_mode is None else _ended('b/' + new_name)}\n"
    return os_bytes(head)


def os_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def quoted(name: str, spaces: bool = False) -> str:
    """A name as git writes it: in quotes when it holds anything but plain characters; with `spaces`, also a space."""
    raw = name.encode("utf-8", "surrogateescape")
    plain = all(32 <= byte < 127 and byte not in b'"\\' for byte in raw)
    if plain and not (spaces and " " in name):
        return name
    special = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
    shown = (special.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in raw)
    return f'"{"".join(shown)}"'


def _ended(name: str) -> str:
    """A name with a tab after it if it has spaces, so that readers of diffs know where it ends.

    A space at its end is in quotes: `patch` would leave it out.
    """
    shown = quoted(name, name.endswith(" "))
    return shown + "\t" if " " in name else shown


def lines_of(data: bytes) -> list[bytes]:
    """The lines with their endings, as git counts lines."""
    *ended, last = data.split(b"\n")
    return [*(line + b"\n" for line in ended), *([last] if last else [])]


def unified_file(each: FileDiff) -> bytes:
    shown = body(each)
    return head(each, index_of(each.old, each.new, shown)) + shown


def index_of(old: list[bytes], new: list[bytes], shown: bytes) -> str:
    """The line that names the contents of a file, where the lines of its diff do not show that they are bytes.

    They are UTF-8, and could be taken for text that is to be written in the encoding that the file has or declares.
    """
    from patchkit.core.changes.legacy import blob_id
    from patchkit.core.text.encodings import declared

    if shown.isascii() or not old or not new or not is_utf8(shown):
        return ""
    data = b"".join(old)
    if not declared(data) if data.isascii() else is_utf8(data):
        return ""
    return f"index {blob_id(data)}..{blob_id(b''.join(new))}\n"


def body(each: FileDiff) -> bytes:
    """The hunks of one file's diff, without the lines that name it."""
    return b"".join(hunk_text(each.old, each.new, group) for group in groups(each.spans))


def groups(spans: list[Span]) -> list[list[Span]]:
    """Spans whose context would touch belong into one hunk."""
    found: list[list[Span]] = []
    for span in spans:
        if found and span[0] - found[-1][-1][1] <= 2 * CONTEXT:
            found[-1].append(span)
        else:
            found.append([span])
    return found


def hunk_text(old: list[bytes], new: list[bytes], group: list[Span], above_old: int = 0, above_new: int = 0) -> bytes:
    """One hunk of a unified diff, with the context around it.

    The lists may be a part of a file: `above_old` and `above_new` are how many lines come before them.
    """
    first, last = group[0], group[-1]
    lead = min(CONTEXT, first[0])
    trail = min(CONTEXT, len(old) - last[1])
    out: list[bytes] = []
    at = first[0] - lead
    for a, b, c, d in group:
        out.extend(b" " + line for line in old[at:a])
        out.extend(b"-" + line for line in old[a:b])
        out.extend(b"+" + line for line in new[c:d])
        at = b
    out.extend(b" " + line for line in old[at : at + trail])
    out = [line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in out]
    was = _range(above_old + first[0] - lead, above_old + last[1] + trail)
    now = _range(above_new + first[2] - lead, above_new + last[3] + trail)
    return b"@@ -%s +%s @@\n" % (was, now) + b"".join(out)


def _range(start: int, stop: int) -> bytes:
    count = stop - start
    begin = start + 1 if count else start
    return b"%d" % begin if count == 1 else b"%d,%d" % (begin, count)
