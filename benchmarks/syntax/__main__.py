"""New syntax errors: broken patches that are found, and real changes that are wrongly doubted.

    python -m benchmarks.syntax [--commits N] [--list] REPOSITORY...

Takes the changed source files of real commits. Each change as it was committed must bring no new error; then it is
broken in one way that models break code: a bracket or quote of a changed line is lost, a changed line is cut, a line
that closes a block is left out or sent twice. Needs the grammars of the extra `structure`.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys

from benchmarks.roundtrip.histories import History
from patchkit.diffs.compare import compared
from patchkit.guards.syntax import new_errors
from patchkit.structure.grammars import language_of, parsed


def found(path, before, after):
    spans = compared(before.splitlines(True), after.splitlines(True))
    return new_errors(path, before, after, [tuple(span[:4]) for span in spans])


def broken(before, after, chance):
    """The new file with one slip on a changed line; None where the change has nothing to break."""
    lines = after.splitlines(True)
    spans = compared(before.splitlines(True), lines)
    rows = [row for span in spans for row in range(span[2], span[3]) if lines[row].strip()]
    ways = []
    for row in rows:
        text = lines[row]
        ways += [(row, text[:at] + text[at + 1 :]) for at, byte in enumerate(text) if byte in b"()[]{}\"'`"]
        if text.strip() in (b"}", b"end", b"});", b"};", b")", b"]"):
            ways += [(row, b""), (row, text + text)]
    if not ways:
        return None
    row, text = chance.choice(ways)
    return b"".join([*lines[:row], text, *lines[row + 1 :]])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--list", action="store_true", help="print real changes that are doubted")
    asked = parser.parse_args()
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    chance = random.Random(1)
    for repository in asked.repositories:
        history = History(repository)
        for commit in history.commits(asked.commits):
            change = history.change(commit)
            for path, after in change.after.items():
                before = change.before.get(path)
                if before is None or before == after or parsed(path, after) is None or len(after) > 300_000:
                    continue
                count = counts[language_of(path)]
                count["real"] += 1
                if found(path, before, after):
                    count["doubted"] += 1
                    if asked.list:
                        print(repository, commit[:12], path, found(path, before, after))
                slip = broken(before, after, chance)
                if slip is not None:
                    count["broken"] += 1
                    count["found"] += bool(found(path, before, slip))
        history.close()
    for language, count in sorted(counts.items()):
        share = 100 * count["found"] / max(count["broken"], 1)
        print(
            f"{language:12} real changes {count['real']:5}, doubted {count['doubted']:3};"
            f" broken {count['broken']:5}, found {count['found']:5} ({share:.0f} %)"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
