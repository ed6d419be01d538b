"""Where the text after `@@` stands and how far its scope reaches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.matching.scopes.anchors import Anchors
from patchkit.core.matching.scopes.openings import opening

PYTHON = [
    "import os",  # 0
    "",
    "class A:",  # 2
    "    def f(self):",  # 3
    "        return 1",
    "",
    "    def g(self):",  # 6
    "        return 1",
    "",
    "class B:",  # 9
    "    def f(self):",  # 10
    "        return 1",
    "",
    "def f():",  # 13
    "    return 1",
]
MARKDOWN = ["# One", "text", "## Two", "text", "### Deep", "text", "## Three", "text", "# Four", "text"]
INI = ["[one]", "key = 1", "[two]", "key = 1"]
C = ["int main(void)", "{", "    if (x) {", "        y();", "    }", "}", "static void g(void) {", "    y();", "}"]


def reaches(texts: list[str], *anchors: str) -> list[tuple[int, int]]:
    """First line and end of every scope that the stacked anchors leave."""
    return [(scope.line, scope.end) for scope in Anchors(texts).scopes(list(anchors))]


@pytest.mark.parametrize(
    ("texts", "anchors", "scopes"),
    [
        (PYTHON, ["class A:"], [(2, 9)]),
        (PYTHON, ["class B:"], [(9, 13)]),
        (PYTHON, ["def f():"], [(13, 15)]),
        (PYTHON, ["    def g(self):"], [(6, 9)]),
        (PYTHON, ["    def f(self):"], [(3, 6), (10, 13)]),
        (PYTHON, ["class A:", "    def f(self):"], [(3, 6)]),
        (PYTHON, ["class B:", "    def f(self):"], [(10, 13)]),
        (PYTHON, ["import os"], [(0, 15)]),
        (PYTHON, ["class C:"], []),
        (PYTHON, ["class C:", "    def f(self):"], []),
        (PYTHON, ["class A:", "    def h(self):"], []),
        (MARKDOWN, ["# One"], [(0, 8)]),
        (MARKDOWN, ["## Two"], [(2, 6)]),
        (MARKDOWN, ["### Deep"], [(4, 6)]),
        (MARKDOWN, ["# One", "## Three"], [(6, 8)]),
        (INI, ["[one]"], [(0, 2)]),
        (INI, ["[two]"], [(2, 4)]),
        (C, ["int main(void)"], [(0, 6)]),
        (C, ["static void g(void) {"], [(6, 9)]),
        ([], ["a"], []),
    ],
)
def test_a_scope_runs_to_the_next_line_of_its_kind_and_depth(texts, anchors, scopes):
    assert reaches(texts, *anchors) == scopes


@pytest.mark.parametrize(
    ("anchor", "how"),
    [
        ("    def g(self):", "exact"),
        ("    def g(self):  ", "trailing-space"),
        ("def g(self):", "surrounding-space"),
        ("def\u00a0g(self):", "typography"),
        ("def g", "prefix"),
        ("def g(", "prefix"),
    ],
)
def test_an_anchor_is_recognised_by_the_strictest_means(anchor, how):
    found = Anchors(PYTHON).scopes([anchor])

    assert [(scope.line, scope.how) for scope in found] == [(6, how)]


def test_an_exact_line_wins_over_one_that_is_only_like_it():
    assert reaches(["  def f():", "    x", "def f():", "    x"], "def f():") == [(2, 4)]


@pytest.mark.parametrize("anchor", ["de", "def gg", "clas"])
def test_the_beginning_of_a_word_is_no_anchor(anchor):
    assert reaches(PYTHON, anchor) == []


@pytest.mark.parametrize("anchor", ["\x0c", "\u00a0", "\x85"])
def test_an_anchor_of_blanks_that_are_no_blanks_of_the_language_stands_nowhere(anchor):
    assert reaches(PYTHON[2:5], anchor) == []


def test_the_beginning_of_a_line_that_opens_nothing_is_no_anchor():
    assert reaches(["value = 1", "other = 2"], "value") == []


def test_a_stacked_anchor_behind_the_scope_above_it_is_taken_if_it_is_the_only_one():
    found = Anchors(PYTHON).scopes(["class A:", "def f():"])

    assert [(scope.line, scope.end, scope.how) for scope in found] == [(13, 15, "after")]


def test_asking_for_the_same_anchors_twice_gives_the_same_scopes():
    anchors = Anchors(PYTHON)

    assert anchors.scopes(["class A:"]) == anchors.scopes(["class A:"])


@pytest.mark.parametrize(
    ("line", "opens"),
    [
        ("def f():", ("code", 0)),
        ("    async def f():", ("code", 4)),
        ("export default class A {", ("code", 0)),
        ("pub(crate) fn f() {", ("code", 0)),
        ("func (s *Server) Run() {", ("code", 0)),
        (".button {", ("code", 0)),
        ("int main(void)", ("code", 0)),
        ("# Title", ("heading", 1)),
        ("### Title", ("heading", 3)),
        ("[section]", ("section", 0)),
        ("", None),
        ("   ", None),
        ("x = 1", None),
        ("if x {", None),
        ("for (;;) {", None),
        ("return f(x)", None),
        ("#comment", None),
        ("####### seven", None),
        ("call(x);", None),
        ("classes = 1", None),
        ("  #pour (cup) {", ("code", 2)),
        ("  static async #pour(cup) {", ("code", 2)),
        ('  "pour cup"(exports) {', ("code", 2)),
        ("  [Symbol.iterator]() {", ("code", 2)),
        ("  [cup](int a) {", None),  # a lambda of C++
        ("#content {", None),
        ("  #if (CUPS) {", None),
        ('  "cups": {', None),
        ('it("pours", () => {', ("code", 0)),
        ("  test.each([1, 2])(", ("code", 2)),
        ("describe Cup do", ("code", 0)),
        ("type Cup = Mug;", ("code", 0)),
        ("class cup extends mug", ("code", 0)),
        ("  type: String,", None),
        ("type-checks are made here", None),
        ("it pours tea into every cup.", None),
        ("module is loaded when the kettle boils", None),
        ('  class="cup"', None),
        ("  public int Pour(Cup cup) => cup.Size;", ("code", 2)),
        ("  IEnumerator<T> All.GetEnumerator() =>", ("code", 2)),
        ("  const pour = (cup) => cup.size;", None),
        ("  await pour((cup) => cup.size);", None),
        ("  Some(cup) =>", None),
    ],
)
def test_a_line_opens_a_scope_or_none(line, opens):
    assert opening(line) == opens


LINES = st.sampled_from(["def f():", "def g():", "  def f():", "    x", "", "class A:", "# T", "[s]", "x {"])


@given(texts=st.lists(LINES, max_size=10), anchors=st.lists(LINES.filter(bool), min_size=1, max_size=3))
@examples(250)
def test_scopes_begin_at_a_line_and_end_behind_it_in_the_files_order(texts, anchors):
    scopes = reaches(texts, *anchors)

    assert all(0 <= start < end <= len(texts) for start, end in scopes)
    assert [start for start, _end in scopes] == sorted({start for start, _end in scopes})


@given(texts=st.lists(LINES, max_size=10), anchor=LINES.filter(bool))
@examples(150)
def test_every_line_that_is_the_anchor_has_a_scope(texts, anchor):
    equal = [number for number, text in enumerate(texts) if text == anchor]

    if equal:
        assert [start for start, _end in reaches(texts, anchor)] == equal


@given(texts=st.lists(LINES, max_size=10), outer=LINES.filter(bool), inner=LINES.filter(bool))
@examples(150)
def test_a_stacked_anchor_stands_in_a_scope_of_the_one_above_or_behind_the_first(texts, outer, inner):
    wide = reaches(texts, outer)
    narrow = Anchors(texts).scopes([outer, inner])

    for scope in narrow:
        inside = any(start < scope.line < end for start, end in wide)
        assert inside or (scope.how == "after" and scope.line >= wide[0][1])
