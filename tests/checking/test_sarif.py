"""The SARIF face: valid, and stable when lines move."""

from __future__ import annotations

import json

import pytest
from golden_runs import RUNS
from stored_schemas import stored_schema

from patchkit.checking import annotations as sarif
from patchkit.checking.report import Report
from patchkit.checking.run import CheckRequest, PatchSource
from patchkit.checking.tool import check
from patchkit.core.changes import Options

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n@@\n-x = 1\n+x = 2\n*** End Patch\n"


@pytest.fixture
def log_of(tmp_path):
    """The log of one patch against a tree of one file."""

    def log_of_patch(patch, text="y = 1\n", name="p.patch", **options):
        (tmp_path / "a.py").write_text(text)
        wanted = CheckRequest(str(tmp_path), options=Options(check=True, **options))
        wanted.pictures = True
        report = check([PatchSource(str(tmp_path / name), 1 << 20, patch.encode())], wanted)
        return json.loads(sarif.render_sarif(report, str(tmp_path)))

    return log_of_patch


def results(log):
    return log["runs"][0]["results"]


def prints(log):
    return [each["partialFingerprints"]["primaryLocationLineHash"] for each in results(log)]


@pytest.mark.parametrize("run", RUNS)
def test_the_log_is_what_the_standard_says(formats, run):
    import jsonschema

    schema = stored_schema("https://json.schemastore.org/sarif-2.1.0.json")

    jsonschema.Draft7Validator(schema).validate(json.loads(formats[run]["sarif"]))


def test_a_log_of_nothing_is_what_the_standard_says():
    import jsonschema

    schema = stored_schema("https://json.schemastore.org/sarif-2.1.0.json")

    jsonschema.Draft7Validator(schema).validate(json.loads(sarif.render_sarif(Report([]))))


def test_a_result_points_at_the_patch_and_relates_to_the_closest_place(log_of):
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n def f():\n-    return 1\n+    return 2\n*** End Patch\n"
    (result,) = results(log_of(patch, "\n\ndef f():\n    return 3\n"))
    place = {"startLine": 5}
    near = {"startLine": 4}

    assert result["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "p.patch", "uriBaseId": "%SRCROOT%"}, "region": place}}
    ]
    assert result["relatedLocations"] == [
        {
            "id": 1,
            "physicalLocation": {"artifactLocation": {"uri": "a.py", "uriBaseId": "%SRCROOT%"}, "region": near},
            "message": {"text": "closest place (1 of 2 lines agree)"},
        }
    ]


def test_a_fingerprint_stays_when_the_lines_of_patch_and_file_move(log_of):
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
    above = "*** Add File: new.py\n+n = 1\n+m = 1\n"
    moved = patch.replace("*** Update", above + "*** Update")

    assert prints(log_of(patch)) == prints(log_of(moved, "\n\n\ny = 1\n"))


def test_findings_of_equal_text_are_distinguished_by_a_number(log_of):
    one, other = prints(log_of(PATCH))

    assert (one.partition(":")[0], one[-2:]) == (other.partition(":")[0], ":1")
    assert other[-2:] == ":2"


def test_another_hunk_has_another_fingerprint(log_of):
    assert prints(log_of(PATCH)) != prints(log_of(PATCH.replace("x = 1", "x = 9")))


def test_a_name_with_spaces_and_stray_bytes_is_a_valid_uri(log_of):
    (result, _) = results(log_of(PATCH, name="a b\udcff#.patch"))

    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b%FF%23.patch"
