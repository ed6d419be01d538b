"""Files read without ripgrep: lines and what is around them, in windows of any size, in any encoding."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.search.fallback import scanning as windows_module
from patchkit.search.fallback.matchers import Matcher
from patchkit.search.fallback.scanning import MatchingLines, count, is_found, windows
from patchkit.search.query import LONGEST, SearchBudget, shown


@pytest.fixture
def opened(tmp_path):
    """Opens a file with some content."""
    handles = []

    def open_file(data):
        path = tmp_path / "file"
        path.write_bytes(data)
        handles.append(os.open(path, os.O_RDONLY))
        return handles[-1]

    yield open_file
    for handle in handles:
        os.close(handle)


def lines_in(handle, needle, before=0, after=0):
    return list(MatchingLines(Matcher(needle), before, after).found(handle, SearchBudget()))


def oracle(data, needle, before, after):
    """Every line that matches or is near one, found by looking at all of them."""
    lines = data.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    hits = [n for n, line in enumerate(lines) if needle in line]
    near = {n for hit in hits for n in range(hit - before, hit + after + 1) if 0 <= n < len(lines)}
    return [(n + 1, lines[n], lines[n].find(needle)) for n in sorted(near)]


TEXTS = st.lists(st.sampled_from(["", "x", "a", "xx", "ax", "bbb"]), max_size=14).map("\n".join)


@examples(300)
@given(text=TEXTS, before=st.integers(0, 3), after=st.integers(0, 3), block=st.integers(1, 9))
def test_lines_are_those_that_comparing_every_line_finds(text, before, after, block, tmp_path_factory):
    path = tmp_path_factory.mktemp("f") / "file"
    path.write_bytes(text.encode())
    handle = os.open(path, os.O_RDONLY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows_module, "_BLOCK", block)
        found = lines_in(handle, b"x", before, after)
        lines = count(handle, Matcher(b"x"), SearchBudget(), named=False)
        somewhere = is_found(handle, Matcher(b"x"), SearchBudget(), named=False)
    os.close(handle)

    assert found == oracle(text.encode(), b"x", before, after)
    assert (lines, somewhere) == (sum(at >= 0 for _, _, at in found), bool(found))


@examples(200)
@given(data=st.binary(max_size=60), block=st.integers(1, 20), longest=st.integers(1, 20), overlap=st.integers(1, 5))
def test_windows_together_are_the_file_and_end_with_lines(data, block, longest, overlap, tmp_path_factory):
    data = data.replace(b"\xff", b"").replace(b"\xef", b"")
    path = tmp_path_factory.mktemp("f") / "file"
    path.write_bytes(data)
    handle = os.open(path, os.O_RDONLY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows_module, "_BLOCK", block)
        patch.setattr(windows_module, "LONGEST_LINE", longest + overlap)
        patch.setattr(windows_module, "_OVERLAP", overlap)
        found = list(windows(handle, SearchBudget()))
    os.close(handle)

    assert b"".join(each.data if each.begins else each.data[overlap:] for each in found) == data
    assert [each for each in found[:-1] if each.ends and not each.data.endswith(b"\n")] == []
    assert [each for each in found if not each.ends and b"\n" in each.data] == []


# -- lines that are longer than any window -------------------------------------------------------


@pytest.fixture
def _narrow(monkeypatch):
    monkeypatch.setattr(windows_module, "_BLOCK", 16)
    monkeypatch.setattr(windows_module, "LONGEST_LINE", 64)
    monkeypatch.setattr(windows_module, "_OVERLAP", 8)


@pytest.mark.usefixtures("_narrow")
@pytest.mark.parametrize("place", [0, 50, 63, 64, 70, 76, 80, 120, 195])
def test_a_text_is_found_anywhere_in_a_very_long_line(opened, place):
    line = b"." * place + b"needle" + b"." * (200 - place)
    handle = opened(b"first\n" + line + b"\nlast\n")

    assert [number for number, _, _ in lines_in(handle, b"needle")] == [2]
    assert count(handle, Matcher(b"needle"), SearchBudget(), named=False) == 1


@pytest.mark.usefixtures("_narrow")
def test_a_very_long_line_counts_once_however_often_it_matches(opened):
    handle = opened(b"needle" * 100 + b"\nother\nneedle\n")

    assert [number for number, _, _ in lines_in(handle, b"needle")] == [1, 3]
    assert count(handle, Matcher(b"needle"), SearchBudget(), named=False) == 2


# -- files that are not plain text ---------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_a_byte_order_mark_says_how_to_read_a_file(opened, encoding):
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    handle = opened(mark + "früh\nzürich\n".encode(encoding))

    assert lines_in(handle, "ürich".encode()) == [(2, "zürich\n".encode(), 1)]
    assert lines_in(handle, b"fr")[0][:2] == (1, "früh\n".encode())


def test_a_file_with_a_nul_is_skipped_unless_the_caller_named_it(opened):
    handle = opened(b"needle\n\0\nneedle\n")
    needle = Matcher(b"needle")

    assert (
        is_found(handle, needle, SearchBudget(), named=False),
        count(handle, needle, SearchBudget(), named=False),
    ) == (False, 0)
    assert (
        is_found(handle, needle, SearchBudget(), named=True),
        count(handle, needle, SearchBudget(), named=True),
    ) == (True, 2)


def test_text_behind_a_nul_is_not_shown(opened):
    handle = opened(b"needle 1\nneedle 2\0\nneedle 3\n")

    assert lines_in(handle, b"needle") == [(1, b"needle 1\n", 0), (2, b"needle 2", 0)]


def test_a_spent_budget_ends_a_file_early(opened):
    budget = SearchBudget(seconds=0.000001)

    assert list(windows(opened(b"a\n"), budget)) == []


# -- long lines ----------------------------------------------------------------------------------


def test_a_long_line_is_clipped_around_the_match():
    line = b"a" * 1000 + b"needle" + b"b" * 1000

    text, clipped = shown(line, 1000)

    assert (text, clipped) == ("…" + "a" * 100 + "needle" + "b" * 394 + "…", True)


@pytest.mark.parametrize(
    ("line", "at"), [(b"x" * LONGEST, 3), ("ä".encode() * LONGEST, 0), (b"short\r\n", 0), (b"", 0)]
)
def test_a_line_of_the_greatest_length_is_shown_whole(line, at):
    assert shown(line, at) == (line.decode().removesuffix("\n").removesuffix("\r"), False)


@examples(200)
@given(st.text("aä€𝄞\udcff", max_size=1500), st.floats(0, 1))
def test_a_clipped_line_is_a_part_of_the_line_that_holds_the_match(text, where):
    line = text.encode("utf-8", "surrogateescape")
    at = len(text[: int(len(text) * where)].encode("utf-8", "surrogateescape"))

    part, clipped = shown(line, at)

    bare = part.removeprefix("…").removesuffix("…")
    assert len(bare) <= LONGEST
    assert clipped or part == line.decode("utf-8", "replace")
    assert line[at:].decode("utf-8", "replace")[:50] in bare or len(line) <= LONGEST
