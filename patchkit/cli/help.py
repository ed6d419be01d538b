"""The help of every command, in one style: what it does, usage, options, exit status, an example.

Takes a HelpPage; gives spans for the terminal. The pages are made from the flags of the commands.
"""

from __future__ import annotations

from patchkit import __version__
from patchkit.cli.exit_table import statuses_of
from patchkit.cli.flags import APPLY, HOOK, INTERCEPT, MCP, Flag
from patchkit.cli.streams import columns, show
from patchkit.report.width import filled
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.spans import Spans

_COLUMN = 21  # where the words about an option begin
_PIPED, _WIDEST = 80, 100
_STATUS = "Exit status"
Entries = list[tuple[str, str]]  # names, and the words about them

APPLY_USAGE = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n"
NAMED_USAGE = "Usage: patchkit apply FILE…\n       patchkit apply < FILE\n"
INTERCEPT_USAGE = """\
Usage: patchkit intercept [OPTIONS] -- ARGV...
       patchkit intercept [OPTIONS] --script FILE|-
       patchkit intercept [OPTIONS] --json-call < CALL
       patchkit intercept --batch < CALLS
"""
_EXAMPLE = """\
apply_patch <<'EOF'
*** Begin Patch
*** Update File: src/app.py
@@ def greet():
-    print("Hi")
+    print("Hello, world!")
*** End Patch
EOF
"""


class HelpPage(Value):
    """What a help text has: a sentence, the lines of usage, paragraphs, lists below headings, an example.

    A paragraph that holds a line feed is printed as it is.
    """

    __slots__ = ("summary", "usage", "paragraphs", "lists", "example")
    summary: str
    usage: list[str]
    paragraphs: list[str]
    lists: list[tuple[str, Entries]]
    example: str

    def __init__(self, summary: str, usage: list[str]) -> None:
        self.summary = summary
        self.usage = usage
        self.paragraphs = []
        self.lists = []
        self.example = ""

    def spans(self, width: int) -> Spans:
        """The page, no line of its prose wider than `width`."""
        out: Spans = [(_paragraph(self.summary, width), "strong"), ("\n", "")]
        for number, line in enumerate(self.usage):
            out += [("       ", "")] if number else [("Usage:", "strong"), (" ", "")]
            out.append((f"{line}\n", ""))
        for words in self.paragraphs:
            out.append((f"\n{_paragraph(words, width)}", ""))
        longest = max([len(names) for title, entries in self.lists if title != _STATUS for names, _ in entries] or [0])
        for title, entries in self.lists:
            if entries:
                below = listed(entries, width, 0 if title == _STATUS else longest)
                out += [("\n", ""), (f"{title}:", "strong"), ("\n", ""), *below]
        if self.example:
            lines = "".join(f"  {line}\n" for line in self.example.splitlines())
            out += [("\n", ""), ("Example:", "strong"), (f"\n{lines}", "")]
        return out

    def text(self, width: int = _PIPED) -> str:
        return "".join([text for text, _style in self.spans(width)])

    def show(self, stream: int = 1) -> None:
        show(stream, self.spans(page_width(stream)))


def page_width(stream: int) -> int:
    """How wide prose on a stream may be: as the terminal, but not so wide that it is hard to read."""
    return min(columns(stream) or _PIPED, _WIDEST)


def _paragraph(words: str, width: int) -> str:
    if "\n" in words.strip("\n"):
        return words if words.endswith("\n") else words + "\n"
    return "".join(f"{line}\n" for line in filled(words.split(), width))


def listed(entries: Entries, width: int, longest: int = 0) -> Spans:
    """Names below each other on the left, the words about each on the right, behind the `longest` name."""
    column = min(_COLUMN, (longest or max(len(names) for names, _words in entries)) + 4)
    out: Spans = []
    for names, words in entries:
        head, *rest = filled(words.split(), max(width - column, 20)) or [""]
        out += [("  ", ""), (names, "place")]
        if len(names) + 4 > column and head:
            rest, head = [head, *rest], ""
        out.append((f"{'':{max(column - len(names) - 2, 0)}}{head}".rstrip() + "\n", ""))
        out += [(f"{'':{column}}{line}\n", "") for line in rest]
    return out


def flag_entries(flags: tuple[Flag, ...]) -> Entries:
    return [
        (", ".join(flag.names) + _value_of(flag), flag.about + flag.more) for flag in flags if flag.names and flag.about
    ]


def _value_of(flag: Flag) -> str:
    if flag.alone:
        return f"[={flag.value}]"
    return f" {flag.value}" if flag.value else ""


def status_entries(command: str) -> Entries:
    return [(str(status), words) for status, words in statuses_of(command).items()]


def command_help(name: str, about: str, words: tuple[Flag, ...], flags: tuple[Flag, ...]) -> HelpPage:
    """The page of a command: see `subcommand.Subcommand`."""
    summary, *paragraphs = [part.strip("\n") for part in about.split("\n\n") if part.strip()]
    page = HelpPage(
        " ".join(summary.split()), [" ".join(["patchkit", name, "[OPTIONS]", *(each.value for each in words)])]
    )
    page.paragraphs = [_kept(part) if part.startswith("  ") else " ".join(part.split()) for part in paragraphs]
    page.lists = [("Options", flag_entries(flags)), (_STATUS, status_entries(name))]
    return page


def _kept(part: str) -> str:
    """A paragraph whose lines are shown as they are, without their indentation."""
    return "".join(f"{line[2:]}\n" for line in part.split("\n"))


# -- the commands with a `main` of their own -------------------------------------------------------


def apply_patch_help(by_name: bool = False) -> HelpPage:
    """The help of `apply_patch`; `by_name` for `patchkit apply`, which takes the names of files."""
    usage = ["apply_patch [OPTIONS] 'PATCH'", "apply_patch [OPTIONS] < FILE", "apply_patch [OPTIONS] -"]
    if by_name:
        usage = [
            "patchkit apply [OPTIONS] FILE…",
            "patchkit apply [OPTIONS] < FILE",
            "patchkit apply [OPTIONS] 'PATCH'",
        ]
    page = HelpPage("Apply a '*** Begin Patch' … '*** End Patch' text: all of it, or nothing.", usage)
    if by_name:
        page.paragraphs = [
            "Several files are applied one after the other. 'apply_patch' does the same with a patch as its argument."
        ]
    page.lists = [("Options", flag_entries(APPLY)), (_STATUS, status_entries("apply"))]
    page.example = "patchkit apply --check --diff fix.patch\npatchkit apply fix.patch\n" if by_name else _EXAMPLE
    return page


def apply_help() -> HelpPage:
    return apply_patch_help(by_name=True)


def intercept_help() -> HelpPage:
    page = HelpPage(
        "Report whether a command is exactly one apply_patch call, and with which patch.",
        [line[len("Usage: ") :] for line in INTERCEPT_USAGE.splitlines()],
    )
    page.paragraphs = ["In text the patch goes to standard output as it is, everything else to standard error."]
    page.lists = [("Options", flag_entries(INTERCEPT)), (_STATUS, status_entries("intercept"))]
    return page


def hook_help() -> HelpPage:
    usage = ["patchkit hook [--root DIR] < EVENT", "patchkit hook --doctor"]
    page = HelpPage("Answer an agent runtime that is about to run a tool.", usage)
    page.paragraphs = [
        "Answers the event that Claude Code, Codex, Copilot (PreToolUse) or Gemini CLI (BeforeTool) sends before a "
        "tool runs. A shell command that is one apply_patch call is checked against the workspace: if the patch "
        "applies, the call is rewritten to run patchkit directly, and the runtime decides about it; else it "
        "is denied with the "
        "reason. Every other call passes unchanged, unless the project has rules. The settings to paste for each "
        "runtime are in docs/agents.md.",
    ]
    page.lists = [("Options", flag_entries(HOOK)), (_STATUS, status_entries("hook"))]
    return page


def mcp_help() -> HelpPage:
    usage = ["patchkit mcp [OPTIONS]", "patchkit mcp [OPTIONS] --install CLIENT"]
    page = HelpPage("Serve the tools to an agent by the Model Context Protocol.", usage)
    page.paragraphs = [
        "Serves the tools of one workspace on standard input and output, until the input ends. The workspace is fixed "
        "when the server starts. docs/mcp.md describes it.",
    ]
    page.lists = [("Options", flag_entries(MCP)), (_STATUS, status_entries("mcp"))]
    return page


PAGES = {"apply": apply_help, "intercept": intercept_help, "hook": hook_help, "mcp": mcp_help}


def version(name: str = "apply_patch") -> str:
    return f"{name} {__version__}{'' if name == 'patchkit' else ' (patchkit)'}\n"
