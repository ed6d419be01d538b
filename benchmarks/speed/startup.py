"""Time one small patch through the installed command beside an interpreter that does nothing.

    python benchmarks/speed/startup.py [--bin DIR] [--runs N] [--work DIR]

Every round runs each command once, in turn, on a fresh copy of a 100-line file with a one-hunk patch; the
ratio is taken of the medians. DIR is the `bin` of an environment where the distribution was
installed by pip (not as editable: then no bytecode is there); the work directory should be on tmpfs.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time

TEXT = "".join(f"line {number}\n" for number in range(1, 101))
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n line 50\n-line 51\n+line fifty-one\n line 52\n*** End Patch\n"


def run(command, directory):
    """Runs the command in a fresh directory; returns its wall time in milliseconds."""
    with open(os.path.join(directory, "a.txt"), "w") as file:
        file.write(TEXT)
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.path.join(directory, "patch"), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    ]
    begin = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    _, status = os.waitpid(child, 0)
    took = time.perf_counter() - begin
    if status:
        sys.exit(f"{command[0]} failed")
    return took * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=os.path.dirname(sys.executable))
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--work", default="/dev/shm" if os.path.isdir("/dev/shm") else None)
    parser.add_argument("--peer", help="another apply_patch to run in turn, Codex's for example")
    arguments = parser.parse_args()
    commands = {
        "python -c pass": [os.path.join(arguments.bin, "python"), "-c", "pass"],
        "apply_patch": [os.path.join(arguments.bin, "apply_patch")],
    }
    if arguments.peer:
        commands["peer"] = [shutil.which(arguments.peer) or arguments.peer]
    with tempfile.TemporaryDirectory(dir=arguments.work) as directory:
        with open(os.path.join(directory, "patch"), "w") as file:
            file.write(PATCH)
        os.chdir(directory)
        times = {name: [] for name in commands}
        for _ in range(arguments.runs):
            for name, command in commands.items():
                times[name].append(run(command, directory))
        os.chdir("/")
    base = statistics.median(times["python -c pass"])
    for name, values in times.items():
        middle = statistics.median(values)
        print(f"{name:16} median {middle:7.2f} ms   ratio to python -c pass {middle / base:5.2f}")


if __name__ == "__main__":
    main()
