"""The two idioms for values."""

from __future__ import annotations

import pytest

from patchkit.values import Record


class Excerpt(Record):
    line: int
    texts: list[str] = []
    title: str = ""


class Longer(Excerpt):
    rest: int = 0


def test_the_fields_of_a_record_are_given_by_place_or_by_name():
    assert Excerpt(3, ["a"]) == Excerpt(texts=["a"], line=3, title="")
    assert repr(Excerpt(3)) == "Excerpt(line=3, texts=[], title='')"
    assert Longer(1, [], "x", 2) != Longer(1, [], "x", 3)


def test_a_default_that_can_change_belongs_to_one_record():
    one = Excerpt(1)
    one.texts.append("a")

    assert Excerpt(1).texts == []


@pytest.mark.parametrize(
    ("values", "named", "words"),
    [
        ((1, [], "", 2), {}, "Excerpt() takes line, texts, title"),
        ((1,), {"lines": 2}, "Excerpt() takes line, texts, title"),
        ((), {"title": "x"}, "Excerpt() lacks line"),
    ],
)
def test_a_field_too_many_and_a_field_too_few_are_refused(values, named, words):
    with pytest.raises(TypeError) as caught:
        Excerpt(*values, **named)

    assert str(caught.value) == words
