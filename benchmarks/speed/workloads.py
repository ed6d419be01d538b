"""The rows of the table: what is done, by whom else, which ratio counts, and what it should be at most.

A row names its case; cases are made once in the work directory and every run gets a fresh copy. After its first
round the result of ours is compared with what it must be, so that nothing fast and wrong gets a figure.
"""

import filecmp
import os

from . import data
from .measure import Cost, RunError, duel, run

_WARM = """
import sys, time
import patchkit
patch, rounds = open(sys.argv[1]).read(), int(sys.argv[2])
before = open("big.txt", "rb").read()
took = []
for _ in range(rounds):
    open("big.txt", "wb").write(before)
    begin = time.perf_counter()
    patchkit.apply(patch, ".")
    took.append(time.perf_counter() - begin)
print(sorted(took)[len(took) // 2])
"""


class Row:
    """One line of the table: `of` is the ratio that counts, `goal` the most it should be, `size` how heavy it is."""

    def __init__(self, name, against, of, goal, make, size=1, rounds=5):
        self.name, self.against, self.of, self.goal = name, against, of, goal
        self.make, self.size, self.rounds = make, size, rounds


class Bench:
    """The work directory, the programs, and the duels fought so far: several rows may read one."""

    def __init__(self, work, peers, rounds_factor=1.0):
        self.work, self.peers, self.factor = work, peers, rounds_factor
        self._duels = {}
        self.environment = {**os.environ, "XDG_STATE_HOME": f"{work}/state"}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def duel(self, key, rounds, ours, theirs):
        if key not in self._duels:
            self._duels[key] = duel(max(3, round(rounds * self.factor)), ours, theirs)
        return self._duels[key]

    def case(self, name, make, *arguments):
        place = f"{self.work}/{name}"
        if not os.path.exists(place):
            aside(make, place, *arguments)
        return place

    def run(self, command, directory, stdin=None, stdout=os.devnull):
        return run(command, directory, stdin, stdout, self.environment)

    def patched(self, rounds, case):
        """Ours and Codex on one case, the result of ours checked."""
        tree = f"{self.work}/tree"

        def turn(command, check):
            def take(number):
                data.fresh(case, tree)
                cost = self.run([command], tree, f"{case}/patch")
                if check and number == 0 and not same_tree(f"{case}/after", tree):
                    raise RunError("patchkit's result is not the one expected")
                return cost

            return take

        ours, theirs = self.peers.ours("apply_patch"), self.peers.codex()
        return self.duel(case, rounds, turn(ours, True), turn(theirs, False))


def aside(make, *arguments):
    """Makes something in a process of its own: its memory would count as that of the programs started from here."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            make(*arguments)
            status = 0
        finally:
            os._exit(status)
    if os.waitpid(child, 0)[1]:
        raise RunError(f"the data for {arguments[0]} could not be made")


def same_tree(one, other):
    """Whether two directories hold the same files with the same content."""
    names = [
        sorted(os.path.relpath(os.path.join(at, name), top) for at, _, files in os.walk(top) for name in files)
        for top in (one, other)
    ]
    if names[0] != names[1]:
        return False
    return filecmp.cmpfiles(one, other, names[0], shallow=False)[1:] == ([], [])


def _one_hunk(bench):
    return bench.case("hunk", data.one_file, 100, 1)


def _start(bench, rounds):
    case, tree = _one_hunk(bench), f"{bench.work}/tree"

    def ours(_number):
        data.fresh(case, tree)
        return bench.run([bench.peers.ours("apply_patch")], tree, f"{case}/patch")

    return bench.duel(
        "start", rounds, ours, lambda _: bench.run([bench.peers.ours("python"), "-c", "pass"], bench.work)
    )


def _tiny(bench, rounds):
    return bench.patched(rounds, _one_hunk(bench))


def _warm(bench, rounds):
    case, tree = _one_hunk(bench), f"{bench.work}/tree"

    def ours(_number):
        data.fresh(case, tree)
        output = f"{bench.work}/output"
        cost = bench.run([bench.peers.ours("python"), "-c", _WARM, f"{case}/patch", "50"], tree, stdout=output)
        with open(output, encoding="utf-8") as file:
            seconds = float(file.read() or "nan")
        return Cost(seconds, seconds, cost.memory, cost.status)

    def theirs(_number):
        data.fresh(case, tree)
        return bench.run([bench.peers.codex()], tree, f"{case}/patch")

    return bench.duel("warm", rounds, ours, theirs)


def _exact(lines, hunks, how="exact"):
    return lambda bench, rounds: bench.patched(
        rounds, bench.case(f"{how}-{lines}-{hunks}", data.one_file, lines, hunks, how)
    )


def _repetitive(lines):
    return lambda bench, rounds: bench.patched(rounds, bench.case(f"repetitive-{lines}", data.repetitive, lines))


def _files(count):
    return lambda bench, rounds: bench.patched(rounds, bench.case(f"files-{count}", data.many_files, count))


def _adds(megabytes):
    return lambda bench, rounds: bench.patched(rounds, bench.case(f"adds-{megabytes}", data.adds, megabytes))


def _heredoc(megabytes):
    def make(bench, rounds):
        script = bench.case(f"heredoc-{megabytes}", data.heredoc, megabytes)
        ours = [bench.peers.ours("patchkit"), "intercept", "--script", script]
        theirs = [bench.peers.program("bash"), "-n", script]
        return bench.duel(
            script, rounds, lambda _: bench.run(ours, bench.work), lambda _: bench.run(theirs, bench.work)
        )

    return make


def _tree(bench, files):
    return bench.case(f"hay-{files}", data.tree, files)


def _grep(files, fallback=False):
    def make(bench, rounds):
        hay = _tree(bench, files)
        rg = bench.peers.program("rg")
        ours = [
            bench.peers.ours("patchkit"),
            "grep",
            "needle_in_the_hay",
            "--root",
            hay,
            "--limit",
            "0",
            "--timeout",
            "0",
        ]
        theirs = [rg, "-F", "-l", "needle_in_the_hay", hay]
        environment = {**bench.environment, "PATCHKIT_RG": ""} if fallback else bench.environment
        return bench.duel(
            f"grep-{files}-{fallback}",
            rounds,
            lambda _: run(ours, hay, environment=environment),
            lambda _: bench.run(theirs, hay),
        )

    return make


def _glob(files):
    def make(bench, rounds):
        hay = _tree(bench, files)
        ours = [bench.peers.ours("patchkit"), "glob", "**/*.py", "--root", hay, "--limit", "0", "--timeout", "0"]
        theirs = [bench.peers.program("rg"), "--files", "-g", "*.py", hay]
        return bench.duel(f"glob-{files}", rounds, lambda _: bench.run(ours, hay), lambda _: bench.run(theirs, hay))

    return make


def _read(megabytes):
    def make(bench, rounds):
        path = bench.case(f"text-{megabytes}", data.text, megabytes)
        first = megabytes * 20_000 - 1_000
        ours = ["read", path, "--offset", str(first), "--limit", "200", "--root", bench.work]
        theirs = [bench.peers.program("sed"), "-n", f"{first},{first + 199}p;{first + 199}q", path]
        return bench.duel(
            f"read-{megabytes}",
            rounds,
            lambda _: bench.run([bench.peers.ours("patchkit"), *ours], bench.work),
            lambda _: bench.run(theirs, bench.work),
        )

    return make


def _edit(megabytes):
    def make(bench, rounds):
        path = bench.case(f"edit-{megabytes}", data.text, megabytes)
        ours = ["edit", path, "--old", "the only line of its kind", "--new", "another line", "--force"]
        theirs = [bench.peers.program("sed"), "-i", "s/the only line of its kind/another line/", path]

        def turn(command):
            def take(_number):
                aside(data.text, path, megabytes)
                return bench.run(command, bench.work)

            return take

        command = [bench.peers.ours("patchkit"), *ours, "--root", bench.work]
        return bench.duel(f"edit-{megabytes}", rounds, turn(command), turn(theirs))

    return make


ROWS = [
    Row("one hunk, the installed command", "python -c pass", "wall", 1.15, _start, rounds=60),
    Row("one hunk, the installed command", "Codex", "wall", 6, _tiny, rounds=40),
    Row("one hunk, library, warm", "Codex", "wall", 0.25, _warm, rounds=9),
    Row("exact, 10k lines, 1 hunk", "Codex", "cpu", 2.2, _exact(10_000, 1)),
    Row("exact, 10k lines, 100 hunks", "Codex", "cpu", 2.2, _exact(10_000, 100)),
    Row("exact, 100k lines, 1 hunk", "Codex", "cpu", 0.6, _exact(100_000, 1)),
    Row("exact, 100k lines, 100 hunks", "Codex", "cpu", 0.6, _exact(100_000, 100)),
    Row("exact, 1M lines, 1 hunk", "Codex", "cpu", 0.25, _exact(1_000_000, 1), size=2),
    Row("exact, 1M lines, 100 hunks", "Codex", "cpu", 0.3, _exact(1_000_000, 100), size=2),
    Row("exact, 1M lines, 5,000 hunks", "Codex", "cpu", 0.5, _exact(1_000_000, 5_000), size=2),
    Row("exact, 1M lines, 50,000 hunks", "Codex", "cpu", 1.0, _exact(1_000_000, 50_000), size=2),
    Row("peak memory, exact, 1M lines, 100 hunks", "Codex", "memory", 0.5, _exact(1_000_000, 100), size=2),
    Row("drift: trailing blanks, 100k lines, 1,000 hunks", "Codex", "cpu", 0.9, _exact(100_000, 1_000, "trailing")),
    Row("drift: indentation, 100k lines, 1,000 hunks", "Codex", "cpu", 0.4, _exact(100_000, 1_000, "indent")),
    Row("drift: Unicode, 100k lines, 1,000 hunks", "Codex", "cpu", 0.25, _exact(100_000, 1_000, "unicode")),
    Row("repetitive, 10k lines", "Codex", "cpu", None, _repetitive(10_000), rounds=3),
    Row("repetitive, 100k lines", "Codex", "cpu", 0.01, _repetitive(100_000), size=2, rounds=3),
    Row("100 files", "Codex", "cpu", 1.0, _files(100)),
    Row("2,000 files", "Codex", "cpu", 0.6, _files(2_000), size=2),
    Row("10,000 files", "Codex", "cpu", 0.6, _files(10_000), size=3),
    Row("50 MB of adds", "Codex", "cpu", 0.8, _adds(50), size=2),
    Row("20 MB heredoc, intercept", "bash -n", "wall", 0.6, _heredoc(20), size=2),
    Row("grep, 50k files", "rg", "wall", 1.15, _grep(50_000), size=3),
    Row("grep without ripgrep, 50k files", "rg", "wall", 3, _grep(50_000, fallback=True), size=3),
    Row("glob, 50k files", "rg --files", "wall", 1.5, _glob(50_000), size=3),
    Row("read 200 lines near the end of 1 GB", "sed -n", "wall", 0.7, _read(1_000), size=3),
    Row("edit one place in 100 MB", "sed -i", "wall", 0.5, _edit(100), size=2),
]

# How the cost grows with the file: (name, cases by size); drawn as curves and given as exponents.
CURVES = [
    ("exact, 1 hunk", [(n, _exact(n, 1)) for n in (10_000, 100_000, 1_000_000)]),
    ("repetitive", [(n, _repetitive(n)) for n in (1_000, 10_000, 100_000)]),
    ("files", [(n, _files(n)) for n in (100, 2_000, 10_000)]),
]
