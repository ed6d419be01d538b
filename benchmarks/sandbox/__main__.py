"""What a sandbox adds to a command: `true` in trees of several sizes, with and without it, one after the other.

    python -m benchmarks.sandbox [--runs N] [--command PATCHKIT] [--layer landlock|mounts] [--in-process]

Prints medians in milliseconds: of the time that passes, and of the processor time of the command with all that it
starts, which a busy machine changes less. `--command` names an installed `patchkit`: without it the modules of the
checkout are loaded one by one, which takes longer. `--in-process` measures calls of the tool, without the start of
Python.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from patchkit.policy.trust import trust_below
from patchkit.sandbox import prepared as sandboxing
from patchkit.tools.calling import Caller, call

RULES = """\
[permissions]
read = { ".env*" = "deny", "secrets/**" = "deny" }
write = { "src/**" = "allow", ".env*" = "deny" }
execute = "allow"
"""
# name: directories below src, files in each, whether one of them is forbidden, whether there are rules
TREES = {
    "70 files": (7, 10, True, True),
    "70 files without rules": (7, 10, False, False),
    "10,000 files beside a hole": (1, 10_000, True, True),
    "20,000 files": (500, 40, False, True),
    "20,000 files without rules": (500, 40, False, False),
}
MODES = ("off", "require")


def plant(root: Path, directories: int, files: int, hole: bool, rules: bool) -> None:
    for number in range(directories):
        place = root / f"src/d{number}"
        place.mkdir(parents=True)
        for each in range(files):
            (place / f"f{each}.py").touch()
    if hole:
        (root / "src/d0/.env").write_text("SECRET")
    (root / "secrets").mkdir()
    (root / ".env").write_text("SECRET")
    if rules:
        (root / ".patchkit.toml").write_text(RULES)
        trust_below(str(root))


def spent() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def once(root: Path, mode: str, program: list[str]) -> tuple[float, float]:
    """Milliseconds that pass, and of processor time; without a `program`, the tool is called here."""
    started, before = time.perf_counter(), spent()
    if not program:
        caller = Caller(str(root), str(root))
        caller.sandbox = mode
        assert call("Bash", {"command": "true"}, caller).errors == []
    else:
        command = [*program, "exec", f"--sandbox={mode}", "--", "true"]
        subprocess.run(command, cwd=root, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1000, (spent() - before) * 1000


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--runs", type=int, default=30)
    options.add_argument("--layer", choices=["landlock", "mounts"], default="mounts")
    options.add_argument("--in-process", action="store_true")
    options.add_argument("--command", help="an installed patchkit")
    given = options.parse_args()
    program = [os.path.abspath(given.command)] if given.command else [sys.executable, "-m", "patchkit"]
    if given.in_process or given.layer == "landlock":
        program = []
    if given.layer == "landlock":
        sandboxing._without_mounts.append("the benchmark asks for none")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else every start compiles the modules again
    with tempfile.TemporaryDirectory() as base:
        os.environ["XDG_STATE_HOME"] = f"{base}/state"
        for name, tree in TREES.items():
            root = Path(os.path.realpath(base)) / name.replace(" ", "-")
            plant(root, *tree)
            times: dict[str, list[tuple[float, float]]] = {mode: [] for mode in MODES}
            for mode in MODES:
                once(root, mode, program)
            for _ in range(given.runs):
                for mode in MODES:
                    times[mode].append(once(root, mode, program))
            (off, off_used), (on, on_used) = (
                [statistics.median(row[column] for row in times[mode]) for column in (0, 1)] for mode in MODES
            )
            print(f"{name}: {off:.1f} -> {on:.1f} ms, +{on - off:.1f}; processor time +{on_used - off_used:.1f} ms")


main()
