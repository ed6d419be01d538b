"""Grep: files by content, newest first, within bounds, with and without ripgrep."""

from __future__ import annotations

import os

import pytest

from patchkit.cli.statuses import of_tool
from patchkit.report.result import Result
from patchkit.search.content import programs
from patchkit.search.walk import SearchBudget
from patchkit.tools import answers, grep
from patchkit.tools.calling import Caller, call

RG = next(iter(programs()), None)
WITHOUT = "(Searched without ripgrep (PATCHKIT_RG names none). Nothing is known to be missing)"


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "PATCHKIT_RG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(
    params=[pytest.param("ripgrep", marks=pytest.mark.skipif(RG is None, reason="no ripgrep here")), "python"]
)
def way(request, monkeypatch):
    monkeypatch.setattr(grep, "SECONDS", 600)  # a busy machine must not look like a long search
    if request.param == "python":
        monkeypatch.setenv("PATCHKIT_RG", "")
    return request.param


@pytest.fixture
def plant(root):
    """Makes files with content, each a second older than the one before."""

    def make(files):
        for age, (name, content) in enumerate(files.items()):
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))

    return make


def told(result):
    """The text of a result without the remark about the way it was found."""
    return result.text.removesuffix(WITHOUT).rstrip("\n")


CODE = {
    "new.py": "import os\n\ndef __init__(self):\n    pass\n",
    "src/old.py": "class A:\n    def __init__(self):\n        self.x = 1\n\n    def __init__(self):\n        pass\n",
    "notes.txt": "nothing\n",
}


# -- modes ---------------------------------------------------------------------------------------


def test_files_with_matches_is_what_is_returned_if_nothing_is_said(plant, use, way):
    plant(CODE)

    result = use("Grep", pattern="def __init__(self):")

    assert told(result) == "new.py\nsrc/old.py"
    assert result.data == {
        "mode": "files_with_matches",
        "matches": [{"path": "new.py"}, {"path": "src/old.py"}],
        "files": 2,
        "truncated": False,
        "fallback_used": way == "python",
        "aborted_reason": None,
        "unreadable": [],
        "next": None,
    }
    assert result.status == ("partial" if way == "python" else "success")


def test_content_is_path_line_and_text(plant, use, way):
    plant(CODE)

    result = use("Grep", pattern="def __init__(self):", output_mode="content")

    assert result.data["matches"] == [
        {"path": "new.py", "line": 3, "text": "def __init__(self):"},
        {"path": "src/old.py", "line": 2, "text": "    def __init__(self):"},
        {"path": "src/old.py", "line": 5, "text": "    def __init__(self):"},
    ]
    assert told(result) == (
        "new.py:3:def __init__(self):\nsrc/old.py:2:    def __init__(self):\nsrc/old.py:5:    def __init__(self):"
    )


def test_count_is_how_many_lines_match(plant, use, way):
    plant(CODE)

    result = use("Grep", pattern="__init__", output_mode="count")

    assert result.data["matches"] == [{"path": "new.py", "count": 1}, {"path": "src/old.py", "count": 2}]
    assert told(result) == "new.py:1\nsrc/old.py:2"


@pytest.mark.parametrize("fields", [{"before": 1, "after": 1}, {"context": 1}, {"-B": 1, "-A": 1}, {"-C": 1}])
def test_lines_around_matches_are_shown_as_ripgrep_shows_them(plant, use, way, fields):
    plant(CODE)

    result = use("Grep", pattern="self.x", output_mode="content", **fields)

    assert told(result) == "src/old.py-2-    def __init__(self):\nsrc/old.py:3:        self.x = 1\nsrc/old.py-4-"
    assert result.data["context"] == [
        {"path": "src/old.py", "line": 2, "text": "    def __init__(self):"},
        {"path": "src/old.py", "line": 4, "text": ""},
    ]


def test_groups_of_lines_are_set_apart(plant, use, way):
    plant({"a": "x\n1\n2\n3\nx\n", "b": "x\n"})

    assert told(use("Grep", pattern="x", output_mode="content", after=1)) == "a:1:x\na-2-1\n--\na:5:x\n--\nb:1:x"


def test_a_path_is_one_that_can_be_used_as_it_is(plant, root, way):
    plant({"src/a": "x\n", "b": "x\n"})
    caller = Caller(str(root), str(root / "src"))

    assert [match["path"] for match in call("Grep", {"pattern": "x", "path": ".."}, caller).data["matches"]] == [
        "a",
        "../b",
    ]


def test_several_paths_may_be_searched(plant, use, way):
    plant({"a/x": "x\n", "b/x": "x\n", "c": "x\n", "d": "x\n"})

    matches = use("Grep", pattern="x", paths=["a", "c"], path="b").data["matches"]

    assert [match["path"] for match in matches] == ["a/x", "b/x", "c"]


# -- bounds --------------------------------------------------------------------------------------


def test_more_than_a_hundred_files_are_partial_and_say_how_to_go_on(plant, use, way):
    plant({f"f{number:03}": "x\n" for number in range(120)})

    result = use("Grep", pattern="x")

    assert (result.status, len(result.data["matches"]), result.data["files"], result.data["truncated"]) == (
        "partial",
        100,
        120,
        True,
    )
    assert result.data["next"] == {"pattern": "x", "offset": 100}
    assert (
        "(100 of 120 files, the newest file first. Narrow it with a longer pattern, a path, a glob or a type, "
        'or continue: Grep {"pattern": "x", "offset": 100})'
    ) in result.text


def test_more_than_a_hundred_lines_are_partial_and_known_to_be_more(plant, use, way):
    plant({"a": "x\n" * 99, "b": "x\n" * 2})

    results = [use("Grep", pattern="x", output_mode="content", limit=limit) for limit in (99, 100)]
    plant({"a": "x\n" * 98, "b": "x\n" * 2})

    assert [(len(each.data["matches"]), each.data["truncated"]) for each in results] == [(99, True), (100, True)]
    assert not use("Grep", pattern="x", output_mode="content").data["truncated"]


@pytest.mark.parametrize("mode", ["files_with_matches", "content", "count"])
def test_pages_together_are_everything(plant, use, way, mode):
    plant({f"f{number}": "x\n1\n2\nx\n" for number in range(12)})
    whole = use("Grep", pattern="x", output_mode=mode, context=1).data
    pages, arguments = [], {"pattern": "x", "output_mode": mode, "limit": 5, "context": 1}
    while arguments is not None:
        data = use("Grep", **arguments).data
        pages.append(data)
        arguments = data["next"]

    assert [match for page in pages for match in page["matches"]] == whole["matches"]
    assert len(pages) == -(-len(whole["matches"]) // 5)
    if mode == "content":
        assert {str(line) for page in pages for line in page["context"]} == {str(line) for line in whole["context"]}


@pytest.mark.parametrize("limit", [0, 101])
def test_a_limit_out_of_range_is_refused(use, limit):
    assert use("Grep", pattern="x", limit=limit).text.split("\n")[0] == "limit must be an integer between 1 and 100."


def test_a_search_that_ran_out_of_time_says_so(plant, use, way, monkeypatch):
    plant({"a": "x\n"})
    monkeypatch.setattr(SearchBudget, "elapsed", property(lambda self: 2.04))

    result = use("Grep", pattern="x", timeout=0.000001)

    assert (result.status, result.data["aborted_reason"], result.data["next"]) == (
        "partial",
        "timeout",
        {"pattern": "x", "timeout": 0},
    )
    assert "(Stopped after 2.0 s: there may be more. Narrow it" in result.text
    assert "Nothing is known to be missing" not in result.text


def test_the_bounds_are_those_of_the_specification():
    assert (grep.MOST, answers.SECONDS) == (100, 2)


# -- what is said --------------------------------------------------------------------------------


def test_a_search_without_ripgrep_is_partial_and_says_that_nothing_is_missing(plant, use, monkeypatch):
    monkeypatch.setenv("PATCHKIT_RG", "")
    plant(CODE)

    result = use("Grep", pattern="import os")

    assert (result.status, result.data["fallback_used"], result.text) == ("partial", True, f"new.py\n\n{WITHOUT}")


@pytest.mark.parametrize("pattern", ["x.*y", r"\d+", "foo|bar", "^def", "end$", "[a-z]+", "[^x]"])
def test_nothing_found_for_what_looks_like_an_expression_says_so(plant, use, way, pattern):
    plant(CODE)

    result = use("Grep", pattern=pattern)

    assert (result.data["matches"], result.status) == ([], "partial" if way == "python" else "success")
    assert result.text.startswith(
        "(No matches found. The pattern was taken literally but looks like a regular expression: Grep {"
    )


@pytest.mark.parametrize(("pattern", "regex"), [("nope", False), ("a.b", False), ("nope.*", True)])
def test_nothing_found_is_said(plant, use, way, pattern, regex):
    plant(CODE)

    assert told(use("Grep", pattern=pattern, regex=regex)) == "(No matches found)"


def test_long_lines_are_clipped_and_the_call_that_shows_them_is_named(plant, use, way):
    plant({"min.js": "a" * 5000 + "needle" + "b" * 5000 + "\n"})

    result = use("Grep", pattern="needle", output_mode="content")

    (match,) = result.data["matches"]
    assert (len(match["text"]), "needle" in match["text"], result.status) == (502, True, "partial")
    assert (
        "(1 long line is clipped around the match; to see the first whole: "
        'Read {"file_path": "min.js", "offset": 1, "limit": 11, "long_lines": "split"})'
    ) in result.text


@pytest.mark.skipif(RG is None, reason="no ripgrep here")
def test_a_match_in_a_line_that_is_too_long_to_show_is_still_a_match(plant, use, monkeypatch):
    monkeypatch.setattr("patchkit.search.content.LONGEST_EVENT", 1000)
    plant({"a": "x" * 5000 + "\n"})

    result = use("Grep", pattern="x", output_mode="content")

    assert (result.status, result.data["files"], result.text) == (
        "partial",
        1,
        "(No line can be shown of 1 file that matches)\n(Not shown: 1 matching line of more than 32 MB)",
    )


def test_names_that_cannot_be_shown_are_escaped_and_exact_in_the_data(use, root, way):
    with open(os.fsencode(root) + b"/\xff\nx", "wb") as file:
        file.write(b"x\n")

    result = use("Grep", pattern="x", output_mode="content")

    assert (result.data["matches"][0]["path"], told(result)) == ("\udcff\nx", "\\xff\\nx:1:x")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"pattern": ""}, "P603"),
        ({"pattern": "a\nb"}, "P636"),
        ({"pattern": "a\0b"}, "P603"),
        ({"pattern": "\ud800"}, "P603"),
        ({"pattern": "x", "glob": "a{b"}, "P632"),
        ({"pattern": "x", "type": "nosuch"}, "P635"),
        ({"pattern": "x", "path": "missing"}, "P302"),
        ({"pattern": "x", "path": "/etc/passwd"}, "P301"),
        ({"pattern": "x", "path": "out"}, "P307"),
        ({"pattern": "x", "path": "fifo"}, "P306"),
        ({"pattern": "x", "output_mode": "lines"}, "P603"),
        ({"pattern": "x", "before": -1}, "P603"),
        ({}, "P606"),
    ],
)
def test_what_cannot_be_searched_is_refused(use, root, tmp_path, way, fields, code):
    (root / "out").symlink_to(tmp_path)
    os.mkfifo(root / "fifo")

    result = use("Grep", **fields)

    assert ([error["code"] for error in result.errors], of_tool("Grep", result)) == ([code], 2)


@pytest.mark.skipif(RG is None, reason="no ripgrep here")
def test_an_expression_that_cannot_be_read_is_refused(use):
    assert use("Grep", pattern="(a", regex=True).errors[0]["code"] == "P633"


@pytest.mark.parametrize(("files", "errors", "status"), [(1, [], 0), (0, [], 1), (0, [{"code": "P633"}], 2)])
def test_the_exit_status_says_found_none_or_error(files, errors, status):
    result = Result("success", {"files": files} if not errors else {}, "")
    result.errors = errors

    assert of_tool("Grep", result) == status


# -- where else it may look ----------------------------------------------------------------------


def test_outputs_that_were_kept_may_be_searched(plant, use, root, way):
    from patchkit.core.workspace.root import Workspace
    from patchkit.history.outputs import keep

    with Workspace(str(root)) as files:
        kept = keep(files, "call_1")
    os.write(kept.fd, b"one\nneedle\n")
    os.close(kept.fd)

    for path in (kept.path, os.path.dirname(kept.path), "/large_tool_results/", "/large_tool_results/call_1"):
        result = use("Grep", pattern="needle", path=path, output_mode="content")
        assert result.data["matches"] == [{"path": kept.path, "line": 2, "text": "needle"}]


def test_what_rules_forbid_to_read_is_not_found(plant, root, way):
    plant({"a.py": "x\n", "secret/b.py": "x\n"})
    (root / ".patchkit.toml").write_text('[permissions]\nread = { "secret/**" = "deny" }\n')
    result = call("Grep", {"pattern": "x", "output_mode": "content"}, Caller(str(root)))

    assert result.data.get("matches") == [{"path": "a.py", "line": 1, "text": "x"}]
