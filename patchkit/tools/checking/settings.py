"""What a project's settings say about its patches: the limits that hold without being asked for.

Takes a root; gives its Limits and the most tolerant pass allowed, or raises naming file, line and key. The command
line adds to them: lists grow, single values are replaced.
"""

from __future__ import annotations

from patchkit.matching.model import NAMES
from patchkit.tools.checking.policy import Limits, is_glob
from patchkit.tools.settings import CHECK_KEYS, Settings, settings
from patchkit.values import Value


class Project(Value):
    """The limits a project sets, and the pass it allows at most; None where it leaves that open."""

    __slots__ = ("limits", "max_pass")
    limits: Limits
    max_pass: str | None

    def __init__(self, limits: Limits, max_pass: str | None) -> None:
        self.limits = limits
        self.max_pass = max_pass


def project(root: str) -> Project:
    """What holds under a root; raises where a setting of check cannot be understood."""
    known = settings(root)
    table = known.table("check")
    for key in table:
        if key not in CHECK_KEYS:
            source = known.source("check") or known.user
            raise source.unknown(f"check.{key}", CHECK_KEYS)  # type: ignore[union-attr]
    limits = Limits(
        _globs(known, table, "forbid"),
        _globs(known, table, "allow"),
        _count(known, table, "max-files"),
        _count(known, table, "max-lines"),
    )
    return Project(limits, _pass(known, table))


def _globs(known: Settings, table: dict[str, object], key: str) -> list[str]:
    given = table.get(key, [])
    globs: list[object] = given if isinstance(given, list) else [given]
    if not all(isinstance(each, str) and is_glob(each) for each in globs):
        raise known.wrong(f"check.{key}", given, "a list of patterns as in a '.gitignore', such as 'vendor/**'")
    return [str(each) for each in globs]


def _count(known: Settings, table: dict[str, object], key: str) -> int | None:
    given = table.get(key)
    if given is None:
        return None
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise known.wrong(f"check.{key}", given, "a whole number of at least 0")
    return given


def _pass(known: Settings, table: dict[str, object]) -> str | None:
    given = table.get("max-pass")
    if given is None:
        return None
    if given not in NAMES:
        raise known.wrong("check.max-pass", given, "one of " + ", ".join(f"'{name}'" for name in NAMES))
    return str(given)
