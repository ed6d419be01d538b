"""The `patchkit intercept` command: what a shell command turned out to be.

Takes an argument vector, the text of a script, or a runtime's tool calls as JSON; reports the verdict in text or JSON
and by the exit status, or applies the patch at once. Like `apply_patch` it reads its own arguments. It answers at once
for a script that does not mention `apply_patch`, so everything that looks at a script closer is imported where that
begins.
"""

from __future__ import annotations

import os
import sys

from patchkit.cli import exit_status
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.flags import INTERCEPT, read
from patchkit.cli.signals import end
from patchkit.cli.streams import write
from patchkit.shell.mention import is_bare_patch, mentions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.shell.verdict import Verdict


class InterceptArguments:
    """The command line, read."""

    __slots__ = (*(flag.field for flag in INTERCEPT), "argv")
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
        line = read(words, INTERCEPT, "patchkit intercept", until_word=True)
        if line.words:
            raise CommandLineError(f"put '--' before the command '{line.words[0]}'")
        self.argv = line.behind
        for flag in INTERCEPT:
            setattr(self, flag.field, line.values.get(flag.field, None if flag.value else False))
        if not self.help:
            self._check()

    def _check(self) -> None:
        sources = [bool(self.argv), self.script is not None, self.json_call, self.batch]
        if sum(sources) != 1:
            raise CommandLineError("give one of: '-- ARGV...', '--script', '--json-call', '--batch'")
        if self.batch and (self.apply or self.json):
            raise CommandLineError("'--batch' answers with verdicts in JSON and does nothing else")
        if self.shell is not None and self.script is None:
            raise CommandLineError("'--shell' goes with '--script'")
        if self.agent and not self.apply:
            raise CommandLineError("'--as-agent' goes with '--apply'")


def main(words: list[str] | None = None) -> None:
    """Runs the command and ends the process."""
    end(run(sys.argv[2:] if words is None else words))


def run(words: list[str]) -> int:
    """Runs the command and returns its exit status."""
    try:
        arguments = InterceptArguments(words)
        if arguments.help:
            from patchkit.cli.help import intercept_help

            intercept_help().show()
            return exit_status.DONE
        return _answer_batch() if arguments.batch else _answer(arguments)
    except CommandLineError as error:
        from patchkit.cli.help import INTERCEPT_USAGE

        write(2, f"Error: {error}\n{INTERCEPT_USAGE}")
        return exit_status.USAGE
    except Exception as error:  # a defect of ours must still be reported in one line
        from patchkit.report.diagnostics import as_error, render_errors

        write(2, render_errors([as_error(error)]))
        return exit_status.REFUSED


def _answer_batch() -> int:
    from patchkit.shell.requests import answer_lines

    for line in answer_lines(sys.stdin.buffer):
        write(1, line + "\n")
    return exit_status.DONE


def _answer(arguments: InterceptArguments) -> int:
    verdict = _verdict(arguments)
    if verdict is None:
        write(2, "other: the script does not mention 'apply_patch'\n")
        return exit_status.of_verdict("other")
    if arguments.apply and verdict.verdict == "apply_patch":
        return _apply(arguments, verdict)
    if arguments.json:
        import json

        write(1, json.dumps(verdict.as_dict()) + "\n")
    else:
        _print(verdict)
    return exit_status.of_verdict(verdict.verdict)


def _verdict(arguments: InterceptArguments) -> Verdict | None:
    """The verdict; None for a script that does not mention the command, unless JSON was asked for."""
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
        raise CommandLineError(f"cannot read '{path}': {(error.strerror or str(error)).lower()}") from None


def _apply(arguments: InterceptArguments, verdict: Verdict) -> int:
    from patchkit.cli import apply_patch

    if verdict.merged:
        os.dup2(1, 2)  # the command has 2>&1
    words = ["-C", str(verdict.workdir), *(["--root", arguments.root] if arguments.root else [])]
    words += ["--as-agent"] if arguments.agent else []
    patch = str(verdict.patch).encode("utf-8", "surrogateescape")
    _note_doubt(verdict)
    return apply_patch.run([*words, "--json"] if arguments.json else words, patch)


def _print(verdict: Verdict) -> None:
    """The verdict in words; the patch alone goes to standard output."""
    if verdict.verdict == "apply_patch":
        write(2, f"apply_patch: in '{_visible(str(verdict.workdir))}'\n")
        _note_doubt(verdict)
        write(1, str(verdict.patch))
    elif verdict.verdict == "error":
        write(2, f"error[{verdict.code}]: {_visible(str(verdict.reason))}\n  = help: {_visible(str(verdict.help))}\n")
    else:
        write(2, f"other: {_visible(str(verdict.reason))}\n")
        if verdict.then is not None:
            when = "if it was applied" if verdict.then.operator == "&&" else "in any case"
            write(2, f"  = then: apply the patch first and run the rest {when} ('--json' has both)\n")


def _note_doubt(verdict: Verdict) -> None:
    if verdict.reason:
        write(2, f"note[P920]: {_visible(verdict.reason)}\n")


def _visible(text: str) -> str:
    """Text that cannot act on a terminal; the width of characters is loaded only where one of them needs it."""
    if text.isprintable():
        return text
    from patchkit.report.width import visible

    return visible(text, 1000)
