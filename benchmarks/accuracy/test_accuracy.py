"""The benchmark's own parts, on tiny files: the writer, the definition of well-posed, every distortion."""

import random
import re
from pathlib import Path

import pytest

from .cases import make_cases
from .chart import svg
from .classes import CLASSES
from .definitions import Scopes
from .edits import Case, Change, Edit, Hunk, Line, hunks_of
from .mining import _changes
from .nearness import fewest_misses, is_lone, is_lone_with_gap
from .outcomes import judge
from .placement import EXACT, NO_INDENT, positions, ways, well_posed
from .tables import markdown, summary
from .writer import patch_text, unified_diff

SHOP = """\
import os


class Shop:
    name = "corner-shop"

    def open(self, hour):
        if hour < 8:
            return False
        self.hour = hour
        self.lamp = True
        return True

    def close(self, hour):
        if hour > 18:
            return False
        self.hour = None
        return True


def report(shop):
    total = 0
    for item in shop.items:
        total += item.price & item.mask

    print("total", total)
    return total


def main():
    shop = Shop()
    report(shop)
    print("done - bye")
    return 0
"""


def edit_of(before, *swaps, path="src/shop.py"):
    after = before
    for old, new in swaps:
        assert old in after
        after = after.replace(old, new, 1)
    old, new = before[:-1].split("\n"), after[:-1].split("\n")
    changes = tuple(Change(start, stop, tuple(lines)) for start, stop, lines in _changes(old, new))
    return Edit("tiny", "1->2", path, tuple(old), changes)


LAMP = ("        self.lamp = True\n", "        self.lamp = False\n        self.door = 'open'\n")
HOUR = ("        if hour < 8:\n", "        if hour < 9 and hour > 5:\n")
TOTAL = ("        total += item.price & item.mask\n", "        if item:\n            total += item.price\n")
BYE = ('    print("done - bye")\n', '    print("done - good bye")\n    os.sync()\n')
COUNT = ('    print("total", total)\n', '    print("total", total)\n    print(len(shop.items))\n')

LAMPS = edit_of(SHOP, LAMP)
WHOLE = edit_of(SHOP, HOUR, TOTAL, BYE)
STEPS = "def work():\n" + "".join(f"    step{i}()\n" for i in range(40))
LONG = edit_of(STEPS, ("step5()", "one()"), ("step30()", "two()"))
TABS = edit_of(SHOP.replace("    ", "\t"), tuple(text.replace("    ", "\t") for text in TOTAL))
FANCY = edit_of(SHOP.replace("done - bye", "done \u2013 bye"), (BYE[0].replace("-", "\u2013"), BYE[1]))
PART = "\n\none\ntwo\nthree\nfour\n"
NOTES = edit_of(f"# A{PART}\n# B{PART}", ("# B\n\none\ntwo\n", "# B\n\none\n2\n"), path="a.md")
LIST = edit_of(
    "head\nfirst line\nsecond line\nthird line\nfourth line\ntail\n",
    ("first line\nsecond line\nthird line\n", "one line\nanother line\nmore lines\nlast of them\n"),
    path="list.txt",
)
TWICE = edit_of(
    "chapter one\nreturn value\nchapter two\nreturn value\nthe end\n",
    ("chapter two\nreturn value\n", "chapter two\nreturn other\n"),
    path="twice.txt",
)
GROWN = edit_of(
    SHOP, ("def main():\n", "def check(shop):\n    if shop:\n        return 1\n    return 0\n\n\ndef main():\n")
)
BRACES = edit_of(
    "function send(all) {\n  open();\n  go(all);\n}\n\nfunction other() {\n  stop();\n}\n\nend();\n",
    ("function send(all) {\n", "function sendLocal(all) {\n"),
    path="send.js",
)
EDITS = [LAMPS, WHOLE, LONG, TABS, FANCY, NOTES, edit_of(SHOP, COUNT), edit_of(SHOP, LAMP, BYE), LIST, TWICE, GROWN]
EDITS += [BRACES]


def made(name, edits=EDITS):
    """The first draft of a class that any edit gives, trying a few seeds."""
    kind = next(kind for kind in CLASSES if kind.name == name)
    for seed in range(20):
        for edit in edits:
            draft = kind.make(edit, random.Random(seed), EDITS)
            if draft:
                return edit, draft
    pytest.fail(f"no edit gives a case of {name}")


def body(draft, *ops):
    lines = draft.patch.split("\n")
    return [line for line in lines if line.startswith(ops) and not line.startswith(("***", "@@"))]


# --- the writer


def test_a_patch_shows_path_anchors_lines_and_the_end_of_file_mark():
    hunk = Hunk((Line(" ", "a"), Line("-", "b"), Line("+", "c")), 0, ("class A", "def f"), at_eof=True)
    assert patch_text([("x.py", [hunk])]) == (
        "*** Begin Patch\n*** Update File: x.py\n@@ class A\n@@ def f\n a\n-b\n+c\n*** End of File\n*** End Patch\n"
    )


def test_a_unified_diff_has_true_line_numbers_in_any_order_of_hunks():
    first = Hunk((Line("-", "a"), Line("+", "b"), Line("+", "c")), 2)
    second = Hunk((Line("-", "x"),), 9)
    text = unified_diff([("f", [second, first])])
    assert re.findall("@@.*@@", text) == ["@@ -10,1 +11,0 @@", "@@ -3,1 +3,2 @@"]


def test_a_line_without_newline_is_marked_in_a_unified_diff():
    hunk = Hunk((Line("-", "a"), Line(" ", "b")), 3)
    assert unified_diff([("f", [hunk])], {"f": 4}).endswith(" b\n\\ No newline at end of file\n")


def test_hunks_share_no_line_and_hold_their_context():
    hunks = hunks_of(WHOLE, 1)
    assert [(hunk.start, hunk.stop) for hunk in hunks] == [(6, 9), (22, 25), (31, 34)]
    assert hunks_of(edit_of(SHOP, COUNT), 0) is None


# --- well-posed


def test_a_block_that_stands_twice_is_not_well_posed():
    lines = ("a", "b", "a", "b")
    assert positions(Hunk((Line(" ", "a"), Line("-", "b")), 0), lines) == [0, 2]
    assert not well_posed([Hunk((Line(" ", "a"), Line("-", "b")), 0)], lines)


def test_order_and_overlap_can_leave_one_placement_of_hunks_that_fit_twice():
    lines = ("a", "b", "a", "b")
    a, b = Hunk((Line("-", "a"),), 0), Hunk((Line("-", "a"), Line("-", "b")), 2)
    assert well_posed([a, b], lines)
    assert ways([[0, 2], [1, 3]], [1, 1]) == 2
    assert ways([[0, 2], [1]], [2, 1]) == 0


def test_a_header_or_the_end_of_file_can_tell_two_blocks_apart():
    lines, scopes = NOTES.before, Scopes(NOTES.before, "markdown")
    hunk = Hunk(tuple(Line("-", text) for text in ("two", "three", "four")), 10)
    assert not well_posed([hunk], lines)
    assert well_posed([Hunk(hunk.lines, 10, ("# B",))], lines, scopes=scopes)
    assert well_posed([Hunk(hunk.lines, 10, at_eof=True)], lines)


def test_likeness_is_loosened_to_what_the_noise_hides():
    lines = ("  a", "a")
    hunk = Hunk((Line("-", "a"),), 1)
    assert positions(hunk, lines, EXACT) == [1]
    assert positions(hunk, lines, NO_INDENT) == [0, 1]


def test_an_altered_hunk_needs_three_differences_everywhere_else():
    hunk = Hunk(tuple(Line(" ", text) for text in "aXcd"), 0)
    assert is_lone(hunk, tuple("abcdzzzz"))
    assert not is_lone(hunk, tuple("abcdzbcd"))


def test_a_shortened_hunk_must_not_nearly_fit_elsewhere():
    hunk = Hunk((Line(" ", "a"), Line(" ", "c"), Line("-", "d"), Line(" ", "e")), 0)
    assert is_lone_with_gap(hunk, tuple("abcdezzzz"), 1)
    assert not is_lone_with_gap(hunk, tuple("abcdezxcde"), 1)
    assert fewest_misses(list("acde"), tuple("abcde")) == 0


def test_the_enclosing_definition_is_found_by_indentation():
    scopes = Scopes(SHOP.split("\n"), "python")
    at = scopes.lines.index("        self.lamp = True")
    assert [scopes.lines[i].strip() for i in scopes.chain(at, scopes.lines[at])] == [
        "def open(self, hour):",
        "class Shop:",
    ]


# --- distortions


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.name)
def test_every_class_gives_a_case_with_the_right_outcome(kind):
    edit, draft = made(kind.name)
    assert draft.patch.count("*** Begin Patch") == 1
    assert (draft.expected is None) == (kind.right == "refuse")
    if kind.right in ("apply", "ambiguous"):
        assert draft.expected != draft.before
    again = kind.make(edit, random.Random("same"), EDITS)
    assert again == kind.make(edit, random.Random("same"), EDITS)


def contexts(draft):
    return sum(line.startswith(" ") for line in draft.patch.split("\n"))


CHECKS = {
    "clean-ctx1": lambda e, d: contexts(d) < contexts(made("clean-ctx3")[1]),
    "clean-ctx0": lambda e, d: contexts(d) == 0,
    "clean-header": lambda e, d: "@@ def open(self, hour):" in d.patch,
    "nested-headers": lambda e, d: "@@ class Shop:\n@@ def open(self, hour):\n" in d.patch,
    "header-in-context": lambda e, d: re.search(r"^@@ (.+)\n(?: .*\n)* +\1$", d.patch, re.M),
    "header-repeated": lambda e, d: d.patch.count("@@ def work():") == 2,
    "dup-header": lambda e, d: next(iter(d.before.values())).count("\ntwo\nthree\n") == 2 or "_old" in str(d.before),
    "trailing-ws-patch": lambda e, d: re.search(r"^[ -].*[ \t]$", d.patch, re.M),
    "trailing-ws-file": lambda e, d: re.search(r"[ \t]$", d.expected[e.path], re.M),
    "dedent": lambda e, d: "+    self.lamp = False" in d.patch and LAMP[1] in d.expected[e.path],
    "indent-width": lambda e, d: "+  if item:" not in body(d, "+") and any(line[1:3] == "  " for line in body(d, "+")),
    "tabs-to-spaces": lambda e, d: "\t" in d.expected[e.path] and "\t" not in d.patch,
    "unicode-natural": lambda e, d: d.patch.isascii() and not d.before[e.path].isascii(),
    "unicode-file": lambda e, d: d.patch.isascii() and not d.before[e.path].isascii(),
    "unicode-patch": lambda e, d: not "".join(body(d, " ", "-")).isascii() and "".join(body(d, "+")).isascii(),
    "blank-bare": lambda e, d: "\n\n" in d.patch and "\n \n" not in d.patch,
    "blank-dropped": lambda e, d: contexts(d) == 5,
    "blank-between": lambda e, d: d.patch.count("\n\n") == d.patch.count("@@\n"),
    "ctx-unprefixed": lambda e, d: re.search(r"^[a-z]", d.patch, re.M) or "\n        self" in d.patch,
    "ctx-typo": lambda e, d: sum(line[1:] not in e.before for line in body(d, " ", "-")) == 1,
    "ctx-rewritten": lambda e, d: sum(line[1:] not in e.before for line in body(d, " ", "-")) == 1,
    "ctx-omitted": lambda e, d: len(body(d, " ")) == 5 and d.expected,
    "drifted": lambda e, d: d.before[e.path].split("\n")[:-1] != list(e.before),
    "crlf-file": lambda e, d: d.expected[e.path].count("\r\n") == d.expected[e.path].count("\n"),
    "crlf-patch": lambda e, d: d.patch.count("\r\n") == d.patch.count("\n") and "\r" not in str(d.expected),
    "mixed-eol": lambda e, d: d.before[e.path].count("\r\n") == len(e.before) // 5 == d.expected[e.path].count("\r\n"),
    "noeol-file": lambda e, d: not d.before[e.path].endswith("\n") and not d.expected[e.path].endswith("\n"),
    "hunks-reordered": lambda e, d: [*_at(e, d)] != sorted(_at(e, d)),
    "udiff-header": lambda e, d: re.search(r"^@@ -\d+,\d+ \+\d+,\d+ @@$", d.patch, re.M),
    "udiff-header-func": lambda e, d: re.search(r"^@@ -\d+,\d+ \+\d+,\d+ @@ (def|class|#) ", d.patch, re.M),
    "no-first-header": lambda e, d: f"{e.path}\n@@" not in d.patch,
    "wrap-heredoc": lambda e, d: re.match(r"(apply_patch )?<<'?EOF'?\n", d.patch) and d.patch.endswith("\nEOF\n"),
    "wrap-fence": lambda e, d: d.patch.startswith("```") and d.patch.endswith("```\n"),
    "eof-anchor": lambda e, d: "*** End of File\n" in d.patch and _appended(e, d),
    "eof-anchor-dup": lambda e, d: "*** End of File\n" in d.patch and _appended(e, d),
    "entities": lambda e, d: re.search("&(lt|gt|amp);", d.patch) and "&lt;" not in d.expected[e.path],
    "stale-removal": lambda e, d: sum(line[1:] not in e.before for line in body(d, "-")) == 1,
    "already-applied": lambda e, d: d.before == d.expected,
    "target-gone": lambda e, d: len(d.before[e.path]) < len("\n".join(e.before)),
    "twin-decoy": lambda e, d: any(line[1:] not in d.before[e.path].split("\n") for line in body(d, " ", "-")),
    "multifile-bad-second": lambda e, d: d.patch.count("*** Update File: ") == 2 == len(d.before),
}


def _at(edit, draft):
    return [edit.before.index(block.split("\n")[1][1:]) for block in draft.patch.split("@@")[1:]]


def _appended(edit, draft):
    return draft.expected[edit.path].startswith(draft.before[edit.path])


@pytest.mark.parametrize("name", CHECKS)
def test_a_distortion_does_what_its_class_says(name):
    edits = {"ctx-omitted": [LAMPS], "blank-dropped": [LAMPS, edit_of(SHOP, COUNT)]}
    assert CHECKS[name](*made(name, edits.get(name, EDITS)))


def test_an_ambiguous_case_is_never_well_posed():
    edit, draft = made("ambiguous", [NOTES, *EDITS])
    removed = [line[1:] for line in body(draft, "-")]
    assert all(edit.before.count(text) > 1 for text in removed)


# --- outcomes and reports


@pytest.mark.parametrize(
    ("succeeded", "after", "outcome"),
    [
        (True, {"f": b"    b\n"}, ("correct", "")),
        (True, {"f": b"b\n"}, ("wrong", "space")),
        (True, {"f": b"    b\r\n"}, ("wrong", "eol")),
        (True, {"f": b"    b\n", "f.orig": b""}, ("wrong", "files")),
        (False, {"f": b"a\n"}, ("refused", "")),
        (False, {"f": b""}, ("dirty", "")),
    ],
)
def test_outcomes_follow_success_and_tree(succeeded, after, outcome):
    case = Case("dedent", "apply", "n", "dev", "python", {"f": "a\n"}, "", {"f": "    b\n"})
    assert judge(case, succeeded, {"f": b"a\n"}, after)[:2] == outcome


def test_the_same_seed_gives_the_same_cases_and_the_reports_can_be_drawn():
    cases = make_cases(EDITS, seed=7, per_class=2)
    assert cases == make_cases(EDITS, seed=7, per_class=2)
    applier = type("Applier", (), {"name": "none", "version": ""})
    outcomes = [judge(case, False, {}, {}) for case in cases]
    whole = summary(cases, {"none": outcomes}, [applier])
    assert whole["none"]["averages"]["dirty"] == 0
    assert "| ambiguous |" in markdown(whole, "t") or "ambiguous" not in {case.kind for case in cases}
    assert svg(whole, "t").startswith("<svg")


def test_the_readme_explains_every_class_in_the_code_s_own_words():
    readme = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    assert [f"| {kind.name} | {kind.right} | {kind.says} |" for kind in CLASSES] == re.findall(
        r"^\| [\w-]+ \| (?:apply|either|refuse|ambiguous) \| .* \|$", readme, re.M
    )
