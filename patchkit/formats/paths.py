"""Paths as models write them above their edits, and as git writes them in its headers.

Takes a line; gives the path it names, or nothing. A path is one word with a dot or a slash in it, or one of a few
known names: a heading or a sentence is not a path. A line that is a name only if there is such a file, such as
`notes 1.txt`, is given as that, and the files decide.
"""

from __future__ import annotations

import re
from functools import lru_cache

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
_LONGEST = 400
# Texts, and not compiled: a diff needs none of them.
_MARK = r"^(#+|//|--|\d+\.|[-*+]|>)\s+"
_TITLE = r"(?i)^(file|filename|path|file path|filepath)\s*:\s+"
_WORD = r"^[^\s`*<>|\"'?]+$"
_SUFFIX = r"(^|[\\/])[^\\/\s]*\.[A-Za-z0-9_+-]{1,12}$"
_CODE = r"\w\.(?!\d+$)[A-Za-z][A-Za-z0-9]{0,5}$"
_QUOTED = r"`([^`]+)`"
_SPACED = r"^[^\s`*<>|\"'?]([^`*<>|\"'?]*[^\s`*<>|\"'?])?\.\w{1,12}$"


def named_by(line: str) -> str:
    """The path that a line above an edit names; '' where it names none."""
    bare, quoted = _undecorated(line)
    if is_path(bare) or (quoted and re.match(_SPACED, bare)):
        return plain(bare)
    if not line.rstrip().endswith(":"):
        return ""
    found = [word for word in re.findall(_QUOTED, line) if is_path(word) or ("/" in word and re.match(_SPACED, word))]
    if len(set(found)) == 1:
        return plain(found[0])
    words = [word.strip("`'\"()") for word in line.rstrip().rstrip(":").split()]
    likely = [word for word in words if is_path(word) and ("/" in word or "\\" in word)]
    return plain(likely[0]) if len(set(likely)) == 1 and not found and "`" not in line else ""


def line_of(path: str) -> str:
    """The line that names a path in any case, also if there is no such file yet; else one that does if there is."""
    lines = (path, f"./{path}", f"`{path}`")
    return next((line for named in (named_by, maybe_named_by) for line in lines if named(line) == path), path)


def is_name(line: str) -> bool:
    """Whether all of a line is a path, with or without decorations, and no sentence has it."""
    bare, quoted = _undecorated(line)
    return is_path(bare) or (quoted and re.match(_SPACED, bare) is not None)


def is_decorated(line: str) -> bool:
    """Whether a line is a heading, an item of a list, or in bold: it may speak of what it names."""
    bare = line.strip()
    return bare.startswith("*") or bare.rstrip(": ").endswith("*") or re.match(_MARK, bare) is not None


def maybe_named_by(line: str) -> str:
    """What a line names if there is such a file: all of it but its decorations."""
    bare = _undecorated(line)[0]
    return plain(bare) if 0 < len(bare) <= _LONGEST and not bare.startswith(("/", "-", "{", "[", "(")) else ""


def mentioned_in(line: str) -> str:
    """The path that a heading, an item of a list or words in bold name beside other words; '' where they name none."""
    if re.match(r"^\s*(#+ |\d+[.)] |[-*+] |\*\*|__|`)", line) is None:
        return ""
    words = [word.strip("`'\"()[]*_:,;") for word in line.split()]
    found = {word for word in words if is_path(word) and ("/" in word or re.search(_CODE, word))}
    return plain(found.pop()) if len(found) == 1 else ""


def is_word(name: str) -> bool:
    """Whether a name is one word, and so no sentence."""
    return re.match(_WORD, name) is not None


def is_spaced(name: str) -> bool:
    """Whether words end as the name of a file does, so that only the files show whether they are one."""
    return re.match(_SPACED, name) is not None


@lru_cache(1_000)  # a text names the same file over and over
def _undecorated(line: str) -> tuple[str, bool]:
    """A line without the marks around it, and whether quotes were among them."""
    bare, quoted = line.strip(), False
    for _ in range(3):  # decorations may be nested: '### `a.py`:'
        before = bare
        bare = bare.strip().strip("*").strip()
        bare = re.sub(_TITLE, "", re.sub(_MARK, "", bare))
        bare = bare.rstrip(":").strip()
        if len(bare) > 2 and bare[0] in "`\"'" and bare[-1] == bare[0]:
            bare, quoted = bare[1:-1], True
        if (len(bare) > 2 and bare[0] == "<" and bare[-1] == ">") or (bare[:1] == "[" and bare[-1:] == "]"):
            bare = bare[1:-1]
        if bare == before:
            break
    return bare, quoted


@lru_cache(1_000)
def is_path(word: str) -> bool:
    """Whether one word looks like the path of a file."""
    if not word or len(word) > _LONGEST or word.startswith(("http:", "https:")) or re.match(_WORD, word) is None:
        return False
    if word.lower() in _NAMES:
        return True
    if not re.search(r"\w", word) or word.endswith(("/", "\\", "...", "(", ")", ";", ",", "{")):
        return False
    return bool(re.search(_SUFFIX, word)) or (("/" in word or "\\" in word) and not word.startswith("//"))


def plain(path: str) -> str:
    """A path with slashes, and without a leading './'."""
    if "\\" in path and "/" not in path:
        path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return path


def unquoted(text: str) -> tuple[str, str] | None:
    """The name in quotes that a text of git's begins with, and what follows it; None where the quotes are not right.

    Escapes are bytes, not characters.
    """
    from patchkit.globs.conventions import unquoted as unquoted_bytes  # few names are in quotes

    found = unquoted_bytes(text.encode("utf-8", "surrogateescape").decode("latin-1"))
    if found is None:
        return None
    name, rest = (each.encode("latin-1").decode("utf-8", "surrogateescape") for each in found)
    return name, rest
