"""What it costs to check a directory of patches: in one process, in several, and in one process a patch.

    python benchmarks/many_patches.py [--patches 2000] [--singles 60]

Makes 200 files and the patches for them (one in ten fits nowhere), and prints seconds of processor time and of the
clock. Single runs are measured for a sample and scaled; processor time is what to compare on a machine that is busy.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHECK = [sys.executable, "-c", "from patchkit.cli.main import main; main()", "check"]
APPLY = [sys.executable, "-c", "from patchkit.cli.apply_patch import main; main()", "--check"]
FILES, FUNCTIONS = 200, 30


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--patches", type=int, default=2000)
    parser.add_argument("--singles", type=int, default=60)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        build(asked.patches)
        patches = sorted(Path("patches").iterdir())
        sample = patches[:: max(1, len(patches) // asked.singles)][: asked.singles]
        scale = len(patches) / len(sample)
        one = cost([[*CHECK, "patches", "--root", "tree", "-q"]])
        rows = [("one process", one)]
        rows += [
            (f"--jobs {jobs}", cost([[*CHECK, "patches", "--root", "tree", "-q", "--jobs", str(jobs)]]))
            for jobs in (2, 4)
        ]
        single = cost([[*CHECK, str(path), "--root", "tree", "-q"] for path in sample])
        lean = cost([[*APPLY, "--root", "tree", path.read_text()] for path in sample])
        rows += [("patchkit check, one process a patch", [each * scale for each in single])]
        rows += [("apply_patch --check, one process a patch", [each * scale for each in lean])]
    print(f"{len(patches):,} patches, {os.cpu_count()} cores\n")
    print(f"{'':44}{'cpu s':>8}{'clock s':>9}{'cpu ratio':>11}")
    for name, (cpu, clock) in rows:
        print(f"{name:44}{cpu:8.1f}{clock:9.1f}{cpu / one[0]:11.1f}")
    return 0


def build(count: int) -> None:
    Path("tree").mkdir()
    Path("patches").mkdir()
    for number in range(FILES):
        parts = [function(number, index) for index in range(FUNCTIONS)]
        Path("tree", f"m{number}.py").write_text("\n\n".join(parts))
    for number in range(count):
        Path("patches", f"{number:05}.patch").write_text(patch(number))


def function(file: int, index: int) -> str:
    return (
        f"def function_{file}_{index}(value):\n    total = value * {index}\n    for step in range({index}):\n"
        f"        total += step + {file}\n    return total\n"
    )


def patch(number: int) -> str:
    file, index = number % FILES, number * 7 % FUNCTIONS
    old = f"    total = value * {index}" + ("" if number % 10 else "9")
    return (
        f"*** Begin Patch\n*** Update File: m{file}.py\n@@ def function_{file}_{index}(value):\n-{old}\n"
        f"+    total = value * {index} + 1\n     for step in range({index}):\n         total += step + {file}\n"
        "*** End Patch\n"
    )


def cost(commands: list[list[str]]) -> list[float]:
    """Seconds of processor time of the children, and of the clock."""
    before, started = os.times(), time.monotonic()
    for command in commands:
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return [cpu, time.monotonic() - started]


if __name__ == "__main__":
    sys.exit(main())
