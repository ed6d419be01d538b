"""The hook inside Claude Code and Codex themselves, with a scripted model and the settings of docs/agents.md.

Optional: PATCHKIT_TEST_CLIENTS names a directory where `npm install @anthropic-ai/claude-code @openai/codex` was run.
Every session has a home of its own and reaches nothing but the model on loopback.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from scripted_model import ScriptedModel

CLIENTS = Path(os.environ.get("PATCHKIT_TEST_CLIENTS", "/none"), "node_modules/.bin")
SOURCE = Path(__file__).resolve().parents[2]
HOOK = {"type": "command", "command": "patchkit hook", "timeout": 30}


def patch(old, new):
    return f"*** Begin Patch\n*** Update File: app.py\n@@\n-{old}\n+{new}\n*** End Patch\n"


def called(text):
    return f"apply_patch <<'EOF'\n{text}EOF\n"


class Session:
    """A project with the hook in its settings, and no apply_patch on PATH: only a rewritten command can work."""

    def __init__(self, place: Path) -> None:
        self.root, self.home, self.programs = place / "project", place / "home", place / "bin"
        for directory in (self.root, self.home, self.programs):
            directory.mkdir()
        (self.root / "app.py").write_text("x = 1\n")
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        code = f"import sys\nsys.path.insert(0, {str(SOURCE)!r})\nfrom patchkit.cli.main import main\nmain()\n"
        (self.programs / "patchkit").write_text(f"#!{sys.executable}\n{code}")
        (self.programs / "patchkit").chmod(0o755)

    def write(self, name: str, value: object) -> None:
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text(json.dumps(value))

    def run(self, words: list[str], **more: str) -> subprocess.CompletedProcess[str]:
        nowhere = dict.fromkeys(["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"], "http://127.0.0.1:9")
        loopback = dict.fromkeys(["no_proxy", "NO_PROXY"], "127.0.0.1,localhost")
        environment = {
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "SHELL": "/bin/bash",
            "DO_NOT_TRACK": "1",
        }
        return subprocess.run(
            words,
            cwd=self.root,
            env={**environment, **nowhere, **loopback, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )


def claude(session, model):
    session.write(".claude/settings.json", {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [HOOK]}]}})
    quiet = dict.fromkeys(["DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING"], "1")
    return session.run(
        [str(CLIENTS / "claude"), "-p", "Please do it.", "--permission-mode", "acceptEdits"],
        ANTHROPIC_BASE_URL=model.url,
        ANTHROPIC_API_KEY="none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        **quiet,
    )


def codex(session, model):
    session.write(".codex/hooks.json", {"hooks": {"PreToolUse": [{"matcher": "^Bash$", "hooks": [HOOK]}]}})
    (session.home / ".codex").mkdir()
    (session.home / ".codex/config.toml").write_text(
        'model = "gpt-5.5"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n'
        f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{model.url}/v1"\nwire_api = "responses"\n'
        f'request_max_retries = 0\n[projects."{session.root}"]\ntrust_level = "trusted"\n'
    )
    words = ["exec", "--sandbox", "danger-full-access", "--dangerously-bypass-hook-trust", "Please do it."]
    return session.run([str(CLIENTS / "codex"), *words])


@pytest.fixture(params=[claude, codex], ids=["claude", "codex"])
def ask(request, tmp_path):
    """Runs a client whose model sends one command; returns what its file holds then, and what the model was given."""
    if not (CLIENTS / request.param.__name__).exists():
        pytest.skip(f"PATCHKIT_TEST_CLIENTS does not name a directory with {request.param.__name__}")

    def asked(command):
        session, model = Session(tmp_path), ScriptedModel(command)
        try:
            done = request.param(session, model)
        finally:
            model.close()
        assert model.results, f"the call was never made: {done.stdout}{done.stderr}"
        return (session.root / "app.py").read_text(), model.results[-1]

    return asked


def test_a_patch_is_applied_by_the_rewritten_command(ask):
    text, given = ask(called(patch("x = 1", "x = 2")))

    assert (text, "Success. Updated the following files:\nM app.py" in given) == ("x = 2\n", True)


def test_a_patch_that_does_not_apply_is_refused_and_explained_to_the_model(ask):
    text, given = ask(called(patch("x = 7", "x = 2")))

    assert (text, "error[P201]" in given, "nothing was written" in given) == ("x = 1\n", True, True)


def test_another_command_is_left_to_the_client(ask):
    text, given = ask("cat app.py")

    assert (text, "x = 1" in given) == ("x = 1\n", True)
