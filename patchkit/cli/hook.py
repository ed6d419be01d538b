"""The `patchkit hook` command: a runtime's event in, its answer out, status 0 whatever happens.

Like `apply_patch` it reads its own arguments. Most events are not about a patch, and a runtime waits for each: what
only few of them need is imported where it is used.
"""

from __future__ import annotations

import os
import sys

from patchkit.cli.flags import DOCTOR, HELP, HOOK_ROOT
from patchkit.cli.signals import raise_on_interrupt
from patchkit.cli.streams import write
from patchkit.runtimes.hooks import UnreadableEvent, respond


def main(words: list[str] | None = None) -> None:
    """Runs the command and ends the process."""
    run(sys.argv[2:] if words is None else words)
    os._exit(0)


def run(words: list[str]) -> None:
    """Reads the event, and writes the answer if there is one."""
    try:
        raise_on_interrupt()
        if len(words) == 1 and words[0] in HELP.names:
            _print_help(1)
            return
        root, words = (words[1], words[2:]) if len(words) > 1 and words[0] in HOOK_ROOT.names else ("", words)
        if words and words[0] in DOCTOR.names:
            _print_findings(root)
            return
        if words:
            write(2, f"patchkit hook: arguments that are not known, ignored: {' '.join(words)}\n")
        if os.isatty(0):
            _print_help(2)
            return
        answer = respond(sys.stdin.buffer.read(), _program(), root)
        if answer:
            write(1, answer + "\n")
    except UnreadableEvent as error:
        write(2, f"patchkit hook: the event cannot be read: {error}; the call passes untouched\n")
    except KeyboardInterrupt:
        pass
    except Exception as error:  # a defect of ours must never stop a call
        write(2, f"patchkit hook: {type(error).__name__}: {error}; the call passes untouched\n")


def _program() -> list[str]:
    """How a shell that may not find our apply_patch runs it: by its full path."""
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "apply_patch")
    if os.access(beside, os.X_OK):
        return [beside]
    return [sys.executable, "-P", "-c", "from patchkit.cli.apply_patch import main; main()"]


def _print_findings(root: str) -> None:
    from patchkit.runtimes.doctor import findings

    write(1, "".join(f"{line}\n" for line in findings(root)))


def _print_help(stream: int) -> None:
    from patchkit.cli.help import hook_help

    hook_help().show(stream)
