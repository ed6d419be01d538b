"""The `apply_patch` command: arguments, streams and the exit status.

Reads a patch from its one argument or from standard input, applies it under the workspace, prints the
summary. The plain successful run imports nothing that it does not use: failure texts, JSON and
diffs are loaded when they are needed, and the process ends without tearing the interpreter down.
"""

from __future__ import annotations

import os
import sys

from patchkit.cli.signals import Interrupted, finish_in_spite_of_signals, roll_back_on_signals
from patchkit.cli.streams import say, show
from patchkit.errors import PatchkitError
from patchkit.report.summary import summary
from patchkit.tools import is_agent, settings_files
from patchkit.tools.apply import Applied, Options, apply

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


def main(words: list[str] | None = None) -> None:
    """Runs the command and ends the process."""
    words = sys.argv[1:] if words is None else words
    if not words and "_APPLY_PATCH_COMPLETE" in os.environ:  # a shell asks what could be typed next
        from patchkit.cli.completion import complete_apply

        complete_apply()
    kept: list[object] = []
    status = run(words, kept=kept)
    # Not sys.exit: everything is written and closed, and taking the interpreter apart costs more than the patch; so
    # does what stands in `kept`.
    os._exit(status)


def run(words: list[str], patch: bytes | None = None, kept: list[object] | None = None) -> int:
    """Runs the command and returns its exit status; `patch` where whoever calls has read it already.

    What was made is put into `kept` by those who will end without taking it apart.
    """
    try:
        arguments = Arguments(words)
        arguments.options.checked()
    except UsageError as error:
        return _complain(f"Error: {error}\n", 2)
    except PatchkitError as error:
        return _complain(f"Error: {error.message}; {error.hint}\n", 2)
    if arguments.help or arguments.version:
        from patchkit.cli.help import apply_patch_help, version

        say(1, apply_patch_help() if arguments.help else version())
        return 0
    text: str | None = None
    try:
        roll_back_on_signals()
        data = _read_patch(arguments) if patch is None else _within_limit(arguments, patch)
        if data is None:
            return _complain(USAGE, 2)
        from patchkit.language.decoding import decode

        text = decode(data)
        return _apply(arguments, text, kept)
    except UsageError as error:
        return _complain(f"Error: {error}\n", 2)
    except PatchkitError as error:
        return _refused(arguments, error, text)
    except Interrupted as signal:
        return _refused(arguments, PatchkitError("P406", signal=str(signal)), text)
    except Exception as error:  # a defect of ours must still say so in one line
        from patchkit.report.internal import as_error

        return _refused(arguments, as_error(error), text)


def _apply(arguments: Arguments, text: str, kept: list[object] | None) -> int:
    from patchkit.workspace.root import Workspace

    if arguments.interactive:
        from patchkit.cli.interactive import converse

        return converse(arguments, text)
    watch = None
    with Workspace(arguments.root, arguments.directory) as files:
        files.on_commit = finish_in_spite_of_signals
        if os.isatty(2) and not arguments.quiet:
            from patchkit.cli.watching import Watch

            files.on_progress = watch = Watch()
        try:
            if is_overseen(arguments, files.real):
                from patchkit.cli.apply_overseen import apply_overseen

                done = apply_overseen(text, files, arguments)
            else:
                done = apply(text, files, arguments.options)
        finally:
            if watch is not None:
                watch.end()
    if kept is not None:
        kept.append(done)
    if arguments.json:
        from patchkit.cli.apply_output import print_json

        print_json(arguments, done, [])
    else:
        _tell(arguments, done)
    return 0


def is_overseen(arguments: Arguments, root: str) -> bool:
    """Whether there are rules to ask, or a log to keep."""
    return arguments.agent or "PATCHKIT_AUDIT" in os.environ or bool(settings_files(root))


def _tell(arguments: Arguments, done: Applied) -> None:
    if not arguments.quiet:
        show(1, "summary", summary(done.sections, checked=arguments.options.check), arguments.color)
    if arguments.shows_changes:
        from patchkit.cli.apply_output import show_changes

        show_changes(arguments, done)
    if done.notes and not arguments.quiet:
        from patchkit.report.diagnostics import render_note

        show(2, "diagnostics", "".join(render_note(note) for note in done.notes), arguments.color)


def _refused(arguments: Arguments, error: PatchkitError, text: str | None) -> int:
    from patchkit.cli.refusing import refuse

    return refuse(arguments, error, text)


def _complain(words: str, status: int) -> int:
    say(2, words)
    return status


# -- streams -----------------------------------------------------------------------------------


def _read_patch(arguments: Arguments) -> bytes | None:
    """The patch as bytes; None when there is none to read, which is a matter of usage."""
    if arguments.patch is not None and arguments.patch != "-":
        if arguments.interactive:
            from patchkit.cli.interactive import named_patch

            return _within_limit(arguments, named_patch(arguments.patch))
        return _within_limit(arguments, os.fsencode(arguments.patch))
    try:
        if os.isatty(0) and arguments.patch is None:
            return None
        pieces, size = [], 0
        at_once = max(min(os.fstat(0).st_size, arguments.max_patch_bytes) + 1, 1 << 16)  # all of a file, a pipe's fill
        while size <= arguments.max_patch_bytes and (piece := os.read(0, at_once)):
            pieces.append(piece)
            size += len(piece)
    except OSError as error:
        raise PatchkitError("P403", reason=str(error.strerror).lower()) from None
    return _within_limit(arguments, b"".join(pieces)) or None


def _within_limit(arguments: Arguments, data: bytes) -> bytes:
    if len(data) > arguments.max_patch_bytes:
        raise PatchkitError("P115", limit=arguments.max_patch_bytes)
    return data
