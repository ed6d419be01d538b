"""Checking many patches: what is told of each, in any order of work, and on top of each other."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.checking import page as html
from patchkit.checking import text as check_text
from patchkit.checking import tool as check_jobs
from patchkit.checking.limits import Guard, Limits
from patchkit.checking.run import OF_DIFFS, SUFFIXES, CheckRequest, PatchChecker, PatchSource, sources
from patchkit.checking.text import patch_data
from patchkit.checking.tool import check
from patchkit.core.changes import Options
from patchkit.errors import PatchkitError
from patchkit.formats.making import make_patch
from patchkit.processes import workers
from patchkit.sources import MemoryFiles, Overlay
from patchkit.tools.calling import Caller, call
from patchkit.writer import write

UPDATE = "*** Begin Patch\n*** Update File: a.txt\n@@\n-{}\n+{}\n*** End Patch\n"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A workspace of one file, a.txt, that says one, two, three."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    return tmp_path


def patches(*texts: str) -> list[PatchSource]:
    return [PatchSource(f"{number}.patch", 1 << 20, text.encode()) for number, text in enumerate(texts, 1)]


def hunks_of(report):
    return [
        (*(hunk.data[name] for name in ("status", "line", "pass")),) for patch in report.patches for hunk in patch.hunks
    ]


# -- what is told --------------------------------------------------------------------------------


def test_every_hunk_is_reported_with_its_outcome(tree):
    (tree / "a.txt").write_text("one\n  two\nthree\nsame\nsame\n")
    hunks = ["-one\n+eins\n", "-two\n+zwei\n", "-same\n+x\n", "-four\n+vier\n"]
    text = "*** Begin Patch\n*** Update File: a.txt\n" + "".join(f"@@\n{hunk}" for hunk in hunks) + "*** End Patch\n"

    assert hunks_of(check(patches(text), CheckRequest(str(tree)))) == [
        ("applied", 1, "exact"),
        ("applied", 2, "surrounding-space"),
        ("ambiguous", None, None),
        ("not_found", None, None),
    ]


def test_a_fault_of_one_patch_says_nothing_about_the_others(tree):
    report = check(
        patches("nonsense\n\n", UPDATE.format("one", "eins"), UPDATE.format("four", "x")), CheckRequest(str(tree))
    )

    assert [patch.status for patch in report.patches] == ["refused", "applies", "refused"]
    assert (tree / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_hunks_of_a_file_that_is_not_there_are_not_looked_at(tree):
    report = check(patches(UPDATE.replace("a.txt", "b.txt").format("x", "y")), CheckRequest(str(tree)))

    assert hunks_of(report) == [("unchecked", None, None)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_can_be_deleted_but_not_read_is_not_an_error(tree):
    (tree / "a.txt").chmod(0)
    report = check(patches("*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n"), CheckRequest(str(tree)))

    assert [patch.status for patch in report.patches] == ["applies"]


def test_without_a_tree_only_the_language_counts(tree):
    wanted = CheckRequest("/nonexistent")
    wanted.syntax_only = True
    report = check(patches(UPDATE.format("nowhere", "x"), "*** Begin Patch\n*** End Patch\n", "x\ny\n"), wanted)

    assert [patch.status for patch in report.patches] == ["parsed", "refused", "refused"]
    assert [error.code for patch in report.patches for error in patch.every_error] == ["P110", "P101"]


def test_an_internal_error_is_reported_for_the_patch_that_met_it(tree, monkeypatch):
    monkeypatch.setattr("patchkit.checking.run.planned_as_meant", lambda *_: 1 / 0)
    (patch,) = check(patches(UPDATE.format("one", "x")), CheckRequest(str(tree))).patches

    assert [error.code for error in patch.every_error] == ["P499"]


def test_as_a_tool_it_gives_the_envelope_of_every_tool(tree):
    result = call("check", {"input": UPDATE.format("one", "eins")}, Caller(str(tree)))

    assert (result.status, result.data["checked"], result.data["refused"]) == ("success", 1, 0)
    assert result.text == "applies  patch  1 file, 1 hunk\n1 patch checked: it applies\n"
    assert (tree / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_as_a_tool_it_keeps_to_the_limits_of_the_project(tree):
    (tree / ".patchkit.toml").write_text('[check]\nforbid = ["*.txt"]\n')
    result = call("check", {"input": UPDATE.format("one", "eins")}, Caller(str(tree)))

    assert [error["code"] for error in result.errors] == ["P662"]


# -- one on top of the other ---------------------------------------------------------------------


def test_in_a_sequence_each_patch_sees_those_before_it_and_the_disk_sees_none(tree):
    wanted = CheckRequest(str(tree))
    wanted.sequence = True
    texts = [UPDATE.format("one", "eins"), UPDATE.format("eins", "uno"), UPDATE.format("one", "x")]
    report = check(patches(*texts), wanted)

    assert [patch.status for patch in report.patches] == ["applies", "applies", "refused"]
    assert (tree / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_in_a_sequence_a_refused_patch_leaves_nothing_to_those_after_it(tree):
    wanted = CheckRequest(str(tree))
    wanted.sequence = True
    half = UPDATE.format("one", "eins").replace("*** End", "*** Delete File: gone\n*** End")
    report = check(patches(half, UPDATE.format("one", "uno")), wanted)

    assert [patch.status for patch in report.patches] == ["refused", "applies"]


def test_in_a_sequence_a_path_that_is_spelled_otherwise_is_that_of_the_file_as_it_is_then(tree):
    wanted = CheckRequest(str(tree))
    wanted.sequence = True
    added = "*** Begin Patch\n*** Add File: n.py\n+one\n*** End Patch\n"
    gone = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n"
    other = UPDATE.format("one", "eins").replace("a.txt", "a/a.txt")
    report = check(patches(other, gone, other, added, other.replace("a.txt", "n.py")), wanted)

    assert [patch.status for patch in report.patches] == ["applies", "applies", "refused", "applies", "applies"]


TREES = st.dictionaries(
    st.sampled_from(["a", "b", "d/c"]),
    st.lists(st.sampled_from(["x", "y", "z"]), max_size=4).map("\n".join),
    max_size=3,
).map(lambda tree: {name: (text + "\n").encode() for name, text in tree.items()})


@given(st.lists(TREES, min_size=2, max_size=5))
@examples(80)
def test_the_way_through_any_trees_can_be_checked_as_a_sequence(trees):
    checker = PatchChecker(Overlay(MemoryFiles(dict(trees[0]))), Options(check=True), Guard(Limits()))
    checker.layered = True
    for before, after in zip(trees, trees[1:]):
        try:
            patch = make_patch(before, after)
        except PatchkitError:
            return  # the language has no words for this step
        if patch.sections:
            assert checker.check("p", write(patch).encode).status == "applies"


# -- several processes ---------------------------------------------------------------------------


def many(count: int) -> list[PatchSource]:
    texts = [UPDATE.format("one" if number % 3 else "four", number) for number in range(count)]
    return patches(*texts)


@pytest.mark.parametrize("pictures", [False, True])
def test_several_processes_find_what_one_finds_in_the_same_order(tree, monkeypatch, pictures):
    monkeypatch.setattr(check_jobs, "_WORTH_IT", 1)
    wanted = CheckRequest(str(tree))
    wanted.pictures = pictures
    alone, shared = check(many(11), wanted), check(many(11), wanted, jobs=3)

    assert [patch_data(patch) for patch in shared.patches] == [patch_data(patch) for patch in alone.patches]
    assert (check_text.render(shared), html.render(shared)) == (check_text.render(alone), html.render(alone))
    assert [patch.name for patch in shared.patches] == [f"{number}.patch" for number in range(1, 12)]


def test_the_share_of_a_process_that_dies_is_not_lost(tree, monkeypatch):
    """The process dies at each patch that says 'deadly'; the others are checked by another."""
    monkeypatch.setattr(check_jobs, "_WORTH_IT", 1)
    monkeypatch.setattr(check_jobs, "ShareChecker", None)  # this process checks none
    (tree / "sitecustomize.py").write_text(
        "import os, sys\n"
        "class Finder:\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        if name == 'patchkit.checking.tool':\n"
        "            from patchkit.checking import run\n"
        "            real = run.PatchChecker.check\n"
        "            def check(self, name, read):\n"
        "                if b'deadly' in read():\n"
        "                    os.abort()\n"
        "                return real(self, name, read)\n"
        "            run.PatchChecker.check = check\n"
        "sys.meta_path.insert(0, Finder)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tree), prepend=os.pathsep)
    asked = [*many(5), PatchSource("6.patch", 1 << 20, UPDATE.format("deadly", "x").encode()), *many(4)]

    found = check(asked, CheckRequest(str(tree)), jobs=3).patches

    assert [patch.name for patch in found] == [patch.name for patch in asked]
    assert [patch.status for patch in found[:5] + found[6:]] == [
        patch.status for patch in check(many(5) + many(4), CheckRequest(str(tree))).patches
    ]
    assert [error.message for error in found[5].errors] == [
        "internal error in patchkit: the process that checked the patch was ended by SIGABRT"
    ]


def test_several_processes_report_their_progress_together(tree, monkeypatch):
    monkeypatch.setattr(check_jobs, "_WORTH_IT", 1)
    told: list[int] = []
    check(many(11), CheckRequest(str(tree)), jobs=3, on_done=told.append)

    assert told == list(range(1, 12))


def test_few_patches_are_not_worth_another_process(tree, monkeypatch):
    monkeypatch.setattr(workers, "Workers", None)

    assert len(check(many(5), CheckRequest(str(tree)), jobs=8).patches) == 5


def test_of_good_patches_a_brief_check_keeps_how_many_files_and_hunks_they_have(tree):
    wanted = CheckRequest(str(tree))
    wanted.brief = True
    brief, whole = check(many(5), wanted), check(many(5), CheckRequest(str(tree)))

    assert check_text.render(brief) == check_text.render(whole)
    good = [patch for patch in brief.patches if patch.status == "applies"]
    assert {id(file) for patch in good for file in patch.files} == {id(good[0].files[0])}


def test_an_error_keeps_its_words_on_the_way_between_processes():
    error = PatchkitError("P302", file="a", patch_line=2)
    error.others = [PatchkitError("P110")]
    copy = pickle.loads(pickle.dumps(error))

    assert [str(each) for each in copy.errors] == [str(each) for each in error.errors]
    assert copy.facts == error.facts


# -- which patches -------------------------------------------------------------------------------


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A directory of patches and other things."""
    monkeypatch.chdir(tmp_path)
    for name in ("p/b.patch", "p/a.patch", "p/deep/c.apply_patch", "p/README.md", "p/.hidden/d.patch", "x[1].patch"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    os.mkfifo(tmp_path / "p" / "fifo.patch")
    return tmp_path


def named(*words: str) -> list[str]:
    return [source.name for source in sources(list(words), 1 << 20)]


def test_a_directory_means_its_patches_at_any_depth_in_order(shelf):
    assert named("p") == ["p/a.patch", "p/b.patch", "p/deep/c.apply_patch"]


def test_diffs_of_a_directory_are_checked_where_a_format_is_named(shelf):
    (shelf / "p/deep/b.diff").write_text("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+x\n")

    assert [each.name for each in sources(["p/deep"], 1 << 20, SUFFIXES + OF_DIFFS)] == [
        "p/deep/b.diff",
        "p/deep/c.apply_patch",
    ]


def test_a_glob_means_the_files_it_matches(shelf):
    assert named("p/*.patch") == ["p/a.patch", "p/b.patch"]
    assert named("p/**/*.apply_patch") == ["p/deep/c.apply_patch"]
    assert named("p/*") == ["p/README.md", "p/a.patch", "p/b.patch", "p/deep/c.apply_patch"]


def test_a_file_of_exactly_the_name_wins_over_the_glob(shelf):
    assert named("x[1].patch") == ["x[1].patch"]


def test_a_patch_that_is_named_twice_is_checked_once(shelf):
    assert named("p/b.patch", "p", "p/b.patch") == ["p/b.patch", "p/a.patch", "p/deep/c.apply_patch"]


@pytest.mark.parametrize("word", ["nope.patch", "nope/*.patch", "p/.hidden/none", "p/README", ""])
def test_a_word_that_names_no_patch_is_refused(shelf, word):
    with pytest.raises(PatchkitError, match=f"P661: (no patch found at|there is no file) '{word.replace('*', '[*]')}'"):
        named(word)


def test_a_patch_that_cannot_be_read_or_is_too_large_is_refused_alone(shelf, monkeypatch):
    report = check(
        [PatchSource("p", 100), PatchSource("p/a.patch", 3), PatchSource("gone", 100)], CheckRequest(str(shelf))
    )

    assert [error.message for patch in report.patches for error in patch.every_error] == [
        "cannot read 'p': is a directory",
        "the patch is larger than 3 bytes",
        "cannot read 'gone': no such file or directory",
    ]


def test_a_check_leaves_the_calling_process_as_it_was(tree):
    code = (
        "import os, signal, sys, threading\n"
        "from patchkit.checking.tool import check\n"
        "from patchkit.checking.run import CheckRequest\n"
        "from patchkit.checking.run import PatchSource\n"
        "before = os.getcwd(), dict(os.environ), signal.getsignal(signal.SIGINT), threading.active_count()\n"
        "check([PatchSource('p', 9, b'x\\n\\n')] * 60, CheckRequest('.'), jobs=2)\n"
        "after = os.getcwd(), dict(os.environ), signal.getsignal(signal.SIGINT), threading.active_count()\n"
        "sys.exit(before != after)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
