"""Read regular expressions, for the search without ripgrep: the part of the language that both read alike.

Takes an expression; gives its tree, or raises `UnsupportedError` for anything outside the list in docs/tools.md. What a
tree matches is found by `regex`, in time that grows with the line alone: no expression can make a search hang.
"""

from __future__ import annotations

import unicodedata

from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Test = Callable[[str], bool]


_LONGEST = 5000
_DEEPEST = 50
_MOST_TIMES = 1000

# -- sets of characters --------------------------------------------------------------------------
# As ripgrep's expressions mean them. A byte that is not text (a lone surrogate here) belongs to no set, not even to a
# negated one.

_WHITESPACE = frozenset(
    "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
)
# Letters by their shape that Unicode counts as symbols, and the two characters that join letters.
_ALSO_WORDS = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189), (0x200C, 0x200D))
# Other cases of a letter that neither upper() nor lower() gives.
_TWINS = {"s": "ſ", "S": "ſ", "k": "\u212a", "K": "\u212a", "å": "\u212b", "Å": "\u212b", "ß": "ẞ"}


def is_digit(char: str) -> bool:
    return "0" <= char <= "9" if char < "\x80" else _category(char) == "Nd"


def is_whitespace(char: str) -> bool:
    return char in _WHITESPACE


def is_word(char: str) -> bool:
    if char < "\x80":
        return char.isalnum() or char == "_"
    category = _category(char)
    if category[0] in "LM" or category in ("Nd", "Nl", "Pc"):
        return True
    return any(first <= ord(char) <= last for first, last in _ALSO_WORDS)


def is_any(char: str) -> bool:
    """What `.` means within a line."""
    return not _is_raw(char)


def opposite(test: Test) -> Test:
    return lambda char: not test(char) and not _is_raw(char)


def exactly(wanted: str) -> Test:
    return wanted.__eq__


def any_of(ranges: list[tuple[str, str]], tests: list[Test]) -> Test:
    """The test of a class: its ranges (a single character is one, too) and its shorthands."""
    return lambda char: any(first <= char <= last for first, last in ranges) or any(test(char) for test in tests)


def in_any_case(test: Test) -> Test:
    return lambda char: any(test(each) for each in _cases(char))


def _cases(char: str) -> set[str]:
    """A character in all its cases, as far as each is one character again."""
    found = {char, char.lower(), char.upper(), char.casefold(), char.title()}
    found |= {_TWINS[each] for each in found if each in _TWINS}
    return {each for each in found | {each.upper() for each in found} if len(each) == 1}


def _is_raw(char: str) -> bool:
    return "\ud800" <= char <= "\udfff"


def _category(char: str) -> str:
    return unicodedata.category(char)


_SHORTHANDS: dict[str, Test] = {
    "d": is_digit,
    "w": is_word,
    "s": is_whitespace,
    "D": opposite(is_digit),
    "W": opposite(is_word),
    "S": opposite(is_whitespace),
}
_CONTROLS = {"t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;=?@[\\]^_`{|}~ ")
START, END, EDGE, NO_EDGE = "start", "end", "edge", "no edge"


class UnsupportedError(ValueError):
    """An expression outside the common part; its argument names what is."""


class Node(Value):
    """A part of an expression: one character (`test`), a condition, or other parts in a row, as choices, repeated."""

    __slots__ = ("kind", "test", "text", "parts", "least", "most")
    kind: str
    test: Test | None
    text: str
    parts: list[Node]
    least: int
    most: int | None

    def __init__(self, kind: str, test: Test | None = None, text: str = "", parts: list[Node] | None = None) -> None:
        self.kind = kind  # 'char', 'condition', 'row', 'choice', 'repeat'
        self.test = test
        self.text = text  # the character itself where there is only one, or which condition
        self.parts = parts or []
        self.least = 0
        self.most = None


def literal(text: str, ignore_case: bool) -> Node:
    """The tree of a plain text."""
    return Node("row", parts=[_char(char, ignore_case) for char in text])


def parse(expression: str, ignore_case: bool) -> Node:
    if len(expression) > _LONGEST:
        raise UnsupportedError(f"an expression of more than {_LONGEST} characters")
    if expression.startswith("(?i)"):
        expression, ignore_case = expression[4:], True
    return _Parser(expression, ignore_case).whole()


def required(node: Node) -> str:
    """The longest text that is in every match, '' where none is known."""
    best = run = ""
    for part in _in_a_row(node):
        run = run + part.text if part.kind == "char" else ""
        run = "" if part.kind == "char" and not part.text else run
        best = max(best, run, key=len)
    return best


def _in_a_row(node: Node) -> list[Node]:
    return [each for part in node.parts for each in _in_a_row(part)] if node.kind == "row" else [node]


def _char(char: str, ignore_case: bool) -> Node:
    return Node("char", in_any_case(exactly(char))) if ignore_case else Node("char", exactly(char), char)


class _Parser:
    """Reads an expression from left to right."""

    def __init__(self, expression: str, ignore_case: bool) -> None:
        self._left = expression
        self._ignore_case = ignore_case
        self._depth = 0

    def whole(self) -> Node:
        tree = self._choice()
        if self._left:
            raise UnsupportedError("a ')' that closes nothing")
        return tree

    def _choice(self) -> Node:
        rows = [self._row()]
        while self._took("|"):
            rows.append(self._row())
        return rows[0] if len(rows) == 1 else Node("choice", parts=rows)

    def _row(self) -> Node:
        parts: list[Node] = []
        while self._left and self._left[0] not in "|)":
            parts.append(self._repeated(self._atom()))
        return Node("row", parts=parts)

    def _repeated(self, atom: Node) -> Node:
        times = self._times()
        if times is None:
            return atom
        if atom.kind == "condition":
            raise UnsupportedError("a condition that is repeated")
        self._took("?")  # as few as possible: that changes where a match ends, not which lines match
        if self._left[:1] in ("*", "+", "?", "{"):
            raise UnsupportedError("a repetition that is repeated")
        node = Node("repeat", parts=[atom])
        node.least, node.most = times
        return node

    def _times(self) -> tuple[int, int | None] | None:
        for mark, least, most in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self._took(mark):
                return least, most
        if not self._took("{"):
            return None
        inside, closed, self._left = self._left.partition("}")
        first, comma, last = inside.partition(",")
        if not closed or not _is_number(first) or (last and not _is_number(last)):
            raise UnsupportedError("a '{' that begins no repetition; write '\\{' for the brace itself")
        least = int(first)
        most = int(last) if last else None if comma else least
        if max(least, most or 0) > _MOST_TIMES or (most is not None and most < least):
            raise UnsupportedError(f"'{{{inside}}}'")
        return least, most

    def _atom(self) -> Node:
        char, self._left = self._left[0], self._left[1:]
        if char == "(":
            return self._group()
        if char == "[":
            return Node("char", self._cased(self._class()))
        if char == "\\":
            return self._escape()
        if char == ".":
            return Node("char", is_any)
        if char in "^$":
            return Node("condition", text=START if char == "^" else END)
        if char in "*+?{":
            raise UnsupportedError(f"'{char}' with nothing to repeat")
        return _char(char, self._ignore_case)

    def _group(self) -> Node:
        if not self._took("?:") and self._left.startswith("?"):
            raise UnsupportedError(f"'({self._left[:2]}'")
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnsupportedError("groups within groups without end")
        inside = self._choice()
        self._depth -= 1
        if not self._took(")"):
            raise UnsupportedError("a '(' that is not closed")
        return inside

    def _escape(self) -> Node:
        if self._left[:1] in ("b", "B"):
            return Node("condition", text=EDGE if self._next() == "b" else NO_EDGE)
        if self._left[:1] in _SHORTHANDS:
            return Node("char", _SHORTHANDS[self._next()])
        return _char(self._escaped(), self._ignore_case)

    def _escaped(self) -> str:
        """The single character that an escape means."""
        char = self._next() if self._left else ""
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "x" and len(self._left) >= 2 and all(each in "0123456789abcdefABCDEF" for each in self._left[:2]):
            return chr(int(self._next() + self._next(), 16))
        if char not in _PUNCTUATION:
            raise UnsupportedError(f"'\\{char}'")
        return char

    def _class(self) -> Test:
        negated = self._took("^")
        ranges: list[tuple[str, str]] = []
        tests: list[Test] = []
        first = True
        while self._left and (first or self._left[0] != "]"):
            first = False
            if self._left[:2] in ("&&", "--", "~~") or self._left[0] == "[":
                raise UnsupportedError("a class within a class")
            if self._left[0] == "\\" and self._left[1:2] in _SHORTHANDS and self._next():
                tests.append(_SHORTHANDS[self._next()])
                continue
            low = self._class_char()
            high = low
            if self._left[:1] == "-" and self._left[1:2] not in ("]", ""):
                self._next()
                high = self._class_char()
            if high < low:
                raise UnsupportedError(f"the range '{low}-{high}'")
            ranges.append((low, high))
        if not self._took("]"):
            raise UnsupportedError("a '[' that is not closed")
        test = self._cased(any_of(ranges, tests))
        return opposite(test) if negated else test

    def _class_char(self) -> str:
        char = self._next()
        return self._escaped() if char == "\\" else char

    def _cased(self, test: Test) -> Test:
        return in_any_case(test) if self._ignore_case else test

    def _took(self, mark: str) -> bool:
        if not self._left.startswith(mark):
            return False
        self._left = self._left[len(mark) :]
        return True

    def _next(self) -> str:
        char, self._left = self._left[0], self._left[1:]
        return char


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 5
