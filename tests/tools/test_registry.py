"""The declarations of the tools: each once, complete, in their own wording and in that of the first specification."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest
from strategies import outcome

from patchkit.policy import EXECUTE, READ, WRITE
from patchkit.tools.arguments import KEYWORDS
from patchkit.tools.registry import TOOLS, FieldSpelling, named
from patchkit.tools.wording import WORDINGS, published

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "tools"
VERBATIM = {"Read": "read", "Edit": "edit", "MultiEdit": "multi_edit"}
BUILT = [tool for tool in TOOLS if find_spec(tool.module) is not None]


def by_name(tool):
    return tool.name


# -- the table -----------------------------------------------------------------------------------


def test_the_published_names_and_their_effects_are_these():
    assert {tool.name: (tool.command, tool.effect) for tool in TOOLS} == {
        "Read": ("read", READ),
        "Write": ("write", WRITE),
        "Edit": ("edit", WRITE),
        "MultiEdit": ("multi-edit", WRITE),
        "NotebookEdit": ("notebook-edit", WRITE),
        "Insert": ("insert", WRITE),
        "Delete": ("delete", WRITE),
        "Move": ("move", WRITE),
        "LS": ("ls", READ),
        "Glob": ("glob", READ),
        "Grep": ("grep", READ),
        "Bash": ("exec", EXECUTE),
        "apply_patch": ("apply", WRITE),
        "Undo": ("undo", WRITE),
        "check": ("check", READ),
    }


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        *[("read_file", "Read"), ("READ", "Read"), ("write_file", "Write"), ("edit_file", "Edit"), ("edit", "Edit")],
        *[("multi_edit", "MultiEdit"), ("multi-edit", "MultiEdit"), ("MultiEdit", "MultiEdit"), ("ls", "LS")],
        *[("glob", "Glob"), ("grep", "Grep"), ("bash", "Bash"), ("execute", "Bash"), ("shell", "Bash")],
        *[
            ("exec", "Bash"),
            ("replace", "Edit"),
            ("apply_patch", "apply_patch"),
            ("applypatch", "apply_patch"),
            ("apply", "apply_patch"),
        ],
    ],
)
def test_a_tool_is_found_by_every_spelling_of_its_name(spelled, name):
    assert named(spelled).name == name


def test_no_spelling_belongs_to_two_tools():
    spelled = [word for tool in TOOLS for word in {tool.name.lower(), tool.command, *tool.others}]

    assert len(spelled) == len(set(spelled))


def test_a_name_that_no_tool_has_is_refused_with_those_there_are():
    error = outcome(named, "format_disk")

    assert (error.code, error.message) == ("P602", "unknown tool 'format_disk'")
    assert error.hint == "use one of: " + ", ".join(tool.name for tool in TOOLS)


def test_every_tool_of_the_table_is_built():
    assert [tool.name for tool in TOOLS if tool not in BUILT] == []


def test_every_tool_is_a_command_with_its_summary():
    from patchkit.cli.group import summaries

    found = summaries()

    assert {tool.command: found.get(tool.command) for tool in TOOLS} == {tool.command: tool.summary for tool in TOOLS}


# -- the declarations ----------------------------------------------------------------------------


@pytest.mark.parametrize("tool", BUILT, ids=by_name)
def test_a_declaration_is_whole(tool):
    schema = tool.schema()

    assert tool.declaration.description.strip()
    assert callable(tool.declaration.run)
    assert isinstance(tool.declaration.command_line, FieldSpelling)
    assert set(tool.declaration.command_line.positional) <= set(tool.schema(extended=True)["properties"])
    assert {*tool.declaration.command_line.options, *tool.declaration.command_line.from_file} <= set(
        tool.schema(extended=True)["properties"]
    )
    assert schema["additionalProperties"] is False
    assert set(schema.get("required", [])) <= set(schema["properties"])


@pytest.mark.parametrize("tool", BUILT, ids=by_name)
def test_an_alias_leads_to_a_field_and_hides_none(tool):
    fields = set()

    def visit(schema):
        fields.update(schema.get("properties", {}))
        for each in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
            visit(each)

    visit(tool.schema(extended=True))

    assert set(tool.declaration.aliases.values()) <= fields
    assert not set(tool.declaration.aliases) & set(tool.schema(extended=True)["properties"])


@pytest.mark.parametrize("tool", BUILT, ids=by_name)
def test_a_schema_is_one_and_uses_only_what_calls_are_checked_against(tool):
    jsonschema.Draft202012Validator.check_schema(tool.schema(extended=True))

    def words(schema):
        yield from schema
        for each in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
            yield from words(each)

    assert sorted(set(words(tool.schema(extended=True))) - KEYWORDS) == []


@pytest.mark.parametrize("tool", BUILT, ids=by_name)
def test_the_extended_schema_adds_fields_and_takes_none_away(tool):
    published, extended = tool.schema(), tool.schema(extended=True)

    assert extended | {"properties": published["properties"]} == published
    assert list(extended["properties"])[: len(published["properties"])] == list(published["properties"])
    assert tool.schema() == published


@pytest.mark.parametrize("name", VERBATIM)
def test_the_extended_schema_leaves_verbatim_fields_as_they_are(name):
    published, extended = named(name).schema()["properties"], named(name).schema(extended=True)["properties"]

    assert {field: extended[field] for field in published} == published


# -- wordings ------------------------------------------------------------------------------------

UNTRUE = re.compile(r"[Tt]he absolute path|be an? absolute|use absolute|any file|on the machine|via the Bash tool")


@pytest.mark.parametrize(("name", "fixture"), VERBATIM.items())
def test_the_seed_wording_of_a_description_is_verbatim_to_the_byte(name, fixture):
    words = (FIXTURES / f"{fixture}.description.txt").read_bytes()

    assert published(named(name), wording="seed")[0].encode() == words


@pytest.mark.parametrize(("name", "fixture"), VERBATIM.items())
def test_the_seed_wording_of_a_schema_is_verbatim_to_the_byte_but_for_its_trailing_commas(name, fixture):
    text = (FIXTURES / f"{fixture}.schema.json").read_text(encoding="utf-8")
    without_commas = re.sub(r",(\s*[}\]])", r"\1", text)

    assert json.dumps(published(named(name), wording="seed")[1], indent=2, ensure_ascii=False) + "\n" == without_commas


def test_the_seed_wording_keeps_even_the_oddities():
    description, schema = published(named("Edit"), wording="seed")

    assert description.count("Performs exact string replacements in files.") == 2
    assert "Performs exact string replacements in files. \n" in description
    assert schema["properties"]["replace_all"]["description"] == "Replace all occurences of old_string (default false)"
    assert published(named("MultiEdit"), wording="seed")[1]["properties"]["edits"]["minItems"] == 1


@pytest.mark.parametrize("tool", BUILT, ids=by_name)
def test_all_wordings_have_the_same_fields_and_types(tool):
    def without_words(schema):
        if isinstance(schema, dict):
            return {name: without_words(value) for name, value in schema.items() if name != "description"}
        return schema

    seed, own, full = (published(tool, extended=True, wording=wording)[1] for wording in WORDINGS)

    assert without_words(own) == without_words(seed) == without_words(full)


@pytest.mark.parametrize("tool", BUILT, ids=by_name)
def test_the_full_wording_has_all_fields_and_promises_nothing_untrue(tool):
    description, schema = published(tool, wording="full")

    assert (description, schema) == (tool.declaration.description, tool.schema(extended=True))
    assert UNTRUE.findall(description + json.dumps(schema)) == []


def test_the_words_of_the_specification_are_the_default_and_the_environment_chooses_others(monkeypatch):
    assert published(named("Read")) == published(named("Read"), wording="seed")
    assert all(named(word).name in published(named("MultiEdit"))[0] for word in ("Read", "Edit", "NotebookEdit"))

    monkeypatch.setenv("PATCHKIT_WORDING", "own")

    assert published(named("Read"))[0] == named("Read").declaration.description


def test_a_wording_that_does_not_exist_is_refused(monkeypatch):
    monkeypatch.setenv("PATCHKIT_WORDING", "seeds")
    error = outcome(published, named("Read"))

    assert (error.code, error.hint) == ("P601", "use one of: seed, own, full")


def test_what_is_documented_beyond_the_verbatim_fields_is_this():
    changing = ["expected_mtime_ms", "expected_sha256", "force", "allow_placeholder", "encoding"]
    changing += ["format", "verify", "verify_timeout"]
    beyond = {name: list(named(name).declaration.extras) for name in ("Read", "Write", "Edit", "MultiEdit")}

    assert beyond == {
        "Read": ["pages", "long_lines", "part", "max_tokens", "plain", "encoding"],
        "Write": changing,
        "Edit": ["strict", *changing, "expected_replacements", "symbol", "mode"],
        "MultiEdit": ["strict", *changing],
    }


def test_writing_says_that_a_file_must_be_read_first():
    sentence = (
        "You must read the file before editing. "
        "This tool will error if you attempt an edit without reading the file first."
    )

    assert sentence in named("Write").declaration.description
