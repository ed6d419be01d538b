"""The Markdown face: a table, what is wrong, and no way out of a quotation."""

from __future__ import annotations

from hypothesis import given
from made_reports import HOSTILE, MISSED, NEARLY, add, report_of
from strategies import examples

from patchkit.checking import markdown


def test_refused_patches_come_first_with_what_is_wrong():
    report = report_of(add("b.py", "x"), MISSED, files=NEARLY)

    assert markdown.render(report) == (
        "# ❌ patchkit check\n"
        "\n"
        "2 patches checked: 1 applies, 1 refused (1 error).\n"
        "\n"
        "| patch | | files | hunks |\n"
        "|---|---|--:|--:|\n"
        "| `2.patch` | ❌ refused | 1 | 1 |\n"
        "| `1.patch` | ✅ applies | 1 | 0 |\n"
        "\n"
        "## `2.patch`\n"
        "\n"
        "- ❌ update `a.py`\n"
        "  - hunk 1 (patch line 3): not found, closest at line 2\n"
        "\n"
        "```text\n"
        "error[P201]: hunk not found in 'a.py'\n"
        " --> 2.patch:5\n"
        "  |\n"
        "5 | -    return 1\n"
        "  | ^^^^^^^^^^^^^ no such line here\n"
        "  |\n"
        " ::: a.py:3, closest place (1 of 2 lines agree)\n"
        "3 |     return 3\n"
        "  |            - the file has '3', the patch expects '1'\n"
        "  = help: read a.py lines 2-3 and send the hunk again\n"
        "```\n"
    )


@given(HOSTILE)
@examples(60)
def test_no_patch_can_end_the_fence_it_is_quoted_in(text):
    lines = markdown.render(report_of(f"`````{text}\nmore\n")).split("\n")
    opening = next(number for number, line in enumerate(lines) if line.endswith("`text"))
    fence = lines[opening].removesuffix("text")
    closing = [number for number, line in enumerate(lines) if line.strip() == fence and number > opening]

    assert len(fence) > 5
    assert len(closing) == 1
    assert lines[closing[0] - 1].startswith("  = help: ")


def test_a_bar_in_a_name_does_not_end_its_cell():
    report = report_of(add("b.py", "x"))
    report.patches[0].name = "a|`b.patch"

    assert "| ``a\\|`b.patch`` | ✅ applies | 1 | 0 |\n" in markdown.render(report)


def test_of_very_many_patches_the_table_counts_the_rest():
    text = markdown.render(report_of(*[add("b.py", "x")] * 250))

    assert text.count("✅ applies") == 200
    assert text.endswith("… and 50 more patches.\n")
