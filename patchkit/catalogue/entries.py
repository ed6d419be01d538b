"""All rows of the catalogue by their codes, for what lists or compares them."""

from __future__ import annotations

from patchkit.catalogue import input_output, language, matching, notes, shell, tools, workspace
from patchkit.catalogue.entry import CatalogueEntry

ENTRIES: dict[str, CatalogueEntry] = {
    **language.ENTRIES,
    **matching.ENTRIES,
    **workspace.ENTRIES,
    **input_output.ENTRIES,
    **shell.ENTRIES,
    **tools.ENTRIES,
    **notes.ENTRIES,
}
