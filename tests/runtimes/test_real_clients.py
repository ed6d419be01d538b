"""The hook and the server inside the clients themselves, as `python -m benchmarks.clients` runs them.

Optional: PATCHKIT_TEST_CLIENTS names a directory where clients were installed by npm.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks.clients.__main__ import CLIENTS, RECORD, tried

PROGRAMS = Path(os.environ.get("PATCHKIT_TEST_CLIENTS", "/none"), "node_modules/.bin").absolute()


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.program)
def test_a_client_does_what_is_recorded(client):
    if not (PROGRAMS / client.program).exists():
        pytest.skip(f"PATCHKIT_TEST_CLIENTS does not name a directory with {client.program}")
    found, recorded = tried(client, PROGRAMS), json.loads(RECORD.read_text())[client.title]

    assert (found["hook"], found["mcp"]) == (recorded["hook"], recorded["mcp"])
