"""Read one word of a script: what it means, and the filler for it in the masked text.

`WordReader` is the half of the lexer that knows quotes and expansions; `lexer` adds commands. A word
keeps its pieces: text that is known, variables, substitutions, and live parts with the code of the refusal.
"""

from __future__ import annotations

import re

from patchkit.errors import PatchkitError
from patchkit.shell.shells import Shell
from patchkit.shell.tokens import Heredoc, MaskedScript, Piece, Token

# The masked text of a real call is a few hundred characters; the grammar's error recovery takes a second
# for a hundred thousand, so it never gets to see that many.
MASKED_LIMIT = 8_192
PIECE_LIMIT = 50_000  # of quoted parts, for which the masked text has one filler
DEPTH_LIMIT = 8
_QUOTED = "'_'"
ENDS_WORD = frozenset(" \t\n;&|<>()")
_PLAIN = re.compile(r"[A-Za-z0-9_\-./:,+@%=]+")
_RESERVED = re.compile(r"(?:\[\[|\]\]|[{}!\[\]])(?=[ \t\n;&|<>()]|\Z)")
_IN_DOUBLE = re.compile(r"[\"\\$`]")
_BACKTICKED = re.compile(r"`(?:[^`\\]|\\.)*`", re.DOTALL)


class WordReader:
    def __init__(self, source: str, shell: Shell, limit: int = MASKED_LIMIT) -> None:
        self.source = source
        self.shell = shell
        self.limit = limit
        self.at = 0
        self.out: list[str] = []
        self.size = 0
        self.masked = MaskedScript(source)
        self.pending: list[Heredoc] = []  # their bodies begin after the next line end

    def commands(self, depth: int) -> None:
        raise NotImplementedError

    def emit(self, text: str) -> None:
        self.out.append(text)
        self.size += len(text)
        if self.size > self.limit:
            raise PatchkitError("P515", what=f"more than {self.limit} characters of command text")

    def token(self, kind: str, text: str) -> Token:
        token = Token(kind, text, self.size, self.at)
        self.masked.tokens.append(token)
        return token

    def close(self, token: Token) -> None:
        token.end = self.size
        token.finish = self.at

    def word(self, depth: int) -> None:
        source, size = self.source, len(self.source)
        token = self.token("word", "")
        mark = len(self.out)
        if found := _RESERVED.match(source, self.at):
            token.pieces.append(Piece("live", "P504"))
            self.emit(found.group())
            self.at = found.end()
        while self.at < size and (ch := source[self.at]) not in ENDS_WORD:
            if found := _PLAIN.match(source, self.at):
                self._plain(token, found.group())
            elif ch == "\\":
                self._escaped(token)
            elif ch == "'":
                self._raw(token)
            elif ch == '"':
                self._double(token, depth)
            elif ch == "$":
                self._dollar(token, depth)
            elif ch == "`":
                self._backticked(token)
            else:
                self._odd(token, ch)
        token.text = "".join(self.out[mark:])
        self.close(token)

    def _plain(self, token: Token, text: str) -> None:
        if text[0] == "=" and not token.pieces:
            token.pieces.append(Piece("live", "P504"))  # zsh looks up the command of that name
        token.pieces.append(Piece("text", text))
        self.emit(text)
        self.at += len(text)

    def _escaped(self, token: Token) -> None:
        after = self.source[self.at + 1 : self.at + 2]
        self.at += 2
        if after == "\n":
            return
        if after:
            self._literal(token, after)
        else:
            token.pieces.append(Piece("live", "P504"))
        self._fill()

    def _odd(self, token: Token, ch: str) -> None:
        """A character that may be a pattern, one that only looks like a space, or a plain one beyond ASCII."""
        if ch.isprintable() and not ch.isascii():
            token.pieces.append(Piece("text", ch))
        else:
            token.pieces.append(Piece("live", "P504" if ch.isprintable() else "P513"))
        self.emit("_")
        self.at += 1

    def _fill(self) -> None:
        """Writes one filler for any number of quoted parts in a row: a patch may have thousands of apostrophes."""
        if self.out[-1:] != [_QUOTED]:
            self.emit(_QUOTED)

    def _literal(self, token: Token, text: str) -> None:
        if self.pending and "\n" in text:
            raise PatchkitError("P514", what="a quoted line end between a heredoc operator and its body")
        if len(token.pieces) > PIECE_LIMIT:
            raise PatchkitError("P515", what=f"a word of more than {PIECE_LIMIT} quoted parts")
        token.pieces.append(Piece("text", text, quoted=True))

    def _raw(self, token: Token) -> None:
        end = self.source.find("'", self.at + 1)
        if end < 0:
            raise PatchkitError("P514", what="a quote that is never closed")
        self._literal(token, self.source[self.at + 1 : end])
        self._fill()
        self.at = end + 1

    def _double(self, token: Token, depth: int) -> None:
        mark, size, count = len(self.out), self.size, len(token.pieces)
        self.emit('"')
        self.at += 1
        token.pieces.append(Piece("text", "", quoted=True))
        while found := _IN_DOUBLE.search(self.source, self.at):
            if found.start() > self.at:
                self._filled(token, self.source[self.at : found.start()])
            self.at = found.start()
            if found.group() == '"':
                self.emit('"')
                self.at += 1
                if all(piece.kind == "text" for piece in token.pieces[count:]):
                    del self.out[mark:]
                    self.size = size
                    self._fill()
                return
            if found.group() == "\\":
                self._escaped_in_double(token)
            elif found.group() == "`":
                self._backticked(token)
            elif dollar_is_plain(self.source, self.at):
                self._filled(token, "$")
                self.at += 1
            else:
                self._expansion(token, depth, quoted=True)
        raise PatchkitError("P514", what="a quote that is never closed")

    def _filled(self, token: Token, text: str) -> None:
        self._literal(token, text)
        if not self.out or self.out[-1] != "_":
            self.emit("_")

    def _escaped_in_double(self, token: Token) -> None:
        after = self.source[self.at + 1 : self.at + 2]
        if after == "\n":
            self._literal(token, "")
        elif after in ("$", "`", '"', "\\"):
            self._filled(token, after)
        else:
            self._filled(token, "\\" + after)
        self.at += 2

    def _backticked(self, token: Token) -> None:
        found = _BACKTICKED.match(self.source, self.at)
        if not found:
            raise PatchkitError("P514", what="a substitution that is never closed")
        token.pieces.append(Piece("live", "P504"))
        self.emit("`_`")
        self.at = found.end()

    def _dollar(self, token: Token, depth: int) -> None:
        """A dollar sign outside quotes."""
        after = self.source[self.at + 1 : self.at + 2]
        if after == "'":
            text, end = ansi_quoted(self.source, self.at + 2)
            if end < 0:
                raise PatchkitError("P514", what="a quote that is never closed")
            if not self.shell.extended:
                token.pieces.append(Piece("live", "P516"))
            elif text is None:
                token.pieces.append(Piece("live", "P504"))
            else:
                self._literal(token, text)
            self._fill()
            self.at = end
        elif after == '"':
            token.pieces.append(Piece("live", "P504"))  # a translation in bash, a plain dollar sign in dash
            self.at += 1
        else:
            self._expansion(token, depth, quoted=False)

    def _expansion(self, token: Token, depth: int, quoted: bool) -> None:
        source, at = self.source, self.at
        if source.startswith("$((", at):
            self._live_to(token, balanced(source, at + 3, "(", ")") + 1, "$_")
        elif source.startswith("$(", at):
            self._substitution(token, depth, quoted)
        elif source.startswith("${", at):
            found = NAME.match(source, at + 2)
            if found and source.startswith("}", found.end()):
                self._variable(token, found.group(), found.end() + 1, quoted)
            else:
                self._live_to(token, balanced(source, at + 2, "{", "}"), "${_}")
        elif found := NAME.match(source, at + 1):
            self._variable(token, found.group(), found.end(), quoted)
        elif source.startswith("$?", at):
            self._variable(token, "?", at + 2, quoted)
        else:
            self._live_to(token, min(at + 2, len(source)), "$_")

    def _variable(self, token: Token, name: str, end: int, quoted: bool) -> None:
        token.pieces.append(Piece("variable", name, quoted))
        self.emit("$?" if name == "?" else "${" + name + "}")
        self.at = end

    def _live_to(self, token: Token, end: int, filler: str) -> None:
        if end <= 0:
            raise PatchkitError("P514", what="an expansion that is never closed")
        token.pieces.append(Piece("live", "P504"))
        self.emit(filler)
        self.at = end

    def _substitution(self, token: Token, depth: int, quoted: bool) -> None:
        if depth >= DEPTH_LIMIT:
            raise PatchkitError("P515", what="substitutions nested too deeply")
        if self.pending:
            raise PatchkitError("P514", what="a substitution between a heredoc operator and its body")
        token.pieces.append(Piece("substitution", "", quoted, start=self.size))
        self.emit("$(")
        self.at += 2
        self.commands(depth + 1)
        self.emit(")")
        self.at += 1


# -- quotes: every rule here holds in bash, dash and zsh alike ------------------------------------

# After these a dollar sign is an ordinary character in bash, dash and zsh alike, in double quotes and
# in heredocs. Everything else starts an expansion in at least one of them: zsh knows `$+x`, `$=x`,
# `$~x`, `$^x`, bash and zsh `$[1+1]`, and zsh takes letters beyond ASCII into names.
PLAIN_AFTER_DOLLAR = frozenset(" \t\n\r\"'%&),./:;<>]|}")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ANSI = re.compile(r"\\(.)|'", re.DOTALL)
_ANSI_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


def dollar_is_plain(source: str, at: int) -> bool:
    """Whether the dollar sign at `at`, inside double quotes, is an ordinary character."""
    return at + 1 >= len(source) or source[at + 1] in PLAIN_AFTER_DOLLAR


def ansi_quoted(source: str, at: int) -> tuple[str | None, int]:
    """Reads the text after `$'`: what it means, None where an escape is an uncommon one, and where it ends.

    The end is the position after the closing quote, -1 when there is none.
    """
    parts: list[str] | None = []
    position = at
    for found in _ANSI.finditer(source, at):
        if found.group() == "'":
            if parts is None:
                return None, found.end()
            parts.append(source[position : found.start()])
            return "".join(parts), found.end()
        meant = _ANSI_ESCAPES.get(found.group(1))
        if meant is None:
            parts = None
        if parts is not None:
            parts.append(source[position : found.start()] + str(meant))
        position = found.end()
    return None, -1


def balanced(source: str, at: int, opening: str, closing: str) -> int:
    """The end after the bracket that closes the one before `at`, -1 without one; quotes are stepped over.

    Used for live expansions only, which are refused anyway: it has to find the end, not to be exact.
    """
    depth, special = 1, re.compile("[" + re.escape(opening + closing) + r"'\"\\]")
    while found := special.search(source, at):
        at = found.end()
        if found.group() == "\\":
            at += 1
        elif found.group() == opening:
            depth += 1
        elif found.group() == closing:
            depth -= 1
            if depth == 0:
                return at
        else:
            at = source.find(found.group(), at) + 1
            if at == 0:
                return -1
    return -1
