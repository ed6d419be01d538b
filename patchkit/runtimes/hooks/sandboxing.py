"""Rewrite an allowed command so that it runs in our sandbox: for a client that has none of its own.

Takes the event of a hook and the decision about it; returns the decision with another input where the settings say
`[hook] sandbox = "auto"` or "require". The command runs in the same directory, with the same environment, and its two
streams go where they would go without it. A project can turn this on and not off: of its settings and the user's the
stricter counts.
"""

from __future__ import annotations

import sys
from shlex import join

from patchkit.policy.settings import settings
from patchkit.runtimes.hooks.events import Decision
from patchkit.sandbox.choice import MODES, OFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.policy.settings import Settings
    from patchkit.runtimes.hooks.events import Event
    from patchkit.runtimes.hooks.project import HookProject

_LONGEST_RUN = "3600"  # seconds: the client has a limit of its own


def in_sandbox(event: Event, decision: Decision, program: list[str], place: HookProject) -> Decision:
    """The decision, with the command in a sandbox; `program` is how our apply_patch is run."""
    mode = mode_of(settings(place.root))
    fields, directories = event.fields, event.directories
    if mode == OFF or decision.input is not None or len(fields) != 1 or event.command is None or len(directories) != 1:
        return decision
    given = event.command
    words = [*_patchkit(program), "exec", f"--sandbox={mode}", "--passthrough", "--timeout", _LONGEST_RUN]
    words += ["--root", place.root, "-C", directories[0], "--"]
    made = event.with_script(join([*words, str(given)]))
    made = {**event.input, fields[0]: [*words, *given]} if isinstance(given, list) else made
    return Decision(decision.verb, f"{decision.reason}; it runs in a sandbox", made)


def mode_of(known: Settings) -> str:
    """What the settings say about commands of clients; raises where they say nothing that can be."""
    found = OFF
    for source in (*known.project, *([known.user] if known.user is not None else [])):
        table = source.table("hook") or {}
        for key, value in table.items():
            if key != "sandbox":
                raise source.unknown(f"hook.{key}", ("sandbox",))
            if value not in MODES:
                raise source.wrong("hook.sandbox", value, " or ".join(f"'{each}'" for each in MODES))
            found = max(found, value, key=MODES.index)
    return found


def _patchkit(program: list[str]) -> list[str]:
    """How a shell that may not find it runs our main command."""
    if len(program) == 1 and program[0].endswith("/apply_patch"):
        return [program[0].removesuffix("apply_patch") + "patchkit"]
    return [sys.executable, "-P", "-m", "patchkit"]
