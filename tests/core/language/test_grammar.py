"""The grammar as oracle: what `lark` and `llguidance` make of it is what the strict parser must make of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from lark import Lark
from lark.exceptions import LarkError
from llguidance import LLMatcher, LLTokenizer
from strategies import examples

import patchkit
from patchkit.runtimes import _grammar_text

REPOSITORY = Path(__file__).resolve().parents[3]
GRAMMARS = {"whole": _grammar_text.SOURCE, "for-model": _grammar_text.FOR_MODEL}
LALR = {name: Lark(text, parser="lalr") for name, text in GRAMMARS.items()}
BYTES = LLTokenizer("byte")

# Patches the grammar allows, one for each thing it can say, and what a model may not write of them.
SAYABLE = {
    "nothing at all": "",
    "an environment": "*** Environment ID: x y\n*** Delete File: a\n",
    "an empty file": "*** Add File: a\n",
    "a new file": "*** Add File: a\n+x\n+\n",
    "a new file without a final newline": "*** Add File: a\n+x\n\\ No newline at end of file\n",
    "a name with spaces": "*** Delete File:   a b  \n",
    "a rename": "*** Update File: a\n*** Move to: b\n",
    "a rename with a change": "*** Update File: a\n*** Move to: b\n@@\n-x\n",
    "a first hunk without its header": "*** Update File: a\n x\n-y\n@@ z\n+w\n",
    "a moved file's hunk without its header": "*** Update File: a\n*** Move to: b\n x\n",
    "stacked anchors": "*** Update File: a\n@@ class A\n@@  def f\n+x\n",
    "the end of the file": "*** Update File: a\n@@\n x\n*** End of File\n@@\n+y\n",
    "a final newline added": "*** Update File: a\n@@\n-x\n\\ No newline at end of file\n+x\n",
    "a final newline dropped": "*** Update File: a\n@@\n-x\n+x\n\\ No newline at end of file\n",
    "no final newline before and after": (
        "*** Update File: a\n@@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n*** End of File\n"
    ),
    "a kept last line without newline": "*** Update File: a\n@@\n-y\n x\n\\ No newline at end of file\n",
    "lines that look like markers": "*** Update File: a\n@@\n *** End Patch\n-@@\n+*** Begin Patch\n",
}
ONLY_WHOLE = {
    "nothing at all",
    "an environment",
    "an empty file",
    "a new file without a final newline",
    "a first hunk without its header",
    "a moved file's hunk without its header",
}
UNSAYABLE = {
    "a name of whitespace": "*** Delete File:  \t\n",
    "no name": "*** Add File:\n",
    "an update of nothing": "*** Update File: a\n",
    "a hunk of nothing": "*** Update File: a\n@@\n",
    "a bare header among anchors": "*** Update File: a\n@@ b\n@@\n x\n",
    "a line without its sign": "*** Update File: a\n@@\nx\n",
    "a blank line": "*** Update File: a\n@@\n x\n\n",
    "context in a new file": "*** Add File: a\n x\n",
    "a marker that speaks of no line": "*** Update File: a\n@@\n\\ No newline at end of file\n",
    "a marker in the midst of the old text": "*** Update File: a\n@@\n-x\n\\ No newline at end of file\n-y\n",
    "a marker in the midst of the new text": "*** Update File: a\n@@\n+x\n\\ No newline at end of file\n+y\n",
    "lines after the end of the file": "*** Update File: a\n@@\n x\n*** End of File\n y\n",
    "a move after the hunks": "*** Update File: a\n@@\n x\n*** Move to: b\n",
    "a late environment": "*** Delete File: a\n*** Environment ID: x\n",
    "another case": "*** delete file: a\n",
    "an indented marker": " *** Delete File: a\n",
}


def envelope(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


def strict_takes(text: str) -> bool:
    try:
        patchkit.parse(text, strict=True)
    except patchkit.PatchkitError:
        return False
    return True


def lark_takes(text: str, which: str = "whole") -> bool:
    try:
        LALR[which].parse(text)
    except LarkError:
        return False
    return True


def llguidance_takes(text: str, which: str = "whole") -> bool:
    matcher = LLMatcher(BYTES, LLMatcher.grammar_from_lark(GRAMMARS[which]))
    tokens = BYTES.tokenize_str(text)
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


# -- it loads, everywhere it should --------------------------------------------------------------


@pytest.mark.parametrize("which", GRAMMARS)
@pytest.mark.parametrize("parser", ["lalr", "earley"])
def test_the_grammar_loads_in_lark(which, parser):
    tree = Lark(GRAMMARS[which], parser=parser).parse(envelope("*** Delete File: a\n"))

    assert [str(token) for token in tree.scan_values(lambda _: True)] == [
        "*** Begin Patch\n",
        "*** Delete File: a\n",
        "*** End Patch\n",
    ]


@pytest.mark.parametrize("which", GRAMMARS)
def test_the_grammar_compiles_in_llguidance_without_error_or_warning(which):
    grammar = LLMatcher.grammar_from_lark(GRAMMARS[which])

    assert LLMatcher.validate_grammar_with_warnings(grammar, BYTES) == (False, [])


def test_the_embedded_text_is_the_grammar_file_itself():
    assert (REPOSITORY / "grammar" / "apply_patch.lark").read_text(encoding="utf-8") == _grammar_text.SOURCE


def test_the_generated_tables_are_fresh():
    command = [sys.executable, str(REPOSITORY / "grammar" / "compile.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("option", "which"), [([], "whole"), (["--for-model"], "for-model")])
def test_patchkit_grammar_prints_the_embedded_text(option, which, capfd):
    from patchkit.cli.main import run

    assert run(["grammar", *option]) == 0
    assert capfd.readouterr().out == GRAMMARS[which]


# -- three readers, one language -----------------------------------------------------------------


@pytest.mark.parametrize("name", SAYABLE)
def test_all_readers_take_what_the_language_says(name):
    text = envelope(SAYABLE[name])

    assert (strict_takes(text), lark_takes(text), llguidance_takes(text)) == (True, True, True)


@pytest.mark.parametrize("name", UNSAYABLE)
def test_all_readers_refuse_what_it_does_not(name):
    text = envelope(UNSAYABLE[name])

    assert (strict_takes(text), lark_takes(text), llguidance_takes(text)) == (False, False, False)


@pytest.mark.parametrize("name", SAYABLE)
def test_the_grammar_for_models_is_narrower_where_it_says_so(name):
    text = envelope(SAYABLE[name])
    allowed = name not in ONLY_WHOLE

    assert (lark_takes(text, "for-model"), llguidance_takes(text, "for-model")) == (allowed, allowed)


@pytest.mark.parametrize("text", ["", "*** Begin Patch\n", "*** End Patch\n", "*** Begin Patch", "x\n" + envelope("")])
def test_all_readers_refuse_a_text_without_both_markers_at_its_ends(text):
    assert (strict_takes(text), lark_takes(text), llguidance_takes(text)) == (False, False, False)


def test_only_the_end_marker_may_be_without_its_line_end():
    text = envelope("*** Delete File: a\n")[:-1]

    assert (strict_takes(text), lark_takes(text), llguidance_takes(text)) == (True, True, True)


@pytest.mark.parametrize("opening", ["*** Add File: ", "*** Delete File: ", "*** Environment ID: "])
def test_a_carriage_return_is_a_blank_before_a_name(opening):
    text = envelope(f"{opening}\ra\n")

    assert (strict_takes(text), lark_takes(text), llguidance_takes(text)) == (False, False, False)


# -- the same, tried on whatever the grammar can generate ----------------------------------------

# Besides ordinary characters those that str.splitlines() or str.strip() would treat in a way of their own.
ALPHABET = st.one_of(st.sampled_from("a*@+- \\\t\r\x0b\x0c\x1c\x85\u2028\ufeff"), st.characters(codec="utf-8"))


def generated(which: str) -> st.SearchStrategy[str]:
    return from_lark(LALR[which], start="start", alphabet=ALPHABET)


@given(text=generated("whole"))
@examples(100)
def test_what_the_grammar_generates_parses_in_strict_mode(text):
    patch = patchkit.parse(text, strict=True)

    headers = [line for line in text.split("\n") if line.startswith(("*** Add", "*** Delete", "*** Update"))]
    assert len(patch.sections) == len(headers)


@given(text=generated("for-model"))
@examples(50)
def test_what_a_model_is_held_to_parses_in_strict_mode(text):
    assert patchkit.parse(text, strict=True).sections != []


@given(text=generated("for-model"))
@examples(50)
def test_what_a_model_is_held_to_is_part_of_the_whole_language(text):
    assert lark_takes(text, "whole")


LINES = st.sampled_from(
    [
        "*** Begin Patch",
        "*** Environment ID: e",
        "*** Add File: a",
        "*** Delete File: a",
        "*** Update File: a",
        "*** Move to: b",
        "@@",
        "@@ c",
        " d",
        "-d",
        "+d",
        "\\ No newline at end of file",
        "*** End of File",
        "*** End Patch",
        "",
        "d",
    ]
)


@st.composite
def mutated(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A patch with some of its lines dropped, doubled, exchanged, changed or joined by others."""
    lines = draw(texts).split("\n")
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        change = draw(st.sampled_from(["drop", "double", "swap", "replace", "insert", "cut", "character"]))
        if change == "drop" and len(lines) > 1:
            del lines[at]
        elif change == "double":
            lines.insert(at, lines[at])
        elif change == "swap":
            other = draw(st.integers(0, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        elif change == "replace":
            lines[at] = draw(LINES)
        elif change == "insert":
            lines.insert(at, draw(LINES))
        elif change == "cut":
            lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
        else:
            place = draw(st.integers(0, len(lines[at])))
            lines[at] = lines[at][:place] + draw(ALPHABET) + lines[at][place:]
    return "\n".join(lines)


@given(text=mutated(generated("whole")))
@examples(200)
def test_strict_mode_takes_exactly_what_lark_takes(text):
    assert strict_takes(text) == lark_takes(text)


@given(lines=st.lists(LINES, max_size=7))
@examples(400)
def test_strict_mode_takes_exactly_the_sequences_of_lines_that_lark_takes(lines):
    text = envelope("".join(line + "\n" for line in lines))

    assert strict_takes(text) == lark_takes(text)


@given(text=mutated(generated("whole")))
@examples(60)
def test_llguidance_takes_exactly_what_lark_takes(text):
    assert llguidance_takes(text) == lark_takes(text)
