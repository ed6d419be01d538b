"""A Plan as a unified diff.

Where one section changed a file the changed spans are known and no comparison is needed: the cost is that
of the lines shown. Only a file that several sections touched is compared line by line.
"""

from __future__ import annotations

from patchkit.changes.compare import Span, compared
from patchkit.changes.model import Entry, FileChange, Plan
from patchkit.text.document import Document

_CONTEXT = 3


def unified(plan: Plan) -> bytes:
    """Returns what the plan changes as a diff that `git apply` takes."""
    moved = _moves(plan)
    return b"".join(
        _file_diff(plan, change, moved.get(change.before.name))
        for change in plan.effective
        if change.before.name not in moved.values()
    )


def merged_plan(plans: list[Plan]) -> Plan:
    """Several plans, made one after the other, as one: each name before the first and after the last."""
    if len(plans) == 1:
        return plans[0]
    merged = Plan(None)
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


def _moves(plan: Plan) -> dict[str, str]:
    """New name to old name of the files that are there under another name afterwards."""
    found: dict[str, str] = {}
    for change in plan.effective:
        keeps = change.keeps
        if change.after is not None and change.before.kind == "missing" and keeps is not None:
            source = plan.changes.get(keeps.name)
            if source is not None and source.after is None and keeps.name not in found.values():
                found[change.before.name] = keeps.name
    return found


def _file_diff(plan: Plan, change: FileChange, source: str | None) -> bytes:
    name = change.before.name
    before = plan.changes[source].before if source else change.before
    if before.kind == "link":  # git tells a change of type as a deletion and an addition
        gone = _diff(before.name, before.name, "120000", None, os_bytes(before.target), b"", [])
        return gone + (_new_file(name, change) if change.after is not None else b"")
    if before.kind == "missing":
        return _new_file(name, change) if change.after is not None else b""
    new = b"".join(change.after or [])
    spans = _known_spans(plan, change, before.data, new)
    mode = _mode(change.keeps) if change.after is not None else None
    return _diff(before.name, name, _mode(before), mode, before.data, new, spans)


def _new_file(name: str, change: FileChange) -> bytes:
    return _diff(name, name, None, _mode(change.keeps), b"", b"".join(change.after or []), [])


def _diff(
    old_name: str, new_name: str, old_mode: str | None, new_mode: str | None, old: bytes, new: bytes, spans: list[Span]
) -> bytes:
    """One file's diff; a mode of None means that there is no file on that side."""
    head = f"diff --git {_quoted('a/' + old_name)} {_quoted('b/' + new_name)}\n"
    if old_mode is None:
        head += f"new file mode {new_mode}\n"
    elif new_mode is None:
        head += f"deleted file mode {old_mode}\n"
    elif old_mode != new_mode:
        head += f"old mode {old_mode}\nnew mode {new_mode}\n"
    if old_name != new_name:
        head += f"rename from {_quoted(old_name)}\nrename to {_quoted(new_name)}\n"
    if old != new:
        head += f"--- {'/dev/null' if old_mode is None else _ended(_quoted('a/' + old_name))}\n"
        head += f"+++ {'/dev/null' if new_mode is None else _ended(_quoted('b/' + new_name))}\n"
    return os_bytes(head) + _body(old, new, spans)


def os_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _mode(entry: Entry | None) -> str:
    status = getattr(getattr(entry, "standing", None), "status", None)
    return "100755" if status is not None and status.st_mode & 0o100 else "100644"


def _quoted(name: str) -> str:
    """A name as git writes it: in quotes when it holds anything but plain characters."""
    raw = name.encode("utf-8", "surrogateescape")
    plain = all(32 <= byte < 127 and byte not in b'"\\' for byte in raw)
    if plain:
        return name
    special = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
    shown = (special.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in raw)
    return f'"{"".join(shown)}"'


def _ended(name: str) -> str:
    """A tab after a name with blanks, so that readers of diffs know where it ends."""
    return name + "\t" if " " in name else name


def _body(old: bytes, new: bytes, spans: list[Span]) -> bytes:
    if old == new:
        return b""
    old_lines, new_lines = _lines(old), _lines(new)
    return b"".join(_hunk(old_lines, new_lines, g) for g in _groups(spans or compared(old_lines, new_lines)))


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    last = lines.pop()
    lines = [line + b"\n" for line in lines]
    return [*lines, last] if last else lines


def _known_spans(plan: Plan, change: FileChange, old: bytes, new: bytes) -> list[Span]:
    """The spans of the one section that made this change; none when several did, or when lines are no guide."""
    name = change.before.name
    makers = [
        s for s in plan.sections if name in (s.name, s.source) or (change.keeps and s.source == change.keeps.name)
    ]
    if len(makers) != 1 or makers[0].document is None:
        return []
    document: Document = makers[0].document
    plain = document.endings != "cr" and document.terminated and new.endswith(b"\n")
    if not plain or document.codec or document.bom or document.data != old:
        return []
    spans, shift = [], 0
    for each in sorted(makers[0].replacements, key=lambda r: r.start):
        start = each.line
        spans.append((start, start + each.removed, start + shift, start + shift + each.added))
        shift += each.added - each.removed
    return spans


def _groups(spans: list[Span]) -> list[list[Span]]:
    """Spans whose context would touch belong into one hunk."""
    groups: list[list[Span]] = []
    for span in spans:
        if groups and span[0] - groups[-1][-1][1] <= 2 * _CONTEXT:
            groups[-1].append(span)
        else:
            groups.append([span])
    return groups


def _hunk(old: list[bytes], new: list[bytes], group: list[Span]) -> bytes:
    first, last = group[0], group[-1]
    lead = min(_CONTEXT, first[0])
    trail = min(_CONTEXT, len(old) - last[1])
    out: list[bytes] = []
    at = first[0] - lead
    for a, b, c, d in group:
        out.extend(b" " + line for line in old[at:a])
        out.extend(b"-" + line for line in old[a:b])
        out.extend(b"+" + line for line in new[c:d])
        at = b
    out.extend(b" " + line for line in old[at : at + trail])
    out = [line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in out]
    was = _range(first[0] - lead, last[1] + trail)
    now = _range(first[2] - lead, last[3] + trail)
    return b"@@ -%s +%s @@\n" % (was, now) + b"".join(out)


def _range(start: int, stop: int) -> bytes:
    count = stop - start
    begin = start + 1 if count else start
    return b"%d" % begin if count == 1 else b"%d,%d" % (begin, count)
