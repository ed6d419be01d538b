"""Rows that are made to break a run: each has a verdict, and so has every other row."""

from __future__ import annotations

import json
import os

from batch_rows import BASE, git, patch_of, row_of, verdict_of

FULL = os.environ.get("PATCHKIT_TESTS") == "full"


def hostile():
    """Lines of bytes with the verdicts that they may get."""
    files = {"a.py": BASE}
    many = "".join(f"@@\n-x{number}\n+y\n" for number in range(3000))
    same = "}\n" * (20_000 if FULL else 5_000)
    rows = [
        (
            {"id": "half", "patch": "*** Begin Patch\n*** Add File: \ud800\n+x\n*** End Patch\n", "files": {}},
            "unreadable",
        ),
        ({"id": "half file", "patch": patch_of(1), "files": {"a.py": "\udfff"}}, "no-base"),
        ({"id": "nul path", "patch": patch_of(1).replace("a.py", "a\0.py"), "files": files}, "refused"),
        ({"id": "nul text", "patch": patch_of(1), "files": {"a.py": "\0" + BASE}}, "applies"),
        ({"id": "outside", "patch": patch_of(1).replace("a.py", "../../etc/passwd"), "files": files}, "refused"),
        (
            {"id": "loop", "patch": patch_of(1).replace("a.py", "a/b"), "repo": "loops", "base_commit": "HEAD"},
            "refused",
        ),
        ({"id": "revision", "patch": patch_of(1), "repo": "loops", "base_commit": "HEAD\nHEAD"}, "no-base"),
        (
            {"id": "many", "patch": f"*** Begin Patch\n*** Update File: a.py\n{many}*** End Patch\n", "files": files},
            "refused",
        ),
        (
            {
                "id": "everywhere",
                "patch": "*** Begin Patch\n*** Update File: a.py\n@@\n"
                + " }\n" * (9_000 if FULL else 2_250)
                + "+x\n*** End Patch\n",
                "files": {"a.py": same},
            },
            "refused failed",
        ),
        ({"id": "list", "patch": ["x"], "files": files}, "unreadable"),
        ({"patch": patch_of(1), "files": files}, "applies"),
    ]
    lines = [(json.dumps(row).encode(), verdicts) for row, verdicts in rows]
    lines += [
        (b"[" * 100_000 + b"]" * 100_000, "unreadable"),
        (b'{"id": 1' + b"0" * 5000 + b', "patch": ""}', "unreadable"),
        (b"\xff\xfe", "unreadable"),
        (b"null", "unreadable"),
        (b'{"id": "open', "unreadable"),
        (b'{"id": "long", "patch": "' + b"x" * (50 << 20 if FULL else 2 << 20) + b'"}', "no-base unreadable"),
    ]
    return lines


def test_every_row_has_a_verdict_whatever_the_others_are(batch, tmp_path):
    loops = tmp_path / "repos" / "loops"
    loops.mkdir(parents=True)
    git(loops, "init", "-q")
    (loops / "a").symlink_to("b")
    (loops / "b").symlink_to("a")
    git(loops, "add", ".")
    git(loops, "commit", "-qm", "x")
    bad = hostile()
    count = 100_000 if FULL else 10 * len(bad)  # each of them once
    rows = tmp_path / "rows.jsonl"
    expected = []
    with open(rows, "wb") as file:
        for number in range(count):
            if number % (100 if FULL else 10) == 5:
                line, verdicts = bad[number // (100 if FULL else 10) % len(bad)]
                if len(line) > 10 << 20 and number > 10_000:
                    line = line[:1000]  # a few lines of 50 MB are enough
                file.write(line + b"\n")
                expected.append(verdicts)
            else:
                file.write(json.dumps(row_of(number)).encode() + b"\n")
                expected.append(verdict_of(number))

    answers = batch(rows, "--repos", "repos", "--jobs", "2")

    assert [answer["row"] for answer in answers] == list(range(1, count + 1))
    wrong = [
        (answer["id"], answer["verdict"], verdicts)
        for answer, verdicts in zip(answers, expected)
        if answer["verdict"] not in verdicts.split()
    ]
    assert wrong == []


TROUBLE = {  # at a row, and the code that it gives
    "row-31": ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "P695"),
    "row-33": ("import os; os._exit(3)", "P695"),
    "row-34": ("raise ValueError('broken')", "P499"),
    "row-35": ("x = bytearray(1 << 40)", "P405"),
    "row-36": ("import time; time.sleep(3600)", "P694"),
    "row-37": ("while True: pass", "P694"),
    "row-38": ("sum(range(1 << 60))", "P694"),  # inside C, where no signal handler of Python runs
}


def test_rows_that_stop_a_worker_are_found_and_no_other_row_is_lost(write_rows, batch, monkeypatch, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        f"TROUBLE = { ({name: code for name, (code, _) in TROUBLE.items()})!r}\n"
        "class Finder:\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        if name == 'patchkit.batch.worker':\n"
        "            from patchkit.batch import judging\n"
        "            real = judging.Bases.files\n"
        "            def files(self, row):\n"
        "                exec(TROUBLE.get(row['id'], ''))\n"
        "                return real(self, row)\n"
        "            judging.Bases.files = files\n"
        "sys.meta_path.insert(0, Finder)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)

    rows = write_rows([row_of(number) for number in range(60)])
    expected = [(f"row-{number}", verdict_of(number)) for number in range(60)]
    for name in TROUBLE:
        expected[int(name[4:])] = name, "failed"

    for seconds in ("0.4", "4", "40"):  # more on a machine that is too busy for an ordinary row in that time
        answers = batch(rows, "--jobs", "2", "--row-timeout", seconds, out=f"{seconds}.jsonl")
        if answers.by("id", "verdict") == expected:
            break

    assert answers.by("id", "verdict") == expected
    assert {a["id"]: a["code"] for a in answers if a["id"] in TROUBLE} == {n: code for n, (_, code) in TROUBLE.items()}


def test_a_line_that_is_too_long_is_not_read(monkeypatch, tmp_path):
    from patchkit.batch import chunks
    from patchkit.batch.worker import rows_of

    monkeypatch.setattr(chunks, "MOST_ROW_BYTES", 5_000)
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 2_000)
    (tmp_path / "rows.jsonl").write_bytes(b'{"id": 1}\n' * 100 + b"x" * 100_000 + b'\n{"id": 2}\n')

    rows = [row for chunk in chunks.RowSource(str(tmp_path / "rows.jsonl")).chunks() for row in rows_of(chunk)]

    assert [number for number, _ in rows] == list(range(1, 103))
    assert str(rows[100][1]) == "P692: the row cannot be read: its line is longer than 64 MB"
    assert rows[101][1] == {"id": 2}
