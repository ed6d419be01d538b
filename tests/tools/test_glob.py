"""Glob: files by name, newest first, within bounds, and nothing from outside."""

from __future__ import annotations

import os

import pytest

from patchkit.search.walk import SearchBudget
from patchkit.tools import answers, glob
from patchkit.tools.calling import Caller, call


@pytest.fixture(autouse=True)
def _no_rules_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.fixture
def plant(root):
    """Makes files, each a second older than the one before."""

    def make(*names):
        for age, name in enumerate(names):
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))

    return make


def found(use, pattern, **fields):
    return use("Glob", pattern=pattern, relative=True, **fields).data["paths"]


def test_absolute_paths_the_newest_first(plant, use, root):
    plant("new.py", "src/middle.py", "old.py", "other.txt")

    result = use("Glob", pattern="**/*.py")

    assert result.status == "success"
    assert result.data == {
        "paths": [f"{root}/new.py", f"{root}/src/middle.py", f"{root}/old.py"],
        "total": 3,
        "truncated": False,
        "visited": 5,
        "aborted_reason": None,
        "not_visited": [],
        "not_visited_count": 0,
        "unreadable": [],
        "next": None,
    }
    assert result.text == f"{root}/new.py\n{root}/src/middle.py\n{root}/old.py"


def test_paths_may_be_those_from_where_relative_paths_start(plant, use, root):
    plant("src/a.py", "docs/b.py")

    assert found(use, "**/*.py", path="src") == ["src/a.py"]
    inside = call("Glob", {"pattern": "../**/*.py", "relative": True}, Caller(str(root), str(root / "src")))
    assert inside.data["paths"] == ["a.py", "../docs/b.py"]


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("*.py", ["a.py"]),
        ("**/*.py", ["a.py", "src/b.py", "src/lib/c.py"]),
        ("src/*.py", ["src/b.py"]),
        ("src/**", ["src/b.py", "src/lib/c.py"]),
        ("src/lib/c.py", ["src/lib/c.py"]),
        ("./src/../src/*.py", ["src/b.py"]),
        ("{root}/src/*.py", ["src/b.py"]),
        ("{a,src/b}.py", ["a.py", "src/b.py"]),
        (".github/**/*.yml", [".github/w/ci.yml"]),
        ("**/*.yml", []),
        ("node_modules/*.js", ["node_modules/x.js"]),
        ("**/*.js", []),
        ("nosuch/**", []),
        ("a.py/*", []),
    ],
)
def test_a_pattern_means_paths_below_the_directory(plant, use, root, pattern, paths):
    plant("a.py", "src/b.py", "src/lib/c.py", ".github/w/ci.yml", "node_modules/x.js")

    assert found(use, pattern.replace("{root}", str(root))) == paths


def test_hidden_and_ignored_files_are_found_where_that_is_asked_for(plant, use, root):
    plant("a.py", ".b.py", "dist/c.py", "d.log.py", ".h/e.py")
    (root / ".gitignore").write_text("*.log.py\n")

    assert {
        (hidden, ignored): sorted(found(use, "**/*.py", include_hidden=hidden, include_ignored=ignored))
        for hidden in (False, True)
        for ignored in (False, True)
    } == {
        (False, False): ["a.py"],
        (True, False): [".b.py", ".h/e.py", "a.py"],
        (False, True): ["a.py", "d.log.py", "dist/c.py"],
        (True, True): [".b.py", ".h/e.py", "a.py", "d.log.py", "dist/c.py"],
    }


def test_links_are_found_only_where_they_lead_to_files_inside(plant, use, root, tmp_path):
    plant("a.py", "d/b.py")
    (tmp_path / "secret.py").touch()
    for name, target in [
        ("link.py", "a.py"),
        ("out.py", tmp_path / "secret.py"),
        ("none.py", "x"),
        ("l", "d"),
        ("dir.py", "d"),
    ]:
        (root / name).symlink_to(target)

    assert sorted(found(use, "**/*.py")) == ["a.py", "d/b.py", "link.py"]


def test_nothing_found_is_said(plant, use):
    plant("a.py")

    assert (use("Glob", pattern="*.nope").status, use("Glob", pattern="*.nope").text) == ("success", "(No files found)")
    assert use("Glob", pattern="nosuch/*.py").text == "(No files found: there is no directory 'nosuch')"


# -- bounds --------------------------------------------------------------------------------------


def test_more_than_two_hundred_files_are_partial_and_say_how_to_go_on(plant, use):
    plant(*(f"f{number:03}" for number in range(250)))

    result = use("Glob", pattern="*")

    assert (result.status, len(result.data["paths"]), result.data["total"], result.data["truncated"]) == (
        "partial",
        200,
        250,
        True,
    )
    assert result.data["next"] == {"pattern": "*", "offset": 200}
    assert result.text.split("\n\n")[1] == (
        '(200 of 250 files, the newest first. Narrow the pattern, or continue: Glob {"pattern": "*", "offset": 200})'
    )


def test_pages_together_are_all_files(plant, use):
    plant(*(f"f{number:03}" for number in range(250)))
    paths, arguments = [], {"pattern": "*", "limit": 60, "relative": True}
    while arguments is not None:
        result = use("Glob", **arguments)
        paths += result.data["paths"]
        arguments = result.data["next"]

    assert paths == [f"f{number:03}" for number in range(250)]


@pytest.mark.parametrize("limit", [0, 201, -3])
def test_a_limit_out_of_range_is_refused_with_its_fixed_text(use, limit):
    result = use("Glob", pattern="*", limit=limit)

    assert result.text.split("\n")[0] == "limit must be an integer between 1 and 200."
    assert [error["code"] for error in result.errors] == ["P603"]


def test_a_search_that_looked_at_enough_names_says_what_it_has_not_seen(plant, use, monkeypatch):
    plant(*(f"{directory}/{name}.py" for directory in "abc" for name in "xyz"))
    monkeypatch.setattr(glob, "VISITS", 7)

    result = use("Glob", pattern="**/*.py", path=".")

    assert (result.status, len(result.data["paths"]), result.data["aborted_reason"]) == ("partial", 4, "visits")
    assert (result.data["visited"], result.data["not_visited"], result.data["not_visited_count"]) == (7, ["b", "c"], 2)
    assert result.data["next"] == {"pattern": "**/*.py", "path": ".", "timeout": 0}
    assert result.text.split("\n\n")[1] == (
        "(Stopped after 7 names with 2 directories not visited: 'b', 'c'. Narrow the pattern or name a path, or search "
        'everything: Glob {"pattern": "**/*.py", "path": ".", "timeout": 0})'
    )


def test_a_search_that_was_stopped_with_nothing_found_has_a_fixed_text(plant, use, monkeypatch):
    plant("a/x.txt", "b/y.py")
    monkeypatch.setattr(glob, "VISITS", 3)
    monkeypatch.setattr(SearchBudget, "elapsed", property(lambda self: 20.04))

    result = use("Glob", pattern="**/*.py")

    assert (result.status, [error["code"] for error in result.errors], result.errors[0]["kind"]) == (
        "error",
        ["P631"],
        "TIMEOUT",
    )
    assert result.text.split("\n")[0] == "Error: glob timed out after 20.0s. Try a more specific pattern."
    assert (result.data["paths"], result.data["aborted_reason"], result.data["not_visited"]) == ([], "visits", ["b"])


def test_a_search_that_ran_out_of_time_reports_the_real_seconds(plant, use):
    plant("a/x.txt", "b/y.py")

    result = use("Glob", pattern="**/*.py", timeout=0.000001)

    assert result.text.split("\n")[0] == "Error: glob timed out after 0.0s. Try a more specific pattern."
    assert result.data["aborted_reason"] == "timeout"


def test_a_time_out_of_nothing_lifts_the_visits_too(plant, use, monkeypatch):
    plant(*(f"{directory}/{name}.py" for directory in "abc" for name in "xyz"))
    monkeypatch.setattr(glob, "VISITS", 7)

    result = use("Glob", pattern="**/*.py", timeout=0)

    assert (result.status, len(result.data["paths"])) == ("success", 9)


def test_the_bounds_are_those_of_the_specification():
    assert (glob.MOST, glob.VISITS, answers.SECONDS) == (200, 20_000, 2)


# -- what is in the way --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "path", "code"),
    [
        ("", ".", "P632"),
        ("a{b", ".", "P632"),
        ("*/../*", ".", "P632"),
        ("*", "missing", "P302"),
        ("*", "a.py", "P319"),
        ("*", "..", "P301"),
        ("../*", ".", "P301"),
        ("/etc/*", ".", "P301"),
        ("out/*", ".", "P307"),
        ("*\0", ".", ""),
        ("*", "a\0b", "P309"),
    ],
)
def test_what_cannot_be_searched_is_refused(plant, use, root, tmp_path, pattern, path, code):
    plant("a.py")
    (root / "out").symlink_to(tmp_path)

    assert [error["code"] for error in use("Glob", pattern=pattern, path=path).errors] == ([code] if code else [])


def test_a_path_that_leaves_the_workspace_has_a_fixed_text(use):
    assert use("Glob", pattern="*", path="/etc").text.split("\n")[0] == "Path escapes workspace: /etc"


def test_names_that_cannot_be_shown_are_escaped_and_exact_in_the_data(use, root):
    with open(os.fsencode(root) + b"/\xff\n.py", "wb"):
        pass

    result = use("Glob", pattern="*.py")

    assert (result.data["paths"], result.text) == ([f"{root}/\udcff\n.py"], f"{root}/\\xff\\n.py")


def test_what_rules_forbid_to_read_is_not_found(plant, root):
    plant("a.py", "secret/b.py")
    (root / ".patchkit.toml").write_text('[permissions]\nread = { "secret/**" = "deny" }\n')
    result = call("Glob", {"pattern": "**/*.py", "relative": True}, Caller(str(root)))

    assert result.data.get("paths") == ["a.py"]


def test_what_rules_forbid_to_read_is_not_named_as_unseen_either(plant, root, monkeypatch):
    plant("a/x.py", "secret/b.py", "zoo/c.py")
    (root / ".patchkit.toml").write_text('[permissions]\nread = { "secret/**" = "deny", "secret" = "deny" }\n')
    monkeypatch.setattr(glob, "VISITS", 5)
    result = call("Glob", {"pattern": "**/*.py", "relative": True}, Caller(str(root)))

    assert (result.data["paths"], result.data["not_visited"]) == (["a/x.py"], ["zoo"])
