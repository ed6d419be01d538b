"""Who made a change: the line of the audit log that a run belongs to.

Takes what is known of runs (when, which paths) and the recorded calls; gives the call of each run. A call is recorded
when it is over, soon after its run; both name the same paths. Where no log is kept there is no answer.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from patchkit.policy.audit import Recorded

_LATER = timedelta(seconds=5)  # beyond the time that the call took


def calls_of(runs: list[tuple[str, int, set[str]]], calls: list[Recorded]) -> dict[str, Recorded]:
    """The call of each run, by the run's id; a run is its id, its time in nanoseconds and its paths."""
    changing = [call for call in calls if call.status != "error" and call.tool not in ("undo", "redo")]
    found: dict[str, Recorded] = {}
    taken: set[int] = set()
    for run_id, moment, paths in runs:
        at = datetime.fromtimestamp(moment / 1e9, UTC)
        fitting = [
            call for call in changing if id(call) not in taken and _is_in_time(call, at) and paths <= set(call.about)
        ]
        if fitting:
            found[run_id] = min(fitting, key=lambda call: abs(call.time - at))
            taken.add(id(found[run_id]))
    return found


def _is_in_time(call: Recorded, at: datetime) -> bool:
    took = call.data.get("duration_ms")
    lasted = timedelta(milliseconds=took) if isinstance(took, int) else timedelta()
    return call.time - lasted - timedelta(seconds=1) <= at <= call.time + _LATER
