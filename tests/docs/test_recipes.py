"""The recipes of docs/contributing.md, walked on one copy of the tree: what is left out, a guard points to.

All recipes are begun, and the guard that each names fails with the name of what is missing; then they are finished, and
the guards pass.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]
PARTS = ("patchkit", "tests", "docs/errors.md", "fixtures/diagnostics/examples.md", "pyproject.toml", "README.md")
RECIPES = (REPOSITORY / "docs" / "contributing.md").read_text(encoding="utf-8")


class Change(NamedTuple):
    """A text of a file, and what takes its place."""

    path: str
    old: str
    new: str


class Recipe(NamedTuple):
    """Its heading, how it is begun and finished, and by guard what this says in between."""

    heading: str
    begun: list[Change]
    guards: dict[str, str]
    finished: list[Change]


_ROW = '    "P198": refused("made-for-a-test", "it is made for a test", "leave it out"),\n'
_LANGUAGE = '    "zig": ("tree_sitter_zig", "language", "zig"),\n'
WALKED = [
    Recipe(
        "Add a flag of a command",
        [
            Change(
                "patchkit/cli/options.py",
                "APPLY = (\n",
                'APPLY = (\n    Flag("--keep-time", "keep it"),\n',
            )
        ],
        {"tests/cli/test_quick.py::test_every_option_of_apply_patch_sets_something_that_is_there": "keep_time"},
        [
            Change(
                "patchkit/core/changes/__init__.py",
                '    syntax: str = ""',
                '    keep_time: bool = False\n    syntax: str = ""',
            )
        ],
    ),
    Recipe(
        "Add an error code",
        [Change("patchkit/catalogue/language.py", '    "P102": refused(', f'{_ROW}    "P102": refused(')],
        {
            "tests/test_guards.py::test_every_code_of_the_catalogue_is_used_in_the_source": "['P198'] == []",
            "tests/test_guards.py::test_every_code_has_a_section_in_the_docs": "{'P198'}",
        },
        [
            Change("patchkit/errors.py", "from __future__", "# P198\nfrom __future__"),
            Change("docs/errors.md", "## P102", "## P198\n\n**made-for-a-test**: `it is made for a test`\n\n## P102"),
        ],
    ),
    Recipe(
        "Add a language",
        [Change("patchkit/structure/grammars.py", '    "yaml": (', f'{_LANGUAGE}    "yaml": (')],
        {
            "tests/test_guards.py::test_every_grammar_of_a_language_is_a_package_of_the_extra_structure": (
                "tree_sitter_zig"
            )
        },
        [
            Change(
                "pyproject.toml",
                '  "tree-sitter-yaml>=0.7",\n',
                '  "tree-sitter-yaml>=0.7",\n  "tree-sitter-zig>=1",\n',
            )
        ],
    ),
    Recipe(
        "Change a word of a message",
        [Change("patchkit/catalogue/matching.py", '"hunk not found in ', '"hunk not seen in ')],
        {
            "tests/docs/test_error_pages.py::test_every_section_opens_with_the_name_and_the_sentence_of_its_code": (
                "hunk not seen in"
            )
        },
        [Change("docs/errors.md", "`hunk not found in 'FILE'`", "`hunk not seen in 'FILE'`")],
    ),
]


class Copy:
    """A copy of the tree that the recipes are walked on."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for part in PARTS:
            source, target = REPOSITORY / part, root / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)

    def make(self, change: Change) -> None:
        """Replaces the first of these texts in a file."""
        text = (self.root / change.path).read_text(encoding="utf-8")
        assert change.old in text, f"{change.path} has no {change.old!r} any more: the recipe leads nowhere"
        (self.root / change.path).write_text(text.replace(change.old, change.new, 1), encoding="utf-8")

    def run(self, tests: list[str]) -> str:
        """What pytest says about tests of the copy."""
        settings = {**os.environ, "PYTHONPATH": str(self.root), "PYTHONSAFEPATH": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        words = [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", "--tb=short", *tests]
        done = subprocess.run(words, cwd=self.root, env=settings, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return done.stdout


def test_what_a_recipe_leaves_out_a_guard_points_to_until_it_is_done(tmp_path):
    copy = Copy(tmp_path / "copy")
    guards = {guard: word for recipe in WALKED for guard, word in recipe.guards.items()}
    for recipe in WALKED:
        assert f"### {recipe.heading}\n" in RECIPES
        for change in recipe.begun:
            copy.make(change)
    begun = copy.run(list(guards))

    assert [guard for guard in guards if f"\nFAILED {guard}" not in begun] == []
    assert [word for word in guards.values() if word not in begun] == []

    for recipe in WALKED:
        for change in recipe.finished:
            copy.make(change)

    assert f"{len(guards)} passed" in copy.run(list(guards))
