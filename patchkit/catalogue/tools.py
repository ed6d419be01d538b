"""P6xx: tools."""

from __future__ import annotations

from patchkit.catalogue.entry import Entry

ENTRIES = {
    # -- calls -----------------------------------------------------------------------------------
    "P601": Entry("INVALID_PARAM", "{option} cannot be '{given}'", "use one of: {allowed}"),
    "P602": Entry("INVALID_PARAM", "there is no tool '{tool}'", "use one of: {allowed}"),
    "P603": Entry("INVALID_PARAM", "'{field}' cannot be {given}", "give {allowed}"),
    "P604": Entry(
        "INVALID_PARAM",
        "'{field}' is given twice, as '{other}' too, with another value",
        "give one of the two",
    ),
    "P605": Entry("INVALID_PARAM", "there is no field '{field}'", "give {allowed}"),
    "P606": Entry("INVALID_PARAM", "'{field}' is missing", "give {allowed}"),
    "P607": Entry(
        "INVALID_PARAM", "the arguments are no JSON: {reason}", "give one JSON object, for example '{example}'"
    ),
    # -- P61x: reading, writing, editing ------------------------------------------------------------
    # -- P62x: edits
    # -- P63x: ls, glob, grep
    # -- P64x: exec, intercept, hook
    # -- P65x: settings, permissions, audit
}
