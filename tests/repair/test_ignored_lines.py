"""The note on a hunk that fits but for one context line says which one."""

import pytest

import patchkit

FILE = "".join(f"line {number}\n" for number in range(1, 10)).encode()
AT_2 = "hunk 1 of 'a.txt' (line 3) matched at line 2 ignoring one context line: "


@pytest.mark.parametrize(
    ("hunk", "said"),
    [
        (" line 2 or so\n line 3\n-line 4\n+four\n line 5\n", "line 2 is 'line 2', the hunk has 'line 2 or so'"),
        (
            " line 2\n line 3\n-line 4\n+four\n line 5\n line 7\n line 8\n",
            "line 6 is 'line 6', which the hunk does not have",
        ),
        (
            " line 2\n what the file never had\n line 3\n-line 4\n+four\n line 5\n line 6\n",
            "the file does not have 'what the file never had'",
        ),
        (
            " line 2\n" + 90 * "x" + "\n line 3\n-line 4\n+four\n line 5\n line 6\n",
            f"the file does not have '{77 * 'x'}…'",
        ),
    ],
)
def test_the_line_is_named(hunk, said):
    made = patchkit.plan(f"*** Begin Patch\n*** Update File: a.txt\n@@\n{hunk}*** End Patch\n", {"a.txt": FILE})

    assert [note.message for note in made.notes if note.code == "P921"] == [AT_2 + said]
