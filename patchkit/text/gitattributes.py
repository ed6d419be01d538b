"""What `.gitattributes` files say about the ends of lines.

Takes the content of files; gives what git would: the states of attributes of a path, and the line ending that follows.
Patterns are matched byte by byte, as git does, so all text in here is bytes in the guise of characters (latin-1). Which
files count is left to `conventions`.
"""

from __future__ import annotations

from patchkit.globs.wildcards import MOST_WORK, Either, Many, One, Part, Pattern, anything, literal, not_slash

State = str | bool | None  # a value, set, unset, or back to unspecified

_MOST_BYTES = 1 << 20
_LONGEST = 2048  # bytes of a line that git reads
_BLANK = " \t\r"
_LOWER, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789"
_LETTERS = _LOWER + _LOWER.upper()
_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_NAME = frozenset(_LETTERS + _DIGITS + "-._")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", '"': '"', "\\": "\\"}
_BUILT_IN = {"binary": [("diff", False), ("merge", False), ("text", False)]}
_CLASSES = {
    "alnum": _LETTERS + _DIGITS,
    "alpha": _LETTERS,
    "blank": " \t",
    "cntrl": "".join(map(chr, range(32))) + "\x7f",
    "digit": _DIGITS,
    "graph": _LETTERS + _DIGITS + _PUNCTUATION,
    "lower": _LOWER,
    "print": _LETTERS + _DIGITS + _PUNCTUATION + " ",
    "punct": _PUNCTUATION,
    "space": " \t\n\r",
    "upper": _LOWER.upper(),
    "xdigit": _DIGITS + "abcdefABCDEF",
}


class GitAttributes:
    """One file: rules of a pattern and attributes each, and, in the topmost one, names for several attributes."""

    __slots__ = ("rules", "macros")

    def __init__(self, data: bytes, top: bool) -> None:
        self.rules: list[tuple[_Rule, list[tuple[str, State]]]] = []
        self.macros: dict[str, list[tuple[str, State]]] = {}
        for line in data[:_MOST_BYTES].removeprefix(b"\xef\xbb\xbf").split(b"\n"):
            if len(line) <= _LONGEST:
                self._take(line.decode("latin-1"), top)

    def _take(self, line: str, top: bool) -> None:
        line = line.strip(_BLANK)
        if not line or line.startswith("#"):
            return
        quoted = _unquoted(line) if line.startswith('"') else None
        name, rest = quoted if quoted is not None else _word(line)
        macro = quoted is None and len(name) > 6 and name.startswith("[attr]")
        attributes = [_attribute(word) for word in _words(rest)]
        if None in attributes or (name.startswith("!") and not macro):
            return  # git leaves out the whole line
        settled: list[tuple[str, State]] = attributes  # type: ignore[assignment]
        if not macro:
            self.rules.append((_Rule(name), settled))
        elif top and _is_name(name[6:]):
            self.macros[name[6:]] = settled


class _Rule:
    """A pattern: without a slash for the last part of any path, with one for the path from the file's directory."""

    __slots__ = ("text", "_alone", "_pattern", "_never")

    def __init__(self, text: str) -> None:
        self.text = text
        self._never = text.endswith("/")  # a directory, and those have no lines
        self._alone = "/" not in text
        self._pattern: Pattern | None = None

    def matches(self, path: str) -> bool:
        if self._pattern is None and not self._never:
            parts = _parts(self.text.removeprefix("/"))
            self._pattern, self._never = Pattern(parts or []), parts is None
        if self._pattern is None or self._never:
            return False
        return self._pattern.matches(path.rpartition("/")[2] if self._alone else path)


def states(files: list[tuple[str, GitAttributes]]) -> dict[str, State]:
    """The states of attributes, from files with the path as each sees it, the nearest file first.

    What is said nearest, and last in a file and in a line, holds; a name for several attributes stands for them
    where it holds itself.
    """
    macros = dict(_BUILT_IN)
    for _, file in files:
        macros.update(file.macros)  # type: ignore[arg-type]
    found: dict[str, State] = {}
    for name, file in files:
        path = name.encode("utf-8", "surrogateescape").decode("latin-1")
        work = 0
        for rule, attributes in reversed(file.rules):
            work += len(rule.text) * len(path)
            if work > MOST_WORK:
                break
            if any(each not in found for each, _ in attributes) and rule.matches(path):
                _settle(attributes, macros, found)  # type: ignore[arg-type]
    return found


def _settle(
    attributes: list[tuple[str, State]], macros: dict[str, list[tuple[str, State]]], found: dict[str, State]
) -> None:
    pending = list(attributes)
    while pending:
        name, state = pending.pop()
        if name not in found:
            found[name] = state
            if state is True:
                pending += macros.get(name, ())


def end_of_line(files: list[tuple[str, GitAttributes]]) -> str:
    """'lf', 'crlf', or '' where git would leave the ends of lines alone."""
    found = states(files)
    text = found.get("text")
    if text is None:
        text = found.get("crlf")  # what it was called in old times
    if text is False:
        return ""
    said = found.get("eol")
    return said if said in ("lf", "crlf") else ""


# -- lines -----------------------------------------------------------------------------------------


def _words(text: str) -> list[str]:
    return [word for word in text.replace("\t", " ").replace("\r", " ").split(" ") if word]


def _word(line: str) -> tuple[str, str]:
    stops = [place for place in map(line.find, _BLANK) if place >= 0]
    stop = min(stops, default=len(line))
    return line[:stop], line[stop:]


def _unquoted(line: str) -> tuple[str, str] | None:
    """A pattern in quotes and what follows it; None when the quotes are not right."""
    text, index = "", 1
    while index < len(line):
        character, index = line[index], index + 1
        if character == '"':
            return text, line[index:]
        if character != "\\":
            text += character
        elif line[index : index + 1] in _ESCAPES:
            text, index = text + _ESCAPES[line[index]], index + 1
        elif (
            len(octal := line[index : index + 3]) == 3
            and octal[0] in "0123"
            and all(each in "01234567" for each in octal)
        ):
            text, index = text + chr(int(octal, 8)), index + 3
        else:
            return None
    return None


def _attribute(word: str) -> tuple[str, State] | None:
    """The name and the state that a word gives it; None for what is no attribute."""
    name, equals, value = word.partition("=")
    state: State = value if equals else True
    if name[:1] in ("-", "!"):
        name, state = name[1:], False if name[0] == "-" else None
    return (name, state) if _is_name(name) else None


def _is_name(name: str) -> bool:
    return name != "" and not name.startswith("-") and _NAME.issuperset(name)


# -- patterns --------------------------------------------------------------------------------------


def _parts(text: str) -> list[Part] | None:
    """A pattern as parts; None for one that matches nothing."""
    parts: list[Part] = []
    index = 0
    while index < len(text):
        character = text[index]
        if character == "*":
            index = _take_stars(text, index, parts)
        elif character == "[":
            end = _take_class(text, index, parts)
            if end is None:
                return None
            index = end
        elif character == "?":
            parts.append(One(not_slash))
            index += 1
        else:
            character, index = _character(text, index)
            if not character:
                return None
            parts.append(literal(character))
    return parts


def _take_stars(text: str, index: int, parts: list[Part]) -> int:
    """Reads '*', or '**' which also matches slashes where it stands alone between them."""
    stop = index
    while stop < len(text) and text[stop] == "*":
        stop += 1
    alone = stop - index > 1 and (index == 0 or text[index - 1] == "/") and text[stop : stop + 1] in ("", "/")
    if not alone:
        parts.append(Many(not_slash))
        return stop
    if stop == len(text):
        parts.append(Many(anything))
        return stop
    parts.append(Either([[], [Many(anything), literal("/")]]))
    return stop + 1


def _take_class(text: str, index: int, parts: list[Part]) -> int | None:
    """Reads '[a-z]', '[!a-z]' and '[[:alpha:]]'; returns where it ends, None when it does not."""
    index += 1
    negated = text[index : index + 1] in ("!", "^") and text[index : index + 1] != ""
    index += negated
    ranges: list[tuple[str, str]] = []
    members = ""
    first = True
    while first or text[index : index + 1] != "]":
        first = False
        if text.startswith("[:", index) and (end := text.find(":]", index)) > 0:
            if text[index + 2 : end] not in _CLASSES:
                return None
            members += _CLASSES[text[index + 2 : end]]
            index = end + 2
            continue
        low, index = _character(text, index)
        high = low
        if text[index : index + 1] == "-" and text[index + 1 : index + 2] not in ("", "]"):
            high, index = _character(text, index + 1)
        if not low or not high:
            return None
        ranges.append((low, high))

    def test_all(character: str) -> bool:
        inside = character in members or any(low <= character <= high for low, high in ranges)
        return inside != negated and character != "/"

    parts.append(One(test_all))
    return index + 1


def _character(text: str, index: int) -> tuple[str, int]:
    """The character that stands here, which a backslash may protect; '' at the end."""
    if text[index : index + 1] == "\\":
        index += 1
    return text[index : index + 1], index + 1
