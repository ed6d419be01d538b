"""Files that are not on a disk: a table of a database as a source that patches are planned on and committed to.

    python examples/virtual_files.py

`patchkit.Files` needs two methods: `find`, which says what is at a path, and `commit`, which makes a plan true. Here a
commit is one transaction of the database, so a patch is applied as a whole or not at all.
"""

from __future__ import annotations

import sqlite3

import patchkit


class TableFiles(patchkit.Files):
    """The rows of a table `files` with the columns `path` and `content`."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def find(self, path: str, follow: bool = True) -> patchkit.Entry:
        name = "/".join(self.parts(path))  # raises when the path leaves: '..' and absolute paths
        content = self._content(name)
        if content is not None:
            return patchkit.Entry(name, "file", content)
        if self._database.execute("SELECT 1 FROM files WHERE substr(path, 1, ?) = ?", _below(name)).fetchone():
            return patchkit.Entry(name, "directory")
        missing = patchkit.Entry(name, "missing")
        parents = name.split("/")[:-1]
        for count in range(1, len(parents) + 1):
            above = "/".join(parents[:count])
            if self._content(above) is not None:
                missing.blocker = above  # a file where the new one needs a directory
        return missing

    def commit(self, plan: patchkit.Plan) -> None:
        try:
            with self._database:  # one transaction
                for change in plan.effective:
                    name = change.before.name
                    self._database.execute("DELETE FROM files WHERE path = ?", (name,))
                    if change.after is not None:
                        row = (name, b"".join(change.after))
                        self._database.execute("INSERT INTO files VALUES (?, ?)", row)
        except sqlite3.Error as error:
            raise patchkit.PatchkitError("P402", file="the table", reason=str(error)) from error

    def names(self, most: int) -> list[str]:
        """So that an error can name the path that was meant by a misspelt one."""
        return [path for (path,) in self._database.execute("SELECT path FROM files ORDER BY path LIMIT ?", (most,))]

    def _content(self, name: str) -> bytes | None:
        row = self._database.execute("SELECT content FROM files WHERE path = ?", (name,)).fetchone()
        return bytes(row[0]) if row is not None else None


def _below(name: str) -> tuple[int, str]:
    return len(name) + 1, name + "/"


def new_table(content: dict[str, bytes]) -> TableFiles:
    """A database in memory with these files."""
    database = sqlite3.connect(":memory:")
    with database:
        database.execute("CREATE TABLE files (path TEXT PRIMARY KEY, content BLOB)")
        database.executemany("INSERT INTO files VALUES (?, ?)", content.items())
    return TableFiles(database)


PATCH = """\
*** Begin Patch
*** Update File: src/app.py
@@
-print("hello")
+print("hello, world")
*** Add File: README.md
+An app that says hello.
*** End Patch
"""

if __name__ == "__main__":
    files = new_table({"src/app.py": b'print("hello")\n'})
    plan = patchkit.plan(PATCH, files)
    print(plan.diff(), end="")
    plan.commit()
    print(files.find("src/app.py").data.decode(), end="")
