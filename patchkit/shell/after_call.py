"""What may follow the call.

Either a command that leaves the call's outcome as it is, given here as a table, or more to do: then the
script is cut into what a shell has to run before the rest, and the rest, both as they are in the source.
"""

from __future__ import annotations

import re

from patchkit.errors import PatchkitError
from patchkit.shell.lexer import read
from patchkit.shell.scripts.inventory import by_grammar
from patchkit.shell.shells import Shell
from patchkit.shell.tokens import MaskedScript, Token, check_order, outermost

# What a script has done so far: nothing but set up; called, and goes on either way; called, and goes on
# only if that succeeded, or only if it failed; put the call's status into a variable, which makes its own 0; ended.
READY, CALLED, PASSED, FAILED, SAVED, ENDED = "ready", "called", "passed", "failed", "saved", "ended"

# By the status and the operator before it, each command with the status after it.
_ENDINGS = {
    (CALLED, "&&"): {"true": CALLED, ":": CALLED, "exit": FAILED, "exit 0": FAILED, "exit $?": FAILED},
    (CALLED, "||"): {"exit": PASSED, "exit 1": PASSED, "exit $?": PASSED, "false": CALLED},
    (CALLED, ";"): {"exit": ENDED, "exit $?": ENDED},
    (PASSED, "&&"): {"true": PASSED, ":": PASSED, "exit": ENDED, "exit 0": ENDED, "exit $?": ENDED},
    (PASSED, ";"): {"true": PASSED, ":": PASSED, "exit": ENDED, "exit 0": ENDED, "exit $?": ENDED},
    (FAILED, "||"): {"exit": ENDED, "exit 1": ENDED, "exit $?": ENDED, "false": FAILED},
    (FAILED, ";"): {"exit": ENDED, "exit 1": ENDED, "exit $?": ENDED, "false": FAILED},
}
# Names for a status that no shell knows as its own ('status' is zsh's).
_STATUS_NAMES = frozenset("rc ret res result code exit_code exitcode err".split())
_ASKS = ("$?", "${?", "$status", "${status")
# `exit` without a number, also where a variable turns out to be empty, leaves with the status of the call.
_LEAVES = re.compile(r"\b(?:exit|return)\b(?![ \t]+[0-9]+(?![^\s;&|)}]))")


def status_after(status: str, operator: str, words: list[str]) -> str | None:
    """The status after `words`, if they leave the call's outcome as it is."""
    known = _ENDINGS.get((status, operator), {})
    return next((after for text, after in known.items() if text.split() == words), None)


def plain_word(token: Token | None) -> str:
    """A word of an ending: its text, `$?` as it is, '' for everything that is not known."""
    if token is None or token.kind != "word":
        return ""
    return "$?" if _pieces(token) == [("variable", "?")] else token.static() or ""


def _pieces(token: Token | None) -> list[tuple[str, str]]:
    """What a word is made of; the empty text that quotes leave at its ends is not."""
    return [(piece.kind, piece.text) for piece in token.pieces if piece.text] if token else []


def saved_status(token: Token | None) -> str:
    """The variable that `NAME=$?` sets; '' for anything else."""
    pieces = _pieces(token)
    name = pieces[0][1].removesuffix("=") if len(pieces) == 2 else ""
    if pieces != [("text", name + "="), ("variable", "?")] or name.lower() not in _STATUS_NAMES:
        return ""
    return name


def leaves_with(tokens: list[Token | None], name: str) -> bool:
    """Whether the words are `exit $NAME`, with or without quotes."""
    return [_pieces(token) for token in tokens] == [[("text", "exit")], [("variable", name)]]


def setup_and_rest(masked: MaskedScript, call: int, rest: int) -> tuple[str, str]:
    """The source before the call and from `rest` on, both given as positions in the masked text.

    The bodies of heredocs that belong to the call come after the line that the rest may begin on: they are cut out.
    """
    source, tokens = masked.source, masked.tokens
    before = [token for token in outermost(tokens) if token.start < call and token.kind != "newline"]
    while before and before[-1].kind == "operator" and before[-1].text in ("&&", ";"):
        before.pop()
    begin = next(token.begin for token in tokens if token.start == rest)
    text = source[begin:]
    for token in reversed(tokens):
        body = token.heredoc
        if body is not None and token.start < rest and body.start >= begin:
            text = text[: body.start - begin] + text[body.end - begin :]
    return source[: before[-1].finish] if before else "", text


def asks_for_status(rest: str, operator: str) -> bool:
    """Whether the rest looks at what the call left in the shell, which is not there once it is applied elsewhere.

    That is its status, and its last word (`$_`).
    """
    if "pipestatus" in rest.lower() or "$_" in rest or "${_" in rest:
        return True
    return operator == ";" and (any(text in rest for text in _ASKS) or _LEAVES.search(rest) is not None)


def can_be_read(rest: str, shell: Shell) -> bool:
    """Whether the rest is surely a script: a shell that finds an error in it may run nothing, not even the call."""
    masked = read(rest, shell)
    if by_grammar(masked) is None:
        return False
    try:
        check_order(masked.tokens)
    except PatchkitError:
        return False
    return True
