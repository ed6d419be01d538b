"""Read a file in the encoding that the hunks of a section are to be placed and written in.

Takes the bytes of a file that is not plainly UTF-8 and the hunks for it, some with other than ASCII characters; gives
the Document to place them in. What counts as certain is decided in `text.encodings`; here is how hunks are tried.
"""

from __future__ import annotations

from patchkit.core.changes import Options, replacements, splice
from patchkit.core.language import AddFile, HashedAdd, HashedUpdate, Hunk, UpdateFile
from patchkit.core.matching import Match, Miss, WorkBudget
from patchkit.core.matching.locate import locate
from patchkit.core.matching.passes import allows
from patchkit.core.matching.tolerant import may_fit
from patchkit.core.text import Document
from patchkit.core.text.encodings import EncodingReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


# Whether a change was surely made for the file that it is applied to.
#
# Takes the hunks of one file and their places; gives whether every number of every `@@` line is right. A model seldom
# counts so; a diff of a program has such numbers, on the text that it was made for. So nothing about it was guessed,
# and `git apply` would take it without an offset. The hash of the old content in a diff of git says the same.
def is_made_for(op: UpdateFile, before: list[bytes], results: Sequence[Match | Miss]) -> bool:
    """Whether a section was surely made for the content that the file has."""
    if is_where_it_says(op.hunks, results):
        return True
    return isinstance(op, HashedUpdate) and blob_id(b"".join(before)).startswith(op.blob)


def is_whole(op: AddFile) -> bool:
    """Whether the text of a new file is surely all of it."""
    return isinstance(op, HashedAdd) and blob_id(op.text.encode("utf-8", "surrogateescape")).startswith(op.blob)


def blob_id(data: bytes) -> str:
    """The id that git gives a content."""
    from hashlib import sha1  # it takes as long to load as all that is ours in a small run

    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def is_where_it_says(hunks: list[Hunk], results: Sequence[Match | Miss]) -> bool:
    """Whether all hunks have numbers, and each is placed exactly, with these numbers and these counts."""
    moved = 0  # how many lines later the next hunk begins in the new file
    for hunk, result in zip(hunks, results):
        if hunk.numbers is None or type(result) is not Match or result.pass_name != "exact":
            return False
        start, old, new_start, new = hunk.numbers
        removed, added = (len([line for line in hunk.lines if line[0] != sign]) for sign in "+-")
        first = start + (not old)  # the number of a side without lines is that of the line above
        if (old, new) != (removed, added) or first != result.line + 1 or new_start + (not new) != first + moved:
            return False
        moved += new - old
    return True


_MOST = "typography"


class HunkEncodings:
    """How the hunks of one run are read: the encoding that was named, and what placing them may tolerate."""

    def __init__(self, options: Options) -> None:
        self._options = options
        # A line that is overlooked proves no encoding: only passes that look at every line do.
        most = options.max_pass if allows(_MOST, options.max_pass) else _MOST
        none = WorkBudget(0)  # what does not fit here needs no explanation
        passes = {"exact": "exact", "proving": most, "allowed": options.max_pass}
        self._tolerances = {name: options.limited_to(most, none) for name, most in passes.items()}
        self.guessed = False  # whether the encoding is neither named nor declared

    def read(self, document: Document, op: UpdateFile, setting: str = "") -> Document:
        """The file as the hunks of a section are meant to see it; raises when that is not certain.

        `setting` is the encoding that settings files name for it.
        """
        options, hunks = self._options, op.hunks
        if options.encoding is None and _is_of_git(op, document.data):
            return document  # git compares bytes: those of the diff are the ones of the new file
        added = "\n".join(line[1:] for hunk in hunks for line in hunk.lines if line[0] == "+")
        shown = [line for hunk in hunks for line in hunk.old()]
        hopeless = added.isascii() and not may_fit(document, hunks)  # in any encoding: words of ASCII are not there

        def attempt(each: Document, tolerance: str) -> bytes | None:
            return None if hopeless else self._outcome(each, hunks, self._tolerances[tolerance])

        reader = EncodingReader(options.encoding, setting, attempt)
        found = reader.read(document, shown, added, strict=options.strict, back=options.reverse)
        self.guessed = reader.guessed
        return found

    def _outcome(self, document: Document, hunks: list[Hunk], options: Options) -> bytes | None:
        """The file after the hunks, None when they do not all have their place in it."""
        results = locate(document, hunks, options)
        if not all(isinstance(each, Match) or self._is_done(each) for each in results):
            return None
        made = [new for each in results if isinstance(each, Match) for new in replacements(document, each)]
        return b"".join(document.file_bytes(splice(document, made)))

    def _is_done(self, result: Match | Miss) -> bool:
        return self._options.forward and isinstance(result, Miss) and result.code == "P205"


def _is_of_git(op: UpdateFile, data: bytes) -> bool:
    """Whether git made a section for just these bytes, which it names by their hash."""
    return isinstance(op, HashedUpdate) and op.blob != "" and blob_id(data).startswith(op.blob)
