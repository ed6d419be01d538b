"""Text around a patch is passed over in large steps, and means what it means line by line."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from counted_steps import steps
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, outcome

from patchkit.core.language.parser import parse
from patchkit.errors import PatchkitError

PATCH = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"
LINES = [
    *[
        "",
        " ",
        "prose",
        " prose",
        "a *** b",
        "***",
        "*** no",
        " *** no",
        "***Begin Patch***",
        " *** End Patch",
        "@@",
        "@@ a",
    ],
    *[
        "+x",
        "-x",
        " +x",
        "<<",
        "cat <<EOF",
        "cd a <<EOF",
        "EOF",
        " EOF",
        "EOFx",
        "```",
        "  ```diff",
        "~~~",
        "\\",
        "\x1c***",
        "\x85",
    ],
    *["\\ No newline at end of file", "*** End of File", "*** Update File: b", "\u2028```", "\x0c"],
]
TEXTS = st.lists(st.sampled_from([*(f"{line}\n" for line in LINES), PATCH]), max_size=9).map("".join)


def result(text):
    """What a text comes to: sections and notes, or the refusal."""
    found = outcome(parse, text)
    if isinstance(found, PatchkitError):
        return [(error.code, error.facts) for error in found.errors]
    return found.sections, [(note.code, note.facts) for note in found.notes]


@given(TEXTS, TEXTS)
@examples(1500)
def test_text_around_a_patch_means_what_it_means_line_by_line(before, after):
    text = before + PATCH + after
    with patch("patchkit.core.language.lenience.skip_outside", lambda _parser, rest: rest):
        line_by_line = result(text)

    assert result(text) == line_by_line


@pytest.mark.parametrize("line", ["x", "some words", "a *** b", "@@ x", "-x", ""])
def test_lines_around_a_patch_cost_no_steps_of_their_own(line):
    def parsed(count):
        prose = f"{line}\n" * count
        text = prose + PATCH + prose.replace("@", " ")
        return steps(lambda: parse(text)), parse(text).sections

    (few, sections), (many, same) = parsed(1_000), parsed(100_000)

    assert sections == same == parse(PATCH).sections
    assert many < 2 * few


def test_of_many_lines_that_seem_to_open_a_wrapper_the_last_is_noted():
    notes = parse("cat <<A\ncat <<B\n" + PATCH + "B\n").notes

    assert [(note.facts["lenience"], note.facts["patch_line"]) for note in notes] == [("heredoc", 2)]
