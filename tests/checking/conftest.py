"""The golden runs, made once for all tests of a process."""

from __future__ import annotations

import pytest
from golden_runs import RUNS, build, formats_of


@pytest.fixture(scope="session")
def formats(tmp_path_factory):
    """Every output format of every golden run, by the name of the run."""
    tree = tmp_path_factory.mktemp("golden") / "project"
    build(tree)
    return {run: formats_of(run, tree, tmp_path_factory.mktemp("out")) for run in RUNS}
