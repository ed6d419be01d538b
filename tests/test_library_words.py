"""Words for programs: no next step that the library gives names an option or a command of the command line."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import patchkit
from patchkit.catalogue.entries import ENTRIES
from patchkit.catalogue.sentences import help_for, sentence
from patchkit.core.changes import DIALECTS, OPTIONS, Options
from patchkit.core.matching import NAMES
from patchkit.formats.reading import AUTO, FORMATS
from patchkit.host_input import CheckOptions, PatchOptions, PlanningOptions, PlanOptions, TextOptions, option_names

COMMAND_LINE = re.compile(r"'?--?[A-Za-z]|'patchkit |'apply_patch <|standard input|\boption\b")
ERRORS = [code for code in ENTRIES if not code.startswith("P9")]
# These are about commands that a model sent, or about one that a person typed (P326): the words are the ones it needs.
ABOUT_COMMANDS = {"P326", "P501", "P511", "P633"}
ROWS = {code: [row, *row.variants] for code, row in ENTRIES.items()}


def names_the_command_line(words: str) -> bool:
    return COMMAND_LINE.search(re.sub(r"(?<=\w)-(?=\w)|(?<=')--- |\{\w+\}", "", words)) is not None


def words_for(audience: str) -> dict[str, list[str]]:
    """All sentences and next steps of each error that a reader may get, those of variants too."""
    return {
        code: [words for each in ROWS[code] for words in (each.sentence, each.advice_for(audience))] for code in ERRORS
    }


def named_by(audience: str) -> dict[str, list[str]]:
    """What in the words for a reader names the command line, by code."""
    given = {code: texts for code, texts in words_for(audience).items() if code not in ABOUT_COMMANDS}
    return {code: texts for code, texts in given.items() if any(map(names_the_command_line, texts))}


def test_no_error_speaks_of_the_command_line_to_a_program():
    assert named_by("program") == {}


def test_the_words_for_a_program_are_those_that_it_gets():
    given = {code: (sentence(code, {}), help_for(code, {}, "program")) for code in ERRORS}

    assert {code for code, texts in given.items() if any(map(names_the_command_line, texts))} <= ABOUT_COMMANDS


def test_the_unread_encoding_of_a_file_is_an_argument_to_a_program():
    assert help_for("P201", {"unread": True, "file": "a"}, "program").startswith("pass encoding=NAME")


def test_words_for_programs_exist_only_where_those_for_a_person_name_the_command_line():
    apart = {code: row.advice for code, row in ENTRIES.items() if row.program or row.model}

    assert [code for code, words in apart.items() if not names_the_command_line(words)] == []


def test_the_arguments_that_the_words_name_exist():
    named = {name for rows in ROWS.values() for each in rows for name in re.findall(r"(\w+)=", each.program)}

    assert named <= {*option_names(PatchOptions)}


# -- words for models that call tools -----------------------------------------------------------------


def test_no_next_step_speaks_of_the_command_line_to_a_model_that_calls_a_tool():
    given = {code: help_for(code, {"by_call": True}) for code in ERRORS}

    assert named_by("model") == {}
    assert {code for code, words in given.items() if names_the_command_line(words)} <= ABOUT_COMMANDS


def test_the_arguments_that_a_model_is_offered_exist():
    from patchkit.tools.registry import named

    known = {*named("apply_patch").declaration.extras, *named("apply_patch").declaration.schema["properties"]}
    offered = {name for rows in ROWS.values() for each in rows for name in re.findall(r"'([a-z_]+)'", each.model)}

    assert offered <= {*known, "update_file"}


def test_a_model_is_offered_nothing_that_only_a_person_may_decide():
    offered = [each.model for rows in ROWS.values() for each in rows]

    assert [words for words in offered if re.search("allow_|root|vcs", words)] == []


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
        "WrittenFormat": [each for each in FORMATS if each not in (AUTO, "snippet")],
        "Conflicts": ["", "markers"],
        "Partial": ["", "files", "hunks"],
        "Syntax": ["", "off", "note", "error"],
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
