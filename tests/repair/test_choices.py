"""What would choose between the places of an ambiguous hunk: whatever is offered does, when it is followed."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.changes import Options
from patchkit.core.language import Hunk, Patch, UpdateFile
from patchkit.core.language.parser import parse
from patchkit.core.matching import Match, Miss, WorkBudget
from patchkit.core.matching.locate import locate
from patchkit.core.text import Document
from patchkit.repair.choices import Choice, chooser_of, offer_choices
from patchkit.writer import write

SHAPES = [
    *["class Circle:", "    def area(self):", "        return 0", ""],
    *["class Square:", "    def area(self):", "        return 0"],
]


def document(texts: list[str]) -> Document:
    return Document("".join(text + "\n" for text in texts).encode("utf-8", "surrogateescape"))


def located(document: Document, hunks: list[Hunk], policy: Options) -> list[Match | Miss]:
    results = locate(document, hunks, policy)
    offer_choices(results)
    return results


def miss_of(texts: list[str], *hunks: Hunk, number: int = 0) -> Miss:
    miss = located(document(texts), list(hunks), Options())[number]
    assert isinstance(miss, Miss)
    return miss


def offered(texts: list[str], *hunks: Hunk) -> list[tuple[int, str, list[str], str]]:
    choices = miss_of(texts, *hunks).facts["choices"]
    return [(each.line, each.inside, each.add, each.where) for each in choices]


# -- anchors -------------------------------------------------------------------------------------


def test_the_definition_around_a_place_is_its_anchor():
    texts = ["def f():", "    x = 1", "def g():", "    x = 1"]

    assert offered(texts, Hunk([], ["-    x = 1"])) == [
        (2, "def f():", ["@@ def f():"], "anchors"),
        (4, "def g():", ["@@ def g():"], "anchors"),
    ]


def test_an_outer_definition_is_the_anchor_where_the_inner_one_repeats():
    assert offered(SHAPES, Hunk([], ["-        return 0"])) == [
        (3, "def area(self):", ["@@ class Circle:"], "anchors"),
        (7, "def area(self):", ["@@ class Square:"], "anchors"),
    ]


def test_anchors_are_stacked_where_none_alone_would_do():
    texts = [*SHAPES, "    def size(self):", "        return 0", *["def area(self):", "    return 0"]]

    assert offered(texts, Hunk([], ["-        return 0"]))[1] == (
        *(7, "def area(self):"),
        *(["@@ class Square:", "@@ def area(self):"], "anchors"),
    )


def test_an_anchor_that_is_offered_is_a_line_above_one_place_only():
    texts = ["def f():", "  a", "  x", "class C:", "  def f():", "    b", "    x", "  def g():", "    x"]
    choices = miss_of(texts, Hunk([], ["-    x"])).facts["choices"]

    assert choices[0] == Choice(7, "def f():", ["@@ class C:", "@@ def f():"], "anchors")


def test_a_heading_is_an_anchor():
    texts = ["# One", "text", "# Two", "text"]

    assert [each[2] for each in offered(texts, Hunk([], ["-text"]))] == [["@@ # One"], ["@@ # Two"]]


def test_added_lines_are_offered_the_anchors_above_their_own():
    assert offered(SHAPES, Hunk(["def area(self):"], ["+        pass"])) == [
        (2, "class Circle:", ["@@ class Circle:", "@@ def area(self):"], "anchors"),
        (6, "class Square:", ["@@ class Square:", "@@ def area(self):"], "anchors"),
    ]


# -- context -------------------------------------------------------------------------------------


def test_a_line_above_or_below_is_offered_where_no_definition_is():
    assert offered(["a", "x", "b", "x"], Hunk([], ["-x"])) == [
        (2, "", [" a"], "above"),
        (4, "", [" b"], "above"),
    ]


def test_a_line_below_is_offered_where_those_above_are_the_same():
    assert offered(["m", "a", "x", "b", "m", "a", "x", "c"], Hunk([], [" a", "-x"])) == [
        (2, "", [" b"], "below"),
        (6, "", [" c"], "below"),
    ]


def test_more_lines_are_offered_where_one_is_not_enough():
    texts = ["a", "m", "x", "m", "b", "m", "x", "m", "c"]

    assert offered(texts, Hunk([], ["-x"])) == [(3, "", [" a", " m"], "above"), (7, "", [" b", " m"], "above")]


def test_nothing_is_offered_where_nothing_tells_the_places_apart():
    assert offered(["x"] * 30, Hunk([], ["-x"]))[12] == (13, "", [], "")


def test_a_line_that_cannot_be_sent_is_not_offered():
    texts = ["a\rb", "x", "\udcff", "x", "long" * 200, "x"]

    assert [each[2] for each in offered(texts, Hunk([], ["-x"]))] == [[], [], []]


def test_twenty_places_are_worked_out_at_once_and_the_rest_on_demand():
    miss = miss_of([text for n in range(50) for text in (f"def f{n}():", "    x")], Hunk([], ["-    x"]))

    assert [each.line for each in miss.facts["choices"]] == list(range(2, 42, 2))
    assert [each.add for each in chooser_of(miss).first(1000)] == [[f"@@ def f{n}():"] for n in range(50)]


# -- followed, a choice chooses ------------------------------------------------------------------

LINES = st.sampled_from(
    ["class A:", "class B:", "  def f():", "  def g():", "def f():", "    x", "    y", "  x", "", "x"]
)


@st.composite
def ambiguous(draw: st.DrawFn) -> tuple[list[str], list[Hunk]]:
    """A file of few different lines, and hunks that change lines of it."""
    texts = draw(st.lists(LINES, min_size=3, max_size=24))
    hunks = []
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(texts) - 1))
        block = texts[start : start + draw(st.integers(0, 2))]
        lines = [draw(st.sampled_from("- ")) + text for text in block]
        lines.insert(draw(st.integers(0, len(lines))), "+new")
        anchors = draw(st.lists(LINES.filter(str.strip), min_size=0 if block else 1, max_size=1))
        hunks.append(Hunk(anchors, lines))
    return texts, hunks


@given(ambiguous())
@examples(250)
def test_a_choice_that_is_followed_places_the_hunk_at_its_line(case):
    texts, hunks = case
    answers = located(document(texts), hunks, Options())
    misses = [n for n, each in enumerate(answers) if isinstance(each, Miss) and chooser_of(each) is not None]
    assume(misses)
    for number in misses:
        for place, choice in zip(answers[number].candidates, chooser_of(answers[number]).first(1000)):
            if choice.add:
                followed = [*hunks[:number], choice.followed(hunks[number]), *hunks[number + 1 :]]
                sent = parse(write(Patch([UpdateFile("a", None, followed)]))).sections[0].hunks
                again = locate(document(texts), sent, Options())[number]
                assert isinstance(again, Match)
                assert again.line == place - (len(choice.add) if choice.where == "above" else 0)


def test_places_that_speak_against_what_the_order_leaves_are_listed():
    texts = ["top", "    a()", "    b()", "mid", "  a()", "      b()", "low", "z", "q", "a()", "b()"]
    hunks = [Hunk([], ["-a()", "+A()", " b()"], line=1), Hunk([], ["-z", "+Z"], line=1)]

    assert miss_of(texts, *hunks).candidates == [1, 4, 9]


def test_choices_are_offered_to_as_many_hunks_as_the_budget_of_the_run_allows():
    policy = Options()
    policy.budget = WorkBudget(1_500_000)
    document = Document(b"def f():\n    x = 1\n    y\n" * 10)
    hunks = [Hunk([], ["-    x = 1", f"+    z = {number}"], line=1) for number in range(20)]

    misses = located(document, hunks, policy)

    assert [len(miss.facts["choices"]) for miss in misses] == [10] * 14 + [0] * 6
    assert {miss.facts["count"] for miss in misses} == {10}
