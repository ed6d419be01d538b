"""The commands of Anthropic's text editor, memory and bash tools, over the tools of patchkit.

Takes the input of a call as the model gives it; returns a Result in the words of that contract, and never raises. A
view shows all lines that are asked for, as they are, up to a number of characters: the model has no other tool that
would show it the rest. Files of the memory are in `memories` of the workspace.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from patchkit.core.changes import ancestors
from patchkit.core.workspace import READING
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError, reason
from patchkit.report.result import Json, Result
from patchkit.runtimes.answers import Host, blocks_of, encodable, plain_lines, refusal, wrong
from patchkit.shell.inventory import by_grammar
from patchkit.shell.lexer import read
from patchkit.shell.shells import SHELLS

Content = str | list[Json]

EDITOR_NAMES = ("str_replace_based_edit_tool", "str_replace_editor")
MEMORY = "/memories"
_MOST = 200_000  # characters of a view where the host says nothing else
_TOO_LARGE = ("P615", "P616")  # a file that Read shows only in parts
_OF_PARTS = ("lines", "characters")  # parts that Read leaves out or cuts


def text_editor(
    given: object, host: Host, max_characters: int | None = None, cancelled: Callable[[], bool] | None = None
) -> Result:
    """The Result of one command of the text editor. Never raises."""
    return _guarded(given, _Editor(host, cancelled, max_characters))


def memory(given: Any, host: Host) -> Result:
    """The Result of one command of the memory tool, whose files are in `memories` of the workspace. Never raises."""
    return _guarded(given, _Memory(host))


def _guarded(given: Any, editor: _Editor) -> Result:
    try:
        if not isinstance(given, dict):
            raise wrong("input", given, "an object with a command")
        if given.get("command") not in editor.commands:
            raise wrong("command", given.get("command"), ", ".join(editor.commands))
        done: Result = getattr(editor, given["command"])(given)
        return done
    except OSError as error:
        return refusal(PatchkitError("P401", file=str(given.get("path")), reason=reason(error)))
    except Exception as error:  # an internal error is an answer, too
        return refusal(error)


class _Editor:
    """The commands of the text editor."""

    commands: tuple[str, ...] = ("view", "create", "str_replace", "insert")

    def __init__(
        self, host: Host, cancelled: Callable[[], bool] | None = None, max_characters: int | None = None
    ) -> None:
        self._host = host
        self._unread = Host(host.root, host.agent, host.session)  # for changes that need no reading before
        self._unread.read_first = False
        self._cancelled = cancelled
        self._most = max_characters

    def path(self, given: Json, field: str = "path") -> str:
        path = given.get(field)
        if not isinstance(path, str) or not path.strip():
            raise wrong(field, path, "a path in the workspace")
        return path

    def text(self, given: Json, *fields: str) -> str:
        """The text of the first of some fields that is given: the contract's name, then those of older ones."""
        text = next((given[field] for field in fields if given.get(field) is not None), None)
        if text is None:
            raise PatchkitError("P606", field=fields[0], allowed="a string")
        if not isinstance(text, str):
            raise wrong(fields[0], text, "a string")
        return text

    def call(self, tool: str, arguments: Json, read_first: bool = False) -> Result:
        host = self._host if read_first else self._unread
        return host.call(tool, arguments, cancelled=self._cancelled)

    def shown(self, path: str) -> str:
        """A path as the model writes it."""
        return path

    def view(self, given: Json) -> Result:
        path, wanted = self.path(given), given.get("view_range")
        first, last = _range(wanted) if wanted is not None else (1, -1)
        arguments: Json = {"file_path": path, "plain": True}
        result = self.call("Read", arguments if wanted is None else {**arguments, "offset": first, "limit": 1})
        code = result.errors[0]["code"] if result.errors else ""
        if code == "P305" and wanted is None:
            listed = self.call("LS", {"path": path})
            return listed if listed.errors else self._listing(path, listed)
        if code in _TOO_LARGE:
            result = self.call("Read", {**arguments, "offset": 1, "limit": 1})
        if result.errors or result.data.get("kind") != "text":
            return result
        lines, _ended = plain_lines(self._host.content(path))
        if first > max(1, len(lines)):
            raise wrong("view_range", wanted, f"lines of the file, which has {len(lines)}")
        result.text = self._numbered(lines[: last if last > 0 else None], first)
        result.notes = [note for note in result.notes if note.get("variant") not in _OF_PARTS]
        return result

    def _numbered(self, lines: list[str], first: int) -> str:
        """Lines with their numbers, as this editor shows them; cut where there are too many characters."""
        if not lines:
            return "The file is empty."
        shown: list[str] = []
        most, size = self._most if self._most is not None else _MOST, 0
        for number, line in enumerate(lines[first - 1 :], first):
            text = f"{number:>6}\t{encodable(line)}"
            if size + len(text) > most:
                if number == first:
                    return f"{text[:most]}\n[cut at {most} characters; the line is longer]"
                return "\n".join(shown) + f"\n[cut at {most} characters; view the rest with view_range [{number}, -1]]"
            shown.append(text)
            size += len(text) + 1
        return "\n".join(shown)

    def _listing(self, path: str, listed: Result) -> Result:
        """The files and directories of two levels; no link is followed."""
        names = []
        for entry in listed.data["entries"]:
            name = posixpath.basename(entry["path"])
            names.append(name + ("/" if entry["type"] == "directory" else ""))
            below = posixpath.join(path, name)
            if entry["type"] == "directory" and not os.path.islink(os.path.join(self._host.root, below)):
                inside = self.call("LS", {"path": below}).data.get("entries", [])
                names += [f"{name}/{posixpath.basename(each['path'])}" for each in inside]
        top = self.shown(path).rstrip("/")
        head = f"Here're the files and directories up to 2 levels deep in {top}, excluding hidden items:"
        whole = [head, top, *(f"{top}/{name}" for name in names)]
        listed.text = "\n".join(whole) if names else f"The directory {top} is empty."
        return listed

    def create(self, given: Json) -> Result:
        path, text = self.path(given), self.text(given, "file_text", "content")
        result = self.call("Write", {"file_path": path, "content": text}, read_first=True)
        return _saying(f"File created successfully at: {path}", result)

    def str_replace(self, given: Json) -> Result:
        path, old = self.path(given), self.text(given, "old_str")
        new = self.text(given, "new_str") if given.get("new_str") is not None else ""
        if old == "":
            raise wrong("old_str", old, "the text to replace")
        return _in_its_words(self.call("Edit", {"file_path": path, "old_string": old, "new_string": new}))

    def insert(self, given: Json) -> Result:
        path, text, line = self.path(given), self.text(given, "insert_text", "new_str"), given.get("insert_line")
        if line is None:
            raise PatchkitError(
                "P606", field="insert_line", allowed="the number of the line above, 0 for the beginning"
            )
        return _in_its_words(self.call("Insert", {"file_path": path, "line": line, "text": text}))


# The names of our fields, and what this contract calls them; it cannot replace every occurrence.
_WORDS = (
    (
        "set old_string to the text to replace, or write the whole file",
        "change it with str_replace, or delete it first",
    ),
    ("old_string", "old_str"),
    ("new_string", "new_str"),
    ("'line'", "'insert_line'"),
    (", or set replace_all", ""),
    (
        ", but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one",
        ". To replace",
    ),
    (" occurrence, please provide", " one of them, please provide"),
)


def _saying(words: str, result: Result) -> Result:
    """A success in the words of this contract; a refusal as it is."""
    result.text = result.text if result.errors else words
    return result


def _in_its_words(result: Result) -> Result:
    """A refusal, and notes, with the names that this contract has for its fields."""
    if result.errors:
        result.text = _reworded(result.text)
    for each in (*result.errors, *result.notes):
        each.update({name: _reworded(value) for name, value in each.items() if isinstance(value, str)})
    return result


def _reworded(text: str) -> str:
    for ours, theirs in _WORDS:
        text = text.replace(ours, theirs)
    return text


def _range(wanted: Any) -> tuple[int, int]:
    """The first and the last line of a range, the last -1 for the end of the file."""
    numbers = isinstance(wanted, (list, tuple)) and len(wanted) == 2
    if not numbers or not all(isinstance(each, int) and not isinstance(each, bool) for each in wanted):
        raise wrong("view_range", wanted, "two line numbers, the second may be -1 for the end")
    first, last = wanted
    if first < 1 or (last != -1 and last < first):
        raise wrong("view_range", wanted, "a first line of at least 1 and a last line behind it, or -1")
    return first, last


class _Memory(_Editor):
    """The commands of the memory tool: `/memories` is the directory `memories` of the workspace.

    What is remembered is for its owner alone, and no link leads out of it.
    """

    commands = (*_Editor.commands, "delete", "rename")

    def path(self, given: Json, field: str = "path") -> str:
        path = super().path(given, field)
        parts = path.split("/")
        if parts[:2] != ["", MEMORY[1:]] or ".." in parts or "\0" in path or len(path.splitlines()) != 1:
            raise wrong(field, path, f"a path below {MEMORY}")
        path = "/".join(part for part in parts if part not in ("", "."))
        top = os.path.realpath(f"{self._host.root}{MEMORY}")
        real = os.path.realpath(f"{self._host.root}/{path}")
        if real != top and not real.startswith(f"{top}/"):
            target = os.path.relpath(real, top)
            raise PatchkitError("P307", file=f"/{path}", target=target, fate=f"leads out of {MEMORY}")
        return path

    def _private(self, path: str, work: Callable[[], Result]) -> Result:
        """Does what makes a file; its directories and then the file itself are for their owner alone."""
        made: list[tuple[str, ...]] = []
        with Workspace(self._host.root) as files:  # by its handles: another process may put a link in the way
            try:
                place = files.find(path, follow=False).location
                above = (*place.directory, *place.missing)
                files.directories.modes = {above[:depth]: 0o700 for depth in range(len(above) + 1)}
                files.directories.make(place.directory, place.missing, made)
                handle = files.directories.handle(above)
            except (PatchkitError, OSError):
                handle = -1  # the tool says what is wrong
            result = work()
            for directory in reversed(made) if result.errors else ():
                files.directories.unmake(directory)
            with suppress(OSError):  # a directory that was renamed, or what is no longer there
                if handle >= 0 and not result.errors:
                    with open(place.leaf, opener=lambda name, _: os.open(name, READING, dir_fd=handle)) as file:
                        os.fchmod(file.fileno(), 0o600)
        return result

    def shown(self, path: str) -> str:
        return f"/{path}"

    def call(self, tool: str, arguments: Json, read_first: bool = False) -> Result:
        result = super().call(tool, arguments, read_first)
        given = [str(arguments[field]) for field in ("file_path", "new_path") if field in arguments]
        for name in dict.fromkeys(each for path in given for each in (path, *ancestors(path))):
            for before, behind in ("''", ("file ", " "), ("read ", " ")):  # all words are about what the model writes
                result.text = result.text.replace(f"{before}{name}{behind}", f"{before}/{name}{behind}")
        return result

    def _below(self, given: Json, field: str = "path") -> str:
        path = self.path(given, field)
        if path == MEMORY[1:]:
            raise wrong(field, given.get(field), f"a path below {MEMORY}, not the directory itself")
        return path

    def view(self, given: Json) -> Result:
        path = self.path(given)
        listed = self.call("LS", {"path": path})
        if not listed.errors:
            return self._listing(path, listed)
        if path == MEMORY[1:] and listed.errors[0]["code"] == "P302":  # nothing was remembered yet
            return Result("success", {}, f"The directory {MEMORY} is empty.")
        return super().view(given)

    def create(self, given: Json) -> Result:
        path, text = self._below(given), self.text(given, "file_text")
        if text == "":  # strict: a file that is there already is refused, even an empty one
            patch = f"*** Begin Patch\n*** Add File: {path}\n*** End Patch\n"
            result = self._private(path, lambda: self.call("apply_patch", {"input": patch, "strict": True}))
        else:  # an empty old text creates a file, and never replaces one
            arguments = {"file_path": path, "old_string": "", "new_string": text}
            result = self._private(path, lambda: self.call("Edit", arguments))
        return _in_its_words(_saying(f"File created successfully at: {given['path']}", result))

    def delete(self, given: Json) -> Result:
        result = self.call("Delete", {"file_path": self._below(given), "recursive": True})
        return _saying(f"Successfully deleted {given['path']}", result)

    def rename(self, given: Json) -> Result:
        arguments = {"file_path": self._below(given, "old_path"), "new_path": self._below(given, "new_path")}
        result = self._private(arguments["new_path"], lambda: self.call("Move", arguments))
        return _saying(f"Successfully renamed {given['old_path']} to {given['new_path']}", result)


def bash(given: Any, host: Host, timeout: int | None = None) -> Result:
    """The Result of one call of the bash tool; a restart has nothing to do, because every command has a new shell."""
    if isinstance(given, dict) and given.get("restart"):
        return Result("success", {}, "The shell was restarted. Every command runs in a new shell in the workspace.")
    command = given.get("command") if isinstance(given, dict) else None
    arguments: Json = {"command": command} if timeout is None else {"command": command, "timeout": timeout}
    result = host.call("Bash", arguments)
    if isinstance(command, str) and not result.errors and _means_to_last(command):
        result.text = f"{result.text.rstrip(chr(10))}\n{_NOT_LASTING}"
    return result


_NOT_LASTING = (
    "[every command runs in a new shell in the workspace: what this one set or changed to is gone for the next]"
)
_LASTING = frozenset("cd pushd popd export declare typeset source . alias unset set shopt".split())


def _means_to_last(script: str) -> bool:
    """Whether a script does what would last for the next command in a session: another directory, a variable."""
    commands = by_grammar(read(script, SHELLS["bash"]))
    if commands is None:
        return not _LASTING.isdisjoint(script.split())
    return any(each.words[0] in _LASTING or "=" in each.words[0] if each.words else True for each in commands)


def content_of(result: Result) -> Content:
    """A result as content: its text, or blocks where there is an image."""

    def image(found: Json) -> Json:
        source = {"type": "base64", "media_type": found["mime_type"], "data": found["base64"]}
        return {"type": "image", "source": source}

    return blocks_of(result, "text", image)
