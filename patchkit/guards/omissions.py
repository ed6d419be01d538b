"""Added lines that are not code: in place of what a patch leaves out, or with the numbers of a listing.

Takes the new text of a file or of a hunk, and the old text of the file; gives the refusal of a new text with such a
line, where the old one has none. Nothing expands it: it would replace the code that it leaves out.
"""

from __future__ import annotations

from patchkit.core.changes.splice import Replacement
from patchkit.core.language import Hunk
from patchkit.core.text import Document
from patchkit.errors import PatchkitError
from patchkit.guards.placeholders import listed_line, placeholder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def refuse_omission(new: bytes, old: Sequence[bytes | memoryview]) -> None:
    """Raises where a new text has a line in place of code, or is a listing, and the old text, in pieces, is not so."""
    texts = new.decode("utf-8", "surrogateescape"), b"".join(old).decode("utf-8", "surrogateescape")
    numbered = listed_line(*texts)
    found = numbered or placeholder(*texts)
    if found:
        raise PatchkitError("P218", found=found, numbered=bool(numbered))


def omissions(
    document: Document, hunks: list[Hunk], made: list[Replacement], ends: list[int]
) -> list[tuple[int, PatchkitError]]:
    """The hunks that add such a line, by number from 0, each with its refusal; `ends` are as many as hunks.

    `made` are the replacements of all hunks, those of hunk n up to the one with number `ends[n]`.
    """
    found: list[tuple[int, PatchkitError]] = []
    for number, (start, stop) in enumerate(zip([0, *ends], ends)):
        try:
            refuse_omission(b"".join([each.new for each in made[start:stop]]), [document.data])
        except PatchkitError as error:
            error.facts["patch_line"] = _line_of(error.facts["found"], hunks[number])
            found.append((number, error))
    return found


def _line_of(found: object, hunk: Hunk) -> int:
    """The line of the patch that adds the text `found`."""
    rows = [row for row, line in enumerate(hunk.lines) if line[0] == "+" and line[1:].strip() == found]
    return hunk.body_line + rows[0] if rows else hunk.line
