"""Questions on a terminal: what is shown, what is asked, and the answers.

Takes spans and prompts; gives the letters that a person typed. The questions are on the terminal; standard output is
left to what the command is for. An editor is what `VISUAL` or `EDITOR` names.
"""

from __future__ import annotations

import os
import subprocess
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from patchkit.cli import CommandLineError, columns, show, write
from patchkit.core.workspace import reason
from patchkit.policy import EXECUTE
from patchkit.policy.permissions import MAY_WRITE, Judge, Judged
from patchkit.policy.trust import approve
from patchkit.report.spans import Spans
from patchkit.report.width import visible


class Questions:
    """Asks a person, and reads the answers line by line; the end of the answers is None."""

    def __init__(self, from_stdin: bool, color: str) -> None:
        self._answers, self._screen = _terminal(from_stdin)
        self._color = color

    def show(self, spans: Spans) -> None:
        show(self._screen, spans, self._color)

    def say(self, text: str) -> None:
        write(self._screen, text)

    @property
    def columns(self) -> int | None:
        """How wide the terminal is; None where there is none."""
        return columns(self._screen)

    def ask(self, question: str, keys: list[str], help_text: str) -> str | None:
        """The line that answers a question, which begins with one of the keys; '?' and everything else shows help.

        Letters may be small or large, unless the question has both; a range such as `1-9` among the keys means numbers.
        """
        while True:
            self.show([(f"{question} [{','.join(keys)},?]?", "frame"), (" ", "")])
            answer = self._answers.readline()
            if not answer:
                self.say("\n")
                return None
            line = answer.strip().decode("utf-8", "replace")
            letter = line[:1] if line[:1] in keys else line[:1].lower()
            if letter and letter in keys:
                return letter + line[1:]
            if line.isdecimal() and _is_among(int(line), keys):
                return line
            self.say(help_text)


_KEYS = {"y": ("this call", ""), "s": ("this session", "session"), "d": ("this workspace", "directory")}
_KEYS["a"] = ("always", "always")


def approves(judge: Judge, asked: list[Judged], session: str) -> bool:
    """Whether a person approves the parts of a call, on the terminal; an answer may hold longer than for the call."""
    try:
        questions = Questions(True, "")
    except CommandLineError:
        return False  # there is no terminal
    for part in asked:
        questions.say(f"{visible(part.reason, 1000)}: {visible(part.shown_rule, 1000)}\n")
    if any(part.deed.effect == EXECUTE for part in asked):
        questions.say(f"In a sandbox {MAY_WRITE}.\n")
    kept = [judge.approvable(part.deed) for part in asked]
    offered = [key for key in _KEYS if key == "y" or (all(what for _, what in kept) and (session or key != "s"))]
    helped = "".join(f"{key}: allow it, {_KEYS[key][0]}\n" for key in offered) + "n: no\n"
    answer = questions.ask("Allow it", [*offered, "n"], helped) or "n"
    scope = _KEYS.get(answer[0], ("", ""))[1]
    for effect, what in kept if scope else ():
        try:
            approve(effect, what, scope, judge.deeds.files.real, session)
        except OSError as error:
            questions.say(f"it holds for this call only: {reason(error)}\n")
    return answer[0] in offered


def _is_among(number: int, keys: list[str]) -> bool:
    ends = [key.partition("-") for key in keys if key[0].isdecimal()]
    return any(int(first) <= number <= int(last or first) for first, _, last in ends)


def edited(text: str) -> str | None:
    """A text as a person has changed it in an editor; None where the editor failed."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with NamedTemporaryFile("w+", suffix=".patch", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
        file.flush()
        # The variable may hold options, so a shell splits it; the terminal is where a person types.
        try:
            terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            terminal = os.dup(0)
        try:
            ran = subprocess.run(["sh", "-c", f'{editor} "$1"', "sh", file.name], stdin=terminal, stdout=2, check=False)
        finally:
            os.close(terminal)
        if ran.returncode:
            return None
        with open(file.name, encoding="utf-8", errors="surrogateescape", newline="") as changed:
            return changed.read()


def _terminal(from_stdin: bool) -> tuple[BinaryIO, int]:
    """Where answers come from, and the stream that the questions go to."""
    if not from_stdin:
        return open(0, "rb", closefd=False), 2
    try:
        opened = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        raise CommandLineError("option '-i' needs a terminal to ask on, or the patch as an argument") from None
    return open(opened, "rb", buffering=0), 2 if os.isatty(2) else opened
