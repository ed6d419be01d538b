"""Run the command of a call in a sandbox.

Takes the call, what was chosen and the command; runs it, and returns how it ended with what there is to say about its
sandbox. A machine without namespaces for users is found out by the first run, which is started again without them:
nothing of the command has run by then. Loaded only where there is a sandbox, since it loads `ctypes`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from patchkit.errors import Note
from patchkit.policy.permissions import folding
from patchkit.policy.rules import PermissionRules
from patchkit.processes.running import Ran, RunRequest, run
from patchkit.report.result import Json
from patchkit.sandbox.child import NoNamespace
from patchkit.sandbox.choice import SandboxChoice
from patchkit.sandbox.mounts import own_user_namespace
from patchkit.sandbox.prepared import MOUNTS, SandboxedRun
from patchkit.sandbox.system_calls import drop_capabilities
from patchkit.tools.declaration import ToolCall


def run_in_sandbox(
    call: ToolCall, choice: SandboxChoice, plan: RunRequest, take: Callable[[bytes], object]
) -> tuple[Ran, Json, list[Note]]:
    """How the command ended, what its sandbox was, and notes; raises P670 to P674 where it must not run."""
    judge, root = call.judge, call.files.real
    # Without a judge there are no rules: everything may be read, and nothing written.
    rules = judge.enforced if judge is not None else PermissionRules([], [])
    fold = judge.deeds.fold if judge is not None else folding(root)
    protected = judge.protected if judge is not None else []
    sandboxed = SandboxedRun(choice, rules, root, call.caller.agent, fold, protected)
    namespaced = False
    try:
        commands = plan.env.get("PATH", "").split(":")[0] or None
        plan.env = sandboxed.environment(plan.env)
        if sys.platform == "darwin":
            plan.argv = [*sandboxed.seatbelt(), *plan.argv]
            ran = run(plan, take)
            return ran, sandboxed.data(), sandboxed.notes(ran.status)
        plan.sandbox = sandboxed.prepare(plan.cwd, dict(os.environ), commands)
        if call.caller.owns_process and os.geteuid() != 0 and sandboxed.layer == MOUNTS:
            namespaced = own_user_namespace()  # the command is started without a fork then
        try:
            ran = run(plan, take)
        except NoNamespace as error:
            sandboxed.without_mounts(str(error))
            plan.sandbox = sandboxed.prepare(plan.cwd, dict(os.environ), commands)
            ran = run(plan, take)
        return ran, sandboxed.data(), sandboxed.notes(ran.status)
    finally:
        if namespaced:
            drop_capabilities()  # it had none before
        sandboxed.close()
