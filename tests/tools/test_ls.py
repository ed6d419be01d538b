"""LS: what is in a directory, in order, page by page, and nothing from outside."""

from __future__ import annotations

import os

import pytest

from patchkit import reading
from patchkit.tools import ls
from patchkit.tools.calling import Caller, call


@pytest.fixture(autouse=True)
def _no_rules_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.fixture
def plant(root):
    """Makes files and, where a name ends with a slash, directories."""

    def make(*names):
        for name in names:
            path = root / name.rstrip("/")
            (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
            if not name.endswith("/"):
                path.touch()

    return make


def listed(result):
    return [entry["path"] for entry in result.data["entries"]]


def test_directories_come_first_and_names_are_in_order(plant, use):
    plant("b.txt", "a.txt", "zoo/", "Src/", "src/", "B.txt")

    result = use("LS")

    assert result.status == "success"
    assert result.data == {
        "entries": [
            {"path": "Src", "type": "directory"},
            {"path": "src", "type": "directory"},
            {"path": "zoo", "type": "directory"},
            {"path": "B.txt", "type": "file"},
            {"path": "a.txt", "type": "file"},
            {"path": "b.txt", "type": "file"},
        ],
        "total": 6,
        "truncated": False,
        "aborted_reason": None,
        "next": None,
    }
    assert result.text == "Src/\nsrc/\nzoo/\nB.txt\na.txt\nb.txt"


def test_paths_can_be_used_as_they_are(plant, use, root):
    plant("src/lib/a.py", "docs/b.md")

    assert listed(use("LS", path="src")) == ["src/lib"]
    assert listed(use("LS", path=str(root / "src"))) == ["src/lib"]
    inside = call("LS", {"path": "../docs"}, Caller(str(root), str(root / "src")))
    assert listed(inside) == ["../docs/b.md"]


def test_hidden_and_ignored_names_are_left_out_and_counted(plant, use, root):
    plant(".env", ".git/", "node_modules/", "dist/", "a.py", "b.log", ".venv/")
    (root / ".gitignore").write_text("*.log\n")

    result = use("LS")

    assert listed(result) == ["a.py"]
    assert (result.status, result.text) == (
        "success",
        "a.py\n\n(2 hidden not shown: include_hidden)\n(5 ignored not shown: include_ignored)",
    )


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"include_hidden": True}, [".env", ".gitignore", "a.py"]),
        ({"include_ignored": True}, ["dist", "node_modules", "a.py", "b.log"]),
        (
            {"include_ignored": True, "include_hidden": True},
            [".git", "dist", "node_modules", ".env", ".gitignore", "a.py", "b.log"],
        ),
        ({"include_ignored": True, "ignore": ["*.log", "d*"]}, ["node_modules", "a.py"]),
        ({"ignore": ["!*.py"]}, ["a.py"]),
    ],
)
def test_switches_bring_names_back_and_patterns_take_them_out(plant, use, root, fields, names):
    plant(".env", ".git/", "node_modules/", "dist/", "a.py", "b.log")
    (root / ".gitignore").write_text("*.log\n")

    assert listed(use("LS", **fields)) == names


def test_rules_of_directories_above_hold(plant, use, root):
    plant("src/gen/", "src/a.py", "src/b.tmp")
    (root / ".gitignore").write_text("/src/gen/\n*.tmp\n")

    assert listed(use("LS", path="src")) == ["src/a.py"]


def test_an_ignored_directory_that_is_named_is_listed(plant, use):
    plant("node_modules/left-pad/index.js")

    assert listed(use("LS", path="node_modules")) == ["node_modules/left-pad"]


def test_what_patchkit_keeps_at_the_root_is_not_listed(plant, use):
    plant(".patchkit/x", "a")

    assert listed(use("LS", include_hidden=True, include_ignored=True)) == ["a"]


# -- pages ---------------------------------------------------------------------------------------


def test_a_long_directory_is_partial_and_says_how_to_go_on(plant, use):
    plant(*(f"f{number:03}" for number in range(250)))

    result = use("LS")

    assert (result.status, len(listed(result)), result.data["total"], result.data["truncated"]) == (
        "partial",
        100,
        250,
        True,
    )
    assert result.data["next"] == {"offset": 100}
    assert result.text.endswith('f099\n\n(100 of 250 entries; the next: LS {"offset": 100})')


def test_pages_together_are_the_directory(plant, use):
    plant(*(f"f{number:03}" for number in range(250)), "d/")
    names, arguments = [], {"limit": 77}
    while arguments is not None:
        result = use("LS", **arguments)
        names += listed(result)
        arguments = result.data["next"]

    assert names == ["d", *(f"f{number:03}" for number in range(250))]


def test_an_offset_behind_the_end_says_how_much_there_is(plant, use):
    plant("a", "b")

    result = use("LS", offset=5)

    assert (result.status, listed(result), result.text) == (
        "success",
        [],
        "(There are 2 entries, none from offset 5 on)",
    )


@pytest.mark.parametrize("limit", [0, 201, -1, 10**9])
def test_a_limit_out_of_range_is_refused_with_its_fixed_text(use, limit):
    result = use("LS", limit=limit)

    assert (result.status, result.errors[0]["code"]) == ("error", "P603")
    assert result.text == (
        "limit must be an integer between 1 and 200.\n"
        f"error[P603]: 'limit' cannot be {limit}\n  = help: give a whole number between 1 and 200\n"
    )


def test_an_empty_directory_is_said_to_be_empty(plant, use):
    plant("d/")

    assert use("LS", path="d").text == "(Nothing to list in 'd')"


# -- what is in the way --------------------------------------------------------------------------


def test_a_link_is_what_it_leads_to_only_inside_the_root(plant, use, root, tmp_path):
    plant("src/a.py")
    (tmp_path / "secret").mkdir()
    for name, target in [
        ("dir", "src"),
        ("file", "src/a.py"),
        ("out", tmp_path / "secret"),
        ("none", "x"),
        ("loop", "loop"),
    ]:
        (root / name).symlink_to(target)
    os.mkfifo(root / "fifo")

    result = use("LS")

    assert {entry["path"]: entry["type"] for entry in result.data["entries"]} == {
        "dir": "directory",
        "src": "directory",
        "fifo": "FIFO",
        "file": "file",
        "loop": "link",
        "none": "link",
        "out": "link",
    }
    assert result.text.split("\n") == [
        "dir/ -> src",
        "src/",
        "fifo (FIFO)",
        "file -> src/a.py",
        "loop -> loop",
        "none -> x",
        f"out -> {tmp_path}/secret",
    ]


def test_names_that_cannot_be_shown_are_escaped_and_exact_in_the_data(use, root):
    for name in (b"line\nend", b"\xff", "\u3000".encode(), b"\x1b[31m"):
        with open(os.fsencode(root) + b"/" + name, "wb"):
            pass

    result = use("LS")

    assert listed(result) == ["\x1b[31m", "line\nend", "\u3000", "\udcff"]
    assert result.text == "\\x1b[31m\nline\\nend\n\\u3000\n\\xff"
    assert [note["code"] for note in result.notes] == ["P961"]


@pytest.mark.parametrize(("path", "code"), [("missing", "P302"), ("a.py", "P319"), ("a.py/x", "P310"), ("..", "P301")])
def test_a_path_that_is_not_a_directory_is_refused(plant, use, path, code):
    plant("a.py")

    assert [error["code"] for error in use("LS", path=path).errors] == [code]


def test_a_directory_that_leads_out_is_refused(use, root, tmp_path):
    (root / "out").symlink_to(tmp_path)

    result = use("LS", path="out")

    assert (result.errors[0]["code"], result.text.split("\n")[0]) == ("P307", "Path escapes workspace: out")


def test_a_misspelt_directory_gets_a_suggestion(plant, use):
    plant("source/a.py")

    result = use("LS", path="sorce")

    assert (result.errors[0]["code"], result.data) == ("P302", {"suggestions": ["source"]})


def test_a_pattern_that_means_nothing_is_refused(use):
    assert use("LS", ignore=["a{b"]).errors[0]["code"] == "P632"


# -- time ----------------------------------------------------------------------------------------


def test_a_listing_that_takes_too_long_is_partial_and_says_how_to_see_everything(plant, use, monkeypatch):
    plant(*(f"{number}.txt" for number in range(10)))
    monkeypatch.setattr(reading, "_STRETCH", 7)
    calls = iter(range(1000))
    monkeypatch.setattr(ls.SearchBudget, "late", lambda budget: next(calls) == 0)

    result = use("LS", limit=2)

    assert (result.status, result.data["total"], result.data["aborted_reason"]) == ("partial", 6, "timeout")
    assert result.data["next"] == {"limit": 2, "timeout": 0}
    assert result.text.split("\n")[-1].endswith(
        "2 of 6 entries seen so far, and there are more. Name a directory below, or see everything: "
        'LS {"limit": 2, "timeout": 0})'
    )


def test_rules_that_take_too_long_stop_it_too(plant, use, monkeypatch):
    plant(*(f"{number}.txt" for number in range(10)))
    calls = iter(range(1000))
    monkeypatch.setattr(ls.SearchBudget, "late", lambda budget: next(calls) >= 5)

    assert [use("LS").data[name] for name in ("total", "aborted_reason")] == [4, "timeout"]


def test_a_name_that_was_not_compared_in_time_does_not_count_as_ignored(plant, use, root, monkeypatch):
    plant(*(f"{number}.txt" for number in range(10)))
    (root / ".gitignore").write_text("*.log\n")
    calls = iter(range(1000))
    monkeypatch.setattr(ls.SearchBudget, "late", lambda budget: next(calls) >= 8)

    result = use("LS")

    assert (result.status, "ignored" in result.text) == ("partial", False)


def test_no_time_is_as_much_as_it_takes(plant, use, monkeypatch):
    plant("a.txt")
    monkeypatch.setattr(ls, "SECONDS", 1e-9)

    assert use("LS").status == "partial"
    assert use("LS", timeout=0).status == "success"


@pytest.mark.parametrize("timeout", [-1, "five", True, float("nan"), float("inf")])
def test_a_time_that_is_none_is_refused(use, timeout):
    assert use("LS", timeout=timeout).errors[0]["code"] == "P603"
