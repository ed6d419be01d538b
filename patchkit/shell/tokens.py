"""What reading a script gives: its text with all data masked, for the grammar, and its tokens.

The masked text is the script's command text with everything that is only data replaced by filler:
heredoc bodies and comments are cut, quoted text and odd characters become '_'. It is plain ASCII, so
offsets count characters and bytes alike. Every word, operator and redirect of it is also a Token,
which knows what the filler was. `lexer` makes these values and `walk` reads them. `check_order` refuses an
order of tokens that the grammar forgives and a shell does not, such as a line that begins with ';' or a '}' that
is only a word.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.values import Record


class Piece(Record):
    """A part of a word."""

    kind: str  # 'text', 'variable', 'substitution' or 'live'
    text: str  # the text itself, the name of a variable, or the code of the refusal of what is live
    quoted: bool = False  # whether double quotes protect it
    start: int = 0  # of a substitution, in the masked text


class Heredoc(Record):
    """One heredoc: its operator as read, and the positions of its body and its closing line in the source."""

    delimiter: str
    quoted: bool
    tabs: bool  # the `<<-` form, which takes leading tabs off
    closed: bool = True  # False where the script ends before the closing line, and a whole patch ends there, too
    start: int = -1
    stop: int = -1
    end: int = -1


class Token(Record):
    """One token: 'word', 'operator', 'redirect' (its target is the word that follows), 'heredoc' or 'newline'."""

    kind: str
    text: str
    start: int  # to `end`, in the masked text
    begin: int  # to `finish`, in the source
    end: int = 0
    finish: int = 0
    pieces: list[Piece] = []
    heredoc: Heredoc | None = None
    fd: str = ""

    def static(self) -> str | None:
        """The word's text where nothing in it is live, else None."""
        if any(piece.kind != "text" for piece in self.pieces):
            return None
        return "".join([piece.text for piece in self.pieces])


class MaskedScript(Record):
    """A script as read: `text` has its data masked."""

    source: str
    text: str = ""
    tokens: list[Token] = []
    broken: PatchkitError | None = None  # what stopped the reading before the end

    def command_words(self) -> list[str]:
        """The static words that open a command, as far as tokens alone show them."""
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
    """The tokens without those inside a word, in a substitution."""
    found: list[Token] = []
    for token in tokens:
        if not found or token.start >= found[-1].end:
            found.append(token)
    return found


_NONE = Token("newline", "\n", 0, 0)  # before the first token it is as after a line end


def check_order(tokens: list[Token]) -> None:
    """Raises P514 for a token that is not where every shell allows it, in a script that is otherwise accepted."""
    outer = outermost(tokens)
    following = _NONE  # the next token that is not a line end
    for number in reversed(range(len(outer))):
        token = outer[number]
        before = outer[number - 1] if number else _NONE
        if not _fits(token, before, following):
            raise PatchkitError("P514", what=f"'{token.text}' is where no command can have it")
        if token.kind != "newline":
            following = token


def _fits(token: Token, before: Token, following: Token) -> bool:
    if _is(token, "&&", "||", "|"):
        return _ends_command(before) and (following.kind not in ("operator", "newline") or _is(following, "("))
    if _is(token, ";"):
        return _ends_command(before)
    if _is(token, "("):
        glued = before.text == "(" and before.end == token.start  # '((' is arithmetic
        return not glued and (before.kind in ("operator", "newline") or before.text == "{") and not _is(before, ")")
    if _is(token, ")"):
        return _ends_command(before) or _is(before, ";") or before.kind == "newline"
    if token.kind == "word" and token.text == "}":
        return _is(before, ";") or before.kind == "newline"
    return token.kind != "word" or not (_is(before, ")") or before.text == "}")


def _is(token: Token, *texts: str) -> bool:
    return token.kind == "operator" and token.text in texts


def _ends_command(token: Token) -> bool:
    return _is(token, ")") or (token.kind not in ("operator", "newline") and token.text != "{")
