"""What a session has seen: remembered across processes, decided by content, and never the cause of a failure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_trees import recorded
from strategies import examples

from patchkit.applying import apply
from patchkit.core.changes import Options
from patchkit.core.workspace.root import Workspace
from patchkit.history import sessions, tracked_workspace
from patchkit.history import sessions as session_file
from patchkit.history.sessions import Seen, Tracker, _parsed
from patchkit.tools.calling import Caller, call

UNREAD = "File has not been read yet. Read it first before writing to it."
STALE = "File has been modified externally. Either by user or a linter. Read it first before writing to it."


@pytest.fixture
def root(place, monkeypatch):
    monkeypatch.delenv("PATCHKIT_SESSION", raising=False)
    path = os.path.join(place, "root")
    os.mkdir(path)
    return path


@pytest.fixture
def use(root):
    def use_tool(name, **arguments):
        return call(name, arguments, Caller(root))

    return use_tool


def write(root, name, text):
    with open(os.path.join(root, name), "w") as file:
        file.write(text)


def content(root, name="a.txt"):
    with open(os.path.join(root, name)) as file:
        return file.read()


def edit(use, old="a", new="b", **more):
    """How an edit of a.txt ended: its first line."""
    return use("Edit", file_path="a.txt", old_string=old, new_string=new, **more).text.split("\n")[0]


UPDATED = "The file a.txt has been updated. Here's the result of running `cat -n` on a snippet of the edited file:"


# -- read before write ---------------------------------------------------------------------------


def test_an_unread_file_is_not_edited(root, use):
    write(root, "a.txt", "a\n")

    assert (edit(use), content(root)) == (UNREAD, "a\n")


def test_a_file_that_was_read_is_edited_and_then_counts_as_seen(root, use):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")

    assert [edit(use), edit(use, "b", "c"), content(root)] == [UPDATED, UPDATED, "c\n"]


def test_a_partial_read_counts(root, use):
    write(root, "a.txt", "a\n" + "x\n" * 50)
    use("Read", file_path="a.txt", offset=20, limit=1)

    assert edit(use) == UPDATED


def test_a_file_that_was_changed_since_is_not_edited_until_it_is_read_again(root, use):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    write(root, "a.txt", "a\nmore\n")

    assert (edit(use), content(root)) == (STALE, "a\nmore\n")
    use("Read", file_path="a.txt")
    assert edit(use) == UPDATED


def test_content_decides_and_not_the_time(root, use):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    os.utime(os.path.join(root, "a.txt"), (5, 5))
    os.chmod(os.path.join(root, "a.txt"), 0o755)

    assert edit(use) == UPDATED


def test_the_same_content_written_again_is_not_a_modification(root, use):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    os.unlink(os.path.join(root, "a.txt"))
    write(root, "a.txt", "a\n")

    assert edit(use) == UPDATED


def test_a_change_within_the_same_tick_of_the_clock_is_seen(root, use):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    path = os.path.join(root, "a.txt")
    status = os.stat(path)
    write(root, "a.txt", "A\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    assert edit(use, "A", "b") == STALE


def test_a_person_can_insist(root, use):
    write(root, "a.txt", "a\n")

    assert edit(use, force=True) == UPDATED


def test_an_agent_cannot_insist(root):
    write(root, "a.txt", "a\n")
    arguments = {"file_path": "a.txt", "content": "b", "force": True}

    refused = call("Write", arguments, Caller(root, agent=True))

    assert (refused.status, content(root)) == ("error", "a\n")
    assert refused.errors[0]["code"] in ("P611", "P652")  # a rule may stand before it


def test_path_errors_come_before_those_of_the_tracker(root, use):
    os.mkdir(os.path.join(root, "d"))

    said = [
        use("Edit", file_path=path, old_string="a", new_string="b").text.split("\n")[0] for path in ("d", "x", "../x")
    ]

    assert said == [
        "<tool_use_error>Illegal operation on a directory. edit</tool_use_error>",
        "<tool_use_error>File does not exist.</tool_use_error>",
        "Path escapes workspace: ../x",
    ]


def test_a_file_is_known_by_its_real_path_however_it_is_spelled(root, use):
    os.mkdir(os.path.join(root, "d"))
    write(root, "d/a.txt", "a\n")
    os.symlink("d", os.path.join(root, "link"))
    use("Read", file_path="link/../link/a.txt")

    assert use("Edit", file_path=f"{root}/d/a.txt", old_string="a", new_string="b").status == "success"


# -- what the caller expects ---------------------------------------------------------------------


def test_a_write_takes_back_what_a_read_gave(root, use):
    write(root, "a.txt", "a\n")
    seen = use("Read", file_path="a.txt").data

    assert edit(use, expected_mtime_ms=seen["file_mtime_ms"], expected_sha256=seen["sha256"].upper()) == UPDATED


@pytest.mark.parametrize("expected", [{"expected_mtime_ms": 5}, {"expected_sha256": "0" * 64}])
@pytest.mark.parametrize("force", [False, True])
def test_a_file_that_is_not_the_expected_one_is_a_conflict_and_nothing_is_written(root, use, expected, force):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")

    for name, more in (
        ("Edit", {"old_string": "a", "new_string": "b"}),
        ("MultiEdit", {"edits": [{"old_string": "a", "new_string": "b"}]}),
        ("Write", {"content": "b"}),
    ):
        refused = use(name, file_path="a.txt", force=force, **more, **expected)

        assert refused.text.split("\n")[0] == STALE
        assert (refused.errors[0]["code"], refused.errors[0]["kind"]) == ("P613", "CONFLICT")
    assert content(root) == "a\n"


def test_a_file_that_is_expected_and_not_there_is_a_conflict(root, use):
    refused = use("Write", file_path="a.txt", content="a", expected_sha256="0" * 64)

    assert refused.errors[0]["message"] == (
        f"'a.txt' is not what was expected: its hash is none, because there is no file, not {'0' * 64}"
    )
    assert os.listdir(root) == []


# -- apply_patch ---------------------------------------------------------------------------------


def patch(root, *lines):
    recorded("\n".join(["*** Begin Patch", *lines, "*** End Patch", ""]), root)


def test_a_patch_needs_no_read_and_makes_no_file_seen(root, use):
    write(root, "a.txt", "a\n")
    write(root, "other.txt", "x\n")
    use("Read", file_path="other.txt")
    patch(root, "*** Update File: a.txt", "@@", "-a", "+b", "*** Add File: new.txt", "+n")

    assert edit(use, "b", "c") == UNREAD
    assert use("Write", file_path="new.txt", content="x").text.split("\n")[0] == UNREAD


def test_a_patch_brings_what_was_seen_up_to_date(root, use):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    patch(root, "*** Update File: a.txt", "@@", "-a", "+b")

    assert edit(use, "b", "c") == UPDATED


def test_what_moves_takes_along_what_was_known_of_it(root, use):
    write(root, "old.txt", "a\n")
    use("Read", file_path="old.txt")
    patch(root, "*** Update File: old.txt", "*** Move to: a.txt", "@@", "-a", "+b")

    assert edit(use, "b", "c") == UPDATED
    with Workspace(root) as files:
        assert [each.path for each in Tracker(files).all()] == [os.path.join(root, "a.txt")]


def test_what_is_deleted_is_forgotten(root, use):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    patch(root, "*** Delete File: a.txt")
    write(root, "a.txt", "a\n")

    assert edit(use) == UNREAD


def taken_back(root):
    from patchkit.tools.undo import undo

    with Workspace(root) as files:
        undo(files)


def test_an_undo_to_what_the_session_has_seen_does_not_count_as_a_foreign_change(root, use):
    from patchkit.tools.undo import redo

    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    edit(use)
    taken_back(root)

    assert use("Read", file_path="a.txt").data["modified_externally"] is False
    with Workspace(root) as files:
        redo(files)
    assert [edit(use, "b", "c"), content(root)] == [UPDATED, "c\n"]


def test_an_undo_to_what_the_session_never_saw_counts_as_a_foreign_change(root, use):
    write(root, "a.txt", "a\n")
    patch(root, "*** Update File: a.txt", "@@", "-a", "+b")
    use("Read", file_path="a.txt")
    taken_back(root)

    assert edit(use) == STALE


def test_a_deleted_file_that_an_undo_brings_back_is_still_known(root, use):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    patch(root, "*** Delete File: a.txt")
    taken_back(root)

    assert edit(use) == UPDATED


def test_what_was_forgotten_is_not_known_again_by_an_undo(root, use):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    edit(use)
    with Workspace(root) as files:
        Tracker(files).forget(["a.txt"])
    taken_back(root)

    assert edit(use) == UNREAD


def test_an_undo_after_a_foreign_change_to_another_file_knows_only_its_own(root, use):
    for name in ("a.txt", "b.txt"):
        write(root, name, "a\n")
        use("Read", file_path=name)
    edit(use)
    write(root, "b.txt", "other\n")
    taken_back(root)

    assert edit(use) == UPDATED
    refused = use("Edit", file_path="b.txt", old_string="other", new_string="x")
    assert refused.text.split("\n")[0] == STALE


def test_a_patch_where_nothing_was_seen_leaves_no_trace_in_the_state(root):
    write(root, "a.txt", "a\n")
    patch(root, "*** Update File: a.txt", "@@", "-a", "+b")

    homes = os.path.join(os.environ["XDG_STATE_HOME"], "patchkit")
    assert os.listdir(os.path.join(homes, os.listdir(homes)[0])) == ["history"]


# -- sessions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("session", ["agent-1", "a/b", "..", ".", "x" * 500, "ünï", "workspace"])
def test_every_session_has_seen_only_what_it_has_seen(root, use, monkeypatch, session):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    monkeypatch.setenv("PATCHKIT_SESSION", session)
    assert edit(use) == UNREAD

    use("Read", file_path="a.txt")

    assert edit(use) == UPDATED
    monkeypatch.delenv("PATCHKIT_SESSION")
    assert edit(use, "b", "c") == STALE


def test_a_session_goes_on_in_another_process(root, use):
    write(root, "a.txt", "a\n")
    code = f"from patchkit.tools.calling import *; call('Read', {{'file_path': 'a.txt'}}, Caller({root!r}))"
    subprocess.run([sys.executable, "-c", code], check=True)

    assert edit(use) == UPDATED


def test_processes_that_read_at_once_lose_nothing(root, use):
    for number in range(30):
        write(root, f"{number}.txt", "a\n")
    code = (  # in which the file is rewritten all the time
        "import sys\nfrom patchkit.tools.calling import *\nfrom patchkit.history import sessions\n"
        "sessions._TRIES, sessions._LARGEST, sessions._MOST_KEPT = 50000, 3000, 20000\n"
        f"for number in sys.argv[1:]: call('Read', {{'file_path': number + '.txt'}}, Caller({root!r}))"
    )
    words = [[str(number) for number in range(30) if number % 5 == part] for part in range(5)]
    running = [subprocess.Popen([sys.executable, "-c", code, *part]) for part in words]
    assert [each.wait() for each in running] == [0] * 5

    with Workspace(root) as files:
        assert len(Tracker(files).all()) == 30


# -- the state -----------------------------------------------------------------------------------


def state_file(root):
    with Workspace(root) as files:
        return Tracker(files).state_file


def test_the_state_is_in_the_state_directory_for_this_user_only(root, use):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")

    path = state_file(root)
    assert path.startswith(os.environ["XDG_STATE_HOME"])
    assert (os.stat(path).st_mode & 0o777, os.stat(os.path.dirname(path)).st_mode & 0o777) == (0o600, 0o700)
    assert os.listdir(root) == ["a.txt"]


@pytest.mark.parametrize("home", ["{root}/state", "/dev/null/none"])
def test_without_a_state_directory_it_is_in_the_root_where_version_control_ignores_it(root, use, monkeypatch, home):
    monkeypatch.setenv("XDG_STATE_HOME", home.format(root=root))
    write(root, "a.txt", "a\n")

    assert use("Read", file_path="a.txt").notes == []
    assert edit(use) == UPDATED
    assert state_file(root) == os.path.join(root, ".patchkit", "tracker", "workspace")
    assert content(root, ".patchkit/.gitignore") == "*\n"
    patch(root, "*** Update File: a.txt", "@@", "-b", "+c")
    assert edit(use, "c", "d") == UPDATED


def test_a_link_in_place_of_the_directory_in_the_root_leads_nowhere(root, place, use, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/none")
    outside = os.path.join(place, "outside")
    os.makedirs(os.path.join(outside, "tracker"))
    os.symlink(outside, os.path.join(root, ".patchkit"))
    write(root, "a.txt", "a\n")

    result = use("Read", file_path="a.txt")

    assert [note["code"] for note in result.notes] == ["P955"]
    assert os.listdir(os.path.join(outside, "tracker")) == []


@pytest.mark.parametrize(
    "broken",
    [
        b"\xff\x00garbage",
        b"1\t2\t3\n\n\n\t\t\t",
        b"1\t1\t1\t1\t1\t-\t/x\n" * 50,
        b"torn line without an e",
        b"9" * 100_000,
    ],
)
def test_broken_state_never_blocks_reading_and_mends_itself(root, use, broken):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    with open(state_file(root), "wb") as state:
        state.write(broken)

    assert use("Read", file_path="a.txt", plain=True).text == "     1→a"
    assert edit(use) == UPDATED


@pytest.mark.parametrize("obstacle", ["directory", "FIFO", "link"])
def test_an_obstacle_in_place_of_the_state_never_blocks_reading(root, use, obstacle, tmp_path):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    path = state_file(root)
    os.unlink(path)
    if obstacle == "directory":
        os.mkdir(path)
    elif obstacle == "FIFO":
        os.mkfifo(path)
    else:
        os.symlink(tmp_path / "elsewhere", path)

    assert use("Read", file_path="a.txt", plain=True).text == "     1→a"
    assert not os.path.exists(tmp_path / "elsewhere")


def test_a_lock_held_by_another_process_delays_a_run_only_briefly(root, use):
    import fcntl

    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    with open(state_file(root)) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        use("Read", file_path="a.txt")  # without end, if it waited for the lock
    assert edit(use) == UPDATED


def test_state_that_grows_is_rewritten_and_the_newest_stays(root, use, monkeypatch):
    monkeypatch.setattr(session_file, "_LARGEST", 3000)
    monkeypatch.setattr(sessions, "_MOST_KEPT", 1500)
    for number in range(40):
        write(root, f"{number}.txt", "a\n")
        use("Read", file_path=f"{number}.txt")

    assert os.stat(state_file(root)).st_size < 3500
    with Workspace(root) as files:
        seen = Tracker(files)
        assert seen.seen("39.txt") is not None
        assert seen.seen("0.txt") is None
    assert [name for name in os.listdir(os.path.dirname(state_file(root))) if name.endswith(".tmp")] == []


def test_sessions_of_long_ago_are_forgotten(root, use, monkeypatch):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    old = state_file(root)
    os.utime(old, (5, 5))
    monkeypatch.setenv("PATCHKIT_SESSION", "new")

    use("Read", file_path="a.txt")

    assert not os.path.exists(old)


def test_a_workspace_without_any_place_for_state_can_be_read_but_not_edited_unforced(root, use, monkeypatch):
    write(root, "a.txt", "a\n")
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/none")
    write(root, ".patchkit", "a file in the way")

    result = use("Read", file_path="a.txt", plain=True)

    assert (result.text, [note["code"] for note in result.notes]) == ("     1→a", ["P955"])
    assert (edit(use), edit(use, force=True)) == (UNREAD, UPDATED)


# -- lines and status ----------------------------------------------------------------------------


@examples(200)
@given(st.text(min_size=1).filter(lambda text: "\0" not in text), st.lists(st.integers(0), min_size=5, max_size=5))
def test_what_a_line_says_is_what_was_seen(path, numbers):
    seen = Seen(os.fsdecode(path.encode("utf-8", "surrogatepass")), "ab" * 32, *numbers)

    assert b"\n" not in seen.line()
    assert _parsed(seen.line()) == seen


def is_current(**changed):
    """Whether a file with this status, compared with one seen long after its last change, needs its hash."""
    status = {"st_mtime_ns": 10, "st_ctime_ns": 10, "st_size": 3, "st_ino": 7, **changed}
    hashes = []

    def sha256():
        hashes.append(1)
        return "same"

    seen = Seen("a", "same", 10, 10, 3, 7, 10 + 2_000_000_000)
    answer = seen.is_current(type("Status", (), status), sha256)
    return answer, len(hashes)


def test_a_status_that_did_not_change_spares_the_reading():
    assert is_current() == (True, 0)


@pytest.mark.parametrize("changed", ["st_mtime_ns", "st_ctime_ns", "st_ino"])
def test_a_status_that_changed_asks_for_the_content(changed):
    assert is_current(**{changed: 11}) == (True, 1)


def test_another_size_is_another_content():
    assert is_current(st_size=4) == (False, 0)


def test_a_large_file_has_nothing_but_its_status(root, use, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_HASHED", 1)
    monkeypatch.setattr("patchkit.tools.reading.content.MOST_HASHED", 1)
    write(root, "a.txt", "a\n")
    assert use("Read", file_path="a.txt", limit=1).data["sha256"] is None
    assert edit(use) == UPDATED
    assert edit(use, "b", "c") == UPDATED

    os.utime(os.path.join(root, "a.txt"))

    assert edit(use, "c", "d") == STALE


def test_the_state_of_a_root_that_is_gone_does_no_harm(root, use):
    write(root, "a.txt", "a\n")
    use("Read", file_path="a.txt")
    shutil.rmtree(os.path.join(os.environ["XDG_STATE_HOME"]))

    assert edit(use) == UNREAD


def test_a_commit_succeeds_though_recording_it_for_a_session_fails(root, monkeypatch):
    """As where no further file can be opened: by then the files are changed."""
    with open(f"{root}/a.txt", "w") as file:
        file.write("one\n")

    def cannot_be_loaded(*_: object) -> None:
        raise ImportError("patchkit.history.sessions")

    monkeypatch.setattr("patchkit.history.sessions.after_commit", cannot_be_loaded)
    with tracked_workspace(root) as files:
        files.tracked = True
        apply("*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n", files, Options())

    with open(f"{root}/a.txt") as file:
        assert file.read() == "two\n"
