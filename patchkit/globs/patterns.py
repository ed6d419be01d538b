"""Patterns of names and paths: one reader and one matcher for every syntax that patchkit meets.

Takes the text of a pattern and its Syntax; gives tests of names and of whole paths. Raises `PatternError` with the
reason where the pattern means nothing. In the order of the work:

- *Tokens*: characters, wildcards, classes, and choices between tokens. Every syntax has `*` and `?`. All but the rules'
  have classes, which are git's everywhere: `[a-z]`, `[!a-z]` or `[^a-z]`, `[[:alpha:]]`, a backslash in front of a
  character that counts as itself.
- *Names*: whether a text fits tokens. No pattern makes a test slow. There are three ways to test, the first that can do
  it is taken. A text, an ending: methods of `str`; most patterns are one of these, and walks test every name. Wildcards
  and classes: a `*` takes the first place where what follows it fits, and never a second one, so the work grows with
  the name alone; no regular expression, because thousands take seconds to compile. Choices, numbers, and whole paths,
  where only some stars cross slashes: the first place is not always right, so all ways are followed at once; the work
  grows with the length of the text times that of the pattern, and no faster.
- *Paths*: steps from directory to directory; `**` as a component of its own crosses any number of them. A walk asks a
  Level whether a file of a directory fits, and for the Level of each directory below, None where nothing down there can
  fit. So a pattern is never compared with whole paths, and directories that cannot matter are never entered.
- *Git*: single patterns as git reads them in `.gitignore` and `.gitattributes` files, and the rules of an ignore file.
  Which files hold in which directory is decided by `search.walk` and `conventions`.

Written here and not left to a library because every search loads it and a walk asks it about every name: a rule that is
a name or an ending, as most are, costs nothing unless it may fit. The tests compare it with git, ripgrep and pathspec.
Patterns of permission rules, and whether one lies inside another, are in `rule_patterns`.
"""

from __future__ import annotations

from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Test = Callable[[str], object]  # true where a text fits

# -- tokens --------------------------------------------------------------------------------------

STAR, ONE, DEEP = "\0*", "\0?", "\0**"  # within a name; one character of it; across slashes. Characters are one long
_MOST_ALTERNATIVES = 256
_LONGEST = 1024
_DEEPEST = 40  # braces within braces
_LONGEST_NUMBER = 20  # digits


class PatternError(ValueError):
    """A pattern that means nothing; its argument says why, in words that follow 'pattern … cannot be read:'."""


class Syntax(Record):
    """What is special in a pattern besides `*` and `?`."""

    escapes: bool  # a backslash, and a class in brackets
    braces: bool  # a choice is read in its place, what is not closed counts as itself, `**` crosses slashes anywhere


GIT = Syntax(escapes=True, braces=False)
EDITORCONFIG = Syntax(escapes=True, braces=True)
RULES = Syntax(escapes=False, braces=False)


class CharClass(Record):
    """One character within any of the ranges, or with `negated` outside of all of them; never a slash."""

    ranges: list[tuple[str, str]]
    negated: bool

    def holds(self, character: str) -> bool:
        inside = any(low <= character <= high for low, high in self.ranges)
        return inside != self.negated and character != "/"


class OneOf(Record):
    """One of several rows of tokens."""

    ways: list[list[Token]]


class Number(Record):
    """A whole number within bounds, without needless zeros."""

    least: int
    most: int

    def ends(self, text: str, start: int) -> list[int]:
        """Where a number within the bounds may end that starts at a place in the text."""
        first = start + (text[start] in "+-")
        stop = first
        while stop < len(text) and stop - first < _LONGEST_NUMBER and text[stop].isascii() and text[stop].isdigit():
            stop += 1
        if text[start] == "0":
            return []
        return [end for end in range(first + 1, stop + 1) if self.least <= int(text[start:end]) <= self.most]


Token = str | CharClass | OneOf | Number


def tokens(text: str, syntax: Syntax) -> list[Token]:
    """The tokens of a name's pattern; in EDITORCONFIG, of a whole path's."""
    return _TokenReader(text, syntax).row(0, len(text))


class _TokenReader:
    """Reads a pattern from left to right."""

    def __init__(self, text: str, syntax: Syntax) -> None:
        self._text = text
        self._syntax = syntax
        self._braces = _pairs_of_braces(text) if syntax.braces else {}
        self._unclosed = -1  # the end of the row in which a class was not closed

    def row(self, at: int, stop: int) -> list[Token]:
        found: list[Token] = []
        while at < stop:
            at = self._take(at, stop, found)
        return found

    def _take(self, at: int, stop: int, found: list[Token]) -> int:
        """Adds what is written at a place; returns the place behind it."""
        text, char = self._text, self._text[at]
        if self._syntax.braces:
            if text.startswith("/**/", at, stop):
                found += ["/", OneOf([[], [DEEP, "/"]])]
                return at + 4
            if text.startswith("**", at, stop):
                found.append(DEEP)
                return at + 2
            if at in self._braces:
                return self._take_braces(at, found)
        if char == "*":
            if found[-1:] != [STAR]:
                found.append(STAR)
        elif char == "?":
            # The order of '?' and '*' side by side means nothing. One order makes equal patterns equal.
            found.insert(len(found) - (found[-1:] == [STAR]), ONE)
        elif char == "[" and self._syntax.escapes:
            token, behind = self._class(at, stop)
            found.append(token)
            return behind
        elif char == "\\" and self._syntax.escapes:
            return self._take_escaped(at, stop, found)
        else:
            found.append(char)
        return at + 1

    def _take_escaped(self, at: int, stop: int, found: list[Token]) -> int:
        if at + 1 < stop:
            found.append(self._text[at + 1])
            return at + 2
        if not self._syntax.braces:
            raise PatternError("it ends with a backslash that escapes nothing")
        found.append("\\")
        return at + 1

    def _class(self, at: int, stop: int) -> tuple[Token, int]:
        """A class; among braces, the bracket alone where the class is not closed or has a slash in it."""
        if not self._syntax.braces:
            return read_class(self._text, at)
        closing = self._text.find("]", at + 2, stop)
        # Once a class was not closed, none behind it is: without that memory many brackets would cost their square.
        if stop != self._unclosed and closing >= 0 and "/" not in self._text[at:closing]:
            try:
                return read_class(self._text[:stop], at)
            except PatternError:
                self._unclosed = stop
        return "[", at + 1

    def _take_braces(self, at: int, found: list[Token]) -> int:
        """Reads '{one,two}' or '{1..9}'; braces around one thing count as themselves."""
        end = self._braces[at]
        commas = self._commas(at + 1, end)
        least, dots, most = self._text[at + 1 : end].partition("..")
        if commas:
            bounds = [at, *commas, end]
            found.append(OneOf([self.row(a + 1, b) for a, b in zip(bounds, bounds[1:])]))
        elif dots and _is_number(least) and _is_number(most):
            found.append(Number(int(least), int(most)))
        else:
            found += ["{", *self.row(at + 1, end), "}"]
        return end + 1

    def _commas(self, at: int, stop: int) -> list[int]:
        """The commas between two braces that are not inside deeper ones."""
        found = []
        while at < stop:
            char = self._text[at]
            if char == ",":
                found.append(at)
            elif char == "\\":
                at += 1
            elif at in self._braces:
                at = self._braces[at]
            at += 1
        return found


def _pairs_of_braces(text: str) -> dict[int, int]:
    """Every opening brace with its closing one; none at all when they do not pair up, or are nested too deep."""
    pairs: dict[int, int] = {}
    pending: list[int] = []
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == "{":
            pending.append(at)
            if len(pending) > _DEEPEST:
                return {}
        elif text[at] == "}":
            if not pending:
                return {}
            pairs[pending.pop()] = at
        at += 1
    return pairs if not pending else {}


def _is_number(text: str) -> bool:
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isascii() and digits.isdigit() and len(digits) < _LONGEST_NUMBER


# -- classes -------------------------------------------------------------------------------------

_OPEN_CLASS = "'[' is not closed; write '\\[' for the bracket itself"
_NAMED_CLASSES: dict[str, list[tuple[str, str]]] = {
    "alnum": [("a", "z"), ("A", "Z"), ("0", "9")],
    "alpha": [("a", "z"), ("A", "Z")],
    "blank": [(" ", " "), ("\t", "\t")],
    "cntrl": [("\0", "\x1f"), ("\x7f", "\x7f")],
    "digit": [("0", "9")],
    "graph": [("!", "~")],
    "lower": [("a", "z")],
    "print": [(" ", "~")],
    "punct": [("!", "/"), (":", "@"), ("[", "`"), ("{", "~")],
    "space": [(" ", " "), ("\t", "\n"), ("\r", "\r")],
    "upper": [("A", "Z")],
    "xdigit": [("0", "9"), ("a", "f"), ("A", "F")],
}


def read_class(text: str, at: int) -> tuple[CharClass, int]:
    """The class that opens at a place, and the place behind it."""
    at += 1
    negated = text[at : at + 1] in ("!", "^") and at < len(text)
    at += negated
    ranges: list[tuple[str, str]] = []
    before = ""  # the character that a '-' would begin a range with
    first = True
    while first or text[at : at + 1] != "]":
        first = False
        if text.startswith("[:", at) and (named := _named_class(text, at)):
            inside, at = named
            ranges += inside
            before = ""
        elif before and text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("", "]"):
            last, at = _class_character(text, at + 1)
            ranges.append((before, last))
            before = ""
        else:
            before, at = _class_character(text, at)
            ranges.append((before, before))
    return CharClass(ranges, negated), at + 1


def _class_character(text: str, at: int) -> tuple[str, int]:
    at += text[at : at + 1] == "\\"
    if at >= len(text):
        raise PatternError(_OPEN_CLASS)
    return text[at], at + 1


def _named_class(text: str, at: int) -> tuple[list[tuple[str, str]], int] | None:
    """The ranges of '[:alpha:]' and the place behind it; None where the bracket counts as itself."""
    end = text.find("]", at + 2)
    if end < 0:
        raise PatternError(_OPEN_CLASS)
    if end == at + 2 or text[end - 1] != ":":
        return None
    name = text[at + 2 : end - 1]
    if name not in _NAMED_CLASSES:
        raise PatternError(f"there is no class '[:{name}:]'")
    return _NAMED_CLASSES[name], end + 1


# -- components and braces of a path -------------------------------------------------------------


def components(pattern: str) -> list[str]:
    """The parts of a pattern between its slashes; a slash within a class is not one of these, an escaped one is."""
    if "[" not in pattern and "\\" not in pattern:
        return pattern.split("/")
    found = [""]
    at = 0
    while at < len(pattern):
        behind = at + 1
        if pattern[at] == "[":
            behind = read_class(pattern, at)[1]
        elif pattern[at] == "\\":
            behind = at + 2
        piece = pattern[at:behind]
        if piece in ("/", "\\/"):
            found.append("")
        else:
            found[-1] += piece
        at = behind
    return found


def alternatives(pattern: str) -> list[str]:
    """The patterns without braces that a pattern of a search means."""
    if len(pattern) > _LONGEST:
        raise PatternError(f"it is longer than {_LONGEST} characters")
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        current = waiting.pop()
        marks = _first_group(current)
        if not marks:
            done.append(current)
            continue
        before, after = current[: marks[0]], current[marks[-1] + 1 :]
        options = [current[start + 1 : stop] for start, stop in zip(marks, marks[1:])]
        waiting += [before + option + after for option in reversed(options)]
        if len(done) + len(waiting) > _MOST_ALTERNATIVES:
            raise PatternError(f"its braces make more than {_MOST_ALTERNATIVES} patterns")
    return done


def _first_group(pattern: str) -> list[int]:
    """Where the first brace opens, where its commas are and where it closes; nothing where there is no brace."""
    marks: list[int] = []
    depth = at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif char == "[":
            at = read_class(pattern, at)[1] - 1
        elif char == "{":
            depth += 1
            if depth == 1:
                marks.append(at)
        elif char == "," and depth == 1:
            marks.append(at)
        elif char == "}" and depth:
            depth -= 1
            if not depth:
                return [*marks, at]
        at += 1
    if depth:
        raise PatternError("'{' is not closed; write '\\{' for the brace itself")
    return []


# -- names ---------------------------------------------------------------------------------------

MOST_WORK = 1_000_000  # characters of patterns times those of a name: a hundred times what honest files come to
_SPECIAL = frozenset("*?[\\")


class Segment(Record):
    """A pattern of one name."""

    fits: Test
    literal: str | None = None  # the only name that fits
    ending: str | None = None  # what is asked of the end of a name, where nothing else is asked
    dotted: bool = False  # whether it begins with a dot itself, and so asks for hidden names


def segment(text: str) -> Segment:
    """The pattern of one name; raises `PatternError` where it means nothing."""
    if is_plain(text):
        return Segment(text.__eq__, literal=text, dotted=text.startswith("."))
    row = tokens(text, GIT)
    dotted = row[:1] == ["."]
    text = "".join(each for each in row if isinstance(each, str) and len(each) == 1)
    if len(text) == len(row):
        return Segment(text.__eq__, literal=text, dotted=dotted)
    if len(text) == len(row) - 1 and row[0] == STAR:
        return Segment(lambda name: name.endswith(text), ending=text)
    return Segment(matcher_of(row), dotted=dotted)


def is_plain(text: str) -> bool:
    """Whether a pattern of a name has no wildcards, classes or escapes."""
    return _SPECIAL.isdisjoint(text)


def matcher_of(row: Sequence[Token]) -> Test:
    if any(isinstance(token, OneOf | Number) or token in (DEEP, "/") for token in row):
        return _AllWays(row).fits
    return _Runs(row).fits


class AnyOf:
    """Patterns of names, tested at once. Most names are seen by their first character to match none."""

    def __init__(self, rows: Iterable[tuple[Token, ...]], test: Callable[[tuple[Token, ...]], Test]) -> None:
        """`rows` are the tokens of each pattern; `test` makes their tests, once for all that have the same ones."""
        self._test = test
        self._rows: dict[str, list[tuple[Token, ...]]] = {}  # by their first character; '' for wildcards
        self._tests: dict[str, list[Test]] = {}  # the same rows as tests, made when there is such a name
        for row in dict.fromkeys(rows):
            first = row[0] if row and isinstance(row[0], str) and len(row[0]) == 1 else ""
            self._rows.setdefault(first, []).append(row)

    def fits(self, name: str) -> bool:
        return (name[:1] in self._rows and self._one_fits(name[:1], name)) or (
            "" in self._rows and self._one_fits("", name)
        )

    def _one_fits(self, first: str, name: str) -> bool:
        tests = self._tests.get(first)
        if tests is None:
            tests = self._tests[first] = [self._test(row) for row in self._rows[first]]
        return any(test(name) for test in tests)


class _Run:
    """Tokens of one character each, in a row."""

    __slots__ = ("row", "_text", "_taking")

    def __init__(self, row: Sequence[Token]) -> None:
        self.row = row
        plain = [each for each in row if isinstance(each, str) and each != ONE]
        self._text = "".join(plain) if len(plain) == len(row) else None
        self._taking: dict[str, int] = {}  # by character, a bit for each token that takes it

    def behind(self, name: str, at: int, stop: int) -> int:
        """The place behind the first part of the name that fits; -1 for none."""
        if self._text is not None:
            found = name.find(self._text, at, stop)
            return found + len(self._text) if found >= 0 else -1
        reached = 0  # a bit for each beginning of the row that fits up to here: a character costs one step
        for place in range(at, stop):
            char = name[place]
            if char not in self._taking:
                self._taking[char] = sum(1 << bit for bit, token in enumerate(self.row) if _takes(token, char))
            reached = (reached << 1 | 1) & self._taking[char]
            if reached >> len(self.row) - 1:
                return place + 1
        return -1


class _Runs:
    """A row of characters, wildcards and classes: the runs between its stars.

    A run has a fixed length, so its first place is as good as any: no star is ever tried twice.
    """

    __slots__ = ("_first", "_between", "_last", "_sizes", "_needed")

    def __init__(self, row: Sequence[Token]) -> None:
        stars = [at for at, token in enumerate(row) if token == STAR]
        bounds = [-1, *stars, len(row)]
        self._first, *others = [_Run(row[a + 1 : b]) for a, b in zip(bounds, bounds[1:])]
        self._last = others.pop() if others else _Run([])
        self._between = [run for run in others if run.row]
        self._sizes = range(len(row) - len(stars), 1 << 30 if stars else len(row) + 1)
        # The longest text in it: by that most names are seen not to fit.
        texts = "".join(each if isinstance(each, str) and len(each) == 1 else "\0" for each in row)
        self._needed = max(texts.split("\0"), key=len)

    def fits(self, name: str) -> bool:
        if self._needed not in name or len(name) not in self._sizes:
            return False
        at, stop = len(self._first.row), len(name) - len(self._last.row)
        if self._first.behind(name, 0, at) < 0 or self._last.behind(name, stop, len(name)) < 0:
            return False
        for run in self._between:
            at = run.behind(name, at, stop)
            if at < 0:
                return False
        return True


class _AllWays:
    """A row of tokens as states, each of which knows the states behind it; state 0 is the end.

    Only states are looked at, so a choice within a choice costs what its characters cost.
    """

    def __init__(self, row: Sequence[Token]) -> None:
        self._tokens: list[Token] = [""]
        self._next: list[list[int]] = [[]]
        self._start = self._chained(row, 0)
        self._numbers = {state: token for state, token in enumerate(self._tokens) if isinstance(token, Number)}
        self._taking: dict[str, set[int]] = {}  # by character, the states that take it

    def _chained(self, row: Sequence[Token], end: int) -> int:
        """The first state of a row that goes on at `end`."""
        for token in reversed(row):
            follow = [self._chained(way, end) for way in token.ways] if isinstance(token, OneOf) else [end]
            self._tokens.append(token)
            self._next.append(follow)
            end = len(self._tokens) - 1
        return end

    def fits(self, text: str) -> bool:
        waiting: dict[int, set[int]] = {}  # states that begin at a later character
        current = self._open({self._start})
        for at, char in enumerate(text):
            taking = self._taking.get(char)
            if taking is None:
                taking = {state for state, token in enumerate(self._tokens) if _takes(token, char)}
                self._taking[char] = taking
            ahead = {
                state if self._tokens[state] in (STAR, DEEP) else self._next[state][0] for state in current & taking
            }
            for state in current & self._numbers.keys():
                for stop in self._numbers[state].ends(text, at):
                    waiting.setdefault(stop, set()).add(self._next[state][0])
            current = self._open(ahead | waiting.pop(at + 1, set()))
            if not current and not waiting:
                return False
        return 0 in current

    def _open(self, states: set[int]) -> set[int]:
        """The states that can be reached from these without a further character."""
        found: set[int] = set()
        pending = list(states)
        while pending:
            state = pending.pop()
            if state not in found:
                found.add(state)
                token = self._tokens[state]
                if isinstance(token, OneOf) or token in (STAR, DEEP):
                    pending += self._next[state]
        return found


def _takes(token: Token, char: str) -> bool:
    """Whether a token can be, or go on with, this character."""
    if isinstance(token, CharClass):
        return token.holds(char)
    return token in (DEEP, char) or (token in (STAR, ONE) and char != "/")


# -- paths ---------------------------------------------------------------------------------------

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


# -- git -----------------------------------------------------------------------------------------


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


class IgnoreRule(Record):
    """One line of an ignore file: what it is for, and whether it keeps that instead of ignoring it."""

    pattern: GitPattern
    keeps: bool


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
    return IgnoreRules(text.split("\n"))


def by_bytes(text: str) -> str:
    """A text with a character for each of its bytes: git and ripgrep compare names with ignore files so."""
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


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
