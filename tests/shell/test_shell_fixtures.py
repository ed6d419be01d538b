"""Every folder under fixtures/shell is one form, run by its name; real shells are held to the accepted ones."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from real_shells import Recorder, missing

from patchkit.shell import Verdict, classify, classify_script

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "shell"
NAMES = sorted(path.name for path in FIXTURES.iterdir() if path.is_dir())
CASES = {name: tomllib.loads((FIXTURES / name / "case.toml").read_text("utf-8")) for name in NAMES}
KEYS = {"why", "shell", "argv", "verdict", "workdir", "form", "merged", "code", "reason", "then"}


def text_of(name: str, file: str) -> str | None:
    path = FIXTURES / name / file
    return path.read_bytes().decode() if path.exists() else None


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    top = tmp_path_factory.mktemp("tree")
    holds = tomllib.loads((FIXTURES / "tree.toml").read_text("utf-8"))
    for name in holds["directories"]:
        (top / name).mkdir(parents=True)
    for name in holds["files"]:
        (top / name).touch()
    for name, target in holds["links"].items():
        (top / name).symlink_to(target)
    return top


def verdict_on(name: str, tree: Path) -> Verdict:
    case, script = CASES[name], text_of(name, "script.sh")
    if script is None:
        return classify(case["argv"], str(tree), {})
    return classify_script(script, str(tree), {}, case["shell"])


@pytest.mark.parametrize("name", NAMES)
def test_a_form_gets_its_verdict(name, tree):
    case = CASES[name]
    found = verdict_on(name, tree)
    said = {
        "verdict": found.verdict,
        "workdir": None if found.workdir is None else os.path.relpath(found.workdir, tree),
        "form": found.form,
        "merged": found.merged,
        "code": found.code,
        "reason": found.reason,
        "patch": found.then.patch if found.then else found.patch,
        "then": {**vars(found.then), "workdir": os.path.relpath(found.then.workdir, tree)} if found.then else None,
    }
    wanted = {
        **{key: case.get(key) for key in ("verdict", "workdir", "form", "code", "reason")},
        "merged": case.get("merged", False),
        "patch": text_of(name, "patch.txt"),
        "then": {"patch": text_of(name, "patch.txt"), **case["then"]} if "then" in case else None,
    }

    assert said == wanted


def test_a_case_holds_only_known_keys_and_says_why():
    odd = [
        name
        for name, case in CASES.items()
        if not {*case} <= KEYS or not case["why"] or ("argv" in case) == (FIXTURES / name / "script.sh").exists()
    ]

    assert odd == []


ACCEPTED = [name for name in NAMES if CASES[name]["verdict"] == "apply_patch" and "shell" in CASES[name]]


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_real_shell_does_what_an_accepted_form_says(name, tmp_path):
    shell = CASES[name]["shell"]
    if missing(shell):
        pytest.skip(missing(shell))
    recorder = Recorder(tmp_path)
    argv = [shell, "-c", text_of(name, "script.sh") or ""]

    assert recorder.broken_law(argv, recorder.classify(argv)) == []
