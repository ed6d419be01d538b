"""A grammar that knows the files: what it derives is a patch that applies to them.

Takes the names of files with their text, and the lines that may be shown; gives a grammar in the notation that Python
`lark` and `llguidance` both read. Context and removed lines can only be lines of the file, one after the other, and
enough of them to be found once; hunks come in the order of the file; added lines are free. Reading files is left to
others.

The grammar is right-linear over line numbers of one file `f`, in this shape:

    start: BEGIN a0                       a0: a1 | f0              (files in their order, each at most once)
    f0: U0 AT adds r0                     r_j: r_(j+8) | ... | l_j        (a hunk starts at j or further down)
    l_j: SIGN L5 adds v_(j+1)             v_j: x_j | a1 | l_j             (another hunk, the end, the next line)
    x_j: AT adds r_j                      m_j_3: SIGN L7 adds m_(j+1)_2   (two more lines until it is unique)

Its form is what `llguidance` takes best. One terminal for each distinct line, and the sign apart. In every list what
is furthest down comes first: a rule is compiled where it is first named, by recursion, and the other order overflows
the stack of the host at some thousand lines. Lists have single names only. No rule is empty at its end. Added lines
are repeated by a star, not by recursion: the parser would keep an item for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from patchkit.core.text import Document, is_surely_utf8
from patchkit.errors import PatchkitError
from patchkit.values import Record, Value

Trie = dict[str, "Trie"]


MOST = 40  # lines that a hunk has to show at most; a start that needs more is not worth offering


def lines_needed(texts: Sequence[str], most: int = MOST) -> list[int]:
    """For each line the number of lines from it on that are together only there; 0 where more than `most` are needed.

    Lines that look alike so far are one class; each step splits the classes by the line that follows, and those with
    a class of their own are done. Most lines are after one to three steps.
    """
    needed = [0] * len(texts)
    alike: dict[object, list[int]] = {}
    for start, text in enumerate(texts):
        alike.setdefault(text, []).append(start)
    for size in range(1, most + 1):
        further: dict[object, list[int]] = {}
        for number, starts in enumerate(alike.values()):
            if len(starts) == 1:
                needed[starts[0]] = size
                continue
            for start in starts:
                if start + size < len(texts):  # else the file ends with what is elsewhere as well
                    further.setdefault((number, texts[start + size]), []).append(start)
        alike = further
    return needed


_STRIDE = 8  # starts in one list
_HEAD = """\
// Made for the files below, as they are now. What follows it applies to them by exact text.
start: BEGIN s0
adds: ADDED*
BEGIN: "*** Begin Patch\\n"
END: "*** End Patch" /\\n?/
AT: "@@\\n"
SIGN: " " | "-"
ADDED: "+" /[^\\n\\r\\u0000]*/ "\\n"
"""
_ASCII = """\
ascii: ASCII*
ASCII: "+" /[\\t -~]*/ "\\n"
"""
_END_OF_FILE = 'EOF: "*** End of File\\n"\n'


class GrammarFile(Record):
    """A file that the grammar is for: its path as the patch says it, its text, and the lines that hunks may show."""

    path: str
    document: Document
    windows: list[tuple[int, int]] | None = None  # first and last lines, counted from 1; None for all lines
    deletes: bool = False
    move_to: str = ""  # the regular expression of the names it may get, '' for none


class FileGrammar:
    """The grammar for some files, and for new ones by the regular expressions of their paths."""

    def __init__(self, files: Sequence[GrammarFile], added: Sequence[str] = (), ends: bool = False) -> None:
        self.starts = 0  # lines that may start a hunk
        self.covered: list[int] = []  # for each file how many of its lines can be shown
        self._ends = ends  # a hunk that reaches the last line may say so
        self._rules: list[str] = []
        self._lines: dict[str, str] = {}  # the terminal of each text
        self._count = len(files) + len(added)
        ascii_only = any(_is_ascii_only(file.document) for file in files)
        self._terminals = _HEAD + (_END_OF_FILE if ends else "") + (_ASCII if ascii_only else "")
        for number in range(self._count):
            rest = f"s{number + 1} | " if number + 1 < self._count else ""
            self._rules.append(f"s{number}: {rest}f{number}")
            if number:
                self._rules.append(f"a{number}: {self._after(number)} | f{number}")
        for number, file in enumerate(files):
            self._add_file(number, file)
        for number, pattern in enumerate(added, len(files)):
            self._terminals += f'N{number}: "*** Add File: " /{pattern}/ "\\n"\n'
            self._rules.append(f"f{number}: N{number} ADDED adds {self._after(number)}")
        literals = (f"{name}: {_quoted(text + chr(10))}" for text, name in self._lines.items())
        self.text = self._terminals + "\n".join([*literals, *self._rules]) + "\n"

    def _after(self, number: int) -> str:
        """What may follow the section of a file: a later one, or the end."""
        return f"a{number + 1}" if number + 1 < self._count else "END"

    def _add_file(self, number: int, file: GrammarFile) -> None:
        texts = file.document.texts
        lines = _FileLines(texts, file.windows)
        self.covered.append(sum(lines.shown))
        self.starts += sum(map(bool, lines.needed))
        after = self._after(number)
        adds = "ascii" if _is_ascii_only(file.document) else "adds"
        added = "ASCII" if adds == "ascii" else "ADDED"
        self._terminals += f"U{number}: {_quoted(f'*** Update File: {file.path}{chr(10)}')}\n"
        ways = []
        prefix = f"{number}_" if number else ""
        if any(lines.needed):
            ways.append(f"AT {adds} r{prefix}{lines.first}")
        elif not texts:
            ways.append(f"AT {added} {adds} {after}")
        if not ways and not file.deletes and not file.move_to:
            raise PatchkitError("P681", file=file.path)
        moves = ""
        if file.move_to:
            self._terminals += f'M{number}: "*** Move to: " /{file.move_to}/ "\\n"\n'
            moves = f" | U{number} M{number} {after}" + "".join(f" | U{number} M{number} {way}" for way in ways)
        if file.deletes:
            self._terminals += f"D{number}: {_quoted(f'*** Delete File: {file.path}{chr(10)}')}\n"
            moves += f" | D{number} {after}"
        self._rules.append(
            f"f{number}: " + (" | ".join(f"U{number} {way}" for way in ways) + moves).removeprefix(" | ")
        )
        if any(lines.needed):
            self._rules += _LineRules(prefix, lines, after, adds, self._terminal, self._ends).made()

    def _terminal(self, text: str) -> str:
        return self._lines.setdefault(text, f"L{len(self._lines)}")


class _FileLines:
    """The lines of one file: which may be shown, and how many from each line on make a hunk that has one place."""

    def __init__(self, texts: Sequence[str], windows: list[tuple[int, int]] | None) -> None:
        self.texts = texts
        self.shown = [_is_sayable(text) for text in texts]
        if windows is not None:
            within = [False] * len(texts)
            for first, last in windows:
                for line in range(max(first, 1) - 1, min(last, len(texts))):
                    within[line] = True
            self.shown = [one and other for one, other in zip(self.shown, within)]
        run = 0  # lines from here on that may be shown without a gap
        self.needed = lines_needed(texts)
        for line in range(len(texts) - 1, -1, -1):
            run = run + 1 if self.shown[line] else 0
            if self.needed[line] > run:
                self.needed[line] = 0
        self.first = next((line for line, size in enumerate(self.needed) if size), 0)
        self.last = max((line for line, size in enumerate(self.needed) if size), default=-1)


class _LineRules(Record):
    """The rules of one file's lines, those that can be reached; `prefix` makes the names of each file different."""

    _prefix: str
    _lines: _FileLines
    _after: str
    _adds: str
    _terminal: Callable[[str], str]
    _ends: bool
    _wanted: list[tuple[str, int, int]] = []
    _named: set[tuple[str, int, int]] = set()

    def made(self) -> list[str]:
        self._name("r", self._lines.first)
        rules = []
        while self._wanted:
            kind, line, left = self._wanted.pop()
            name = self._spelled(kind, line, left)
            rules.append(f"{name}: {getattr(self, '_' + kind)(line, left)}")
        if self._ends:
            rules.append(f"e{self._prefix}0: EOF {self._after}")
        return rules

    def _name(self, kind: str, line: int, left: int = 0) -> str:
        """The name of a rule, which is then made as well."""
        if (kind, line, left) not in self._named:
            self._named.add((kind, line, left))
            self._wanted.append((kind, line, left))
        return self._spelled(kind, line, left)

    def _spelled(self, kind: str, line: int, left: int) -> str:
        return f"{kind}{self._prefix}{line}" + (f"_{left}" if left else "")

    def _r(self, line: int, _left: int) -> str:
        """A hunk starts at this line, or further down."""
        needed = self._lines.needed
        found, at = list[str](), line
        while at <= self._lines.last and len(found) < _STRIDE:
            if needed[at]:
                found.append(self._shown(at, needed[at]))
            at += 1
        further = next((start for start in range(at, self._lines.last + 1) if needed[start]), None)
        if further is not None:
            found.append(self._name("r", further))
        return " | ".join(reversed(found))

    def _shown(self, line: int, least: int) -> str:
        return self._name("l", line) if least == 1 else self._name("m", line, least)

    def _m(self, line: int, least: int) -> str:
        """This line, and so many in all before the hunk may end."""
        return f"SIGN {self._terminal(self._lines.texts[line])} {self._adds} {self._shown(line + 1, least - 1)}"

    def _l(self, line: int, _left: int) -> str:
        """This line, after which the hunk may end."""
        return f"SIGN {self._terminal(self._lines.texts[line])} {self._adds} {self._then(line + 1)}"

    def _then(self, line: int) -> str:
        more = line < len(self._lines.texts) and self._lines.shown[line]
        at_end = self._ends and line == len(self._lines.texts)
        return self._name("v", line) if more or at_end or line <= self._lines.last else self._after

    def _v(self, line: int, _left: int) -> str:
        """Another hunk, the next section or the end, the next line."""
        found = []
        if line <= self._lines.last:
            found.append(self._name("x", line))
        found.append(self._after)
        if line < len(self._lines.texts):
            found += [self._name("l", line)] if self._lines.shown[line] else []
        elif self._ends:
            found.append(f"e{self._prefix}0")
        return " | ".join(found)

    def _x(self, line: int, _left: int) -> str:
        start = next(at for at in range(line, self._lines.last + 1) if self._lines.needed[at])
        return f"AT {self._adds} {self._name('r', start)}"


def _is_sayable(text: str) -> bool:
    """Whether a line can be written in a patch that is UTF-8 text."""
    half = not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text)
    return not half and "\r" not in text and "\0" not in text


def _is_ascii_only(document: Document) -> bool:
    """Whether only ASCII characters fit the file for certain: what its other bytes mean is not known."""
    return not document.bom and not is_surely_utf8(document.data)


def _quoted(text: str) -> str:
    """A string of the notation: both readers take these escapes, and every other character as it is."""
    return f'"{text.translate(_ESCAPES)}"'


_ESCAPES = {number: f"\\u{number:04x}" for number in (*range(0x20), *range(0x7F, 0xA0))}
_ESCAPES.update({ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t"})


# A path with at most one `*`, in its last part, and the names that exist in its directory, to a regular expression, in
# the common subset of Python and Rust, that matches paths of this form and no name that exists.

_FIRST = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_CLASS, _REST = "[0-9A-Z_a-z]", "[0-9A-Z_a-z-]{0,40}"
_END = ""  # the key in a trie that says that a word ends there
_OPTION = "a path for a new file"


class NamePattern(Value):
    """A path with at most one star: `directory` (with its slash, or ''), and the name before and after the star."""

    __slots__ = ("written", "directory", "before", "after", "starred")

    def __init__(self, written: str) -> None:
        self.written = written
        above, slash, name = written.rpartition("/")
        self.directory = above + slash
        self.before, star, self.after = name.partition("*")
        self.starred = bool(star)
        fits = name and "*" not in above + self.after and written.strip() == written
        if not fits or not written.isprintable() or (self.starred and name.startswith(".")):
            allowed = "a path on one line, with one '*' at most, in a name that does not begin with a dot"
            raise PatchkitError("P601", option=_OPTION, given=written, allowed=allowed)

    def example(self, taken: Iterable[str]) -> str:
        """A path of this form whose name is not taken."""
        known = {name.casefold() for name in taken}
        names = (f"{self.before}{'z' * count}{self.after}" for count in range(1, len(known) + 2))
        name = next(name for name in names if name.casefold() not in known) if self.starred else self.before
        return self.directory + name

    def may_equal(self, other: NamePattern) -> bool:
        """Whether both may match the same path; in case of doubt they may."""
        if self.directory.casefold() != other.directory.casefold():
            return False
        mine, theirs = (
            (self.before.casefold(), self.after.casefold()),
            (other.before.casefold(), other.after.casefold()),
        )
        if not self.starred and not other.starred:
            return mine == theirs
        before = mine[0].startswith(theirs[0]) or theirs[0].startswith(mine[0])
        return before and (mine[1].endswith(theirs[1]) or theirs[1].endswith(mine[1]))

    def expression(self, taken: Iterable[str]) -> str:
        """The regular expression of the paths of this form whose name is not one of those that exist."""
        if not self.starred:
            return _escaped(self.written)
        trie: Trie = {}
        for name in taken:
            middle = self._middle(name)
            node = trie
            for char in middle:
                node = node.setdefault(char, {})
            if middle:
                node[_END] = {}
        return f"{_escaped(self.directory + self.before)}{_avoiding(trie, True)}{_escaped(self.after)}"

    def _middle(self, name: str) -> str:
        """What the star would have to be for this name; '' if nothing would do. Case makes no difference."""
        folded, before, after = name.casefold(), self.before.casefold(), self.after.casefold()
        if len(name) <= len(before) + len(after) or not (folded.startswith(before) and folded.endswith(after)):
            return ""
        return folded[len(before) : len(folded) - len(after)]


def _avoiding(trie: Trie, first: bool = False) -> str:
    """The expression of what may follow so that no word of the trie is met; the empty text if that is none."""
    if not trie:
        return _CLASS + _REST if first else _REST
    allowed = _FIRST if first else "-" + _FIRST
    free = "".join(char for char in allowed if char.casefold() not in trie)
    ways = [f"[{free}]{_REST}"] if free else []
    for char, below in trie.items():
        if char and char.casefold() in {each.casefold() for each in allowed}:
            either = char if char.upper() == char else f"[{char.upper()}{char}]"
            ways.append(either + _avoiding(below))
    if not first and _END not in trie:
        ways.append("")
    return f"(?:{'|'.join(ways)})"


def _escaped(text: str) -> str:
    """Text as an expression, in a form that both notations and both kinds of expressions read."""
    return "".join(char if char.isalnum() or char in "_ " else "\\" + char if char.isascii() else char for char in text)
