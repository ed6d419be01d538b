"""What the shells know, and how their command lines are read.

Takes an argument vector; gives the shell, the script and whether it stops at errors, or None when it is
not a `SHELL -c SCRIPT` of a shell and with options known here. Where two shells of one name differ (`sh` is
dash here and bash there), only what they agree on is known.
"""

from __future__ import annotations

import re

from patchkit.values import Record


class Shell(Record):
    """`extended` is what bash and zsh have in common beyond sh.

    That is here-strings, `$'…'`, pipefail, pushd, `&>`, and heredoc delimiters beyond ASCII: dash does not find
    the line that should close one.
    """

    name: str
    extended: bool
    echo_flags: str
    echo_escapes: bool | None  # whether `echo` reads backslashes unasked; None: unknown
    set_flags: str  # options of `set` that change nothing here
    unset_flags: str  # those that may go off
    long: tuple[str, ...] = ()


BASH = Shell("bash", True, "neE", False, "euEfC", "xvH", ("--login", "--noprofile", "--norc", "--posix"))
ZSH = Shell("zsh", True, "neE", True, "eu", "xv")
DASH = Shell("dash", False, "n", True, "eufC", "xv")
SH = Shell("sh", False, "", None, "eufC", "xv")
SHELLS = {shell.name: shell for shell in (BASH, ZSH, DASH, SH)}

_PLACES = ("", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
_DURATION = re.compile(r"[0-9]{1,6}[smhd]?")
OPTION_NAMES = ("errexit", "nounset", "noglob", "noclobber")


class Invocation(Record):
    shell: Shell
    script: str
    errexit: bool


def is_program(word: str, name: str) -> bool:
    """Whether `word` calls the program `name` by its bare name or from one of the usual places."""
    return word.endswith(name) and word[: -len(name)] in _PLACES


def shell_of(word: str) -> Shell | None:
    """The shell that `word` calls, if it is one known here."""
    return next((shell for name, shell in SHELLS.items() if is_program(word, name)), None)


def without_wrappers(words: list[str]) -> list[str]:
    """Takes `env` and `timeout N` off the front, which change nothing for the command after them."""
    while True:
        if len(words) > 1 and is_program(words[0], "env") and words[1][:1] not in ("-", "") and "=" not in words[1]:
            words = words[1:]
        elif (
            len(words) > 2 and is_program(words[0], "timeout") and _DURATION.fullmatch(words[1]) and words[2][:1] != "-"
        ):
            words = words[2:]
        else:
            return words


def read_argv(argv: list[str]) -> Invocation | None:
    """Reads `SHELL OPTIONS -c SCRIPT …`; words after the script are its positional parameters."""
    shell = shell_of(argv[0]) if argv else None
    if shell is None:
        return None
    at, command, errexit = 1, False, False
    while at < len(argv) and argv[at] in shell.long:
        at += 1
    while at < len(argv) and argv[at][:1] == "-" and argv[at] != "-":
        word = argv[at]
        at += 1
        if word == "--":
            break
        names = word.count("o")
        read = _options(shell, word[1:], argv[at : at + names])
        if read is None:
            return None
        at += names
        command, errexit = command or "c" in word, errexit or read
    if not command or at >= len(argv):
        return None
    return Invocation(shell, argv[at], errexit)


def read_stdin(argv: list[str], script: str) -> Invocation | None:
    """Reads `SHELL [-s]` with the script on its standard input."""
    shell = shell_of(argv[0])
    return Invocation(shell, script, False) if shell and argv[1:] in ([], ["-s"]) else None


def _options(shell: Shell, letters: str, names: list[str]) -> bool | None:
    """Whether a cluster of options turns errexit on; None when one of them is not known."""
    if not letters or letters.strip("lceufo") or letters.count("o") != len(names):
        return None
    known = (*OPTION_NAMES, "pipefail") if shell.extended else OPTION_NAMES
    if any(name not in known for name in names):
        return None
    return "e" in letters or "errexit" in names
