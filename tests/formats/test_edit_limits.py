"""What edits may cost: beyond a limit they are refused, with the way that does not cost as much."""

from __future__ import annotations

import json

import pytest
from counted_steps import steps

import patchkit
from patchkit.core.changes import Options, legacy
from patchkit.core.changes.planner import plan
from patchkit.core.matching import placer
from patchkit.diffs import compare
from patchkit.errors import PatchkitError
from patchkit.formats import foreign, whole_files
from patchkit.formats.foreign import patch_of
from patchkit.formats.whole_files import read_whole_files
from patchkit.sources import MemoryFiles

LINES = b"".join(b"line %d\n" % number for number in range(100))  # 790 bytes


def refused(text, **contents):
    files = MemoryFiles(contents or {"f": LINES})
    with pytest.raises(PatchkitError) as caught:
        plan(patch_of(text, "auto", files, Options()), files)
    return [(each.code, each.facts.get("reason")) for each in caught.value.errors]


def edits(old, new, count=20, **more):
    return json.dumps([{"path": "f", "old_str": old % n, "new_str": new % n, **more} for n in range(count)])


def test_edits_that_double_their_text_again_and_again_are_refused_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(foreign, "MOST_MADE", 1 << 20)
    text = json.dumps([{"path": "f", "old_str": "1", "new_str": "11", "replace_all": True}] * 100)

    assert refused(text, f=b"1 1\n") == [("P117", "it adds more than 1 MB, up to 'f'")]


def test_an_edit_of_every_place_with_a_long_text_is_refused_before_it_is_made():
    text = json.dumps([{"path": "f", "old_str": "a", "new_str": "b" * 100_000, "replace_all": True}])

    assert refused(text, f=b"a" * 1_000_000) == [("P117", "it adds more than 16 MB, up to 'f'")]


def test_copies_of_a_file_are_refused_beyond_a_limit(monkeypatch):
    monkeypatch.setattr(foreign, "MOST_COPIED", 3 << 20)
    copy = "diff --git a/f b/g{0}\nsimilarity index 100%\ncopy from f\ncopy to g{0}\n"

    assert refused("".join(copy.format(n) for n in range(9)), f=b"x" * (1 << 20)) == [
        ("P117", "it copies more than 3 MB, up to 'g3'")
    ]


def test_more_edits_than_fit_the_size_of_their_file_are_refused(monkeypatch):
    monkeypatch.setattr(foreign, "MOST_SEARCHED", 10 * len(LINES))

    assert refused(edits("line %d\n", "new %d\n")) == [("P117", "there are too many edits for the size of 'f'")]


def test_more_parts_of_a_file_than_can_be_merged_one_by_one_are_refused(monkeypatch):
    monkeypatch.setattr(foreign, "MOST_PLACED", 10 * LINES.count(b"\n"))
    other = "# ... existing code ...\n"
    part = f"f.py\n```\n{other}line {{0}}\nline {{1}}\nnew {{0}}\nline {{2}}\nline {{3}}\n{other}```\n"
    text = "".join(part.format(*range(n, n + 4)) for n in range(0, 80, 4))
    files = MemoryFiles({"f.py": LINES})

    with pytest.raises(PatchkitError) as caught:
        patch_of(text, "snippet", files, Options())
    assert str(caught.value) == "P117: the patch would take too much work: too many parts of 'f.py' come one by one"


def test_more_edits_than_can_be_placed_by_their_lines_are_refused(monkeypatch):
    monkeypatch.setattr(foreign, "MOST_PLACED", 10 * LINES.count(b"\n"))

    assert refused(edits("  line %d\n", "  new %d\n")) == [("P117", "too many edits have another text than 'f'")]


def test_edits_within_the_limits_are_made():
    files = MemoryFiles({"f": LINES})

    plan(patch_of(edits("line %d\n", "new %d\n", 100), "auto", files, Options()), files).commit()

    assert files.content["f"] == LINES.replace(b"line", b"new")


def test_more_hunks_that_fit_but_for_a_line_than_can_be_looked_for_are_refused(monkeypatch):
    hunk = "@@\n line {0}\n lime {1}\n-line {2}\n+new\n line {3}\n"
    hunks = "".join(hunk.format(*range(n, n + 4)) for n in range(0, 40, 4))
    text = f"*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n"
    files = MemoryFiles({"f": LINES})
    assert len(plan(patch_of(text, "v4a", files, Options()), files).changes) == 1

    monkeypatch.setattr(placer, "_MOST_NEARLY", 5)
    assert refused(text) == [("P117", "more than 5 of its hunks have other lines than the file")]


def test_more_hunks_than_can_be_tried_in_several_encodings_are_refused(monkeypatch):
    monkeypatch.setattr(legacy, "_MOST_TRIED", 5)
    content = "".join(f"größe {n}\n" for n in range(9)).encode("latin-1")
    hunks = "".join(f"@@\n-größe {n}\n+länge {n}\n" for n in range(9))

    assert refused(f"*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n", f=content) == [
        ("P117", "more than 5 hunks would be placed in one encoding after the other")
    ]


def test_edits_of_a_file_with_mixed_line_ends_count_for_every_time_that_it_is_read(monkeypatch):
    monkeypatch.setattr(foreign, "_MANY_EDITS", 2)
    monkeypatch.setattr(foreign, "MOST_SEARCHED", 5 * foreign.NOT_INDEXED * len(LINES))

    assert refused(edits("line %d\n", "new %d\n"), f=b"x\r\n" + LINES) == [
        ("P117", "there are too many edits for the size of 'f'")
    ]


def test_a_line_of_many_characters_counts_for_several(monkeypatch):
    monkeypatch.setattr(foreign, "MOST_PLACED", 1_000)

    assert refused(edits("b%d", "c%d"), f=b"a" * 400 * foreign.USUAL)[-1:] == [
        ("P117", "too many edits have another text than 'f'")
    ]


def test_edits_of_cells_count_for_every_time_that_the_notebook_is_read(monkeypatch):
    monkeypatch.setattr(foreign, "MOST_PLACED", 1_000)
    cells = [{"cell_type": "code", "source": [f"line {n}\n", "two"], "metadata": {}} for n in range(20)]
    notebook = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}, indent=1)
    text = edits("line %d\ntwo", "new %d\ntwo").replace('"f"', '"n.ipynb"')

    assert refused(text, **{"n.ipynb": notebook.encode()}) == [
        ("P117", "too many edits have another text than 'n.ipynb'")
    ]


def test_of_more_files_than_can_be_compared_the_others_get_one_hunk_each(monkeypatch):
    monkeypatch.setattr(compare, "_SHARED", 15_000)
    kept = "".join(f"kept {n}\n" for n in range(9))
    text = "".join(f"g{n}.txt\n```\nnew\n{kept}new\n```\n\n" for n in range(5))
    files = {f"g{n}.txt": f"old\n{kept}old\n".encode() for n in range(5)}

    made = patchkit.plan(text, MemoryFiles(files), from_format="whole-file")

    assert [len(section.op.hunks) for section in made.sections] == [2, 2, 2, 1, 1]
    assert {b"".join(change.after) for change in made.effective} == {f"new\n{kept}new\n".encode()}


def test_many_small_files_are_read_in_time_that_grows_with_the_text():
    def read(count):
        return steps(lambda: read_whole_files("".join(f"notes {n}\n```\nx\n```\n" for n in range(count))))

    read(10)
    assert read(400) < 2.5 * read(200)


def test_more_hunks_than_can_be_placed_one_by_one_are_refused_unless_they_are_in_order(monkeypatch):
    monkeypatch.setattr(placer, "_MOST_HUNKS", 10)
    hunks = [f"@@\n-line {n}\n+new {n}\n" for n in range(20)]
    patch = "*** Begin Patch\n*** Update File: f\n{}*** End Patch\n"
    files = MemoryFiles({"f": LINES})

    assert len(plan(patch_of(patch.format("".join(hunks)), "v4a", files, Options()), files).sections[0].results) == 20
    assert refused(patch.format("".join(reversed(hunks)))) == [
        ("P117", "it has more than 10 hunks for one file, and some are not where their order says")
    ]


def test_more_whole_files_than_one_text_may_have_are_refused(monkeypatch):
    monkeypatch.setattr(whole_files, "_MOST_FILES", 3)

    assert refused("".join(f"g{n}.txt\n```\nx\n```\n\n" for n in range(9))) == [("P122", "it has more than 3 files")]


@pytest.mark.parametrize(("count", "sections"), [(4, 4), (6, 5)])
def test_a_few_edits_of_a_large_file_are_made_one_by_one_and_those_beyond_them_together(monkeypatch, count, sections):
    monkeypatch.setattr(foreign, "_MOST_COMPARED", len(LINES))
    files = MemoryFiles({"f": LINES})
    upwards = json.dumps(json.loads(edits("line %d\n", "new %d\n", count))[::-1])
    patch = patch_of(upwards, "auto", files, Options())
    plan(patch, files, Options()).commit()

    assert (len(patch.sections), files.content["f"].count(b"new")) == (sections, count)


def test_blocks_that_are_nowhere_cost_what_their_files_are_and_not_the_square_of_their_number():
    def reading(count):
        files = MemoryFiles({f"{number}.txt": b"x\ny\n" for number in range(count)})
        block = "{0}.txt\n<<<<<<< SEARCH\n\nq{0}\n=======\nz\n>>>>>>> REPLACE\n"
        text = "".join(block.format(number) for number in range(count))
        return lambda: patch_of(text, "search-replace", files, Options())

    once, thrice = (steps(reading(count)) for count in (100, 300))

    assert thrice < 3.5 * once
