"""docs/maintainers/seed-rows.md: every row of the first specification names a module and tests that exist."""

from __future__ import annotations

import re

from doc_examples import REPOSITORY, Page

ROWS = Page("maintainers/seed-rows.md").rows("Where each specified behaviour is kept")
COUNTS = {"S0": 32, "S1": 14, "S2": 22, "S3": 10, "S4": 6}


def test_every_row_is_there_in_order():
    assert [row[0] for row in ROWS] == [
        f"{name}.{number}" for name, count in COUNTS.items() for number in range(1, count + 1)
    ]


def test_every_row_names_modules_that_exist():
    places = [place for row in ROWS for place in re.findall(r"`([^`]+)`", row[2])]

    assert [place for place in places if not (REPOSITORY / "patchkit" / place).exists()] == []
    assert [row[0] for row in ROWS if "`" not in row[2]] == []


def test_every_row_names_tests_that_exist():
    missing = []
    for row in ROWS:
        shown_by = re.findall(r"`([^`]+)`", row[3])
        home = ""
        for test in shown_by:
            path, _, name = test.partition("::")
            home = path or home  # one in the same file is named without it
            file = REPOSITORY / home
            if not file.exists() or f"\ndef {name}(" not in file.read_text(encoding="utf-8"):
                missing.append((row[0], test))
        missing += [] if shown_by else [(row[0], "")]

    assert missing == []
