"""Which lines of a new text take the place of code that is left out."""

from __future__ import annotations

import pytest

from patchkit.guards.placeholders import placeholder


@pytest.mark.parametrize(
    "line",
    [
        "// ... existing code ...",
        "# rest of the code unchanged",
        "# the rest of your code here",
        "// Rest of the component remains unchanged",
        "# ... no changes ...",
        "# remaining methods unchanged...",
        "# ... other methods ...",
        "// ... (previous methods remain the same) ...",
    ],
)
def test_a_comment_about_code_that_is_left_out_is_a_placeholder(line):
    assert placeholder(f"x = 1\n{line}\ny = 2\n", "x = 1\ny = 3\n") == line


@pytest.mark.parametrize(
    "line",
    [
        "# rest of the text in this class",
        "# the rest of the supported tags",
        "# rest of the files is covered by the lock",
        "# no change...",
        "# ... calculate another score ...",
        "# others see ...",
        "... what about my existing documents?",
    ],
)
def test_a_comment_about_the_program_is_not(line):
    assert placeholder(f"x = 1\n{line}\ny = 2\n", "") == ""


def test_a_line_within_a_comment_over_several_lines_is_not():
    assert placeholder("# for example:\n#   ...rest of your script...\n# and so on\n", "") == ""
    assert placeholder("// so that it is known by the\n// rest of the code.\nf()\n", "") == ""


def test_a_line_that_the_line_above_continues_is_not():
    assert placeholder("sed '10a\\\n... rest of the output deleted ...\n10q'\n", "") == ""
    assert placeholder("convert a \\\n# ... existing code ...\n  b\n", "") == "# ... existing code ..."


def test_a_placeholder_below_another_comment_still_is_one():
    assert placeholder("# helpers\n# ... existing code ...\nf()\n", "") == "# ... existing code ..."


def test_a_placeholder_is_one_beside_a_comment_that_only_ends_with_dots():
    line = "// … rest of the file unchanged …"

    assert placeholder(f"f();\n{line}\n", "// append remaining body...\nf();\n") == line
    assert placeholder(f"f();\n{line}\n", "// ... the remaining body ...\nf();\n") == ""
