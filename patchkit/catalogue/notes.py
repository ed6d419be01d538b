"""P9xx: notes."""

from __future__ import annotations

from patchkit.catalogue.entry import note

ENTRIES = {
    "P901": note("ignored text outside the patch (line {patch_line}): {found_short}"),
    "P902": note("ignored blank lines between parts of the patch (line {patch_line})"),
    "P903": note("removed the heredoc around the patch (line {patch_line}): {found_short}"),
    "P904": note("removed the Markdown fence around the patch (line {patch_line})"),
    "P905": note("ignored the byte order mark at the start of the patch"),
    "P906": note("read {found_short} as '{meant}' (line {patch_line})"),
    "P907": note("read a blank line without a leading sign as an empty line (line {patch_line})"),
    "P908": note("removed the indentation of the whole patch (line {patch_line})"),
    "P909": note("read CRLF line endings of the patch as LF"),
    "P910": note("ignored the unified diff file header (line {patch_line})"),
    "P911": note("read the unified diff hunk header as a hint (line {patch_line}): {found_short}"),
    "P912": note(
        "no '*** End Patch', but the text around the patch is complete, so nothing is missing (line {patch_line})"
    ),
    "P913": note("extracted the patch from a JSON tool call"),
    "P914": note("read literal '\\n' as line endings"),
    "P915": note("merged another '*** Begin Patch' envelope into the first (line {patch_line})"),
    "P916": note("ignored an '*** End of File' marker that has no effect here (line {patch_line})"),
    "P917": note("read a line without a leading sign as context (line {patch_line}): {found_short}"),
    "P918": note("read the indented last line as '*** End Patch'"),
    "P919": note("read lines of the new file '{file}' without their plus as its text (line {patch_line})"),
    "P920": note("no line closes the heredoc ('{delimiter}'); the patch in it is whole"),
    "P921": note("hunk {hunk} of '{file}' (line {patch_line}) matched at line {line} {tolerance}"),
    "P922": note(
        "hunk {hunk} of '{file}' (line {patch_line}): anchor '{anchor}' not found, lines match only at line {line}",
    ),
    "P923": note("hunk {hunk} of '{file}' (line {patch_line}): anchor '{anchor}' matched the beginning of line {line}"),
    "P924": note("hunk {hunk} of '{file}' (line {patch_line}): added lines were re-indented to match the file"),
    "P925": note("hunk {hunk} of '{file}' (line {patch_line}): matched at the end of the file, before blank lines"),
    "P926": note("hunks of '{file}' are not in the order of the file; each matches only one place"),
    "P927": note(
        "hunk {hunk} of '{file}' (line {patch_line}): anchor '{anchor}' found below the scope above it (line {line})",
    ),
    "P928": note("hunk {hunk} of '{file}' (line {patch_line}): matched after {undone}"),
    "P930": note("hunk {hunk} of '{file}' (line {patch_line}) changes nothing: its lines are at line {line}"),
    "P935": note(
        "hunk {hunk} of '{file}' (line {patch_line}) changes nothing: what it gives is at line {line}, with other "
        "whitespace or typography than it removes"
    ),
    "P936": note(
        "hunk {hunk} of '{file}' (line {patch_line}): lines without a sign are {kind} like those around: {found_short}"
    ),
    "P937": note(
        "hunk {hunk} of '{file}' (line {patch_line}): of {count} places line {line}, nearest below the context hunk"
    ),
    "P938": note(
        "hunk {hunk} of '{file}' (line {patch_line}): {deed} blank lines that it shows behind the end of the file"
    ),
    "P940": note(
        "hunk {hunk} of '{file}' (line {patch_line}): of {count} places line {line}, where the patch adds '{name}'"
    ),
    "P939": note("the patch was refused ({refusal}); its correction is applied instead ({certainty})"),
    "P929": note("skipped, because it is already applied to '{file}': {what}"),
    "P931": note("ignored spaces around the name '{file}'"),
    "P932": note("'{file}' had {count} hard links; the other links keep the old content"),
    "P941": note("completed an interrupted run ({count} files)"),
    "P942": note("cleaned up after an interrupted run"),
    "P943": note("set aside an unreadable journal: '{file}'"),
    "P945": note("an interrupted run had changed all its files; changed again since: {foreign}"),
    "P944": note("rolled back an interrupted run; not restored, because they were changed since: {foreign}"),
    "P946": note("the corrected patch is in '{file}' ({certainty})"),
    "P934": note("read '{file}' as {encoding}: it is not UTF-8 and declares no encoding"),
    "P933": note("nothing was written: every file already has the content that the patch gives it"),
    # -- P95x: reading, writing, editing -------------------------------------------------------------
    "P950": note("pages {first} to {last} of '{file}' are not shown; continue with: {next}"),
    "P951": note("lines {first} to {last} of '{file}' are not shown; continue with: {next}"),
    "P952": note("line {line} of '{file}' is cut, {missing} characters are missing{others}; to see them: {next}"),
    "P953": note("'{file}' has bytes that are not UTF-8; from line {line} on they are shown as '\ufffd'"),
    "P954": note("'{file}' has changed since this session last read or wrote it"),
    "P955": note("'{file}' will count as unread, because this read could not be recorded: {reason}"),
    "P956": note("{what} matched '{file}' at line {line} {tolerance}"),
    "P957": note("{what} has a line that looks like a placeholder; it was written unchanged: {found_short}"),
    "P958": note("'{file}' was {before} and is now {after}"),
    "P959": note("'{file}' is not a valid notebook; its text is shown instead of cells"),
    "P960": note("{what} is whole lines of '{file}': their line ending was removed with them"),
    # -- P96x: search --------------------------------------------------------------------------------
    "P961": note("some names contain unprintable characters; they are shown as escapes"),
    "P966": note("the grammar has {count} of the {total} lines of '{file}': the others {why}"),
    # -- P96x: sandbox -------------------------------------------------------------------------------
    "P963": note(
        "no rule allows writing in the workspace, so the command could write only to its own temporary directory; "
        'allow it with \'write."**" = "allow"\' under [permissions] in a trusted .patchkit.toml'
    ),
    "P964": note("the sandbox ({layer}) does not keep everything: {lacks}"),
    "P965": note("made in the sandbox although the rules forbid it: {files}"),
    # -- P97x: exec ----------------------------------------------------------------------------------
    "P971": note("the command left a process running in the background; its output is no longer read"),
    "P972": note("the full output could not be saved: {reason}"),
    "P973": note("of {size} bytes of output, only the first {kept} and the last {tail} were saved"),
    "P974": note("nothing was run; to let the shell run 'apply_patch', set the option 'no_intercept'"),
    "P975": note("resumed: {rows} rows of '{file}' are done already"),
    "P976": note("the rename of '{file}' to '{target}' is written as a deletion and a new file{mode}"),
    "P977": note(
        "hunk {hunk} of '{file}' (line {patch_line}): line {line}, the only place in '{anchor}' as a grammar reads it "
        "(lines {first} to {last})"
    ),
    # -- P98x: check, policy -------------------------------------------------------------------------
    "P962": note("this run was not recorded ({reason}), and cannot be undone; see '{directory}'"),
    "P968": note("calls of a person are not recorded here, those of agents are {agents}; '[audit]' changes that"),
    "P985": note("this call is not in the audit log '{file}': {reason}"),
    "P986": note("unreadable lines of the audit log, skipped: {count}"),
    "P987": note("rules in '{file}' that allow something do not count until you trust them: run 'patchkit trust'"),
    "P967": note("'{file}' has new syntax errors after this patch (line {places})"),
    # -- P98x, P99x: other edit formats ----------------------------------------------------------------
    "P982": note("'{file}' has conflicts between markers: {count}"),
    "P988": note("merged the patch into '{file}' with what changed there since the base"),
    "P983": note("left out, because a patch cannot say it: {what}; to do it: {command}"),
    "P984": note("the patch does not say that the final newline of '{file}' changes"),
    "P989": note("'{file}' is a copy of '{source}': its whole text is added"),
    "P980": note(
        "the last line of the text has no line ending, and was taken as whole (line {patch_line}): {found_short}"
    ),
    "P981": note("took the lines of '{file}' that {found_short} replaces"),
    "P990": note("read the text as {format}"),
    "P991": note(
        "the line counts of a hunk header differ from its lines, which were taken (line {patch_line}): {found_short}"
    ),
    "P992": note("read a hunk header without line numbers (line {patch_line}): {found_short}"),
    "P993": note("read a line of a diff without a leading sign as context (line {patch_line}): {found_short}"),
    "P994": note("only one side of a diff has a prefix, and it was removed: '{found}' and '{other}'"),
    "P995": note("ignored text around the edits (line {patch_line}): {found_short}"),
    "P996": note("an edit names no file; took '{file}', as the one before (line {patch_line})"),
    "P997": note("read {found_short} as the path '{file}' (line {patch_line})"),
    "P998": note("skipped, because it changes nothing in '{file}': {what}"),
    "P999": note("ignored what a patch cannot say: {what}"),
}
