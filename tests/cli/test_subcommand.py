"""Command lines, read: what a command gets for each flag and each word, and how a mistake is answered."""

from __future__ import annotations

import pytest

from patchkit.cli import tool_command as module
from patchkit.cli.commands import command_named
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.flags import AS_AGENT, DIALECT, ROOT, Flag, argument
from patchkit.cli.overview import summaries
from patchkit.cli.subcommand import BEHIND, Subcommand
from patchkit.policy.settings_files import is_agent
from patchkit.tools.registry import named

COMMAND = Subcommand(
    "make",
    "Make something.",
    lambda **_given: None,
    (argument("thing", "THING", required=True), argument("others", "[OTHER]...", many=True)),
    (
        Flag("-q --quiet", "quiet", "say nothing"),
        Flag("-n --number", "number", "how many", value="N", least=1),
        Flag("--ratio", "ratio", "how much", value="R", kind="NUMBER", default=0.5),
        Flag("--port", "port", "where", value="N", most=9),
        Flag("--name", "names", "which", value="NAME", many=True),
        Flag("--on --off", "is_on", "whether", off="--off"),
        Flag("--fix", "fix", "repair", value="HOW", choices=("some", "all"), alone="some"),
        ROOT,
        DIALECT,
        AS_AGENT,
    ),
)
UNSAID = {
    "quiet": False,
    "number": None,
    "ratio": 0.5,
    "port": None,
    "names": (),
    "is_on": None,
    "fix": None,
    "root": None,
    "dialect": None,
    "agent": False,
    "thing": "x",
    "others": (),
}


@pytest.fixture(autouse=True)
def no_variables(monkeypatch):
    for name in ("PATCHKIT_ROOT", "PATCHKIT_DIALECT", "PATCHKIT_AGENT"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("x", {}),
        ("x y -q z", {"quiet": True, "others": ("y", "z")}),
        ("-qn5 x", {"quiet": True, "number": 5}),
        ("-n 5 --number=6 x", {"number": 6}),
        ("--ratio 2 x", {"ratio": 2}),
        ("--ratio .25 x", {"ratio": 0.25}),
        ("x --name a --name=b", {"names": ("a", "b")}),
        ("--on x --off", {"is_on": False}),
        ("--fix x", {"fix": "some"}),
        ("--fix=all x", {"fix": "all"}),
        ("x -- -q --on", {"others": ("-q", "--on")}),
        ("x - --root --quiet", {"others": ("-",), "root": "--quiet"}),
    ],
)
def test_flags_and_words_are_read_in_any_order(words, given):
    assert COMMAND.read(words.split()) == {**UNSAID, **given}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("", "THING is missing"),
        ("x --nosuch", "unknown option '--nosuch'; 'patchkit make --help' lists them"),
        ("x --quite", "unknown option '--quite' (did you mean '--quiet'?); 'patchkit make --help' lists them"),
        ("x -qx", "unknown option '-x'; 'patchkit make --help' lists them"),
        ("x --quiet=1", "option '--quiet' takes no value: '--quiet=1'"),
        ("x -n", "option '-n' needs a value"),
        ("x -n many", "option '-n' needs a number, not 'many'"),
        ("x -n 0", "option '-n' needs a number of at least 1, not '0'"),
        ("x --port 10", "option '--port' needs a number from 0 to 9, not '10'"),
        ("x --ratio -1", "option '--ratio' needs a number, not '-1'"),
        ("x --ratio nan", "option '--ratio' needs a number of at least 0, not 'nan'"),
        ("x --fix=none", "option '--fix' cannot be 'none'; use one of: some, all"),
    ],
)
def test_a_mistake_is_named(words, complaint):
    with pytest.raises(CommandLineError) as raised:
        COMMAND.read(words.split())

    assert str(raised.value) == complaint


def test_a_word_too_many_and_a_flag_that_is_missing_are_named():
    command = Subcommand("x", "X.", print, flags=(Flag("-o --out", "out", "where", value="F", required=True),))

    for words, complaint in ((["-o", "a", "b"], "there is one word too many: 'b'"), ([], "option '--out' is missing")):
        with pytest.raises(CommandLineError) as raised:
            command.read(words)
        assert str(raised.value) == complaint
    assert command.read(["--help"]) is None


def test_a_command_may_know_which_words_are_behind_the_dashes():
    words = (argument("words", "[WORD]...", many=True), argument(BEHIND, "[-- PATH]...", many=True))

    assert Subcommand("x", "X.", print, words).read(["a", "--", "b", "--c"]) == {
        "words": ("a",),
        "behind": ("b", "--c"),
    }


def test_environment_variables_count_where_a_flag_is_not_given(monkeypatch):
    monkeypatch.setenv("PATCHKIT_ROOT", "/somewhere")
    monkeypatch.setenv("PATCHKIT_DIALECT", "codex")
    said = {**UNSAID, "root": "/somewhere", "dialect": "codex"}

    assert COMMAND.read(["x"]) == said
    assert COMMAND.read(["x", "--dialect", "safe", "--root", "."]) == {**said, "dialect": "safe", "root": "."}
    monkeypatch.setenv("PATCHKIT_DIALECT", "other")
    with pytest.raises(
        CommandLineError, match="variable 'PATCHKIT_DIALECT' cannot be 'other'; use one of: safe, codex"
    ):
        COMMAND.read(["x"])


@pytest.mark.parametrize("value", ["", "0", "1", "yes"])
def test_the_variable_of_agents_means_the_same_everywhere(monkeypatch, value):
    monkeypatch.setenv("PATCHKIT_AGENT", value)
    given = COMMAND.read(["x"])

    assert given is not None
    assert given["agent"] == is_agent()


@pytest.mark.parametrize("name", list(summaries()))
def test_a_command_has_no_two_flags_of_one_name_or_field(name):
    found = command_named(name)
    if found is None:
        pytest.skip("it has a table in `flags`, which is tested there")
    names = [each for flag in found.flags for each in flag.names]
    fields = [flag.field for flag in (*found.flags, *found.words)]

    assert (len(names), len(fields)) == (len(set(names)), len(set(fields)))


# -- tools ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "words", "arguments"),
    [
        ("glob", "**/*.py", {"pattern": "**/*.py"}),
        (
            "glob",
            "**/*.py src --limit 0 --timeout=0.5 --hidden --root /",
            {"pattern": "**/*.py", "path": "src", "limit": 0, "timeout": 0.5, "include_hidden": True},
        ),
        (
            "grep",
            "x a b -A3 -C 1 -i --mode count --start d --json",
            {
                "pattern": "x",
                "paths": ["a", "b"],
                "after": 3,
                "context": 1,
                "ignore_case": True,
                "output_mode": "count",
            },
        ),
        ("grep", "-- --x", {"pattern": "--x"}),
        ("ls", "", {}),
        ("ls", "src --ignore *.log --ignore *.tmp", {"path": "src", "ignore": ["*.log", "*.tmp"]}),
        ("read", "a.py --offset -5 --as-agent", {"file_path": "a.py", "offset": -5}),
        ("edit", "a.py --old x --new=", {"file_path": "a.py", "old_string": "x", "new_string": ""}),
        (
            "multi-edit",
            'a.py --edits=[{"old_string":"x"}]',
            {"file_path": "a.py", "edits": [{"old_string": "x"}]},
        ),
    ],
)
def test_the_words_of_a_tool_are_the_arguments_of_its_call(monkeypatch, command, words, arguments):
    calls = []

    def answered(tool, given, caller, as_json):
        calls.append((tool.command, given(), caller.root, caller.start, caller.agent, caller.by_hand, as_json))

    monkeypatch.setattr(module, "answer", answered)
    module.tool_command(named(command)).answer(words.split())

    root, start = "/" if "--root" in words else None, "d" if "--start" in words else None
    assert calls == [(command, arguments, root, start, "--as-agent" in words, True, "--json" in words)]
