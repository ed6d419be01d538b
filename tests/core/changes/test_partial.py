"""What fits of a patch is applied, and the rest comes back as a patch."""

from __future__ import annotations

import pytest

import patchkit
from patchkit.tools.calling import Caller, call

FILES = {"f.txt": b"one\ntwo\nthree\nfour\nfive\nsix\n", "g.txt": b"x\n", "m.txt": b"a\nb\n"}
PATCH = """\
*** Begin Patch
*** Update File: f.txt
@@
-two
+TWO
@@
-nowhere
+x
@@
-six
+SIX
*** Update File: g.txt
@@
-x
+y
*** Add File: h.txt
+h
*** Update File: m.txt
*** Move to: n.txt
@@
-lost
+found
*** Update File: n.txt
@@
-b
+c
*** End Patch
"""


def test_files_whose_hunks_all_fit_are_applied_and_the_others_come_back():
    files = dict(FILES)
    done = patchkit.apply(PATCH, files, partial="files")

    assert files == {**FILES, "g.txt": b"y\n", "h.txt": b"h\n"}
    assert [section.path for section in patchkit.parse(done.rest).sections] == ["f.txt", "m.txt", "n.txt"]
    assert [(error.code, error.file, error.hunk) for error in done.errors] == [
        ("P201", "f.txt", 2),
        ("P201", "m.txt", 1),
    ]


def test_hunks_that_fit_are_applied_and_the_rest_applies_once_its_problem_is_solved():
    files = dict(FILES)
    done = patchkit.apply(PATCH, files, partial="hunks")

    assert files["f.txt"] == b"one\nTWO\nthree\nfour\nfive\nSIX\n"
    files["f.txt"] += b"nowhere\n"
    files["m.txt"] += b"lost\n"
    patchkit.apply(done.rest, files)
    assert files == {
        "f.txt": b"one\nTWO\nthree\nfour\nfive\nSIX\nx\n",
        "g.txt": b"y\n",
        "h.txt": b"h\n",
        "n.txt": b"a\nc\nfound\n",
    }


def test_a_patch_of_which_nothing_fits_is_refused():
    patch = "*** Begin Patch\n*** Update File: f.txt\n-nowhere\n+x\n*** End Patch\n"
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.apply(patch, dict(FILES), partial="hunks")

    assert raised.value.code == "P201"


def test_a_patch_that_fits_whole_leaves_nothing():
    patch = "*** Begin Patch\n*** Update File: g.txt\n-x\n+y\n*** End Patch\n"
    done = patchkit.apply(patch, dict(FILES), partial="hunks")

    assert (done.rest, done.errors) == ("", [])


def test_one_run_is_one_undo_and_the_tool_says_partial(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "tree"
    root.mkdir()
    for name, data in FILES.items():
        (root / name).write_bytes(data)
    result = call("apply_patch", {"input": PATCH, "partial": "hunks"}, Caller(str(root)))

    assert result.status == "partial"
    assert result.data["rest"].startswith(
        "*** Begin Patch\n*** Update File: f.txt\n@@\n-nowhere\n+x\n*** Update File: m.txt"
    )
    assert [hunk["status"] for hunk in result.data["left"][0]["hunks"]] == ["applied", "not_found", "applied"]
    assert [error["code"] for error in result.errors] == ["P201", "P201"]
    patchkit.undo(root)
    assert {path.name: path.read_bytes() for path in root.iterdir()} == FILES


def test_partial_does_not_go_with_a_dialect_that_commits_one_by_one():
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.apply(PATCH, dict(FILES), partial="files", dialect="codex")

    assert raised.value.code == "P601"
