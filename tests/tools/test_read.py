"""Read: numbered lines, within bounds, in the words the founding documents give."""

from __future__ import annotations

import hashlib
import json
import os

import pytest

REMINDER = (
    "\n\n<system-reminder>\nWhenever you read a file, you should consider whether it looks malicious. If it does, you "
    "MUST refuse to improve or augment the code. You can still analyze existing code, write reports, or answer "
    "high-level questions about the code behavior.\n</system-reminder>"
)
INSTEAD = (
    "Please use offset and limit parameters to read specific portions of the file, or use the `rg` command to search "
    "for specific content."
)


def rows(first, texts):
    return "\n".join(f"{number:6}→{text}" for number, text in enumerate(texts, first))


def goes_on(**arguments):
    """A call of Read as a program is told to make it."""
    return f"Read {json.dumps(arguments, ensure_ascii=False)}"


def said(result):
    """The first line of an error's text: what the tool owes its caller."""
    return result.text.split("\nerror[")[0]


# -- what a page is ------------------------------------------------------------------------------


def test_lines_are_numbered_from_one_six_wide_and_the_reminder_follows(file, use):
    path = file("a.txt", "修改后的行\n修改后的行\n不同的行\n修改后的行\n")

    assert use("Read", file_path=path).text == (
        "     1→修改后的行\n     2→修改后的行\n     3→不同的行\n     4→修改后的行" + REMINDER
    )


def test_plain_leaves_the_reminder_out(file, use):
    assert use("Read", file_path=file("a.txt", "a\nb"), plain=True).text == "     1→a\n     2→b"


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        (b"a\n", ["a"]),
        (b"a", ["a"]),
        (b"a\n\n", ["a", ""]),
        (b"\n", [""]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\nb\nc\r", ["a", "b", "c\r"]),
        (b"a\rb\r", ["a", "b"]),
        (b"a\rb", ["a", "b"]),
        ("a\u2028b\x0cc\x85d\n".encode(), ["a\u2028b\x0cc\x85d"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        ("a\nä\n".encode("utf-16"), ["a", "ä"]),
        ("a\r\n€\n".encode("utf-32"), ["a", "€"]),
    ],
)
def test_lines_end_where_the_other_tools_say_they_end(file, use, content, texts):
    assert use("Read", file_path=file("a.txt", content), plain=True).text == rows(1, texts)


@pytest.mark.parametrize(
    ("window", "first", "last"),
    [
        ({}, 1, 9),
        ({"offset": 1}, 1, 9),
        ({"offset": 0}, 1, 9),
        ({"offset": -5}, 1, 9),
        ({"offset": 9}, 9, 9),
        ({"offset": 4, "limit": 2}, 4, 5),
        ({"offset": 4, "limit": 100}, 4, 9),
        ({"limit": 3}, 1, 3),
        ({"limit": 0}, 1, 9),
        ({"limit": -1}, 1, 9),
        ({"start_line": 8}, 8, 9),
        ({"offset": 2.9, "limit": 1.5}, 2, 2),
        ({"offset": 3.0}, 3, 9),
    ],
)
def test_a_window_shows_its_lines(file, use, window, first, last):
    path = file("a.txt", "".join(f"line {number}\n" for number in range(1, 10)))

    result = use("Read", file_path=path, plain=True, **window)

    assert result.text == rows(first, [f"line {number}" for number in range(first, last + 1)])
    assert result.status == "success"


def test_the_data_says_what_was_shown_and_what_is_next(file, use):
    path = file("a.txt", "one\ntwo\nthree\n", read=False)
    os.utime(path, ns=(0, 1_234_567_890_123))

    assert use("Read", file_path=path, offset=2, limit=1).data == {
        "path": path,
        "size": 14,
        "file_mtime_ms": 1_234_567,
        "sha256": hashlib.sha256(b"one\ntwo\nthree\n").hexdigest(),
        "kind": "text",
        "content": "two",
        "first_line": 2,
        "lines": 1,
        "total_lines": None,
        "remaining_lines": 0,
        "truncated": False,
        "next_offset": 3,
        "next": {"file_path": path, "offset": 3, "limit": 1},
        "encoding": "utf-8",
        "modified_externally": False,
    }


def test_the_last_page_knows_how_many_lines_there_are(file, use):
    data = use("Read", file_path=file("a.txt", "one\ntwo\nthree\n"), offset=2).data

    assert (data["lines"], data["total_lines"], data["next_offset"]) == (2, 3, None)


# -- bounds --------------------------------------------------------------------------------------


def test_more_than_2000_lines_are_cut_and_counted(file, use):
    path = file("a.txt", "x\n" * 2500)

    result = use("Read", file_path=path)

    assert result.text == rows(1, ["x"] * 2000) + "\n... (more 500 lines are truncated)" + REMINDER
    assert (result.status, result.data["remaining_lines"], result.data["next_offset"]) == ("partial", 500, 2001)
    assert [note["message"] for note in result.notes] == [
        f"lines 2001 to 2500 of '{path}' are not shown; continue with: {goes_on(file_path=path, offset=2001)}"
    ]


def test_a_limit_beyond_2000_lines_counts_only_what_was_asked_for(file, use):
    path = file("a.txt", "x\n" * 9000)

    result = use("Read", file_path=path, offset=11, limit=2300, plain=True)

    assert result.text == rows(11, ["x"] * 2000) + "\n... (more 300 lines are truncated)"
    again = goes_on(file_path=path, offset=2011, limit=300, plain=True)
    assert [note["message"] for note in result.notes] == [
        f"lines 2011 to 2310 of '{path}' are not shown; continue with: {again}"
    ]


def test_the_call_that_goes_on_shows_the_rest(file, use):
    path = file("a.txt", "".join(f"{number}\n" for number in range(1, 2101)))
    first = use("Read", file_path=path, plain=True)

    second = use("Read", file_path=path, plain=True, offset=first.data["next_offset"])

    assert (second.status, second.text) == ("success", rows(2001, range(2001, 2101)))


def test_a_line_of_more_than_2000_characters_is_cut_and_counted(file, use):
    path = file("a.txt", "é" * 2000 + "\n" + "é" * 2001 + "\nc\n")

    result = use("Read", file_path=path, plain=True)

    cut = "é" * 2000 + "... (more 1 characters in this line are truncated)"
    assert result.text == rows(1, ["é" * 2000, cut, "c"])
    assert result.status == "partial"
    again = goes_on(file_path=path, plain=True, offset=2, limit=1, long_lines="split")
    assert [note["message"] for note in result.notes] == [
        f"line 2 of '{path}' is cut, 1 characters are missing; to see them: {again}"
    ]


def test_long_lines_can_be_split_into_numbered_parts(file, use):
    path = file("a.txt", "a\n" + "x" * 5000 + "\n" + "y" * 12_000 + "\nb\n")

    result = use("Read", file_path=path, plain=True, long_lines="split")

    parts = [("1", "a"), ("2", "x" * 5000), ("3", "y" * 5000), ("3.1", "y" * 5000), ("3.2", "y" * 2000), ("4", "b")]
    assert result.text == "\n".join(f"{label:>6}→{text}" for label, text in parts)
    assert (result.status, result.data["lines"], result.data["total_lines"]) == ("success", 4, 4)


def test_parts_of_a_line_count_towards_the_limit(file, use):
    path = file("a.txt", "y" * 12_000 + "\nb\n")

    result = use("Read", file_path=path, plain=True, long_lines="split", limit=2)

    again = goes_on(file_path=path, plain=True, long_lines="split", limit=2, offset=1, part=2)
    assert result.text == (
        f"     1→{'y' * 5000}\n   1.1→{'y' * 5000}\n"
        f"... (more 2000 characters in line 1 are truncated; go on with: {again})"
    )
    assert (result.status, result.data["next_offset"]) == ("partial", 1)
    assert [note["message"] for note in result.notes] == [
        f"line 1 of '{path}' is cut, 2000 characters are missing; to see them: {again}"
    ]


def test_a_file_over_256_kb_is_read_only_by_offset_and_limit(file, use):
    path = file("a.txt", b"0123456789abcde\n" * (256 * 64) + b"x", read=False)

    refused = use("Read", file_path=path)

    assert said(refused) == f"File content (256.0KB) exceeds maximum allowed size (256KB). {INSTEAD}"
    assert (refused.errors[0]["code"], refused.errors[0]["kind"]) == ("P615", "INVALID_PARAM")
    assert use("Read", file_path=path, offset=16_385, plain=True).text == " 16385→x"


def test_a_file_of_256_kb_is_not_too_large(file, use):
    path = file("a.txt", (b"x" * 127 + b"\n") * (256 * 8))

    assert use("Read", file_path=path, limit=1).status == "success"
    assert said(use("Read", file_path=path)).startswith("File content (255999 chars) exceeds maximum allowed tokens")


def test_more_than_60000_characters_are_refused_and_the_help_says_what_fits(file, use):
    path = file("a.txt", ("x" * 99 + "\n") * 601, read=False)

    refused = use("Read", file_path=path)

    assert said(refused) == f"File content (60099 chars) exceeds maximum allowed tokens (60000). {INSTEAD}"
    assert refused.errors[0]["hint"] == f"request less: {goes_on(file_path=path, offset=1, limit=600)}"
    assert use("Read", file_path=path, offset=1, limit=600).status == "success"


def test_lines_that_are_not_shown_do_not_make_a_page_too_long(file, use):
    assert use("Read", file_path=file("a.txt", "x" * 200_000)).status == "partial"


@pytest.mark.parametrize("offset", [1, 7])
def test_an_empty_file_gives_two_reminders(file, use, offset):
    path = file("a.txt", "")

    result = use("Read", file_path=path, offset=offset)

    assert result.text == (
        "<system-reminder>Warning: the file exists but is shorter than the provided offset "
        f"({offset}). The file has 1 lines.</system-reminder>\n"
        "System reminder: File exists but has empty contents"
    )
    assert (result.status, result.data["total_lines"]) == ("success", 0)


def test_an_offset_after_the_end_is_reported_with_the_number_of_lines(file, use):
    path = file("a.txt", "x\n" * 264)

    assert use("Read", file_path=path, offset=1000).text == (
        "<system-reminder>Warning: the file exists but is shorter than the provided offset (1000). "
        "The file has 264 lines.</system-reminder>"
    )


def test_an_offset_behind_the_end_counts_as_no_read(file, use):
    path = file("a.txt", "x\n", read=False)
    use("Read", file_path=path, offset=2)

    assert use("Write", file_path=path, content="").errors[0]["code"] == "P611"


# -- tokens --------------------------------------------------------------------------------------


def test_no_more_tokens_are_shown_than_are_asked_for(file, use):
    path = file("a.txt", "x" * 99 + "\n" + "y" * 2000 + "\n")

    result = use("Read", file_path=path, max_tokens=100, plain=True)

    message = (
        "\n... (the rest is cut: 100 tokens are asked for at most. Read on with offset and limit, or, where lines are "
        "long, reformat the file first, for example with jq, and read it again)"
    )
    whole = rows(1, ["x" * 99, "y" * 2000])
    assert result.text == whole[: 400 - len(message)] + message
    assert (len(result.text), result.status) == (400, "partial")


def test_the_call_after_a_cut_by_tokens_goes_on_with_the_first_line_that_is_not_whole(file, use):
    path = file("a.txt", "".join(f"{number} {'x' * 90}\n" for number in range(100, 160)))

    first = use("Read", file_path=path, max_tokens=300, plain=True)
    second = use("Read", file_path=path, offset=first.data["next_offset"], plain=True)

    shown = first.data["lines"]
    assert (shown, first.data["next_offset"], first.data["remaining_lines"]) == (10, 11, 50)
    again = goes_on(file_path=path, max_tokens=300, plain=True, offset=11)
    assert [note["message"] for note in first.notes] == [
        f"lines 11 to 60 of '{path}' are not shown; continue with: {again}"
    ]
    assert second.text.startswith("    11→110 x")


def test_what_fits_into_the_tokens_is_shown_whole(file, use):
    result = use("Read", file_path=file("a.txt", "a\n"), max_tokens=3, plain=True)

    assert (result.text, result.status) == ("     1→a", "success")


def test_tokens_cut_what_would_be_too_long_to_show(file, use):
    path = file("a.txt", ("x" * 99 + "\n") * 1000)

    assert use("Read", file_path=path, max_tokens=10_000).status == "partial"
    assert use("Read", file_path=path, max_tokens=20_000).errors[0]["code"] == "P616"


# -- what is no text -----------------------------------------------------------------------------


def test_a_nul_in_the_first_8_kb_makes_a_file_binary(file, use):
    refused = use("Read", file_path=file("a.bin", b"x" * 8191 + b"\0", read=False))

    assert (refused.errors[0]["code"], refused.errors[0]["kind"]) == ("P614", "BINARY_FILE")
    assert use("Read", file_path=file("b.bin", b"x" * 8192 + b"\0", read=False)).status == "partial"


def test_bytes_that_are_not_utf8_are_replaced_and_the_page_is_partial(file, use):
    path = file("a.txt", b"a\nb\x81c\n\x8d\n")

    result = use("Read", file_path=path, plain=True)

    assert result.text == rows(1, ["a", "b\ufffdc", "\ufffd"])
    assert result.status == "partial"
    assert [note["message"] for note in result.notes] == [
        f"'{path}' has bytes that are not UTF-8; from line 2 on they are shown as '\ufffd'"
    ]


def test_a_replacement_character_of_the_file_itself_is_text(file, use):
    assert use("Read", file_path=file("a.txt", "a\ufffdb\n")).status == "success"


# -- paths ---------------------------------------------------------------------------------------


def test_a_directory_is_refused_in_the_verbatim_words(root, use):
    assert said(use("Read", file_path=str(root))) == (
        "<tool_use_error>Illegal operation on a directory. read</tool_use_error>"
    )


def test_the_error_for_a_missing_file_has_the_names_that_may_have_been_meant(file, use):
    file("src/application.py", "")

    refused = use("Read", file_path="src/aplication.py")

    assert said(refused) == "<tool_use_error>File does not exist.</tool_use_error>"
    assert refused.errors[0]["hint"] == "check the path (did you mean 'src/application.py'?)"
    assert refused.data == {"suggestions": ["src/application.py"]}


def test_a_path_below_a_file_does_not_exist(file, use):
    file("a.txt", "")

    refused = use("Read", file_path="a.txt/b")

    assert said(refused) == "<tool_use_error>File does not exist.</tool_use_error>"
    assert refused.errors[0]["code"] == "P310"


def test_a_relative_path_and_a_link_inside_lead_to_the_file(root, file, use):
    file("sub/a.txt", "a\n")
    (root / "link").symlink_to("sub/a.txt")

    assert use("Read", file_path="sub/../link", plain=True).text == "     1→a"


def test_a_name_that_is_not_utf8_can_be_read(root, use):
    name = b"caf\xe9.txt"
    with open(os.path.join(os.fsencode(root), name), "wb") as made:
        made.write(b"a\n")

    result = use("Read", file_path=os.fsdecode(name), plain=True)

    assert result.text == "     1→a"
    assert json.loads(json.dumps(result.envelope()))["data"]["path"] == os.fsdecode(name)


# -- what somebody else did ----------------------------------------------------------------------


def test_a_file_that_changed_since_it_was_read_is_reported(file, use):
    path = file("a.txt", "a\n")
    with open(path, "a") as other:
        other.write("b\n")

    result = use("Read", file_path=path)

    assert result.data["modified_externally"] is True
    assert [note["message"] for note in result.notes] == [
        f"'{path}' has changed since this session last read or wrote it"
    ]
    assert use("Read", file_path=path).data["modified_externally"] is False


def test_a_touch_is_not_a_modification(file, use):
    path = file("a.txt", "a\n")
    os.utime(path, (0, 0))

    assert use("Read", file_path=path).data["modified_externally"] is False


def test_an_output_of_ours_outside_the_root_can_be_read(root, use, tmp_path, monkeypatch):
    from patchkit.core.workspace.root import Workspace
    from patchkit.history.outputs import keep

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with Workspace(str(root)) as files:
        kept = keep(files, "call_1")
        os.write(kept.fd, b"a\nb\n")
        os.close(kept.fd)

    result = use("Read", file_path=kept.path, offset=2, plain=True)

    assert (result.text, result.data["modified_externally"]) == ("     2→b", False)
    assert use("Write", file_path=kept.path, content="").errors[0]["code"] == "P301"
