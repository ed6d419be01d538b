"""Where the trees of these tests are: on a file system in memory where there is one, for thousands of runs."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager

import pytest
from fault_injection import import_everything


@pytest.fixture
def place(tmp_path):
    """A directory of the test's own, open to every user, because some runs are those of another user."""
    with _place(str(tmp_path)) as made:
        yield made


@pytest.fixture(scope="module")
def wide_place(tmp_path_factory):
    """A directory for all tests of a module."""
    with _place(str(tmp_path_factory.mktemp("place"))) as made:
        yield made


@contextmanager
def _place(otherwise):
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else otherwise
    made = os.path.realpath(tempfile.mkdtemp(prefix="tests-", dir=memory))
    os.chmod(made, 0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", os.path.join(made, "state"))
        yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="session")
def everything_is_imported(tmp_path_factory):
    import_everything(str(tmp_path_factory.mktemp("first")))


@pytest.fixture(autouse=True)
def _a_usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)
