"""Files in a mapping: the planner's other kind of file source, with no disk at all."""

from __future__ import annotations

from patchkit.changes.model import Entry, Plan
from patchkit.changes.names import ancestors, as_written_or_bare, joined
from patchkit.errors import Note, PatchkitError


class MemoryFiles:
    """A mapping of relative paths to bytes, taken as the whole workspace. Committing a plan updates it."""

    def __init__(self, content: dict[str, bytes]) -> None:
        self.content = content

    def find(self, path: str, follow: bool = True) -> Entry:
        return as_written_or_bare(path, self._find)

    def new_ending(self, name: str) -> bytes:
        """How the lines of a new file of this name end."""
        from patchkit.text.conventions import Conventions

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
