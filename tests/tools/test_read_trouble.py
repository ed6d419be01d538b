"""Reading what is no plain file, or does not stay one: an answer, and never a wait."""

from __future__ import annotations

import os
import socket
import threading
from types import SimpleNamespace

import pytest

from patchkit import reading
from patchkit.tools.calling import Caller, call
from patchkit.tools.reading import content as read_content


def code(result):
    return result.errors[0]["code"] if result.errors else result.status


@pytest.mark.parametrize("name", ["Read", "Write", "Edit"])
def test_a_fifo_is_refused_without_waiting_for_anyone(root, use, name):
    os.mkfifo(root / "queue")
    more = {"Write": {"content": ""}, "Edit": {"old_string": "a", "new_string": "b"}}

    refused = use(name, file_path="queue", **more.get(name, {}))

    assert (code(refused), refused.errors[0]["message"]) == ("P306", "'queue' is a FIFO, not a regular file")


def test_a_socket_is_refused(root, use):
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(os.path.relpath(root / "door"))

        assert code(use("Read", file_path="door")) == "P306"


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_a_device_is_refused(path):
    if not os.path.exists(path):
        pytest.skip(f"there is no {path} here")

    assert code(call("Read", {"file_path": path}, Caller("/dev"))) == "P306"


def test_files_of_the_kernel_have_no_size_and_are_read_all_the_same():
    if not os.path.exists("/proc/self/status"):
        pytest.skip("there is no /proc here")

    result = call("Read", {"file_path": f"/proc/{os.getpid()}/status", "limit": 1}, Caller("/proc"))

    assert result.text.startswith("     1→Name:")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_an_answer(file, use):
    path = file("a.txt", "a\n", read=False)
    os.chmod(path, 0)

    assert code(use("Read", file_path=path)) == "P401"


def test_a_file_that_vanishes_before_it_is_opened_does_not_exist(file, use, monkeypatch):
    path = file("a.txt", "a\n")
    find = reading.Workspace.find

    def find_and_remove(self, *words, **more):
        found = find(self, *words, **more)
        if os.path.exists(path):
            os.unlink(path)
        return found

    monkeypatch.setattr(reading.Workspace, "find", find_and_remove)

    assert code(use("Read", file_path=path)) == "P302"


def test_a_file_that_is_removed_while_it_is_read_is_shown_as_it_was(file, use, monkeypatch):
    path = file("a.txt", "a\nb\n")
    read = read_content.FileContent._read

    def read_and_remove(self, *words):
        if os.path.exists(path):
            os.unlink(path)
        return read(self, *words)

    monkeypatch.setattr(read_content.FileContent, "_read", read_and_remove)

    assert use("Read", file_path=path, plain=True).text == "     1→a\n     2→b"


def test_a_file_that_grows_while_it_is_read_has_an_end(root, use, monkeypatch):
    monkeypatch.setattr(read_content, "MOST_HASHED", 10)
    path = root / "log"
    path.write_bytes(b"line\n" * 1000)
    read = read_content.FileContent._read

    def read_and_grow(self, *words):
        with open(path, "ab") as log:
            log.write(b"more\n" * 1000)
        return read(self, *words)

    monkeypatch.setattr(read_content.FileContent, "_read", read_and_grow)
    monkeypatch.setattr(read_content, "_PIECE", 500)

    assert use("Read", file_path="log", offset=5000).text.endswith("The file has 1000 lines.</system-reminder>")


def test_a_file_that_is_cut_short_while_it_is_read_ends_there(root, use, monkeypatch):
    monkeypatch.setattr(read_content, "MOST_HASHED", 10)
    path = root / "log"
    path.write_bytes(b"line\n" * 1000)
    read = read_content.FileContent._read

    def read_and_cut(self, *words):
        found = read(self, *words)
        os.truncate(path, 5)
        return found

    monkeypatch.setattr(read_content.FileContent, "_read", read_and_cut)

    assert use("Read", file_path="log", offset=1, limit=5, plain=True).status in ("success", "partial")


def test_a_disk_that_fails_is_an_answer(file, use, monkeypatch):
    path = file("a.txt", "a\n")

    def fail(*words):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(read_content.os, "pread", fail)
    refused = use("Read", file_path=path)

    assert (code(refused), refused.errors[0]["message"]) == ("P401", f"cannot read '{path}': input/output error")


def test_many_readers_at_once_all_get_their_answer(file, root):
    paths = [file(f"{number}.txt", f"{number}\n", read=False) for number in range(20)]
    found = {}

    def read(path):
        found[path] = call("Read", {"file_path": path, "plain": True}, Caller(str(root))).text

    threads = [threading.Thread(target=read, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == {path: f"     1→{number}" for number, path in enumerate(paths)}


def test_a_file_larger_than_any_disk_is_left_when_time_is_up(root, use, monkeypatch):
    path = root / "hole"
    path.write_bytes(b"x" * 9000)
    os.truncate(path, 1 << 40)
    clock = iter([0, 0, 61])
    monkeypatch.setattr(read_content, "time", SimpleNamespace(monotonic=lambda: next(clock)))

    refused = use("Read", file_path="hole", limit=1)

    assert (code(refused), refused.errors[0]["message"]) == (
        "P618",
        "'hole' cannot be shown: 60 seconds were enough for 31 of 1,048,576 MB only",
    )
