"""The `patchkit hook` command: a runtime's event in, its answer out; status 0, unless the runtime takes a status.

Most events are not about a patch, and a runtime waits for each: what only few of them need is imported where it is
used. A status other than 0 may stop the runtime's call, so a word that is not known is a mistake only where there is no
event.
"""

from __future__ import annotations

import os
import sys

from patchkit.cli import DONE, complain, raise_on_interrupt, write
from patchkit.cli.quick import Flag, Given, QuickCommand
from patchkit.runtimes.hooks import Blocked, UnreadableEvent, respond
from patchkit.runtimes.hooks.project import program_beside

BLOCKED = 2  # the status by which runtimes without an answer in JSON learn that a call is to stop


def quick(words: list[str]) -> int | None:
    """Answers the event; None for a question for help. Words that are not known never stop a call."""
    if words[1:] in (["-h"], ["--help"]):
        return None
    return HOOK.run({"words": words[1:]})


def _run(given: Given) -> int:
    """Reads the event, and writes the answer if there is one; returns the status."""
    try:
        raise_on_interrupt()
        words: list[str] = given.get("words", [])  # type: ignore[assignment]  # see `quick`
        root, words = (words[1], words[2:]) if len(words) > 1 and words[0] == "--root" else ("", words)
        root = str(given.get("root", root))  # click gives these two by name
        if words[:1] == ["--doctor"] or given.get("doctor"):
            from patchkit.cli.commands.doctor import hook_findings

            write(1, "".join(f"{line}\n" for line in hook_findings(root)))
            return DONE
        event = b"" if os.isatty(0) else sys.stdin.buffer.read()
        if words and not event.strip():
            known = "see 'patchkit install'" if words[0] == "--install" else "see 'patchkit hook --help'"
            return complain(f"unknown argument '{words[0]}' ({known})", "patchkit hook")
        if words:
            write(2, f"patchkit hook: arguments that are not known, ignored: {' '.join(words)}\n")
        if os.isatty(0):
            from patchkit.cli.group import page_named

            page_named("hook").show(2)
            return DONE
        answer = respond(event, program_beside(sys.argv[0]), root)
        if answer:
            write(1, answer + "\n")
    except Blocked as blocked:  # the runtime takes a status, and shows what standard error says to its model
        write(2, f"{blocked}\n")
        return BLOCKED
    except UnreadableEvent as error:
        write(2, f"patchkit hook: the event cannot be read: {error}; the call passes untouched\n")
    except KeyboardInterrupt:
        pass
    except Exception as error:  # a defect of ours must never stop a call
        write(2, f"patchkit hook: {type(error).__name__}: {error}; the call passes untouched\n")
    return DONE


HOOK = QuickCommand(
    "hook",
    """Answer an agent runtime that is about to run a tool.

Answers the event that an agent runtime sends before a tool runs, in that runtime's own form: Claude Code, Codex,
Copilot, VS Code, Gemini CLI, Cursor, Windsurf, Cline, Droid, Kiro, Goose, Augment, OpenHands, Qwen Code. A shell
command that is one apply_patch call is checked against the workspace: if the patch applies, the call is rewritten to
run patchkit directly, and the runtime decides about it; else it is denied with the reason. Every other call passes
unchanged, unless the project has rules. 'patchkit install' puts the hook into the settings of a runtime.
""",
    _run,
    rows=(
        Flag("--root", "the project", " (default: what the runtime names, else the current directory)", value="DIR"),
        Flag("--doctor", "report whether the hook is configured, found and called, and for which project"),
    ),
    usage=("patchkit hook [--root DIR] < EVENT", "patchkit hook --doctor"),
)
