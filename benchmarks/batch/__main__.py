"""What judging many rows costs: beside one `git apply --check` a row, and beside a plain loop over the library.

    python -m benchmarks.batch [--rows 4000] [--memory 10000,1000000] [--jobs 1,2]
    python -m benchmarks.batch --commits REPOSITORY

With `--commits`: what a row of a real commit costs in one process and the git that it asks, for the diffs of a
repository's latest 200, in four formats.

Without: processor time of plans in microseconds; rows a second and processor time a row, for some numbers of workers;
and the memory of a run by its number of rows, and how its processor time grows with that. Processor time is what to
compare on a machine that is busy.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import patchkit
from patchkit.batch.judging import RowJudge
from patchkit.batch.request import APPLIES, BatchRequest
from patchkit.diffs.git_tree import GitTree

FUNCTIONS = 70
BASE = "".join(f"def f{n}():\n    value = {n}\n    return value + {n}\n" for n in range(FUNCTIONS))
TINY = "one\ntwo\nthree\n"


def anchored(number: int, context: str = "") -> str:
    name = number % FUNCTIONS
    return (
        f"*** Begin Patch\n*** Update File: a.py\n@@ def f{name}():\n     value = {name}{context}\n"
        f"-    return value + {name}\n+    return value + {number + 1000}\n*** End Patch\n"
    )


def refused(number: int) -> str:
    """A hunk of which two lines differ, so that its nearest place is looked for."""
    return anchored(number, " or so").replace("-    return value +", "-    return valuex +")


def tiny(_number: int) -> str:
    return "*** Begin Patch\n*** Update File: a.py\n@@\n one\n-two\n+zwei\n three\n*** End Patch\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--jobs", default="1,2")
    parser.add_argument("--memory", default="10000")
    parser.add_argument("--commits", metavar="REPOSITORY")
    asked = parser.parse_args()
    if asked.commits:
        print_commits(Path(asked.commits).resolve())
        return 0
    print_plans()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        print_rows(asked.rows, [int(word) for word in asked.jobs.split(",")])
        print_memory([int(word) for word in asked.memory.split(",") if word])
    return 0


# -- real commits ----------------------------------------------------------------------------------


def commit_rows(repository: Path) -> list[dict[str, object]]:
    words = ["git", "-C", str(repository), "log", "--no-merges", "-n", "200", "-p", "--format=%x00%H %P"]
    log = subprocess.run(words, capture_output=True, check=True).stdout.decode("utf-8", "replace")
    rows: list[dict[str, object]] = []
    for each in log.split("\0")[1:]:
        (commit, *parents), diff = each.partition("\n")[0].split(), each.partition("\n\n")[2]
        if parents and 0 < len(diff) < 120_000:
            name = repository.name.removesuffix(".git")
            rows.append({"id": commit, "repo": name, "base_commit": parents[0], "patch": diff})
    return rows


def in_format(rows: list[dict[str, object]], name: str, git_dir: str) -> list[dict[str, object]]:
    """The rows with their diffs in another format; without those that it cannot say."""
    made = []
    for row in rows:
        with GitTree(str(row["base_commit"]), git_dir) as tree:
            try:
                text = patchkit.convert(str(row["patch"]), name, tree, skip_unsupported=True).text
                made.append({**row, "patch": text.decode("utf-8", "replace")})
            except patchkit.PatchkitError:
                continue
    return made


def print_commits(repository: Path) -> None:
    plain = commit_rows(repository)
    request = BatchRequest()
    request.repos = str(repository.parent)
    git_dir = str(repository / ".git") if (repository / ".git").exists() else str(repository)
    for name in ("unified", "v4a", "search-replace", "json-edits"):
        rows = plain if name == "unified" else in_format(plain, name, git_dir)
        took = []
        for _ in range(3):
            judge = RowJudge(request)
            before, started = os.times(), time.process_time()
            judged = sum(judge.judge(row).verdict == APPLIES for row in rows)
            taken = time.process_time() - started
            judge.bases.close()
            after = os.times()
            taken += after.children_user + after.children_system - before.children_user - before.children_system  # git
            took.append(taken)
        size = sum(len(str(row["patch"])) for row in rows)
        print(f"{name}: {len(rows)} rows, {judged} apply, ", end="")
        print(f"{size / len(rows) / 1000:.1f} KB each: {1000 * min(took) / len(rows):.2f} ms a row")


# -- single plans ----------------------------------------------------------------------------------


def print_plans() -> None:
    warm = patchkit.Planner()
    base, small = BASE.encode(), TINY.encode()
    calls = {
        "anchored, 210 lines": lambda n: patchkit.plan(anchored(n), {"a.py": bytes(bytearray(base))}),
        "the same by a Planner": lambda n: warm.plan(anchored(n), {"a.py": bytes(bytearray(base))}),
        "refused, with its near miss": lambda n: attempt(refused(n), base),
        "tiny": lambda n: patchkit.plan(tiny(n), {"a.py": small}),
    }
    print(f"{'a plan, processor time':44}{'µs':>8}")
    for name, call in calls.items():
        best = min(timed(call) for _ in range(7))
        print(f"{name:44}{best * 1e6:8.0f}")


def attempt(patch: str, base: bytes) -> None:
    try:
        patchkit.plan(patch, {"a.py": bytes(bytearray(base))})
    except patchkit.PlacingError:
        return
    raise SystemExit("the patch applies, and should not")


def timed(call, count: int = 150) -> float:
    started = time.process_time()
    for number in range(count):
        call(number)
    return (time.process_time() - started) / count


# -- rows ------------------------------------------------------------------------------------------

RUN = """
import json, resource, sys, time
from patchkit.batch.chunks import RowSource
from patchkit.batch.request import APPLIES, BatchRequest
from patchkit.diffs.git_tree import GitTree
from patchkit.batch.running import LocalRun, Output
rows, out, jobs = sys.argv[1], sys.argv[2], int(sys.argv[3])
request, source = BatchRequest(), RowSource(rows)
output = Output(out, {"rows": source.identity(), "request": request.identity()}, False)
before, started = time.process_time(), time.monotonic()
run = LocalRun(request, source, output, jobs)
run.run()
workers = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"clock": time.monotonic() - started, "parent": time.process_time() - before,
    "workers": workers.ru_utime + workers.ru_stime, "rows": output.rows, "most": workers.ru_maxrss,
    "own": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
"""


def run(rows: str, jobs: int) -> dict[str, float]:
    Path("out.jsonl").unlink(missing_ok=True)
    done = subprocess.run([sys.executable, "-c", RUN, rows, "out.jsonl", str(jobs)], capture_output=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def print_rows(count: int, jobs: list[int]) -> None:
    with open("rows.jsonl", "w") as file:
        for number in range(count):
            patch = refused(number) if number % 10 == 9 else anchored(number)
            file.write(json.dumps({"id": number, "patch": patch, "files": {"a.py": BASE}}) + "\n")
    lines = [("a plain loop over the library", *loop("rows.jsonl"), None)]
    for each in jobs:
        found = run("rows.jsonl", each)
        share = found["parent"] / found["workers"]
        lines.append((f"patchkit batch --jobs {each}", found["workers"] + found["parent"], found["clock"], share))
    cpu, clock = git_apply(200)
    lines.append(("git apply --check, a process a row", cpu * count / 200, clock * count / 200, None))
    print(f"\n{f'{count:,} rows, {os.cpu_count()} processors':44}{'cpu µs/row':>12}{'rows/s':>9}{'parent':>9}")
    for name, cpu, clock, share in lines:
        last = f"{100 * share:8.1f}%" if share is not None else ""
        print(f"{name:44}{cpu / count * 1e6:12.0f}{count / clock:9.0f}{last:>9}")


def loop(rows: str) -> tuple[float, float]:
    cpu, clock = time.process_time(), time.monotonic()
    with open(rows) as file, open("loop.jsonl", "w") as out:
        for line in file:
            row = json.loads(line)
            try:
                patchkit.plan(row["patch"], {name: text.encode() for name, text in row["files"].items()})
                verdict = "applies"
            except patchkit.PatchkitError as error:
                verdict = f"refused: {error.message}"
            out.write(json.dumps({"id": row["id"], "verdict": verdict}) + "\n")
    return time.process_time() - cpu, time.monotonic() - clock


def git_apply(count: int) -> tuple[float, float]:
    """One process a row on one work tree, with the diffs made before."""
    Path("work").mkdir()
    Path("work/a.py").write_text(BASE)
    diffs = [patchkit.plan(anchored(number), {"a.py": BASE.encode()}).diff() for number in range(count)]
    before, clock = os.times(), time.monotonic()
    for diff in diffs:
        subprocess.run(["git", "apply", "--check", "-"], input=diff.encode(), cwd="work", check=True)
    after = os.times()
    used = sum(after[:4]) - sum(before[:4])
    return used, time.monotonic() - clock


def print_memory(counts: list[int]) -> None:
    print(f"\n{'memory, two workers, rows of 150 bytes':44}{'parent MB':>12}{'worker MB':>11}{'rows/s':>9}")
    spent = []
    for count in counts:
        with open("many.jsonl", "w") as file:
            for number in range(count):
                row = {"id": number, "patch": tiny(number), "files": {"a.py": f"one\ntwo\nthree\n{number}\n"}}
                file.write(json.dumps(row) + "\n")
        found = run("many.jsonl", 2)
        rate = found["rows"] / found["clock"]
        print(f"{f'{count:,} rows':44}{found['own'] / 1024:12.0f}{found['most'] / 1024:11.0f}{rate:9.0f}", flush=True)
        spent.append(found["parent"] + found["workers"])
    for count, more, used, most in zip(counts, counts[1:], spent, spent[1:]):
        print(f"growth from {count:,} to {more:,} rows: n^{math.log(most / used) / math.log(more / count):.2f}")


if __name__ == "__main__":
    raise SystemExit(main())
