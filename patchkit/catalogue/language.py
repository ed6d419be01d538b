"""P1xx: the language."""

from __future__ import annotations

from patchkit.catalogue.entry import refused

ENTRIES = {
    "P101": refused(
        "INVALID_PARAM",
        "no patch found: the text does not begin with a '*** Begin Patch' line",
        "start the patch with '*** Begin Patch' on a line of its own and end it with '*** End Patch'",
    ),
    "P102": refused(
        "INVALID_PARAM",
        "the patch is incomplete: no '*** End Patch' after line {patch_line}",
        "send the whole patch again, ending with '*** End Patch'; a truncated patch is never applied",
    ),
    "P103": refused(
        "INVALID_PARAM",
        "unexpected line in the patch: {found_short}",
        "write {expected_list} here",
    ),
    "P104": refused(
        "INVALID_PARAM",
        "file name missing after '{found_bare}'",
        "write the name on the same line, for example '{found_bare} src/app.py'",
    ),
    "P105": refused(
        "INVALID_PARAM",
        "the update of '{file}' is empty: it has no hunk and no '*** Move to:' line",
        "add an '@@' line with the lines to change below it, or remove the section",
    ),
    "P106": refused(
        "INVALID_PARAM",
        "a hunk of '{file}' has no lines",
        "below '@@' write context lines with a leading space, '-' lines to remove and '+' lines to add",
    ),
    "P107": refused(
        "INVALID_PARAM",
        "a line of the new file '{file}' has no leading '+': {found_short}",
        "put '+' in front of every line of a new file, including blank lines",
    ),
    "P108": refused(
        "INVALID_PARAM",
        "this is a unified diff, not a patch in the apply_patch language",
        "apply it with 'git apply', or write '*** Begin Patch', '*** Update File: PATH', hunks, '*** End Patch'",
    ),
    "P109": refused(
        "INVALID_PARAM",
        "expected the text of a patch, got a single line (a file name?)",
        "run 'apply_patch < FILE' to apply the patch in a file",
    ),
    "P110": refused(
        "INVALID_PARAM",
        "No files were modified.",
        "put at least one '*** Add File:', '*** Update File:' or '*** Delete File:' section between the markers",
    ),
    "P111": refused(
        "INVALID_PARAM",
        "the patch begins with a {encoding} byte order mark but is not valid {encoding}",
        "send the patch as UTF-8",
    ),
    "P112": refused(
        "INVALID_PARAM",
        "the patch language cannot express this: {what}",
        "{instead}",
    ),
    "P113": refused(
        "INVALID_PARAM",
        "the patch contains half a character (a lone surrogate, line {patch_line})",
        "send both halves of the character, or the character itself as UTF-8",
    ),
    "P114": refused(
        "INVALID_PARAM",
        "the text is a shell command that changes the directory before it applies the patch: {found_short}",
        "run it in a shell, or send only the patch, with '-C DIR'",
    ),
    "P115": refused(
        "INVALID_PARAM",
        "the patch is larger than {limit} bytes",
        "split the patch, or raise the limit with '--max-patch-bytes N'",
    ),
}
