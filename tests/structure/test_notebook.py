"""Notebooks: cells as they are read, and the text they are kept in with nothing changed but what was asked for."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.structure.notebook import Notebook, breaks_notebook

TEXTS = st.text('ab"\\\n\té\u2028 ', max_size=8)


@st.composite
def cells(draw):
    kind = draw(st.sampled_from(["code", "markdown", "raw"]))
    source = draw(TEXTS)
    cell = {"cell_type": kind, "metadata": draw(st.sampled_from([{}, {"tags": ["x"]}]))}
    if draw(st.booleans()):
        cell["id"] = draw(st.sampled_from("pqr"))
    if kind == "code":
        cell.update(execution_count=draw(st.sampled_from([None, 3])), outputs=[{"text": ["o\n"]}])
    cell["source"] = source if draw(st.booleans()) else source.splitlines(keepends=True)
    keys = draw(st.permutations(list(cell)))
    return {key: cell[key] for key in keys}


@st.composite
def notebooks(draw):
    value = {"cells": draw(st.lists(cells(), max_size=4)), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    written = json.dumps(value, indent=draw(st.sampled_from([None, 1, 2, "\t"])), ensure_ascii=draw(st.booleans()))
    return written + draw(st.sampled_from(["", "\n"]))


def value_of(notebook):
    return json.loads(notebook.text)


def source_of(cell):
    return "".join(cell["source"])


@examples(300)
@given(notebooks(), st.data())
def test_a_change_of_a_cell_changes_nothing_else(text, data):
    before = Notebook.of(text.encode())
    wanted = json.loads(text)
    source = data.draw(TEXTS)
    if wanted["cells"] and data.draw(st.booleans()):
        number = data.draw(st.integers(0, len(wanted["cells"]) - 1))
        made = before.with_cell(number, source)
        assert source_of(value_of(made)["cells"][number]) == source
        for cell in (wanted["cells"][number], after := value_of(made)["cells"][number]):
            assert list(cell) == list(wanted["cells"][number])
        wanted["cells"][number]["source"] = after["source"]
    elif wanted["cells"] and data.draw(st.booleans()):
        number = data.draw(st.integers(0, len(wanted["cells"]) - 1))
        made = before.without_cell(number)
        del wanted["cells"][number]
    else:
        number = data.draw(st.integers(-1, len(wanted["cells"]) - 1))
        made = before.with_new_cell(number, source, "code")
        new = value_of(made)["cells"][number + 1]
        assert (new["cell_type"], source_of(new), new["outputs"], new["metadata"]) == ("code", source, [], {})
        wanted["cells"].insert(number + 1, new)
    assert value_of(made) == wanted
    rest = text[text.rindex("metadata") - 30 :] if not wanted["cells"] else text[text.rindex('"nbformat":') :]
    assert made.text.endswith(rest[-20:])


@examples(200)
@given(notebooks(), st.data())
def test_a_change_of_the_view_is_one_of_the_source(text, data):
    notebook = Notebook.of(text.encode())
    view = notebook.view()
    for number, (start, stop) in enumerate(view.regions):
        assert view.data[start:stop].decode() == source_of(notebook.cells[number]) + "\n"
    if not view.regions:
        return
    number = data.draw(st.integers(0, len(view.regions) - 1))
    start, stop = view.regions[number]
    made = notebook.with_changes(view, [(start, stop, b"new\nlines\n")])

    assert source_of(made.cells[number]) == "new\nlines"
    assert [each for at, each in enumerate(made.cells) if at != number] == [
        each for at, each in enumerate(notebook.cells) if at != number
    ]
    assert notebook.with_changes(view, [(max(start - 1, 0), stop, b"")]) is None


KEPT = """{
 "nbformat": 4,
 "cells": [
  {"source": ["x\\u00e9 = 1\\n",
      "y"], "metadata": {},   "cell_type": "code", "outputs": [ 1 ]}
 ]
}
"""


def test_the_layout_of_the_text_and_the_spelling_of_lines_stay():
    made = Notebook.of(KEPT.encode()).with_cell(0, "x\u00e9 = 1\nz")

    assert made.text == KEPT.replace('"y"', '"z"')


def test_another_kind_takes_away_what_it_does_not_have_and_adds_what_it_needs():
    notebook = Notebook.of(KEPT.encode())

    as_text = notebook.with_cell(0, "t", "markdown")
    as_code = as_text.with_cell(0, "c", "code")

    assert as_text.cells == [{"source": ["t"], "metadata": {}, "cell_type": "markdown"}]
    assert as_code.cells == [
        {"source": ["c"], "metadata": {}, "cell_type": "code", "execution_count": None, "outputs": []}
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{", '{"cells": {}}', '{"cells": [{}]}', '{"cells": [{"cell_type": "code", "source": 1}]}'),
        *('{"cells": [{"cell_type": "x", "source": ""}]}', '{"cells": [{"cell_type": "raw", "source": [1]}]}'),
    ],
)
def test_what_is_no_notebook_is_none(text):
    assert Notebook.of(text.encode()) is None
    assert breaks_notebook(KEPT.encode(), text.encode())
    assert not breaks_notebook(text.encode(), text.encode())
