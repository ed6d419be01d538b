"""Commands that start quickly: each is a fork of a process that has loaded patchkit already.

Starting a command costs more than most commands do. `Forks` keeps one such process of an interpreter; a command
gets its own words, directory, environment and streams, runs the installed script, and ends as it would have
ended alone. What is about starting itself (a shell around it, the encoding of Python, closed streams) is started in the
ordinary way by the caller.
"""

from __future__ import annotations

import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from importlib import import_module
from pathlib import Path

from time_limits import raise_limits

LOADED_FROM = (
    *("patchkit.cli", "patchkit.tools", "patchkit.report", "patchkit.core", "patchkit.history", "patchkit.policy"),
    *("patchkit.repair", "patchkit.guards", "patchkit.diffs", "patchkit.processes", "patchkit.batch"),
)


class Forks:
    """The process that forks, started with the first command; it ends when the line to this one is closed."""

    def __init__(self, python: str = sys.executable) -> None:
        self._python = python
        self._line: socket.socket | None = None

    def run(self, words: list[str], cwd: object, env: dict[str, str], given: bytes):
        """Runs a script with words, and with input; returns its status, output and error output."""
        (stdin, feed), (stdout, written), (stderr, complaints) = os.pipe(), os.pipe(), os.pipe()
        try:
            pid = self._start(words, str(cwd), env, [stdin, written, complaints])
        finally:
            for end in (stdin, written, complaints):
                os.close(end)
        streams = {stdout: b"", stderr: b""}
        try:
            self._exchange(feed, given, streams)
            status = self._answer()
        except BaseException:
            os.kill(pid, signal.SIGKILL)
            self._answer()
            raise
        finally:
            for end in streams:
                os.close(end)
        return os.waitstatus_to_exitcode(status), streams[stdout], streams[stderr]

    def close(self) -> None:
        """Ends the process that forks."""
        if self._line is not None:
            self._answers.close()
            self._line.close()
            self._line = None

    def _start(self, words: list[str], cwd: str, env: dict[str, str], streams: list[int]) -> int:
        if self._line is None:
            self._line, theirs = socket.socketpair()
            self._answers = self._line.makefile("rb")
            command = [self._python, __file__, str(theirs.fileno())]
            # It leaves a child of its own behind: tests count the children of this process.
            subprocess.run(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, check=True)
            theirs.close()
        with tempfile.TemporaryFile() as request:
            request.write(json.dumps([words, cwd, env]).encode("utf-8", "surrogateescape"))
            request.flush()
            socket.send_fds(self._line, [b"."], [*streams, request.fileno()])
        return self._answer()

    def _answer(self) -> int:
        return int(self._answers.readline())  # ValueError where the process that forks has ended

    @staticmethod
    def _exchange(feed: int, data: bytes, streams: dict[int, bytes]) -> None:
        """Writes the input and reads the output, until all ends are closed."""
        poll = select.poll()
        for end in streams:
            poll.register(end, select.POLLIN)
        os.set_blocking(feed, False)
        poll.register(feed, select.POLLOUT)
        waiting = {feed, *streams}
        while waiting:
            for end, _event in poll.poll():
                if end == feed:
                    try:
                        data = data[os.write(feed, data[: 1 << 16]) :] if data else data
                    except BrokenPipeError:
                        data = b""
                    if data:
                        continue
                    os.close(feed)
                elif piece := os.read(end, 1 << 16):
                    streams[end] += piece
                    continue
                poll.unregister(end)
                waiting.discard(end)


FORKS = Forks()  # of this process


# -- the process that forks ------------------------------------------------------------------------


def serve(line: socket.socket) -> None:
    for name in LOADED_FROM:
        for module in pkgutil.walk_packages(import_module(name).__path__, f"{name}."):
            import_module(module.name)
    raise_limits()
    from fault_injection import import_everything  # which imports this module

    with tempfile.TemporaryDirectory() as directory:
        import_everything(directory)
    while True:
        _message, streams, _flags, _address = socket.recv_fds(line, 1, 4)
        if not streams:
            return
        pid = os.fork()
        if not pid:
            line.close()
            os._exit(_run(streams))
        for each in streams:
            os.close(each)
        line.sendall(b"%d\n" % pid)
        line.sendall(b"%d\n" % os.waitpid(pid, 0)[1])


def _run(streams: list[int]) -> int:
    *three, request = streams
    words, cwd, env = json.loads(os.pread(request, os.fstat(request).st_size, 0).decode("utf-8", "surrogateescape"))
    for number, stream in enumerate(three):
        os.dup2(stream, number)
    for stream in streams:
        os.close(stream)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.stdin, sys.stdout, sys.stderr = (open(each, "r" if not each else "w", closefd=False) for each in range(3))
    sys.argv, sys.path[0] = words, str(Path(words[0]).parent)
    try:
        script = compile(Path(words[0]).read_bytes(), words[0], "exec")
        exec(script, {"__name__": "__main__", "__file__": words[0]})
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


if __name__ == "__main__":
    if os.fork():
        os._exit(0)
    serve(socket.socket(fileno=int(sys.argv[1])))
