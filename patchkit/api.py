"""The library's front door: parse, plan and apply, as a host program calls them.

A guest in the host's process: no signal handler, no change of working directory, no output.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping

from patchkit.changes.apply import Applied, Options
from patchkit.changes.apply import apply as _apply
from patchkit.changes.model import Plan
from patchkit.changes.planner import plan as _plan
from patchkit.changes.sources import MemoryFiles
from patchkit.errors import PatchkitError
from patchkit.language.model import Patch
from patchkit.language.parser import decode
from patchkit.language.parser import parse as _parse
from patchkit.language.wrapping import refuse_half_characters
from patchkit.workspace.root import Workspace

Files = str | os.PathLike[str] | MutableMapping[str, bytes]


def parse(patch: str | bytes, *, strict: bool = False) -> Patch:
    """Returns the patch that a text says."""
    return _parse(_text(patch), strict)


def plan(
    patch: str | bytes | Patch,
    files: Files = ".",
    *,
    start: str | os.PathLike[str] | None = None,
    strict: bool = False,
    overwrite: bool = False,
    dialect: str = "safe",
    **more: object,
) -> Plan:
    """Returns what the patch would do to a root directory, or to a mapping of paths to bytes.

    Nothing is written until `commit` is called on the plan.
    """
    options = Options(strict=strict, overwrite=overwrite, dialect=dialect, **more).checked()
    parsed = patch if isinstance(patch, Patch) else parse(patch, strict=strict)
    made = _plan(parsed, _source(files, start), options.rules())
    made.notes[:0] = parsed.notes
    return made


def apply(
    patch: str | bytes,
    root: Files = ".",
    *,
    start: str | os.PathLike[str] | None = None,
    check: bool = False,
    strict: bool = False,
    overwrite: bool = False,
    dialect: str = "safe",
    **more: object,
) -> Applied:
    """Applies the patch under a root directory, or to a mapping: all of it, or PatchkitError and nothing."""
    options = Options(check=check, strict=strict, overwrite=overwrite, dialect=dialect, **more).checked()
    files = _source(root, start)
    try:
        return _apply(_text(patch), files, options)
    finally:
        if isinstance(files, Workspace):
            files.close()


def make_patch(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str:
    """Returns the text of the patch that turns one mapping of paths to bytes into another."""
    from patchkit.changes.making import make_patch as make
    from patchkit.language.writer import write

    return write(make(before, after))


def _text(patch: str | bytes) -> str:
    if isinstance(patch, str):
        if not patch.isascii():
            refuse_half_characters(patch)
        return patch
    if isinstance(patch, bytes):
        return decode(patch)
    raise PatchkitError("P601", option="patch", given=type(patch).__name__, allowed="str or bytes")


def _source(files: Files, start: str | os.PathLike[str] | None) -> MemoryFiles | Workspace:
    if isinstance(files, MutableMapping):
        return MemoryFiles(files)  # type: ignore[arg-type]
    return Workspace(files, start)
