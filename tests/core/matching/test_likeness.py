"""How alike two texts are: difflib's answer, without loading it."""

from __future__ import annotations

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from patchkit.core.matching.candidates import alike, common_part

_TEXTS = st.text("ab (é", max_size=30)


@given(_TEXTS, _TEXTS, st.integers(0, 30), st.integers(0, 30))
def test_two_texts_are_as_alike_as_difflib_says(one: str, other: str, start: int, stop: int) -> None:
    mixed = other[:start] + one[start:stop] + other[stop:]

    for text in (other, mixed):
        matcher = SequenceMatcher(None, one, text, autojunk=False)
        assert alike(one, text) == matcher.ratio()
        longest = matcher.find_longest_match()
        assert common_part(one, text, 0, len(one), 0, len(text)) == (longest.a, longest.b, longest.size)
