"""`apply_patch --json`: one envelope for success and refusal."""

from __future__ import annotations

import hashlib
import json

X_TO_Y = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"


def envelope_of(done):
    """The one JSON value on standard output, its running time checked and taken out."""
    envelope = json.loads(done.stdout)
    assert envelope["stats"].pop("time_ms") >= 0
    return envelope


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def test_json_reports_a_success_in_one_envelope(run, tree):
    (tree / "a.txt").write_bytes(b"w\nx  \n")
    done = run("--json", X_TO_Y.replace("@@\n", "*** Move to: b.txt\n@@\n"))

    assert (done.status, done.stderr) == (0, b"")
    assert envelope_of(done) == {
        "status": "success",
        "data": {
            "applied": True,
            "dialect": "safe",
            "files": [
                {
                    "path": "b.txt",
                    "op": "move",
                    "moved_from": "a.txt",
                    "added": 1,
                    "removed": 1,
                    "sha256_before": sha256(b"w\nx  \n"),
                    "sha256_after": sha256(b"w\ny\n"),
                    "hunks": [
                        {
                            "index": 1,
                            "patch_line": 4,
                            "status": "applied",
                            "pass": "trailing-space",
                            "line": 2,
                            "candidates": [],
                            "candidate_count": 0,
                            "near_miss": None,
                            "evidence": [],
                        }
                    ],
                }
            ],
            "suggestion": None,
            "confidence": None,
        },
        "text": "Success. Updated the following files:\nM b.txt\n",
        "error": None,
        "errors": [],
        "notes": [
            {
                "code": "P921",
                "message": "hunk 1 of 'a.txt' (line 4) matched at line 2 ignoring trailing whitespace",
                "variant": "trailing-space",
                "file": "a.txt",
                "hunk": 1,
                "patch_line": 4,
                "line": 2,
            }
        ],
        "stats": {},
        "context": {
            "cwd": str(tree),
            "params_input": {"root": None, "directory": None, "dialect": "safe"},
            "path_resolved": str(tree),
        },
    }


def test_json_reports_a_refusal_in_the_same_envelope(run):
    done = run("--json", "*** Begin Patch\n*** Delete File: b.txt\n*** Add File: a.txt\n+z\n*** End Patch\n")
    missing = {
        "code": "P302",
        "kind": "NOT_FOUND",
        "message": "file 'b.txt' does not exist",
        "hint": "check the path; nothing was written",
        "file": "b.txt",
        "hunk": None,
        "patch_line": 2,
        "line": None,
    }
    existing = {
        "code": "P303",
        "kind": "CONFLICT",
        "message": "cannot add 'a.txt': it already exists",
        "hint": "change it with '*** Update File: a.txt', or replace it with '--overwrite'; nothing was written",
        "file": "a.txt",
        "hunk": None,
        "patch_line": 3,
        "line": None,
    }
    envelope = envelope_of(done)

    assert (done.status, done.stderr) == (1, b"")
    assert (envelope["status"], envelope["data"]["applied"]) == ("error", False)
    assert (envelope["error"], envelope["errors"], envelope["notes"]) == (missing, [missing, existing], [])
    assert envelope["text"].startswith("error[P302]: file 'b.txt' does not exist\n")


def test_json_reports_what_became_of_every_hunk_of_a_refused_patch(run, tree):
    (tree / "a.txt").write_bytes(b"x\nmid\nx\n")
    done = run("--json", X_TO_Y.replace("*** End", "@@\n-nowhere\n+y\n*** End"))
    hunks = envelope_of(done)["data"]["files"][0]["hunks"]

    assert [(hunk["index"], hunk["patch_line"], hunk["status"], hunk["candidate_count"]) for hunk in hunks] == [
        (1, 3, "ambiguous", 2),
        (2, 6, "not_found", 0),
    ]


def test_json_reports_what_would_choose_each_place(run, tree):
    (tree / "a.txt").write_bytes(b"def f():\n    x\ndef g():\n    x\n    end\nx\n")
    hunk = envelope_of(run("--json", X_TO_Y.replace("-x", "-    x")))["data"]["files"][0]["hunks"][0]

    assert hunk["candidates"] == [
        {"line": 2, "inside": "def f():", "add": ["@@ def f():"], "where": "anchors"},
        {"line": 4, "inside": "def g():", "add": ["@@ def g():"], "where": "anchors"},
    ]


def test_json_lists_a_thousand_places_and_counts_them_all(run, tree):
    (tree / "a.txt").write_bytes(b"x\n" * 1500)
    hunk = envelope_of(run("--json", X_TO_Y))["data"]["files"][0]["hunks"][0]

    assert [each["line"] for each in hunk["candidates"]] == list(range(1, 1001))
    assert hunk["candidate_count"] == 1500


def test_json_reports_the_nearest_miss_of_a_hunk_that_is_nowhere(run, tree):
    (tree / "a.txt").write_bytes(b"one\ntwo\ntotal = 2\n")
    done = run("--json", "*** Begin Patch\n*** Update File: a.txt\n@@\n two\n-Total = 2\n+x\n*** End Patch\n")
    hunk = envelope_of(done)["data"]["files"][0]["hunks"][0]

    assert hunk["near_miss"] == {
        "file": "a.txt",
        "line": 2,
        "agree": 1,
        "total": 2,
        "differs_at": 3,
        "column": 1,
        "patch_line": 5,
        "expected": "Total = 2",
        "found": "total = 2",
        "cause": "only upper and lower case differ",
    }


def test_json_offers_the_hint_that_the_text_shows(run, tree):
    (tree / "a.txt").write_bytes(b"x\nmid\nx\n")
    envelope = envelope_of(run("--json", X_TO_Y))

    assert f"  = help: {envelope['error']['hint']}\n" in envelope["text"]


def test_json_of_a_check_is_a_success_that_was_not_applied(run, contents):
    envelope = envelope_of(run("--json", "--check", X_TO_Y))

    assert (envelope["status"], envelope["data"]["applied"]) == ("success", False)
    assert envelope["text"] == "Patch applies. It would update the following files:\nM a.txt\n"
    assert contents() == {"a.txt": b"x\n"}


def test_json_carries_the_diff_when_asked(run):
    data = envelope_of(run("--json", "--diff", X_TO_Y))["data"]

    assert data["diff"] == "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+y\n"
