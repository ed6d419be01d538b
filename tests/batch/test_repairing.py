"""Predictions that git refuses are written back as patches that it takes, where that is certain."""

from __future__ import annotations

import json

from patchkit.batch.judging import RowJudge, git_takes
from patchkit.batch.request import BatchRequest
from patchkit.sources import MemoryFiles

FILES = {"src/a.py": "def f():\n    return 1\n\n\ndef g():\n    return 2\n"}
MEANT = "def f():\n    return 10\n\n\ndef g():\n    return 2\n"
GOOD = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,4 +1,4 @@\n def f():\n-    return 1\n+    return 10\n \n \n"


def repaired(text: str, how: str = "certain") -> dict[str, object]:
    request = BatchRequest()
    request.repair = how
    return RowJudge(request).judge({"instance_id": "1", "model_patch": text, "files": FILES}).values()


def test_a_patch_that_git_refuses_is_written_as_one_that_it_takes(subtests):
    rows = {
        "counts": GOOD.replace("@@ -1,4 +1,4 @@", "@@ -7,9 +3,4 @@"),
        "escaped": GOOD.replace("\n", "\\n"),
        "mounted": GOOD.replace("a/src", "/testbed/src").replace("b/src", "/testbed/src"),
        "cut off in a context line": GOOD.removesuffix(" \n \n") + " ",
        "v4a": "*** Begin Patch\n*** Update File: src/a.py\n-    return 1\n+    return 10\n*** End Patch\n",
        "blocks": "src/a.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 10\n>>>>>>> REPLACE\n",
    }
    files = MemoryFiles({name: text.encode() for name, text in FILES.items()})
    for name, text in rows.items():
        with subtests.test(name):
            made = repaired(text)

            assert (made["git_took_it"], made["certainty"], bool(made["repaired"])) == (False, "certain", True)
            assert "+    return 10\n" in str(made["model_patch"])
            assert git_takes(str(made["model_patch"]), ["src/a.py"], files)


def test_a_patch_that_may_be_cut_off_within_a_change_is_not_repaired_with_certainty(subtests):
    longer = GOOD.replace("+1,4 @@", "+1,5 @@").replace("return 10\n", "return 10\n+    more()\n")
    texts = {
        "nowhere, but for blank lines": (GOOD.rstrip(), None, "likely"),
        "in a line": (longer[: longer.index("ore()")], None, "likely"),
        "after a line": (longer[: longer.index("\n+    more()")], None, None),
        "in the last line of the file": (
            "--- a/src/a.py\n+++ b/src/a.py\n@@ -5,2 +5,3 @@\n def g():\n     return 2\n+    # the e",
            None,
            "likely",
        ),
        "before the first character of a line": (
            "--- a/src/a.py\n+++ b/src/a.py\n@@ -5,2 +5,3 @@\n def g():\n     return 2\n+",
            None,
            None,
        ),
        "in a line that is changed": (
            "--- a/src/a.py\n+++ b/src/a.py\n@@ -5,2 +5,2 @@\n def g():\n-    return 2\n+    return",
            None,
            None,
        ),
        "in a line, which leaves a bracket open": (
            "--- a/src/a.py\n+++ b/src/a.py\n@@ -5,2 +5,3 @@\n def g():\n     return 2\n+print(2",
            None,
            None,
        ),
    }
    for name, (text, certain, likely) in texts.items():
        with subtests.test(name):
            assert [repaired(text, how)["certainty"] for how in ("certain", "likely")] == [certain, likely]


def test_a_string_with_an_escape_of_its_own_is_not_taken_apart():
    text = GOOD.replace("return 10", 'return "a\\nb"')
    escaped = json.dumps(text)[1:-1]

    assert '+    return "a\\nb"\n' in str(repaired(escaped)["model_patch"])
    assert repaired(text.replace("\n", "\\n"))["repaired"] is None


def test_a_patch_that_git_takes_stays_as_it_is():
    made = repaired(GOOD)

    assert (made["model_patch"], made["repaired"], made["git_took_it"]) == (GOOD, [], True)


def test_a_patch_that_fits_nowhere_is_not_repaired():
    text = GOOD.replace("return 1\n", "raise SystemExit(77)\n").replace("def f", "def other")
    made = repaired(text, "likely")

    assert (made["model_patch"], made["repaired"]) == (text, None)
