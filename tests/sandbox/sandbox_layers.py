"""Which layers of the sandbox this machine has, and who can try them; as a program, says which the tests try."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache

from patchkit.sandbox import landlock

ABI = landlock.version()


@cache
def namespaces(*before: str) -> bool:
    """Whether this machine lets a user make namespaces with mounts, found out by another program.

    `before` are the words that make another user of it.
    """
    words = [*before, "unshare", "--user", "--mount", "--map-current-user", "true"]
    try:
        return subprocess.run(words, capture_output=True).returncode == 0
    except OSError:
        return False


def tried() -> str:
    """A sentence about what the tests of this directory try here."""
    if not ABI:
        return "sandbox: no layer was tried, this kernel has no Landlock"
    layers = f"landlock (version {ABI})" + (" and mounts" if namespaces() else "; no mounts, users make no namespaces")
    layers += " by attacks only" if ABI < landlock.WHOLE else ""
    root = os.geteuid() == 0
    other = root and shutil.which("setpriv") is not None and os.path.exists("/usr/bin/python3")
    users = ("root and an ordinary user" if other else "root") if root else "an ordinary user"
    return f"sandbox: tried {layers}, as {users}"


if __name__ == "__main__":
    print(tried())
