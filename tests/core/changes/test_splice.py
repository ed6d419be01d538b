"""Replacements in a document: the last first, the untouched bytes untouched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Edit, edits, examples, file_bytes

import patchkit
from patchkit.core.changes import Replacement, replacements, splice
from patchkit.core.matching import Match
from patchkit.core.text import Document


def joined(pieces: list[bytes]) -> bytes:
    return b"".join(bytes(piece) for piece in pieces)


def spliced(raw: bytes, *made: tuple[int, int, bytes], final_newline: bool | None = None) -> bytes:
    """The bytes after replacements given as start, stop and new bytes."""
    document = Document(raw)
    pieces = splice(document, [Replacement(*each, 0, 0, 0) for each in made], final_newline)
    return joined(document.file_bytes([joined(pieces)]))


def replacements_of(document: Document, edit: Edit) -> list[Replacement]:
    """What the edit's hunks replace, each hunk put where the one before it ended."""
    made, line = [], 0
    for hunk in edit.hunks:
        count = len(hunk.old())
        made.extend(replacements(document, Match(line, document.offsets[line], hunk.lines, count)))
        line += count
    return made


# -- laws ----------------------------------------------------------------------------------------


@st.composite
def spans(draw: st.DrawFn) -> tuple[bytes, list[tuple[int, int, bytes]]]:
    """Some bytes and replacements of spans of them that do not touch, in their order."""
    raw = draw(st.text("abc\n", max_size=20)).encode() + b"\n"
    bounds = sorted(draw(st.sets(st.integers(0, len(raw) - 1), max_size=8)))
    return raw, [
        (start, stop, draw(st.sampled_from([b"", b"x", b"yz"]))) for start, stop in zip(bounds[::2], bounds[1::2])
    ]


@given(spans=spans(), data=st.data())
@examples(250)
def test_work_from_the_last_to_the_first_equals_work_from_the_first_with_a_running_shift(spans, data):
    raw, made = spans
    wanted, shift = bytearray(raw), 0
    for start, stop, new in made:
        wanted[start + shift : stop + shift] = new
        shift += len(new) - (stop - start)

    assert spliced(raw, *data.draw(st.permutations(made))) == bytes(wanted)


@given(edit=edits())
@examples(400)
def test_an_edit_gives_what_working_through_it_line_by_line_gives(edit):
    document = Document(file_bytes(edit.before))

    pieces = splice(document, replacements_of(document, edit))

    assert joined(pieces) == file_bytes(edit.after)


@given(edit=edits(), bom=st.sampled_from([b"", b"\xef\xbb\xbf"]))
@examples(200)
def test_untouched_lines_keep_their_bytes(edit, bom):
    raw = file_bytes(edit.before, bom)
    document = Document(raw)

    after = joined(document.file_bytes(splice(document, replacements_of(document, edit))))

    assert after.startswith(bom)
    rest = after[len(bom) :]
    for text, ending in edit.kept:
        _before, found, rest = rest.partition(text.encode() + ending)
        assert found == text.encode() + ending


@given(edit=edits())
@examples(100)
def test_replacements_never_cover_a_kept_line(edit):
    document = Document(file_bytes(edit.before))
    made = replacements_of(document, edit)

    signs = [line[0] for hunk in edit.hunks for line in hunk.lines if line[0] != "+"]
    covered = [number for each in made for number in range(each.line, each.line + each.removed)]
    assert covered == [number for number, sign in enumerate(signs) if sign == "-"]


# -- endings of added lines ----------------------------------------------------------------------


def edited(raw: bytes, at: int, lines: list[str], final_newline: bool | None = None) -> bytes:
    """The file after one hunk that sits at line `at`."""
    document = Document(raw)
    count = sum(line[0] != "+" for line in lines)
    made = replacements(document, Match(at, document.offsets[at], lines, count))
    return joined(document.file_bytes(splice(document, made, final_newline)))


@pytest.mark.parametrize(
    ("raw", "at", "lines", "after"),
    [
        (b"a\r\nb\r\n", 0, [" a", "+x"], b"a\r\nx\r\nb\r\n"),
        (b"a\rb\r", 0, [" a", "+x"], b"a\rx\rb\r"),
        (b"a\nb\r\nc\n", 1, ["-b", "+x"], b"a\nx\r\nc\n"),
        (b"a\nb\r\nc\n", 1, ["-b", "+x", "+y"], b"a\nx\r\ny\r\nc\n"),
        (b"a\nb\r\nc\n", 0, ["-a", "-b", "+x"], b"x\nc\n"),
        (b"a\nb\r\nc\n", 0, [" a", "+x"], b"a\nx\nb\r\nc\n"),
        (b"a\nb\r\nc\n", 1, [" b", "+x"], b"a\nb\r\nx\r\nc\n"),
        (b"a\r\nb\n", 0, ["+x", " a"], b"x\r\na\r\nb\n"),
        (b"", 0, ["+x", "+y"], b"x\ny\n"),
        (b"a", 0, [" a", "+x"], b"a\nx"),
        (b"a\r\nb", 1, [" b", "+x"], b"a\r\nb\r\nx"),
        (b"a\nb", 1, ["-b"], b"a\n"),
        (b"a\nb", 1, ["-b", "+x", "+y"], b"a\nx\ny"),
        (b"a\nb", 0, ["-a", "-b"], b""),
        (b"a\nb", 0, ["-a", "+x"], b"x\nb"),
    ],
)
def test_added_lines_end_as_their_place_does(raw, at, lines, after):
    assert edited(raw, at, lines) == after


@pytest.mark.parametrize(
    ("raw", "lines", "wanted", "after"),
    [
        (b"a\n", ["-a", "+b"], False, b"b"),
        (b"a\r\n", ["-a", "+b"], False, b"b"),
        (b"a", ["-a", "+b"], False, b"b"),
        (b"a", ["-a", "+b"], True, b"b\n"),
        (b"a\r\nb", [" a", "-b", "+c"], True, b"a\r\nc\r\n"),
        (b"a\n", ["-a", "+b"], True, b"b\n"),
        (b"a\nb", [" a", "-b"], True, b"a\n"),
        (b"a", ["-a"], True, b""),
    ],
)
def test_the_final_newline_is_given_and_taken_as_asked(raw, lines, wanted, after):
    assert edited(raw, 0, lines, wanted) == after


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_added_lines_take_the_files_encoding(codec):
    mark = "\ufeff".encode(codec)

    after = edited(mark + "a\r\nb".encode(codec), 0, [" a", "+ä€𝄞"])

    assert after == mark + "a\r\nä€𝄞\r\nb".encode(codec)


def test_insertions_at_one_place_keep_their_order():
    assert spliced(b"ab\n", (1, 1, b"1"), (1, 1, b"2"), (1, 1, b"3")) == b"a123b\n"


def test_no_replacement_changes_nothing():
    assert spliced(b"a\r\nb") == b"a\r\nb"


def test_a_new_file_keeps_one_carriage_return_at_the_end_of_a_line():
    files = {}
    patchkit.apply("*** Begin Patch\n*** Add File: a\n+x\r\r\n+y\r\n+z\n*** End Patch\n", files)

    assert files == {"a": b"x\r\ny\r\nz\n"}


def test_the_last_line_of_a_file_with_lone_carriage_returns_has_one_end_as_codex_gives_it():
    files = {"a": b"a\rb\nc\n"}
    patchkit.apply("*** Begin Patch\n*** Update File: a\n@@\n-c\n+C\n+D\n*** End Patch\n", files, dialect="codex")

    assert files == {"a": b"a\rb\nC\rD\r"}
