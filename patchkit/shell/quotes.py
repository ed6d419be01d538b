"""Take quotes off, where the shells agree on what is left.

Takes source text, a position in it or the body of a heredoc; gives the text it stands for, or None where
that cannot be known without running the shell. Every rule here holds in bash, dash and zsh alike.
"""

from __future__ import annotations

import re

# After these a dollar sign is an ordinary character in bash, dash and zsh alike, in double quotes and
# in heredocs. Everything else starts an expansion in at least one of them: zsh knows `$+x`, `$=x`,
# `$~x`, `$^x`, bash and zsh `$[1+1]`, and zsh takes letters beyond ASCII into names.
PLAIN_AFTER_DOLLAR = frozenset(" \t\n\r\"'%&),./:;<>]|}")

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ANSI = re.compile(r"\\(.)|'", re.DOTALL)
_ANSI_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_LIVE_DOLLAR = re.compile(r"\$(?![ \t\n\r\"'%&),./:;<>\]|}])(?!\Z)")
_SETTLED = (("\\\\", "\0b"), ("\\\n", "\0j"), ("\\$", "\0d"), ("\\`", "\0t"))  # the pairs first: what is left is odd
_JOINED_LINE = re.compile(r"[^\n]*\0j[^\n]*")
_LEADING_TABS = re.compile(r"^\t+", re.MULTILINE)


def dollar_is_plain(source: str, at: int) -> bool:
    """Whether the dollar sign at `at`, inside double quotes, stands for itself."""
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


def unquoted_body(body: str, delimiter: str, tabs: bool) -> str | None:
    """The text that the body of a heredoc with a bare delimiter stands for; None where the shell would change it.

    A backslash before `$`, a backtick, a backslash or a line end goes; a live dollar sign or backtick is unknown.
    """
    if "\\" in body:
        # NUL, which no script holds, marks what a backslash has settled.
        for written, mark in _SETTLED:
            body = body.replace(written, mark)
        if "\0j" in body and not _joins_plainly(body, delimiter, tabs):
            return None
    if tabs:
        body = without_tabs(body)  # a line that was joined to the one before keeps its tabs
    if "`" in body or ("$" in body and _LIVE_DOLLAR.search(body)):
        return None
    if "\0" in body:
        for written, mark in _SETTLED:
            body = body.replace(mark, "" if mark == "\0j" else written[1])
    return body


def without_tabs(body: str) -> str:
    """The body of a `<<-` heredoc without leading tabs."""
    body = "\n" + body
    for _ in range(4):  # the pattern would do, but most bodies have no more tabs, and this is three times as fast
        if "\n\t" not in body:
            return body[1:]
        body = body.replace("\n\t", "\n")
    return _LEADING_TABS.sub("", body[1:])


def _joins_plainly(body: str, delimiter: str, tabs: bool) -> bool:
    """Whether all shells join the marked lines of `body` in the same way.

    They do not when joining makes the closing line, nor when `<<-` leaves nothing before the backslash.
    """
    for found in _JOINED_LINE.finditer(body):
        line = found.group().lstrip("\t") if tabs else found.group()
        if line.replace("\0j", "") == delimiter or (tabs and line.startswith("\0j")):
            return False
    return True
