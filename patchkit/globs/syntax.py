"""Read the text of a pattern into tokens, in one of four syntaxes.

Takes a pattern and its Syntax; gives Tokens: characters, wildcards, classes, and choices between Tokens. Raises
`PatternError` with the reason where the pattern means nothing. Whether a name fits the tokens is decided in `names`.

Every syntax has `*` and `?`. All but the rules' have classes, which are git's everywhere: `[a-z]`, `[!a-z]` or
`[^a-z]`, `[[:alpha:]]`, a backslash in front of a character that counts as itself.
"""

from __future__ import annotations

from patchkit.values import Value

STAR, ONE, DEEP = "\0*", "\0?", "\0**"  # within a name; one character of it; across slashes. Characters are one long
_MOST_ALTERNATIVES = 256
_LONGEST = 1024
_DEEPEST = 40  # braces within braces
_LONGEST_NUMBER = 20  # digits


class PatternError(ValueError):
    """A pattern that means nothing; its argument says why, in words that follow 'pattern … cannot be read:'."""


class Syntax(Value):
    """What is special in a pattern besides `*` and `?`.

    `escapes`: a backslash, and a class in brackets. `braces`: a choice is read in its place, a bracket or a brace
    that is not closed counts as itself, and `**` crosses slashes wherever it is written.
    """

    __slots__ = ("escapes", "braces")
    escapes: bool
    braces: bool

    def __init__(self, escapes: bool, braces: bool) -> None:
        self.escapes = escapes
        self.braces = braces


GIT = Syntax(escapes=True, braces=False)
EDITORCONFIG = Syntax(escapes=True, braces=True)
RULES = Syntax(escapes=False, braces=False)


class CharClass(Value):
    """One character within any of the ranges, or with `negated` outside of all of them; never a slash."""

    __slots__ = ("ranges", "negated")
    ranges: list[tuple[str, str]]
    negated: bool

    def __init__(self, ranges: list[tuple[str, str]], negated: bool) -> None:
        self.ranges = ranges
        self.negated = negated

    def holds(self, character: str) -> bool:
        inside = any(low <= character <= high for low, high in self.ranges)
        return inside != self.negated and character != "/"


class OneOf(Value):
    """One of several rows of tokens."""

    __slots__ = ("ways",)
    ways: list[list[Token]]

    def __init__(self, ways: list[list[Token]]) -> None:
        self.ways = ways


class Number(Value):
    """A whole number within bounds, without needless zeros."""

    __slots__ = ("least", "most")
    least: int
    most: int

    def __init__(self, least: int, most: int) -> None:
        self.least = least
        self.most = most

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
            return self._take_class(at, stop, found)
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

    def _take_class(self, at: int, stop: int, found: list[Token]) -> int:
        token: Token
        if self._syntax.braces:
            token, behind = self._class_or_bracket(at, stop)
        else:
            token, behind = read_class(self._text, at)
        found.append(token)
        return behind

    def _class_or_bracket(self, at: int, stop: int) -> tuple[Token, int]:
        """A class, or the bracket alone where the class is not closed or has a slash in it."""
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
