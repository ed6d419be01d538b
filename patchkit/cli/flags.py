"""The flags of the commands: each is one value, from which its reading, its help and its completion are made.

Takes nothing; gives the flags that several commands have, the tables of the commands with a `main` of their own, and
the reader of all command lines. Loads nothing, because commands answer at once: the layout of help texts is in `help`,
what a shell completes in `completion`.
"""

from __future__ import annotations

from patchkit.cli.exit_status import CommandLineError
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COLORS = ("auto", "always", "never")
DIALECT_NAMES = ("safe", "codex")
PASS_NAMES = (
    *("exact", "trailing-space", "surrounding-space", "typography", "rewritten", "blank-lines", "context-line"),
)  # a test checks this and the dialects against the packages that define them: loading those is not needed here

FORMAT_NAMES = ("auto", "v4a", "unified", "search-replace", "json-edits", "openai-ops", "whole-file")


class Flag(Value):
    """One flag of a command line, or a word of it: that is a flag without names.

    `field` is where its value goes. `value` names the value in help: '' for a flag without one. `kind` says what it is:
    DIR, FILE, N for a whole number, NUMBER for any, '' for text; where `value` is one of these, that is its kind. A
    number goes from `least` to `most`. `choices` are the texts allowed, `alone` is the value of a flag that may be
    given without one, `off` is the name that sets a flag to False. A flag that is `many` may be given several times:
    its value is the tuple of all. `about` says what the flag does; a flag without it is not shown. `more` is the rest
    of the sentence, which is left out of a completion. `variable` is the environment variable that sets it, too.
    `offers` names what a shell completes, where `kind` and `choices` do not say it.
    """

    __slots__ = (
        *("names", "field", "value", "about", "more", "kind", "choices", "variable", "alone", "off"),
        *("many", "required", "default", "least", "most", "offers"),
    )
    names: tuple[str, ...]
    field: str
    value: str
    about: str
    more: str
    kind: str
    choices: tuple[str, ...]
    variable: str
    alone: str
    off: str
    many: bool
    required: bool
    default: object
    least: int | None
    most: int | None
    offers: str

    def __init__(
        self,
        names: str,
        field: str,
        about: str,
        more: str = "",
        value: str = "",
        kind: str = "",
        choices: tuple[str, ...] = (),
        variable: str = "",
        alone: str = "",
        off: str = "",
        many: bool = False,
        required: bool = False,
        default: object = None,
        least: int | None = 0,
        most: int | None = None,
        offers: str = "",
    ) -> None:
        self.names = tuple(names.split())
        self.field = field
        self.value = value
        self.about = about
        self.more = more
        self.kind = kind or (value if value in ("DIR", "FILE", "N") else "")
        self.choices = choices
        self.variable = variable
        self.alone = alone
        self.off = off
        self.many = many
        self.required = required
        self.default = default
        self.least = least
        self.most = most
        self.offers = offers

    def saying(self, about: str, names: str = "") -> Flag:
        """The flag with other words about it, or under some of its names only, where the others mean something else."""
        made = Flag("", self.field, about)
        for slot in self.__slots__:
            if slot not in ("about", "more"):
                setattr(made, slot, getattr(self, slot))
        made.names = tuple(names.split()) or self.names
        return made


def argument(field: str, shown: str, **more: Any) -> Flag:
    """A word of the command line that is not behind a flag, as usage shows it."""
    return Flag("", field, "", value=shown, **more)


# -- what several commands have -------------------------------------------------------------------

ROOT = Flag(
    "--root",
    "root",
    "workspace directory; nothing outside it is read or written",
    " (default: PATCHKIT_ROOT, else the current directory)",
    value="DIR",
    variable="PATCHKIT_ROOT",
)
START = Flag("-C --start", "start", "directory that relative paths start from", ", inside the workspace", value="DIR")
JSON = Flag("--json", "as_json", "print one JSON result instead of text")
AS_AGENT = Flag(
    "--as-agent",
    "agent",
    "run as an unattended agent: actions that need approval are denied",
    " (also: PATCHKIT_AGENT=1)",
    variable="PATCHKIT_AGENT",
)
COLOR = Flag(
    "--color",
    "color",
    "when to use colour",
    ": auto (default: on terminals; honours NO_COLOR and FORCE_COLOR), always or never",
    value="WHEN",
    choices=COLORS,
)
HELP = Flag("-h --help", "help", "show this text")

# -- how a patch is read and matched: apply_patch and check ----------------------------------------

STRICT = Flag("--strict", "strict", "accept exact matches and the plain grammar only")
MAX_PASS = Flag(
    "--max-pass",
    "max_pass",
    "most tolerant way in which a hunk may match",
    f": {', '.join(PASS_NAMES)} (default)",
    value="NAME",
    choices=PASS_NAMES,
)
ENCODING = Flag(
    "--encoding",
    "encoding",
    "encoding to assume for files that are not UTF-8 and do not declare one",
    ", such as gbk, shift_jis or cp1252",
    value="NAME",
)
FROM = Flag(
    "--from",
    "source",
    "edit format of the text",
    f": {', '.join(FORMAT_NAMES)} (default: v4a, the patch language)",
    value="FORMAT",
    choices=FORMAT_NAMES,
)
STRIP = Flag(
    "-p --strip",
    "strip",
    "remove N leading parts of the paths of a unified diff",
    ", as patch does (default: what the files and the headers show)",
    value="N",
)
SKIP_UNSAYABLE = Flag(
    "--skip-unsayable",
    "skip_unsayable",
    "leave out what a patch cannot say",
    ", such as modes, links and binary content; notes list it",
)
REVERSE = Flag("-R --reverse", "reverse", "take the patch back", ": what it removes is added, what it adds is removed")
BASE = Flag(
    "--base",
    "base_name",
    "what the patch was made for: a revision, a directory, or auto",
    "; its changes are merged with those made since",
    value="REV|DIR",
)
CONFLICTS = Flag(
    "--conflicts",
    "conflicts",
    "write conflicts with '--base' as markers",
    "; the status is 1 then",
    value="markers",
    choices=("markers",),
)
SYNTAX = Flag(
    "--syntax",
    "syntax",
    "what to do about new syntax errors",
    ": off, note or error, which refuses the patch; needs the extra 'structure'"
    " (default: note with --json and in check, else off; also: PATCHKIT_SYNTAX)",
    value="HOW",
    choices=("off", "note", "error"),
)
OVERWRITE = Flag("--overwrite", "overwrite", "let Add and Move replace existing files")
FORWARD = Flag("--forward", "forward", "skip what is already applied", ": hunks, new files, deletions and renames")
DIALECT = Flag(
    "--dialect",
    "dialect",
    "how the patch is meant",
    ": safe (default), or codex: overwrite, first match wins, final newline added, sections committed one by one"
    " (also: PATCHKIT_DIALECT)",
    value="NAME",
    choices=DIALECT_NAMES,
    variable="PATCHKIT_DIALECT",
)
ALLOW_VCS = Flag("--allow-vcs", "allow_vcs", "allow changes inside .git, .hg and .svn")
ALLOW_DUPLICATE = Flag("--allow-duplicate", "allow_duplicate", "allow additions that the file has already")
ALLOW_PLACEHOLDER = Flag(
    "--allow-placeholder", "allow_placeholder", "allow added lines such as '# ... rest of the code'"
)
FIX = Flag(
    "--fix",
    "fix",
    "apply the corrected patch where a patch is refused and its correction is certain",
    "; --fix=likely applies likely corrections, too",
    value="HOW",
    choices=("certain", "likely"),
    alone="certain",
)
MOST_PATCH_BYTES = 64 << 20
MAX_PATCH_BYTES = Flag(
    "--max-patch-bytes",
    "max_patch_bytes",
    "largest patch that is accepted",
    f" (default: {MOST_PATCH_BYTES})",
    value="N",
)

# -- the commands ----------------------------------------------------------------------------------

APPLY = (
    Flag("--check --dry-run", "check", "check whether the patch applies, without changing files"),
    Flag("--diff", "diff", "print the changes as a unified diff, after the summary"),
    Flag("--stat", "stat", "print a table of how many lines change"),
    Flag("--numstat", "numstat", "print only how many lines change, for programs"),
    JSON,
    FROM,
    STRIP,
    SKIP_UNSAYABLE,
    REVERSE,
    BASE,
    CONFLICTS,
    STRICT,
    MAX_PASS,
    ENCODING,
    OVERWRITE,
    FORWARD,
    DIALECT,
    ROOT,
    START,
    ALLOW_VCS,
    ALLOW_DUPLICATE,
    ALLOW_PLACEHOLDER,
    FIX,
    SYNTAX,
    Flag("--allow-owner-change", "allow_owner_change", "write files even if their owner cannot be kept"),
    Flag("--keep-links", "keep_links", "write in place to keep hard links", " (readers may see a partial file)"),
    MAX_PATCH_BYTES,
    Flag(
        "--no-sync",
        "no_sync",
        "do not wait for the disk",
        "; a power cut may then leave files torn, or some old and some new",
    ),
    Flag(
        "--no-history",
        "no_history",
        "do not record what 'patchkit undo' needs",
        " (also: PATCHKIT_NO_HISTORY=1)",
    ),
    AS_AGENT,
    Flag(
        "-i --interactive",
        "interactive",
        "ask for every hunk whether to apply it",
        "; PATCH may name a file; what you skip is printed as a patch",
    ),
    Flag(
        "--together",
        "together",
        "apply several files as one patch",
        ": all of them or none ('patchkit apply FILE…')",
    ),
    Flag("--rest", "rest", "write what '-i' skips to this file", value="FILE"),
    COLOR,
    Flag("-q --quiet", "quiet", "print no summary and no notes", "; errors are always shown"),
    HELP,
    Flag("--version", "version", "show the version"),
)
INTERCEPT = (
    Flag(
        "--script",
        "script",
        "classify the text of a script instead of an argument vector",
        " ('-': from standard input)",
        value="FILE",
    ),
    Flag("--shell", "shell", "shell of that script", ": bash (default), zsh, dash or sh", value="NAME"),
    Flag(
        "--json-call",
        "json_call",
        "read one JSON object from standard input",
        ': {"argv": [...], "cwd": ...} or {"command": [...] or "...", "workdir": ...}',
    ),
    Flag("--batch", "batch", "read one such object a line; print one verdict a line"),
    Flag(
        "-C --cwd", "directory", "directory that the command would run in", " (default: the current one)", value="DIR"
    ),
    Flag("--json", "json", "print the verdict as JSON"),
    Flag("--apply", "apply", "apply the patch at once", "; output and status are those of apply_patch"),
    ROOT,
    AS_AGENT,
    HELP,
)
HOOK_ROOT = Flag(
    "--root", "root", "the project", " (default: what the runtime names, else the current directory)", value="DIR"
)
DOCTOR = Flag("--doctor", "doctor", "report whether the hook is configured, found and called, and for which project")
HOOK = (HOOK_ROOT, DOCTOR, HELP)
MCP_CLIENTS = ("claude", "codex", "gemini", "copilot", "opencode", "vscode", "cursor")
MCP = (
    ROOT,
    Flag("--read-only", "read_only", "offer only tools that change nothing"),
    Flag("--tools", "tools", "offer only these tools", ", separated by commas", value="A,B"),
    AS_AGENT,
    Flag(
        "--install",
        "install",
        "print the configuration for a client",
        f" and where it goes: {', '.join(MCP_CLIENTS)}",
        value="CLIENT",
        choices=MCP_CLIENTS,
    ),
    HELP,
)


# -- reading ---------------------------------------------------------------------------------------


class GivenWords(Value):
    """A command line, read: the values by field, the words that are not flags, and those behind '--'."""

    __slots__ = ("values", "words", "behind", "divided")
    values: dict[str, object]
    words: list[str]
    behind: list[str]
    divided: bool  # whether there is a '--', also with nothing behind it

    def __init__(self) -> None:
        self.values = {}
        self.words = []
        self.behind = []
        self.divided = False

    def take(self, flag: Flag, value: object) -> None:
        """Keeps a value: the last of a flag counts, of one that may be given several times all of them."""
        if flag.many:
            before = self.values.get(flag.field, ())
            value = (*before, value) if isinstance(before, tuple) else (value,)
        self.values[flag.field] = value


def read(words: list[str], flags: tuple[Flag, ...], command: str, until_word: bool = False) -> GivenWords:
    """Reads words from left to right. Raises CommandLineError.

    A word of several lines is never a flag: it is a patch or a script that begins with a dash. `until_word` reads no
    flags behind the first word that is not one.
    """
    line = GivenWords()
    known = {name: flag for flag in flags for name in flag.names}
    rest = words[::-1]
    while rest:
        given = rest.pop()
        name, equals, value = given.partition("=")
        flag = known.get(name)
        if flag is not None and not flag.value:
            if equals:
                raise CommandLineError(f"option '{name}' takes no value: '{given}'")
            line.take(flag, name != flag.off)
        elif flag is not None and flag.alone and not equals:
            line.take(flag, flag.alone)
        elif flag is not None:
            if not equals and not rest:
                raise CommandLineError(f"option '{given}' needs a value")
            line.take(flag, checked(flag, value if equals else rest.pop(), f"option '{name}'"))
        elif given == "--":
            line.behind = rest[::-1]
            line.divided = True
            break
        elif given.startswith("-") and given != "-" and "\n" not in given:
            rest += _taken_apart(given, known, command)
        else:
            line.words.append(given)
            if until_word:
                line.words += rest[::-1]
                break
    return line


def _taken_apart(given: str, known: dict[str, Flag], command: str) -> list[str]:
    """Short flags in one word, as '-qv' or '-n5', as words of their own, the last one first."""
    flag = known.get(given[:2])
    if flag is None or given[1] == "-" or len(given) == 2:
        from patchkit.cli.mistakes import unknown_option  # loads difflib: only for a mistake

        name = given.partition("=")[0]
        near = [name for name in known if name[:2] == "--"]
        raise CommandLineError(f"{unknown_option(name, near)}; '{command} --help' lists them")
    return [given[2:] if flag.value else f"-{given[2:]}", given[:2]]


def checked(flag: Flag, value: str, what: str) -> object:
    """The value that a text is for a flag; `what` names the flag where it is none."""
    if flag.choices and value not in flag.choices:
        raise CommandLineError(f"{what} cannot be '{value}'; use one of: {', '.join(flag.choices)}")
    if flag.kind not in ("N", "NUMBER"):
        return value
    number: float | None = None
    digits = value.removeprefix("-")
    if digits.isascii() and digits.isdigit():
        number = int(value)
    elif flag.kind == "NUMBER":
        try:
            number = float(value)
        except ValueError:
            pass
    least, most = flag.least, flag.most
    if number is None or (number < 0 and least == 0 and most is None):
        raise CommandLineError(f"{what} needs a number, not '{value}'")
    if (least is not None and not number >= least) or (most is not None and number > most):
        allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise CommandLineError(f"{what} needs a number {allowed}, not '{value}'")
    return number
