"""Find the apply_patch call in a PowerShell command.

Takes the arguments after `pwsh` or `powershell`; gives the text that a static here-string, and nothing
else, pipes into apply_patch. There is no PowerShell grammar here, so exactly this one form is known.
"""

from __future__ import annotations

import re

from patchkit.errors import PatchkitError
from patchkit.shell.verdict import NotOurs

_NAMES = ("pwsh", "powershell")
_SWITCHES = ("-noprofile", "-nologo", "-noninteractive")
_PIPED = r"""\s*@(['"])[ \t]*\r?\n(.*?)\r?\n\1@[ \t]*\|[ \t]*(?:apply_patch|applypatch)[ \t]*;?\s*"""


def script_of(argv: list[str]) -> str | None:
    """The script of `pwsh [switches] -Command SCRIPT`, None when it is not such a command."""
    name = argv[0].lower().removesuffix(".exe") if argv else ""
    if name not in _NAMES:
        return None
    at = 1
    while at < len(argv) and argv[at].lower() in _SWITCHES:
        at += 1
    return argv[at + 1] if len(argv) == at + 2 and argv[at].lower() in ("-command", "-c") else None


def piped(script: str, program: str) -> str:
    """The text that the script pipes into apply_patch."""
    found = re.fullmatch(_PIPED, script, re.DOTALL)
    if not found:
        raise NotOurs("only @'…'@ | apply_patch is known of PowerShell")
    quote, text = found.group(1), found.group(2)
    # The here-string ends at the first line that begins with its closing mark.
    if f"\n{quote}@" in "\n" + text:
        raise NotOurs("the here-string ends earlier")
    if quote == '"' and ("$" in text or "`" in text):
        raise PatchkitError("P504", word='the text inside @"…"@')
    if not text.isascii() and program.lower().startswith("powershell"):
        # Windows PowerShell sends what it pipes as ASCII and writes '?' for everything else.
        raise PatchkitError("P519", name="powershell", what="it pipes text as ASCII")
    return text + "\n"
