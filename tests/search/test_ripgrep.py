"""ripgrep: which program is used, what it is asked, and what its complaints mean."""

from __future__ import annotations

import sys

import pytest
from search_trees import RG
from strategies import outcome

from patchkit.core.workspace.root import Workspace
from patchkit.search import content
from patchkit.search.content import EventReader, programs, search
from patchkit.search.query import CONTENT, COUNT, FILES, TYPES, Query, Start
from patchkit.search.walk import SearchBudget


def found(root, query, budget=None, most=0):
    with Workspace(str(root)) as files:
        return search(files, [Start(())], query, budget or SearchBudget(), most)


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Puts a shell script in the place of ripgrep."""

    def make(script):
        path = tmp_path / "bin" / "rg"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("PATCHKIT_RG", str(path))
        return path

    return make


# -- which one -----------------------------------------------------------------------------------


def program(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_ripgrep_beside_this_python_comes_before_those_on_the_path(tmp_path, monkeypatch):
    own = program(tmp_path / "venv" / "bin" / "rg")
    other = program(tmp_path / "usr" / "rg")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "bin" / "python"))
    monkeypatch.setenv("PATH", f"{tmp_path}/usr:{tmp_path}/usr")

    assert programs() == [own, other]


def test_a_relative_entry_of_the_path_brings_no_program(tmp_path, monkeypatch):
    program(tmp_path / "rg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", "")
    monkeypatch.setenv("PATH", ".::bin")

    assert programs() == []


@pytest.mark.parametrize("named", ["", "no", "/nowhere/rg"])
def test_a_setting_that_names_none_turns_ripgrep_off(monkeypatch, named):
    monkeypatch.setenv("PATCHKIT_RG", named)

    assert programs() == []


# -- what is said about it -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "complaint", ["error: Found argument '--x' which wasn't expected", "rg: unrecognized flag --x"]
)
def test_a_ripgrep_that_is_too_old_is_not_used(tree, fake, complaint):
    path = fake(f'echo "{complaint}" >&2; exit 2')

    result = found(tree({"a": "x\n"}), Query("x"))

    assert ([hit.path for hit in result.hits], result.fallback) == (
        ["a"],
        f"'{path}' is older than version 13",
    )


def test_a_ripgrep_that_cannot_be_run_is_not_used(tree, fake):
    path = fake("")
    path.write_bytes(b"\x7fELF no program")

    result = found(tree({"a": "x\n"}), Query("x"))

    assert ([hit.path for hit in result.hits], result.fallback) == (
        ["a"],
        f"'{path}' ended with status 126",
    )


def test_a_ripgrep_that_is_killed_is_not_used(tree, fake):
    path = fake("kill -9 $$")

    assert found(tree({"a": "x\n"}), Query("x")).fallback == f"'{path}' ended with status -9"


@pytest.mark.parametrize(
    ("script", "mode", "why"),
    [
        ("exit 2", FILES, "ended with status 2 and without a message"),
        ("echo 'rg: something odd' >&2; exit 2", FILES, "complains about a plain text: something odd"),
        ("echo 'no name'", FILES, "found something and does not say where"),
        ("printf './a\\0'", COUNT, "found something and does not say where"),
        ("printf './a\\0many\\n'", COUNT, "does not count as ripgrep does"),
        ("yes | tr '\\n' '\\0'", FILES, "names files in more than 64 MB"),
    ],
)
def test_a_program_that_does_not_answer_as_ripgrep_does_is_not_used(tree, fake, script, mode, why):
    path = fake(script)

    result = found(tree({"a": "x\n"}), Query("x", mode))

    assert ([hit.path for hit in result.hits], result.fallback) == (["a"], f"'{path}' {why}")


@pytest.mark.parametrize(
    "event",
    [
        "not json",
        "null",
        "5",
        "[]",
        '{"type": 5}',
        '{"type": "match", "data": {}}',
        '{"type": "end", "data": null}',
        '{"type": "match", "data": {"path": {"text": "/etc/passwd"}, "lines": {"text": "x"}, "line_number": 1, '
        '"absolute_offset": 0, "submatches": []}}',
        '{"type": "match", "data": {"path": {"bytes": 5}, "lines": {"bytes": "="}, "submatches": []}}',
    ],
)
def test_output_that_is_not_ripgreps_is_reported_as_missing_lines(tree, fake, event):
    fake(f"case \"$*\" in *--json*) echo '{event}';; *) printf './a\\0';; esac")

    result = found(tree({"a": "x\n"}), Query("x", CONTENT))

    assert (result.lines, result.unreadable) == ([], [("a", "ripgrep does not write its lines as ripgrep does")])


def test_a_ripgrep_that_fails_at_the_lines_is_reported(tree, fake):
    fake("case \"$*\" in *--json*) kill -9 $$;; *) printf './a\\0';; esac")

    result = found(tree({"a": "x\n"}), Query("x", CONTENT))

    assert ([hit.path for hit in result.hits], result.lines, result.unreadable) == (
        ["a"],
        [],
        [("a", "ripgrep ended with status -9")],
    )


def test_what_it_cannot_read_is_named_and_what_is_gone_is_not(tree, fake):
    fake(
        "printf './a\\0'\n"
        "echo './d: Permission denied (os error 13)' >&2\n"
        "echo 'rg: ./e/f: Input/output error (os error 5)' >&2\n"
        "echo './gone: No such file or directory (os error 2)' >&2\n"
        "exit 2"
    )

    result = found(tree({"a": "x\n"}), Query("x"))

    assert ([hit.path for hit in result.hits], result.unreadable) == (
        ["a"],
        [("d", "permission denied"), ("e/f", "input/output error")],
    )


def test_a_name_that_ripgrep_invents_is_not_a_hit(tree, fake, tmp_path):
    (tmp_path / "secret").write_text("x\n")
    root = tree({"a": "x\n", "d/": ""})
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "up").symlink_to(tmp_path)
    fake("printf './a\\0./link\\0./up/secret\\0./d\\0./missing\\0'")

    assert [hit.path for hit in found(root, Query("x")).hits] == ["a"]


def test_an_answer_that_breaks_off_gives_what_is_whole(tree, fake):
    root = tree({"a": "x\n", "b": "x\n"})
    fake("printf './a\\0003\\n./b\\0004'; exec sleep 3600")

    for seconds in (0.5, 5, 50):  # more on a machine that is too busy to start a process in that time
        result = found(root, Query("x", COUNT), SearchBudget(seconds=seconds))
        if result.hits:
            break

    assert ([(hit.path, hit.count) for hit in result.hits], result.late) == ([("a", 3)], True)


@pytest.mark.parametrize(
    "script",
    [
        "sleep 3600",
        "while :; do printf './a\\0'; done",
        "trap '' TERM; exec sleep 3600",
        "exec sleep 3600",
        "exec >&- 2>&-; exec sleep 3600",
    ],
)
def test_a_ripgrep_that_does_not_end_is_ended(tree, fake, script):
    fake(script)
    result = found(tree({"a": "x\n"}), Query("x"), SearchBudget(seconds=0.3))

    assert result.late


@pytest.mark.skipif(RG is None, reason="no ripgrep here")
@pytest.mark.parametrize(
    ("pattern", "reason"),
    [("(a", "unclosed group"), ("[z-a]", "invalid character class range"), (r"a\nb", "not allowed in a regex")],
)
def test_an_expression_it_cannot_read_is_refused_in_its_words(tree, pattern, reason):
    query = Query(pattern)
    query.regex = True

    error = outcome(found, tree({"a": "x"}), query)

    assert (error.code, reason in error.message) == ("P633", True)


@pytest.mark.skipif(RG is None, reason="no ripgrep here")
def test_a_pattern_is_never_taken_for_an_option(tree):
    root = tree({"a": "--files\n", "b": "x\n"})

    assert [hit.path for hit in found(root, Query("--files")).hits] == ["a"]


@pytest.mark.skipif(RG is None, reason="no ripgrep here")
def test_settings_of_the_user_do_not_decide(tree, tmp_path, monkeypatch):
    (tmp_path / "config").write_text("--hidden\n--glob=!a\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "config"))

    assert [hit.path for hit in found(tree({"a": "x", ".h": "x"}), Query("x")).hits] == ["a"]


@pytest.mark.skipif(RG is None, reason="no ripgrep here")
def test_lines_are_asked_for_as_json_over_files_that_are_open(tree, tmp_path, monkeypatch):
    log = tmp_path / "log"
    script = tmp_path / "rg"
    script.write_text(f'#!/bin/sh\necho "$*" >> {log}\nexec {RG} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATCHKIT_RG", str(script))

    result = found(tree({"a": "x\n", "b": "y\n"}), Query("x", CONTENT), most=100)
    first, second = log.read_text().split("\n")[:-1]

    assert [(line.path, line.number, line.text) for line in result.lines] == [("a", 1, "x")]
    assert ("--files-with-matches" in first, "--follow" in first, first.endswith("-- ./")) == (True, False, True)
    assert ("--json" in second, "--max-count=101" in second, "/fd/" in second.split(" -- ")[1]) == (True, True, True)


def test_the_types_are_those_of_ripgrep(rg, tmp_path):
    listed = dict(line.split(": ") for line in rg(tmp_path, "--type-list")[0].split("\n") if line)
    known = {name: set(listed[name].split(", ")) for name in TYPES if name in listed}

    assert [name for name, names in known.items() if not names <= set(TYPES[name].split())] == []


# -- its JSON ------------------------------------------------------------------------------------

EVENT = (
    b'{"type":"match","data":{"path":{"text":"/p"},"lines":%s,"line_number":%d,"absolute_offset":%d,"submatches":[%s]}}'
)
END = b'{"type":"end","data":{"path":{"text":"/p"},"binary_offset":%s,"stats":{}}}'


def read_events(*events, cut=7):
    output = b"".join(event + b"\n" for event in events)
    reader = EventReader({"/p": "file"}, {})
    pieces = [output[at : at + cut] for at in range(0, len(output), cut)]
    return [(line.path, line.number, line.text) for line in reader.lines(pieces)], reader.left_out


@pytest.mark.parametrize("cut", [1, 7, 100, 10_000])
def test_events_are_read_however_they_come(cut):
    events = [
        EVENT % (b'{"text":"one\\n"}', 1, 0, b'{"start":0,"end":1}'),
        EVENT % (b'{"bytes":"/w=="}', 9, 5, b""),
        END % b"null",
    ]

    assert read_events(*events, cut=cut) == ([("file", 1, "one"), ("file", 9, "\ufffd")], 0)


def test_lines_behind_a_nul_are_dropped():
    events = [EVENT % (b'{"text":"a"}', 1, 0, b""), EVENT % (b'{"text":"b"}', 2, 50, b""), END % b"20"]

    assert read_events(*events) == ([("file", 1, "a")], 0)


def test_a_file_that_was_not_searched_to_its_end_gives_the_lines_found_so_far():
    assert read_events(EVENT % (b'{"text":"a"}', 1, 0, b"")) == ([("file", 1, "a")], 0)


def test_an_event_that_is_too_long_is_left_out_and_counted(monkeypatch):
    monkeypatch.setattr(content, "LONGEST_EVENT", 200)
    long = EVENT % (b'{"text":"' + b"x" * 500 + b'"}', 1, 0, b"")

    assert read_events(long, EVENT % (b'{"text":"a"}', 2, 600, b""), END % b"null") == ([("file", 2, "a")], 1)
