"""docs/formats.md, "One core": the same cases as a patch, an edit, a block and a JSON edit, with the same outcome.

The list below is run, and the table on the page is made from what comes of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from patchkit.applying import apply
from patchkit.core.changes import Options
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.tools.calling import Caller, call

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
UPDATE = os.environ.get("PATCHKIT_UPDATE_DOCS") == "1"
CODE = """\
def area(w, h):
    if w < 0:
        return 0
    return w * h


def edge(w, h):
    return 2 * (w + h)
"""
NAMES = "# -*- coding: latin-1 -*-\nname = 'Andr\u00e9'\nx = 1\n".encode("latin-1")
CHINESE = "x = '\u4e2d\u6587\u5b57'\ny = 1\n".encode("gbk")
IF = "    if w < 0:\n        return {}\n    return w * h"
SHIFTED = "  if w < 0:\n      return {}\n  return w * h"
# What the case is, the file, the old text and the new one.
CASES: list[tuple[str, str | bytes, str, str]] = [
    ("the text as it is in the file", CODE, IF.format(0), IF.format(1)),
    ("whitespace at the end of a line", CODE, "    return w * h  ", "    return h * w"),
    ("another margin on all lines", CODE, SHIFTED.format(0), SHIFTED.format(1)),
    ("no indentation at all", CODE, "if w < 0:\nreturn 0\nreturn w * h", "if w < 0:\nreturn 1\nreturn w * h"),
    ("tabs for spaces", CODE, "\tif w < 0:\n\t\treturn 0", "\tif w < 0:\n\t\treturn 1"),
    ("quotes with backslashes", 'say("hi")\nx = 1\n', 'say(\\"hi\\")\nx = 1', 'say(\\"ho\\")\nx = 1'),
    ("line ends as two characters", "a = 1\nb = 2\n", "a = 1\\nb = 2", "a = 1\\nb = 3"),
    ("HTML entities", "if a < b and c:\n    x()\n", "if a &lt; b and c:\n    x()", "if a &lt; b and d:\n    x()"),
    ("numbers of a listing on both sides", CODE, "     3\u2192        return 0", "     3\u2192        return 1"),
    ("numbers of a listing in the new text alone", CODE, "        return 0", "     3\u2192        return 1"),
    ("a comment in place of code", CODE, IF.format(0), "    # ... existing code ...\n    return h"),
    ("a text that is not there", CODE, "    return w ** h", "    return h"),
    ("a text that is there twice", CODE + CODE.replace("def", "async def"), "    return w * h", "    return h * w"),
    ("a file with CRLF", CODE.replace("\n", "\r\n"), IF.format(0), IF.format(1) + "  # area"),
    ("a file without a final newline", "one\ntwo", "two", "zwei"),
    ("a file with a byte order mark", b"\xef\xbb\xbfone\ntwo\n", "one", "eins"),
    ("UTF-16", "one\ntwo\n".encode("utf-16"), "two", "zwei"),
    ("a declared encoding", NAMES, "name = 'Andr\u00e9'", "name = 'Ren\u00e9e'"),
    ("a character that the encoding lacks", NAMES, "x = 1", "x = '\u4e2d'"),
    ("ASCII in an encoding that is not declared", CHINESE, "y = 1", "y = 2"),
    ("other characters in such a file", CHINESE, "y = 1", "y = '\u00e9'"),
]
WORDS = {
    "not found": ("P201", "P621"),
    "several places": ("P202", "P622"),
    "not the code itself": ("P127", "P218", "P626"),
    "the character is named": ("P210",),
    "the encoding is asked for": ("P215",),
}


def as_patch(old: str, new: str) -> str:
    lines = [*("-" + line for line in old.split("\n")), *("+" + line for line in new.split("\n"))]
    return "\n".join(["*** Begin Patch", "*** Update File: f.py", "@@", *lines, "*** End Patch", ""])


def as_block(old: str, new: str) -> str:
    return f"f.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def as_json(old: str, new: str) -> str:
    return json.dumps({"path": "f.py", "old_str": old, "new_str": new})


def applied(text: str, root: Path, source: str) -> tuple[str, bool]:
    """The code of a refusal, and whether a note says how the text was placed."""
    try:
        with Workspace(str(root)) as files:
            done = apply(text, files, Options(source=source))
    except PatchkitError as error:
        return error.code, False
    return "", any(note.code == "P921" or note.code == "P924" for note in done.notes)


def edited(old: str, new: str, root: Path) -> tuple[str, bool]:
    caller = Caller(str(root), str(root))
    caller.read_first = False
    result = call("Edit", {"file_path": "f.py", "old_string": old, "new_string": new}, caller)
    return (result.errors[0]["code"] if result.errors else ""), any(note["code"] == "P921" for note in result.notes)


WAYS: dict[str, Callable[[str, str, Path], tuple[str, bool]]] = {
    "a patch": lambda old, new, root: applied(as_patch(old, new), root, ""),
    "Edit": edited,
    "a block": lambda old, new, root: applied(as_block(old, new), root, "auto"),
    "a JSON edit": lambda old, new, root: applied(as_json(old, new), root, "auto"),
}


def outcome(way: str, case: tuple[str, str | bytes, str, str], root: Path) -> tuple[str, str, bytes]:
    """What came of a case in words, its code, and the file afterwards."""
    _about, content, old, new = case
    data = content if isinstance(content, bytes) else content.encode()
    path = root / "f.py"
    path.write_bytes(data)
    code, noted = WAYS[way](old, new, root)
    said = next((words for words, codes in WORDS.items() if code in codes), code)
    words = f"refused: {said}" if code else "applied, with a note" if noted else "applied"
    return words, code, path.read_bytes()


def test_the_same_case_has_the_same_outcome_in_every_form(tmp_path, subtests):
    rows = []
    for case in CASES:
        found = {way: outcome(way, case, tmp_path) for way in WAYS}
        with subtests.test(case[0]):
            assert len({(words, after) for words, _code, after in found.values()}) == 1, found
        codes = ", ".join(dict.fromkeys(code for _words, code, _after in found.values() if code))
        rows.append([case[0], found["a patch"][0] + (f" ({codes})" if codes else "")])
    table = ["| " + " | ".join(row) + " |" for row in [["case", "in every form"], ["---"] * 2, *rows]]
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition("\n| case | in every form |")
    after = rest[rest.index("\n\n") :]
    made = before + "\n" + "\n".join(table) + after
    if UPDATE:
        PAGE.write_text(made, encoding="utf-8")
    assert made == page or UPDATE
