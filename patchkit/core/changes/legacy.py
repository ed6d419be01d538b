"""Read a file in the encoding that its hunks are to be placed and written in.

Takes the bytes of a file that is not plainly UTF-8 and the hunks for it, some with other than ASCII characters;
gives the Document to place them in. The encoding is the one that was named, or the one that the file declares, or one
of a list: then every one that fits has to give the same bytes, or the patch is refused.
"""

from __future__ import annotations

from patchkit.core.changes.line_numbers import blob_id
from patchkit.core.changes.options import Options
from patchkit.core.changes.splice import replacements, splice
from patchkit.core.language import HashedUpdate, Hunk, UpdateFile
from patchkit.core.matching import Match, Miss, WorkBudget
from patchkit.core.matching.locate import locate
from patchkit.core.matching.passes import allows
from patchkit.core.matching.tolerant import may_fit
from patchkit.core.text import Document
from patchkit.core.text.encodings import LISTED, bytes_of, declared, is_text
from patchkit.errors import PatchkitError

_UTF8 = "utf-8"
_MARK = "\ufeff"
_MOST = "typography"
_MOST_RUNS = 8  # that are looked for in the whole file, for every encoding


class EncodingReader:
    """How the hunks of one run are read: the encoding that was named, and what placing them may tolerate."""

    def __init__(self, options: Options) -> None:
        self._named = options.encoding
        self._back = options.reverse
        # A line that is overlooked proves no encoding: only passes that look at every line do.
        most = options.max_pass if allows(_MOST, options.max_pass) else _MOST
        none = WorkBudget(0)  # what does not fit here needs no explanation
        self._proving = options.limited_to(most, none)
        self._exact = options.limited_to("exact", none)
        self._allowed = options.limited_to(options.max_pass, none)
        self._forward = options.forward
        self._strict = options.strict
        self.guessed = False  # whether the encoding is neither named nor declared

    def read(self, document: Document, op: UpdateFile) -> Document:
        """The file as the hunks of a section are meant to see it; raises when that is not certain."""
        hunks = op.hunks
        text = "\n".join(line[1:] for hunk in hunks for line in hunk.lines)
        if bytes_of(text, _UTF8) is None or self._named == _UTF8:
            return document  # the patch carries bytes that are not text: they are the file's own, or nothing is
        if self._named is None and _is_of_git(op, document.data):
            return document  # git compares bytes: those of the diff are the ones of the new file
        if self._named is not None:
            if not is_text(document.data, self._named):
                raise PatchkitError("P214", encoding=self._named)
            return Document(document.data, self._named)
        said = declared(document.data)
        if _MARK in text:
            return document  # which is to be UTF-8, with its mark
        names = [name for name in said if is_text(document.data, name)]
        if names == [_UTF8]:
            return document
        if names and (named := _declared_as(document, names, hunks, text)) is not None:
            if self._back and document.data.isascii():  # lines that come back were in one or the other
                raise PatchkitError("P215", encodings=f"{named.encoding} or {_UTF8}")
            return document if self._is_only_in(document, named, hunks) else named
        return document if document.data.isascii() else self._certain(document, hunks, text, _UTF8 in said)

    def _is_only_in(self, document: Document, other: Document, hunks: list[Hunk]) -> bool:
        """Whether the hunks show characters beyond ASCII that the file has in UTF-8 and not in another encoding."""
        if all(line.isascii() for hunk in hunks for line in hunk.old()):
            return False
        exact = self._exact
        return self._outcome(other, hunks, self._allowed) is None and self._outcome(document, hunks, exact) is not None

    def _certain(self, document: Document, hunks: list[Hunk], text: str, is_utf8: bool) -> Document:
        """The file in the one encoding, of those listed, that gives what every other gives that fits.

        One that declares UTF-8 is that if the hunks fit it so, in spite of bytes that are none.
        """
        fits: dict[bytes, Document] = {}
        if not may_fit(document, hunks) and _added(hunks).isascii():
            return document
        as_it_is = self._outcome(document, hunks, self._proving)
        if as_it_is is not None and is_utf8:
            return document
        shown = _telling({run for hunk in hunks for line in hunk.old() for run in _other_than_ascii(line)})
        proving = self._proving
        if as_it_is is not None and shown:
            fits[as_it_is] = document  # its lines are UTF-8, whatever else is in the file
            if self._outcome(document, hunks, self._exact) is not None:
                proving = self._exact  # what fits only with whitespace left out does not count beside that
        for each in self._readings(document, text, shown) if not self._strict else ():
            outcome = self._outcome(each, hunks, proving)
            if outcome is not None:
                fits.setdefault(outcome, each)
            if len(fits) > 1:
                break
        if len(fits) == 1:
            found = next(iter(fits.values()))
            self.guessed = found is not document
            return found
        if not fits and (_added(hunks).isascii() or self._outcome(document, hunks, self._allowed) is None):
            return document  # nothing would be garbled: locating says why a hunk has no place, if one has none
        names = " or ".join(each.encoding for each in fits.values())
        raise PatchkitError("P215", encodings=names or "none that it declares or that was named")

    def _readings(self, document: Document, text: str, shown: list[str]) -> list[Document]:
        """The file in every encoding of the list that could make a difference.

        Where two encodings write all lines of the hunks alike, one speaks for both. What a hunk shows must be there.
        """
        seen: set[bytes] = set()
        made = []
        for name in LISTED:
            written = bytes_of(text, name)
            if written is None or written in seen or (shown and not _has_any(document.data, shown, name)):
                continue
            if is_text(document.data, name):
                seen.add(written)
                made.append(Document(document.data, name))
        return made

    def _outcome(self, document: Document, hunks: list[Hunk], options: Options) -> bytes | None:
        """The file after the hunks, None when they do not all have their place in it."""
        results = locate(document, hunks, options)
        if not all(isinstance(each, Match) or self._is_done(each) for each in results):
            return None
        made = [new for each in results if isinstance(each, Match) for new in replacements(document, each)]
        return b"".join(splice(document, made))

    def _is_done(self, result: Match | Miss) -> bool:
        return self._forward and isinstance(result, Miss) and result.code == "P205"


def _is_of_git(op: UpdateFile, data: bytes) -> bool:
    """Whether git made a section for just these bytes, which it names by their hash."""
    return isinstance(op, HashedUpdate) and op.blob != "" and blob_id(data).startswith(op.blob)


def _declared_as(document: Document, names: list[str], hunks: list[Hunk], text: str) -> Document | None:
    """The file in what it declares, or in the larger encoding that is meant by it where the hunks need that.

    None where that has not the characters of lines that the file should have: then they are not meant in it.
    """
    shown = "\n".join(line for hunk in hunks for line in hunk.old())
    able = [name for name in names if bytes_of(shown, name) is not None]
    if not able:
        return None
    name = next((name for name in able if bytes_of(text, name) is not None), able[0])
    return Document(document.data, name)


def _added(hunks: list[Hunk]) -> str:
    return "".join(line for hunk in hunks for line in hunk.lines if line[0] == "+")


def _other_than_ascii(text: str) -> list[str]:
    """The runs of characters of a line that are not ASCII; one may be a space of another kind."""
    return [run for run in "".join(" " if char.isascii() else char for char in text).split(" ") if run]


def _telling(runs: set[str]) -> list[str]:
    """Those of the runs that are the likeliest to be in the file as they are: letters, and many of them."""
    return sorted(runs, key=lambda run: (not run.isalpha(), -len(run), run))[:_MOST_RUNS]


def _has_any(data: bytes, runs: list[str], name: str) -> bool:
    return any((written := bytes_of(run, name)) is not None and written in data for run in runs)
