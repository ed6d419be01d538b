"""The `apply_patch` command: arguments, streams and the exit status.

Reads a patch from its one argument or from standard input, applies it under the workspace, prints the
summary. The plain successful run imports nothing that it does not use: failure texts, JSON and
diffs are loaded when they are needed, and the process ends without tearing the interpreter down.
"""

from __future__ import annotations

import os
import sys

from patchkit.cli.signals import Interrupted, finish_in_spite_of_signals, roll_back_on_signals
from patchkit.errors import PatchkitError
from patchkit.report.summary import summary
from patchkit.tools.apply import Applied, Options, apply, dialect_named

USAGE = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n"
_FLAGS = {
    "--check": "check",
    "--dry-run": "check",
    "--diff": "diff",
    "--json": "json",
    "--strict": "strict",
    "--overwrite": "overwrite",
    "--no-history": "no_history",
    "-q": "quiet",
    "--quiet": "quiet",
    "-h": "help",
    "--help": "help",
    "--version": "version",
}
_VALUES = {"--root": "root", "-C": "directory", "--dialect": "dialect"}


class UsageError(Exception):
    """The command line itself is wrong: said on one line, with exit status 2."""


class Arguments:
    """The command line, read."""

    __slots__ = (*dict.fromkeys((*_FLAGS.values(), *_VALUES.values())), "patch")
    patch: str | None
    root: str | None
    directory: str | None
    dialect: str
    check: bool
    diff: bool
    json: bool
    strict: bool
    overwrite: bool
    no_history: bool
    quiet: bool
    help: bool
    version: bool

    def __init__(self, words: list[str]) -> None:
        self.patch = None
        self.root = os.environ.get("PATCHKIT_ROOT") or None
        self.directory = None
        self.dialect = os.environ.get("PATCHKIT_DIALECT") or "safe"
        for name in _FLAGS.values():
            setattr(self, name, False)
        self._read(words)

    def _read(self, words: list[str]) -> None:
        rest = list(reversed(words))
        while rest:
            word = rest.pop()
            name, equals, value = word.partition("=")
            if word in _FLAGS:
                setattr(self, _FLAGS[word], True)
            elif name in _VALUES and (equals or word in _VALUES):
                if not equals and not rest:
                    raise UsageError(f"option '{word}' needs a value")
                setattr(self, _VALUES[name], value if equals else rest.pop())
            elif word == "--":
                for each in reversed(rest):
                    self._take_patch(each)
                return
            elif word.startswith("-") and word != "-" and "\n" not in word:
                raise UsageError(f"unknown option '{word}'; 'apply_patch --help' lists them")
            else:
                self._take_patch(word)

    def _take_patch(self, word: str) -> None:
        if self.patch is not None:
            raise UsageError("apply_patch accepts exactly one argument.")
        self.patch = word


def main(words: list[str] | None = None) -> None:
    """Runs the command and ends the process."""
    status = run(sys.argv[1:] if words is None else words)
    # Not sys.exit: everything is written and closed, and taking the interpreter apart costs more than the patch.
    os._exit(status)


def run(words: list[str]) -> int:
    """Runs the command and returns its exit status."""
    try:
        arguments = Arguments(words)
        dialect_named(arguments.dialect)
    except UsageError as error:
        return _complain(f"Error: {error}\n", 2)
    except PatchkitError as error:
        return _complain(f"Error: {error.message}\n", 2)
    if arguments.help or arguments.version:
        from patchkit.cli.help import apply_patch_help, version

        say(1, apply_patch_help() if arguments.help else version())
        return 0
    text: str | None = None
    roll_back_on_signals()
    try:
        data = _read_patch(arguments)
        if data is None:
            return _complain(USAGE, 2)
        from patchkit.language.decoding import decode

        text = decode(data)
        return _apply(arguments, text)
    except PatchkitError as error:
        return _refuse(arguments, error, text)
    except Interrupted as signal:
        return _refuse(arguments, PatchkitError("P406", signal=str(signal)), text)
    except Exception as error:  # a defect of ours must still say so in one line
        from patchkit.report.internal import as_error

        return _refuse(arguments, as_error(error), text)


def _apply(arguments: Arguments, text: str) -> int:
    from patchkit.workspace.root import Workspace

    shown = arguments.json or arguments.diff
    options = Options(arguments.check, arguments.strict, arguments.overwrite, arguments.dialect, remember=shown)
    with Workspace(arguments.root, arguments.directory) as files:
        files.on_commit = finish_in_spite_of_signals
        options.history = not arguments.no_history
        done = apply(text, files, options)
    if arguments.json:
        from patchkit.cli.apply_output import print_json

        print_json(arguments, done, [])
        return 0
    if not arguments.quiet:
        say(1, summary(done.sections, checked=options.check))
    if arguments.diff:
        from patchkit.cli.apply_output import print_diff

        print_diff(done)
    if done.notes and not arguments.quiet:
        _tell_notes(done)
    return 0


def _tell_notes(done: Applied) -> None:
    from patchkit.report.diagnostics import render_note

    say(2, "".join(render_note(note) for note in done.notes))


def _refuse(arguments: Arguments, error: PatchkitError, text: str | None) -> int:
    if arguments.json:
        from patchkit.cli.apply_output import print_json

        print_json(arguments, None, error.errors, text)
    else:
        from patchkit.report.diagnostics import render_errors

        say(2, render_errors(error.errors, text))
    return 5 if error.code == "P404" else 1


def _complain(words: str, status: int) -> int:
    say(2, words)
    return status


# -- streams -----------------------------------------------------------------------------------


def _read_patch(arguments: Arguments) -> bytes | None:
    """The patch as bytes; None when there is none to read, which is a matter of usage."""
    if arguments.patch is not None and arguments.patch != "-":
        return os.fsencode(arguments.patch)
    try:
        if os.isatty(0) and arguments.patch is None:
            return None
        pieces = []
        while piece := os.read(0, 1 << 20):
            pieces.append(piece)
    except OSError as error:
        raise PatchkitError("P403", reason=str(error.strerror)) from None
    return b"".join(pieces) or None


def say(stream: int, words: str | bytes) -> None:
    """Writes to standard output or error. A reader that is gone cannot undo what was done, so it is no failure."""
    data = memoryview(words.encode("utf-8", "surrogateescape") if isinstance(words, str) else words)
    try:
        while data:
            data = data[os.write(stream, data) :]
    except OSError:
        pass
