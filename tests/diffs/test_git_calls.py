"""No program runs that the configuration of a repository names, whatever command of ours asks git."""

from __future__ import annotations

import subprocess
import sys

import pytest
from git_repositories import git

CONFIGURATIONS = {
    "a monitor of files": "[core]\n\tfsmonitor = {program}\n",
    "a filter": '[filter "f"]\n\tclean = {program}\n\tsmudge = {program}\n\trequired = true\n',
    "a filter by a protocol": '[filter "f"]\n\tprocess = {program}\n\trequired = true\n',
    "a filter with a sign in its name": '[filter "a=b.c"]\n\tclean = {program}\n',
    "a converter": '[diff "f"]\n\ttextconv = {program}\n\tcommand = {program}\n',
    "an external diff": "[diff]\n\texternal = {program}\n",
    "hooks": "[core]\n\thooksPath = hooks\n",
    "a checker of signatures": "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = {program}\n",
    "a pager": "[core]\n\tpager = {program}\n[pager]\n\tdiff = {program}\n\tlog = {program}\n",
    "a part of its own": "[include]\n\tpath = more\n",
}
COMMANDS = (
    "diff HEAD",
    "diff HEAD~1",
    "diff --cached",
    "diff HEAD~1..HEAD",
    "diff HEAD~1...HEAD",
    "check --against HEAD",
    "check --since HEAD~1",
    "check --since HEAD~1...",
    "apply --check",
    "apply --check --base auto",
    "grep line",
    "glob *",
)
OLD = "*** Begin Patch\n*** Update File: a.txt\n@@\n-line 0\n+line x\n*** End Patch\n"


@pytest.fixture
def project(tmp_path):
    """A repository with two commits, a change of its files that only a look at their content shows, and a program."""
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", ".")
    for number in range(2):
        (root / "a.txt").write_text(f"line {number}\n")
        (root / ".gitattributes").write_text("*.txt filter=f diff=f\nb.* filter=a=b.c\n")
        (root / "b.md").write_text("same\n")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", f"commit {number}")
    (root / "b.md").write_text("same\n")
    (root / "a.txt").write_text("line 2\n")
    program = root / "evil"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
    program.chmod(0o755)
    (root / "hooks").mkdir()
    for name in ("post-index-change", "pre-commit", "reference-transaction"):
        (root / "hooks" / name).write_text(program.read_text())
        (root / "hooks" / name).chmod(0o755)
    return root


def ran(project, words):
    done = subprocess.run(
        [sys.executable, "-m", "patchkit", *words.split()], input=OLD, cwd=project, capture_output=True, text=True
    )
    mark = project.parent / "ran"
    found = mark.exists()
    mark.unlink(missing_ok=True)
    assert "internal error" not in done.stderr, done.stderr
    return found


def test_no_command_of_ours_runs_what_a_configuration_names(project, subtests):
    plain = (project / ".git/config").read_text()
    for name, text in CONFIGURATIONS.items():
        (project / ".git/more").write_text(CONFIGURATIONS["a monitor of files"].format(program="./evil"))
        (project / ".git/config").write_text(plain + text.format(program="./evil"))
        for words in COMMANDS:
            with subtests.test(f"{name}: {words}"):
                assert not ran(project, words)


def test_git_itself_runs_them(project):
    """Else the test above would prove nothing."""
    plain = (project / ".git/config").read_text()
    found = {}
    for name in ("a monitor of files", "a filter", "a filter by a protocol", "a part of its own", "an external diff"):
        (project / ".git/more").write_text(CONFIGURATIONS["a monitor of files"].format(program="./evil"))
        (project / ".git/config").write_text(plain + CONFIGURATIONS[name].format(program="./evil"))
        subprocess.run(["git", "diff", "HEAD"], cwd=project, capture_output=True, check=False)
        found[name] = (project.parent / "ran").exists()
        (project.parent / "ran").unlink(missing_ok=True)

    assert found == dict.fromkeys(found, True)
