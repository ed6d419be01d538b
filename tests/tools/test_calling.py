"""The one road of a call: one shape for every answer, and never an exception."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys

import pytest

from patchkit.errors import PatchkitError
from patchkit.tools import read
from patchkit.tools.calling import Caller, call
from patchkit.tools.declaration import ToolCall

KEYS = ["status", "data", "text", "error", "errors", "notes", "stats", "context"]


def test_every_answer_has_the_same_shape(root, use):
    (root / "a.txt").write_text("a\n")

    for result in (use("Read", file_path="a.txt"), use("Read", file_path="b.txt"), use("Nothing"), use("Read", x=1)):
        assert list(result.envelope()) == KEYS
        assert list(result.context) == ["cwd", "params_input", "path_resolved"]
        assert isinstance(result.stats["time_ms"], int)


def test_an_answer_has_the_arguments_as_given_and_the_path_as_resolved(root):
    (root / "sub").mkdir()
    (root / "sub" / "a.txt").write_text("a\n")
    (root / "link").symlink_to("sub")

    result = call("read_file", {"path": "../link/a.txt"}, Caller(str(root), str(root / "sub")))

    assert result.status == "success"
    assert result.context == {
        "cwd": os.getcwd(),
        "params_input": {"path": "../link/a.txt"},
        "path_resolved": os.path.realpath(root / "sub" / "a.txt"),
    }


def test_a_path_that_becomes_another_while_it_is_resolved_fails_no_call(root, use, monkeypatch):
    (root / "a.txt").write_text("a\n")
    resolve = os.path.realpath

    def turning(path, *more, **ways):
        if str(path).endswith("a.txt"):  # as readlink says of a link that has become a directory
            raise OSError(errno.EINVAL, "Invalid argument", path)
        return resolve(path, *more, **ways)

    monkeypatch.setattr(os.path, "realpath", turning)
    result = use("Read", file_path="a.txt")

    assert (result.status, result.context["path_resolved"]) == ("success", None)


def test_an_error_has_its_code_kind_message_and_hint(use):
    result = use("Read", file_path="nowhere.txt")

    assert result.envelope()["error"] == result.errors[0]
    assert result.errors == [
        {
            "code": "P302",
            "kind": "NOT_FOUND",
            "message": "file 'nowhere.txt' does not exist",
            "hint": "check the path",
            "file": "nowhere.txt",
            "hunk": None,
            "patch_line": None,
            "line": None,
        }
    ]


def test_the_fixed_text_of_a_tool_comes_first_and_ours_on_lines_of_their_own(use):
    assert use("Read", file_path="nowhere.txt").text == (
        "<tool_use_error>File does not exist.</tool_use_error>\n"
        "error[P302]: file 'nowhere.txt' does not exist\n"
        "  = help: check the path\n"
    )


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "sub/../../x", "out"])
@pytest.mark.parametrize("name", ["Read", "Write", "Edit", "MultiEdit"])
def test_every_tool_has_the_same_text_for_a_path_that_leaves_the_workspace(root, use, name, path):
    (root / "out").symlink_to("/etc/passwd")
    more = {
        "Write": {"content": ""},
        "Edit": {"old_string": "a", "new_string": "b"},
        "MultiEdit": {"edits": [{"old_string": "a", "new_string": "b"}]},
    }

    result = use(name, file_path=path, **more.get(name, {}))

    assert result.text.split("\n")[0] == f"Path escapes workspace: {path}"
    assert result.errors[0]["kind"] == "ACCESS_DENIED"


@pytest.mark.parametrize(("name", "field"), [("Read", "file_path"), ("LS", "path")])
def test_a_link_that_leads_in_a_circle_leaves_nothing(root, use, name, field):
    (root / "loop").symlink_to("loop")

    result = use(name, **{field: "loop"})

    assert result.text.split("\n")[0] == ("error[P307]: 'loop' is a symbolic link to 'loop', which leads in a circle")


def test_a_root_that_is_not_there_is_an_answer(tmp_path):
    result = call("Read", {"file_path": "a"}, Caller(str(tmp_path / "none")))

    assert (result.status, result.errors[0]["code"]) == ("error", "P312")


def test_a_current_directory_that_is_gone_is_an_answer(tmp_path):
    code = (
        "import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')\n"
        "from patchkit.tools.calling import Caller, call\n"
        "result = call('Read', {'file_path': 'a'}, Caller('.'))\n"
        "print(result.errors[0]['code'], result.context['cwd'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)

    assert (done.stdout, done.stderr) == ("P312 None\n", "")


def test_a_defect_of_ours_is_an_answer_too(root, monkeypatch):
    def broken(asked):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(read.TOOL, "run", broken)
    result = call("Read", {"file_path": "a"}, Caller(str(root)))

    assert (result.errors[0]["code"], result.errors[0]["kind"]) == ("P499", "INTERNAL_ERROR")
    assert "ZeroDivisionError: oh" in result.errors[0]["message"]


def test_notes_of_a_tool_that_fails_are_reported_as_well(root, monkeypatch):
    from patchkit.errors import Note

    def noting(asked):
        asked.notes.append(Note("P941", outcome="cleaned-up"))
        raise PatchkitError("P302", file="a")

    monkeypatch.setattr(read.TOOL, "run", noting)
    result = call("Read", {"file_path": "a"}, Caller(str(root)))

    assert [note["code"] for note in result.notes] == ["P941"]


@pytest.mark.parametrize("path", ["", " ", "\t"])
def test_an_empty_path_names_nothing(use, path):
    result = use("Read", file_path=path)

    assert (result.errors[0]["code"], result.errors[0]["message"]) == ("P603", f"'file_path' cannot be '{path}'")


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b", "x" * 300, "a" + "/b" * 3000])
def test_a_path_that_cannot_be_one_is_an_answer(use, path):
    result = use("Read", file_path=path)

    assert result.status == "error"
    assert result.errors[0]["code"] in ("P302", "P309")


def test_numbers_are_given_as_they_are_or_without_their_fraction():
    asked = ToolCall(None, {"a": 2.9, "b": 3}, None, Caller())

    assert (asked.number("a", 0), asked.whole("a", 0), asked.whole("b", 0), asked.whole("c", 7)) == (2.9, 2, 3, 7)


# -- whole calls, as models write them -------------------------------------------------------------

EDIT = {"file_path": "a.txt", "old_string": "one", "new_string": "eins"}
PARAMETERS = "".join(f'<parameter name="{name}">{value}</parameter>' for name, value in EDIT.items())
VIEW = {"command": "view", "path": "a.txt", "view_range": [2, 2]}
WHOLE = [
    ("Edit", "<tool_call>" + json.dumps({"name": "Edit", "arguments": EDIT}) + "</tool_call>", "eins\ntwo\n"),
    ("Edit", f'<function_calls>\n<invoke name="Edit">{PARAMETERS}</invoke>\n</function_calls>', "eins\ntwo\n"),
    ("Edit", {"type": "tool_use", "name": "mcp__patchkit__Edit", "input": EDIT}, "eins\ntwo\n"),
    ("Edit", {"function": {"name": "edit_file", "arguments": json.dumps(EDIT)}}, "eins\ntwo\n"),
    ("Write", "<write_to_file><path>a.txt</path><content>\neins\n</content></write_to_file>", "eins\n"),
    ("Edit", f'<invoke name="Write">{PARAMETERS}</invoke>', "P603"),
    ("Edit", '<tool_call>{"name": "Edit", "arg', "P603"),
    ("str_replace_editor", {"command": "str_replace", "path": "a.txt", "old_str": "one\n"}, "two\n"),
    ("str-replace-editor", {"path": "a.txt", "old_str_1": "one", "new_str_1": "eins"}, "eins\ntwo\n"),
    ("str_replace_editor", {"command": "create", "path": "a.txt", "file_text": "1\n"}, "1\n"),
    ("str_replace_editor", {"command": "insert", "path": "a.txt", "insert_line": 1, "new_str": "2"}, "one\n2\ntwo\n"),
    ("str_replace_editor", {"command": "undo_edit", "path": "a.txt"}, "P603"),
    ("replace", {**EDIT, "old_string": "o", "new_string": "0", "expected_replacements": "2"}, "0ne\ntw0\n"),
    ("replace", {**EDIT, "old_string": "o", "new_string": "0", "expected_replacements": 3}, "P622"),
    ("replace", {**EDIT, "expected_replacements": 2}, "P603"),
]


def test_a_whole_call_and_the_tools_of_other_clients_are_taken_unless_the_caller_is_strict(root):
    strict = Caller(str(root))
    strict.strict = True
    wrong = []
    for name, given, wanted in WHOLE:
        (root / "a.txt").write_text("one\ntwo\n")
        call("Read", {"file_path": "a.txt"}, Caller(str(root)))
        refused = call(name, given, strict)
        result = call(name, given, Caller(str(root)))
        found = result.errors[0]["code"] if result.errors else (root / "a.txt").read_text()
        if (found, refused.status) != (wanted, "error"):
            wrong.append((name, given, found, refused.status))

    assert wrong == []


def test_the_view_of_an_editor_is_a_read_of_its_lines(root):
    (root / "a.txt").write_text("one\ntwo\nthree\n")

    result = call("str_replace_editor", VIEW, Caller(str(root)))

    assert (result.status, result.text.split("\n")[0]) == ("success", "     2\u2192two")
