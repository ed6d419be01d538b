"""Slips that `exec` refuses before it runs a command: a short list, compared with parsed words.

Takes the text of a script; gives the first command in it that is on the list, as written. A word counts where it is
run, so `echo "sudo"` is fine and `sudo x` is not, also in lists, loops, substitutions, functions, after wrappers such
as `env` and inside `bash -c '…'`. What a variable, a file or an encoded text turns into is not known here: the list
guards against slips, not against intent. It allows nothing: what may run is decided by the rules, from forms whose
effect is known (`forms`, `known`), and a command that is not on this list is judged as any other.
"""

from __future__ import annotations

from posixpath import basename, normpath

from patchkit.shell.scripts.inventory import inventory

_NAMES = frozenset("sudo doas pkexec shutdown reboot halt poweroff".split())
_VERBS = {
    "systemctl": frozenset(("reboot", "poweroff", "halt", "kexec")),
    "init": frozenset("06"),
    "telinit": frozenset("06"),
}
_SAFE_DEVICES = frozenset("null zero full tty stdin stdout stderr random urandom".split())
_SAFE_DIRECTORIES = ("fd/", "shm/", "pts/")
_QUOTES = str.maketrans("", "", "'\"\\")


def danger(script: str) -> str:
    """The first command of the list in `script`, as written; '' when there is none."""
    found = inventory(script)
    listed = [" ".join(each.words).rstrip() for each in found.commands if each.words and _is_listed(each.words)]
    written = [f"> {path}" for path in found.written if _is_device(path)]
    return next(iter([*listed, *written]), "")[:80]


def _is_listed(words: list[str]) -> bool:
    name, rest = basename(words[0]), words[1:]
    if name in _NAMES:
        return True
    if name in _VERBS:
        return not _VERBS[name].isdisjoint(rest)
    if name == "rm":
        return _removes_root(rest)
    if name == "tee":
        return any(map(_is_device, rest))
    return name == "dd" and any(_is_device(word[3:]) for word in rest if word.startswith("of="))


def _removes_root(words: list[str]) -> bool:
    """Whether these words make `rm` take everything: recursive, and aimed at the root or at all that is in it."""
    if "--no-preserve-root" in words:
        return True
    end = words.index("--") if "--" in words else len(words)
    options = [word for word in words[:end] if word.startswith("-")]
    targets = [*(word for word in words[:end] if not word.startswith("-")), *words[end + 1 :]]
    recursive = any(
        "--recursive".startswith(word) if word.startswith("--") and len(word) > 2 else "r" in word.lower()
        for word in options
    )
    return recursive and any(map(_is_root, targets))


def _is_root(word: str) -> bool:
    plain = word.translate(_QUOTES)
    if not plain.startswith("/"):
        return False
    last = basename(plain)
    return normpath(plain[: len(plain) - len(last)] if last in ("*", ".*", "..?*", "{*,.*}") else plain) in ("/", "//")


def _is_device(path: str) -> bool:
    """Whether writing to `path` writes to hardware, or to something else that is not a file."""
    plain = normpath("/" + path.translate(_QUOTES).lstrip("/")) if path[:1] in ("/", "'", '"', "\\") else ""
    name = plain.removeprefix("/dev/")
    return name != plain and name not in _SAFE_DEVICES and not name.startswith(_SAFE_DIRECTORIES)
