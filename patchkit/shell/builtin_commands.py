"""The few commands that a script may run around apply_patch, by what they write or set.

Takes words that are known in full; gives the text that `cat`, `echo` and `printf` write, or what `set` turns on, and
refuses what the shells would read differently.
"""

from __future__ import annotations

import re

from patchkit.errors import PatchkitError
from patchkit.shell.shells import OPTION_NAMES, Shell
from patchkit.shell.verdict import NotOurs

PRODUCERS = ("cat", "echo", "printf")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
# A backslash before one of these is an ordinary character for `echo` and `printf` of every shell. The letters
# left out are escapes in at least one of them, or were in one.
_PLAIN_AFTER_BACKSLASH = frozenset("dghijklmopqswyzABDFGHIJKLNOPQRSTVWXYZ .,:;()[]{}<>/|^$*+-=&@#!~_")
_FORMAT = re.compile(r"\\(.?)|%(.?)", re.DOTALL)
_ECHO_OPTION = re.compile(r"-[neE]+")


def produced(words: list[str], shell: Shell, stdin: str | None) -> str:
    """The text that the command writes to its standard output."""
    if words[0] == "cat":
        if words[1:] not in ([], ["-"]) or stdin is None:
            raise PatchkitError("P523", name=" ".join(words)[:60])
        return stdin
    return _echoed(words[1:], shell) if words[0] == "echo" else _printed(words[1:])


def _echoed(words: list[str], shell: Shell) -> str:
    options, single = "", shell.echo_flags == "n"  # dash knows one '-n' and prints every other option
    while words and _ECHO_OPTION.fullmatch(words[0]):
        if words[0].strip("-" + shell.echo_flags) or (single and (options or words[0] != "-n")):
            raise PatchkitError("P519", name="echo", what=f"not every '{shell.name}' takes the option {words[0]}")
        options += words[0]
        words = words[1:]
    # A lone '-' vanishes in zsh; -e and -E together mean one thing there and another in bash.
    if (words and words[0].startswith("-")) or ("e" in options and "E" in options):
        raise PatchkitError("P519", name="echo", what="shells read these options differently")
    text = " ".join(words)
    if "\\" in text and "E" not in options:
        if shell.echo_escapes is None:
            raise PatchkitError("P519", name="echo", what="not every 'sh' leaves backslashes alone")
        if shell.echo_escapes or "e" in options:
            text = _unescaped(text, "echo")
    return text if "n" in options else text + "\n"


def _unescaped(text: str, name: str) -> str:
    def meant(found: re.Match[str]) -> str:
        after = found.group(1)
        if after in _ESCAPES:
            return _ESCAPES[after]
        if after and (after in _PLAIN_AFTER_BACKSLASH or after in "'\""):
            return found.group()
        raise PatchkitError("P519", name=name, what=f"it may read {found.group()!r} as an escape")

    return re.sub(r"\\(.?)", meant, text, flags=re.DOTALL)


def _printed(words: list[str]) -> str:
    """`printf`: the format is used again while words are left, and a missing word is empty."""
    if words[:1] == ["--"]:
        words = words[1:]
    elif words and words[0].startswith("-"):
        raise PatchkitError("P519", name="printf", what="its format begins with '-'")
    if not words:
        raise PatchkitError("P519", name="printf", what="it has no format")
    parts = _format_parts(words[0])
    wanted = sum(kind != "text" for kind, _ in parts)
    given = words[1:]
    text: list[str] = []
    while True:
        taken, given = given[:wanted], given[wanted:]
        for kind, part in parts:
            word = taken.pop(0) if kind != "text" and taken else ""
            text.append(part if kind == "text" else _unescaped(word, "printf") if kind == "b" else word)
        if not given or not wanted:
            return "".join(text)


def _format_parts(form: str) -> list[tuple[str, str]]:
    """A format as texts and the places of words, in order."""
    parts: list[tuple[str, str]] = []
    position = 0
    for found in _FORMAT.finditer(form):
        parts.append(("text", form[position : found.start()]))
        position = found.end()
        if found.group(1) in _ESCAPES:
            parts.append(("text", _ESCAPES[found.group(1)]))
        elif found.group(1) in _PLAIN_AFTER_BACKSLASH:
            parts.append(("text", found.group()))
        elif found.group(2) in ("s", "b"):
            parts.append((found.group(2), ""))
        elif found.group(2) == "%":
            parts.append(("text", "%"))
        else:
            raise PatchkitError("P519", name="printf", what=f"its format holds {found.group()!r}")
    parts.append(("text", form[position:]))
    return parts


def set_errexit(words: list[str], shell: Shell, errexit: bool) -> bool:
    """Whether errexit is on after `set WORDS`; refuses options that do more than stop at errors."""
    known = (*OPTION_NAMES, "pipefail") if shell.extended else OPTION_NAMES
    rest = list(words)
    if not rest:
        raise NotOurs("'set' alone prints every variable")
    while rest:
        word = rest.pop(0)
        on, letters = word[:1] == "-", word[1:]
        if (
            word[:1] not in ("-", "+")
            or not letters
            or letters.strip(shell.set_flags + "o" + ("" if on else shell.unset_flags))
        ):
            raise NotOurs(f"'set {word}' does more than stop at errors")
        names = [rest.pop(0) for _ in range(letters.count("o")) if rest]
        if len(names) < letters.count("o") or any(name not in known for name in names):
            raise NotOurs(f"'set {word}' does more than stop at errors")
        if "e" in letters or "errexit" in names:
            errexit = on
    return errexit
