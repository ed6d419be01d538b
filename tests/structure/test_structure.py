"""Definitions by syntax trees, and files for which there is no grammar."""

from __future__ import annotations

import pytest

from benchmarks.scopes.definitions import SourceDefinition, definitions_of
from patchkit.structure import grammars

SHOP = b"class Shop {\n    @Override\n    public void open(int a,\n            int b) {\n        go();\n    }\n}\n"


def test_definitions_have_the_lines_of_their_head_and_body():
    pytest.importorskip("tree_sitter_java", reason="the grammar is in the extra 'structure'")

    assert definitions_of("Shop.java", SHOP) == [SourceDefinition(0, 0, 7), SourceDefinition(2, 3, 6)]


def test_a_file_of_another_type_has_no_definitions():
    assert definitions_of("notes.txt", b"class Shop {\n}\n") is None
    assert definitions_of("java", SHOP) is None


def test_a_grammar_that_is_missing_or_does_not_fit_is_no_fault(monkeypatch):
    monkeypatch.setattr(grammars, "_parsers", {})
    monkeypatch.setitem(grammars._PACKAGES, "java", ("no_such_grammar", "language", "java"))
    assert definitions_of("Shop.java", SHOP) is None

    monkeypatch.setattr(grammars, "_parsers", {})
    monkeypatch.setitem(grammars._PACKAGES, "java", ("math", "pi", "java"))
    assert definitions_of("Shop.java", SHOP) is None
