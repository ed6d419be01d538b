"""The command line of `apply_patch`, read without click: that costs more than applying a small patch."""

from __future__ import annotations

import os

from patchkit.changes.options import Options
from patchkit.policy.settings_files import is_agent

USAGE = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n"
FLAGS = {
    "--check": "check",
    "--dry-run": "check",
    "--diff": "diff",
    "--stat": "stat",
    "--numstat": "numstat",
    "--json": "json",
    "--strict": "strict",
    "--overwrite": "overwrite",
    "--forward": "forward",
    "--allow-vcs": "allow_vcs",
    "--allow-owner-change": "allow_owner_change",
    "--keep-links": "keep_links",
    "--no-sync": "no_sync",
    "--no-history": "no_history",
    "-i": "interactive",
    "--interactive": "interactive",
    "--as-agent": "agent",
    "-q": "quiet",
    "--quiet": "quiet",
    "-h": "help",
    "--help": "help",
    "--version": "version",
}
VALUES = {
    "--root": "root",
    "-C": "directory",
    "--dialect": "dialect",
    "--max-pass": "max_pass",
    "--encoding": "encoding",
    "--max-patch-bytes": "max_patch_bytes",
    "--color": "color",
    "--rest": "rest",
}
COLORS = ("auto", "always", "never")
_MOST_BYTES = 64 << 20


class UsageError(Exception):
    """The command line itself is wrong: said on one line, with exit status 2."""


class Arguments:
    """The command line, read: what the tool shall do stands in `options`, the rest is the command's own."""

    __slots__ = (
        *("options", "patch", "root", "directory", "agent"),
        *("diff", "stat", "numstat", "json", "quiet", "color", "interactive", "rest"),
        *("help", "version", "max_patch_bytes"),
    )
    options: Options
    patch: str | None
    root: str | None
    directory: str | None
    agent: bool
    diff: bool
    stat: bool
    numstat: bool
    json: bool
    quiet: bool
    color: str
    interactive: bool
    rest: str | None
    help: bool
    version: bool
    max_patch_bytes: int

    def __init__(self, words: list[str]) -> None:
        self.options = Options(dialect=os.environ.get("PATCHKIT_DIALECT") or "safe")
        self.patch = self.directory = None
        self.root = os.environ.get("PATCHKIT_ROOT") or None
        self.agent = is_agent()
        self.diff = self.stat = self.numstat = self.json = self.quiet = self.help = self.version = False
        self.interactive, self.rest, self.color = False, None, "auto"
        self.max_patch_bytes = _MOST_BYTES
        self._read(words)
        self.options.remember = self.json or self.shows_changes
        self.options.suggest = True
        if self.interactive and (self.options.remember or self.options.check):
            raise UsageError("option '-i' goes with none of '--check', '--json', '--diff', '--stat' and '--numstat'")
        if self.rest is not None and not self.interactive:
            raise UsageError("option '--rest' goes with '-i' only")

    @property
    def shows_changes(self) -> bool:
        """Whether the changes themselves are to be told, and not only where they are."""
        return self.diff or self.stat or self.numstat

    def _read(self, words: list[str]) -> None:
        rest = list(reversed(words))
        while rest:
            word = rest.pop()
            name, equals, value = word.partition("=")
            if word in FLAGS:
                self._set(FLAGS[word], True)
            elif name in VALUES and (equals or word in VALUES):
                if not equals and not rest:
                    raise UsageError(f"option '{word}' needs a value")
                self._set(VALUES[name], value if equals else rest.pop())
            elif word == "--":
                for each in reversed(rest):
                    self._take_patch(each)
                return
            elif word.startswith("-") and word != "-" and "\n" not in word:
                raise UsageError(f"unknown option '{word}'; 'apply_patch --help' lists them")
            else:
                self._take_patch(word)

    def _set(self, name: str, value: str | bool) -> None:
        if name == "no_history":
            self.options.history = False
        elif name == "max_patch_bytes":
            if not str(value).isdecimal():
                raise UsageError(f"option '--max-patch-bytes' needs a number, not '{value}'")
            self.max_patch_bytes = int(value)
        elif name == "color" and value not in COLORS:
            raise UsageError(f"option '--color' cannot be '{value}'; use one of: {', '.join(COLORS)}")
        else:
            setattr(self.options if name in Options.__slots__ else self, name, value)

    def _take_patch(self, word: str) -> None:
        if self.patch is not None:
            raise UsageError("apply_patch accepts exactly one argument.")
        self.patch = word
