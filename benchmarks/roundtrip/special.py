"""Real commits with modes, binary content, links and copies, applied by patchkit and by `git apply`.

    python -m benchmarks.roundtrip.special [--commits 300] REPOSITORY...

Takes the commits of the repositories in turn that have something beyond lines of text. git's diff of each is applied to
the files that it names, by `git apply` and by patchkit, and taken back by `patchkit undo`. Says how many commits have
what, and where another tree came out.
"""

from __future__ import annotations

import argparse
import collections
import os
import subprocess
import sys
import tempfile
from itertools import zip_longest
from pathlib import Path

import patchkit
from benchmarks.roundtrip.histories import History, MissingObjectError
from benchmarks.roundtrip.trees import Tree, read_tree, write_tree

MARKS = {
    "modes": (b"\nold mode ", b"\nnew file mode 100755", b"\ndeleted file mode 100755"),
    "binary content": (b"\nGIT binary patch\n",),
    "links": (b" 120000\n",),
    "copies": (b"\ncopy from ",),
}
BINARY = tuple(b"." + each for each in b"png gif jpg ico gz zip whl ttf woff woff2 pdf jar pickle mo bin".split())
LARGEST = 3_000_000


def special_commits(history: History) -> list[str]:
    """The commits that have something beyond lines of text, as the modes and the endings of their files show it."""
    words = ("log", "--max-count=4000", "--no-merges", "--min-parents=1", "--raw", "--no-renames", "--format=%x00%H")
    found = []
    for each in history.git(*words).split(b"\0")[1:]:
        lines = [line for line in each.split(b"\n") if line.startswith(b":")]
        modes = [{*line[1:14].split()} - {b"000000"} for line in lines]
        special = any(len(pair) > 1 or pair & {b"100755", b"120000"} for pair in modes)
        if special or any(line.endswith(BINARY) for line in lines):
            found.append(each[:40].decode())
    return found


def applied(by_git: bool, before: Tree, diff: bytes) -> tuple[Tree, Tree, str]:
    """The tree that comes out, the tree after an undo, and what was said against the diff."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place, "tree")
        root.mkdir()
        write_tree(root, before)
        if by_git:
            env = {**os.environ, "GIT_CEILING_DIRECTORIES": place}
            words = ["git", "apply", "--whitespace=nowarn", "-"]
            run = subprocess.run(words, cwd=root, input=diff, capture_output=True, env=env)
            return read_tree(root), before, run.stderr.decode("utf-8", "replace") if run.returncode else ""
        os.environ["XDG_STATE_HOME"] = str(Path(place, "state"))
        try:
            patchkit.apply(diff, root, from_format="unified", history=True)
        except patchkit.PatchkitError as error:
            return read_tree(root), before, f"{error.code} {error.file}: {error.message}"
        after = read_tree(root)
        try:
            patchkit.undo(root)
        except patchkit.PatchkitError as error:
            return after, read_tree(root), f"cannot be undone: {error.message}"
        return after, read_tree(root), ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--commits", type=int, default=300)
    asked = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    histories = [History(repository) for repository in asked.repositories]
    rows = zip_longest(*(special_commits(history) for history in histories))
    for history, commit in ((*pair,) for row in rows for pair in zip(histories, row)):
        if commit is None or counts["commits"] == asked.commits:
            continue
        try:
            before, _ = history.trees(commit)
            diff = history.git("diff", "--binary", "--full-index", "-M", "-C", f"{commit}^", commit)
            for line in diff.split(b"\n"):
                if line.startswith(b"copy from "):  # whose source a commit need not change
                    path = line[10:].decode("utf-8", "surrogateescape")
                    mode = history.git("ls-tree", f"{commit}^", "--", path)[:6].decode()
                    before.setdefault(path, (mode, history.git("show", f"{commit}^:{path}")))
        except (MissingObjectError, subprocess.CalledProcessError):
            continue  # a snapshot may lack large files
        kinds = [kind for kind, marks in MARKS.items() if any(mark in diff for mark in marks)]
        if not kinds or len(diff) > LARGEST:
            continue
        wanted, _, said = applied(True, before, diff)
        if said:
            counts["refused by git, and left out"] += 1
            continue
        counts.update(["commits", *kinds])
        found, undone, said = applied(False, before, diff)
        outcome = "refused" if said else "another tree" if found != wanted else "another tree after undo"
        if said or found != wanted or undone != before:
            counts[outcome] += 1
            print(f"{outcome}: {history.repository} {commit[:12]} {said}", flush=True)
    print(", ".join(f"{number} {name}" for name, number in counts.items()))
    return int(any(counts[each] for each in ("refused", "another tree", "another tree after undo")))


if __name__ == "__main__":
    sys.exit(main())
