"""What the tests of the shell package share."""

from __future__ import annotations

import pytest
from real_shells import Recorder


@pytest.fixture(scope="session")
def recorder(tmp_path_factory):
    return Recorder(tmp_path_factory.mktemp("shells"))
