"""What a run costs, counted and not timed: calls to the file system, and steps as the input doubles."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from counted_steps import steps

import patchkit
from benchmarks import growth
from patchkit.converting import write_blind
from patchkit.core.changes import Options, replacements, splice
from patchkit.core.changes.planner import plan
from patchkit.core.language import Hunk
from patchkit.core.language.parser import parse
from patchkit.core.matching import Match, Miss
from patchkit.core.matching.locate import locate
from patchkit.core.matching.passes import View
from patchkit.core.text import Document
from patchkit.errors import PatchkitError
from patchkit.formats.foreign import patch_of
from patchkit.formats.making import make_patch
from patchkit.formats.reading import read_format
from patchkit.sources import MemoryFiles

REPOSITORY = Path(__file__).resolve().parents[1]
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+zwei\n three\n*** End Patch\n"
MEMORY = {"mmap", "munmap", "brk", "mremap", "madvise", "futex"}  # calls that ask for no file


# -- calls ---------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace here")
def test_a_one_file_update_asks_the_system_for_few_things_and_syncs_three_times(tmp_path):
    """Counted from where the patch is read: what a plain run needs is loaded by then, but for the recorder.

    That is a few modules of ten calls each, loaded when something is committed.
    """
    shutil.copytree(REPOSITORY / "patchkit", tmp_path / "lib" / "patchkit")
    tree = tmp_path / "tree"
    tree.mkdir()
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path / "lib"), "XDG_STATE_HOME": str(tmp_path / "s")}
    told = tmp_path / "told"
    command = ["strace", "-f", "-o", str(told), sys.executable, str(REPOSITORY / "scripts" / "apply_patch")]
    seen = []
    for _ in range(4):  # the first run makes the state directory, and now and then one tidies it
        (tree / "a.txt").write_text("one\ntwo\nthree\n")
        done = subprocess.run(
            command, input=PATCH, cwd=tree, env=environment, text=True, capture_output=True, check=False
        )
        if "ptrace" in done.stderr.lower() or not told.read_text():
            pytest.skip(f"strace may not trace here: {done.stderr[:100]}")
        assert (done.returncode, done.stdout) == (0, "Success. Updated the following files:\nM a.txt\n")
        after = told.read_text().partition('read(0, "*** Begin Patch')[2]
        seen.append(Counter(re.findall(r"^\d+ +(\w+)\(", after, re.MULTILINE)))
    fewest = min(seen, key=lambda calls: calls.total())

    assert fewest["fsync"] + fewest["fdatasync"] == 3
    assert sum(count for name, count in fewest.items() if name not in MEMORY) <= 115, fewest


# -- steps ---------------------------------------------------------------------------------------


def rows(count):
    return [f"    value_{number} = {number}" if number % 7 else "    }" for number in range(count)]


def hunks_of(lines, every=20, distort=lambda text: text, anchor=()):
    made = []
    for at in range(8, len(lines) - 4, every):
        kept = [" " + distort(text) for text in lines[at - 3 : at]]
        below = [" " + distort(text) for text in lines[at + 1 : at + 4]]
        made.append(Hunk(list(anchor), [*kept, "-" + distort(lines[at]), f"+changed {at}", *below], line=1))
    return made


def patch_text(lines, anchored=False):
    body = []
    for hunk in hunks_of(lines):
        body += ["@@ def f():" if anchored else "@@", *hunk.lines]
    return "\n".join(["*** Begin Patch", "*** Update File: a", *body, "*** End Patch", ""])


def parsing(size, anchored=False):
    text = patch_text(rows(size), anchored)
    return lambda: parse(text)


def locating(size, distort=lambda text: text):
    lines = rows(size)
    document, hunks = Document("\n".join([*lines, ""]).encode()), hunks_of(lines, distort=distort)
    return lambda: locate(document, hunks, Options())


def locating_in_sameness(size, margin="", end=" end"):
    document = Document(b"x = 1\n" * size + b"end\n")
    hunk = Hunk([], [f" {margin}x = 1"] * (size // 2) + [f"-{margin}x = 1", "+y", end], line=1)
    return lambda: locate(document, [hunk], Options())


def locating_what_is_everywhere(size):
    document = Document(b"x = 1\ny = 2\n" * 3 * size)  # more places than are ever told
    hunks = [Hunk([], [" x = 1", "-y = 2", "+z"], line=1) for _ in range(size // 20)]
    return lambda: locate(document, hunks, Options())


def locating_nothing(size):
    lines = rows(size)
    document = Document("\n".join([*lines, ""]).encode())
    hunks = hunks_of(lines, distort=lambda text: text.replace("value", "volume"))
    return lambda: locate(document, hunks, Options())


def locating_blank_lines(size):
    document = Document(b"x = 1\ny = 2\n" * 40)
    hunk = Hunk([], [" "] * size + ["+y"], line=1)
    return lambda: locate(document, [hunk], Options())


def locating_below_twins(size):
    document = Document(b"def f():\n    x\n" * (size // 2))
    hunk = Hunk(["def f():", "def f"], ["-y", "+z"], line=1)
    return lambda: locate(document, [hunk], Options())


def splicing(size):
    lines = rows(size)
    document, hunks = Document("\n".join([*lines, ""]).encode()), hunks_of(lines)
    matches = locate(document, hunks, Options())
    assert all(isinstance(match, Match) for match in matches)
    return lambda: splice(document, [each for match in matches for each in replacements(document, match)])


def resolving(texts, count, size):
    """A text in another format, for one file."""
    files = MemoryFiles({"f.py": "".join(f"line {number}\n" for number in range(size)).encode()})
    text = texts(count)

    def work():
        try:
            plan(patch_of(text, "auto", files, Options()), files)
        except PatchkitError:
            pass  # what costs the same

    return work


def inserts(count):
    return json.dumps([{"command": "insert", "path": "f.py", "insert_line": n, "new_str": "new"} for n in range(count)])


def blocks(margin, alike=False):
    def text(count):
        names = [0 if alike else number for number in range(count)]
        return "".join(
            f"f.py\n<<<<<<< SEARCH\n{margin}line {n}\n=======\n{margin}new {n}\n>>>>>>> REPLACE\n" for n in names
        )

    return text


def fences(name):
    return lambda count: f"{name}\n```\n```\n" * count


def comparing_what_changes_everywhere(size):
    old, new = (("x\n" * 4 + line) * (size // 4) for line in ("a\n", "b\n"))
    return lambda: make_patch({"f": old.encode()}, {"f": new.encode()})


DIFF = "--- a/f.py\n+++ b/f.py\n@@ -1 +1 @@\n-line 0\n+new 0\n"


def naming(count):
    block = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
    text = f"f.py\n{block}" + f"word\n{block}" * count
    return lambda: write_blind(read_format(text), "v4a")


def idle_hunks(count):
    return "*** Begin Patch\n*** Update File: f.py\n" + "@@\n line 1\n" * count + "*** End Patch\n"


def miscounted(line):
    """Hunks of a diff whose counts are wrong."""
    return lambda count: DIFF[:22] + "".join(f"@@ -{n},9 +{n},9 @@\n-{line.format(n)}\n+new\n" for n in range(1, count))


WORK = {
    "hunks that change nothing": lambda size: resolving(idle_hunks, size // 4, 10),
    "hunks with wrong counts": lambda size: resolving(miscounted("line {}"), size // 8, size),
    "hunks with wrong counts that are nowhere": lambda size: resolving(miscounted("absent {}"), size // 8, size),
    "reading fences below what may be names": lambda size: resolving(fences("some name"), size // 4, 10),
    "reading fences below fences": lambda size: resolving(fences("```"), size // 4, 10),
    "resolving inserts": lambda size: resolving(inserts, size // 8, 220),
    "resolving blocks with another margin": lambda size: resolving(blocks("  "), size // 4, size),
    "resolving blocks that are repeated": lambda size: resolving(blocks("", alike=True), size // 4, size),
    "parsing": parsing,
    "parsing anchors": lambda size: parsing(size, anchored=True),
    "locating": locating,
    "locating with trailing blanks": lambda size: locating(size, lambda text: text + "  "),
    "locating with another margin": lambda size: locating(size, str.strip),
    "locating in sameness": locating_in_sameness,
    "locating in sameness with another margin": lambda size: locating_in_sameness(size, "  ", "   x = 1"),
    "locating what is everywhere": locating_what_is_everywhere,
    "locating what is nowhere": locating_nothing,
    "locating blank lines behind the end": locating_blank_lines,
    "locating below two anchors that are everywhere": locating_below_twins,
    "splicing": splicing,
    "making the patch of a change that is everywhere": comparing_what_changes_everywhere,
    "reading blank lines above a hunk": lambda size: resolving(lambda n: DIFF + "\n" * n + DIFF[22:], size, 10),
    "naming blocks by words above them": lambda size: naming(size // 8),
}


@pytest.mark.parametrize("name", WORK)
def test_twice_the_input_takes_about_twice_the_steps(name):
    once, twice = (steps(WORK[name](size)) for size in (800, 1_600))

    assert twice < 2.3 * once + 1_000


def test_twice_as_many_moves_and_deletions_take_about_twice_the_steps_their_record_included(tmp_path):
    def applying(count):
        root = tmp_path / str(count)
        for name, content in growth.tree_of(count).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(content)
        return lambda: patchkit.apply(growth.files_moved(count), root, history=True)

    applying(10)()  # loads what it needs
    once, twice = (steps(applying(count)) for count in (200, 400))

    assert twice < 2.1 * once


def test_the_first_thousand_ambiguous_hunks_say_where_they_fit_and_the_others_cost_less():
    document = Document(b"x = 1\n" * 9_000)
    found: dict[int, list[Match | Miss]] = {}

    def placing(count):
        hunks = [Hunk([], ["-x = 1", "+z"], line=1) for _ in range(count)]
        return lambda: found.update({count: locate(document, hunks, Options())})

    few, many = (steps(placing(count)) for count in (1_000, 2_000))

    last, next_one = found[2_000][999:1_001]
    assert isinstance(last, Miss)
    assert isinstance(next_one, Miss)
    assert (len(last.candidates), last.facts["count"], next_one.candidates) == (20, 7_001, [1_000])
    assert next_one.facts["places"] == "lines 1001 and 7,000 more"
    assert many - few < few


def test_files_in_the_place_of_directories_that_a_patch_made_and_emptied_cost_the_same_each():
    def planning(count):
        sections = (f"Add File: h{n}/x\n+a\n*** Delete File: h{n}/x\n*** Add File: h{n}\n+b" for n in range(count))
        patch = "".join(["*** Begin Patch\n", *(f"*** {each}\n" for each in sections), "*** End Patch\n"])
        return lambda: patchkit.check(patch, {})

    planning(1)()  # loads what it needs
    once, thrice = (steps(planning(count)) for count in (100, 300))

    assert thrice < 3.3 * once


@pytest.mark.parametrize("name", growth.WORK)
def test_no_work_that_is_measured_grows_faster_than_its_benchmark_allows(name):
    """The benchmark in a reduced form: steps instead of time, which a busy machine does not change."""
    growth.WORK[name](20)()  # loads what it needs
    once, thrice = (steps(growth.WORK[name](size)) for size in (100, 300))

    assert thrice < 3**growth.MOST * once + 1_000


def test_a_hunk_that_is_lost_among_twins_is_compared_with_those_around_its_likeliest_place_only():
    def refusing(count):
        text = "".join(f"def f{number}(a):\n    return a + {number}\n\n" for number in range(count))
        hunk = "@@\n def f(a):\n-    return a + 7\n+    return 8\n \n"
        patch = f"*** Begin Patch\n*** Update File: b.py\n{hunk}*** End Patch\n"

        def work():
            with pytest.raises(PatchkitError) as caught:
                patchkit.apply(patch, {"b.py": text.encode()}, suggest=True)
            assert "\n def f7(a):\n" in caught.value.suggestion

        return work

    refusing(60)()  # loads what it needs
    once, thrice = (steps(refusing(count)) for count in (60, 180))

    assert thrice < 1.5 * once


def test_the_lines_above_an_addition_are_not_looked_for_once_for_each_of_them(monkeypatch):
    looked = []
    search = View.occurrences
    monkeypatch.setattr(View, "occurrences", lambda view, wanted: looked.append(len(wanted)) or search(view, wanted))
    names = [f"value_{number % 90}" for number in range(2_000)]
    hunk = "@@\n" + "".join(f" {name}\n" for name in reversed(names)) + "+new\n"
    files = {"f": "".join(f"{name}\n" for name in names).encode()}

    with pytest.raises(PatchkitError):
        patchkit.apply(f"*** Begin Patch\n*** Update File: f\n{hunk}*** End Patch\n", files, suggest=True)

    assert sum(looked) < 40 * len(names)


@pytest.mark.parametrize(
    ("there", "shown"),
    [("x" + "é" * 40 + "z", "x" + "\ufffd" * 20 + "y"), ("é" + "ab" * 40 + "z", "Ã©" + "?" * 60 + "y")],
)
def test_lost_characters_are_not_tried_in_all_combinations(there, shown):
    """Which would take longer than any limit."""
    with pytest.raises(PatchkitError) as caught:
        patchkit.check(
            f"*** Begin Patch\n*** Update File: f\n@@\n-{shown}\n+new\n*** End Patch\n", {"f": there.encode()}
        )

    assert caught.value.code == "P201"


def test_marks_that_no_writing_has_on_one_letter_are_not_put_in_order():
    """Which would take minutes."""
    there, sent = ("a" + marks * 300_000 for marks in ("\u0323\u0301", "\u0301\u0323"))
    with pytest.raises(PatchkitError) as caught:
        patchkit.check(f"*** Begin Patch\n*** Update File: f\n@@\n-{sent}\n+b\n*** End Patch\n", {"f": there.encode()})

    assert caught.value.code == "P201"


def test_hunks_for_the_end_of_a_file_whose_line_is_everywhere_cost_little_each():
    document = Document(b"x = 1\ny = 2\n" * 2_000)

    def locating(count):
        hunks = [Hunk([], ["-x = 1", "+z"], line=1) for _ in range(count)]
        for hunk in hunks:
            hunk.at_eof = True
        return lambda: locate(document, hunks, Options())

    once, often = (steps(locating(count)) for count in (1, 9))

    assert often < 2 * once
