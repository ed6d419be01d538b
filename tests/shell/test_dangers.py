"""The list of commands that are never run: words that are run count, words that are only said do not."""

from __future__ import annotations

import os
import subprocess
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from real_shells import missing

from patchkit.shell.inventory import danger
from patchkit.tools.calling import Caller, call

PLAIN = ["sudo ls", "sudo", "/usr/bin/sudo ls", "s'u'do ls", "\\sudo ls", "doas ls", "pkexec ls", "shutdown -h now"]
PLAIN += ["reboot", "halt", "poweroff", "systemctl reboot", "systemctl --force poweroff", "init 0", "telinit 6"]
PLACES = ["true && {}", "true; {}", "true\n{}\n", "true | {}", "true || {}", "true & {}", "! {}", "({})", "{{ {}; }}"]
PLACES += ["if true; then {}; fi", "if {}; then :; fi", "for i in 1 2; do {}; done", "while {}; do :; done"]
PLACES += ["case a in a) {};; esac", "f() {{ {}; }}; f", "A=1 {}", ">/tmp/x {}", "2>&1 {}", "<<< x {}", "exec {}"]
INNER = ["echo $({})", "echo `{}`", 'echo "$({})"', 'echo "`{}`"', "x=$({})", "export X=$({})", "cat <({})"]
INNER += ["[[ $({}) ]]", "echo ${{x:-$({})}}", "cat <<E\n$({})\nE", "cat <<E\n`{}`\nE", "bash <<'E'\n{}\nE"]
INNER += ["bash -c '{}'", 'bash -lc "{}"', "bash -o pipefail -c '{}'", "sh -ec '{}'", "sh -c 'bash -c \"{}\"'"]
INNER += ["eval '{}'", "eval {}", "env -S '{}'"]
WRAPPED = [
    "env {}",
    "env -i -u X A=1 {}",
    "nohup {}",
    "command {}",
    "builtin {}",
    "time {}",
    "nice -n 5 {}",
    "setsid {}",
]
WRAPPED += ["nice -n5 {}", "timeout 10 {}", "timeout -k 5 10 {}", "timeout --signal KILL 10 {}", "stdbuf -oL {}"]
WRAPPED += ["echo x | xargs -n 1 {}", "find . -exec {} \\;", "env nohup nice {}", "busybox {}"]
ROOTS = [
    "rm -rf /",
    "rm -fr /",
    "rm -r -f /",
    "rm -rf -- /",
    "rm / -rf",
    "rm -rf /*",
    "rm -rf //",
    "rm -rf /.",
    "rm -R /",
]
ROOTS += ["rm --recursive --force /", "rm -rf '/'", 'rm -rf "/"*', "rm -rf /../", "rm -rf --no-preserve-root /tmp/x"]
DEVICES = [
    "echo > /dev/sda",
    "echo >/dev/sda1",
    "cat a >> /dev/mem",
    "echo &> /dev/sda",
    "echo >| /dev/sda",
    "> /dev/sda",
]
DEVICES += ["echo 1> '/dev/sda'", "echo > //dev/sda", "echo > /dev/../dev/sda", "echo >& /dev/sda", "tee /dev/sda"]
DEVICES += ["dd if=/dev/zero of=/dev/sda", "echo 2>/dev/null >/dev/sda"]


@pytest.mark.parametrize("script", [*PLAIN, *ROOTS, *DEVICES])
def test_a_command_of_the_list_is_found(script):
    assert danger(script) != ""


@pytest.mark.parametrize("form", [*PLACES, *INNER, *WRAPPED])
def test_a_command_of_the_list_is_found_wherever_it_is_run(form):
    assert danger(form.format("sudo ls")) == "sudo ls"


@pytest.mark.parametrize(
    "script",
    [
        *['echo "sudo"', "echo sudo ls", "echo 'sudo ls; rm -rf /'", "git commit -m 'sudo reboot'", "grep -r sudo ."],
        *["which sudo", "command -v sudo", "type sudo", "man reboot", "cat sudo", "./sudoku", "sudo_x", "sudo=1", ""],
        *[
            "# sudo ls",
            "echo hi # sudo ls",
            "case x in sudo) echo;; esac",
            "x=(sudo reboot)",
            "for sudo in a; do :; done",
        ],
        *["cat <<'E'\nsudo ls\n$(sudo ls)\nE", "cat <<E\nsudo ls\nE", "bash -c 'echo sudo'", "xargs echo sudo"],
        *["apply_patch <<'E'\n*** Begin Patch\n*** Add File: a\n+sudo rm -rf / > /dev/sda\n*** End Patch\nE"],
        *["systemctl status reboot.target", "npm run reboot", "python -c 'sudo'", "find . -name sudo", "init --help"],
        *["rm -rf /tmp/x", "rm -rf build /tmp/*", "rm -rf ./", "rm -rf ~/x", "rm /", "rm -f /*", 'rm -rf "$X/"'],
        *[
            "ls > /dev/null",
            "ls 2>/dev/null >&2",
            "ls &>/dev/null",
            "echo > /dev/stderr",
            "echo > /dev/tty",
            "cat < /dev/sda",
        ],
        *["echo > /dev/fd/2", "echo > /dev/shm/x", "echo > dev/sda", "tee out.txt /dev/null", "dd if=/dev/sda of=x"],
    ],
)
def test_what_is_only_said_is_not(script):
    assert danger(script) == ""


def test_a_script_that_cannot_be_read_to_its_end_is_searched_as_far_as_it_can_be():
    assert danger("echo hi; sudo ls; echo 'never closed") == "sudo ls"


def test_what_is_reported_is_short():
    assert len(danger("sudo " + "x" * 1000)) == 80


# -- held against a real shell -------------------------------------------------------------------

FORMS = [*PLACES, *INNER, *WRAPPED]
KNOWN_BY_BASH = [form for form in FORMS if "builtin" not in form and "busybox" not in form]
COMMANDS = ["sudo ls", "echo sudo", "echo 'sudo ls'", ": sudo", "true", "'sudo' ls", 'echo "a; sudo ls"', "which sudo"]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Whether bash runs `sudo` for a script: a stub of that name, and nothing else of that name, is on the PATH."""
    if missing("bash"):
        pytest.skip(missing("bash"))
    directory = tmp_path_factory.mktemp("stub")
    calls = directory / "calls"
    (directory / "sudo").write_text(f"#!/bin/sh\necho ran >> {calls}\n")
    (directory / "sudo").chmod(0o755)

    def run(script):
        calls.unlink(missing_ok=True)
        env = {**os.environ, "PATH": f"{directory}:/usr/bin:/bin"}
        process = subprocess.Popen(
            ["bash", "-c", script],
            env=env,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        process.wait()
        if "&" in script or "<(" in script:
            time.sleep(0.05)  # what it left in the background
        return calls.exists()

    return run


@settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=int(os.environ.get("PATCHKIT_TESTS") == "full") * 1500 + 120,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.sampled_from(KNOWN_BY_BASH), min_size=1, max_size=2), st.sampled_from(COMMANDS))
def test_whatever_bash_runs_is_found(ran, forms, command):
    script = command
    for form in forms:
        if "while {}" not in form:
            script = form.format(script)
    if subprocess.run(["bash", "-n", "-c", script], capture_output=True, check=False).returncode:
        return

    assert danger(script) != "" or not ran(script)


@pytest.mark.parametrize("command", [*PLAIN, *ROOTS, *DEVICES])
def test_without_the_list_the_rules_alone_keep_an_agent_from_all_of_it(command, tmp_path, monkeypatch):
    """The list allows nothing, and no decision of the rules needs it."""
    monkeypatch.setattr("patchkit.tools.exec.danger", lambda _: "")
    refused = call("Bash", {"command": command}, Caller(str(tmp_path), agent=True))

    assert {error["code"] for error in refused.errors} <= {"P651", "P652"}
    assert refused.status == "error"
