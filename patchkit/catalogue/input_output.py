"""P4xx: input and output."""

from __future__ import annotations

from patchkit.catalogue.entry import Variant, input_output, internal, recovery

ENTRIES = {
    "P401": input_output(
        "cannot-read",
        "cannot read '{file}': {reason}",
        "give yourself read access and try again; nothing was written",
        Variant("of_client", person="correct the file and try again; nothing was written"),
        Variant("reason", "no such file or directory", advice="check the name of the file; nothing was written"),
        Variant("reason", "is a directory", advice="name a file in the directory; nothing was written"),
    ),
    "P402": input_output(
        "cannot-write", "cannot write '{file}': {reason}", "fix the cause and try again; all files are unchanged"
    ),
    "P403": input_output(
        "cannot-read-patch",
        "cannot read the patch: {reason}",
        "send the patch on standard input, or give it as the only argument",
        program="pass the patch as text or bytes",
    ),
    "P404": recovery(
        "not-rolled-back",
        "writing failed ('{file}': {reason}) and could not be rolled back for: {left}",
        "fix the cause, run 'patchkit recover' and compare these files with your version control",
        program="fix the cause, call begin() on the workspace again and compare these files with your version control",
    ),
    "P405": input_output(
        "out-of-memory",
        "not enough memory for this patch and its files",
        "split the patch, or give the process more memory; nothing was written",
    ),
    "P406": input_output(
        "stopped-by-signal",
        "stopped by {signal} before it finished",
        "run it again; all files are unchanged",
        Variant("before", advice="run it again with the patches that are left; nothing of them was written"),
    ),
    "P499": internal(
        "internal-error",
        "internal error in patchkit: {reason}",
        "report this with the patch that caused it; all files are unchanged unless stated above",
    ),
}
