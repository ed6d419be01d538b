"""Merging two changes of one base, held against `git merge-file`."""

from __future__ import annotations

import random
import subprocess

import pytest

from patchkit.changes.merge import merged


def lines(text: str) -> list[bytes]:
    return [line.encode() + b"\n" for line in text.split()]


def test_changes_of_different_lines_are_both_made():
    result = merged(lines("a b c d e"), lines("A b c d e"), lines("a b c d E"))

    assert (result.conflicts, result.lines()) == ([], lines("A b c d E"))


def test_changes_that_touch_are_a_conflict():
    result = merged(lines("a b c"), lines("a X c"), lines("a b Y"))

    assert [(each.start, each.base, each.ours, each.theirs) for each in result.conflicts] == [
        (1, lines("b c"), lines("X c"), lines("b Y"))
    ]


def test_the_same_change_on_both_sides_is_made_once():
    assert merged(lines("a b c"), lines("a X c"), lines("a X c")).lines() == lines("a X c")


def test_an_insertion_that_could_lie_at_two_places_is_made_once():
    base, both = lines("a x b"), lines("a x x b")

    assert merged(base, both, both).lines() == both


def test_a_conflict_is_written_between_markers_with_the_base():
    marked = merged(lines("a"), lines("b"), lines("c")).marked("ours", "base", "theirs")

    assert b"".join(marked).decode().split("\n") == [
        *("<<<<<<< ours", "b", "||||||| base", "a", "=======", "c", ">>>>>>> theirs", "")
    ]


def edited(made: random.Random, base: list[bytes], name: str) -> list[bytes]:
    """A few edits of a text, with lines that no other edit has."""
    found = list(base)
    for number in range(made.randint(1, 4)):
        at = made.randrange(len(found) + 1)
        new = [b"%s %d %d\n" % (name.encode(), number, n) for n in range(made.randint(0, 3))]
        found[at : at + made.randint(0, 3)] = new
    return found


@pytest.mark.parametrize("seed", range(60))
def test_a_merge_is_that_of_git_merge_file(seed, tmp_path):
    made = random.Random(seed)
    base = [made.choice([b"\n", b"}\n", b"line %d\n" % n, b"other %d\n" % n]) for n in range(40)]
    both = edited(made, base, "both") if seed % 3 == 0 else base
    sides = [edited(made, both, name) for name in ("ours", "theirs")]
    for name, text in zip(("base", "ours", "theirs"), (base, *sides)):
        (tmp_path / name).write_bytes(b"".join(text))
    done = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"], cwd=tmp_path, capture_output=True, check=False
    )

    result = merged(base, *sides)

    if done.returncode == 0:
        assert result.conflicts or b"".join(result.lines()) == done.stdout
    else:
        assert result.conflicts


def test_a_line_that_both_sides_replaced_alike_is_no_conflict_with_a_change_beside_it():
    base = [b"one\n", b"\n", b"two\n", b"three\n"]
    ours, theirs = [b"ONE\n", b"\n", b"TWO\n", b"three\n"], [b"one\n", b"\n", b"TWO\n", b"three\n"]

    assert merged(base, ours, theirs).conflicts == []
    assert merged(base, theirs, ours).lines() == ours
