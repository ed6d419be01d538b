"""The programs of examples/ do what their first lines say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from patchkit.testing import check_files

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
CHANGE = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n"
SECOND = "*** Begin Patch\n*** Add File: b.txt\n+new\n*** End Patch\n"
WRONG = "*** Begin Patch\n*** Delete File: nowhere\n*** End Patch\n"


def run(name: str, *words: str, patch: str = "", cwd: Path | None = None) -> tuple[str, int]:
    """What the program prints, and its exit status."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *words]
    done = subprocess.run(command, input=patch, capture_output=True, text=True, cwd=cwd, check=False)
    assert done.stderr == ""
    return done.stdout, done.returncode


@pytest.fixture
def root(tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    return tmp_path


def test_the_host_answers_with_the_files_that_changed(root):
    assert run("host", str(root), patch=CHANGE) == ("update a.txt (+1 -1)\n", 0)
    assert (root / "a.txt").read_text() == "two\n"


def test_the_host_answers_a_refused_patch_with_its_errors(root):
    words, status = run("host", str(root), patch=WRONG)

    assert (words.partition("\n")[0], status) == ("error[P302]: file 'nowhere' does not exist", 0)
    assert "--" not in words.replace("-->", "")


def test_the_async_host_applies_patches_at_the_same_time(root):
    for name, text in (("1", CHANGE), ("2", SECOND), ("3", WRONG)):
        (root / name).write_text(text)

    words, status = run("async_host", str(root), *(str(root / name) for name in "123"))

    assert [line.partition(": ")[2] for line in words.splitlines()] == [
        "a.txt",
        "b.txt",
        "P302: file 'nowhere' does not exist",
    ]
    assert (status, (root / "a.txt").read_text(), (root / "b.txt").read_text()) == (0, "two\n", "new\n")


def test_the_virtual_files_are_changed_without_a_disk(tmp_path):
    words, status = run("virtual_files", cwd=tmp_path)

    assert (words.splitlines()[-1], status) == ('print("hello, world")', 0)
    assert list(tmp_path.iterdir()) == []


def test_the_virtual_files_keep_the_contract_of_files(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from virtual_files import new_table

    check_files(lambda content: new_table(dict(content)))


def test_the_ci_check_names_the_patches_that_do_not_apply(root):
    (root / "good").write_text(CHANGE)
    (root / "bad").write_text(WRONG)

    words, status = run("ci_check", "good", "bad", cwd=root)

    assert words.splitlines()[0].startswith("bad:2: P302 file 'nowhere' does not exist; ")
    assert (words.splitlines()[1:], status) == (["1 of 2 patches apply"], 1)
    assert run("ci_check", "good", cwd=root) == ("1 of 1 patches apply\n", 0)
    assert (root / "a.txt").read_text() == "one\n"


def test_the_ci_check_accepts_a_patch_that_is_applied_already(root):
    (root / "a.txt").write_text("two\n")
    (root / "good").write_text(CHANGE)

    assert run("ci_check", "good", cwd=root) == ("1 of 1 patches apply\n", 0)


def test_the_batch_report_goes_from_parquet_to_a_page(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    good = CHANGE
    wrong = CHANGE.replace("-one", "-three")
    files = pyarrow.array([[("a.txt", "one\n")]] * 20, pyarrow.map_(pyarrow.string(), pyarrow.string()))
    patches = [good if number % 5 else wrong for number in range(20)]
    columns = {"id": [f"task-{n}" for n in range(20)], "model": ["m0", "m1"] * 10, "patch": patches, "files": files}
    parquet.write_table(pyarrow.table(columns), tmp_path / "rows.parquet")
    command = [sys.executable, str(EXAMPLES / "batch_report.py"), "rows.parquet"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    assert (done.returncode, done.stderr) == (0, "verdicts.html\n")
    assert done.stdout.splitlines()[:3] == [
        "20 rows",
        "  applies  16   80.0 %  ████████████████████████",
        "  refused   4   20.0 %  ██████",
    ]
    assert "<b>80.0 %</b> of 20 patches apply" in (tmp_path / "verdicts.html").read_text()


def test_an_example_without_its_words_prints_its_usage_or_what_to_install(subtests):
    """C9 of the second round: they ended in tracebacks."""
    for path in sorted(EXAMPLES.glob("*.py")):
        with subtests.test(path.name):
            done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            said = done.stderr + done.stdout
            assert "Traceback" not in said
            expected = ("usage: ", "Usage: ", "this needs a package: pip install ")
            assert path.stem == "virtual_files" or said.startswith(expected), said


def test_every_example_is_in_the_list_of_examples():
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")

    assert [path.name for path in sorted(EXAMPLES.glob("*.py")) if f"[{path.name}]({path.name})" not in text] == []
