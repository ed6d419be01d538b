"""A patch that is sent twice: the second time it is refused, or changes nothing; never is it made twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import patchkit


def answers(before: str, hunks: str, **options: bool) -> list[str]:
    """What a patch makes of a file, and what it makes of that: texts, or codes."""
    files = {"f": before.encode()}
    given = []
    for _ in range(2):
        try:
            patchkit.apply(f"*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n", root=files, **options)
            given.append(files["f"].decode())
        except patchkit.PatchkitError as error:
            given.append(str(error.code))
    return given


@pytest.mark.parametrize(
    ("hunk", "after"),
    [
        (" b\n+new\n", "a\nb\nnew\nc\n"),
        ("+new\n b\n", "a\nnew\nb\nc\n"),
        ("+1\n b\n+2\n", "a\n1\nb\n2\nc\n"),
        ("-b\n+b\n+new\n", "a\nb\nnew\nc\n"),
        ("-b\n+new\n+b\n", "a\nnew\nb\nc\n"),
        ("-b\n+1\n+b\n+2\n", "a\n1\nb\n2\nc\n"),
        ("-a\n-b\n+a\n+b\n+new\n c\n", "a\nb\nnew\nc\n"),
    ],
)
def test_a_hunk_whose_result_holds_its_old_lines_is_made_once(hunk, after):
    assert answers("a\nb\nc\n", f"@@\n{hunk}") == [after, "P205"]
    assert answers("a\nb\nc\n", f"@@\n{hunk}", forward=True) == [after, after]


def test_it_is_made_once_where_the_margin_is_taken_from_the_file():
    before = 'import (\n\t"fmt"\n\t"os"\n)\n'
    hunk = '@@\n-    "os"\n+    "io"\n+    "os"\n'

    assert answers(before, hunk) == ['import (\n\t"fmt"\n\t"io"\n\t"os"\n)\n', "P205"]


def test_it_is_made_once_where_all_its_margins_are_others_and_it_ends_as_it_begins():
    before = '{\n  "a": {\n    "x": 1,\n  },\n  "z": {\n  }\n}\n'
    hunk = '@@\n       },\n+      "b": {\n+        "x": 1,\n+      },\n       "z": {\n'
    after = before.replace('  "z"', '  "b": {\n    "x": 1,\n  },\n  "z"')

    assert answers(before, hunk) == [after, "P205"]


def test_a_place_with_another_margin_is_not_taken_where_the_result_is_there():
    before = "<div>\n  <div>\n    <p>\n    </p>\n  </div>\n</div>\n"
    after = "<div>\n  <div>\n    <p>\n    </p>\n  </div>\n  <h2>\n  </h2>\n</div>\n"

    assert answers(before, "@@\n   </div>\n+  <h2>\n+  </h2>\n </div>\n") == [after, "P205"]


def test_a_line_whose_margin_changes_is_not_there_while_it_has_the_old_one():
    assert answers("a\nb\n  new\n", "@@\n-b\n+  b\n+  new\n") == ["a\n  b\n  new\n  new\n", "P205"]


def test_a_line_that_is_elsewhere_too_is_added():
    assert answers("new\na\nb\n", "@@\n-a\n+a\n+new\n") == ["new\na\nnew\nb\n", "P205"]


@pytest.mark.parametrize(
    ("before", "hunks", "after"),
    [
        # The second hunk leaves what it removes but for its end: that is there as long as it was not made.
        (
            "one\na\nb\nc\nd\ne\n\ngone\nend\n",
            "@@\n-one\n+1\n@@\n-a\n-b\n-c\n-d\n-e\n-\n-gone\n+a\n+b\n+c\n+d\n+e\n",
            "1\na\nb\nc\nd\ne\nend\n",
        ),
        # The first hunk has made what the second one makes elsewhere.
        (
            "f\nact\na\nb\nc\nd\ng\nact\na\nb\nc\nd\n",
            "@@\n-f\n-act\n+f\n+await\n a\n b\n c\n d\n@@\n-act\n+await\n a\n b\n c\n d\n",
            "f\nawait\na\nb\nc\nd\ng\nawait\na\nb\nc\nd\n",
        ),
    ],
)
def test_where_one_hunk_was_made_the_other_is_made_alone(before, hunks, after):
    first = hunks[: hunks.index("@@", 3)]
    half, _ = answers(before, first)

    assert answers(half, hunks, forward=True) == [after, after]


def test_a_diff_that_appends_to_a_file_does_so_once():
    diff = "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n b\n+new\n"
    files = {"f": b"a\nb\n"}
    patchkit.apply(diff, files, from_format="unified")

    with pytest.raises(patchkit.PatchkitError) as refused:
        patchkit.apply(diff, files, from_format="unified")

    assert (refused.value.code, files) == ("P205", {"f": b"a\nb\nnew\n"})


def test_a_diff_whose_numbers_are_right_adds_a_line_like_its_neighbour():
    diff = "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n a\n+b\n b\n c\n"
    files = {"f": b"a\nb\nc\nd\n"}
    patchkit.apply(diff, files, from_format="unified")

    assert files == {"f": b"a\nb\nb\nc\nd\n"}


WORDS = [f"word {number}" for number in range(12)]


@given(st.data())
def test_no_change_is_made_twice(data):
    """The file's lines are told apart; a hunk rewrites some of them, with lines around them or without."""
    start = data.draw(st.integers(0, 11))
    stop = data.draw(st.integers(start + 1, 12))
    new = data.draw(st.lists(st.sampled_from([*WORDS[start:stop], "one", "two", "  one"]), max_size=6))
    above, below = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))
    lines = [f" {text}" for text in WORDS[max(start - above, 0) : start]]
    lines += [f"-{text}" for text in WORDS[start:stop]] + [f"+{text}" for text in new]
    lines += [f" {text}" for text in WORDS[stop : stop + below]]
    before = "".join(f"{text}\n" for text in WORDS)

    first, second = answers(before, "@@\n" + "".join(f"{line}\n" for line in lines), forward=True)

    after = "".join(f"{text}\n" for text in [*WORDS[:start], *new, *WORDS[stop:]])
    assert first == after
    assert second in (first, "P201", "P202")


def test_two_hunks_that_add_the_same_at_one_place_are_not_both_made():
    first = "@@\n a\n b\n+new\n c\n"

    assert answers("a\nb\nc\n", first + "@@\n b\n+new\n c\n") == ["P204", "P204"]
    assert answers("a\nb\nc\n", first + "@@\n b\n+other\n c\n")[0] == "a\nb\nnew\nother\nc\n"
