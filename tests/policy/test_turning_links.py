"""A link that turns between the decision and the act: the stricter of the two files decides."""

from __future__ import annotations

import os
import threading

import pytest

from patchkit.tools.calling import Caller, call

RULES = """[permissions]
read = { "*" = "allow", "secrets/**" = "deny" }
write = { "*" = "ask", "pub/**" = "allow", "src/**" = "allow" }
"""
CALLS = 1500 if os.environ.get("PATCHKIT_TESTS") == "full" else 50
PATCH = "*** Begin Patch\n*** Update File: src/turn/a.txt\n@@\n-one\n+two\n*** End Patch\n"


@pytest.fixture
def root(tmp_path):
    for name in ("src", "pub", "secrets"):
        (tmp_path / name).mkdir()
    (tmp_path / ".patchkit.toml").write_text(RULES)
    (tmp_path / "pub/a.txt").write_text("one\n")
    (tmp_path / "secrets/a.txt").write_text("one\nTOKEN\n")
    (tmp_path / "src/turn").symlink_to("../pub")
    return tmp_path


class Racer:
    """Turns the link between two directories as fast as it can, each time by one rename."""

    def __init__(self, root):
        self.root = root
        self.stopped = False
        self.thread = threading.Thread(target=self.run)

    def run(self):
        number = 0
        while not self.stopped:
            number += 1
            os.symlink("../secrets" if number % 2 else "../pub", self.root / "src/new")
            os.rename(self.root / "src/new", self.root / "src/turn")

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped = True
        self.thread.join()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Read", {"file_path": "src/turn/a.txt"}),
        ("Grep", {"pattern": "TOKEN", "path": "src/turn"}),
        ("Grep", {"pattern": "TOKEN", "path": "src/turn/a.txt"}),
    ],
)
def test_a_link_that_turns_shows_nothing_of_a_denied_file(tool, arguments, root):
    shown = 0
    with Racer(root):
        for _ in range(CALLS):
            result = call(tool, arguments, Caller(str(root), agent=True))
            assert "TOKEN" not in result.text.replace("'TOKEN'", "").replace('"TOKEN"', ""), result.text
            shown += not result.errors

    assert shown or tool == "Grep", "some of the calls were made"


def test_a_link_that_turns_writes_nothing_where_asking_is_due(root):
    with Racer(root):
        for _ in range(CALLS):
            (root / "pub/a.txt").write_text("one\n")
            call("apply_patch", {"input": PATCH}, Caller(str(root), agent=True))
            assert (root / "secrets/a.txt").read_text() == "one\nTOKEN\n"
