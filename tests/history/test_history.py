"""Undo and redo restore exactly or refuse: every kind of change alone, and the records they are made from."""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_trees import do, recorded
from strategies import examples

import patchkit
from patchkit import PatchkitError, history
from patchkit import history as contents
from patchkit.core import workspace
from patchkit.core.workspace import root_id
from patchkit.history import bounds, pack, run_id
from patchkit.history.reading import Touched, load, runs, unpack
from patchkit.tools.undo import redo, undo


def snapshot(root):
    """Everything under a directory: kinds, modes, contents and where links lead."""
    found: dict[str, tuple[object, ...]] = {}
    for directory, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = os.path.join(directory, name)
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                found[os.path.relpath(path, root)] = ("link", os.readlink(path))
            elif stat.S_ISDIR(status.st_mode):
                found[os.path.relpath(path, root)] = ("directory", stat.S_IMODE(status.st_mode))
            else:
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = ("file", stat.S_IMODE(status.st_mode), file.read())
    return found


def log(files):
    return runs(files.real)


def patched(*lines):
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def codes(error):
    return [(each.code, each.file) for each in error.value.errors]


@pytest.fixture
def root(place):
    made = os.path.join(place, "tree")
    os.mkdir(made)
    for name, mode, data in [
        ("a.txt", 0o644, b"one\ntwo\nthree\nfour\nfive\n"),
        ("run.sh", 0o755, b"#!/bin/sh\r\necho 1\r\nlast"),
        ("secret", 0o600, b"\xff\x00\xfe"),
        ("empty", 0o640, b""),
    ]:
        with open(os.path.join(made, name), "wb") as file:
            file.write(data)
        os.chmod(os.path.join(made, name), mode)
    os.symlink("a.txt", os.path.join(made, "link"))
    os.symlink("/nowhere", os.path.join(made, "dangling"))
    return made


# -- there and back ------------------------------------------------------------------------------

CHANGES = {
    "an-update": ["*** Update File: a.txt", "@@", "-one", "+eins", " two", " three", "-four", " five", "+six"],
    "an-update-of-an-unended-last-line": ["*** Update File: run.sh", "@@", " echo 1", "-last", "+end", "+of file"],
    "an-update-through-a-link": ["*** Update File: link", "@@", "-one", "+eins"],
    "an-update-by-two-sections": [
        *["*** Update File: a.txt", "@@", "-one", "+eins", "*** Update File: a.txt", "@@", "-five", "+fünf"],
    ],
    "an-add": ["*** Add File: new.txt", "+fresh"],
    "an-add-of-an-empty-file": ["*** Add File: new.txt"],
    "an-add-in-new-directories": ["*** Add File: x/y/new.txt", "+fresh", "*** Add File: x/z/new.txt", "+fresh"],
    "a-delete": ["*** Delete File: secret", "*** Delete File: run.sh", "*** Delete File: empty"],
    "a-delete-of-links": ["*** Delete File: link", "*** Delete File: dangling"],
    "a-move": ["*** Update File: run.sh", "*** Move to: bin/run"],
    "a-move-with-a-change": ["*** Update File: run.sh", "*** Move to: bin/run", "@@", "-echo 1", "+echo 2"],
    "a-move-and-a-new-file-in-its-place": [
        *["*** Update File: run.sh", "*** Move to: run", "*** Add File: run.sh", "+exec run"],
    ],
    "two-names-swapped": [
        *["*** Update File: a.txt", "*** Move to: c.txt", "@@", "-one", "+eins"],
        *["*** Update File: run.sh", "*** Move to: a.txt", "*** Update File: c.txt", "*** Move to: run.sh"],
    ],
    "a-file-in-the-place-of-a-link": ["*** Delete File: link", "*** Add File: link", "+a file"],
    "a-delete-and-an-add-of-one-name": ["*** Delete File: run.sh", "*** Add File: run.sh", "+#!/bin/sh"],
}


@pytest.mark.parametrize("lines", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("dialect", ["safe", "codex"])
def test_undo_and_redo_restore_bytes_modes_links_and_directories(root, lines, dialect):
    before = snapshot(root)
    recorded(patched(*lines), root, dialect=dialect)
    after = snapshot(root)
    assert after != before

    for _ in range(2):
        do(undo, root)
        assert snapshot(root) == before
        do(redo, root)
        assert snapshot(root) == after


def test_a_file_that_was_overwritten_by_a_move_comes_back_with_its_mode(root):
    before = snapshot(root)
    recorded(patched("*** Update File: a.txt", "*** Move to: secret"), root, overwrite=True)

    undone = do(undo, root)

    assert snapshot(root) == before
    assert undone.text.splitlines()[1:] == ["A a.txt", "M secret"], "both files are named, not only the one that moved"


def test_a_deleted_file_whose_name_ends_with_a_space_comes_back_beside_one_without(root):
    Path(root, "odd ").write_text("one\n")
    before = snapshot(root)
    recorded(patched("*** Delete File: odd "), root)
    Path(root, "odd").write_text("another\n")

    do(undo, root)

    Path(root, "odd").unlink()
    assert snapshot(root) == before


def test_a_file_that_took_the_place_of_one_to_be_deleted_stays_though_it_cannot_be_read(root, monkeypatch):
    def replaced(entry):
        Path(root, "new").write_bytes(b"of another program\n")
        os.replace(f"{root}/new", f"{root}/{entry.name}")
        return load_entry(entry)

    def unreadable(_stream, _size):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    load_entry = workspace.WorkspaceEntry.load
    monkeypatch.setattr(workspace.WorkspaceEntry, "load", replaced)
    monkeypatch.setattr(workspace, "read_all", unreadable)

    with pytest.raises(PatchkitError) as refused:
        recorded(patched("*** Delete File: secret"), root)

    assert (refused.value.code, Path(root, "secret").read_bytes()) == ("P311", b"of another program\n")


def test_a_file_that_was_overwritten_by_an_add_comes_back(root):
    before = snapshot(root)
    recorded(patched("*** Add File: run.sh", "+new"), root, overwrite=True)

    do(undo, root)

    assert snapshot(root) == before


def test_extended_attributes_of_a_deleted_file_come_back(root):
    try:
        os.setxattr(f"{root}/secret", "user.colour", b"blue")
    except (OSError, AttributeError):
        pytest.skip("no extended attributes here")
    recorded(patched("*** Delete File: secret"), root)

    do(undo, root)

    assert os.getxattr(f"{root}/secret", "user.colour") == b"blue"


def test_a_patch_in_the_codex_dialect_is_one_run(root):
    before = snapshot(root)
    lines = ["*** Add File: n", "+1", "*** Update File: n", "@@", "-1", "+2", "*** Delete File: a.txt"]
    lines += ["*** Update File: run.sh", "*** Move to: r", "*** Update File: r", "*** Move to: s"]
    recorded(patched(*lines), root, dialect="codex")

    [run] = do(log, root)
    assert run.touched == [Touched("A", "n"), Touched("M", "s", "run.sh"), Touched("D", "a.txt")]
    do(undo, root)
    assert snapshot(root) == before


def test_what_a_codex_patch_did_before_it_failed_can_be_undone(root):
    before = snapshot(root)
    with pytest.raises(PatchkitError):
        recorded(patched("*** Add File: n", "+1", "*** Delete File: missing"), root, dialect="codex")

    do(undo, root)

    assert snapshot(root) == before


def test_several_runs_are_undone_in_turn_and_redone_in_turn(root):
    states = [snapshot(root)]
    for number in range(4):
        old, new = ("one" if not number else f"one {number - 1}"), f"one {number}"
        recorded(patched("*** Update File: a.txt", "@@", f"-{old}", f"+{new}"), root)
        states.append(snapshot(root))

    for wanted in reversed(states[:-1]):
        do(undo, root)
        assert snapshot(root) == wanted
    for wanted in states[1:]:
        do(redo, root)
        assert snapshot(root) == wanted


def texts():
    lines = st.lists(st.tuples(st.sampled_from(["a", "b", "", "ä", "a "]), st.sampled_from(["\n", "\n", "\r\n"])))
    ended = lines.map(lambda pairs: "".join(text + end for text, end in pairs).encode())
    marked = st.tuples(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]), ended, st.sampled_from([b"", b"", b"c", b"a"]))
    plain = marked.map(b"".join)
    wide = plain.map(lambda data: data.decode("utf-8-sig").encode("utf-16"))
    return st.one_of(plain, plain, wide)


@given(before=texts(), after=texts(), dialect=st.sampled_from(["safe", "codex"]))
@examples(120)
def test_undo_gives_the_very_bytes_and_so_does_redo(wide_place, before, after, dialect):
    root = os.path.join(wide_place, "bytes")
    os.makedirs(root, exist_ok=True)
    with open(f"{root}/a", "wb") as file:
        file.write(before)
    try:
        patch = patchkit.make_patch({"a": before}, {"a": after})
        recorded(patch, root, dialect=dialect)
    except PatchkitError:
        return  # the language cannot say this change
    first = snapshot(root)
    if first["a"][2] == before:
        return

    do(undo, root)
    assert snapshot(root)["a"][2] == before
    do(redo, root)
    assert snapshot(root) == first


# -- refusals ------------------------------------------------------------------------------------


def test_undo_refuses_when_a_file_was_changed_since_and_names_every_one(root):
    recorded(patched(*CHANGES["an-update"], *CHANGES["an-add"], *CHANGES["a-delete"]), root)
    for name in ("a.txt", "new.txt", "secret"):
        with open(f"{root}/{name}", "ab") as file:
            file.write(b"more\n")
    before = snapshot(root)

    with pytest.raises(PatchkitError) as error:
        do(undo, root)

    assert codes(error) == [("P323", "a.txt"), ("P323", "new.txt"), ("P323", "secret")]
    assert snapshot(root) == before


@pytest.mark.parametrize("what", ["gone", "link", "directory"])
def test_undo_refuses_when_something_else_has_the_name(root, what):
    recorded(patched(*CHANGES["an-add"]), root)
    os.unlink(f"{root}/new.txt")
    if what == "link":
        os.symlink("a.txt", f"{root}/new.txt")
    elif what == "directory":
        os.mkdir(f"{root}/new.txt")
    before = snapshot(root)

    with pytest.raises(PatchkitError) as error:
        do(undo, root)

    assert codes(error) == [("P323", "new.txt")]
    assert snapshot(root) == before


def test_undo_never_goes_through_a_link_that_took_the_place_of_a_directory(root):
    recorded(patched("*** Add File: x/new.txt", "+fresh"), root)
    os.rename(f"{root}/x", f"{root}/y")
    os.symlink("y", f"{root}/x")
    before = snapshot(root)

    with pytest.raises(PatchkitError) as error:
        do(undo, root)

    assert codes(error) == [("P323", "x/new.txt")]
    assert snapshot(root) == before


def test_a_touch_does_not_count_as_a_change(root):
    before = snapshot(root)
    recorded(patched(*CHANGES["an-update"]), root)
    with open(f"{root}/a.txt", "rb") as file:
        data = file.read()
    os.unlink(f"{root}/a.txt")
    with open(f"{root}/a.txt", "wb") as file:
        file.write(data)

    do(undo, root)

    assert snapshot(root) == before


def test_a_mode_that_was_changed_since_is_kept(root):
    recorded(patched(*CHANGES["an-update"]), root)
    os.chmod(f"{root}/a.txt", 0o700)

    do(undo, root)

    assert snapshot(root)["a.txt"] == ("file", 0o700, b"one\ntwo\nthree\nfour\nfive\n")


def test_a_new_directory_stays_when_another_program_uses_it(root):
    recorded(patched(*CHANGES["an-add-in-new-directories"]), root)
    with open(f"{root}/x/y/mine", "wb"):
        pass

    do(undo, root)

    assert sorted(name for name in snapshot(root) if name.startswith("x")) == ["x", "x/y", "x/y/mine"]


def test_a_file_whose_place_a_directory_took_is_brought_back_unless_that_holds_other_files(root):
    before = snapshot(root)
    recorded(patched("*** Delete File: a.txt", "*** Add File: a.txt/b", "+b"), root)
    with open(f"{root}/a.txt/mine", "wb"):
        pass
    there = snapshot(root)
    with pytest.raises(PatchkitError) as error:
        do(undo, root)
    refused = [(each.code, each.file) for each in error.value.errors], snapshot(root)
    os.unlink(f"{root}/a.txt/mine")
    do(undo, root)

    assert refused == ([("P323", "a.txt/mine")], there)
    assert snapshot(root) == before


def test_a_directory_whose_place_a_file_took_has_its_mode_and_its_files_again(root):
    os.makedirs(f"{root}/private/deep/empty")
    with open(f"{root}/private/deep/b", "wb") as file:
        file.write(b"b\n")
    os.chmod(f"{root}/private", 0o700)
    before = snapshot(root)
    recorded(patched("*** Delete File: private/deep/b", "*** Add File: private", "+open"), root)
    after = snapshot(root)
    do(undo, root)
    undone = snapshot(root)
    do(redo, root)
    redone = snapshot(root)
    os.unlink(f"{root}/private")
    os.mkdir(f"{root}/private")
    with pytest.raises(PatchkitError) as error:
        do(undo, root)

    del before["private/deep/empty"]  # which no name of the run is in
    assert (undone, redone) == (before, after)
    assert (error.value.code, error.value.file) == ("P323", "private")


def test_what_is_too_large_to_keep_is_listed_and_cannot_be_undone(root, monkeypatch):
    monkeypatch.setattr(history, "MOST_KEPT", 20)
    recorded(patched(*CHANGES["a-delete"], "*** Delete File: a.txt"), root)

    with pytest.raises(PatchkitError) as error:
        do(undo, root)

    assert (error.value.code, error.value.facts["reason"][:8]) == ("P324", "'run.sh'")
    assert not os.path.exists(f"{root}/secret")
    assert [len(run.touched) for run in do(log, root)] == [4]


def test_a_file_too_large_to_hash_is_known_by_its_sign_alone(root, monkeypatch):
    monkeypatch.setattr(contents, "MOST_HASHED", 3)
    before = snapshot(root)
    recorded(patched(*CHANGES["an-update"]), root)
    do(undo, root)
    assert snapshot(root) == before
    do(redo, root)
    os.utime(f"{root}/a.txt")

    with pytest.raises(PatchkitError) as error:
        do(undo, root)

    assert codes(error) == [("P323", "a.txt")]


def test_nothing_to_undo_and_nothing_to_redo_are_refusals(root):
    for verb in (undo, redo):
        with pytest.raises(PatchkitError) as error:
            do(verb, root)
        assert (error.value.code, error.value.facts["verb"]) == ("P321", verb.__name__)


def test_a_new_patch_ends_what_can_be_redone_without_a_name(root):
    recorded(patched(*CHANGES["an-add"]), root)
    [run] = do(log, root)
    do(undo, root)
    recorded(patched(*CHANGES["an-update"]), root)

    with pytest.raises(PatchkitError) as error:
        do(redo, root)
    assert error.value.code == "P321"
    do(redo, root, run.id)
    assert os.path.exists(f"{root}/new.txt")


def test_a_run_is_undone_by_its_id_while_later_ones_stay_applied(root):
    recorded(patched(*CHANGES["an-add"]), root)
    [first] = do(log, root)
    recorded(patched(*CHANGES["an-update"]), root)

    do(undo, root, first.id)

    assert not os.path.exists(f"{root}/new.txt")
    assert [run.state for run in do(log, root)] == ["applied", "undone"]
    with pytest.raises(PatchkitError) as error:
        do(undo, root, first.id)
    assert error.value.message == f"run {first.id} is already undone"


def test_an_unknown_id_is_refused(root):
    with pytest.raises(PatchkitError) as error:
        do(undo, root, "nonsense")

    assert error.value.message == f"no run 'nonsense' in the history of '{root}'"


# -- records -------------------------------------------------------------------------------------


def records(root):
    directory = history.directory_of(root)
    return sorted(f"{directory}/{name}" for name in os.listdir(directory)) if os.path.isdir(directory) else []


def test_a_record_holds_the_replaced_spans_and_not_the_file(root):
    with open(f"{root}/a.txt", "wb") as file:
        file.write(b"".join(b"line %d\n" % number for number in range(10_000)))
    lines = ["*** Update File: a.txt", "@@", "-line 10", "+ten", "@@", "-line 9000", "+nine thousand"]
    recorded(patched(*lines), root)
    sizes = [os.stat(path).st_size for path in records(root)]
    do(undo, root)

    assert sizes < [400]
    assert [os.stat(path).st_size for path in records(root)] < [400]


def test_records_are_private(root):
    recorded(patched(*CHANGES["an-update"]), root)
    [path] = records(root)

    modes = [
        stat.S_IMODE(os.stat(each).st_mode) for each in (path, os.path.dirname(path), os.path.dirname(path) + "/..")
    ]
    assert modes == [0o600, 0o700, 0o700]


def test_nothing_is_recorded_where_nothing_changes(root):
    recorded(patched("*** Update File: a.txt", "@@", " one", "-two", "+two"), root)
    recorded(patched(*CHANGES["an-update"]), root, check=True)

    assert records(root) == []


def test_nothing_is_recorded_when_the_environment_says_so(root, monkeypatch):
    monkeypatch.setenv("PATCHKIT_NO_HISTORY", "1")
    recorded(patched(*CHANGES["an-update"]), root)

    assert records(root) == []


@pytest.mark.parametrize("value", ["", "0"])
def test_an_environment_that_says_no_to_no_history_keeps_one(root, monkeypatch, value):
    monkeypatch.setenv("PATCHKIT_NO_HISTORY", value)
    recorded(patched(*CHANGES["an-update"]), root)

    assert len(records(root)) == 1


def test_a_state_directory_that_cannot_be_made_is_not_a_failure(root, place, monkeypatch):
    with open(f"{place}/file", "wb"):
        pass
    monkeypatch.setenv("XDG_STATE_HOME", f"{place}/file")
    before = snapshot(root)
    recorded(patched(*CHANGES["an-update"]), root)

    assert snapshot(root) != before
    assert do(log, root) == []


def test_no_history_is_kept_inside_the_workspace(root, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", f"{root}/.state")
    recorded(patched(*CHANGES["an-update"]), root)

    assert not os.path.exists(f"{root}/.state")


def test_a_record_cut_short_is_listed_and_never_half_undone(root):
    recorded(patched("*** Add File: n", "+1", *CHANGES["a-delete"]), root, dialect="codex")
    before = snapshot(root)
    [path] = records(root)
    os.truncate(path, os.stat(path).st_size - 1)

    with pytest.raises(PatchkitError) as error:
        do(undo, root)

    assert (error.value.code, error.value.facts["reason"]) == ("P324", "its record is not whole")
    assert snapshot(root) == before


@pytest.mark.parametrize("block", [16, 64, 512])
def test_a_record_that_a_power_cut_left_with_zeros_in_it_undoes_nothing(root, block):
    """Records are not synced: after a cut some of their blocks may be zeros, in the content that they keep, too."""
    recorded(patched("*** Add File: n", "+1", *CHANGES["a-delete"]), root, dialect="codex")
    before = snapshot(root)
    [path] = records(root)
    with open(path, "rb") as file:
        whole = file.read()
    for at in range(0, len(whole), block):
        torn = whole[:at] + bytes(len(whole[at : at + block])) + whole[at + block :]
        with open(path, "wb") as file:
            file.write(torn)
        with pytest.raises(PatchkitError) as error:
            do(undo, root)
        assert (error.value.code in ("P324", "P321"), snapshot(root)) == (True, before), at


@pytest.mark.parametrize("data", [b"", b"garbage", b"5:hello", b"99999999999999999999:", pack(pack(b"another", b"b"))])
def test_what_is_not_a_record_is_passed_over(root, data):
    recorded(patched(*CHANGES["an-update"]), root)
    with open(os.path.join(os.path.dirname(records(root)[0]), "zzzzzzzz.run"), "wb") as file:
        file.write(data)

    assert len(runs(root)) == 1


@given(st.binary(max_size=60))
@examples(200)
def test_reading_a_record_raises_nothing_but_value_error(data):
    for each in (data, pack(pack(history.HEAD, b"applied", b"1 2", b"/r")) + data):
        try:
            load("00000000", each)
        except ValueError:
            pass


@given(st.lists(st.binary(max_size=12)))
@examples(60)
def test_unpacking_gives_what_was_packed(fields):
    assert unpack(pack(*fields)) == (fields, True)


def test_old_records_go_first_and_only_so_many_stay(root, monkeypatch):
    monkeypatch.setattr(bounds, "_MOST_RUNS", 3)
    for number in range(5):
        recorded(patched(f"*** Add File: {number}", "+x"), root)

    assert [run.touched[0].path for run in do(log, root)] == ["4", "3", "2"]


def test_records_older_than_a_month_go(root):
    recorded(patched(*CHANGES["an-update"]), root)
    recorded(patched(*CHANGES["an-add"]), root)
    old = time.time() - 31 * 86400
    os.utime(records(root)[0], (old, old))

    assert [run.touched for run in do(log, root)] == [[Touched("A", "new.txt")]]


def test_the_history_of_a_root_that_is_not_used_any_more_goes_after_a_month(root, place):
    other = f"{place}/other"
    os.mkdir(other)
    recorded(patched("*** Add File: n", "+x"), other)
    recorded(patched(*CHANGES["an-update"]), root)
    old = time.time() - 31 * 86400
    for path in [*records(other), history.directory_of(other)]:
        os.utime(path, (old, old))

    do(log, root)

    assert os.listdir(f"{place}/state/patchkit") == [root_id(root)]


def test_all_records_together_stay_within_bounds(root, monkeypatch):
    monkeypatch.setattr(bounds, "_MOST_BYTES", 700)
    for number in range(6):
        recorded(patched(f"*** Add File: {number}", "+x"), root)

    kept = do(log, root)
    assert [run.touched[0].path for run in kept] == ["5", "4", "3", "2"][: len(kept)]
    assert 0 < sum(os.stat(path).st_size for path in records(root)) <= 700


# -- names ---------------------------------------------------------------------------------------


@given(st.integers(0, 36**8 - 2))
@examples(60)
def test_ids_sort_like_the_time(moment):
    assert run_id(moment) < run_id(moment + 1)
    assert int(run_id(moment), 36) == moment


@given(st.text("/a+=-", max_size=6), st.text("/a+=-", max_size=6))
@examples(300)
def test_two_roots_never_share_a_name(one, other):
    assert (root_id(f"/{one}") == root_id(f"/{other}")) == (one == other)


def test_a_long_root_has_a_name_of_its_own_that_fits():
    names = [root_id("/" + "long/" * 80 + end) for end in ("a", "b")]

    assert names[0] != names[1]
    assert [name.endswith("+long+" + end) for name, end in zip(names, "ab")] == [True, True]
    assert max(len(name) for name in names) < 200


def test_a_root_is_known_by_its_real_name(root, place):
    os.symlink("tree", f"{place}/alias")
    before = snapshot(root)
    recorded(patched(*CHANGES["an-update"]), f"{place}/alias")

    do(undo, root)

    assert snapshot(root) == before


def test_undo_does_not_care_where_relative_paths_start(root, monkeypatch):
    os.mkdir(f"{root}/sub")
    before = snapshot(root)
    monkeypatch.chdir(f"{root}/sub")
    recorded(patched("*** Update File: ../a.txt", "@@", "-one", "+eins", "*** Add File: b", "+b"), root)

    [run] = do(log, root)
    assert run.touched == [Touched("A", "sub/b"), Touched("M", "a.txt")]
    do(undo, root)
    assert snapshot(root) == before


def test_a_write_of_the_same_size_within_one_tick_of_the_clock_is_seen(root):
    recorded(patched(*CHANGES["an-add"]), root)
    status = os.stat(f"{root}/new.txt")
    with open(f"{root}/new.txt", "wb") as file:
        file.write(b"FRESH\n")
    os.utime(f"{root}/new.txt", ns=(status.st_atime_ns, status.st_mtime_ns))

    with pytest.raises(PatchkitError) as error:
        do(undo, root)

    assert codes(error) == [("P323", "new.txt")]


def test_a_run_that_could_not_be_recorded_says_so(tmp_path, monkeypatch):
    (tmp_path / "state").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("x\n")

    done = patchkit.apply("*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n", root, history=True)

    assert (root / "a.txt").read_text() == "y\n"
    assert [note.code for note in done.notes] == ["P962"]
