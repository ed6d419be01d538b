"""The library as a host program calls it: values in, values or PatchkitError out, and no trace in the process."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CHARACTERS, examples, outcome, patches

import patchkit
from patchkit.core.language import AddFile, Hunk, UpdateFile
from patchkit.host_input import for_library

CHANGE = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n"
EVERYTHING = (
    "*** Begin Patch\n"
    "*** Add File: new/b.txt\n+fresh\n"
    "*** Update File: a.txt\n*** Move to: c.txt\n@@\n-one\n+two\n"
    "*** Delete File: old.txt\n"
    "*** End Patch\n"
)
BEFORE = {"a.txt": b"one\n", "old.txt": b"gone\n"}
AFTER = {"c.txt": b"two\n", "new/b.txt": b"fresh\n"}


@pytest.fixture
def root(tmp_path):
    for name, data in BEFORE.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def tree(directory) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


# -- parse, plan, apply --------------------------------------------------------------------------


@pytest.mark.parametrize("patch", [CHANGE, CHANGE.encode()], ids=["text", "bytes"])
def test_parse_gives_a_patch(patch):
    assert patchkit.parse(patch) == patchkit.Patch([UpdateFile("a.txt", None, [Hunk([], ["-one", "+two"])])])


def test_a_plan_on_a_mapping_is_made_true_by_commit():
    files = dict(BEFORE)
    plan = patchkit.plan(EVERYTHING, files)
    planned = dict(files)
    plan.commit()

    assert (planned, files) == (BEFORE, AFTER)


def test_a_plan_on_a_directory_is_made_true_by_commit(root):
    plan = patchkit.plan(EVERYTHING, root)
    planned = tree(root)
    plan.commit()

    assert (planned, tree(root)) == (BEFORE, AFTER)


def test_apply_changes_a_mapping():
    files = dict(BEFORE)

    done = patchkit.apply(EVERYTHING, files)

    assert (files, done.applied, done.notes) == (AFTER, True, [])


@pytest.mark.parametrize("spelled", [str, lambda path: path], ids=["string", "path"])
def test_apply_changes_a_directory(root, spelled):
    done = patchkit.apply(EVERYTHING, spelled(root))

    assert (tree(root), done.applied) == (AFTER, True)


def test_a_check_changes_nothing(root):
    files = dict(BEFORE)

    done = [patchkit.apply(EVERYTHING, files, check=True), patchkit.apply(EVERYTHING, root, check=True)]

    assert [each.applied for each in done] == [False, False]
    assert (files, tree(root)) == (BEFORE, BEFORE)


def test_relative_paths_start_where_the_caller_says(root):
    (root / "sub").mkdir()
    (root / "sub" / "a.txt").write_bytes(b"one\n")

    patchkit.apply(CHANGE, root, start=root / "sub")

    assert tree(root) == {**BEFORE, "sub/a.txt": b"two\n"}


def test_a_patch_that_was_built_can_be_planned():
    files = {"a.txt": b"one\n"}

    patchkit.plan(patchkit.Patch([AddFile("b", "x\n")]), files).commit()

    assert files == {"a.txt": b"one\n", "b": b"x\n"}


@pytest.mark.parametrize("call", [patchkit.plan, patchkit.apply, patchkit.check])
@pytest.mark.parametrize("sent", [CHANGE, CHANGE.encode(), patchkit.parse(CHANGE)], ids=["text", "bytes", "Patch"])
def test_plan_apply_and_check_take_text_bytes_and_a_patch(call, sent):
    assert call(sent, {"a.txt": b"one\n"}).notes == []


def test_check_gives_what_apply_would_give_and_writes_nothing(root):
    files = dict(BEFORE)

    checked = [patchkit.check(EVERYTHING, files), patchkit.check(EVERYTHING, root)]

    assert [each.applied for each in checked] == [False, False]
    assert (files, tree(root)) == (BEFORE, BEFORE)
    assert checked[0].files == checked[1].files == patchkit.apply(EVERYTHING, files).files


@pytest.mark.parametrize("call", [patchkit.plan, patchkit.check])
def test_a_mapping_that_cannot_be_changed_is_enough_to_plan_and_to_check(call):
    assert call(CHANGE, MappingProxyType({"a.txt": b"one\n"})).notes == []


def test_applying_to_a_mapping_that_cannot_be_changed_is_a_usage_error():
    with pytest.raises(patchkit.UsageError, match="files cannot be 'mappingproxy'"):
        patchkit.apply(CHANGE, MappingProxyType({"a.txt": b"one\n"}))


@pytest.mark.parametrize("call", [patchkit.plan, patchkit.check, patchkit.apply])
def test_a_str_in_a_mapping_is_a_usage_error_that_names_the_path(call):
    with pytest.raises(patchkit.UsageError, match=r"the content of 'a\.txt' cannot be 'str'"):
        call(CHANGE, {"a.txt": "one\n"})


DIFF = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"


@pytest.mark.parametrize("in_memory", [True, False])
def test_a_text_is_converted_on_the_files_and_nothing_is_written(in_memory, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one\n")
    files = {"a.txt": b"one\n"}

    made = patchkit.convert(DIFF, "v4a", files if in_memory else tmp_path, from_format="unified")

    assert made == patchkit.Converted(CHANGE.encode(), [])
    assert (files, (tmp_path / "a.txt").read_bytes()) == ({"a.txt": b"one\n"}, b"one\n")


def test_a_text_is_converted_without_files():
    made = patchkit.convert(DIFF, "v4a", None)

    assert made.text.decode() == CHANGE.replace("@@\n", "@@ -1,1 +1,1 @@\n")
    assert [note.code for note in made.notes] == ["P990"]


def test_what_takes_a_text_back_is_written():
    made = patchkit.convert(DIFF.replace("a.txt", "src/a.txt"), "v4a", {"a.txt": b"two\n"}, strip=2, reverse=True)

    assert made.text.decode() == CHANGE.replace("-one\n+two", "-two\n+one")
    with pytest.raises(patchkit.UsageError, match="root cannot be 'None'"):
        patchkit.convert(DIFF, "v4a", None, reverse=True)


def test_a_patch_for_other_programs_has_a_hunk_in_every_section():
    made = patchkit.make_patch({"a.txt": b"one\n"}, {"b.txt": b"one\n"}, portable=True)

    assert made == "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n one\n*** End Patch\n"


def test_what_a_format_cannot_say_is_left_out_on_request():
    change = "*** Begin Patch\n*** Delete File: b.txt\n" + CHANGE.split("\n", 1)[1]
    files = {"a.txt": b"one\n", "b.txt": b""}

    with pytest.raises(patchkit.PatchkitError) as caught:
        patchkit.convert(change, "json-edits", files)
    made = patchkit.convert(change, "json-edits", files, skip_unsupported=True)

    assert (caught.value.code, [note.code for note in made.notes][-1]) == ("P112", "P983")


@pytest.mark.parametrize(("to", "source"), [("patch", "auto"), ("v4a", "patch")])
def test_a_format_that_is_not_known_is_a_usage_error(to, source):
    with pytest.raises(patchkit.UsageError, match="cannot be 'patch'"):
        patchkit.convert(DIFF, to, {"a.txt": b"one\n"}, from_format=source)


def test_make_patch_refuses_a_str_and_names_the_path():
    with pytest.raises(patchkit.UsageError, match=r"the content of 'a\.txt' cannot be 'str'"):
        patchkit.make_patch({}, {"a.txt": "one\n"})  # type: ignore[dict-item]  # the mistake is the test


@pytest.mark.parametrize("call", [patchkit.plan, patchkit.check, patchkit.apply])
def test_a_misspelt_keyword_is_a_type_error(call):
    with pytest.raises(TypeError, match="max_pas"):
        call(CHANGE, {"a.txt": b"one\n"}, max_pas="exact")


@pytest.mark.parametrize("root", [None, 3, object()])
def test_a_root_that_is_none_of_the_three_kinds_is_a_usage_error(root):
    with pytest.raises(patchkit.UsageError, match="root cannot be"):
        patchkit.plan(CHANGE, root)


def test_a_start_goes_with_a_directory_only():
    with pytest.raises(patchkit.UsageError, match="start cannot be"):
        patchkit.plan(CHANGE, {"a.txt": b"one\n"}, start="sub")


def test_an_object_of_the_files_protocol_is_read_and_written():
    class Upper(patchkit.Files):
        """Files whose names are upper case, whatever a patch spells."""

        def __init__(self) -> None:
            self.kept = patchkit.MemoryFiles({"A.TXT": b"one\n"})

        def find(self, path, follow=True):
            return self.kept.find(path.upper(), follow)

        def commit(self, plan):
            self.kept.commit(plan)

    files = Upper()

    done = patchkit.apply(CHANGE, files)

    assert (done.applied, files.kept.content) == (True, {"A.TXT": b"two\n"})


# -- results -------------------------------------------------------------------------------------


def test_applied_lists_what_was_done_to_every_file(root):
    done = patchkit.apply(EVERYTHING, root)

    assert [(each.operation, each.path, each.moved_from, each.added, each.removed) for each in done.files] == [
        ("add", "new/b.txt", None, 1, 0),
        ("move", "c.txt", "a.txt", 1, 1),
        ("delete", "old.txt", None, 0, 1),
    ]


def test_applied_lists_the_place_of_every_hunk_and_how_it_was_found():
    patch = "*** Begin Patch\n*** Update File: a\n@@ def g():\n-  x\n+  y\n@@\n-end \n+END\n*** End Patch\n"

    (file,) = patchkit.apply(patch, {"a": b"def f():\n  x\ndef g():\n  x\nend\n"}).files

    assert [(each.index, each.patch_line, each.status, each.line, each.pass_name) for each in file.hunks] == [
        (1, 3, "applied", 4, "exact"),
        (2, 6, "applied", 5, "trailing-space"),
    ]
    assert all(isinstance(word, str) for each in file.hunks for word in each.evidence)


def test_a_deleted_file_that_cannot_be_read_is_deleted_all_the_same(root, monkeypatch):
    from patchkit.core.workspace import WorkspaceEntry

    def unreadable(entry):
        raise patchkit.PatchkitError("P401", file=entry.path, reason="permission denied")

    monkeypatch.setattr(WorkspaceEntry, "load", unreadable)

    done = patchkit.apply("*** Begin Patch\n*** Delete File: old.txt\n*** End Patch\n", root)

    assert [(each.operation, each.removed) for each in done.files] == [("delete", None)]
    assert not (root / "old.txt").exists()


def test_a_plan_shows_itself_as_a_diff_and_as_a_summary():
    plan = patchkit.plan(CHANGE, {"a.txt": b"one\n"})

    assert plan.diff() == "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"
    assert plan.summary() == "Patch applies. It would update the following files:\nM a.txt\n"


def test_the_diff_of_bytes_that_are_not_utf_8_gives_these_bytes_back():
    plan = patchkit.plan(CHANGE, {"a.txt": b"\xff\none\n"})

    assert b" \xff\n-one\n" in plan.diff().encode("utf-8", "surrogateescape")


def test_a_repr_is_one_short_line():
    files = {f"{number}.txt": b"one\n" * 1000 for number in range(9)}
    patch = patchkit.parse("*** Begin Patch\n" + "".join(f"*** Delete File: {n}\n" for n in files) + "*** End Patch\n")
    changed = patchkit.plan(CHANGE, {"a.txt": b"one\n"})

    assert repr(patchkit.plan(patch, files)) == "Plan(D 0.txt, D 1.txt, D 2.txt, D 3.txt, D 4.txt, and 4 more)"
    assert repr(patchkit.check(CHANGE, {"a.txt": b"one\n"})) == "Applied(M a.txt; not written)"
    assert repr(patchkit.apply(CHANGE, {"a.txt": b"one\n"})) == "Applied(M a.txt)"
    assert repr(patchkit.parse(CHANGE)) == "Patch([UpdateFile('a.txt')])"
    assert len(repr(patch)) < 120
    assert repr(changed.sections[0].results) == "[Match(line=0, count=1, pass_name='exact', evidence=[])]"
    assert repr(changed.sections[0].document) == "Document(4 bytes, UTF-8, lf)"


# -- undo ----------------------------------------------------------------------------------------


def test_a_run_is_recorded_and_undone_when_the_host_asks_for_it(root, state):
    patchkit.apply(CHANGE, root, history=True)
    changed = tree(root)

    done = patchkit.undo(root)

    assert (changed["a.txt"], tree(root)) == (b"two\n", BEFORE)
    assert [each.path for each in done.touched] == ["a.txt"]


@pytest.mark.parametrize("way", [patchkit.apply, lambda *given: patchkit.plan(*given).commit()], ids=["apply", "plan"])
def test_nothing_is_recorded_by_default(root, state, way):
    way(CHANGE, root)

    assert list(state.rglob("*")) == []
    with pytest.raises(patchkit.WorkspaceError) as refusal:
        patchkit.undo(root)
    assert refusal.value.code == "P321"


@pytest.fixture
def state(tmp_path_factory, monkeypatch):
    """The directory where history would be kept."""
    directory = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(directory))
    return directory


def test_a_plan_is_recorded_when_the_host_asks_for_it(root, state):
    patchkit.plan(CHANGE, root, history=True).commit()

    patchkit.undo(root)

    assert tree(root) == BEFORE


class Kept(patchkit.MemoryFiles):
    """Files that take the options about writing."""

    asked = None

    def prepare(self, options):
        self.asked = options.history


@pytest.mark.parametrize("way", [patchkit.apply, patchkit.plan])
def test_an_option_that_nothing_would_come_of_is_refused(way):
    for option, files in [({"history": True}, dict(BEFORE)), ({"conflicts": "markers"}, dict(BEFORE))]:
        refusal = outcome(way, CHANGE, files, **option)
        assert (refusal.code, refusal.facts["option"], files) == ("P601", *option, BEFORE)
    kept = Kept(dict(BEFORE))
    way(CHANGE, kept, history=True)
    assert kept.asked is True, "files of the host's own may keep a history"


def test_what_was_forgiven_is_noted_by_all_three_calls():
    text = "Here you are:\n" + CHANGE
    files = dict(BEFORE)

    noted = [
        patchkit.parse(text).notes,
        patchkit.plan(text, files).notes,
        patchkit.apply(text, files).notes,
    ]

    assert [[note.code for note in notes] for notes in noted] == [["P901"], ["P901"], ["P901"]]


@pytest.mark.parametrize("call", [patchkit.parse, patchkit.plan, patchkit.apply])
def test_strict_forgives_nothing_in_any_call(call):
    arguments = [] if call is patchkit.parse else [dict(BEFORE)]

    with pytest.raises(patchkit.PatchkitError) as refusal:
        call("Here you are:\n" + CHANGE, *arguments, strict=True)

    assert refusal.value.code == "P101"


def test_strict_takes_exact_places_only():
    with pytest.raises(patchkit.PatchkitError) as refusal:
        patchkit.plan(CHANGE, {"a.txt": b"one \n"}, strict=True)

    assert refusal.value.code == "P207"


def test_overwrite_and_the_codex_dialect_replace_files():
    text = "*** Begin Patch\n*** Add File: a.txt\n+new\n*** End Patch\n"
    first, second = dict(BEFORE), dict(BEFORE)

    patchkit.apply(text, first, overwrite=True)
    patchkit.apply(text, second, dialect="codex")

    assert (first["a.txt"], second["a.txt"]) == (b"new\n", b"new\n")


# -- refusals ------------------------------------------------------------------------------------


def refusal_of(patch, files, **options) -> patchkit.PatchkitError:
    with pytest.raises(patchkit.PatchkitError) as refusal:
        patchkit.apply(patch, files, **options)
    return refusal.value


def test_a_refusal_carries_code_file_hunk_line_and_hint():
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+w\n@@\n-y\n+z\n*** End Patch\n"

    error = refusal_of(patch, {"a.txt": b"x\ny\n\ny\n"})

    assert (error.code, error.kind, error.file, error.hunk, error.patch_line, error.line) == (
        "P202",
        "CONFLICT",
        "a.txt",
        2,
        6,
        2,
    )
    assert error.message == "hunk matches 2 places in 'a.txt' (lines 2, 4)"
    assert error.hint.endswith("nothing was written")
    assert str(error) == "P202: " + error.message


def test_a_refusal_of_the_text_carries_its_line_and_hint():
    error = refusal_of("*** Begin Patch\n*** Delete File: a\nx\n*** End Patch\n", {})

    assert (error.code, error.file, error.hunk, error.patch_line, error.line) == ("P103", None, None, 3, None)
    assert error.hint == "write one of '*** Add File:', '*** Delete File:', '*** Update File:', '*** End Patch' here"


DIFF = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"
UPDATE = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n"


@pytest.mark.parametrize("name", ["unified", "auto"])
@pytest.mark.parametrize("call", [patchkit.plan, patchkit.check, patchkit.apply])
def test_another_format_is_read_when_it_is_asked_for(call, name):
    assert "a.txt" in repr(call(DIFF, {"a.txt": b"one\n"}, from_format=name))
    with pytest.raises(patchkit.PatchkitError) as error:
        call(DIFF, {"a.txt": b"one\n"})
    assert (error.value.code, error.value.hint) == ("P108", "pass from_format='unified'")


def planned_by_one_planner(patch, root, **options):
    return patchkit.Planner(**options).plan(patch, root)


CALLS = [patchkit.plan, patchkit.check, patchkit.apply, planned_by_one_planner]


@pytest.mark.parametrize("call", CALLS)
def test_leading_parts_of_the_paths_of_a_diff_are_removed(call):
    assert "M a.txt" in repr(call(DIFF.replace("a.txt", "src/a.txt"), {"a.txt": b"one\n"}, strip=2))


@pytest.mark.parametrize("strip", [-1, "1", 1.0])
def test_the_number_of_parts_to_remove_is_not_negative(strip):
    assert (refusal_of(DIFF, {"a.txt": b"one\n"}, strip=strip).message) == f"strip cannot be '{strip}'"


def test_a_patch_that_was_read_has_no_parts_to_remove():
    assert refusal_of(patchkit.parse(UPDATE), {"a.txt": b"one\n"}, strip=1).code == "P601"


def test_the_format_of_a_text_does_not_matter_to_a_patch_that_was_read():
    files = {"a.txt": b"two\n"}

    patchkit.apply(patchkit.parse(UPDATE), files, from_format="unified", reverse=True)

    assert files == {"a.txt": b"one\n"}


MODULE = "diff --git a/m b/m\nindex 1..2 160000\n--- a/m\n+++ b/m\n@@ -1 +1 @@\n-S 1\n+S 2\n"


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("text", [MODULE, MODULE + DIFF])
def test_what_a_patch_cannot_say_is_left_out_with_a_note(call, text):
    files = {"a.txt": b"one\n"}
    with pytest.raises(patchkit.PatchkitError) as error:
        call(text, files, from_format="unified")
    done = call(text, files, from_format="unified", skip_unsupported=True)

    assert (error.value.code, error.value.hint) == (
        "P112",
        "pass skip_unsupported=True to leave it out, and run: git -C m checkout 2",
    )
    assert [note.code for note in done.notes] == ["P983"]
    assert ("M a.txt" in repr(done)) == (text != MODULE)


def test_a_plan_of_nothing_can_be_made_true(root):
    before = tree(root)

    made = patchkit.plan(MODULE, root, from_format="unified", skip_unsupported=True)
    made.commit()

    assert (made.effective, tree(root)) == ([], before)


def test_a_planner_takes_patches_back_and_merges_them():
    base = {"a.txt": b"one\nx\ny\n"}
    back = patchkit.Planner(reverse=True).plan(UPDATE, {"a.txt": b"two\n"})
    merged = patchkit.Planner(base=base).plan(UPDATE, {"a.txt": b"one\nx\ny\nz\n"})

    assert [b"".join(each.effective[0].after) for each in (back, merged)] == [b"one\n", b"two\nx\ny\nz\n"]


@pytest.mark.parametrize("patch", [UPDATE, UPDATE.encode(), patchkit.parse(UPDATE)])
def test_a_patch_is_taken_back(patch):
    files = {"a.txt": b"two\n"}

    patchkit.apply(patch, files, reverse=True)

    assert files == {"a.txt": b"one\n"}


@pytest.mark.parametrize("patch", [UPDATE, patchkit.parse(UPDATE)])
def test_a_patch_for_older_files_is_merged(patch, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"zero\none\nx\ny\n")
    files = {"a.txt": b"0\nzero\none\nx\ny\n"}

    patchkit.apply(patch, files, base=tmp_path)

    assert files == {"a.txt": b"0\nzero\ntwo\nx\ny\n"}


def test_a_conflict_with_the_base_is_refused_or_marked():
    base, files = {"a.txt": b"one\n"}, {"a.txt": b"1\n"}

    with pytest.raises(patchkit.PatchkitError) as error:
        patchkit.apply(UPDATE, files, base=base)
    patchkit.apply(UPDATE, files, base=base, conflicts="markers")

    assert (error.value.code, "conflicts='markers'" in (error.value.hint or "")) == ("P220", True)
    assert files["a.txt"] == b"<<<<<<< target\n1\n||||||| base\none\n=======\ntwo\n>>>>>>> patch\n"


def test_a_failed_second_section_leaves_the_first_undone(root):
    patch = CHANGE.replace("*** End Patch", "*** Delete File: nowhere\n*** End Patch")
    files = dict(BEFORE)

    errors = [refusal_of(patch, files), refusal_of(patch, root)]

    assert [(error.code, error.file) for error in errors] == [("P302", "nowhere"), ("P302", "nowhere")]
    assert (files, tree(root)) == (BEFORE, BEFORE)


def test_every_fault_is_carried_by_the_first():
    patch = "*** Begin Patch\n*** Delete File: x\n*** Delete File: y\n*** End Patch\n"

    assert [error.file for error in refusal_of(patch, {}).errors] == ["x", "y"]


@pytest.mark.parametrize("path", ["../out", "/etc/out", "a/../../out"])
def test_nothing_leaves_the_root(root, path):
    error = refusal_of(f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n", root)

    assert (error.code, error.file) == ("P301", path)


@pytest.mark.parametrize(
    ("patch", "options", "code"),
    [
        (None, {}, "P601"),
        (12, {}, "P601"),
        (["*** Begin Patch"], {}, "P601"),
        (CHANGE, {"dialect": "gnu"}, "P601"),
    ],
)
def test_arguments_that_cannot_be_are_refused(patch, options, code):
    assert refusal_of(patch, dict(BEFORE), **options).code == code


CLASSES = [
    ("P101", patchkit.PatchSyntaxError),
    ("P201", patchkit.PlacingError),
    ("P302", patchkit.WorkspaceError),
    ("P401", patchkit.InputOutputError),
    ("P601", patchkit.UsageError),
    ("P501", patchkit.PatchkitError),
    ("P621", patchkit.PatchkitError),
]


@pytest.mark.parametrize(("code", "expected"), CLASSES)
def test_the_class_of_an_error_follows_from_its_code(code, expected):
    assert type(for_library(patchkit.PatchkitError(code, file="a"))) is expected
    assert issubclass(expected, patchkit.PatchkitError)


@pytest.mark.parametrize(("code", "expected"), CLASSES)
def test_an_error_keeps_its_class_its_facts_and_its_words_on_the_way_to_another_process(code, expected):
    error = patchkit.PatchkitError(code, file="a", line=3)
    error.others = [patchkit.PatchkitError("P302", file="b")]
    error.suggestion, error.certainty = "better", "likely"
    error = for_library(error, "text", strict=True)

    copy = pickle.loads(pickle.dumps(error))

    assert type(copy) is expected
    assert (copy.code, copy.facts, copy.patch) == (code, error.facts, "text")
    assert (copy.suggestion, copy.certainty) == ("better", "likely")
    assert ([type(each) for each in copy.errors], copy.hint) == ([expected, patchkit.WorkspaceError], error.hint)
    assert copy.render() == error.render()


def test_a_refusal_as_plain_values_has_the_keys_of_the_json():
    error = refusal_of(CHANGE, {"a.txt": b"1\n"})

    assert error.to_dict() == {
        "code": "P201",
        "kind": "NOT_FOUND",
        "message": error.message,
        "hint": error.hint,
        "file": "a.txt",
        "hunk": 1,
        "patch_line": 3,
        "line": error.line,
    }


MISSING = "*** Begin Patch\n*** Delete File: nowhere\n*** End Patch\n"


@pytest.mark.parametrize(
    "sent", [MISSING, "Here you are:\n" + MISSING, MISSING.encode()], ids=["text", "prose", "bytes"]
)
def test_a_refusal_renders_itself_with_the_line_of_the_patch(sent):
    error = refusal_of(sent, {})

    assert error.render().startswith("error[P302]: file 'nowhere' does not exist\n")
    assert f"\n{error.patch_line} | *** Delete File: nowhere\n" in error.render()
    assert "\n  = help: " in error.render()


def test_all_errors_of_a_refusal_are_rendered():
    patch = "*** Begin Patch\n*** Delete File: x\n*** Delete File: y\n*** End Patch\n"

    assert refusal_of(patch, {}).render().count("error[P302]") == 2


def test_the_words_of_a_refusal_are_for_a_program():
    existing = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n"

    assert "overwrite=True" in refusal_of(existing, dict(BEFORE)).hint
    assert "forward=True" in refusal_of(CHANGE.replace("+two", "+one").replace("-one", "-0"), dict(BEFORE)).hint


def test_the_words_of_a_refusal_to_commit_are_for_a_program(root):
    plan = patchkit.plan(CHANGE, root)

    def refuse(plan):
        raise patchkit.PatchkitError("P317", file="a.txt", owner="root")

    plan.files.commit = refuse

    with pytest.raises(patchkit.WorkspaceError) as refusal:
        plan.commit()
    assert "allow_owner_change=True" in refusal.value.hint


def test_a_choice_that_cannot_be_is_named_as_the_argument_is():
    assert str(refusal_of(CHANGE, dict(BEFORE), max_pass="all")) == "P601: max_pass cannot be 'all'"
    assert str(refusal_of(CHANGE, dict(BEFORE), from_format="all")) == "P601: from_format cannot be 'all'"


def test_a_root_that_is_not_there_is_refused(tmp_path):
    assert refusal_of(CHANGE, tmp_path / "nowhere").code == "P312"


# -- a guest in the host's process ---------------------------------------------------------------


def process_state() -> dict[str, object]:
    mask = os.umask(0o022)
    os.umask(mask)
    return {
        "cwd": os.getcwd(),
        "umask": mask,
        "environment": dict(os.environ),
        "handlers": {each: signal.getsignal(each) for each in signal.valid_signals()},
        "hooks": (sys.excepthook, sys.stdout, sys.stderr, sys.getrecursionlimit()),
        "threads": threading.active_count(),
        "handles": len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None,
    }


def test_the_library_leaves_the_process_as_it_was_and_prints_nothing(root, capfd):
    patchkit.apply(CHANGE, {"a.txt": b"one\n"})  # what is loaded now is loaded once
    gc.collect()  # other tests may have left handles to be closed
    before = process_state()

    patchkit.apply("Noted:\n" + EVERYTHING, root)
    refusal_of(CHANGE, root)
    with pytest.raises(patchkit.PatchkitError):
        patchkit.parse("nothing")

    assert process_state() == before
    assert capfd.readouterr() == ("", "")


def test_the_library_works_from_any_thread(root):
    def work(number: int) -> bytes:
        (root / f"{number}.txt").write_bytes(b"one\n")
        patchkit.apply(CHANGE.replace("a.txt", f"{number}.txt"), root)
        return (root / f"{number}.txt").read_bytes()

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(work, range(8))) == [b"two\n"] * 8


def test_a_refusal_in_a_thread_is_raised_there():
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(refusal_of, CHANGE, {}).result().code == "P302"


# -- any input whatever --------------------------------------------------------------------------

FILES = {
    "a": b"a\nb\n a\na b\n\n",
    "b": b"",
    "a b": b"a\r\nb\r\nb",
    "-": b"\xff\xfea\x00\n\x00",
    "a.py": b"def f():\n\ta",
}


def result_or_refusal(patch: str | bytes, **options: object) -> None:
    """Applies the patch to a few files: a refusal leaves them as they are, and can be put into words."""
    files = dict(FILES)
    answer = outcome(patchkit.apply, patch, files, **options)
    if isinstance(answer, patchkit.PatchkitError):
        assert files == FILES or options.get("dialect") == "codex"
        assert all(each.message and each.hint and each.kind for each in answer.errors)
    else:
        assert answer.applied
        assert all(note.message for note in answer.notes)


OPTIONS = st.fixed_dictionaries(
    {},
    optional={"strict": st.booleans(), "overwrite": st.booleans(), "dialect": st.sampled_from(["safe", "codex"])},
)
MARKERS = [
    *["*** Begin Patch\n", "*** End Patch\n", "*** Add File: ", "*** Update File: ", "*** Delete File: "],
    *["*** Move to: ", "@@", "@@ ", "\n", "\n+", "\n-", "\n ", "a", "b", "\r\n", "*** End of File\n", "```", "<<EOF\n"],
    *[
        "\\ No newline at end of file\n",
        '{"input": "',
        '"}',
        "\\n",
        "\ufeff",
        "\x00",
        "\ud800",
        "\udcff",
        "--- ",
        "+++ ",
    ],
]


@given(text=st.one_of(st.text(st.characters(), max_size=40), st.lists(st.sampled_from(MARKERS)).map("".join)))
@examples(250)
def test_any_text_gives_a_result_or_a_refusal(text):
    result_or_refusal(text)


@given(data=st.one_of(st.binary(max_size=60), st.binary(max_size=40).map(b"*** Begin Patch\n".__add__)))
@examples(120)
def test_any_bytes_give_a_result_or_a_refusal(data):
    result_or_refusal(data)


@given(patch=patches(), options=OPTIONS)
@examples(250)
def test_any_patch_gives_a_result_or_a_refusal(patch, options):
    result_or_refusal(patchkit.write(patch), **options)


@st.composite
def mutated_patches(draw: st.DrawFn) -> str:
    """A patch that fits the files, with something done to it."""
    text = draw(st.sampled_from(FITTING))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        to = draw(st.integers(at, min(len(text), at + 12)))
        text = text[:at] + draw(st.sampled_from([*MARKERS, *CHARACTERS, text[at:to] * 2, ""])) + text[to:]
    return text


FITTING = [
    "*** Begin Patch\n*** Update File: a\n@@\n b\n- a\n+ c\n a b\n*** Add File: c\n+x\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: a b\n*** Move to: d/e\n@@\n a\n-b\n+c\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-\ta\n\\ No newline at end of file\n+\tb\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: -\n@@\n-a\n+b\n*** Delete File: a\n*** Add File: a\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: b\n@@\n+b\n*** End of File\n*** Delete File: a.py\n*** End Patch\n",
]


@pytest.mark.parametrize("patch", FITTING)
def test_the_patches_to_be_mutated_do_fit(patch):
    assert patchkit.apply(patch, dict(FILES)).applied


@given(text=mutated_patches(), options=OPTIONS)
@examples(400)
def test_any_mutation_of_a_patch_gives_a_result_or_a_refusal(text, options):
    result_or_refusal(text, **options)


@given(text=mutated_patches(), raw=st.binary(max_size=12), mark=st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff\xfe"]))
@examples(100)
def test_any_file_gives_a_result_or_a_refusal(text, raw, mark):
    answer = outcome(patchkit.apply, text, dict.fromkeys(FILES, mark + raw))

    assert isinstance(answer, patchkit.PatchkitError) or answer.applied


LONE = "\ud800"


@pytest.mark.parametrize(
    "body",
    [
        f"*** Add File: x\n+{LONE}\n",
        f"*** Add File: {LONE}\n+x\n",
        f"*** Update File: a\n@@\n-{LONE}\n",
        f"*** Update File: a\n@@\n-b\n+{LONE}\n",
        f"*** Update File: a\n@@ {LONE}\n-b\n",
        f"*** Update File: a\n*** Move to: {LONE}\n",
        f"*** Delete File: {LONE}\n",
    ],
    ids=lambda body: body.replace(LONE, "?").splitlines()[0],
)
def test_a_lone_surrogate_that_stands_for_no_byte_gives_a_result_or_a_refusal(root, body):
    patch = f"*** Begin Patch\n{body}*** End Patch\n"

    for files in (dict(FILES), root):
        answer = outcome(patchkit.apply, patch, files)
        assert answer.message if isinstance(answer, patchkit.PatchkitError) else answer.applied


def test_a_null_character_in_a_name_is_refused(root):
    patch = "*** Begin Patch\n*** Add File: a\0b\n+x\n*** End Patch\n"

    assert refusal_of(patch, root).code == "P309"


# -- corrections ---------------------------------------------------------------------------------

GREETING = (
    b'def greet(name, loud):\n    text = "Hi " + name\n    text = text.upper()\n    print(text)\n    return text\n'
)
MISREMEMBERED = """\
*** Begin Patch
*** Update File: a.py
@@
 def greet(name):
     text = "Hello " + name
     text = text.upper()
-    Print(text)
+    log(text)
     return text
*** End Patch
"""
REMEMBERED = MISREMEMBERED.replace("(name)", "(name, loud)").replace("Hello", "Hi").replace("Print", "print")
MARGINS = REMEMBERED.replace("-    print(text)", "-    print(text) ")  # with max_pass="exact"


def test_a_refusal_has_the_corrected_patch_where_one_is_asked_for():
    with pytest.raises(patchkit.PatchkitError) as refused:
        patchkit.apply(MISREMEMBERED, {"a.py": GREETING}, suggest=True)

    assert (refused.value.suggestion, refused.value.certainty) == (REMEMBERED, "likely")
    said = refused.value.to_dict()
    assert (said["suggestion"], said["confidence"]) == (REMEMBERED, "likely")
    assert refused.value.render().endswith(
        "  = help: pass fix='likely' to apply the corrected patch, if it is what you meant\n"
    )


def test_a_refusal_without_a_correction_has_no_keys_for_one():
    with pytest.raises(patchkit.PatchkitError) as refused:
        patchkit.apply(MISREMEMBERED, {"a.py": GREETING})

    assert (refused.value.suggestion, refused.value.certainty) == (None, None)
    assert not {"suggestion", "confidence"} & set(refused.value.to_dict())


@pytest.mark.parametrize(("fix", "applies"), [("", False), ("certain", False), ("likely", True)])
def test_fix_applies_a_likely_correction_only_if_that_is_asked_for(fix, applies):
    files = {"a.py": GREETING}
    if applies:
        done = patchkit.apply(MISREMEMBERED, files, fix=fix)
        assert [note.code for note in done.notes] == ["P939"]
    else:
        with pytest.raises(patchkit.PatchkitError):
            patchkit.apply(MISREMEMBERED, files, fix=fix)

    assert files == {"a.py": GREETING.replace(b"print", b"log") if applies else GREETING}


@pytest.mark.parametrize("fix", ["certain", "likely"])
def test_fix_applies_a_certain_correction(fix):
    files = {"a.py": GREETING}
    done = patchkit.apply(MARGINS, files, max_pass="exact", fix=fix)

    assert [(note.code, note.facts["certainty"]) for note in done.notes] == [("P939", "certain")]
    assert files == {"a.py": GREETING.replace(b"print", b"log")}


@pytest.mark.parametrize("dialect", ["safe", "codex"])
def test_a_section_that_changes_nothing_is_not_taken_for_the_whole_patch(dialect):
    sections = "*** Update File: a.py\n@@\n-x\n+x\n*** Update File: b.py\n@@\n-y\n+{}\n"
    codes = []
    for new in ("z", "y"):
        text = f"*** Begin Patch\n{sections.format(new)}*** End Patch\n"
        done = patchkit.apply(text, {"a.py": b"x\n", "b.py": b"y\n"}, dialect=dialect)
        codes.append([note.code for note in done.notes])

    assert codes == [["P930"], ["P930", "P930", "P933"]]


def test_a_check_with_fix_writes_nothing():
    files = {"a.py": GREETING}

    assert patchkit.check(MISREMEMBERED, files, fix="likely").applied is False
    assert files == {"a.py": GREETING}


def test_another_word_for_fix_is_refused():
    with pytest.raises(patchkit.PatchkitError) as refused:
        patchkit.apply(CHANGE, {"a.txt": b"one\n"}, fix="perhaps")

    assert refused.value.code == "P601"


def test_a_run_is_verified_by_several_commands_within_their_time(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n"
    refused = []
    for commands, seconds in ((["grep -q two a.txt", "false"], 120), (["sleep 600"], 1)):
        with pytest.raises(patchkit.PatchkitError) as refusal:
            patchkit.apply(patch, root, verify=commands, verify_timeout=seconds)
        refused.append((refusal.value.code, refusal.value.message, (root / "a.txt").read_text()))
    for wrong in ({"verify": [1]}, {"format": None}, {"verify": "true", "verify_timeout": 0}):
        with pytest.raises(patchkit.PatchkitError) as refusal:
            patchkit.apply(patch, root, **wrong)
        refused.append((refusal.value.code, refusal.value.message, (root / "a.txt").read_text()))
    patchkit.apply(patch, root, verify=["grep -q two a.txt", "true"])

    assert refused == [
        ("P648", "'false' failed (status 1), so the change was taken back", "one\n"),
        ("P648", "'sleep 600' failed (ended after 1 s), so the change was taken back", "one\n"),
        ("P601", "verify cannot be '[1]'", "one\n"),
        ("P601", "format cannot be 'None'", "one\n"),
        ("P601", "verify_timeout cannot be '0'", "one\n"),
    ]
    assert (root / "a.txt").read_text() == "two\n"
