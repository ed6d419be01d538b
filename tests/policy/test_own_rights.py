"""Nothing inside a workspace raises the rights of what works in it: trust, the user's settings, bounds of work."""

from __future__ import annotations

import pytest

import patchkit
from patchkit.core.workspace import state_directory
from patchkit.core.workspace.root import Workspace
from patchkit.history.reading import runs
from patchkit.history.undo import reverse
from patchkit.policy.settings import settings
from patchkit.policy.trust import distrust, is_first_report, is_trusted, trust, trust_below
from patchkit.tools.calling import Caller, call

RULES = '[permissions]\nwrite = { "*" = "allow" }\nexecute = { "*" = "allow" }\n'


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home directory that is the workspace, with settings, state and rules of its own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / ".local/state"))
    (tmp_path / ".config/patchkit").mkdir(parents=True)
    (tmp_path / ".config/patchkit/config.toml").write_text('[permissions]\nexecute = { "git push" = "deny" }\n')
    (tmp_path / ".patchkit.toml").write_text(RULES)
    return tmp_path


def source(root):
    return settings(str(root)).project[0]


def codes(tool, arguments, root):
    return [error["code"] for error in call(tool, arguments, Caller(str(root), agent=True)).errors]


def test_trust_is_for_the_rules_as_they_are(home):
    before = is_trusted(source(home))
    trust(source(home))
    after = is_trusted(source(home))
    (home / ".patchkit.toml").write_text("# a comment\n" + RULES)
    commented = is_trusted(source(home))
    (home / ".patchkit.toml").write_text(RULES.replace('execute = { "*"', 'execute = { "make"'))

    assert (before, after, commented, is_trusted(source(home))) == (False, True, True, False)


def test_trust_is_taken_back_and_may_be_for_a_directory(home):
    trust_below(str(home))
    below = is_trusted(source(home))
    distrust(source(home))

    assert (below, is_trusted(source(home))) == (True, False)


def test_that_rules_are_not_trusted_is_reported_once(home):
    assert [is_first_report(source(home)) for _ in range(3)] == [True, False, False]
    notes = [[note["code"] for note in call("LS", {"path": "."}, Caller(str(home))).notes] for _ in range(2)]
    assert notes == [[], []]


@pytest.mark.parametrize(
    "path", [".config/patchkit/config.toml", ".local/state/patchkit/trusted/x", ".local/state/patchkit/trusted"]
)
@pytest.mark.parametrize("spelled", ["{}", "./{}", "a/../{}", "link/{}"])
def test_no_tool_writes_to_the_users_own_settings_or_to_what_is_trusted(path, spelled, home):
    trust(source(home))
    (home / "a").mkdir()
    (home / "link").symlink_to(".")
    patch = f"*** Begin Patch\n*** Add File: {spelled.format(path)}\n+x\n*** End Patch\n"

    assert codes("apply_patch", {"input": patch}, home) == ["P651"]
    assert codes("Bash", {"command": f"echo x > {spelled.format(path)}"}, home) == ["P651"]
    assert codes("apply_patch", {"input": patch.replace(spelled.format(path), "plain.txt")}, home) == []


def test_replacing_everywhere_cannot_grow_without_bounds(tmp_path):
    (tmp_path / "a.txt").write_text("a" * 100)
    call("Read", {"file_path": "a.txt"}, Caller(str(tmp_path)))
    edits = [{"old_string": "a", "new_string": "aa", "replace_all": True}] * 24
    result = call("MultiEdit", {"file_path": "a.txt", "edits": edits}, Caller(str(tmp_path)))

    assert [error["code"] for error in result.errors] == ["P625"]
    assert (tmp_path / "a.txt").read_text() == "a" * 100


def test_many_hunks_with_lost_anchors_over_one_repeated_line_are_refused_in_time(tmp_path):
    (tmp_path / "a.txt").write_text("a\n" * 100_000)
    hunks = "".join(f"@@ a{number}\n-a\n+x\n" for number in range(50))
    patch = f"*** Begin Patch\n*** Update File: a.txt\n{hunks}*** End Patch\n"
    result = call("apply_patch", {"input": patch}, Caller(str(tmp_path)))

    assert {error["code"] for error in result.errors} == {"P202"}


def test_a_header_of_very_many_digits_is_no_internal_error(tmp_path):
    (tmp_path / "a.txt").write_text("a\n")
    patch = f"*** Begin Patch\n*** Update File: a.txt\n@@ -{'1' * 500_000}\n-a\n+b\n*** End Patch\n"
    result = call("apply_patch", {"input": patch}, Caller(str(tmp_path)))

    assert "P499" not in [error["code"] for error in result.errors]


# -- a repository inside another -------------------------------------------------------------------


def repository(directory):
    (directory / ".git").mkdir(parents=True)
    (directory / ".git/HEAD").write_text("ref: refs/heads/main\n")


@pytest.fixture
def nested(tmp_path, monkeypatch):
    """A project that denies its secrets, and a repository that was put there to end the search for rules."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    project = tmp_path / "project"
    repository(project)
    repository(project / "secrets")
    (project / "secrets/key").write_text("1\n")
    (project / ".patchkit.toml").write_text('[permissions]\nread = { "secrets/**" = "deny" }\n')
    return project


def test_a_repository_that_is_put_into_a_project_does_not_end_the_search_for_its_rules(nested):
    assert codes("Read", {"file_path": "key"}, nested / "secrets") == ["P651"]


@pytest.mark.parametrize("name", [".patchkit.toml", "pyproject.toml"])
def test_untrusted_rules_in_an_inner_repository_loosen_nothing_of_the_outer(nested, name):
    table = "tool.patchkit.permissions" if name == "pyproject.toml" else "permissions"
    (nested / "secrets" / name).write_text(f'[{table}]\nread = "allow"\nexecute = {{ "make" = "deny" }}\n')
    before = codes("Read", {"file_path": "key"}, nested / "secrets")
    trust(source(nested / "secrets"))

    assert (before, codes("Read", {"file_path": "key"}, nested / "secrets")) == (["P651"], [])


def test_the_users_own_rules_count_from_the_outer_project_too(nested, tmp_path):
    (nested / ".patchkit.toml").unlink()
    (tmp_path / "config/patchkit").mkdir(parents=True)
    (tmp_path / "config/patchkit/config.toml").write_text('[permissions]\nread = { "secrets/key" = "deny" }\n')

    assert codes("Read", {"file_path": "key"}, nested / "secrets") == ["P651"]


# -- what a command finds, and where state is ------------------------------------------------------


@pytest.mark.parametrize("entry", ["", ".", "bin", "./bin"])
def test_a_file_of_the_workspace_is_not_taken_for_a_command_of_the_system(entry, tmp_path, monkeypatch):
    for name in ("bash", "own-tests", "bin/bash", "bin/own-tests"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("#!/bin/sh\ntouch pwned\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / ".patchkit.toml").write_text('[permissions]\nexecute = { "own-tests" = "allow" }\n')
    monkeypatch.setenv("PATH", f"{entry}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path.parent / "state"))
    monkeypatch.chdir(tmp_path)
    trust(source(tmp_path))
    ran = call("Bash", {"command": "own-tests"}, Caller(str(tmp_path), agent=True))

    assert (ran.data["exit_code"], (tmp_path / "pwned").exists()) == (127, False)


@pytest.mark.parametrize("inside", [".git", "sub/.hg/state", ".svn"])
def test_no_state_is_kept_inside_version_control(inside, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / inside))

    assert state_directory(str(tmp_path / "root")) is None


def test_an_undo_changes_version_control_only_where_that_is_allowed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    patch = "*** Begin Patch\n*** Add File: .git/hooks/pre-commit\n+x\n*** End Patch\n"
    patchkit.apply(patch, root, allow_vcs=True, history=True)
    made = root / ".git/hooks/pre-commit"
    with Workspace(root) as files:
        run = runs(files.real)[0]
        with pytest.raises(patchkit.PatchkitError, match="P318"):
            reverse(run, files)
        kept = made.exists()
        files.allow_vcs = True
        reverse(run, files)

    assert (kept, made.exists()) == (True, False)
