"""P6xx: tools."""

from __future__ import annotations

from patchkit.catalogue.entry import Entry

ENTRIES = {
    "P601": Entry("INVALID_PARAM", "{option} cannot be '{given}'", "use one of: {allowed}"),
}
