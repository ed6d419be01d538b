"""What a project allows its patches: which files, how many of them, how many lines; also by its settings."""

from __future__ import annotations

import pytest

from patchkit.checking.limits import Limits, is_glob, project
from patchkit.checking.run import CheckRequest, PatchSource
from patchkit.checking.tool import check
from patchkit.core.changes import Options
from patchkit.errors import PatchkitError


def patch_of(*sections: str) -> str:
    return "*** Begin Patch\n" + "".join(sections) + "*** End Patch\n"


def added(path: str, lines: int = 1) -> str:
    return f"*** Add File: {path}\n" + "+x\n" * lines


@pytest.fixture
def refusals(tmp_path, monkeypatch):
    """The codes and files of what the limits refuse in a patch; nothing else may be wrong with it."""
    monkeypatch.chdir(tmp_path)

    def refusals_of(text, limits, start=None, syntax_only=False, **options):
        wanted = CheckRequest(str(tmp_path), start, Options(check=True, **options))
        wanted.limits, wanted.syntax_only = limits, syntax_only
        (patch,) = check([PatchSource("p", 1 << 20, text.encode())], wanted).patches
        return [(error.code, error.file) for error in patch.every_error]

    return refusals_of


@pytest.mark.parametrize(
    ("glob", "path", "forbidden"),
    [
        ("*.lock", "a/b/poetry.lock", True),
        ("vendor/", "vendor/deep/lib.py", True),
        ("vendor/", "vendor.py", False),
        ("/docs", "docs/index.md", True),
        ("/docs", "src/docs/index.md", False),
        ("src/**/gen_*.py", "src/a/b/gen_x.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("a[12].txt", "a2.txt", True),
    ],
)
def test_globs_mean_what_they_mean_in_a_gitignore(refusals, glob, path, forbidden):
    assert refusals(patch_of(added(path)), Limits(forbid=[glob])) == ([("P662", path)] if forbidden else [])


def test_a_path_cannot_hide_from_a_limit_by_its_spelling(refusals, tmp_path):
    (tmp_path / "vendor").mkdir()
    (tmp_path / "harmless").symlink_to("vendor")
    limits = Limits(forbid=["vendor/"])

    assert refusals(patch_of(added("./src/../vendor//a.py")), limits) == [("P662", "vendor/a.py")]
    assert refusals(patch_of(added("harmless/a.py")), limits) == [("P662", "vendor/a.py")]
    assert refusals(patch_of(added(f"{tmp_path}/vendor/a.py")), limits) == [("P662", "vendor/a.py")]
    assert refusals(patch_of(added("a.py")), limits, start="vendor") == [("P662", "vendor/a.py")]


def test_a_name_that_links_hide_must_be_allowed_under_both_names(refusals, tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "door").symlink_to("inside")

    assert refusals(patch_of(added("door/a.py")), Limits(allow=["door/"])) == [("P663", "inside/a.py")]
    assert refusals(patch_of(added("door/a.py")), Limits(allow=["door/", "inside/"])) == []


def test_both_ends_of_a_move_must_be_allowed(refusals, tmp_path):
    (tmp_path / "a.py").write_text("x\n")
    move = patch_of("*** Update File: a.py\n*** Move to: vendor/a.py\n")

    assert refusals(move, Limits(forbid=["vendor/"])) == [("P662", "vendor/a.py")]
    assert refusals(move, Limits(allow=["vendor/"])) == [("P663", "a.py")]


def test_forbidden_wins_over_allowed(refusals):
    limits = Limits(allow=["src/"], forbid=["src/secret/"])

    assert refusals(patch_of(added("src/a.py"), added("src/secret/b.py")), limits) == [("P662", "src/secret/b.py")]


def test_every_section_that_is_not_allowed_is_reported(refusals):
    text = patch_of(added("a.py"), added("src/b.py"), added("c.py"))

    assert refusals(text, Limits(allow=["src/"])) == [("P663", "a.py"), ("P663", "c.py")]


def test_a_patch_may_touch_as_many_files_as_the_limit_says_and_not_one_more(refusals):
    text = patch_of(added("a"), added("b"), added("c"))

    assert refusals(text, Limits(max_files=3)) == []
    assert refusals(text, Limits(max_files=2)) == [("P664", None)]


def test_added_and_removed_lines_count_and_so_do_those_of_deleted_files(refusals, tmp_path):
    (tmp_path / "gone.txt").write_text("1\n2\n3")
    (tmp_path / "a.txt").write_text("keep\nold\n")
    text = patch_of(added("n", 2), "*** Update File: a.txt\n@@\n keep\n-old\n+new\n", "*** Delete File: gone.txt\n")

    assert refusals(text, Limits(max_lines=7)) == []
    assert refusals(text, Limits(max_lines=6)) == [("P665", None)]


def test_limits_hold_without_a_tree_too(refusals):
    text = patch_of(added("vendor/a", 5), "*** Update File: b\n@@\n-x\n+y\n")
    limits = Limits(forbid=["vendor/"], max_files=1, max_lines=6)

    assert refusals(text, limits, syntax_only=True) == [("P664", None), ("P665", None), ("P662", "vendor/a")]


@pytest.mark.parametrize("text", ["", "  ", "#comment", "!negated", "a\\"])
def test_a_pattern_that_can_match_nothing_is_none(text):
    assert not is_glob(text)


# -- settings ------------------------------------------------------------------------------------


def test_settings_are_in_a_projects_own_file(tmp_path):
    (tmp_path / ".patchkit.toml").write_text(
        '[check]\nmax-pass = "exact"\nforbid = ["vendor/"]\nallow = "src/"\nmax-files = 3\nmax-lines = 0\n'
    )

    assert project(str(tmp_path)) == Limits(["vendor/"], ["src/"], 3, 0, "exact")


def test_settings_are_in_pyproject_toml_with_or_without_a_table_of_their_own(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.patchkit]\nmax-files = 3\n\n[tool.patchkit.check]\nmax-lines = 9\n")

    assert project(str(tmp_path)) == Limits(max_files=3, max_lines=9)


def test_without_settings_there_are_no_limits(tmp_path):
    assert project(str(tmp_path)) == Limits()


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("max-files = -1", "P653", "'check.max-files' cannot be -1"),
        ("max-files = true", "P653", "'check.max-files' cannot be true"),
        ('max-lines = "many"', "P653", "'check.max-lines' cannot be 'many'"),
        ('max-pass = "sloppy"', "P653", "'check.max-pass' cannot be 'sloppy'"),
        ('forbid = ["!x"]', "P653", "'check.forbid' cannot be ['!x']"),
        ("allow = [1]", "P653", "'check.allow' cannot be [1]"),
        ("max-file = 1", "P655", "unknown setting 'check.max-file'"),
    ],
)
def test_a_setting_that_cannot_be_understood_is_reported_with_its_line(tmp_path, line, code, words):
    (tmp_path / ".patchkit.toml").write_text(f"[check]\n{line}\n")

    with pytest.raises(PatchkitError) as refusal:
        project(str(tmp_path))
    assert (refusal.value.code, refusal.value.line) == (code, 2)
    assert refusal.value.message.startswith(words)
