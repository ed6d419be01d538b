"""What a call may ask of the proof of its change; most ask for nothing, and then `proving` is not loaded."""

from __future__ import annotations

from patchkit.core.changes import FILES, Options
from patchkit.policy import settings_files
from patchkit.tools.declaration import ToolCall, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.policy.deeds import Deed, Deeds
    from patchkit.report.result import Json

_ABOUT = {
    "format": f"Commands that format the changed files; '{FILES}' is the place of their names",
    "verify": "Commands that must succeed after the change; if one fails, the change is taken back",
}
PROOF: Json = {
    **{name: field("array", about, items={"type": "string"}) for name, about in _ABOUT.items()},
    "verify_timeout": field("integer", "Seconds that each of these commands may run", minimum=1),
}


def prove(call: ToolCall, options: Options) -> None:
    """Has the change of a call proved by what its arguments and the settings ask for."""
    options.format, options.verify = tuple(call.get("format", ())), tuple(call.get("verify", ()))
    options.verify_timeout = call.number("verify_timeout", options.verify_timeout)
    if options.format or options.verify or options.commit is not None or settings_files(call.files.real):
        from patchkit.tools.proving import prepare

        prepare(call, options)


def proof_deeds(deeds: Deeds, arguments: Json, changes: list[Deed]) -> list[Deed]:
    """What the commands of a call, and those of the settings for the files of its changes, would do."""
    asks = arguments.get("format") or arguments.get("verify") or arguments.get("commit") is not None
    if arguments.get("check") or not (asks or settings_files(deeds.files.real)):
        return []
    from patchkit.tools.proving import deeds_of_proof

    options = Options(format=tuple(arguments.get("format", ())), verify=tuple(arguments.get("verify", ())))
    options.commit = arguments.get("commit")
    return deeds_of_proof(deeds, options, changes)
