"""Methods named by words of the language, and lines whose margins are of different kinds."""

from __future__ import annotations

import pytest
from definition_ends import ends

from patchkit.core.matching.scopes.anchors import Anchors, evened

CLASSES = ["class Tea {", "const tea = {", "export default {", "return {", "class Tea\n{", "var tea = new Tea(1) {"]
NAMES = ["catch(done) {", "async with(cup) {", "throw (cup) {", "[cup](a) {", "[(cup = 1, b)](a) {", "open() {"]


@pytest.mark.parametrize("head", CLASSES)
@pytest.mark.parametrize("name", NAMES)
def test_a_method_may_have_any_name(head, name):
    above = head.split("\n")
    texts = [*above, "  pour(cup) {", "    go();", "  },", "  " + name, "    go();", "  },", "}"]

    assert ends(texts)[len(above)] == len(above) + 3
    assert ends(texts)[len(above) + 3] == len(texts)


@pytest.mark.parametrize("statement", ["catch(done) {", "[cup](int a) {", "foreach(x) {", "with (cup) {"])
def test_a_statement_in_a_function_is_no_method(statement):
    texts = ["function pour(cup) {", "  try {", "  }", "  " + statement, "    go();", "  }", "}"]

    assert ends(texts) == {0: 7}


def test_a_method_over_several_lines_may_have_any_name():
    texts = ["class Tea {", "  pour() {", "  }", "  delete(", "    cup: Cup,", "  ): void {", "  }", "}"]

    assert ends(texts) == {0: 8, 1: 3, 3: 8}


@pytest.mark.parametrize("comment", ["/** A cup. */ ", "/*static*/ ", "*/ "])
def test_a_comment_may_be_before_a_definition(comment):
    texts = ["void pour(int a)", "{", "}", comment + "void drink(int a,", "    int b)", "{", "}"]

    assert ends(texts) == {0: 3, 3: 7}


def test_a_statement_may_end_in_the_head_of_a_method():
    texts = ["function pour() {", "  return make({ next() {", "    go();", "  } });", "}"]

    assert ends(texts) == {0: 5, 1: 5}
    assert ends(["function pour() {", "  if (is({ cup: 1 })) {", "  }", "}"]) == {0: 4}


@pytest.mark.parametrize(
    ("texts", "spaces"),
    [
        (["{", "\tif {", "        go", "\t}", "}"], ["{", "    if {", "        go", "    }", "}"]),
        (["{", "    if {", "\tgo", "    }", "}"], ["{", "    if {", "        go", "    }", "}"]),
        (["{", "\tgo", "}", "{", "  go", "}"], ["{", "  go", "}", "{", "  go", "}"]),
    ],
)
def test_tabs_are_as_wide_as_the_blocks_show(texts, spaces):
    assert evened(texts) == spaces


@pytest.mark.parametrize("texts", [["{", "\tgo", "\t  more", "}"], ["{", "  go", "}"], []])
def test_margins_of_one_kind_stay(texts):
    assert evened(texts) is texts


def test_a_scope_ends_before_a_definition_whose_margin_is_of_another_kind():
    texts = [
        "class Tea",
        "{",
        "\tvoid pour()",
        "\t{",
        "\t\tgo();",
        "\t}",
        "    void drink()",
        "    {",
        "        go();",
        "    }",
        "\tvoid wash()",
        "\t{",
        "\t}",
        "}",
    ]

    assert ends(texts) == {0: 14, 2: 6, 6: 10, 10: 14}
    assert [(each.line, each.end) for each in Anchors(texts).scopes(["void pour()"])] == [(2, 6)]
