"""The arguments of `apply_patch`: what its flags mean together.

Takes the words of a command line; gives the options of the run and what is the command's own, or raises where the
words contradict each other. Click is not used: loading it costs more than applying a small patch.
"""

from __future__ import annotations

import os

from patchkit.changes.options import OPTIONS, Options
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.flags import APPLY, read
from patchkit.policy.settings_files import is_agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.workspace.bases import PatchBases

MOST_PATCH_BYTES = 64 << 20  # the same as in `flags`, which a run without arguments has no need to load


class ApplyArguments:
    """The command line, read: `options` is what to apply and how, the rest is the command's own."""

    __slots__ = (
        *("options", "patch", "root", "start", "agent"),
        *("diff", "stat", "numstat", "as_json", "quiet", "color", "interactive", "rest"),
        *("help", "version", "max_patch_bytes", "named", "together", "base_name", "bases"),
        *("shows_changes", "only_numbers"),
    )
    options: Options
    patch: str | None
    root: str | None
    start: str | None
    agent: bool
    diff: bool
    stat: bool
    numstat: bool
    as_json: bool
    quiet: bool
    color: str
    interactive: bool
    rest: str | None
    help: bool
    version: bool
    max_patch_bytes: int
    named: list[str]  # files with patches, where the command takes names
    together: bool
    base_name: str | None
    bases: PatchBases | None  # the base of that name, once it is opened
    shows_changes: bool  # the changes themselves are to be shown, and not only where they are
    only_numbers: bool  # nothing but numbers is to be printed: a program reads them

    def __init__(self, words: list[str], by_name: bool = False) -> None:
        self.options = Options(dialect=os.environ.get("PATCHKIT_DIALECT") or "safe")
        self.patch = self.start = self.rest = None
        self.root = os.environ.get("PATCHKIT_ROOT") or None
        self.agent = is_agent()
        self.diff = self.stat = self.numstat = self.as_json = self.quiet = self.help = self.version = False
        self.interactive, self.color = False, "auto"
        self.max_patch_bytes = MOST_PATCH_BYTES
        self.named, self.together, self.base_name = [], False, None
        self.bases = None
        if words:
            self._take(words, by_name)
        self.shows_changes = self.diff or self.stat or self.numstat
        self.only_numbers = self.numstat and not self.stat and not self.diff
        if not self.options.syntax:
            self.options.syntax = os.environ.get("PATCHKIT_SYNTAX") or ("note" if self.as_json else "")
        self.options.remember = self.as_json or self.shows_changes
        self.options.suggest = True
        if self.interactive and (self.options.remember or self.options.check):
            raise CommandLineError(
                "option '-i' goes with none of '--check', '--json', '--diff', '--stat' and '--numstat'"
            )
        if self.rest is not None and not self.interactive:
            raise CommandLineError("option '--rest' goes with '-i' only")
        if self.options.conflicts and self.base_name is None:
            raise CommandLineError("option '--conflicts' goes with '--base' only")
        if self.together and not by_name:
            raise CommandLineError("option '--together' goes with 'patchkit apply FILE…' only")
        if self.interactive and len(self.named) > 1:
            raise CommandLineError("option '-i' takes one patch at a time")

    def _take(self, words: list[str], by_name: bool) -> None:
        line = read(words, APPLY, "patchkit apply" if by_name else "apply_patch")
        if line.values.pop("no_history", False):
            self.options.history = False
        for field, value in line.values.items():
            setattr(self.options if field in OPTIONS else self, field, value)
        patches = line.words + line.behind
        if by_name and patches and not any("\n" in word for word in patches) and not self.interactive:
            self.named = patches
            return
        if len(patches) > 1:
            raise CommandLineError("apply_patch accepts exactly one argument.")
        self.patch = patches[0] if patches else None
