"""What reading a script gives: a skeleton for the grammar, and the words behind it.

The skeleton is the script's command text with everything that is only data replaced by filler:
heredoc bodies and comments are cut, quoted text and odd characters become '_'. It is plain ASCII, so
offsets count characters and bytes alike. Every word, operator and redirect of it is also a Token,
which remembers what the filler stands for. Values only; `lexer` makes them and `walk` reads them.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.values import Value


class Piece(Value):
    """A part of a word.

    `kind` is 'text' (the text itself), 'variable' (its name), 'substitution' (`start` says where in the
    skeleton) or 'live' (`text` is the code of the refusal). `quoted` tells whether double quotes protect it.
    """

    __slots__ = ("kind", "text", "quoted", "start")
    kind: str
    text: str
    quoted: bool
    start: int

    def __init__(self, kind: str, text: str, quoted: bool = False, start: int = 0) -> None:
        self.kind = kind
        self.text = text
        self.quoted = quoted
        self.start = start


class Heredoc(Value):
    """One heredoc: its operator as read, and where its body and its closing line stand in the source."""

    __slots__ = ("delimiter", "quoted", "tabs", "start", "stop", "end")
    delimiter: str
    quoted: bool
    tabs: bool
    start: int
    stop: int
    end: int

    def __init__(self, delimiter: str, quoted: bool, tabs: bool) -> None:
        self.delimiter = delimiter
        self.quoted = quoted
        self.tabs = tabs  # the `<<-` form, which takes leading tabs off
        self.start = self.stop = self.end = -1


class Token(Value):
    """One token: 'word', 'operator', 'redirect' (its target is the word that follows), 'heredoc' or 'newline'.

    `start` and `end` count in the skeleton, `begin` and `finish` in the source.
    """

    __slots__ = ("kind", "text", "start", "end", "begin", "finish", "pieces", "heredoc", "fd")
    kind: str
    text: str
    start: int
    end: int
    begin: int
    finish: int
    pieces: list[Piece]
    heredoc: Heredoc | None
    fd: str

    def __init__(self, kind: str, text: str, start: int, begin: int) -> None:
        self.kind = kind
        self.text = text
        self.start = self.end = start
        self.begin = self.finish = begin
        self.pieces = []
        self.heredoc = None
        self.fd = ""

    def static(self) -> str | None:
        """The word's text where nothing in it is live, else None."""
        if any(piece.kind != "text" for piece in self.pieces):
            return None
        return "".join([piece.text for piece in self.pieces])


class Skeleton(Value):
    """A script as read. `broken` is what stopped the reading, None when it reached the end."""

    __slots__ = ("source", "text", "tokens", "broken")
    source: str
    text: str
    tokens: list[Token]
    broken: PatchkitError | None

    def __init__(self, source: str) -> None:
        self.source = source
        self.text = ""
        self.tokens = []
        self.broken = None

    def command_words(self) -> list[str]:
        """The static words that open a command, as far as tokens alone can tell."""
        found, opens = [], True
        for token in self.tokens:
            if token.kind == "word":
                if opens:
                    found.append(token.static() or "")
                opens = token.text == "{"
            elif token.kind in ("operator", "newline"):
                opens = True
        return found


def outermost(tokens: list[Token]) -> list[Token]:
    """The tokens without those that stand inside a word, in a substitution."""
    found: list[Token] = []
    for token in tokens:
        if not found or token.start >= found[-1].end:
            found.append(token)
    return found
