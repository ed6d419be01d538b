"""A refused patch that has a correction: every way in which a model sends a patch hands it back."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from patchkit.errors import PatchkitError
from patchkit.runtimes.answers import Host, refusal, text_of
from patchkit.runtimes.hooks import respond
from patchkit.runtimes.sdks import anthropic, openai
from patchkit.runtimes.sdks.openai import operated
from patchkit.runtimes.sdks.streaming import StreamedCalls
from patchkit.runtimes.sdks.text_editor import memory

SOURCE = """\
def greet(name, loud):
    text = "Hi " + name
    text = text.upper()
    print(text)
    return text
"""
PATCH = """\
*** Begin Patch
*** Update File: app.py
@@
 def greet(name):
     text = "Hello " + name
     text = text.upper()
-    Print(text)
+    log(text)
     return text
*** End Patch
"""
CORRECTED = PATCH.replace("(name)", "(name, loud)").replace("Hello", "Hi").replace("Print", "print")
HANDED = f"corrected patch (likely):\n{CORRECTED}  = help: send the corrected patch if it is what you meant"
SCRIPT = f"apply_patch <<'EOF'\n{PATCH}EOF\n"


@pytest.fixture
def root(tmp_path, monkeypatch):
    for name in ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "COPILOT_PROJECT_DIR", "SHELL", "PATCHKIT_ROOT"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path.resolve() / "project"
    path.mkdir()
    (path / "app.py").write_text(SOURCE)
    monkeypatch.chdir(path)
    return path


def patchkit(*words, stdin=""):
    script = Path(sys.executable).with_name("patchkit")
    if not script.exists():
        pytest.skip("the patchkit script is not installed beside this interpreter")
    return subprocess.run([script, *words], input=stdin, capture_output=True, text=True, check=False)


def test_the_correction_applies(root):
    assert Host(root).call("apply_patch", {"input": CORRECTED}).status == "success"


def test_the_text_that_all_adapters_share_has_it(root):
    result = Host(root).call("apply_patch", {"input": PATCH})

    assert text_of(result).endswith(f"{HANDED}\n")
    assert (result.data["suggestion"], result.data["confidence"]) == (CORRECTED, "likely")


def test_a_call_may_ask_for_the_correction_to_be_applied(root):
    refused = Host(root).call("apply_patch", {"input": PATCH, "fix": "certain"})
    done = Host(root).call("apply_patch", {"input": PATCH, "fix": "likely"})

    assert (refused.status, done.status, [note["code"] for note in done.notes]) == ("error", "success", ["P939"])
    assert (root / "app.py").read_text() == SOURCE.replace("print", "log")


def test_a_host_may_choose_it_for_all_calls_of_an_adapter(root):
    item = {"type": "custom_tool_call", "call_id": "1", "name": "apply_patch", "input": PATCH}

    refused = openai.answer(item, Host(root, fix="certain"))
    done = openai.answer(item, Host(root, fix="likely"))

    assert [str(each["output"]).partition(":")[0] for each in (refused, done)] == [
        "error[P201]",
        "Success. Updated the following files",
    ]
    assert (root / "app.py").read_text() == SOURCE.replace("print", "log")


def test_a_host_may_take_what_fits_and_hand_the_rest_back(root):
    both = "*** Begin Patch\n*** Add File: new.py\n+x = 1\n" + PATCH.removeprefix("*** Begin Patch\n")

    result = Host(root, partial="files").call("apply_patch", {"input": both})

    assert (result.status, result.data["rest"]) == ("partial", PATCH)
    assert ((root / "new.py").read_text(), (root / "app.py").read_text()) == ("x = 1\n", SOURCE)


def test_a_hook_hands_it_over_with_the_refusal(root):
    event = {
        "session_id": "s",
        "cwd": str(root),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": SCRIPT},
    }
    said = json.loads(respond(json.dumps(event).encode(), ["apply_patch"]))["hookSpecificOutput"]

    assert said["permissionDecision"] == "deny"
    assert said["permissionDecisionReason"].endswith(HANDED)


@pytest.mark.parametrize(("more", "is_whole"), [({}, True), ({"turn_id": "t"}, False)])
def test_a_hook_of_codex_hands_less_over_because_codex_cuts_it_together_with_the_command(root, more, is_whole):
    added = "".join(f"+    note({number})\n" for number in range(500))
    script = SCRIPT.replace("+    log(text)\n", f"+    log(text)\n{added}")
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(root), "tool_input": {"command": script}}
    said = json.loads(respond(json.dumps({**event, **more}).encode(), ["apply_patch"]))["hookSpecificOutput"]

    reason = said["permissionDecisionReason"]
    assert (added in reason, " + -    print(text)\n" in reason) == (is_whole, not is_whole)


def test_a_hook_rewrites_a_call_that_asks_for_the_correction(root):
    event = {
        "session_id": "s",
        "cwd": str(root),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": SCRIPT.replace("apply_patch", "apply_patch --fix=likely")},
    }
    said = json.loads(respond(json.dumps(event).encode(), ["apply_patch"]))["hookSpecificOutput"]

    assert "--fix=likely" in said["updatedInput"]["command"]


def test_call_prints_it(root):
    done = patchkit("call", "apply_patch", json.dumps({"input": PATCH}))

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(f"{HANDED}\n")


def test_call_prints_it_once_on_a_terminal(root, monkeypatch):
    script = str(Path(sys.executable).with_name("patchkit"))
    if not os.path.exists(script):
        pytest.skip("the patchkit script is not installed beside this interpreter")
    screen, behind = os.openpty()
    done = subprocess.run([script, "call", "apply_patch", json.dumps({"input": PATCH})], stderr=behind, check=False)
    os.close(behind)
    shown = os.read(screen, 65536).decode().replace("\r\n", "\n")
    os.close(screen)

    assert (done.returncode, shown.count("error[P201]"), shown.endswith(f"{HANDED}\n")) == (1, 1, True)


def test_exec_prints_it_as_the_output_of_the_command(root):
    done = patchkit("exec", "--json", SCRIPT)

    said = json.loads(done.stdout)
    assert HANDED in said["data"]["output"]
    assert said["data"]["exit_code"] == 1


def test_intercept_prints_what_the_command_would_print(root):
    done = patchkit("intercept", "--apply", "--script", "-", stdin=SCRIPT)

    assert done.returncode == 1
    assert "  | +  def greet(name, loud):\n" in done.stderr
    assert done.stderr.endswith("'--fix=likely' if the corrected patch is what you meant\n")


def test_the_answer_to_a_custom_tool_call_of_openai_has_it(root):
    call = {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": PATCH}

    assert HANDED in openai.answer(call, root)["output"]


def test_the_answer_to_an_apply_patch_call_of_openai_has_it(root):
    diff = PATCH.partition("app.py\n")[2].removesuffix("*** End Patch\n")
    operation = {"type": "update_file", "path": "app.py", "diff": diff}
    said = openai.answer({"type": "apply_patch_call", "call_id": "c", "operation": operation}, root)

    assert (said["status"], HANDED in said["output"]) == ("failed", True)


def test_the_answer_to_a_bash_call_of_anthropic_has_it(root):
    said = anthropic.answer({"type": "tool_use", "id": "t", "name": "bash", "input": {"command": SCRIPT}}, root)

    assert HANDED in str(said["content"])


OPTION = re.compile(r"--[a-z]|patchkit [a-z]")


def test_what_an_adapter_refuses_itself_names_no_option_of_the_command_line(tmp_path):
    host, diff = Host(tmp_path), "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
    watch = StreamedCalls(host)
    watch.take(
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "name": "apply_patch"}}
    )
    piece = {"type": "content_block_delta", "index": 0, "delta": {"partial_json": json.dumps({"input": diff})}}
    (tmp_path / "memories").mkdir()
    (tmp_path / "memories/out").symlink_to("..")
    said = [
        watch.take(piece) or "",
        operated({"type": "update_file", "path": "x", "diff": "*** Move to: ../y\n"}, host).text,
        memory({"command": "view", "path": "/memories/out/x"}, host).text,
        refusal(PatchkitError("P301", file="/../x", root="/")).text,
    ]

    assert [text for text in said if OPTION.search(text)] == []
    assert all("error[P" in text for text in said[1:])
