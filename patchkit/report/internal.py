"""Defects of ours as errors like any other: one sentence, no traceback."""

from __future__ import annotations

from patchkit.errors import PatchkitError


def as_error(error: BaseException) -> PatchkitError:
    """Returns a P499 that names the exception and the line of ours it came from."""
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    place = f" at {where.tb_frame.f_code.co_filename.rpartition('/')[2]}:{where.tb_lineno}" if where is not None else ""
    if isinstance(error, MemoryError):
        return PatchkitError("P405")
    return PatchkitError("P499", reason=f"{type(error).__name__}: {error}{place}")
