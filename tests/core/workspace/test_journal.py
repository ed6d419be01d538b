"""The journal's format: what a run of another version may have left must be read as it was meant."""

from __future__ import annotations

from patchkit.core.workspace import JournalStep
from patchkit.core.workspace.recovery import Journal, load
from patchkit.core.workspace.transaction import dump


def step() -> JournalStep:
    made = JournalStep(("src", "deep"), ("new",), "a.txt")
    made.staged, made.saved = ".patchkit-1-a-0.new.tmp", ".patchkit-1-a-0.old.tmp"
    made.old, made.new = "1 2 3 4", "5 6 7 8"
    return made


def test_a_record_is_its_fields_in_order_with_nul_between_them():
    written = step()
    written.in_place = True

    assert dump("commit", ".patchkit-1-a.tmp", [written]).decode().split("\0") == [
        *["patchkit journal 1", "commit", ".patchkit-1-a.tmp"],
        *["src/deep", "new", "a.txt", ".patchkit-1-a-0.new.tmp", ".patchkit-1-a-0.old.tmp", "1 2 3 4", "5 6 7 8"],
        *["through", "whole"],
    ]


def test_what_is_written_is_read_back():
    at_the_root = JournalStep((), (), "name with spaces")
    at_the_root.in_place = True
    record = Journal("intent", ".patchkit-1-a.tmp", [step(), at_the_root])

    assert load(dump(record.state, record.successor, record.steps)) == record


def test_a_record_cut_short_anywhere_is_not_read():
    data = dump("commit", ".patchkit-1-a.tmp", [step()])

    assert [load(data[:end]) for end in range(len(data))] == [None] * len(data)


def test_a_record_with_a_field_too_many_or_too_few_is_not_read():
    fields = dump("commit", ".patchkit-1-a.tmp", [step()]).split(b"\0")

    assert load(b"\0".join([*fields[:-1], b"", fields[-1]])) is None
    assert load(b"\0".join([*fields[:-2], fields[-1]])) is None
