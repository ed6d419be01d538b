"""What is kept of a document, or found without the rest of it, changes no answer."""

from __future__ import annotations

import random

import pytest

import patchkit
from patchkit.core.matching.scopes.anchors import Anchors
from patchkit.sources import DocumentMemory

LINES = [
    *["def f():", "    def g(self):", "class A:", "    return 1", "", "}", "# Title", "## Part", "### Deeper"],
    *[
        "```",
        "~~~ py",
        "[section]",
        "int main(int x)",
        "    pub(crate) fn h() {",
        "\tif x {",
        "function k() {",
        "  text",
        "end",
        "    end",
        "def ended",
    ],
]


@pytest.mark.parametrize("seed", range(40))
def test_a_definition_found_alone_is_the_one_found_with_all_others(seed):
    chance = random.Random(seed)
    texts = [chance.choice(LINES) for _ in range(chance.randrange(1, 60))]
    whole = Anchors(texts)
    list(whole.around(0))  # finds all

    for line in range(len(texts)):
        alone, found = Anchors(texts).definition_at(line), whole.definition_at(line)
        assert (alone and (alone.line, alone.kind, alone.depth, alone.end)) == (
            found and (found.line, found.kind, found.depth, found.end)
        )


@pytest.mark.parametrize("seed", range(30))
def test_a_planner_plans_as_a_plan_does_each_time(seed):
    chance = random.Random(seed)
    texts = [chance.choice(LINES) for _ in range(60)]
    files = {"a.py": ("\n".join(texts) + "\n").encode()}
    planner = patchkit.Planner()
    for _ in range(6):
        at = chance.randrange(50)
        anchor = chance.choice(texts).strip()
        old = [f" {texts[at]}", f"-{texts[at + 1]}", f" {texts[at + 2]}{chance.choice(['', '', ' ', 'x'])}"]
        patch = "\n".join(
            ["*** Begin Patch", "*** Update File: a.py", f"@@ {anchor}".rstrip(), *old, "+new", "*** End Patch", ""]
        )

        assert outcome(lambda text=patch: planner.plan(text, dict(files))) == outcome(
            lambda text=patch: patchkit.plan(text, dict(files))
        )


def outcome(plan):
    try:
        made = plan()
    except patchkit.PatchkitError as error:
        return [(each.code, each.message) for each in error.errors]
    return made.diff(), [note.message for note in made.notes], [section.results for section in made.sections]


def test_a_memory_keeps_what_was_used_last_and_no_more_than_its_bound():
    memory = DocumentMemory(40_000)
    first, second = memory.document(b"a" * 1000), memory.document(b"b" * 1000)

    assert memory.document(b"a" * 1000) is first
    assert memory.document(b"c" * 900) is memory.document(b"c" * 900)
    memory.document(b"d" * 1000)
    memory.document(b"e" * 1000)
    assert memory.document(b"b" * 1000) is not second
    assert memory.document(b"x" * 2000) is not memory.document(b"x" * 2000)


def test_a_memory_tells_files_apart_that_differ_in_one_byte():
    memory = DocumentMemory(40_000)
    contents = [b"a" * at + b"b" + b"a" * (999 - at) for at in range(1000)]

    assert [memory.document(data).data == data for data in contents] == [True] * 1000
    assert memory.document(contents[-1]) is memory.document(contents[-1])
