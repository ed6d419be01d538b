"""Hunks without a place, as errors. Loaded when there is one."""

from __future__ import annotations

from patchkit.errors import Note, PatchkitError
from patchkit.language.model import Hunk
from patchkit.matching.miss import Miss


def unforgiven(note: Note, line: int) -> Miss:
    """A hunk that has its place, but not without what a note tells of, for a caller who wants nothing forgiven."""
    return Miss("P213", [line], what=note.message, line=line + 1)


def fault(miss: Miss, hunk: Hunk, place: dict[str, object]) -> PatchkitError:
    """A hunk without a place, as an error that knows where in the patch its trouble starts."""
    error = PatchkitError(miss.code, **{**miss.facts, **place})
    error.facts["candidates"] = [line + 1 for line in miss.candidates]
    near = miss.facts.get("near")
    if near is not None:
        rows = [row for row, line in enumerate(hunk.lines) if line[0] != "+"]
        error.facts["differs_at"] = hunk.body_line + rows[near.index]  # type: ignore[attr-defined]
    return error
