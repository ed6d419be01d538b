"""The tool that runs commands: limits, results, patches applied without a shell, and large outputs."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from patchkit.cli.statuses import of_tool
from patchkit.report.result import Result
from patchkit.tools.calling import Caller, call
from patchkit.tools.exec import DESCRIPTION, SCHEMA

PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
CALL = f"apply_patch <<'EOF'\n{PATCH}EOF\n"
STALE = CALL.replace("-x", "-gone")
SUMMARY = "Success. Updated the following files:\nM a.txt\n"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    for name in ("PATCHKIT_AGENT", "PATCHKIT_NO_HISTORY", "CDPATH", "BASH_ENV"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path.resolve() / "tree"
    (path / "sub").mkdir(parents=True)
    (path / "a.txt").write_text("x\n")
    return path


@pytest.fixture
def bash(tree):
    """Calls the tool in the tree."""

    def run(command: str, **more: object) -> Result:
        return call("Bash", {"command": command, **more}, Caller(str(tree)))

    return run


def ended(result: Result) -> tuple[str, object, str]:
    return result.status, result.data.get("exit_code"), result.text


def code(result: Result) -> object:
    return result.errors[0]["code"] if result.errors else None


# -- results -------------------------------------------------------------------------------------


def test_the_output_of_both_streams_is_the_text(bash):
    assert ended(bash("echo a; echo b >&2; echo c")) == ("success", 0, "a\nb\nc\n")


def test_a_status_other_than_zero_is_a_result(bash):
    result = bash("echo no; exit 3")

    assert ended(result) == ("success", 3, "no\n[exit status 3]\n")
    assert of_tool("Bash", result) == 3


def test_a_signal_is_named(bash):
    result = bash("echo a; kill -9 $$")

    assert ended(result) == ("success", 137, "a\n[ended by SIGKILL]\n")
    assert result.data["signal"] == "SIGKILL"


def test_a_remark_is_on_a_line_of_its_own(bash):
    assert bash("printf a; exit 1").text == "a\n[exit status 1]\n"


@pytest.mark.parametrize(
    ("command", "text"),
    [("true", "The command succeeded with no output.\n"), ("false", "No output.\n[exit status 1]\n")],
)
def test_no_output_is_said(bash, command, text):
    result = bash(command)

    assert (result.text, result.data["output"]) == (text, "")


def test_a_program_that_is_not_there_is_a_result_too(bash):
    result = bash("no-such-program")

    assert (result.status, result.data["exit_code"]) == ("success", 127)


def test_the_data_says_everything(bash, tree):
    result = bash("echo hi")
    duration = result.data.pop("duration_ms")

    assert isinstance(duration, int)
    assert result.data == {
        "exit_code": 0,
        "signal": None,
        "timed_out": False,
        "timeout": 120,
        "output": "hi\n",
        "truncated": False,
        "output_file": None,
        "output_bytes": 3,
        "cwd": str(tree),
        "patch": None,
        "sandbox": None,
    }


def test_bytes_that_are_not_text_are_kept(bash):
    assert bash("printf '\\377'").text.encode("utf-8", "surrogateescape") == b"\xff"


# -- where and with what -------------------------------------------------------------------------


def test_it_runs_in_the_workspace_or_in_a_directory_inside_it(bash, tree):
    assert bash("pwd").text == f"{tree}\n"
    assert bash("pwd", cwd="sub").text == bash("pwd", workdir=str(tree / "sub")).text == f"{tree}/sub\n"


@pytest.mark.parametrize(("path", "expected"), [("..", "P301"), ("/", "P301"), ("gone", "P302"), ("a.txt", "P319")])
def test_it_does_not_run_elsewhere(bash, tree, path, expected):
    result = bash("touch ran", cwd=path)

    assert (code(result), result.status) == (expected, "error")
    assert not (tree / "ran").exists()


def test_it_starts_where_relative_paths_start(tree):
    assert call("Bash", {"command": "pwd"}, Caller(str(tree), str(tree / "sub"))).text == f"{tree}/sub\n"


def test_our_commands_are_first_on_its_path(bash, tree):
    first, second = bash("command -v apply_patch; command -v patchkit").text.split()

    assert os.path.dirname(first) == os.path.dirname(second) == bash('echo "${PATH%%:*}"').text.strip()
    assert sorted(os.listdir(os.path.dirname(first))) == ["apply_patch", "applypatch", "patchkit"]


def test_no_other_program_of_ours_hides_one_of_the_users(bash):
    assert "python" not in " ".join(os.listdir(bash('echo "${PATH%%:*}"').text.strip()))


def test_our_commands_know_the_workspace_and_are_not_led_astray_by_it(bash, tree):
    (tree / "sub" / "patchkit").mkdir()
    (tree / "sub" / "patchkit" / "__init__.py").write_text("raise SystemExit('not ours')")
    script = f"cd sub; for i in 1; do apply_patch <<'EOF'\n{PATCH.replace('a.txt', '../a.txt')}EOF\ndone"

    assert bash(script).text == SUMMARY.replace("a.txt", "../a.txt")
    assert (tree / "a.txt").read_text() == "y\n"


def test_there_is_nothing_to_read(bash):
    assert bash("cat; echo done").text == "done\n"


def test_a_script_too_long_for_an_argument_runs_all_the_same(bash, tree):
    result = bash("cat > long.txt <<'EOF'\n" + "x" * 300_000 + "\nEOF\nwc -c < long.txt | tr -d ' '\n")

    assert ended(result) == ("success", 0, "300001\n")


@pytest.mark.parametrize("command", ["echo \0", "echo \ud800"])
def test_what_no_command_can_carry_is_refused(bash, command):
    assert code(bash(command)) == "P522"


# -- limits --------------------------------------------------------------------------------------


def test_when_its_time_is_up_the_output_so_far_is_kept(bash):
    for seconds in (1, 10, 100):  # more on a machine that is too busy to start a shell in that time
        result = bash("echo working; sleep 3600", timeout=seconds)
        if result.data["output"]:
            break

    assert (result.status, result.data["timed_out"], result.data["output"]) == ("partial", True, "working\n")
    assert (code(result), result.errors[0]["kind"], of_tool("Bash", result)) == ("P641", "TIMEOUT", 124)
    assert result.text.startswith(f"working\nerror[P641]: the command timed out after {seconds} s")


def test_nothing_may_run_for_more_than_an_hour(bash, tree):
    result = bash("touch ran", timeout=3601)

    assert result.text.startswith("Error: timeout 3601s exceeds maximum allowed (3600s).\nerror[P643]: ")
    assert (of_tool("Bash", result), (tree / "ran").exists()) == (2, False)
    assert bash("true", timeout=3600).status == "success"


@pytest.mark.parametrize("timeout", [0, -1, "five", 1.5])
def test_a_time_that_is_none_is_refused(bash, timeout):
    assert code(bash("true", timeout=timeout)) == "P603"


@pytest.mark.parametrize(
    "command", ["sudo ls", "echo hi && touch ran; bash -c 'reboot'", "rm -rf /", "echo > /dev/sda"]
)
def test_a_command_of_the_list_is_refused_before_anything_runs(bash, tree, command):
    result = bash(command)

    assert result.text.startswith("Error: Dangerous command blocked\nerror[P642]: ")
    assert (result.status, of_tool("Bash", result)) == ("error", 126)
    assert not (tree / "ran").exists()


def test_the_words_of_the_list_may_be_said(bash):
    assert bash('echo "sudo rm -rf /"').text == "sudo rm -rf /\n"


def test_a_process_left_in_the_background_is_reported(bash):
    result = bash("sleep 3600 & echo $!")
    os.kill(int(result.text), signal.SIGKILL)

    assert [note["code"] for note in result.notes] == ["P971"]


# -- patches -------------------------------------------------------------------------------------


@pytest.fixture
def no_shell(monkeypatch):
    """No shell may be started."""

    def refuse(*_: object) -> None:
        raise AssertionError("a shell was started")

    monkeypatch.setattr("patchkit.tools.exec.run_command", refuse)


@pytest.mark.usefixtures("no_shell")
def test_a_patch_is_applied_without_a_shell(bash, tree):
    result = bash(CALL)

    assert ended(result) == ("success", 0, SUMMARY)
    assert (tree / "a.txt").read_text() == "y\n"
    assert result.data["patch"]["applied"] is True


@pytest.mark.usefixtures("no_shell")
def test_a_patch_is_applied_where_the_call_says(bash, tree):
    (tree / "sub" / "a.txt").write_text("x\n")

    assert bash(f"cd sub && {CALL}").data["exit_code"] == 0
    assert [(tree / name).read_text() for name in ("a.txt", "sub/a.txt")] == ["x\n", "y\n"]


@pytest.mark.usefixtures("no_shell")
def test_a_patch_that_does_not_fit_fails_as_the_command_would(bash, tree):
    result = bash(STALE)

    assert (result.status, result.data["exit_code"]) == ("success", 1)
    assert result.text.startswith("error[P201]: hunk not found in 'a.txt'")
    assert result.text.endswith("\n[exit status 1]\n")
    assert result.data["patch"]["errors"][0]["code"] == "P201"


@pytest.mark.usefixtures("no_shell")
@pytest.mark.parametrize(
    ("command", "expected"), [(CALL.replace("'EOF'", "EOF").replace("+y", "+$y"), "P503"), (PATCH, "P501")]
)
def test_a_call_that_cannot_be_trusted_is_refused(bash, command, expected):
    result = bash(command)

    assert (result.status, code(result), of_tool("Bash", result)) == ("error", expected, 126)
    assert result.text.startswith(f"error[{expected}]: ")
    assert [note["code"] for note in result.notes] == ["P974"]


def test_a_call_that_cannot_be_trusted_can_be_left_to_the_shell(bash, tree):
    (tree / "change.patch").write_text(PATCH)

    assert code(bash("apply_patch < change.patch")) == "P506"
    assert ended(bash("apply_patch < change.patch", no_intercept=True)) == ("success", 0, SUMMARY)


def test_more_commands_after_the_call_run_once_it_is_applied(bash, tree):
    assert ended(bash(CALL + "cat a.txt; pwd\n")) == ("success", 0, f"{SUMMARY}y\n{tree}\n")


def test_more_commands_run_in_the_directory_the_script_went_to(bash, tree):
    (tree / "sub" / "a.txt").write_text("x\n")
    result = bash(f"cd sub\n{CALL}pwd\n")

    assert result.text == f"{SUMMARY}{tree}/sub\n"


@pytest.mark.parametrize(("joined", "runs"), [(" && echo after", False), ("\necho after", True)])
def test_after_a_patch_that_does_not_fit_the_rest_runs_only_where_it_should(bash, joined, runs):
    script = STALE.replace("<<'EOF'", "<<'EOF' && echo after") if joined.startswith(" ") else STALE + "echo after\n"
    result = bash(script)

    assert ("after\n" in result.text, result.data["exit_code"]) == (runs, 0 if runs else 1)


def test_the_dialect_holds_for_patches_that_no_shell_applies(bash, tree, monkeypatch, no_shell):
    monkeypatch.setenv("PATCHKIT_DIALECT", "codex")
    (tree / "b.txt").write_text("old\n")
    add = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: b.txt\n+new\n*** End Patch\nEOF\n"

    assert bash(add).data["exit_code"] == 0
    assert (tree / "b.txt").read_text() == "new\n"


# -- large outputs -------------------------------------------------------------------------------


def test_a_large_output_is_kept_under_the_id_of_the_call(bash):
    result = bash("seq 1 100000", tool_call_id="toolu_01")
    path = str(result.data["output_file"])

    assert result.data["truncated"] is True
    assert os.path.basename(path) == "toolu_01"
    assert Path(path).read_text() == "".join(f"{number}\n" for number in range(1, 100_001))
    assert result.text.startswith("Tool result too large, the result of this tool call toolu_01\nwas saved in the")


def test_without_an_id_one_is_made(bash):
    first, second = (str(bash("seq 1 100000").data["output_file"]) for _ in range(2))

    assert first != second


def test_a_large_output_of_a_command_that_failed_says_both(bash):
    result = bash("seq 1 100000; exit 4")

    assert result.text.endswith("99999\n100000\n[exit status 4]\n")
    assert result.data["exit_code"] == 4


def test_what_was_moved_to_a_file_can_be_read_and_searched(bash, tree):
    path = str(bash("seq 1 100000", tool_call_id="big").data["output_file"])
    assert not path.startswith(str(tree))
    caller = Caller(str(tree))
    for spelled in (path, "/large_tool_results/big"):
        read = call("Read", {"file_path": spelled, "offset": 77_777, "limit": 2}, caller)
        found = call("Grep", {"pattern": "77777", "path": spelled, "output_mode": "content"}, caller)

        assert (read.status, "→77777\n" in read.text, "→77778\n" in read.text) == ("success", True, True)
        assert (found.status, "77777" in found.text) == ("success", True)
    everywhere = call("Grep", {"pattern": "99999", "path": "/large_tool_results"}, caller)
    assert "big" in everywhere.text


# -- the declaration -----------------------------------------------------------------------------


def test_the_description_sends_searching_and_reading_elsewhere():
    assert (
        "You MUST avoid using search commands like find and grep. Instead use the grep, glob tools to search. You MUST "
        "avoid read tools like cat, head, tail, and use read_file to read files."
    ) in DESCRIPTION


def test_the_schema_asks_for_a_command_and_maybe_a_time():
    assert (list(SCHEMA["properties"]), SCHEMA["required"]) == (["command", "timeout"], ["command"])


def test_a_list_of_words_is_a_command_of_these_words(bash):
    assert bash(["printf", "%s|", "a  b", "$HOME"]).data["output"] == "a  b|$HOME|"


def test_a_list_of_words_that_is_a_call_of_apply_patch_is_applied(bash, tree, no_shell):
    assert bash(["apply_patch", PATCH]).text == SUMMARY
    assert (tree / "a.txt").read_text() == "y\n"
