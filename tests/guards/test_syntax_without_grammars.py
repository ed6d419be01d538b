"""Syntax errors that the interpreter itself finds: Python, JSON and TOML need no grammar."""

from __future__ import annotations

import pytest

import patchkit
from patchkit.guards import PARSED
from patchkit.structure import grammars
from patchkit.structure.grammars import LANGUAGES

SOUND = {"a.py": b"x = (1)\n", "a.json": b'{"x": 1}\n', "a.toml": b"x = 1\n", "old.py": b"print 'x'\nx = 1\n"}


@pytest.fixture(autouse=True)
def _no_grammars(monkeypatch):
    monkeypatch.setattr(grammars, "_parsers", dict.fromkeys(LANGUAGES.values()))


def noted(name: str, old: str, new: str) -> list[tuple[str, object]]:
    patch = f"*** Begin Patch\n*** Update File: {name}\n-{old}\n+{new}\n*** End Patch\n"
    done = patchkit.check(patch, dict(SOUND), syntax="note")
    return [(note.code, note.facts["line"]) for note in done.notes]


def test_the_quick_look_knows_every_language():
    assert set(LANGUAGES) == PARSED


def test_a_new_error_is_noted_with_its_line_and_an_old_one_is_not(subtests):
    rows = [
        ("a.py", "x = (1)", "x = (1", [("P967", 1)]),
        ("a.py", "x = (1)", "x = '\\d'", []),
        ("a.json", '{"x": 1}', '{"x": 1,}', [("P967", 1)]),
        ("a.json", '{"x": 1}', "// with comments", []),
        ("a.toml", "x = 1", "x = = 1", [("P967", 1)]),
        ("old.py", "x = 1", "x = 2", []),
    ]
    for name, old, new, expected in rows:
        with subtests.test(f"{name}: {new}"):
            assert noted(name, old, new) == expected


def test_a_gate_without_its_grammar_refuses_and_says_what_to_install():
    patch = "*** Begin Patch\n*** Add File: a.go\n+package a\n*** End Patch\n"
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.check(patch, {}, syntax="error")

    assert raised.value.code == "P227"
    assert "'structure'" in raised.value.hint


def test_a_gate_passes_what_no_parser_knows():
    patch = "*** Begin Patch\n*** Add File: a.unknown\n+{\n*** End Patch\n"

    assert [each.path for each in patchkit.check(patch, {}, syntax="error").files] == ["a.unknown"]
