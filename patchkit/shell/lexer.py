"""Read a script into tokens and its masked text.

Takes the text of a script and what its shell knows; gives the masked text for the grammar and one Token a
word, operator and redirect. It knows the shell's lexical rules, but it is exact only where nothing is
live: what an expansion, a pattern or an odd character would do is not known, so the word is marked
with the code of the refusal and reading goes on, for the sake of a good reason. A word keeps its pieces: text that is
known, variables, substitutions, and live parts with the code of the refusal. Structure is not judged here.
"""

from __future__ import annotations

import re

from patchkit.errors import PatchkitError
from patchkit.shell import heredoc as heredocs
from patchkit.shell.heredoc import PLAIN_AFTER_DOLLAR
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
HEREDOC_LIMIT = 16  # each costs a search to the end of the text

_SPACES = re.compile(r"[ \t]+")
_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|\|&|&>>|&>|>>|>\||>&|<&|<>|<<<|<<-|<<|<\(|>\(|[;&|<>()]")
_DESCRIPTOR = re.compile(r"[0-9]+(?=[<>])")
_REDIRECTS = frozenset(("<", ">", ">>", ">|", ">&", "<&", "<>", "&>", "&>>", "<<<"))


def read(source: str, shell: Shell, limit: int = MASKED_LIMIT) -> MaskedScript:
    """Returns `source` with its data masked; `broken` says whether and why reading stopped early."""
    reader = _ScriptReader(source, shell, limit)
    try:
        reader.commands(0)
    except PatchkitError as error:
        reader.masked.broken = error
    reader.masked.text = "".join(reader.out)
    return reader.masked


class _ScriptReader:
    def __init__(self, source: str, shell: Shell, limit: int) -> None:
        self.source = source
        self.shell = shell
        self.limit = limit
        self.at = 0
        self.out: list[str] = []
        self.size = 0
        self.heredocs = 0
        self.masked = MaskedScript(source)
        self.pending: list[Heredoc] = []  # their bodies begin after the next line end

    def commands(self, depth: int) -> None:
        """Reads to the end of the text or, inside a substitution, to the parenthesis that closes it."""
        source, size, opened = self.source, len(self.source), 0
        while self.at < size:
            ch = source[self.at]
            if found := _SPACES.match(source, self.at):
                self.emit(" ")
                self.at = found.end()
            elif ch == "\n":
                self._newline()
            elif source.startswith("\\\n", self.at):
                self.at += 2
            elif ch == "#":
                end = source.find("\n", self.at)
                self.at = size if end < 0 else end
            elif ch == ")" and depth and not opened:
                break
            elif ch in ENDS_WORD or _DESCRIPTOR.match(source, self.at):
                opened += self._operator()
            else:
                self.word(depth)
        if self.pending:
            raise PatchkitError("P502", delimiter=self.pending[0].delimiter)
        if depth and self.at >= size:
            raise PatchkitError("P514", what="a substitution that is never closed")

    def _newline(self) -> None:
        token = self.token("newline", "\n")
        self.emit("\n")
        self.at += 1
        self.close(token)
        pending, self.pending = self.pending, []
        for heredoc in pending:
            heredocs.find_body(self.source, heredoc, self.at)
            self.at = heredoc.end

    def _operator(self) -> int:
        """Reads an operator or redirect with its descriptor; returns by how much it changes the open parentheses."""
        descriptor = _DESCRIPTOR.match(self.source, self.at)
        fd = descriptor.group() if descriptor else ""
        found = _OPERATOR.match(self.source, self.at + len(fd))
        text = found.group() if found else ""
        if text in ("<<", "<<-"):
            self._heredoc(text, fd)
            return 0
        token = self.token("redirect" if text in _REDIRECTS else "operator", text)
        token.fd = fd
        self.emit(fd + text)
        self.at += len(fd) + len(text)
        self.close(token)
        return {"(": 1, ")": -1}.get(text[-1:], 0)

    def _heredoc(self, text: str, fd: str) -> None:
        self.heredocs += 1
        if self.heredocs > HEREDOC_LIMIT:
            raise PatchkitError("P515", what=f"more than {HEREDOC_LIMIT} heredocs")
        token: Token = self.token("heredoc", text)
        token.fd = fd
        token.heredoc, self.at = heredocs.read_operator(self.source, self.at + len(fd) + len(text), text == "<<-")
        if not self.shell.extended and not token.heredoc.delimiter.isascii():
            raise PatchkitError("P516", shell=self.shell.name, what="a heredoc delimiter beyond ASCII")
        self.pending.append(token.heredoc)
        # The grammar takes '0<' for an argument, so the descriptor stays with the token alone.
        self.emit("<_")
        self.close(token)

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
            elif (after := self.source[self.at + 1 : self.at + 2]) in PLAIN_AFTER_DOLLAR or not after:
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

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ANSI = re.compile(r"\\(.)|'", re.DOTALL)
_ANSI_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


def ansi_quoted(source: str, at: int) -> tuple[str | None, int]:
    """Reads the text after `$'`: what it means, None where an escape is uncommon, and the end behind it or -1."""
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
