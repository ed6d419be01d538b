"""Command lines, read: by the quick reader, by click, and that both read the same."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.cli import CommandLineError, apply_patch, options, tools
from patchkit.cli.commands.check import CHECK
from patchkit.cli.commands.exec import EXEC
from patchkit.cli.commands.hook import HOOK
from patchkit.cli.commands.intercept import INTERCEPT
from patchkit.cli.commands.mcp import MCP
from patchkit.cli.group import command_named, summaries
from patchkit.cli.main import HOT
from patchkit.cli.parameters import command, command_of
from patchkit.cli.parameters import options as with_options
from patchkit.cli.quick import AS_AGENT, BEHIND, ROOT, Flag, QuickCommand
from patchkit.core.changes import DIALECTS, OPTIONS
from patchkit.core.matching import NAMES
from patchkit.policy import is_agent
from patchkit.tools.registry import TOOLS, named

TOOL_COMMANDS = [tool for tool in TOOLS if HOT.get(tool.command) == "patchkit.cli.tools"]
DECLARED = [
    *(apply_patch.declared(by_name) for by_name in (False, True)),
    *(CHECK, EXEC, HOOK, INTERCEPT, MCP),
    *(tools.declared(tool) for tool in TOOL_COMMANDS),
]
MAKE = QuickCommand(
    "log",
    "Make something.",
    lambda _given: 0,
    (Flag("", value="THING", required=True, field="thing"), Flag("", value="[OTHER]...", many=True, field="others")),
    (
        Flag("-q --quiet", "say nothing"),
        Flag("-n --number", "how many", value="N", least=1),
        Flag("--ratio", "how much", value="R", kind="NUMBER"),
        Flag("--name", "which", value="NAME", many=True, field="names"),
        Flag("--fix", "repair", value="HOW", choices=("some", "all"), alone="some"),
        *(ROOT, options.DIALECT, AS_AGENT),
    ),
)
DIVIDED = QuickCommand(
    "run", "Run.", lambda _given: 0, (Flag("", many=True, field="words"), Flag("", many=True, field=BEHIND))
)


@pytest.fixture(autouse=True)
def no_variables(monkeypatch):
    for name in ("PATCHKIT_ROOT", "PATCHKIT_DIALECT", "PATCHKIT_AGENT"):
        monkeypatch.delenv(name, raising=False)


def read_quickly(declared: QuickCommand, words: list[str]):
    """What the quick reader reads; that of a tool looks at the schema alone."""
    tool = next((tool for tool in TOOL_COMMANDS if tool.command == declared.name), None)
    if tool is None:
        return declared.read(words)
    return tools.given_by(words, tool.schema(extended=True), tool.declaration.command_line)


def read_by_click(declared: QuickCommand, words: list[str]):
    """What click reads; the usage error's message where that is one."""
    seen = []
    other = QuickCommand(
        declared.name, declared.about, lambda given: seen.append(given) or 0, declared.words, declared.rows
    )
    try:
        command_of(other).main(list(words), prog_name="it", standalone_mode=False)
    except click.UsageError as error:
        return error.format_message()
    return seen[0] if seen else "help"


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["x"], {"thing": "x"}),
        (["x", "y", "-q", "z"], {"quiet": True, "thing": "x", "others": ("y", "z")}),
        (["-n", "5", "--number=6", "x"], {"number": 6, "thing": "x"}),
        (["--ratio", "2", "x"], {"ratio": 2, "thing": "x"}),
        (["--ratio", ".25", "x"], {"ratio": 0.25, "thing": "x"}),
        (["x", "--name", "a", "--name=b"], {"names": ("a", "b"), "thing": "x"}),
        (["--fix", "x"], {"fix": "some", "thing": "x"}),
        (["--fix=all", "x"], {"fix": "all", "thing": "x"}),
        (["x", "--", "-q", "--fix"], {"thing": "x", "others": ("-q", "--fix")}),
        (["-", "--root", "-x"], {"thing": "-", "root": "-x"}),
        (["--name=", ""], {"names": ("",), "thing": ""}),
        (["-x\n--level"], {"thing": "-x\n--level"}),
        (["--name", "-a\nb", "--name=-c\nd", "x"], {"names": ("-a\nb", "-c\nd"), "thing": "x"}),
    ],
)
def test_both_read_a_line_that_is_plainly_right(words, values):
    assert (MAKE.read(words), read_by_click(MAKE, words)) == (values, values)


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["-qn5", "x"], {"quiet": True, "number": 5, "thing": "x"}),
        (["-n5", "x"], {"number": 5, "thing": "x"}),
        (["x", "--root", "--quiet"], {"root": "--quiet", "thing": "x"}),
        (["x", "-h"], "help"),
        (["x", "--help"], "help"),
        ([], "Missing argument 'THING'."),
        (["x", "--nosuch"], "No such option '--nosuch'."),
        (["x", "--quiet=1"], "Option '--quiet' does not take a value."),
        (["x", "-n"], "Option '-n' requires an argument."),
        (["x", "-n", "many"], "Invalid value for '-n' / '--number': 'many' is not a whole number of at least 1"),
        (["x", "-n", "0"], "Invalid value for '-n' / '--number': '0' is not a whole number of at least 1"),
        (["x", "--ratio", "nan"], "Invalid value for '--ratio': 'nan' is not a number of at least 0"),
        (["x", "--fix=none"], "Invalid value for '--fix': 'none' is not one of 'some', 'all'."),
    ],
)
def test_what_is_not_plainly_right_is_left_to_click(words, values):
    assert (MAKE.read(words), read_by_click(MAKE, words)) == (None, values)


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["--", "b", "--c"], {"behind": ("b", "--c")}),
        (["--"], {"behind": ()}),
        ([], {}),
    ],
)
def test_a_command_may_know_which_words_are_behind_the_dashes(words, values):
    assert (DIVIDED.read(words), read_by_click(DIVIDED, words)) == (values, values)


def test_words_before_the_dashes_are_left_to_click():
    words = ["a", "-x", "--", "b"]

    assert (DIVIDED.read(words), read_by_click(DIVIDED, words)) == (None, {"words": ("a", "-x"), "behind": ("b",)})


def lines(declared: QuickCommand):
    """Lines that are mostly right: options of the command with values they take, words, and some of neither."""
    texts = st.sampled_from(["a", "", "-", "--", "-x", "a b", "-1", "two\nlines", "-two\nlines", "--x=1", "x=y", "é"])
    pieces = [texts.map(lambda word: [word])]
    for row in declared.rows:
        values = st.sampled_from(row.choices) if row.choices else texts
        values = st.sampled_from(["0", "7", "12", "1.5", "-3"]) if row.kind in ("N", "NUMBER") else values
        names = st.sampled_from(row.names)
        pieces.append(names.map(lambda name: [name]))
        if row.value:
            pieces.append(st.tuples(names, values).map(list))
            pieces.append(st.tuples(names, values).map(lambda pair: ["=".join(pair)]))
    needed = [word for row in declared.rows if row.required for word in (row.names[0], "1")]
    needed += ["word" for row in declared.words if row.required]
    found = st.lists(st.one_of(pieces), max_size=4)
    return found.map(lambda pieces: [*needed, *(word for piece in pieces for word in piece)])


@pytest.mark.parametrize("declared", DECLARED, ids=lambda declared: declared.name)
def test_where_the_quick_reader_answers_click_reads_the_same(declared):
    answered = 0

    @examples(300)
    @given(lines(declared))
    def holds(words):
        nonlocal answered
        values = read_quickly(declared, words)
        if values is not None:
            answered += 1
            assert values == read_by_click(declared, words)

    holds()

    assert answered > 10


def test_environment_variables_count_where_an_option_is_not_given(monkeypatch):
    assert MAKE.filled({"thing": "x"}) == {
        "thing": "x",
        "quiet": False,
        "number": None,
        "ratio": None,
        "names": (),
        "fix": None,
        "root": None,
        "dialect": None,
        "agent": False,
        "others": (),
    }
    monkeypatch.setenv("PATCHKIT_ROOT", "/somewhere")
    monkeypatch.setenv("PATCHKIT_DIALECT", "codex")

    assert MAKE.filled({"root": "."}).items() >= {"root": ".", "dialect": "codex"}.items()
    monkeypatch.setenv("PATCHKIT_DIALECT", "other")
    with pytest.raises(
        CommandLineError, match="variable 'PATCHKIT_DIALECT' cannot be 'other'; use one of: safe, codex"
    ):
        MAKE.filled({})


def test_a_variable_counts_for_commands_of_click_as_well(monkeypatch):
    seen = []

    @command("it")
    @with_options(ROOT, options.DIALECT, AS_AGENT)
    def it(**values):
        seen.append(values)

    def read(*words):
        it.main(list(words), prog_name="it", standalone_mode=False)
        return seen.pop()

    assert read() == {"root": None, "dialect": None, "agent": False}
    monkeypatch.setenv("PATCHKIT_ROOT", "/somewhere")
    monkeypatch.setenv("PATCHKIT_AGENT", "1")
    assert read("--dialect", "safe") == {"root": "/somewhere", "dialect": "safe", "agent": True}
    assert read("--root", ".")["root"] == "."
    monkeypatch.setenv("PATCHKIT_DIALECT", "other")
    with pytest.raises(click.UsageError, match="variable 'PATCHKIT_DIALECT' cannot be 'other'"):
        read()


@pytest.mark.parametrize("value", ["", "0", "1", "yes"])
def test_the_variable_of_agents_means_the_same_everywhere(monkeypatch, value):
    monkeypatch.setenv("PATCHKIT_AGENT", value)

    assert AS_AGENT.unsaid() == is_agent()


# -- the tables ------------------------------------------------------------------------------------


def test_a_command_has_no_two_options_of_one_name_or_field():
    twice = []
    for name in summaries():
        params = command_named(name).params
        names = [each for param in params for each in (*param.opts, *param.secondary_opts)]
        fields = [param.name for param in params]
        twice += [(name, each) for each in {*names, *fields} if names.count(each) > 1 or fields.count(each) > 1]

    assert twice == []


def test_the_choices_are_those_of_the_packages_that_define_them():
    assert (tuple(NAMES), tuple(DIALECTS)) == (options.PASS_NAMES, options.DIALECT_NAMES)


def test_the_limit_in_the_help_is_the_limit_of_a_run_without_arguments():
    assert apply_patch.MOST_PATCH_BYTES == options.MOST_PATCH_BYTES


def test_every_option_of_apply_patch_sets_something_that_is_there():
    """A row whose field does not exist would be in the help, and do nothing."""
    known = {*OPTIONS, *dir(apply_patch.ApplyArguments), *apply_patch.ApplyArguments.__annotations__, "no_history"}

    assert sorted({row.field for row in (*options.APPLY, options.TOGETHER)} - known) == []


def test_every_option_about_planning_is_a_field_of_the_record():
    assert [row.field for row in options.PLANNING if row.field not in OPTIONS] == []


# -- tools ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words", "arguments"),
    [
        ("glob", "**/*.py", {"pattern": "**/*.py"}),
        (
            "glob",
            "**/*.py src --limit 0 --timeout=0.5 --hidden --root /",
            {"pattern": "**/*.py", "path": "src", "limit": 0, "timeout": 0.5, "include_hidden": True},
        ),
        (
            "grep",
            "x a b -A 3 -C 1 -i --mode count --start d --json",
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
        ("multi-edit", 'a.py --edits=[{"old_string":"x"}]', {"file_path": "a.py", "edits": [{"old_string": "x"}]}),
    ],
)
def test_the_words_of_a_tool_are_the_arguments_of_its_call(monkeypatch, name, words, arguments):
    calls = []

    def answered(tool, given, caller, as_json):
        calls.append((tool.command, given(), caller.root, caller.start, caller.agent, caller.by_hand, as_json))
        return 0

    monkeypatch.setattr(tools, "answer", answered)
    tools.quick([name, *words.split()])
    command_of(tools.declared(named(name))).main(words.split(), prog_name="it", standalone_mode=False)

    root, start = "/" if "--root" in words else None, "d" if "--start" in words else None
    assert calls == [(name, arguments, root, start, "--as-agent" in words, True, "--json" in words)] * 2


# -- what is loaded --------------------------------------------------------------------------------

TOOL_MODULES = "main quick statuses tools"


@pytest.mark.parametrize(
    ("call", "words", "modules"),
    [
        ("apply_patch", [], "apply_patch"),
        ("apply_patch", ["-q", "--root", "."], "apply_patch options quick"),
        ("main", ["apply", "p.patch"], "apply_patch inputs main options quick"),
        ("main", ["check", "p.patch"], "commands commands.check inputs main options quick statuses"),
        ("main", ["read", "a.txt"], TOOL_MODULES),
        ("main", ["edit", "a.txt", "--old", "x", "--new", "y", "--force"], TOOL_MODULES),
        ("main", ["grep", "x"], TOOL_MODULES),
        ("main", ["hook"], "commands commands.hook main quick"),
        ("main", ["intercept", "--script", "p.patch"], "commands commands.intercept main quick statuses"),
    ],
)
def test_a_hot_command_loads_little_of_the_command_line_and_no_click(tree, call, words, modules):
    (tree / "p.patch").write_text("*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n")
    code = (
        "import os, sys; os._exit = lambda status: (print(*sorted(n for n in sys.modules if"
        " n.startswith(('patchkit.cli.', 'click'))), file=sys.stderr), sys.exit(0));"
        f"from patchkit.cli.{call} import main; main()"
    )
    with open(tree / "p.patch") as patch:
        done = subprocess.run(
            [sys.executable, "-c", code, *words], cwd=tree, stdin=patch, capture_output=True, text=True, env=os.environ
        )

    assert done.stderr.splitlines()[-1].replace("patchkit.cli.", "") == modules


@pytest.mark.parametrize(
    ("call", "words", "status"), [("apply_patch", [], 1), ("main", ["check"], 1), ("main", ["check", "good.patch"], 0)]
)
def test_neither_a_refusal_nor_a_check_loads_regular_expressions_json_or_difflib(tree, call, words, status):
    (tree / "good.patch").write_text("*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n")
    (tree / "p.patch").write_text("*** Begin Patch\n*** Update File: a.txt\n@@\n-xy\n+z\n*** End Patch\n")
    code = (
        "import os, sys; os._exit = lambda status: (print(status, *sorted({'re', 'json', 'difflib', 'click'} &"
        f" set(sys.modules)), file=sys.stderr), sys.exit(0)); from patchkit.cli.{call} import main; main()"
    )
    with open(tree / "p.patch") as patch:
        done = subprocess.run(
            [sys.executable, "-c", code, *words], cwd=tree, stdin=patch, capture_output=True, text=True, env=os.environ
        )

    assert done.stderr.splitlines()[-1] == str(status)
