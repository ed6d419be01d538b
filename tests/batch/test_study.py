"""The study of a batch: classes of slips by group, as text, as JSON and as a page."""

from __future__ import annotations

import json
import re
import subprocess
import sys

from batch_rows import BASE, patch_of

from patchkit.batch.study import Study, study_of
from patchkit.cli.commands.batch import study_text
from patchkit.report.pages.batch_page import render_page

ROWS = [
    {"id": "good", "patch": patch_of(1), "files": {"a.py": BASE}, "model": "m1"},
    {"id": "loose", "patch": patch_of(2, old="2  "), "files": {"a.py": BASE}, "model": "m1"},
    {"id": "<b>lost</b>", "patch": patch_of(3, old="three"), "files": {"a.py": BASE}, "model": "m2"},
    {"id": None, "patch": "no patch", "files": {}, "model": "m2"},
]


def test_a_study_counts_slips_by_class_and_group(write_rows, batch, tmp_path):
    batch(write_rows(ROWS), "--report", "html", "--group-by", "model")

    found = study_of(str(tmp_path / "out.jsonl"), ("model",)).values()

    assert found["groups"] == [{"group": "m1", "rows": 2, "applies": 2}, {"group": "m2", "rows": 2, "applies": 0}]
    assert [(each["code"], each["title"], each["verdict"], each["groups"]) for each in found["classes"]] == [
        ("P201", "hunk not found in 'FILE': a word differs", "refused", {"m2": {"rows": 1, "rate": 0.5}}),
        ("P120", "the text is in no edit format that is known here", "unreadable", {"m2": {"rows": 1, "rate": 0.5}}),
        ("P921", "matched by the pass 'trailing-space'", "applies", {"m1": {"rows": 1, "rate": 0.5}}),
    ]
    page = (tmp_path / "out.html").read_text()
    assert "50.0 %</b> of 4 patches apply" in page
    assert "&lt;b&gt;lost&lt;/b&gt;" in page
    assert "<b>lost" not in page
    assert re.findall(r'(?:src|href)="(?!#)', page) == []  # nothing is fetched from anywhere


def test_the_command_prints_a_study_and_says_what_is_not_one(tmp_path):
    def run(*words):
        command = [sys.executable, "-m", "patchkit", "study", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    answer = {"id": 1, "row": 1, "verdict": "refused", "code": "P302", "pass": None, "passes": {}, "notes": []}
    answer["errors"] = [{"code": "P302", "message": "'a' does not exist"}]
    (tmp_path / "out.jsonl").write_text(json.dumps(answer) + "\n")
    (tmp_path / "bad.jsonl").write_text('{"id": 1}\n')

    assert run("out.jsonl")[:2] == (
        0,
        "1 rows, 0.0 % apply\n\nDoes not apply\n          1  100.00 %  P302 file 'FILE' does not exist\n"
        "                      such as 1: 'a' does not exist\n",
    )
    assert run("bad.jsonl")[0] == 2
    assert "line 1 is not a verdict" in run("bad.jsonl")[2]


def test_a_study_stays_small_whatever_the_number_of_rows():
    study = Study(("model",))
    for number in range(5_000):
        study.add({"id": number, "row": number, "verdict": "refused", "code": "P201", "pass": None, "model": number})

    values = study.values()
    assert len(values["groups"]) <= 1_001
    assert len(values["rows"]) == 2_000
    assert len(values["classes"][0]["examples"]) == 3
    assert len(render_page(values)) < 2_000_000
    assert study_text(values).startswith("5,000 rows, 0.0 % apply\n")
