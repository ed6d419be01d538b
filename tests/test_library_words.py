"""Words for programs: no next step that the library gives names an option or a command of the command line."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import patchkit
from patchkit.catalogue.calls import ADVICE as BY_CALL
from patchkit.catalogue.entries import ENTRIES
from patchkit.catalogue.library import ADVICE, SENTENCES
from patchkit.catalogue.sentences import advice, sentence
from patchkit.core.changes.options import DIALECTS, OPTIONS, Options
from patchkit.core.matching import NAMES
from patchkit.formats.reading import AUTO, FORMATS
from patchkit.host_input import CheckOptions, PatchOptions, PlanningOptions, PlanOptions, TextOptions, option_names
from patchkit.report.advice import next_step

COMMAND_LINE = re.compile(r"'?--?[a-z]|'patchkit |'apply_patch <|standard input|\boption\b")
ERRORS = [code for code in ENTRIES if not code.startswith("P9")]


def words_for_programs(code: str) -> str:
    return f"{sentence(code, {}, for_library=True)} {advice(code, {}, for_library=True)}"


def names_the_command_line(words: str) -> bool:
    return COMMAND_LINE.search(re.sub(r"(?<=\w)-(?=\w)", "", words)) is not None


@pytest.mark.parametrize("code", ERRORS)
def test_no_error_speaks_of_the_command_line_to_a_program(code):
    assert not names_the_command_line(words_for_programs(code)) or code in ABOUT_COMMANDS


# These are about commands that a model sent: the words are the ones it needs.
ABOUT_COMMANDS = {"P501", "P511", "P633"}


def test_the_unread_encoding_of_a_file_is_an_argument_to_a_program():
    assert next_step("P201", {"unread": True, "file": "a"}, for_library=True).startswith("pass encoding=NAME")


def test_words_for_programs_exist_only_where_the_catalogue_names_the_command_line():
    general = {code: f"{ENTRIES[code].sentence} {ENTRIES[code].advice}" for code in {*ADVICE, *SENTENCES}}

    assert [code for code, words in general.items() if not names_the_command_line(words)] == []


def test_the_arguments_that_the_words_name_exist():
    assert {name for words in ADVICE.values() for name in re.findall(r"(\w+)=", words)} <= {*option_names(PatchOptions)}


# -- words for models that call tools -----------------------------------------------------------------


@pytest.mark.parametrize("code", ERRORS)
def test_no_next_step_speaks_of_the_command_line_to_a_model_that_calls_a_tool(code):
    assert not names_the_command_line(advice(code, {"by_call": True})) or code in ABOUT_COMMANDS


def test_the_arguments_that_a_model_is_offered_exist():
    from patchkit.tools.registry import named

    known = {*named("apply_patch").declaration.extras, *named("apply_patch").declaration.schema["properties"]}

    assert {name for words in BY_CALL.values() for name in re.findall(r"'([a-z_]+)'", words)} <= known


def test_a_model_is_offered_nothing_that_only_a_person_may_decide():
    assert [words for words in BY_CALL.values() if re.search("allow_|root|vcs", words)] == []


# -- closed sets ---------------------------------------------------------------------------------


def literals() -> dict[str, list[str]]:
    """The Literal types of the library's options, as they are written."""
    tree = ast.parse(Path(patchkit.__file__).with_name("host_input.py").read_text(encoding="utf-8"))
    return {
        node.targets[0].id: ast.literal_eval(node.value.slice)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript)
        if isinstance(node.targets[0], ast.Name) and ast.unparse(node.value.value) == "Literal"
    }


def test_the_typed_choices_are_the_choices_there_are():
    assert {name: list(values) for name, values in literals().items()} == {
        "DialectName": list(DIALECTS),
        "PassName": list(NAMES),
        "Fix": ["", "certain", "likely"],
        "FormatName": list(FORMATS),
        "WrittenFormat": [each for each in FORMATS if each != AUTO],
        "Conflicts": ["", "markers"],
    }


def test_the_default_tolerance_is_the_most_tolerant_one():
    assert Options().max_pass == NAMES[-1]


KINDS = {
    "apply": PatchOptions,
    "check": CheckOptions,
    "plan": PlanOptions,
    "parse_stream": TextOptions,
    "Planner": PlanningOptions,
}


@pytest.mark.parametrize("call", KINDS)
def test_every_option_of_a_call_is_one_of_the_record_or_named_otherwise_there(call):
    assert {*option_names(KINDS[call])} - {*OPTIONS} <= {"from_format"}


@pytest.mark.parametrize("call", KINDS)
def test_a_keyword_that_a_call_does_not_have_is_a_type_error(call):
    known = {*option_names(KINDS[call])}
    given = () if call == "Planner" else ("*** Begin Patch\n*** End Patch\n", {})
    for name in {"max_pas", "source", "memory", *OPTIONS} - known:
        with pytest.raises(TypeError, match=f"^{call}\\(\\) got an unexpected keyword argument '{name}'$"):
            getattr(patchkit, call)(*given, **{name: True})
