"""Commands run within limits: their output in order, their whole group ended, no process waited for in vain."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import threading
import time

import pytest
from child_processes import HANG, gone

from patchkit.errors import PatchkitError
from patchkit.processes import running
from patchkit.processes.running import Ran, RunRequest, run


class Outcome:
    """How a script ended, and what it wrote."""

    def __init__(self, ran: Ran, output: bytes) -> None:
        self.ran = ran
        self.output = output


def run_script(script: str, timeout: float = HANG) -> Outcome:
    pieces: list[bytes] = []
    ran = run(RunRequest(["sh", "-c", script], "/", dict(os.environ), timeout), pieces.append)
    return Outcome(ran, b"".join(pieces))


def run_out_of_time(script: str, lines: int = 1) -> Outcome:
    """Runs a script that does not end; for longer, where a busy machine needs longer until so many lines came."""
    for timeout in (0.5, 4, 32, 256):
        done = run_script(script, timeout)
        if done.output.count(b"\n") >= lines:
            break
    return done


@pytest.fixture(autouse=True)
def _long_grace(monkeypatch):
    """What reacts to SIGTERM has all the time for it."""
    monkeypatch.setattr(running, "_GRACE", HANG)


@pytest.fixture
def short_grace(monkeypatch, _long_grace):
    monkeypatch.setattr(running, "_GRACE", 0.2)


@pytest.mark.parametrize("status", [0, 1, 3, 126, 255])
def test_the_status_is_that_of_the_command(status):
    ran = run_script(f"exit {status}").ran

    assert (ran.status, ran.signal, ran.timed_out, ran.left) == (status, None, False, False)


def test_a_command_ended_by_a_signal_reports_which():
    ran = run_script("kill -9 $$").ran

    assert (ran.status, ran.signal) == (137, "SIGKILL")


def test_both_streams_come_in_the_order_they_were_written():
    assert run_script("echo a; echo b >&2; echo c; echo d >&2").output == b"a\nb\nc\nd\n"


def test_output_comes_as_it_is_written(tmp_path):
    seen: list[bytes] = []

    def take(data: bytes) -> None:
        seen.append(data)
        (tmp_path / "seen").touch()

    script = "echo a; while [ ! -e seen ]; do sleep 0.05; done; echo b"
    ran = run(RunRequest(["sh", "-c", script], str(tmp_path), dict(os.environ), HANG), take)

    assert (seen, ran.timed_out) == ([b"a\n", b"b\n"], False)


def test_the_environment_and_the_directory_are_those_given(tmp_path):
    pieces: list[bytes] = []
    run(RunRequest(["/bin/sh", "-c", "pwd; echo $A"], str(tmp_path.resolve()), {"A": "1"}, HANG), pieces.append)

    assert b"".join(pieces) == f"{tmp_path.resolve()}\n1\n".encode()


def test_standard_input_is_empty():
    assert run_script("cat; echo done").output == b"done\n"


def test_a_command_has_no_terminal():
    assert b"yes" not in run_script("(: < /dev/tty) 2>/dev/null && echo yes").output


def test_when_time_is_up_the_output_so_far_is_kept():
    done = run_out_of_time("echo working; sleep 3600")

    assert (done.output, done.ran.timed_out, done.ran.signal) == (b"working\n", True, "SIGTERM")


def test_when_time_is_up_the_whole_group_ends():
    done = run_out_of_time("sleep 3600 & echo $!; sleep 3600 & echo $!; wait", lines=2)

    assert [gone(int(pid)) for pid in done.output.split()] == [True, True]


def test_a_command_that_ignores_sigterm_is_killed(short_grace):
    done = run_out_of_time("trap '' TERM; echo $$; while :; do sleep 1; done")

    assert done.ran.signal == "SIGKILL"
    assert gone(int(done.output.split()[0]))


def test_a_child_that_ignores_sigterm_is_killed_too(short_grace):
    done = run_out_of_time("(trap '' TERM; while :; do sleep 1; done) & echo $!; sleep 3600")

    assert gone(int(done.output.split()[0]))


def test_what_a_command_writes_while_it_ends_is_kept():
    done = run_out_of_time("trap 'echo bye; exit 7' TERM; echo hello; while :; do sleep 0.1; done")

    assert done.output.startswith(b"hello\n")
    assert done.output.endswith(b"bye\n")
    assert (done.ran.status, done.ran.timed_out) == (7, True)


def test_time_is_up_for_a_command_that_never_stops_writing():
    ran = run(RunRequest(["sh", "-c", "yes"], "/", dict(os.environ), 0.5), lambda data: None)

    assert ran.timed_out


def test_time_is_up_for_a_command_that_has_closed_its_output():
    assert run_script("exec >/dev/null 2>&1; sleep 3600", timeout=0.5).ran.timed_out


def test_a_command_that_has_closed_its_output_is_waited_for():
    ran = run_script("exec >/dev/null 2>&1; sleep 0.3; exit 4").ran

    assert (ran.status, ran.timed_out) == (4, False)


def test_a_process_left_in_the_background_is_not_waited_for_and_goes_on():
    done = run_script("sleep 3600 & echo $!")
    pid = int(done.output)
    os.kill(pid, signal.SIGKILL)

    assert (done.ran.status, done.ran.left, done.ran.timed_out) == (0, True, False)


def test_a_process_left_in_the_background_that_never_stops_writing_is_not_waited_for():
    ran = run(RunRequest(["sh", "-c", "yes & exit 3"], "/", dict(os.environ), HANG), lambda data: None)

    assert (ran.status, ran.left, ran.timed_out) == (3, True, False)


def test_a_process_left_in_the_background_without_the_output_does_not_count_as_left(tmp_path):
    script = f"cd {tmp_path}; (: > closed; exec sleep 3600) >/dev/null 2>&1 & until [ -e closed ]; do :; done; echo $!"
    done = run_script(script)
    os.kill(int(done.output), signal.SIGKILL)

    assert done.ran.left is False


def test_a_child_that_was_started_ends_where_starting_it_fails_late(monkeypatch):
    begun = subprocess.Popen._execute_child
    started: list[int] = []

    def failing(self, *given):
        begun(self, *given)
        started.append(self.pid)
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(subprocess.Popen, "_execute_child", failing)
    with pytest.raises(PatchkitError) as refused:
        run_script("exec sleep 3600")

    assert (refused.value.code, [gone(pid) for pid in started]) == ("P644", [True])


@pytest.mark.parametrize(
    ("argv", "cwd"), [(["/gone/for/good"], "/"), (["sh", "-c", "true"], "/gone/for/good"), (["sh", "-c", "a\0b"], "/")]
)
def test_what_cannot_be_started_is_an_error(argv, cwd):
    with pytest.raises(PatchkitError) as refused:
        run(RunRequest(argv, cwd, dict(os.environ), 5), lambda data: None)

    assert refused.value.code == "P644"


class Stop(BaseException):
    pass


def test_the_group_ends_when_the_caller_is_interrupted():
    pids: list[int] = []

    def take(data: bytes) -> None:
        pids.extend(map(int, data.split()))
        raise Stop

    with pytest.raises(Stop):
        run(RunRequest(["sh", "-c", "echo $$; sleep 3600"], "/", dict(os.environ), HANG), take)
    assert gone(pids[0])


def test_the_group_ends_when_the_caller_is_interrupted_while_it_starts(monkeypatch):
    def stop(*_: object) -> None:
        raise Stop

    started: list[int] = []
    start = running.subprocess.Popen.__init__

    def start_and_interrupt(self, *words, **settings):
        start(self, *words, **settings)
        started.append(self.pid)
        os.kill(os.getpid(), signal.SIGUSR1)
        time.sleep(0.2)  # in which the handler has its chance

    monkeypatch.setattr(running.subprocess.Popen, "__init__", start_and_interrupt)
    before = signal.signal(signal.SIGUSR1, stop)
    try:
        with pytest.raises(Stop):
            run_script("sleep 3600")
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert [gone(pid) for pid in started] == [True]


def test_a_group_that_ignores_sigterm_ends_though_its_last_output_is_not_taken():
    pids: list[int] = []

    def take(data: bytes) -> None:
        if not pids:  # what comes later may be the shell's word on its child
            pids.append(int(data.split()[0]))
        raise Stop

    script = "trap 'echo $$' TERM; echo $$; while :; do sleep 0.1; done"
    with pytest.raises(Stop):
        run(RunRequest(["sh", "-c", script], "/", dict(os.environ), HANG), take)
    assert gone(pids[0])


def test_it_works_from_any_thread_and_leaves_no_handles():
    found: list[bytes] = []
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    threads = [threading.Thread(target=lambda: found.append(run_script("echo a").output)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [b"a\n"] * 4
    assert before in (0, len(os.listdir("/proc/self/fd")))
