"""The help texts of the commands that read their own arguments: made from their flags."""

from __future__ import annotations

from patchkit import __version__
from patchkit.cli.flags import APPLY, HOOK, INTERCEPT, MCP, Flag
from patchkit.report.width import filled

_COLUMN = 21  # where the words about a flag begin
_WIDEST = 80

APPLY_USAGE = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n"
INTERCEPT_USAGE = """\
Usage: patchkit intercept [OPTIONS] -- ARGV...
       patchkit intercept [OPTIONS] --script FILE|-
       patchkit intercept [OPTIONS] --json-call < CALL
       patchkit intercept --batch < CALLS
"""


def apply_patch_help() -> str:
    return f"""\
Apply a '*** Begin Patch' … '*** End Patch' text: all of it, or nothing.

Usage: apply_patch [OPTIONS] 'PATCH'
       apply_patch [OPTIONS] < FILE
       apply_patch [OPTIONS] -

Options:
{flag_help(APPLY)}
Exit status: 0 applied, or nothing to change; 1 refused, nothing written;
2 usage; 5 files may be mixed, run 'patchkit recover'.

Example:
  apply_patch <<'EOF'
  *** Begin Patch
  *** Update File: src/app.py
  @@ def greet():
  -    print("Hi")
  +    print("Hello, world!")
  *** End Patch
  EOF
"""


def intercept_help() -> str:
    return f"""\
Report whether a command is exactly one apply_patch call, and with which patch.

{INTERCEPT_USAGE}
Options:
{flag_help(INTERCEPT)}
In text the patch goes to standard output as it is, everything else to standard
error.

Exit status: 0 apply_patch, 10 something else, 1 a call that cannot be trusted,
2 usage; with --apply that of apply_patch.
"""


def hook_help() -> str:
    return f"""\
Answer the event that Claude Code, Codex (PreToolUse) or Gemini CLI (BeforeTool)
sends before a tool runs. A shell command that is one apply_patch call is checked
against the workspace: if the patch applies, the call is allowed in a form that
runs patchkit directly, else it is denied with the reason. Every other call passes
unchanged. The settings to paste for each runtime are in docs/agents.md.

Usage: patchkit hook < EVENT

Options:
{flag_help(HOOK)}
Exit status: 0, always: the answer is in the JSON.
"""


def mcp_help() -> str:
    return f"""\
Serve the tools of one workspace to an agent by the Model Context Protocol, on
standard input and output, until the input ends. The workspace is fixed when the
server starts. docs/mcp.md describes it.

Usage: patchkit mcp [OPTIONS]
       patchkit mcp [OPTIONS] --install CLIENT

Options:
{flag_help(MCP)}
Exit status: 0 at the end of the input; 2 usage.
"""


def version() -> str:
    return f"apply_patch {__version__} (patchkit)\n"


def flag_help(flags: tuple[Flag, ...]) -> str:
    """Flags below each other: their names on the left, broken lines about them on the right."""
    return "".join(_entry(flag) for flag in flags)


def _entry(flag: Flag) -> str:
    names = "  " + ", ".join(flag.names) + (f" {flag.value}" if flag.value else "")
    lines = filled((flag.about + flag.more).split(" "), _WIDEST - _COLUMN)
    if len(names) > _COLUMN - 2:
        lines = ["", *lines]
    head, *rest = lines
    return "".join([f"{names:<{_COLUMN}}{head}".rstrip() + "\n", *(f"{'':{_COLUMN}}{line}\n" for line in rest)])
