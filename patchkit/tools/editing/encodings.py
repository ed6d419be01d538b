"""The encoding of a file that a tool changes or shows, where that is not plainly UTF-8.

Takes what a call names and what the settings files of the workspace say; the decision is that of `text.encodings`, as
it is for patches. The tools load this only for such files.
"""

from __future__ import annotations

from patchkit.core.text import Document
from patchkit.core.text.encodings import EncodingReader, settled, usable
from patchkit.errors import Note, PatchkitError
from patchkit.globs.conventions import Conventions
from patchkit.shown_encoding import likeliest
from patchkit.tools.declaration import ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.text.encodings import Attempt

UNDECLARED = "it is not UTF-8 and declares no encoding"


def named_in(call: ToolCall) -> str | None:
    """The encoding that a call names, by its usual name; None for none."""
    given = call.text("encoding")
    if not given:
        return None
    known = usable(given)
    if known is None:
        allowed = "gbk, shift_jis, cp1252, latin-1, or another encoding that keeps ASCII as it is"
        raise PatchkitError("P603", field="encoding", given=given, allowed=allowed)
    return known


def setting_for(call: ToolCall, name: str) -> str:
    """The encoding that `.editorconfig` files name for a file, by its name from the root; '' for none."""
    return Conventions(call.files.settings).charset(name)


def document_for(
    call: ToolCall, path: str, name: str, document: Document, shown: str, added: str, attempt: Attempt
) -> Document:
    """What `Target.document` promises, for the file of this path in the call and this name from the root."""
    named = named_in(call)
    setting = setting_for(call, name)
    try:
        if shown.isascii() and added.isascii():
            return settled(document, named, setting) or _guessed(document)
        reader = EncodingReader(named, setting, attempt)
        found = reader.read(document, shown.split("\n") if shown else [], added)
    except PatchkitError as error:
        error.facts["file"] = path
        raise
    if reader.guessed:
        call.notes.append(Note("P934", file=path, encoding=found.encoding, reason=UNDECLARED))
    return found


def document_to_show(call: ToolCall, name: str, document: Document) -> tuple[Document, str]:
    """A file in the encoding that it is shown in, and why; the file as it is where no encoding fits."""
    named = named_in(call)
    found = settled(document, named, setting_for(call, name))
    if found is not None:
        return found, "the call says so" if named else "the file or its settings say so"
    return _guessed(document), UNDECLARED


def _guessed(document: Document) -> Document:
    """A file of no certain encoding, to be shown, or for a change of ASCII characters: these are the same in all.

    In some a byte of ASCII can be the second half of a character as well, where it is not the one that is meant.
    """
    name = likeliest(document.data)
    return Document(document.data, name) if name is not None else document
