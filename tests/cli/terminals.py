"""A command on a terminal of its own: what a person types, and what is on the screen."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

from child_processes import HANG

PATIENT = str(Path(__file__).with_name("patient"))  # see there


def unread(stream: int) -> int:
    """How many bytes wait in a pipe or a terminal."""
    found: int = struct.unpack("i", fcntl.ioctl(stream, termios.FIONREAD, b"\0" * 4))[0]
    return found


class Terminal:
    """A pseudo-terminal with a command on it. `wait_for` reads until some words are there, `type` answers."""

    def __init__(
        self, command: list[str], cwd: Path, columns: int = 80, stdin=None, stdout=None, **settings: str
    ) -> None:
        self.output = b""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=slave if stdin is None else stdin,
            stdout=slave if stdout is None else stdout,
            stderr=slave,
            env={**os.environ, "TERM": "xterm-256color", "PYTHONPATH": PATIENT, **settings},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),
        )
        self._name = os.ttyname(slave)
        os.close(slave)

    def wait_until_read(self) -> None:
        """Waits until a command has read every line that was typed."""
        deadline = time.monotonic() + HANG
        slave = os.open(self._name, os.O_RDWR | os.O_NOCTTY)
        try:
            while unread(slave):
                assert time.monotonic() < deadline, f"nothing reads; there is {self.output!r}"
                time.sleep(0.02)
        finally:
            os.close(slave)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def wait_for(self, words: str, after: int = 0) -> int:
        """Reads until the words are in the output behind `after`; returns where they end."""
        deadline = time.monotonic() + HANG
        while (found := self.output.find(words.encode(), after)) < 0:
            assert self._read(deadline), f"{words!r} never came; there is {self.output[after:]!r}"
        return found + len(words.encode())

    def answer(self, question: str, answers: list[str]) -> None:
        """Types each answer when the question is there again."""
        at = 0
        for answer in answers:
            at = self.wait_for(question, at)
            self.type(answer)

    def stop(self) -> tuple[int, str]:
        """Presses Ctrl-C until the command ends, as a person does; returns what `end` does.

        A signal that comes in the moment before Python begins to read is acted upon only when the read ends.
        """
        deadline = time.monotonic() + HANG
        while self._process.poll() is None:
            assert time.monotonic() < deadline, f"Ctrl-C does not end it; there is {self.output!r}"
            self.type("\x03")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
        return self.end()

    def end(self) -> tuple[int, str]:
        """Waits for the end of the command; returns its status and all that came on the terminal."""
        deadline = time.monotonic() + HANG
        while self._read(deadline):
            pass
        os.close(self._master)
        return self._process.wait(), self.output.decode("utf-8", "replace").replace("\r\n", "\n")

    def __del__(self) -> None:
        """A test that fails leaves no command waiting for an answer."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _read(self, deadline: float) -> bool:
        """Reads what there is; False at the end."""
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"no sign of life; there is {self.output!r}"
        try:
            piece = os.read(self._master, 65536)
        except OSError:  # how Linux reports that the other end is closed
            return False
        self.output += piece
        return bool(piece)
