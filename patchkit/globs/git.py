"""Patterns of git: single ones, and the rules of an ignore file.

Takes a pattern as git reads it in `.gitignore` and `.gitattributes` files, or the lines of an ignore file; says whether
a path below the directory of that file fits, and whether a name is ignored there. Which files hold in which directory
is decided by `search.ignoring` and `text.endings`.

Written here and not left to a library because every search loads it and a walk asks it about every name: a rule that is
a name or an ending, as most are, costs nothing unless it may fit. The tests compare it with git, ripgrep and pathspec.
"""

from __future__ import annotations

from patchkit.globs.names import segment
from patchkit.globs.paths import Level, Steps, level_of, steps
from patchkit.globs.syntax import PatternError, components

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class GitPattern:
    """A pattern: without a slash it is for names in any directory, with one for paths from the file's directory.

    `last` is what the last component must be, `level` where the whole path is to be compared, None where it is not.
    Raises `PatternError` for a text that no name can fit.
    """

    __slots__ = ("last", "level", "directories_only")

    def __init__(self, text: str) -> None:
        self.directories_only = text.endswith("/")
        text = text.removesuffix("/")
        self.level: Level | None = None
        if not text:
            raise PatternError("it names nothing")
        found: Steps = [segment(text)] if "/" not in text else steps(components(text.removeprefix("/")))
        last = found[-1]
        assert last is not None, "steps end with a name"
        self.last = last
        if "/" in text:
            self.level = level_of([found], hidden=True)

    def fits_file(self, parts: Sequence[str]) -> bool:
        """Whether a file fits, given by the components of its path."""
        if self.directories_only:
            return False
        return bool(self.last.fits(parts[-1])) if self.level is None else self.level.fits_path(parts)


class IgnoreRule:
    """One line of an ignore file: what it is for, and whether it keeps that instead of ignoring it."""

    __slots__ = ("pattern", "keeps")

    def __init__(self, pattern: GitPattern, keeps: bool) -> None:
        self.pattern = pattern
        self.keeps = keeps


class IgnoreRules:
    """All lines of an ignore file, arranged by what can be asked of a name at once. The last rule that fits decides."""

    __slots__ = ("_rules", "_by_name", "_by_ending", "_endings", "_others")

    def __init__(self, lines: Iterable[str]) -> None:
        self._rules = [rule for rule in map(ignore_rule, lines) if rule is not None]
        self._by_name: dict[str, list[int]] = {}
        self._by_ending: list[tuple[str, int]] = []
        self._others: list[int] = []
        for number, rule in enumerate(self._rules):
            last = rule.pattern.last
            if last.literal is not None:
                self._by_name.setdefault(last.literal, []).append(number)
            elif last.ending:
                self._by_ending.append((last.ending, number))
            else:
                self._others.append(number)
        self._endings = tuple(ending for ending, _ in self._by_ending)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def verdict(self, above: Sequence[str], name: str, is_directory: bool) -> bool | None:
        """Whether the name is ignored, False where a rule keeps it, None where no rule is for it.

        `above` holds the directories between this file's and the name's.
        """
        for number in sorted(self._possible(name), reverse=True):
            pattern = self._rules[number].pattern
            if pattern.directories_only and not is_directory:
                continue
            if pattern.level is None or pattern.level.fits_path((*above, name)):
                return not self._rules[number].keeps
        return None

    def _possible(self, name: str) -> list[int]:
        found = self._by_name.get(name, [])
        if name.endswith(self._endings):
            found = [*found, *(number for ending, number in self._by_ending if name.endswith(ending))]
        if self._others:
            found = [*found, *(number for number in self._others if self._rules[number].pattern.last.fits(name))]
        return found

    def ignores_file(self, path: str) -> bool:
        """Whether a file is ignored: by its own path, or with a directory on the way to it."""
        parts = path.split("/")
        last = len(parts) - 1
        return any(self.verdict(parts[:depth], part, depth < last) for depth, part in enumerate(parts))


def ignore_rules(text: str) -> IgnoreRules:
    """The rules of an ignore file of this text."""
    return IgnoreRules(text.removeprefix("\ufeff").split("\n"))


def ignore_rule(line: str) -> IgnoreRule | None:
    """The rule of a line; None for a comment, an empty line, and a pattern that no name can fit."""
    line = _without_trailing_spaces(line.removesuffix("\r"))
    if not line or line.startswith("#"):
        return None
    try:
        return IgnoreRule(GitPattern(line.removeprefix("!")), line.startswith("!"))
    except PatternError:
        return None


def _without_trailing_spaces(line: str) -> str:
    """The line up to its last character that counts: a space with a backslash in front of it does."""
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + 1] if escapes % 2 and len(bare) < len(line) else bare
