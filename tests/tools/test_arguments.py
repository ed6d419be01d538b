"""Arguments of calls: what a schema allows, told by field, value and what is allowed; and what is forgiven."""

from __future__ import annotations

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, outcome

from patchkit.errors import PatchkitError
from patchkit.tools.arguments import KEYWORDS, checked
from patchkit.tools.registry import Declaration, Tool

SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer", "minimum": 1, "maximum": 200},
        "least": {"type": "number", "minimum": 0},
        "most": {"type": "integer", "maximum": 9},
        "flag": {"type": "boolean", "default": False},
        "mode": {"type": "string", "enum": ["cut", "split"]},
        "names": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "either": {"type": ["string", "array"], "items": {"type": "string"}},
        "edits": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"old": {"type": "string"}, "all": {"type": "boolean"}},
                "required": ["old"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["text"],
    "additionalProperties": False,
}


class Sample(Tool):
    """A tool that is declared here and nowhere else."""

    def __init__(self, schema=SCHEMA, aliases=None):
        super().__init__("Sample", "sample", "read", "", "", "")
        self.declared = Declaration("", schema, None, aliases=aliases or {"path": "text", "old_text": "old"})

    @property
    def declaration(self):
        return self.declared


def refusal(given, **declared):
    error = outcome(lambda: checked(Sample(**declared), given, strict=True))
    assert isinstance(error, PatchkitError), error
    return error.code, error.message, error.hint


# -- what is taken -------------------------------------------------------------------------------


def test_arguments_that_fit_come_back_as_they_are():
    given = {"text": "a", "count": 200, "flag": True, "mode": "cut", "names": ["b"], "edits": [{"old": ""}]}

    assert checked(Sample(), given) == given


def test_a_number_that_is_whole_is_an_integer_however_json_writes_it():
    assert checked(Sample(), {"text": "", "count": 5.0, "least": 5.0}) == {"text": "", "count": 5, "least": 5}
    assert type(checked(Sample(), {"text": "", "count": 5.0})["count"]) is int


def test_a_number_may_have_a_fraction_where_the_schema_says_number():
    assert checked(Sample(), {"text": "", "least": 0.5}) == {"text": "", "least": 0.5}


def test_a_field_that_is_null_was_left_out():
    assert checked(Sample(), {"text": "a", "count": None, "flag": None}) == {"text": "a"}


@pytest.mark.parametrize("given", ["a", ["a", "b"]])
def test_a_field_of_two_types_takes_both(given):
    assert checked(Sample(), {"text": "", "either": given}) == {"text": "", "either": given}


def test_a_field_may_come_under_another_name_of_its_own_at_any_depth():
    given = {"path": "a", "edits": [{"old_text": "b"}, {"old": "c", "all": True}]}

    assert checked(Sample(), given) == {"text": "a", "edits": [{"old": "b"}, {"old": "c", "all": True}]}


def test_the_same_value_under_both_names_is_accepted():
    assert checked(Sample(), {"path": "a", "text": "a"}) == {"text": "a"}


# -- what is forgiven, with a note ---------------------------------------------------------------

EDIT = {
    "type": "object",
    "properties": {
        "file_path": {"type": "string"},
        "edits": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "old_string": {"type": "string"},
                    "new_string": {"type": "string"},
                    "replace_all": {"type": "boolean"},
                },
                "required": ["old_string", "new_string"],
                "additionalProperties": False,
            },
        },
        "limit": {"type": "integer", "maximum": 9},
        "plain": {"type": "boolean"},
    },
    "required": ["file_path"],
    "additionalProperties": False,
}
OURS = {"old_string": "a", "new_string": "b"}


def forgiven(given):
    notes = []
    taken = checked(Sample(EDIT, {"none": "none"}), given, notes)
    return taken, [(note.facts["lenience"], note.facts["field"]) for note in notes]


def test_one_text_is_taken_for_a_list_of_texts_unless_strict():
    notes = []

    assert checked(Sample(), {"text": "", "names": "make test"}, notes) == {"text": "", "names": ["make test"]}
    assert [(note.facts["lenience"], note.facts["field"]) for note in notes] == [("text", "names")]
    with pytest.raises(PatchkitError, match="P603"):
        checked(Sample(), {"text": "", "names": "make test"}, strict=True)


@pytest.mark.parametrize(
    ("given", "taken", "notes"),
    [
        ({"file_path": "a", "why": "x"}, {"file_path": "a"}, [("ignored", "why")]),
        ({"filePath": "a"}, {"file_path": "a"}, [("renamed", "filePath")]),
        ({"TargetFile": "a", "limit": "2"}, {"file_path": "a", "limit": 2}, None),
        ({"absolutePath": "a", "plain": "False"}, {"file_path": "a", "plain": False}, None),
        ({"path": "a", "edits": f"[{json.dumps(OURS)}]"}, {"file_path": "a", "edits": [OURS]}, None),
        ({"path": "a", "edits": [{"oldText": "a", "newText": "b"}] * 9}, {"file_path": "a", "edits": [OURS] * 9}, None),
        ({"replacements": [{"filePath": "a", **OURS}] * 2}, {"file_path": "a", "edits": [OURS, OURS]}, None),
        ({"path": "a", "edits": [{"TargetContent": "a", "ReplacementContent": "b", "AllowMultiple": "true"}]},
         {"file_path": "a", "edits": [{**OURS, "replace_all": True}]}, None),
        ({"path": "a", "dryRun": False}, {"file_path": "a"}, None),
    ],
)  # fmt: skip
def test_a_call_as_models_make_them_is_taken_with_notes(given, taken, notes):
    found, noted = forgiven(given)

    assert found == taken
    assert noted == (notes if notes is not None else noted)
    assert 0 < len(noted) < 6
    with pytest.raises(PatchkitError):
        checked(Sample(EDIT, {"none": "none"}), given, strict=True)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"path": "a", "limit": "ten"}, "P603"),
        ({"path": "a", "limit": "10"}, "P603"),
        ({"path": "a", "plain": "yes"}, "P603"),
        ({"path": "a", "edits": "[{"}, "P603"),
        ({"path": "a", "file_path": "b"}, "P604"),
        ({"file": "a", "filePath": "b"}, "P604"),
        ({"path": "a", "dryRun": True}, "P605"),
        ({"path": "a", "edits": [{"filePath": "b", **OURS}]}, "P605"),  # of another file
        ({"edits": [{"filePath": "a", **OURS}, {"filePath": "b", **OURS}]}, "P606"),
        ({"why": "x"}, "P606"),
    ],
)
def test_what_can_mean_two_things_is_refused_all_the_same(given, code):
    found = outcome(forgiven, given)

    assert found.code == code


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "code", "message", "hint"),
    [
        ({}, "P606", "'text' is missing", "add 'text' to the arguments: a string"),
        ({"text": None}, "P606", "'text' is missing", "add 'text' to the arguments: a string"),
        ({"text": 5}, "P603", "'text' cannot be 5", "give a string"),
        ({"text": True}, "P603", "'text' cannot be true", "give a string"),
        ({"text": ["a"]}, "P603", "'text' cannot be a list of 1", "give a string"),
        ({"text": {}}, "P603", "'text' cannot be an object of 0", "give a string"),
        ({"text": "", "count": "5"}, "P603", "'count' cannot be '5'", "give a whole number between 1 and 200"),
        ({"text": "", "count": 0}, "P603", "'count' cannot be 0", "give a whole number between 1 and 200"),
        ({"text": "", "count": 201}, "P603", "'count' cannot be 201", "give a whole number between 1 and 200"),
        ({"text": "", "count": 1.5}, "P603", "'count' cannot be 1.5", "give a whole number between 1 and 200"),
        ({"text": "", "count": True}, "P603", "'count' cannot be true", "give a whole number between 1 and 200"),
        ({"text": "", "least": -1}, "P603", "'least' cannot be -1", "give a number of at least 0"),
        ({"text": "", "least": float("nan")}, "P603", "'least' cannot be nan", "give a number of at least 0"),
        ({"text": "", "least": float("inf")}, "P603", "'least' cannot be inf", "give a number of at least 0"),
        ({"text": "", "most": 10}, "P603", "'most' cannot be 10", "give a whole number of at most 9"),
        ({"text": "", "flag": 1}, "P603", "'flag' cannot be 1", "give true or false"),
        ({"text": "", "mode": "fold"}, "P603", "'mode' cannot be 'fold'", "give one of 'cut', 'split'"),
        ({"text": "", "names": "a"}, "P603", "'names' cannot be 'a'", "give a list"),
        ({"text": "", "names": []}, "P603", "'names' cannot be a list of 0", "give a list of at least 1"),
        ({"text": "", "names": ["a", 5]}, "P603", "'names[1]' cannot be 5", "give a string"),
        ({"text": "", "either": 5}, "P603", "'either' cannot be 5", "give a string or a list"),
        (
            *({"text": "", "edits": [{}]}, "P606", "'edits[0].old' is missing"),
            "add 'edits[0].old' to the arguments: a string",
        ),
        ({"text": "", "edits": ["a"]}, "P603", "'edits[0]' cannot be 'a'", "give an object"),
        (
            *({"text": "", "edits": [{"old": "", "new": ""}]}, "P605", "unknown field 'edits[0].new'"),
            "give one of the fields old, all",
        ),
        ({"text": "", "path": "a"}, "P604", "'text' and 'path' mean the same and have different values", None),
        (["a"], "P603", "'arguments' cannot be a list of 1", "give an object with the tool's fields"),
        (None, "P603", "'arguments' cannot be null", "give an object with the tool's fields"),
    ],
)
def test_a_refusal_names_the_field_what_was_given_and_what_is_allowed(given, code, message, hint):
    found = refusal(given)

    assert found == (code, message, hint or found[2])


def test_a_field_that_there_is_not_is_refused_with_those_there_are():
    code, message, hint = refusal({"text": "", "file": "a"})

    assert (code, message) == ("P605", "unknown field 'file'")
    assert hint == "give one of the fields text, count, least, most, flag, mode, names, either, edits"


def test_of_a_long_value_only_the_beginning_is_shown():
    assert refusal({"text": "", "mode": "x" * 1000})[1] == f"'mode' cannot be '{'x' * 80}…'"


def test_a_field_whose_name_is_not_text_is_refused_like_any_other():
    assert refusal({"text": "", 5: "a"})[1] == "unknown field '5'"


# -- against the library that knows all of JSON Schema -------------------------------------------

VALUES = st.recursive(
    st.one_of(
        *[st.none(), st.booleans(), st.integers(-3, 300), st.floats(allow_infinity=False), st.text("ab", max_size=3)],
        st.sampled_from(["cut", "split"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["old", "all", "new"]), inner, max_size=3),
    ),
    max_leaves=6,
)
CALLS = st.dictionaries(st.sampled_from([*SCHEMA["properties"], "other"]), VALUES, max_size=4)


KNOWN = {*SCHEMA["properties"], "old", "all"}


def without_nulls(value):
    """The value without the fields that are null, which count as left out; a field that there is not stays one."""
    if isinstance(value, dict):
        return {name: without_nulls(each) for name, each in value.items() if each is not None or name not in KNOWN}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value


@examples(400)
@given(st.one_of(CALLS, CALLS.map(lambda call: {"text": "a", **call})))
def test_a_call_is_taken_exactly_where_the_library_finds_it_valid(call):
    validator = jsonschema.Draft202012Validator(SCHEMA)
    is_valid = validator.is_valid(without_nulls(call)) and not any(value != value for value in call.values())

    taken = outcome(lambda: checked(Sample(aliases={"none": "none"}), call, strict=True))

    assert (not isinstance(taken, PatchkitError)) == is_valid
    if is_valid:
        assert taken == without_nulls(call)


def test_the_keywords_are_those_that_the_sample_is_made_of():
    found = set()

    def visit(schema):
        found.update(schema)
        for each in schema.get("properties", {}).values():
            visit(each)
        if "items" in schema:
            visit(schema["items"])

    visit(SCHEMA)

    assert sorted(KEYWORDS - found) == ["description"]
