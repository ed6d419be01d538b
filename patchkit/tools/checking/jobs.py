"""Patches checked by several processes at once.

Takes patches and what to check them against; returns the outcome of each, in their order. The other processes are new
interpreters that get their share through pipes: nothing of the calling process is copied, whatever threads it has.
The share of a process that dies is checked by this one.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys

from patchkit.policy.oversight import Oversight
from patchkit.policy.permissions import Judged
from patchkit.report.checked import CheckedPatch
from patchkit.tools.checking.run import CheckRequest, CheckRun, checked_in_turn
from patchkit.tools.checking.sources import PatchSource
from patchkit.tools.registry import effect_and_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_WORTH_IT = 25  # patches for each process: starting one takes as long as checking about so many


def in_parallel(
    patches: list[PatchSource],
    request: CheckRequest,
    jobs: int,
    run: CheckRun,
    on_done: Callable[[int], None] | None = None,
) -> list[CheckedPatch]:
    """Checks every patch; this process takes a share too, whose progress represents that of the others."""
    count = max(1, min(jobs, len(patches) // _WORTH_IT)) if sys.executable else 1
    shares = [patches[number::count] for number in range(count)]
    others: list[subprocess.Popen[bytes]] = []
    try:
        for share in shares[1:]:
            others.append(_started(share, request, run.watch.agent if run.watch is not None else None))
        progress = None if on_done is None else lambda number: on_done(min(number * count, len(patches)))
        found = [checked_in_turn(shares[0], run, progress)]
        for share, other in zip(shares[1:], others):
            answer = _answer(other, len(share))
            found.append(checked_in_turn(share, run) if answer is None else answer[0])
            if answer is not None and run.checker.permissions is not None:
                run.checker.permissions.parts += answer[1]
    finally:
        for other in others:
            other.kill()
            other.wait()
            for stream in (other.stdin, other.stdout):
                if stream is not None:
                    stream.close()
    return [found[number % count][number // count] for number in range(len(patches))]


def _started(share: list[PatchSource], request: CheckRequest, agent: bool | None) -> subprocess.Popen[bytes]:
    """Starts a process on its share; `agent` says who calls, None where nothing is judged."""
    code = f"import sys; sys.path[:] = {sys.path!r}; from patchkit.tools.checking.jobs import work; work()"
    # What goes wrong there is found here, when its share is checked again: nothing is reported twice.
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    if other.stdin is not None:
        try:
            pickle.dump((share, request, agent), other.stdin)
            other.stdin.close()
        except OSError:
            pass  # it is gone: its answer will not come
    return other


def _answer(other: subprocess.Popen[bytes], count: int) -> tuple[list[CheckedPatch], list[Judged]] | None:
    """What a process found, and what the rules decided there; None when it did not finish."""
    data = other.stdout.read() if other.stdout is not None else b""
    if other.wait() != 0:
        return None
    try:
        found, parts = pickle.loads(data)  # of our own child, over its own pipe
    except (pickle.UnpicklingError, ValueError, EOFError):
        return None  # something in that process has printed into the answer
    return (found, parts) if len(found) == count else None


def work() -> None:
    """The other process: takes its share on standard input and answers on standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
    share, request, agent = pickle.load(sys.stdin.buffer)
    watch = None if agent is None else Oversight("check", agent, tool_names=effect_and_name)
    with CheckRun(request, watch=watch) as run:
        found = checked_in_turn(share, run)
        parts = run.checker.permissions.parts if run.checker.permissions is not None else []
        pickle.dump((found, parts), sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
    sys.stdout.flush()
