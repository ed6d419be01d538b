"""Bytes in, the same bytes out, and lines where a person would see them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, file_bytes, files, oracle_lines

from patchkit.core.text import Document

MARKS = {
    "utf-8": b"\xef\xbb\xbf",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
    "utf-32-le": b"\xff\xfe\x00\x00",
    "utf-32-be": b"\x00\x00\xfe\xff",
}
# Bytes that mean something here, and any others.
PIECES = st.sampled_from([b"\n", b"\r\n", b"\r", b"a", b"\xc3\xa4", b"\xff", b"\xfe", b"\x00", b"\x0c", b"\xc2\x85"])
RAW = st.one_of(
    st.binary(max_size=40),
    st.lists(PIECES, max_size=20).map(b"".join),
    st.builds(bytes.__add__, st.sampled_from(list(MARKS.values())), st.binary(max_size=24)),
)


def given_back(document: Document) -> bytes:
    return b"".join(document.file_bytes([document.data]))


# -- the same bytes out --------------------------------------------------------------------------


@given(raw=RAW)
@examples(300)
def test_a_document_gives_back_the_bytes_it_was_made_from(raw):
    assert given_back(Document(raw)) == raw


@given(text=st.text(st.characters(), max_size=12), codec=st.sampled_from(list(MARKS)))
@examples(150)
def test_marked_text_of_every_encoding_gives_back_its_bytes(text, codec):
    raw = MARKS[codec] + text.encode(codec, "surrogatepass")

    assert given_back(Document(raw)) == raw


def test_a_wide_text_of_one_line_has_no_byte_that_is_a_space():
    assert Document(b"\xff\xfe\xac\x20").texts == ["€"]
    assert Document(b"\xff\xfea b\n").texts == ["\udcff\udcfea b"]


@pytest.mark.parametrize("codec", list(MARKS))
def test_lines_of_every_marked_encoding_are_read_without_the_mark(codec):
    document = Document(MARKS[codec] + "ä\r\n€𝄞\n".encode(codec))

    assert (document.texts, document.bom, document.codec) == (
        ["ä", "€𝄞"],
        MARKS[codec],
        None if codec == "utf-8" else codec,
    )


@pytest.mark.parametrize("codec", list(MARKS))
def test_pieces_are_written_in_the_documents_encoding(codec):
    document = Document(MARKS[codec] + "a\n".encode(codec))

    assert b"".join(document.file_bytes(["ä".encode(), b"\n"])) == MARKS[codec] + "ä\n".encode(codec)


@pytest.mark.parametrize("raw", [b"\xff\xfea", b"\xff\xfe\x00\x00a", b"\xfe\xff\xd8", b"\x00\x00\xfe\xff\xff"])
def test_bytes_that_belie_their_mark_are_kept_as_they_are(raw):
    document = Document(raw)

    assert (document.data, document.bom, document.codec) == (raw, b"", None)


def test_a_byte_order_mark_in_the_middle_is_content():
    assert Document(b"a\xef\xbb\xbf\n").texts == ["a\ufeff"]


def test_bytes_that_are_not_utf8_become_lone_surrogates_and_encode_back():
    document = Document(b"\xe9\n\xff\xc3\n")

    assert document.texts == ["\udce9", "\udcff\udcc3"]
    assert [document.encode(text) for text in document.texts] == [b"\xe9", b"\xff\xc3"]


# -- lines ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "texts", "endings"),
    [
        (b"", [], "lf"),
        (b"a", ["a"], "lf"),
        (b"\n", [""], "lf"),
        (b"a\nb", ["a", "b"], "lf"),
        (b"a\n\nb\n", ["a", "", "b"], "lf"),
        (b"a\r\nb\r\n", ["a", "b"], "crlf"),
        (b"a\r\nb", ["a", "b"], "crlf"),
        (b"a\r\nb\n", ["a", "b"], "mixed"),
        (b"a\rb\r", ["a", "b"], "cr"),
        (b"a\r\rb", ["a", "", "b"], "cr"),
        (b"\r", [""], "cr"),
        (b"a\rb\n", ["a\rb"], "lf"),
        (b"a\rb\r\n", ["a\rb"], "crlf"),
        (b"a\r\r\n", ["a\r"], "crlf"),
        (b"a\r\nb\r", ["a", "b\r"], "crlf"),
        (b"a\nb\r", ["a", "b\r"], "lf"),
        (b"\r\n", [""], "crlf"),
    ],
)
def test_lines_end_at_lf_and_crlf_and_at_cr_only_where_nothing_else_is(raw, texts, endings):
    document = Document(raw)

    assert (document.texts, document.endings) == (texts, endings)


@pytest.mark.parametrize("character", "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
def test_no_other_separator_ends_a_line(character):
    assert Document(f"a{character}b\nc\n".encode()).texts == [f"a{character}b", "c"]


@given(raw=RAW)
@examples(300)
def test_lines_are_those_of_the_obvious_reading(raw):
    document = Document(raw)

    assert document.texts == [text.decode("utf-8", "surrogateescape") for text, _ending in oracle_lines(document.data)]


@given(lines=files())
@examples(100)
def test_a_file_has_the_lines_it_was_made_of(lines):
    assert Document(file_bytes(lines)).texts == [text for text, _ending in lines]


# -- places --------------------------------------------------------------------------------------


def oracle_offsets(data: bytes) -> list[int]:
    offsets = [0]
    for text, ending in oracle_lines(data):
        offsets.append(offsets[-1] + len(text) + len(ending))
    return offsets


@given(raw=RAW)
@examples(300)
def test_offsets_are_where_lines_begin_and_the_end(raw):
    document = Document(raw)

    assert document.offsets == oracle_offsets(document.data)


@given(raw=RAW, places=st.data())
@examples(200)
def test_the_starts_of_a_few_lines_are_the_offsets_of_those_lines(raw, places):
    document = Document(raw)
    offsets = oracle_offsets(document.data)
    lines = sorted(places.draw(st.lists(st.integers(0, max(0, len(offsets) - 2)), max_size=5)))

    assert document.starts(lines) == [offsets[line] for line in lines]


@given(raw=RAW, places=st.data())
@examples(200)
def test_boundaries_of_some_lines_are_the_offsets_of_those_lines(raw, places):
    document = Document(raw)
    offsets = oracle_offsets(document.data)
    start = places.draw(st.integers(0, len(offsets) - 1))
    stop = places.draw(st.integers(start, len(offsets) - 1))

    assert document.boundaries(offsets[start], stop - start) == offsets[start : stop + 1]


@given(raw=RAW)
@examples(200)
def test_every_line_remembers_its_own_ending(raw):
    document = Document(raw)
    offsets = oracle_offsets(document.data)

    endings = [document.ending_of(start, stop) for start, stop in zip(offsets, offsets[1:])]

    assert endings == [ending for _text, ending in oracle_lines(document.data)]


@given(raw=RAW)
@examples(150)
def test_a_document_is_terminated_unless_its_last_line_lacks_an_ending(raw):
    document = Document(raw)
    endings = [ending for _text, ending in oracle_lines(document.data)]

    assert document.terminated == (b"" not in endings)


@given(raw=RAW)
@examples(200)
def test_an_inserted_line_takes_the_ending_above_or_else_below(raw):
    document = Document(raw)
    lines = oracle_lines(document.data)
    offsets = oracle_offsets(document.data)

    found = [document.ending_near(offset) for offset in offsets]

    for index, ending in enumerate(found):
        above = [each for _text, each in lines[:index] if each]
        below = [each for _text, each in lines[index:] if each]
        assert ending == (above[-1:] or below[:1] or [b"\n"])[0]


def test_a_mark_behind_the_mark_of_utf_8_is_text_where_that_is():
    document = Document.with_mark_as_text(b"\xef\xbb\xbf\xff\xfea\0\n\0")

    assert (document.codec, document.bom, document.texts) == (None, b"", ["\ufeff\udcff\udcfea\0", "\0"])
