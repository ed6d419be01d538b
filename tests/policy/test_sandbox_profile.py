"""What a sandboxed command may use besides the files of its root."""

from __future__ import annotations

import os

from patchkit.sandbox.profile import RealPaths


def test_real_paths_that_share_directories_are_those_of_the_system(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "a/up").symlink_to("..")
    found = RealPaths()
    paths = [f"{tmp_path}/{each}" for each in ("a/b", "link/b", "a/up/link/up/a/b", "link/../a", "none/b", "a/", ".")]

    assert [found.of(path) for path in paths] == [os.path.realpath(path) for path in paths]
    assert found.of("/") == "/"
