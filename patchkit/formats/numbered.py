"""Write a Patch with line numbers, where the numbers are known: as a unified diff, and in our own language.

The numbers of a patch in our language are hints; other programs for it do not read them.
"""

from __future__ import annotations

from itertools import accumulate

from patchkit.core.language import AddFile, DeleteFile, Hunk, Patch, UpdateFile
from patchkit.core.language.writer import write
from patchkit.errors import PatchkitError
from patchkit.formats.unified_hunks import NOT_ENDED


def write_numbered(patch: Patch) -> str:
    """Returns the text of a patch whose hunks keep the numbers they came with, above lines without an anchor."""
    hunks = iter(
        [
            (hunk, moved)
            for each in patch.sections
            if isinstance(each, UpdateFile)
            for hunk, moved in zip(each.hunks, _moved(each.hunks))
        ]
    )
    lines: list[str] = []
    for line in write(patch).split("\n"):
        if line == "@@" or (line.startswith("@@ ") and not lines[-1].startswith("@@ ")):
            hunk, moved = next(hunks)
            if line == "@@" and hunk.hint is not None:
                line = _header(hunk, hunk.hint, moved)
        lines.append(line)
    return "\n".join(lines)


def _moved(hunks: list[Hunk]) -> list[int]:
    """How many lines later each hunk begins in the new file, by those above it."""
    return list(accumulate([len(hunk.new()) - len(hunk.old()) for hunk in hunks], initial=0))


def _header(hunk: Hunk, start: int, moved: int) -> str:
    """The `@@` line; the number of a side without lines is that of the line above."""
    old, new = len(hunk.old()), len(hunk.new())
    return f"@@ -{start},{old} +{start + (not old) + moved - (not new)},{new} @@"


def write_unified_patch(patch: Patch) -> str:
    """Returns a unified diff; raises P112 for a hunk whose line number is not known, and for a deleted file."""
    out: list[str] = []
    for section in patch.sections:
        if isinstance(section, DeleteFile):
            raise _unknown(section.path, f"the lines of '{section.path}', which is deleted, without the files")
        if isinstance(section, AddFile):
            out += [f"--- /dev/null\n+++ b/{section.path}\n", _added(section.text)]
            continue
        if section.move_to:
            out.append(f"diff --git a/{section.path} b/{section.move_to}\n")
            out.append(f"rename from {section.path}\nrename to {section.move_to}\n")
        if section.hunks:
            out.append(f"--- a/{section.path}\n+++ b/{section.move_to or section.path}\n")
        moved = 0
        for hunk in section.hunks:
            if hunk.hint is None:
                raise _unknown(section.path, f"the line number of a hunk of '{section.path}', without the files")
            out.append(_header(hunk, hunk.hint, moved) + "\n")
            out += [line + "\n" for line in hunk.lines]
            if hunk.final_newline is False:
                out.append(NOT_ENDED + "\n")
            moved += len(hunk.new()) - len(hunk.old())
    return "".join(out)


def _added(text: str) -> str:
    lines = text.split("\n")
    last = lines.pop()
    body = "".join(f"+{line}\n" for line in lines)
    count = len(lines) + bool(last)
    return f"@@ -0,0 +1,{count} @@\n{body}" + (f"+{last}\n{NOT_ENDED}\n" if last else "") if count else ""


def _unknown(path: str, what: str) -> PatchkitError:
    return PatchkitError("P112", file=path, what=what, instead="leave '--no-files' out, and give '--root DIR'")
