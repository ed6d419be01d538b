"""What only the whole patch and the whole workspace can tell about its refusal.

Takes a plan that could not be finished and its errors; adds facts to them: what a missing path may have meant, in which
other file of the patch the lines of a lost hunk stand, that a file is in an encoding nobody named. Never raises.
"""

from __future__ import annotations

from patchkit.changes.elsewhere import Lost, look_elsewhere
from patchkit.changes.meant import names_like
from patchkit.changes.model import Plan
from patchkit.errors import PatchkitError
from patchkit.language.model import UpdateFile
from patchkit.matching.model import Policy
from patchkit.matching.near import Budget

_MOST_NAMES = 20_000  # read to find out what a misspelt path means
_MOST_STRAYS = 20  # paths of a run that are worth that question


def explain(plan: Plan, errors: list[PatchkitError], policy: Policy) -> None:
    """Adds to the errors what can be found out about them."""
    faults = [each for error in errors for each in error.errors]
    _name_what_was_meant(plan, [each for each in faults if each.code == "P302"])
    lost: Lost = {(each.file, each.hunk, each.patch_line): each for each in faults if each.code == "P201"}
    if lost:
        _tell_of_encodings(plan, lost)
        look_elsewhere(plan, lost, policy.budget if isinstance(policy.budget, Budget) else Budget())


def _name_what_was_meant(plan: Plan, strays: list[PatchkitError]) -> None:
    listing = getattr(plan.files, "names", None)
    names: list[str] | None = None
    for error in strays[:_MOST_STRAYS]:
        where = _why_missing(plan, str(error.file))
        if where:
            error.facts["suggestion"] = f" ({where})"
            continue
        if names is None:
            names = listing(_MOST_NAMES) if listing is not None else []
        near = names_like(str(error.file), names)
        if near:
            words = " or ".join(f"'{name}'" for name in near)
            error.facts.update(suggestion=f" (perhaps {words})", near_names=near)


def _why_missing(plan: Plan, path: str) -> str:
    """Why nothing stands at a path, where that is known."""
    try:
        entry = plan.files.find(path, True)  # type: ignore[attr-defined]
    except PatchkitError:
        return ""
    if entry.target:
        return f"it is a link to '{entry.target}', and nothing is there"
    change = plan.changes.get(entry.name)
    return "another section deletes or moves the file" if change is not None and change.after is None else ""


def _tell_of_encodings(plan: Plan, lost: Lost) -> None:
    """Marks lost hunks whose characters may stand in the file in an encoding that nobody named."""
    for section in plan.sections:
        document = section.document
        if not isinstance(section.op, UpdateFile) or document is None or document.charset or document.bom:
            continue
        path, hunks = section.op.path, section.op.hunks
        in_doubt = [
            lost[path, number, hunk.line]
            for number, hunk in enumerate(hunks, 1)
            if (path, number, hunk.line) in lost and not "".join(hunk.old()).isascii()
        ]
        if in_doubt and not _is_utf8(document.data):
            for error in in_doubt:
                error.facts["unread"] = True


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
