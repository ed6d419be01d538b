"""Old patches: what becomes of a change of one revision on another revision of the file, with a base and without.

    python -m benchmarks.older [--cases N] REPOSITORY...

Takes files with a history; the patch is one commit's change of a file with three lines of context and no line numbers,
the target the file some revisions earlier or later. `git merge-file` decides what is right: its result where it merges,
a refusal where it finds a conflict. Outcomes: good; wrong, another text than git's, or any change where git has a
conflict; refused. What is there already is skipped only where all of it is (the class `already in`).
"""

from __future__ import annotations

import argparse
import collections
import itertools
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.roundtrip.histories import History
from patchkit.applying import apply
from patchkit.core.changes import Options
from patchkit.diffs.diff import FileDiff, unified_file
from patchkit.errors import PatchkitError
from patchkit.formats.edit_writer import write_blind
from patchkit.formats.reading import read_format
from patchkit.sources import MemoryFiles

AGES = (1, 2, 4, 8)


def merged(base: bytes, target: bytes, after: bytes) -> bytes | None:
    """What git makes of the two changes; None for a conflict."""
    with tempfile.TemporaryDirectory() as directory:
        paths = [Path(directory, name) for name in ("target", "base", "after")]
        for path, data in zip(paths, (target, base, after)):
            path.write_bytes(data)
        done = subprocess.run(["git", "merge-file", "-p", *map(str, paths)], capture_output=True)
    return done.stdout if done.returncode == 0 else None


def patch_between(name: str, base: bytes, after: bytes) -> str:
    """The change as git shows it, in the patch language, without numbers."""
    diff = unified_file(FileDiff((name, name), ("100644", "100644"), base, after))
    read = read_format(diff.decode("utf-8", "surrogateescape"), "unified")
    return write_blind(read, "v4a", portable=True)


def outcome(name: str, patch: str, target: bytes, wanted: bytes | None, base: bytes | None) -> str:
    files = MemoryFiles({name: target})
    based = MemoryFiles({name: base}) if base is not None else None
    options = Options(base=based, forward=wanted == target)
    try:
        apply(patch, files, options)
    except PatchkitError:
        return "refused"
    return "good" if wanted is not None and files.content[name] == wanted else "wrong"


def cases(history: History, most: int, chance: random.Random):
    """Name, base, result and target of changes of files that have several revisions."""
    versions: dict[str, list[bytes]] = collections.defaultdict(list)
    for commit in reversed(history.commits(10_000)):
        change = history.change(commit)
        for path, after in change.after.items():
            before = change.before.get(path)
            if b"\0" in after or len(after) > 200_000:
                continue
            if before is not None and not versions[path]:
                versions[path].append(before)
            versions[path].append(after)
    found = []
    for path, texts in versions.items():
        for at, age in itertools.product(range(len(texts) - 1), AGES):
            places = [to for to in (at - age, at + 1 + age) if 0 <= to < len(texts)]
            found += [(path, texts[at], texts[at + 1], texts[to]) for to in places]
    found = [each for each in found if each[1] != each[2] and each[3] not in each[1:3]]
    return chance.sample(found, min(most, len(found)))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--cases", type=int, default=200, help="cases of each repository")
    asked = parser.parse_args()
    counts: dict[tuple[str, str], collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for repository in asked.repositories:
        history = History(repository)
        for name, base, after, target in cases(history, asked.cases, random.Random(1)):
            try:
                patch = patch_between(name, base, after)
            except PatchkitError:
                continue  # the language cannot say it
            wanted = merged(base, target, after)
            kind = "conflict" if wanted is None else "already in" if wanted == target else "clean"
            counts[kind, "with a base"][outcome(name, patch, target, wanted, base)] += 1
            counts[kind, "without"][outcome(name, patch, target, wanted, None)] += 1
        history.close()
    for (kind, how), found in sorted(counts.items()):
        total = sum(found.values())
        shares = ", ".join(f"{name} {100 * found[name] / total:.1f} %" for name in ("good", "wrong", "refused"))
        print(f"{kind:10} {how:12} {total:5}: {shares}")
    return int(any(found["wrong"] for (_, how), found in counts.items() if how == "with a base"))


if __name__ == "__main__":
    sys.exit(main())
