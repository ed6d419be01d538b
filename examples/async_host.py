"""A host with an event loop: patches are applied in threads, so that the loop never waits for a disk or a lock.

    python examples/async_host.py ROOT PATCH...

Applies all patches at the same time. Runs in one root take turns: each waits for the lock of the one before it.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import patchkit


async def apply(patch: bytes, root: str) -> patchkit.Applied:
    """Applies a patch without blocking the loop; tries once more when another run holds the root for too long."""
    try:
        return await asyncio.to_thread(patchkit.apply, patch, root)
    except patchkit.WorkspaceError as error:
        if error.code != "P315":  # the lock was not free within its wait of 30 seconds; nothing was written
            raise
    return await asyncio.to_thread(patchkit.apply, patch, root)


async def apply_all(patches: list[bytes], root: str) -> list[patchkit.Applied | patchkit.PatchkitError]:
    """What became of each patch, in order."""
    results = await asyncio.gather(*(apply(patch, root) for patch in patches), return_exceptions=True)
    answers: list[patchkit.Applied | patchkit.PatchkitError] = []
    for result in results:
        if not isinstance(result, (patchkit.Applied, patchkit.PatchkitError)):
            raise result
        answers.append(result)
    return answers


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: python examples/async_host.py ROOT PATCH...")
    root, *names = sys.argv[1:]
    outcomes = asyncio.run(apply_all([Path(name).read_bytes() for name in names], root))
    for name, outcome in zip(names, outcomes, strict=True):
        if isinstance(outcome, patchkit.PatchkitError):
            print(f"{name}: {outcome}")
        else:
            print(f"{name}: {', '.join(file.path for file in outcome.files)}")
