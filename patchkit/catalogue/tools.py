"""P6xx: tools."""

from __future__ import annotations

from patchkit.catalogue.entry import Entry

ENTRIES = {
    # -- calls -----------------------------------------------------------------------------------
    "P601": Entry("INVALID_PARAM", "{option} cannot be '{given}'", "use one of: {allowed}"),
    "P602": Entry("INVALID_PARAM", "there is no tool '{tool}'", "use one of: {allowed}"),
    "P603": Entry("INVALID_PARAM", "'{field}' cannot be {given}", "give {allowed}"),
    "P604": Entry(
        "INVALID_PARAM",
        "'{field}' is given twice, as '{other}' too, with another value",
        "give one of the two",
    ),
    "P605": Entry("INVALID_PARAM", "there is no field '{field}'", "give {allowed}"),
    "P606": Entry("INVALID_PARAM", "'{field}' is missing", "add '{field}' to the arguments: {allowed}"),
    "P607": Entry("INVALID_PARAM", "the arguments are no JSON: {reason}", "give valid JSON, for example '{example}'"),
    "P608": Entry(
        "INVALID_PARAM",
        "there is no code '{given}'",
        "look up one of these: {like}; 'patchkit explain' lists all codes",
    ),
    # -- P61x: reading, writing, what a session has seen --------------------------------------------
    "P610": Entry(
        "ACCESS_DENIED",
        "'{file}' lies inside '{part}', which the tools do not change",
        "leave it to the program it belongs to; nothing was written",
    ),
    "P611": Entry(
        "CONFLICT",
        "'{file}' has not been read in this session",
        "read it, then send the call again; nothing was written",
    ),
    "P612": Entry(
        "CONFLICT",
        "'{file}' was changed by somebody since it was read",
        "read it again, then send the call again; nothing was written",
    ),
    "P613": Entry(
        "CONFLICT",
        "'{file}' is not what was expected: its {what} is {found}, not {given}",
        "read it again, then send the call with what it is now; nothing was written",
    ),
    "P614": Entry(
        "BINARY_FILE",
        "'{file}' is no text: byte {offset} is NUL",
        "look at it with a program made for such files, for example 'xxd'",
    ),
    "P615": Entry(
        "INVALID_PARAM",
        "'{file}' is too large to be read at once ({size} KB, at most {limit} KB)",
        "give offset and limit, for example offset 1 and limit 500, or search it with 'patchkit grep'",
    ),
    "P616": Entry(
        "INVALID_PARAM",
        "what was asked for of '{file}' is too long to be shown ({size} characters, at most {limit})",
        "ask for less: {instead}",
    ),
    "P617": Entry(
        "EXECUTION_ERROR",
        "'{file}' cannot be read without the package '{package}'",
        "install it: pip install 'apply-patch[{extra}]'",
    ),
    "P618": Entry(
        "EXECUTION_ERROR", "'{file}' cannot be shown: {reason}", "open it with a program made for such files"
    ),
    "P619": Entry("INVALID_PARAM", "there are no pages '{pages}' of '{file}' to show: {reason}", "give {allowed}"),
    # -- P62x: edits ---------------------------------------------------------------------------------
    "P620": Entry(
        "INVALID_PARAM",
        "nothing to change in '{file}': {what} and its new_string are the same",
        "leave the edit out, or change new_string; nothing was written",
    ),
    "P621": Entry(
        "NOT_FOUND",
        "{what} is not in '{file}'",
        "read {file} and send the edit again with text that is there; nothing was written",
    ),
    "P622": Entry(
        "CONFLICT",
        "{what} stands at {count} places in '{file}' ({places})",
        "give more of the lines around it so that one place remains, or set replace_all; nothing was written",
    ),
    "P623": Entry(
        "CONFLICT",
        "cannot create '{file}': it exists already",
        "give the text to replace as old_string, or write the whole file; nothing was written",
    ),
    "P624": Entry(
        "INVALID_PARAM",
        "{what} cannot be written to '{file}': {reason}",
        "send it as valid text; nothing was written",
    ),
    # -- P63x: ls, glob, grep ------------------------------------------------------------------------
    "P631": Entry(
        "TIMEOUT",
        "the search found nothing before it was stopped, after {seconds} s and {visited} names",
        "narrow the pattern, name a path below one of the directories not visited ({unseen}), or give a timeout of 0",
    ),
    "P632": Entry("INVALID_PARAM", "the pattern '{pattern}' cannot be read: {reason}", "correct the pattern"),
    "P633": Entry(
        "INVALID_PARAM",
        "the regular expression '{pattern}' cannot be read: {reason}",
        "correct it, or leave the regex option out to look for the text itself",
    ),
    "P634": Entry(
        "INVALID_PARAM",
        "the regular expression '{pattern}' needs ripgrep: the search without it does not know {part}",
        "install it: pip install 'apply-patch[rg]'; or use a plainer expression",
    ),
    "P635": Entry(
        "INVALID_PARAM",
        "there is no file type '{type}'",
        "use a glob, for example '*.{type}'; or install ripgrep, which knows more types: pip install 'apply-patch[rg]'",
    ),
    "P636": Entry(
        "INVALID_PARAM",
        "the pattern contains {what}, and matches are found within single lines",
        "look for one of its lines",
    ),
    # -- P64x: exec, intercept, hook -----------------------------------------------------------------
    "P641": Entry(
        "TIMEOUT",
        "the command was still running after {seconds} s and was ended with everything it had started",
        "give it more time (up to {most} s), or start what shall go on in the background, with its output in a file",
    ),
    "P642": Entry(
        "PERMISSION_DENIED",
        "'{command}' is one of the commands that are never run here",
        "do without it, or ask a person to run it; nothing was run",
    ),
    "P643": Entry(
        "INVALID_PARAM",
        "a command may run for {most} s, not for {timeout} s",
        "give a shorter time, or start the command in the background; nothing was run",
    ),
    "P644": Entry(
        "EXECUTION_ERROR",
        "'{command}' cannot be started: {reason}",
        "remove the cause and run it again; nothing was run",
    ),
    "P645": Entry(
        "EXECUTION_ERROR",
        "stopped by {signal}, and the command with everything it had started",
        "run it again when you like; what it had done until then is done",
    ),
    # -- P65x: settings, permissions, audit --------------------------------------------------------
    "P650": Entry(
        "INVALID_PARAM",
        "line {line} of '{file}' is no TOML: {reason}",
        "mend that line; no call is made while the rules cannot be read",
    ),
    "P651": Entry(
        "PERMISSION_DENIED",
        "{deed} is denied by the rule {rule}",
        "do without it, or ask a person to change the rule; nothing was done",
    ),
    "P652": Entry(
        "PERMISSION_DENIED",
        "{deed} needs approval by the rule {rule}",
        "ask a person to approve it, or to allow it by a rule; nothing was done",
    ),
    "P653": Entry("INVALID_PARAM", "'{key}' cannot be {given} ('{file}' line {line})", "set it to {allowed}"),
    "P654": Entry(
        "ACCESS_DENIED",
        "the settings '{file}' cannot be read: {reason}",
        "make the file readable, or remove it; no call is made while the rules cannot be read",
    ),
    "P655": Entry("INVALID_PARAM", "there is no setting '{key}' ('{file}' line {line})", "use one of: {allowed}"),
    "P656": Entry(
        "INVALID_PARAM",
        "'{key}' is set twice, with and without 'tool.patchkit' ('{file}' line {line})",
        "keep one of the two",
    ),
    "P657": Entry(
        "ACCESS_DENIED",
        "the audit log '{file}' cannot be written: {reason}",
        "make the file writable, or name another one; nothing was done, because it could not be recorded",
    ),
    # -- P66x: check -------------------------------------------------------------------------------
    "P661": Entry(
        "NOT_FOUND",
        "no patch at '{given}'",
        "name a patch file, a glob that matches some, or a directory that holds {suffixes}",
    ),
    "P662": Entry(
        "ACCESS_DENIED",
        "'{file}' may not be changed: '{glob}' is forbidden",
        "leave the section out, or change what is forbidden",
    ),
    "P663": Entry(
        "ACCESS_DENIED",
        "'{file}' may not be changed: it is none of the files allowed ({globs})",
        "leave the section out, or change what is allowed",
    ),
    "P664": Entry(
        "ACCESS_DENIED",
        "more files than are allowed: the patch touches {count}, the limit is {limit}",
        "split the patch, or allow more with '--max-files'",
    ),
    "P665": Entry(
        "ACCESS_DENIED",
        "more lines than are allowed: the patch changes {count}, the limit is {limit}",
        "split the patch, or allow more with '--max-lines'",
    ),
    "P666": Entry(
        "NOT_FOUND",
        "there is no commit '{revision}' in '{where}'",
        "name a commit, branch or tag that is there; a shallow clone has to fetch it first",
    ),
    "P667": Entry(
        "EXECUTION_ERROR",
        "the repository cannot be read: {reason}",
        "give the repository with '--git-dir', and see that 'git' can read it",
    ),
    "P668": Entry(
        "EXECUTION_ERROR",
        "the report '{file}' cannot be written: {reason}",
        "give another file with '-o' or '--format NAME=FILE'",
    ),
}
