"""The pieces for CI, tried for real: the hooks by pre-commit itself, the action by running its steps."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from stored_schemas import stored_schema

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = Path(sys.executable).with_name("patchkit")
FULL = os.environ.get("PATCHKIT_TESTS") == "full"
GOOD = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
BAD = GOOD.replace("-x", "-z")


@pytest.fixture
def yaml():
    return pytest.importorskip("yaml", reason="PyYAML is not installed")


@pytest.fixture
def repository(tmp_path):
    """A git repository of somebody who uses patches: a.txt, and two patches for it."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    top = tmp_path / "project"
    (top / "patches").mkdir(parents=True)
    (top / "a.txt").write_text("x\n")
    (top / "patches" / "good.patch").write_text(GOOD)
    (top / "patches" / "bad.apply_patch").write_text(BAD)
    git(top, "init", "-q")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "all")
    return top


def git(top: Path, *words: str) -> str:
    who = {f"GIT_{role}_{part}": "t@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    done = subprocess.run(["git", *words], cwd=top, env={**os.environ, **who}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def copied(folder: Path) -> Path:
    """What is needed to install patchkit, in a folder of its own: building leaves traces."""
    for name in ("patchkit", "scripts", "grammar", "docs"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in REPOSITORY.iterdir():
        if path.is_file():
            shutil.copy(path, folder)
    return folder


# -- pre-commit ----------------------------------------------------------------------------------


def pre_commit(top: Path, config: str, tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs all hooks of a configuration on all files."""
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    (top / ".pre-commit-config.yaml").write_text(config)
    git(top, "add", "-A")
    path = f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home"), "PATH": path}
    command = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never", *words]
    return subprocess.run(command, cwd=top, env=settings, capture_output=True, text=True)


def test_the_hooks_are_what_pre_commit_takes():
    client = pytest.importorskip("pre_commit.clientlib", reason="pre-commit is not installed")
    hooks = client.load_manifest(str(REPOSITORY / ".pre-commit-hooks.yaml"))

    assert [hook["id"] for hook in hooks] == ["patchkit-check", "patchkit-check-syntax"]


@pytest.mark.parametrize(("number", "status"), [(0, 1), (1, 0)])
def test_pre_commit_runs_a_hook_on_the_patches_and_on_nothing_else(yaml, repository, tmp_path, number, status):
    if not SCRIPT.exists():
        pytest.skip("the patchkit script is not installed beside this interpreter")
    hook = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[number]
    local = {**hook, "language": "system", "verbose": True}  # the installed command: no environment is built
    done = pre_commit(repository, json.dumps({"repos": [{"repo": "local", "hooks": [local]}]}), tmp_path)

    assert done.returncode == status
    assert ("bad.apply_patch" in done.stdout, "good.patch" in done.stdout) == (True, True)
    assert "2 patches checked: " in done.stdout


@pytest.mark.skipif(not FULL, reason="builds an environment with pip: only under PATCHKIT_TESTS=full")
def test_pre_commit_installs_the_hook_from_a_repository_of_ours(repository, tmp_path):
    ours = copied(tmp_path / "ours")
    git(ours, "init", "-q", "-b", "main")
    git(ours, "add", "-A")
    git(ours, "commit", "-q", "-m", "all")
    revision = git(ours, "rev-parse", "HEAD")
    hooks = [{"id": "patchkit-check", "files": "^patches/good"}]
    done = pre_commit(
        repository, json.dumps({"repos": [{"repo": str(ours), "rev": revision, "hooks": hooks}]}), tmp_path, "--verbose"
    )
    if "No matching distribution" in done.stdout or "Temporary failure" in done.stdout:
        pytest.skip("pip reaches no package index")

    assert (done.returncode, done.stderr) == (0, "")
    assert "1 patch checked: it applies" in done.stdout


# -- the action ----------------------------------------------------------------------------------


class Action:
    """action.yml, and a stand-in for the runner: inputs as variables, files for outputs and the summary."""

    def __init__(self, yaml, tmp_path: Path) -> None:
        self.text = (REPOSITORY / "action.yml").read_text(encoding="utf-8")
        self.data = yaml.safe_load(self.text)
        self.path = REPOSITORY
        self.temp = tmp_path / "temp"
        self.output, self.summary = tmp_path / "output", tmp_path / "summary.md"
        self.temp.mkdir()

    def step(self, number: int, top: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Runs a step the way the runner does."""
        step = self.data["runs"]["steps"][number]
        given = {name: each.get("default", "") for name, each in self.data["inputs"].items()} | inputs
        filled = {
            name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: given[found[1]], value)
            for name, value in step["env"].items()
        }
        own = {"RUNNER_TEMP": str(self.temp), "GITHUB_ACTION_PATH": str(self.path), "GITHUB_ACTIONS": "true"}
        own |= {"GITHUB_OUTPUT": str(self.output), "GITHUB_STEP_SUMMARY": str(self.summary)}
        own |= {"GITHUB_WORKSPACE": str(top)}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        settings = {**os.environ, **own, **filled}
        return subprocess.run(command, cwd=top, env=settings, capture_output=True, text=True)

    @property
    def outputs(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in self.output.read_text().splitlines())


@pytest.fixture
def action(yaml, tmp_path):
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    return Action(yaml, tmp_path)


@pytest.fixture
def installed(action):
    """The action after its first step: the command stands where the second looks for it."""
    if not SCRIPT.exists():
        pytest.skip("the patchkit script is not installed beside this interpreter")
    (action.temp / "patchkit" / "bin").mkdir(parents=True)
    (action.temp / "patchkit" / "bin" / "patchkit").symlink_to(SCRIPT)
    return action


def test_the_action_is_what_github_takes(action):
    jsonschema.Draft7Validator(stored_schema("https://json.schemastore.org/github-action.json")).validate(action.data)


def test_no_input_is_ever_text_of_a_script(action):
    assert [step["name"] for step in action.data["runs"]["steps"] if "${{" in step["run"]] == []


def test_the_action_annotates_refused_patches_and_fails(installed, repository):
    done = installed.step(1, repository, patches="patches")

    assert (done.returncode, installed.outputs["status"]) == (1, "1")
    assert "::error file=patches/bad.apply_patch,line=3,title=patchkit P201::" in done.stdout
    assert installed.summary.read_text().startswith("# ❌ patchkit check")
    assert json.loads(Path(installed.outputs["report"]).read_text())["data"]["refused"] == 1


def test_the_action_only_reports_where_it_must_not_fail(installed, repository):
    done = installed.step(1, repository, patches="patches", fail="false")

    assert (done.returncode, installed.outputs["status"]) == (0, "1")


def test_a_call_that_is_wrong_fails_the_action_always(installed, repository):
    done = installed.step(1, repository, patches="nope", fail="false")

    assert (done.returncode, installed.outputs["status"]) == (2, "2")


def test_the_action_passes_everything_on(installed, repository):
    done = installed.step(
        1,
        repository,
        patches="patches/good.patch\n\npatches/*.patch\n",
        against="HEAD",
        options="--max-files=1\n--forbid\n*.lock\n",
        sarif="out/p.sarif",
        html="out/p.html",
        junit="out/p.xml",
    )

    assert (done.returncode, installed.outputs["status"]) == (0, "0")
    assert sorted(path.name for path in (repository / "out").iterdir()) == ["p.html", "p.sarif", "p.xml"]
    assert json.loads(Path(installed.outputs["report"]).read_text())["data"]["rules"] == [
        "forbid *.lock",
        "at most 1 file",
    ]


def test_the_text_of_an_input_is_neither_a_command_nor_an_option(installed, repository):
    done = installed.step(1, repository, patches="$(touch pwned)\n--help\n`touch pwned`; touch pwned")

    assert done.returncode == 2
    assert "there is no file '$(touch pwned)'" in done.stderr
    assert not (repository / "pwned").exists()


@pytest.mark.skipif(not FULL, reason="installs with pip: only under PATCHKIT_TESTS=full")
def test_the_action_installs_the_command(action, repository, tmp_path):
    action.path = copied(tmp_path / "ours")
    done = action.step(0, repository, python=sys.executable)
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip("pip reaches no package index")

    assert (done.returncode, done.stderr) == (0, "")
    assert action.step(1, repository, patches="patches/good.patch").returncode == 0
