"""The words for every code: one sentence, one next step, and what kind of trouble it is.

Data only, read when somebody asks an error or a note for its words. `docs/errors.md` explains each
code at length, and a test holds the two lists together. A sentence is lower case without a full
stop, the problem first, names in single quotes; the help is an imperative that can be followed at once.
"""

from __future__ import annotations

from patchkit.values import Value


class Entry(Value):
    __slots__ = ("kind", "sentence", "advice")
    kind: str
    sentence: str
    advice: str

    def __init__(self, kind: str, sentence: str, advice: str = "") -> None:
        self.kind = kind
        self.sentence = sentence
        self.advice = advice


ENTRIES = {
    # -- P1xx: the language
    "P101": Entry(
        "INVALID_PARAM",
        "no patch found: the text does not begin with a '*** Begin Patch' line",
        "start the patch with '*** Begin Patch' on a line of its own and end it with '*** End Patch'",
    ),
    "P102": Entry(
        "INVALID_PARAM",
        "the patch is not finished: no '*** End Patch' after line {patch_line}",
        "send the whole patch again, ending with '*** End Patch'; a cut-off patch is never applied",
    ),
    "P103": Entry(
        "INVALID_PARAM",
        "unexpected line in the patch: {found_short}",
        "write one of {expected_list} here",
    ),
    "P104": Entry(
        "INVALID_PARAM",
        "a name is missing after '{found_bare}'",
        "write it on the same line, for example '{found_bare} src/app.py'",
    ),
    "P105": Entry(
        "INVALID_PARAM",
        "the update of '{file}' says nothing: it has no hunk and no '*** Move to:' line",
        "add an '@@' line with the lines to change below it, or leave the section out",
    ),
    "P106": Entry(
        "INVALID_PARAM",
        "a hunk of '{file}' has no lines",
        "below '@@' write context lines with a leading space, '-' lines to remove and '+' lines to add",
    ),
    "P107": Entry(
        "INVALID_PARAM",
        "a line of the new file '{file}' has no leading '+': {found_short}",
        "put '+' in front of every line of a new file, blank ones too",
    ),
    "P108": Entry(
        "INVALID_PARAM",
        "this is a unified diff, not a patch in the apply_patch language",
        "apply it with 'git apply', or write '*** Begin Patch', '*** Update File: PATH', hunks, '*** End Patch'",
    ),
    "P109": Entry(
        "INVALID_PARAM",
        "the argument is one line and no patch; if it names a file, its content was wanted",
        "run 'apply_patch < FILE' to apply a patch that is kept in a file",
    ),
    "P110": Entry(
        "INVALID_PARAM",
        "No files were modified.",
        "put at least one '*** Add File:', '*** Update File:' or '*** Delete File:' section between the markers",
    ),
    "P111": Entry(
        "INVALID_PARAM",
        "the patch begins with a {encoding} byte order mark but is no valid {encoding}",
        "send the patch as UTF-8",
    ),
    "P112": Entry(
        "INVALID_PARAM",
        "the language cannot say this: {what}",
        "{instead}",
    ),
    "P113": Entry(
        "INVALID_PARAM",
        "the patch holds half a character (a lone surrogate, line {patch_line})",
        "send both halves of the character, or the character itself as UTF-8",
    ),
    "P114": Entry(
        "INVALID_PARAM",
        "the text is a shell command that changes directory before it applies the patch: {found_short}",
        "run it in a shell, or send the patch alone with '-C DIR'",
    ),
    "P115": Entry(
        "INVALID_PARAM",
        "the patch is larger than {limit} bytes",
        "split it, or allow more with '--max-patch-bytes N'",
    ),
    # -- P2xx: matching
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
        "use a line of the file as it stands as the anchor; nothing was written",
    ),
    "P204": Entry(
        "CONFLICT",
        "hunks {hunks} of '{file}' change the same lines ({places})",
        "join them into one hunk; nothing was written",
    ),
    "P205": Entry(
        "CONFLICT",
        "'{file}' already has what this hunk would make (line {line})",
        "leave the hunk out; nothing was written",
    ),
    "P206": Entry(
        "NOT_FOUND",
        "the hunk is marked '*** End of File' but its lines are not at the end of '{file}' (they are at line {line})",
        "leave the marker out, or give the last lines of the file; nothing was written",
    ),
    "P207": Entry(
        "CONFLICT",
        "the hunk fits '{file}' only by '{found_pass}', and no more than '{max_pass}' is allowed",
        "send the lines exactly as they stand in the file (line {line}); nothing was written",
    ),
    "P208": Entry(
        "CONFLICT",
        "anchor '{anchor}' stands at {count} places in '{file}' ({places}) and the hunk has no other line",
        "add the line after which the text belongs as a context line; nothing was written",
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
    "P210": Entry(
        "CONFLICT",
        "'{file}' is kept in {encoding}, which cannot hold the bytes of the hunk",
        "send the hunk as valid UTF-8; nothing was written",
    ),
    # -- P3xx: workspace and policy
    "P301": Entry(
        "ACCESS_DENIED",
        "path '{file}' leaves the workspace '{root}'",
        "use a path inside the workspace, or '--root' on a directory that contains it; nothing was written",
    ),
    "P302": Entry("NOT_FOUND", "file '{file}' does not exist", "check the path{suggestion}; nothing was written"),
    "P303": Entry(
        "CONFLICT",
        "cannot add '{file}': it exists already",
        "change it with '*** Update File: {file}', or allow it with '--overwrite'; nothing was written",
    ),
    "P304": Entry(
        "CONFLICT",
        "cannot move '{source}' to '{file}': it exists already",
        "choose another name, delete '{file}' in an earlier section, or use '--overwrite'; nothing was written",
    ),
    "P305": Entry("IS_DIRECTORY", "'{file}' is a directory", "name a file; nothing was written"),
    "P306": Entry(
        "ACCESS_DENIED",
        "'{file}' is no regular file but a {type}",
        "name a regular file; nothing was written",
    ),
    "P307": Entry(
        "ACCESS_DENIED",
        "'{file}' is a symbolic link to '{target}', which leads out of the workspace or nowhere",
        "name the real file inside the workspace; nothing was written",
    ),
    "P308": Entry(
        "CONFLICT",
        "cannot write '{file}': a symbolic link of that name exists, and new files never go through links",
        "delete the link in an earlier section, or update the file it points to; nothing was written",
    ),
    "P309": Entry(
        "INVALID_PARAM", "'{file}' is no possible file name: {reason}", "use another name; nothing was written"
    ),
    "P310": Entry(
        "INVALID_PARAM",
        "'{file}' cannot exist: '{parent}' is a file, not a directory",
        "use another path; nothing was written",
    ),
    "P311": Entry(
        "CONFLICT",
        "'{file}' was changed by someone else while the patch was being applied",
        "read it again and send the patch again; nothing was written",
    ),
    "P312": Entry(
        "ACCESS_DENIED",
        "workspace root '{root}' cannot be used: {reason}",
        "give an existing directory with '--root'",
    ),
    "P313": Entry(
        "CONFLICT",
        "both '{file}' and '{other}' exist, and the patch writes the name with blanks at its ends",
        "write the name without the blanks, or rename one of the files; nothing was written",
    ),
    "P314": Entry(
        "CONFLICT",
        "cannot move '{file}': it is a symbolic link to '{target}'",
        "update '{target}' itself, and move the link with your shell; nothing was written",
    ),
    "P315": Entry(
        "TIMEOUT",
        "another patchkit run has held the workspace '{root}' for {seconds} s",
        "wait for it to end, or end it, then send the patch again; nothing was written",
    ),
    "P316": Entry(
        "EXECUTION_ERROR",
        "the workspace '{root}' cannot be locked: {reason}",
        "use a workspace on a file system that knows locks; nothing was written",
    ),
    "P317": Entry(
        "PERMISSION_DENIED",
        "'{file}' belongs to {owner}, and the new file could not be given to them",
        "run as that user, or allow the change with '--allow-owner-change'; nothing was written",
    ),
    "P321": Entry("NOT_FOUND", "nothing to {verb} in '{root}'", "see what was applied here with 'patchkit log'"),
    "P322": Entry(
        "NOT_FOUND", "no run '{run}' in the history of '{root}'", "choose one of those that 'patchkit log' lists"
    ),
    "P323": Entry(
        "CONFLICT",
        "cannot {verb} {run}: '{file}' was changed since",
        "take the newer change back first, or edit the file by hand; nothing was written",
    ),
    "P324": Entry(
        "CONFLICT",
        "cannot {verb} {run}: {reason}",
        "restore the files from your version control; nothing was written",
    ),
    "P325": Entry(
        "CONFLICT",
        "run {run} is {state} already",
        "use 'patchkit {other} {run}' to take that back; nothing was written",
    ),
    "P318": Entry(
        "ACCESS_DENIED",
        "'{file}' lies inside '{part}', which a patch may not change",
        "leave it to its own tool, or allow it with '--allow-vcs'; nothing was written",
    ),
    # -- P4xx: input and output
    "P401": Entry(
        "EXECUTION_ERROR", "cannot read '{file}': {reason}", "check the file's permissions; nothing was written"
    ),
    "P402": Entry(
        "EXECUTION_ERROR",
        "cannot write '{file}': {reason}",
        "remove the cause and send the patch again; everything is as it was",
    ),
    "P403": Entry(
        "EXECUTION_ERROR", "cannot read the patch: {reason}", "pipe the patch in or give it as the only argument"
    ),
    "P404": Entry(
        "EXECUTION_ERROR",
        "writing failed ('{file}': {reason}) and could not be undone for: {left}",
        "compare these files with your version control; all other files are as they were",
    ),
    "P405": Entry(
        "EXECUTION_ERROR",
        "not enough memory for this patch and its files",
        "split the patch, or give the process more memory; nothing was written",
    ),
    "P406": Entry(
        "EXECUTION_ERROR",
        "stopped by {signal} before the patch was applied",
        "run it again when you like; everything is as it was",
    ),
    "P499": Entry(
        "INTERNAL_ERROR",
        "patchkit failed in a way it should not: {reason}",
        "please report this with the patch that caused it; everything is as it was unless stated above",
    ),
    # -- P6xx: tools
    "P601": Entry("INVALID_PARAM", "{option} cannot be '{given}'", "use one of: {allowed}"),
    # -- P9xx: notes
    "P901": Entry("", "ignored text outside the patch (line {patch_line}): {found_short}"),
    "P902": Entry("", "ignored blank lines between parts of the patch (line {patch_line})"),
    "P903": Entry("", "took off the heredoc around the patch (line {patch_line}): {found_short}"),
    "P904": Entry("", "took off the Markdown fence around the patch (line {patch_line})"),
    "P905": Entry("", "ignored the byte order mark at the start of the patch"),
    "P906": Entry("", "read {found_short} as '{meant}' (line {patch_line})"),
    "P907": Entry("", "read a blank line without its sign as an empty line (line {patch_line})"),
    "P908": Entry("", "took off the indentation of the whole patch (line {patch_line})"),
    "P909": Entry("", "read CRLF line ends of the patch as plain ones"),
    "P910": Entry("", "ignored the unified file header (line {patch_line})"),
    "P911": Entry("", "read the unified header as a hint (line {patch_line}): {found_short}"),
    "P912": Entry(
        "", "no '*** End Patch', but the text around the patch is closed, so nothing is missing (line {patch_line})"
    ),
    "P913": Entry("", "took the patch out of a JSON tool call"),
    "P914": Entry("", "read literal backslash-n as line ends"),
    "P915": Entry("", "joined a further '*** Begin Patch' envelope to the first (line {patch_line})"),
    "P916": Entry("", "ignored an '*** End of File' marker that says nothing here (line {patch_line})"),
    "P917": Entry("", "read a line without its sign as context (line {patch_line}): {found_short}"),
    "P918": Entry("", "read the indented last line as '*** End Patch'"),
    "P921": Entry("", "hunk {hunk} of '{file}' (line {patch_line}) fits at line {line} by pass '{pass_name}'"),
    "P922": Entry(
        "",
        "hunk {hunk} of '{file}' (line {patch_line}): no anchor '{anchor}', but the lines fit line {line} only",
    ),
    "P923": Entry(
        "", "hunk {hunk} of '{file}' (line {patch_line}): anchor '{anchor}' taken as the beginning of line {line}"
    ),
    "P924": Entry("", "hunk {hunk} of '{file}' (line {patch_line}): added lines take the file's indentation"),
    "P925": Entry("", "hunk {hunk} of '{file}' (line {patch_line}): only blank lines follow it at the end of the file"),
    "P926": Entry("", "hunks of '{file}' are not in the file's order; each fits one place only"),
    "P927": Entry(
        "",
        "hunk {hunk} of '{file}' (line {patch_line}): anchor '{anchor}' found below the scope above it (line {line})",
    ),
    "P928": Entry(
        "", "hunk {hunk} of '{file}' (line {patch_line}): turned {rewrite} in its lines back into what they stand for"
    ),
    "P929": Entry("", "'{file}' already has what {what} would make: left as it is"),
    "P931": Entry("", "dropped blanks at the ends of the name '{file}'"),
    "P932": Entry("", "'{file}' had {count} hard links; the other names keep the old content"),
    "P941": Entry("", "finished a run that was interrupted ({count} files)"),
    "P942": Entry("", "cleaned up after a run that was interrupted"),
    "P943": Entry("", "set aside a journal that cannot be read: '{file}'"),
    "P945": Entry("", "a run that was interrupted had changed everything; changed again by somebody since: {foreign}"),
    "P944": Entry("", "undid a run that was interrupted; left alone, because somebody changed them since: {foreign}"),
    "P933": Entry("", "nothing was written: every file already is what the patch asks for"),
}


def entry(code: str) -> Entry:
    return ENTRIES[code]


def sentence(code: str, facts: dict[str, object]) -> str:
    return ENTRIES[code].sentence.format_map(_Facts(facts))


def advice(code: str, facts: dict[str, object]) -> str:
    """The next step: the one that follows from the places in question, else the catalogue's."""
    for choice in facts.get("choices") or ():  # type: ignore[attr-defined]
        if choice.by.startswith("@@"):
            return f"add an anchor, for example '{choice.by}', to choose line {choice.line}; nothing was written"
        if choice.by:
            return f"add the context line '{choice.by}' to choose line {choice.line}; nothing was written"
    near = facts.get("near")
    if near is not None:
        first, last = near.line + 1, near.line + near.total  # type: ignore[attr-defined]
        return f"read {facts.get('file')} lines {first}-{last} and send the hunk again; nothing was written"
    return ENTRIES[code].advice.format_map(_Facts(facts))


class _Facts(dict[str, object]):
    """Facts as the sentences use them; one that is not known shows as '?', never as an exception."""

    def __missing__(self, name: str) -> object:
        if name == "found_short":
            return _quoted(str(self.get("found", "")))
        if name == "found_bare":
            return str(self.get("found", "")).strip()
        if name == "expected_list":
            return _expected(self.get("expected", ()))  # type: ignore[arg-type]
        return "" if name == "suggestion" else "?"


def _expected(openings: list[str]) -> str:
    """What may stand at a place of the patch, in words."""
    words = [f"'{word.strip()}'" for word in openings if word.strip() and "Environment" not in word]
    if " " in openings:
        words.append("a context line with a leading space")
    return ", ".join(words) or "nothing but blank lines"


def _quoted(text: str) -> str:
    return f"'{text}'" if len(text) <= 80 else f"'{text[:77]}…'"
