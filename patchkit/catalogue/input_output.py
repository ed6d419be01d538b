"""P4xx: input and output."""

from __future__ import annotations

from patchkit.catalogue.entry import Entry

ENTRIES = {
    "P401": Entry(
        "EXECUTION_ERROR",
        "cannot read '{file}': {reason}",
        "give yourself read access and try again; nothing was written",
    ),
    "P402": Entry(
        "EXECUTION_ERROR",
        "cannot write '{file}': {reason}",
        "fix the cause and try again; all files are unchanged",
    ),
    "P403": Entry(
        "EXECUTION_ERROR",
        "cannot read the patch: {reason}",
        "send the patch on standard input, or give it as the only argument",
    ),
    "P404": Entry(
        "EXECUTION_ERROR",
        "writing failed ('{file}': {reason}) and could not be rolled back for: {left}",
        "fix the cause, run 'patchkit recover' and compare these files with your version control",
    ),
    "P405": Entry(
        "EXECUTION_ERROR",
        "not enough memory for this patch and its files",
        "split the patch, or give the process more memory; nothing was written",
    ),
    "P406": Entry(
        "EXECUTION_ERROR",
        "stopped by {signal} before it finished",
        "run it again; all files are unchanged",
    ),
    "P499": Entry(
        "INTERNAL_ERROR",
        "internal error in patchkit: {reason}",
        "report this with the patch that caused it; all files are unchanged unless stated above",
    ),
}
