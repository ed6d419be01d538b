"""Rows in, verdicts out: every kind of input, every kind of base, every verdict."""

from __future__ import annotations

import gzip
import json

import pytest
from batch_rows import BASE, commit_of, git, patch_of, row_of, verdict_of


def test_every_row_gets_its_verdict_in_the_order_of_the_rows(write_rows, batch):
    answers = batch(write_rows([row_of(number) for number in range(300)]), "--jobs", "2")

    assert answers.by("id", "row", "verdict", "model") == [
        (f"row-{number}", number + 1, verdict_of(number), "ab"[number % 2]) for number in range(300)
    ]


def test_an_answer_says_why_a_row_is_refused_and_passes_other_columns_through(write_rows, batch):
    rows = [{"instance_id": 7, "model_patch": patch_of(3, old="4"), "files": {"a.py": BASE}, "split": {"a": [1]}}]

    assert batch(write_rows(rows)) == [
        {
            "id": 7,
            "row": 1,
            "verdict": "refused",
            "code": "P211",
            "pass": None,
            "passes": {},
            "errors": [
                {
                    "code": "P211",
                    "message": "the hunk's lines are not below anchor 'def f3():' in 'a.py', but at line 14",
                    "file": "a.py",
                    "hunk": 1,
                    "patch_line": 3,
                    "line": 14,
                }
            ],
            "notes": [],
            "split": {"a": [1]},
        }
    ]


def test_what_is_asked_for_is_emitted(write_rows, batch):
    old = {"id": "b", "patch": patch_of(1, old="one"), "files": {"a.py": "def f1():\n    return One\n"}}
    new = {"id": "a", "patch": patch_of(1), "files": {"a.py": "def f1():\n    return 1\n"}}

    good, bad = batch(write_rows([new, old]), "--emit", "verdict,diff", "--emit", "files,suggestion")

    assert good["diff"].splitlines()[-3:] == [" def f1():", "-    return 1", "+    return 101"]
    assert good["files_after"] == {"a.py": "def f1():\n    return 101\n"}
    assert (bad["verdict"], "diff" in bad, bad["errors"][0]["cause"]) == (
        "refused",
        False,
        "only upper and lower case differ",
    )
    assert "-    return One" in bad["suggestion"].splitlines()


PATCHES = [
    ("--- a/a.py\n+++ b/a.py\n@@ -4,2 +4,2 @@\n def f1():\n-    return 1\n+    return 2\n", "applies"),
    ("a.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE\n", "applies"),
    (json.dumps({"file_path": "a.py", "old_string": "return 1\n", "new_string": "return 2\n"}), "applies"),
    ("--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-another content\n", "refused"),
    ("a.py\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n", "refused"),
    ("", "unreadable"),
    (None, "unreadable"),
    (7, "unreadable"),
]


def test_a_patch_is_read_in_any_format(write_rows, batch):
    rows = [{"id": n, "patch": text, "files": {"a.py": BASE}} for n, (text, _) in enumerate(PATCHES)]

    assert batch(write_rows(rows)).by("verdict") == [(verdict,) for _, verdict in PATCHES]


def test_parts_of_paths_are_removed_and_what_a_patch_cannot_say_is_left_out(write_rows, batch):
    module = "diff --git a/x/m b/x/m\nnew file mode 160000\nindex 0000000..89e6c98\n--- /dev/null\n+++ b/x/m\n"
    module += "@@ -0,0 +1 @@\n+Subproject commit 89e6c98d92887913cadf06b2adb97f26cde4849b\n"
    texts = ["--- a/x/a.txt\n+++ b/x/a.txt\n@@ -1 +1 @@\n-one\n+# ... rest of the code\n", module]
    rows = write_rows([{"id": n, "patch": text, "files": {"a.txt": "one\n"}} for n, text in enumerate(texts)])

    assert batch(rows).by("verdict", "code", "notes") == [("refused", "P302", []), ("refused", "P112", [])]
    assert batch(rows, "-p2", "--skip-unsupported", "--allow-placeholder", out="skipped.jsonl").by(
        "verdict", "code", "notes"
    ) == [
        ("applies", None, []),
        ("applies", None, ["P983"]),
    ]


def test_files_come_in_several_forms_and_those_that_are_none_are_the_fault_of_the_row(write_rows, batch):
    good = [
        {"a.py": BASE},
        json.dumps({"a.py": BASE}),
        [["a.py", BASE]],
        [{"path": "a.py", "content": BASE}],
        {"a.py": BASE, "b.py": None},
    ]
    bad, other = [7, "{", {"a.py": 7}, ["a.py"]], [{}, []]
    rows = [{"id": 1, "patch": patch_of(1), "files": files} for files in [*good, *bad, *other]]

    verdicts = [("applies",)] * len(good) + [("no-base",)] * len(bad) + [("refused",)] * len(other)
    assert batch(write_rows(rows)).by("verdict") == verdicts


def test_the_base_of_a_row_is_a_commit(write_rows, batch, tmp_path):
    clone = tmp_path / "repos" / "owner" / "name"
    clone.mkdir(parents=True)
    git(clone, "init", "-q")
    commits = []
    for number in range(3):
        (clone / "a.py").write_text(BASE.replace("return 1\n", f"return 9{number}\n"))
        git(clone, "add", ".")
        git(clone, "commit", "-qm", "x")
        commits.append(commit_of(clone))
    rows = [
        {"id": n, "patch": patch_of(1, old=f"9{n % 3}"), "repo": "owner/name", "base_commit": commits[n // 3 % 3]}
        for n in range(9)
    ]
    rows += [{"id": 9, "patch": patch_of(1), "repo": "owner/other", "base_commit": commits[0]}]
    rows += [{"id": 10, "patch": patch_of(1), "repo": "owner/name", "base_commit": "0" * 40}]
    rows += [{"id": 11, "patch": patch_of(1), "repo": "../repos/owner/name", "base_commit": commits[0]}]

    answers = batch(write_rows(rows), "--repos", "repos")

    assert answers.by("id", "verdict", "code") == [
        *[(n, "applies" if n % 3 == n // 3 else "refused", None if n % 3 == n // 3 else "P201") for n in range(9)],
        (9, "no-base", "P693"),
        (10, "no-base", "P666"),
        (11, "no-base", "P693"),
    ]


def test_answers_and_pages_name_repositories_as_rows_do(write_rows, batch, tmp_path):
    clone, broken = (tmp_path / "repos" / "owner" / name for name in ("name", "broken"))
    for path in (clone, broken):
        path.mkdir(parents=True)
        git(path, "init", "-q")
    (broken / ".git" / "HEAD").unlink()
    rows = [
        {"id": n, "patch": patch_of(1), "repo": f"owner/{name}", "base_commit": "0" * 40}
        for n, name in enumerate(("name", "broken", "none"))
    ]

    for out, given in (("as-given", "repos"), ("absolute", str(tmp_path / "repos"))):
        answers = batch(write_rows(rows), "--repos", given, "--report", "html", out=f"{out}.jsonl")

        assert [answer["errors"][0]["message"] for answer in answers] == [
            f"unknown commit '{'0' * 40}' in 'owner/name/.git'",
            "cannot read the repository: not a git repository: 'owner/broken/.git'",
            "the row has no usable base: there is no repository 'owner/none' in the directory of '--repos'",
        ]
        assert str(tmp_path) not in (tmp_path / f"{out}.html").read_text()


def test_packed_rows_and_parts_of_a_directory_are_read_alike(write_rows, batch, tmp_path):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    rows = [row_of(number) for number in range(90)]
    parts = tmp_path / "parts"
    parts.mkdir()
    lines = [json.dumps(row).encode() + b"\n" for row in rows]
    (parts / "0.jsonl").write_bytes(b"".join(lines[:20]).rstrip(b"\n"))  # the last line has no end
    (parts / "1.jsonl.gz").write_bytes(gzip.compress(b"".join(lines[20:40])))
    with arrow.CompressedOutputStream(str(parts / "2.jsonl.zst"), "zstd") as stream:
        stream.write(b"\n".join(lines[40:60]))  # empty lines are not rows
    table = arrow.Table.from_pylist(rows[60:])
    pyarrow.parquet.write_table(table, parts / "3.parquet", row_group_size=7)

    answers = batch(parts, "--jobs", "1")

    assert answers.by("id", "verdict") == [(f"row-{number}", verdict_of(number)) for number in range(90)]


def test_rows_of_standard_input_are_answered_on_standard_output(batch):
    rows = "".join(json.dumps(row_of(number)) + "\n" for number in range(3)).encode()

    answers = batch("-", out="-", stdin=rows)

    assert answers.by("id", "verdict") == [(f"row-{number}", verdict_of(number)) for number in range(3)]


def test_the_summary_counts_by_verdict_code_and_group(write_rows, batch):
    run = batch(write_rows([row_of(number) for number in range(22)]), "--group-by", "model", "--json")

    assert json.loads(run.stdout) == {
        "rows": 22,
        "verdicts": {"applies": 17, "refused": 3, "unreadable": 2},
        "codes": {"P201": 3, "P120": 2},
        "passes": {"exact": 17},
        "groups": [
            {
                "model": "a",
                "verdicts": {"applies": 8, "refused": 2, "unreadable": 1},
                "codes": {"P201": 2, "P120": 1},
                "passes": {"exact": 8},
            },
            {
                "model": "b",
                "verdicts": {"applies": 9, "refused": 1, "unreadable": 1},
                "codes": {"P120": 1, "P201": 1},
                "passes": {"exact": 9},
            },
        ],
    }


def test_the_status_is_one_only_for_what_shall_fail(write_rows, batch):
    rows = write_rows([row_of(number) for number in range(7)])

    batch(rows, "--fail-on", "failed,unreadable,P1")
    batch(rows, "--fail-on", "P2", "--resume", status=1)
    batch(rows, "--fail-on", "refused", "--resume", status=1)
    batch(rows, "--fail-on", "bad", "--resume", status=2)


def test_rows_that_cannot_be_read_at_all_are_a_matter_of_usage(batch, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "rows.parquet").write_bytes(b"no Parquet")

    assert "P690" in batch(tmp_path / "nowhere.jsonl", status=2).stderr
    assert "P690" in batch(tmp_path / "empty", status=2).stderr
    pytest.importorskip("pyarrow")
    assert "P690" in batch(tmp_path / "rows.parquet", status=2).stderr


def test_partial_says_of_a_refused_row_how_much_of_it_fits(write_rows, batch):
    text = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** Add File: c.py\n+c = 1\n"
        "*** Update File: b.py\n@@\n-y = 1\n+y = 2\n@@\n-u = 1\n+u = 2\n@@\n-nowhere\n+z\n*** End Patch\n"
    )
    bases = {"bad": "y = 1\nu = 1\n", "good": "y = 1\nu = 1\nnowhere\n"}
    rows = write_rows(
        [{"id": name, "patch": text, "files": {"a.py": "x = 1\n", "b.py": base}} for name, base in bases.items()]
    )

    said = [
        [each.get("fits") for each in batch(rows, how, out=f"{how}.jsonl")] for how in ("--partial", "--partial=hunks")
    ]

    assert said == [["2 of 3 files, 3 of 4 hunks", None]] * 2
