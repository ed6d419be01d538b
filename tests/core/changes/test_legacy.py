"""Files in old encodings: hunks fit in what the file is kept in, and what they do not touch stays."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import examples, outcome

import patchkit
from patchkit import PatchkitError
from patchkit.core.text.encodings import LISTED


def update(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", "*** Update File: a", "@@", *lines, "*** End Patch", ""])


def applied(patch: str, data: bytes, **options: object) -> bytes:
    files = {"a": data}
    patchkit.apply(patch, files, **options)
    return files["a"]


def code(patch: str | bytes, data: bytes, **options: object) -> str:
    files = {"a": data}
    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(patch, files, **options)
    assert files == {"a": data}
    return refusal.value.code


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("gbk", "第一行", "第二行"),
        ("shift_jis", "表示ソース", "名前"),
        ("euc_jp", "こんにちは", "さようなら"),
        ("cp949", "안녕", "여보세요"),
        ("big5", "繁體中文", "中文"),
        ("latin-1", "café crème", "thé"),
        ("cp1252", "“café”", "‘thé’"),
        ("cp1251", "Привет", "Пока"),
        ("koi8-r", "Привет", "Пока"),
    ],
)
def test_lines_of_other_than_ascii_characters_fit_in_the_encoding_of_the_file(name, old, new):
    before = f"one\n{old}\n{old} more\n".encode(name)

    assert applied(update(" one", f"-{old}", f"+{new}"), before) == before.replace(
        f"one\n{old}\n".encode(name), f"one\n{new}\n".encode(name)
    )


@pytest.mark.parametrize("name", LISTED)
def test_a_hunk_of_ascii_characters_applies_whatever_the_bytes_beside_it_are(name):
    before = "Ä é ß ñ 日本 Привет\nabc\n€\n".encode(name, "ignore") + b"\x80\xff\x00\x81\n"

    assert applied(update("-abc", "+xyz"), before) == before.replace(b"abc", b"xyz")


def test_the_notes_tell_of_an_encoding_that_was_found_out():
    done = patchkit.apply(update("-é", "+è"), {"a": "é\n".encode("latin-1")})

    assert [note.message for note in done.notes] == ["read 'a' as cp1252: it is not UTF-8 and declares no encoding"]


def test_a_declared_encoding_needs_no_note():
    before = "# coding: koi8-r\nпривет\n".encode("koi8-r")
    files = {"a": before}
    done = patchkit.apply(update("-привет", "+пока"), files)

    assert (files["a"], done.notes) == ("# coding: koi8-r\nпока\n".encode("koi8-r"), [])


def test_what_browsers_mean_by_a_declaration_is_used_where_the_smaller_encoding_is_not_enough():
    before = b'<meta charset="iso-8859-1">\nplain\n'

    assert applied(update("-plain", "+10 €"), before) == b'<meta charset="iso-8859-1">\n10 \x80\n'


@pytest.mark.parametrize("declaration", ["# coding: latin-1", "<?xml version='1.0' encoding='iso-8859-1'?>"])
def test_a_declaration_that_no_browser_reads_is_taken_at_its_word(declaration):
    before = f"{declaration}\nplain\n".encode()

    with pytest.raises(patchkit.PatchkitError, match="the character '€'") as caught:
        applied(update("-plain", "+10 €"), before)

    assert caught.value.code == "P210"
    shown = before + b"5 \x80\n"
    assert applied(update("-plain", "+10 €"), shown) == shown.replace(b"plain", b"10 \x80")


def test_a_declaration_that_the_bytes_belie_counts_for_nothing():
    before = "# coding: utf-8\ncafé\n".encode("latin-1")

    assert applied(update("-café", "+thé"), before) == "# coding: utf-8\nthé\n".encode("latin-1")


def test_a_file_that_is_utf_8_stays_so_whatever_it_declares():
    before = "# coding: latin-1\ncafé\n".encode()

    assert applied(update("-café", "+thé"), before) == "# coding: latin-1\nthé\n".encode()


def test_lines_that_are_utf_8_in_a_file_that_is_not_are_taken_for_what_they_are():
    before = "café\n".encode() + b"\xff\n"

    assert applied(update("-café", "+thé"), before) == "thé\n".encode() + b"\xff\n"


def test_the_bytes_of_a_patch_in_the_files_own_encoding_are_matched_as_they_are():
    before = "é\nplain\n".encode("latin-1")

    assert applied(update("-é", "+è").encode("latin-1"), before) == "è\nplain\n".encode("latin-1")


@pytest.mark.parametrize(
    ("patch", "data", "options", "refused"),
    [
        (update("-plain", "+é"), "ü\nplain\n".encode("latin-1"), {}, "P215"),
        (update("-plain", "+é"), "ü\nplain\n".encode("latin-1"), {"strict": True}, "P215"),
        (update("-plain", "+🙂"), "ü\nplain\n".encode("latin-1"), {}, "P215"),
        (update("-ü", "+10 €"), "ü\n".encode("latin-1"), {}, "P215"),
        (update("-ü", "+é"), "ü\n".encode("latin-1"), {"encoding": "gbk"}, "P214"),
        (update("-ü", "+日"), "ü\n".encode("latin-1"), {"encoding": "latin-1"}, "P210"),
        (update("-x", "+日"), b"# coding: latin-1\nx\n", {}, "P210"),
        (update("-nowhere é", "+x"), "ü\n".encode("latin-1"), {}, "P201"),
        (update("-ü", "+é"), "ü\n".encode("latin-1"), {"encoding": "utf-16"}, "P601"),
    ],
)
def test_what_is_not_certain_is_refused(patch, data, options, refused):
    assert code(patch, data, **options) == refused


def test_a_file_in_an_unknown_encoding_is_told_of_where_a_hunk_is_nowhere():
    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(update("-nowhere é", "+x"), {"a": "ü\n".encode("latin-1")})

    assert refusal.value.hint == "pass encoding=NAME with the encoding of a: it is not UTF-8; nothing was written"


def test_naming_utf_8_lets_its_characters_into_a_file_with_other_bytes():
    assert applied(update("-plain", "+é"), b"\xff\nplain\n", encoding="utf-8") == b"\xff\n\xc3\xa9\n"


LINE = st.text(st.sampled_from("abc éüñ€ПрЖ日本語中文한"), max_size=6)


@given(
    name=st.sampled_from(LISTED),
    lines=st.lists(LINE, min_size=1, max_size=6),
    at=st.integers(0, 5),
    new=LINE,
    named=...,
)
@examples(500)
def test_a_line_is_replaced_in_the_files_encoding_or_the_patch_is_refused(
    name: str, lines: list[str], at: int, new: str, named: bool
):
    at %= len(lines)
    before = "".join(line + "\n" for line in lines).encode(name, "ignore")
    lines = before.decode(name).split("\n")[:-1]
    new = new.encode(name, "ignore").decode(name)  # what an encoding cannot say may show that it is another
    assume(not is_utf8(before) or (before.isascii() and named))
    files = {"a": before}
    hunk = [(" " if n != at else "-") + line for n, line in enumerate(lines)]
    hunk.insert(at + 1, "+" + new)
    result = outcome(patchkit.apply, update(*hunk), files, **({"encoding": name} if named else {}))

    lines[at] = new
    after = before if isinstance(result, PatchkitError) else "".join(line + "\n" for line in lines).encode(name)
    assert files == {"a": after}


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
