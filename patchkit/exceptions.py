"""The classes of errors that a caller of the library can catch, one for each family of codes.

Loaded with the first name that a program takes from `patchkit`. The commands do without them: they go by the code.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError


class PatchSyntaxError(PatchkitError, codes="P1"):
    """P1xx: the text is not a patch."""


class PlacingError(PatchkitError, codes="P2"):
    """P2xx: a hunk has no place in its file, or more than one."""


class WorkspaceError(PatchkitError, codes="P3"):
    """P3xx: a path or a file is not as the patch needs it, or may not be touched."""


class InputOutputError(PatchkitError, codes="P4"):
    """P4xx: reading or writing failed."""


class UsageError(PatchkitError, codes="P60"):
    """P60x: an argument is not one that the call accepts."""
