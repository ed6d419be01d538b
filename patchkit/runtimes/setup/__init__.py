"""Put our hook and our server into the configuration of a client, and take them out again.

Takes a client and what is asked for; gives Edits, each a file with its text before and after, and writes them. The
rest of a file stays to the byte, comments included. What a file was before is kept in the user's state directory:
taking out restores it to the byte if the file has not changed since, else it removes our entries and nothing more.
Installing twice is installing once.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable
from hashlib import sha256
from shlex import split

from patchkit.core.workspace import NEW, make, write_closing
from patchkit.errors import PatchkitError
from patchkit.handles import ReportedAs
from patchkit.policy.trust import state_home
from patchkit.runtimes.setup import jsonc
from patchkit.runtimes.setup.clients import APPROVE, HOOK, MCP, Client, ClientEntry, ClientSetup, text_of
from patchkit.values import Record

_MOST = 16 << 20  # bytes of a file of settings
_OURS = "mcp__patchkit", "patchkit", "Mcp(patchkit:*)"  # approvals as elements of lists
_ANY = ClientSetup(["patchkit"], [], True)
_OWN_COMMAND = re.compile(r"(?<=^exec ).+$|(?<=spawnSync\()(\".*?\"), (\[.*?\])", re.MULTILINE)  # in a file of ours


class Edit(Record):
    """A file of a client with its text before and after; None where there is no such file."""

    path: str
    before: bytes | None
    after: bytes | None
    original: bytes | None  # what the file was without us

    def write(self) -> str:
        """Makes the file what it is to be; returns where its old content is kept, '' where there is none to keep."""
        backup = _Backup(self.path)
        made_before = backup.known.get("made")  # directories, the innermost first
        made = _missing(os.path.dirname(self.path))
        made += [each for each in made_before if os.path.isdir(each)] if isinstance(made_before, list) else []
        kept = backup.keep(self.original, self.after, made)
        with ReportedAs("P402", file=self.path):
            if self.after is None:
                os.unlink(self.path)
                for directory in made:
                    if not os.listdir(directory):
                        os.rmdir(directory)
                return kept
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            mode = 0o755 if self.after.startswith(b"#!") else 0o644
            mode = os.stat(self.path).st_mode & 0o777 if self.before is not None else mode
            temporary = f"{self.path}.patchkit-{os.getpid()}.tmp"
            write_closing(os.open(temporary, NEW, mode), self.after)
            os.chmod(temporary, mode)
            os.rename(temporary, self.path)
        return kept


def write(edits: list[Edit]) -> list[str]:
    """Writes all of the edits, or none if one fails; returns for each what `Edit.write` does."""
    kept: list[str] = []
    try:
        for edit in edits:
            kept.append(edit.write())
    except PatchkitError:
        for edit in reversed(edits[: len(kept)]):
            Edit(edit.path, edit.after, edit.before, edit.original).write()
        raise
    return kept


class _Backup:
    """What a file was before we wrote into it, with the content that we left."""

    def __init__(self, path: str) -> None:
        self.path = f"{state_home()}/clients/{sha256(os.fsencode(path)).hexdigest()[:16]}"
        self._file = path

    def original(self, now: bytes | None) -> tuple[bool, bytes | None]:
        """Whether the file is as we left it, and what it was before."""
        if now is None or self.known.get("after") != sha256(now).hexdigest():
            return False, None
        if self.made_the_file:
            return True, None
        try:
            with open(self.path, "rb") as file:
                return True, file.read()
        except OSError:
            return False, None

    @property
    def made_the_file(self) -> bool:
        """Whether there was no such file before."""
        return self.known.get("existed") is False

    @property
    def known(self) -> dict[str, object]:
        """What was kept, nothing where we have not written into the file at any time."""
        try:
            with open(f"{self.path}.json", encoding="utf-8") as file:
                found = json.load(file)
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def keep(self, original: bytes | None, after: bytes | None, made: list[str]) -> str:
        """Keeps the original; raises where that fails, for then nothing could be restored."""
        with ReportedAs("P402", file=self.path):
            make(os.path.dirname(self.path))
            if original is not None:
                with open(self.path, "wb") as file:
                    file.write(original)
                os.chmod(self.path, 0o600)
            said = {"file": self._file, "existed": original is not None, "made": made}
            digest = sha256(after).hexdigest() if after is not None else ""
            with open(f"{self.path}.json", "w", encoding="utf-8") as file:
                json.dump({**said, "after": digest}, file)
        return self.path if original is not None else ""


def _missing(directory: str) -> list[str]:
    """The directories that have to be made for one, the innermost first."""
    found = []
    while not os.path.lexists(directory):
        found.append(directory)
        directory = os.path.dirname(directory)
    return found


def install(
    client: Client, wanted: list[ClientEntry], parts: set[str], place: Callable[[ClientEntry], str]
) -> list[Edit]:
    """The edits that put the wanted entries of some parts into the client's files.

    `place` gives the file of an entry, '' for none. An approval that is not wanted any more is taken out.
    """
    taken = {*parts, *([APPROVE] if MCP in parts else [])}
    asked = _by_file([each for each in wanted if each.part in taken], place)
    found = []
    for path, entries in _by_file(client.entries(_ANY), place).items():
        before = after = _content(path)
        backup = _Backup(path)
        known, original = backup.original(before)
        if not known:  # an entry of ours that was not written by us is a part of what the file was
            original = _cleaned(path, before, entries) if backup.known else before
        if MCP in parts and all(each.part != APPROVE for each in wanted):
            after = _cleaned(path, after, [each for each in entries if each.part == APPROVE])
        for entry in asked.get(path, ()):
            after = _with(path, after, entry)
        if after != before:
            found.append(Edit(path, before, after, original))
    return found


def uninstall(client: Client, parts: set[str], place: Callable[[ClientEntry], str]) -> list[Edit]:
    """The edits that take the parts out of the client's files."""
    taken = {*parts, *([APPROVE] if MCP in parts else [])}
    found = []
    for path, entries in _by_file(client.entries(_ANY), place).items():
        ours = [each for each in entries if each.part in taken]
        if not ours:
            continue
        before = _content(path)
        known, original = _Backup(path).original(before)
        restores = known and len(ours) == len(entries) and original != before
        after = original if restores else _cleaned(path, before, ours)
        if after != before:
            found.append(Edit(path, before, after, original if known else _cleaned(path, before, entries)))
    return found[::-1]  # directories that were made for the first file are empty at the end


def _by_file(entries: Iterable[ClientEntry], place: Callable[[ClientEntry], str]) -> dict[str, list[ClientEntry]]:
    found: dict[str, list[ClientEntry]] = {}
    for entry in entries:
        path = place(entry)
        if path:
            found.setdefault(path, []).append(entry)
    return found


def place_in(root: str, for_user: bool) -> Callable[[ClientEntry], str]:
    """Where entries go: the project's file, or the user's, links followed; the other one where there is but one."""
    user = os.path.expanduser("~")

    def place(entry: ClientEntry) -> str:
        own, shared = entry.place.user, entry.place.project
        if shared and not for_user:
            return os.path.realpath(os.path.join(root, shared))
        return os.path.realpath(os.path.join(user, own)) if own and (for_user or entry.part == MCP) else ""

    return place


def _content(path: str) -> bytes | None:
    try:
        if os.path.getsize(path) > _MOST:
            raise PatchkitError("P401", file=path, reason="it is too large")
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PatchkitError("P401", file=path, reason=str(error.strerror).lower()) from None


def _with(path: str, data: bytes | None, entry: ClientEntry) -> bytes:
    if entry.place.kind == "own":
        if data is not None and not _is_own(path, data, entry):
            raise PatchkitError("P402", file=path, reason="it has another text than ours")
        return str(entry.value).encode()
    text = _decoded(path, data) if data is not None else entry.place.new
    try:
        if entry.place.kind == "toml":
            return _toml_with(text, entry).encode()
        if entry.in_list:
            return jsonc.with_element(text, entry.keys, entry.value, is_ours).encode()
        return jsonc.with_value(text, entry.keys, entry.value).encode()
    except ValueError as error:
        raise PatchkitError("P401", file=path, reason=str(error), of_client=True) from None


def _cleaned(path: str, data: bytes | None, entries: list[ClientEntry]) -> bytes | None:
    """The content without our entries; None where nothing is left of a file that was made for them."""
    for entry in entries:
        if data is None:
            return None
        if entry.place.kind == "own":
            return None if _is_own(path, data, entry) else data
        text = _decoded(path, data)
        try:
            if entry.place.kind == "toml":
                data = _toml_without(text, entry).encode()
            else:
                left = jsonc.without(text, entry.keys, is_ours if entry.in_list else None)
                bare = "".join(left.split()) in ("{}", "".join(entry.place.new.split()))
                data = None if left != text and bare and _Backup(path).made_the_file else left.encode()
        except ValueError as error:
            raise PatchkitError("P401", file=path, reason=str(error), of_client=True) from None
    return data


def _is_own(path: str, data: bytes, entry: ClientEntry) -> bool:
    """Whether a file is ours as a whole: as we left it, or with our text for any command."""
    text = data.decode("utf-8", "replace")
    return _Backup(path).original(data)[0] or _OWN_COMMAND.sub("", text) == _OWN_COMMAND.sub("", str(entry.value))


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise PatchkitError("P401", file=path, reason="it is not UTF-8") from None


def is_ours(value: object) -> bool:
    """Whether an element of a list is one of ours: an approval, or a hook that runs our command."""
    return value in _OURS if isinstance(value, str) else any(runs(text, "hook") for text in _commands(value))


def runs(text: object, command: str) -> bool:
    """Whether a line for a shell runs a command of patchkit, and nothing else."""
    try:
        words = split(str(text))
    except ValueError:
        return False
    return _is_ours(words, command)


def _is_ours(words: list[str], command: str) -> bool:
    named = [os.path.basename(word) for word in words[:1]] == ["patchkit"] and words[1:2] == [command]
    return named or (words[2:4] == ["-m", "patchkit"] and words[4:5] == [command])


def _commands(value: object) -> list[object]:
    """The commands of a hook, whichever fields a client has for them."""
    if not isinstance(value, dict):
        return []
    inner = value.get("hooks")
    found = [value[name] for name in ("command", "bash", "linux", "osx") if name in value]
    return found + [each for one in (inner if isinstance(inner, list) else []) for each in _commands(one)]


def _toml_with(text: str, entry: ClientEntry) -> str:
    """The text with a table at its end; one of that name that is there already is taken out first."""
    table = entry.value
    assert isinstance(table, dict)
    if _table(text, entry.keys) == table:
        return text
    kept = _toml_without(text, entry)
    line_end = "\r\n" if "\r\n" in text else "\n"
    ended = "" if not kept or kept.endswith("\n") else line_end
    gap = line_end if kept.strip() else ""
    made = kept + ended + gap + text_of("toml", entry.keys, table).replace("\n", line_end)
    if _of(_toml(made), entry.keys) != table:
        raise ValueError(f"'{entry.keys[0]}' has no header of its own")
    return made


def _toml_without(text: str, entry: ClientEntry) -> str:
    """The text without a table and the tables below it; only headers of their own are understood.

    Remarks behind the last key of the table are about what follows it, and stay.
    """
    if _table(text, entry.keys) is None:
        return text
    kept: list[str] = []
    remarks: list[str] = []
    ours = False
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        opened = _toml(line) if line.lstrip().startswith("[") else None
        turns = bool(opened) and (_of(opened, entry.keys) is not None) != ours
        if turns and _toml("".join(lines[:number])) is not None:  # else it is inside of a text or a list
            ours = not ours
        if not ours:
            kept += [*remarks, line]
        is_remark = ours and (line.lstrip().startswith("#") or (remarks and not line.strip()))
        remarks = [*remarks, line] if is_remark else []
    kept += remarks
    made = "".join(kept)
    if _table(made, entry.keys) is not None:
        raise ValueError(f"'{'.'.join(entry.keys)}' has no header of its own")
    return made.rstrip("\r\n") + ("\r\n" if "\r\n" in text else "\n") if ours and made.strip() and not remarks else made


def _toml(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _table(text: str, keys: tuple[str, ...]) -> object:
    try:
        return _of(tomllib.loads(text), keys)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"it is not TOML ({error})") from None


def _of(table: object, keys: tuple[str, ...]) -> object:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table


class Found(Record):
    """An entry of ours that a client's file has: for the hook or the server, where, and the words that it runs."""

    part: str
    path: str
    words: list[str]
    is_off: bool  # the entry itself switches it off


def found_in(client: Client, root: str) -> list[Found]:
    """Our entries in the files of a client, of the project and of the user; raises for a file that cannot be read."""
    found: dict[tuple[str, str], Found] = {}
    for place in (place_in(root, False), place_in(root, True)):
        for path, entries in _by_file(client.entries(_ANY), place).items():
            data = _content(path)
            for entry in entries if data is not None else ():
                words, is_off = _words(path, _decoded(path, data or b""), entry)
                if words:
                    found.setdefault((entry.part, path), Found(entry.part, path, words, is_off))
    return list(found.values())


def _words(path: str, text: str, entry: ClientEntry) -> tuple[list[str], bool]:
    """The command that an entry in a file runs, none where the entry is not there; and whether it is switched off."""
    if entry.part == APPROVE:
        return [], False
    if entry.place.kind == "own":
        return _own_words(text), False
    try:
        value = _table(text, entry.keys) if entry.place.kind == "toml" else _of(jsonc.value_of(text), entry.keys)
    except ValueError as error:
        raise PatchkitError("P401", file=path, reason=str(error), of_client=True) from None
    if entry.part == HOOK:
        commands = [each for one in (value if isinstance(value, list) else []) for each in _commands(one)]
        return next((split(str(each)) for each in commands if runs(each, "hook")), []), False
    if not isinstance(value, dict):
        return [], False
    named = value["command"] if isinstance(value.get("command"), dict) else value  # as older settings of Zed have it
    command, given = named.get("command", named.get("path")), named.get("args")
    words = command if isinstance(command, list) else [command, *(given if isinstance(given, list) else [])]
    return [str(word) for word in words], value.get("disabled") is True or value.get("enabled") is False


def _own_words(text: str) -> list[str]:
    """The words by which a file of our kind runs the hook; none where it does not."""
    found = _OWN_COMMAND.search(text)
    if found is None:
        return []
    try:
        words = [json.loads(found[1]), *json.loads(found[2])] if found[1] else split(found[0])
    except ValueError:
        return []
    return words if _is_ours(words, "hook") else []
