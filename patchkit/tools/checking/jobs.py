"""Patches judged by several processes at once.

Takes patches and what to hold them against; gives what became of them, in their order. The others are fresh
interpreters that talk through pipes: nothing of the calling process is copied, whatever threads it runs. A process
that dies on the way leaves its share to this one.
"""

from __future__ import annotations

import pickle
import subprocess
import sys

from patchkit.policy.permissions import Judged
from patchkit.report.checked import CheckedPatch
from patchkit.tools.check import Bench, Wanted, judged
from patchkit.tools.checking.sources import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_WORTH_IT = 25  # patches a process: a new one takes as long to start as judging about so many


def in_parallel(
    patches: list[Source], wanted: Wanted, jobs: int, bench: Bench, on_done: Callable[[int], None] | None = None
) -> list[CheckedPatch]:
    """Judges every patch; this process takes a share, too, and is as far with it as the others are with theirs."""
    count = max(1, min(jobs, len(patches) // _WORTH_IT)) if sys.executable else 1
    shares = [patches[number::count] for number in range(count)]
    others: list[subprocess.Popen[bytes]] = []
    try:
        for share in shares[1:]:
            others.append(_started(share, wanted, bench.watch.agent if bench.watch is not None else None))
        told = None if on_done is None else lambda number: on_done(min(number * count, len(patches)))
        found = [judged(shares[0], bench, told)]
        for share, other in zip(shares[1:], others):
            answer = _answer(other, len(share))
            found.append(judged(share, bench) if answer is None else answer[0])
            if answer is not None and bench.judge.gate is not None:
                bench.judge.gate.parts += answer[1]
    finally:
        for other in others:
            other.kill()
            other.wait()
            for stream in (other.stdin, other.stdout):
                if stream is not None:
                    stream.close()
    return [found[number % count][number // count] for number in range(len(patches))]


def _started(share: list[Source], wanted: Wanted, agent: bool | None) -> subprocess.Popen[bytes]:
    """A process at work on its share; `agent` says who calls, None where no rules are to be asked."""
    code = f"import sys; sys.path[:] = {sys.path!r}; from patchkit.tools.checking.jobs import work; work()"
    # Whatever goes wrong there is found out here, when its share is judged again: nothing of it is told twice.
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    if other.stdin is not None:
        try:
            pickle.dump((share, wanted, agent), other.stdin)
            other.stdin.close()
        except OSError:
            pass  # it is gone: its answer will not come
    return other


def _answer(other: subprocess.Popen[bytes], count: int) -> tuple[list[CheckedPatch], list[Judged]] | None:
    """What a process found out, and what the rules decided there; None when it did not come to its end."""
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
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this ends it
    from patchkit.policy.oversight import Oversight

    share, wanted, agent = pickle.load(sys.stdin.buffer)
    watch = None if agent is None else Oversight("check", agent)
    with Bench(wanted, watch=watch) as bench:
        found = judged(share, bench)
        parts = bench.judge.gate.parts if bench.judge.gate is not None else []
        pickle.dump((found, parts), sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
    sys.stdout.flush()
