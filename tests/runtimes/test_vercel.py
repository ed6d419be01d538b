"""examples/vercel_agent.ts: a host in TypeScript, with the Vercel AI SDK's own MCP client and its mock model.

Optional: PATCHKIT_TEST_CLIENTS names a directory where `npm install ai @ai-sdk/mcp tsx` was run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGES = Path(os.environ.get("PATCHKIT_TEST_CLIENTS", "/none"), "node_modules")
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-{}\n+x = 2\n*** End Patch\n"


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
@pytest.mark.skipif(not (PACKAGES / "@ai-sdk/mcp").exists(), reason="PATCHKIT_TEST_CLIENTS has no @ai-sdk/mcp")
def test_an_agent_in_typescript_applies_is_refused_and_undoes(tmp_path):
    place, root = tmp_path / "program", tmp_path / "root"
    place.mkdir()
    root.mkdir()
    (root / "a.py").write_text("x = 1\n")
    (place / "node_modules").symlink_to(PACKAGES)
    shutil.copy(REPOSITORY / "examples" / "vercel_agent.ts", place / "vercel_agent.ts")
    shutil.copy(Path(__file__).with_name("scripted_vercel.mts"), place)
    (place / "package.json").write_text('{"type": "module"}')
    command = place / "patchkit"
    code = f"import sys\nsys.path.insert(0, {str(REPOSITORY)!r})\nfrom patchkit.cli.main import main\nmain()\n"
    command.write_text(f"#!{sys.executable}\n{code}")
    command.chmod(0o755)
    calls = [
        {"tool": "apply_patch", "input": {"input": PATCH.format("y = 1")}},
        {"tool": "apply_patch", "input": {"input": PATCH.format("x = 1")}},
        {"tool": "Read", "input": {"file_path": "a.py"}},
        {"tool": "Undo", "input": {}},
    ]
    words = ["node", "--import", "tsx", "scripted_vercel.mts", str(root), str(command), json.dumps(calls)]
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    done = subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True)
    said = json.loads(done.stdout)
    texts = [json.dumps(each) for each in said["results"]]

    assert (said["said"], len(texts), (root / "a.py").read_text()) == ("Done.", 4, "x = 1\n"), done.stderr
    assert "error[P201]" in texts[0]
    assert "Success. Updated the following files" in texts[1]
    assert "x = 2" in texts[2]
    assert "Undid" in texts[3]
