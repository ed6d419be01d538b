"""A Patch back to text: the parser's inverse, and a refusal where there is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CHARACTERS, TEXTS, examples, outcome, patches

from patchkit import PatchkitError, apply, parse, write
from patchkit.core.language import AddFile, DeleteFile, Hunk, Patch, UpdateFile


def test_a_patch_is_written_as_a_person_would_write_it():
    patch = Patch(
        [
            AddFile("a", "x\ny"),
            AddFile("b"),
            DeleteFile("c"),
            UpdateFile("d", "e", [Hunk(["f", "g"], [" h", "-i"]), Hunk([], ["+j"], at_eof=True)]),
            UpdateFile("k", None, [Hunk([], ["-l", "+m"], at_eof=True, final_newline=True)]),
        ],
        "box",
    )

    assert write(patch) == (
        "*** Begin Patch\n"
        "*** Environment ID: box\n"
        "*** Add File: a\n+x\n+y\n\\ No newline at end of file\n"
        "*** Add File: b\n"
        "*** Delete File: c\n"
        "*** Update File: d\n*** Move to: e\n@@ f\n@@ g\n h\n-i\n@@\n+j\n*** End of File\n"
        "*** Update File: k\n@@\n-l\n\\ No newline at end of file\n+m\n"
        "*** End Patch\n"
    )


@given(patch=patches())
@examples(150)
def test_parsing_what_was_written_gives_the_patch_again(patch):
    assert parse(write(patch), strict=True) == patch


# What people write: no anchor that ends like a unified header, no hunk in the shape of a unified file header.
PLAIN = [text for text in TEXTS if "@@" not in text and not text.startswith("--")]


@given(patch=patches(PLAIN))
@examples(100)
def test_the_lenient_parser_forgives_nothing_in_what_was_written(patch):
    parsed = parse(write(patch))

    assert (parsed, parsed.notes) == (patch, [])


NUMBERED = "*** Begin Patch\n*** Update File: a\n@@ -1,0 +2,1 @@\n+new\n@@ -3,1 +4,1 @@\n-c\n+C\n*** End Patch\n"


def test_a_number_is_written_again():
    """Without it, a hunk that is refused for having nothing else would go to the end of the file."""
    assert write(parse(NUMBERED)) == NUMBERED


def test_a_line_without_a_sign_is_written_again_without_one():
    """It is removed where those around it are, which a context line is not."""
    text = "*** Begin Patch\n*** Update File: a\n@@\n-one\n\ttwo\n-three\n+new\n*** End Patch\n"
    files = {"a": b"one\n\ttwo\nthree\n"}

    apply(write(parse(text)), files)

    assert (write(parse(text)), files["a"]) == (text, b"new\n")


def test_what_is_left_of_a_patch_is_refused_for_the_same_reason_again():
    files = {"a": b"a\nb\nc\n"}
    rest = apply(NUMBERED, files, partial="hunks").rest

    assert files["a"] == b"a\nb\nC\n"
    assert outcome(apply, rest, files).code == "P209"


def test_removing_a_line_of_dashes_and_adding_one_of_pluses_survives_the_lenient_parser():
    patch = Patch([UpdateFile("query.sql", None, [Hunk([], ["--- old comment", "+++ new comment"])])])

    assert parse(write(patch)) == patch


# -- what the language cannot say ----------------------------------------------------------------


@pytest.mark.parametrize(
    "section",
    [
        AddFile(""),
        AddFile(" \t"),
        AddFile("a\nb"),
        DeleteFile("\r"),
        UpdateFile("a"),
        UpdateFile("a", ""),
        UpdateFile("a", "b\n*** Delete File: c"),
        UpdateFile("a", None, [Hunk([], [])]),
        UpdateFile("a", None, [Hunk([""], [" x"])]),
        UpdateFile("a", None, [Hunk(["b\nc"], [" x"])]),
        UpdateFile("a", None, [Hunk([], ["x"])]),
        UpdateFile("a", None, [Hunk([], [""])]),
        UpdateFile("a", None, [Hunk([], [" x\n-y"])]),
        UpdateFile("a", None, [Hunk([], ["-x", " y"], at_eof=True, final_newline=False)]),
        UpdateFile("a", None, [Hunk([], ["-x", " y"], at_eof=True, final_newline=True)]),
        UpdateFile("a", None, [Hunk([], ["+x"], at_eof=True, final_newline=True)]),
    ],
    ids=repr,
)
def test_the_writer_refuses_what_the_language_cannot_say(section):
    with pytest.raises(PatchkitError) as refusal:
        write(Patch([section]))

    assert refusal.value.code == "P112"


def test_the_writer_refuses_a_final_newline_that_is_not_at_the_end_of_the_file():
    hunk = Hunk([], ["-x", "+x"], at_eof=False, final_newline=True)

    with pytest.raises(PatchkitError) as refusal:
        write(Patch([UpdateFile("a", None, [hunk])]))

    assert refusal.value.code == "P112"


def test_the_writer_refuses_an_environment_whose_spaces_the_parser_would_drop():
    with pytest.raises(PatchkitError) as refusal:
        write(Patch([], " box "))

    assert refusal.value.code == "P112"


def test_the_writer_refuses_a_name_that_begins_with_a_carriage_return():
    with pytest.raises(PatchkitError) as refusal:
        write(Patch([DeleteFile("\ra")]))

    assert refusal.value.code == "P112"


# Anything that fits into a Patch, sayable or not.
ANY_NAME = st.text(" \t\r\naaaa" + CHARACTERS, max_size=3)
ANY_HUNK = st.builds(
    Hunk,
    st.lists(ANY_NAME, max_size=2),
    st.lists(st.text(st.sampled_from(" -+\nx"), max_size=3), max_size=3),
    st.booleans(),
    st.sampled_from([None, None, True, False]),
)
ANY_SECTION = st.one_of(
    st.builds(AddFile, ANY_NAME, st.text(st.sampled_from("x\n\r+"), max_size=5)),
    st.builds(DeleteFile, ANY_NAME),
    st.builds(UpdateFile, ANY_NAME, st.none() | ANY_NAME, st.lists(ANY_HUNK, max_size=2)),
)


@given(patch=st.builds(Patch, st.lists(ANY_SECTION, min_size=1, max_size=2), st.none() | ANY_NAME))
@examples(400)
def test_a_patch_is_refused_or_written_so_that_it_parses_to_itself(patch):
    text = outcome(write, patch)

    if isinstance(text, PatchkitError):
        assert text.code == "P112"
    else:
        assert parse(text, strict=True) == patch
