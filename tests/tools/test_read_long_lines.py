"""FileLines of any length: shown in parts, page by page, without losing a character."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.tools.calling import Caller, call
from patchkit.tools.reading import content as contents
from patchkit.tools.reading import page as pages
from patchkit.tools.reading.page import FileLines


def all_pages(use, **arguments):
    """The parts of a file by following the call that goes on, as long as there is one."""
    found = []
    wanted = arguments
    for _ in range(1000):
        result = use("Read", **wanted)
        assert result.status in ("success", "partial"), result.text
        found += [row for row in result.text.split("\n") if "→" in row]
        if result.data["next"] is None:
            return found
        wanted = result.data["next"]
    raise AssertionError("it never ends")


def test_a_line_too_long_to_be_shown_at_once_is_read_page_by_page(file, use):
    text = "".join(f"{number:09d}\t" for number in range(40_000))
    path = file("a.txt", f"first\n{text}\nlast\n")

    rows = all_pages(use, file_path=path, offset=2, limit=11, long_lines="split", plain=True)

    labels = ["2", *(f"2.{part}" for part in range(1, 80)), "3"]
    assert [row.partition("→")[0].strip() for row in rows] == labels
    assert "".join(row.partition("→")[2] for row in rows) == text + "last"


def test_the_first_call_that_the_note_of_a_cut_line_names_can_be_made(file, use):
    path = file("a.txt", "x" * 200_000)
    cut = use("Read", file_path=path, plain=True)
    again = use("Read", file_path=path, plain=True, offset=1, limit=11, long_lines="split")

    assert cut.notes[0]["message"].endswith('"offset": 1, "limit": 11, "long_lines": "split"}')
    assert (again.status, again.data["lines"], len(again.data["content"])) == ("partial", 1, 55_010)


def test_a_person_gets_the_command_that_continues(file, root):
    path = file("a b.txt", "x" * 200_000)
    caller = Caller(str(root))
    caller.by_hand = True

    result = call("Read", {"file_path": path, "limit": 2, "part": 3, "plain": True}, caller)

    last = result.text.split("\n")[-1]
    command = last.partition("go on with: ")[2].removesuffix(")")
    assert shlex.split(command) == [
        *["patchkit", "read", "--root", str(root), "--limit", "2", "--part", "5", "--plain", "--offset", "1", path]
    ]


def test_parts_count_from_the_line_at_offset_and_the_lines_behind_it_are_whole(file, use):
    path = file("a.txt", "a\n" + "x" * 12_000 + "\n" + "y" * 6000 + "\nb\n")

    result = use("Read", file_path=path, plain=True, offset=2, part=2)

    parts = [("2.2", "x" * 2000), ("3", "y" * 5000), ("3.1", "y" * 1000), ("4", "b")]
    assert result.text == "\n".join(f"{label:>6}→{text}" for label, text in parts)
    assert (result.status, result.data["lines"], result.data["next"]) == ("success", 3, None)


@pytest.mark.parametrize(("length", "part", "last"), [(12_000, 3, 2), (10_000, 2, 1), (0, 1, 0), (10, 10**9, 0)])
def test_a_part_that_a_line_does_not_have_is_refused(file, use, length, part, last):
    path = file("a.txt", "x" * length + "\nb\n")

    refused = use("Read", file_path=path, part=part)

    assert (refused.errors[0]["code"], refused.errors[0]["message"], refused.errors[0]["hint"]) == (
        "P603",
        f"'part' cannot be {part}",
        f"give a whole number between 0 and {last}, because line 1 has {length} characters",
    )


def test_a_part_after_the_end_of_the_file_is_reported_like_an_offset_after_it(file, use):
    assert "The file has 1 lines." in use("Read", file_path=file("a.txt", "x\n"), offset=5, part=1).text


def test_tokens_cut_parts_and_the_next_call_begins_with_the_first_that_is_not_whole(file, use):
    path = file("a.txt", "x" * 30_000)

    first = use("Read", file_path=path, long_lines="split", max_tokens=4000, plain=True)

    asked = {"file_path": path, "long_lines": "split", "max_tokens": 4000, "plain": True}
    assert first.data["next"] == {**asked, "offset": 1, "part": 3, "limit": 11}
    rows = all_pages(use, file_path=path, long_lines="split", max_tokens=4000, plain=True)
    assert {row[:12] for row in rows} >= {f"{label:>6}→xxxxx" for label in ("1", "1.1", "1.5")}


def test_where_not_even_a_row_fits_into_the_tokens_the_next_call_asks_for_more(file, use):
    path = file("a.txt", "x" * 1900 + "\nb\n")

    rows = all_pages(use, file_path=path, max_tokens=60, plain=True)

    assert rows[-2:] == ["     1→" + "x" * 1900, "     2→b"]


@pytest.mark.parametrize("tokens", [1, 9, 10, 60, 499])
@pytest.mark.parametrize("long", [1, 90, 1900])
def test_the_call_after_one_that_showed_no_row_shows_one(file, use, tokens, long):
    path = file("a.txt", "x" * long + "\nb\n" * 100)

    first = use("Read", file_path=path, max_tokens=tokens, plain=True).data

    assert first["lines"] or use("Read", **first["next"]).data["lines"]


@given(
    st.text(alphabet="aé€😀\r\n", max_size=60),
    st.integers(min_value=1, max_value=7),
    st.integers(min_value=1, max_value=5),
    st.integers(min_value=1, max_value=9),
)
@examples(150)
def test_pages_of_parts_put_together_are_the_file(text, longest, limit, piece):
    """The law of paging: whatever is long, nothing is lost, and nothing is told twice."""
    data = text.encode()

    def lines():
        return FileLines(data[at : at + piece] for at in range(0, len(data), piece))

    found: list[tuple[tuple[int, int], str]] = []
    place = (1, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "LONGEST_PART", longest)
        while (page := pages.page_of(lines(), pages.LineRange(place[0], limit, True, place[1]))) is not None:
            found += zip(page.places, page.texts)
            if page.is_all:
                break
            assert page.next > place
            place = page.next

    wanted = text.split("\n")
    wanted = [line.removesuffix("\r") for line in wanted[:-1]] + ([wanted[-1]] if wanted[-1] else [])
    assert [place for place, _ in found] == [
        (number, part) for number, line in enumerate(wanted, 1) for part in range(max(1, -(-len(line) // longest)))
    ]
    joined = [""] * len(wanted)
    for (number, _), part in found:
        joined[number - 1] += part
    assert joined == wanted


def test_a_replacement_character_on_the_border_of_two_pieces_is_the_files_own(file, use, monkeypatch):
    monkeypatch.setattr(contents, "MOST_HASHED", 10)
    monkeypatch.setattr(contents, "_PIECE", 7)

    assert use("Read", file_path=file("a.txt", "abcde\ufffdxyz" * 9)).status == "success"
    assert use("Read", file_path=file("b.txt", b"abcde\xff\xfexyz" * 9)).status == "partial"
