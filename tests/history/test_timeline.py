"""The contents of files before and after every run, worked out from the files now and the records."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import patchkit
from patchkit.history import tracked_workspace
from patchkit.history.reading import runs
from patchkit.history.timeline import Changed, Held, changes_of
from patchkit.tools.undo import redo, undo


def apply(root, *lines):
    patchkit.apply("\n".join(["*** Begin Patch", *lines, "*** End Patch", ""]), root, history=True)


def replaced(root, path, old, new):
    apply(root, f"*** Update File: {path}", "@@", f"-{old}", f"+{new}")


def seen(root):
    """The changes of every run, the oldest first."""
    with tracked_workspace(root) as files:
        known = runs(files.real)
        found = changes_of(known, files)
        return [found[run.id] for run in reversed(known)]


def text(words):
    return Held("file", words.encode())


@pytest.fixture
def root(tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    return tmp_path


def test_every_run_has_the_contents_before_and_after_it(root):
    replaced(root, "a.txt", "one", "two")
    replaced(root, "a.txt", "two", "three")
    apply(root, "*** Add File: b.txt", "+new")
    apply(root, "*** Delete File: a.txt")

    assert seen(root) == [
        [Changed("a.txt", text("one\n"), text("two\n"))],
        [Changed("a.txt", text("two\n"), text("three\n"))],
        [Changed("b.txt", Held("missing"), text("new\n"))],
        [Changed("a.txt", text("three\n"), Held("missing"))],
    ]


def test_a_file_that_another_program_changed_has_only_the_text_that_was_kept(root):
    replaced(root, "a.txt", "one", "two")
    (root / "a.txt").write_text("by hand\n")
    (change,) = seen(root)[0]

    assert (change.before, change.after, change.kept) == (None, None, b"one\n")
    assert change.why == "the file was changed or removed since by another program, or by a run that is forgotten"


def test_the_other_files_of_such_a_run_are_known(root):
    apply(root, "*** Update File: a.txt", "@@", "-one", "+two", "*** Add File: b.txt", "+new")
    (root / "a.txt").write_text("by hand\n")

    assert {change.path: change.after for change in seen(root)[0]} == {"a.txt": None, "b.txt": text("new\n")}


def test_a_run_that_was_undone_shows_what_it_had_changed_and_hides_nothing_older(root):
    replaced(root, "a.txt", "one", "two")
    replaced(root, "a.txt", "two", "three")
    with tracked_workspace(root) as files:
        undo(files)

    assert seen(root) == [
        [Changed("a.txt", text("one\n"), text("two\n"))],
        [Changed("a.txt", text("two\n"), text("three\n"))],
    ]


def test_a_file_too_large_to_be_compared_is_not_read(root):
    (root / "big.txt").write_bytes(b"line\n" * 1_000_000 + b"last\n")
    replaced(root, "big.txt", "last", "end")

    assert [(change.before, change.why) for change in seen(root)[0]] == [(None, "the file is too large to be shown")]


def test_looking_changes_nothing(root):
    replaced(root, "a.txt", "one", "two")
    before = contents_and_times(root)
    seen(root)

    assert contents_and_times(root) == before


def contents_and_times(root):
    """What is in a directory, and when it was changed; not when it was read."""
    found = {name: os.stat(root / name) for name in os.listdir(root)}
    return {name: (status.st_ino, status.st_mtime_ns, status.st_ctime_ns) for name, status in found.items()}


@examples(25)
@given(st.lists(st.sampled_from(["a", "b", "move", "undo", "redo", "delete", "add"]), min_size=1, max_size=9))
def test_what_is_worked_out_is_what_was_there(tmp_path_factory, steps):
    root = tmp_path_factory.mktemp("steps")
    for name in "ab":
        (root / f"{name}.txt").write_text("0\n")
    expected: dict[str, dict[str, tuple[Held, Held]]] = {}
    for number, step in enumerate(steps):
        before = _held(root)
        try:
            _do(root, step, number)
        except patchkit.PatchkitError:
            continue
        after = _held(root)
        with tracked_workspace(root) as files:
            newest = runs(files.real)[0].id if step not in ("undo", "redo") else ""
        if newest:
            names = {name for name in before | after if before.get(name) != after.get(name)}
            expected[newest] = {
                name: (before.get(name, Held("missing")), after.get(name, Held("missing"))) for name in names
            }
    with tracked_workspace(root) as files:
        found = changes_of(runs(files.real), files)

    for run, changes in found.items():
        known = {each.path: (each.before, each.after) for each in changes if not each.why}
        assert known == {name: expected[run][name] for name in known}


def _held(root):
    return {path.name: Held("file", path.read_bytes()) for path in root.iterdir() if path.is_file()}


def _do(root, step, number):
    if step in ("undo", "redo"):
        with tracked_workspace(root) as files:
            (undo if step == "undo" else redo)(files)
    elif step == "move":
        apply(root, "*** Update File: a.txt", f"*** Move to: moved{number}.txt")
    elif step == "delete":
        apply(root, "*** Delete File: b.txt")
    elif step == "add":
        apply(root, f"*** Add File: {'a' if number % 2 else 'b'}.txt", f"+added {number}")
    else:
        old = (root / f"{step}.txt").read_text().strip() if (root / f"{step}.txt").exists() else "0"
        replaced(root, f"{step}.txt", old, f"version {number}")


def test_a_file_that_was_only_moved_and_is_gone_since_leaves_the_other_runs_known(root):
    """`patchkit log` failed for good after that."""
    apply(root, "*** Update File: a.txt", "*** Move to: b.txt")
    apply(root, "*** Add File: c.txt", "+new")
    os.remove(root / "b.txt")
    moved, added = seen(root)

    assert added == [Changed("c.txt", Held("missing"), text("new\n"))]
    assert {(each.path, each.before, each.after) for each in moved} == {("a.txt", None, None), ("b.txt", None, None)}
    assert {each.why for each in moved} == {
        "the file was changed or removed since by another program, or by a run that is forgotten"
    }


def test_the_old_name_of_a_file_that_was_changed_after_a_move_has_no_wrong_content(root):
    apply(root, "*** Update File: a.txt", "*** Move to: b.txt")
    (root / "b.txt").write_text("by hand\n")

    assert {(each.path, each.before) for each in seen(root)[0]} == {("a.txt", None), ("b.txt", None)}
