"""`patchkit read`, `write`, `edit`, `multi-edit` and `session` as a person types them."""

from __future__ import annotations

import json
import os

import pytest


@pytest.fixture
def patchkit(run):
    def run_patchkit(*words, **more):
        return run(*words, name="patchkit", **more)

    return run_patchkit


def test_read_prints_the_page_on_standard_output_and_notes_on_standard_error(patchkit, tree):
    (tree / "b.txt").write_bytes(b"one\ntwo \xff\nthree\n")

    said = patchkit("read", "b.txt", "--offset", "2", "--limit", "1", "--plain")

    assert said.stdout.decode() == "     2→two \ufffd\n"
    assert (
        said.stderr.decode()
        == "note[P953]: 'b.txt' has bytes that are not UTF-8; from line 2 on they are shown as '\ufffd'\n"
    )


@pytest.mark.parametrize("words", [["--offset", "x"], ["--limit", ""], ["--long-lines", "fold"], ["--nothing"]])
def test_a_wrong_option_is_a_matter_of_usage(patchkit, words):
    assert patchkit("read", "a.txt", *words).status == 2


def test_write_takes_its_content_from_standard_input_or_from_an_option(patchkit, tree):
    assert patchkit("write", "b.txt", stdin=b"from \xff stdin\n").stdout == b"Updated file b.txt\n"
    assert patchkit("write", "c.txt", "--content", "from an option").status == 0

    assert ((tree / "b.txt").read_bytes(), (tree / "c.txt").read_bytes()) == (b"from \xff stdin\n", b"from an option")


def test_edit_takes_texts_as_words_or_from_files(patchkit, tree, tmp_path):
    (tmp_path / "old").write_bytes(b"x\n")
    (tmp_path / "new").write_bytes(b"y\nz\n")
    patchkit("read", "a.txt")

    assert patchkit("edit", "a.txt", "--old-file", tmp_path / "old", "--new-file", tmp_path / "new").status == 0
    assert patchkit("edit", "a.txt", "--old", "z", "--new", "", "--replace-all").status == 0

    assert (tree / "a.txt").read_bytes() == b"y\n\n"


def test_an_edit_without_its_text_names_the_options_that_give_it(patchkit, tree):
    assert patchkit("edit", "a.txt", "--old", "x").stderr.decode() == (
        "error[P606]: '--new' is missing\n  = help: add '--new' to the arguments: a text, or '--new-file' and a file\n"
    )


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--old", "x"], "P606"),
        (["--new", "x"], "P606"),
        (["--old", "x", "--old-file", "a.txt", "--new", "y"], "P604"),
        (["--old-file", "none", "--new", "y"], "P401"),
    ],
)
def test_texts_that_are_missing_or_given_twice_are_told(patchkit, words, code):
    said = patchkit("edit", "a.txt", *words)

    assert f"[{code}]" in said.stderr.decode()
    assert said.status == (4 if code == "P401" else 2)


def test_an_option_holds_a_write_to_what_was_read(patchkit, tree):
    seen = json.loads(patchkit("read", "a.txt", "--json").stdout)["data"]

    refused = patchkit("edit", "a.txt", "--old", "x", "--new", "y", "--expect-sha256", "0" * 64)
    done = patchkit(
        *["edit", "a.txt", "--old", "x", "--new", "y", "--expect-sha256", seen["sha256"]],
        *["--expect-mtime-ms", str(seen["file_mtime_ms"])],
    )

    assert (refused.status, done.status, (tree / "a.txt").read_bytes()) == (3, 0, b"y\n")


@pytest.mark.parametrize("way", ["--edits", "--edits-file", "standard input"])
def test_multi_edit_takes_its_edits_as_json(patchkit, tree, tmp_path, way):
    edits = json.dumps([{"old_string": "x", "new_string": "y"}, {"old_str": "y", "new_str": "z"}])
    (tmp_path / "edits.json").write_text(edits)
    patchkit("read", "a.txt")
    words = {"--edits": [way, edits], "--edits-file": [way, tmp_path / "edits.json"]}.get(way, [])

    said = patchkit("multi-edit", "a.txt", *words, stdin=b"" if words else edits.encode())

    assert said.stdout.decode() == 'Applied 2 edits to a.txt:\n1. Replaced "x" with "y"\n2. Replaced "y" with "z"\n'


def test_edits_that_are_no_json_are_told(patchkit):
    said = patchkit("multi-edit", "a.txt", "--edits", "[{")

    assert said.status == 2
    assert said.stderr.startswith(b"error[P607]: the arguments are not valid JSON: ")


def test_an_edit_tells_what_it_tolerated(patchkit, tree):
    (tree / "a.txt").write_text("    x\n    y\n")
    patchkit("read", "a.txt")

    said = patchkit("edit", "a.txt", "--old", "x\ny", "--new", "x\nz")

    assert ((tree / "a.txt").read_text(), said.status) == ("    x\n    z\n", 0)
    assert said.stderr == b"note[P921]: old_string matched 'a.txt' at line 2 ignoring leading and trailing whitespace\n"


# -- session -------------------------------------------------------------------------------------


def test_a_session_lists_what_was_seen_and_whether_it_is_unchanged(patchkit, tree):
    for name in ("b.txt", "c.txt"):
        (tree / name).write_text("b\n")
        patchkit("read", name)
    patchkit("read", "a.txt")
    (tree / "b.txt").write_text("changed\n")
    (tree / "c.txt").unlink()

    assert patchkit("session").stdout.decode() == "current  a.txt\nchanged  b.txt\ngone     c.txt\n"


def test_the_data_of_a_session_names_it_and_its_file(patchkit, tree):
    patchkit("read", "a.txt", PATCHKIT_SESSION="agent 1")

    told = json.loads(patchkit("session", "a.txt", "--json", PATCHKIT_SESSION="agent 1").stdout)["data"]

    assert (told["session"], os.path.exists(told["state_file"])) == ("agent 1", True)
    assert [(each["path"], each["state"]) for each in told["files"]] == [(str(tree / "a.txt"), "current")]
    assert json.loads(patchkit("session", "--json").stdout)["data"]["files"] == []


def test_a_file_that_was_not_seen_is_not_all_that_was_seen(patchkit, tree):
    patchkit("read", "a.txt")

    assert patchkit("session", "b.txt").stdout == b"In this session nothing was seen of: b.txt\n"


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["--old", "x", "--new", "y"], "or set '--replace-all'"),
        (["--old", "x", "--new", "x"], "change '--new'"),
        (["--old", "", "--new", "y"], "set '--old' to the text to replace"),
        (["--old", "y", "--old-file", "a.txt", "--new", "z"], "give one of the two"),
        (["--old", "old text", "--new", "the text"], ", '--new' is there already"),
    ],
)
def test_the_help_of_a_refused_edit_speaks_of_options(patchkit, tree, words, advice):
    (tree / "a.txt").write_text("x\nx\nthe text\n")

    refused = patchkit("edit", "a.txt", "--force", *words).stderr.decode()

    assert advice in refused
    assert [field for field in ("old_string", "new_string", "replace_all") if field in refused] == []


def test_a_session_can_be_forgotten_whole_or_by_file(patchkit, tree):
    (tree / "b.txt").write_text("b\n")
    patchkit("read", "a.txt")
    patchkit("read", "b.txt")

    assert patchkit("session", "--clear", "a.txt").stdout == b"Forgot a.txt.\n"
    assert patchkit("session").stdout == b"current  b.txt\n"
    assert patchkit("edit", "a.txt", "--old", "x", "--new", "y").status == 3
    assert patchkit("session", "--clear").stdout == b"Forgot everything that was seen in this session.\n"
    assert patchkit("session").stdout == b"Nothing was seen in this session.\n"


def test_a_session_of_a_root_that_is_not_there_is_refused(patchkit, tmp_path):
    assert patchkit("session", "--root", tmp_path / "none").status == 3
