"""All rows of the catalogue by their codes, for what lists or compares them."""

from __future__ import annotations

from patchkit.catalogue import language, matching, notes, shell, tools, workspace
from patchkit.catalogue.sentences import CatalogueEntry

ENTRIES: dict[str, CatalogueEntry] = {
    **language.ENTRIES,
    **matching.ENTRIES,
    **workspace.ENTRIES,
    **shell.ENTRIES,
    **tools.ENTRIES,
    **notes.ENTRIES,
}


def code_of(name: str) -> str | None:
    """The code of a name, in any case and with spaces or underscores for its hyphens."""
    wanted = "-".join(name.lower().replace("_", " ").replace("-", " ").split())
    return next((code for code, row in ENTRIES.items() if row.name == wanted), None)
