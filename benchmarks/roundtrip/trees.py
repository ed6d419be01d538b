"""Round trips by the commands `patchkit diff REV..REV`, `apply_patch` and `apply_patch -R`, on files with their modes.

Takes a commit; writes the files that it changes as they were, applies the patch of the revisions to them, and takes it
back. Gives the outcome: good; refused, where the commit has what a patch cannot say; needless, refused without such a
cause; silent or mode, applied without what the commit also changes; dirty, refused and changed; wrong.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.roundtrip.histories import Change, History, taken_back

COMMAND = [sys.executable, "-P", "-m", "patchkit"]  # not a `patchkit` that the files at hand have

Tree = dict[str, tuple[str, bytes]]  # path: mode and content, of a link where it leads


def by_commands(change: Change, history: History) -> str:
    before, after = history.trees(change.commit)
    words = [*COMMAND, "diff", f"{change.commit}^..{change.commit}"]
    made = subprocess.run(words, cwd=history.repository, capture_output=True)
    if made.returncode:
        special = change.is_binary or change.modes or change.has_other_endings or change.has_odd_name
        special = special or change.other_encodings or change.has_lost_directory
        return "refused" if special and b"P112" in made.stderr else f"needless ({_said(made)})"
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory, "tree")
        root.mkdir()
        write_tree(root, before)
        forwards = _applied(root, made.stdout, before, after)
        if forwards != "good":
            return "refused" if "P218" in forwards and change.has_placeholder else forwards
        backwards = _applied(root, made.stdout, after, before, "-R")
    deletes = any(path not in after for path in before)
    empties = any(not data for path, (_, data) in after.items())  # nothing is left that says where the lines were
    excused = ((deletes or change.has_other_endings) and "P112" in backwards) or (empties and "P209" in backwards)
    excused = excused or (bool(change.other_encodings) and "P215" in backwards)
    return "refused" if backwards.startswith("needless") and excused else backwards


def _applied(root: Path, text: bytes, before: Tree, wanted: Tree, *words: str) -> str:
    env = {**os.environ, "PATCHKIT_NO_HISTORY": "1", "XDG_STATE_HOME": str(root.parent)}
    if not text.strip():
        return "good" if before == wanted else "silent"
    done = subprocess.run([*COMMAND, "apply", *words], input=text, cwd=root, capture_output=True, env=env)
    tree = read_tree(root)
    if words:
        wanted = {path: (mode, _back(data, path, tree, before)) for path, (mode, data) in wanted.items()}
    if done.returncode:
        return f"needless ({_said(done)})" if tree == before else "dirty"
    if tree == wanted:
        return "good"
    contents = [{path: data for path, (_, data) in each.items()} for each in (tree, wanted)]
    return "mode" if contents[0] == contents[1] else "wrong"


def _back(wanted: bytes, path: str, tree: Tree, after: Tree) -> bytes:
    """What a file should have when the patch is taken back."""
    found, left = tree.get(path, ("", b""))[1], after[path][1] if path in after else None
    return taken_back(wanted, found, left)


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stderr.decode("utf-8", "replace").split("\n")[0]


def write_tree(root: Path, tree: Tree) -> None:
    for path, (mode, data) in tree.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if mode == "120000":
            place.symlink_to(os.fsdecode(data))
        else:
            place.write_bytes(data)
            place.chmod(int(mode[-3:], 8))


def read_tree(root: Path) -> Tree:
    found: Tree = {}
    for place in root.rglob("*"):
        path = str(place.relative_to(root))
        if place.is_symlink():
            found[path] = ("120000", os.fsencode(os.readlink(place)))
        elif place.is_file():
            found[path] = ("100755" if place.stat().st_mode & 0o100 else "100644", place.read_bytes())
    return found
