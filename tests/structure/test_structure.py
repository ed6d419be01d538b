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


class RereadingParser:
    """A parser that asks for the whole text a number of times, as for comments that are opened and never closed."""

    def __init__(self, times: int) -> None:
        self._times = times

    def parse(self, read):
        return [len(read(at, (0, at))) for _ in range(self._times) for at in range(0, 9000, 4096)][-3:]


def test_a_file_that_a_parser_reads_over_and_over_has_no_tree(monkeypatch):
    monkeypatch.setattr(grammars, "_parsers", {"c": RereadingParser(5), "java": RereadingParser(50)})

    read: object = grammars.parsed("tea.c", b"x" * 9000)
    assert read == [4096, 4096, 808]
    assert grammars.parsed("Tea.java", b"x" * 9000) is None


def test_a_file_with_thousands_of_angle_brackets_that_are_open_has_no_tree(monkeypatch):
    monkeypatch.setattr(grammars, "_parsers", dict.fromkeys(["java", "python"], RereadingParser(1)))
    open_ones, closed = b"a<" * 4500, b"a<b>; " * 1500

    assert grammars.parsed("Tea.java", open_ones) is None
    read: list[object] = [grammars.parsed("Tea.java", closed), grammars.parsed("tea.py", open_ones)]
    assert read == [[4096, 4096, 808]] * 2


def test_comments_that_are_opened_thousands_of_times_take_no_minutes():
    pytest.importorskip("tree_sitter_c", reason="the grammar is in the extra 'structure'")

    assert grammars.parsed("tea.c", b"/* " * 20_000) is None


def test_a_script_with_thousands_of_heredocs_has_no_tree():
    assert grammars.parsed("a.sh", b"cat <<E\n$(" * 10) is not None
    assert grammars.parsed("a.sh", b"cat <<E\n$(" * 5_000) is None
