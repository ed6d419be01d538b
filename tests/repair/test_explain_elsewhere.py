"""Hunks sent for the wrong file of a patch: the refusal tells in which one their lines stand."""

from __future__ import annotations

import pytest

import patchkit
from patchkit import PatchkitError


def refusal(patch: str, files: dict[str, bytes]) -> PatchkitError:
    with pytest.raises(PatchkitError) as caught:
        patchkit.apply(f"*** Begin Patch\n{patch}*** End Patch\n", files)
    return caught.value


LOST = "*** Update File: a.py\n@@\n-    log(message)\n+    pass\n"
A = b"x = 1\n"
B = b"def f():\n    log(message)\ny = 2\n"


@pytest.mark.parametrize(
    ("other", "line"),
    [
        ("*** Update File: b.py\n@@\n-y = 2\n+y = 3\n", 2),
        ("*** Delete File: b.py\n", 2),
        ("*** Add File: c.py\n+# new\n+    log(message)\n", 2),
        ("*** Update File: b.py\n*** Move to: d.py\n@@\n-y = 2\n+y = 3\n", 2),
    ],
)
def test_the_other_file_is_told_whatever_the_patch_does_to_it(other, line):
    error = refusal(LOST + other, {"a.py": A, "b.py": B})
    path = "c.py" if "c.py" in other else "b.py"

    assert (error.code, error.facts["elsewhere"]) == ("P201", (path, line))
    assert error.hint == (
        f"send the hunk in a section for '{path}', which has its lines (line {line}); nothing was written"
    )


def test_margins_do_not_hide_the_lines():
    error = refusal(
        "*** Update File: b.py\n@@\n-y = 2\n+y = 3\n" + LOST.replace("    log", "log"), {"a.py": A, "b.py": B}
    )

    assert error.facts["elsewhere"] == ("b.py", 2)


def test_a_line_that_says_little_is_from_anywhere():
    error = refusal(
        "*** Update File: a.py\n@@\n-}\n+x\n*** Update File: b.py\n@@\n-y = 2\n+y = 3\n",
        {"a.py": A, "b.py": B + b"}\n"},
    )

    assert "elsewhere" not in error.facts


def test_the_same_file_in_another_section_is_not_another_file():
    error = refusal(LOST + "*** Update File: ./a.py\n@@\n-x = 1\n+x = 2\n", {"a.py": A})

    assert "elsewhere" not in error.facts


def test_each_of_several_lost_hunks_is_told_its_own_file():
    two = LOST + "@@\n-somewhere over\n+x\n*** Update File: b.py\n@@\n-y = 2\n+y = 3\n"
    error = refusal(two, {"a.py": A, "b.py": B})

    assert [each.facts.get("elsewhere") for each in error.errors] == [("b.py", 2), None]
