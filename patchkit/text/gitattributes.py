"""What `.gitattributes` files say about line endings.

Takes the content of files; gives what git would: the states of attributes of a path, and the line ending that follows.
Patterns are matched byte by byte, as git does, so every character in here is one byte (latin-1). What a pattern means
is decided in `globs.patterns`, which files count in `endings`. docs/decisions.md says why git is not asked.
"""

from __future__ import annotations

from patchkit.globs.patterns import MOST_WORK, GitPattern, PatternError

State = str | bool | None  # a value, set, unset, or back to unspecified
Attribute = tuple[str, State]

_MOST_BYTES = 1 << 20
_LONGEST = 2048  # bytes of a line that git reads
_SPACES = " \t\r"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", '"': '"', "\\": "\\"}
_BUILT_IN: dict[str, list[Attribute]] = {"binary": [("diff", False), ("merge", False), ("text", False)]}


class GitAttributes:
    """One file: rules of a pattern and attributes each, and, in the topmost one, names for several attributes."""

    __slots__ = ("rules", "macros")

    def __init__(self, data: bytes, top: bool) -> None:
        self.rules: list[_AttributeRule] = []
        self.macros: dict[str, list[Attribute]] = {}
        for line in data[:_MOST_BYTES].removeprefix(b"\xef\xbb\xbf").split(b"\n"):
            if len(line) <= _LONGEST:
                self._take(line.decode("latin-1"), top)

    def _take(self, line: str, top: bool) -> None:
        line = line.strip(_SPACES)
        if not line or line.startswith("#"):
            return
        quoted = _unquoted(line) if line.startswith('"') else None
        name, rest = quoted if quoted is not None else _word(line)
        macro = quoted is None and len(name) > 6 and name.startswith("[attr]")
        words = _words(rest)
        attributes = [each for each in map(_attribute, words) if each is not None]
        if len(attributes) < len(words) or (name.startswith("!") and not macro):
            return  # git leaves out the whole line
        if not macro:
            self.rules.append(_AttributeRule(name, attributes))
        elif top and _is_name(name[6:]):
            self.macros[name[6:]] = attributes


class _AttributeRule:
    """A pattern and the attributes of what fits it. The pattern is read when a path is first compared with it."""

    __slots__ = ("text", "attributes", "_pattern")

    def __init__(self, text: str, attributes: list[Attribute]) -> None:
        self.text = text
        self.attributes = attributes
        self._pattern: GitPattern | bool | None = False  # None: no path fits it

    def fits(self, parts: list[str]) -> bool:
        if self._pattern is False:
            try:
                self._pattern = GitPattern(self.text)
            except PatternError:
                self._pattern = None
        return isinstance(self._pattern, GitPattern) and self._pattern.fits_file(parts)


def states(files: list[tuple[str, GitAttributes]]) -> dict[str, State]:
    """The states of attributes, from files with the path as each sees it, the nearest file first.

    What is said nearest, and last in a file and in a line, holds. A name for several attributes means all of them
    where it is set itself.
    """
    macros = dict(_BUILT_IN)
    for _, file in files:
        macros.update(file.macros)
    found: dict[str, State] = {}
    for name, file in files:
        path = name.encode("utf-8", "surrogateescape").decode("latin-1")
        parts = path.split("/")
        work = 0
        for rule in reversed(file.rules):
            work += len(rule.text) * len(path)
            if work > MOST_WORK:
                break
            if any(each not in found for each, _ in rule.attributes) and rule.fits(parts):
                _settle(rule.attributes, macros, found)
    return found


def _settle(attributes: list[Attribute], macros: dict[str, list[Attribute]], found: dict[str, State]) -> None:
    pending = list(attributes)
    while pending:
        name, state = pending.pop()
        if name not in found:
            found[name] = state
            if state is True:
                pending += macros.get(name, ())


def end_of_line(files: list[tuple[str, GitAttributes]]) -> str:
    """'lf', 'crlf', or '' where git would leave line endings alone."""
    found = states(files)
    text = found.get("text")
    if text is None:
        text = found.get("crlf")  # the older name of the attribute
    if text is False:
        return ""
    said = found.get("eol")
    return said if said in ("lf", "crlf") else ""


# -- lines -----------------------------------------------------------------------------------------


def _words(text: str) -> list[str]:
    return [word for word in text.replace("\t", " ").replace("\r", " ").split(" ") if word]


def _word(line: str) -> tuple[str, str]:
    stops = [place for place in map(line.find, _SPACES) if place >= 0]
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
    """The name and the state that a word gives it; None for what is not an attribute."""
    name, equals, value = word.partition("=")
    state: State = value if equals else True
    if name[:1] in ("-", "!"):
        name, state = name[1:], False if name[0] == "-" else None
    return (name, state) if _is_name(name) else None


def _is_name(name: str) -> bool:
    return name != "" and not name.startswith("-") and _NAME.issuperset(name)
