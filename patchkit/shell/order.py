"""Check that tokens stand where every shell allows them.

Takes the tokens of a script that is otherwise accepted; refuses an order that the grammar forgives and a
shell does not, such as a line that begins with ';' or a '}' that is only a word.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.shell.skeleton import Token, outermost

_NONE = Token("newline", "\n", 0, 0)  # what stands before the first token is like a line end


def check_order(tokens: list[Token]) -> None:
    outer = outermost(tokens)
    following = _NONE  # the next token that is no line end
    for number in reversed(range(len(outer))):
        token = outer[number]
        before = outer[number - 1] if number else _NONE
        if not _fits(token, before, following):
            raise PatchkitError("P514", what=f"'{token.text}' stands where no command can have it")
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
