"""The exit status of commands: from the exit class of a code, and the contracts of single commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from forked_commands import FORKS

from patchkit.catalogue.entries import ENTRIES
from patchkit.cli import statuses
from patchkit.cli.group import COMMANDS, command_named, summaries
from patchkit.errors import PatchkitError
from patchkit.report.result import Result, failure


def codes(status: int) -> list[str]:
    return sorted(code for code in ENTRIES if statuses.of_code(code) == status)


def test_the_codes_of_every_status_but_refused_are_these():
    assert codes(2) == [
        *(f"P60{digit}" for digit in range(1, 9)),
        "P632",
        "P647",
        "P650",
        "P653",
        "P654",
        "P655",
        "P656",
        "P659",
        "P675",
        *["P690", "P691", "P696", "P697"],
    ]
    assert codes(3) == [
        *["P301", "P306", "P307", "P312", "P318", "P610", "P611", "P612", "P613", "P651", "P652", "P657", "P658"],
        *(f"P67{digit}" for digit in range(5)),
    ]
    assert codes(4) == ["P401", "P402", "P403", "P405", "P406", "P637", "P698"]
    assert codes(5) == ["P404"]
    assert codes(70) == ["P499"]


@pytest.mark.parametrize(
    ("code", "status"), [("P201", 1), ("P301", 1), ("P402", 1), ("P601", 1), ("P404", 5), ("P499", 70)]
)
def test_apply_patch_refuses_with_one_unless_files_may_be_mixed(code, status):
    assert statuses.of_apply(code) == status


@pytest.mark.parametrize(("data", "status"), [({}, 0), ({"left": True}, 5)])
def test_a_success_that_leaves_something_to_recover_is_not_zero(data, status):
    assert statuses.of_result(Result("success", data, "")) == status


@pytest.mark.parametrize(("tool", "status"), [("Read", 3), ("Grep", 2), ("Bash", 126), ("check", 3)])
def test_a_denied_call_ends_with_the_status_of_its_tool(tool, status):
    assert statuses.of_tool(tool, failure(PatchkitError("P651", action="x", rule="y"))) == status


@pytest.mark.parametrize(("verdict", "status"), [("apply_patch", 0), ("other", 10), ("error", 1)])
def test_a_verdict_has_its_status(verdict, status):
    assert statuses.of_verdict(verdict) == status


# -- a defect of ours ----------------------------------------------------------------------------

PATCH = "*** Begin Patch\n*** Add File: n\n+x\n*** End Patch\n"
# A line of every command, what it reads, and the function of ours that fails there.
LINES = {
    **dict.fromkeys(["apply", "check", "convert --from v4a --to unified"], PATCH),
    **dict.fromkeys(["edit a.txt --old x --new y", "insert a.txt --line 1 --text x"], ""),
    **dict.fromkeys(["delete a.txt", "move a.txt b.txt"], ""),
    **dict.fromkeys(["write n", "notebook-edit a.ipynb --cell-id c"], "x"),
    "multi-edit a.txt": '[{"old_string": "x", "new_string": "y"}]',
    **dict.fromkeys(["read a.txt", "ls", "glob *", "grep x", "exec true", "trust", "session", "log"], ""),
    **dict.fromkeys(["undo", "redo", "recover", "doctor", "serve"], ""),
    **dict.fromkeys(["call Read", "policy Read"], '{"file_path": "a.txt"}'),
    **dict.fromkeys(["batch rows.jsonl -o out.jsonl", "study rows.jsonl", "diff a.txt rows.jsonl"], ""),
    **dict.fromkeys(["install claude", "uninstall claude", "intercept --script -", "mcp", "hook"], "{}"),
    **dict.fromkeys(["schema", "prompt", "completion bash", "explain P201", "grammar", "help apply"], ""),
}
FAILS = {
    "batch": "batch",
    "completion": "completion",
    "diff": "make_patch",
    "explain": "entry",
    "grammar": "grammar",
    "help": "HelpPage.show",
    "hook": "respond",
    "install": "ClientSetup.hook",
    "intercept": "_verdict",
    "mcp": "McpServer.serve",
    "prompt": "words",
    "schema": "published",
    "study": "study_of",
    "uninstall": "ClientSetup.hook",
}
BROKEN = """
import sys
fails = sys.argv.pop(1)
def defect(frame, event, _):
    if event == "call" and frame.f_code.co_qualname == fails and "patchkit" in frame.f_code.co_filename:
        sys.setprofile(None)
        raise ZeroDivisionError("a defect")
sys.argv[0] = "patchkit"
from patchkit.cli.main import main
sys.setprofile(defect)
main(sys.argv[1:])
"""


def test_a_defect_is_p499_with_status_70_for_every_command(tree, subtests):
    assert {line.split()[0] for line in LINES} == {*summaries()}
    (tree / "rows.jsonl").write_text("{}\n")
    (tree / "broken").write_text(BROKEN)
    for line, given in LINES.items():
        words = line.split()
        command = [str(tree / "broken"), FAILS.get(words[0], "Workspace.__init__"), *words]
        with subtests.test(line):
            status, stdout, stderr = FORKS.run(command, tree, dict(os.environ), given.encode())
            assert b"Traceback" not in stderr + stdout
            if words[0] == "hook":  # there are no rules here, and a defect of ours never stops a call
                assert (status, stdout, b"ZeroDivisionError: a defect" in stderr) == (0, b"", True)
            else:
                assert status == 70, stderr
                assert b"internal error in patchkit: ZeroDivisionError: a defect at " in stderr


def test_what_fails_before_a_command_is_read_is_p499_too(tree):
    for program in ("patchkit.cli.main", "patchkit.cli.apply_patch"):
        code = f"import {program} as it; it.loaded = it.declared = lambda *_: 1 / 0; it.main(['--check'])"
        done = subprocess.run([sys.executable, "-c", code], input="", cwd=tree, capture_output=True, text=True)
        assert (done.returncode, "Traceback" in done.stderr) == (70, False)
        assert done.stderr.startswith(
            "error[P499]: internal error in patchkit: ZeroDivisionError: division by zero at "
        )


REFUSED_LINES = {
    **{name: f"{name} --root missing" for name in ("log", "undo", "redo", "recover", "session", "policy", "trust")},
    **{name: f"{name} claude --root missing" for name in ("install", "uninstall")},
    **{name: f"{name} missing" for name in ("apply", "check", "study", "call")},
    "batch": "batch missing -o out.jsonl",
    "exec": "exec --root missing -- true",
    "explain": "explain zugzwang",
}


def test_with_json_a_refusal_of_every_command_is_the_result_of_all_tools(run, subtests):
    able = [name for name in COMMANDS if any("--json" in each.opts for each in command_named(name).params)]
    assert {*able} - {"doctor", "intercept"} == {*REFUSED_LINES}, "these two refuse nothing"
    for name, line in REFUSED_LINES.items():
        with subtests.test(line):
            done = run(name, "--json", *line.split()[1:], name="patchkit")
            answer = json.loads(done.stdout)
            assert (answer["status"], answer["error"], done.stderr) == ("error", answer["errors"][0], b"")
            own = {"apply": 1, "check": 2, "call": 2}
            assert done.status == own.get(name, statuses.of_code(answer["error"]["code"]))
