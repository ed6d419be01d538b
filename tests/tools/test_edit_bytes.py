"""Edits and bytes: what is outside the change stays, whatever the file is kept as."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import examples, outcome

from patchkit.errors import PatchkitError
from patchkit.formats.edits import Text, execute, valid
from patchkit.tools.editing.snippet import shown

ALPHABET = "ab \n\té€"
STRINGS = st.text(ALPHABET, max_size=6)
CONTENTS = st.text(ALPHABET, max_size=40)


def replaced(content, old, new, everywhere=False):
    """The content after an edit, or the code of its refusal."""
    made = outcome(execute, content, old, new, everywhere)
    return made.code if isinstance(made, PatchkitError) else b"".join(made.file_bytes())


# -- against plain Python ------------------------------------------------------------------------


def oracle(content, old, new, everywhere):
    """What an edit is, in the plainest words there are."""
    if old == new:
        return "P620"
    if old == "":
        return "P623"
    places = [at for at in range(len(content)) if content.startswith(old, at)]
    if not places:
        return "P621"
    if len(places) > 1 and not everywhere:
        return "P622"
    whole = f"\n{content}".startswith("\n" + old + "\n", places[0]) and not old.endswith("\n")
    return content.replace(old + "\n" if whole and not new and not everywhere else old, new).encode()


@examples(500)
@given(CONTENTS, STRINGS, STRINGS, st.booleans())
def test_an_edit_is_what_plain_python_makes_of_it(content, old, new, everywhere):
    assert replaced(content.encode(), old, new, everywhere) == oracle(content, old, new, everywhere)


@examples(300)
@given(CONTENTS, STRINGS, STRINGS, st.booleans(), st.data())
def test_an_edit_of_text_that_is_there_is_what_plain_python_makes_of_it(content, before, new, everywhere, data):
    assume(content)
    start = data.draw(st.integers(0, len(content) - 1))
    stop = data.draw(st.integers(start + 1, len(content)))
    old = content[start:stop]

    assert replaced(content.encode(), old, new, everywhere) == oracle(content, old, new, everywhere)


@examples(300)
@given(CONTENTS, STRINGS, STRINGS, st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_in_a_file_of_crlf_lines_an_edit_is_the_same_edit_with_other_ends(content, old, new, everywhere, ends):
    assume("\n" in content)
    wanted = oracle(content, old, new, everywhere)
    sent = old.replace("\n", ends), new.replace("\n", ends)

    made = replaced(content.replace("\n", "\r\n").encode(), *sent, everywhere)

    assert made == (wanted if isinstance(wanted, str) else wanted.replace(b"\n", b"\r\n"))


@examples(300)
@given(CONTENTS, STRINGS, STRINGS, st.booleans(), st.sampled_from(["utf-16-le", "utf-16-be", "utf-32-le"]))
def test_in_a_wide_encoding_an_edit_is_the_same_edit(content, old, new, everywhere, codec):
    mark = "\ufeff".encode(codec)
    wanted = oracle(content, old, new, everywhere)

    made = replaced(mark + content.encode(codec), old, new, everywhere)

    assert made == (wanted if isinstance(wanted, str) else mark + wanted.decode().encode(codec))


@examples(400)
@given(st.lists(st.tuples(st.text("ab ", max_size=3), st.sampled_from(["\n", "\r\n"])), max_size=8), STRINGS, STRINGS)
def test_in_a_file_of_mixed_ends_every_line_outside_keeps_its_own(lines, old, new):
    content = "".join(text + end for text, end in lines)
    made = outcome(execute, content.encode(), old, new, True)
    assume(not isinstance(made, PatchkitError))

    plain = content.replace("\r\n", "\n").replace(old, new)
    after = b"".join(made.file_bytes()).decode()
    assert after.replace("\r\n", "\n") == plain
    assert "\r" not in after.replace("\r\n", "")
    at = 0
    for change in made.changes:  # what lies between the changes is there to the byte
        assert content.encode()[at : change.start] in b"".join(made.file_bytes())
        at = change.stop


# -- line ends -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "old", "new", "after"),
    [
        (b"a\r\nb\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\n"),
        (b"a\r\nb\r\n", "a\r\nb", "x\r\ny", b"x\r\ny\r\n"),
        (b"a\r\nb", "b", "b\nc", b"a\r\nb\r\nc"),
        (b"a\nb\n", "a\r\nb", "x\r\ny", b"x\ny\n"),
        (b"a\nb\n", "a", "x\r\ny", b"x\ny\nb\n"),
        (b"a\rb\r", "a\nb", "x\ny", b"x\ry\r"),
        (b"a\r\nb\nc\n", "a\nb\nc", "x\ny\nz", b"x\r\ny\nz\n"),
        (b"a\nb\r\nc\r\n", "b", "b\nx", b"a\nb\nx\r\nc\r\n"),
        (b"a\r\nb\nc", "b\n", "b\nx\n", b"a\r\nb\nx\nc"),
        (b"a", "a", "x\ny", b"x\ny"),
        (b"a\rb\nc\n", "a\rb", "x", b"x\nc\n"),
        (b"a\r\nb\r\n", "a\n", "", b"b\r\n"),
    ],
)
def test_lines_that_come_in_take_the_ends_of_the_place(content, old, new, after):
    assert replaced(content, old, new) == after


@pytest.mark.parametrize("content", [b"a\r\nb\r\n", b"a\r\nb\n"])
def test_half_of_a_line_ending_does_not_match(content):
    assert replaced(content, "a\r", "x") == "P621"


def test_a_byte_order_mark_stays_and_is_not_part_of_the_text():
    assert replaced(b"\xef\xbb\xbfa\n", "a", "b") == b"\xef\xbb\xbfb\n"
    assert replaced(b"\xef\xbb\xbfa\n", "\ufeffa", "b") == "P621"


def test_bytes_that_are_not_text_stay_and_can_be_matched():
    assert replaced(b"\xff a \xfe\n", "a", "ä") == b"\xff \xc3\xa4 \xfe\n"
    assert replaced(b"\xff a\n", "\udcff a", "\udcfe") == b"\xfe\n"


def test_bytes_that_are_not_text_cannot_be_written_in_a_wide_encoding():
    content = "\ufeffa\n".encode("utf-16-le")

    assert replaced(content, "a", "\udcff") == "P624"
    assert replaced(content, "\udcff", "a") == "P621"


def test_a_missing_final_newline_stays_missing():
    assert replaced(b"a\nb", "b", "c") == b"a\nc"


# -- the rest of a file --------------------------------------------------------------------------


def test_mode_and_extended_attributes_stay(file, use):
    path = file("a.sh", "a\n")
    os.chmod(path, 0o755)
    try:
        os.setxattr(path, "user.note", b"kept")
    except OSError:
        pytest.skip("no extended attributes on this file system")

    use("Edit", file_path=path, old_string="a", new_string="b")

    assert (os.stat(path).st_mode & 0o777, os.getxattr(path, "user.note")) == (0o755, b"kept")


def test_nothing_is_left_beside_the_file(root, file, use):
    path = file("a.txt", "a\n")
    use("Edit", file_path=path, old_string="a", new_string="b")
    use("Edit", file_path=path, old_string="none", new_string="b")

    assert [each.name for each in root.iterdir()] == ["a.txt"]


# -- the diff ------------------------------------------------------------------------------------


@examples(300)
@given(CONTENTS, STRINGS, STRINGS)
def test_the_diff_turns_the_old_lines_into_the_new(content, old, new):
    text = Text(content)
    assume(valid(text, old, new, True) is None)
    edited = execute(text, old, new, True)
    after = b"".join(edited.pieces).decode()

    assert patched(content, shown(edited.document, edited.changes, "f").diff) == after


def patched(before, diff):
    """A text after a unified diff, by the rules of the format and nothing else."""
    lines = [line + "\n" for line in before.split("\n")]
    lines[-1] = lines[-1][:-1]
    out, at, sign = [], 0, ""
    for row in diff.split("\n")[2:-1]:
        if row.startswith("@@"):
            start, _, count = row.split()[1][1:].partition(",")
            first = int(start) - (count != "0")
            out += lines[at:first]
            at = first
        elif row.startswith("\\"):
            if sign == "+":
                out[-1] = out[-1][:-1]
        else:
            sign = row[0]
            out += {"+": [row[1:] + "\n"], " ": lines[at : at + 1], "-": []}[sign]
            at += sign != "+"
    return "".join(out + lines[at:])


@examples(200)
@given(CONTENTS, STRINGS, STRINGS)
def test_the_snippet_shows_lines_of_the_new_file_under_their_numbers(content, old, new):
    text = Text(content)
    assume(valid(text, old, new, True) is None)
    edited = execute(text, old, new, True)
    lines = b"".join(edited.pieces).decode().split("\n")

    rows = [row for row in shown(edited.document, edited.changes, "f").snippet.split("\n") if row]

    assert [row.partition("→")[2] for row in rows] == [lines[int(row.partition("→")[0]) - 1] for row in rows]


def test_an_edit_of_a_very_long_line_is_reported_without_the_line(file, use):
    path = file("a.txt", b"x" * 3_000_000 + b"old" + b"y" * 1_000_000)

    result = use("Edit", file_path=path, old_string="old", new_string="new")

    assert len(result.text) + len(str(result.data)) < 2000
    assert Path(path).read_bytes()[3_000_000:3_000_003] == b"new"


def test_an_edit_of_very_many_places_shows_the_first(file, use):
    path = file("a.txt", "a\n" * 1000)

    data = use("Edit", file_path=path, old_string="a", new_string="b", replace_all=True).data

    assert data["replacements"] == 1000
    assert data["ui_extra"].endswith("\n... (more 800 places are truncated)\n")
