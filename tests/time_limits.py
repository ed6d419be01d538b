"""Time limits of the product, raised until no busy machine reaches them. Tests of a limit set it themselves."""

from __future__ import annotations

from child_processes import HANG

from patchkit.repair import looking_back
from patchkit.tools import glob, grep, ls

LIMITS = [(glob, "SECONDS"), (grep, "SECONDS"), (ls, "SECONDS"), (looking_back, "_SECONDS")]


def raise_limits() -> None:
    """For all that runs in this process from now on, and in its forks."""
    for module, name in LIMITS:
        assert hasattr(module, name), f"{module.__name__} has no {name}"
        setattr(module, name, HANG)
