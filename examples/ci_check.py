"""A check for CI: do these patches apply to the checkout? Nothing is written.

    python examples/ci_check.py PATCH...

Ends with status 0 when all of them apply, with 1 when one does not. `patchkit check` does the same and more without a
program; this is for a job that decides something else by the result, such as which codes may pass.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import patchkit

ACCEPTED = {"P205"}  # a change that is there already does not fail the job


def refusals(names: Iterable[str], root: str = ".") -> dict[str, patchkit.PatchkitError]:
    """The patches that do not apply, and why."""
    found: dict[str, patchkit.PatchkitError] = {}
    for name in names:
        try:
            patchkit.check(Path(name).read_bytes(), root, strict=True)
        except patchkit.PatchkitError as error:
            if any(each.code not in ACCEPTED for each in error.errors):
                found[name] = error
    return found


def main(names: list[str]) -> int:
    refused = refusals(names)
    for name, error in refused.items():
        for each in error.errors:
            print(f"{name}:{each.patch_line or 1}: {each.code} {each.message}; {each.hint}")
    print(f"{len(names) - len(refused)} of {len(names)} patches apply")
    return 1 if refused else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or not all(Path(name).is_file() for name in sys.argv[1:]):
        sys.exit("usage: python examples/ci_check.py PATCH...")
    sys.exit(main(sys.argv[1:]))
