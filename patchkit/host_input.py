"""What a host gives to the library, and how its errors are worded.

Takes text, bytes or a Patch, and a directory, a mapping or any `Files`; gives what the packages below work with.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from patchkit.changes.options import Options
from patchkit.changes.sources import Files, MemoryFiles
from patchkit.errors import PatchkitError
from patchkit.language.lenience import unwrap
from patchkit.language.model import Patch
from patchkit.language.parser import decode
from patchkit.language.wrapping import refuse_half_characters
from patchkit.language.writer import write
from patchkit.workspace.history.observing import tracked_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    Root = str | os.PathLike[str] | Mapping[str, bytes] | Files


def text_of(patch: str | bytes) -> str:
    if isinstance(patch, str):
        if not patch.isascii():
            refuse_half_characters(patch)
        return patch
    if isinstance(patch, bytes):
        return decode(patch)
    raise PatchkitError("P601", option="patch", given=type(patch).__name__, allowed="str, bytes or Patch")


def patch_of(patch: str | bytes | Patch, options: Options) -> str | Patch:
    """The patch as it was given; one that is to be taken back or carried over is read as text."""
    if not isinstance(patch, Patch):
        return text_of(patch)
    if options.strip is not None:
        raise PatchkitError("P601", option="strip", given=options.strip, allowed="None: a Patch has its paths")
    options.source = ""  # which a Patch is in no other
    return write(patch) if options.reverse or options.base is not None else patch


def files_of(root: Root, start: str | os.PathLike[str] | None, option: str = "root") -> Files:
    if isinstance(root, (str, os.PathLike)):
        return tracked_workspace(root, start)
    if start is not None:
        raise PatchkitError("P601", option="start", given=os.fspath(start), allowed="None: only a directory has it")
    if isinstance(root, Mapping):
        return MemoryFiles(root)
    if hasattr(root, "find") and hasattr(root, "commit"):
        return root
    allowed = "a directory, a mapping of paths to bytes, or an object of patchkit.Files"
    raise PatchkitError("P601", option=option, given=type(root).__name__, allowed=allowed)


def for_library(error: PatchkitError, patch: str | bytes | Patch | None = None, strict: bool = False) -> PatchkitError:
    """The error with words for a program, and with the text that its line numbers count in."""
    text = _quotable(patch, strict)
    for each in error.errors:
        each.for_library = True
        each.patch = text
        if each.code == "P601":
            option = str(each.facts.get("option")).replace("-", "_")
            each.facts["option"] = "from_format" if option == "from" else option
    return error


def _quotable(patch: str | bytes | Patch | None, strict: bool) -> str | None:
    try:
        text = decode(patch) if isinstance(patch, bytes) else patch if isinstance(patch, str) else None
        return unwrap(text).text if text is not None and not strict else text
    except PatchkitError:
        return patch if isinstance(patch, str) else None
