"""The command: mine edits, make cases, run the appliers, report."""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from .cases import HALVES, make_cases
from .chart import svg
from .classes import CLASSES
from .failures import described, failed
from .mining import mine
from .packages import PACKAGES
from .peers import NAMES, find_appliers
from .running import run
from .tables import markdown, summary


def main(argv=None):
    options = arguments(argv)
    with tempfile.TemporaryDirectory() as state:
        # What patchkit remembers of thousands of vanished directories is of no use.
        os.environ["XDG_STATE_HOME"] = state
        compare(options)


def compare(options):
    edits = mine(PACKAGES, options.cache, say)
    halves = HALVES if options.half == "all" else (options.half,)
    cases = make_cases(edits, options.seed, options.per_class, halves, options.classes)
    say(f"{len(edits)} edits of {len({edit.package for edit in edits})} packages, {len(cases)} cases")
    appliers = find_appliers(options.appliers, options.cache, options.patchkit, options.codex, say)
    results = run(cases, appliers, options.jobs, say)
    whole = summary(cases, results, appliers)
    title = f"Accuracy of locating: {len(cases)} cases, half: {options.half}, seed {options.seed}"
    print(markdown(whole, title))
    if options.out:
        write_reports(options, title, whole, cases, results)
    if options.show_failures and "patchkit" in results:
        applier = next(applier for applier in appliers if applier.name == "patchkit")
        for case, outcome in failed(cases, results["patchkit"])[: options.show_failures]:
            print(described(case, outcome, applier))


def arguments(argv):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    add = parser.add_argument
    add("--half", choices=(*HALVES, "all"), default="all", help="which half of the files (default: all)")
    add("--classes", type=_names([kind.name for kind in CLASSES]), metavar="A,B", help="only these classes")
    add("--appliers", type=_names(NAMES), default=list(NAMES), metavar="A,B", help=f"of {', '.join(NAMES)}")
    add("--per-class", type=int, default=160, metavar="N", help="cases of each class, both halves together")
    add("--seed", type=int, default=1)
    add("--jobs", type=int, default=2, metavar="N", help="processes at once")
    add("--cache", type=Path, default=Path.home() / ".cache" / "patchkit-accuracy", metavar="DIR")
    add("--patchkit", default="library", metavar="PROGRAM", help="an apply_patch command instead of the library")
    add("--codex", metavar="PROGRAM", help="Codex (default: PERF_CODEX, else codex on PATH)")
    add("--out", type=Path, metavar="DIR", help="write results.json, results.md and chart.svg there")
    add("--show-failures", type=int, default=0, metavar="N", help="print N failures of patchkit in full")
    return parser.parse_args(argv)


def _names(known):
    def parse(text):
        names = text.split(",")
        unknown = [name for name in names if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"no such name: {', '.join(unknown)}")
        return names

    return parse


def write_reports(options, title, whole, cases, results):
    options.out.mkdir(parents=True, exist_ok=True)
    bad = [
        {"class": case.kind, "edit": case.name, "half": case.half, "outcome": outcome.name, "kind": outcome.kind}
        for case, outcome in failed(cases, results.get("patchkit", ()))
    ]
    record = {
        "title": title,
        "seed": options.seed,
        "half": options.half,
        "cases": len(cases),
        "appliers": whole,
        "patchkit failures": bad,
    }
    (options.out / "results.json").write_text(json.dumps(record, indent=1) + "\n")
    (options.out / "results.md").write_text(markdown(whole, title))
    (options.out / "chart.svg").write_text(svg(whole, title))
    say(f"results.json, results.md and chart.svg are in {options.out}")


def say(text):
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
