"""Any text gives a result or a PatchkitError, in every format."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.core.language.parser import decode
from patchkit.errors import PatchkitError
from patchkit.formats.foreign import patch_of
from patchkit.formats.reading import FORMATS
from patchkit.sources import MemoryFiles

PIECES = [
    *("diff --git a/x b/x", "--- a/x", "+++ b/x", "--- /dev/null", "+++ /dev/null", "@@ -1,2 +1,2 @@", "@@ -0,0 +1 @@"),
    *("@@", "@@ ... @@", "@@ def f @@", " one", "-one", "+two", "\\ No newline at end of file", "rename from x"),
    *(
        "rename to y",
        "copy from x",
        "copy to z",
        "old mode 100644",
        "new mode 100755",
        "new file mode 120000",
        "index 1..2",
    ),
    *(
        "deleted file mode 100644",
        "GIT binary patch",
        "literal 3",
        "Binary files a/x and b/x differ",
        "Index: x",
        "=====",
    ),
    *(
        "Property changes on: x",
        "Added: svn:executable",
        "Only in a: x",
        "-- ",
        "2.39.5",
        '"a\\303\\244"',
        "x",
        "a/x",
        "```",
    ),
    *("<<<<<<< SEARCH", "------- SEARCH", "=======", ">>>>>>> REPLACE", "+++++++ REPLACE", ":start_line:1", "-------"),
    *("", "\r", "\t", "*** Begin Patch", "*** Update File: x", "*** End Patch", "one", "two", "...", "**x.py**:"),
    *('{"path": "x", "old_str": "one", "new_str": "two"}', '[{"type": "create_file", "path": "q", "diff": "+a"}]'),
    *('{"path": "x", "content": "a"}', '{"edits": [{"oldText": "a"}]}', '{"input": {"path": "x"}}', "[[[[", "\udcff"),
    *(
        "From 0123456789012345678901234567890123456789 Mon",
        "Content-Transfer-Encoding: base64",
        "# ... rest of code ...",
    ),
]
FILES = {"x": b"one\ntwo\n", "a/x": b"one\n", "x.py": b"# a\r\none\r\n", "empty": b""}
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("\n".join)


@pytest.mark.parametrize("name", FORMATS)
@given(text=TEXTS)
@examples(60)
def test_any_text_of_known_pieces_gives_a_plan_or_a_refusal(name, text):
    files = MemoryFiles(dict(FILES))
    try:
        patch = patch_of(text, name, files, Options())
        plan(patch, files, Options())
    except PatchkitError as error:
        _ = error.message, error.hint  # which must not raise either


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.binary(max_size=200))
@examples(40)
def test_any_bytes_give_a_patch_or_a_refusal(name, data):
    try:
        patch_of(decode(data), name, MemoryFiles(dict(FILES)), Options())
    except PatchkitError as error:
        _ = error.message, error.hint


@pytest.mark.parametrize("name", ["json-edits", "whole-file", "openai-ops"])
def test_half_a_character_in_json_is_refused(name):
    fields = '"path": "a.txt", "content": "\\ud800", "old_string": "x", "new_string": "\\ud800", "diff": "+\\ud800"'
    files = MemoryFiles({"a.txt": b"x\n"})
    with pytest.raises(PatchkitError):
        plan(patch_of(f'{{"type": "update_file", {fields}}}', name, files, Options()), files)
