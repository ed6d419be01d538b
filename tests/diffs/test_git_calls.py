"""No program runs that the configuration of a repository names, whatever command of ours asks git."""

from __future__ import annotations

import subprocess
import sys

import pytest
from git_repositories import git

# One configuration with all that names a program; each program leaves a mark of its own name. What takes the place of
# another (the protocol of a filter, the command of a converter) is for files of its own.
CONFIGURATION = """\
[core]
	fsmonitor = ./monitor
	hooksPath = hooks
	pager = ./pager
[filter "f"]
	clean = ./filter
	smudge = ./filter
	required = true
[filter "p"]
	process = ./protocol
	required = true
[filter "a=b.c"]
	clean = ./signed-filter
[diff "c"]
	command = ./converter
[diff "t"]
	textconv = ./text-converter
[diff]
	external = ./external-diff
[log]
	showSignature = true
[gpg]
	program = ./signatures
[pager]
	diff = ./pager
	log = ./pager
[include]
	path = more
"""
ATTRIBUTES = """\
*.txt filter=f
*.rst filter=p
*.inc filter=i
b.* filter=a=b.c
*.c diff=c
*.h diff=t
"""
PROGRAMS = (
    *("monitor", "pager", "filter", "protocol", "signed-filter", "converter", "text-converter", "external-diff"),
    *("signatures", "included"),
)
FILES = ("a.txt", "c.rst", "d.inc", "e.c", "f.h", "g.py")
HOOKS = ("post-index-change", "pre-commit", "reference-transaction")
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
    """A repository with two commits, a change of its files that only a look at their content shows, and programs."""
    root = tmp_path / "project"
    (root / "hooks").mkdir(parents=True)
    git(root, "init", "-q", ".")
    for number in range(2):
        for name in FILES:
            (root / name).write_text(f"line {number}\n")
        (root / ".gitattributes").write_text(ATTRIBUTES)
        (root / "b.md").write_text("same\n")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", f"commit {number}")
    for name in FILES:
        (root / name).write_text("line 2\n")
    (root / "b.md").write_text("same\n")
    for path in [*PROGRAMS, *(f"hooks/{name}" for name in HOOKS)]:
        (root / path).write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran {path.replace('/', ' ')}'\nexit 1\n")
        (root / path).chmod(0o755)
    (root / ".git/more").write_text('[filter "i"]\n\tclean = ./included\n')
    (root / ".git/config").write_text((root / ".git/config").read_text() + CONFIGURATION)
    return root


def marks(project):
    """The programs that have run since this was asked the last time."""
    found = sorted(project.parent.glob("ran *"))
    for mark in found:
        mark.unlink()
    return [mark.name.removeprefix("ran ") for mark in found]


def test_no_command_of_ours_runs_what_a_configuration_names(project):
    found = {}
    for words in COMMANDS:
        argv = [sys.executable, "-m", "patchkit", *words.split()]
        done = subprocess.run(argv, input=OLD, cwd=project, capture_output=True, text=True)
        assert "internal error" not in done.stderr, done.stderr
        found[words] = marks(project)

    assert found == {words: [] for words in COMMANDS}


def test_git_itself_runs_them(project):
    """Else the test above would prove nothing. Git may refresh its index too, which runs filters of other files."""
    expected = {
        "diff HEAD -- a.txt": ["filter", "monitor"],
        "diff HEAD -- b.md": ["monitor", "signed-filter"],
        "diff HEAD -- c.rst": ["monitor", "protocol"],
        "diff HEAD -- d.inc": ["external-diff", "included", "monitor"],
        "diff HEAD -- e.c": ["converter", "monitor"],
        "diff --no-ext-diff HEAD -- f.h": ["monitor", "text-converter"],
        "diff HEAD -- g.py": ["external-diff", "monitor"],
        "update-ref refs/heads/other HEAD": ["hooks reference-transaction"],
    }
    found = {}
    for words in expected:
        subprocess.run(["git", *words.split()], cwd=project, capture_output=True, check=False)
        ran = marks(project)
        found[words] = [program for program in expected[words] if program in ran]

    assert found == expected
