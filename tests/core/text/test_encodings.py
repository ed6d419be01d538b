"""Encodings: which can be used, what a file declares, and whether bytes are text in one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.text import Document
from patchkit.core.text.encodings import LISTED, declared, is_text, usable


@pytest.mark.parametrize("name", [*LISTED, "GBK", "Shift-JIS", "windows-1252", "UTF8", "tis-620"])
def test_an_encoding_that_keeps_ascii_can_be_used(name):
    assert usable(name) is not None


@pytest.mark.parametrize(
    "name",
    [
        *["", "nonsense", "rot13", "hex", "base64", "idna", "punycode", "unicode_escape"],  # no encodings of text
        *["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "utf-7", "cp037", "cp500"],  # ASCII is something else there
        *["iso2022_jp", "iso-2022-kr", "hz"],  # what a line means depends on those above it
        *["utf-8\0", "é", "x" * 10_000],
    ],
)
def test_an_encoding_that_lines_do_not_survive_cannot_be_used(name):
    assert usable(name) is None


@pytest.mark.parametrize(
    ("head", "names"),
    [
        (b"# -*- coding: gbk -*-\n", ["gbk", "gb18030"]),
        (b"#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\n", ["iso8859-1", "cp1252"]),
        (b"// -*- mode: c++; coding: windows-1251 -*-\n", ["cp1251"]),
        (b"/* -*- coding: utf-8 -*- */\n", ["utf-8"]),
        (b'<?xml version="1.0" encoding="Big5"?>\n', ["big5"]),
        (b"<?xml version='1.0' encoding='euc-kr' ?>\n", ["euc_kr", "cp949"]),
        (b'<!doctype html>\n<meta charset="Shift_JIS">\n', ["shift_jis", "cp932"]),
        (b'<META http-equiv="Content-Type" content="text/html; charset=gb2312">\n', ["gb2312", "gb18030"]),
        (b'@charset "koi8-r";\n', ["koi8-r"]),
    ],
)
def test_a_file_declares_its_encoding(head, names):
    assert declared(head + b"text\n") == names


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"coding: gbk\n",  # no comment
        b"a\nb\n# coding: gbk\n",  # below the second line
        b"# coding: utf-16\n",  # not that of these bytes
        b"# coding: nonsense\n",
        b"<p>charset=gbk</p>\n",
        b" " * 2000 + b'<meta charset="gbk">\n',  # too far down
    ],
)
def test_a_file_that_declares_nothing_usable_declares_nothing(head):
    assert declared(head) == []


def test_bytes_that_do_not_come_back_are_not_text():
    assert is_text("日本".encode("shift_jis"), "shift_jis")
    assert not is_text(b"\xff\xff", "shift_jis")
    assert not is_text(b"\x87\x90", "cp932")  # another pair of bytes is the same sign


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=40), st.sampled_from(LISTED))
@examples(300)
def test_lines_are_the_same_in_bytes_and_in_text(text, name):
    data = text.encode(name, "ignore")
    if is_text(data, name):
        document = Document(data, name)

        assert b"".join(document.file_bytes([document.data])) == data
        assert [line.encode(name) for line in document.texts] == data.removesuffix(b"\n").split(b"\n")[
            : len(document.texts)
        ]
