"""P9xx: notes."""

from __future__ import annotations

from patchkit.catalogue.entry import Entry

ENTRIES = {
    "P901": Entry("", "ignored text outside the patch (line {patch_line}): {found_short}"),
    "P902": Entry("", "ignored blank lines between parts of the patch (line {patch_line})"),
    "P903": Entry("", "removed the heredoc around the patch (line {patch_line}): {found_short}"),
    "P904": Entry("", "removed the Markdown fence around the patch (line {patch_line})"),
    "P905": Entry("", "ignored the byte order mark at the start of the patch"),
    "P906": Entry("", "read {found_short} as '{meant}' (line {patch_line})"),
    "P907": Entry("", "read a blank line without a leading sign as an empty line (line {patch_line})"),
    "P908": Entry("", "removed the indentation of the whole patch (line {patch_line})"),
    "P909": Entry("", "read CRLF line endings of the patch as LF"),
    "P910": Entry("", "ignored the unified diff file header (line {patch_line})"),
    "P911": Entry("", "read the unified diff hunk header as a hint (line {patch_line}): {found_short}"),
    "P912": Entry(
        "", "no '*** End Patch', but the text around the patch is complete, so nothing is missing (line {patch_line})"
    ),
    "P913": Entry("", "extracted the patch from a JSON tool call"),
    "P914": Entry("", "read literal '\\n' as line endings"),
    "P915": Entry("", "merged another '*** Begin Patch' envelope into the first (line {patch_line})"),
    "P916": Entry("", "ignored an '*** End of File' marker that has no effect here (line {patch_line})"),
    "P917": Entry("", "read a line without a leading sign as context (line {patch_line}): {found_short}"),
    "P918": Entry("", "read the indented last line as '*** End Patch'"),
    "P921": Entry("", "hunk {hunk} of '{file}' (line {patch_line}) matched at line {line} {tolerance}"),
    "P922": Entry(
        "",
        "hunk {hunk} of '{file}' (line {patch_line}): anchor '{anchor}' not found, lines match only at line {line}",
    ),
    "P923": Entry(
        "", "hunk {hunk} of '{file}' (line {patch_line}): anchor '{anchor}' matched the beginning of line {line}"
    ),
    "P924": Entry("", "hunk {hunk} of '{file}' (line {patch_line}): added lines were re-indented to match the file"),
    "P925": Entry(
        "", "hunk {hunk} of '{file}' (line {patch_line}): matched at the end of the file, before blank lines"
    ),
    "P926": Entry("", "hunks of '{file}' are not in the order of the file; each matches only one place"),
    "P927": Entry(
        "",
        "hunk {hunk} of '{file}' (line {patch_line}): anchor '{anchor}' found below the scope above it (line {line})",
    ),
    "P928": Entry("", "hunk {hunk} of '{file}' (line {patch_line}): matched after {undone}"),
    "P929": Entry("", "skipped, because it is already applied to '{file}': {what}"),
    "P931": Entry("", "ignored spaces around the name '{file}'"),
    "P932": Entry("", "'{file}' had {count} hard links; the other links keep the old content"),
    "P941": Entry("", "completed an interrupted run ({count} files)"),
    "P942": Entry("", "cleaned up after an interrupted run"),
    "P943": Entry("", "set aside an unreadable journal: '{file}'"),
    "P945": Entry("", "an interrupted run had changed all its files; changed again since: {foreign}"),
    "P944": Entry("", "rolled back an interrupted run; not restored, because they were changed since: {foreign}"),
    "P934": Entry("", "read '{file}' as {encoding}: it is not UTF-8 and declares no encoding"),
    "P933": Entry("", "nothing was written: every file already has the content that the patch gives it"),
    # -- P95x: reading, writing, editing -------------------------------------------------------------
    "P950": Entry("", "pages {first} to {last} of '{file}' are not shown; continue with: {next}"),
    "P951": Entry("", "lines {first} to {last} of '{file}' are not shown; continue with: {next}"),
    "P952": Entry("", "line {line} of '{file}' is cut, {missing} characters are missing{others}; to see them: {next}"),
    "P953": Entry("", "'{file}' has bytes that are not UTF-8; from line {line} on they are shown as '\ufffd'"),
    "P954": Entry("", "'{file}' has changed since this session last read or wrote it"),
    "P955": Entry("", "'{file}' will count as unread, because this read could not be recorded: {reason}"),
    "P956": Entry("", "{what} matched '{file}' at line {line} {tolerance}"),
    "P957": Entry("", "{what} has a line that looks like a placeholder; it was written unchanged: {found_short}"),
    "P958": Entry("", "'{file}' was {before} and is now {after}"),
    "P959": Entry("", "'{file}' is not a valid notebook; its text is shown instead of cells"),
    # -- P96x: search --------------------------------------------------------------------------------
    "P961": Entry("", "some names contain unprintable characters; they are shown as escapes"),
    # -- P97x: exec ----------------------------------------------------------------------------------
    "P971": Entry("", "the command left a process running in the background; its output is no longer read"),
    "P972": Entry("", "the full output could not be saved: {reason}"),
    "P973": Entry("", "of {size} bytes of output, only the first {kept} and the last {tail} were saved"),
    "P974": Entry("", "nothing was run; to let the shell run 'apply_patch', set the option 'no_intercept'"),
    # -- P98x: check, policy -------------------------------------------------------------------------
    "P985": Entry("", "this call is not in the audit log '{file}': {reason}"),
    "P986": Entry("", "unreadable lines of the audit log, skipped: {count}"),
}
