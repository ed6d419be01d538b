"""The recipes of docs/contributing.md, walked on a copy of the tree: what is left out, a guard points to.

Each recipe is begun, and the guard that it names fails with the name of what is missing; then it is finished, and the
guard passes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PARTS = ("patchkit", "tests", "docs/errors.md", "fixtures/diagnostics/examples.md", "pyproject.toml", "README.md")
RECIPES = (REPOSITORY / "docs" / "contributing.md").read_text(encoding="utf-8")


class Copy:
    """A copy of the tree that a recipe is walked on."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for part in PARTS:
            source, target = REPOSITORY / part, root / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)

    def change(self, path: str, old: str, new: str) -> None:
        """Replaces the first of these texts in a file."""
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text, f"{path} has no {old!r} any more: the recipe leads nowhere"
        (self.root / path).write_text(text.replace(old, new, 1), encoding="utf-8")

    def guard(self, test: str) -> str:
        """What a test says in the copy; '' where it passes."""
        settings = {**os.environ, "PYTHONPATH": str(self.root), "PYTHONSAFEPATH": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        words = [sys.executable, "-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider", "--tb=short", test]
        done = subprocess.run(words, cwd=self.root, env=settings, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return done.stdout if done.returncode else ""


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path / "copy")


def test_the_recipe_for_a_flag(copy):
    assert "### Add a flag of a command" in RECIPES
    guard = "tests/cli/test_quick.py::test_every_option_of_apply_patch_sets_something_that_is_there"
    copy.change(
        "patchkit/cli/options.py", "APPLY = (\n", 'APPLY = (\n    Flag("--keep-time", "keep_time", "keep it"),\n'
    )

    assert "keep_time" in copy.guard(guard)

    copy.change(
        "patchkit/core/changes/options.py", '    syntax: str = ""', '    keep_time: bool = False\n    syntax: str = ""'
    )
    assert copy.guard(guard) == ""


def test_the_recipe_for_a_code(copy):
    assert "### Add an error code" in RECIPES
    used = "tests/test_guards.py::test_every_code_of_the_catalogue_is_used_in_the_source"
    documented = "tests/test_guards.py::test_every_code_has_a_section_in_the_docs"
    row = '    "P198": refused("made-for-a-test", "CONFLICT", "it is made for a test", "leave it out"),\n'
    copy.change("patchkit/catalogue/language.py", '    "P102": refused(', f'{row}    "P102": refused(')

    assert "['P198'] == []" in copy.guard(used)
    assert "{'P198'}" in copy.guard(documented)

    copy.change("patchkit/errors.py", "from __future__", "# P198\nfrom __future__")
    copy.change("docs/errors.md", "## P102", "## P198\n\n**made-for-a-test**: `it is made for a test`\n\n## P102")
    assert (copy.guard(used), copy.guard(documented)) == ("", "")


def test_the_recipe_for_a_language(copy):
    assert "### Add a language" in RECIPES
    guard = "tests/test_guards.py::test_every_grammar_of_a_language_is_a_package_of_the_extra_structure"
    row = '    "zig": ("tree_sitter_zig", "language", "zig"),\n'
    copy.change("patchkit/structure/grammars.py", '    "yaml": (', f'{row}    "yaml": (')

    assert "tree_sitter_zig" in copy.guard(guard)

    copy.change(
        "pyproject.toml", '  "tree-sitter-yaml>=0.7",\n', '  "tree-sitter-yaml>=0.7",\n  "tree-sitter-zig>=1",\n'
    )
    assert copy.guard(guard) == ""


def test_the_recipe_for_a_word(copy):
    assert "### Change a word of a message" in RECIPES
    guard = "tests/docs/test_error_pages.py::test_every_section_opens_with_the_name_and_the_sentence_of_its_code"
    copy.change("patchkit/catalogue/matching.py", '"hunk not found in ', '"hunk not seen in ')
    said = copy.guard(guard)

    assert "hunk not seen in" in said or "P201" in said

    copy.change("docs/errors.md", "`hunk not found in 'FILE'`", "`hunk not seen in 'FILE'`")
    assert copy.guard(guard) == ""
