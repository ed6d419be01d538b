"""One encoding for each file, whichever tool reads or changes it: a matrix of encodings, tools and changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import patchkit

# The encoding, what the file says of it, a line of the file, a text to put in, and one that the encoding lacks.
KINDS = {
    "utf-8": ("utf-8", "", "naïve café", "été", ""),
    "utf-8 with a mark": ("utf-8-sig", "", "naïve café", "été", ""),
    "utf-16": ("utf-16", "", "naïve café", "été", ""),
    "latin-1, declared": ("latin-1", "# -*- coding: latin-1 -*-", "naïve café", "été", "中"),
    "latin-1, by charset": ("latin-1", '<meta charset="iso-8859-1">', "naïve café", "été", "中"),
    "latin-1": ("latin-1", "", "naïve café", "été", "中"),
    "cp1252": ("cp1252", "", "l’été “crème”", "thé", "中"),
    "gbk, declared": ("gbk", "# coding: gbk", "第一行文字测试", "第二行", ""),
    "gbk": ("gbk", "", "第一行文字测试", "第二行", ""),
    "shift_jis, declared": ("shift_jis", "# coding: shift_jis", "表示ソースの名前", "能力", "中́"),
    "shift_jis": ("shift_jis", "", "表示ソースの名前", "名前", ""),
    "euc-kr, declared": ("euc-kr", "<?xml version='1.0' encoding='euc-kr'?>", "안녕하세요 여러분", "여보세요", "ᚠ"),
    "euc-kr": ("euc-kr", "", "안녕하세요 여러분", "여보세요", ""),
}
UNCERTAIN = ("latin-1", "cp1252", "gbk", "shift_jis", "euc-kr")


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def text_of(kind):
    _, said, line, _, _ = KINDS[kind]
    return "".join(f"{each}\n" for each in [*([said] if said else []), "first", line, "x = 1", f"{line} again", "last"])


@pytest.fixture
def made(kind, file):
    """A file of this kind: its path, the encoding, and its text."""
    encoding, text = KINDS[kind][0], text_of(kind)
    return file("a.txt", text.encode(encoding)), encoding, text


def changed(tool: str, use, path: str, old: str, new: str, named: str) -> object:
    """The answer of a tool to the same replacement; Insert and Write say it in their own way."""
    more = {"encoding": named} if named else {}
    if tool == "Edit":
        return use("Edit", file_path=path, old_string=old, new_string=new, **more)
    if tool == "MultiEdit":
        edits = [{"old_string": "first", "new_string": "1st"}, {"old_string": old, "new_string": new}]
        return use("MultiEdit", file_path=path, edits=[*edits, {"old_string": "1st", "new_string": "first"}], **more)
    if tool == "apply_patch":
        lines = [f"-{old}", f"+{new}"] if "\n" not in old else []
        text = "\n".join(["*** Begin Patch", "*** Update File: a.txt", "@@", *lines, "*** End Patch", ""])
        return use("apply_patch", patch=text, **more)
    if tool == "json-edits":
        said = json.dumps({"file_path": "a.txt", "old_string": old, "new_string": new})
    else:
        said = f"a.txt\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"
    return _library(path, said, tool, named)


def _library(path: str, text: str, source: str, named: str) -> object:
    try:
        patchkit.apply(text, Path(path).parent, from_format=source, encoding=named or None)
    except patchkit.PatchkitError as error:
        return error
    return None


TOOLS = ("Edit", "MultiEdit", "apply_patch", "json-edits", "search-replace")


@pytest.mark.parametrize("tool", ["Edit", "MultiEdit", "apply_patch", "json-edits"])
def test_whitespace_that_differs_is_tolerated_in_an_encoding_that_is_not_declared(tool, file, use):
    path = file("a.txt", "first\n        第一行文字测试\nlast\n".encode("gbk"))

    changed(tool, use, path, "\t\t第一行文字测试", "        第二行", "")

    assert Path(path).read_bytes() == "first\n        第二行\nlast\n".encode("gbk")


@pytest.mark.parametrize("tool", TOOLS)
def test_a_replacement_that_shows_the_files_characters_is_written_in_its_encoding(tool, kind, made, use):
    path, encoding, text = made
    _, _, line, new, _ = KINDS[kind]

    changed(tool, use, path, f"{line} again", f"{line} {new}", "")

    assert Path(path).read_bytes() == text.replace(f"{line} again", f"{line} {new}").encode(encoding)


@pytest.mark.parametrize("tool", TOOLS)
def test_an_insertion_at_a_line_of_ascii_is_written_in_the_encoding_or_refused(tool, kind, made, use):
    path, encoding, text = made
    new = f"x = 1 {KINDS[kind][3]}"

    answer = changed(tool, use, path, "x = 1", new, "")

    if kind in UNCERTAIN:
        assert Path(path).read_bytes() == text.encode(encoding)
        assert _code(answer) == "P215"
    else:
        assert Path(path).read_bytes() == text.replace("x = 1", new).encode(encoding)


@pytest.mark.parametrize("tool", TOOLS)
def test_the_encoding_may_be_named(tool, kind, made, use):
    path, encoding, text = made
    new = f"x = 1 {KINDS[kind][3]}"

    changed(tool, use, path, "x = 1", new, encoding if kind in UNCERTAIN else "")

    assert Path(path).read_bytes() == text.replace("x = 1", new).encode(encoding)


@pytest.mark.parametrize("tool", TOOLS)
def test_an_edit_of_ascii_leaves_every_other_byte(tool, made, use):
    path, encoding, text = made

    changed(tool, use, path, "x = 1", "x = 2", "")

    assert Path(path).read_bytes() == text.replace("x = 1", "x = 2").encode(encoding)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_character_that_the_encoding_lacks_is_named(tool, kind, made, use):
    path, encoding, text = made
    lacking = KINDS[kind][4]
    if not lacking or kind in UNCERTAIN:
        return

    answer = changed(tool, use, path, "x = 1", f"x = {lacking}", "")

    assert Path(path).read_bytes() == text.encode(encoding)
    assert (_code(answer), f"the character '{lacking[-1]}'" in _message(answer)) == ("P210", True)


def _code(answer) -> str:
    return answer.code if isinstance(answer, patchkit.PatchkitError) else answer.errors[0]["code"]


def _message(answer) -> str:
    return answer.message if isinstance(answer, patchkit.PatchkitError) else answer.errors[0]["message"]


def test_lines_are_inserted_in_the_encoding_of_the_file_or_not_at_all(kind, made, use):
    path, encoding, text = made
    new = KINDS[kind][3]

    answer = use("Insert", file_path=path, line=1, text=f"{new}\n")

    if kind in UNCERTAIN:
        assert (Path(path).read_bytes(), answer.errors[0]["code"]) == (text.encode(encoding), "P215")
        use("Insert", file_path=path, line=1, text=f"{new}\n", encoding=encoding)
    head, rest = text.split("\n", 1)
    assert Path(path).read_bytes() == f"{head}\n{new}\n{rest}".encode(encoding)


def test_a_file_is_written_anew_in_its_encoding_or_not_at_all(kind, made, use):
    path, encoding, text = made
    said, new = KINDS[kind][1], KINDS[kind][3]

    answer = use("Write", file_path=path, content=f"{said}\n{new}\n")

    if kind in UNCERTAIN:
        assert (Path(path).read_bytes(), answer.errors[0]["code"]) == (text.encode(encoding), "P215")
        use("Write", file_path=path, content=f"{said}\n{new}\n", encoding=encoding)
    assert Path(path).read_bytes() == f"{said}\n{new}\n".encode(encoding)


def test_a_file_is_read_as_text_and_a_note_names_its_encoding(kind, made, use):
    path, encoding, text = made

    answer = use("Read", file_path=path, plain=True)

    assert answer.data["content"] == text.removesuffix("\n")
    assert [note["code"] for note in answer.notes] == ([] if encoding.startswith("utf") else ["P934"])


@pytest.mark.parametrize("program", ["ripgrep", "none"])
@pytest.mark.parametrize("fields", [{}, {"ignore_case": True}, {"regex": True}])
@pytest.mark.parametrize("line", dict.fromkeys(line for _, _, line, _, _ in KINDS.values()))
def test_text_is_found_in_files_of_every_encoding(line, file, use, program, fields, monkeypatch):
    if program == "none":
        monkeypatch.setenv("PATCHKIT_RG", "")
    expected = set()
    for kind, (encoding, _, own, _, _) in KINDS.items():
        text = text_of(kind)
        file(f"{kind}.txt", text.encode(encoding), read=False)
        lines = text.split("\n")
        if own == line:
            expected |= {(kind, lines.index(each) + 1, each) for each in (line, f"{line} again")}

    answer = use("Grep", pattern=line, output_mode="content", timeout=0, **fields)

    found = [(Path(each["path"]).stem, each["line"], each["text"]) for each in answer.data["matches"]]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("program", ["ripgrep", "none"])
@pytest.mark.parametrize("pattern", ["caf.*1", r"caf\S = 1", "caf[^x]+1", r"^\w+ = 1"])
def test_an_expression_of_ascii_matches_the_other_characters_of_a_line(program, pattern, file, use, monkeypatch):
    if program == "none":
        monkeypatch.setenv("PATCHKIT_RG", "")
    file("a.py", "caf\xe9 = 1\nx = 2\ncafe = 1\n".encode("latin-1"))

    answer = use("Grep", pattern=pattern, regex=True, output_mode="content", timeout=0)

    assert [(each["line"], each["text"]) for each in answer.data["matches"]] == [(1, "café = 1"), (3, "cafe = 1")]


def test_what_editorconfig_says_is_the_encoding_of_files_that_declare_none(file, use):
    file(".editorconfig", "root = true\n[*.txt]\ncharset = latin1\n")
    path = file("a.txt", b"caf\xe9\nx = 1\n")

    use("Edit", file_path=path, old_string="x = 1", new_string="x = é")
    use("Edit", file_path=file("b.txt", b"plain\n"), old_string="plain", new_string="thé")

    assert Path(path).read_bytes() == b"caf\xe9\nx = \xe9\n"
    assert Path(path).with_name("b.txt").read_bytes() == b"th\xe9\n"


def test_half_of_a_character_is_not_taken_for_the_letter_that_it_looks_like(file, use):
    path = file("a.txt", "表示ソースの名前\nx\n".encode("shift_jis"))  # the second byte of the first is a backslash

    answer = use("Edit", file_path=path, old_string="\\", new_string="/")

    assert (answer.errors[0]["code"], Path(path).read_bytes()) == ("P621", "表示ソースの名前\nx\n".encode("shift_jis"))


def test_edits_of_a_file_with_crlf_give_lines_with_crlf(file):
    path = Path(file("a.txt", "café\r\nx = 1\r\n".encode("latin-1")))
    edit = {"file_path": "a.txt", "old_string": "x = 1", "new_string": "x = 1\ny = 2"}

    done = patchkit.apply(json.dumps(edit), path.parent, from_format="json-edits")

    assert path.read_bytes() == "café\r\nx = 1\r\ny = 2\r\n".encode("latin-1")
    assert [each.operation for each in done.files] == ["update"]


@pytest.mark.parametrize("tool", ["Write", "Edit"])
def test_a_new_file_gets_the_line_endings_that_its_settings_ask_for(tool, file, use):
    settings = Path(file(".gitattributes", "*.bat text eol=crlf\n"))
    path = str(settings.with_name("run.bat"))

    if tool == "Write":
        use("Write", file_path=path, content="a\nb\n")
    else:
        use("Edit", file_path=path, old_string="", new_string="a\nb\n")

    assert Path(path).read_bytes() == b"a\r\nb\r\n"


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("encoding", "line", "added"),
    [
        ("shift_jis", "表示ソースの名前", "한"),
        ("euc-kr", "안녕하세요 여러분", "\U0001f600"),
        ("gbk", "第一行文字测试", "\U0001f600"),
    ],
)
def test_characters_that_only_another_encoding_has_do_not_decide_for_it(tool, encoding, line, added, file, use):
    data = f"first\n{line}\nx = 1\n".encode(encoding)
    path = file("a.txt", data)

    codes = [
        _code(changed(tool, use, path, old, new, "")) for old, new in [("x = 1", added), (line, f"{line} {added}")]
    ]

    assert (codes[0], codes[1] in ("P210", "P215"), Path(path).read_bytes()) == ("P215", True, data)
