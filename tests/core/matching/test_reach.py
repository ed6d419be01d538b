"""How far scopes reach, held against looking at each of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.language import Hunk
from patchkit.core.matching.candidates import Reach
from patchkit.core.matching.ordering import SizedHunk
from patchkit.core.matching.scopes.anchors import Anchors, Scope

LINES = st.sampled_from(["class A:", "  def f():", "def f():", "    x", "x", "# H", "## H", ""])
BODIES = st.lists(st.sampled_from([" x", "-x", "+x"]), min_size=1, max_size=4)


def admitted_by(scope: Scope, hunk: SizedHunk, line: int) -> bool:
    start, stop = hunk.changed(line)
    begins = scope.line <= line < scope.end
    shows = line <= scope.line < line + hunk.size
    return begins or shows or (scope.line <= start - (start == stop) and stop <= scope.end)


def nearest_by(anchors: Anchors, scope: Scope, line: int) -> bool:
    """Whether no other definition of the anchor's kind is open at the line and begins below the anchor."""
    if scope.definition is None:
        return True
    between = [each for each in anchors.all_definitions() if scope.line < each.line <= line]
    return not any(each.kind == scope.definition.kind and each.end > line for each in between)


@given(st.lists(LINES, min_size=1, max_size=14), LINES.filter(str.strip), BODIES)
@examples(400)
def test_the_reach_of_scopes_is_that_of_any_of_them(texts, anchor, body):
    anchors = Anchors(texts)
    scopes = anchors.scopes([anchor])
    hunk = SizedHunk(0, Hunk([], body), [])
    reach = Reach(scopes)
    places = list(range(max(1, len(texts) - hunk.size + 1)))

    by_each = [n for n in places if any(admitted_by(scope, hunk, n) for scope in scopes)]
    assert [n for n in places if reach.admits(hunk, n)] == by_each
    assert [n for n in reach.candidates(places, hunk.size) if reach.admits(hunk, n)] == by_each
    lines = {scope.line for scope in scopes}
    spans = [(n, *hunk.changed(n)) for n in places]
    # Right above an anchor added lines are not below it, so that is never asked.
    inside = [(n, at) for n, at, stop in spans if at < len(texts) and not (at == stop and at in lines)]
    assert [n for n, at in inside if scopes and reach.is_nearest(hunk, n, list(anchors.around(at)))] == [
        n for n, at in inside if any(admitted_by(scope, hunk, n) and nearest_by(anchors, scope, at) for scope in scopes)
    ]


@given(st.lists(LINES, min_size=1, max_size=14), st.integers(0, 13))
@examples(200)
def test_the_definitions_around_a_line_are_those_that_are_open_there(texts, line):
    anchors = Anchors(texts)
    line %= len(texts)
    open_ones = [each for each in anchors.all_definitions() if each.line <= line < each.end]

    assert list(anchors.around(line)) == open_ones[::-1]
