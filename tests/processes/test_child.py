"""A child is started to the end or not at all, whatever signal comes meanwhile."""

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


def test_a_signal_meanwhile_comes_through_when_the_start_is_over(interrupted):
    kept: list[str] = []

    def start() -> None:
        interrupted()
        time.sleep(0.2)
        kept.append("all of it")

    with pytest.raises(Stop):
        unbroken(start)
    assert kept == ["all of it"]


def test_a_signal_before_the_start_begins_is_the_end_of_it(interrupted, monkeypatch):
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


def test_without_a_thread_to_be_had_it_is_started_all_the_same(monkeypatch):
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
        Process(["/bin/sh", "-c", "exec sleep 60"], "/", [])

    with pytest.raises(ProcessLookupError):
        os.kill(children[0], 0)


def test_a_program_starts_with_the_signals_blocked_that_are_blocked_here():
    if not os.path.exists("/proc/self/status"):
        pytest.skip("no /proc here")
    told = b"".join(Process(["/bin/grep", "SigBlk", "/proc/self/status"], "/", []).pieces(Deadline()))
    here = subprocess.run(["grep", "SigBlk", "/proc/self/status"], capture_output=True, check=True).stdout

    assert told == here
