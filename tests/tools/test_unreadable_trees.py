"""Directories and files that may not be looked into: the rest is found, and what is missing is named.

Root may look into everything, so the calls are made by a child that is nobody.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import traceback

import pytest

from patchkit.search.fallback import PythonSearch, answered
from patchkit.tools.calling import Caller, call

NOBODY = 65534


@pytest.fixture
def tree(monkeypatch):
    """A directory that others may enter, which a directory of pytest is not, with doors of every kind in it."""
    root = tempfile.mkdtemp(prefix="patchkit-tests-")
    os.chmod(root, 0o755)
    monkeypatch.setenv("HOME", root)
    monkeypatch.setenv("XDG_STATE_HOME", f"{root}/none")
    for name in ("closed", "listed", "open"):
        os.mkdir(f"{root}/{name}")
        with open(f"{root}/{name}/f", "w") as file:
            file.write("needle\n")
    os.symlink("f", f"{root}/listed/link")
    os.mkdir(f"{root}/listed/below")
    with open(f"{root}/secret", "w") as file:
        file.write("needle\n")
    os.chmod(f"{root}/secret", 0)
    os.chmod(f"{root}/closed", 0)
    os.chmod(f"{root}/listed", 0o744 if os.geteuid() == 0 else 0o400)
    yield root
    for name in ("closed", "listed"):
        os.chmod(f"{root}/{name}", 0o700)
    shutil.rmtree(root)


def as_nobody(name, arguments, root):
    """What a tool answers to a caller without rights, as its envelope."""
    if os.geteuid() != 0:
        return call(name, arguments, Caller(root)).envelope()
    call(name, arguments, Caller(root))  # so that the child, which may not read our modules either, has them all
    told, tells = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            os.write(tells, json.dumps(call(name, arguments, Caller(root)).envelope()).encode())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(tells)
    with os.fdopen(told, "rb") as answer:
        data = answer.read()
    os.waitpid(child, 0)
    return json.loads(data)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Read", {"file_path": "secret"}),
        ("Read", {"file_path": "closed/f"}),
        ("Read", {"file_path": "listed/f"}),
        ("LS", {"path": "closed"}),
        ("Grep", {"pattern": "needle", "path": "secret"}),
        ("Grep", {"pattern": "needle", "path": "closed"}),
        ("Glob", {"pattern": "*", "path": "closed"}),
        ("Write", {"file_path": "closed/new", "content": ""}),
    ],
)
def test_what_may_not_be_read_is_refused_with_the_reason(tree, name, arguments):
    path = arguments.get("file_path", arguments.get("path"))

    error = as_nobody(name, arguments, tree)["error"]

    assert (error["code"], error["message"]) == ("P401", f"cannot read '{path}': permission denied")


def test_names_of_a_directory_that_may_be_listed_and_not_entered_are_listed(tree):
    result = as_nobody("LS", {"path": "listed"}, tree)

    assert result["data"]["entries"] == [
        {"path": "listed/below", "type": "directory"},
        {"path": "listed/f", "type": "file"},
        {"path": "listed/link", "type": "link"},
    ]


def test_glob_names_what_it_could_not_look_at(tree):
    result = as_nobody("Glob", {"pattern": "**/f", "relative": True}, tree)

    assert (result["status"], result["data"]["paths"]) == ("partial", ["open/f"])
    assert sorted(each["path"] for each in result["data"]["unreadable"]) == ["closed", "listed/below", "listed/f"]
    assert "'closed': permission denied" in result["text"]


@pytest.mark.parametrize("way", ["ripgrep", "python"])
def test_grep_finds_the_rest_and_names_what_it_could_not_look_into(tree, monkeypatch, way):
    if way == "python":
        monkeypatch.setenv("PATCHKIT_RG", "")
        # Nobody may run the Python of these tests where it is in the home of root: its work is done here.
        monkeypatch.setattr(PythonSearch, "_run", lambda self, request: answered(request))
    result = as_nobody("Grep", {"pattern": "needle"}, tree)

    assert (result["status"], result["data"]["matches"]) == ("partial", [{"path": "open/f"}])
    assert {"closed", "secret"} <= {each["path"] for each in result["data"]["unreadable"]}
    assert "'closed': permission denied" in result["text"]
