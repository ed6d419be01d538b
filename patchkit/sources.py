"""The two sources of files without a disk: a mapping of paths to bytes, and an overlay.

The overlay shows another source as plans would leave it and writes nothing, so that patches can be planned one on top
of the other. A directory (`core.workspace.root`) and a git tree (`diffs.git_tree`) are sources as well.
"""

from __future__ import annotations

from posixpath import relpath

from patchkit.core.changes import Entry, FileChange, Files, Plan, ancestors, as_written_or_bare
from patchkit.core.text import Document
from patchkit.errors import PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, MutableMapping

_OFTEN = 8  # questions after which all directories of a mapping are collected


class MemoryFiles(Files):
    """A mapping of relative paths to bytes, taken as the whole workspace. Committing a plan updates it.

    A mapping that cannot be changed is enough to plan; committing to it raises TypeError.
    """

    def __init__(self, content: Mapping[str, bytes]) -> None:
        self.content = content
        self._asked = 0  # how often a directory was looked for
        self._directories: set[str] = set()
        self._state: object = None  # of the mapping, when these were collected

    def find(self, path: str, follow: bool = True) -> Entry:
        return as_written_or_bare(path, self._find)

    def settings(self, name: str) -> bytes | None:
        data = self.content.get(name)
        return _bytes(name, data) if data is not None else None

    def _find(self, path: str) -> Entry:
        name = "/".join(self.parts(path))
        data = self.content.get(name)
        if data is not None:
            return Entry(name, "file", _bytes(name, data))
        if self._is_directory(name):
            return Entry(name, "directory")
        entry = Entry(name, "missing")
        entry.blocker = next((parent for parent in ancestors(name) if parent in self.content), "")
        return entry

    def _is_directory(self, name: str) -> bool:
        """Whether files are below a name. Who asks often is answered from all directories, while nothing is added."""
        content = self.content
        self._asked += 1
        if self._asked < _OFTEN or type(content) is not dict:
            return any(other.startswith(name + "/") for other in content)
        state = len(content), next(reversed(content), None)  # a new name comes last
        if state != self._state:
            self._directories, self._state = _directories_of(content), state
        return name in self._directories

    def names(self, most: int) -> list[str]:
        return [*self.content][:most]

    def below(self, name: str) -> list[str]:
        return [each for each in self.content if each.startswith(f"{name}/")]

    def commit(self, plan: Plan) -> None:
        content = _changeable(self.content)
        for change in plan.effective:
            if change.after is None:
                del content[change.before.name]
            else:
                content[change.before.name] = b"".join(change.after)


def _directories_of(names: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for name in names:
        above = name.rpartition("/")[0]
        while above and above not in found:
            found.add(above)
            above = above.rpartition("/")[0]
    return found


def _bytes(name: str, data: object) -> bytes:
    if isinstance(data, bytes):
        return data
    if isinstance(data, (bytearray, memoryview)):
        return bytes(data)
    raise PatchkitError("P601", option=f"the content of '{name}'", given=type(data).__name__, allowed="bytes")


def _changeable(content: Mapping[str, bytes]) -> MutableMapping[str, bytes]:
    if hasattr(content, "__setitem__") and hasattr(content, "__delitem__"):
        return content  # type: ignore[return-value]  # it has what is used here; `isinstance` would load collections.abc
    raise PatchkitError("P601", option="files", given=type(content).__name__, allowed="a mapping that can be changed")


class Overlay(Files):
    """What is at each path after the plans committed so far; the files below stay as they are."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self._changes: dict[str, FileChange] = {}
        self._homes: set[str] = set()  # directories of files that were put here
        self.start: list[str] = getattr(files, "start", [])  # the directory that paths of a patch count from

    def find(self, path: str, follow: bool = True) -> Entry:
        """Returns what is at `path`: the change a plan made there, else what the files below say."""
        entry = self.files.find(path, False)
        if not follow or entry.name in self._changes:
            return self._as_it_is_now(entry)
        # Only a link that no plan has replaced leads on, and the caller may want to know that one did.
        entry = self.files.find(path, True)
        now = self._as_it_is_now(entry)
        now.target = entry.target
        return now

    def _as_it_is_now(self, entry: Entry) -> Entry:
        change = self._changes.get(entry.name)
        if change is not None and change.after is not None:
            now = Entry(entry.name, "file", b"".join(change.after))
            now.location = change.keeps.location if change.keeps is not None else None
            return now
        if change is None and entry.kind != "missing":
            return entry
        now = Entry(entry.name, "directory" if entry.name in self._homes else "missing")
        now.blocker = self._blocker(entry)
        return now

    def _blocker(self, entry: Entry) -> str:
        """The file at a place where a directory is needed: one a plan put there, or one no plan has taken away."""
        for name in ancestors(entry.name):
            change = self._changes.get(name)
            if change is not None and change.after is not None:
                return name
        return entry.blocker if entry.blocker not in self._changes else ""

    def below(self, name: str) -> list[str]:
        """The files below a directory, as the plans so far leave them."""
        under = [*getattr(self.files, "below", super().below)(name), *self._changes]
        names = [each for each in dict.fromkeys(under) if each.startswith(f"{name}/")]
        return [each for each in names if each not in self._changes or self._changes[each].after is not None]

    def now(self, names: list[str]) -> list[str]:
        """The paths of files below, as a patch may spell them, and as the plans so far leave them."""
        home = "/" + "/".join(self.start)
        after = {relpath("/" + name, home): change.after for name, change in self._changes.items()}
        kept = [name for name in names if name not in after]
        return kept + [name for name, pieces in after.items() if pieces is not None]

    def settings(self, name: str) -> bytes | None:
        """The content of a settings file; None where there is none."""
        change = self._changes.get(name)
        if change is not None:
            return b"".join(change.after) if change.after is not None else None
        return self.files.settings(name)

    def parts(self, path: str) -> list[str]:
        """The components of a path from the root, as the files below count them."""
        return self.files.parts(path)

    def commit(self, plan: Plan) -> None:
        """Shows what the plan leaves from now on."""
        for change in plan.effective:
            name = change.before.name
            self._changes[name] = change
            if change.after is not None:
                self._homes.update(ancestors(name))


# -- documents that are kept, for hosts that plan many patches on the same files -----------------------


_SOME = 200  # bytes of a file by which it is looked up
_MOST_SHARE = 4  # a file larger than this part of the bound is not kept


def _weight(data: bytes) -> int:
    """What a document takes with its lines and their index: several times its file, and some for any file."""
    return 8 * len(data) + 2_000


class DocumentMemory:
    """Documents by their bytes. `most` bounds the memory that they take, as far as that can be estimated."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        # By their size and some of them: to hash all of a file takes as long as half of a search. The latest is last.
        self._documents: dict[tuple[int, bytes], tuple[bytes, Document]] = {}

    def document(self, data: bytes) -> Document:
        """The document of these bytes; from the second time on, with what searching it needs."""
        key = len(data), data[:: len(data) // _SOME + 1]
        known, found = self._documents.pop(key, (b"", None))
        if found is not None and known != data:
            self._size -= _weight(known)
            found = None
        if found is None:
            found = Document(data)
            if _weight(data) * _MOST_SHARE > self._most:
                return found
            self._size += _weight(data)
            while self._size > self._most:
                self._size -= _weight(self._documents.pop(next(iter(self._documents)))[0])
        elif found.known is None and found.has_lines and type(found.texts) is list:  # or it was never searched
            from patchkit.core.matching.scopes.anchors import KnownDocument  # of files that are planned on again

            found.known = KnownDocument(found.texts)
        self._documents[key] = data, found
        return found
