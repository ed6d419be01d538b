"""Run the command of a call in a sandbox.

Takes the call, what was chosen and the command; runs it, and returns how it ended with what there is to say about its
sandbox. A machine without namespaces for users is found out by the first run, which is started again without them:
nothing of the command has run by then. Loaded only where there is a sandbox, since it loads `ctypes`.
"""

from __future__ import annotations

import os
import sys

from patchkit.policy.permissions import Judge
from patchkit.policy.sandboxing import SandboxedRun
from patchkit.policy.settings import settings
from patchkit.processes.running import run
from patchkit.processes.sandbox import NoNamespace
from patchkit.tools.registry import effect_and_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.errors import Note
    from patchkit.policy.sandbox_choice import SandboxChoice
    from patchkit.processes.running import Ran, RunRequest
    from patchkit.report.result import Json
    from patchkit.tools.declaration import ToolCall


def run_in_sandbox(
    call: ToolCall, choice: SandboxChoice, plan: RunRequest, take: Callable[[bytes], object]
) -> tuple[Ran, Json, list[Note]]:
    """How the command ended, what its sandbox was, and notes; raises P670 to P674 where it must not run."""
    judge = call.judge or Judge(call.files, settings(call.files.real), effect_and_name)
    sandboxed = SandboxedRun(choice, judge.rules, call.files.real, call.caller.agent, judge.deeds.fold, judge.protected)
    try:
        commands = plan.env.get("PATH", "").split(":")[0] or None
        plan.env = sandboxed.environment(plan.env)
        if sys.platform == "darwin":
            plan.argv = [*sandboxed.seatbelt(), *plan.argv]
            ran = run(plan, take)
            return ran, sandboxed.data(), sandboxed.notes(ran.status)
        plan.sandbox = sandboxed.prepare(plan.cwd, dict(os.environ), commands)
        try:
            ran = run(plan, take)
        except NoNamespace as error:
            sandboxed.without_mounts(str(error))
            plan.sandbox = sandboxed.prepare(plan.cwd, dict(os.environ), commands)
            ran = run(plan, take)
        return ran, sandboxed.data(), sandboxed.notes(ran.status)
    finally:
        sandboxed.close()
