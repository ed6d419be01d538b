"""A link that turns between the decision and the act: the stricter of the two files decides."""

from __future__ import annotations

import os
import threading

import pytest

from patchkit.policy import oversight
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


SEARCHES = [
    ("Read", {"file_path": "src/turn/a.txt"}),
    ("Grep", {"pattern": "one", "path": "src/turn", "output_mode": "content"}),
    ("Grep", {"pattern": "one", "path": "src/turn/a.txt", "output_mode": "content"}),
]


@pytest.mark.parametrize(("tool", "arguments"), SEARCHES)
def test_a_link_that_turns_shows_nothing_of_a_denied_file(tool, arguments, root):
    """Both files have the word that is looked for, so a call either shows the public one or is refused."""
    (root / "pub/a.txt").write_text("one PUBLIC\n")
    (root / "secrets/a.txt").write_text("one TOKEN\n")
    with Racer(root):
        shown = [call(tool, arguments, Caller(str(root), agent=True)).text for _ in range(CALLS)]

    assert [text for text in shown if "TOKEN" in text] == []
    for target, seen in (("../pub", True), ("../secrets", False)):  # which of them a racing call meets is chance
        (root / "src/turn").unlink()
        (root / "src/turn").symlink_to(target)
        result = call(tool, arguments, Caller(str(root), agent=True))
        assert ("PUBLIC" in result.text, [error["code"] for error in result.errors]) == (seen, [] if seen else ["P651"])


@pytest.fixture
def turning(root, monkeypatch):
    """Calls a tool, and turns the link right after the decision about it."""

    def turn(to):
        (root / "src/turn").unlink()
        (root / "src/turn").symlink_to(to)

    def refuse(judgement, agent):
        real(judgement, agent)
        turn("../secrets")

    real = oversight.refuse
    monkeypatch.setattr(oversight, "refuse", refuse)

    def turned(tool, arguments):
        turn("../pub")
        return call(tool, arguments, Caller(str(root), agent=True))

    return turned


LISTS = [("Glob", {"pattern": "*.txt", "path": "src/turn"}), ("LS", {"path": "src/turn"})]


@pytest.mark.parametrize(("tool", "arguments"), [*SEARCHES, *LISTS])
def test_what_a_link_leads_to_after_the_decision_is_judged_again(tool, arguments, root, turning):
    result = turning(tool, arguments)

    assert ([error["code"] for error in result.errors], "TOKEN" in result.text) == (["P651"], False)


@pytest.mark.parametrize(("tool", "arguments"), [*SEARCHES, *LISTS])
def test_the_same_call_shows_the_other_file_where_nothing_denies_it(tool, arguments, root, turning):
    """So the tests above are about the rule: the call does reach what the link leads to."""
    (root / ".patchkit.toml").write_text(RULES.replace(', "secrets/**" = "deny"', ""))
    (root / "secrets/a.txt").write_text("one TOKEN\n")
    (root / "secrets/b.txt").write_text("")
    result = turning(tool, arguments)

    assert ("TOKEN" in result.text or "b.txt" in result.text, result.errors) == (True, [])


def test_a_link_that_turns_writes_nothing_where_asking_is_due(root):
    with Racer(root):
        for _ in range(CALLS):
            (root / "pub/a.txt").write_text("one\n")
            call("apply_patch", {"input": PATCH}, Caller(str(root), agent=True))
            assert (root / "secrets/a.txt").read_text() == "one\nTOKEN\n"
