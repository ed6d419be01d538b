"""What a patch would put into a file a second time, and placeholders for text that was left out.

Takes a file and the replacements that a hunk makes in it; gives the refusal of one that adds a definition which the
file has in the same scope already, or lines of which a good part is right behind them already. Such a patch was
written for an older state of the file, or was applied before in other words. Only bytes near the change are read,
and the whole file where a definition is added.
"""

from __future__ import annotations

from patchkit.changes.splice import Replacement
from patchkit.errors import PatchkitError
from patchkit.text.document import Document

_DEFINING = frozenset(
    b"class def enum fn fun func function interface macro_rules proc procedure protocol record struct sub trait "
    b"union".split()
)
_MODIFIERS = frozenset(
    b"abstract async declare default export extern final inline internal open override private protected pub public "
    b"sealed static suspend unsafe virtual".split()
)
_ABOVE = (b"#", b"//", b"/*", b"*", b"--", b"@")  # begin lines that belong to the definition below them
_RUN = 5  # lines that are added together before they can be there in part
_PART = 3  # one in so many of them
_MOST_ABOVE = 5_000  # lines that are looked at for what is around a definition
_TELLING = 4  # letters and digits that a line needs to count


def refuse_duplicates(document: Document, made: list[Replacement], own: list[Replacement]) -> None:
    """Raises where `own`, the replacements of one hunk, would put something in twice; `made` are those of all hunks."""
    for each in own:
        if each.new:
            _refuse_second_definition(document, made, each)
            _refuse_second_run(document, each)


def _refuse_second_definition(document: Document, made: list[Replacement], added: Replacement) -> None:
    data, separator = document.data, document.separator
    head = _opening_of(added.new.splitlines())
    at = _line_start(data, head, separator, 0) if head else -1
    while at >= 0:
        if not _is_replaced(at, made) and _is_same_scope(document, head, at, added):
            raise PatchkitError(
                "P216",
                head=head.decode("utf-8", "replace").strip(),
                line=added.line + 1,
                other=data.count(separator, 0, at) + 1,
            )
        at = _line_start(data, head, separator, at + len(head))


def _opening_of(lines: list[bytes]) -> bytes:
    """The definition that added lines open with, below blank lines, comments and decorators; b'' if with none."""
    for line in lines:
        bare = line.strip()
        if bare and not bare.startswith(_ABOVE):
            return line.rstrip() if is_definition(line) else b""
    return b""


def is_definition(line: bytes) -> bool:
    """Whether a line opens a definition with a name: `def f(`, `export function g(`, `pub(crate) struct S {`."""
    words = line.split(None, 4)
    while words and words[0].partition(b"(")[0] in _MODIFIERS:
        words = words[1:]
    return len(words) > 1 and words[0] in _DEFINING and words[1][:1].isalpha() | (words[1][:1] == b"_")


def _line_start(data: bytes, line: bytes, separator: bytes, start: int) -> int:
    """Where a whole line of this text begins, at or behind `start`; -1 for nowhere."""
    at = data.find(line, start)
    while at >= 0:
        ends = data[at + len(line) : at + len(line) + 1]
        if (at == 0 or data[at - 1 : at] == separator) and ends in (b"", b"\r", separator):
            return at
        at = data.find(line, at + 1)
    return -1


def _is_replaced(at: int, made: list[Replacement]) -> bool:
    return any(each.start <= at < each.stop for each in made)


def _is_same_scope(document: Document, head: bytes, at: int, added: Replacement) -> bool:
    """Whether the last line above that is less deep is the same for a line of the file and for the added one."""
    margin = _depth(head)
    if not margin:
        return True
    around = _around(document, added.start, margin)
    return around >= 0 and around == _around(document, at, margin)


def _around(document: Document, at: int, margin: int) -> int:
    """Where the last line above begins that is less deep; -1 when there is none near."""
    data, separator = document.data, document.separator
    stop = at
    for _ in range(_MOST_ABOVE):
        if stop <= 0:
            return -1
        start = data.rfind(separator, 0, stop - 1) + 1
        line = data[start : stop - 1]
        if line.strip() and _depth(line) < margin:
            return start
        stop = start
    return -1


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _refuse_second_run(document: Document, added: Replacement) -> None:
    lines = [line.rstrip() for line in added.new.splitlines()]
    worded = [line for line in lines if _is_telling(line)]
    if len(worded) < _RUN:
        return
    behind = document.data[added.stop : added.stop + 2 * len(added.new) + 200].splitlines()[: len(lines)]
    there = [line.rstrip() for line in behind]
    first = next((line for line in lines if _is_telling(line)), b"")
    known = set(there)
    again = [line for line in worded if line in known]
    if first in known and _PART * len(again) >= len(worded) and len(again) > 1:
        line = added.line + added.removed + 1
        raise PatchkitError(
            "P217", count=len(again), total=len(worded), line=added.line + 1, first=line, last=line + len(there) - 1
        )


def _is_telling(line: bytes) -> bool:
    return sum(chr(char).isalnum() for char in line) >= _TELLING
