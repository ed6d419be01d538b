"""The classes of errors that a caller of the library can catch, one for each family of codes.

Takes an error as a package raises it; gives it as the library does. The commands do without these: they go by the code.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError


class PatchSyntaxError(PatchkitError):
    """P1xx: the text is not a patch."""


class PlacingError(PatchkitError):
    """P2xx: a hunk has no place in its file, or more than one."""


class WorkspaceError(PatchkitError):
    """P3xx: a path or a file is not as the patch needs it, or may not be touched."""


class InputOutputError(PatchkitError):
    """P4xx: reading or writing failed."""


class UsageError(PatchkitError):
    """P60x: an argument is not one that the call accepts."""


_CLASSES = {"P1": PatchSyntaxError, "P2": PlacingError, "P3": WorkspaceError, "P4": InputOutputError, "P60": UsageError}


def of_its_class(error: PatchkitError) -> PatchkitError:
    """The error as one of the class that follows from its code."""
    kind = _CLASSES.get(error.code[:2]) or _CLASSES.get(error.code[:3]) or PatchkitError
    if type(error) is kind:
        return error
    made = kind(error.code, **error.facts).with_traceback(error.__traceback__)
    made.__dict__.update(error.__dict__)
    return made
