"""The options of `apply_patch`, and those that other commands share with it.

One row is the whole declaration of an option: the quick reader, click's parser, help, completion and the manual pages
are made from it. The field of an option about planning is its name in the record of options, which the library takes
by the same names.
"""

from __future__ import annotations

from patchkit.cli import CommandLineError
from patchkit.cli.quick import AS_AGENT, JSON, ROOT, START, Flag, Given
from patchkit.core.changes import OPTIONS, Options
from patchkit.errors import PatchkitError

COLORS = ("auto", "always", "never")
DIALECT_NAMES = ("safe", "codex")
PASS_NAMES = (
    *("exact", "trailing-space", "surrounding-space", "typography", "rewritten", "blank-lines", "context-line"),
)  # a test checks this and the dialects against the packages that define them: loading those is not needed here
FORMAT_NAMES = ("auto", "v4a", "unified", "search-replace", "json-edits", "openai-ops", "whole-file", "snippet")
MOST_PATCH_BYTES = 64 << 20

_INPUT, _MATCHING, _SAFETY, _OUTPUT = "Input", "Matching", "Safety", "Output"
_WRITING, _CHOICE, _WORKSPACE = "Writing", "What to do", "Workspace"
_PROOF = "After writing"

COLOR = Flag(
    "--color",
    "when to use colour",
    ": auto (default: on terminals; honours NO_COLOR and FORCE_COLOR), always or never",
    value="WHEN",
    choices=COLORS,
    group=_OUTPUT,
)

WORKSPACE = (ROOT.but(group=_WORKSPACE, brief=True), START.but(group=_WORKSPACE))
AGENT = AS_AGENT.but(group=_SAFETY)

FROM = Flag(
    "--from",
    "edit format of the text",
    f": {', '.join(FORMAT_NAMES)} (default: v4a, the patch language)",
    value="FORMAT",
    choices=FORMAT_NAMES,
    group=_INPUT,
    brief=True,
    field="source",
)
STRIP = Flag(
    "-p --strip",
    "remove N leading parts of the paths of a unified diff",
    ", as patch does (default: what the files and the headers show)",
    value="N",
    group=_INPUT,
)
SKIP_UNSUPPORTED = Flag(
    "--skip-unsupported",
    "leave out what the format cannot express",
    ", such as modes, links and binary content; notes list it",
    group=_INPUT,
)
STRICT = Flag("--strict", "accept exact matches and the plain grammar only", group=_MATCHING, brief=True)
MAX_PASS = Flag(
    "--max-pass",
    "most tolerant way in which a hunk may match",
    f": {', '.join(PASS_NAMES)} (default)",
    value="NAME",
    choices=PASS_NAMES,
    group=_MATCHING,
)
ENCODING = Flag(
    "--encoding",
    "encoding to assume for files that are not UTF-8 and do not declare one",
    ", such as gbk, shift_jis or cp1252",
    value="NAME",
    group=_MATCHING,
)
FORWARD = Flag(
    *("--forward", "skip what is already applied", ": hunks, new files, deletions and renames"), group=_MATCHING
)
DIALECT = Flag(
    "--dialect",
    "compatibility mode",
    ": safe (default), or codex: overwrite, first match wins, final newline added, sections committed one by one"
    " (also: PATCHKIT_DIALECT)",
    value="NAME",
    choices=DIALECT_NAMES,
    variable="PATCHKIT_DIALECT",
    group=_MATCHING,
)
OVERWRITE = Flag("--overwrite", "let Add and Move replace existing files", group=_SAFETY)
QUIET = Flag("-q --quiet", "print no summary and no notes", "; errors are always shown", group=_OUTPUT, brief=True)
ALLOW_VCS = Flag("--allow-vcs", "allow changes inside .git, .hg and .svn", group=_SAFETY)
ALLOW_DUPLICATE = Flag("--allow-duplicate", "allow additions that the file has already", group=_SAFETY)
ALLOW_PLACEHOLDER = Flag("--allow-placeholder", "allow added lines such as '# ... rest of the code'", group=_SAFETY)
PARTIAL = Flag(
    "--partial",
    "apply what fits, and give the rest back as a patch",
    ": files whose hunks all fit, with --partial=hunks also the hunks that fit of others; the exit status is then 1",
    value="HOW",
    choices=("files", "hunks"),
    alone="files",
    group=_CHOICE,
)
PLANNING = (  # what every command has that plans patches: `apply`, `check`, `batch`
    *(FROM, STRIP, SKIP_UNSUPPORTED, STRICT, MAX_PASS, ENCODING, FORWARD, DIALECT),
    *(OVERWRITE, ALLOW_VCS, ALLOW_DUPLICATE, ALLOW_PLACEHOLDER, PARTIAL),
)
FITS = PARTIAL.but(about="say how much of a refused patch fits", more=": how many of its files and hunks")
JUDGING = tuple(FITS if row is PARTIAL else row for row in PLANNING)  # the same for commands that apply nothing

REVERSE = Flag(
    *("-R --reverse", "take the patch back", ": what it removes is added, what it adds is removed"),
    group=_CHOICE,
    brief=True,
)
BASE = Flag(
    "--base",
    "what the patch was made for: a revision, a directory, or auto",
    "; its changes are merged with those made since",
    value="REV|DIR",
    group=_MATCHING,
    field="base_name",
)
FIX = Flag(
    "--fix",
    "apply the corrected patch where a patch is refused and its correction is certain",
    "; --fix=likely applies likely corrections, too",
    value="HOW",
    choices=("certain", "likely"),
    alone="certain",
    group=_CHOICE,
    brief=True,
)
SYNTAX = Flag(
    "--syntax",
    "what to do about new syntax errors",
    ": off, note (default) or error, which refuses the patch; other languages than Python, JSON and TOML need the"
    " extra 'structure' (also: PATCHKIT_SYNTAX)",
    value="HOW",
    choices=("off", "note", "error"),
    group=_SAFETY,
)
MAX_PATCH_BYTES = Flag(
    "--max-patch-bytes", "largest patch that is accepted", f" (default: {MOST_PATCH_BYTES})", value="N", group=_INPUT
)


def planned(given: Given, options: Options) -> Options:
    """The options with the values that are given for them; raises CommandLineError for one that cannot be."""
    for field, value in given.items():
        if field in OPTIONS and value is not None and value is not False:
            setattr(options, field, value)
    try:
        return options.checked()
    except PatchkitError as error:
        raise CommandLineError(f"{error.message}; {error.hint}") from None


APPLY = (
    Flag(
        "--check --dry-run",
        "check whether the patch applies, without changing files",
        group=_CHOICE,
        brief=True,
        field="check",
    ),
    REVERSE,
    FIX,
    Flag(
        "-i --interactive",
        "ask for every hunk whether to apply it",
        "; PATCH may name a file; what you skip is printed as a patch",
        group=_CHOICE,
        brief=True,
    ),
    Flag("--rest", "write what '-i' or '--partial' leaves to this file", value="FILE", group=_CHOICE),
    *PLANNING,
    MAX_PATCH_BYTES,
    BASE,
    Flag(
        "--conflicts",
        "write conflicts with '--base' as markers",
        "; the exit status is then 1",
        value="markers",
        choices=("markers",),
        group=_MATCHING,
    ),
    *WORKSPACE,
    SYNTAX,
    AGENT,
    Flag(
        "--format",
        "run a command that formats the changed files",
        "; '{files}' is the place of their names, and what it changes belongs to the run",
        value="CMD",
        many=True,
        group=_PROOF,
    ),
    Flag(
        "--verify",
        "run a command in the workspace, and take everything back if it fails",
        "",
        value="CMD",
        many=True,
        group=_PROOF,
        brief=True,
    ),
    Flag(
        "--verify-timeout",
        "seconds that each of these commands may run",
        " (default: 120)",
        value="N",
        group=_PROOF,
        least=1,
    ),
    Flag(
        "--commit",
        "put the changed files into a git commit, and take everything back if that fails",
        "; --commit=MESSAGE says what it is",
        value="MESSAGE",
        alone="-",
        group=_PROOF,
    ),
    Flag("--allow-owner-change", "write files even if their owner cannot be kept", group=_SAFETY),
    Flag("--keep-links", "write in place to keep hard links", " (readers may see a partial file)", group=_WRITING),
    Flag(
        "--no-sync",
        "do not wait for the disk",
        "; a power cut may then leave files torn, or some old and some new",
        group=_WRITING,
    ),
    Flag("--no-history", "do not record what 'patchkit undo' needs", " (also: PATCHKIT_NO_HISTORY=1)", group=_WRITING),
    Flag("--diff", "print the changes as a unified diff, after the summary", group=_OUTPUT, brief=True),
    Flag("--stat", "print a table of how many lines change", group=_OUTPUT),
    Flag("--numstat", "print only how many lines change, for programs", group=_OUTPUT),
    JSON.but(group=_OUTPUT, brief=True),
    COLOR,
    QUIET,
)
TOGETHER = Flag("--together", "apply several files as one patch", ": all of them or none", group=_CHOICE)
PATCHES = (Flag("", value="[PATCH]", kind="FILE", many=True, field="patches"),)
FILES = (Flag("", value="[FILE]...", kind="FILE", many=True, field="patches"),)
