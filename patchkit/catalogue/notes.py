"""P9xx: notes. A note for several things has a sentence for each, by a fact that JSON has too."""

from __future__ import annotations

from patchkit.catalogue.sentences import CatalogueEntry, Variant, note

_HUNK = "hunk {hunk} of '{file}' (line {patch_line})"

ENTRIES = {
    # -- reading a patch or another edit format ------------------------------------------------------
    "P901": note(
        "lenient-reading",
        "accepted a deviation from the format: {lenience} (line {patch_line})",
        by="lenience",
        byte_order_mark="ignored the byte order mark at the start of the patch",
        json="extracted the patch from a JSON tool call",
        literal_newlines="read literal '\\n' as line endings",
        carriage_returns="read CRLF line endings of the patch as LF",
        indented="removed the indentation of the whole patch (line {patch_line})",
        marker_spelling="read {found_short} as '{meant}' (line {patch_line})",
        several_envelopes="merged another '*** Begin Patch' envelope into the first (line {patch_line})",
        heredoc="removed the heredoc around the patch (line {patch_line}): {found_short}",
        open_heredoc="no line closes the heredoc ('{delimiter}'); the patch in it is whole",
        fence="removed the Markdown fence around the patch (line {patch_line})",
        outside_text="ignored text outside the patch (line {patch_line}): {found_short}",
        indented_end="read the indented last line as '*** End Patch'",
        no_end_marker="no '*** End Patch', but the text around the patch is complete, so nothing is missing "
        "(line {patch_line})",
        idle_end_of_file="ignored an '*** End of File' marker that has no effect here (line {patch_line})",
        empty_hunk="ignored an '@@' that has no lines (line {patch_line})",
        missing_sign="read a line without a leading sign as context (line {patch_line}): {found_short}",
        missing_plus="read lines of the new file '{file}' without their plus as its text (line {patch_line})",
        bare_blank="read a blank line without a leading sign as an empty line (line {patch_line})",
        blank_between="ignored blank lines between parts of the patch (line {patch_line})",
        unified_hunk_header="read the unified diff hunk header as a hint (line {patch_line}): {found_short}",
        unified_file_header="ignored the unified diff file header (line {patch_line})",
        spaces_around_name="ignored spaces around the name '{file}'",
        hunk_counts="the line counts of a hunk header differ from its lines, which were taken (line {patch_line}): "
        "{found_short}",
        no_line_numbers="read a hunk header without line numbers (line {patch_line}): {found_short}",
        unended_line="the last line of the text has no line ending, and was taken as whole (line {patch_line}): "
        "{found_short}",
        one_prefix="only one side of a diff has a prefix, and it was removed: '{found}' and '{other}'",
        no_file_name="an edit names no file; took '{file}', as the one before (line {patch_line})",
        block_cut="the lines of '{file}' show how a block is cut, whose markers do not (line {patch_line})",
        path_spelling="read {found_short} as the path '{file}' (line {patch_line})",
    ),
    # -- finding the place of a hunk -------------------------------------------------------------------
    "P921": CatalogueEntry(
        "inexact-match",
        "",
        _HUNK + " matched{at_line} {how}",
        variants=(Variant("what", sentence="{what} matched '{file}' at line {line} {how}"),),
        by="tolerance",
    ),
    "P922": note(
        "anchor-read-otherwise",
        _HUNK + ": anchor '{anchor}' is not a line above the place ({anchor_match})",
        by="anchor_match",
        none=_HUNK + ": anchor '{anchor}' not found, lines match only at line {line}",
        prefix=_HUNK + ": anchor '{anchor}' matched the beginning of line {line}",
        after=_HUNK + ": anchor '{anchor}' found below the scope above it (line {line})",
        above=_HUNK + ": anchor '{anchor}' (line {line}) is right above the definition that the hunk begins with",
    ),
    "P924": note("re-indented", _HUNK + ": added lines were re-indented to match the file"),
    "P925": note(
        "blank-lines-at-end",
        _HUNK + ": matched at the end of the file, blank lines aside",
        by="blank_lines",
        in_file=_HUNK + ": matched at the end of the file, before blank lines",
        in_hunk=_HUNK + ": {deed} blank lines that it shows behind the end of the file",
    ),
    "P926": note(
        "hunks-out-of-order", "hunks of '{file}' are not in the order of the file; each matches only one place"
    ),
    "P929": note(
        "skipped-edit",
        "skipped in '{file}': {what}",
        by="why",
        applied="skipped, because it is already applied to '{file}': {what}",
        no_change="skipped, because it changes nothing in '{file}': {what}",
        not_there="skipped, because it changes nothing and '{file}' does not have its text: {what}",
    ),
    "P930": note(
        "hunk-changes-nothing",
        _HUNK + " changes nothing: its lines are at line {line}",
        by="differs",
        whitespace=_HUNK + " changes nothing: what it gives is at line {line}, with other whitespace or typography "
        "than it removes",
    ),
    "P932": note("hard-links", "'{file}' had {count} hard links; the other links keep the old content"),
    "P933": note("nothing-written", "nothing was written: every file already has the content that the patch gives it"),
    "P934": note("assumed-encoding", "read '{file}' as {encoding}: {reason}"),
    "P936": note("signs-from-neighbours", _HUNK + ": lines without a sign are {kind} like those around: {found_short}"),
    "P937": note(
        "chosen-place",
        _HUNK + ": of {count} places line {line}, chosen by evidence ({evidence})",
        by="evidence",
        context_above=_HUNK + ": of {count} places line {line}, nearest below the context hunk",
        open_block=_HUNK + ": of {count} places line {line}, where the block ends that the hunk above opens",
        line_number=_HUNK + ": line {line}, the place nearest to line {number} that its header names",
        first_line=_HUNK + ": line {line}, though its header says that it begins the file",
        new_name=_HUNK + ": of {count} places line {line}, where the patch adds '{name}'",
        made_elsewhere=_HUNK + ": line {line}; what it makes there is at line {other} already",
        made_here="{what} is in '{file}' already, at line {line}; what it adds was added once more",
        parsed_scope=_HUNK
        + ": line {line}, the only place in '{anchor}' as a grammar reads it (lines {first} to {last})",
    ),
    "P939": note(
        "corrected-patch", "the patch was refused ({refusal}); its correction is applied instead ({certainty}){paths}"
    ),
    # -- earlier runs ----------------------------------------------------------------------------------
    "P941": note(
        "recovered-run",
        "recovered after an interrupted run ({outcome})",
        by="outcome",
        completed="completed an interrupted run ({count} files)",
        rolled_back="rolled back an interrupted run ({count} files)",
        cleaned_up="cleaned up after an interrupted run",
        taken_back="took back a run that was interrupted while a command verified it ({count} files); "
        "changed since it wrote them, and kept in '{kept}': {foreign}",
    ),
    "P943": note("unreadable-journal", "set aside an unreadable journal: '{file}'"),
    "P944": note(
        "partly-recovered-run",
        "recovered after an interrupted run, except files that were changed since: {foreign}",
        by="outcome",
        completed="an interrupted run had changed all its files; changed again since: {foreign}",
        rolled_back="rolled back an interrupted run; not restored, because they were changed since: {foreign}",
    ),
    "P946": note("corrected-patch-written", "the corrected patch is in '{file}' ({certainty})"),
    # -- P95x: reading, writing, editing -------------------------------------------------------------
    "P951": note(
        "part-not-shown",
        "a part of '{file}' is not shown ({part}); continue with: {next}",
        by="part",
        pages="pages {first} to {last} of '{file}' are not shown; continue with: {next}",
        lines="lines {first} to {last} of '{file}' are not shown; continue with: {next}",
        characters="line {line} of '{file}' is cut, {missing} characters are missing{others}; to see them: {next}",
    ),
    "P953": note(
        "bytes-not-utf-8", "'{file}' has bytes that are not UTF-8; from line {line} on they are shown as '\ufffd'"
    ),
    "P954": note("changed-outside-session", "'{file}' has changed since this session last read or wrote it"),
    "P955": note(
        "read-not-recorded", "'{file}' will count as unread, because this read could not be recorded: {reason}"
    ),
    "P956": note(
        "lenient-arguments",
        "accepted a field that is not as {tool} has it: '{field}'",
        by="lenience",
        ignored="ignored the field '{field}', which {tool} does not have",
        renamed="read the field '{field}' as '{meant}'",
        text="read '{field}' from a string: {given}",
        wrapped="read the arguments of {tool} from the call around them",
    ),
    "P957": note(
        "placeholder-line", "{what} has a line that looks like a placeholder; it was written unchanged: {found_short}"
    ),
    "P958": note("line-endings-changed", "'{file}' was {before} and is now {after}"),
    "P959": note("invalid-notebook", "'{file}' is not a valid notebook; its text is shown instead of cells"),
    "P960": note("line-ending-removed", "{what} is whole lines of '{file}': their line ending was removed with them"),
    # -- P96x: search, grammars, sandbox -------------------------------------------------------------
    "P961": note("unprintable-names", "some names contain unprintable characters; they are shown as escapes"),
    "P963": note(
        "sandbox-without-writing",
        "no rule allows writing in the workspace, so the command could write only to its own temporary directory; "
        'allow it with \'write."**" = "allow"\' under [permissions] in a trusted .patchkit.toml',
    ),
    "P964": note("sandbox-lacks-something", "the sandbox ({layer}) does not keep everything: {lacks}"),
    "P965": note("made-although-forbidden", "made in the sandbox although the rules forbid it: {files}"),
    "P966": note("lines-not-in-grammar", "the grammar has {count} of the {total} lines of '{file}': the others {why}"),
    "P967": note("new-syntax-errors", "'{file}' has new syntax errors after this patch (line {places})"),
    # -- P97x: exec, batch ---------------------------------------------------------------------------
    "P971": note(
        "process-in-background", "the command left a process running in the background; its output is no longer read"
    ),
    "P972": note(
        "output-not-saved",
        "the output is not saved whole",
        by="saved",
        nothing="the full output could not be saved: {reason}",
        part="of {size} bytes of output, only the first {kept} and the last {tail} were saved",
    ),
    "P974": note(
        "command-not-run", "nothing was run; to let the shell run 'apply_patch', set the option 'no_intercept'"
    ),
    "P975": note("batch-resumed", "resumed: {rows} rows of '{file}' are done already"),
    # -- P98x, P99x: other edit formats, policy ----------------------------------------------------------
    "P976": note(
        "written-otherwise",
        "a change of '{file}' is written as another one ({change})",
        by="change",
        rename="the rename of '{file}' to '{target}' is written as a deletion and a new file{mode}",
        copy="'{file}' is a copy of '{source}': its whole text is added",
    ),
    "P981": note("lines-taken-from-file", "took the lines of '{file}' that {found_short} replaces"),
    "P982": note("conflict-markers-written", "'{file}' has conflicts between markers: {count}"),
    "P983": note("left-out-of-patch", "left out, because a patch cannot say it: {what}; to do it: {command}"),
    "P962": note("run-not-recorded", "this run is not recorded and cannot be undone: {reason}"),
    "P968": note(
        "calls-of-agents-only",
        "calls of a person are not recorded here, those of agents are {agents}; '[audit]' changes that",
    ),
    "P985": note("call-not-logged", "this call is not in the audit log '{file}': {reason}"),
    "P986": note("unreadable-log-lines", "unreadable lines of the audit log, skipped: {count}"),
    "P987": note(
        "rules-not-trusted",
        "rules in '{file}' that allow something do not count until you trust them: run 'patchkit trust'",
    ),
    "P988": note("merged-with-base", "merged the patch into '{file}' with what changed there since the base"),
    "P990": note("format-recognised", "read the text as {format}"),
    "P991": note("rewritten-by-command", "'{command}' changed '{file}' after the patch; that belongs to this run"),
    "P992": note("committed-with-git", "committed as {commit}"),
    "P999": note(
        "not-in-the-patch",
        "ignored what a patch cannot say: {what}",
        by="lost",
        final_newline="the patch does not say that the final newline of '{file}' changes",
    ),
}
