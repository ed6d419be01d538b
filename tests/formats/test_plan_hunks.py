"""A plan written as a patch or as a diff by its own hunks, without comparing whole files."""

from __future__ import annotations

import random

import pytest

from patchkit.applying import apply, read_patch
from patchkit.converting import write_plan
from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.core.language import Hunk, UpdateFile
from patchkit.core.language.parser import parse
from patchkit.formats.edit_writer import sections_of
from patchkit.formats.making import make_patch
from patchkit.sources import MemoryFiles

BEFORE = {"a.txt": b"".join(b"line %d\n" % number for number in range(30)), "b.txt": b"one\ntwo\n"}
DIFF = """--- a/a.txt
+++ b/a.txt
@@ -4,5 +4,5 @@
 line 3
 line 4
-line 5
+line five
 line 6
 line 7
@@ -20,4 +20,5 @@
 line 19
 line 20
+line 20 and a half
 line 21
 line 22
"""


def planned(text: str, before: dict[str, bytes], source: str = "unified"):
    files = MemoryFiles(dict(before))
    options = Options(check=True, source=source, allow_duplicate=True)
    return plan(read_patch(text, files, options), files, options)


def applied(text: bytes, before: dict[str, bytes], source: str, reverse: bool = False) -> dict[str, bytes]:
    files = MemoryFiles(dict(before))
    apply(text.decode(), files, Options(source="" if source == "v4a" else source, strict=True, reverse=reverse))
    return files.content


def after(made) -> dict[str, bytes]:
    return {name: b"".join(change.after) for name, change in made.changes.items() if change.after is not None}


def test_hunks_keep_the_context_that_they_came_with():
    made = sections_of(planned(DIFF, BEFORE))
    first = Hunk([], [" line 3", " line 4", "-line 5", "+line five", " line 6", " line 7"])
    second = Hunk([], [" line 19", " line 20", "+line 20 and a half", " line 21", " line 22"])
    assert made == [UpdateFile("a.txt", None, [first, second])]


def test_a_hunk_that_has_its_like_elsewhere_is_made_by_comparing():
    before = {"a.txt": b"x\nsame\ny\nz\nsame\nw\n"}
    made = planned("--- a/a.txt\n+++ b/a.txt\n@@ -5,1 +5,1 @@\n-same\n+other\n", before)
    assert sections_of(made) == [UpdateFile("a.txt", None, [Hunk([], [" z", "-same", "+other", " w"])])]


def test_a_file_that_two_sections_change_is_compared():
    text = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+eins\n"
    made = planned(text + text.replace("one", "eins").replace("+eins", "+uno"), BEFORE)
    assert sections_of(made) is None
    assert applied(write_plan(made, "v4a").text, {"b.txt": BEFORE["b.txt"]}, "v4a") == {"b.txt": b"uno\ntwo\n"}


SHARES_A_LINE = """--- a/a.txt
+++ b/a.txt
@@ -4,3 +4,3 @@
 line 3
-line 4
+line four
 line 5
@@ -6,3 +6,3 @@
 line 5
-line 6
+line six
 line 7
"""
BEFORE_A = {"a.py": b"def f():\n    return 1\n\n\n" + BEFORE["a.txt"].replace(b" ", b"_")}
DEFINES_AGAIN = """--- a/a.py
+++ b/a.py
@@ -24,2 +24,5 @@
 line_19
+def f():
+    return 2
+
 line_20
"""


UNENDED = {"a.txt": BEFORE["a.txt"] + b"last"}
AT_THE_END = """--- a/a.txt
+++ b/a.txt
@@ -30,2 +30,2 @@
-line 29
+line twenty-nine
 last
\\ No newline at end of file
"""


@pytest.mark.parametrize(
    ("text", "before"),
    [(DIFF, BEFORE), (DIFF, UNENDED), (AT_THE_END, UNENDED), (SHARES_A_LINE, BEFORE), (DEFINES_AGAIN, BEFORE_A)],
)
def test_a_plan_is_written_as_a_patch_that_gives_the_same_files(text, before):
    made = planned(text, before)
    assert applied(write_plan(made, "v4a").text, before, "v4a") == before | after(made)


def some_change(chance: random.Random) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """A file with lines that occur again and again, and the same file with a few changes; half of them are large."""
    old = [chance.choice(["", "}", "end", f"value {chance.randrange(40)}"]) for _ in range(chance.randrange(3, 60))]
    old += ["x" * 40_000] * chance.randrange(2)
    new = list(old)
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(new) + 1)
        new[at : at + chance.randrange(3)] = [f"new {chance.randrange(9)}" for _ in range(chance.randrange(3))]
    ending = chance.choice(["\n", "\n", "\n", "\r\n"])
    last = chance.choice([ending, ending, ending, ""])
    return tuple({"f.txt": (ending.join(lines) + last).encode()} for lines in (old, new))


@pytest.mark.parametrize("seed", range(6))
def test_a_converted_diff_gives_the_same_files_and_is_taken_back(seed):
    chance = random.Random(seed)
    for _ in range(30):
        before, wanted = some_change(chance)
        if before == wanted or not before["f.txt"].strip() or not wanted["f.txt"].strip():
            continue
        text = write_plan(_made_between(before, wanted), "unified").text
        made = planned(text.decode(), before)
        assert after(made) == wanted
        patch = write_plan(made, "v4a").text
        assert applied(patch, before, "v4a") == wanted
        assert applied(patch, wanted, "v4a", reverse=True) == before
        assert applied(write_plan(made, "unified").text, before, "unified") == wanted
        assert all(_is_alone(hunk, before, wanted) for hunk in parse(patch.decode()).sections[0].hunks)


def _made_between(before: dict[str, bytes], wanted: dict[str, bytes]):
    files = MemoryFiles(dict(before))
    return plan(make_patch(before, wanted), files, Options(allow_duplicate=True))


def _is_alone(hunk: Hunk, before: dict[str, bytes], wanted: dict[str, bytes]) -> bool:
    return all(
        hunk.anchors or hunk.at_eof or _count(lines, tree["f.txt"].decode().splitlines()) == 1
        for lines, tree in ((hunk.old(), before), (hunk.new(), wanted))
    )


def _count(lines: list[str], there: list[str]) -> int:
    return sum(there[at : at + len(lines)] == lines for at in range(len(there)))
