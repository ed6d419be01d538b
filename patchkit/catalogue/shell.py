"""P5xx: the shell."""

from __future__ import annotations

from patchkit.catalogue.entry import Entry

_PLAINLY = "write the call alone: \"apply_patch <<'EOF'\", the patch on the next lines, 'EOF' alone on the last line"

ENTRIES = {
    "P501": Entry(
        "INVALID_PARAM",
        "this is a patch, not a command: nothing in it calls 'apply_patch'",
        "call ['apply_patch', PATCH], or " + _PLAINLY,
    ),
    "P502": Entry(
        "INVALID_PARAM",
        "the heredoc never ends: no line is '{delimiter}' and nothing else",
        "put '{delimiter}' alone on the line after the patch, with no blanks around it",
    ),
    "P503": Entry(
        "INVALID_PARAM",
        "the shell would change the patch: '{delimiter}' is not quoted, and the text has a live '$', a backtick or a "
        "backslash at a line's end",
        "quote the delimiter: <<'{delimiter}'",
    ),
    "P504": Entry(
        "INVALID_PARAM",
        "the shell would replace {word} by something not known here",
        "write the text itself in single quotes, or pass the patch in a heredoc with a quoted delimiter",
    ),
    "P505": Entry(
        "INVALID_PARAM",
        "the command sets the variable '{name}' around 'apply_patch'",
        "leave the assignment out; " + _PLAINLY,
    ),
    "P506": Entry(
        "INVALID_PARAM",
        "'{redirect}' reads or writes something besides the patch",
        "leave the redirect out (only '2>&1' is accepted); " + _PLAINLY,
    ),
    "P507": Entry("INVALID_PARAM", "'apply_patch' runs in the background", "leave '&' out; " + _PLAINLY),
    "P508": Entry(
        "INVALID_PARAM",
        "more than one thing is given to 'apply_patch': {what}",
        "give the patch once, as the only argument or in one heredoc",
    ),
    "P509": Entry(
        "INVALID_PARAM",
        "the script may change what 'apply_patch' means: {what}",
        "leave functions, aliases, traps, 'eval' and 'source' out; " + _PLAINLY,
    ),
    "P510": Entry("INVALID_PARAM", "'apply_patch' is run through '{name}'", "call it directly; " + _PLAINLY),
    "P511": Entry(
        "INVALID_PARAM",
        "'apply_patch' takes the patch as its only argument or on standard input, and here it has {what}",
        _PLAINLY,
    ),
    "P512": Entry(
        "NOT_FOUND",
        "where 'cd' leads is not certain: '{path}' is no directory that can be entered from here",
        "name an existing directory by its plain path, or leave 'cd' out and give the working directory with the call",
    ),
    "P513": Entry(
        "INVALID_PARAM",
        "the command holds a character that is invisible or no blank for the shell: {word}",
        "use plain spaces and line feeds outside quotes (no carriage returns, byte order mark or no-break spaces)",
    ),
    "P514": Entry("INVALID_PARAM", "the command cannot be read with certainty: {what}", _PLAINLY),
    "P515": Entry(
        "INVALID_PARAM",
        "the command is too long to be looked at: {what}",
        "send the patch in a call of its own; " + _PLAINLY,
    ),
    "P516": Entry("INVALID_PARAM", "'{shell}' does not know {what}", "run it with 'bash', or " + _PLAINLY),
    "P517": Entry(
        "INVALID_PARAM",
        "the environment changes what the command does: {what} is set",
        "unset {what} for this call, or use './' in front of the directory of 'cd'",
    ),
    "P518": Entry(
        "INVALID_PARAM",
        "the request cannot be read: {what}",
        'send {{"argv": [...], "cwd": "..."}} or {{"command": [...] or "...", "workdir": "..."}}',
    ),
    "P519": Entry(
        "INVALID_PARAM",
        "'{name}' would change the text: {what}",
        "use printf '%s\\n' 'TEXT', or pass the patch in a heredoc with a quoted delimiter",
    ),
    "P520": Entry(
        "INVALID_PARAM",
        "the patch is too long for an argument: {size} bytes, and the system takes {limit}",
        "pass it in a heredoc: " + _PLAINLY,
    ),
    "P521": Entry("NOT_FOUND", "the working directory '{path}' cannot be entered", "give an existing directory"),
    "P522": Entry("INVALID_PARAM", "the command holds {what}, which no command line can carry", "send text without it"),
    "P523": Entry(
        "INVALID_PARAM",
        "what 'apply_patch' would read is not known: it comes from '{name}'",
        "give the text of the patch in the call; " + _PLAINLY,
    ),
}
