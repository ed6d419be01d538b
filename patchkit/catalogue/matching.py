"""P2xx: matching."""

from __future__ import annotations

from patchkit.catalogue.sentences import Variant, conflict, failed, not_found, refused

ENTRIES = {
    "P201": not_found(
        "hunk-not-found",
        "hunk not found in '{file}'",
        "read {file} and send the hunk again with lines of the file; nothing was written",
    ),
    "P202": conflict(
        "ambiguous-hunk",
        "hunk matches {count} places in '{file}' ({places})",
        "add an anchor or more context lines so that only one place matches; nothing was written",
        Variant(
            "edit_format", "unified", advice="add lines of context so that only one place matches; nothing was written"
        ),
        Variant(
            "edit_format",
            "search-replace",
            advice="add lines around it so that only one place matches, or send the block once for each place"
            "; nothing was written",
        ),
        Variant(
            "edit_format",
            "json-edits",
            advice="add lines around it so that only one place matches, or set replace_all; nothing was written",
        ),
    ),
    "P203": not_found(
        "anchor-not-found",
        "anchor '{anchor}' not found in '{file}'",
        "use a line of '{file}' as the anchor, copied exactly; nothing was written",
    ),
    "P204": conflict(
        "overlapping-hunks",
        "hunks {hunks} of '{file}' change the same lines ({places})",
        "merge them into one hunk, or remove the duplicate; nothing was written",
    ),
    "P205": conflict(
        "already-applied",
        "the hunk is already applied to '{file}' (line {line})",
        "remove the hunk, or skip applied hunks with '--forward'; nothing was written",
        Variant(
            "taken_back",
            sentence="the hunk is not applied to '{file}' (line {line}), so nothing is to be taken back",
            person="remove the hunk, or skip hunks that are not applied with '--forward'; nothing was written",
            program="remove the hunk, or pass forward=True to skip hunks that are not applied; nothing was written",
            model="remove the hunk; nothing was written",
        ),
        Variant(
            "whole",
            person="remove the hunk, or use '--allow-duplicate' to have it a second time; nothing was written",
            program="remove the hunk, or pass allow_duplicate=True to have it a second time; nothing was written",
        ),
        program="remove the hunk, or pass forward=True to skip applied hunks; nothing was written",
        model="remove the hunk; nothing was written",
    ),
    "P206": not_found(
        "not-at-end-of-file",
        "the hunk has '*** End of File', but its lines are not at the end of '{file}' (they are at line {line})",
        "remove '*** End of File', or send the last lines of the file; nothing was written",
    ),
    "P207": conflict(
        "match-too-tolerant",
        "the hunk matches '{file}' only {how} (pass '{found_pass}', limit '{max_pass}')",
        "send the lines exactly as they are in the file (line {line}), or raise '--max-pass'; nothing was written",
        program="send the lines as they are in the file (line {line}), or pass another max_pass; nothing was written",
        model="send the lines as they are in the file (line {line}); nothing was written",
    ),
    "P208": conflict(
        "ambiguous-anchor",
        "anchor '{anchor}' matches {count} places in '{file}' ({places}), and the hunk has no other line to match",
        "add another anchor above it, or a context line above the added lines; nothing was written",
    ),
    "P209": conflict(
        "place-by-number-only",
        "the hunk only adds lines, and a line number ({line}) alone does not give their place in '{file}'",
        "add the line above the new lines as context, or add an anchor; nothing was written",
        Variant(
            "taken_back",
            sentence="the hunk removes lines and keeps none, so their place in '{file}' is not known when it is taken "
            "back",
            person="name what the patch was made for, with '--base REV' or '--base auto'; nothing was written",
            program="pass what the patch was made for as 'base'; nothing was written",
            model="send a patch with context lines that does the opposite; nothing was written",
        ),
    ),
    "P210": conflict(
        "not-encodable",
        "'{file}' is encoded in {encoding}, which cannot represent {what}",
        "send valid UTF-8 with characters of {encoding} only, or convert the file first; nothing was written",
    ),
    "P211": not_found(
        "not-below-anchor",
        "the hunk's lines are not below anchor '{anchor}' in '{file}', but at {places}",
        "use an anchor above these lines, or send the lines below this anchor; nothing was written",
    ),
    "P212": conflict(
        "ambiguous-indentation",
        "the hunk matches '{file}' at line {line} except for indentation, and how to indent added lines is not clear",
        "send the hunk with the file's indentation; nothing was written",
    ),
    "P213": conflict(
        "not-accepted-strictly",
        "not accepted in strict mode: {what}",
        "correct the patch, or run without '--strict'; nothing was written",
        program="correct the patch, or pass strict=False; nothing was written",
        model="correct the patch; nothing was written",
    ),
    "P214": conflict(
        "invalid-encoding",
        "'{file}' is not valid {encoding}",
        "give the file's encoding with '--encoding NAME', or remove the option; nothing was written",
        program="pass the encoding of the file as encoding=NAME, or remove the argument; nothing was written",
        model="send it again without naming an encoding; nothing was written",
    ),
    "P215": conflict(
        "uncertain-encoding",
        "the encoding of '{file}' is not certain enough to write characters beyond ASCII ({encodings})",
        "give the file's encoding with '--encoding NAME'; nothing was written",
        program="pass encoding=NAME with the encoding of the file; nothing was written",
        model="send lines of ASCII characters, or ask which encoding the file has; nothing was written",
    ),
    "P216": conflict(
        "definition-exists",
        "the hunk would add '{head}' to '{file}' at line {line}, and the file has it already (line {other})",
        "change the definition at line {other}, or allow a second one with '--allow-duplicate'; nothing was written",
        program="change the definition at line {other}, or pass allow_duplicate=True; nothing was written",
        model="change the definition at line {other} instead; nothing was written",
    ),
    "P217": conflict(
        "lines-exist-below",
        "{count} of {total} lines that the hunk would add to '{file}' at line {line} are right below already "
        "(lines {first}-{last})",
        "leave out what is there already, or allow it with '--allow-duplicate'; nothing was written",
        program="leave out what is there already, or pass allow_duplicate=True; nothing was written",
        model="leave out what is there already; nothing was written",
    ),
    "P218": refused(
        "placeholder-added",
        "the patch would add a placeholder instead of code to '{file}': {found_short}",
        "send the lines themselves; if the line is meant as it is, use '--allow-placeholder'; nothing was written",
        Variant(
            "numbered",
            sentence="the patch would add lines with the numbers of a listing to '{file}': {found_short}",
            person="send the lines without their numbers, or use '--allow-placeholder'; nothing was written",
            program="send the lines without their numbers, or pass allow_placeholder=True; nothing was written",
            model="send the lines without their numbers; nothing was written",
        ),
        program="send the lines themselves; if it is meant so, pass allow_placeholder=True; nothing was written",
        model="send the lines themselves; nothing was written",
    ),
    "P220": conflict(
        "merge-conflict",
        "the patch and '{file}' (line {line}) both changed lines since the base: now {ours}, in the patch {theirs}",
        "decide by hand, or apply it with '--conflicts markers' to write both; nothing was written",
        program="send a patch made from the file as it is now, or pass conflicts='markers'; nothing was written",
        model="send a patch made from the file as it is now; nothing was written",
    ),
    "P221": conflict(
        "not-as-in-base",
        "'{file}' is not as it was in the base: {what}",
        "send a patch for the files as they are now; nothing was written",
    ),
    "P222": conflict(
        "ambiguous-base",
        "the hunks of '{file}' match several revisions, with different results ({revisions})",
        "name the revision that the patch was made for: '--base REV'; nothing was written",
        program="send a patch made from the file as it is now; nothing was written",
    ),
    "P223": conflict(
        "patch-already-applied",
        "all changes of the patch are in '{file}' already",
        "leave the patch out, or skip what is applied with '--forward'; nothing was written",
        program="leave the patch out, or pass forward=True to skip what is applied; nothing was written",
        model="leave the patch out; nothing was written",
    ),
    "P224": conflict(
        "corrected-patch-exists",
        "the corrected patch was not written: '{file}' is there already, with other content",
        "move or remove '{file}', and check again",
    ),
    "P225": failed(
        "cannot-write-corrected-patch",
        "the corrected patch '{file}' cannot be written: {reason}",
        "copy the patch to a directory where files can be made, and check it there",
    ),
    "P226": conflict(
        "brings-syntax-errors",
        "the patch would bring syntax errors into '{file}' (line {places})",
        "correct the patch, or apply it with '--syntax note'; nothing was written",
        program="correct the patch, or pass syntax='note'; nothing was written",
        model="correct the patch; nothing was written",
    ),
    "P227": not_found(
        "no-grammar-to-check",
        "'{file}' cannot be checked for syntax errors: no grammar for {language} is installed",
        "install the extra 'structure', which has it, or leave '--syntax error' out; nothing was written",
        program="install the extra 'structure', which has it, or pass syntax='note'; nothing was written",
        model="ask a person to install the grammar; nothing was written",
    ),
}
