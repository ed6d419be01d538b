"""What a patch comes to: sections in their order, each seeing what the ones before it left."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import edits, examples, file_bytes, outcome

from patchkit import PatchkitError
from patchkit.core.changes import Options, planner
from patchkit.core.changes import planner as repeated_sections
from patchkit.core.changes.planner import plan
from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.core.matching import placer, search
from patchkit.core.matching.locate import locate
from patchkit.core.matching.passes import Views
from patchkit.sources import MemoryFiles

ONE_LINE = {"a": b"one\n"}


def change(path: str, old: str, new: str, move_to: str | None = None) -> UpdateFile:
    return UpdateFile(path, move_to, [Hunk([], ["-" + old, "+" + new])])


def applied(files: dict[str, bytes], *sections: FileOp, **rules: object) -> dict[str, bytes]:
    """The files after the sections."""
    after = dict(files)
    plan(Patch(list(sections)), MemoryFiles(after), Options(**rules)).commit()
    return after


def refused(files: dict[str, bytes], *sections: FileOp) -> list[str]:
    """The codes of all faults; and the files are as they were."""
    after = dict(files)
    with pytest.raises(PatchkitError) as refusal:
        plan(Patch(list(sections)), MemoryFiles(after))
    assert after == files
    return [error.code for error in refusal.value.errors]


# -- sections see the results of earlier ones ----------------------------------------------------


@pytest.mark.parametrize(
    ("sections", "after"),
    [
        ([AddFile("b", "x\n"), change("b", "x", "y")], {"a": b"one\n", "b": b"y\n"}),
        ([DeleteFile("a"), AddFile("a", "x\n")], {"a": b"x\n"}),
        ([change("a", "one", "two"), change("a", "two", "three")], {"a": b"three\n"}),
        ([change("a", "one", "two", "b"), change("b", "two", "three")], {"b": b"three\n"}),
        ([UpdateFile("a", "b"), AddFile("a", "x\n")], {"a": b"x\n", "b": b"one\n"}),
        ([UpdateFile("a", "b"), UpdateFile("b", "a")], {"a": b"one\n"}),
        ([UpdateFile("a", "b"), DeleteFile("b")], {}),
        ([AddFile("b", "x\n"), DeleteFile("b")], {"a": b"one\n"}),
        ([AddFile("b", "x\n"), UpdateFile("b", "c")], {"a": b"one\n", "c": b"x\n"}),
        ([DeleteFile("a"), AddFile("b", "x\n"), UpdateFile("b", "a")], {"a": b"x\n"}),
    ],
)
def test_a_section_sees_what_earlier_ones_left(sections, after):
    assert applied(ONE_LINE, *sections) == after


@pytest.mark.parametrize(
    ("sections", "codes"),
    [
        ([DeleteFile("a"), change("a", "one", "two")], ["P302"]),
        ([DeleteFile("a"), DeleteFile("a")], ["P302"]),
        ([UpdateFile("a", "b"), change("a", "one", "two")], ["P302"]),
        ([AddFile("b", "x\n"), AddFile("b", "y\n")], ["P303"]),
        ([AddFile("b", "x\n"), UpdateFile("a", "b")], ["P304"]),
        ([change("a", "one", "two"), change("a", "one", "three")], ["P201"]),
    ],
)
def test_a_section_does_not_see_what_earlier_ones_took_away(sections, codes):
    assert refused(ONE_LINE, *sections) == codes


NAMES = ("a", "b", "c")
STEPS = st.tuples(st.sampled_from(["add", "delete", "change", "move", "move+change"]), *[st.sampled_from(NAMES)] * 2)


@given(steps=st.lists(STEPS, min_size=1, max_size=6), standing=st.sets(st.sampled_from(NAMES)))
@examples(300)
def test_sections_do_what_a_dictionary_would_do_one_after_the_other(steps, standing):
    before = {name: f"{name}\n".encode() for name in sorted(standing)}
    model, sections, fault = dict(before), [], None
    for number, (step, name, other) in enumerate(steps):
        current = model.get(name)
        new = f"{number}\n"
        hunks = [Hunk([], ["-" + (current or b"?\n").decode()[:-1], "+" + new[:-1]])]
        if step == "add":
            sections.append(AddFile(name, new))
            fault = fault or ("P303" if current is not None else None)
            model[name] = new.encode()
            continue
        fault = fault or ("P302" if current is None else None)
        if step == "delete":
            sections.append(DeleteFile(name))
            model.pop(name, None)
            continue
        moved = step.startswith("move")
        sections.append(UpdateFile(name, other if moved else None, hunks if step != "move" else []))
        result = new.encode() if step != "move" else model.pop(name, b"")
        if moved and other != name:
            fault = fault or ("P304" if other in model else None)
            model.pop(name, None)
        model[other if moved else name] = result

    if fault:
        assert refused(before, *sections)[0] == fault
    else:
        assert applied(before, *sections) == model


# -- a file after its hunks ----------------------------------------------------------------------


@given(edit=edits(), bom=st.sampled_from([b"", b"\xef\xbb\xbf"]))
@examples(300)
def test_a_planned_edit_is_the_edit_worked_out_line_by_line(edit, bom):
    assume(edit.hunks)
    files = {"a": file_bytes(edit.before, bom)}

    after = outcome(applied, files, UpdateFile("a", None, edit.hunks))

    if isinstance(after, PatchkitError):  # for adding what is there already, or for lines that two hunks may share
        assert {each.code for each in after.errors} <= {"P202", "P205"}
    else:
        assert after == {"a": file_bytes(edit.after, bom)}


def test_planning_changes_no_file():
    raw = b"one\n"
    files = {"a": raw}

    plan(Patch([change("a", "one", "two", "b"), AddFile("c", "x\n"), DeleteFile("b")]), MemoryFiles(files))

    assert files == {"a": b"one\n"}
    assert files["a"] is raw


def test_a_patch_line_that_a_wide_file_cannot_hold_is_refused():
    files = {"a": "\ufeffone\n".encode("utf-16-le")}

    assert refused(files, change("a", "one", "\udcff")) == ["P210"]


def test_a_hunk_can_take_the_final_newline_and_nothing_else():
    hunk = Hunk([], ["-one", "+one"], at_eof=True, final_newline=False)

    assert applied(ONE_LINE, UpdateFile("a", None, [hunk])) == {"a": b"one"}


def test_a_hunk_can_give_a_final_newline_and_nothing_else():
    hunk = Hunk([], ["-one", "+one"], at_eof=True, final_newline=True)

    assert applied({"a": b"one"}, UpdateFile("a", None, [hunk])) == {"a": b"one\n"}


def test_a_new_last_line_has_no_newline_in_a_file_without_one_whichever_hunk_took_the_old_one():
    hunks = [Hunk([], [" one", "+two"]), Hunk([], ["-three"])]

    assert applied({"a": b"one\nthree"}, UpdateFile("a", None, hunks)) == {"a": b"one\ntwo"}


def test_an_update_leaves_a_wide_files_encoding():
    files = {"a": "\ufeffone\r\ntwo\r\n".encode("utf-16-be")}

    assert applied(files, change("a", "two", "zwölf")) == {"a": "\ufeffone\r\nzwölf\r\n".encode("utf-16-be")}


# -- names ---------------------------------------------------------------------------------------


def test_a_move_onto_itself_is_an_update():
    assert applied(ONE_LINE, change("a", "one", "two", "./a")) == {"a": b"two\n"}


def test_a_file_takes_the_place_of_a_directory_once_every_file_in_it_is_gone():
    files = {"d/a": b"one\n", "d/s/b": b"two\n", "e": b"three\n"}
    emptied = [DeleteFile("d/a"), UpdateFile("d/s/b", "b")]

    assert applied(files, *emptied, AddFile("d", "x\n")) == {"b": b"two\n", "d": b"x\n", "e": b"three\n"}
    assert applied(files, *emptied, UpdateFile("e", "d")) == {"b": b"two\n", "d": b"three\n"}
    assert applied(files, *emptied, AddFile("d", "x\n"), DeleteFile("d"), AddFile("d/a", "y\n")) == {
        "b": b"two\n",
        "d/a": b"y\n",
        "e": b"three\n",
    }
    assert refused(files, emptied[0], AddFile("d", "x\n")) == ["P305"]
    assert refused(files, *emptied, AddFile("d/n", "x\n"), AddFile("d", "x\n")) == ["P305"]
    assert refused(files, *emptied, AddFile("d", "x\n"), AddFile("d/n", "x\n")) == ["P310"]


@pytest.mark.parametrize(
    ("section", "code"),
    [
        (AddFile("a", "x\n"), "P303"),
        (UpdateFile("b", "a"), "P304"),
        (DeleteFile("c"), "P302"),
        (change("c", "x", "y"), "P302"),
        (AddFile("d", "x\n"), "P305"),
        (DeleteFile("d"), "P305"),
        (UpdateFile("b", "d"), "P305"),
        (AddFile("a/b", "x\n"), "P310"),
        (AddFile("../x", "x\n"), "P301"),
        (AddFile("/x", "x\n"), "P301"),
        (DeleteFile("d/../../a"), "P301"),
    ],
    ids=repr,
)
def test_a_section_that_cannot_be_is_refused(section, code):
    assert refused({"a": b"one\n", "b": b"two\n", "d/e": b"three\n"}, section) == [code]


@pytest.mark.parametrize("allowed", [{"overwrite": True}, {"dialect": "codex"}])
def test_existing_files_are_replaced_where_that_is_allowed(allowed):
    files = {"a": b"one\n", "b": b"two\n"}

    assert applied(files, AddFile("a", "x\n"), UpdateFile("a", "b"), **allowed) == {"b": b"x\n"}


def test_names_that_spell_the_same_place_are_one_file():
    assert applied({"d/a": b"one\n"}, change("./d//a", "one", "two"), change("d/../d/a", "two", "three")) == {
        "d/a": b"three\n"
    }


# -- refusals ------------------------------------------------------------------------------------


def test_a_patch_without_sections_is_refused():
    assert refused(ONE_LINE) == ["P110"]


def test_all_faults_of_all_sections_are_told_in_order():
    sections = [
        change("a", "zwei", "x"),
        AddFile("b", "fine\n"),
        UpdateFile("a", None, [Hunk([], ["-one"]), Hunk([], ["-drei"]), Hunk([], ["-vier"])]),
        DeleteFile("c"),
    ]

    assert refused(ONE_LINE, *sections) == ["P201", "P201", "P201", "P302"]


def test_a_fault_names_its_file_its_hunk_and_its_line_in_the_patch():
    update = UpdateFile("a", None, [Hunk([], ["-one"], line=3), Hunk([], ["-two"], line=5)], line=2)

    with pytest.raises(PatchkitError) as refusal:
        plan(Patch([update]), MemoryFiles(dict(ONE_LINE)))

    error = refusal.value
    assert (error.code, error.file, error.hunk, error.patch_line) == ("P201", "a", 2, 5)


def test_a_fault_of_a_section_stands_at_its_header():
    with pytest.raises(PatchkitError) as refusal:
        plan(Patch([DeleteFile("b", line=2)]), MemoryFiles(dict(ONE_LINE)))

    assert (refusal.value.file, refusal.value.hunk, refusal.value.patch_line) == ("b", None, 2)


def test_an_ambiguous_hunk_lists_its_places():
    with pytest.raises(PatchkitError) as refusal:
        plan(Patch([change("a", "x", "y")]), MemoryFiles({"a": b"x\n\nx\n"}))

    assert (refusal.value.code, refusal.value.facts["candidates"], refusal.value.line) == ("P202", [1, 3], 1)


# -- nothing to do -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "section"),
    [
        (b"one\n", change("a", "one", "one")),
        (b"one", change("a", "one", "one")),
        (b"one\r\ntwo", change("a", "two", "two")),
        (b"one\n", UpdateFile("a", None, [Hunk([], [" one"])])),
        (b"one\n", UpdateFile("a", "a")),
        (b"one\n", UpdateFile("a", "a", [Hunk([], ["-one", "+one"], at_eof=True, final_newline=True)])),
        (b"one", UpdateFile("a", None, [Hunk([], ["-one", "+one"], at_eof=True, final_newline=False)])),
    ],
)
def test_a_patch_that_changes_nothing_writes_nothing_and_says_so(raw, section):
    files = {"a": raw}

    made = plan(Patch([section]), MemoryFiles(files))
    made.commit()

    codes = [note.code for note in made.notes if note.code != "P930"]
    assert (codes, made.effective) == (["P933"], [])
    assert files["a"] is raw


def test_a_patch_that_changes_something_does_not_say_otherwise():
    made = plan(Patch([change("a", "one", "two")]), MemoryFiles(dict(ONE_LINE)))

    assert made.notes == []


def test_a_plan_tells_what_becomes_of_each_section():
    sections = [AddFile("b", "x\n"), change("a", "one", "two", "c"), DeleteFile("b")]

    made = plan(Patch(sections), MemoryFiles(dict(ONE_LINE)))

    assert [(each.letter, each.path, each.moved_from) for each in made.sections] == [
        ("A", "b", None),
        ("M", "c", "a"),
        ("D", "b", None),
    ]


@pytest.mark.parametrize(("raw", "after"), [(b"one", b"two\n"), (b"one\n", b"two\n")])
def test_the_codex_dialect_ends_an_updated_file_with_a_newline(raw, after):
    assert applied({"a": raw}, change("a", "one", "two"), dialect="codex") == {"a": after}


def test_the_codex_dialect_takes_the_first_of_several_places():
    assert applied({"a": b"x\ny\nx\n"}, change("a", "x", "z"), dialect="codex") == {"a": b"z\ny\nx\n"}


def test_sections_that_are_refused_for_one_file_index_it_once(monkeypatch):
    made = []
    monkeypatch.setattr(search, "Views", lambda *given: made.append(given) or Views(*given))
    sections = [UpdateFile("a", None, [Hunk([], [f"-foo {number}", "-bar", "+baz"], line=1)]) for number in range(50)]

    with pytest.raises(PatchkitError) as caught:
        plan(Patch(sections), MemoryFiles({"a": b"one\ntwo\n", "b": b"foo 1\nbar\n"}))

    assert ([each.code for each in caught.value.errors], len(made)) == (["P201"] * 50, 1)


def test_sections_of_one_file_do_not_each_keep_its_text(monkeypatch):
    monkeypatch.setattr(repeated_sections, "_MOST_HELD", 2_000)
    lines = [f"line {number}\n" for number in range(100)]
    sections = [change("a", f"line {number}", f"new {number}") for number in range(0, 100, 10)]

    made = plan(Patch(list(sections)), MemoryFiles({"a": "".join(lines).encode()}))

    assert [section.document is not None for section in made.sections] == [True] * 2 + [False] * 7 + [True]
    assert [section.results[0].line for section in made.sections] == [*range(0, 100, 10)]
    lines[::10] = [f"new {number}\n" for number in range(0, 100, 10)]
    assert b"".join(made.changes["a"].after or []).decode() == "".join(lines)


def test_sections_of_one_file_do_not_each_keep_its_lines():
    lines = "".join(f"line {number}\n" for number in range(100)).encode()
    sections = [change("a", f"  line {number}", f"  new {number}") for number in range(0, 100, 10)]

    made = plan(Patch(list(sections)), MemoryFiles({"a": lines}))

    documents = [section.document for section in made.sections if section.document is not None]
    assert [document._texts is None for document in documents] == [True] * 9 + [False]
    assert documents[3].texts[40] == "line 40"


@pytest.mark.parametrize(("margin", "made"), [("", 22), ("  ", 2)])
def test_more_sections_of_one_file_than_its_size_allows_are_refused_once(monkeypatch, margin, made):
    lines = "".join(f"line {number}\n" for number in range(100)).encode()
    monkeypatch.setattr(repeated_sections, "_MOST_SEARCHED", 20 * len(lines))
    sections = [change("a", f"{margin}line {number}", f"{margin}new {number}") for number in range(90)]
    builder = planner.PlanBuilder(MemoryFiles({"a": lines}), Options())

    for section in sections:
        builder.add(section)

    assert [(each.code, each.facts["reason"]) for each in builder.errors] == [
        ("P117", "'a' is changed by too many sections for its size")
    ]
    assert len(builder.plan.sections) == made


def test_a_patch_lists_a_thousand_errors_and_says_that_the_rest_was_not_looked_at():
    lost = [Hunk([], [f"-absent {number}", "+new"], line=number + 3) for number in range(1_200)]
    absent: list[FileOp] = [change(f"b{number}", "1", "2") for number in range(1_200)]
    said = "it has 1,000 errors up to here, and what follows was not looked at"

    for sections in ([UpdateFile("a", None, lost)], absent, [*absent[:600], UpdateFile("a", None, lost), *absent]):
        with pytest.raises(PatchkitError) as refusal:
            plan(Patch(sections), MemoryFiles({"a": b"here\n"}))

        codes = [error.code for error in refusal.value.errors]
        assert (len(codes), codes.index("P117"), refusal.value.errors[-1].facts["reason"]) == (1_001, 1_000, said)


def test_hunks_that_fit_everywhere_together_are_refused_before_they_are_placed(monkeypatch):
    monkeypatch.setattr(placer, "_MOST_FITTING", 1_000)
    hunks = [Hunk([], [" x", "-x", "+y"], line=number) for number in range(20)]

    with pytest.raises(PatchkitError) as refusal:
        plan(Patch([UpdateFile("a", None, hunks)]), MemoryFiles({"a": b"x\n" * 101}))

    found = refusal.value.errors
    assert [(error.code, error.file, error.hunk, error.patch_line) for error in found] == [("P117", "a", 11, 10)]


def test_a_section_that_is_alone_in_changing_its_file_keeps_its_text(monkeypatch):
    monkeypatch.setattr(repeated_sections, "_MOST_HELD", 1)
    sections = [change("a", "1", "2"), change("b", "1", "2"), change("a", "2", "3")]

    made = plan(Patch(list(sections)), MemoryFiles({"a": b"1\n", "b": b"1\n"}))

    assert [section.document is not None for section in made.sections] == [False, True, True]


# -- what is applied already ---------------------------------------------------------------------


def skipped(files: dict[str, bytes], *sections: FileOp) -> list[str]:
    """The notes on sections that are applied to these files already; and the files stay as they are."""
    after = dict(files)
    made = plan(Patch(list(sections)), MemoryFiles(after), Options(forward=True))
    made.commit()
    assert (after, made.effective, len(made.sections)) == (files, [], len(sections))
    return [note.message for note in made.notes if note.code == "P929"]


@pytest.mark.parametrize(
    ("section", "notes"),
    [
        (DeleteFile("b"), ["skipped, because it is already applied to 'b': the deletion"]),
        (UpdateFile("b", "a"), ["skipped, because it is already applied to 'a': the rename of 'b'"]),
        (
            change("b", "zero", "one", "a"),
            [
                "skipped, because it is already applied to 'a': the rename of 'b'",
                "skipped, because it is already applied to 'a': hunk 1",
            ],
        ),
        (
            UpdateFile("b", "a", [Hunk([], [" one"])]),
            ["skipped, because it is already applied to 'a': the rename of 'b'"],
        ),
    ],
)
def test_deletions_and_renames_that_are_made_already_are_skipped_with_forward(section, notes):
    assert skipped(ONE_LINE, section) == notes
    assert refused(ONE_LINE, section) == ["P302"]


@pytest.mark.parametrize(
    ("files", "sections", "code"),
    [
        ({"a": b"one\n"}, [change("b", "one", "two", "a")], "P302"),  # the file has the name, and not the change
        (
            {"a": b"one\nx\n"},
            [UpdateFile("b", "a", [Hunk([], ["-0", "+one"]), Hunk([], ["-x", "+y"])])],
            "P302",
        ),  # half of it
        ({"a": b"other\n"}, [change("b", "one", "two", "a")], "P302"),
        ({"c": b"one\n"}, [UpdateFile("b", "a")], "P302"),  # neither name is there
        (
            {"a": b"one"},
            [UpdateFile("b", "a", [Hunk([], ["-0", "+one"], True, True)])],
            "P302",
        ),  # but for its final newline
        ({"a": b"one\n"}, [DeleteFile("a"), DeleteFile("a")], "P302"),
        ({"a": b"one\n"}, [UpdateFile("a", "b"), UpdateFile("a", "b")], "P302"),
        ({"a": b"one\n"}, [change("b", "one", "two")], "P302"),
        ({"b/c": b"one\n"}, [DeleteFile("b")], "P305"),
        ({"b": b"one\n"}, [DeleteFile("b/c")], "P310"),
    ],
)
def test_what_is_not_certainly_made_already_is_refused_with_forward(files, sections, code):
    with pytest.raises(PatchkitError) as refusal:
        plan(Patch(sections), MemoryFiles(files), Options(forward=True))
    assert [error.code for error in refusal.value.errors] == [code]
    assert refusal.value.plan.notes == []


def test_what_other_sections_do_is_done_beside_those_that_are_skipped():
    sections = [DeleteFile("x"), UpdateFile("y", "b"), change("b", "two", "three"), AddFile("x", "new\n")]

    assert applied({"b": b"two\n"}, *sections, forward=True) == {"b": b"three\n", "x": b"new\n"}


def test_changes_of_renamed_files_are_looked_for_once_in_each_file(monkeypatch):
    looked = []
    monkeypatch.setattr(planner, "locate", lambda *given: looked.append(given) or locate(*given))
    sections = [change(f"b{number}", "zero", f"{number}", "a") for number in range(50)]

    with pytest.raises(PatchkitError) as refusal:
        plan(Patch(list(sections)), MemoryFiles(ONE_LINE), Options(forward=True))

    assert ([error.code for error in refusal.value.errors], len(looked)) == (["P302"] * 50, 1)


def test_hunks_that_are_nowhere_are_all_refused_and_only_the_first_ones_are_looked_for_further(monkeypatch):
    monkeypatch.setattr(search, "MOST_EXPLAINED", 2)
    hunks = [Hunk([], [f"-absent {number}", "+new"], line=number) for number in range(5)]
    hunks.append(Hunk([], ["-here  ", "+new"], line=6))
    builder = planner.PlanBuilder(MemoryFiles({"a": b"here\n"}), Options())

    builder.add(UpdateFile("a", None, hunks))

    found = builder.plan.sections[0].results
    assert [each.code for each in builder.errors[0].errors] == ["P201"] * 5
    assert [each.sought is not None for each in found[:5]] == [True, True, False, False, False]
    assert found[5].pass_name == "trailing-space"
