"""Patches that are older than the file: planned on their base, merged with what is there."""

from __future__ import annotations

import pytest

from patchkit.applying import apply
from patchkit.core.changes import Options
from patchkit.errors import PatchkitError
from patchkit.sources import MemoryFiles

BASE = {"x": b"one\ntwo\nthree\nfour\nfive\n"}
PATCH = "*** Begin Patch\n*** Update File: x\n@@\n two\n three\n-four\n+vier\n*** End Patch\n"


def applied(patch, target, base=BASE, **options):
    files = MemoryFiles(dict(target))
    apply(patch, files, Options(base=MemoryFiles(dict(base)), **options))
    return files.content


def refused(patch, target, **options):
    with pytest.raises(PatchkitError) as caught:
        applied(patch, target, **options)
    return caught.value.code


def test_changes_of_other_lines_are_both_made():
    assert applied(PATCH, {"x": b"ONE\ntwo\nthree\nfour\nfive\n"}) == {"x": b"ONE\ntwo\nthree\nvier\nfive\n"}


def test_a_hunk_whose_context_changed_is_carried_over():
    assert applied(PATCH, {"x": b"one\nTWO\nand\nthree\nfour\nfive\n"}) == {"x": b"one\nTWO\nand\nthree\nvier\nfive\n"}


def test_line_endings_that_changed_since_are_changes_as_in_git():
    assert refused(PATCH, {"x": BASE["x"].replace(b"\n", b"\r\n")}) == "P220"


def test_line_endings_that_a_checkout_has_given_the_file_are_kept():
    attributes = {".gitattributes": b"* text eol=crlf\n"}

    assert applied(PATCH, {**attributes, "x": b"ONE\r\ntwo\r\nthree\r\nfour\r\nfive\r\n"}) == {
        **attributes,
        "x": b"ONE\r\ntwo\r\nthree\r\nvier\r\nfive\r\n",
    }


def test_what_looks_like_a_slip_is_meant_where_the_base_is_known():
    base = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
    patch = (
        "*** Begin Patch\n*** Update File: x\n@@ def f():\n     return 1\n \n"
        "+# ... rest of the code ...\n+def g():\n+    return 3\n+\n*** End Patch\n"
    )
    made = base.replace(b"1\n\n", b"1\n\n# ... rest of the code ...\ndef g():\n    return 3\n\n")

    with pytest.raises(PatchkitError) as caught:
        apply(patch, MemoryFiles({"x": base}), Options())
    assert caught.value.code in ("P216", "P218")
    assert applied(patch, {"x": base + b"# end\n"}, {"x": base}) == {"x": made + b"# end\n"}


def test_changes_of_the_same_lines_are_refused_with_both_sides():
    with pytest.raises(PatchkitError) as caught:
        applied(PATCH, {"x": b"one\ntwo\nthree\n4\nfive\n"})

    assert (caught.value.code, caught.value.line) == ("P220", 4)
    assert "'4'" in caught.value.message
    assert "'vier'" in caught.value.message


def test_conflicts_are_written_with_markers_where_that_is_asked_for():
    made = applied(PATCH, {"x": b"one\ntwo\nthree\n4\nfive\n"}, conflicts="markers")

    assert made["x"].split(b"\n")[3:10] == [
        *(b"<<<<<<< target", b"4", b"||||||| base", b"four", b"=======", b"vier", b">>>>>>> patch")
    ]


def test_a_place_that_still_fits_but_is_another_is_not_taken():
    target = {"x": b"one\ntwo\nthree\n4\nfive\nthree\nfour\n"}

    assert refused(PATCH, target) == "P220"


def test_what_is_there_already_is_said():
    target = {"x": BASE["x"].replace(b"four", b"vier")}

    assert refused(PATCH, target) == "P223"


def test_a_file_that_is_gone_or_was_changed_before_its_deletion_is_refused():
    delete = "*** Begin Patch\n*** Delete File: x\n*** End Patch\n"

    assert refused(PATCH, {}) == "P221"
    assert refused(delete, {"x": b"other\n"}) == "P221"
    assert applied(delete, BASE) == {}


def test_a_file_that_is_gone_already_is_not_deleted_in_passing():
    patch = PATCH.replace("*** End Patch", "*** Delete File: y\n*** End Patch")
    base = {**BASE, "y": b"why\n"}

    with pytest.raises(PatchkitError) as caught:
        applied(patch, BASE, base)
    assert (caught.value.code, caught.value.file) == ("P221", "y")
    assert applied(patch, BASE, base, forward=True) == {"x": b"one\ntwo\nthree\nvier\nfive\n"}


def test_a_rename_takes_the_changes_along():
    move = PATCH.replace("*** Update File: x\n", "*** Update File: x\n*** Move to: y\n")

    assert applied(move, {"x": b"ONE\ntwo\nthree\nfour\nfive\n"}) == {"y": b"ONE\ntwo\nthree\nvier\nfive\n"}


def test_a_deletion_is_taken_back_where_the_base_has_the_file():
    patch = "*** Begin Patch\n*** Delete File: y\n*** Update File: x\n@@\n-four\n+vier\n*** End Patch\n"
    base = {**BASE, "y": b"why\n"}
    target = {"x": b"ONE\ntwo\nthree\nvier\nfive\n"}

    assert applied(patch, target, base, reverse=True) == {"x": b"ONE\ntwo\nthree\nfour\nfive\n", "y": b"why\n"}


def test_a_patch_is_taken_back_from_what_its_base_became_or_from_a_base_that_has_it():
    made = {"x": BASE["x"].replace(b"four", b"vier")}
    target = {"x": b"ONE\ntwo\nthree\nvier\nfive\n"}

    assert applied(PATCH, target, BASE, reverse=True) == {"x": b"ONE\ntwo\nthree\nfour\nfive\n"}
    assert applied(PATCH, target, made, reverse=True) == {"x": b"ONE\ntwo\nthree\nfour\nfive\n"}


def test_a_base_knows_where_lines_were_that_leave_nothing_behind():
    patch = "*** Begin Patch\n*** Update File: x\n@@\n-three\n*** End Patch\n"

    assert applied(patch, {"x": b"ONE\ntwo\nfour\nfive\n"}, BASE, reverse=True) == {
        "x": b"ONE\ntwo\nthree\nfour\nfive\n"
    }


def test_a_rename_is_taken_back_with_the_changes_made_since():
    patch = PATCH.replace("*** Update File: x\n", "*** Update File: x\n*** Move to: y\n")

    assert applied(patch, {"y": b"ONE\ntwo\nthree\nvier\nfive\n"}, BASE, reverse=True) == {
        "x": b"ONE\ntwo\nthree\nfour\nfive\n"
    }


def test_what_is_all_there_already_is_skipped_with_forward():
    target = {"x": b"ONE\ntwo\nthree\nvier\nfive\n"}

    assert applied(PATCH, target, forward=True) == target
