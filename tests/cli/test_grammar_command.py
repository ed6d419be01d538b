"""`patchkit grammar`: what it prints, and how its options are read."""

from __future__ import annotations

import pytest

from patchkit.cli import main
from patchkit.runtimes import _grammar_text


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "work" / "a.txt").write_text("one\ntwo\nthree\n")
    (tmp_path / "work" / "b.txt").write_text("four\n")

    def run(*words: str) -> tuple[int, str]:
        status = main.run(["grammar", *words])
        said = capfd.readouterr()
        return status, said.out + said.err

    return run


def test_without_files_the_grammar_of_the_language_is_printed(run):
    assert run() == (0, _grammar_text.SOURCE)
    assert run("--for-model") == (0, _grammar_text.FOR_MODEL)


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["--for-files", "a.txt"], ["one", "three", "two"]),
        (["a.txt", "--for-files", "b.txt"], ["four", "one", "three", "two"]),
        (["--for-files", "a.txt", "--lines", "1-1"], ["one"]),
        (["--for-files", "a.txt", "--lines", "1-1,3-3"], ["one", "three"]),
        (["--for-files", "a.txt", "b.txt", "--lines", "a.txt:1-1", "--lines", "a.txt:2-9"], None),
    ],
)
def test_lines_are_chosen(run, words, lines):
    status, text = run(*words)
    found = sorted(line.split('"')[1].removesuffix("\\n") for line in text.split("\n") if line[:1] == "L")
    assert (status, found) == (0, lines or ["four", "one", "three", "two"])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["a.txt"], "'--for-files' is missing"),
        (["--seen"], "'--for-files' is missing"),
        (["--for-files"], "give the files"),
        (["--for-files", "a.txt", "b.txt", "--lines", "1-2"], "say which file"),
        (["--for-files", "a.txt", "--lines", "c.txt:1-2"], "is not among the files"),
        (["--for-files", "a.txt", "--move", "b"], "write PATH=NEW"),
    ],
)
def test_a_mistake_in_the_words_is_a_usage_error(run, words, why):
    status, said = run(*words)

    assert status == 2
    assert why in said
