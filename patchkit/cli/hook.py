"""The `patchkit hook` command: a runtime's event in, its answer out, status 0 whatever happens.

Like `apply_patch` it loads nothing it does not use: most events are about something else, and a runtime waits for each.
"""

from __future__ import annotations

import os
import sys

from patchkit.cli.signals import raise_on_interrupt
from patchkit.runtimes.hooks import UnreadableEvent, respond

USAGE = """\
Usage: patchkit hook < EVENT

Answer the event that Claude Code, Codex (PreToolUse) or Gemini CLI (BeforeTool)
sends before a tool runs. A shell command that is one apply_patch call is checked
against the workspace: allowed in a form that goes straight to patchkit if the
patch applies, else denied with the reason. Everything else passes untouched.
The settings to paste for each runtime are in docs/agents.md.

Exit status: 0, always: the answer is in the JSON.
"""


def main(words: list[str] | None = None) -> None:
    """Runs the command and ends the process."""
    run(sys.argv[2:] if words is None else words)
    os._exit(0)


def run(words: list[str]) -> None:
    """Reads the event, and writes the answer if there is one."""
    try:
        raise_on_interrupt()
        if words in (["-h"], ["--help"]):
            _write(1, USAGE)
            return
        if words:
            _write(2, f"patchkit hook: takes no arguments, ignored: {' '.join(words)}\n")
        if os.isatty(0):
            _write(2, USAGE)
            return
        said = respond(sys.stdin.buffer.read(), _program())
        if said:
            _write(1, said + "\n")
    except UnreadableEvent as error:
        _write(2, f"patchkit hook: the event cannot be read: {error}; the call passes untouched\n")
    except KeyboardInterrupt:
        pass
    except Exception as error:  # a defect of ours must never stand in anybody's way
        _write(2, f"patchkit hook: {type(error).__name__}: {error}; the call passes untouched\n")


def _program() -> list[str]:
    """How our apply_patch is run from a shell that may not find it: by its full name."""
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "apply_patch")
    if os.access(beside, os.X_OK):
        return [beside]
    return [sys.executable, "-P", "-c", "from patchkit.cli.apply_patch import main; main()"]


def _write(stream: int, words: str) -> None:
    try:
        data = memoryview(words.encode("utf-8", "backslashreplace"))
        while data:
            data = data[os.write(stream, data) :]
    except OSError:
        pass
