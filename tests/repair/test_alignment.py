"""How the lines of a refused hunk lie on the file."""

from __future__ import annotations

from patchkit.core.matching import WorkBudget
from patchkit.core.matching.passes import PASSES, Views
from patchkit.repair.alignment import align, likeness

FILE = """def load(path):
    with open(path) as file:
        text = file.read()
    return parse(text)


def store(path, data):
    text = render(data)
    with open(path, "w") as file:
        file.write(text)
    return len(text)
""".split("\n")[:-1]


def rows(
    old: list[str], pivots: list[int], texts: list[str] = FILE, below: frozenset[int] = frozenset()
) -> list[int] | None:
    """The file's line for each old one, from 0; None where no reading is the best."""
    found = align(old, pivots, Views(texts).by(PASSES[-1]), WorkBudget(), 0, len(texts), below)
    return None if found is None else found.rows


def test_lines_that_are_there_lie_on_themselves():
    assert rows(["def store(path, data):", "    text = render(data)"], [1]) == [6, 7]


def test_lines_of_the_file_may_be_left_out():
    assert rows(["def store(path, data):", "        file.write(text)"], [1]) == [6, 9]


def test_a_line_with_a_slip_lies_on_the_line_that_is_like_it():
    assert rows(["    text = render(date)", '    with open(path, "w") as file:'], [0]) == [7, 8]


def test_a_line_that_the_file_lacks_lies_nowhere():
    assert rows(["def load(path):", "    check_permissions(path)", "    with open(path) as file:"], [2]) == [0, -1, 1]


def test_lines_in_another_order_lie_on_what_is_in_order():
    found = rows(["    return parse(text)", "        text = file.read()"], [0])

    assert found in ([3, -1], None)


def test_a_line_below_added_ones_may_be_like_two_where_the_line_above_is_there():
    head, end = ["def draw(self):", "    self.restore(region)"], ["    canvas.update(region)"]
    texts = [*head, "    self.paint(self.left)", "    self.paint(self.lift)", *end]
    old = [*head, "    self.paint(self.loft)", "    handles.show()", *end]

    assert rows(old, [1, 2], texts) is None
    assert rows(old, [1, 2], texts, below=frozenset({2})) in ([0, 1, 2, -1, 4], [0, 1, 3, -1, 4])
    assert rows([head[0], "    restore(a)", *old[2:]], [1, 2], texts, below=frozenset({2})) is None


def test_two_places_that_are_equally_good_are_none():
    assert rows(["    return value"], [0], ["def f():", "    return value", "def g():", "    return value"]) is None


def test_a_second_place_far_away_is_no_rival_where_the_context_shows_the_first():
    texts = ["def first():", "    return value", *["    pass"] * 200, "def second():", "    return value"]

    assert rows(["def first():", "    return value"], [1], texts) == [0, 1]


def test_nothing_of_the_hunk_in_the_file_is_no_reading():
    assert rows(["completely", "different", "words"], [0]) is None


def test_likeness_is_one_for_equal_lines_and_nothing_for_strangers():
    assert (likeness("return value", "return value"), likeness("return value", "import os")) == (1.0, 0.0)
    assert 0.6 < likeness("return value + 1", "return values + 1") < 1


def test_a_reading_that_the_budget_does_not_reach_for_is_none():
    """Thousands of pairs of lines are work, also where no two of them are compared letter by letter."""
    texts = [f"value_{number} = {number}" for number in range(300)]
    old = [text.replace("value", "volume") if at % 3 else text for at, text in enumerate(texts)]
    view = Views(texts).by(PASSES[-1])
    budget = WorkBudget(100_000_000)

    assert align(old, [0], view, budget, 0, len(texts)) is None
    assert budget.left < 0
