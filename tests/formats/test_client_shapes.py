"""Edits as clients send them, with what their protocols put around them."""

from __future__ import annotations

import json

import pytest

from patchkit.applying import apply
from patchkit.core.changes import Options
from patchkit.errors import PatchkitError
from patchkit.sources import MemoryFiles

FILE = "import os\n\ndef f(x):\n    return x + 1\n\ndef g(x):\n    return x * 2\n"
CHANGED = FILE.replace("x + 1", "x + 2")
BLOCK = "<<<<<<< SEARCH\n    return x + 1\n=======\n    return x + 2\n>>>>>>> REPLACE\n"
EDIT = {"file_path": "src/a.py", "old_string": "x + 1", "new_string": "x + 2"}


def applied(text: str, strict: bool = True, **others: str) -> dict[str, str]:
    files = MemoryFiles({"src/a.py": FILE.encode(), **{name: data.encode() for name, data in others.items()}})
    apply(text, files, Options(source="auto", strict=strict))
    return {name: data.decode() for name, data in files.content.items()}


def test_the_elements_of_cline_and_roo_name_the_file():
    cline = BLOCK.replace("<<<<<<<", "-------").replace(">>>>>>>", "+++++++")
    text = f"<replace_in_file>\n<path>src/a.py</path>\n<diff>\n{cline}</diff>\n</replace_in_file>"
    assert applied(text) == {"src/a.py": CHANGED}
    numbered = BLOCK.replace("SEARCH\n", "SEARCH\n:start_line:4\n-------\n")
    text = f"<apply_diff>\n<path>./src/a.py</path>\n<diff>\n{numbered}</diff>\n</apply_diff>"
    assert applied(text) == {"src/a.py": CHANGED}


def test_each_file_of_a_call_of_roo_has_its_blocks():
    def file(path: str, block: str) -> str:
        return f"<file>\n<path>{path}</path>\n<diff>\n<content><![CDATA[\n{block}]]></content>\n</diff>\n</file>\n"

    other = BLOCK.replace("    return x + 1", "one").replace("    return x + 2", "two")
    text = f"<apply_diff>\n<args>\n{file('src/a.py', BLOCK)}{file('b.txt', other)}</args>\n</apply_diff>\n"
    assert applied(text, **{"b.txt": "one\n"}) == {"src/a.py": CHANGED, "b.txt": "two\n"}


@pytest.mark.parametrize(
    "call",
    [
        {"type": "tool_use", "id": "1", "name": "Edit", "input": EDIT},
        {"functionCall": {"name": "replace", "args": {**EDIT, "instruction": "why", "expected_replacements": 1}}},
        {"role": "assistant", "tool_calls": [{"type": "function", "function": {"arguments": json.dumps(EDIT)}}]},
        {"role": "assistant", "content": [{"type": "text", "text": "now"}, {"type": "tool_use", "input": EDIT}]},
    ],
)
def test_a_call_is_taken_out_of_what_is_around_it(call):
    assert applied(json.dumps(call)) == {"src/a.py": CHANGED}


HUNK = " def f(x):\n-    return x + 1\n+    return x + 2\n"
PATCH = f"*** Begin Patch\n*** Update File: src/a.py\n@@\n{HUNK}*** End Patch\n"
DIFF = f"--- a/src/a.py\n+++ b/src/a.py\n@@ -3,2 +3,2 @@\n{HUNK}"
CALL = {"name": "apply_patch", "arguments": json.dumps({"input": PATCH})}


@pytest.mark.parametrize(
    "answer",
    [
        {"path": "src/a.py", "diff": BLOCK},
        {"path": "src/a.py", "diff": DIFF.partition("b/src/a.py\n")[2]},
        {"patch": DIFF},
        PATCH,
        {"role": "assistant", "tool_calls": [{"type": "function", "function": CALL}]},
        {"choices": [{"message": {"role": "assistant", "content": f"Here:\n\nsrc/a.py\n```\n{BLOCK}```\n"}}]},
        [
            {"role": "user", "content": DIFF.replace("x + 2", "x + 3")},
            {"role": "assistant", "content": [{"type": "tool_use", "input": {"path": "src/a.py", "diff": BLOCK}}]},
        ],
    ],
)
def test_a_text_in_any_format_is_taken_out_of_the_json_around_it(answer):
    assert applied(json.dumps(answer), strict=False) == {"src/a.py": CHANGED}
    with pytest.raises(PatchkitError):
        applied(json.dumps(answer))


PIECE = {"old_string": "one", "new_string": "eins"}


@pytest.mark.parametrize(
    "answer",
    [
        {"filePath": "a.txt", "oldString": "one", "newString": "eins", "explanation": "because"},
        {"absolutePath": "a.txt", "diff": "<<<<<<< SEARCH\none\n=======\neins\n>>>>>>> REPLACE\n", "task": "x"},
        {"absolutePath": "a.txt", "content": "eins\n"},
        {"file_path": "a.txt", "edits": json.dumps([PIECE])},
        {"replacements": [{"filePath": "a.txt", "oldString": "one", "newString": "eins"}]},
        {"TargetFile": "a.txt", "TargetContent": "one", "ReplacementContent": "eins"},
        {"TargetFile": "a.txt", "ReplacementChunks": [{"TargetContent": "one", "ReplacementContent": "eins"}]},
        {"command": "str_replace", "path": "a.txt", "old_str_1": "one", "new_str_1": "eins"},
        {"file_path": "a.txt", **PIECE, "expected_replacements": "1", "replace_all": "true"},
        {"patchText": "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+eins\n*** End Patch\n"},
        "<tool_call>\n" + json.dumps({"name": "Edit", "arguments": {"file_path": "a.txt", **PIECE}}) + "\n</tool_call>",
        '<invoke name="Edit"><parameter name="file_path">a.txt</parameter>'
        '<parameter name="old_string">one</parameter><parameter name="new_string">eins</parameter></invoke>',
        "<tool_call>\n<function=edit>\n<parameter=path>\na.txt\n</parameter>\n<parameter=old_text>\none\n</parameter>\n"
        "<parameter=new_text>\neins\n</parameter>\n</function>\n</tool_call>",
        "So:\n<write_to_file>\n<path>a.txt</path>\n<content>\neins\n</content>\n</write_to_file>\n",
    ],
)
def test_a_call_is_read_in_the_words_of_other_clients(answer):
    text = answer if isinstance(answer, str) else json.dumps(answer)

    assert applied(text, strict=False, **{"a.txt": "one\n"})["a.txt"] == "eins\n"


@pytest.mark.parametrize("content", ["one\n", "one\r\n", "one\r\ntwo\n"])
def test_an_edit_that_expects_more_places_than_there_are_is_refused(content):
    edit = {"file_path": "a.txt", **PIECE, "expected_replacements": 2}
    with pytest.raises(PatchkitError) as caught:
        applied(json.dumps(edit), strict=False, **{"a.txt": content})

    assert (caught.value.code, "expects several places" in caught.value.message) == ("P122", True)


def test_an_element_that_is_not_whole_is_no_call():
    with pytest.raises(PatchkitError) as caught:
        applied("<write_to_file>\n<path>a.txt</path>\n<content>\neins\n")

    assert caught.value.code == "P120"


def test_no_edit_is_passed_over_beside_a_text_in_another_format():
    with pytest.raises(PatchkitError) as refused:
        applied(json.dumps([EDIT, {"path": "src/a.py", "diff": BLOCK.replace("+ 1", "* 2")}]), strict=False)
    assert refused.value.code == "P122"


def test_an_edit_outside_the_workspace_is_refused_as_that():
    with pytest.raises(PatchkitError) as refused:
        applied(json.dumps({**PIECE, "file_path": "../a.py"}))
    assert refused.value.code == "P301"


def test_a_patch_that_is_not_applied_cannot_be_taken_back():
    patch = "*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n*** End Patch\n"
    with pytest.raises(PatchkitError) as refused:
        apply(patch, MemoryFiles({"a": b"one\n"}), Options(reverse=True))
    assert refused.value.message == "the hunk is not applied to 'a' (line 1), so nothing is to be taken back"
    assert refused.value.hint.startswith("remove the hunk, or skip hunks that are not applied with '--forward'")
