"""Changes that are hard to say, through every format: the same files, or a refusal that says why."""

from __future__ import annotations

import collections
import shutil

import pytest

from benchmarks.roundtrip import hostile
from benchmarks.roundtrip.__main__ import TRIPS, outcome
from benchmarks.roundtrip.histories import History
from patchkit.applying import apply
from patchkit.core.changes import Options
from patchkit.core.changes.legacy import blob_id
from patchkit.core.language import UpdateFile
from patchkit.errors import PatchkitError
from patchkit.formats.making import make_patch
from patchkit.formats.model import ordered
from patchkit.formats.unified import read_unified
from patchkit.sources import MemoryFiles

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
BY_PROGRAMS = ("git-apply", "patch")


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """The changes by chance, the odd names and the rest: each change once, without the steps between them."""
    place = tmp_path_factory.mktemp("hostile")
    names = hostile.write(place / "repository")
    found = History(place / "repository")
    yield found, {commit: name for commit, name in names.items() if not name.endswith("(before)")}
    found.close()


@pytest.mark.parametrize("share", range(4))
def test_every_change_is_made_or_rightly_refused(history, share):
    found, names = history
    wrong = collections.Counter()
    for commit, name in list(names.items())[1 + share :: 16]:  # a quarter of them: the benchmark runs all
        change = found.change(commit)
        for trip in TRIPS:
            if trip not in BY_PROGRAMS:
                answer = outcome(trip, change, found)
                if answer not in ("good", "refused"):
                    wrong[f"{name}: {trip}: {answer}"] += 1
    assert wrong == {}


def test_a_rename_into_the_place_of_its_own_directory_ends():
    rename = UpdateFile("b/b", "b")
    made = ordered([rename])
    assert [(each.path, each.move_to) for each in made] == [("b/b", "b.moved-1"), ("b.moved-1", "b")]


def test_a_directory_that_becomes_a_file_is_refused_with_what_to_do():
    with pytest.raises(PatchkitError) as refused:
        make_patch({"b/b": b"x\n", "b/c": b"y\n"}, {"b": b"z\n"})
    assert (refused.value.code, refused.value.file) == ("P112", "b")
    assert "rm -r b" in refused.value.hint


def test_names_of_renames_are_taken_as_they_are():
    text = "diff --git a/x b/x (copy)\nsimilarity index 100%\nrename from x\nrename to x (copy)\n"
    assert read_unified(text).sections == [UpdateFile("x", "x (copy)", [])]


def test_a_new_file_with_the_hash_of_a_diff_is_meant_as_it_is():
    text = "f();\n// ... rest of the code ...\n"
    head = "diff --git a/m.js b/m.js\nnew file mode 100644\nindex 0000000..BLOB\n--- /dev/null\n+++ b/m.js\n"
    diff = head + "@@ -0,0 +1,2 @@\n" + "".join(f"+{line}\n" for line in text.split("\n")[:-1])
    files = MemoryFiles({})
    with pytest.raises(PatchkitError) as refused:
        apply(diff.replace("BLOB", "1234567"), files, Options(source="unified"))
    assert refused.value.code == "P218"
    apply(diff.replace("BLOB", blob_id(text.encode())[:7]), files, Options(source="unified"))
    assert files.content == {"m.js": text.encode()}
