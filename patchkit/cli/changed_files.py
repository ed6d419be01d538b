"""Which files were changed since a git commit: for `check --since`.

Takes a revision; gives the real paths of the files below the current repository that are different from it, those that
git does not know yet among them. Raises where there is no repository, or no such commit.
"""

from __future__ import annotations

import os
import subprocess

from patchkit.errors import PatchkitError

_SETTINGS = {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def changed_since(revision: str) -> set[str]:
    """The files that are not as in the commit; `main...` means since the work branched off from main."""
    top = _git("rev-parse", "--show-toplevel")
    if top is None:
        raise PatchkitError("P667", reason="the current directory is not in a git repository", of_directory=True)
    directory = os.fsdecode(top.rstrip(b"\n"))
    changed = _git("-C", directory, "diff", "--name-only", "-z", "--no-renames", "--end-of-options", revision, "--")
    if changed is None:
        raise PatchkitError("P666", revision=revision, where=directory)
    new = _git("-C", directory, "ls-files", "--others", "--exclude-standard", "-z") or b""
    names = [os.fsdecode(name) for name in (changed + new).split(b"\0") if name]
    return {os.path.realpath(os.path.join(directory, name)) for name in names}


def _git(*words: str) -> bytes | None:
    """What git prints, None where it refuses."""
    try:
        done = subprocess.run(["git", *words], capture_output=True, env={**os.environ, **_SETTINGS}, check=False)
    except OSError as error:
        raise PatchkitError("P667", reason=f"git cannot be run: {str(error.strerror).lower()}") from None
    return done.stdout if done.returncode == 0 else None
