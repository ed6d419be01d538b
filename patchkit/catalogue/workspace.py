"""P3xx: workspace and policy."""

from __future__ import annotations

from patchkit.catalogue.entry import policy, refused

ENTRIES = {
    "P301": policy(
        "ACCESS_DENIED",
        "path '{file}' is outside the workspace '{root}'",
        "use a path inside the workspace, or set '--root' to a directory that contains it; nothing was written",
    ),
    "P302": refused("NOT_FOUND", "file '{file}' does not exist", "check the path{suggestion}; nothing was written"),
    "P303": refused(
        "CONFLICT",
        "cannot add '{file}': it already exists",
        "change it with '*** Update File: {file}', or replace it with '--overwrite'; nothing was written",
    ),
    "P304": refused(
        "CONFLICT",
        "cannot move '{source}' to '{file}': it already exists",
        "choose another name, delete '{file}' in an earlier section, or use '--overwrite'; nothing was written",
    ),
    "P305": refused("IS_DIRECTORY", "'{file}' is a directory", "give a file in it; nothing was written"),
    "P306": policy(
        "ACCESS_DENIED",
        "'{file}' is a {type}, not a regular file",
        "give a regular file; nothing was written",
    ),
    "P307": policy(
        "ACCESS_DENIED",
        "'{file}' is a symbolic link to '{target}', which {fate}",
        "give the path of a real file inside the workspace; nothing was written",
    ),
    "P308": refused(
        "CONFLICT",
        "cannot write '{file}': a symbolic link with that name exists, and new files are not written through links",
        "delete the link in an earlier section, or update the file that it points to; nothing was written",
    ),
    "P309": refused(
        "INVALID_PARAM", "'{file}' is not a valid file name: {reason}", "use another name; nothing was written"
    ),
    "P310": refused(
        "INVALID_PARAM",
        "'{file}' cannot exist: '{parent}' is a file, not a directory",
        "use another path, or move or delete '{parent}' in an earlier section; nothing was written",
    ),
    "P311": refused(
        "CONFLICT",
        "'{file}' was changed by another process while the patch was being applied",
        "read it again and send the patch again; nothing was written",
    ),
    "P312": policy(
        "ACCESS_DENIED",
        "cannot use the workspace root '{root}': {reason}",
        "give an existing directory with '--root'",
    ),
    "P313": refused(
        "CONFLICT",
        "both '{file}' and '{other}' exist, and the name in the patch has spaces around it",
        "write the name without the spaces, or rename one of the files; nothing was written",
    ),
    "P314": refused(
        "CONFLICT",
        "cannot move '{file}': it is a symbolic link to '{target}', and a patch moves only files",
        "use the path of the link's target, or move the link with a shell command; nothing was written",
    ),
    "P315": refused(
        "TIMEOUT",
        "the workspace '{root}' has been locked by another patchkit run for {seconds} s",
        "wait until that run ends, or stop it, then send the patch again; nothing was written",
    ),
    "P316": refused(
        "EXECUTION_ERROR",
        "cannot lock the workspace '{root}': {reason}",
        "use a workspace on a file system that supports locks; nothing was written",
    ),
    "P317": refused(
        "PERMISSION_DENIED",
        "'{file}' belongs to {owner}, and the new file cannot be given to that owner",
        "run as that user, or allow the change with '--allow-owner-change'; nothing was written",
    ),
    "P318": policy(
        "ACCESS_DENIED",
        "'{file}' is inside '{part}', which a patch may not change",
        "change it with its own tool, or allow it with '--allow-vcs'; nothing was written",
    ),
    "P319": refused("INVALID_PARAM", "'{file}' is not a directory", "give a directory, or read the path as a file"),
    "P326": refused(
        "NOT_FOUND",
        "the directory '{start}' given with '-C' {reason}",
        "give an existing directory inside the workspace; nothing was written",
    ),
    "P321": refused(
        "NOT_FOUND", "nothing to {verb} in '{root}'", "list the runs of this workspace with 'patchkit log'"
    ),
    "P322": refused("NOT_FOUND", "no run '{run}' in the history of '{root}'", "choose a run that 'patchkit log' lists"),
    "P323": refused(
        "CONFLICT",
        "cannot {verb} run {run}: '{file}' has changed since",
        "undo the newer change first, or edit the file by hand; nothing was written",
    ),
    "P324": refused(
        "CONFLICT",
        "cannot {verb} run {run}: {reason}",
        "restore the files from your version control; nothing was written",
    ),
    "P325": refused(
        "CONFLICT",
        "run {run} is already {state}",
        "use 'patchkit {other} {run}' to reverse that; nothing was written",
    ),
}
