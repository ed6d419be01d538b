"""Files in a mapping: the planner's other kind of file source, with no disk at all."""

from __future__ import annotations

from patchkit.changes.model import Entry, FileChange, Plan
from patchkit.changes.paths import ancestors, as_written_or_bare, joined
from patchkit.errors import Note, PatchkitError
from patchkit.text.endings import Conventions


class MemoryFiles:
    """A mapping of relative paths to bytes, taken as the whole workspace. Committing a plan updates it."""

    def __init__(self, content: dict[str, bytes]) -> None:
        self.content = content

    def find(self, path: str, follow: bool = True) -> Entry:
        return as_written_or_bare(path, self._find)

    def new_ending(self, name: str) -> bytes:
        """How the lines of a new file of this name end."""
        from patchkit.text.endings import Conventions

        return Conventions(self.settings).ending(name)

    def settings(self, name: str) -> bytes | None:
        """The content of a settings file; None where there is none."""
        return self.content.get(name)

    def parts(self, path: str) -> list[str]:
        """The components of a path from the root; refused when it leaves."""
        parts = joined([], path)
        if path.startswith("/") or not parts:
            raise PatchkitError("P301", file=path, root=".")
        return parts

    def _find(self, path: str) -> Entry:
        name = "/".join(self.parts(path))
        data = self.content.get(name)
        if data is not None:
            return Entry(name, "file", data)
        if any(other.startswith(name + "/") for other in self.content):
            return Entry(name, "directory")
        entry = Entry(name, "missing")
        entry.blocker = next((parent for parent in ancestors(name) if parent in self.content), "")
        return entry

    def names(self, most: int) -> list[str]:
        """The paths there are, `most` of them at the most."""
        return [*self.content][:most]

    def prepare(self, options: object) -> None:
        """A mapping has nothing to be told."""

    def begin(self, writing: bool = True) -> list[Note]:
        return []

    def commit(self, plan: Plan) -> None:
        for change in plan.effective:
            if change.after is None:
                del self.content[change.before.name]
            else:
                self.content[change.before.name] = b"".join(change.after)


# -- overlay: Files as plans would leave them: a source of files on top of another, which stays as it is. Takes a
# source of files; committing a plan changes what this one says is there, so that patches can be
# planned one on top of the other without writing any.


class Overlay:
    """What stands at each path after the plans committed so far."""

    def __init__(self, files: object) -> None:
        self._files = files
        self._changes: dict[str, FileChange] = {}
        self._homes: set[str] = set()  # directories of files that were put here
        self._conventions: Conventions | None = None  # as of the plans so far

    def find(self, path: str, follow: bool = True) -> Entry:
        """Returns what stands at `path`: the change a plan made there, else what the files below say."""
        entry: Entry = self._files.find(path, False)  # type: ignore[attr-defined]
        if not follow or entry.name in self._changes:
            return self._as_it_is_now(entry)
        # Only a link that no plan has replaced leads on, and whoever asks may want to know that one did.
        entry = self._files.find(path, True)  # type: ignore[attr-defined]
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
        """The file that stands where a directory is needed: one a plan put there, or one no plan has taken away."""
        for name in ancestors(entry.name):
            change = self._changes.get(name)
            if change is not None and change.after is not None:
                return name
        return entry.blocker if entry.blocker not in self._changes else ""

    def new_ending(self, name: str) -> bytes:
        """How the lines of a new file of this name end, as settings files that are there by now say."""
        if self._conventions is None:
            self._conventions = Conventions(self.settings)
        return self._conventions.ending(name)

    def settings(self, name: str) -> bytes | None:
        """The content of a settings file; None where there is none."""
        change = self._changes.get(name)
        if change is not None:
            return b"".join(change.after) if change.after is not None else None
        return self._files.settings(name)  # type: ignore[attr-defined, no-any-return]

    def parts(self, path: str) -> list[str]:
        """The components of a path from the root, as the files below count them."""
        return self._files.parts(path)  # type: ignore[attr-defined, no-any-return]

    def prepare(self, options: object) -> None:
        """Nothing is written here, so there is nothing to be told."""

    def begin(self, writing: bool = True) -> list[Note]:
        return []

    def commit(self, plan: Plan) -> None:
        """Makes a plan true for those who ask here."""
        self._conventions = None
        for change in plan.effective:
            name = change.before.name
            self._changes[name] = change
            if change.after is not None:
                self._homes.update(ancestors(name))
