"""A child is started completely or not at all, whatever signal comes meanwhile, and read until it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time

import pytest

from patchkit.processes import child
from patchkit.processes.child import Deadline, Process, unbroken


class Stop(BaseException):
    pass


@pytest.fixture
def interrupted():
    """Sends this process a signal whose handler raises."""

    def stop(*_: object) -> None:
        raise Stop

    before = signal.signal(signal.SIGUSR1, stop)
    yield lambda: os.kill(os.getpid(), signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)


def test_what_is_started_is_kept_and_what_it_raises_is_raised():
    kept: list[int] = []
    unbroken(lambda: kept.append(1))

    with pytest.raises(ZeroDivisionError):
        unbroken(lambda: kept.append(1 // 0))
    assert kept == [1]


def test_a_signal_during_the_start_is_raised_when_the_start_is_over(interrupted):
    kept: list[str] = []

    def start() -> None:
        interrupted()
        time.sleep(0.2)
        kept.append("all of it")

    with pytest.raises(Stop):
        unbroken(start)
    assert kept == ["all of it"]


def test_a_signal_before_the_start_begins_prevents_it(interrupted, monkeypatch):
    late: list[threading.Thread] = []

    def start_late(work, _arguments):
        late.append(threading.Thread(target=work))
        interrupted()

    monkeypatch.setattr(child, "start_new_thread", start_late)
    kept: list[int] = []
    with pytest.raises(Stop):
        unbroken(lambda: kept.append(1))
    late[0].start()
    late[0].join()

    assert kept == []


def test_a_child_is_started_also_where_no_thread_can_be(monkeypatch):
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(child, "start_new_thread", refuse)
    kept: list[int] = []
    unbroken(lambda: kept.append(1))

    assert kept == [1]


def test_a_program_that_was_just_started_is_ended_by_a_signal(interrupted, monkeypatch):
    spawn, children = os.posix_spawn, []

    def spawn_and_interrupt(*words, **settings):
        children.append(spawn(*words, **settings))
        interrupted()
        time.sleep(0.2)
        return children[0]

    monkeypatch.setattr(child.os, "posix_spawn", spawn_and_interrupt)
    with pytest.raises(Stop):
        Process(["/bin/sh", "-c", "exec sleep 3600"], "/", [])

    with pytest.raises(ProcessLookupError):
        os.kill(children[0], 0)


def test_a_program_starts_with_the_signals_blocked_that_are_blocked_here():
    if not os.path.exists("/proc/self/status"):
        pytest.skip("no /proc here")
    blocked = b"".join(Process(["/bin/grep", "SigBlk", "/proc/self/status"], "/", []).pieces(Deadline()))
    here = subprocess.run(["grep", "SigBlk", "/proc/self/status"], capture_output=True, check=True).stdout

    assert blocked == here


# -- reading what a process writes ---------------------------------------------------------------


def run(script, deadline=None, stop_after=None):
    process = Process(["/bin/sh", "-c", script], "/", [])
    pieces = []
    for piece in process.pieces(deadline or Deadline()):
        pieces.append(piece)
        if stop_after is not None and len(pieces) == stop_after:
            break
    return b"".join(pieces), process


def test_a_process_is_read_to_its_end():
    output, process = run("echo out; echo err >&2; pwd; exit 3")

    assert (output, process.complaints, process.status) == (b"out\n/\n", "err\n", 3)


def test_a_reader_that_stops_ends_the_process():
    process = Process(["/bin/sh", "-c", "while :; do echo x; done"], "/", [])
    pieces = process.pieces(Deadline())
    next(pieces)
    pieces.close()

    assert process.status in (-signal.SIGKILL, -signal.SIGPIPE)  # whichever comes first


def test_a_process_that_is_never_read_is_ended(tmp_path):
    process = Process(["/bin/sh", "-c", "exec sleep 3600"], "/", [])
    pid = process._child
    del process

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_process_that_closes_its_output_and_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr(child, "_FAREWELL", 0.2)
    output, process = run("echo x; exec >&- 2>&-; exec sleep 3600")

    assert (output, process.status, process.late) == (b"x\n", -signal.SIGKILL, True)


def test_a_process_that_the_host_does_not_wait_for_is_read_all_the_same():
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        output, process = run("echo x; exit 3")
    finally:
        signal.signal(signal.SIGCHLD, before)

    assert (output, process.status, process.late) == (b"x\n", None, False)


def test_a_flood_of_complaints_is_not_kept():
    _, process = run("yes | head -c 60000000 >&2")

    assert len(process.complaints) < 2_000_000


def test_a_process_inherits_the_handles_it_is_given_and_no_others(tmp_path):
    (tmp_path / "a").write_text("x")
    given, kept = (os.open(tmp_path / "a", os.O_RDONLY) for _ in range(2))
    os.set_inheritable(kept, False)
    process = Process(["/bin/sh", "-c", f"ls /proc/self/fd/{given} /proc/self/fd/{kept} 2>/dev/null"], "/", [given])
    output = b"".join(process.pieces(Deadline()))
    os.close(given)
    os.close(kept)

    assert output == f"/proc/self/fd/{given}\n".encode()
