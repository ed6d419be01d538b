"""A path that leads nowhere, and the file that may have been meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import patchkit
from patchkit import PatchkitError
from patchkit.applying import apply
from patchkit.core.changes import Options
from patchkit.core.workspace.root import Workspace
from patchkit.repair.names import keystrokes, known_names, names_like, nearest_names
from patchkit.sources import MemoryFiles

NAMES = ["README.md", "src/app.py", "src/models/user.py", "src/models/order.py", "tests/test_user.py", "lib/user.py"]


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("readme.md", ["README.md"]),  # but for case
        ("app.py", ["src/app.py"]),  # in another directory
        ("./src//App.py", ["src/app.py"]),
        ("models/user.py", ["src/models/user.py"]),  # the one that shares most directories
        ("user.py", ["src/models/user.py", "lib/user.py"]),
        ("src/models/usr.py", ["src/models/user.py"]),  # a key too few
        ("src/models/ordre.py", ["src/models/order.py"]),  # two keys swapped
        ("tests/test_usres.py", ["tests/test_user.py"]),  # two slips in a long name
        ("src/models/account.py", []),
        ("x.py", []),
        ("", []),
    ],
)
def test_the_names_that_come_near_are_these(path, near):
    assert names_like(path, NAMES) == near


def test_another_digit_is_another_file():
    assert names_like("chapter1.txt", ["chapter2.txt"]) == []


def test_a_short_name_leaves_no_room_for_slips():
    assert names_like("b.txt", ["a.txt"]) == []


def test_three_names_are_enough():
    assert names_like("a.py", [f"d{n}/a.py" for n in range(9)]) == ["d0/a.py", "d1/a.py", "d2/a.py"]


FEW = st.text("abc", max_size=5)


@given(FEW, FEW)
@examples(300)
def test_keystrokes_count_the_same_both_ways_and_none_only_for_equals(one, other):
    assert keystrokes(one, other) == keystrokes(other, one)
    assert (keystrokes(one, other) == 0) == (one == other)
    assert abs(len(one) - len(other)) <= keystrokes(one, other) <= max(len(one), len(other))


# -- as a tool names it ------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path):
    for name in ("a.txt", "src/app.py", "src/deep/other.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return str(tmp_path)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("src/ap.py", ["src/app.py"]),
        ("scr/app.py", ["src/app.py"]),
        ("SRC/App.py", ["src/app.py"]),
        ("SRC/Deep/othr.py", ["src/deep/other.py"]),
        ("app.py", ["src/app.py"]),
        ("lib/other.py", ["src/deep/other.py"]),
        ("src/application.py", ["src/app.py"]),
        ("a.text", ["a.txt"]),
        ("scr", ["src"]),
        ("src/dep", ["src/deep"]),
        ("'src/app.py'", ["src/app.py"]),
        ("/testbed/src/app.py", ["src/app.py"]),
        ("zzz", []),
        ("../../a.txt", ["a.txt"]),
        ("x/" * 200 + "zzz", []),
        ("{root}/src/ap.py", ["{root}/src/app.py"]),
    ],
)
def test_a_tool_names_the_files_and_directories_that_a_wrong_path_may_mean(root, path, names):
    with Workspace(root) as files:
        assert nearest_names(files, path.format(root=root)) == [name.format(root=root) for name in names]


def test_a_guess_is_spelled_from_where_relative_paths_start(root):
    with Workspace(root, f"{root}/src/deep") as files:
        assert nearest_names(files, "app.py") == ["../app.py"]
        assert nearest_names(files, f"{root}/src/ap.py") == [f"{root}/src/app.py"]


# -- as a refusal says it -----------------------------------------------------------------------


def hint(path: str, files: object, patch: str = "*** Update File: {path}\n@@\n-x\n+y\n", **options: object) -> str:
    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(f"*** Begin Patch\n{patch.format(path=path)}*** End Patch\n", files, **options)
    assert refusal.value.code == "P302"
    return refusal.value.hint


def test_a_refusal_names_the_file_that_may_be_meant():
    assert hint("app.py", {"src/app.py": b"x\n"}) == "check the path (perhaps 'src/app.py'); nothing was written"


def test_a_refusal_says_when_the_patch_itself_took_the_file_away():
    patch = "*** Delete File: a\n*** Update File: {path}\n@@\n-x\n+y\n"

    assert hint("a", {"a": b"x\n"}, patch) == (
        "check the path (another section deletes or moves the file); nothing was written"
    )


def test_a_refusal_says_where_a_link_leads_to_nothing(tmp_path):
    (tmp_path / "link").symlink_to("gone")

    assert hint("link", tmp_path) == (
        "check the path (it is a link to 'gone', and nothing is there); nothing was written"
    )


def test_the_files_of_a_workspace_are_named_from_where_paths_start(tmp_path):
    (tmp_path / "services" / "api" / "src").mkdir(parents=True)
    (tmp_path / "services" / "api" / "src" / "app.py").write_text("x\n")
    (tmp_path / "setup.py").write_text("x\n")

    assert hint("app.py", tmp_path, start=tmp_path / "services") == (
        "check the path (perhaps 'api/src/app.py'); nothing was written"
    )
    assert hint("setup.py", tmp_path, start=tmp_path / "services" / "api") == (
        "check the path (perhaps '../../setup.py'); nothing was written"
    )


def test_names_are_not_looked_for_in_hidden_directories_or_behind_links(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "app.py").write_text("x\n")
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "app.py").write_text("x\n")
    (root / "linked").symlink_to(outside)

    assert hint("app.py", root) == "check the path; nothing was written"


def test_the_look_at_a_large_tree_is_bounded(tmp_path):
    for number in range(30):
        (tmp_path / f"d{number}").mkdir()
        (tmp_path / f"d{number}" / "file.txt").touch()

    with Workspace(str(tmp_path)) as files:
        assert len(known_names(files, 1000)) == 30
        assert len(known_names(files, 40)) == 10  # of forty names thirty are directories


def test_a_directory_that_cannot_be_listed_is_passed_over(tmp_path, monkeypatch):
    import os

    monkeypatch.setattr(os, "scandir", lambda _: (_ for _ in ()).throw(PermissionError(13, "denied")))

    assert hint("app.py", tmp_path) == "check the path; nothing was written"


SWAP = """\
diff --git a/a b/b
rename from a
rename to b
--- a/a
+++ b/b
@@ -1,3 +1,3 @@
 one
-two
+2
 three
diff --git a/b b/a
rename from b
rename to a
"""


def faults(text: str, files: dict[str, bytes]) -> list[tuple[str, str | None]]:
    with pytest.raises(PatchkitError) as caught:
        apply(text, MemoryFiles(files), Options(source="unified"))
    return [(each.code, each.file) for each in caught.value.errors]


def test_a_refused_step_of_a_circle_is_one_fault_and_names_no_file_that_the_diff_does_not_name():
    assert faults(SWAP, {"a": b"other\nwords\nhere\n", "b": b"b\n"}) == [("P201", "a")]
    assert faults(SWAP, {"b": b"b\n"}) == [("P302", "a")]


def test_a_file_that_is_missing_for_itself_is_a_fault_of_its_own():
    assert faults(SWAP, {}) == [("P302", "a"), ("P302", "b")]
