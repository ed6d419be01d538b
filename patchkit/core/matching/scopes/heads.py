"""Heads of definitions that go on over several lines, found by their brackets.

Takes a file's lines and the number of one; gives the line behind the head that begins there, or nothing. A head is a
name and its parameters, then a brace: `void f(int a,` and `int b) {` below it, or `f(int a)` with the brace on a line
of its own. What ends in a semicolon before any brace is a call or a declaration, and no head.
"""

from __future__ import annotations

MOST_LINES = 60
LOST = 0  # in place of the line behind a head whose brackets are not closed in so many lines
_FEW = 4  # lines of a head above that of its name, and blank ones behind it
_WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"
# Words that a head does not begin with: statements that have parameters and a block, or end in a call.
_OTHER = frozenset(
    "assert await break case catch co_await co_return co_yield continue del delete do elif else except finally for "
    "foreach from goto guard if import lambda lock loop match new not print raise return select sizeof super switch "
    "synchronized throw try typeof unless until using when while with yield".split()
)
_ENDS = frozenset("begin done end esac fi then".split())  # of blocks, alone on a line above any call
_LAST = frozenset(_WORD + "*&> \t")  # what the line of a type ends in
_TYPE = frozenset(_WORD + " *&:<>,\t")  # what a type is written with
_SIGNS = frozenset("\"'`\\/()[]{}:;=")  # what brackets are followed by
_DECLARED = _TYPE | frozenset(";[]()")  # what types of parameters are declared with
_FIRST = frozenset("const extern inline private protected public static virtual".split())
_FIRST_WORDS = tuple(sorted(_FIRST))
# What may be between the parameters and the brace, at the beginning of a line.
_TAILS = (
    "{",
    "throws",
    "| ",
    ":",
    "->",
    "=>",
    "const",
    "noexcept",
    "override",
    "final",
    "where",
    "requires",
    "volatile",
)


def end_of_head(texts: list[str], line: int, any_name: bool = False, above: int = 0) -> int | None:
    """The line behind the head that begins at `line`; None where none begins, or `LOST`.

    With `any_name` the line is known not to be a statement, whatever its first word is. `above` are the lines of the
    head before it.
    """
    bare = uncommented(texts[line]).strip()
    if not bare or not (bare[0].isalpha() or bare[0] in "_$~@#*[<"):
        return None
    before, bracket, _ = bare.replace('extern "C"', "extern").partition("(")
    word = before[: len(before) - len(before.lstrip(_WORD))]
    if bare[-1] == "<" and not bracket:
        return _behind_types(texts, line)
    if not bracket:
        if above == _FEW or line + 1 == len(texts):
            return None
        # Words before a type, with the rest of the head on the next line.
        goes_on = word in _FIRST and bare[-1] not in ";{}:,"
        # A member that has a type or a value is complete, where no semicolons are written.
        goes_on = goes_on and "=" not in bare and ":" not in bare.replace("::", "")
        # Or the name of a class, with that of its method on the next line.
        return end_of_head(texts, line + 1, above=above + 1) if goes_on or bare.endswith("::") else None
    if bare[0] == "#" and " " in before:
        return None
    if word in _OTHER and (word != "synchronized" or before.strip() == word) and not any_name:
        return None
    if bare[0] == "<" and (">" not in before or len(before.rpartition(">")[2].split()) < 2):
        return None
    if not _ends_in_a_name(before):
        return None
    # Types before the parameters may have braces.
    return _behind(texts, line, True, len(texts[line].rstrip()) - len(bare) + bare.find("("))


def _behind_types(texts: list[str], line: int) -> int | None:
    """The line behind a head whose types are on lines of their own, with `>` and the parameters below them."""
    margin = len(texts[line]) - len(texts[line].lstrip())
    for number in range(line + 1, min(len(texts), line + MOST_LINES)):
        text = texts[number]
        if text[: margin + 1].strip():
            return _behind(texts, number, True, margin + 1) if text[margin : margin + 2] == ">(" else None
    return None


def uncommented(text: str) -> str:
    """The line without a comment or an attribute (`[[noreturn]]`) that it begins with, or a comment that ends there."""
    bare = text.lstrip()
    if bare[:2] not in ("/*", "*/", "[["):
        return text
    comment, end, rest = bare.partition("]]" if bare[0] == "[" else "*/")
    if not end or not rest.strip() or (comment and not any(map(str.isalnum, comment))):  # `/******/`: a margin
        return text
    return text[: len(text) - len(bare) - (bare[0] == "*")] + rest.lstrip()


def may_be_head(bare: str, below: str) -> bool:
    """Whether a head may begin on a line that is not all of it, by a look that costs little; `bare` is stripped."""
    if "(" not in bare:
        return bare.startswith(_FIRST_WORDS) or bare.endswith(("<", "::"))
    if "{" in bare:
        return bare[-1] != "{" or bare[-2:] == "({"  # parameters that are parts of an object
    if bare.count("(") != bare.count(")") or bare.count("[") != bare.count("]") or "}" in bare:
        return True
    if '"' in bare or "'" in bare or "`" in bare or "/" in bare:
        return True  # brackets in strings and comments do not count
    if bare[-1] == ")" and below[-1:] == ";":
        return True  # types of parameters in old C
    return below.lstrip().startswith(_TAILS) or bare.endswith(") :") or (bare[-1] == "," and ") :" in bare)


def is_type_of_head(texts: list[str], line: int) -> bool:
    """Whether a line has nothing but the type of a function, whose name and parameters are on the next line."""
    text = texts[line]
    if text[-1:] not in _LAST or "(" in text or line + 1 >= len(texts) or "(" not in texts[line + 1]:
        return False  # most lines
    bare = text.strip()
    if not bare or not (bare[0].isalpha() or bare[0] == "_") or not _TYPE.issuperset(bare):
        return False
    margin = len(text) - len(text.lstrip())
    below = texts[line + 1]
    name = below[margin:].partition("(")[0].rstrip()
    if below[:margin].strip() or not name or name[0] not in _WORD + "~":
        return False
    if any(map(str.isspace, name)) and not name.startswith("operator"):
        return False
    word = bare[: len(bare) - len(bare.lstrip(_WORD))]
    return word not in _OTHER and word not in _ENDS and bool(end_of_head(texts, line + 1))


def behind_brackets(texts: list[str], line: int) -> int:
    """The line behind the brackets that are opened on `line`; the next line where they are closed on it, or nowhere."""
    return _behind(texts, line, False) or line + 1


def _ends_in_a_name(before: str) -> bool:
    """Whether what is before the parameters is a name, with words, types and signs of them before it."""
    text, operator, _ = before.rstrip().partition("operator")
    text = _without_types(text)
    if not operator and not (text[-1:] in _WORD or text[-1:].isalnum() or text.endswith((">", "]"))):
        return False
    if any(sign in text for sign in "\"'`;{}=,"):
        return False
    return len(text.split()) > 1 or "." not in text  # `object.method(` alone is a call


def _without_types(text: str) -> str:
    """The text without what is between angle brackets: a comma there separates types."""
    kept, depth = "", 0
    for char in text:
        depth += char == "<"
        kept += char if not depth or char in "<>" else ""
        depth -= char == ">" and depth > 0
    return kept


def _behind(texts: list[str], line: int, head: bool, at: int = 0) -> int | None:
    """Follows brackets from `line` on: to the brace behind a head, or to where all that are open are closed."""
    depth = 0
    closed = listing = False  # whether the parameters have ended; whether a list of members follows
    quote = ""
    for number in range(line, min(len(texts), line + MOST_LINES)):
        text = texts[number]
        bare = text.strip()
        if closed and number > line and head:
            # What a constructor of C++ sets, or a method throws or returns, may take several lines.
            above = texts[number - 1].rstrip()
            listing = listing or bare.startswith((":", "throws")) or above.endswith((") :", "<"))
            below = next((text for text in texts[number : number + _FEW] if text.strip()), "") if not bare else ""
            if below.lstrip().startswith("throws "):
                continue
            if not bare or not (bare.startswith(_TAILS) or depth or listing):
                return _behind_declarations(texts, line, number)
        elif number > line and not bare and not depth:
            return None
        behind = at  # what was looked at
        for at in [at for at, char in enumerate(text) if char in _SIGNS]:
            char = text[at]
            if at < behind:
                continue
            if quote:
                if char == "\\":
                    behind = at + 2
                elif char == quote:
                    quote = ""
            elif char in '"`' or (char == "'" and not _is_lifetime(text, at)):
                quote = char
            elif char == "/" and text.startswith("//", at):
                break
            elif char == "/" and text.startswith("/*", at):
                end = text.find("*/", at + 2)
                if end < 0:
                    break
                behind = end + 2
            elif char in "([":
                depth += 1
            elif char in ")]":
                depth -= 1
                if depth < 0:
                    return None
                closed = closed or (depth == 0 and char == ")")
            elif char in "{}":
                if head and depth == 0:
                    return number + 1 if closed and char == "{" else None
                depth += 1 if char == "{" else -1
                if depth < 0:
                    return None
            elif char == ":" and closed and depth == 0 and bare.endswith(","):
                listing = True
            elif head and depth == 0 and (char == ";" or (char == "=" and closed and text[at : at + 2] != "=>")):
                return None
        at = 0
        if head and closed and depth == 0 and bare.endswith("=>"):
            return number + 1  # the body is an expression
        if head and depth == 0 and not closed:
            return None  # an attribute: the parameters begin on the first line
        quote = ""  # a string ends with its line; an apostrophe in a comment began none
        if not head and (depth == 0 or bare.endswith("{")):
            return number + 1
    return LOST if line + MOST_LINES <= len(texts) else None


def _behind_declarations(texts: list[str], line: int, number: int) -> int | None:
    """The line behind the brace below the types of parameters, from a line on, as in old C: `int a;`; else None."""
    margin = texts[line][: len(texts[line]) - len(texts[line].lstrip())]
    for at in range(number, min(len(texts), number + MOST_LINES)):
        bare = texts[at].strip()
        if bare == "{" and at > number and texts[at].startswith(margin + "{"):
            return at + 1
        if bare[-1:] != ";" or len(bare.split()) < 2 or not _DECLARED.issuperset(bare):
            return None
    return None


def _is_lifetime(text: str, at: int) -> bool:
    """Whether an apostrophe opens no string: in a word, in a lifetime of Rust, or alone on its line."""
    return text[at - 1 : at].isalnum() or text[at - 1 : at] in ("<", "&") or "'" not in text[at + 1 :]


class Braces:
    """The braces of one file's lines."""

    def __init__(self, texts: list[str]) -> None:
        self._open = [0]  # braces that are open before each line, and at the end
        for text in texts:
            change = 0
            if "{" in text or "}" in text:
                text = _without_strings(text)
                change = text.count("{") - text.count("}")
            self._open.append(self._open[-1] + change)
        self._next = [len(self._open)] * len(self._open)  # where no more are open, for each line
        waiting: list[int] = []
        for line, count in enumerate(self._open):
            while waiting and self._open[waiting[-1]] >= count:
                self._next[waiting.pop()] = line
            waiting.append(line)

    def opens(self, line: int) -> bool:
        """Whether a line opens more braces than it closes."""
        return self._open[line + 1] > self._open[line]

    def closed(self, line: int, opened: int) -> int:
        """The line behind the one that closes what is opened between two lines; more than all lines where none does."""
        at = opened + 1
        while at < len(self._open) and self._open[at] > self._open[line]:
            at = self._next[at]
        return at

    def end(self, line: int) -> int:
        """The line of the brace that closes the one opened on `line` or right below it; `line` where none does."""
        at = self.closed(line, line + 2)
        return at - 1 if at < len(self._open) else line


def _without_strings(text: str) -> str:
    """The line without a comment at its end and without strings that are closed on it."""
    kept, at = "", 0
    if '"' not in text and "'" not in text:
        return text.partition("//")[0]
    quotes = "\"'"  # but for one that opens a string which is not closed: none behind it is, either
    while at < len(text) and not text.startswith("//", at):
        char = text[at]
        end = at
        if char in quotes:
            end = _end_of_string(text, at)
            quotes = quotes if end > at else quotes.replace(char, "")
        kept += char if end == at else ""
        at = end + 1
    return kept


def _end_of_string(text: str, at: int) -> int:
    """Where the string ends whose quote is at a place; that place where it does not end on the line."""
    end = at + 1
    while end < len(text) and text[end] != text[at]:
        end += 2 if text[end] == "\\" else 1
    return end if end < len(text) else at
