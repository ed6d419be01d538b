"""The `patchkit intercept` command: what a shell command turned out to be.

Takes an argument vector, the text of a script, or a runtime's tool calls as JSON; tells the verdict in text or JSON
and by the exit status, or applies the patch there and then. Like `apply_patch` it reads its own arguments, and a
script without the word loads nothing that could look at it.
"""

from __future__ import annotations

import os
import sys

from patchkit.cli.signals import raise_on_interrupt
from patchkit.shell.mention import is_bare_patch, mentions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.shell.verdict import Verdict

STATUSES = {"apply_patch": 0, "other": 10, "error": 1}
USAGE = """\
Usage: patchkit intercept [OPTIONS] -- ARGV...
       patchkit intercept [OPTIONS] --script FILE|-
       patchkit intercept [OPTIONS] --json-call < CALL
       patchkit intercept --batch < CALLS
"""
HELP = (
    """\
Say whether a command is exactly one apply_patch call, and with which patch.

"""
    + USAGE
    + """
Options:
  --script FILE   the text of a script instead of an argument vector ('-': from
                  standard input)
  --shell NAME    the shell of that script: bash (default), zsh, dash or sh
  --json-call     one JSON object on standard input: {"argv": [...], "cwd": ...}
                  or {"command": [...] or "...", "workdir": ...}
  --batch         one such object a line; answers with one verdict a line
  -C DIR          where the command would run (default: here)
  --json          print the verdict as JSON
  --apply         apply the patch there and then: output and status are those of
                  apply_patch
  --root DIR      the workspace of --apply (default: PATCHKIT_ROOT, else here)
  --as-agent      with --apply: nobody approved this call, so what the rules would
                  ask for is refused (also: PATCHKIT_AGENT=1)
  -h, --help      show this text

In text the patch goes to standard output as it is, everything else to standard
error.

Exit status: 0 apply_patch, 10 something else, 1 a call that cannot be trusted,
2 usage; with --apply that of apply_patch.
"""
)
_FLAGS = {"--json": "json", "--apply": "apply", "--batch": "batch", "--json-call": "json_call"}
_FLAGS |= {"--as-agent": "agent", "-h": "help", "--help": "help"}
_PIECE = 1 << 18
_VALUES = {"--script": "script", "--shell": "shell", "-C": "directory", "--cwd": "directory", "--root": "root"}


class UsageError(Exception):
    """The command line itself is wrong: said on one line, with exit status 2."""


class Arguments:
    """The command line, read."""

    __slots__ = (*sorted({*_FLAGS.values(), *_VALUES.values()}), "argv")
    json: bool
    apply: bool
    batch: bool
    json_call: bool
    agent: bool
    help: bool
    script: str | None
    shell: str | None
    directory: str | None
    root: str | None
    argv: list[str]

    def __init__(self, words: list[str]) -> None:
        for name in _FLAGS.values():
            setattr(self, name, False)
        for name in _VALUES.values():
            setattr(self, name, None)
        self.argv = []
        self._read(words)
        if not self.help:
            self._check()

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
                self.argv = rest[::-1]
                return
            elif word.startswith("-"):
                raise UsageError(f"unknown option '{word}'; 'patchkit intercept --help' lists them")
            else:
                raise UsageError(f"put '--' before the command '{word}'")

    def _check(self) -> None:
        sources = [bool(self.argv), self.script is not None, self.json_call, self.batch]
        if sum(sources) != 1:
            raise UsageError("give one of: '-- ARGV...', '--script', '--json-call', '--batch'")
        if self.batch and (self.apply or self.json):
            raise UsageError("'--batch' answers with verdicts in JSON and does nothing else")
        if self.shell is not None and self.script is None:
            raise UsageError("'--shell' goes with '--script'")
        if self.agent and not self.apply:
            raise UsageError("'--as-agent' goes with '--apply'")


def main(words: list[str] | None = None) -> None:
    """Runs the command and ends the process."""
    os._exit(run(sys.argv[2:] if words is None else words))


def run(words: list[str]) -> int:
    """Runs the command and returns its exit status."""
    try:
        raise_on_interrupt()
        arguments = Arguments(words)
        if arguments.help:
            _say(1, HELP)
            return 0
        return _answer_batch() if arguments.batch else _answer(arguments)
    except UsageError as error:
        _say(2, f"Error: {error}\n{USAGE}")
        return 2
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # a defect of ours must still say so in one line
        from patchkit.report.diagnostics import as_error, render_errors

        _say(2, render_errors([as_error(error)]))
        return 1


def _answer_batch() -> int:
    from patchkit.shell.requests import answer_lines

    for line in answer_lines(sys.stdin.buffer):
        _say(1, line + "\n")
    return 0


def _answer(arguments: Arguments) -> int:
    verdict = _verdict(arguments)
    if verdict is None:
        _say(2, "other: the script does not mention 'apply_patch'\n")
        return STATUSES["other"]
    if arguments.apply and verdict.verdict == "apply_patch":
        return _apply(arguments, verdict)
    if arguments.json:
        import json

        _say(1, json.dumps(verdict.as_dict()) + "\n")
    else:
        _tell(verdict)
    return STATUSES[verdict.verdict]


def _verdict(arguments: Arguments) -> Verdict | None:
    """The verdict; None for a script without the word where nobody wants more than that."""
    where = arguments.directory or "."
    if arguments.json_call:
        from patchkit.shell.requests import read_call

        return read_call(sys.stdin.buffer.read(), where)
    if arguments.script is not None:
        text = _content(arguments.script).decode("utf-8", "surrogateescape")
        if not mentions(text) and not is_bare_patch(text) and not arguments.json:
            return None
        from patchkit.shell.classifying import classify_script

        return classify_script(text, where, shell=arguments.shell or "bash")
    from patchkit.shell.classifying import classify

    return classify(arguments.argv, where)


def _content(path: str) -> bytes:
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {(error.strerror or str(error)).lower()}") from None


def _apply(arguments: Arguments, verdict: Verdict) -> int:
    from patchkit.cli import apply_patch

    if verdict.merged:
        os.dup2(1, 2)  # the command says 2>&1
    words = ["-C", str(verdict.workdir), *(["--root", arguments.root] if arguments.root else [])]
    words += ["--as-agent"] if arguments.agent else []
    patch = str(verdict.patch).encode("utf-8", "surrogateescape")
    return apply_patch.run([*words, "--json"] if arguments.json else words, patch)


def _tell(verdict: Verdict) -> None:
    """The verdict in words; the patch alone goes to standard output."""
    if verdict.verdict == "apply_patch":
        _say(2, f"apply_patch: in '{_visible(str(verdict.workdir))}'\n")
        _say(1, str(verdict.patch))
    elif verdict.verdict == "error":
        _say(2, f"error[{verdict.code}]: {_visible(str(verdict.reason))}\n  = help: {_visible(str(verdict.help))}\n")
    else:
        _say(2, f"other: {_visible(str(verdict.reason))}\n")
        if verdict.then is not None:
            when = "if it was applied" if verdict.then.operator == "&&" else "in any case"
            _say(2, f"  = then: apply the patch first and run the rest {when} ('--json' has both)\n")


def _visible(text: str) -> str:
    """Text that can do no harm to a terminal."""
    if text.isprintable():
        return text
    from patchkit.report.width import visible

    return visible(text, 1000)


def _say(stream: int, words: str) -> None:
    """Writes to standard output or error, a piece at a time: a large patch is not copied whole once more."""
    try:
        for at in range(0, len(words), _PIECE):
            data = memoryview(words[at : at + _PIECE].encode("utf-8", "surrogateescape"))
            while data:
                data = data[os.write(stream, data) :]
    except OSError:
        pass  # the reader is gone; the status still tells the verdict
