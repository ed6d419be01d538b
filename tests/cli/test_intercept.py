"""`patchkit intercept`: verdicts by status, on the streams, as JSON, and applied there and then."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from patchkit.cli.group import page_named
from patchkit.report.spans import plain

PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
CALL = f"apply_patch <<'EOF'\n{PATCH}EOF\n"
LIVE = CALL.replace("'EOF'", "EOF").replace("+y", "+$y")
KEYS = ["verdict", "patch", "workdir", "reason", "code", "help", "shell", "form", "merged", "then"]


@pytest.fixture
def intercept(run):
    """Runs the command in the tree; a script is given on standard input."""

    def run_intercept(*words, script="", **settings):
        return run("intercept", *words, name="patchkit", stdin=script.encode("utf-8", "surrogateescape"), **settings)

    return run_intercept


# -- verdicts ------------------------------------------------------------------------------------


def test_the_patch_of_a_call_goes_to_standard_output_as_it_is(intercept, tree):
    said = intercept("--script", "-", script=CALL)

    assert said == (0, PATCH.encode(), f"apply_patch: in '{tree}'\n".encode())


def test_bytes_of_the_patch_that_are_no_text_come_out_as_they_went_in(intercept):
    said = intercept("--script", "-", script=CALL.replace("+y", "+\udce9\u20ac"))

    assert said.stdout == PATCH.replace("+y", "+\udce9\u20ac").encode("utf-8", "surrogateescape")


def test_something_else_says_nothing_on_standard_output(intercept):
    said = intercept("--script", "-", script="git status")

    assert said == (10, b"", b"other: the script does not mention 'apply_patch'\n")


def test_a_call_that_cannot_be_trusted_says_why_and_how_to_write_it(intercept):
    said = intercept("--script", "-", script=LIVE)

    assert (said.status, said.stdout) == (1, b"")
    assert said.stderr.startswith(b"error[P503]: the shell would change the patch")
    assert said.stderr.endswith(b"\n  = help: quote the delimiter: <<'EOF'\n")


def test_a_bare_patch_is_answered_with_how_to_send_it(intercept):
    assert intercept("--script", "-", script=PATCH).stderr.startswith(b"error[P501]")


def test_more_commands_after_the_call_are_named(intercept):
    said = intercept("--script", "-", script=CALL + "echo done\n")

    assert said.status == 10
    assert said.stderr.decode().split("\n")[1] == (
        "  = then: apply the patch first and run the rest in any case ('--json' has both)"
    )


def test_an_argument_vector_comes_after_two_dashes(intercept, tree):
    assert intercept("--", "apply_patch", PATCH).stdout == PATCH.encode()
    assert intercept("--", "bash", "-lc", CALL).stdout == PATCH.encode()
    assert intercept("--", "ls", "--", "-la").status == 10


def test_a_script_may_be_a_file_and_for_another_shell(intercept, tree):
    (tree / "call.sh").write_text(f"apply_patch <<< '{PATCH}'")

    assert intercept("--script", "call.sh").status == 0
    assert intercept("--script=call.sh", "--shell=dash").stderr.startswith(b"error[P516]")


def test_the_directory_of_the_command_can_be_given(intercept, tree):
    (tree / "sub").mkdir()

    assert intercept("-C", "sub", "--", "apply_patch", PATCH).stderr == f"apply_patch: in '{tree}/sub'\n".encode()


def test_control_characters_of_a_name_do_not_reach_the_terminal(intercept, tree):
    (tree / "\x1b[31m").mkdir()

    assert b"\x1b" not in intercept("-C", "\x1b[31m", "--", "apply_patch", PATCH).stderr


# -- JSON ----------------------------------------------------------------------------------------


def test_the_verdict_as_json_is_one_line_with_every_field(intercept, tree):
    said = intercept("--json", "--script", "-", script=CALL)
    verdict = json.loads(said.stdout)

    assert (said.status, said.stderr, said.stdout.count(b"\n")) == (0, b"", 1)
    assert list(verdict) == KEYS
    assert (verdict["verdict"], verdict["patch"], verdict["workdir"]) == ("apply_patch", PATCH, str(tree))


@pytest.mark.parametrize(("script", "status"), [("ls", 10), ("", 10), (LIVE, 1), (CALL + "ls\n", 10)])
def test_the_status_says_the_verdict_with_json_too(intercept, script, status):
    assert intercept("--json", "--script", "-", script=script).status == status


def test_a_tool_call_as_json_is_read_from_standard_input(intercept, tree):
    (tree / "sub").mkdir()
    call = {"command": ["bash", "-lc", CALL], "workdir": "sub"}
    said = intercept("--json-call", script=json.dumps(call))

    assert said == (0, PATCH.encode(), f"apply_patch: in '{tree}/sub'\n".encode())


def test_a_tool_call_that_cannot_be_read_is_an_error(intercept):
    assert intercept("--json-call", script="{").stderr.startswith(b"error[P518]")


def test_a_batch_is_answered_line_by_line(intercept, tree):
    requests = [{"id": 1, "argv": ["ls"]}, {"id": 2, "command": CALL}, {"id": 3, "command": LIVE}]
    said = intercept("--batch", script="\n".join(json.dumps(each) for each in requests))
    answers = [json.loads(line) for line in said.stdout.splitlines()]

    assert (said.status, said.stderr) == (0, b"")
    assert [(each["id"], each["verdict"]) for each in answers] == [(1, "other"), (2, "apply_patch"), (3, "error")]


def test_a_batch_answers_before_the_next_request_is_there(tree):
    code = "from patchkit.cli.main import main; main(['intercept', '--batch'])"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for number in range(3):
            process.stdin.write(json.dumps({"id": number, "argv": ["ls"]}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number


# -- applying ------------------------------------------------------------------------------------


def test_a_call_can_be_applied_there_and_then(intercept, contents):
    said = intercept("--apply", "--script", "-", script=CALL)

    assert said == (0, b"Success. Updated the following files:\nM a.txt\n", b"")
    assert contents() == {"a.txt": b"y\n"}


def test_a_patch_that_does_not_fit_is_refused_as_apply_patch_does(intercept, run, contents):
    stale = PATCH.replace("-x", "-gone")
    said = intercept("--apply", "--", "apply_patch", stale)

    assert said == run(stdin=stale.encode())
    assert (said.status, contents()) == (1, {"a.txt": b"x\n"})


def test_errors_go_where_the_call_sends_them(intercept):
    said = intercept("--apply", "--script", "-", script=CALL.replace("<<", "2>&1 <<").replace("-x", "-gone"))

    assert (said.status, said.stderr) == (1, b"")
    assert said.stdout.startswith(b"error[P201]")


def test_a_call_is_applied_where_it_says(intercept, tree, contents):
    (tree / "sub").mkdir()
    (tree / "sub" / "a.txt").write_bytes(b"x\n")
    said = intercept("--apply", "--script", "-", script=f"cd sub && {CALL}")

    assert said.status == 0
    assert contents() == {"a.txt": b"x\n", "sub/a.txt": b"y\n"}


def test_a_call_outside_the_workspace_is_not_applied(intercept, tree, contents):
    (tree / "sub").mkdir()
    said = intercept("--apply", "--root", "sub", "--script", "-", script=CALL)

    assert said.status == 1
    assert b"[P301]" in said.stderr
    assert contents() == {"a.txt": b"x\n"}


@pytest.mark.parametrize(("script", "status"), [("touch b.txt", 10), (LIVE, 1), (CALL + "touch b.txt\n", 10)])
def test_nothing_but_a_plain_call_is_applied(intercept, contents, script, status):
    assert intercept("--apply", "--script", "-", script=script).status == status
    assert contents() == {"a.txt": b"x\n"}


def test_a_call_without_approval_is_judged_by_the_rules(intercept, tree, contents):
    said = intercept("--apply", "--as-agent", "--script", "-", script=CALL)

    assert (said.status, contents()) == (1, {"a.txt": b"x\n"})
    assert said.stderr.startswith(b"error[P652]: updating 'a.txt' needs approval because of the rule")
    assert intercept("--as-agent", "--script", "-", script=CALL).status == 2


def test_with_json_applying_answers_with_its_envelope(intercept):
    envelope = json.loads(intercept("--apply", "--json", "--script", "-", script=CALL).stdout)

    assert (envelope["status"], envelope["data"]["applied"]) == ("success", True)


# -- the command line ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "give one of: '-- ARGV...', '--script', '--json-call', '--batch'"),
        (["--"], "give one of: '-- ARGV...', '--script', '--json-call', '--batch'"),
        (["--batch", "--json-call"], "give one of: '-- ARGV...', '--script', '--json-call', '--batch'"),
        (["--batch", "--apply"], "'--batch' answers with verdicts in JSON and does nothing else"),
        (["ls", "-la"], "put '--' before the command 'ls'"),
        (["--scrip", "x"], "unknown option '--scrip' (did you mean '--script'?)"),
        (["--script"], "option '--script' requires an argument"),
        (["--shell", "sh", "--", "ls"], "'--shell' goes with '--script'"),
        (["--script", "gone.sh"], "cannot read 'gone.sh': no such file or directory"),
        (["--script", "."], "cannot read '.': is a directory"),
    ],
)
def test_a_command_line_that_is_wrong_is_reported(intercept, words, complaint):
    said = f"error: {complaint}\n  = help: 'patchkit intercept --help' explains its use\n"

    assert intercept(*words) == (2, b"", said.encode())


def test_help_is_there(intercept):
    assert intercept("--help") == (0, plain(page_named("intercept").spans(80)).encode(), b"")


def test_a_reader_that_is_gone_does_not_change_the_status(intercept, tree):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "wb") as full:
        assert intercept("--script", "-", script=CALL, stdout=full).status == 0


def test_a_script_without_the_word_loads_nothing_to_look_at_it(tree):
    (tree / "script.sh").write_text("ls -la && git status\n")
    code = (
        "import os, sys; os._exit = lambda status: (print(status, sorted("
        "name for name in sys.modules if name.startswith(('tree_sitter', 'click', 're', 'json', 'patchkit.shell.')))),"
        "sys.exit(0));"
        "from patchkit.cli.main import main; main(['intercept', '--script', 'script.sh'])"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=tree, capture_output=True, text=True, env=lean())

    assert done.stdout.strip() == "10 ['patchkit.shell.mention']"


def lean() -> dict[str, str]:
    import patchkit

    return {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(patchkit.__file__)), "PYTHONSAFEPATH": "1"}
