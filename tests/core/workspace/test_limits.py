"""Inputs that grow without measure: an answer in seconds, in bounded memory, and nothing left open.

Bounds are on processor time, not on the clock, and many times what is needed: they tell a step that is taken once
for each line from one that is taken once for each pair of lines. Under PATCHKIT_TESTS=full the sizes are those that are
promised; otherwise a part of them, for which a step too many would show as well.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
from hashlib import sha256

import pytest
from fault_injection import attempt
from sample_trees import File, add, build, delete, envelope, snapshot, update

import patchkit

FULL = os.environ.get("PATCHKIT_TESTS") == "full"
SECONDS = 60 if FULL else 20  # of processor time
HUNKS = 1_000_000 if FULL else 100_000
ANCHORS = 100_000 if FULL else 20_000
SECTIONS = 20_000 if FULL else 5000
LARGE = 100 << 20 if FULL else 30 << 20  # bytes of a file


@pytest.fixture
def root(place):
    path = os.path.join(place, "root")
    build(path, {})
    return path


def answer(patch, files):
    """'applied' or the refusal's code; the refusal can be shown, too. 'no answer' after too much work for one."""

    def work():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        try:
            patchkit.apply(patch, files)
        except patchkit.PatchkitError as error:
            from patchkit.report.diagnostics import render_errors

            return (0, error.code) if render_errors(error.errors, patch) else (1, "no words")
        return 0, "applied" if isinstance(files, str) else f"applied {sha256(repr(files).encode()).hexdigest()}"

    run = attempt(work)
    if run.status in (-signal.SIGXCPU, -signal.SIGKILL):
        return "no answer"
    return run.words


def applied(files):
    """The answer when the mapping became this one."""
    return f"applied {sha256(repr(files).encode()).hexdigest()}"


# -- the patch ---------------------------------------------------------------------------------------


def test_a_great_many_empty_hunks_are_refused():
    patch = "*** Begin Patch\n*** Update File: a\n" + "@@\n" * HUNKS + "*** End Patch\n"
    assert answer(patch.replace("@@\n" * HUNKS, "@@\n-x\n+y\n"), {"a": b"x\n"}).startswith("applied")

    assert answer(patch, {"a": b"x\n"}) == "P106"


def test_a_great_many_anchors_that_are_not_there_are_refused():
    anchors = "".join(f"@@ anchor {number}\n" for number in range(ANCHORS))

    assert answer(envelope(f"*** Update File: a\n{anchors}-x\n"), {"a": b"y\n" * 1000}) in ("P201", "P203")


def test_a_great_many_anchors_that_are_all_there_narrow_one_after_the_other():
    lines = "".join(f"line {number}\n" for number in range(ANCHORS))
    anchors = "".join(f"@@ {line}\n" for line in lines.splitlines())
    files = {"a": f"{lines}x\n".encode()}

    assert answer(envelope(f"*** Update File: a\n{anchors}-x\n+y\n"), files) == applied({"a": f"{lines}y\n".encode()})


def test_two_thousand_equal_anchors_get_an_answer():
    patch = envelope("*** Update File: a\n" + "@@ same\n" * 2000 + "-x\n+y\n")
    new = applied({"a": b"same\n" * 2000 + b"y\n"})

    assert answer(patch, {"a": b"same\n" * 2000 + b"x\n"}) in (new, "P201", "P203")


def test_ten_thousand_hunks_of_one_file_are_applied():
    before = "".join(f"line {number}\n" for number in range(30_000))
    after = "".join(f"{'line' if number % 3 else 'new'} {number}\n" for number in range(30_000))
    changes = [(f"line {number}", f"new {number}") for number in range(0, 30_000, 3)]

    assert answer(envelope(update("a", *changes)), {"a": before.encode()}) == applied({"a": after.encode()})


def test_three_thousand_hunks_that_are_nowhere_are_refused():
    changes = [(f"nowhere {number}", "x") for number in range(3000)]

    assert answer(envelope(update("a", *changes)), {"a": b"line\n" * 3000}) == "P201"


def test_three_thousand_equal_hunks_for_three_thousand_equal_lines_get_an_answer():
    files = {"a": b"same\n" * 3000}
    new = applied({"a": b"new\n" * 3000})

    assert answer(envelope(update("a", *[("same", "new")] * 3000)), files) in (new, "P202")


def test_a_line_of_ten_megabytes_gets_an_answer():
    long = "x" * (10 << 20)
    lines = {
        f"@@\n-a\n+{long}\n": applied({"a": f"{long}\nb\n".encode()}),
        f"@@\n-{long}\n+c\n": "P201",
        f"@@\n {long}\n-a\n": "P201",
        f"@@ {long}\n-a\n+c\n": applied({"a": b"c\nb\n"}),  # tolerated: the line is at one place only
        f"*** Move to: {long}\n@@\n-a\n+c\n": applied({long: b"c\nb\n"}),
    }

    found = [answer(envelope(f"*** Update File: a\n{section}"), {"a": b"a\nb\n"}) for section in lines]
    assert found == [*lines.values()]


@pytest.mark.parametrize("character", ["x", "\0", "é"], ids=repr)
def test_ten_megabytes_of_one_character_are_refused(character):
    assert answer(character * (10 << 20), {"a": b"a\n"}) in ("P101", "P109")


@pytest.mark.parametrize("line", ["", "@@", "text"], ids=repr)
def test_a_hundred_thousand_lines_that_are_not_a_patch_are_refused(line):
    assert answer(f"{line}\n" * 100_000, {"a": b"a\n"}) in ("P101", "P109")


# -- many files --------------------------------------------------------------------------------------


def test_a_great_many_files_are_added_changed_moved_and_deleted(root):
    names = [f"d{number % 50}/f{number}" for number in range(SECTIONS)]

    assert answer(envelope(*[add(name, "one\n") for name in names]), root) == "applied"
    assert answer(envelope(*[update(name, ("one", "two")) for name in names]), root) == "applied"
    assert snapshot(root) == {name: File(b"two\n") for name in names}
    assert answer(envelope(*[delete(name) for name in names]), root) == "applied"


def test_a_great_many_sections_for_one_file_are_applied():
    sections = [update("a", (str(number), str(number + 1))) for number in range(SECTIONS)]

    assert answer(envelope(*sections), {"a": b"0\n"}) == applied({"a": b"%d\n" % SECTIONS})


def test_a_great_many_sections_that_are_all_wrong_are_refused(root):
    assert answer(envelope(*[delete(f"f{number}") for number in range(SECTIONS)]), root) == "P302"


def test_a_file_moved_from_name_to_name_is_at_the_last_one(root):
    with open(os.path.join(root, "f0"), "wb") as file:
        file.write(b"0\n")
    moves = [update(f"f{number}", move_to=f"f{number + 1}") for number in range(SECTIONS)]

    assert answer(envelope(*moves), root) == "applied"
    assert snapshot(root) == {f"f{SECTIONS}": File(b"0\n")}


def test_a_file_in_a_hundred_directories_is_added(root):
    deep = "/".join(f"d{number}" for number in range(100))

    assert answer(envelope(add(f"{deep}/x", "1\n")), root) == "applied"
    assert snapshot(root) == {f"{deep}/x": File(b"1\n")}


# -- the file ----------------------------------------------------------------------------------------


def test_a_hunk_of_half_a_file_of_equal_lines_gets_an_answer():
    """Fifty thousand lines, twenty-five thousand in the hunk: more than twenty thousand places fit."""
    patch = envelope("*** Update File: a\n@@\n" + " same\n" * 24_999 + "-same\n+new\n")

    assert answer(patch, {"a": b"same\n" * 50_000}) == "P202"


def test_a_hunk_whose_last_line_is_missing_gets_an_answer():
    """Every place of a repetitive file agrees in all lines but one: what makes a plain search quadratic."""
    patch = envelope("*** Update File: a\n@@\n" + " same\n" * 10_000 + "-missing\n+new\n")

    assert answer(patch, {"a": b"same\n" * 50_000}) == "P201"


def test_a_hunk_in_a_file_of_two_lines_in_turn_gets_an_answer():
    patch = envelope("*** Update File: a\n@@\n" + " a\n b\n" * 5000 + "-c\n+new\n")

    assert answer(patch, {"a": b"a\nb\n" * 25_000}) == "P201"


def test_a_hunk_whose_whitespace_differs_on_every_line_is_found_in_a_large_file():
    before = "".join(f"    line {number}\n" for number in range(50_000))
    wanted = "".join(f"   line {number}\n" for number in range(20_000, 24_000))
    patch = envelope(f"*** Update File: a\n@@\n{wanted}-    line 24000\n+    new\n")

    assert answer(patch, {"a": before.encode()}) == applied({"a": before.replace("line 24000\n", "new\n").encode()})


# -- memory and handles ------------------------------------------------------------------------------


tells_peaks = pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK), reason="needs /proc, to ask for the peak"
)


def memory_for(work):
    """How many bytes a piece of work takes at its height, and what it gives."""

    def measured():
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        before = peak()
        status = work()
        return status, str(peak() - before)

    run = attempt(measured)
    return int(run.words), run.status


@tells_peaks
@pytest.mark.parametrize("content", ["lines", "one line"])
def test_the_update_of_a_large_file_takes_at_most_about_three_times_its_size(tmp_path, content):
    root = str(tmp_path)  # not in memory, of which some machines lend little to files
    size = LARGE
    line = b"x" * 59 + b"\n" if content == "lines" else b"x" * size
    with open(os.path.join(root, "a"), "wb") as file:
        file.write(line * (size // len(line)) + b"\nfirst\n")
    patchkit.apply(envelope(add("b", "1\n")), root)  # everything is imported
    taken, _ = memory_for(lambda: len(patchkit.apply(envelope(update("a", ("first", "second"))), root).notes))

    assert taken < 3.5 * size


def line(number):
    return f"value_{number} = {number}  # {number:90}"


@tells_peaks
@pytest.mark.parametrize(
    ("hunk", "code"),
    [
        ([f"-{line(9)} ", "+new"], ""),
        (["-value_9 = nine", f"-{line(10)}", "+new"], "P201"),
        ([f"@@ {line(8)}", f"-{line(9)}", "+new"], ""),
        (["@@ def nowhere", f"-{line(9)}", "+new"], ""),
    ],
    ids=["other whitespace", "nowhere", "an anchor", "a lost anchor"],
)
def test_a_large_file_takes_no_more_where_its_lines_have_to_be_looked_at(tmp_path, monkeypatch, hunk, code):
    if not FULL:
        monkeypatch.setattr("patchkit.core.text.LARGE", 16 << 20)
    size, count = 0, 0
    with open(tmp_path / "a", "wb") as file:
        while size < (LARGE if FULL else 17 << 20):
            size += file.write("".join(f"{line(n)}\n" for n in range(count, count + 10_000)).encode())
            count += 10_000
    patch = "\n".join(["*** Begin Patch", "*** Update File: a", *hunk, "*** End Patch", ""])

    def work():
        try:
            patchkit.apply(patch, tmp_path)
            return 0
        except patchkit.PatchkitError as error:
            return int(error.code[1:]) - 200

    taken, status = memory_for(work)

    assert (status, taken < 3.5 * size) == (int(code[1:] or 200) - 200, True)


@tells_peaks
def test_renaming_and_deleting_a_gigabyte_takes_no_memory(tmp_path):
    with open(tmp_path / "a", "wb") as file:
        file.truncate(1 << 30)  # all of it a hole
    patchkit.apply(envelope(add("x", "1\n"), update("x", move_to="y")), tmp_path)  # everything is imported
    renamed, _ = memory_for(lambda: len(patchkit.apply(envelope(update("a", move_to="b")), tmp_path).notes))
    deleted, _ = memory_for(lambda: len(patchkit.apply(envelope(delete("b")), tmp_path).notes))

    assert max(renamed, deleted) < 16 << 20
    assert os.listdir(tmp_path) == ["y"]


@tells_peaks
def test_a_patch_without_end_is_refused_at_the_limit(root):
    from patchkit.cli.apply_patch import run

    def work():
        os.dup2(os.open("/dev/zero", os.O_RDONLY), 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        return run(["--root", root])

    taken, status = memory_for(work)

    assert (status, taken < 3 * (64 << 20)) == (1, True)


def test_a_patch_of_exactly_the_limit_is_taken_and_one_byte_more_is_not(root):
    from patchkit.cli.apply_patch import run

    patch = envelope(add("a", "x" * 5000))

    def status(limit):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        return run(["--root", root, "--max-patch-bytes", str(limit), patch]), ""

    assert attempt(lambda: status(len(patch) - 1)).status == 1
    assert snapshot(root) == {}
    assert attempt(lambda: status(len(patch))).status == 0


def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))


def handles():
    gc.collect()  # an error may hold the plan it came from, and a test's frame the error
    return sorted(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc, to count handles")
def test_applying_and_being_refused_leaves_no_handles_open(root):
    build(root, {"d/e/a.txt": File(b"one\n")})
    before = handles()
    for old, new in [("one", "two"), ("two", "one")] * 10:
        patchkit.apply(envelope(update("d/e/a.txt", (old, new))), root)
        with pytest.raises(patchkit.PatchkitError):
            patchkit.apply(envelope(delete("d/e/nowhere")), root)
        patchkit.apply(envelope(delete("d/e/a.txt")), root, check=True)

    assert handles() == before


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc, to count handles")
def test_planning_leaves_no_handles_open(root):
    build(root, {"d/e/a.txt": File(b"one\n")})
    before = handles()
    for _ in range(20):
        patchkit.plan(envelope(update("d/e/a.txt", ("one", "two"))), root)
        with pytest.raises(patchkit.PatchkitError):
            patchkit.plan(envelope(delete("d/e/nowhere")), root)

    assert handles() == before


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc, to count handles")
def test_a_start_that_is_refused_leaves_no_handles_open(root):
    before = handles()
    for _ in range(20):
        with pytest.raises(patchkit.PatchkitError):
            patchkit.apply(envelope(add("x", "1\n")), root, start="/")

    assert handles() == before
