"""An arena for attacks: a project with rules that its user trusts, where ordinary calls are allowed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from forked_commands import FORKS

from patchkit.core.workspace.root import Workspace
from patchkit.policy.commands import of_script
from patchkit.policy.permissions import Judge
from patchkit.policy.settings import settings
from patchkit.runtimes import hooks
from patchkit.tools.registry import effect_and_name

PROGRAM = ["/opt/patchkit/bin/apply_patch"]


class Arena:
    """The project and its user: commands of ours, decisions about scripts, and answers of the hook."""

    def __init__(self, base: Path) -> None:
        self.home, self.root = base / "home", base / "home/proj"
        for name in ("src", "sub", ".git"):
            (self.root / name).mkdir(parents=True)
        (self.root / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (self.root / ".env").write_text("TOKEN=SECRET\n")
        (self.root / "src/a.py").write_text("x\n")
        self.settings = {"HOME": str(self.home), "XDG_STATE_HOME": str(base / "state")}
        self.settings["XDG_CONFIG_HOME"] = str(base / "config")

    def patchkit(self, *words: str, given: str = "", **settings: str) -> tuple[int, str]:
        """The status of a command, and all that it printed."""
        script = str(Path(sys.executable).with_name("patchkit"))
        status, out, err = FORKS.run(
            [script, *words], self.root, {**os.environ, **self.settings, **settings}, given.encode()
        )
        return status, (out + err).decode("utf-8", "replace")

    def rule(self, text: str) -> None:
        """Writes rules, and lets the user trust them."""
        (self.root / ".patchkit.toml").write_text(f"[permissions]\n{text}\n")
        status, said = self.patchkit("trust")
        assert (status, "are trusted" in said) == (0, True), said

    def decided(self, script: str, shell: str = "bash", agent: bool = True) -> str:
        with Workspace(self.root) as files:
            judge = Judge(files, settings(files.real), effect_and_name, agent=agent)
            return judge.judge("Bash", of_script(judge.deeds, script, files.real, shell)).decision

    def hooked(self, tool: str, given: object, **more: object) -> str | None:
        """What the hook answers about a call of a tool; None where it is left to the runtime."""
        event = {"hook_event_name": "PreToolUse", "cwd": str(self.root), "tool_name": tool, "tool_input": given}
        return self.answered(json.dumps({**event, **more}).encode())

    def answered(self, event: bytes) -> str | None:
        try:
            said = hooks.respond(event, PROGRAM)
        except hooks.Blocked:
            return "deny"
        assert "could not be applied" not in said, said  # a defect of ours is asked for, and proves nothing
        return json.loads(said)["hookSpecificOutput"].get("permissionDecision") if said else None


@pytest.fixture
def arena(tmp_path, monkeypatch):
    made = Arena(tmp_path.resolve())
    for name, value in made.settings.items():
        monkeypatch.setenv(name, value)
    for name in ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "COPILOT_PROJECT_DIR", "PATCHKIT_AGENT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(hooks, "_has_terminal", lambda: True)
    monkeypatch.chdir(made.root)
    return made
