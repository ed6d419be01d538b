"""What a command runs besides itself: the command after a wrapper, the script given to a shell.

Takes the words of one command; gives them, and then whatever they run in turn, each as words or as the text of a
script. Wrappers are data: the options of each that take a value, and how many words come before the command.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from posixpath import basename

from patchkit.values import Record


# What a script does, as values: its commands, the files it reads and writes, and words that only running shows.
class Live(str):
    """A word that only running shows, as it is written."""

    __slots__ = ()


class Command(Record):
    """One command: the assignments before it, and its words once quotes are gone."""

    words: list[str]
    assignments: list[str] = []
    known: str = ""  # why it needs no rule
    program: str = ""  # that this depends on, '' for what is built into the shells
    runs: bool = False  # another command, which follows it in the inventory


class Unknown(Exception):  # noqa: N818  # it is an answer, not an error
    """A script with a part whose effect is not known; the first argument says which."""


class Inventory(Record):
    """All commands of a script, and the files that its redirects read and write, as they are named."""

    commands: list[Command] = []
    read: list[str] = []
    written: list[str] = []
    unknown: str = ""  # which part of it is not known for certain


SHELL_NAMES = frozenset(("bash", "sh", "dash", "zsh", "ksh"))
# name: (letters of options that take a value, words of its own before the command)
_WRAPPERS = {
    "env": ("uCa", 0),
    "command": ("", 0),
    "builtin": ("", 0),
    "exec": ("a", 0),
    "nohup": ("", 0),
    "setsid": ("", 0),
    "time": ("fo", 0),
    "nice": ("n", 0),
    "ionice": ("cnpPu", 0),
    "stdbuf": ("ioe", 0),
    "timeout": ("ks", 1),
    "xargs": ("adEIiLlnPs", 0),
    "watch": ("n", 0),
    "busybox": ("", 0),
}
_LONG_WITH_VALUE = frozenset(
    "--unset --chdir --argv0 --adjustment --class --classdata --input --output --error --kill-after --signal "
    "--arg-file --delimiter --max-args --max-procs --max-lines --replace --format --interval".split()
)
_EXECUTING = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
_DEEPEST = 20


def commands_run_by(words: list[str]) -> Iterator[Command | str]:
    """What a command runs besides itself, with the variables that `env` sets for it; text for a script."""
    before, variables = words, list[str]()
    for run in [*run_by(words)][1:]:
        if isinstance(run, str):
            yield run
            continue
        if basename(before[0]) == "env":
            variables += [word for word in before[1 : len(before) - len(run)] if "=" in word and word[0] != "-"]
        yield Command(run, [*variables])
        before = run


def run_by(words: list[str]) -> Iterator[list[str] | str]:
    """The command itself, then what it runs: words for a command, text for a script."""
    for _ in range(_DEEPEST):
        if not words or not words[0]:
            return
        yield words
        name = basename(words[0])
        if name in SHELL_NAMES:
            yield from _scripts(words[1:])
            return
        if name == "eval":
            yield " ".join(words[1:])
            return
        if name == "trap":
            yield from [word for word in words[1:] if word != "--" and len(words) > 2][:1]
            return
        if name == "alias":  # what follows the name where it is used follows these words
            yield from (f"{word.partition('=')[2]} $arguments" for word in words[1:] if "=" in word)
            return
        if name == "hash":  # with -p, a name for the program of a path
            yield from (f"{word} $arguments" for word in words[1:-1] if word[:1] != "-")
            return
        if name == "find":
            for number, word in enumerate(words):
                if word in _EXECUTING:  # up to a `;`
                    yield from run_by(list(takewhile(lambda each: each not in (";", "+"), words[number + 1 :])))
            return
        if name not in _WRAPPERS:
            return
        if name == "env" and (split := _split_string(words)):
            yield Live(split) if "\\" in split or "$" in split else split  # which it reads in its own way
        words = _command_after(words)


def _scripts(words: list[str]) -> Iterator[str]:
    """The script of `SHELL … -c SCRIPT`."""
    rest = iter(words)
    asked = False
    for word in rest:
        if word[:1] not in ("-", "+"):
            if asked:
                yield word
            return
        short = not word.startswith("--")
        asked = asked or (short and "c" in word)
        if word in ("--rcfile", "--init-file") or (short and "o" in word.lower()):
            next(rest, "")


def _split_string(words: list[str]) -> str:
    """The text that `env -S` takes apart into words by itself."""
    for number, word in enumerate(words[1:], 1):
        before, asked, text = word.partition("=" if word.startswith("--") else "S")
        long = len(before) > 3 and "--split-string".startswith(before)  # it may be cut short
        if long or (asked == "S" and before[:1] == "-" and not set(before) & set(_WRAPPERS["env"][0])):
            return " ".join([text, *words[number + 1 :]])
    return ""


def _command_after(words: list[str]) -> list[str]:
    """The command after a wrapper; nothing where it only asks about one."""
    name = basename(words[0])
    valued, own = _WRAPPERS[name]
    at = 1
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        word = words[at]
        at += 1
        if word == "--":
            break
        if name == "command" and not word.startswith("--") and ("v" in word or "V" in word):
            return []
        at += _takes_next(word, valued)
    if name == "env":
        while at < len(words) and ("=" in words[at] or words[at] == "-"):
            at += 1
    elif name == "time":
        at += words[at : at + 1] == ["!"]  # it is a word of the shell's grammar
    return words[at + own :]


def _takes_next(word: str, valued: str) -> bool:
    """Whether the value of an option is the word after it."""
    if word.startswith("--"):
        return word in _LONG_WITH_VALUE
    for number, letter in enumerate(word[1:], 1):
        if letter in valued:
            return number == len(word) - 1
    return False
