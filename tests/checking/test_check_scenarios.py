"""Every scenario, checked instead of applied: the same verdict on disk, against a commit, and nothing written."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from scenario import NAMES, Scenario, scenario, seen

from patchkit.checking.run import MOST_BYTES, CheckRequest, PatchSource
from patchkit.checking.tool import check
from patchkit.cli.apply_patch import ApplyArguments, declared
from patchkit.errors import PatchkitError

GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false"]


def wanted_for(case: Scenario, tree) -> CheckRequest:
    """What a scenario is checked with: the options it is applied with, in its own tree."""
    arguments = ApplyArguments(declared(by_name=False).read(case.args))
    arguments.options.check = True
    return CheckRequest(str(tree / (arguments.root or ".")), arguments.start, arguments.options)


def verdict(case: Scenario, wanted: CheckRequest):
    """What check says of a scenario's patch; the code alone where it cannot even begin."""
    try:
        (patch,) = check([PatchSource("patch.txt", MOST_BYTES, case.patch)], wanted).patches
    except PatchkitError as error:
        return error.code
    return patch


def codes_told(patch) -> list[str]:
    errors = [error.code for error in patch.every_error]
    return errors or [note.code for note in patch.notes]


def test_a_check_says_what_applying_would_and_writes_nothing(tmp_path, monkeypatch):
    said, wanted = {}, {}
    for name in NAMES:
        case, tree = scenario(name), tmp_path / name / "tree"
        tree.parent.mkdir(parents=True)
        case.build(tree)
        monkeypatch.chdir(tree)
        before = seen(tree)
        patch = verdict(case, wanted_for(case, tree))
        # One stops at the first error, the other has no notes.
        tells = "codex" not in case.args and "-q" not in case.args
        if isinstance(patch, str):
            said[name], wanted[name] = ["", patch], ["", *case.codes]
        else:
            codes = ["P101" if code == "P109" else code for code in case.codes] if tells else []
            said[name] = [patch.status, *(codes_told(patch) if tells else [])]
            wanted[name] = ["refused" if case.exit else "applies", *codes]
        if seen(tree) != before:
            said[name].append("has written")

    assert {name: each for name, each in said.items() if each != wanted[name]} == {}
    assert len(said) == len(NAMES)


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    """All scenarios that have files, each in a directory of one repository."""
    top = tmp_path_factory.mktemp("committed")
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    for name in NAMES:
        case = scenario(name)
        if case.input and not case.args:
            case.build(top / name)
    for words in (["init", "-q"], ["add", "-Af"], ["commit", "-q", "-m", "all"]):
        subprocess.run([*GIT, *words], cwd=top, check=True)
    return top


def in_data(patch):
    """What the result tells of a patch, without what only a disk has."""
    files = [{**file.data, "hunks": [hunk.data for hunk in file.hunks]} for file in patch.files]
    return files, codes_told(patch)


def test_a_commit_gives_every_scenario_the_verdict_of_its_checkout(committed):
    differing = []
    for name in sorted(path.relative_to(committed).as_posix() for path in committed.glob("[!.]*/*")):
        wanted = wanted_for(scenario(name), committed / name)
        on_disk = in_data(verdict(scenario(name), wanted))
        wanted.against = "HEAD"
        if in_data(verdict(scenario(name), wanted)) != on_disk:
            differing.append(name)

    assert differing == []
