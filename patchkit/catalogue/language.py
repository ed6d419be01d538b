"""P1xx: the language."""

from __future__ import annotations

from patchkit.catalogue.sentences import Variant, conflict, refused

ENTRIES = {
    "P101": refused(
        "no-patch-found",
        "no patch found: the text does not begin with a '*** Begin Patch' line",
        "start the patch with '*** Begin Patch' on a line of its own and end it with '*** End Patch'",
        Variant("empty", sentence="no patch found: the text is empty"),
    ),
    "P102": refused(
        "incomplete-patch",
        "the patch is incomplete: no '*** End Patch' after line {patch_line}",
        "send the whole patch again, ending with '*** End Patch'; a truncated patch is never applied",
    ),
    "P103": refused("unexpected-line", "unexpected line in the patch: {found_short}", "write {expected_list} here"),
    "P104": refused(
        "missing-file-name",
        "file name missing after '{found_bare}'",
        "write the name on the same line, for example '{found_bare} src/app.py'",
    ),
    "P105": refused(
        "empty-update",
        "the update of '{file}' is empty: it has no hunk and no '*** Move to:' line",
        "add an '@@' line with the lines to change below it, or remove the section",
    ),
    "P106": refused(
        "empty-hunk",
        "a hunk of '{file}' has no lines",
        "below '@@' write context lines with a leading space, '-' lines to remove and '+' lines to add",
    ),
    "P107": refused(
        "unsigned-line-in-new-file",
        "a line of the new file '{file}' has no leading '+': {found_short}",
        "put '+' in front of every line of a new file, including blank lines",
    ),
    "P108": refused(
        "another-edit-format",
        "this is {what}, not a patch in the apply_patch language",
        "apply it with '--from {format}', or convert it: patchkit convert --to v4a FILE",
        program="pass from_format='{format}'",
        model="send the change as a patch, with '*** Begin Patch', a line such as '*** Update File: PATH', and hunks",
    ),
    "P109": refused(
        "single-line-patch",
        "expected the text of a patch, got a single line (a file name?)",
        "run 'apply_patch < FILE' to apply the patch in a file",
        Variant("name", person="run 'patchkit apply {name}' or 'apply_patch < {name}' to apply the patch in this file"),
        program="pass the text of the patch, not the name of a patch file",
        model="send the text of the patch, not the name of a patch file",
    ),
    "P110": refused(
        "no-changes",
        "No files were modified.",
        "put at least one '*** Add File:', '*** Update File:' or '*** Delete File:' section between the markers",
    ),
    "P111": refused(
        "wrong-byte-order-mark",
        "the patch begins with a {encoding} byte order mark but is not valid {encoding}",
        "send the patch as UTF-8",
    ),
    "P112": refused("not-expressible", "the patch language cannot express this: {what}", "{instead}"),
    "P113": refused(
        "lone-surrogate",
        "the patch contains half a character (a lone surrogate, line {patch_line})",
        "send both halves of the character, or the character itself as UTF-8",
    ),
    "P114": refused(
        "shell-command-with-cd",
        "the text is a shell command that changes the directory before it applies the patch: {found_short}",
        "run it in a shell, or send only the patch, with '-C DIR'",
        program="send only the patch, with that directory in front of its paths",
    ),
    "P115": refused(
        "patch-too-large",
        "the patch is larger than {limit} bytes",
        "split the patch, or raise the limit with '--max-patch-bytes N'",
        program="split the patch, or raise the limit",
        model="split the patch",
    ),
    "P116": refused(
        "directory-name",
        "'{file}' ends with a slash: it names a directory, not a file",
        "write the name of the file after the slash; nothing was written",
    ),
    "P117": refused("too-much-work", "the patch would take too much work: {reason}", "{instead}; nothing was written"),
    "P120": refused(
        "unknown-format",
        "the text is in no edit format that is known here",
        "send a patch, a unified diff, blocks, JSON edits or whole files, or name the format with '--from F'",
        program="pass a patch, a unified diff, blocks, JSON edits or whole files, or name the format with from_format",
        model="send a patch, a unified diff, blocks, JSON edits or whole files",
    ),
    "P121": refused(
        "ambiguous-format",
        "the text can be read as {formats}",
        "say which is meant, with '--from v4a', '--from unified', '--from search-replace' or another format",
        program="say which is meant: pass from_format='v4a', from_format='unified' or another format",
        model="send a patch, from '*** Begin Patch' to '*** End Patch'",
    ),
    "P122": refused(
        "malformed-edits",
        "the text cannot be read as {format}: {reason}",
        "{instead}",
        Variant(
            *("other", "v4a"),
            person="it is {title}: leave out '--from' and '-p'",
            program="it is {title}: leave out from_format and strip",
        ),
        Variant(
            "other",
            person="it is {title}: name it with '--from {other}'",
            program="it is {title}: pass from_format='{other}'",
        ),
    ),
    "P123": conflict(
        "ambiguous-path-prefix",
        "'{written}' in the diff could be '{file}' or '{written}' here, and both exist",
        "choose '{file}' with '-p 1', or '{written}' with '-p 0'",
        program="choose '{file}' with strip=1, or '{written}' with strip=0",
    ),
    "P124": conflict(
        "empty-search-text",
        "the search text is empty, but '{file}' has text",
        "send the lines that the new ones go next to, or delete the file first; nothing was written",
    ),
    "P125": conflict(
        "deleted-file-differs",
        "the diff deletes '{file}' with another content than it has",
        "look at the file, and delete it with '*** Delete File: {file}' if that is meant; nothing was written",
        Variant(
            "edit_format",
            "unified",
            advice="look at the file, and run 'rm {file}' if that is meant; nothing was written",
        ),
        Variant(
            "changes",
            sentence="the diff changes another '{file}' than the one that is there",
            advice="send a diff of what is there now; nothing was written",
        ),
    ),
    "P126": refused(
        "block-without-file", "a block names no file", "write the path of the file on the line above the block"
    ),
    "P127": refused(
        "code-left-out",
        "the new text of '{file}' has a line in place of code that it leaves out: {found_short}",
        "send the lines themselves, or an edit of only the lines that change; nothing was written",
        Variant(
            "numbered",
            sentence="the new text of '{file}' has the line numbers of a listing: {found_short}",
            advice="send the lines without their numbers; nothing was written",
        ),
        Variant(
            "reason",
            sentence="a line of the part of '{file}' has no certain place in the file, because {reason}: {found_short}",
            advice="begin and end each piece with two lines of the file, in its order, and have a comment such as "
            "'... existing code ...' wherever lines are left out; nothing was written",
        ),
    ),
    "P128": conflict(
        "reverse-loses-changes",
        "'{file}' is not what the patch made of it, so taking the patch back would lose the difference",
        "delete the file with '*** Delete File: {file}' if that is meant; nothing was written",
    ),
}
