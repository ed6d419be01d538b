"""Predictions that `git apply` refuses, before and after `patchkit batch --repair`.

    python -m benchmarks.batch.repair [--commits 12] [--list] REPOSITORY...

Takes the diffs of real commits, and breaks each in the ways in which models break one. Of those that git refuses it
counts how many git takes afterwards: as they were committed (right), as something else (wrong), or not at all (left).
A patch that is cut off within a change says less than was meant: any repair of it is wrong.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.roundtrip.histories import Change, History, MissingObjectError
from patchkit.batch.judging import RowJudge
from patchkit.batch.request import BatchRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Broken = Callable[[list[str], random.Random], list[str]]

HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)")
LARGEST = 60_000


def rewritten(lines: list[str], header: Callable[[re.Match[str]], str]) -> list[str]:
    return [header(found) if (found := HEADER.fullmatch(line)) else line for line in lines]


def counts(lines: list[str], chance: random.Random) -> list[str]:
    def wrong(found: re.Match[str]) -> str:
        more = chance.choice((-2, -1, 1, 2, 3))
        return f"@@ -{found[1]},{max(int(found[2] or 1) + more, 1)} +{found[3]},{max(int(found[4] or 1) + more, 1)} @@"

    return rewritten(lines, wrong)


def numbers_and_counts(lines: list[str], chance: random.Random) -> list[str]:
    return rewritten(lines, lambda found: f"@@ -{chance.randint(1, 400)},7 +{chance.randint(1, 400)},9 @@{found[5]}")


def no_numbers(lines: list[str], chance: random.Random) -> list[str]:
    return rewritten(lines, lambda found: chance.choice(("@@", "@@ ... @@", f"@@{found[5]} @@")))


def last_change(lines: list[str]) -> int:
    return max(row for row, line in enumerate(lines) if line[:1] in ("+", "-") and line[:3] not in ("+++", "---"))


def context_cut_off(lines: list[str], chance: random.Random) -> list[str]:
    row = last_change(lines) + 2
    return [*lines[: row - 1], *[line[: len(line) // 2 + 1] for line in lines[row - 1 : row]]]


def change_cut_off(lines: list[str], chance: random.Random) -> list[str]:
    last = last_change(lines)
    return [*lines[:last], lines[last][: max(len(lines[last]) // 2, 1)]]


def fenced(lines: list[str], chance: random.Random) -> list[str]:
    return ["Here is the fix:", "", "```diff", *lines, "```", "", "It keeps the tests as they are."]


def escaped(lines: list[str], chance: random.Random) -> list[str]:
    return [json.dumps("\n".join(lines) + "\n")[1:-1]]


def mounted(lines: list[str], chance: random.Random) -> list[str]:
    kept = [line for line in lines if not line.startswith(("diff --git", "index "))]
    return [re.sub(r"^(---|\+\+\+) [ab]/", r"\1 /testbed/", line) for line in kept]


def bare_blanks(lines: list[str], chance: random.Random) -> list[str]:
    return ["" if line == " " else line for line in lines]


def trailing_blanks_lost(lines: list[str], chance: random.Random) -> list[str]:
    return "\n".join(lines).strip().split("\n")


def without_margins(lines: list[str], chance: random.Random) -> list[str]:
    """Context lines lose the space before them."""
    return [line[1:] if line.startswith(" ") else line for line in lines]


def stale(lines: list[str], chance: random.Random) -> list[str]:
    """A context line that says something else."""
    rows = [row for row, line in enumerate(lines) if line.startswith(" ") and len(line.split()) > 2]
    if not rows:
        return lines
    row = chance.choice(rows)
    words = lines[row].split(" ")
    places = [n for n, word in enumerate(words) if word]
    words[chance.choice(places)] = "changed"
    return [*lines[:row], " ".join(words), *lines[row + 1 :]]


def blocks(lines: list[str], chance: random.Random) -> list[str]:
    """Search and replace blocks."""
    made: list[str] = []
    path, old, new = "", [""], [""]

    def close() -> None:
        if old[1:] or new[1:]:
            made.extend([path, "<<<<<<< SEARCH", *old[1:], "=======", *new[1:], ">>>>>>> REPLACE", ""])
        del old[1:], new[1:]

    for line in lines:
        if line.startswith(("diff --git", "index ", "--- ", "@@ ")):
            close()
        elif line.startswith("+++ "):
            path = line[6:]
        else:
            old.extend([line[1:]] * (line[:1] != "+"))
            new.extend([line[1:]] * (line[:1] != "-"))
    close()
    return made


def v4a(lines: list[str], chance: random.Random) -> list[str]:
    made = ["*** Begin Patch"]
    for line in lines:
        if line.startswith("+++ "):
            made.append(f"*** Update File: {line[6:]}")
        elif not line.startswith(("diff --git", "index ", "--- ")):
            made.append("@@" if line.startswith("@@ ") else line)
    return [*made, "*** End Patch"]


def several(lines: list[str], chance: random.Random) -> list[str]:
    made = chance.choice((counts, numbers_and_counts, no_numbers))(lines, chance)
    for broken in chance.sample((bare_blanks, without_margins, stale, without_index, mounted), 2):
        made = broken(made, chance)
    return chance.choice((fenced, escaped, lambda lines, chance: lines))(made, chance)


def without_index(lines: list[str], chance: random.Random) -> list[str]:
    """No line of git, and no prefix before paths."""
    kept = [line for line in lines if not line.startswith(("diff --git", "index "))]
    return [re.sub(r"^(---|\+\+\+) [ab]/", r"\1 ", line) for line in kept]


def with_returns(lines: list[str], chance: random.Random) -> list[str]:
    return [line + "\r" for line in lines]


WAYS: dict[str, Broken] = {
    "wrong counts": counts,
    "wrong numbers and counts": numbers_and_counts,
    "no numbers": no_numbers,
    "cut off in the last context": context_cut_off,
    "cut off within a change": change_cut_off,
    "in a fence, with prose": fenced,
    "escaped, on one line": escaped,
    "paths below `/testbed/`": mounted,
    "blank lines without their space": bare_blanks,
    "blank lines at the end lost": trailing_blanks_lost,
    "context without its space": without_margins,
    "a stale context line": stale,
    "search and replace": blocks,
    "a patch for `apply_patch`": v4a,
    "paths without `a/` and `b/`": without_index,
    "lines that end in CRLF": with_returns,
    "several of these at once": several,
}
UNENDED = ("cut off in the last context", "cut off within a change", "blank lines at the end lost")


def git_result(text: str, before: dict[str, str]) -> dict[str, str] | None:
    """The files that `git apply` makes of a patch; None where it refuses."""
    with tempfile.TemporaryDirectory() as place:
        for name, content in before.items():
            path = Path(place, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode())
        words = ["git", "apply", "--whitespace=nowarn", "-"]
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CEILING_DIRECTORIES": "/", "LC_ALL": "C"}
        if subprocess.run(words, cwd=place, input=text.encode(), capture_output=True, env=env, check=False).returncode:
            return None
        found = [path for path in Path(place).rglob("*") if path.is_file()]
        return {str(path.relative_to(place)): path.read_bytes().decode() for path in found}


def sides(change: Change) -> tuple[dict[str, str], dict[str, str]] | None:
    """The files of a commit that changes a few texts; None for any other."""
    names = {name for name in change.before if change.before[name] != change.after.get(name)}
    try:
        texts = tuple({name: side[name].decode() for name in names} for side in (change.before, change.after))
    except (KeyError, UnicodeDecodeError):
        return None
    whole = "".join(texts[0].values())
    if change.modes or {*change.after} != names or len(names) > 6 or not 0 < len(whole) < LARGEST:
        return None
    return None if "\r" in whole or "\0" in whole else (texts[0], texts[1])


def repaired(text: str, before: dict[str, str], how: str) -> str | None:
    request = BatchRequest()
    request.repair = how
    made = RowJudge(request).judge({"instance_id": "1", "model_patch": text, "files": before}).values()
    return str(made["model_patch"]) if made.get("repaired") else None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--commits", type=int, default=12, help="of each repository")
    parser.add_argument("--list", action="store_true", help="print what is wrong or left")
    asked = parser.parse_args()
    found: dict[str, collections.Counter[str]] = {way: collections.Counter() for way in WAYS}
    chance = random.Random(1)
    for repository in asked.repositories:
        history = History(repository)
        used = 0
        for commit in history.commits(asked.commits * 8):
            try:
                texts = sides(history.change(commit))
            except MissingObjectError:
                continue
            if texts is None or used == asked.commits:
                continue
            used += 1
            before, after = texts
            diff = history.git("diff", "--no-color", "--no-ext-diff", f"{commit}^", commit).decode()
            lines = diff.removesuffix("\n").split("\n")
            for way, broken in WAYS.items():
                text = "\n".join(broken(lines, chance)) + "\n" * (way not in UNENDED)
                count = found[way]
                count["rows"] += 1
                if git_result(text, before) is not None:
                    continue
                count["refused"] += 1
                for how in ("certain", "likely"):
                    made = repaired(text, before, how)
                    if made is None:
                        outcome = "left"
                        continue
                    outcome = "right" if git_result(made, before) == after else "wrong"
                    count[f"{outcome} {how}"] += 1
                    break
                if asked.list and outcome != "right":
                    print(f"{outcome}: {repository} {commit[:9]} ({way})")
        history.close()
    print("| broken | patches | git refuses | right | wrong | likely: right | likely: wrong | left |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    total: collections.Counter[str] = collections.Counter()
    for way, count in [*found.items(), ("all", total)]:
        done = [count[f"{outcome} {how}"] for how in ("certain", "likely") for outcome in ("right", "wrong")]
        row = (count["rows"], count["refused"], *done, count["refused"] - sum(done))
        print(f"| {way} | " + " | ".join(map(str, row)) + " |")
        total += count
    return 1 if total["wrong certain"] else 0


if __name__ == "__main__":
    sys.exit(main())
