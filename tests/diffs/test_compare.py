"""Where two texts differ: as git says it, and never at a cost that grows with the square."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.diffs import compare, unique_hunks
from patchkit.diffs.compare import Span, compared

LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"d"]), max_size=14)


def rebuilt(old: list[bytes], new: list[bytes], spans: list[Span]) -> list[bytes]:
    """The old lines with every span replaced."""
    out, at = [], 0
    for a, b, c, d in spans:
        out.extend([*old[at:a], *new[c:d]])
        at = b
    return [*out, *old[at:]]


@given(old=LINES, new=LINES)
@examples(600)
def test_replacing_the_spans_gives_the_new_text(old, new):
    assert rebuilt(old, new, compared(old, new)) == new


@given(old=LINES, new=LINES)
@examples(300)
def test_spans_are_in_order_and_apart(old, new):
    spans = compared(old, new)

    assert all(a < b or c < d for a, b, c, d in spans)
    assert all(first[1] < second[0] and first[3] < second[2] for first, second in zip(spans, spans[1:]))


def changed(chance: random.Random, old: list[bytes], kinds: int) -> list[bytes]:
    """Some edits of a text, with lines that it may have already."""
    new = list(old)
    for _ in range(chance.choice([1, 2, 5, len(old) // 4])):
        at = chance.randrange(len(new) + 1)
        new[at : at + chance.randrange(4)] = lines_of_kinds(chance, kinds + 1, chance.randrange(4))
    return new


def lines_of_kinds(chance: random.Random, kinds: int, count: int) -> list[bytes]:
    return [b"line %d\n" % chance.randrange(kinds) for _ in range(count)]


def spans_of_git(directory: Path) -> dict[str, list[Span]]:
    """What git says of the files in two directories, `old` and `new`, by their names."""
    command = ["git", "diff", "--no-index", "--no-indent-heuristic", "-U0", "--no-color", "old", "new"]
    shown = subprocess.run(command, cwd=directory, capture_output=True, check=False).stdout.decode()
    found: dict[str, list[Span]] = {}
    for line in shown.splitlines():
        if line.startswith("diff --git "):
            spans = found[line.rpartition("/")[2]] = []
        numbers = re.match(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line)
        if numbers:
            (at, removed), (now, added) = ((int(numbers[n]), int(numbers[n + 1] or 1)) for n in (1, 3))
            at, now = at - bool(removed), now - bool(added)  # the number of no lines is that of the line above
            spans.append((at, at + removed, now, now + added))
    return found


@pytest.mark.parametrize(("count", "kinds"), [(12, 3), (40, 4), (40, 30), (400, 8), (1500, 4), (1500, 60), (3000, 400)])
def test_the_spans_are_those_of_git(count, kinds, tmp_path):
    chance = random.Random(count * kinds)
    texts: dict[str, tuple[list[bytes], list[bytes]]] = {}
    for name in map(str, range(60 if count < 1000 else 4)):
        old = lines_of_kinds(chance, kinds, count)
        texts[name] = (
            old,
            changed(chance, old, kinds) if chance.random() < 0.8 else lines_of_kinds(chance, kinds, count),
        )
    for side in (0, 1):
        directory = tmp_path / ("old", "new")[side]
        directory.mkdir()
        for name, text in texts.items():
            (directory / name).write_bytes(b"".join(text[side]))
    by_git = spans_of_git(tmp_path)

    assert {name: compared(*text) for name, text in texts.items()} == {name: by_git.get(name, []) for name in texts}


def test_a_comparison_that_takes_too_long_ends_and_is_still_one(monkeypatch):
    chance = random.Random(3)
    old, new = ([b"%d\n" % chance.randrange(40) for _ in range(3_000)] for _ in range(2))
    steps = compare.SharedSteps()
    steps.left = 1_000
    monkeypatch.setattr(compare, "_ALWAYS", 0)

    spans = compared(old, new, steps=steps)

    assert rebuilt(old, new, spans) == new
    assert max(b - a for a, b, _, _ in spans) > 200  # what was left when the steps were used up


def test_comparisons_of_one_text_share_their_steps():
    chance = random.Random(3)
    old, new = ([b"%d\n" % chance.randrange(40) for _ in range(1_000)] for _ in range(2))
    steps = compare.SharedSteps()

    first, left = compared(old, new, steps=steps), steps.left
    while steps.left:
        compared(old, new, steps=steps)
    last = compared(old, new, steps=steps)

    assert 0 < left < compare._SHARED
    assert first == compared(old, new) != last
    assert rebuilt(old, new, last) == new


def test_a_file_with_hopelessly_many_changes_among_others_gets_one_hunk(monkeypatch):
    before, after = (b"".join(b"%d\n" % (number * step) for number in range(99)) for step in (1, 3))
    usual = unique_hunks.hunks_between("a", before, after, steps=compare.SharedSteps())
    monkeypatch.setattr(unique_hunks, "_MOST_SOUGHT", len(usual) * 99 - 1)

    made = unique_hunks.hunks_between("a", before, after, steps=compare.SharedSteps())

    assert len(usual) > 1
    assert [(hunk.old(), hunk.new()) for hunk in made] == [(before.decode().split(), after.decode().split())]


@pytest.mark.parametrize("size", [1_000, 10_000])
def test_the_work_for_texts_of_equal_lines_does_not_grow_with_the_square(size):
    search = compare._Search([0] * size + [1] + [0] * size, [2] + [0] * (2 * size) + [3])
    allowed = search.left

    assert sum(count for _, _, count in search.kept()) == 2 * size
    assert allowed - search.left < 10 * size
