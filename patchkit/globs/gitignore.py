"""The rules of one ignore file, in the language of `.gitignore`.

Takes the text of the file; gives a verdict on a name below the directory the file belongs to: ignored, kept although an
earlier rule ignores it, or nothing said. The last rule that fits decides. Which files hold in which directory is said
in `ignoring`.

Written here and not left to a library because every search loads it and a walk asks it about every name: a rule that is
a name or an ending, as most are, costs nothing unless it may fit. The tests hold it against git, ripgrep and pathspec.
"""

from __future__ import annotations

from patchkit.globs.patterns import Level, Steps, level_of
from patchkit.globs.segments import PatternError, Segment, segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Rule:
    """One line: what the last component must be, where the whole path matters its Level, and what follows."""

    __slots__ = ("last", "level", "keeps", "directories_only")

    def __init__(self, last: Segment, level: Level | None, keeps: bool, directories_only: bool) -> None:
        self.last = last
        self.level = level
        self.keeps = keeps
        self.directories_only = directories_only


class Rules:
    """All lines of one file, arranged by what can be asked of a name at once."""

    __slots__ = ("_rules", "_by_name", "_by_ending", "_endings", "_others")

    def __init__(self, text: str) -> None:
        lines = text.removeprefix("\ufeff").split("\n")
        self._rules = [rule for rule in map(_rule, lines) if rule is not None]
        self._by_name: dict[str, list[int]] = {}
        self._by_ending: list[tuple[str, int]] = []
        self._others: list[int] = []
        for number, rule in enumerate(self._rules):
            if rule.last.literal is not None:
                self._by_name.setdefault(rule.last.literal, []).append(number)
            elif rule.last.ending:
                self._by_ending.append((rule.last.ending, number))
            else:
                self._others.append(number)
        self._endings = tuple(ending for ending, _ in self._by_ending)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def verdict(self, above: Sequence[str], name: str, is_directory: bool) -> bool | None:
        """Whether the name is ignored, False where a rule keeps it, None where no rule speaks of it.

        `above` holds the directories between this file's and the name's.
        """
        for number in sorted(self._possible(name), reverse=True):
            rule = self._rules[number]
            if rule.directories_only and not is_directory:
                continue
            if rule.level is None or rule.level.fits_path((*above, name)):
                return not rule.keeps
        return None

    def _possible(self, name: str) -> list[int]:
        found = self._by_name.get(name, [])
        if name.endswith(self._endings):
            found = [*found, *(number for ending, number in self._by_ending if name.endswith(ending))]
        if self._others:
            found = [*found, *(number for number in self._others if self._rules[number].last.fits(name))]
        return found


def _rule(line: str) -> Rule | None:
    """The rule a line states; None for a comment, a blank line, and a pattern that no name can fit."""
    line = _without_trailing_blanks(line.removesuffix("\r"))
    if not line or line.startswith("#"):
        return None
    keeps = line.startswith("!")
    pattern = line.removeprefix("!")
    directories_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    try:
        if "/" not in pattern:
            return Rule(segment(pattern), None, keeps, directories_only) if pattern else None
        steps = _steps(pattern.removeprefix("/"))
    except PatternError:
        return None
    last = steps[-1]
    assert last is not None
    return Rule(last, level_of([steps], hidden=True), keeps, directories_only)


def _without_trailing_blanks(line: str) -> str:
    """The line up to its last character that counts: a blank with a backslash in front of it does."""
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + 1] if escapes % 2 and len(bare) < len(line) else bare


def _steps(pattern: str) -> Steps:
    """The steps of a pattern with a slash: `**` as a component of its own crosses directories."""
    found: Steps = []
    for part in pattern.split("/"):
        if part != "**":
            found.append(segment(part))
        elif not found or found[-1] is not None:
            found.append(None)
    return [*found, segment("*")] if found[-1] is None else found
