"""Read and write whole files: a path, a fence, and everything in the file.

Takes the text, prose included; gives a Foreign of WholeFiles. A fence without a path above it is prose, such as a
command to run; one below a sentence with a path may be the file or speak of it, and is refused. A fence inside the
file is counted where it names a language; what stays open, or can end at two lines, is refused, and so is a text that
is an edit of the file and not all of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cache

from patchkit.formats.blocks import CLOSE, DIVIDER, OPEN, WITH_HEADINGS
from patchkit.formats.model import NO_PATH, Foreign, WholeFile, unreadable
from patchkit.formats.paths import is_decorated, is_name, line_of, maybe_named_by, mentioned_in, named_by

_OPEN = re.compile(r"^(`{3,}|~{3,})([^`\n]*)$")
_TITLE = re.compile(r"\b(?:title|file|filename|path)=[\"']?([^\"']+)[\"']?")
_SHELLS = ("bash", "sh", "shell", "zsh", "fish", "console", "shell-session", "powershell", "cmd", "bat", "diff")
_DIFFS = ("diff", "patch", "udiff")
_CONFLICT = re.compile(r"^(<{7}|>{7}|\|{7})( |$)")
_MOST_READ = 1_000_000
_MOST_FILES = 20_000
_MOST_FENCES = 8  # behind a file that are looked at
_MARKS = frozenset("<-=>+|")
_WITH_FENCES = (".md", ".markdown", ".mdx", ".rst", ".txt", ".qmd", ".rmd")


def read_whole_files(text: str, name: str = "whole-file") -> Foreign:
    """Returns the files of a text in order, or the parts of files."""
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    foreign = Foreign(name)
    at = read = 0  # `read`: lines that were looked at for the ends of fences that have none
    is_named = cache(lambda number: is_name(lines[number] or lines[number - 1]))
    fences = [number for number, line in enumerate(lines) if line.startswith(("```", "~~~"))]
    while (place := bisect_left(fences, at)) < len(fences):
        at = fences[place]
        found = _OPEN.match(lines[at])
        if found is None:
            at += 1
            continue
        above = at - 1 if at and lines[at - 1].strip() else at - 2
        stop = _closing(lines, at, found[1])
        path = _path(lines, at, above, found[2].strip(), foreign)
        read += len(lines) - at if stop < 0 else 0
        if read > _MOST_READ:
            raise unreadable(name, at + 1, "too many fences do not close", "close each of them")
        if not path and at + 1 not in foreign.unsure:
            at = (stop if stop > 0 else at) + 1
            continue
        if stop < 0:
            title = path or foreign.unsure[at + 1]
            raise unreadable(name, at + 1, f"the fence of '{title}' does not close", "send the whole file again")
        behind = map(fences.__getitem__, range(bisect_left(fences, stop + 1), len(fences)))
        _check_end(lines, stop, behind, found[1], path, is_named, name)
        if path and found[2].split(" ")[0].strip().lower() in _DIFFS and not path.endswith((".diff", ".patch")):
            reason = f"the fence of '{path}' is marked as a diff"
            raise unreadable(name, at + 1, reason, "send a diff with its '---', '+++' and '@@' lines, or the file")
        foreign.sections.append(WholeFile(path, "\n".join([*lines[at + 1 : stop], ""]), at + 1))
        if len(foreign.sections) > _MOST_FILES:
            raise unreadable(name, at + 1, f"it has more than {_MOST_FILES:,} files", "send it in parts")
        at = stop + 1
    if not foreign.sections:
        raise unreadable(name, 1, *NO_PATH)
    if len(lines) > sum(each.text.count("\n") + 3 for each in foreign.sections if isinstance(each, WholeFile)):
        first = next(line for line in lines if line.strip())
        if named_by(first) == "" and _OPEN.match(first) is None:
            foreign.lenient("outside-text", patch_line=1, found=first)
    return foreign


def _path(lines: list[str], at: int, above: int, info: str, foreign: Foreign) -> str:
    """The path of the file in a fence: all of the line above it, or in the fence's own line; '' where it has none."""
    line = lines[above].strip() if above >= 0 else ""
    if is_name(line) and not is_decorated(line):
        path, found = named_by(line), line
    else:
        titled = _TITLE.search(info)
        words = info.split()
        word = titled[1] if titled is not None else words[-1].rpartition(":")[2] if words else ""
        path, found = (named_by(word), lines[at].strip()) if "/" in word or "." in word else ("", "")
    if path:
        if found not in (path, line_of(path)):
            foreign.lenient("path-spelling", file=path, found=found, patch_line=(above if found == line else at) + 1)
        return path
    if info.split(" ")[0].lower() in _SHELLS:
        return ""
    spoken = named_by(line) or mentioned_in(line)
    if spoken:
        reason = f"a fence may be all of '{spoken}', or what the sentence above it speaks of"
        raise unreadable(foreign.name, at + 1, reason, "write the path alone on the line above the fence")
    maybe = maybe_named_by(line) if _OPEN.match(line) is None else ""
    if maybe:
        foreign.unsure[at + 1] = maybe
    return ""


def _check_end(
    lines: list[str],
    stop: int,
    fences: Iterable[int],
    fence: str,
    path: str,
    is_named: Callable[[int], bool],
    name: str,
) -> None:
    """Refuses a file that could end at one of the later fences as well: they belong to no file of their own."""
    bare: list[int] = []
    for number in fences:
        found = _OPEN.match(lines[number])
        if found is None or found[1][0] != fence[0] or len(found[1]) < len(fence):
            continue
        named = not len(bare) % 2 and is_named(number - 1)
        if found[2].strip() or named or len(bare) == _MOST_FENCES:
            break
        bare.append(number + 1)
    if bare and (len(bare) % 2 or path.lower().endswith(_WITH_FENCES)):
        reason = f"'{path}' could end at line {stop + 1} or at line {bare[-1]}"
        raise unreadable(name, stop + 1, reason, "put a longer fence around the file, such as ````")


def refuse_edit(whole: WholeFile, old: str | None) -> None:
    """Raises where a text is an edit of a file and not all of it, by lines that the file does not have.

    Written as it is, the file would be lost, but for a piece of it and the marks of the edit.
    """
    lines = whole.text.split("\n")
    known = {*old.split("\n")} if old is not None else set()
    for number in [number for number, line in enumerate(lines) if line[:1] in _MARKS]:
        bare, before = lines[number].removesuffix("\r"), lines[number - 1].removesuffix("\r") if number else ""
        if lines[number] not in known and _is_mark(bare, before, whole.path):
            reason = f"the text of '{whole.path}' has a line of a block or of a conflict: {bare!r}"
            instead = "send the block whole, or the whole file without the line"
            raise unreadable("whole-file", whole.line + number + 1 if whole.line else 1, reason, instead)
    if old is not None and _is_diff(lines, known):
        reason = f"the lines of '{whole.path}' have the signs of a diff in front of them"
        raise unreadable("whole-file", whole.line or 1, reason, "send a diff with its '@@' lines, or the whole file")


def _is_mark(line: str, before: str, path: str) -> bool:
    """Whether a line is a marker of a block or of a conflict, and not the underline of a heading."""
    if OPEN.match(line) or CLOSE.match(line) or _CONFLICT.match(line):
        return True
    heads = before.replace(" ", "").isalnum() and len(before.rstrip()) == len(line.rstrip())
    return DIVIDER.match(line) is not None and "." in path and not path.lower().endswith(WITH_HEADINGS) and not heads


def _is_diff(lines: list[str], known: set[str]) -> bool:
    """Whether lines have signs in front of them, and without these the file has all that are not added."""
    if not all(line[0] in " +-" for line in lines if line.strip()):
        return False
    solid = [line for line in lines if line.strip()]
    if not {"+", "-"} <= {line[0] for line in solid}:
        return False
    return all(line[1:] in known and line not in known for line in solid if line[0] == "-")


def _closing(lines: list[str], at: int, fence: str) -> int:
    """The line that closes the fence opened at `at`; -1 where none does."""
    depth, mark = 0, 3 * fence[0]
    for number in range(at + 1, len(lines)):
        if mark not in lines[number]:
            continue
        found = _OPEN.match(lines[number].strip())
        if found is None or found[1][0] != fence[0] or len(found[1]) < len(fence):
            continue
        if found[2].strip():
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
        out.append(f"{line_of(each.path)}\n{fence}\n{each.text}{fence}\n")
    return "\n".join(out)
