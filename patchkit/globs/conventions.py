"""What the `.editorconfig` and `.gitattributes` files on the way to a file say: how its lines end, its encoding.

Takes a function that reads a file by its name from the root (None for no file); gives an ending, or an encoding, for a
name. Every plain run that adds a file asks, so this looks first whether any of them names what is asked for; only
then are they read.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.globs.patterns import DEEP, EDITORCONFIG, MOST_WORK, GitPattern, OneOf, PatternError, matcher_of, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from patchkit.globs.patterns import Test, Token


# -- what an `.editorconfig` file says about line endings and encodings ----------------------------
# Takes the content of one file; gives the `end_of_line` or `charset` of a name in its directory or below. What a
# pattern means is decided in `patterns`; which files count, and in what order, in `Conventions`. docs/decisions.md says
# why no library is used.


_MOST_BYTES = 1 << 20
_READ = ("end_of_line", "charset")
_MOST_WAYS = 32  # that the choices of a section may be taken, each with a simple pattern
_LONGEST_SECTION = 1024  # characters of a section's pattern: what the format promises to take


_SPECIAL = "*?[]{}!\\"  # in patterns of both files


class BySuffix:
    """Patterns by what the names that fit them end with: of thousands, a name is compared with a few."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._all: list[int] = []  # the numbers of patterns for names with any ending
        self._ending: dict[str, list[int]] = {}
        for number, pattern in enumerate(patterns):
            plain = pattern[max(map(pattern.rfind, _SPECIAL)) + 1 :].rpartition("/")
            _, dot, suffix = plain[2].rpartition(".")
            (self._ending.setdefault(suffix, []) if dot else self._all).append(number)

    def of(self, path: str) -> list[int]:
        """The numbers of the patterns that a path may fit, the last first."""
        return sorted([*self._all, *self._ending.get(path.rpartition(".")[2], ())], reverse=True)


class EditorConfig:
    """One file: whether it is the last to be asked (`root`), and its sections that set what is read."""

    def __init__(self, data: bytes) -> None:
        self.root = False
        self.spent = 0  # simple patterns that paths were compared with, or what took as long
        self._indexes: dict[str, tuple[list[tuple[str, str]], BySuffix]] = {}  # by setting, its patterns and values
        self._sections: list[tuple[str, str, str]] = []  # the pattern, the setting, its value
        self._tests: dict[str, Test] = {}  # of the sections that a path was compared with
        section: str | None = None
        text = data[:_MOST_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
        for line in text.split("\n"):
            line = line.strip()
            if line[:1] in ("", "#", ";"):
                continue
            if line.startswith("[") and "]" in line:
                section = line[1 : line.rindex("]")]
                continue
            name, value = _setting(line)
            if name == "root" and section is None:
                self.root = value == "true"
            elif name in _READ and section is not None and 0 < len(section) <= _LONGEST_SECTION:
                self._sections.append((section, name, value))

    def value(self, setting: str, path: str) -> str | None:
        """A setting for a path from the file's directory: that of the last section that matches; None for none."""
        if setting not in self._indexes:
            own = [(section, value) for section, name, value in self._sections if name == setting]
            self._indexes[setting] = own, BySuffix([section for section, _ in own])
        own, index = self._indexes[setting]
        work = 0
        for number in index.of(path):
            section, value = own[number]
            ways = 1 + section.count(",")
            is_simple = "/" not in section and "**" not in section and ways <= _MOST_WAYS
            self.spent += ways if is_simple else 2 * len(path)
            work += len(section) * len(path)
            if work > MOST_WORK:
                return None
            if section not in self._tests:
                self._tests[section] = _test(section)
            if self._tests[section](f"/{path}"):
                return value
        return None


def _setting(line: str) -> tuple[str, str]:
    """The name and the value of a line, both in lower case."""
    places = [place for place in (line.find("="), line.find(":")) if place >= 0]
    if not places:
        return "", ""
    name, value = line[: min(places)], line[min(places) + 1 :]
    for mark in (" #", " ;"):  # a comment behind the value
        value = value.partition(mark)[0]
    return name.strip().lower(), value.strip().lower()


def _test(section: str) -> Test:
    """A section's test of paths that begin with a slash: a pattern without any slash is for every directory."""
    if "/" not in section and "**" not in section:
        tests = [matcher_of(row) for row in _ways(tokens(section, EDITORCONFIG))]
        return lambda path: any(fits(path.rpartition("/")[2]) for fits in tests)
    if "/" not in section:
        return matcher_of([DEEP, "/", *tokens(section, EDITORCONFIG)])
    return matcher_of(tokens("/" + section.removeprefix("/"), EDITORCONFIG))


def _ways(row: list[Token]) -> list[list[Token]]:
    """The rows that a row with choices means; the row itself where they are too many."""
    made: list[list[Token]] = []
    pending = [row]
    while pending and len(made) + len(pending) < _MOST_WAYS:
        each = pending.pop()
        at = next((at for at, token in enumerate(each) if isinstance(token, OneOf)), -1)
        choice = each[at] if at >= 0 else None
        if isinstance(choice, OneOf):
            pending += [[*each[:at], *way, *each[at + 1 :]] for way in choice.ways]
        else:
            made.append(each)
    return made if not pending else [row]


# -- what `.gitattributes` files say about line endings --------------------------------------------
# Takes the content of files; gives what git would: the states of attributes of a path, and the line ending that
# follows. Patterns are matched byte by byte, as git does, so every character in here is one byte (latin-1). What a
# pattern means is decided in `globs.patterns`, which files count in `endings`. docs/decisions.md says why git is not
# asked.


State = str | bool | None  # a value, set, unset, or back to unspecified
Attribute = tuple[str, State]

_LONGEST_LINE = 2048  # bytes of a line that git reads
_SPACES = " \t\r"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", '"': '"', "\\": "\\"}
_BUILT_IN: dict[str, list[Attribute]] = {"binary": [("diff", False), ("merge", False), ("text", False)]}


class GitAttributes:
    """One file: rules of a pattern and attributes each, and, in the topmost one, names for several attributes."""

    def __init__(self, data: bytes, top: bool) -> None:
        self.spent = 0
        self.rules: list[_AttributeRule] = []
        self.macros: dict[str, list[Attribute]] = {}
        for line in data[:_MOST_BYTES].removeprefix(b"\xef\xbb\xbf").split(b"\n"):
            if len(line) <= _LONGEST_LINE:
                self._take(line.decode("latin-1"), top)
        self.index = BySuffix([rule.text for rule in self.rules])

    def _take(self, line: str, top: bool) -> None:
        line = line.strip(_SPACES)
        if not line or line.startswith("#"):
            return
        quoted = unquoted(line) if line.startswith('"') else None
        name, rest = quoted if quoted is not None else _word(line)
        macro = quoted is None and len(name) > 6 and name.startswith("[attr]")
        words = [word for word in rest.replace("\t", " ").replace("\r", " ").split(" ") if word]
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
        for number in file.index.of(path):
            rule = file.rules[number]
            file.spent += 1
            work += len(rule.text) * len(path)
            if work > MOST_WORK:
                break
            if any(each not in found for each, _ in rule.attributes) and rule.fits(parts):
                pending = list(rule.attributes)
                while pending:
                    attribute, state = pending.pop()
                    if attribute not in found:
                        found[attribute] = state
                        pending += macros.get(attribute, ()) if state is True else ()
    return found


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


def _word(line: str) -> tuple[str, str]:
    stops = [place for place in map(line.find, _SPACES) if place >= 0]
    stop = min(stops, default=len(line))
    return line[:stop], line[stop:]


def unquoted(line: str) -> tuple[str, str] | None:
    """What git wrote in quotes at the start of a line, a character for each byte, and what follows it; None when the
    quotes are not right.
    """
    text, index = list[str](), 1
    while index < len(line):
        character, index = line[index], index + 1
        if character == '"':
            return "".join(text), line[index:]
        if character != "\\":
            text.append(character)
        elif line[index : index + 1] in _ESCAPES:
            text.append(_ESCAPES[line[index]])
            index += 1
        elif (
            len(octal := line[index : index + 3]) == 3
            and octal[0] in "0123"
            and all(each in "01234567" for each in octal)
        ):
            text.append(chr(int(octal, 8)))
            index += 3
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


_MOST_COMPARED = 500_000  # simple patterns that names are compared with, about half a second
EDITOR, GIT = ".editorconfig", ".gitattributes"
_ENDINGS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}

SettingsFile = tuple[str, str, bytes]  # the directory of a file, which of the two it is, and its content


class Conventions:
    """The settings for files under one root; every directory is looked at once."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._on_the_way: dict[str, list[SettingsFile]] = {}  # by directory; the nearest file comes first
        self._editor_configs: dict[SettingsFile, EditorConfig] = {}
        self._git_attributes: dict[SettingsFile, GitAttributes] = {}
        self._spoken: dict[tuple[str, bytes], bool] = {}  # by directory, whether one of its files has a word
        self._work = 0

    def ending(self, name: str) -> bytes:
        """The ending of the lines of a new file of this name."""
        found = self._found(name.rpartition("/")[0], b"cr")
        if not found:  # neither 'crlf' nor 'cr'
            return b"\n"
        said = self._editor_says(name, found, "end_of_line")
        return _ENDINGS.get(said if said in _ENDINGS else self._git_says(name, found), b"\n")

    def charset(self, name: str) -> str:
        """The encoding that an `.editorconfig` names for a file of this name; '' where none does."""
        found = self._found(name.rpartition("/")[0], b"charset")
        if not found:
            return ""
        said = self._editor_says(name, found, "charset")
        return "" if said.startswith(("utf-16", "utf-8-")) else said  # a byte order mark says that

    def _found(self, directory: str, word: bytes) -> list[SettingsFile]:
        """The files in a directory and in those above it, if one of them has the word."""
        found = self._looked_up(directory)
        if (directory, word) not in self._spoken:
            self._spoken[directory, word] = any(word in data.lower() for _, _, data in found)
        return found if self._spoken[directory, word] else []

    def _looked_up(self, directory: str) -> list[SettingsFile]:
        if directory not in self._on_the_way:
            above: list[SettingsFile] = []
            for end in [0, *(at for at, char in enumerate(directory) if char == "/"), len(directory)]:
                each = directory[:end]
                if each not in self._on_the_way:
                    self._on_the_way[each] = self._in(each) + above
                above = self._on_the_way[each]
        return self._on_the_way[directory]

    def _in(self, directory: str) -> list[SettingsFile]:
        above = f"{directory}/" if directory else ""
        read = [(directory, which, self._read(above + which)) for which in (EDITOR, GIT)]
        return [(directory, which, data) for directory, which, data in read if data is not None]

    def _editor_says(self, name: str, found: list[SettingsFile], setting: str) -> str:
        for each in found:
            directory, which, data = each
            if which == EDITOR:
                if each not in self._editor_configs:
                    self._editor_configs[each] = EditorConfig(data)
                config = self._editor_configs[each]
                before = config.spent
                said = config.value(setting, _from(directory, name))
                self._count(config.spent - before, name)
                if said is not None or config.root:
                    return said or ""
        return ""

    def _count(self, work: int, name: str) -> None:
        """Counts the work of one name; a thousand patterns and a thousand names would keep a machine busy."""
        self._work += work
        if self._work > _MOST_COMPARED:
            reason = "the patterns of its settings files are too many for so many files"
            raise PatchkitError("P117", file=name, reason=reason, instead="send it in parts")

    def _git_says(self, name: str, found: list[SettingsFile]) -> str:
        files = []
        for each in found:
            directory, which, data = each
            if which == GIT:
                if each not in self._git_attributes:
                    self._git_attributes[each] = GitAttributes(data, top=not directory)
                files.append((_from(directory, name), self._git_attributes[each]))
        before = sum(each.spent for _, each in files)
        said = end_of_line(files)
        self._count(sum(each.spent for _, each in files) - before, name)
        return said


def _from(directory: str, name: str) -> str:
    """A name as it is written from a directory above it."""
    return name[len(directory) + 1 :] if directory else name
