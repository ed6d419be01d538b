"""What the history of a git work tree says about a patch that was refused.

Takes the error of a refusal and the workspace; adds facts to it: that an older revision of the file fits, with the
commit that changed it since, or the commit that deleted or renamed a file which is not there. Looks only where there is
a repository, at few revisions of few files, and any failure of git leaves the error as it was.
"""

from __future__ import annotations

import os

from patchkit.core.changes import Options, Plan
from patchkit.core.changes.planner import plan
from patchkit.core.language import Patch, UpdateFile
from patchkit.core.matching import SEVERAL
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError

_MOST_REVISIONS = 30
_MOST_RENAMES = 5  # of one file, one after the other
_SECONDS = 5


def look_back(error: PatchkitError, files: Workspace, options: Options) -> None:
    """Adds to the errors of a refusal what git knows about their files: `older`, or `since`."""
    wanted = [each for each in error.errors if each.code in ("P201", "P221", "P302")][:SEVERAL]
    if not wanted or not _is_in_a_work_tree(files.root):
        return
    from subprocess import SubprocessError  # here and below: what reads repositories loads forty modules

    made = error.plan if isinstance(error.plan, Plan) else None
    updates = {each.path: each.op for each in made.sections if isinstance(each.op, UpdateFile)} if made else {}
    for each in wanted:
        try:
            name = str(each.facts.get("file"))
            if each.code != "P221":  # which has the name from the root
                name = "/".join(files.parts(name))
            if each.code != "P201":
                _add_since(each, name, files)
            elif str(each.facts.get("file")) in updates:
                _add_older(each, name, updates[str(each.facts["file"])], files, options)
        except (PatchkitError, OSError, SubprocessError, ValueError):
            continue  # the refusal counts, not what could not be learnt about it


def _is_in_a_work_tree(root: str) -> bool:
    place = os.path.abspath(root)
    while not os.path.lexists(os.path.join(place, ".git")):
        above = os.path.dirname(place)
        if above == place:
            return False
        place = above
    return True


def _git(root: str, *words: str) -> str:
    from patchkit.diffs.git_calls import run_git

    done = run_git(["-C", root], [*words], literal=True, timeout=_SECONDS)
    done.check_returncode()
    return done.stdout.decode("utf-8", "replace")


def _add_older(error: PatchkitError, name: str, op: UpdateFile, files: Workspace, options: Options) -> None:
    """Says of a hunk that has no place which change of the file it is older than, if one fits the file before it."""
    from patchkit.diffs.git_tree import Repository

    exact = options.limited_to("exact", None)
    exact.lost_anchors = False
    entry = files.find(op.path)
    patch = Patch([UpdateFile(name, None, op.hunks, op.line)])
    listed = _git(files.root, "log", "--format=%H%x00%h%x00%s", f"--max-count={_MOST_REVISIONS}", "HEAD", "--", name)
    newer = ("", "")  # the commit after the one at hand, as a person reads it
    repository = Repository(None, files.root)
    try:
        path = "/".join([*repository.prefix(), name])
        for line in listed.splitlines():
            commit, short, subject = line.split("\0")
            read = repository.read(f"{commit}:{path}")
            data = read[2] if read is not None and read[1] == "blob" else None
            if data is not None and data != entry.data and _applies(patch, name, data, entry.data, exact):
                error.facts["older"] = newer
                return
            newer = (short, subject)
    finally:
        repository.close()


def _applies(patch: Patch, name: str, base: bytes, current: bytes, options: Options) -> bool:
    """Whether the patch fits a revision of the file exactly, and merges with what the file is now."""
    from patchkit.repair.based import based_patch
    from patchkit.sources import MemoryFiles

    target = MemoryFiles({name: current})
    try:
        carried = based_patch(patch, MemoryFiles({name: base}), target, options)
        plan(carried, target, options)
    except PatchkitError:
        return False
    return True


def _add_since(error: PatchkitError, name: str, files: Workspace) -> None:
    """Says of a file that is not there which commit deleted or renamed it, and what became of its new name."""
    root, may_read = files.root, files.may_read
    told: list[str] = []
    last = ""  # the commit that did the last of it
    for _ in range(_MOST_RENAMES):
        found = _git(
            *(root, "log", "-1", "--diff-filter=D", "--no-renames", "--format=%H%x00%h%x00%s", "HEAD", "--", name)
        )
        if not found.strip():
            break
        commit, short, subject = found.strip().split("\0")
        fields = _git(
            root, "show", "-M", "--diff-filter=R", "--name-status", "-z", "--relative", "--format=", commit
        ).split("\0")
        renamed = {old: new for old, new in zip(fields[1::3], fields[2::3]) if may_read is None or may_read(new)}
        told.append(f"renamed to '{renamed[name]}'" if name in renamed else "deleted")
        last = f'{short} "{subject}"'
        if name not in renamed or os.path.lexists(os.path.join(root, renamed[name])):
            break
        name = renamed[name]
    if not told:
        return
    error.facts["since"] = f"{', then '.join(told)} in {last}"
    if error.code == "P221":
        error.facts["what"] = f"{error.facts.get('what')}: {error.facts['since']}"
