"""Where the time goes: a run of the installed command with a clock around each phase of it.

    python -m benchmarks.speed.profile [--bin DIR] [--work DIR]

For the cases whose goals are the hardest: what each phase takes in all and for one file or hunk, and the floors under
it: an interpreter that does nothing, and the system calls of one update made from Python with nothing around them.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from . import data
from .peers import installed

# Whose work is which phase. Phases follow each other; one in brackets is a part of the one before it.
_APPLYING = [
    ("patchkit.cli.apply_patch", "_read_patch", "reading the patch"),
    ("patchkit.applying", "parse", "parsing"),
    ("patchkit.applying", "plan", "planning"),
    ("patchkit.core.workspace.root:Workspace", "find", "(finding files)"),
    ("patchkit.core.workspace:WorkspaceEntry", "load", "(reading files)"),
    ("patchkit.core.changes.planner", "locate", "(locating hunks)"),
    ("patchkit.history:Recorder", "look", "reading what goes"),
    ("patchkit.core.workspace.transaction:Transaction", "_prepare", "staging"),
    ("patchkit.core.workspace.transaction:Transaction", "_switch_all", "switching"),
    ("patchkit.core.workspace.transaction:Transaction", "_clear", "tidying"),
    ("patchkit.core.workspace.root:Workspace", "_record", "history"),
]
_GLOBBING = [
    ("patchkit.tools.glob", "files_named", "finding"),
    ("patchkit.search.walk:DirectoryWalk", "__next__", "(listing and sorting out, one half)"),
    ("patchkit.search.walk", "_dated", "(a stat of each match, one half)"),
    ("patchkit.processes.child:ForkedWork", "value", "(waiting for the other half)"),
    ("patchkit.tools.glob", "absolute", "spelling"),
    ("patchkit.cli.tools", "print_result", "printing"),
]
_GLOB = ["glob", "**/*.py", "--limit", "0", "--timeout", "0"]


class Case:
    """A command to look at: how its data is made, what of it is counted and how often, and its phases."""

    def __init__(self, make, arguments, unit, count, command="apply", words=(), clocks=_APPLYING):
        self.make, self.arguments, self.unit, self.count = make, arguments, unit, count
        self.command, self.words, self.clocks = command, list(words), clocks


CASES = {
    "one hunk": Case(data.one_file, (100, 1), "run", 1),
    "2,000 files": Case(data.many_files, (2_000,), "file", 2_000),
    "1M lines, 50,000 hunks": Case(data.one_file, (1_000_000, 50_000), "hunk", 50_000),
    "glob, 50k files": Case(data.tree, (50_000,), "file", 50_000, "glob", _GLOB, _GLOBBING),
}
_ROUNDS = 5

_TIMED = """
import time
begin = time.perf_counter()
import gc, os, sys
gc.disable()
import patchkit.cli
marks = {{"importing the package": time.perf_counter() - begin}}
begin = time.perf_counter()
import patchkit.cli.main
marks["loading the modules"] = time.perf_counter() - begin
from importlib import import_module
def clocked(home, name, phase):
    work = getattr(home, name)
    marks[phase] = 0.0
    def run(*words, **more):
        begin = time.perf_counter()
        try:
            return work(*words, **more)
        finally:
            marks[phase] += time.perf_counter() - begin
    setattr(home, name, run)
for home, name, phase in {clocks!r}:
    module, _, inside = home.partition(":")
    home = import_module(module)
    clocked(getattr(home, inside) if inside else home, name, phase)
end, host = os._exit, os.getpid()
def tell(status):
    if os.getpid() == host:
        marks["the whole run"] = time.perf_counter() - begin
        import json
        os.write(2, json.dumps(marks).encode())
    end(status)
os._exit = tell
from patchkit.cli.main import main
begin = time.perf_counter()
main({words!r})
"""

_BARE = """
import os, sys, time
os.chdir(sys.argv[1])
names = sorted(name for name in os.listdir(".") if name.endswith(".txt"))
here = os.open(".", os.O_RDONLY)
reading, writing = os.O_RDONLY | os.O_NOFOLLOW, os.O_WRONLY | os.O_CREAT | os.O_EXCL
begin = time.perf_counter()
for name in names:
    os.stat(name, dir_fd=here, follow_symlinks=False)
    opened = os.open(name, reading, dir_fd=here)
    size = os.fstat(opened).st_size
    os.listxattr(opened)
    content = os.read(opened, size + 1)
    os.close(opened)
    os.link(name, ".old", src_dir_fd=here, dst_dir_fd=here)
    opened = os.open(".new", writing, 0o644, dir_fd=here)
    os.writev(opened, [content])
    os.fsync(opened)
    os.fstat(opened)
    os.close(opened)
    os.stat(name, dir_fd=here, follow_symlinks=False)
    os.rename(".new", name, src_dir_fd=here, dst_dir_fd=here)
    os.unlink(".old", dir_fd=here)
print((time.perf_counter() - begin) / len(names))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", metavar="DIR", help="where patchkit was installed by pip, not as editable")
    parser.add_argument("--work", metavar="DIR", default="/dev/shm" if os.path.isdir("/dev/shm") else None)
    options = parser.parse_args()
    python = os.path.join(options.bin or installed(str(Path(__file__).resolve().parents[2])), "python")
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        for name, case in CASES.items():
            print(_table(name, case, _profiled(python, work, case)))
        print(_floors(python, work))


def _profiled(python, work, case):
    """The median of each phase over some runs, in seconds."""
    place = tempfile.mkdtemp(dir=work)
    case.make(place, *case.arguments)
    environment = {**os.environ, "XDG_STATE_HOME": f"{work}/state"}
    code = _TIMED.format(command=case.command, clocks=case.clocks, words=case.words or ["apply"])
    runs = []
    for _ in range(_ROUNDS + 1):
        tree, patch = place, os.devnull
        if case.command == "apply":
            tree, patch = f"{work}/tree", f"{place}/patch"
            data.fresh(place, tree)
        with open(patch, "rb") as stdin:
            done = subprocess.run(
                [python, "-c", code], cwd=tree, env=environment, stdin=stdin, capture_output=True, check=True
            )
        runs.append(json.loads(done.stderr))
    return {phase: statistics.median(each[phase] for each in runs[1:]) for phase in runs[0]}


def _table(name, case, phases):
    """The phases as a table; the time of no phase is given at the end."""
    each = f"µs a {case.unit}" if case.count > 1 else "µs"
    out = [f"### {name}\n", f"| phase | ms | {each} |", "|---|---|---|"]
    whole = phases.pop("the whole run")
    outside = ("importing the package", "loading the modules")
    rest = whole - sum(took for phase, took in phases.items() if phase not in outside and phase[0] != "(")
    for phase, took in [*phases.items(), ("everything else", rest)]:
        out.append(f"| {phase} | {took * 1e3:.1f} | {took / case.count * 1e6:.1f} |")
    return "\n".join(out) + "\n"


def _floors(python, work):
    """What no work of ours can go below."""
    starts = {"python -c pass": "pass", "the same without taking the interpreter apart": "import os; os._exit(0)"}
    out = ["### Floors\n"]
    for name, code in starts.items():
        out.append(f"- {name}: {statistics.median(_took([python, '-c', code]) for _ in range(60)) * 1e3:.1f} ms")
    os.mkdir(f"{work}/bare")
    for number in range(2_000):
        Path(f"{work}/bare/{number}.txt").write_bytes(b"some text that stands there\n" * 400)
    seconds = subprocess.run([python, "-c", _BARE, f"{work}/bare"], capture_output=True, check=True).stdout
    out.append(f"- the system calls of one update, from Python with nothing around them: {float(seconds) * 1e6:.0f} µs")
    return "\n".join(out) + "\n"


def _took(command):
    begin = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
