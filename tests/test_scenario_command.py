"""`python -m tests.scenario new` writes down what a run of the command did, as a folder the scenario tests accept."""

from __future__ import annotations

import subprocess
import sys

import pytest
from scenario import NAMES, REPOSITORY, Scenario, ScenarioError, files_below, new, scenario, seen

PATCH = b"*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+eins\n*** End Patch\n"
# Scenarios of every kind: links, modes, files that go, a dialect, words, a refusal with and without a suggestion.
KINDS = [
    "moves/move-keeps-the-mode-of-a-program",
    "links/a-link-may-be-deleted-and-replaced-by-a-file",
    "links/delete-removes-a-link-and-not-its-file",
    "dialect-codex/commits-section-by-section",
    "output/check-says-what-would-happen-and-writes-nothing",
    "updating/update-that-removes-every-line-leaves-an-empty-file",
    "deleting/delete-removes-only-its-file",
    "encodings/a-utf-16-file-stays-utf-16",
    next(name for name in NAMES if scenario(name).suggested is not None),
]


@pytest.mark.parametrize("name", KINDS)
def test_a_scenario_made_from_its_own_run_is_the_same_scenario(name, tmp_path):
    given = scenario(name)
    given.build(tmp_path / "tree")
    words = [*given.case.get("args", []), *(["--dialect", given.case["dialect"]] if "dialect" in given.case else [])]
    before = seen(tmp_path / "tree")

    folder = new("noun/behaviour", given.case["why"], tmp_path / "tree", words, given.patch, tmp_path / "scenarios")

    made = Scenario(folder)
    case = {key: value for key, value in made.case.items() if key != "stdout" or key in given.case}
    assert case == given.case
    assert (made.patch, made.input, made.expected, made.suggested) == (
        *(given.patch, given.input, given.expected, given.suggested),
    )
    assert made.tree_after() == given.tree_after()
    assert seen(tmp_path / "tree") == before


def test_a_scenario_says_what_was_printed(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.txt").write_text("one\n")

    folder = new("noun/behaviour", "It is so.", tmp_path / "tree", [], b"Prose\n" + PATCH, tmp_path)

    assert Scenario(folder).case == {
        "why": "It is so.",
        "exit": 0,
        "codes": ["P901"],
        "variants": ["outside-text"],
        "stdout": "Success. Updated the following files:\nM a.txt\n",
    }
    assert files_below(folder) == {
        "case.toml": (folder / "case.toml").read_bytes(),
        "patch.txt": b"Prose\n" + PATCH,
        "input/a.txt": b"one\n",
        "expected/a.txt": b"eins\n",
    }


@pytest.mark.parametrize(
    ("name", "why", "words"),
    [
        ("no-noun", "So.", []),
        ("a/b/c", "So.", []),
        ("Noun/Behaviour", "So.", []),
        ("noun/taken", "So.", []),
        ("noun/behaviour", "no full stop", []),
        ("noun/behaviour", "A usage error is not a scenario.", ["--no-such-flag"]),
    ],
)
def test_what_is_not_a_scenario_is_not_made(name, why, words, tmp_path):
    (tmp_path / "noun" / "taken").mkdir(parents=True)

    with pytest.raises(ScenarioError):
        new(name, why, None, words, PATCH, tmp_path)

    assert seen(tmp_path) == {"noun": "directory", "noun/taken": "directory"}


def test_a_tree_that_git_cannot_keep_is_not_made_into_a_scenario(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.txt").write_text("one\n")
    delete = b"*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n"

    with pytest.raises(ScenarioError, match="leave one file in the tree"):
        new("noun/behaviour", "So.", tmp_path / "tree", [], delete, tmp_path / "scenarios")


def test_the_command_says_why_no_scenario_was_made():
    command = [sys.executable, "-m", "tests.scenario", "new", NAMES[0], "--why", "So."]
    done = subprocess.run(command, input=PATCH, cwd=REPOSITORY, capture_output=True)

    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"no scenario was made: '{NAMES[0]}' exists\n"
