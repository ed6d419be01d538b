"""P5xx: the shell."""

from __future__ import annotations

from patchkit.catalogue.sentences import not_found, refused

_PLAINLY = "send the call by itself: \"apply_patch <<'EOF'\", the patch on the next lines, 'EOF' alone on the last line"

ENTRIES = {
    "P501": refused(
        "patch-as-command",
        "this is a patch, not a command: nothing in it calls 'apply_patch'",
        "call ['apply_patch', PATCH], or " + _PLAINLY,
    ),
    "P502": refused(
        "heredoc-not-closed",
        "the heredoc is not closed: no line consists of '{delimiter}' only",
        "put '{delimiter}' on a line of its own after the patch, without spaces around it",
    ),
    "P503": refused(
        "heredoc-expanded",
        "the shell would change the patch: '{delimiter}' is not quoted, and the text has an unescaped '$' or backtick, "
        "or a backslash at the end of a line",
        "quote the delimiter: <<'{delimiter}'",
    ),
    "P504": refused(
        "unknown-expansion",
        "the shell would expand {word}, and the result is not known",
        "write the text in single quotes, or pass the patch in a heredoc with a quoted delimiter",
    ),
    "P505": refused(
        "variable-set", "the command sets the variable '{name}' for 'apply_patch'", "remove the assignment; " + _PLAINLY
    ),
    "P506": refused(
        "other-redirect",
        "'{redirect}' reads or writes something other than the patch",
        "remove the redirect (only '2>&1' is accepted); " + _PLAINLY,
    ),
    "P507": refused("in-background", "'apply_patch' runs in the background", "remove '&'; " + _PLAINLY),
    "P508": refused(
        "several-inputs",
        "'apply_patch' gets more than one input: {what}",
        "give the patch once, as the only argument or in one heredoc",
    ),
    "P509": refused(
        "command-redefined",
        "the script may change what 'apply_patch' means: {what}",
        "remove functions, aliases, traps, 'eval' and 'source'; " + _PLAINLY,
    ),
    "P510": refused("run-through-command", "'apply_patch' is run through '{name}'", "call it directly; " + _PLAINLY),
    "P511": refused(
        "unexpected-arguments",
        "'apply_patch' takes the patch as its only argument or on standard input, but got {what}",
        _PLAINLY,
    ),
    "P512": not_found(
        "uncertain-directory",
        "the target of 'cd' is not certain: '{path}' is not a directory that can be entered from here",
        "give the plain path of an existing directory, or remove 'cd' and set the working directory in the call",
    ),
    "P513": refused(
        "invisible-character",
        "the command contains a character that is invisible or that the shell does not treat as a space: {word}",
        "use plain spaces and line feeds outside quotes (no carriage returns, byte order marks or no-break spaces)",
    ),
    "P514": refused("unparsable-command", "the command cannot be parsed with certainty: {what}", _PLAINLY),
    "P515": refused(
        "command-too-long",
        "the command is too long to be analysed: {what}",
        "send the patch in a separate call; " + _PLAINLY,
    ),
    "P516": refused("not-in-this-shell", "'{shell}' does not support {what}", "run it with 'bash', or " + _PLAINLY),
    "P517": refused(
        "environment-set",
        "the environment changes what the command does: {what} is set",
        "unset {what} for this call, or put './' in front of the directory of 'cd'",
    ),
    "P518": refused(
        "invalid-request",
        "the request is not valid: {what}",
        'send {{"argv": [...], "cwd": "..."}} or {{"command": [...] or "...", "workdir": "..."}}',
    ),
    "P519": refused(
        "text-changed-by-filter",
        "'{name}' would change the text: {what}",
        "use printf '%s\\n' 'TEXT', or pass the patch in a heredoc with a quoted delimiter",
    ),
    "P520": refused(
        "argument-too-long",
        "the patch is too long for an argument: {size} bytes, the limit of the system is {limit}",
        "pass it in a heredoc: " + _PLAINLY,
    ),
    "P521": not_found(
        "unusable-directory", "the working directory '{path}' cannot be entered", "give an existing directory"
    ),
    "P522": refused(
        "impossible-argument",
        "the command contains {what}, which is not possible in an argument",
        "remove it from the text",
    ),
    "P523": refused(
        "unknown-input",
        "the input of 'apply_patch' is not known: it comes from '{name}'",
        "write the text of the patch in the call; " + _PLAINLY,
    ),
}
