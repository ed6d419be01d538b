"""Edits far down in a file."""

from __future__ import annotations

from pathlib import Path

LINES = "".join(f"{number}\n" for number in range(1, 5001))


def test_the_lines_above_an_edit_are_counted(file, use):
    path = file("a.txt", LINES)

    result = use("Edit", file_path=path, old_string="5000", new_string="five thousand")

    rows = ["  4997→4997", "  4998→4998", "  4999→4999", "  5000→five thousand"]
    assert (result.text.split("\n")[1:], result.data["line"]) == (rows, 5000)
    assert Path(path).read_text() == LINES.replace("5000", "five thousand")
