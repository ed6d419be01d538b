"""What each number of matching and repair does: answers that change with half of it and with twice as much.

    python -m benchmarks.thresholds [--cases CASES.jsonl[.gz]] [--per-class N] [--only NAME,NAME [--together]]

Asked are cases of the accuracy benchmark and, if given, those of `benchmarks.answers`. For a part of 1, half and twice
as much are taken of what it is away from 1, too: 0.8 becomes 0.4 and 0.9. A number that changes nothing bounds work, or
is far from all cases. Of the answers that change, `worse` were right or helped, and `wrong` ones do harm now.
"""

import argparse
import ast
import gzip
import importlib
import json
import multiprocessing
import sys
import tempfile
from pathlib import Path

from benchmarks.accuracy.cases import make_cases
from benchmarks.accuracy.mining import mine
from benchmarks.accuracy.outcomes import try_case
from benchmarks.accuracy.packages import PACKAGES
from benchmarks.accuracy.peers import find_appliers
from benchmarks.answers import kind_of

ROOT = Path(__file__).resolve().parents[1]
PLACES = ("patchkit/core/matching", "patchkit/repair")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", action="append", default=[])
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "patchkit-accuracy")
    parser.add_argument("--per-class", type=int, default=6)
    parser.add_argument("--only", default="")
    parser.add_argument("--together", action="store_true", help="vary all of them at once")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    ASKED["made"] = make_cases(mine(PACKAGES, asked.cache, say), 1, asked.per_class) if asked.per_class else []
    ASKED["applier"] = find_appliers(["patchkit"], asked.cache, "library", None, say)[0]
    ASKED["sent"] = [case for name in asked.cases for case in read(name)]
    numbers = list(named_numbers())
    for module in {module for module, _, _ in numbers}:
        importlib.import_module(module)
    base = answers(asked.jobs)
    say(f"{len(base)} answers")
    print("| number | value | half: changed, worse, wrong | twice: changed, worse, wrong |")
    print("|---|--:|--:|--:|")
    chosen = [each for each in numbers if not asked.only or each[1] in asked.only.split(",")]
    for group in [chosen] if asked.together else [[each] for each in chosen]:
        effects = []
        for side in (0, 1):
            for each in group:
                vary(*each[:2], others(each[2])[side])
            effects.append(effect(base, answers(asked.jobs)))
            for each in group:
                vary(*each)
        names = ", ".join(f"{module.removeprefix('patchkit.')}.{name}" for module, name, _ in group)
        values = ", ".join(f"{value:,}" for _, _, value in group)
        print(f"| {names} | {values} | {effects[0]} | {effects[1]} |", flush=True)


def others(value):
    return (value / 2, (1 + value) / 2) if value < 1 else (max(1, value // 2), 2 * value)


ASKED = {}


def read(name):
    opened = gzip.open if name.endswith(".gz") else open
    with opened(name, "rt", encoding="utf-8", errors="surrogatepass") as lines:
        cases = [json.loads(line) for line in lines]
    return [case for case in cases if case.get("before") is not None and case.get("retry") is not None]


def named_numbers():
    """The module, the name and the value of every number that has a name."""
    for path in sorted(path for place in PLACES for path in (ROOT / place).rglob("*.py")):
        for each in ast.parse(path.read_text(encoding="utf-8")).body:
            value = each.value.value if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant) else None
            if type(value) in (int, float) and value > 0:
                yield module_of(path), each.targets[0].id, value


def module_of(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def vary(origin, name, value):
    """Gives a number another value in its module and in those that import it."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) or ""
        if not file.startswith(str(ROOT / "patchkit")) or not hasattr(module, name):
            continue
        if module.__name__ == origin or (origin, name) in imported(file):
            setattr(module, name, value)


def imported(file, known={}):  # noqa: B006  # read once each
    if file not in known:
        found = ast.walk(ast.parse(Path(file).read_text(encoding="utf-8")))
        nodes = [node for node in found if isinstance(node, ast.ImportFrom)]
        known[file] = {(node.module, name.name) for node in nodes for name in node.names}
    return known[file]


def answers(jobs):
    """What becomes of each case: whether it is as it should be, and whether it is wrong."""
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return pool.map(answer, range(len(ASKED["made"]) + len(ASKED["sent"])), chunksize=8)


def answer(number):
    try:
        return given(number)
    except (ArithmeticError, LookupError) as error:  # code may need a number to be at least so large
        return repr(error), False, False


def given(number):
    if number >= len(ASKED["made"]):
        kind = kind_of(ASKED["sent"][number - len(ASKED["made"])])
        return kind, kind.startswith("helps"), kind.startswith("harms")
    with tempfile.TemporaryDirectory() as root:
        outcome = try_case(ASKED["applier"], ASKED["made"][number], root)
    return outcome.name, outcome.name == "correct", outcome.name in ("wrong", "dirty")


def effect(base, now):
    changed = [(old, new) for old, new in zip(base, now, strict=True) if old != new]
    worse = sum(old[1] and not new[1] for old, new in changed)
    wrong = sum(new[2] and not old[2] for old, new in changed)
    return f"{len(changed)}, {worse}, {wrong}"


def say(text):
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
