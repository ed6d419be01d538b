"""Why two lines are not the same, in words."""

from __future__ import annotations

import pytest

from patchkit.repair.near_miss import first_difference
from patchkit.report.diagnostics import cause


@pytest.mark.parametrize(
    ("expected", "found", "words"),
    [
        ("a", "a  ", "only whitespace at the end of the line differs"),
        ("a", "a\r", "only whitespace at the end of the line differs"),
        ("a\rb", "ab", "only carriage returns differ"),
        ("a", "\ufeffa", "only a byte order mark differs"),
        ("  a", "    a", "only the indentation differs"),
        ("    a", "\ta", "tabs and spaces differ"),
        ('say "hi"', "say “hi”", "typographic quotes, dashes or spaces differ"),
        ("a=1", "a = 1", "only whitespace inside the line differs"),
        ("Total", "total", "only upper and lower case differ"),
        ("a &lt; b", "a < b", "the patch has HTML entities where the file has characters"),
        ("\\tif a:", "\tif a:", "the patch has a backslash and a letter where the file has a tab"),
        ("  12→return", "return", "the patch has the line number of a listing in front"),
        ("café", "caf\udce9", "the file's line is not UTF-8"),
        ("return 1", "return 2", "the file has '2', the patch expects '1'"),
        ("return", "return_all x", "the file has 'return_all', the patch expects 'return'"),
        ("return_all", "return", "the file has 'return', the patch expects 'return_all'"),
        ('print("By")', 'print("Bye")', "the file has 'Bye', the patch expects 'By'"),
        ("f(totals)", "f(total)", "the file has 'total', the patch expects 'totals'"),
        ("total + 1", "total", "the file's line ends here, the patch goes on with '+ 1'"),
        ("total", "total + 1", "the file goes on with '+ 1', the patch's line ends here"),
        ("total(x)", "total", "the file's line ends here, the patch goes on with '(x)'"),
        ("f(" + "x" * 90, "f(", f"the file's line ends here, the patch goes on with '{'x' * 30}…'"),
        ("", "total", "the file goes on with 'total', the patch's line ends here"),
        ("total", "", "the file's line ends here, the patch goes on with 'total'"),
    ],
)
def test_the_cause_is_reported_in_words(expected, found, words):
    assert cause(expected, found, first_difference(expected, found)) == words
