"""The tolerant fast road answers only where the careful one gives the same answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, file_bytes, files

from patchkit.core.changes import Options
from patchkit.core.language import Hunk
from patchkit.core.matching import NAMES
from patchkit.core.matching.placer import HunkPlacer
from patchkit.core.matching.tolerant import place_tolerant
from patchkit.core.text import Document

FORMS = ["{}", "  {}", "    {}", "\t{}", "{} ", "‘{}’", " '{}'", "{}…", "{}..."]
BARE = ["}", "  }", "", "  ", "é", "e\u0301"]
LINES = st.sampled_from([form.format(word) for form in FORMS for word in "abcdef"] + BARE)

TURNS = [
    *(str, str.strip, str.rstrip, lambda text: f"  {text}", lambda text: f"{text} "),
    lambda text: text.replace("‘", "'").replace("’", "'").replace("…", "..."),
]


@st.composite
def searches(draw: st.DrawFn) -> tuple[list[tuple[str, bytes]], list[Hunk]]:
    """A file and hunks of which most stand somewhere in it once blanks are left out of account."""
    lines = draw(files(LINES, max_size=9))
    hunks, start = [], 0
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(lines))) if draw(st.booleans()) else start
        old = [text for text, _ending in lines[start : start + draw(st.integers(1, 4))]]
        start += len(old)
        turn = draw(st.sampled_from(TURNS))
        body = [draw(st.sampled_from(" -")) + turn(text) for text in old or ["a"]]
        for _ in range(draw(st.integers(0, 2))):
            body.insert(draw(st.integers(0, len(body))), "+" + draw(LINES))
        hunks.append(Hunk([], body))
    return lines, hunks


@given(search=searches(), most=st.sampled_from(NAMES), first_wins=st.booleans())
@examples(1500)
def test_the_tolerant_road_agrees_with_the_careful_one_wherever_it_answers(search, most, first_wins):
    lines, hunks = search
    raw, policy = file_bytes(lines), Options(max_pass=most, dialect="codex" if first_wins else "safe")

    fast = place_tolerant(Document(raw), hunks, policy)

    if fast is not None:
        slow = HunkPlacer(Document(raw), hunks, policy).place()
        assert fast == slow
        assert [match.line for match in fast] == [match.line for match in slow]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize(
    ("there", "old", "name"),
    [
        ("    x = 1", "x = 1", "surrounding-space"),
        ("x = 1  ", "x = 1", "trailing-space"),
        ("say ‘é’", "say 'é'", "typography"),
        ("x = 1", "x = 1", "exact"),
    ],
)
def test_a_hunk_that_stands_once_but_for_blanks_is_placed(ending, there, old, name):
    raw = ending.join(["é", there, "c"][n].encode() for n in range(3)) + ending

    (match,) = place_tolerant(Document(raw), [Hunk([], [f"-{old}", "+y"])], Options())

    assert (match.line, match.offset, match.pass_name) == (1, 2 + len(ending), name)


@pytest.mark.parametrize(
    ("raw", "hunks"),
    [
        (b" a\n  a\n", [Hunk([], ["-a"])]),
        (b" a\nb\na\n", [Hunk([], ["-a"]), Hunk([], ["-b"])]),  # the order speaks for one, the margin for the other
        (b"b\n", [Hunk([], ["-a"])]),
        (b" }\n", [Hunk([], ["-}"])]),
        (b" a\n", [Hunk(["a"], ["-a"])]),
        (b" a\n", [Hunk([], ["-a"], at_eof=True)]),
        (b" a\n", [Hunk([], [" a", "+a"])]),
    ],
    ids=repr,
)
def test_any_doubt_is_left_to_the_careful_road(raw, hunks):
    assert place_tolerant(Document(raw), hunks, Options()) is None


def test_the_exact_pass_alone_leaves_nothing_to_tolerate():
    assert place_tolerant(Document(b"a\n"), [Hunk([], ["-a"])], Options(max_pass="exact")) is None
