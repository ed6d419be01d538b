"""A Plan as a unified diff.

Where one section changed a file the changed spans are known and no comparison is needed: the cost is that
of the lines shown. Only a file that several sections touched is compared line by line.
"""

from __future__ import annotations

from patchkit.changes.model import FileChange, Plan
from patchkit.text.document import Document

_CONTEXT = 3


def unified(plan: Plan) -> bytes:
    """Returns what the plan changes as a diff that `git apply` takes."""
    out = []
    moved = _moves(plan)
    for change in plan.effective:
        if change.before.name not in moved.values():
            out.append(_file_diff(plan, change, moved.get(change.before.name)))
    return b"".join(out)


def _moves(plan: Plan) -> dict[str, str]:
    """New name to old name of the files that are there under another name afterwards."""
    found = {}
    for change in plan.effective:
        keeps = change.keeps
        if change.after is not None and change.before.kind == "missing" and keeps is not None:
            source = plan.changes.get(keeps.name)
            if source is not None and source.after is None:
                found[change.before.name] = keeps.name
    return found


def _file_diff(plan: Plan, change: FileChange, source: str | None) -> bytes:
    new_name = change.before.name
    before = plan.changes[source].before if source else change.before
    old_name = source or new_name
    added, removed = before.kind == "missing", change.after is None
    head = f"diff --git {_quoted('a/' + old_name)} {_quoted('b/' + new_name)}\n"
    if source:
        head += f"rename from {_quoted(old_name)}\nrename to {_quoted(new_name)}\n"
    elif added or removed:
        head += f"{'new' if added else 'deleted'} file mode {_mode(before if removed else None)}\n"
    old = before.data if before.kind == "file" else b""
    new = b"".join(change.after or [])
    if before.kind == "link":
        old = before.target.encode("utf-8", "surrogateescape")
    body = _body(plan, change, old, new)
    if body:
        head += f"--- {'/dev/null' if added else _ended(_quoted('a/' + old_name))}\n"
        head += f"+++ {'/dev/null' if removed else _ended(_quoted('b/' + new_name))}\n"
    return head.encode("utf-8", "surrogateescape") + body


def _mode(entry: object) -> str:
    standing = getattr(entry, "standing", None)
    status = getattr(standing, "status", None)
    if getattr(entry, "kind", "") == "link":
        return "120000"
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


def _body(plan: Plan, change: FileChange, old: bytes, new: bytes) -> bytes:
    if old == new:
        return b""
    old_lines, new_lines = _lines(old), _lines(new)
    spans = _known_spans(plan, change, old, len(old_lines), len(new_lines)) or _compared(old_lines, new_lines)
    return b"".join(_hunk(old_lines, new_lines, group) for group in _groups(spans))


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    last = lines.pop()
    lines = [line + b"\n" for line in lines]
    return [*lines, last] if last else lines


Span = tuple[int, int, int, int]  # old lines from, to; new lines from, to


def _known_spans(plan: Plan, change: FileChange, old: bytes, count: int, new_count: int) -> list[Span] | None:
    """The spans of the one section that made this change; None when several did, or lines end otherwise."""
    makers = [s for s in plan.sections if s.path == change.path or s.moved_from == change.path]
    if len(makers) != 1 or makers[0].document is None:
        return None
    document: Document = makers[0].document
    if document.codec or document.endings == "cr" or not document.terminated:
        return None
    spans, shift = [], 0
    for each in sorted(makers[0].replacements, key=lambda r: r.start):
        start = each.line
        spans.append((start, start + each.removed, start + shift, start + shift + each.added))
        shift += each.added - each.removed
    return spans if count + shift == new_count and spans else None


def _compared(old: list[bytes], new: list[bytes]) -> list[Span]:
    """The differing spans of two lists of lines, common ends taken off first."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    return [(a + head, b + head, c + head, d + head) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


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
