"""The lines that tell which files changed, to the byte what Codex prints."""

from __future__ import annotations

from patchkit.changes.model import Section

APPLIED = "Success. Updated the following files:\n"
CHECKED = "Patch applies. It would update the following files:\n"


def summary(sections: list[Section], checked: bool = False) -> str:
    """Added, then modified, then deleted files, each in the patch's order and spelling."""
    lines = [
        f"{letter} {_bare(section.path)}\n" for letter in "AMD" for section in sections if section.letter == letter
    ]
    return (CHECKED if checked else APPLIED) + "".join(lines)


def _bare(path: str) -> str:
    return path.strip(" \t")
