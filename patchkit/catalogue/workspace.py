"""P3xx and P4xx: workspace, policy, input and output."""

from __future__ import annotations

from patchkit.catalogue.sentences import (
    Variant,
    conflict,
    failed,
    input_output,
    internal,
    not_found,
    policy,
    recovery,
    refused,
    timed_out,
)

ENTRIES = {
    "P301": policy(
        "outside-workspace",
        "path '{file}' is outside the workspace '{root}'",
        "use a path inside the workspace, or set '--root' to a directory that contains it; nothing was written",
        program="use a path inside the workspace, or pass a root that contains it; nothing was written",
        model="use a path inside the workspace; nothing was written",
    ),
    "P302": not_found(
        "file-not-found",
        "file '{file}' does not exist",
        "check the path{suggestion}; nothing was written",
        Variant("since", advice="send a patch for the files as they are now: it was {since}; nothing was written"),
        Variant("other_start", person="check the path{suggestion}, or {other_start}; nothing was written"),
    ),
    "P303": conflict(
        "file-exists",
        "cannot add '{file}': it already exists",
        "change it with '*** Update File: {file}', or replace it with '--overwrite'; nothing was written",
        Variant(
            "edit_format",
            "unified",
            person="write '--- a/{file}' in place of '--- /dev/null', or replace it with '--overwrite'"
            "; nothing was written",
            program="write '--- a/{file}' in place of '--- /dev/null', or pass overwrite=True; nothing was written",
            model="write '--- a/{file}' in place of '--- /dev/null'; nothing was written",
        ),
        Variant(
            "edit_format",
            "openai-ops",
            person="send it as 'update_file', or replace it with '--overwrite'; nothing was written",
            program="send it as 'update_file', or pass overwrite=True; nothing was written",
            model="send it as 'update_file'; nothing was written",
        ),
        program="change it with '*** Update File: {file}', or pass overwrite=True; nothing was written",
        model="change it with '*** Update File: {file}', or replace it: '*** Delete File: {file}' and "
        "'*** Add File: {file}' in one patch; nothing was written",
    ),
    "P304": conflict(
        "move-target-exists",
        "cannot move '{source}' to '{file}': it already exists",
        "choose another name, delete '{file}' first, or use '--overwrite'; nothing was written",
        Variant("directory", advice="choose another name, or delete '{file}' first; nothing was written"),
        program="choose another name, delete '{file}' first, or pass overwrite=True; nothing was written",
        model="choose another name, or delete '{file}' first; nothing was written",
    ),
    "P305": refused(
        "is-directory",
        "'{file}' is a directory",
        "give a file in it; nothing was written",
        Variant(
            "held",
            sentence="'{file}' is a directory that holds '{held}'",
            advice="give a file in it, or delete or move all files in it first; nothing was written",
        ),
        Variant(
            "whole",
            person="give a file in it, or delete all of it with '--recursive'; nothing was written",
            advice="give a file in it, or delete all of it with recursive; nothing was written",
        ),
        kind="IS_DIRECTORY",
    ),
    "P306": policy(
        "not-regular-file", "'{file}' is a {type}, not a regular file", "give a regular file; nothing was written"
    ),
    "P307": policy(
        "link-leaves-workspace",
        "'{file}' is a symbolic link to '{target}', which {fate}",
        "give the path of a real file inside the workspace; nothing was written",
    ),
    "P308": conflict(
        "write-through-link",
        "cannot write '{file}': a symbolic link with that name exists, and new files are not written through links",
        "delete the link first, or update the file that it points to; nothing was written",
    ),
    "P309": refused(
        "invalid-file-name", "'{file}' is not a valid file name: {reason}", "use another name; nothing was written"
    ),
    "P310": refused(
        "parent-is-file",
        "'{file}' cannot exist: '{parent}' is a file, not a directory",
        "use another path, or move or delete '{parent}' first; nothing was written",
    ),
    "P311": conflict(
        "changed-meanwhile",
        "'{file}' was changed by another process while the patch was being applied",
        "read it again and send the patch again; nothing was written",
    ),
    "P312": policy(
        "unusable-root",
        "cannot use the workspace root '{root}': {reason}",
        "give an existing directory with '--root' or PATCHKIT_ROOT",
        program="pass an existing directory as the root",
        model="ask the person to name the workspace of this server; nothing was written",
    ),
    "P313": conflict(
        "ambiguous-name",
        "both '{file}' and '{other}' exist, and the name in the patch has spaces around it",
        "write the name without the spaces, or rename one of the files; nothing was written",
    ),
    "P314": conflict(
        "move-of-link",
        "cannot move '{file}': it is a symbolic link to '{target}', and a patch moves only files",
        "use the path of the link's target, or move the link with a shell command; nothing was written",
    ),
    "P315": timed_out(
        "workspace-locked",
        "the workspace '{root}' has been locked by another patchkit run for {seconds} s",
        "wait until that run ends, or stop it, then send the patch again; nothing was written",
    ),
    "P316": failed(
        "cannot-lock",
        "cannot lock the workspace '{root}': {reason}",
        "use a workspace on a file system that supports locks; nothing was written",
    ),
    "P317": refused(
        "owner-not-kept",
        "'{file}' belongs to {owner}, and the new file cannot be given to that owner",
        "run as that user, or allow the change with '--allow-owner-change'; nothing was written",
        program="run as that user, or pass allow_owner_change=True; nothing was written",
        model="ask the person to run this as that user; nothing was written",
        kind="PERMISSION_DENIED",
    ),
    "P318": policy(
        "inside-version-control",
        "'{file}' is inside '{part}', which a patch may not change",
        "change it with its own tool, or allow it with '--allow-vcs'; nothing was written",
        program="change it with its own tool, or pass allow_vcs=True; nothing was written",
        model="change it with its own tool; nothing was written",
    ),
    "P319": refused("not-directory", "'{file}' is not a directory", "give a directory, or read the path as a file"),
    "P321": not_found(
        "nothing-to-undo",
        "nothing to {verb} in '{root}'",
        "list the runs of this workspace with 'patchkit log'",
        program="apply with history=True first: only recorded runs can be undone",
        model="change something first: only what these tools or apply_patch have changed can be undone",
    ),
    "P322": not_found(
        "unknown-run",
        "no run '{run}' in the history of '{root}'",
        "choose a run that 'patchkit log' lists",
        program="pass the id of a recorded run of this root, or no id for the latest run",
        model="leave the id out to undo what was changed last; nothing was written",
    ),
    "P323": conflict(
        "changed-since-run",
        "cannot {verb} run {run}: '{file}' has changed since",
        "undo the newer change first, or edit the file by hand; nothing was written",
        Variant("newer", advice="undo run {newer} first, which changed it; nothing was written"),
    ),
    "P324": conflict(
        "run-not-reversible",
        "cannot {verb} run {run}: {reason}",
        "restore the files from your version control; nothing was written",
    ),
    "P325": conflict(
        "run-in-that-state",
        "run {run} is already {state}",
        "use 'patchkit {other} {run}' to reverse that; nothing was written",
        program="choose another run; nothing was written",
    ),
    "P326": not_found(
        "start-not-found",
        "the directory '{start}' given with '-C' {reason}",
        "give an existing directory inside the workspace; nothing was written",
    ),
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
