"""What the walk grants is what the rules decide, for every file of any tree and any rules."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.errors import PatchkitError
from patchkit.globs.rule_patterns import known, names_of
from patchkit.policy import READ, WRITE
from patchkit.policy.rules import PermissionRules, rules_of
from patchkit.policy.settings import Settings, SettingsFile
from patchkit.sandbox import landlock
from patchkit.sandbox.mounts import CLOSED, HIDDEN, OPEN, MountStep, in_order
from patchkit.sandbox.prepared import GrantWalk, ReadScope, RuleMachine, made
from patchkit.tools.registry import effect_and_name

NAMES = ("a", "b", "src", ".env", "x.py", "pyproject.toml")
names = st.sampled_from(NAMES)
parts = st.sampled_from((*NAMES, "*", "**", "*.py", "?", ".e*"))
patterns = st.one_of(parts, st.lists(parts, min_size=2, max_size=4).map("/".join), parts.map("./{}/".format))
decisions = st.sampled_from(("allow", "allow", "ask", "deny"))
tables = st.dictionaries(patterns, decisions, max_size=4)
permissions = st.fixed_dictionaries({}, optional={"read": tables, "write": tables})
trees = st.lists(st.lists(names, min_size=1, max_size=4), max_size=14)


def rules(root: str, project: dict, own: dict | None = None, outer: dict | None = None) -> PermissionRules:
    source = SettingsFile(f"{root}/.patchkit.toml", "", {"permissions": project})
    mine = SettingsFile("/nowhere/config.toml", "", {"permissions": own}) if own else None
    found = rules_of(Settings([source], mine), root, str, effect_and_name)
    if outer:  # of a project around this one, whose own rules are not trusted
        around = SettingsFile(f"{os.path.dirname(root)}/.patchkit.toml", "", {"permissions": outer})
        found.outer = [
            rule for rule in rules_of(Settings([around], None), root, str, effect_and_name).general if rule.place
        ]
    return found


def plant(root: str, tree: list[list[str]]) -> list[str]:
    """Makes a file for every path of the tree, where no file is in the way; returns all files."""
    for path in tree:
        place = os.path.join(root, *path)
        try:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            if not os.path.isdir(place):
                Path(place).touch()
        except OSError:
            pass  # a file is in the way
    return sorted(str(each) for each in Path(root).rglob("*") if each.is_file())


class Kernel:
    """Grants as the kernel applies them: rights of a directory hold below it, of mounts the innermost decides."""

    def __init__(self, walk_with: PermissionRules, root: str, agent: bool, mounts: bool, most: int = 1000) -> None:
        self.granted: dict[str, int] = {}
        scope = ReadScope()
        scope.add(root, landlock.RUN)
        self.machine = RuleMachine(walk_with, agent)
        self.walk = GrantWalk(self.machine, scope, self._grant, mounts, most)
        self.walk.run()
        self.mounts = mounts

    def _grant(self, handle: int, rights: int, is_directory: bool, path: str) -> None:
        assert os.path.samestat(os.fstat(handle), os.lstat(path))
        self.granted[path] = self.granted.get(path, 0) | rights

    def rights(self, path: str) -> int:
        found, place = 0, path
        while True:
            found |= self.granted.get(place, 0)
            if place == "/":
                return found
            place = os.path.dirname(place)

    def may(self, path: str) -> tuple[bool, bool]:
        """Whether a file may be read, and written."""
        rights = self.rights(path)
        reads, writes = rights & landlock.READ == landlock.READ, rights & landlock.WRITE == landlock.WRITE
        if self.mounts:
            steps = sorted(self.walk.steps, key=lambda step: step.path.count("/"))
            last = [step.kind for step in steps if f"{path}/".startswith(f"{step.path}/")]
            hidden = HIDDEN in last
            reads, writes = reads and not hidden, writes and not hidden and last[-1:] == [OPEN]
        return reads, writes


@pytest.fixture(scope="module", autouse=True)
def trusted():
    """Rules that allow something count."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("patchkit.policy.rules.is_trusted", lambda source: True)
        yield


@pytest.fixture(scope="module")
def base():
    place = os.path.realpath(tempfile.mkdtemp())
    yield place
    shutil.rmtree(place)


def decided(found: PermissionRules, path: str, agent: bool) -> tuple[bool, bool]:
    name = known(names_of(path))
    reads, writes = (found.deciding(effect, "", [name])[0] for effect in (READ, WRITE))
    return reads == "allow" or (reads == "ask" and not agent), writes == "allow"


@given(trees, permissions, permissions, permissions, st.booleans(), st.booleans())
@examples(100)
def test_files_are_granted_exactly_as_the_rules_decide(base, tree, project, own, outer, agent, mounts):
    root = f"{base}/root"
    shutil.rmtree(root, ignore_errors=True)
    os.mkdir(root)
    files = plant(root, tree)
    found = rules(root, project, own, outer)

    kernel = Kernel(found, root, agent, mounts)

    assert {path: kernel.may(path) for path in files} == {path: decided(found, path, agent) for path in files}


@given(trees, permissions, permissions, st.booleans(), st.booleans(), st.integers(0, 9))
@examples(100)
def test_a_new_name_that_means_nothing_is_granted_only_where_the_rules_allow_it(
    base, tree, project, own, agent, mounts, number
):
    root = f"{base}/root"
    shutil.rmtree(root, ignore_errors=True)
    os.mkdir(root)
    plant(root, tree)
    found = rules(root, project, own)
    directories = [root, *sorted(str(each) for each in Path(root).rglob("*") if each.is_dir())]
    path = os.path.join(directories[number % len(directories)], "new-name")

    reads, writes = Kernel(found, root, agent, mounts).may(path)

    assert writes <= decided(found, path, agent)[1]
    assert reads <= decided(found, path, agent)[0]


@given(permissions, permissions, permissions, st.booleans(), st.lists(names, max_size=5))
@examples(100)
def test_a_state_decides_as_the_rules_do(project, own, outer, agent, path):
    found = rules("/p", project, own, outer)
    place = "/".join(["/p", *path])

    state = RuleMachine(found, agent).at(names_of(place))

    assert (state.reads, state.writes) == decided(found, place, agent)


@given(permissions, permissions, st.booleans(), st.lists(names, max_size=3), st.lists(names, min_size=1, max_size=3))
@examples(100)
def test_what_a_state_says_about_all_below_it_holds_for_each(project, own, agent, path, further):
    machine = RuleMachine(rules("/p", project, own), agent)
    above, below = machine.at(["p", *path]), machine.at(["p", *path, *further])

    assert above.below_reads in ("some", "all" if below.reads else "none")
    assert above.below_writes in ("some", "all" if below.writes else "none")


@given(st.lists(names, max_size=4))
def test_no_rules_at_all_decide_as_the_defaults_do_for_a_person(path):
    bare, default = (RuleMachine(found, False).at(["p", *path]) for found in (PermissionRules([], []), rules("/p", {})))

    assert (bare.reads, bare.writes, bare.below_reads, bare.below_writes) == (True, False, "all", "none")
    assert (bare.reads, bare.writes, bare.below_reads, bare.below_writes) == (
        *(default.reads, default.writes, default.below_reads, default.below_writes),
    )


# -- single cases --------------------------------------------------------------------------------


def test_without_mounts_a_directory_with_something_forbidden_is_granted_entry_by_entry(tmp_path):
    root = os.path.realpath(tmp_path)
    plant(root, [["src", ".env"], ["src", "a"], ["src", "deep", "b"], ["docs", "c"]])

    kernel = Kernel(rules(root, {"write": {"src/**": "allow", ".env": "deny"}}), root, False, mounts=False)

    written = [path for path, rights in kernel.granted.items() if rights & landlock.WRITE]
    assert sorted(written) == [f"{root}/src/a", f"{root}/src/deep"]
    assert kernel.walk.frozen == {f"{root}/src": f"{root}/src/.env"}


def test_with_mounts_the_same_directory_is_granted_whole_and_the_file_is_made_read_only(tmp_path):
    root = os.path.realpath(tmp_path)
    plant(root, [["src", ".env"], ["src", "a"], ["src", "deep", "b"], ["docs", "c"]])

    kernel = Kernel(rules(root, {"write": {"src/**": "allow", ".env": "deny"}}), root, False, mounts=True)

    written = [path for path, rights in kernel.granted.items() if rights & landlock.WRITE]
    assert written == [f"{root}/src"]
    assert [(step.path, step.kind) for step in kernel.walk.steps] == [
        (f"{root}/src/.env", CLOSED),
        (f"{root}/src", OPEN),
    ]
    assert kernel.walk.frozen == {}


def test_a_forbidden_file_with_another_name_is_refused(tmp_path):
    root = os.path.realpath(tmp_path)
    plant(root, [[".env"], ["secrets", "deep", "key"]])
    for secret, rule in ((".env", ".env"), ("secrets/deep/key", "secrets/**")):
        os.link(f"{root}/{secret}", f"{root}/other")
        with pytest.raises(PatchkitError) as refused:
            Kernel(rules(root, {"read": {rule: "deny"}}), root, False, mounts=True)
        assert (refused.value.code, refused.value.facts["file"]) == ("P672", f"{root}/{secret}")
        os.unlink(f"{root}/other")


def test_a_file_of_a_forbidden_directory_is_refused_if_another_of_its_names_may_be_written(tmp_path):
    root = os.path.realpath(tmp_path)
    plant(root, [["src", "vendor", "deep", "a"], ["src", "b"], ["docs", "c"]])
    found = rules(root, {"write": {"src/**": "allow", "src/vendor/**": "deny"}})
    os.link(f"{root}/src/vendor/deep/a", f"{root}/docs/elsewhere")
    Kernel(found, root, False, mounts=True)  # that name may not be written either

    os.link(f"{root}/src/vendor/deep/a", f"{root}/src/own")
    with pytest.raises(PatchkitError) as refused:
        Kernel(found, root, False, mounts=True)

    assert (refused.value.code, refused.value.facts["file"]) == ("P672", f"{root}/src/vendor/deep/a")


def test_a_tree_with_too_many_entries_is_refused_and_the_rule_is_named(tmp_path):
    root = os.path.realpath(tmp_path)
    plant(root, [["src", name] for name in NAMES])

    with pytest.raises(PatchkitError) as refused:
        Kernel(rules(root, {"read": {".env": "deny"}}), root, False, mounts=False, most=3)

    assert refused.value.code == "P671"
    assert refused.value.facts["directory"] == f"{root}/src"
    assert refused.value.facts["rule"].startswith('read.".env" = "deny"')


def test_a_tree_that_no_rule_differs_in_is_not_looked_at(tmp_path):
    root = os.path.realpath(tmp_path)
    plant(root, [["src", name] for name in NAMES])

    kernel = Kernel(rules(root, {}), root, False, mounts=True, most=0)

    assert kernel.granted == {root: landlock.RUN}


def test_a_link_gets_no_rights(tmp_path):
    root = os.path.realpath(tmp_path)
    plant(root, [[".env"], ["a"]])
    os.symlink("a", f"{root}/link")

    kernel = Kernel(rules(root, {"read": {".env": "deny"}}), root, False, mounts=False)

    assert sorted(kernel.granted) == [root, f"{root}/a"]


def test_names_that_may_not_be_made_are_found_afterwards(tmp_path):
    root = os.path.realpath(tmp_path)
    plant(root, [["src", "deep", "a"], ["src", "pyproject.toml"]])
    kernel = Kernel(rules(root, {"write": {"src/**": "allow"}}), root, False, mounts=True)
    assert made(kernel.walk) == []

    plant(root, [["src", "deep", "pyproject.toml"], ["src", "new", ".git", "config"], ["src", "ordinary"]])

    assert made(kernel.walk) == [f"{root}/src/deep/pyproject.toml", f"{root}/src/new/.git"]


def test_a_walk_is_stable_unless_a_writable_directory_changed_meanwhile(tmp_path):
    root = os.path.realpath(tmp_path)
    plant(root, [["src", "deep", "a"]])
    found = rules(root, {"write": {"src/**": "allow"}})
    time.sleep(0.02)
    before = Kernel(found, root, False, mounts=True).walk
    assert before.is_stable

    plant(root, [["src", "deep", "b"]])

    assert not before.is_stable


def test_the_outermost_step_comes_first_and_none_is_below_a_hidden_one():
    inner, hidden, below, outer = (
        MountStep(path, kind, (0, 0), True)
        for path, kind in (("/a/b/c", OPEN), ("/a/h", HIDDEN), ("/a/h/x", OPEN), ("/a", OPEN))
    )

    assert in_order([inner, hidden, below, outer]) == [outer, hidden, inner]
