"""New syntax errors: which ones are the patch's own, and what becomes of them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import patchkit
from patchkit import PatchkitError
from patchkit.diffs.compare import compared
from patchkit.guards.syntax import new_errors

pytest.importorskip("tree_sitter_python", reason="the grammar is in the extra 'structure'")

GOOD = b"def one():\n    return (1)\n\n\ndef two():\n    return 2\n"
BREAKS = """\
*** Begin Patch
*** Update File: app.py
@@
-    return (1)
+    return (1
*** End Patch
"""


def found(path, before, after):
    spans = compared((before or b"").splitlines(True), after.splitlines(True))
    return new_errors(path, before, after, [tuple(span[:4]) for span in spans])


def test_an_error_on_a_changed_line_is_found():
    assert found("app.py", GOOD, GOOD.replace(b"(1)", b"(1")) == [2]


def test_a_change_that_parses_has_no_errors():
    assert found("app.py", GOOD, GOOD.replace(b"(1)", b"(3)")) == []


def test_a_new_file_is_looked_at_as_a_whole():
    assert found("app.py", None, b"x = 1\ny = (\n") != []


def test_errors_that_were_there_before_are_not_new():
    before = b"def one(:\n    pass\n\n\ndef two():\n    return 2\n"

    assert found("app.py", before, before.replace(b"2", b"3")) == []


def test_a_part_that_had_errors_before_is_not_judged():
    before = b"def one():\n    x = = 1\n    y = 1\n"

    assert found("app.py", before, before.replace(b"y = 1", b"y = = 1")) == []


def test_a_file_without_a_grammar_is_not_judged():
    assert found("notes.txt", b"(\n", b"((\n") == []


def test_a_patch_with_new_errors_is_noted_and_applied():
    files = {"app.py": GOOD}

    done = patchkit.apply(BREAKS, files, syntax="note")

    assert [(note.code, note.facts["file"], note.facts["lines"]) for note in done.notes] == [("P967", "app.py", [2])]
    assert files == {"app.py": GOOD.replace(b"(1)", b"(1")}


def test_a_patch_with_new_errors_is_refused_where_that_is_asked_for():
    files = {"app.py": GOOD}

    with pytest.raises(PatchkitError) as caught:
        patchkit.apply(BREAKS, files, syntax="error")

    assert (caught.value.code, caught.value.facts["line"], files) == ("P226", 2, {"app.py": GOOD})


def test_a_plan_with_new_errors_is_noted_or_refused():
    files = {"app.py": GOOD}

    with pytest.raises(PatchkitError) as caught:
        patchkit.plan(BREAKS, files, syntax="error")

    assert [note.code for note in patchkit.plan(BREAKS, files, syntax="note").notes] == ["P967"]
    assert (caught.value.code, caught.value.hint) == (
        "P226",
        "correct the patch, or pass syntax='note'; nothing was written",
    )


def test_json_and_check_have_the_lines(tmp_path, monkeypatch):
    (tmp_path / "app.py").write_bytes(GOOD)
    monkeypatch.delenv("PATCHKIT_SYNTAX")
    for words in (["apply", "--check", "--json"], ["check", "--format", "json"]):
        done = subprocess.run(
            [sys.executable, "-m", "patchkit", *words], input=BREAKS.encode(), cwd=tmp_path, capture_output=True
        )
        assert '"syntax_errors": [2]' in json.dumps(json.loads(done.stdout)), done.stderr
        assert done.returncode == 0
