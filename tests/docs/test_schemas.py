"""docs/schemas: every schema is one, and every result that tools really give is valid under it."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from doc_examples import DOCS
from referencing import Registry, Resource

from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import TOOLS

FOLDER = DOCS / "schemas"
SCHEMAS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
ARGUMENTS = FOLDER / "arguments"
REGISTRY = Registry().with_resources([(schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()])
UPDATE = os.environ.get("PATCHKIT_UPDATE_DOCS") == "1"
FIXTURES = DOCS.parent / "fixtures" / "diagnostics" / "expected"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-{}\n+x = 2\n*** Delete File: b.txt\n*** End Patch\n"
# Calls that succeed and calls that fail, for every tool.
CALLS = [
    ("read", {"file_path": "a.py"}),
    ("read", {"file_path": "a.p"}),
    ("write", {"file_path": "new.py", "content": "x\n"}),
    ("write", {"file_path": "../x", "content": ""}),
    ("edit", {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 3"}),
    ("edit", {"file_path": "a.py", "old_string": "nowhere", "new_string": ""}),
    ("multi-edit", {"file_path": "a.py", "edits": [{"old_string": "x", "new_string": "y"}]}),
    ("multi-edit", {"file_path": "a.py", "edits": []}),
    ("notebook-edit", {"notebook_path": "n.ipynb", "cell_number": 1, "new_source": "y"}),
    ("notebook-edit", {"notebook_path": "n.ipynb", "cell_number": 9, "new_source": "y"}),
    ("insert", {"file_path": "a.py", "line": 1, "text": "y"}),
    ("insert", {"file_path": "a.py", "line": 9, "text": "y"}),
    ("delete", {"file_path": "b.txt"}),
    ("delete", {"file_path": "gone"}),
    ("move", {"file_path": "b.txt", "new_path": "c.txt"}),
    ("move", {"file_path": "b.txt", "new_path": "a.py"}),
    ("ls", {}),
    ("ls", {"path": "nope"}),
    ("glob", {"pattern": "*.py"}),
    ("glob", {}),
    ("grep", {"pattern": "x"}),
    ("grep", {"pattern": "nowhere", "path": "nope"}),
    ("exec", {"command": "echo hello; exit 3"}),
    ("exec", {"command": ""}),
    ("apply", {"input": PATCH.format("x = 1")}),
    ("apply", {"input": PATCH.format("y = 1"), "check": True}),
    ("apply", {}),
    ("undo", {}),
    ("undo", {"id": "none"}),
    ("check", {"input": PATCH.format("x = 1")}),
    ("check", {"input": PATCH.format("y = 1")}),
    ("check", {"input": "nonsense\n"}),
    ("check", {}),
]


def validate(value: object, name: str) -> None:
    jsonschema.Draft202012Validator(SCHEMAS[name], registry=REGISTRY).validate(value)


def schema_of(command: str) -> str:
    return "apply_patch.json" if command == "apply" else f"{command}.json"


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.txt").write_text("b\n")
    (tmp_path / "n.ipynb").write_text('{"cells": [{"cell_type": "raw", "source": "x"}]}')
    return tmp_path


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_a_schema_and_is_called_after_its_file(name):
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])

    assert SCHEMAS[name]["$id"] == name


def test_every_tool_has_a_schema_of_its_result_and_of_its_arguments():
    assert [tool.command for tool in TOOLS if schema_of(tool.command) not in SCHEMAS] == []
    assert sorted(path.stem for path in ARGUMENTS.iterdir()) == sorted(tool.command for tool in TOOLS)


def test_the_page_names_every_schema():
    page = (FOLDER / "README.md").read_text(encoding="utf-8")

    assert [name for name in SCHEMAS if f"({name})" not in page] == []


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.command)
def test_the_arguments_of_a_tool_are_those_it_is_published_with(tool):
    path = ARGUMENTS / f"{tool.command}.json"
    published = json.dumps(tool.schema(extended=True), indent=2, ensure_ascii=False) + "\n"
    if UPDATE:
        path.write_text(published, encoding="utf-8")

    jsonschema.Draft202012Validator.check_schema(json.loads(published))
    assert path.read_text(encoding="utf-8") == published


@pytest.mark.parametrize(("command", "given"), CALLS, ids=lambda each: each if isinstance(each, str) else "")
def test_what_a_tool_answers_is_valid(tree, command, given):
    if command == "undo":
        call("write", {"file_path": "new.py", "content": ""}, Caller(str(tree)))
    if command in ("edit", "multi-edit", "notebook-edit"):
        for name in ("a.py", "n.ipynb"):
            call("read", {"file_path": name}, Caller(str(tree)))
    envelope = json.loads(json.dumps(call(command, given, Caller(str(tree))).envelope()))

    validate(envelope, "result.json")
    validate(envelope, schema_of(command))


def test_what_the_history_commands_answer_is_valid(tree):
    call("apply", {"input": PATCH.format("x = 1")}, Caller(str(tree)))
    steps = [("log", "log.json"), ("undo", "undo.json"), ("redo", "undo.json"), ("recover", "recover.json")]
    for command, name in [*steps, ("redo", "undo.json")]:
        words = [sys.executable, "-c", "from patchkit.cli.main import main; main()", command, "--json"]
        done = subprocess.run(words, cwd=tree, env={**os.environ, "PYTHONPATH": str(DOCS.parent)}, capture_output=True)

        validate(json.loads(done.stdout), name)


def test_every_tool_is_called_with_and_without_success(tree):
    assert sorted({command for command, _given in CALLS}) == sorted(tool.command for tool in TOOLS)


@pytest.mark.parametrize("run", sorted(path.name for path in FIXTURES.iterdir()))
def test_the_golden_outputs_for_programs_are_valid(run):
    validate(json.loads((FIXTURES / run / "report.json").read_text(encoding="utf-8")), "check.json")
    for line in (FIXTURES / run / "report.jsonl").read_text(encoding="utf-8").splitlines():
        validate(json.loads(line), "check-line.json")


def _broken(envelope: dict, way: list[object], value: object) -> dict:
    """The envelope with another value at the end of a way through it."""
    changed = copy.deepcopy(envelope)
    place = changed
    for step in way[:-1]:
        place = place[step]
    place[way[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("way", "value"),
    [
        (["status"], "fine"),
        (["error"], None),
        (["errors", 0, "code"], "X101"),
        (["errors", 0, "kind"], "ODD"),
        (["data", "patches", 0, "status"], "maybe"),
        (["data", "patches", 0, "more"], 1),
        (["data", "patches", 13, "files", 0, "op"], "rename"),
        (["data", "patches", 13, "files", 0, "hunks", 0, "status"], "fits"),
        (["data", "checked"], "many"),
        (["notes", 0, "code"], "P101"),
    ],
)
def test_a_result_that_is_wrong_somewhere_is_not_valid(way, value):
    envelope = json.loads(Path(FIXTURES / "everything" / "report.json").read_text(encoding="utf-8"))
    validate(envelope, "check.json")

    with pytest.raises(jsonschema.ValidationError):
        validate(_broken(envelope, way, value), "check.json")
