"""Names in the headers of unified diffs, and as words of a command.

Takes the text behind `---`, `+++`, `diff --git` and git's own lines; gives the names in it. What is a prefix is left
to the reader, and what exists to the planner.
"""

from __future__ import annotations

import re

from patchkit.formats.paths import quoted_end, unquoted

# Not compiled: most names need it not.
_EPOCH = r"\b1970-01-01 |\bJan 0?1 00:00:00 1970|\b1969-12-31 "


def header_name(text: str) -> tuple[str, str]:
    """The name in a header line, and what is behind it: a date, a revision."""
    text = text.rstrip("\r")
    if text.startswith('"'):
        end = quoted_end(text)
        name = unquoted(text[:end]) if end > 0 else None
        if name is not None:
            return name, text[end:]
    name, tab, rest = text.partition("\t")
    return (name, rest) if tab or name.split() == [name] else _dated(name)


def _dated(name: str) -> tuple[str, str]:
    """A name and a date or words in brackets that only spaces part from it."""
    found = re.match(r"^(\S+)\s+(\d{4}-\d\d-\d\d.*|\(.*\))$", name)
    return (found[1], found[2]) if found is not None else (name.rstrip(), "")


def whole_name(text: str) -> str:
    """The name that is all of a line of git's, in quotes or not."""
    name = unquoted(text) if text.startswith('"') else None
    return text if name is None else name


def git_names(text: str) -> tuple[str, str]:
    """Both names of a `diff --git` line: in quotes, or the same but for their first component."""
    text = text.rstrip("\r")
    if text.startswith('"'):
        end = quoted_end(text)
        if end > 0:
            return whole_name(text[:end]), whole_name(text[end + 1 :])
    if text.endswith('"') and ' "' in text:
        at = text.index(' "')
        return text[:at], whole_name(text[at + 1 :])
    at = _space_between(text)
    return (text[:at], text[at + 1 :]) if at >= 0 else (text, "")


def _space_between(text: str) -> int:
    """Where the space between two names is that are the same but for their first component; else the first space.

    Names are compared only where what is behind their first slashes is equally long, which is so at one space at most.
    """
    half = len(text) // 2
    if text[half : half + 1] == " " and text[:half] == text[half + 1 :]:
        return half
    first = second = text.find("/")
    at = text.find(" ", first + 1) if first >= 0 else -1
    while at >= 0:
        second = second if second > at else text.find("/", at)
        if second < 0:
            break
        length = at - first - 1
        if 0 < length == len(text) - second - 1 and text[first + 1 : at] == text[second + 1 :]:
            return at
        at = text.find(" ", at + 1)
    return text.find(" ")


def shell_word(path: str) -> str:
    """A path as a word of a shell command."""
    if path and path[0] != "-" and all(character.isalnum() or character in "_./+@%=:,-" for character in path):
        return path
    quoted = path.replace("'", "'\\''")
    return f"'{quoted}'"


def is_epoch(rest: str) -> bool:
    """Whether what is behind a name says that there is no file."""
    return _says_none(rest) if rest else False


def _says_none(rest: str) -> bool:
    return re.search(_EPOCH, rest) is not None or "(nonexistent)" in rest


def is_blob_id(word: str) -> bool:
    return 7 <= len(word) <= 40 and not word.strip("0123456789abcdef")
