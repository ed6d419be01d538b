"""The unified diff of a plan from what its hunks replace, without comparing whole files.

Takes a Plan; gives the diff that `git apply` takes. Only lines that a hunk replaces are compared, with what it puts in
their place. A file that more than one section changes, or whose last line has no ending, is left to `diff`.
"""

from __future__ import annotations

from patchkit.core.changes import Plan, Section
from patchkit.core.changes.splice import Replacement
from patchkit.core.text import Document
from patchkit.diffs.compare import Span, compared
from patchkit.diffs.diff import (
    CONTEXT,
    FileDiff,
    file_diff,
    groups,
    head,
    hunk_text,
    index_of,
    lines_of,
    mode_of,
    moves,
    unified_file,
)


def unified_plan(made: Plan) -> bytes:
    """Returns what the plan changes as a diff that `git apply` takes."""
    plain = _plain_sections(made)
    moved = moves(made)
    gone = set(moved.values())
    out: list[bytes] = []
    for change in made.effective:
        name = change.before.name
        if name in gone:
            continue
        if name in plain and name not in moved:
            body = _body(plain[name])
            mode = mode_of(change.before)
            index = index_of([change.before.data], change.after or [], body) if not body.isascii() else ""
            out += [head(FileDiff((name, name), (mode, mode), b"", b"\n"), index), body] if body else []
        else:
            out += [unified_file(each) for each in file_diff(made, change, moved.get(name)) if each.differs]
    return b"".join(out)


def _plain_sections(made: Plan) -> dict[str, Section]:
    """The sections that alone change a file in place, by its name, in text of which every line has its ending."""
    found: dict[str, Section] = {}
    seen: set[str] = set()
    for section in made.sections:
        names = {section.name, section.source}
        if not seen.isdisjoint(names):
            for name in names:
                found.pop(name, None)
        elif section.letter == "M" and len(names) == 1 and _is_plain(section):
            found[section.name] = section
        seen |= names
    return found


def _is_plain(section: Section) -> bool:
    document = section.document
    if type(document) is not Document or document.bom or document.codec or document.separator != b"\n":
        return False
    stated = any(hunk.final_newline is not None for hunk in getattr(section.op, "hunks", ()))
    return document.terminated and not stated and section.replacements != []


def _body(section: Section) -> bytes:
    """The hunks of a section's diff."""
    document = section.document
    data = document.data if document is not None else b""
    made = sorted(section.replacements, key=lambda each: each.start)
    near: list[list[Replacement]] = []  # those whose context would touch
    for each in made:
        above = near[-1][-1] if near else None
        if above is not None and each.line - above.line - above.removed <= 2 * CONTEXT:
            near[-1].append(each)
        else:
            near.append([each])
    out: list[bytes] = []
    moved = 0
    for group in near:
        out.append(_hunks(data, group, moved))
        moved += sum([each.added - each.removed for each in group])
    return b"".join(out)


def _hunks(data: bytes, group: list[Replacement], moved: int) -> bytes:
    """The hunks of replacements that are near each other; lines begin `moved` later in the new file."""
    start, above = group[0].start, 0
    while start and above < CONTEXT:
        start, above = data.rfind(b"\n", 0, start - 1) + 1, above + 1
    stop = group[-1].stop
    for _ in range(CONTEXT):
        stop = data.find(b"\n", stop) + 1 or len(data)
    pieces: list[bytes] = []
    spans: list[Span] = []
    at, first = start, group[0].line - above
    shift = 0  # of the new lines against the old ones
    for each in group:
        removed, added = lines_of(data[each.start : each.stop]), lines_of(each.new)
        row = each.line - first
        for a, b, c, d in compared(removed, added):
            spans.append((row + a, row + b, row + shift + c, row + shift + d))
        shift += len(added) - len(removed)
        pieces += [data[at : each.start], each.new]
        at = each.stop
    old, new = lines_of(data[start:stop]), lines_of(b"".join([*pieces, data[at:stop]]))
    return b"".join([hunk_text(old, new, near, first, first + moved) for near in groups(spans)])
