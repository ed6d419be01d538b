"""`patchkit completion`: real shells complete what was begun."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from terminals import Terminal

from patchkit.cli import group
from patchkit.cli.group import command_named, summaries

SCRIPTS = Path(sys.executable).parent
pytestmark = pytest.mark.skipif(
    not (SCRIPTS / "patchkit").exists(), reason="the scripts are not installed beside this interpreter"
)
# What is typed before the tab key, and the line afterwards: one of each kind, and others.
KINDS = [
    ("patchkit gram", "patchkit grammar"),
    ("patchkit explain P20", ["P201", "P202", "P203"]),
    ("patchkit apply --max-patch", "patchkit apply --max-patch-bytes"),
    ("patchkit schema --format an", "patchkit schema --format anthropic"),
    ("apply_patch --dialect c", "apply_patch --dialect codex"),
    ("applypatch --forw", "applypatch --forward"),
    ("apply_patch --root some", "apply_patch --root somewhere"),
    ("apply_patch -i fix", "apply_patch -i fix.patch"),
    ("patchkit check fix", "patchkit check fix.patch"),
    ("patchkit grep x some", "patchkit grep x somewhere"),
]
TYPED = [
    *KINDS,
    ("apply_patch --overw", "apply_patch --overwrite"),
    ("apply_patch --strict --color al", "apply_patch --strict --color always"),
    ("patchkit read fix", "patchkit read fix.patch"),
    ("patchkit check --format sar", "patchkit check --format sarif"),
    ("patchkit check -o fix", "patchkit check -o fix.patch"),
    ("patchkit ls some", "patchkit ls somewhere"),
    ("patchkit edit fix", "patchkit edit fix.patch"),
    ("patchkit session fix", "patchkit session fix.patch"),
    ("patchkit diff fix", "patchkit diff fix.patch"),
    ("patchkit exec --cwd some", "patchkit exec --cwd somewhere"),
    ("patchkit intercept --script fix", "patchkit intercept --script fix.patch"),
    ("apply_patch fix", "apply_patch fix.patch"),
    ("patchkit call Mult", "patchkit call MultiEdit"),
    ("patchkit schema multi", "patchkit schema multi-edit"),
    ("patchkit policy Gre", "patchkit policy Grep"),
    ("patchkit prompt Gre", "patchkit prompt Grep"),
    ("patchkit help compl", "patchkit help completion"),
    ("patchkit explain hunk-not", "patchkit explain hunk-not-found"),
]
IN_SHELLS = TYPED if os.environ.get("PATCHKIT_TESTS") == "full" else KINDS
ALONE = [(typed, completed) for typed, completed in IN_SHELLS if isinstance(completed, str)]


@pytest.fixture
def settings(tmp_path):
    return {"PATH": f"{SCRIPTS}:{os.environ['PATH']}", "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def here(tree):
    (tree / "somewhere").mkdir()
    (tree / "fix.patch").write_text("")
    return tree


BASH = (["bash", "--norc", "--noprofile", "-i"], 'bind "set bell-style none"; eval "$(patchkit completion bash)"')
ZSH = (["zsh", "-f", "-i"], 'bindkey -e; autoload -U compinit; compinit -D -u; eval "$(patchkit completion zsh)"')


def completed_on_a_terminal(
    shell: tuple[list[str], str], here: Path, lines: list[str], settings: dict[str, str]
) -> list[str]:
    """What each command line becomes by the tab key: it is then made the argument of echo, which prints it."""
    command, setup = shell
    terminal = Terminal(command, here, 200, TERM="dumb", **settings)
    terminal.type(f"{setup}; echo rea''dy\r")
    at = terminal.wait_for("ready\r\n")
    completed = []
    for typed in lines:
        terminal.type(f"{typed}\t\x01echo '<' \x05 '>'\r")
        begin = terminal.wait_for("\r\n< ", at)
        at = terminal.wait_for(" >\r\n", begin)
        completed.append(terminal.output[begin : at - 4].decode().strip().rstrip("/"))
    terminal.type("exit\r")
    terminal.end()
    return completed


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes(here, settings):
    assert completed_on_a_terminal(BASH, here, [typed for typed, _ in ALONE], settings) == [line for _, line in ALONE]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes(here, settings):
    assert completed_on_a_terminal(ZSH, here, [typed for typed, _ in ALONE], settings) == [line for _, line in ALONE]


def test_fish_completes(here, settings):
    offered = offered_by_fish([typed for typed, _ in IN_SHELLS], here, settings)
    missing = []
    for (typed, completed), lines in zip(IN_SHELLS, offered, strict=True):
        words = [line.split("\t")[0].rstrip("/") for line in lines]
        wanted = completed if isinstance(completed, list) else [completed.rpartition(" ")[2]]
        missing += [(typed, word) for word in wanted if word not in words]

    assert missing == []


def offered_by_fish(lines: list[str], here: Path, settings: dict[str, str]) -> list[list[str]]:
    """What fish offers for each command line, with descriptions."""
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    asked = "".join(f"; complete -C '{typed}'; echo ---" for typed in lines)
    command = ["fish", "--no-config", "-c", f"patchkit completion fish | source{asked}"]
    done = subprocess.run(command, cwd=here, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
    return [each.splitlines() for each in done.stdout.split("---\n")[:-1]]


def test_what_help_and_page_say_sets_fish_up_for_both_programs(here, settings, tmp_path):
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    page = Path(__file__).resolve().parents[2] / "docs/commands.md"
    shown = subprocess.run(["patchkit", "completion", "--help"], env={**os.environ, **settings}, capture_output=True)
    lines = [line.strip() for text in (shown.stdout.decode(), page.read_text()) for line in text.splitlines()]
    said = [line.partition(": ")[2] for line in lines if line.startswith("fish: ")]
    environment = {**os.environ, **settings, "HOME": str(tmp_path), "XDG_CONFIG_HOME": f"{tmp_path}/.config"}
    (tmp_path / ".config/fish/conf.d").mkdir(parents=True)

    subprocess.run(["sh", "-c", said[0]], env=environment, check=True)
    asked = ["fish", "-c", "complete -C 'apply_patch --overw'; complete -C 'patchkit expl'"]
    offered = subprocess.run(asked, cwd=here, env=environment, capture_output=True, text=True).stdout

    assert said == [said[0]] * 2
    assert [line.split("\t")[0] for line in offered.splitlines()] == ["--overwrite", "explain"]


def test_fish_shows_whole_descriptions(here, settings):
    explain, formats = offered_by_fish(["patchkit expl", "patchkit check --form"], here, settings)

    assert explain == ["explain\tPrint what a code means, what causes it and what to do."]
    assert "--format\ttext, concise, json, jsonl" in "\n".join(formats)


def test_only_directories_are_offered_for_a_root(here, settings):
    (here / "somefile").write_text("")

    (offered,) = offered_by_fish(["apply_patch --root som"], here, settings)
    assert [line.split("\t")[0] for line in offered] == ["somewhere/"]


def test_the_ids_of_runs_are_completed_with_the_files_they_changed(run, here, settings, tmp_path):
    state = {**settings, "XDG_STATE_HOME": str(tmp_path / "state")}
    run("-q", "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n", **state)
    known = run("log", name="patchkit", **state).stdout.decode().split()[0]

    assert offered_by_fish(["patchkit undo "], here, state) == [[f"{known}\ta.txt"]]
    if shutil.which("bash") is not None:
        assert completed_on_a_terminal(BASH, here, ["patchkit undo "], state) == [f"patchkit undo {known}"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_still_completes_what_it_does_alone(here, settings):
    (here / "with space.patch").write_text("")
    lines = {
        "patchkit check with": "patchkit check with space.patch",
        "apply_patch --root=some": "apply_patch --root=somewhere",
        "patchkit check --format sarif=fi": "patchkit check --format sarif=fix.patch",
    }

    assert completed_on_a_terminal(BASH, here, list(lines), settings) == list(lines.values())


def offers(words: list[str], begun: str) -> list[tuple[str, str]]:
    """What click offers for a word that is begun behind others."""
    found = ShellComplete(group.patchkit, {}, "patchkit", "_PATCHKIT_COMPLETE").get_completions(words, begun)
    return [(each.value, each.help or "") for each in found]


@pytest.mark.parametrize("name", list(summaries()))
def test_every_option_can_be_completed_and_says_what_it_does(name):
    params = [each for each in command_named(name).params if isinstance(each, click.Option) and not each.hidden]
    offered = dict(offers([name], "-"))

    names = [word for each in params for word in (*each.opts, *each.secondary_opts)]
    assert sorted(offered) == sorted([*names, "-h", "--help"])
    assert [word for word, about in offered.items() if not about] == []


@pytest.mark.parametrize(
    ("typed", "begun", "offered"),
    [
        (["check", "--statistics"], "--stat", []),
        (["check", "--ignore", "P201"], "--ign", ["--ignore"]),
        (["check", "--max-files"], "", []),
        (["check"], "--dialect=c", ["codex"]),
        (["check", "--root"], "x", ["x"]),
        (["check", "--fix"], "--exit", ["--exit-zero"]),
        (["call", "--root", "x"], "Mult", ["MultiEdit"]),
        (["call", "Read"], "Mult", []),
        (["prompt", "Read"], "Mult", ["MultiEdit"]),
        (["nosuch"], "", []),
        ([], "--vers", ["--version"]),
        ([], "gram", ["grammar"]),
    ],
)
def test_what_was_typed_decides_what_is_offered(typed, begun, offered):
    words = [word for word, _about in offers(typed, begun)]

    assert (words if typed != ["nosuch"] else []) == offered


def test_every_line_is_completed_for_a_shell_that_asks(run, here):
    """A name of a file is left to the shell, which is given what was typed of it."""
    missing = []
    for typed, completed in TYPED:
        program, *_, begun = typed.split(" ")
        asks = "_PATCHKIT_COMPLETE" if program == "patchkit" else "_APPLY_PATCH_COMPLETE"
        settings = {asks: "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
        offered = run(name=program, cwd=here, **settings).stdout.decode().splitlines()
        word = completed if isinstance(completed, list) else [completed.rpartition(" ")[2]]
        of_files = begun in ("fix", "some") and {f"file,{begun}", f"dir,{begun}"} & {*offered}
        missing += [(typed, offered) for each in word if f"plain,{each}" not in offered and not of_files]

    assert missing == []


def test_commands_are_listed_for_a_shell_that_asks(run):
    done = run(name="patchkit", _PATCHKIT_COMPLETE="bash_complete", COMP_WORDS="patchkit ", COMP_CWORD="1")

    assert done.stdout.decode().splitlines() == [f"plain,{name}" for name in summaries()]


def test_options_of_apply_patch_are_listed_for_a_shell_that_asks(run):
    words = {"COMP_WORDS": "apply_patch --overw", "COMP_CWORD": "1"}

    assert run(_APPLY_PATCH_COMPLETE="bash_complete", **words).stdout == b"plain,--overwrite\n"


def test_a_shell_that_is_not_known_is_a_matter_of_usage(run):
    done = run("completion", "tcsh", name="patchkit")

    assert (done.status, done.stdout) == (2, b"")
    assert b"'tcsh' is not one of 'bash', 'zsh', 'fish'" in done.stderr


def test_bash_completes_the_value_behind_an_equals_sign(run):
    """It hands '--format=sa' over as three words."""
    for words, offered in (
        ("check --format = sa", b"plain,sarif\n"),
        ("apply --max-pass = t", b"plain,trailing-space\n"),
    ):
        settings = {"_PATCHKIT_COMPLETE": "bash_complete", "COMP_WORDS": f"patchkit {words}", "COMP_CWORD": "4"}

        assert run(name="patchkit", **settings).stdout.startswith(offered), words
