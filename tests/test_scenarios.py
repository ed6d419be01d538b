"""Every folder fixtures/scenarios/NOUN/BEHAVIOUR is one behaviour, run by its name.

fixtures/README.md says what a folder holds. A scenario runs the command in this process, on a real tree
and with real standard streams, and the whole tree is compared afterwards: names, bytes, modes and links.
The same folders are used for four more properties: a mapping gives the same bytes as a disk, `--check` agrees
with what happens, `--diff` is a diff that git turns into the same tree, and what a refusal suggests applies.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from scenario import KEYS, NAMES, PARTS, SCENARIOS, Outcome, files_below, scenario, seen

import patchkit
from patchkit.catalogue.entries import ENTRIES
from patchkit.catalogue.sentences import variant_of
from patchkit.cli.apply_patch import run
from patchkit.core.workspace import root as workspace_root
from patchkit.errors import PatchkitError


@pytest.fixture
def apply(monkeypatch):
    """Runs the command in this process: in a directory, with words and bytes on standard input."""
    opened = []

    class Kept(workspace_root.Workspace):
        """The command leaves its handles to the end of the process, which here is not the end of the test."""

        def __init__(self, *args):
            super().__init__(*args)
            opened.append(self)

    def apply_in(tree: Path, words: list[str], patch: bytes) -> Outcome:
        monkeypatch.chdir(tree)
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(patch)
            given.seek(0)
            saved = [os.dup(number) for number in range(3)]
            try:
                for number, stream in enumerate((given, out, err)):
                    os.dup2(stream.fileno(), number)
                status = run(words)
            finally:
                for number, was in enumerate(saved):
                    os.dup2(was, number)
                    os.close(was)
                for number, handler in handlers.items():  # ignored from a commit on
                    signal.signal(number, handler)
                while opened:
                    opened.pop().close()
            return Outcome(status, *(stream.seek(0) or stream.read() for stream in (out, err)))

    monkeypatch.setattr(workspace_root, "Workspace", Kept)
    mask = os.umask(0o022)
    yield apply_in
    os.umask(mask)


def by_noun(keep: Callable[[str], bool] = lambda name: True) -> pytest.MarkDecorator:
    """One test for each noun, with the names of its scenarios."""
    nouns = itertools.groupby(filter(keep, NAMES), lambda name: name.partition("/")[0])
    return pytest.mark.parametrize("names", [pytest.param([*names], id=noun) for noun, names in nouns])


@by_noun()
def test_a_scenario_ends_as_its_folder_says(names, apply, tmp_path, subtests):
    for name in names:
        with subtests.test(name):
            given = scenario(name)
            around = tmp_path / name / "around"
            around.mkdir(parents=True)
            given.build(around / "tree")

            outcome = apply(around / "tree", given.args, given.patch)

            assert (outcome.status, outcome.codes) == (given.exit, given.codes), outcome.stderr
            assert seen(around / "tree") == given.tree_after()
            assert os.listdir(around) == ["tree"]
            if "stdout" in given.case:
                assert outcome.stdout.decode() == given.case["stdout"]
            elif given.exit:
                assert outcome.stdout == b""


def is_plain(name: str) -> bool:
    """Whether a scenario says nothing that only a disk knows: links, roots, names a file system refuses."""
    given = scenario(name)
    of_the_disk = {"P309", "P312"} & {*given.codes}
    return not given.links and not of_the_disk and {*given.args} <= {"--strict", "--overwrite"}


@by_noun(is_plain)
def test_a_scenario_ends_the_same_on_a_mapping(names, subtests):
    for name in names:
        with subtests.test(name):
            given = scenario(name)
            files = dict(given.input)

            try:
                done = patchkit.apply(
                    given.patch, files, strict="--strict" in given.args, overwrite="--overwrite" in given.args
                )
                codes = [note.code for note in done.notes]
                variants = [each for each in (variant_of(note.code, note.facts) for note in done.notes) if each]
            except PatchkitError as error:
                codes, variants = [each.code for each in error.errors], []

            assert (codes, variants, files) == (given.codes, given.variants, given.expected)


@by_noun(lambda name: scenario(name).exit == 1)
def test_a_refused_scenario_suggests_what_its_folder_shows(names, apply, tmp_path, subtests):
    for name in names:
        with subtests.test(name):
            given = scenario(name)
            given.build(tmp_path / name / "tree")

            envelope = json.loads(apply(tmp_path / name / "tree", [*given.args, "--json"], given.patch).stdout)
            better = envelope["data"]["suggestion"]
            outcome = apply(tmp_path / name / "tree", given.args, better.encode()) if better is not None else None

            assert outcome is None or outcome.status == 0, outcome.stderr
            assert (files_below(tmp_path / name / "tree") if better is not None else None) == given.suggested


def succeeds(name: str) -> bool:
    given = scenario(name)
    return given.exit == 0 and not {"--check", "-q", "--root"} & {*given.args}


def is_safe(name: str) -> bool:
    """Whether all sections are planned before the first is made: what comes of others cannot be promised."""
    return "dialect" not in scenario(name).case


@by_noun(lambda name: succeeds(name) and is_safe(name))
def test_check_promises_what_a_scenario_does(names, apply, tmp_path, subtests):
    for name in names:
        with subtests.test(name):
            given = scenario(name)
            given.build(tmp_path / name / "tree")

            promised = apply(tmp_path / name / "tree", [*given.args, "--check"], given.patch)
            assert seen(tmp_path / name / "tree") == given.tree_before()
            made = apply(tmp_path / name / "tree", given.args, given.patch)

            first, _, listed = promised.stdout.partition(b"\n")
            said = b"Patch applies. It would update the following files:" if listed else b"Nothing to change."
            assert first == said
            assert (promised.status, listed, promised.stderr) == (
                made.status,
                made.stdout.partition(b"\n")[2],
                made.stderr,
            )


@by_noun(succeeds)
def test_git_makes_the_same_tree_from_the_diff_of_a_scenario(names, apply, tmp_path, subtests):
    for name in names:
        with subtests.test(name):
            given = scenario(name)
            given.build(tmp_path / name / "tree")
            given.build(tmp_path / name / "copy")

            diff = apply(tmp_path / name / "tree", [*given.args, "-q", "--diff"], given.patch).stdout
            apply_with_git(diff, tmp_path / name / "copy")

            assert for_git(seen(tmp_path / name / "copy")) == for_git(seen(tmp_path / name / "tree"))


def apply_with_git(diff: bytes, tree: Path) -> None:
    if not diff:
        return
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    settings = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tree.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(command, input=diff, cwd=tree, env=settings, capture_output=True)
    assert done.returncode == 0, done.stderr.decode() + diff.decode("utf-8", "replace")


def for_git(tree: dict[str, object]) -> dict[str, object]:
    """A tree as git knows it: no empty directories, and of a mode only whether the file can be run."""
    known = {path: what for path, what in tree.items() if what != "directory"}
    return {
        path: (int(what[0], 8) & 0o100, what[1]) if isinstance(what, tuple) else what for path, what in known.items()
    }


@by_noun()
def test_a_scenario_folder_is_well_formed(names, subtests):
    for name in names:
        with subtests.test(name):
            given = scenario(name)
            after = given.case.get("expected", {})
            unknown = {
                "keys": {*given.case} - KEYS,
                "keys of expected": {*after} - {"modes", "links"},
                "files": {path.name for path in given.folder.iterdir()} - PARTS,
                "modes": {*given.modes} - {*given.input},
                "modes afterwards": {*after.get("modes", {})} - {*given.expected},
            }

            assert unknown == {place: set() for place in unknown}
            assert given.case["why"].endswith(".")
            assert given.exit in (0, 1)
            assert all(code in ENTRIES for code in given.codes)
            assert name == "-".join(name.split()).lower()


def test_there_are_enough_scenarios_and_every_folder_is_one():
    without_a_case = [name for name in NAMES if not (SCENARIOS / name / "case.toml").is_file()]

    assert without_a_case == []
    assert len(NAMES) >= 100
