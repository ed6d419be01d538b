"""Read and write search/replace blocks, as aider, Cline and Roo have them.

Takes the text, prose and fences around the blocks included; gives a Foreign of Blocks. A block that does not close is
refused: an editor once emptied files over a malformed marker. Of one that can be cut in two ways, or that has lost its
first marker beside others, all readings are given: the file decides.
"""

from __future__ import annotations

import re

from patchkit.errors import PatchkitError
from patchkit.formats.model import Block, Foreign, unreadable
from patchkit.formats.paths import is_name, line_of, maybe_named_by, named_by, plain

OPEN = re.compile(r"^(<{5,9}|-{5,9}) ?(SEARCH|ORIGINAL)>?\s*$", re.IGNORECASE)
DIVIDER = re.compile(r"^={5,9}\s*$")
CLOSE = re.compile(r"^(>{5,9}|\+{5,9}) ?(REPLACE|UPDATED)>?\s*$", re.IGNORECASE)
_BEGINNINGS = frozenset(["<<<<<", "-----", ">>>>>", "+++++"])  # of the first and the last marker
_FENCE = re.compile(r"^\s*(`{3,}|~{3,}|</?[\w-]+>)[^`]*$")
# What Cline and Roo have around blocks: an element with the path, and others that say nothing about it.
_TAGGED = re.compile(r"^\s*<(path|file_path|file|filename|target_file)>([^<>]+)</\1>\s*$")
_TAGS = re.compile(r"^\s*(\]\]>)?(</?[\w-]+>)*(<!\[CDATA\[)?\s*$|^\s*<([\w-]+)>[^<>]*</\4>\s*$")
_ESCAPED = re.compile(r"^\\(<{5,9}|={5,9}|>{5,9}|-{5,9}|\+{5,9}|:)")
_START = re.compile(r"^:start_line:\s*(\d{1,9})\s*$")
_SETTING = re.compile(r"^:(start_line|end_line):\s*\d*\s*$")
_FIRST = ("<", "-", "=", ">", "+", "\\", ":")  # what all of these begin with
WITH_HEADINGS = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".org")  # which may be underlined
_RULE = re.compile(r"^-{5,9}\s*$")
_MOST_CUTS = 8  # dividing lines of one block


def read_blocks(text: str, named: bool = True) -> Foreign:
    """Returns the blocks of a text in order.

    Where the caller has not `named` the format, only whole blocks show that it is this one.
    """
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    foreign = Foreign("search-replace")
    path, behind, around = "", 0, False
    marks = marked(lines)
    named = named or any(OPEN.match(lines[at]) for at in marks)
    for index, at in enumerate(marks):
        if at < behind:
            continue
        if CLOSE.match(lines[at]):
            stop, at = at, _unopened(lines, behind, at, named)
        else:
            stop = _end(lines, marks, index)
        path = _path(lines, at, behind, path, foreign)
        foreign.sections.append(_block(lines, at, stop, path, foreign))
        if not behind and any(map(_is_prose, lines[: max(at - 2, 0)])):
            foreign.lenient("outside-text", patch_line=1, found=next(line for line in lines if line.strip()))
            around = True
        behind = stop + 1
    prose = next((number for number in range(behind, len(lines)) if _is_prose(lines[number])), 0)
    if prose and behind and not around:
        foreign.lenient("outside-text", patch_line=prose + 1, found=lines[prose])
    if not behind:
        raise unreadable("search-replace", 1, "it has no '<<<<<<< SEARCH' line", "send the blocks again, whole")
    return foreign


def _is_prose(line: str) -> bool:
    return line.strip() != "" and not _FENCE.match(line) and not _TAGS.match(line)


def marked(lines: list[str]) -> list[int]:
    """The numbers of the lines that open or close a block."""
    begun = [number for number, line in enumerate(lines) if line[:5] in _BEGINNINGS]
    return [number for number in begun if OPEN.match(lines[number]) or CLOSE.match(lines[number])]


def _end(lines: list[str], marks: list[int], index: int) -> int:
    """The line that closes the block that one of the `marks`, the lines that open or close one, opens."""
    at = marks[index]
    for number in map(marks.__getitem__, range(index + 1, len(marks))):
        if CLOSE.match(lines[number]):
            return number
        if lines[number][0] == lines[at][0]:
            break
    raise unreadable(
        "search-replace",
        at + 1,
        "a block has no '>>>>>>> REPLACE' line",
        "send the whole block again: it may be cut off",
    )


def _unopened(lines: list[str], behind: int, stop: int, named: bool) -> int:
    """The first line of a block without its first marker: below its fence, or below the path above or inside it."""
    fences = [number for number in range(behind, stop) if lines[number].startswith(("```", "~~~"))]
    if behind and fences[:1] == [behind]:
        del fences[0]  # it closes the block before
    if len(fences) == 1 and named:
        at = fences[0] + 1
        above = lines[at - 2] if at > 1 else ""
        return at + (not named_by(above) and not _in_fence(lines[at - 1]) and named_by(lines[at]) != "")
    at = next((number for number in range(behind, stop) if is_name(lines[number])), -1) + 1
    if at and named and not fences:
        return at
    reason = "a 'REPLACE' line has no '<<<<<<< SEARCH' line above it"
    raise unreadable("search-replace", stop + 1, reason, "send the whole block again")


def _block(lines: list[str], at: int, stop: int, path: str, foreign: Foreign) -> Block:
    opening = OPEN.match(lines[at])
    width = len(opening[1]) if opening else len(lines[stop]) - len(lines[stop].lstrip(">+"))
    first, hint = at + (opening is not None), None
    while first < stop and _SETTING.match(lines[first]):
        found = _START.match(lines[first])
        hint = int(found[1]) if found else hint
        first += 1
    if hint is not None and first < stop and _RULE.match(lines[first]):
        first += 1
    cuts = [number for number in range(first, stop) if lines[number][:5] == "=====" and DIVIDER.match(lines[number])]
    if len(cuts) > 1:
        alike = [number for number in cuts if len(lines[number].strip()) == width]
        cuts = alike if len(alike) == 1 else cuts
    if len(cuts) == 2 and _is_stray(lines[first:stop], cuts[0] - first, cuts[1] - first, path):
        stop = cuts.pop()
        foreign.lenient("outside-text", patch_line=stop + 1, found=lines[stop])
    if not cuts or len(cuts) > _MOST_CUTS:
        raise _doubt(cuts, at)
    search = _content(lines[first : cuts[0]])
    solid = [line.strip() for line in search if line.strip()]
    if path and len(solid) == 1 and solid[0].endswith("```") and named_by(solid[0].rstrip("`")) == path:
        foreign.lenient("path-spelling", file=path, found=solid[0], patch_line=first + 1)
        search = []  # the path and the fence that go above the block, and no line of the file
    block = Block(path, search, _content(lines[cuts[0] + 1 : stop]), at + 1)
    block.hint = hint
    if opening is None or len(cuts) > 1:
        block.readings = [(_content(lines[first:cut]), _content(lines[cut + 1 : stop])) for cut in cuts]
        block.doubt = _doubt(cuts, at)
    return block


def _doubt(cuts: list[int], at: int) -> PatchkitError:
    """The refusal of the block at a line that these lines divide."""
    how = "no '=======' line" if not cuts else f"{len(cuts)} '=======' lines, and any of them could divide it"
    instead = "send the change as a patch or a unified diff"
    if len(cuts) == 1:
        how = "no '<<<<<<< SEARCH' line, and the file does not show where it begins"
        instead = "send the whole block again"
    return unreadable("search-replace", at + 1, f"a block has {how}", instead)


def _is_stray(lines: list[str], first: int, last: int, path: str) -> bool:
    """Whether the second '=======' line of a block, right above its end, is part of neither text.

    Source code has no such line, but for a conflict or a short heading in a comment.
    """
    heading = lines[last - 1] if last else ""
    if heading[:1].isalnum() and len(heading.rstrip()) <= len(lines[last].rstrip()):
        return False
    texts = lines[:first], lines[first + 1 : last]
    conflict = any(line.startswith(("<<<<<", ">>>>>", "|||||")) for text in texts for line in text)
    whole = last == len(lines) - 1 and all(any(map(str.strip, text)) for text in texts)
    return whole and not conflict and "." in path and not path.lower().endswith(WITH_HEADINGS)


def _content(lines: list[str]) -> list[str]:
    """Lines of a block; a backslash before a marker is Roo's way to write one."""
    if "\n\\" not in "\n".join(["", *lines]):
        return lines  # nearly always
    return [line[1:] if line[:1] == "\\" and _ESCAPED.match(line) else line for line in lines]


def _path(lines: list[str], at: int, behind: int, before: str, foreign: Foreign) -> str:
    """The path above a block: on the line above its fence, inside the fence, or that of the block before."""
    seen = 0
    for number in range(at - 1, behind - 1, -1):
        line = lines[number]
        if not line.strip() and seen < 3:
            seen += 1
            continue
        tagged = _TAGGED.match(line)
        if tagged is not None and tagged[2].strip():
            return plain(tagged[2].strip())
        path = "" if _FENCE.match(line) and not line.strip().startswith("<") else named_by(line)
        if path:
            if line.strip() not in (path, line_of(path)):
                foreign.lenient("path-spelling", file=path, found=line.strip(), patch_line=number + 1)
            return path
        path = _in_fence(line)
        if path:
            foreign.lenient("path-spelling", file=path, found=line.strip(), patch_line=number + 1)
            return path
        if not _FENCE.match(line) and not _TAGS.match(line):
            break
        seen = 0
    maybe = _maybe_path(lines, at, behind)
    if maybe:
        foreign.unsure[at + 1] = maybe
    elif not before:
        raise PatchkitError("P126", patch_line=at + 1)
    if before:
        foreign.lenient("no-file-name", file=before, patch_line=at + 1)
    return before


def _maybe_path(lines: list[str], at: int, behind: int) -> str:
    """What the line above a block or its fence names, if there is such a file."""
    for number in range(at - 1, behind - 1, -1):
        if lines[number].strip() and not _FENCE.match(lines[number]) and not _TAGS.match(lines[number]):
            return maybe_named_by(lines[number])
    return ""


def _in_fence(line: str) -> str:
    """The path behind the back quotes of a fence: '```python src/app.py', '```src/app.py'."""
    words = line.strip().lstrip("`~").split()
    return named_by(words[-1].rpartition(":")[2]) if line.strip().startswith(("```", "~~~")) and words else ""


def may_be_marker(line: str) -> bool:
    """Whether a line of a file would be read as one of the format, in every place of a block or in some."""
    return line.startswith(_FIRST) and (_is_marker(line) or _SETTING.match(line) is not None)


def _is_marker(line: str) -> bool:
    return bool(OPEN.match(line) or CLOSE.match(line) or DIVIDER.match(line) or _ESCAPED.match(line))


def write_blocks(blocks: list[Block]) -> str:
    """Returns the text of blocks as aider reads them; raises P112 for lines that the format cannot hold."""
    out = []
    for block in blocks:
        for line in [*block.search, *block.replace]:
            if _is_marker(line):
                what = f"a line of '{block.path}' that looks like a marker: {line!r}"
                raise PatchkitError("P112", file=block.path, what=what, instead="write it with '--to v4a'")
        body = ["<<<<<<< SEARCH", *block.search, "=======", *block.replace, ">>>>>>> REPLACE"]
        runs = [len(line) - len(line.lstrip("`")) for line in body if line.startswith("```")]
        fence = "`" * (max(runs, default=2) + 1)
        is_plain = bool(block.search) and maybe_named_by(block.path) == block.path
        out += [block.path if is_plain else line_of(block.path), fence, *body, fence, ""]
    return "\n".join(out[:-1]) + "\n" if out else ""
