"""P2xx: matching."""

from __future__ import annotations

from patchkit.catalogue.entry import refused

ENTRIES = {
    "P201": refused(
        "NOT_FOUND",
        "hunk not found in '{file}'",
        "read {file} and send the hunk again with lines of the file; nothing was written",
    ),
    "P202": refused(
        "CONFLICT",
        "hunk matches {count} places in '{file}' ({places})",
        "add an anchor or more context lines so that only one place matches; nothing was written",
    ),
    "P203": refused(
        "NOT_FOUND",
        "anchor '{anchor}' not found in '{file}'",
        "use a line of '{file}' as the anchor, copied exactly; nothing was written",
    ),
    "P204": refused(
        "CONFLICT",
        "hunks {hunks} of '{file}' change the same lines ({places})",
        "merge them into one hunk, or remove the duplicate; nothing was written",
    ),
    "P205": refused(
        "CONFLICT",
        "the hunk is already applied to '{file}' (line {line})",
        "remove the hunk, or skip applied hunks with '--forward'; nothing was written",
    ),
    "P206": refused(
        "NOT_FOUND",
        "the hunk has '*** End of File', but its lines are not at the end of '{file}' (they are at line {line})",
        "remove '*** End of File', or send the last lines of the file; nothing was written",
    ),
    "P207": refused(
        "CONFLICT",
        "the hunk matches '{file}' only {tolerance} (pass '{found_pass}', limit '{max_pass}')",
        "send the lines exactly as they are in the file (line {line}), or raise '--max-pass'; nothing was written",
    ),
    "P208": refused(
        "CONFLICT",
        "anchor '{anchor}' matches {count} places in '{file}' ({places}), and the hunk has no other line to match",
        "add another anchor above it, or a context line above the added lines; nothing was written",
    ),
    "P209": refused(
        "CONFLICT",
        "the hunk only adds lines, and a line number ({line}) alone does not give their place in '{file}'",
        "add the line above the new lines as context, or add an anchor; nothing was written",
    ),
    "P211": refused(
        "NOT_FOUND",
        "the hunk's lines are not below anchor '{anchor}' in '{file}', but at {places}",
        "use an anchor above these lines, or send the lines below this anchor; nothing was written",
    ),
    "P210": refused(
        "CONFLICT",
        "'{file}' is encoded in {encoding}, which cannot represent {what}",
        "send valid UTF-8 with characters of {encoding} only, or convert the file first; nothing was written",
    ),
    "P216": refused(
        "CONFLICT",
        "the hunk would add '{head}' to '{file}' at line {line}, and the file has it already (line {other})",
        "change the definition at line {other}, or allow a second one with '--allow-duplicate'; nothing was written",
    ),
    "P217": refused(
        "CONFLICT",
        "{count} of {total} lines that the hunk would add to '{file}' at line {line} are right below already "
        "(lines {first}-{last})",
        "leave out what is there already, or allow it with '--allow-duplicate'; nothing was written",
    ),
    "P218": refused(
        "INVALID_PARAM",
        "the patch would add a line in place of code to '{file}': {found_short}",
        "send the lines themselves; if the line is meant as it is, use '--allow-placeholder'; nothing was written",
    ),
    "P212": refused(
        "CONFLICT",
        "the hunk matches '{file}' at line {line} except for indentation, and how to indent added lines is not clear",
        "send the hunk with the file's indentation; nothing was written",
    ),
    "P213": refused(
        "CONFLICT",
        "not accepted with '--strict': {what}",
        "correct the patch, or run without '--strict'; nothing was written",
    ),
    "P214": refused(
        "CONFLICT",
        "'{file}' is not valid {encoding}",
        "give the file's encoding with '--encoding NAME', or remove the option; nothing was written",
    ),
    "P220": refused(
        "CONFLICT",
        "the patch and '{file}' (line {line}) both changed lines since the base: now {ours}, in the patch {theirs}",
        "decide by hand, or apply it with '--conflicts markers' to write both; nothing was written",
    ),
    "P221": refused(
        "CONFLICT",
        "'{file}' is not as it was in the base: {what}",
        "send a patch for the files as they are now; nothing was written",
    ),
    "P222": refused(
        "CONFLICT",
        "the hunks of '{file}' match several revisions, with different results ({revisions})",
        "name the revision that the patch was made for: '--base REV'; nothing was written",
    ),
    "P223": refused(
        "CONFLICT",
        "all changes of the patch are in '{file}' already",
        "leave the patch out, or skip what is applied with '--forward'; nothing was written",
    ),
    "P224": refused(
        "CONFLICT",
        "the corrected patch was not written: '{file}' is there already, with other content",
        "move or remove '{file}', and check again",
    ),
    "P225": refused(
        "EXECUTION_ERROR",
        "the corrected patch '{file}' cannot be written: {reason}",
        "copy the patch to a directory where files can be made, and check it there",
    ),
    "P226": refused(
        "CONFLICT",
        "the patch would bring syntax errors into '{file}' (line {places})",
        "correct the patch, or apply it with '--syntax note'; nothing was written",
    ),
    "P215": refused(
        "CONFLICT",
        "the encoding of '{file}' is not certain enough to write the hunk's characters ({encodings})",
        "give the file's encoding with '--encoding NAME'; nothing was written",
    ),
}
