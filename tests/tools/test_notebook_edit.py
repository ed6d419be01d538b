"""Notebooks by their cells: NotebookEdit, and the tools for text on what Read shows."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from patchkit.applying import apply
from patchkit.core.changes import Options
from patchkit.sources import MemoryFiles

CELLS: list[dict[str, Any]] = [
    {"cell_type": "markdown", "id": "aa", "metadata": {}, "source": ["# Title\n", "text"]},
    {
        "cell_type": "code",
        "execution_count": 3,
        "id": "bb",
        "metadata": {},
        "outputs": [{"name": "stdout", "output_type": "stream", "text": ["hi\n"]}],
        "source": ["x = 1\n", 'print("hi")\n', "y = 2"],
    },
]
TEXT = json.dumps({"cells": CELLS, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def codes(result):
    return [each["code"] for each in [*result.errors, *result.notes]]


@pytest.fixture
def path(file):
    return file("n.ipynb", TEXT)


def cells(path):
    return json.loads(Path(path).read_text())["cells"]


def sources(path):
    return ["".join(cell["source"]) for cell in cells(path)]


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({"cell_id": "bb", "new_source": "a\nb"}, ["# Title\ntext", "a\nb"]),
        ({"cell_number": 1, "new_source": "a"}, ["a", 'x = 1\nprint("hi")\ny = 2']),
        ({"edit_mode": "delete", "cell_number": 2}, ["# Title\ntext"]),
        (
            {"edit_mode": "insert", "cell_type": "code", "cell_id": "aa", "new_source": "n"},
            ["# Title\ntext", "n", 'x = 1\nprint("hi")\ny = 2'],
        ),
        (
            {"edit_mode": "insert", "cell_type": "markdown", "new_source": "n"},
            ["n", "# Title\ntext", 'x = 1\nprint("hi")\ny = 2'],
        ),
    ],
)
def test_a_cell_is_replaced_inserted_or_deleted(path, use, fields, wanted):
    done = use("NotebookEdit", notebook_path=path, **fields)

    assert (done.status, sources(path)) == ("success", wanted)
    assert [cell["outputs"] for cell in cells(path) if cell.get("id") == "bb"] in ([], [CELLS[1]["outputs"]])
    assert Path(path).read_text().endswith(TEXT[-60:])


def test_outputs_go_only_where_that_is_asked_for(path, use):
    use("NotebookEdit", notebook_path=path, cell_number=2, new_source="a", clear_outputs=True)

    assert (cells(path)[1]["outputs"], cells(path)[1]["execution_count"]) == ([], None)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"cell_id": "zz", "new_source": "a"}, "P603"),
        ({"cell_number": 3, "new_source": "a"}, "P603"),
        ({"cell_id": "aa", "cell_number": 2, "new_source": "a"}, "P604"),
        ({"new_source": "a"}, "P606"),
        ({"cell_number": 1}, "P606"),
        ({"edit_mode": "insert", "new_source": "a"}, "P606"),
        ({"cell_number": 1, "new_source": "# ... existing code ..."}, "P626"),
        ({"cell_number": 1, "new_source": "\ud800"}, "P624"),
    ],
)
def test_a_call_that_does_not_say_which_cell_or_what_is_refused(path, use, fields, code):
    assert codes(use("NotebookEdit", notebook_path=path, **fields)) == [code]
    assert Path(path).read_text() == TEXT


def test_a_notebook_must_be_one_and_must_have_been_read(file, use):
    assert codes(use("NotebookEdit", notebook_path=file("a.ipynb", "{}"), cell_number=1, new_source="")) == ["P603"]
    unread = file("b.ipynb", TEXT, read=False)
    assert codes(use("NotebookEdit", notebook_path=unread, cell_number=1, new_source="")) == ["P611"]


PATCH = "*** Begin Patch\n*** Update File: n.ipynb\n@@\n x = 1\n-{}\n+print('ho')\n y = 2\n+z = 3\n*** End Patch\n"


@pytest.mark.parametrize(
    ("tool", "fields"),
    [
        ("Edit", {"old_string": 'print("hi")\ny = 2', "new_string": "print('ho')\ny = 2\nz = 3"}),
        (
            "MultiEdit",
            {
                "edits": [
                    {"old_string": 'print("hi")', "new_string": "print('ho')"},
                    {"old_string": "y = 2", "new_string": "y = 2\nz = 3"},
                ]
            },
        ),
        ("apply_patch", {"input": PATCH.format('print("hi")')}),
    ],
)
def test_text_of_a_cell_is_changed_as_read_shows_it(path, use, tool, fields):
    given = fields if tool == "apply_patch" else {"file_path": path, **fields}
    done = use(tool, **given)

    assert done.status == "success", done.text
    assert sources(path)[1] == "x = 1\nprint('ho')\ny = 2\nz = 3"
    before = TEXT.replace('    "print(\\"hi\\")\\n",\n    "y = 2"', "@")
    after = Path(path).read_text().replace('    "print(\'ho\')\\n",\n    "y = 2\\n",\n    "z = 3"', "@")
    assert after == before
    assert {note["variant"] for note in done.notes} == {"cells"}


@pytest.mark.parametrize(
    ("tool", "fields"),
    [
        ("Edit", {"old_string": '"id": "bb",', "new_string": '"id": "bb"'}),
        ("MultiEdit", {"edits": [{"old_string": '"nbformat": 4,', "new_string": '"nbformat": 4'}]}),
        ("Write", {"content": '{"cells": ['}),
        (
            "apply_patch",
            {"input": '*** Begin Patch\n*** Update File: n.ipynb\n@@\n-   "id": "bb",\n+   "id":\n*** End Patch\n'},
        ),
    ],
)
def test_a_change_of_the_text_that_breaks_the_notebook_is_refused(path, use, tool, fields):
    refused = use(tool, **(fields if tool == "apply_patch" else {"file_path": path, **fields}))

    assert (codes(refused), Path(path).read_text()) == (["P627"], TEXT)


def test_a_change_of_the_text_that_keeps_the_notebook_whole_is_made(path, use):
    assert use("Edit", file_path=path, old_string='"id": "bb",', new_string='"id": "cc",').status == "success"
    assert cells(path)[1]["id"] == "cc"


def test_a_correction_is_text_of_a_cell(path, use):
    edit = use("Edit", file_path=path, old_string='print("hx")\ny = 2', new_string="y = 3")
    patch = use("apply_patch", input=PATCH.format('print("hx")'))

    assert (codes(edit), codes(patch)) == (["P621"], ["P201"])
    assert 'corrected old_string:\nprint("hi")\ny = 2\n' in edit.text
    assert use("apply_patch", input=patch.data["suggestion"]).status == "success"
    assert sources(path)[1] == "x = 1\nprint('ho')\ny = 2\nz = 3"


def test_a_change_across_cells_is_refused(path, use):
    refused = use("Edit", file_path=path, old_string="text\n\n[cell 2: code, run 3]\nx = 1", new_string="y")

    assert (codes(refused), Path(path).read_text()) == (["P627"], TEXT)


# -- how the file is written -------------------------------------------------------------------------

KEPT = {"CRLF": (b"\r\n", b""), "a byte order mark": (b"\n", b"\xef\xbb\xbf")}
PRINTED = [*CELLS[:1], {**CELLS[1], "source": ["x = 1\n", "print('\\n')\n", "y = 2"]}]
INSERTED = {
    "cell_type": "code",
    "execution_count": None,
    "id": "",
    "metadata": {},
    "outputs": [],
    "source": ["n\n", "m"],
}
EDIT = {"old_string": 'print("hi")', "new_string": "print('\\n')"}
CHANGES: dict[str, tuple[dict[str, Any], list[dict[str, Any]] | None]] = {
    "Edit": (EDIT, PRINTED),
    "MultiEdit": ({"edits": [EDIT]}, PRINTED),
    "apply_patch": ({"input": PATCH.format('print("hi")').replace("+print('ho')", "+print('\\n')")}, None),
    "NotebookEdit": ({"edit_mode": "insert", "cell_type": "code", "new_source": "n\nm"}, [INSERTED, *CELLS]),
}


def test_line_ends_and_the_mark_of_a_notebook_stay_and_a_backslash_is_that_of_the_cell(path, use):
    wrong = []
    for (about, (ending, mark)), (tool, (fields, wanted)) in product(KEPT.items(), CHANGES.items()):
        Path(path).write_bytes(mark + TEXT.encode().replace(b"\n", ending))
        use("Read", file_path=path)
        done = use(tool, **(fields if tool == "apply_patch" else {"file_path": path, **fields}))
        after = Path(path).read_bytes()
        value = json.loads(after)
        if wanted is not None:
            value["cells"][0]["id"] = "" if tool == "NotebookEdit" else "aa"
        written = (json.dumps(json.loads(after), indent=1) + "\n").encode().replace(b"\n", ending)
        if done.status != "success" or after != mark + written or value["cells"] != (wanted or value["cells"]):
            wrong.append((about, tool, done.text, after))

    assert wrong == []


def test_what_breaks_a_notebook_with_a_mark_is_refused(path, use):
    Path(path).write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    use("Read", file_path=path)

    assert codes(use("Edit", file_path=path, old_string='"id": "bb",', new_string='"id": "bb"')) == ["P627"]
    assert codes(use("Write", file_path=path, content="{}")) == ["P627"]


def test_a_json_edit_is_made_in_the_cells_as_edit_makes_it():
    files = MemoryFiles({"n.ipynb": TEXT.encode()})
    done = apply(json.dumps({"path": "n.ipynb", **EDIT}), files, Options(source="auto"))

    assert json.loads(files.content["n.ipynb"])["cells"] == PRINTED
    assert [note.facts["tolerance"] for note in done.notes if note.code == "P921"] == ["cells"]
