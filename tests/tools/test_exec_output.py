"""The output of a command: handed over whole, or moved to a file and shown by its two ends."""

from __future__ import annotations

import os
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from patchkit.core.workspace.root import Workspace
from patchkit.history import outputs
from patchkit.tools import exec as exec_output
from patchkit.tools.exec import MOST_CHARS, CommandOutput

HEAD = """\
Tool result too large, the result of this tool call call_7
was saved in the filesystem at: {path}

You can read the result using read_file with offset and limit parameters.

Here is a preview showing the head and tail of the result:
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "project").mkdir()
    with Workspace(tmp_path / "project") as workspace:
        yield workspace


def closed(files: Workspace, *pieces: bytes) -> tuple[CommandOutput, str]:
    output = CommandOutput(files, "call_7")
    for piece in pieces:
        output.take(piece)
    return output, output.close()


def read(path: str | None) -> bytes:
    assert path is not None
    with open(path, "rb") as file:
        return file.read()


def numbered(first: int, last: int) -> bytes:
    return b"".join(b"line %06d\n" % number for number in range(first, last + 1))


@pytest.mark.parametrize("data", [b"", b"one\ntwo\n", b"\xff\xfe\n", "é€\n".encode(), b"x" * MOST_CHARS])
def test_a_small_output_is_handed_over_as_it_is(files, data):
    output, text = closed(files, data)

    assert text.encode("utf-8", "surrogateescape") == data
    assert (output.truncated, output.path, output.notes) == (False, None, [])


def test_the_limit_counts_characters_and_not_bytes(files):
    assert closed(files, "€".encode() * MOST_CHARS)[0].truncated is False
    assert closed(files, "€".encode() * MOST_CHARS + b"x")[0].truncated is True


def test_a_large_output_goes_to_a_file_and_shows_five_lines_of_each_end(files):
    data = numbered(1, 20_000)
    output, text = closed(files, data)

    assert read(output.path) == data
    assert text == HEAD.format(path=output.path) + (
        "line 000001\nline 000002\nline 000003\nline 000004\nline 000005\n"
        "... [19990 lines omitted] ...\n"
        "line 019996\nline 019997\nline 019998\nline 019999\nline 020000\n"
    )


def test_a_last_line_without_its_end_counts(files):
    text = closed(files, numbered(1, 20_000) + b"the end")[1]

    assert "... [19991 lines omitted] ...\n" in text
    assert text.endswith("line 020000\nthe end\n")


@pytest.mark.parametrize("lines", [1, 2, 5, 6, 9, 10, 11])
def test_few_long_lines_are_all_shown_and_each_is_cut(files, lines):
    data = b"".join(b"%-9d" % number + b"x" * 90_000 + b"\n" for number in range(lines))
    shown = closed(files, data)[1].split("result:\n")[1].rstrip("\n").split("\n")
    whole = [f"{number:<9}{'x' * 991} ... [89009 more bytes in this line]" for number in range(lines)]

    assert shown == (whole if lines < 11 else [*whole[:5], "... [1 line omitted] ...", *whole[6:]])


def test_a_character_is_never_cut_in_two(files):
    text = closed(files, "é€".encode() * 50_000)[1]

    assert text.endswith(f"\n{'é€' * 500} ... [247500 more bytes in this line]\n")


@settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.integers(1, 200_000), max_size=8), st.randoms(use_true_random=False))
def test_whatever_the_pieces_the_file_or_the_text_is_the_output(files, sizes, random):
    pieces = [bytes(random.choices(b"ab\n\xc3\xa9", k=50)) * (size // 50 + 1) for size in sizes]
    output, text = closed(files, *pieces)

    assert (read(output.path) if output.truncated else text.encode("utf-8", "surrogateescape")) == b"".join(pieces)
    assert output.size == len(b"".join(pieces))


def test_the_watcher_gets_every_piece(files):
    seen: list[bytes] = []
    output = CommandOutput(files, "call_7", seen.append)
    pieces = [b"a\n", b"x" * 500_000, b"b\n"]
    for piece in pieces:
        output.take(piece)
    output.close()

    assert seen == pieces


def test_of_an_output_without_end_the_two_ends_are_kept(files, monkeypatch):
    monkeypatch.setattr(exec_output, "MOST_KEPT", 500_000)
    monkeypatch.setattr(exec_output, "TAIL", 50_000)
    piece = numbered(1, 1000)
    output, text = closed(files, *([piece] * 100), b"the end\n")
    content = read(output.path)
    (note,) = output.notes

    assert content[:500_000] == (piece * 100)[:500_000]
    assert content.endswith(piece[-1000:] + b"the end\n")
    assert f"\n... [{output.size - 550_000} bytes omitted] ...\n".encode() in content
    assert len(content) < 560_000
    assert (note.code, note.facts) == ("P972", {"saved": "part", "kept": 500_000, "tail": 50_000, "size": output.size})
    assert text.endswith("line 001000\nthe end\n")


def test_memory_does_not_grow_with_the_output(files, monkeypatch):
    monkeypatch.setattr(exec_output, "MOST_KEPT", 1 << 20)
    output = CommandOutput(files, "call_7")
    tracemalloc.start()
    for number in range(2000):
        output.take(b"%08d\n" % number * 8000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    output.close()

    assert output.size == 2000 * 9 * 8000
    assert peak < 8 << 20


def test_without_a_place_for_it_both_ends_are_handed_over(files, monkeypatch):
    def full(files: Workspace, call_id: str) -> outputs.OutputFile:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(exec_output, "keep", full)
    output, text = closed(files, numbered(1, 20_000))

    assert text.startswith("line 000001\n")
    assert text.endswith("line 020000\n")
    assert "... [160000 bytes omitted] ..." in text
    assert (output.truncated, output.path) == (True, None)
    assert [(note.code, note.message) for note in output.notes] == [
        ("P972", "the full output could not be saved: no space left on device")
    ]


def test_a_disk_that_fills_up_is_reported(files, monkeypatch):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    monkeypatch.setattr(
        exec_output, "keep", lambda files, call_id: outputs.OutputFile("/dev/full", os.open("/dev/full", os.O_WRONLY))
    )
    output, text = closed(files, *([numbered(1, 20_000)] * 3))

    assert output.path is None
    assert [note.code for note in output.notes] == ["P972"]
    assert text.endswith("line 020000\n")
