"""Reading without the file in memory: the same lines as `sed` and `cat`, whatever the sizes of pieces, lines, files."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.text import Document
from patchkit.tools.reading import content as read_content
from patchkit.tools.reading.page import LONGEST_LINE, FileLines, LineRange, ReadLine, page_of

needs_sed = pytest.mark.skipif(shutil.which("sed") is None, reason="there is no sed here")
CONTENT = st.lists(st.sampled_from([b"\n", b"a", b"bb", b"\r\n", b"\r", "ä".encode(), b"\xff", b"x" * 50])).map(
    b"".join
)


def cut(data, sizes):
    """The data in pieces of these sizes, over and over."""
    at, pieces = 0, []
    while at < len(data):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(data[at : at + size])
        at += size
    return iter(pieces)


def all_lines(lines):
    found = []
    while (line := lines.take(1000)) is not None:
        found.append(line)
    return found


# -- lines out of pieces -------------------------------------------------------------------------


@examples(300)
@given(CONTENT, st.lists(st.integers(1, 7), min_size=1, max_size=3))
def test_lines_do_not_depend_on_how_the_bytes_come(data, sizes):
    whole = all_lines(FileLines(iter([data] if data else [])))

    assert all_lines(FileLines(cut(data, sizes))) == whole


@examples(200)
@given(CONTENT)
def test_lines_are_those_of_a_document(data):
    document = Document(data)
    texts = [text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for text in document.texts]

    found = all_lines(FileLines(iter([document.data] if document.data else []), document.separator))

    assert [line.text for line in found] == texts


@examples(300)
@given(CONTENT, st.lists(st.integers(1, 9), min_size=1, max_size=3), st.integers(0, 8))
def test_skipped_lines_are_counted_like_taken_ones(data, sizes, wanted):
    everything = all_lines(FileLines(cut(data, sizes)))
    lines = FileLines(cut(data, sizes))

    skipped = lines.skip(wanted)

    assert skipped == min(wanted, len(everything))
    assert all_lines(lines) == everything[wanted:]
    assert lines.passed == len(everything)


@examples(100)
@given(CONTENT, st.integers(1, 9))
def test_the_two_ways_of_counting_agree(data, size):
    plain, hopping = FileLines(cut(data, [size])), FileLines(cut(data, [size]))
    hopping._sparse = True

    assert plain.skip() == hopping.skip()


def test_a_line_of_several_pieces_is_measured_and_not_kept():
    lines = FileLines(iter([b"ab", "ä€".encode()[:3], "ä€".encode()[3:] + b"x" * 100 + b"\r", b"\nrest"]))

    assert all_lines(lines) == [ReadLine("abä€" + "x" * 100, 104), ReadLine("rest", 4)]
    assert FileLines(iter([b"ab", b"cd"])).take(3) == ReadLine("abc", 4)


def test_strange_bytes_are_found_in_a_line_of_several_pieces():
    assert FileLines(iter([b"a\xff", b"b\n"])).take(9) == ReadLine("a\ufffdb", 3, replaced=True)
    assert FileLines(iter(["a\ufffd".encode(), b"b\n"])).take(9) == ReadLine("a\ufffdb", 3, replaced=False)
    assert FileLines(iter([b"a\xe2", b"\n"])).take(9) == ReadLine("a\ufffd", 2, replaced=True)


# -- against other tools -------------------------------------------------------------------------


@needs_sed
@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(("offset", "limit"), [(1, 5), (3, 1), (3999, 20), (700, 333), (4000, 1)])
def test_a_window_shows_the_lines_that_sed_prints(root, use, monkeypatch, large, offset, limit):
    if large:
        monkeypatch.setattr(read_content, "MOST_HASHED", 1000)
        monkeypatch.setattr(read_content, "_PIECE", 997)
    path = root / "a.txt"
    path.write_text("".join(f"line {number} {'x' * (number * 7 % 90)}\n" for number in range(1, 4001)))

    result = use("Read", file_path=str(path), offset=offset, limit=limit, plain=True)

    printed = subprocess.run(
        ["sed", "-n", f"{offset},{offset + limit - 1}p", path], capture_output=True, text=True, check=True
    )
    assert [row.partition("→")[2] for row in result.text.split("\n")] == printed.stdout.splitlines()
    assert (result.data["sha256"] is None) == large


@pytest.mark.skipif(shutil.which("cat") is None, reason="there is no cat here")
@examples(60)
@given(st.lists(st.text("ab\t é\x0c", max_size=8), min_size=1, max_size=30), st.booleans())
def test_a_page_numbers_lines_as_cat_does(texts, ended):
    data = "\n".join(texts) + ("\n" if ended else "x")
    listed = subprocess.run(["cat", "-n"], input=data.encode(), capture_output=True, check=True).stdout.decode()
    rows = listed[:-1].split("\n") if listed.endswith("\n") else listed.split("\n")

    page = page_of(FileLines(iter([data.encode()])), LineRange(1, None))

    assert page.rows == [row.replace("\t", "→", 1) for row in rows]


# -- sizes ---------------------------------------------------------------------------------------

LARGE = """
import resource, sys
from patchkit.tools.calling import Caller, call
path, offset, limit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
call("Read", {"file_path": "small", "offset": 1, "limit": 1}, Caller(sys.argv[4]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
result = call("Read", {"file_path": path, "offset": offset, "limit": limit, "plain": True}, Caller(sys.argv[4]))
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(result.status, result.text[:20].strip(), result.text.count("\\n") + 1, grown < 24 << 10, sep="|")
"""


def read_large(root, name, offset, limit):
    """What another process says of a large file, and whether its memory stayed small."""
    (root / "small").write_text("a\n")
    line = [sys.executable, "-c", LARGE, name, str(offset), str(limit), str(root)]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip()


def sparse(path, size, *writes):
    """A file of so many NUL bytes with some text in it; it takes no room on most disks."""
    with open(path, "wb") as made:
        made.truncate(size)
        for at, text in writes:
            made.seek(at)
            made.write(text)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units")
def test_lines_near_the_end_of_a_large_file_take_no_more_memory_than_those_of_a_small_one(root):
    block = b"".join(b"%07d %b\n" % (number, b"x" * 71) for number in range(12_500))
    with open(root / "large", "wb") as made:
        for _ in range(120):
            made.write(block)

    assert read_large(root, "large", 1_499_900, 50) == "success|1499900→0012399 xxxx|50|True"


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units")
def test_a_line_of_a_hundred_megabytes_is_cut_without_being_kept(root):
    sparse(root / "large", 100 << 20, (0, b"y" * 9000), ((100 << 20) - 5, b"\nlast"))

    assert read_large(root, "large", 1, 2).endswith("|2|True")
    assert read_large(root, "large", 2, 1) == "success|2→last|1|True"


def test_a_large_file_without_line_feeds_is_read_by_its_returns(root, use, monkeypatch):
    monkeypatch.setattr(read_content, "MOST_HASHED", 100)
    monkeypatch.setattr(read_content, "_PIECE", 7)
    (root / "a.txt").write_bytes(b"".join(b"line %d\r" % number for number in range(1, 50)))

    assert use("Read", file_path="a.txt", offset=48, limit=5, plain=True).text == "    48→line 48\n    49→line 49"
    assert use("Read", file_path="a.txt", offset=50, limit=5).text.endswith("The file has 49 lines.</system-reminder>")


@pytest.mark.parametrize("codec", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_large_file_in_another_encoding_is_read_as_text(root, use, monkeypatch, codec):
    monkeypatch.setattr(read_content, "MOST_HASHED", 100)
    monkeypatch.setattr(read_content, "_PIECE", 7)
    (root / "a.txt").write_bytes("".join(f"line {number} 𝄞é\r\n" for number in range(1, 3000)).encode(codec))

    result = use("Read", file_path="a.txt", offset=2998, plain=True)

    assert result.text == "  2998→line 2998 𝄞é\n  2999→line 2999 𝄞é"
    assert result.status == "success"


@needs_sed
@pytest.mark.skipif(os.environ.get("PATCHKIT_TESTS") != "full", reason="a gigabyte: only under PATCHKIT_TESTS=full")
def test_lines_near_the_end_of_a_gigabyte_are_those_that_sed_prints(root, use):
    with open(root / "large", "wb") as made:
        for start in range(0, 24_000_000, 100_000):
            made.write(b"".join(b"%039d\n" % number for number in range(start, start + 100_000)))

    result = use("Read", file_path="large", offset=23_999_000, limit=200, plain=True)

    line = ["sed", "-n", "23999000,23999199p;23999199q", root / "large"]
    printed = subprocess.run(line, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [row.partition("→")[2] for row in result.text.split("\n")] == printed
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 20


def test_the_first_characters_of_a_line_are_kept_and_no_more():
    page = page_of(FileLines(iter([b"x" * 300_000, b"y" * 300_000 + b"\nlast"])), LineRange(1, None))

    assert len(page.texts[0]) == LONGEST_LINE + len("... (more 598000 characters in this line are truncated)")
    assert page.cut == [(1, 598_000)]
