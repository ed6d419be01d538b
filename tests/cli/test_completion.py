"""`patchkit completion`: real shells complete what was begun."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from terminals import Terminal

from patchkit.cli.arguments import FLAGS, VALUES
from patchkit.cli.commands import COMMANDS
from patchkit.cli.completion import apply_parameters

SCRIPTS = Path(sys.executable).parent
pytestmark = pytest.mark.skipif(
    not (SCRIPTS / "patchkit").exists(), reason="the scripts are not installed beside this interpreter"
)
# What is typed before the tab key, and what stands there afterwards.
TYPED = [
    ("patchkit gram", "patchkit grammar"),
    ("patchkit explain P20", ["P201", "P202", "P203"]),
    ("patchkit apply --max-patch", "patchkit apply --max-patch-bytes"),
    ("patchkit schema --format an", "patchkit schema --format anthropic"),
    ("apply_patch --overw", "apply_patch --overwrite"),
    ("apply_patch --dialect c", "apply_patch --dialect codex"),
    ("apply_patch --strict --color al", "apply_patch --strict --color always"),
    ("applypatch --forw", "applypatch --forward"),
    ("apply_patch --root some", "apply_patch --root somewhere"),
    ("apply_patch -i fix", "apply_patch -i fix.patch"),
]
ALONE = [(typed, completed) for typed, completed in TYPED if isinstance(completed, str)]


@pytest.fixture
def settings(tmp_path):
    return {"PATH": f"{SCRIPTS}:{os.environ['PATH']}", "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def here(tree):
    (tree / "somewhere").mkdir()
    (tree / "fix.patch").write_text("")
    return tree


def completed_on_a_terminal(command: list[str], setup: str, here: Path, typed: str, settings: dict[str, str]) -> str:
    """What a command line becomes by the tab key: it is then made the argument of echo, which tells."""
    terminal = Terminal(command, here, 200, TERM="dumb", **settings)
    terminal.type(f"{setup}; echo rea''dy\r")
    at = terminal.wait_for("ready\r\n")
    terminal.type(f"{typed}\t\x01echo '<' \x05 '>'\r")
    begin = terminal.wait_for("\r\n< ", at)
    end = terminal.wait_for(" >\r\n", begin)
    terminal.type("exit\r")
    terminal.end()
    return terminal.output[begin : end - 4].decode().strip().rstrip("/")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(("typed", "completed"), ALONE)
def test_bash_completes(here, settings, typed, completed):
    command = ["bash", "--norc", "--noprofile", "-i"]
    setup = 'bind "set bell-style none"; eval "$(patchkit completion bash)"'

    assert completed_on_a_terminal(command, setup, here, typed, settings) == completed


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize(("typed", "completed"), ALONE)
def test_zsh_completes(here, settings, typed, completed):
    command = ["zsh", "-f", "-i"]
    setup = 'bindkey -e; autoload -U compinit; compinit -D -u; eval "$(patchkit completion zsh)"'

    assert completed_on_a_terminal(command, setup, here, typed, settings) == completed


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("typed", "completed"), TYPED)
def test_fish_completes(here, settings, typed, completed):
    lines = f"patchkit completion fish | source; complete -C '{typed}'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", lines],
        cwd=here,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    offered = [line.split("\t")[0].rstrip("/") for line in done.stdout.splitlines()]

    wanted = completed if isinstance(completed, list) else [completed.rpartition(" ")[2]]
    assert [word for word in wanted if word not in offered] == []


def test_every_option_of_apply_patch_can_be_completed_and_says_what_it_does():
    options = {name: each.help for each in apply_parameters() for name in [*each.opts, *each.secondary_opts]}
    options.pop("patch")

    assert sorted(options) == sorted([*FLAGS, *VALUES])
    assert [name for name, words in options.items() if not words] == []


def test_the_help_of_apply_patch_lists_every_option(run):
    listed = re.findall(r"(?:^  |, )(-[\w-]+)", run("--help").stdout.decode(), re.MULTILINE)
    other_name = "--dry-run"  # of --check, for those who come from other tools

    assert sorted({*FLAGS, *VALUES} - {other_name}) == sorted(listed)


def test_commands_are_listed_for_a_shell_that_asks(run):
    done = run(name="patchkit", _PATCHKIT_COMPLETE="bash_complete", COMP_WORDS="patchkit ", COMP_CWORD="1")

    assert done.stdout.decode().splitlines() == [f"plain,{name}" for name in COMMANDS]


def test_a_shell_that_is_not_known_is_a_matter_of_usage(run):
    done = run("completion", "tcsh", name="patchkit")

    assert (done.status, done.stdout) == (2, b"")
    assert b"'tcsh' is not one of 'bash', 'zsh', 'fish'" in done.stderr
