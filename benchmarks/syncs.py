"""What waiting for the disk costs: the time of every sync of a run, by what it is for.

    python benchmarks/syncs.py [DIRECTORY] [--rounds N]

Applies patches to one file, and to 20 and 600 files in two directories, under DIRECTORY, which should be on the disk
that is of interest (default: the current directory), with syncs and without. Prints the median over the rounds.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import patchkit
from patchkit.core import workspace
from patchkit.core.workspace import entries, transaction

PURPOSES = {  # by the function that asks for the sync, and how many such calls there were before it
    ("_write_intent", 0): "the intent, which is too long for a link",
    ("_write_journal", 0): "the root, with the intent",
    ("complete", 0): "the content of each new file",
    ("_prepare", 0): "directories, with what is staged",
    ("_write_journal/record", 0): "the commit record",
    ("_write_journal", 1): "the root, with the commit record",
    ("_switch_all", 0): "directories, with the switched names",
    ("_clear", 0): "directories, without the second names",
    ("_clear", 1): "the root, without the journal",
}


class Stopwatch:
    """Times every sync of this process, those that are waited for together as one, by what it is for."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}
        self._asked: dict[str, int] = {}  # how often each function did
        self._real = workspace.sync_all, entries.write_record

    def __enter__(self) -> Stopwatch:
        workspace.sync_all = entries.sync_all = self._together
        transaction.write_record = self._record
        return self

    def __exit__(self, *_: object) -> None:
        workspace.sync_all = entries.sync_all = self._real[0]
        transaction.write_record = self._real[1]

    def _together(self, opened: list[int]) -> list[OSError]:
        frame = sys._getframe(1)
        if frame.f_code.co_name == "sync":  # of directories, by one function
            frame = frame.f_back.f_back
        return self._timed(frame.f_code.co_name, self._real[0], opened)

    def _record(self, *given: object) -> None:
        name = sys._getframe(1).f_code.co_name
        self._timed(name if name == "_write_intent" else f"{name}/record", self._real[1], *given)

    def _timed(self, name: str, sync: Callable[..., object], *given: object) -> object:
        started = time.perf_counter()
        answer = sync(*given)
        took = (time.perf_counter() - started) * 1000
        earlier = 0 if name == "complete" else self._asked.get(name, 0)
        self._asked[name] = earlier + 1
        self.times.setdefault(PURPOSES.get((name, earlier), name), []).append(took)
        return answer


def patch_of(root: str, count: int) -> str:
    """Writes files and gives a patch that changes a line of each."""
    sections = []
    for number in range(count):
        name = f"{'ab'[number % 2]}/{number}.txt"
        os.makedirs(os.path.join(root, os.path.dirname(name)), exist_ok=True)
        with open(os.path.join(root, name), "w") as file:
            file.write("one\ntwo\n")
        sections.append(f"*** Update File: {name}\n@@\n-one\n+ONE\n")
    os.sync()
    return "*** Begin Patch\n" + "".join(sections) + "*** End Patch\n"


def measure(place: str, count: int, rounds: int) -> None:
    wholes: dict[bool, list[float]] = {False: [], True: []}
    sums: dict[str, list[float]] = {}
    counts: dict[str, int] = {}
    for _ in range(rounds):
        for no_sync in (False, True):
            root = tempfile.mkdtemp(dir=place)
            patch = patch_of(root, count)
            with Stopwatch() as watch:
                started = time.perf_counter()
                patchkit.apply(patch, root, no_sync=no_sync)
                wholes[no_sync].append((time.perf_counter() - started) * 1000)
            for purpose, times in watch.times.items():
                sums.setdefault(purpose, []).append(sum(times))
                counts[purpose] = len(times)
            shutil.rmtree(root)
    print(f"{count} file{'s' if count > 1 else ''}: {statistics.median(wholes[False]):.1f} ms, ", end="")
    print(f"with --no-sync {statistics.median(wholes[True]):.1f} ms")
    for purpose, times in sums.items():
        print(f"  {statistics.median(times):7.1f} ms  {counts[purpose]:3} x  {purpose}")


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("directory", nargs="?", default=".")
    words.add_argument("--rounds", type=int, default=30)
    given = words.parse_args()
    place = tempfile.mkdtemp(prefix="syncs-", dir=given.directory)
    try:
        for count in (1, 20, 600):
            measure(place, count, given.rounds)
    finally:
        shutil.rmtree(place)


if __name__ == "__main__":
    main()
