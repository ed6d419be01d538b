"""P4xx: input and output."""

from __future__ import annotations

from patchkit.catalogue.entry import Entry

ENTRIES = {
    "P401": Entry(
        "EXECUTION_ERROR",
        "cannot read '{file}': {reason}",
        "make it readable for you, then try again; nothing was written",
    ),
    "P402": Entry(
        "EXECUTION_ERROR",
        "cannot write '{file}': {reason}",
        "remove the cause and try again; everything is as it was",
    ),
    "P403": Entry(
        "EXECUTION_ERROR", "cannot read the patch: {reason}", "pipe the patch in or give it as the only argument"
    ),
    "P404": Entry(
        "EXECUTION_ERROR",
        "writing failed ('{file}': {reason}) and could not be undone for: {left}",
        "remove the cause, run 'patchkit recover' and compare these files with your version control",
    ),
    "P405": Entry(
        "EXECUTION_ERROR",
        "not enough memory for this patch and its files",
        "split the patch, or give the process more memory; nothing was written",
    ),
    "P406": Entry(
        "EXECUTION_ERROR",
        "stopped by {signal} before it was done",
        "run it again when you like; everything is as it was",
    ),
    "P499": Entry(
        "INTERNAL_ERROR",
        "patchkit failed in a way it should not: {reason}",
        "please report this with the patch that caused it; everything is as it was unless stated above",
    ),
}
