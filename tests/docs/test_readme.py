"""The README and the guides: their commands are run with the installed wheel, and do what the pages say."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from doc_examples import DOCS

PAGE = Path(__file__).resolve().parents[2] / "README.md"
README = PAGE.read_text(encoding="utf-8")
SESSION = "".join(re.findall(r"```console\n(.*?)```", README, re.DOTALL))
UPDATE = os.environ.get("PATCHKIT_UPDATE_DOCS") == "1"
FULL = os.environ.get("PATCHKIT_TESTS") == "full"

# -- the session at the top of the page ----------------------------------------------------------


def test_the_commands_of_the_readme_say_what_it_shows(tmp_path, installation):
    (first, *steps) = re.split(r"^\$ ", SESSION, flags=re.MULTILINE)[1:]
    command, _, content = first.partition("\n")
    (tmp_path / command.removeprefix("cat ")).write_text(content)
    said = f"$ {first}"
    for step in steps:
        patch = step.removeprefix("apply_patch <<'EOF'\n").partition("EOF\n")[0]
        program, settings = installation.bin / "apply_patch", installation.settings()
        done = subprocess.run(program, input=patch, capture_output=True, text=True, cwd=tmp_path, env=settings)
        said += f"$ apply_patch <<'EOF'\n{patch}EOF\n{done.stdout}{done.stderr}"
    if UPDATE:
        PAGE.write_text(README.replace(SESSION, said), encoding="utf-8")

    assert said == SESSION
    assert len(steps) == 2


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 130


# -- every other command -------------------------------------------------------------------------

NOT_RUN = {
    "uv tool install git+URL        # or: pipx install git+URL": "the wheel is installed instead",
    "pip install git+URL            # into the current environment": "the wheel is installed instead",
    "pip install .                  # from a checkout": "the wheel is installed instead",
    "apply_patch": "waits for a patch",
    "patchkit check": "a name of the command: it needs patches",
    "patchkit call TOOL": "for any tool",
    "patchkit apply -i answer.txt": "asks a person",
    "patchkit serve": "runs until it is stopped",
    "patchkit serve --open": "opens a browser",
}
PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
TREE = {
    "app.py": "x = 1\n",
    "answer.txt": "Sure! Here is the change:\n\n" + PATCH.format("app.py"),
    "FILE": "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
    "patches/1.patch": PATCH.format("app.py"),
    "rows.jsonl": json.dumps({"id": 1, "patch": PATCH.format("a"), "files": {"a": "x = 1\n"}}) + "\n",
}
BEFORE = {"patchkit undo": "patchkit apply answer.txt", "patchkit redo": "patchkit apply answer.txt; patchkit undo"}


def written() -> Iterator[tuple[str, str]]:
    """The lines of indented blocks, and the code in the text that names a command of ours, each with its page."""
    for page in (PAGE, *sorted((DOCS / "guides").glob("*.md"))):
        prose = re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))
        spans = [span for span in re.findall(r"`([^`\n]+)`", prose) if re.search(r"\b(patchkit|apply_patch)\b", span)]
        for command in dict.fromkeys([*re.findall(r"(?m)^    (\S.*)$", prose), *spans]):
            yield page.stem, command


COMMANDS = [pytest.param(command, id=f"{page}-{command}") for page, command in written() if command not in NOT_RUN]


def test_every_command_that_is_not_run_is_on_a_page():
    assert NOT_RUN.keys() - {command for _, command in written()} == set()


def build(tree: Path, runs: int) -> None:
    """A repository with a branch, patches and rows, as the pages take them for granted."""
    for name, text in {**TREE, **{f"runs/{number}.patch": TREE["patches/1.patch"] for number in range(runs)}}.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "a"], ["checkout", "-qb", "topic"]):
        subprocess.run([*git, *words], cwd=tree, check=True)
    (tree / "app.py").write_text(TREE["app.py"] + "y = 1\n")
    subprocess.run([*git, "commit", "-qam", "b"], cwd=tree, check=True)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_and_the_guides_ends_well(command, tmp_path, installation):
    build(tmp_path / "project", 3)
    settings = installation.settings(XDG_STATE_HOME=str(tmp_path / "state"))
    first = BEFORE.get(" ".join(command.split()[:2]), ":")
    script = ["sh", "-c", f"{first} >/dev/null\n{command}"]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = subprocess.run(script, cwd=tmp_path / "project", env=settings, text=True, check=False, **streams)

    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


@pytest.mark.parametrize("count", [120, 3000] if FULL else [120])
def test_an_installed_copy_checks_many_patches_with_several_processes(count, tmp_path, installation):
    build(tmp_path, count)
    command = [installation.bin / "patchkit", "check", "runs", "--statistics", "--jobs", "2"]
    done = subprocess.run(
        command, cwd=tmp_path, env=installation.settings(), capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, f"{count:,} patches checked: all apply\n", "")
