"""Where relative paths start: whether the directory of '-C' exists.

Takes what '-C' gives; raises where it is not a directory. Without this a wrong directory would look like missing files.
"""

from __future__ import annotations

import os

from patchkit.errors import PatchkitError


def check_start(start: str | None) -> None:
    """Raises P326 unless `start` is a directory; one outside the workspace is refused by the workspace itself."""
    if start is None or os.path.isdir(start or "."):
        return
    reason = "is not a directory" if os.path.lexists(start) else "does not exist"
    raise PatchkitError("P326", start=start, reason=reason)
