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


def test_json_tells_a_success_in_one_envelope(run, tree):
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
                            "near_miss": None,
                            "evidence": [],
                        }
                    ],
                }
            ],
            "suggestion": None,
        },
        "text": "Success. Updated the following files:\nM b.txt\n",
        "error": None,
        "errors": [],
        "notes": [
            {
                "code": "P921",
                "message": "hunk 1 of 'a.txt' (line 4) fits at line 2 by pass 'trailing-space'",
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


def test_json_tells_a_refusal_in_the_same_envelope(run):
    done = run("--json", "*** Begin Patch\n*** Delete File: b.txt\n*** Add File: a.txt\n+x\n*** End Patch\n")
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
        "message": "cannot add 'a.txt': it exists already",
        "hint": "change it with '*** Update File: a.txt', or allow it with '--overwrite'; nothing was written",
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


def test_json_tells_what_became_of_every_hunk_of_a_refused_patch(run, tree):
    (tree / "a.txt").write_bytes(b"x\nmid\nx\n")
    done = run("--json", X_TO_Y.replace("*** End", "@@\n-nowhere\n+y\n*** End"))
    hunks = envelope_of(done)["data"]["files"][0]["hunks"]

    assert [(hunk["index"], hunk["patch_line"], hunk["status"], hunk["candidates"]) for hunk in hunks] == [
        (1, 3, "ambiguous", [1, 3]),
        (2, 6, "not_found", []),
    ]


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
