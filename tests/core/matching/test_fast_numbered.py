"""Hunks that are where their numbers say are placed as the careful search places them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, file_bytes, files

from patchkit.core.changes import Options
from patchkit.core.language import Hunk
from patchkit.core.matching import Match
from patchkit.core.matching.locate import place_numbered
from patchkit.core.matching.placer import HunkPlacer
from patchkit.core.text import Document

FEW = st.sampled_from(["", "a", "b", "a ", "  a", "}"])
# What a hunk says about the end of the file: whether the new text ends with a newline, and whether the old one did not.
ENDS = [(None, False), (True, True), (False, True), (False, False)]


def numbered(lines: list[str], hint: int) -> Hunk:
    hunk = Hunk([], lines)
    hunk.hint = hint
    return hunk


@st.composite
def numbered_hunks(draw: st.DrawFn) -> tuple[list[tuple[str, bytes]], list[Hunk]]:
    """A file and hunks that most often are at their numbers, some of them with counts that agree."""
    lines = draw(files(FEW, max_size=10))
    hunks = [numbered(["-a"], 1)] if not lines else []
    at = 0
    while at < len(lines) and len(hunks) < 3:
        start = draw(st.integers(at, len(lines) - 1))
        old = [text for text, _ending in lines[start : start + draw(st.integers(1, 3))]]
        at = start + len(old)
        body = [draw(st.sampled_from("  -")) + text for text in old]
        for _ in range(draw(st.integers(0, 3))):
            body.insert(draw(st.integers(0, len(body))), "+" + draw(FEW))
        hint = start + draw(st.sampled_from([1, 1, 1, 2]))
        hunk = numbered(body, hint)
        if draw(st.booleans()):
            hunk.numbers = (hint, len(hunk.old()), start + 1, len(hunk.new()))
        hunks.append(hunk)
    if draw(st.booleans()):
        hunks[-1].at_eof = True
        hunks[-1].final_newline, hunks[-1].was_unended = draw(st.sampled_from(ENDS))
    return lines, hunks


@given(search=numbered_hunks())
@examples(700)
def test_numbers_lead_where_the_careful_search_goes(search):
    lines, hunks = search
    raw = file_bytes(lines)

    fast = place_numbered(Document(raw), hunks, Options())

    if fast is not None:
        assert fast == HunkPlacer(Document(raw), hunks, Options()).place()


def test_a_number_chooses_between_places_that_are_alike():
    found = place_numbered(Document(b"a\nb\na\n"), [numbered(["-a", "+c"], 3)], Options())

    assert found == [Match(2, 4, ["-a", "+c"], 1)]
    assert found[0].evidence == ["line-number"]


@pytest.mark.parametrize(
    ("raw", "says", "is_placed"),
    [
        (b"a\na", (None, False), True),
        (b"a\na", (True, True), True),
        (b"a\na\n", (False, False), True),
        (b"a\na\n", (True, True), False),
        (b"a\na", (False, False), False),
        (b"a\na\n\n", (False, False), False),
    ],
)
def test_a_hunk_that_speaks_of_the_end_of_the_file_is_there_if_the_file_ends_so(raw, says, is_placed):
    hunk = numbered(["-a", "+c"], 2)
    hunk.numbers = (2, 1, 2, 1)
    hunk.at_eof = True
    hunk.final_newline, hunk.was_unended = says

    assert (place_numbered(Document(raw), [hunk], Options()) is not None) is is_placed


@pytest.mark.parametrize(
    ("raw", "lines", "hint"),
    [
        (b"a\nb\na\n", ["-b", "+c"], 3),
        (b"a\nb\na\n", [" a", "+b"], 1),
        (b"a\nb", [" a", "+b"], 1),
        (b"a\n", ["-a", "+a"], 1),
        (b"a\n", ["+b"], 1),
        (b"a\n", ["-a", "-b"], 1),
        (b"a\r\nb\n", ["-a"], 1),
    ],
)
def test_what_is_not_there_or_may_be_made_already_is_left_to_the_careful_search(raw, lines, hint):
    assert place_numbered(Document(raw), [numbered(lines, hint)], Options()) is None


def test_the_dialect_that_takes_the_first_place_does_not_follow_numbers():
    hunks = [numbered(["-a", "+c"], 3)]

    assert place_numbered(Document(b"a\nb\na\n"), hunks, Options(dialect="codex")) is None


def test_bytes_that_are_no_text_are_not_in_a_file_of_utf_16():
    document = Document("one\ntwo\n".encode("utf-16"))

    assert place_numbered(document, [numbered([" \udcffone", "-two"], 1)], Options()) is None
