"""The search without ripgrep: expressions that mean what they mean to ripgrep, and lines in windows of any size."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_trees import RG
from strategies import examples, outcome

from patchkit.core.workspace.root import Workspace
from patchkit.search import fallback
from patchkit.search.fallback import MatchingLines, PythonSearch, finder_of, lines_in, windows
from patchkit.search.query import CONTENT, COUNT, FILES, LONGEST, Query, shown
from patchkit.search.walk import SearchBudget


def expression(pattern, ignore_case=False):
    query = Query(pattern)
    query.regex, query.ignore_case = True, ignore_case
    return query


# -- expressions ---------------------------------------------------------------------------------

NEEDS_RIPGREP = {
    r"\p{Greek}": r"'\p'",
    r"\A": r"'\A'",
    r"\z": r"'\z'",
    r"\n": r"'\n'",
    r"a\<": r"'\<'",
    r"\x{41}": r"'\x'",
    "(?s)a": "'(?s'",
    "(?x)a b": "'(?x'",
    "(?<name>a)": "'(?<'",
    "(?>a)": "'(?>'",
    "a(?i)b": "'(?i'",
    "a(?#b)": "'(?#'",
    "a**": "'**'",
    "a++": "'++'",
    "a{2}+": "'{2}+'",
    "^*": "'^*'",
    r"\b+": r"'\b'",
    "[[:alpha:]]": "this class; write '\\[' for the bracket itself",
    "[a[bc]]": "this class; write '\\[' for the bracket itself",
    "[a&&b]": "this class; write '\\[' for the bracket itself",
    r"[\b]": "this class; write '\\[' for the bracket itself",
    "a{": "a '{' that begins no repetition; write '\\{' for the brace itself",
    "a{,3}": "a '{' that begins no repetition; write '\\{' for the brace itself",
}
INVALID = {
    "(?=a)": "'(?=' is not supported",
    "(?<!a)": "'(?<!' is not supported",
    r"(a)\1": r"'\1' is not supported",
    "(a": "missing ), unterminated subpattern",
    "a)": "unbalanced parenthesis",
    "[z-a]": "bad character range z-a",
    "a{2,1}": "min repeat greater than max repeat",
    "(" * 9000 + ")" * 9000: "too many groups are within each other",
}


def test_what_may_mean_something_else_to_ripgrep_is_refused():
    errors = {pattern: outcome(finder_of, expression(pattern)) for pattern in NEEDS_RIPGREP}

    assert {pattern: (error.code, error.facts["part"]) for pattern, error in errors.items()} == {
        pattern: ("P634", part) for pattern, part in NEEDS_RIPGREP.items()
    }


def test_what_ripgrep_does_not_take_is_invalid_here_too():
    errors = {pattern: outcome(finder_of, expression(pattern)) for pattern in INVALID}

    assert {pattern: (error.code, error.facts["reason"]) for pattern, error in errors.items()} == {
        pattern: ("P633", why) for pattern, why in INVALID.items()
    }


@pytest.mark.skipif(RG is None, reason="no ripgrep here")
@pytest.mark.parametrize("pattern", [each for each in INVALID if len(each) < 100])
def test_what_is_invalid_here_is_invalid_for_ripgrep(pattern, tmp_path):
    (tmp_path / "a").write_text("a\n")

    assert (
        subprocess.run([RG, "--no-config", f"--regexp={pattern}", tmp_path / "a"], capture_output=True).returncode == 2
    )


# -- beside ripgrep ------------------------------------------------------------------------------
# docs/tools.md says where `re` and ripgrep differ: characters that one of them counts as a letter or as a space and the
# other does not, and bytes that are not text. None of them is in these lines.

SAMPLE = [
    *["", " ", "a", "A", "ab", "aab", "abc", "a b", "a-b", "a.b", "a_b", "1", "12", "a1", "1a", "x = 1", "\ta", "a\r"],
    *["ä", "Ä", "ß", "ẞ", "ſ", "s", "S", "\u212a", "k", "K", "\u212b", "å", "é", "日本", "٣", "\u00a0", "\u3000"],
    *["𝄞", "a\x85b", "a\u2028b", "·", "ª", "Ⅳ", "\u180e", "\u200b", "i", "I", "B", "xB._1", "b-1 ab"],
]
CURIOUS = [
    *[r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", ".", "^.$", "^..$", r"^\w$", r"^\w+$", r"\ba\b", "^$", "a$", "(?i)B"],
    *["[^a]", r"[^\w]", r"[\W]", "[^ab]b", "a.b", "[à-ü]", "[a-z]", "[A-Z]", "^[a-z]$", r"\xe4", "s", "k", "å", "ß"],
    *[
        "ſ",
        "\u212a",
        "\u212b",
        "ẞ",
        "[s-t]",
        "[k]",
        r"\t",
        r"\.",
        "a|ä",
        "(a|1)+b?",
        r"\w+\s*=\s*\d+",
        "a{2}",
        "é",
        "]",
    ],
    *[
        "[]a]",
        "[^]a]",
        "(?P<name>a)b",
        r"[\]\-a]",
        "}",
        "a+?b",
        "a{1,}?$",
        "(|a)1",
        "[a-]",
        r"[\d_-]",
        "[^-b]",
        r"[\s1]+",
        r"\W\w",
        r"[\W1]",
        r"x\s+=",
        r"\D+$",
        r"[^\s]b",
        "^",
    ],
]
ATOMS = ["a", "b", ".", r"\d", r"\w", r"\s", r"\S", "[ab]", "[^a]", "[a-c1]", r"[\d_]", r"\.", "x1"]
TIMES = ["", "", "", "*", "+", "?", "{2}", "{1,2}", "{1,}", "*?", "+?"]
ROWS = st.lists(
    st.one_of(
        st.sampled_from(["^", "$", r"\b", r"\B"]),
        st.tuples(st.sampled_from(ATOMS), st.sampled_from(TIMES)).map("".join),
    ),
    min_size=1,
    max_size=4,
).map("".join)
EXPRESSIONS = st.recursive(
    ROWS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("|".join),
        st.tuples(inner, st.sampled_from(TIMES)).map(lambda each: f"({each[0]}){each[1]}"),
        st.tuples(inner, inner).map(lambda each: f"{each[0]}(?:{each[1]})"),
    ),
    max_leaves=4,
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    path = tmp_path_factory.mktemp("sample") / "lines"
    path.write_bytes("".join(f"{line}\n" for line in SAMPLE).encode())
    return path


def theirs(path, pattern, ignore_case):
    case = "--ignore-case" if ignore_case else "--case-sensitive"
    words = [RG, "--no-config", "-n", "--no-filename", case, f"--regexp={pattern}", path]
    done = subprocess.run(words, capture_output=True)
    assert done.returncode < 2, done.stderr
    return [int(line.partition(b":")[0]) for line in done.stdout.split(b"\n")[:-1]]


def ours(path, pattern, ignore_case):
    finder, data = finder_of(expression(pattern, ignore_case)), path.read_bytes()
    found, at = [], 0
    while (hit := finder(data, at)) >= 0:
        found.append(data.count(b"\n", 0, hit) + 1)
        at = data.find(b"\n", hit) + 1
    return found


@pytest.mark.skipif(RG is None, reason="no ripgrep here")
@pytest.mark.parametrize("ignore_case", [False, True])
def test_characters_of_all_kinds_belong_where_ripgrep_puts_them(sample, ignore_case):
    assert {pattern: ours(sample, pattern, ignore_case) for pattern in CURIOUS} == {
        pattern: theirs(sample, pattern, ignore_case) for pattern in CURIOUS
    }


@pytest.mark.skipif(RG is None, reason="no ripgrep here")
@examples(150)
@given(EXPRESSIONS, st.booleans())
def test_an_expression_finds_the_lines_that_ripgrep_finds(sample, pattern, ignore_case):
    assert ours(sample, pattern, ignore_case) == theirs(sample, pattern, ignore_case)


# -- the child -----------------------------------------------------------------------------------

FOREVER = "(a|aa)+b"


def engine(files, query, seconds=0.0):
    return PythonSearch(files, query, SearchBudget(seconds))


@pytest.mark.parametrize("mode", [FILES, CONTENT, COUNT])
def test_an_expression_that_takes_for_ever_ends_when_time_is_up(tree, mode):
    root = tree({"a/found": "ab\n", "b/endless": "a" * 60 + "\n"})
    query = expression(FOREVER)
    query.mode = mode
    for seconds in (0.3, 3, 30):  # more on a machine that is too busy for the first file in that time
        with Workspace(str(root)) as files:
            search = engine(files, query, seconds=seconds)
            found = [hit.path for hit in search.below(())]
        if found:
            break

    assert (found, search.late, search.unreadable) == (["a/found"], True, [])


@pytest.mark.skipif(sys.platform != "linux", reason="finds the child by /proc")
def test_a_search_that_takes_for_ever_ends_with_its_host(tree):
    root = tree({"endless": "a" * 60 + "\n"})
    words = [sys.executable, "-m", "patchkit", "grep", "--regex", FOREVER, "--root", str(root), "--timeout", "0"]
    host = subprocess.Popen(words, env={**os.environ, "PATCHKIT_RG": ""}, stdout=subprocess.DEVNULL)
    children: list[str] = []
    while not children:
        assert host.poll() is None
        time.sleep(0.02)
        children = Path(f"/proc/{host.pid}/task/{host.pid}/children").read_text().split()
    stopped = f"/proc/{children[0]}/stat"
    while _processor_time(stopped) < 20:  # ticks: it has long begun to match
        assert host.poll() is None
        time.sleep(0.02)
    host.send_signal(signal.SIGKILL)
    host.wait()

    while _processor_time(stopped) >= 0:
        time.sleep(0.05)


def _processor_time(stat):
    """The ticks that a process has used; -1 for one that has ended."""
    try:
        fields = Path(stat).read_text().rpartition(")")[2].split()
    except OSError:
        return -1
    return -1 if fields[0] == "Z" else int(fields[11])


def test_a_child_that_cannot_be_started_is_reported(tree, monkeypatch):
    root = tree({"d/a": "x\n"})
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with Workspace(str(root)) as files:
        search = engine(files, Query("x"))
        found = search.below(("d",))

    assert (found, search.unreadable) == ([], [("d", "the process that searches ended with status 127")])


def test_a_pattern_that_is_longer_than_a_word_of_a_command_is_found(tree):
    root = tree({"a": "x" * 300_000 + "\n", "b": "x\n"})
    with Workspace(str(root)) as files:
        assert [hit.path for hit in engine(files, Query("x" * 200_000)).below(())] == ["a"]


# -- lines ---------------------------------------------------------------------------------------


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


def lines_of(handle, needle, before=0, after=0):
    return list(MatchingLines(finder_of(Query(needle)), before, after).found(handle))


def count(handle, needle, named=False):
    query = Query(needle, COUNT)
    return lines_in(handle, query, finder_of(query), named) or 0


def is_found(handle, needle, named=False):
    return lines_in(handle, Query(needle), finder_of(Query(needle)), named) is not None


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
        patch.setattr(fallback, "_WINDOW", block)
        patch.setattr(fallback, "_BLOCK", block)
        found = lines_of(handle, "x", before, after)
        lines = count(handle, "x")
        somewhere = is_found(handle, "x")
    os.close(handle)

    assert found == oracle(text.encode(), b"x", before, after)
    assert (lines, somewhere) == (sum(at >= 0 for _, _, at in found), bool(found))


@examples(200)
@given(data=st.binary(max_size=60), block=st.integers(1, 20), longest=st.integers(1, 20), overlap=st.integers(1, 5))
def test_windows_together_are_the_file_and_end_with_lines(data, block, longest, overlap, tmp_path_factory):
    data = b"." + data  # no byte order mark
    path = tmp_path_factory.mktemp("f") / "file"
    path.write_bytes(data)
    handle = os.open(path, os.O_RDONLY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fallback, "_WINDOW", block)
        patch.setattr(fallback, "_BLOCK", block)
        patch.setattr(fallback, "LONGEST_LINE", longest + overlap)
        patch.setattr(fallback, "_OVERLAP", overlap)
        found = list(windows(handle, "utf-8"))
    os.close(handle)

    assert b"".join(each.data if each.begins else each.data[overlap:] for each in found) == data
    assert [each for each in found[:-1] if each.ends and not each.data.endswith(b"\n")] == []
    assert [each for each in found if not each.ends and b"\n" in each.data] == []


# -- lines that are longer than any window -------------------------------------------------------


@pytest.fixture
def _narrow(monkeypatch):
    monkeypatch.setattr(fallback, "_WINDOW", 16)
    monkeypatch.setattr(fallback, "_BLOCK", 16)
    monkeypatch.setattr(fallback, "LONGEST_LINE", 64)
    monkeypatch.setattr(fallback, "_OVERLAP", 8)


@pytest.mark.usefixtures("_narrow")
@pytest.mark.parametrize("place", [0, 50, 63, 64, 70, 76, 80, 120, 195])
def test_a_text_is_found_anywhere_in_a_very_long_line(opened, place):
    line = b"." * place + b"needle" + b"." * (200 - place)
    handle = opened(b"first\n" + line + b"\nlast\n")

    assert [number for number, _, _ in lines_of(handle, "needle")] == [2]
    assert count(handle, "needle") == 1


@pytest.mark.usefixtures("_narrow")
def test_a_very_long_line_counts_once_however_often_it_matches(opened):
    handle = opened(b"needle" * 100 + b"\nother\nneedle\n")

    assert [number for number, _, _ in lines_of(handle, "needle")] == [1, 3]
    assert count(handle, "needle") == 2


# -- files that are not plain text ---------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_a_byte_order_mark_says_how_to_read_a_file(opened, encoding):
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    handle = opened(mark + "früh\nzürich\n".encode(encoding))

    assert lines_of(handle, "ürich") == [(2, "zürich\n".encode(), 1)]
    assert lines_of(handle, "fr")[0][:2] == (1, "früh\n".encode())


def test_a_file_with_a_nul_is_skipped_unless_the_caller_named_it(opened):
    handle = opened(b"needle\n\0\nneedle\n")

    assert (is_found(handle, "needle"), count(handle, "needle")) == (False, 0)
    assert (is_found(handle, "needle", named=True), count(handle, "needle", named=True)) == (True, 2)


def test_text_behind_a_nul_is_not_shown(opened):
    handle = opened(b"needle 1\nneedle 2\0\nneedle 3\n")

    assert lines_of(handle, "needle") == [(1, b"needle 1\n", 0), (2, b"needle 2", 0)]


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
