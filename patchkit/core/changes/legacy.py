"""Read a file in the encoding that the hunks of a section are to be placed and written in.

Takes the bytes of a file that is not plainly UTF-8 and the hunks for it, some with other than ASCII characters; gives
the Document to place them in. What counts as certain is decided in `text.encodings`; here is how hunks are tried.
"""

from __future__ import annotations

from patchkit.core.changes import Options, replacements, splice
from patchkit.core.language import HashedUpdate, Hunk, UpdateFile
from patchkit.core.matching import Match, WorkBudget
from patchkit.core.matching.locate import locate
from patchkit.core.matching.passes import allows
from patchkit.core.matching.tolerant import may_fit
from patchkit.core.text import Document
from patchkit.core.text.encodings import EncodingReader
from patchkit.errors import PatchkitError


def blob_id(data: bytes) -> str:
    """The id that git gives a content."""
    from hashlib import sha1  # it takes as long to load as all that is ours in a small run

    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


_MOST = "typography"
_MOST_TRIED = 20_000  # hunks that are placed in one encoding after the other; of more it has to be named


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
        blob = op.blob if isinstance(op, HashedUpdate) and options.encoding is None else ""
        if blob and blob_id(document.data).startswith(blob):
            return document  # git made the section for these bytes, and compares bytes
        added = "\n".join(line[1:] for hunk in hunks for line in hunk.lines if line[0] == "+")
        shown = [line for hunk in hunks for line in hunk.old()]
        hopeless = added.isascii() and not may_fit(document, hunks)  # in any encoding: words of ASCII are not there

        def attempt(each: Document, tolerance: str) -> bytes | None:
            if len(hunks) > _MOST_TRIED and not hopeless:
                reason = f"more than {_MOST_TRIED:,} hunks would be placed in one encoding after the other"
                raise PatchkitError(
                    "P117", file=op.path, reason=reason, instead="name the encoding, or send it in parts"
                )
            return None if hopeless else self._outcome(each, hunks, self._tolerances[tolerance])

        reader = EncodingReader(options.encoding, setting, attempt)
        found = reader.read(document, shown, added, strict=options.strict, back=options.reverse)
        self.guessed = reader.guessed
        return found

    def _outcome(self, document: Document, hunks: list[Hunk], options: Options) -> bytes | None:
        """The file after the hunks, None when they do not all have their place in it."""
        results = locate(document, hunks, options)
        if not all(isinstance(each, Match) or (self._options.forward and each.code == "P205") for each in results):
            return None
        made = [new for each in results if isinstance(each, Match) for new in replacements(document, each)]
        return b"".join(document.file_bytes(splice(document, made)))
