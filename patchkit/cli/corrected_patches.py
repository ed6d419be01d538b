"""The corrected patches that `check --fix` writes, each beside the patch that it is for.

Takes a Report; writes new files and says so in it. A file that is there is never replaced, and a patch stays refused:
a person, or the next run, takes the corrected one.
"""

from __future__ import annotations

import os

from patchkit.errors import Note, PatchkitError
from patchkit.report.checked import CheckedPatch, Report
from patchkit.workspace.directories import reason

_SUFFIX = ".corrected"


def write_corrected(report: Report, fix: str) -> None:
    """Writes the corrected patches of a report: those that are certain, with 'likely' the others, too."""
    for patch in report.refused:
        if patch.suggestion is not None and (patch.certainty == "certain" or fix == "likely"):
            try:
                patch.corrected = _write(patch, patch.suggestion)
            except PatchkitError as error:
                error.facts["read_only"] = True
                patch.errors.append(error)
            else:
                patch.notes.append(Note("P946", file=patch.corrected, certainty=patch.certainty))


def corrected_name(patch: CheckedPatch) -> str:
    """The file for a corrected patch: 'fix.patch' gets 'fix.corrected.patch'."""
    stem, ending = os.path.splitext(patch.name)
    return f"{stem}{_SUFFIX}{'.patch' if patch.foreign else ending}"


def _write(patch: CheckedPatch, text: str) -> str:
    """Writes a new file and returns its name; one that has this text already is left as it is."""
    name = corrected_name(patch)
    data = text.encode("utf-8", "surrogateescape")
    try:
        with open(name, "xb") as file:
            file.write(data)
    except FileExistsError:
        if os.path.isdir(name) or not _holds(name, data):
            raise PatchkitError("P224", file=name) from None
    except OSError as error:
        raise PatchkitError("P225", file=name, reason=reason(error)) from None
    return name


def _holds(name: str, data: bytes) -> bool:
    try:
        with open(name, "rb") as file:
            return file.read(len(data) + 1) == data
    except OSError:
        return False
