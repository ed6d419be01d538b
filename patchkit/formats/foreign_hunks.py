"""The hunks of what other edit formats say: of a block, of a piece of text, of a file that is written anew.

Takes texts; gives hunks and sections for the one planner. No files are read.
"""

from __future__ import annotations

from patchkit.core.changes.options import Options
from patchkit.core.changes.planner import plan
from patchkit.core.changes.sources import MemoryFiles
from patchkit.core.language import AddFile, DeleteFile, FileOp, HashedUpdate, Hunk, Patch, UpdateFile
from patchkit.core.text import Document
from patchkit.diffs.compare import compared
from patchkit.diffs.unique_hunks import hunks_between
from patchkit.errors import PatchkitError
from patchkit.formats.model import Block


def sections_between(path: str, before: bytes, after: bytes, line: int, as_bytes: bool = False) -> list[FileOp]:
    """The sections that turn one content of a file into another; with `as_bytes`, whatever its encoding is."""
    hunks = hunks_between(path, before, after, as_bytes=as_bytes)
    if b"\r" in before + after and not _gives(hunks, before, after):  # endings that differ from line to line
        return [DeleteFile(path, line), AddFile(path, after.decode("utf-8", "surrogateescape"), line)]
    return [HashedUpdate(path, None, hunks, line, "")]  # made for this content


def _gives(hunks: list[Hunk], before: bytes, after: bytes) -> bool:
    """Whether hunks turn one content into the other, to the byte."""
    files = MemoryFiles({"file": before})
    options = Options(max_pass="exact", lost_anchors=False)
    try:
        plan(Patch([UpdateFile("file", None, hunks)]), files, options).commit()
    except PatchkitError:
        return False
    return files.content["file"] == after


def whole_bytes(text: str, before: bytes) -> bytes:
    """The bytes of a file that is written anew, in the encoding and with the line endings that it had."""
    document = Document(before)
    if document.endings == "crlf" and "\r\n" not in text:
        text = text.replace("\n", "\r\n")
    if document.bom:
        text = text.removeprefix("\ufeff")  # which the file keeps in any case
    return b"".join(document.file_bytes([text.encode("utf-8", "surrogateescape")]))


def hunk_around(text: str, at: int, old: str, new: str, line: int) -> Hunk | None:
    """The hunk of the lines that a piece of text is in, which is at one place; None where only a comparison says it."""
    start, stop = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(old) - old.endswith("\n")) + 1
    after = text[start:at] + new + text[at + len(old) : stop]
    if not stop or (after and not after.endswith("\n")) or old == new or text[:1] == "\ufeff" or "\0" in text:
        return None
    search, replace = text[start : stop - 1].split("\n"), after.split("\n")[:-1]
    return block_hunk(Block("", search, replace, line))


def block_hunk(block: Block) -> Hunk:
    """The hunk of a block: lines that both sides have are context, the others are removed and added.

    A last line that both sides have is context in any case: the file may end there, without a newline.
    """
    old = [line.encode("utf-8", "surrogateescape") for line in block.search]
    new = [line.encode("utf-8", "surrogateescape") for line in block.replace]
    lines: list[str] = []
    at = 0
    if len(new) < len(old) and old[-1:] == new[-1:]:
        del old[-1], new[-1]
    for a, b, c, d in compared(old, new):
        lines += [" " + line for line in block.search[at:a]]
        lines += ["-" + line for line in block.search[a:b]]
        lines += ["+" + line for line in block.replace[c:d]]
        at = b
    lines += [" " + line for line in block.search[at:]]
    hunk = Hunk([], lines, line=block.line)
    hunk.hint, hunk.of_texts = block.hint, True
    hunk.body_line = block.line + 1
    return hunk
