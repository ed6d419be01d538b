"""Names for new files that a grammar may allow: one name, or a pattern with one star for names that do not exist yet.

Takes a path with at most one `*`, in its last part, and the names that exist in its directory; gives a regular
expression, in the common subset of Python and Rust, that matches paths of this form and no name that exists. Looking
into directories is left to others.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Trie = dict[str, "Trie"]

_FIRST = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_CLASS, _REST = "[0-9A-Z_a-z]", "[0-9A-Z_a-z-]{0,40}"
_END = ""  # the key in a trie that says that a word ends there
_OPTION = "a path for a new file"


class NamePattern(Value):
    """A path with at most one star: `directory` (with its slash, or ''), and the name before and after the star."""

    __slots__ = ("written", "directory", "before", "after", "starred")
    written: str
    directory: str
    before: str
    after: str
    starred: bool

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
