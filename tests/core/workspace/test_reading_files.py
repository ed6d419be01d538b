"""What tools that read need: the file that a path means, never one outside, never a wait."""

from __future__ import annotations

import os
import socket

import pytest
from fault_injection import Fault, attempt
from sample_trees import File, Link, build
from strategies import outcome

from patchkit.core.workspace.root import Workspace
from patchkit.reading import listing, open_file

TREE = {
    "a.txt": File(b"one\n"),
    "src/app.py": File(b"print()\n"),
    "src/deep/other.py": File(b""),
    "empty": "directory",
    "inside": Link("src/app.py"),
    "within": Link("src"),
    "outside": Link("../outside/secret"),
    "absolute": Link("/etc/passwd"),
    "nowhere": Link("missing"),
    "loop": Link("loop"),
}


@pytest.fixture
def root(place):
    build(os.path.join(place, "outside"), {"secret": File(b"secret\n")})
    path = os.path.join(place, "root")
    build(path, TREE)
    return path


@pytest.fixture
def files(root):
    with Workspace(root) as workspace:
        yield workspace


def content(files, path):
    """What an open file holds, or the code of the refusal."""
    opened = outcome(open_file, files, path)
    if not hasattr(opened, "fd"):
        return opened.code
    with opened:
        return os.read(opened.fd, 100)


# -- opening -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["src/app.py", "./src/../src/app.py", "inside", "within/app.py", "{root}/inside"])
def test_a_file_is_opened_however_its_path_is_spelled(files, root, path):
    assert content(files, path.format(root=root)) == b"print()\n"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("missing", "P302"),
        ("nowhere", "P302"),
        ("src", "P305"),
        (".", "P305"),
        ("within", "P305"),
        ("a.txt/b", "P310"),
        ("outside", "P307"),
        ("absolute", "P307"),
        ("loop", "P307"),
        ("../outside/secret", "P301"),
        ("/etc/passwd", "P301"),
        ("n\0l", "P309"),
        ("x" * 300, "P309"),
    ],
)
def test_what_is_not_a_file_inside_is_refused(files, path, code):
    assert content(files, path) == code


def test_what_would_wait_for_someone_is_refused_at_once(files, root):
    os.mkfifo(f"{root}/queue")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{root}/socket")

        assert [content(files, name) for name in ("queue", "socket")] == ["P306", "P306"]


def test_a_fifo_put_there_at_the_last_moment_is_refused_at_once(root):
    """Whatever call the swap comes before: the file or a refusal, never a wait and never the FIFO."""

    def swap():
        os.unlink(f"{root}/a.txt")
        os.mkfifo(f"{root}/a.txt")

    def work():
        with Workspace(root) as files:
            return 0, str(content(files, "a.txt"))

    answers = set()
    for at in range(1, len(attempt(work).calls) + 1):
        build(root, TREE)
        answers.add(attempt(work, Fault(at, action=swap)).words)

    assert answers == {str(b"one\n"), "P306"}


def test_a_link_put_there_at_the_last_moment_leads_nowhere(root):
    def swap():
        os.unlink(f"{root}/a.txt")
        os.symlink("../outside/secret", f"{root}/a.txt")

    def work():
        with Workspace(root) as files:
            return 0, str(content(files, "a.txt"))

    answers = set()
    for at in range(1, len(attempt(work).calls) + 1):
        build(root, TREE)
        answers.add(attempt(work, Fault(at, action=swap)).words)

    assert answers == {str(b"one\n"), "P307", "P401"}


def test_an_open_file_has_its_status_and_closes_once(files):
    opened = open_file(files, "a.txt")

    assert (opened.status.st_size, opened.entry.name) == (4, "a.txt")
    opened.close()
    opened.close()
    assert opened.fd == -1


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(files, root):
    os.chmod(f"{root}/a.txt", 0)

    assert content(files, "a.txt") == "P401"


# -- listing -------------------------------------------------------------------------------------


def test_a_listing_gives_names_kinds_and_where_links_lead(files, root):
    os.mkfifo(f"{root}/queue")

    assert [(each.name, each.kind, each.target) for each in listing(files, ".")[0]] == [
        ("a.txt", "file", ""),
        ("absolute", "link", "/etc/passwd"),
        ("empty", "directory", ""),
        ("inside", "file", "src/app.py"),
        ("loop", "link", "loop"),
        ("nowhere", "link", "missing"),
        ("outside", "link", "../outside/secret"),
        ("queue", "FIFO", ""),
        ("src", "directory", ""),
        ("within", "directory", "src"),
    ]


def test_a_link_to_the_root_is_a_directory(files, root):
    os.symlink("..", f"{root}/src/up")
    found = {each.name: each for each in listing(files, "within")[0]}

    assert (found["up"].kind, found["up"].target) == ("directory", "..")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.txt", "P319"),
        ("inside", "P319"),
        ("missing", "P302"),
        ("a.txt/b", "P310"),
        ("..", "P301"),
        ("outside", "P307"),
    ],
)
def test_what_is_not_a_directory_inside_cannot_be_listed(files, path, code):
    assert outcome(listing, files, path).code == code


def test_names_with_spaces_at_their_ends_are_listed_as_they_are(files, root):
    os.symlink("a.txt", f"{root}/empty/x ")
    os.symlink("../a.txt", f"{root}/empty/x")

    assert [(each.name, each.kind) for each in listing(files, "empty")[0]] == [("x", "file"), ("x ", "link")]
