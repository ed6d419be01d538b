"""What every tool returns: the Result of `report.result`, under the name that tools import it by."""

from __future__ import annotations

from patchkit.report.result import Result, error_data, failure, note_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.result import Json as Json

__all__ = ["Result", "error_data", "failure", "note_data"]
