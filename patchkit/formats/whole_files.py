"""Read and write whole files: a path, a fence, and everything in the file.

Takes the text, prose included; gives a Foreign of WholeFiles. A fence without a path above it is prose, such as a
command to run. A fence inside the file is counted where it names a language; what stays open is refused.
"""

from __future__ import annotations

import re

from patchkit.formats.model import Foreign, WholeFile, unreadable
from patchkit.formats.paths import named_by

_OPEN = re.compile(r"^(`{3,}|~{3,})\s*([\w+#.-]*)\s*$")


def read_whole_files(text: str) -> Foreign:
    """Returns the files of a text in order."""
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    foreign = Foreign("whole-file")
    at = 0
    while at < len(lines):
        found = _OPEN.match(lines[at])
        if found is None:
            at += 1
            continue
        above = at - 1 if at and lines[at - 1].strip() else at - 2
        path = named_by(lines[above]) if above >= 0 else ""
        stop = _closing(lines, at, found[1])
        if not path:
            at = (stop if stop > 0 else at) + 1
            continue
        if stop < 0:
            raise unreadable("whole-file", at + 1, f"the fence of '{path}' does not close", "send the whole file again")
        if path != lines[above].strip():
            foreign.note("P997", file=path, found=lines[above].strip(), patch_line=above + 1)
        body = lines[at + 1 : stop]
        foreign.sections.append(WholeFile(path, "\n".join([*body, ""]), at + 1))
        at = stop + 1
    if not foreign.sections:
        raise unreadable("whole-file", 1, "no fence has a path above it", "write the path on the line above the fence")
    if len(lines) > sum(each.text.count("\n") + 3 for each in foreign.sections if isinstance(each, WholeFile)):
        first = next(line for line in lines if line.strip())
        if named_by(first) == "":
            foreign.note("P995", patch_line=1, found=first)
    return foreign


def _closing(lines: list[str], at: int, fence: str) -> int:
    """The line that closes the fence opened at `at`; -1 where none does."""
    depth, mark = 0, 3 * fence[0]
    for number in range(at + 1, len(lines)):
        if mark not in lines[number]:
            continue
        found = _OPEN.match(lines[number].strip())
        if found is None or found[1][0] != fence[0] or len(found[1]) < len(fence):
            continue
        if found[2]:
            depth += 1
        elif depth:
            depth -= 1
        elif not lines[number].startswith((" ", "\t")):
            return number
    return -1


def write_whole_files(files: list[WholeFile]) -> str:
    """Returns the text of files, each in a fence longer than any that is in it."""
    out = []
    for each in files:
        runs = re.findall(r"(?m)^\s*(`{3,})", each.text) if "```" in each.text else []
        longest = max(map(len, runs), default=2)
        fence = "`" * (longest + 1)
        out.append(f"{each.path}\n{fence}\n{each.text}{fence}\n")
    return "\n".join(out)
