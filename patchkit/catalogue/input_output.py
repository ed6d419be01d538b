"""P4xx: input and output."""

from __future__ import annotations

from patchkit.catalogue.entry import input_output, internal, recovery

ENTRIES = {
    "P401": input_output(
        "EXECUTION_ERROR",
        "cannot read '{file}': {reason}",
        "give yourself read access and try again; nothing was written",
    ),
    "P402": input_output(
        "EXECUTION_ERROR",
        "cannot write '{file}': {reason}",
        "fix the cause and try again; all files are unchanged",
    ),
    "P403": input_output(
        "EXECUTION_ERROR",
        "cannot read the patch: {reason}",
        "send the patch on standard input, or give it as the only argument",
    ),
    "P404": recovery(
        "EXECUTION_ERROR",
        "writing failed ('{file}': {reason}) and could not be rolled back for: {left}",
        "fix the cause, run 'patchkit recover' and compare these files with your version control",
    ),
    "P405": input_output(
        "EXECUTION_ERROR",
        "not enough memory for this patch and its files",
        "split the patch, or give the process more memory; nothing was written",
    ),
    "P406": input_output(
        "EXECUTION_ERROR",
        "stopped by {signal} before it finished",
        "run it again; all files are unchanged",
    ),
    "P499": internal(
        "INTERNAL_ERROR",
        "internal error in patchkit: {reason}",
        "report this with the patch that caused it; all files are unchanged unless stated above",
    ),
}
