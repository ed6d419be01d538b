"""Settings files as text: TOML into values, and the line a key stands on.

Takes a file's bytes; gives its tables, or raises naming the line that is no TOML. The standard library's reader says
nothing about where a key stands, so the text is searched for it when an error has to point there. Loaded only where
there is a settings file.
"""

from __future__ import annotations

import re

from patchkit.errors import PatchkitError

_PLACE = re.compile(r" \(at line (\d+), column \d+\)$| \(at end of document\)$")
_HEADER = re.compile(r"\s*\[+(?P<key>(?:[^\]\"']|\"[^\"]*\"|'[^']*')+)\]")
_SETTING = re.compile(r"\s*(?P<key>(?:[A-Za-z0-9_.\- \t]|\"(?:[^\"\\]|\\.)*\"|'[^']*')+?)\s*=")
_PART = re.compile(r"\s*(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|([A-Za-z0-9_\-]+))\s*\.?")


def parsed(path: str, data: bytes) -> tuple[str, dict[str, object]]:
    """The text of a settings file and its values."""
    import tomllib

    try:
        text = data.decode("utf-8")
        return text, tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PatchkitError("P650", file=path, line=line, reason="it is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise _no_toml(path, text, str(error)) from None
    except RecursionError:
        raise PatchkitError("P650", file=path, line=1, reason="it is nested too deep") from None


def _no_toml(path: str, text: str, words: str) -> PatchkitError:
    place = _PLACE.search(words)
    line = int(place[1]) if place is not None and place[1] else text.rstrip("\n").count("\n") + 1
    said = words[: place.start()] if place is not None else words
    return PatchkitError("P650", file=path, line=line, reason=said[:1].lower() + said[1:])


def line_of(text: str, key: str) -> int:
    """The line that sets a dotted key, with or without `tool.patchkit.` before it, as far as it can be found.

    A key inside an inline table stands on the line of the table; of one that is nowhere the nearest above it is told.
    """
    best, where, table = 0, 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        if (header := _HEADER.match(line)) is not None:
            table = spelled = _plain(header["key"])
        elif (setting := _SETTING.match(line)) is not None:
            spelled = _plain(setting["key"])
            spelled = f"{table}.{spelled}" if table else spelled
        else:
            continue
        name = spelled.removeprefix("tool.patchkit.")
        if len(name) > best and f"{key}.".startswith(f"{name}."):
            best, where = len(name), number
    return where


def _plain(key: str) -> str:
    """A dotted key without quotes and blanks."""
    return ".".join("".join(part) for part in _PART.findall(key))
