"""P2xx: matching."""

from __future__ import annotations

from patchkit.catalogue.entry import Entry

ENTRIES = {
    "P201": Entry(
        "NOT_FOUND",
        "hunk not found in '{file}'",
        "read {file} and send the hunk again with lines that are there; nothing was written",
    ),
    "P202": Entry(
        "CONFLICT",
        "hunk fits {count} places in '{file}' ({places})",
        "add an anchor or more context lines so that one place remains; nothing was written",
    ),
    "P203": Entry(
        "NOT_FOUND",
        "anchor '{anchor}' not found in '{file}'",
        "use a line of '{file}' as the anchor, exactly as it stands there; nothing was written",
    ),
    "P204": Entry(
        "CONFLICT",
        "hunks {hunks} of '{file}' change the same lines ({places})",
        "join them into one hunk, or leave one out if it came twice; nothing was written",
    ),
    "P205": Entry(
        "CONFLICT",
        "'{file}' already has what this hunk would make (line {line})",
        "leave the hunk out, or skip what is there already with '--forward'; nothing was written",
    ),
    "P206": Entry(
        "NOT_FOUND",
        "the hunk is marked '*** End of File' but its lines are not at the end of '{file}' (they are at line {line})",
        "leave '*** End of File' out, or give the lines that end the file; nothing was written",
    ),
    "P207": Entry(
        "CONFLICT",
        "the hunk fits '{file}' only by pass '{found_pass}', and no more than '{max_pass}' is allowed",
        "send the lines exactly as they stand in the file (line {line}); nothing was written",
    ),
    "P208": Entry(
        "CONFLICT",
        "anchor '{anchor}' stands at {count} places in '{file}' ({places}) and the hunk has no other line",
        "stack another anchor above it, or add the line after which the text belongs as context; nothing was written",
    ),
    "P209": Entry(
        "CONFLICT",
        "the hunk only adds lines and has nothing but a line number ({line}) to say where in '{file}'",
        "add the line above the new ones as a context line, or an anchor; nothing was written",
    ),
    "P211": Entry(
        "NOT_FOUND",
        "the hunk's lines are not below '{anchor}' in '{file}', but at {places}",
        "use the anchor that stands above them, or the lines that stand below this one; nothing was written",
    ),
    "P216": Entry(
        "CONFLICT",
        "the hunk would add '{head}' to '{file}' at line {line}, and it is there already (line {other})",
        "change the definition at line {other}, or allow a second one with '--allow-duplicate'; nothing was written",
    ),
    "P217": Entry(
        "CONFLICT",
        "{count} of {total} lines that the hunk would add to '{file}' at line {line} are right below already "
        "(lines {first}-{last})",
        "leave out what is there already, or allow it with '--allow-duplicate'; nothing was written",
    ),
    "P210": Entry(
        "CONFLICT",
        "'{file}' is kept in {encoding}, which cannot hold {what}",
        "send valid UTF-8 with characters that {encoding} has, or convert the file first; nothing was written",
    ),
    "P212": Entry(
        "CONFLICT",
        "the hunk fits '{file}' at line {line} but for its indentation, and does not show how to indent what it adds",
        "send its lines indented as they stand in the file; nothing was written",
    ),
    "P213": Entry(
        "CONFLICT",
        "'--strict' does not forgive this: {what}",
        "write it so that nothing has to be forgiven, or run without '--strict'; nothing was written",
    ),
    "P214": Entry(
        "CONFLICT",
        "'{file}' is no valid {encoding}",
        "name the encoding that it is kept in with '--encoding NAME', or leave the option out; nothing was written",
    ),
    "P215": Entry(
        "CONFLICT",
        "'{file}' is not UTF-8, and how to write the hunk's characters in it is not certain ({encodings})",
        "say what it is kept in with '--encoding NAME'; nothing was written",
    ),
}
