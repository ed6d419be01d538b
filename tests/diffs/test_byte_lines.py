"""Files that are not UTF-8 and get lines that are: what is written for them says that its lines are bytes."""

from __future__ import annotations

import pytest

from patchkit.converting import write_changes, write_plan
from patchkit.core.changes import Options
from patchkit.core.changes.legacy import blob_id
from patchkit.core.changes.planner import plan
from patchkit.errors import PatchkitError
from patchkit.formats.foreign import patch_of
from patchkit.formats.making import make_patch
from patchkit.formats.reverse import reversed_patch
from patchkit.sources import MemoryFiles

NAMES = b"".join(b"name %d\n" % number for number in range(20))
HEADS = {"declared": b"# coding: latin-1\n", "undeclared": b"# names\n"}
NEW = "Jörg “the first”\n".encode()


def contents(head: bytes) -> tuple[bytes, bytes]:
    """A file with Latin-1 above and below, before and after a line of UTF-8 in the middle."""
    old = head + b"Ren\xe9\n" + NAMES + b"Jos\xe9\n"
    return old, old.replace(b"name 9\n", b"name 9\n" + NEW)


def applied(patch, data):
    files = MemoryFiles({"a": data})
    plan(patch, files, Options()).commit()
    return files.content["a"]


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("name", ["v4a", "unified", "search-replace", "whole-file"])
def test_a_line_of_utf8_stays_what_it_is_in_a_file_of_another_encoding(name, head):
    old, new = contents(head)

    text = write_changes({"a": old}, {"a": new}, name).text.decode("utf-8", "surrogateescape")

    assert applied(patch_of(text, name, MemoryFiles({"a": old}), Options()), old) == new


@pytest.mark.parametrize("name", ["json-edits", "openai-ops"])
def test_what_is_written_as_json_has_no_bytes_and_is_refused(name):
    old, new = contents(HEADS["declared"])

    with pytest.raises(PatchkitError) as refusal:
        write_changes({"a": old}, {"a": new}, name)

    assert refusal.value.code == "P112"


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_such_a_patch_can_be_taken_back(head):
    old, new = contents(head)
    patch = make_patch({"a": old}, {"a": new})

    assert applied(reversed_patch(patch, MemoryFiles({"a": new})), new) == old


def diff(old: bytes, index: str) -> str:
    return f"diff --git a/a b/a\n{index}--- a/a\n+++ b/a\n@@ -12 +12,2 @@\n name 9\n+{NEW.decode()}"


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_a_diff_of_git_for_these_bytes_is_bytes(head):
    old, new = contents(head)
    index = f"index {blob_id(old)[:7]}..{blob_id(new)[:7]} 100644\n"

    assert applied(patch_of(diff(old, index), "unified", MemoryFiles({"a": old}), Options()), old) == new


def test_a_diff_that_does_not_say_so_is_text():
    declared, undeclared = (contents(head)[0] for head in HEADS.values())
    patch = patch_of(diff(declared, ""), "unified", MemoryFiles({"a": declared}), Options())

    for content, code in ((declared, "P210"), (undeclared, "P215")):  # latin-1 has no such quotes
        with pytest.raises(PatchkitError) as refusal:
            applied(patch, content)
        assert refusal.value.code == code


@pytest.mark.parametrize("name", ["v4a", "unified", "search-replace", "whole-file"])
def test_a_plan_is_written_so_that_it_is_read_as_bytes(name):
    old, new = contents(HEADS["undeclared"])
    index = f"index {blob_id(old)}..{blob_id(new)}\n"
    files = MemoryFiles({"a": old})
    made = plan(patch_of(diff(old, index), "unified", files, Options()), files, Options())

    text = write_plan(made, name).text.decode("utf-8", "surrogateescape")

    assert applied(patch_of(text, name, MemoryFiles({"a": old}), Options()), old) == new


def test_a_line_of_the_file_that_its_declared_encoding_cannot_have_is_no_crash():
    old = HEADS["declared"] + b"one\n" + NEW + b"two\xe9\n"
    patch = patch_of(
        f"*** Begin Patch\n*** Update File: a\n@@\n one\n-{NEW.decode()}+Jörg “the second”\n*** End Patch\n",
        "v4a",
        MemoryFiles({"a": old}),
        Options(),
    )

    assert applied(patch, old) == old.replace(b"first", b"second")


def test_a_block_is_joined_with_the_line_to_show_and_no_other_is_lost():
    old = b"one\n" + NAMES + b"Jos\xe9\n"
    new = old.replace(b"one\n", b"eins\n").replace(b"name 9\n", NEW)

    text = write_changes({"a": old}, {"a": new}, "search-replace").text.decode("utf-8", "surrogateescape")

    assert applied(patch_of(text, "search-replace", MemoryFiles({"a": old}), Options()), old) == new


MISDECLARED = b"# coding: latin-1\none\ntwo\n"
BESIDE = MISDECLARED.replace(b"one\n", b"one\n" + NEW)


@pytest.mark.parametrize("name", ["v4a", "unified", "search-replace", "json-edits", "openai-ops", "whole-file"])
def test_utf8_in_a_file_that_declares_something_else_is_refused_where_nothing_says_it(name):
    with pytest.raises(PatchkitError) as refusal:
        write_changes({"a": MISDECLARED}, {"a": BESIDE}, name)

    assert (refusal.value.code, refusal.value.file) == ("P112", "a")


def test_characters_that_the_declared_encoding_lacks_are_refused():
    with pytest.raises(PatchkitError) as refusal:
        make_patch({"a": b"# coding: koi8-r\none\n"}, {"a": b"# coding: koi8-r\none\n" + NEW})

    assert refusal.value.code == "P112"


def test_a_diff_of_git_says_it_and_is_written_as_one_that_says_it():
    index = f"index {blob_id(MISDECLARED)}..{blob_id(BESIDE)}\n"
    text = f"diff --git a/a b/a\n{index}--- a/a\n+++ b/a\n@@ -2 +2,2 @@\n one\n+{NEW.decode()}"
    files = MemoryFiles({"a": MISDECLARED})
    made = plan(patch_of(text, "unified", files, Options()), files, Options())

    written = write_plan(made, "unified").text.decode()

    assert index in written
    assert applied(patch_of(written, "unified", files, Options()), MISDECLARED) == BESIDE


def test_such_lines_do_not_come_back_in_another_encoding():
    patch = make_patch({"a": BESIDE}, {"a": MISDECLARED})
    files = MemoryFiles({"a": MISDECLARED})

    with pytest.raises(PatchkitError) as refusal:
        plan(reversed_patch(patch, files), files, Options(reverse=True))

    assert refusal.value.code == "P215"


def test_lines_come_back_to_a_file_that_declares_utf8():
    old, new = (data.replace(b"latin-1", b"utf-8") for data in (BESIDE, MISDECLARED))
    files = MemoryFiles({"a": new})

    plan(reversed_patch(make_patch({"a": old}, {"a": new}), files), files, Options(reverse=True)).commit()

    assert files.content == {"a": old}


def test_a_file_that_declares_utf8_is_that_in_spite_of_other_bytes():
    old = b"# coding: utf-8\none\nRen\xe9\n"

    assert applied(make_patch({"a": old}, {"a": old + NEW}), old) == old + NEW


def test_a_byte_order_mark_is_bytes_in_every_encoding():
    assert (
        applied(make_patch({"a": MISDECLARED}, {"a": b"\xef\xbb\xbf" + MISDECLARED}), MISDECLARED)[:3]
        == b"\xef\xbb\xbf"
    )


def test_a_space_of_another_kind_is_no_blank_line_in_another_encoding():
    old = b"\none\n\xc2\xa0\ntwo\x8c\xea\n"
    patch = patch_of(
        "*** Begin Patch\n*** Update File: a\n@@\n+new\n \xa0\n*** End Patch\n",
        "v4a",
        MemoryFiles({"a": old}),
        Options(),
    )

    assert applied(patch, old) == old.replace(b"\xc2\xa0\n", b"new\n\xc2\xa0\n")


def test_a_byte_order_mark_further_down_is_text_and_not_that_of_the_file():
    old = b"\xef\xbb\xbfone\n\xef\xbb\xbftwo\nthree\n"
    new = old.replace(b"two", b"zwei")
    patch = make_patch({"a": old}, {"a": new})

    assert applied(patch, old) == new
    assert applied(reversed_patch(patch, MemoryFiles({"a": new})), new) == old


def test_a_last_line_gets_no_ending_back_where_lines_end_in_several_ways():
    old, new = b"one\r\ntwo\nthree\r\n", b"one\r\ntwo\nthree"
    files = MemoryFiles({"a": new})

    with pytest.raises(PatchkitError) as refusal:
        plan(reversed_patch(make_patch({"a": old}, {"a": new}), files), files, Options(reverse=True))

    assert refusal.value.code == "P112"


def test_a_mark_that_goes_with_all_other_lines_is_said_by_json_edits():
    old, new = {"a": b"\xef\xbb\xbfone\none\n"}, {"a": b"zwei"}

    text = write_changes(old, new, "json-edits").text.decode()

    assert applied(patch_of(text, "json-edits", MemoryFiles(old), Options()), old["a"]) == new["a"]


def test_lines_that_a_file_has_in_utf8_are_found_although_it_declares_something_else():
    old = b"# coding: latin-1\none\n" + "Jörg\n".encode() + b"Ren\xe9\n"
    patch = patch_of(
        "*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n Jörg\n*** End Patch\n",
        "v4a",
        MemoryFiles({"a": old}),
        Options(),
    )

    assert applied(patch, old) == old.replace(b"one", b"two")
