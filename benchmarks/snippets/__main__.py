"""Parts of files with comments such as `# ... existing code ...`, merged into the files.

    python -m benchmarks.snippets [--commits N] [--list] REPOSITORY...

Takes the changed files of real commits, and shortens each new file in the ways in which models shorten one: a few
lines around each change, the heads of the definitions around it, the whole definition, and comments for the rest. Of
each way it counts how many come out as they were committed (right), as something else (wrong), and refused. The last
three ways leave a reader in doubt, and count for wrong ones only: one line on each side of a change is shown, or none
on one of them.
"""

from __future__ import annotations

import argparse
import collections
import difflib
import random
import sys

from benchmarks.roundtrip.histories import History, MissingObjectError
from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.diffs.compare import compared
from patchkit.errors import PatchkitError
from patchkit.formats.foreign import patch_of
from patchkit.guards.placeholders import is_placeholder
from patchkit.sources import MemoryFiles

WORDS = ("... existing code ...", "... rest of the code ...", "... (unchanged)", "...", "... remaining code ...")
COMMENTS = {"js": "//", "ts": "//", "tsx": "//", "c": "//", "h": "//", "go": "//", "rs": "//", "java": "//"}
COMMENTS |= {"py": "#", "sh": "#", "toml": "#", "yaml": "#", "yml": "#", "rb": "#", "bash": "#", "md": "<!--"}
CLEAR = ("2 lines", "3 lines", "5 lines", "heads and 2 lines", "whole definition", "heads and definition")
DOUBTFUL = ("1 line", "nothing below", "nothing above")
LONGEST = 200_000


def margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def shown(way: str, new: list[str], spans: list[tuple[int, int]]) -> set[int]:
    """The rows of the new file that a model shows."""
    rows: set[int] = set()
    for start, stop in spans:
        above, below = {
            "1 line": (1, 1),
            "3 lines": (3, 3),
            "5 lines": (5, 5),
            "nothing below": (2, 0),
            "nothing above": (0, 2),
        }.get(way, (2, 2))
        if way in ("whole definition", "heads and definition"):
            inner = min((margin(line) for line in new[max(start - 1, 0) : stop + 1] if line.strip()), default=0)
            first, last = start, stop
            while first > 0 and (not new[first - 1].strip() or margin(new[first - 1]) >= max(inner, 1)):
                first -= 1
            while last < len(new) and (not new[last].strip() or margin(new[last]) >= max(inner, 1)):
                last += 1
            rows |= {*range(max(first - 1, 0), min(last + 1, len(new)))}  # and two lines where it is all of them
        rows |= {*range(start, stop)}
        for step, count, row in ((-1, above, start - 1), (1, below, stop)):
            while count and 0 <= row < len(new):
                rows.add(row)
                count -= bool(new[row].strip())
                row += step
        if way.startswith("heads"):
            least = margin(new[start]) if start < len(new) and new[start].strip() else 99
            for row in range(start - 1, -1, -1):
                if new[row].strip() and margin(new[row]) < least:
                    least = margin(new[row])
                    if new[row].rstrip().endswith((":", "{")):
                        rows.add(row)
    return rows


def shortened(way: str, path: str, old: list[str], new: list[str], words: str) -> str:
    """The new file as a model sends it."""
    spans = [(span[2], span[3]) for span in compared(old, new)]
    rows = shown(way, new, spans)
    ending = path.rpartition(".")[2]
    mark = COMMENTS.get(ending, "#")
    out: list[str] = []
    left: list[str] = []
    for row, line in enumerate([*new, ""]):
        if row < len(new) and row not in rows:
            left.append(line)
            continue
        if any(map(str.strip, left)):
            after = line if row < len(new) else next(each for each in left if each.strip())
            out.append(" " * margin(after) + f"{mark} {words}" + (" -->" if mark == "<!--" else ""))
        else:
            out += left
        left = []
        out.append(line)
    return "\n".join(out)


def outcome(path: str, before: bytes, after: bytes, text: str) -> tuple[str, str]:
    fence = "`" * 12
    snippet = f"{path}\n{fence}\n{text}{fence}\n"
    files = MemoryFiles({path: before})
    try:
        made = plan(patch_of(snippet, "snippet", files, Options()), files, Options())
    except PatchkitError as error:
        return "refused", f"{error.code} {error.facts.get('found')!r} {error.facts.get('reason')}"
    change = made.changes.get(files.find(path).name)
    result = before if change is None else b"".join(change.after)
    if result == after:
        return "right", ""
    sides = (data.decode().splitlines(True) for data in (after, result))
    return "wrong", "\n" + text + "".join(difflib.unified_diff(*sides, "wanted", "made"))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--list", action="store_true", help="print what is wrong or refused")
    asked = parser.parse_args()
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    chance = random.Random(1)
    for repository in asked.repositories:
        history = History(repository)
        for commit in history.commits(asked.commits):
            try:
                change = history.change(commit)
            except MissingObjectError:
                continue  # a snapshot may lack large files
            for path, after in change.after.items():
                before = change.before.get(path)
                if not before or before == after or not after.endswith(b"\n") or len(before) > LONGEST:
                    continue
                try:
                    old, new = (data.decode().removesuffix("\n").split("\n") for data in (before, after))
                except UnicodeDecodeError:
                    continue
                if b"\0" in before or b"\r" in before + after or not path.isascii() or " " in path:
                    continue
                if before[-1:] != b"\n" or any(map(is_placeholder, (*old, *new))):
                    continue
                says = all(any(map(str.strip, new[span[2] : span[3]])) for span in compared(old, new))
                for way in (*CLEAR, *(DOUBTFUL if says else ())):  # which say nothing of lines that only go
                    text = shortened(way, path, old, new, chance.choice(WORDS))
                    found, why = outcome(path, before, after, text)
                    counts[way][found] += 1
                    if asked.list and (found == "wrong" or (found == "refused" and way in CLEAR)):
                        print(f"{found}: {commit[:9]} {path} ({way}) {why}")
        history.close()
    print("| shown | edits | right | wrong | refused |\n| --- | --- | --- | --- | --- |")
    total: collections.Counter[str] = collections.Counter()
    for way, found in counts.items():
        total += found if way in CLEAR else collections.Counter(wrong=found["wrong"])
        print(f"| {way} | {found.total()} | {found['right']} | {found['wrong']} | {found['refused']} |")
    clear = sum(counts[way].total() for way in CLEAR)
    print(f"right {total['right']} of {clear} ({total['right'] / max(clear, 1):.1%}), wrong {total['wrong']}")
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
