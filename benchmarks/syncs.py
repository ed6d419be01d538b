"""What waiting for the disk costs: the time of every sync of a run, by what it is for.

    python benchmarks/syncs.py [DIRECTORY] [--rounds N]

Applies patches to one file and to 20 files in two directories under DIRECTORY, which should be on the disk that is of
interest (default: the current directory), with syncs and without. Prints the median over the rounds.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from types import FrameType

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import patchkit

PURPOSES = {  # by the function that asks for the sync, and how many such calls there were before it
    ("_write_journal", 0): "the root, with the intent",
    ("write", 0): "the content of each new file",
    ("_prepare", 0): "directories, with what is staged",
    ("_write_intent/record", 0): "the intent, which is too long for a link",
    ("_write_journal/record", 0): "the commit record",
    ("_write_journal", 1): "the root, with the commit record",
    ("_switch_all", 0): "directories, with the switched names",
    ("_sync_quietly", 0): "directories, without the second names",
    ("_sync_quietly", 1): "the root, without the journal",
}


class Stopwatch:
    """Times every fsync of this process, by its purpose."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}
        self._real = os.fsync
        self._begun: list[tuple[str, FrameType]] = []  # the frames that asked, in order: one may ask for several syncs

    def __enter__(self) -> Stopwatch:
        os.fsync = self._timed
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync = self._real

    def _timed(self, opened: int) -> None:
        frame = sys._getframe(1)
        if frame.f_code.co_name == "_sync_directories" and frame.f_back is not None:
            frame = frame.f_back
        name = frame.f_code.co_name
        if name == "_write_record" and frame.f_back is not None:
            frame = frame.f_back
            name = frame.f_code.co_name + "/record"
        earlier = {id(each) for by, each in self._begun if by == name} - {id(frame)}
        number = 0 if name == "write" else len(earlier)
        self._begun.append((name, frame))
        started = time.perf_counter()
        self._real(opened)
        took = (time.perf_counter() - started) * 1000
        self.times.setdefault(PURPOSES.get((name, number), name), []).append(took)


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
        for count in (1, 20):
            measure(place, count, given.rounds)
    finally:
        shutil.rmtree(place)


if __name__ == "__main__":
    main()
