"""Files in a mapping: what is a directory there, however often that is asked."""

from __future__ import annotations

import random

import pytest

from patchkit.sources import MemoryFiles


def kinds(files: MemoryFiles, names: list[str]) -> list[str]:
    return [files.find(name).kind for name in names]


@pytest.mark.parametrize("seed", range(20))
def test_a_source_that_is_asked_often_answers_as_one_that_is_asked_once(seed):
    chance = random.Random(seed)
    names = ["/".join(chance.choice("abc") for _ in range(chance.randint(1, 4))) for _ in range(12)]
    often, content = MemoryFiles({}), {}
    often.content = content

    for _ in range(30):
        name = chance.choice(names)
        if name in content and chance.random() < 0.5:
            del content[name]
        else:
            content[name] = b"x\n"
        assert kinds(often, names) == [MemoryFiles(content).find(each).kind for each in names]


def test_a_mapping_is_gone_through_once_for_many_questions():
    files = MemoryFiles({f"d{number}/in/f": b"x\n" for number in range(100)})
    kinds(files, [f"new{number}" for number in range(20)])
    collected = files._directories

    assert collected == {name for number in range(100) for name in (f"d{number}", f"d{number}/in")}
    assert kinds(files, ["d7", "d7/in/f", "d8/g", "new"]) == ["directory", "file", "missing", "missing"]
    assert files._directories is collected
