"""Write the changes of two trees in a format of edits: blocks, JSON edits, operations or whole files.

Takes files before and after, and hunks of them that are known; gives the text. What the format cannot say is refused,
or left out.
"""

from __future__ import annotations

import re
from itertools import accumulate

from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.core.text import Document, is_binary, is_utf8
from patchkit.diffs.compare import Span, compared
from patchkit.diffs.unique_hunks import hunks_between, is_unicode
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.formats.blocks import may_be_marker, write_blocks
from patchkit.formats.indexed_text import IndexedText
from patchkit.formats.json_edits import write_json_edits, write_operations
from patchkit.formats.making import Repeats
from patchkit.formats.model import TITLES, Block, TextEdit, Unsayable, WholeFile, shell_word
from patchkit.formats.paths import line_of, maybe_named_by, named_by
from patchkit.formats.snippets import NoPlaceError, merged
from patchkit.formats.whole_files import write_whole_files
from patchkit.guards.placeholders import placeholder
from patchkit.guards.quick_looks import may_leave_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from patchkit.core.language import Hunk


_MARK = "\ufeff"


class EditWriter:
    """The changes of two trees on their way to a text; `left_out` are the files that it does not say, `repeats` what it
    seems to repeat.
    """

    def __init__(
        self,
        before: Mapping[str, bytes],
        after: Mapping[str, bytes],
        name: str,
        known: Mapping[str, list[Hunk]],
        repeats: Repeats,
    ) -> None:
        self.before = before
        self.after = after
        self.name = name
        self.known = {path: hunks for path, hunks in known.items() if path not in repeats.pins}
        self.repeats = repeats
        self.left_out: set[str] = set()
        self.as_json = name == "whole-file" and self._is_for_json()

    def _is_for_json(self) -> bool:
        """Whether whole files need strings: a fence says not every name, no CR, and no missing final newline."""
        changed = [
            (path, new) for path, new in self.after.items() if self.before.get(path) != new and not is_binary(new)
        ]
        if not all(is_unicode(path + new.decode("utf-8", "surrogateescape")) for path, new in changed):
            return False
        return any(not self._is_for_a_fence(path, new) for path, new in changed)

    def _is_for_a_fence(self, path: str, new: bytes) -> bool:
        old = self.before.get(path)
        if new[-1:] not in (b"\n", b"") or (b"\r" in new and (old is None or Document(old).endings != "crlf")):
            return False
        return _is_named(path, old)

    def written(self, skip: bool) -> tuple[bytes, list[Note]]:
        unsayable: list[Unsayable] = []
        blocks: list[Block] = []
        edits: list[TextEdit | WholeFile] = []
        files: list[WholeFile] = []
        sections: list[FileOp] = []
        for path in sorted({*self.before, *self.after}, key=lambda each: (each in self.after, each)):
            old, new = self.before.get(path), self.after.get(path)
            if old == new:
                continue
            fault = self._fault(path, old, new)
            if fault is not None:
                unsayable.append(fault)
                self.left_out.add(path)
            elif self.name == "openai-ops":
                sections.append(self._section(path, old, new))
            elif self.name == "whole-file":
                files.append(WholeFile(path, (new or b"").decode("utf-8", "surrogateescape")))
            elif self.name == "json-edits":
                edits += self._text_edits(path, old, new or b"")
            else:
                blocks += self._blocks(path, old, new or b"")
        if unsayable and not skip:
            raise_all([each.error() for each in unsayable])
        notes = [each.note() for each in unsayable]
        if self.name == "openai-ops":
            text = write_operations(Patch(sections)) if sections else ""
        elif self.name == "whole-file":
            text = write_json_edits([*files]) if self.as_json and files else write_whole_files(files)
        elif self.name == "json-edits":
            text = write_json_edits(edits) if edits else ""
        else:
            text = write_blocks(blocks)
        return text.encode("utf-8", "surrogateescape"), notes

    def _fault(self, path: str, old: bytes | None, new: bytes | None) -> Unsayable | None:
        """What the format cannot say about a file, with the command that does it."""
        if new is None:
            if self.name == "openai-ops":
                return None
            return Unsayable(path, f"the deletion of '{path}', in {TITLES[self.name]}", f"rm {shell_word(path)}")
        if old is None and path != path.strip():
            what = f"whitespace at the ends of the name '{path}', in {TITLES[self.name]}"
            return Unsayable(path, what, "patchkit convert --to unified")
        if is_binary(new) or (old is not None and is_binary(old)):
            return Unsayable(path, f"the binary content of '{path}'", f"cp NEW {shell_word(path)}")
        if self.name == "openai-ops":
            return None
        if self.name != "json-edits" and not self.as_json and not _is_named(path, old):
            return Unsayable(path, f"the name '{path}', in {TITLES[self.name]}", "patchkit convert --to v4a")
        ended, was = new[-1:] in (b"\n", b""), old is not None and old[-1:] in (b"\n", b"")
        if self.name == "whole-file" and old is not None and _is_filled(old, new):
            what = f"a line of '{path}' that would be read as lines left out, in whole files"
            return Unsayable(path, what, "patchkit convert --to v4a")
        if self.name == "whole-file" and not ended and not self.as_json:
            return Unsayable(path, f"the missing final newline of '{path}'", "patchkit convert --to v4a")
        if self.name == "search-replace" and (not ended if old is None else ended != was):
            return Unsayable(path, f"the final newline of '{path}'", "patchkit convert --to v4a")
        return None

    def _section(self, path: str, old: bytes | None, new: bytes | None) -> FileOp:
        if new is None:
            return DeleteFile(path)
        if old is None:
            return AddFile(path, new.decode("utf-8", "surrogateescape"))
        return UpdateFile(path, None, self._taken(path) or self._made(path, old, new))

    def _blocks(self, path: str, old: bytes | None, new: bytes) -> list[Block]:
        if old is None:
            return [Block(path, [], new.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")[:-1])]
        if old.strip():
            hunks = self._unanchored(path)
            if hunks is None or not all(any(map(str.strip, hunk.old())) for hunk in hunks):
                hunks = self._made(path, old, new, anchored=False)
            return [Block(path, hunk.old(), hunk.new()) for hunk in hunks]
        what = f"a change of '{path}', which has nothing but blank lines, in {TITLES['search-replace']}"
        raise PatchkitError("P112", file=path, what=what, instead="write it with '--to v4a'")

    def _text_edits(self, path: str, old: bytes | None, new: bytes) -> list[TextEdit | WholeFile]:
        if old is not None:
            edits = text_edits(path, old, new, self._unanchored(path))
            if edits is not None:
                return [*edits]
        text, was = ((data or b"").decode("utf-8", "surrogateescape") for data in (new, old))
        if was and (was[:1] == _MARK) != (text[:1] == _MARK):
            return [TextEdit(path, was, text)]  # a whole file keeps the mark that it has
        return [WholeFile(path, text)]

    def _made(self, path: str, old: bytes, new: bytes, anchored: bool = True) -> list[Hunk]:
        pins = self.repeats.pins.get(path, ())
        blocks = self.name == "search-replace"
        unshown = None if not blocks and is_utf8(old) else self._is_unshown
        one = unshown is None and path in self.repeats.replaced
        return hunks_between(
            path, old, new, anchored=anchored, pins=pins, blocks=blocks, one=one, unshown=unshown, as_bytes=blocks
        )

    def _is_unshown(self, line: str) -> bool:
        """Whether the format cannot show a line of a file."""
        return may_be_marker(line) if self.name == "search-replace" else not is_unicode(line)

    def _unanchored(self, path: str) -> list[Hunk] | None:
        """The known hunks of a file, if none needs an anchor, and each changes something."""
        hunks = self._taken(path)
        plain = hunks and not any(hunk.anchors or hunk.old() == hunk.new() for hunk in hunks)
        return hunks if plain else None

    def _taken(self, path: str) -> list[Hunk] | None:
        """The known hunks of a file, if the format can show all their lines: others may have less context."""
        hunks = self.known.get(path)
        return None if any(self._is_unshown(line[1:]) for hunk in hunks or () for line in hunk.lines) else hunks


def _is_filled(old: bytes, new: bytes) -> bool:
    """Whether a whole file has a line that a reader would replace by lines of the old one."""
    if not may_leave_out(new):
        return False
    text, was = (data.decode("utf-8", "surrogateescape") for data in (new, old))
    try:
        return bool(placeholder(text, was) and merged(text, was))
    except NoPlaceError:
        return False


def _is_named(path: str, old: bytes | None) -> bool:
    """Whether a line can name a file above a fence or a block; more can if there is such a file."""
    line = line_of(path)
    return named_by(line) == path or (old is not None and maybe_named_by(line) == path)


# -- edits of strings --------------------------------------------------------------------------------


_MOST_SEARCHED = 2_000_000_000  # characters: every edit is looked for in the whole text, here and by each reader
_TRIES = ((True, False), (True, True), (False, False), (False, True))  # whether with care, and whether backwards
_RAW = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, as they are decoded


# The lines of a piece before and after, the lines that change, and where those are in the text before and after.
_Change = tuple[list[str], list[str], Span, int, int]


def text_edits(path: str, old: bytes, new: bytes, hunks: list[Hunk] | None) -> list[TextEdit] | None:
    """Returns the edits of a file, by the hunks that are known to change it or by comparing; None if there are none."""
    before, after = (data.decode("utf-8", "surrogateescape") for data in (old, new))
    hunks = hunks or hunks_between(path, old, new, anchored=False, as_bytes=False)
    edits = _by_hunks(path, before, after, hunks, careful=True)
    if edits is None:
        whole = hunks_between(path, old, new, anchored=False, one=True, as_bytes=False)
        edits = _by_hunks(path, before, after, whole, careful=True) or _by_hunks(path, before, after, hunks)
    if edits is not None and all(is_unicode(edit.old) and is_unicode(edit.new) for edit in edits):
        return edits
    return _between_bytes(path, before, after)


def _by_hunks(path: str, before: str, after: str, hunks: list[Hunk], careful: bool = False) -> list[TextEdit] | None:
    """The edits of hunks, one after the other; with care, None if one leaves what another seems to have made."""
    ending = "\r\n" if "\r\n" in before else "\n"
    text = IndexedText(before)
    found = []
    for hunk in hunks:
        piece, put = (ending.join([*lines, ""]) if lines else "" for lines in (hunk.old(), hunk.new()))
        if not text.replace(piece, put, careful):
            piece, put = piece.removesuffix(ending), put.removesuffix(ending)  # the file may end there, without one
            if not text.replace(piece, put, careful):
                return None
        found.append(TextEdit(path, piece, put))
    return found if text.whole == after else None


def _between_bytes(path: str, text: str, after: str) -> list[TextEdit] | None:
    """Edits of the pieces between bytes that are not UTF-8; None if those bytes do not stay, all and in order."""
    if not (kept := _RAW.findall(text)) or kept != _RAW.findall(after):
        return None
    changes: list[_Change] = []
    was = now = 0  # where the piece is in the text before and after
    for piece, put in zip(_RAW.split(text), _RAW.split(after)):
        if piece != put:
            old, new = _lines(piece), _lines(put)
            olds, news = ([0, *accumulate(map(len, each))] for each in (old, new))
            spans = compared([line.encode() for line in old], [line.encode() for line in new])
            changes += [(old, new, (a, b, c, d), was + olds[a], now + news[c]) for a, b, c, d in spans]
        was, now = was + len(piece) + 1, now + len(put) + 1
    # What one edit writes may be like what another looks for, and like what is there: the other order, or less care,
    # may do. The text is proved in any case.
    found = (_one_by_one(path, text, changes, careful, backwards) for careful, backwards in _TRIES)
    return next((edits for edits in found if edits is not None), None)


def _one_by_one(path: str, text: str, changes: list[_Change], careful: bool, backwards: bool) -> list[TextEdit] | None:
    """An edit for each change, each of which is found at one place of what those before it leave; None without one.

    With care, none can be taken for an edit that has been made.
    """
    found: list[TextEdit] = []
    searched = 0
    for old, new, (a, b, c, d), was, now in changes[::-1] if backwards else changes:
        above, below, first, last, at = (old, new, a, d, was) if backwards else (new, old, c, b, now)
        for size in _sizes(len(old) + len(new)):
            head, tail = "".join(above[max(0, first - size) : first]), "".join(below[last : last + size])
            edit = TextEdit(path, "".join([head, *old[a:b], tail]), "".join([head, *new[c:d], tail]))
            searched += len(text)
            if len(_TRIES) * searched > _MOST_SEARCHED:
                return None
            if not edit.old:
                continue
            is_made = careful and edit.new in text and edit.new not in edit.old
            place = at - len(head)
            if not is_made and text.find(edit.old) == place and text.find(edit.old, place + 1) < 0:
                break
        else:
            return None
        text = text[:place] + edit.new + text[place + len(edit.old) :]
        found.append(edit)
    return found


def _lines(text: str) -> list[str]:
    """The lines of a text, with their line feeds."""
    *ended, last = text.split("\n")
    return [*(line + "\n" for line in ended), last]


def _sizes(most: int) -> Iterator[int]:
    """How many lines of context to try on either side."""
    size = 0
    while size < 2 * most:
        yield size
        size = 2 * size or 1
