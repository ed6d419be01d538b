"""The file that a call names, and what to say when there is none."""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.tools.calling import Call
from patchkit.workspace.reading import nearest_names


def path_of(call: Call) -> str:
    """The path as the caller spells it; an empty one names nothing."""
    path = call.text("file_path")
    if not path.strip():
        raise PatchkitError("P603", field="file_path", given=f"'{path}'", allowed="the path of a file")
    return path


def with_suggestion(call: Call, path: str, error: PatchkitError) -> PatchkitError:
    """The error; where it is about a path without a file, with the names that may have been meant."""
    if error.code in ("P302", "P310"):
        names = nearest_names(call.files, path)
        quoted = " or ".join(f"'{name}'" for name in names)
        error.facts.update(data={"suggestions": names}, suggestion=f" (did you mean {quoted}?)" if names else "")
    return error
