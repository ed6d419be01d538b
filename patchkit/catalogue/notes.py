"""P9xx: notes."""

from __future__ import annotations

from patchkit.catalogue.entry import Entry

ENTRIES = {
    "P901": Entry("", "ignored text outside the patch (line {patch_line}): {found_short}"),
    "P902": Entry("", "ignored blank lines between parts of the patch (line {patch_line})"),
    "P903": Entry("", "took off the heredoc around the patch (line {patch_line}): {found_short}"),
    "P904": Entry("", "took off the Markdown fence around the patch (line {patch_line})"),
    "P905": Entry("", "ignored the byte order mark at the start of the patch"),
    "P906": Entry("", "read {found_short} as '{meant}' (line {patch_line})"),
    "P907": Entry("", "read a blank line without its sign as an empty line (line {patch_line})"),
    "P908": Entry("", "took off the indentation of the whole patch (line {patch_line})"),
    "P909": Entry("", "read CRLF line ends of the patch as plain ones"),
    "P910": Entry("", "ignored the unified file header (line {patch_line})"),
    "P911": Entry("", "read the unified header as a hint (line {patch_line}): {found_short}"),
    "P912": Entry(
        "", "no '*** End Patch', but the text around the patch is closed, so nothing is missing (line {patch_line})"
    ),
    "P913": Entry("", "took the patch out of a JSON tool call"),
    "P914": Entry("", "read literal backslash-n as line ends"),
    "P915": Entry("", "joined a further '*** Begin Patch' envelope to the first (line {patch_line})"),
    "P916": Entry("", "ignored an '*** End of File' marker that says nothing here (line {patch_line})"),
    "P917": Entry("", "read a line without its sign as context (line {patch_line}): {found_short}"),
    "P918": Entry("", "read the indented last line as '*** End Patch'"),
    "P919": Entry("", "read lines of the new file '{file}' without their plus as its text (line {patch_line})"),
    "P921": Entry("", "hunk {hunk} of '{file}' (line {patch_line}) fits at line {line} by pass '{pass_name}'"),
    "P922": Entry(
        "",
        "hunk {hunk} of '{file}' (line {patch_line}): no anchor '{anchor}', but the lines fit line {line} only",
    ),
    "P923": Entry(
        "", "hunk {hunk} of '{file}' (line {patch_line}): anchor '{anchor}' taken as the beginning of line {line}"
    ),
    "P924": Entry("", "hunk {hunk} of '{file}' (line {patch_line}): added lines take the file's indentation"),
    "P925": Entry("", "hunk {hunk} of '{file}' (line {patch_line}): only blank lines follow it at the end of the file"),
    "P926": Entry("", "hunks of '{file}' are not in the file's order; each fits one place only"),
    "P927": Entry(
        "",
        "hunk {hunk} of '{file}' (line {patch_line}): anchor '{anchor}' found below the scope above it (line {line})",
    ),
    "P928": Entry(
        "", "hunk {hunk} of '{file}' (line {patch_line}): turned {rewrite} in its lines back into what they stand for"
    ),
    "P936": Entry(
        "",
        "hunk {hunk} of '{file}' (line {patch_line}): lines without a sign are {kind} like those around: {found_short}",
    ),
    "P937": Entry(
        "",
        "hunk {hunk} of '{file}' (line {patch_line}): of {count} places line {line}, nearest below the context hunk",
    ),
    "P938": Entry(
        "", "hunk {hunk} of '{file}' (line {patch_line}): ignored blank lines that it shows behind the end of the file"
    ),
    "P929": Entry("", "'{file}' already has what {what} would make: left as it is"),
    "P931": Entry("", "dropped blanks at the ends of the name '{file}'"),
    "P932": Entry("", "'{file}' had {count} hard links; the other names keep the old content"),
    "P941": Entry("", "finished a run that was interrupted ({count} files)"),
    "P942": Entry("", "cleaned up after a run that was interrupted"),
    "P943": Entry("", "set aside a journal that cannot be read: '{file}'"),
    "P945": Entry("", "a run that was interrupted had changed everything; changed again by somebody since: {foreign}"),
    "P944": Entry("", "undid a run that was interrupted; left alone, because somebody changed them since: {foreign}"),
    "P934": Entry("", "read '{file}' as {encoding}: it is not UTF-8 and does not say what it is"),
    "P933": Entry("", "nothing was written: every file already is what the patch asks for"),
    # -- P95x: reading, writing, editing -------------------------------------------------------------
    "P950": Entry("", "pages {first} to {last} of '{file}' are not shown; go on with: {next}"),
    "P951": Entry("", "lines {first} to {last} of '{file}' are not shown; go on with: {next}"),
    "P952": Entry("", "line {line} of '{file}' is cut by {missing} characters{others}; to see them: {next}"),
    "P953": Entry("", "'{file}' has bytes that are no UTF-8, from line {line} on shown as '\ufffd'"),
    "P954": Entry("", "'{file}' was changed by somebody since it was last seen in this session"),
    "P955": Entry("", "'{file}' will count as unread, because nothing can be written down: {reason}"),
    "P956": Entry("", "{what} fits '{file}' at line {line} by pass '{pass_name}'"),
    "P957": Entry(
        "", "{what} has a line that looks like a placeholder, and it was written as it stands: {found_short}"
    ),
    "P958": Entry("", "'{file}' was {before} and is {after} now"),
    "P959": Entry("", "'{file}' is no notebook that can be read as cells; shown as the text it is"),
    # -- P96x: search --------------------------------------------------------------------------------
    "P961": Entry("", "some names hold characters that cannot be shown; they are written with escapes"),
    # -- P97x: exec ----------------------------------------------------------------------------------
    "P971": Entry("", "the command left a process running in the background; what it writes is no longer read"),
    "P972": Entry("", "the whole output could not be kept: {reason}"),
    "P973": Entry(
        "", "of {size} bytes of output the first {kept} and the last {tail} were kept, and what is between them is gone"
    ),
    "P974": Entry("", "nothing was run; the option 'no_intercept' leaves the call of 'apply_patch' to the shell"),
    # -- P98x: check, policy -------------------------------------------------------------------------
    "P985": Entry("", "this call is not in the audit log '{file}': {reason}"),
    "P986": Entry("", "lines of the audit log that cannot be read, and are left out: {count}"),
}
