"""A grammar for the files of a workspace: what it reads, what it leaves out, and what it refuses."""

from __future__ import annotations

import os

import pytest

from patchkit.errors import PatchkitError
from patchkit.runtimes.answers import Host
from patchkit.runtimes.grammar import WantedGrammar, grammar_for, ranges
from patchkit.runtimes.sdks.openai import grammar_tool


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("PATCHKIT_SESSION", raising=False)
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\ntwo\nthree\nfour\n")
    (work / "b.txt").write_text("five\n")
    monkeypatch.chdir(work)
    return work


def literals(text: str) -> list[str]:
    """The lines of files that a grammar has."""
    return sorted(line.split('"')[1].removesuffix("\\n") for line in text.split("\n") if line[:1] == "L")


def refusal(root, wanted: WantedGrammar) -> tuple[str, str]:
    with pytest.raises(PatchkitError) as caught:
        grammar_for(str(root), wanted)
    return caught.value.code, caught.value.message


def test_a_grammar_has_the_lines_of_its_files(root):
    text, notes = grammar_for(str(root), WantedGrammar(["a.txt", "b.txt"]))
    assert (literals(text), notes) == (["five", "four", "one", "three", "two"], [])


def test_a_file_under_two_names_is_in_the_grammar_once(root):
    os.symlink("a.txt", root / "link")
    text, _notes = grammar_for(str(root), WantedGrammar(["link", "a.txt", "./a.txt"]))
    assert text.count("*** Update File") == 1
    assert "*** Update File: link" in text


def test_chosen_lines_are_taken_and_the_others_noted(root):
    text, notes = grammar_for(str(root), WantedGrammar(["a.txt"], {"a.txt": [(2, 3)]}))
    assert literals(text) == ["three", "two"]
    assert [note.code for note in notes] == ["P966"]
    assert notes[0].message.startswith("the grammar has 2 of the 4 lines of 'a.txt'")


def test_lines_that_were_read_in_the_session_are_taken(root):
    host = Host(root)
    host.call("Read", {"file_path": "a.txt", "offset": 1, "limit": 1})
    host.call("Read", {"file_path": "a.txt", "offset": 4})
    Host(root).call("Read", {"file_path": "b.txt"})  # another session
    assert literals(grammar_tool(files=["a.txt"], root=host, seen=True)["format"]["definition"]) == ["four", "one"]
    assert literals(grammar_tool(root=host, seen=True)["format"]["definition"]) == ["four", "one"]
    with pytest.raises(PatchkitError, match="P682") as caught:
        grammar_tool(files=["b.txt"], root=host, seen=True)
    assert "with the same session" in caught.value.hint


def test_lines_of_another_content_do_not_count_as_read(root):
    host = Host(root)
    host.call("Read", {"file_path": "a.txt"})
    (root / "a.txt").write_text("zero\none\n")
    with pytest.raises(PatchkitError, match="P682"):
        grammar_tool(files=["a.txt"], root=host, seen=True)


def test_the_tool_for_files_has_the_grammar_for_them(root):
    tool = grammar_tool(files=["b.txt"], root=root, delete=True, add=["new.txt"], move={"b.txt": "c.txt"})
    assert {name: tool[name] for name in ("type", "name")} == {"type": "custom", "name": "apply_patch"}
    assert (tool["format"]["type"], tool["format"]["syntax"]) == ("grammar", "lark")
    definition = tool["format"]["definition"]
    assert [part in definition for part in ("Delete File: b.txt", r"/new\.txt/", r"/c\.txt/")] == [True] * 3


def test_too_many_lines_are_refused_with_what_to_do(root):
    (root / "large.txt").write_text("".join(f"{number}\n" for number in range(901)))
    with pytest.raises(PatchkitError, match="P680") as caught:
        grammar_tool(files=["large.txt"], root=root)
    assert "901 lines may start a hunk" in caught.value.message
    assert "max_starts" in caught.value.hint
    assert grammar_tool(files=["large.txt"], root=root, max_starts=1000)["format"]["definition"]


@pytest.mark.parametrize(
    ("path", "code"), [("../x", "P301"), ("missing", "P302"), (".", "P305"), (".git/config", "P318"), (" a", "P601")]
)
def test_paths_are_refused_as_a_patch_would_refuse_them(root, path, code):
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("x\n")
    assert refusal(root, WantedGrammar([path]))[0] == code


@pytest.mark.parametrize(
    ("new", "code"), [("b.txt", "P303"), ("../x", "P301"), ("b.txt/x", "P310"), (".git/x", "P318"), ("*/*", "P601")]
)
def test_names_for_new_files_are_refused_as_a_patch_would_refuse_them(root, new, code):
    wanted = WantedGrammar(["a.txt"])
    wanted.added = [new]
    assert refusal(root, wanted)[0] == code


def test_a_move_of_a_file_that_is_not_given_is_refused(root):
    wanted = WantedGrammar(["a.txt"])
    wanted.moves = {"b.txt": "c.txt"}
    assert refusal(root, wanted) == ("P601", "move cannot be 'b.txt'")


def test_new_names_that_may_meet_are_refused(root):
    wanted = WantedGrammar(["a.txt"])
    wanted.added = ["*.py", "x.py"]
    assert refusal(root, wanted)[0] == "P601"


def test_a_file_that_may_not_be_read_is_refused(root):
    (root / ".patchkit.toml").write_text('[permissions]\nread = { "b.txt" = "deny" }\n')
    assert refusal(root, WantedGrammar(["b.txt"]))[0] == "P651"
    assert literals(grammar_for(str(root), WantedGrammar(["a.txt"]))[0]) == ["four", "one", "three", "two"]


@pytest.mark.parametrize("written", ["", "3", "5-2", "a-b", "1-2,,", "0-3"])
def test_parts_of_a_file_are_first_and_last_lines(written):
    with pytest.raises(PatchkitError, match="P601"):
        ranges(written)
    assert ranges("1-2, 7-7") == [(1, 2), (7, 7)]
