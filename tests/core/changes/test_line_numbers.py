"""What a patch adds is meant where it was surely made for this file: by its numbers, or by what it shows."""

from __future__ import annotations

import pytest

import patchkit
from patchkit.applying import apply
from patchkit.core.changes import Options
from patchkit.formats.making import make_patch
from patchkit.sources import MemoryFiles
from patchkit.writer import write

BODY = "".join(f"    step({number})\n" for number in range(6))
FILE = f"import a\n\n\ndef f():\n{BODY}\n\nx = 1\ny = 2\n"
ADDED = "".join(f"+{line}\n" for line in f"def f():\n{BODY}".split("\n")[:-1])
TWICE = FILE.replace("x = 1\n", f"x = 1\ndef f():\n{BODY}")


def patch_with(header: str) -> str:
    return f"*** Begin Patch\n*** Update File: a.py\n{header}\n x = 1\n{ADDED} y = 2\n*** End Patch\n"


def applied(patch: str) -> str:
    files = {"a.py": FILE.encode()}
    patchkit.apply(patch, files)
    return files["a.py"].decode()


def test_a_second_definition_is_added_where_every_number_of_the_header_is_right():
    assert applied(patch_with("@@ -13,2 +13,9 @@")) == TWICE


@pytest.mark.parametrize(
    "header", ["@@", "@@ -12,2 +12,9 @@", "@@ -13,2 +13,8 @@", "@@ -13,2 +14,9 @@", "@@ -13 +13,9 @@"]
)
def test_without_right_numbers_it_is_refused(header):
    with pytest.raises(patchkit.PatchkitError) as refused:
        applied(patch_with(header))
    assert (refused.value.code, refused.value.hint) == (
        "P205",
        "remove the hunk, or pass allow_duplicate=True to have it a second time; nothing was written",
    )


def test_a_placeholder_is_added_where_every_number_is_right():
    line = "# ... rest of the code ..."
    text = f"*** Begin Patch\n*** Update File: a.py\nHEAD\n x = 1\n+{line}\n y = 2\n*** End Patch\n"
    assert applied(text.replace("HEAD", "@@ -13,2 +13,3 @@")) == FILE.replace("y = 2", f"{line}\ny = 2")
    with pytest.raises(patchkit.PatchkitError) as refused:
        applied(text.replace("HEAD", "@@ -14,2 +14,3 @@"))
    assert refused.value.code == "P218"


def test_a_second_definition_is_added_where_the_patch_shows_the_first():
    shown = patch_with("@@").replace("@@\n", "@@\n \n def f():\n     step(0)\n@@\n", 1)
    assert applied(shown) == TWICE


def test_a_definition_beside_the_same_is_refused_although_the_hunk_shows_that():
    hunk = "@@\n def f():\n     return 1\n+def f():\n+    return 2\n"
    with pytest.raises(patchkit.PatchkitError) as refused:
        patchkit.apply(
            f"*** Begin Patch\n*** Update File: a.py\n{hunk}*** End Patch\n", {"a.py": b"def f():\n    return 1\n"}
        )
    assert refused.value.code == "P216"


def test_a_run_of_lines_is_added_above_its_like_where_the_patch_shows_the_beginning_of_that():
    entry = "".join(f"'word{number}' text\n" for number in range(6))
    file = f"top\n{entry}end\n"
    added = entry.replace("word3", "other")
    run = "".join(f"+{line}\n" for line in added.split("\n")[:-1])
    head = "*** Begin Patch\n*** Update File: a.txt\n@@\n top\n"
    files = {"a.txt": file.encode()}
    with pytest.raises(patchkit.PatchkitError) as refused:
        patchkit.apply(f"{head}{run}*** End Patch\n", files)
    assert refused.value.code == "P217"
    patchkit.apply(f"{head}{run} 'word0' text\n*** End Patch\n", files)
    assert files["a.txt"].decode() == f"top\n{added}{entry}end\n"


def test_a_made_patch_shows_what_it_repeats_and_is_applied_and_taken_back():
    before, after = {"a.py": FILE.encode()}, {"a.py": TWICE.encode()}
    text = write(make_patch(before, after))
    files = MemoryFiles(dict(before))
    apply(text, files, Options(strict=True))
    assert files.content == after
    apply(text, files, Options(strict=True, reverse=True))
    assert files.content == before


def test_what_was_taken_away_is_put_back_even_if_the_file_has_its_like():
    before, after = {"a.py": TWICE.encode()}, {"a.py": FILE.encode()}
    files = MemoryFiles(dict(after))
    apply(write(make_patch(before, after)), files, Options(reverse=True))
    assert files.content == before
