"""Read a script into tokens and its masked text.

Takes the text of a script and what its shell knows; gives the masked text for the grammar and one Token a
word, operator and redirect. It knows the shell's lexical rules, but it is exact only where nothing is
live: what an expansion, a pattern or an odd character would do is not known, so the word is marked
with the code of the refusal and reading goes on, for the sake of a good reason. Structure is not judged here.
"""

from __future__ import annotations

import re

from patchkit.errors import PatchkitError
from patchkit.shell import heredoc as heredocs
from patchkit.shell.shells import Shell
from patchkit.shell.tokens import MaskedScript, Token
from patchkit.shell.words import ENDS_WORD, MASKED_LIMIT, WordReader

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


class _ScriptReader(WordReader):
    heredocs = 0

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
