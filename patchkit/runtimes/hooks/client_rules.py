"""What a person forbade in Claude Code's own settings, which a rewritten command must not bypass.

Takes a project and a patch; returns what the rules of these settings say about it. Claude Code decides about a command
as the hook rewrote it: a rule about `apply_patch` would no longer fit, and rules about its tools for edits never fit a
command. So a call that a rule about commands names is not rewritten, and a patch is judged by the rules about edits.
Rules that allow are Claude Code's own business. Copilot reads the same settings.
"""

from __future__ import annotations

import json
import os

from patchkit.core.language.parser import parse
from patchkit.errors import PatchkitError
from patchkit.globs.patterns import IgnoreRules
from patchkit.runtimes.hooks.project import HookProject
from patchkit.shell.mention import mentions

_FILES = (".claude/settings.json", ".claude/settings.local.json")
_EDITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_MOST = 1 << 20


class ClientRules:
    """The rules that deny and those that ask, as pairs of a tool and a pattern ('' for all)."""

    def __init__(self, place: HookProject) -> None:
        self._place = place
        self.deny: list[tuple[str, str]] = []
        self.ask: list[tuple[str, str]] = []
        bases = dict.fromkeys([place.root, place.directory, os.path.expanduser("~")])
        for path in [os.path.join(base, name) for base in bases for name in _FILES]:
            self._read(path)

    def _read(self, path: str) -> None:
        try:
            if os.path.getsize(path) > _MOST:
                return
            with open(path, encoding="utf-8") as file:
                found = json.load(file)["permissions"]
            for name, rules in (("deny", self.deny), ("ask", self.ask)):
                rules += [_split(text) for text in found.get(name, []) if isinstance(text, str)]
        except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
            pass  # what Claude Code makes of such a file is its own business

    def are_about_the_command(self) -> bool:
        """Whether a rule names apply_patch as a command: only the command as it was sent is seen by it."""
        return any(tool == "Bash" and mentions(pattern) for tool, pattern in [*self.deny, *self.ask])

    def about(self, patch: str, workdir: str) -> tuple[str, str]:
        """'deny' or 'ask' with the rule, where one about edits fits a file of the patch; '' where none does."""
        try:
            sections = parse(patch).sections
        except PatchkitError:
            return "", ""
        paths = [path for each in sections for path in (each.path, getattr(each, "move_to", None)) if path]
        names = [os.path.realpath(os.path.join(workdir, path)) for path in paths]
        for verb, rules in (("deny", self.deny), ("ask", self.ask)):
            for tool, pattern in rules:
                if tool in _EDITING and any(self._fits(pattern, name) for name in names):
                    return verb, f"{tool}({pattern})" if pattern else tool
        return "", ""

    def _fits(self, pattern: str, name: str) -> bool:
        """Whether a pattern covers a file. It counts from the settings or the current directory: both are tried."""
        if not pattern:
            return True
        base = {os.path.realpath(each) for each in (self._place.root, self._place.directory)}
        if pattern.startswith("//"):
            base, pattern = {"/"}, pattern[1:]
        elif pattern.startswith("~/"):
            base, pattern = {os.path.expanduser("~")}, pattern[1:]
        rules = IgnoreRules([pattern.removeprefix("./")])
        below = [os.path.relpath(name, each) for each in base]
        return any(not path.startswith("..") and rules.ignores_file(path) for path in below)


def _split(text: str) -> tuple[str, str]:
    tool, _, pattern = text.partition("(")
    return tool.strip(), pattern.removesuffix(")").strip()
