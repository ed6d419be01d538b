"""Taking some parts of a plan and leaving the rest: both together are the whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import FEW_LINES, Edit, edits, examples, file_bytes, outcome

from patchkit import PatchkitError
from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.core.language.parser import parse
from patchkit.formats.special_files import GitUpdate
from patchkit.selecting import Selection
from patchkit.sources import MemoryFiles
from patchkit.writer import write

NUMBERS = b"".join(b"%d\n" % number for number in range(1, 31))


def applied(files: dict[str, bytes], patch: Patch) -> dict[str, bytes]:
    source = MemoryFiles(dict(files))
    plan(patch, source).commit()
    return source.content


def chosen(
    files: dict[str, bytes], sections: list[FileOp], answers: list[bool], split: bool = False
) -> tuple[dict[str, bytes], Patch]:
    """The files after the parts with a yes, and the patch of those with a no; what is not answered is a no."""
    source = MemoryFiles(dict(files))
    selection = Selection(plan(Patch(sections), source))
    for part in selection.parts if split else ():
        selection.split(part)
    for part, answer in zip(selection.parts, answers):
        part.taken = answer
    rest = selection.rest()
    selection.taken().commit()
    return source.content, rest


def after_both(
    files: dict[str, bytes], sections: list[FileOp], answers: list[bool], split: bool = False
) -> dict[str, bytes]:
    """The files after what was taken, and then the rest, written down and read again."""
    now, rest = chosen(files, sections, answers, split)
    return applied(now, parse(write(rest))) if rest.sections else now


def parts_of(files: dict[str, bytes], *sections: FileOp) -> list[tuple[str, str, str]]:
    selection = Selection(plan(Patch(list(sections)), MemoryFiles(dict(files))))
    return [(part.file, part.what, part.place) for part in selection.parts]


# -- what the parts are --------------------------------------------------------------------------


def test_every_hunk_is_a_part_with_its_place_and_its_pass():
    hunks = [Hunk([], ["-3", "+three"]), Hunk([], [" 20 ", "+x"])]

    assert parts_of({"a": NUMBERS}, UpdateFile("a", None, hunks)) == [
        ("a", "hunk", "1 of 2, line 3, exact"),
        ("a", "hunk", "2 of 2, line 20, ignoring trailing whitespace"),
    ]


def test_a_new_name_is_a_part_of_its_own():
    update = UpdateFile("a", "b/c", [Hunk([], ["-3", "+three"])])

    assert parts_of({"a": NUMBERS}, update) == [("a", "new name", "'b/c'"), ("a", "hunk", "1 of 1, line 3, exact")]


def test_new_and_deleted_files_are_one_part_each():
    assert parts_of({"a": b"x\n"}, DeleteFile("a"), AddFile("b", "y\n")) == [
        ("a", "deletion", ""),
        ("b", "new file", ""),
    ]


@pytest.mark.parametrize("answer", [True, False])
def test_what_only_a_diff_of_git_says_of_a_file_is_one_part(answer):
    """Such as its mode, or bytes that hunks do not say."""
    section = GitUpdate("x", None, [], 1, ("", ""))
    section.content = b"new\n"

    now, rest = chosen({"x": b"old\n"}, [section], [answer])

    assert (now, rest.sections) == (({"x": b"new\n"}, []) if answer else ({"x": b"old\n"}, [section]))


def test_hunks_that_change_nothing_are_no_parts():
    hunks = [Hunk([], [" 3", " 4"]), Hunk([], ["-9", "+9"]), Hunk([], ["-20", "+x"])]

    assert parts_of({"a": NUMBERS}, UpdateFile("a", None, hunks)) == [("a", "hunk", "3 of 3, line 20, exact")]


def test_updates_of_one_file_in_several_sections_are_told_apart_by_what_they_change():
    sections = [UpdateFile("a", None, [Hunk([], ["-3", "+x"])]), UpdateFile("a", None, [Hunk([], ["-20", "+y"])])]

    assert parts_of({"a": NUMBERS}, *sections) == [
        ("a", "hunk", "1 of 2, line 3, from 2 sections"),
        ("a", "hunk", "2 of 2, line 20, from 2 sections"),
    ]


@pytest.mark.parametrize(
    ("files", "sections"),
    [
        ({"a": b"x\n"}, [UpdateFile("a", "b"), AddFile("a", "z\n")]),
        ({"a": b"x\n", "b": b"y\n"}, [UpdateFile("a", "c"), UpdateFile("b", "a"), UpdateFile("c", "b")]),
        ({"a": b"x\n"}, [DeleteFile("a"), AddFile("a/b", "y\n")]),
        ({}, [AddFile("a", "y\n"), UpdateFile("a", None, [Hunk([], ["-y", "+z"])])]),
    ],
)
def test_sections_that_build_on_each_other_are_one_part(files, sections):
    assert [what for _, what, _ in parts_of(files, *sections)] == ["change"]


def test_a_part_shows_what_it_alone_would_change():
    hunks = [Hunk([], ["-3", "+x"]), Hunk([], ["-5", "+y"])]
    selection = Selection(plan(Patch([UpdateFile("a", None, hunks)]), MemoryFiles({"a": NUMBERS})))

    assert [part.diff() for part in selection.parts] == [
        b"@@ -1,6 +1,6 @@\n 1\n 2\n-3\n+x\n 4\n 5\n 6\n",
        b"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+y\n 6\n 7\n 8\n",
    ]


def test_a_part_of_a_file_of_carriage_returns_is_shown_line_by_line():
    update = UpdateFile("a", None, [Hunk([], ["-2", "+two"])])
    selection = Selection(plan(Patch([update]), MemoryFiles({"a": b"1\r2\r3\r"})))

    assert [part.diff() for part in selection.parts] == [b"@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"]


def test_the_dialect_that_ends_every_file_ends_those_that_are_changed_only():
    files = MemoryFiles({"a": b"1\n2\n3", "b": b"1"})
    sections = [UpdateFile("a", None, [Hunk([], ["-1", "+x"]), Hunk([], ["-2", "+y"])])]
    sections.append(UpdateFile("b", None, [Hunk([], ["-1", "+x"])]))
    selection = Selection(plan(Patch(sections), files, Options(dialect="codex")), final_newline=True)
    selection.parts[1].taken = True
    rest = selection.rest()
    selection.taken().commit()

    assert files.content == {"a": b"1\ny\n3\n", "b": b"1"}
    assert applied(files.content, rest) == {"a": b"x\ny\n3\n", "b": b"x\n"}  # whatever dialect the rest is read in


# -- what is taken and what is left --------------------------------------------------------------


def test_a_hunk_that_was_left_is_given_as_it_was_written():
    hunks = [Hunk([], ["-3", "+x"]), Hunk(["20"], [" 21", "-22"])]

    now, rest = chosen({"a": NUMBERS}, [UpdateFile("a", None, hunks)], [True])

    assert now == {"a": NUMBERS.replace(b"\n3\n", b"\nx\n")}
    assert rest == Patch([UpdateFile("a", None, [hunks[1]])])


def test_a_hunk_whose_context_was_changed_is_written_anew():
    hunks = [Hunk([], ["-3", "+x"]), Hunk([], [" 3", " 4", "-5"])]

    now, rest = chosen({"a": b"3\n4\n5\n"}, [UpdateFile("a", None, hunks)], [True])

    assert now == {"a": b"x\n4\n5\n"}
    assert rest == Patch([UpdateFile("a", None, [Hunk([], [" 4", "-5"])])])


def test_a_hunk_that_its_neighbours_place_stays_placed_without_them():
    text = b"top\nx\nmiddle\nx\nbottom\n"
    hunks = [Hunk([], ["-middle", "+centre"]), Hunk([], ["-x", "+y"]), Hunk([], ["-bottom", "+floor"])]

    assert chosen({"a": text}, [UpdateFile("a", None, hunks)], [False, True, False])[0] == {
        "a": b"top\nx\nmiddle\ny\nbottom\n"
    }


@pytest.mark.parametrize("answers", [[False, True], [True, False]])
def test_a_new_name_and_a_hunk_may_be_taken_apart(answers):
    update = UpdateFile("a", "b", [Hunk([], ["-3", "+x"])])
    whole = {"b": NUMBERS.replace(b"\n3\n", b"\nx\n")}

    now, rest = chosen({"a": NUMBERS}, [update], answers)

    assert now == ({"b": NUMBERS} if answers[0] else {"a": whole["b"]})
    assert applied(now, rest) == whole


def test_taking_nothing_leaves_the_patch_as_it_is():
    sections = [AddFile("n", "x\n"), UpdateFile("a", None, [Hunk(["2"], ["-3", "+x"])]), DeleteFile("b")]
    files = {"a": NUMBERS, "b": b""}

    assert chosen(files, sections, []) == (files, Patch(sections))


def test_taking_everything_leaves_no_patch():
    sections = [AddFile("n", "x\n"), UpdateFile("a", "c", [Hunk(["2"], ["-3", "+x"])]), DeleteFile("b")]
    files = {"a": NUMBERS, "b": b""}

    assert chosen(files, sections, [True] * 9) == (applied(files, Patch(sections)), Patch([]))


# -- the law -------------------------------------------------------------------------------------

ANSWERS = st.lists(st.booleans(), min_size=12, max_size=12)


@given(edit=edits(st.one_of(FEW_LINES, st.sampled_from(["c", "d", "e", "f"]))), answers=ANSWERS, split=st.booleans())
@examples(200)
def test_what_is_taken_and_then_the_rest_make_the_whole(edit: Edit, answers: list[bool], split: bool):
    files, sections = {"a": file_bytes(edit.before)}, [UpdateFile("a", None, edit.hunks)]
    whole = outcome(applied, files, Patch(sections))
    if isinstance(whole, PatchkitError):
        return

    both = outcome(after_both, files, sections, answers, split)

    # Mixed endings may be between what was taken and what was left: that is refused before anything is done.
    assert both == whole or (isinstance(both, PatchkitError) and both.code == "P112" and b"\r" in files["a"])


@st.composite
def stories(draw: st.DrawFn) -> tuple[dict[str, bytes], list[FileOp]]:
    """A tree and sections for it, each made for the files as the ones before it leave them."""
    names = ["a", "b", "c", "d/e"]
    start = dict.fromkeys(names[:3], NUMBERS)
    files, sections = dict(start), []
    for _ in range(draw(st.integers(1, 5))):
        here = sorted(files)
        free = [name for name in names if name not in files]
        kind = draw(st.sampled_from(["update", "update", "add", "delete", "move"]))
        if kind == "add" and free:
            section: FileOp = AddFile(draw(st.sampled_from(free)), NUMBERS.decode())
        elif kind == "delete" and here:
            section = DeleteFile(draw(st.sampled_from(here)))
        elif here:
            goal = draw(st.sampled_from(free)) if kind == "move" and free else None
            name = draw(st.sampled_from(here))
            lines = files[name].decode().split("\n")[:-1]
            rows = sorted(draw(st.sets(st.integers(0, len(lines) - 2), min_size=1, max_size=3)))
            context = draw(st.integers(0, 2))
            hunks = [Hunk([], _around(lines, row, context, f"new {len(sections)}")) for row in rows]
            section = UpdateFile(name, goal, hunks)
        else:
            continue
        changed = outcome(applied, files, Patch([section]))
        if isinstance(changed, dict):
            files = changed
            sections.append(section)
    return start, sections


def _around(lines: list[str], row: int, context: int, new: str) -> list[str]:
    above = [" " + line for line in lines[max(0, row - context) : row]]
    below = [" " + line for line in lines[row + 1 : row + 1 + context]]
    return [*above, "-" + lines[row], f"+{new} {lines[row]}", *below]


@given(story=stories(), answers=ANSWERS)
@examples(200)
def test_parts_of_many_sections_are_taken_one_by_one(story, answers):
    files, sections = story
    if sections:
        assert after_both(files, sections, answers) == applied(files, Patch(sections))
