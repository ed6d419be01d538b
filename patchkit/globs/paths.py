"""Patterns of paths, as steps from directory to directory: `**` as a component of its own crosses any number of them.

Takes the text of a pattern; gives a Level, the place in it where a walk begins. A walk asks a Level whether a file of a
directory fits, and for the Level of each directory below, None where nothing down there can fit. So a pattern is never
compared with whole paths, and directories that cannot matter are never entered. The work for one name is bounded by the
length of the pattern, whatever the pattern is. What a component means is decided in `names`.
"""

from __future__ import annotations

from patchkit.globs.names import Segment, is_plain, segment
from patchkit.globs.syntax import PatternError, alternatives, components

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_DEEPER = None  # the step `**`: any directories, or none
Steps = list[Segment | None]


class Level:
    """The place of a walk in a pattern: the steps that may come next.

    `test` is what is asked of the name of a file, `ending` the same where only the end of the name counts; `same_below`
    says that every directory leads to this same Level. A walk asks them of every name, so there is nothing around them;
    they hold for names without a dot in front, and `hidden` says that they hold for the others too.
    """

    __slots__ = ("_pattern", "_deeper", "_finals", "_inner", "test", "ending", "same_below", "hidden")

    def __init__(self, pattern: _Compiled, reached: frozenset[int]) -> None:
        steps = [(each, pattern.steps[each]) for each in sorted(reached)]
        self._pattern = pattern
        self._deeper = frozenset(each for each, step in steps if step is _DEEPER)
        self._finals = [step for each, step in steps if step is not None and each in pattern.last]
        self._inner = [(each, step) for each, step in steps if step is not None and each not in pattern.last]
        self.test = self._finals[0].fits if len(self._finals) == 1 else self.fits
        self.ending = self._finals[0].ending if len(self._finals) == 1 else None
        self.same_below = bool(self._deeper) and not self._inner
        self.hidden = pattern.hidden

    def fits(self, name: str) -> bool:
        """Whether a file of this name in this directory fits the pattern."""
        plain = self.hidden or not name.startswith(".")
        return any((plain or step.dotted) and step.fits(name) for step in self._finals)

    def below(self, name: str) -> Level | None:
        """The Level of a directory of this name; None when nothing in it can fit."""
        plain = self.hidden or not name.startswith(".")
        steps = self._deeper if plain else frozenset()
        for each, step in self._inner:
            if (plain or step.dotted) and step.fits(name):
                steps = steps | {each + 1}
        return self._pattern.level(steps)

    def fits_path(self, parts: Sequence[str]) -> bool:
        """Whether a file fits, given by its components from here on."""
        here = self
        for part in parts[:-1]:
            below = here.below(part)
            if below is None:
                return False
            here = below
        return here.fits(parts[-1])


class _Compiled:
    """A pattern's steps, its alternatives one behind the other, and the Levels met so far."""

    __slots__ = ("steps", "last", "hidden", "levels")

    def __init__(self, alternatives: list[Steps], hidden: bool) -> None:
        self.steps: Steps = []
        self.last: set[int] = set()
        self.hidden = hidden
        self.levels: dict[frozenset[int], Level] = {}
        for steps in alternatives:
            self.steps += steps
            self.last.add(len(self.steps) - 1)

    def level(self, steps: frozenset[int]) -> Level | None:
        """The Level of these steps, and of those behind each `**`, which may be no directory at all."""
        if not steps:
            return None
        reached = steps | {each + 1 for each in steps if self.steps[each] is _DEEPER}
        found = self.levels.get(reached)
        if found is None:
            found = self.levels[reached] = Level(self, reached)
        return found


def level(pattern: str, hidden: bool = False) -> Level:
    """The Level at which the walk of a search's pattern begins; raises `PatternError` where it means nothing.

    `{a,b}` is either. Hidden names fit only where the pattern spells their dot, unless `hidden` is set.
    """
    return level_of([_search_steps(each) for each in alternatives(pattern)], hidden)


def level_of(choices: list[Steps], hidden: bool) -> Level:
    """The Level at which the walk of steps begins, whichever of the choices it follows."""
    compiled = _Compiled(choices, hidden)
    firsts = {0, *(each + 1 for each in compiled.last)} - {len(compiled.steps)}
    begin = compiled.level(frozenset(firsts))
    assert begin is not None, "no choice is without steps"
    return begin


def _search_steps(pattern: str) -> Steps:
    """The steps of a pattern without braces; a slash at its end means everything below."""
    parts = [part for part in components(pattern) if part not in ("", ".")]
    if ".." in parts:
        raise PatternError("'..' is allowed only at its beginning")
    if not parts:
        raise PatternError("it names nothing")
    return steps([*parts, "**"] if pattern.endswith("/") else parts)


def steps(parts: Sequence[str]) -> Steps:
    """The steps of a pattern's components. A `**` never comes last: what it crosses is found below it."""
    found: Steps = []
    for part in parts:
        if len(part) < 2 or part.strip("*"):
            found.append(segment(part))
        elif not found or found[-1] is not _DEEPER:
            found.append(_DEEPER)
    return [*found, segment("*")] if found[-1] is _DEEPER else found


def beginning(pattern: str) -> tuple[str, str]:
    """The directory that a pattern names without wildcards, '' if none, and the rest of the pattern."""
    parts = pattern.split("/")
    plain = 0
    while plain < len(parts) - 1 and is_plain(parts[plain]) and "{" not in parts[plain]:
        plain += 1
    return "/".join(parts[:plain]) or ("/" if pattern.startswith("/") else ""), "/".join(parts[plain:])
