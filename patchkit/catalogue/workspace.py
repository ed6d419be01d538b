"""P3xx: workspace and policy."""

from __future__ import annotations

from patchkit.catalogue.entry import Entry

ENTRIES = {
    "P301": Entry(
        "ACCESS_DENIED",
        "path '{file}' leaves the workspace '{root}'",
        "use a path inside the workspace, or '--root' on a directory that contains it; nothing was written",
    ),
    "P302": Entry("NOT_FOUND", "file '{file}' does not exist", "check the path{suggestion}; nothing was written"),
    "P303": Entry(
        "CONFLICT",
        "cannot add '{file}': it exists already",
        "change it with '*** Update File: {file}', or allow it with '--overwrite'; nothing was written",
    ),
    "P304": Entry(
        "CONFLICT",
        "cannot move '{source}' to '{file}': it exists already",
        "choose another name, delete '{file}' in an earlier section, or use '--overwrite'; nothing was written",
    ),
    "P305": Entry("IS_DIRECTORY", "'{file}' is a directory", "name a file in it; nothing was written"),
    "P306": Entry(
        "ACCESS_DENIED",
        "'{file}' is no regular file but a {type}",
        "name a regular file; nothing was written",
    ),
    "P307": Entry(
        "ACCESS_DENIED",
        "'{file}' is a symbolic link to '{target}', which {fate}",
        "name the real file inside the workspace; nothing was written",
    ),
    "P308": Entry(
        "CONFLICT",
        "cannot write '{file}': a symbolic link of that name exists, and new files never go through links",
        "delete the link in an earlier section, or update the file it points to; nothing was written",
    ),
    "P309": Entry(
        "INVALID_PARAM", "'{file}' is no possible file name: {reason}", "use another name; nothing was written"
    ),
    "P310": Entry(
        "INVALID_PARAM",
        "'{file}' cannot exist: '{parent}' is a file, not a directory",
        "use another path, or move or delete '{parent}' in an earlier section; nothing was written",
    ),
    "P311": Entry(
        "CONFLICT",
        "'{file}' was changed by someone else while the patch was being applied",
        "read it again and send the patch again; nothing was written",
    ),
    "P312": Entry(
        "ACCESS_DENIED",
        "workspace root '{root}' cannot be used: {reason}",
        "give an existing directory with '--root'",
    ),
    "P313": Entry(
        "CONFLICT",
        "both '{file}' and '{other}' exist, and the patch writes the name with blanks at its ends",
        "write the name without the blanks, or rename one of the files; nothing was written",
    ),
    "P314": Entry(
        "CONFLICT",
        "cannot move '{file}': it is a symbolic link to '{target}', and a patch moves files only",
        "name the file that the link leads to, or move the link with your shell; nothing was written",
    ),
    "P315": Entry(
        "TIMEOUT",
        "another patchkit run has held the workspace '{root}' for {seconds} s",
        "wait for it to end, or end it, then send the patch again; nothing was written",
    ),
    "P316": Entry(
        "EXECUTION_ERROR",
        "the workspace '{root}' cannot be locked: {reason}",
        "use a workspace on a file system that knows locks; nothing was written",
    ),
    "P317": Entry(
        "PERMISSION_DENIED",
        "'{file}' belongs to {owner}, and the new file could not be given to them",
        "run as that user, or allow the change with '--allow-owner-change'; nothing was written",
    ),
    "P318": Entry(
        "ACCESS_DENIED",
        "'{file}' lies inside '{part}', which a patch may not change",
        "leave it to its own tool, or allow it with '--allow-vcs'; nothing was written",
    ),
    "P319": Entry("INVALID_PARAM", "'{file}' is not a directory", "name a directory, or read it as a file"),
    "P321": Entry("NOT_FOUND", "nothing to {verb} in '{root}'", "see what was applied here with 'patchkit log'"),
    "P322": Entry(
        "NOT_FOUND", "no run '{run}' in the history of '{root}'", "choose one of those that 'patchkit log' lists"
    ),
    "P323": Entry(
        "CONFLICT",
        "cannot {verb} {run}: '{file}' was changed since",
        "take the newer change back first, or edit the file by hand; nothing was written",
    ),
    "P324": Entry(
        "CONFLICT",
        "cannot {verb} {run}: {reason}",
        "restore the files from your version control; nothing was written",
    ),
    "P325": Entry(
        "CONFLICT",
        "run {run} is {state} already",
        "use 'patchkit {other} {run}' to take that back; nothing was written",
    ),
}
