"""Waiting for the disk: one sync after the other where that is quick, several at once where it is not."""

from __future__ import annotations

import errno
import os
import threading

import pytest

import patchkit
from patchkit import PatchkitError
from patchkit.core import workspace
from patchkit.core.workspace import AT_ONCE, sync_all

MANY = 2 * AT_ONCE + 5


@pytest.fixture(params=["one after the other", "several at once", "no threads"])
def disk(request, monkeypatch):
    """What a sync was asked for, by thread; `refused` are the names of files whose syncs fail."""
    told: list[tuple[str, int]] = []
    refused: set[str] = set()

    def fsync(opened):
        name = os.path.basename(os.readlink(f"/proc/self/fd/{opened}"))
        told.append((name, threading.get_ident()))
        if name in refused:
            raise OSError(errno.EIO, "Input/output error")

    def start(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(workspace, "_LONG", 1e9 if request.param == "one after the other" else -1)
    if request.param == "no threads":
        monkeypatch.setattr(threading.Thread, "start", start)
    yield told, refused
    assert (len({thread for _, thread in told}) > 1) == (request.param == "several at once")


@pytest.fixture
def opened(tmp_path):
    found = {os.open(tmp_path / f"{number}", os.O_WRONLY | os.O_CREAT): f"{number}" for number in range(20)}
    yield found
    for each in found:
        os.close(each)


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no /proc here")


@needs_proc
def test_each_file_is_synced_once(disk, opened):
    told, _ = disk

    assert (sync_all([*opened]), sorted(name for name, _ in told)) == ([], sorted(opened.values()))


@needs_proc
def test_an_error_says_which_file_it_is_of_and_the_others_are_synced(disk, opened):
    told, refused = disk
    refused.update(("0", "7"))

    errors = sync_all([*opened])

    assert sorted(opened[error.filename] for error in errors) == ["0", "7"]
    assert sorted(name for name, _ in told) == sorted(opened.values())


def many(root):
    for number in range(MANY):
        (root / f"{number % 40}").mkdir(exist_ok=True)
        (root / f"{number % 40}" / f"{number}.txt").write_text(f"old {number}\n")
    sections = (f"*** Update File: {n % 40}/{n}.txt\n@@\n-old {n}\n+new {n}\n" for n in range(MANY))
    return "*** Begin Patch\n" + "".join(sections) + "*** End Patch\n"


def held(root):
    return sorted(path.read_text() for path in root.rglob("*") if path.is_file())


@needs_proc
def test_all_new_files_and_their_directories_are_synced(disk, tmp_path):
    told, _ = disk
    patch = many(tmp_path)

    patchkit.apply(patch, root=tmp_path)

    names = [name for name, _ in told]
    assert held(tmp_path) == sorted(f"new {n}\n" for n in range(MANY))
    assert sum(name.endswith(".new.tmp") for name in names) == MANY
    assert {name: names.count(name) for name in map(str, range(40))} == {f"{n}": 3 for n in range(40)}


@needs_proc
@pytest.mark.parametrize("number", [0, 3, AT_ONCE, MANY - 1])
def test_a_file_that_does_not_get_to_the_disk_is_named_and_all_stay_as_they_were(disk, tmp_path, monkeypatch, number):
    _, refused = disk
    patch, real = many(tmp_path), os.open

    def watched(name, *rest, **more):
        if str(name).endswith(f"-{number}.new.tmp"):
            refused.add(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(os, "open", watched)
    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(patch, root=tmp_path)

    assert (refusal.value.code, refusal.value.file) == ("P402", f"{number % 40}/{number}.txt")
    assert held(tmp_path) == sorted(f"old {n}\n" for n in range(MANY))
