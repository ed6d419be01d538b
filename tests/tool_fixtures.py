"""Calls of tools in a workspace of the test's own, on the one road that all doors share."""

from __future__ import annotations

import pytest

from patchkit.tools.calling import Caller, call


@pytest.fixture(autouse=True)
def _no_session_from_outside(monkeypatch):
    for name in ("PATCHKIT_SESSION", "PATCHKIT_NO_HISTORY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    return path


@pytest.fixture
def use(root):
    """Calls a tool in the workspace."""

    def use_tool(name, **arguments):
        return call(name, arguments, Caller(str(root)))

    return use_tool


@pytest.fixture
def file(root, use):
    """Makes a file that the session has read, and gives its path; with `read=False` one that nobody looked at."""

    def make_file(name, content, read=True):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if read:
            assert use("Read", file_path=str(path), limit=1).status != "error"
        return str(path)

    return make_file
