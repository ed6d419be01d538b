"""Two readers, two texts: what a person is told by 'patchkit check' about each refusal, a model gets without options.

The words for a person are in `report.txt`; those that a tool call answers with are in `model.txt` beside it.
"""

from __future__ import annotations

import os
import re

import pytest
from golden_runs import FIXTURES, build, everywhere

from patchkit.runtimes.answers import Host

GOLDEN = FIXTURES / "expected" / "everything" / "model.txt"
PATCHES = sorted(path.name for path in (FIXTURES / "patches").iterdir())
# A call sends text: bytes that are none, as in P111, do not come that way.
REFUSED = [name for name in PATCHES if name.startswith("P") and not name.startswith(("P9", "P111"))]
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*|'patchkit |\boption\b")
SENTENCE = 400  # characters beside a corrected patch


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """The text and the corrected patch of a tool call for each patch that is refused, and the patch."""
    tree = tmp_path_factory.mktemp("two") / "tree"
    build(tree)
    host = Host(tree)
    found = {}
    for name in REFUSED:
        sent = (FIXTURES / "patches" / name).read_bytes().decode("utf-8", "surrogateescape")
        result = host.call("apply_patch", {"input": sent})
        found[name] = everywhere(result.text, tree, tree), (result.data or {}).get("suggestion"), sent
    return found


def test_the_words_for_a_model_are_those_in_the_golden_file(answers):
    given = "\n".join(f"=== {name}\n{text.rstrip()}\n" for name, (text, _, _) in answers.items())
    if os.environ.get("PATCHKIT_UPDATE_GOLDEN"):
        GOLDEN.write_text(given, encoding="utf-8", errors="surrogateescape")

    assert given == GOLDEN.read_text(encoding="utf-8", errors="surrogateescape")


def test_each_refusal_that_a_person_reads_has_words_for_a_model_with_the_same_code(answers):
    person = (FIXTURES / "expected" / "everything" / "report.txt").read_text(encoding="utf-8")

    assert [name for name in REFUSED if f"error[{name[:4]}]" not in person] == []
    assert [name for name, (text, _, _) in answers.items() if f"error[{name[:4]}]" not in text] == []


def test_a_model_is_not_told_of_options(answers):
    said = {name: text.replace(better or "", "") for name, (text, better, _) in answers.items()}
    own = {name: [line for line in text.split("\n") if not re.match(r" *\d* +\|", line)] for name, text in said.items()}

    assert {name: lines for name, lines in own.items() if OPTION.search("\n".join(lines))} == {}


def test_a_corrected_patch_is_there_whole_with_a_sentence_and_no_more(answers):
    corrected = {name: (text, better) for name, (text, better, _) in answers.items() if better}

    assert corrected
    assert [name for name, (text, better) in corrected.items() if better not in text] == []
    assert [name for name, (text, better) in corrected.items() if len(text) > len(better) + SENTENCE] == []
