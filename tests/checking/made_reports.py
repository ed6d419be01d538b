"""Reports made for tests: of any patches against any files, without a disk."""

from __future__ import annotations

from hypothesis import strategies as st

from patchkit.checking.limits import Guard, Limits
from patchkit.checking.report import Report
from patchkit.checking.run import PatchChecker
from patchkit.core.changes import Options
from patchkit.sources import MemoryFiles

# Text as hostile as a patch can hold: markup, commands, fences, control characters, half a character's bytes.
HOSTILE = st.text(
    st.sampled_from("ab<>&\"'`:%,;]#[|\\\t\x1b\x00\x7f\x85\u2028\udcff💥é$({*_~-=! "), min_size=1, max_size=30
).map(str.strip).filter(bool)  # fmt: skip


# A patch that fits nowhere, and the file it nearly fits.
MISSED = "*** Begin Patch\n*** Update File: a.py\n@@\n def f():\n-    return 1\n+    return 2\n*** End Patch\n"
NEARLY = {"a.py": b"import os\ndef f():\n    return 3\n"}


def report_of(*patches: str, files: dict[str, bytes] | None = None, root: str = "/home/you/project") -> Report:
    """What a check finds; patches are called 1.patch, 2.patch and so on."""
    checker = PatchChecker(MemoryFiles(files or {}), Options(check=True), Guard(Limits()))
    checker.pictures = True
    found = []
    for number, patch in enumerate(patches, 1):
        data = patch.encode("utf-8", "surrogateescape")
        found.append(checker.check(f"{number}.patch", lambda data=data: data))
    return Report(found, root)


def update(path: str, old: str, new: str) -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n"


def add(path: str, text: str) -> str:
    return f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch\n"
