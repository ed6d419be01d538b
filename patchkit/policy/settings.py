"""The settings of a root: who may do what, what is recorded, how patches are checked.

Takes a root; returns the tables of its settings files, or raises naming file, line and key. A project's settings are
in `.patchkit.toml` or under `[tool.patchkit]` of a `pyproject.toml`, in the root or a directory above it, up to the
top of the outermost repository: a run that starts further down has the same rules. The user's own settings
(`$XDG_CONFIG_HOME/patchkit/config.toml`) add to them. What a table means is left to the code that asks for it. The
standard library's TOML reader does not say on which line a key is, so the text is searched for it when an error needs
it.
"""

from __future__ import annotations

import os
from errno import ELOOP

from patchkit.core.workspace import open_kept
from patchkit.errors import PatchkitError, reason
from patchkit.handles import ReportedAs
from patchkit.policy import MOST_BYTES, settings_files, user_settings_file
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

Table = dict[str, "Any"]  # of TOML: what its values may be is checked by the code that asks for them

TABLES = ("permissions", "audit", "check", "hook", "sandbox", "apply")
OWN_TABLES = ("sandbox",)  # only the user's own settings may have them: they loosen what holds for a repository
# What `[tool.patchkit]` itself may hold: the settings of `check`, which has a table of its own for them too.
CHECK_KEYS = ("max-pass", "forbid", "allow", "max-files", "max-lines")


class SettingsFile(Record):
    """One settings file: its path, its text, and what it says about patchkit."""

    path: str
    text: str
    tables: Table
    _place = ("_lines",)
    _lines: dict[str, int] = {}  # of its keys, once one is asked for: thousands of rules have one each

    @property
    def directory(self) -> str:
        return os.path.dirname(self.path)

    @property
    def shown(self) -> str:
        """Its path as messages show it: relative to the current directory, if it is below that."""
        try:
            below = os.path.relpath(self.path)
            return self.path if below.startswith("..") else below
        except OSError:  # the current directory was removed
            return self.path

    def table(self, name: str) -> Table | None:
        """The table of this name; None where the file has none."""
        found: Table | None = self.tables.get(name)
        if name != "check":
            return found
        loose = {key: self.tables[key] for key in CHECK_KEYS if key in self.tables}
        return {**loose, **(found or {})} if loose or found is not None else None

    def line(self, key: str) -> int:
        """The line on which a dotted key ('audit.file') is set, counted from 1, as far as it can be found.

        A key inside an inline table has the line of the table; a key that is not found that of the nearest one above.
        """
        self._lines = self._lines or lines_of_keys(self.text)
        while key and key not in self._lines:
            key = key.rpartition(".")[0]
        return self._lines.get(key, 1)

    def wrong(self, key: str, given: object, allowed: str, at: str = "") -> PatchkitError:
        """The error to raise for a value that cannot be; `allowed` says in words what can, `at` is where to point."""
        line = self.line(at or key)
        return PatchkitError("P653", key=key, given=_shown(given), allowed=allowed, file=self.shown, line=line)

    def unknown(self, key: str, allowed: Iterable[str]) -> PatchkitError:
        """The error to raise for a key that means nothing; `allowed` lists those that do."""
        return PatchkitError("P655", key=key, allowed=", ".join(allowed), file=self.shown, line=self.line(key))


class Settings(Record):
    """The settings of a root: the project's files from the nearest outwards, and the user's own file."""

    project: list[SettingsFile]
    user: SettingsFile | None

    @property
    def path(self) -> str | None:
        """The nearest project file; None where there is none."""
        return self.project[0].path if self.project else None

    def source(self, name: str) -> SettingsFile | None:
        """The nearest project file that has this table: a file that says nothing about it hides none further out."""
        return next((each for each in self.project if each.table(name) is not None), None)

    def has(self, name: str) -> bool:
        """Whether the project or the user says anything in a table of this name."""
        return any(each.table(name) for each in (*self.project, self.user) if each is not None)

    def table(self, name: str) -> Table:
        """The project's table of this name; keys that only the user's file has are added."""
        nearest = self.source(name)
        theirs = nearest.table(name) if nearest is not None else None
        own = self.user.table(name) if self.user is not None else None
        return {**(own or {}), **(theirs or {})}

    def wrong(self, key: str, given: object, allowed: str) -> PatchkitError:
        """The same for a value of a `table`; `key` is dotted ('check.max-files')."""
        name, _, rest = key.partition(".")
        nearest, own = self.source(name), self.user
        if own is not None and (nearest is None or rest.partition(".")[0] not in (nearest.table(name) or {})):
            nearest = own
        assert nearest is not None, "a value comes from a file"
        loose = rest in CHECK_KEYS and rest in nearest.tables
        return nearest.wrong(rest if loose else key, given, allowed)


def settings(root: str) -> Settings:
    """The settings of a root; raises where one of its files cannot be read or understood."""
    project: list[SettingsFile] = []
    own: SettingsFile | None = None
    with ReportedAs("P312", root=root):  # the current directory was removed
        real = os.path.realpath(root)
    for path in settings_files(real):
        source = _source(path)
        if path == user_settings_file():
            own = source
        elif source is not None:
            project.append(source)
    return Settings(project, own)


def _source(path: str) -> SettingsFile | None:
    """The file read and checked; None for a `pyproject.toml` that has no table for us."""

    source = SettingsFile(path, "", {})
    source.text, everything = parsed(source.shown, _content(source))
    tables = _ours(source, everything)
    if tables is None:
        return None
    source.tables = tables
    # A misspelt name must not silently drop a rule.
    for name, value in tables.items():
        if name not in TABLES and name not in CHECK_KEYS:
            raise source.unknown(name, (*TABLES, *CHECK_KEYS))
        if name in OWN_TABLES and path != user_settings_file():
            raise PatchkitError("P675", key=name, file=source.shown, line=source.line(name))
        if name in TABLES and not isinstance(value, dict):
            raise source.wrong(name, value, f"a table, '[{name}]'")
    return source


def _content(source: SettingsFile) -> bytes:
    """The bytes of a settings file. Never blocks: a FIFO of that name must not hang every call."""
    # A file behind a link may be one that a tool is allowed to write. Users link their own settings to where they like.
    flags = os.O_RDONLY if source.path == user_settings_file() else os.O_RDONLY | os.O_NOFOLLOW
    try:
        with os.fdopen(open_kept(source.path, flags), "rb") as file:
            if os.fstat(file.fileno()).st_size > MOST_BYTES:
                raise PatchkitError("P654", file=source.shown, reason=f"it is larger than {MOST_BYTES >> 20} MB")
            return file.read()
    except OSError as error:
        said = "it is a link" if error.errno == ELOOP and os.path.islink(source.path) else reason(error)
        raise PatchkitError("P654", file=source.shown, reason=said) from None


def _ours(source: SettingsFile, everything: Table) -> Table | None:
    """What a file says about patchkit: the table `[tool.patchkit]`; in our own files everything else, too."""
    tool = everything.get("tool", {})
    named = tool.get("patchkit") if isinstance(tool, dict) else None
    if named is not None and not isinstance(named, dict):
        raise source.wrong("tool.patchkit", named, "a table, '[tool.patchkit]'")
    if source.path.endswith("/pyproject.toml"):
        return named
    plain = {name: value for name, value in everything.items() if name != "tool"}
    for name in plain:
        if name in (named or {}):
            raise PatchkitError("P656", key=name, file=source.shown, line=source.line(name))
    return {**plain, **(named or {})}


def _shown(given: object) -> str:
    if isinstance(given, bool):
        return "true" if given else "false"
    shown = f"'{given}'" if isinstance(given, str) else repr(given)
    return shown if len(shown) <= 80 else shown[:77] + "…"


# -- TOML ----------------------------------------------------------------------------------------

# Texts, and not compiled: only a mistake needs them, and most projects have no settings.
_PLACE = r" \(at line (\d+), column \d+\)$| \(at end of document\)$"
_HEADER = r"\s*\[+(?P<key>(?:[^\]\"']|\"[^\"]*\"|'[^']*')+)\]"
_SETTING = r"\s*(?P<key>(?:[A-Za-z0-9_.\- \t]|\"(?:[^\"\\]|\\.)*\"|'[^']*')+?)\s*="
_PART = r"\s*(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|([A-Za-z0-9_\-]+))\s*\.?"


def parsed(path: str, data: bytes) -> tuple[str, dict[str, object]]:
    """The text of a settings file and its values."""
    import tomllib  # most projects have no settings, and need no TOML reader

    try:
        text = data.decode("utf-8")
        return text, tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PatchkitError("P650", file=path, line=line, reason="it is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(path, text, str(error)) from None
    except RecursionError:
        raise PatchkitError("P650", file=path, line=1, reason="it is nested too deep") from None


def _not_toml(path: str, text: str, words: str) -> PatchkitError:
    import re  # for errors, and for those who ask on which line a key is

    place = re.search(_PLACE, words)
    line = int(place[1]) if place is not None and place[1] else text.rstrip("\n").count("\n") + 1
    said = words[: place.start()] if place is not None else words
    return PatchkitError("P650", file=path, line=line, reason=said[:1].lower() + said[1:])


def lines_of_keys(text: str) -> dict[str, int]:
    """The lines that set dotted keys, without `tool.patchkit.` before them."""
    import re

    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if (header := re.match(_HEADER, line)) is not None:
            table = spelled = _plain(header["key"])
        elif (setting := re.match(_SETTING, line)) is not None:
            spelled = _plain(setting["key"])
            spelled = f"{table}.{spelled}" if table else spelled
        else:
            continue
        found.setdefault(spelled.removeprefix("tool.patchkit."), number)
    return found


def _plain(key: str) -> str:
    """A dotted key without quotes and whitespace."""
    import re

    return ".".join("".join(part) for part in re.findall(_PART, key))
