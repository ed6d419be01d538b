"""What every tool returns: the Result of `report.result`, under the name that tools import it by."""

from patchkit.report.result import Result, error_data, failure, note_data

__all__ = ["Result", "error_data", "failure", "note_data"]
