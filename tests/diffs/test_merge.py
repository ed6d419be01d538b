"""Merging two changes of one base, held against `git merge-file`."""

from __future__ import annotations

import random
import subprocess

from patchkit.diffs.merge import merged


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


def merged_by_git(directory, base, ours, theirs) -> bytes | None:
    """What `git merge-file` makes of two changes; None for a conflict."""
    for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
        (directory / name).write_bytes(b"".join(text))
    done = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"], cwd=directory, capture_output=True, check=False
    )
    return done.stdout if done.returncode == 0 else None


def merged_by_us(base, ours, theirs) -> bytes | None:
    result = merged(base, ours, theirs)
    return None if result.conflicts else b"".join(result.lines())


def test_a_merge_is_that_of_git_merge_file(tmp_path):
    other = []
    for seed in range(60):
        made = random.Random(seed)
        base = [made.choice([b"\n", b"}\n", b"line %d\n" % n, b"other %d\n" % n]) for n in range(40)]
        both = edited(made, base, "both") if seed % 3 == 0 else base
        sides = [edited(made, both, name) for name in ("ours", "theirs")]
        if merged_by_us(base, *sides) != merged_by_git(tmp_path, base, *sides):
            other.append(seed)

    assert other == []


def rewritten(made: random.Random, base: list[bytes], edits: int) -> list[bytes]:
    """Many edits of a text, with lines that it has already; some are moved."""
    found = list(base)
    for _ in range(edits):
        at, start, size = made.randrange(len(found) + 1), made.randrange(len(base)), made.choice([0, 1, 2, 5, 30])
        found[at : at + made.choice([0, size])] = base[start : start + made.choice([0, 1, 2, 5, size])]
    return found


def test_lines_that_are_everywhere_and_long_searches_are_compared_as_git_does(tmp_path):
    other = []
    sizes = [*[(60, 4, 3)] * 20, (1500, 4, 40), (900, 60, 150), (1200, 400, 250)]
    for seed, (count, kinds, edits) in enumerate(sizes):
        made = random.Random(seed)
        base = [b"line %d\n" % made.randrange(kinds) for _ in range(count)]
        theirs = rewritten(made, base, edits)
        ours = list(theirs)  # all that differs is one line: a conflict only where git compares the texts in another way
        ours[made.randrange(len(ours))] = b"ours\n"
        for sides in ((ours, theirs), (theirs, ours)):
            if merged_by_us(base, *sides) != merged_by_git(tmp_path, base, *sides):
                other.append(seed)

    assert other == []


def test_a_line_that_both_sides_replaced_alike_is_no_conflict_with_a_change_beside_it():
    base = [b"one\n", b"\n", b"two\n", b"three\n"]
    ours, theirs = [b"ONE\n", b"\n", b"TWO\n", b"three\n"], [b"one\n", b"\n", b"TWO\n", b"three\n"]

    assert merged(base, ours, theirs).conflicts == []
    assert merged(base, theirs, ours).lines() == ours
