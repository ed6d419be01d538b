"""Large outputs in our state: kept, announced, opened for reading only, and within bounds."""

from __future__ import annotations

import os
import stat

import pytest

from patchkit.core.workspace import state_directory
from patchkit.core.workspace.root import Workspace
from patchkit.history import outputs


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "project").mkdir()
    with Workspace(tmp_path / "project") as workspace:
        yield workspace


@pytest.fixture
def fallback(tmp_path, monkeypatch):
    """A workspace without a state directory outside of it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "project" / "state"))
    (tmp_path / "project").mkdir()
    with Workspace(tmp_path / "project") as workspace:
        yield workspace


def kept(files: Workspace, call_id: str, content: bytes = b"text\n") -> str:
    found = outputs.keep(files, call_id)
    os.write(found.fd, content)
    os.close(found.fd)
    return found.path


def content(files: Workspace, path: str) -> bytes:
    with outputs.opened(files, path) as opened:
        return os.read(opened.fd, 1000)


def test_an_output_is_kept_in_the_state_of_the_root_for_this_user_only(files):
    path = kept(files, "call_7")

    assert path == f"{state_directory(files.real)}/large_tool_results/call_7"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_what_was_kept_is_announced_and_can_be_read(files):
    path = kept(files, "call_7", b"all of it\n")

    assert outputs.announced(files, path) == path
    assert content(files, path) == b"all of it\n"


def test_the_directory_of_all_outputs_is_announced_too(files):
    directory = os.path.dirname(kept(files, "call_7"))

    assert outputs.announced(files, directory) == outputs.announced(files, directory + "/") == directory
    assert outputs.opened(files, directory) is None


def test_an_agent_may_use_the_announced_name(files):
    path = kept(files, "call_7", b"all of it\n")

    assert outputs.announced(files, "/large_tool_results/call_7") == path
    assert outputs.announced(files, "/large_tool_results") == os.path.dirname(path)
    assert content(files, "/large_tool_results/./call_7") == b"all of it\n"


@pytest.mark.parametrize(
    "path",
    ["call_7", "large_tool_results/call_7", "/etc/passwd", "/large_tool_results/../../etc/passwd", "/", "", "/\0"],
)
def test_nothing_else_is(files, path):
    kept(files, "call_7")

    assert (outputs.announced(files, path), outputs.opened(files, path)) == (None, None)


def test_outputs_of_another_workspace_are_not(files, tmp_path):
    (tmp_path / "other").mkdir()
    with Workspace(tmp_path / "other") as other:
        path = kept(other, "call_7")

    assert outputs.announced(files, path) is None


def test_a_link_among_the_outputs_leads_nowhere(files):
    directory = os.path.dirname(kept(files, "call_7"))
    os.symlink("/etc/passwd", f"{directory}/link")
    os.mkfifo(f"{directory}/fifo")

    assert [outputs.announced(files, f"{directory}/{name}") for name in ("link", "fifo", "gone")] == [None] * 3


def test_the_same_id_again_keeps_both(files):
    paths = [kept(files, "call_7", str(number).encode()) for number in range(3)]

    assert [os.path.basename(path) for path in paths] == ["call_7", "call_7-2", "call_7-3"]
    assert [content(files, path) for path in paths] == [b"0", b"1", b"2"]


@pytest.mark.parametrize(
    ("call_id", "name"),
    [("a/b c", "a_b_c"), ("../../x", "_.._x"), (".hidden", "hidden"), ("é\n", "__"), ("x" * 300, "x" * 100)],
)
def test_an_id_is_a_plain_file_name(files, call_id, name):
    path = kept(files, call_id)

    assert os.path.basename(path) == name
    assert content(files, path) == b"text\n"


def test_an_id_without_a_plain_character_gets_a_name_of_ours(files):
    assert os.path.basename(kept(files, "")).startswith("call_")


def test_without_a_state_directory_outputs_stay_in_the_root_ignored_by_version_control(fallback, tmp_path):
    path = kept(fallback, "call_7", b"all of it\n")

    assert path == f"{fallback.real}/.patchkit/large_tool_results/call_7"
    assert (tmp_path / "project" / ".patchkit" / ".gitignore").read_text() == "*\n"
    assert content(fallback, path) == b"all of it\n"


def test_a_link_in_place_of_our_directory_is_not_followed(fallback, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "project" / ".patchkit").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="no place to keep it"):
        outputs.keep(fallback, "call_7")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_oldest_outputs_go_when_there_are_too_many(files, monkeypatch):
    monkeypatch.setattr(outputs, "_MOST_FILES", 3)
    paths = [kept(files, f"call_{number}") for number in range(3)]
    for age, path in enumerate(reversed(paths)):
        os.utime(path, (10_000_000_000 - age,) * 2)
    kept(files, "call_3")

    assert sorted(os.listdir(os.path.dirname(paths[0]))) == ["call_1", "call_2", "call_3"]


def test_the_oldest_outputs_go_when_they_are_too_large_together(files, monkeypatch):
    monkeypatch.setattr(outputs, "_MOST_BYTES", 100)
    paths = [kept(files, f"call_{number}", b"x" * 60) for number in range(2)]
    os.utime(paths[1], (10_000_000_000,) * 2)
    kept(files, "call_2")

    assert sorted(os.listdir(os.path.dirname(paths[0]))) == ["call_1", "call_2"]


def test_outputs_of_other_workspaces_go_after_a_month(files, tmp_path):
    (tmp_path / "other").mkdir()
    with Workspace(tmp_path / "other") as other:
        old, new = kept(other, "old"), kept(other, "new")
    os.utime(old, (1, 1))
    kept(files, "call_7")

    assert (os.path.exists(old), os.path.exists(new)) == (False, True)
