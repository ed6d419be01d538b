"""Measure patchkit beside other tools.

    python -m benchmarks.speed [--short] [--only WORDS] [--codex PROGRAM] [--bin DIR] [--work DIR] [-o FILE]

Without `--bin` patchkit is first installed by pip into an environment of the benchmark's own. The table goes to
standard output as Markdown, progress to standard error; `-o` writes the growth curves as SVG beside it.
"""

import argparse
import os
import platform
import sys
import tempfile
from datetime import date
from pathlib import Path

from . import report
from .measure import RunError
from .peers import MissingError, Peers, installed
from .workloads import CURVES, ROWS, Bench


def main():
    options = _options()
    peers = Peers(options.bin or installed(str(Path(__file__).resolve().parents[2])), options.codex)
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        bench = Bench(work, peers, options.rounds)
        rows = [row for row in ROWS if row.size <= (1 if options.short else 3)]
        lines = [_measured(bench, row) for row in rows if options.only in row.name]
        print(report.table(lines))
        if not options.only:
            _draw(bench, options)
    print(f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, {platform.platform(terse=True)}, ", end="")
    print(f"Python {platform.python_version()}")


def _measured(bench, row):
    print(f"{row.name} / {row.against} …", file=sys.stderr, flush=True)
    try:
        fought = row.make(bench, row.rounds)
    except (MissingError, RunError) as error:
        return report.Line(row, why=str(error))
    return report.Line(row, fought.ratio(row.of), fought.middle("ours", row.of), fought.middle("theirs", row.of))


def _draw(bench, options):
    """The growth curves, of as many sizes as the run measures."""
    curves = {}
    for name, cases in CURVES:
        sides = ([], [])
        for size, make in cases if not options.short else cases[:2]:
            try:
                fought = make(bench, 3)
            except (MissingError, RunError) as error:
                print(f"no curve for '{name}': {error}", file=sys.stderr)
                break
            sides[0].append((size, fought.middle("ours", "cpu")))
            sides[1].append((size, fought.middle("theirs", "cpu")))
        if len(sides[0]) > 1:
            curves[name] = sides
            grown = [f"{report.exponent(side):.2f}" for side in sides]
            print(f"growth of '{name}': patchkit n^{grown[0]}, Codex n^{grown[1]}")
    if curves and options.output:
        Path(options.output).write_text(report.chart(curves), encoding="utf-8")


def _options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--short", action="store_true", help="small sizes only")
    add("--only", default="", metavar="WORDS", help="rows whose name has these words")
    add("--codex", metavar="PROGRAM", default=os.environ.get("PERF_CODEX"), help="Codex, by the name apply_patch")
    add("--bin", metavar="DIR", help="where patchkit was installed by pip, not as editable")
    add("--work", metavar="DIR", default="/dev/shm" if os.path.isdir("/dev/shm") else None, help="where data goes")
    add("--rounds", type=float, default=1.0, metavar="FACTOR", help="more or fewer rounds than usual")
    add("-o", "--output", metavar="FILE", help="write the growth curves here, as SVG")
    return parser.parse_args()


if __name__ == "__main__":
    main()
