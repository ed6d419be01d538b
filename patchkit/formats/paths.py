"""Paths as models write them above their edits, and as git writes them in its headers.

Takes a line; gives the path it names, or nothing. A path is one word with a dot or a slash in it, or one of a few
known names: a heading or a sentence is not a path.
"""

from __future__ import annotations

import re

_NAMES = {
    "makefile",
    "dockerfile",
    "license",
    "readme",
    "gemfile",
    "rakefile",
    "procfile",
    "jenkinsfile",
    "vagrantfile",
}
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_WORD = re.compile(r"^[^\s`*<>|\"'?]+$")
_SUFFIX = re.compile(r"(^|[\\/])[^\\/\s]*\.[A-Za-z0-9_+-]{1,12}$")
_QUOTED = re.compile(r"`([^`\s]+)`")


def named_by(line: str) -> str:
    """The path that a line above an edit names; '' where it names none."""
    bare = line.strip()
    for _ in range(3):  # decorations may be nested: '### `a.py`:'
        bare = bare.strip().strip("*").strip()
        bare = re.sub(r"^(#+|//|--|\d+\.|[-*+]|>)\s+", "", bare)
        bare = re.sub(r"^(file|filename|path|file path|filepath)\s*:\s+", "", bare, flags=re.IGNORECASE)
        bare = bare.rstrip(":").strip()
        if len(bare) > 2 and bare[0] in "`\"'" and bare[-1] == bare[0]:
            bare = bare[1:-1]
        if (len(bare) > 2 and bare[0] == "<" and bare[-1] == ">") or (bare[:1] == "[" and bare[-1:] == "]"):
            bare = bare[1:-1]
    if is_path(bare):
        return plain(bare)
    found = [word for word in _QUOTED.findall(line) if is_path(word)]
    if line.rstrip().endswith(":") and len(set(found)) == 1:
        return plain(found[0])
    words = [word.strip("`'\"()") for word in line.rstrip().rstrip(":").split()]
    likely = [word for word in words if is_path(word) and ("/" in word or "\\" in word)]
    if line.rstrip().endswith(":") and len(set(likely)) == 1:
        return plain(likely[0])
    return ""


def is_path(word: str) -> bool:
    """Whether one word looks like the path of a file."""
    if not word or len(word) > 400 or word.startswith(("http:", "https:")):
        return False
    if _WORD.match(word) is None and not (" " in word and _SUFFIX.search(word) and "/" in word and "." in word):
        return False
    if word.lower() in _NAMES:
        return True
    if not re.search(r"\w", word) or word.endswith(("/", "\\", "...", "(", ")", ";", ",", "{")):
        return False
    return bool(_SUFFIX.search(word)) or (("/" in word or "\\" in word) and not word.startswith("//"))


def plain(path: str) -> str:
    """A path with slashes, and without a leading './'."""
    if "\\" in path and "/" not in path:
        path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return path


def unquoted(name: str) -> str | None:
    """The name that git wrote in quotes; None where the quotes do not close. Escapes are bytes, not characters."""
    found = bytearray()
    at = 1
    while at < len(name):
        char = name[at]
        if char == '"':
            return found.decode("utf-8", "surrogateescape")
        if char == "\\" and at + 1 < len(name):
            octal = name[at + 1 : at + 4]
            if len(octal) == 3 and octal[0] in "0123" and all(digit in "01234567" for digit in octal):
                found.append(int(octal, 8))
                at += 4
                continue
            if name[at + 1] not in _ESCAPES:
                return None
            found.append(_ESCAPES[name[at + 1]])
            at += 2
            continue
        found += char.encode("utf-8", "surrogateescape")
        at += 1
    return None


def quoted_end(name: str) -> int:
    """Where the quoted name at the start of a text ends, behind its closing quote; -1 where it does not close."""
    at = 1
    while at < len(name):
        if name[at] == "\\":
            at += 1
        elif name[at] == '"':
            return at + 1
        at += 1
    return -1
