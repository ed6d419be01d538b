"""Blocks around calls of the system: a handle that is closed behind them, and what the system refuses as our error.

For what runs a few times: in a loop over thousands of files a `try` is cheaper.
"""

from __future__ import annotations

from patchkit.core.workspace import close
from patchkit.errors import PatchkitError, reason


class OpenHandle:
    """A handle that is closed at the end of a block."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def __enter__(self) -> int:
        return self._handle

    def __exit__(self, *_: object) -> None:
        close(self._handle)


class ReportedAs:
    """Has what the system refuses inside raised as an error of ours, with the system's own words as the `reason`."""

    def __init__(self, code: str, **facts: object) -> None:
        self._code, self._facts = code, facts

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _where: object) -> None:
        if isinstance(error, OSError):
            raise PatchkitError(self._code, **self._facts, reason=reason(error)) from None
