"""Check a source of files of your own against what planning and committing rely on.

Takes a function that makes a `Files` from paths and their bytes; raises AssertionError with the rule that is broken.
Needs no test framework: call `check_files` from a test of any kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from patchkit.api import apply, plan
from patchkit.core.changes import Files
from patchkit.errors import PatchkitError
from patchkit.exceptions import WorkspaceError

MakeFiles = Callable[[Mapping[str, bytes]], Files]

_BEFORE = {"a.txt": b"one\ntwo\n", "d/b.txt": b"three\r\n", "d/e/old.txt": b"\xff\x00no text", "empty": b""}
_PATCH = """\
*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+2
*** Update File: d/b.txt
*** Move to: new/c.txt
@@
-three
+3
*** Delete File: d/e/old.txt
*** Add File: d/new.txt
+fresh
*** End Patch
"""
_AFTER = {"a.txt": b"one\n2\n", "new/c.txt": b"3\r\n", "d/new.txt": b"fresh\n", "empty": b""}
_REFUSED = "*** Begin Patch\n*** Delete File: a.txt\n*** Delete File: nowhere\n*** End Patch\n"
_SECOND = "*** Begin Patch\n*** Update File: a.txt\n@@\n-2\n+II\n*** Delete File: new/c.txt\n*** End Patch\n"


def check_files(make_files: MakeFiles, *, writable: bool = True) -> None:
    """Raises AssertionError when the files that `make_files` makes break a rule of `patchkit.Files`.

    `make_files` is called several times with a mapping of paths to bytes, and gives a source of exactly these files
    each time. A source that cannot be written to is checked with `writable=False`: then `commit` must raise
    PatchkitError.
    """
    _check_finding(make_files(_BEFORE))
    _check_confinement(make_files(_BEFORE))
    _check_the_rest(make_files(_BEFORE))
    _check_planning(make_files(_BEFORE))
    if writable:
        _check_committing(make_files(_BEFORE))
    else:
        _check_refusing_to_commit(make_files(_BEFORE))


def _check_finding(files: Files) -> None:
    for path, data in _BEFORE.items():
        entry = files.find(path)
        _expect(entry.kind == "file", f"find({path!r}) gives a file, not a {entry.kind}")
        _expect(entry.data == data, f"the data of {path!r} is its content, byte for byte")
        for spelled in (f"./{path}", f"d/../{path}"):
            same = files.find(spelled)
            _expect(same.name == entry.name, f"find({spelled!r}) has the name of find({path!r})")
    for path in ("d", "d/e"):
        _expect(files.find(path).kind == "directory", f"find({path!r}) gives a directory")
    missing = files.find("d/nothing.txt")
    _expect(missing.kind == "missing", "a path where nothing is gives an entry of the kind 'missing'")
    _expect(missing.blocker == "", "an entry that only does not exist has no blocker")
    below = files.find("a.txt/below")
    _expect(below.kind == "missing", "a path below a file gives an entry of the kind 'missing'")
    _expect(below.blocker == files.find("a.txt").name, "its blocker is the file where a directory is needed")
    _expect(files.find("a.txt", follow=False).data == _BEFORE["a.txt"], "a file is found without following links too")


def _check_confinement(files: Files) -> None:
    for path in ("../a.txt", "d/../../a.txt", "/nowhere/at/all.txt"):
        for asked in (files.find, files.parts):
            try:
                asked(path)
            except PatchkitError:
                continue
            raise AssertionError(f"{asked.__name__}({path!r}) raises PatchkitError: the path leaves the source")


def _check_the_rest(files: Files) -> None:
    _expect(files.parts("d/./e/../b.txt") == ["d", "b.txt"], "parts() works '.' and '..' out")
    names = files.names(2)
    _expect(len(names) <= 2, "names(2) gives two names at the most")
    for name in files.names(1000):
        _expect(files.find(name).kind == "file", f"names() gives files, and {name!r} is none")
    _expect(files.settings(".editorconfig") is None, "settings() gives None where the file does not exist")
    _expect(files.new_ending("x.txt") == b"\n", "without settings files new lines end with a line feed")
    _expect(files.begin(writing=False) == [], "begin() has no notes about files that are in order")


def _check_planning(files: Files) -> None:
    made = plan(_PATCH, files)
    _expect([change.changed for change in made.effective].count(True) == 5, "a plan knows what it changes")
    _expect_content(files, _BEFORE, "planning writes nothing")
    try:
        plan(_REFUSED, files)
    except WorkspaceError as error:
        _expect(error.code == "P302", "deleting what does not exist is refused with P302")
    else:
        raise AssertionError("a patch that deletes what does not exist is refused")
    apply(_PATCH, files, check=True)
    _expect_content(files, _BEFORE, "a check writes nothing")


def _check_committing(files: Files) -> None:
    try:
        apply(_REFUSED, files)
    except PatchkitError:
        _expect_content(files, _BEFORE, "a refused patch leaves everything as it was")
    apply(_PATCH, files)
    _expect_content(files, _AFTER, "a commit makes the whole plan true")
    for path in ("d/b.txt", "d/e/old.txt"):
        _expect(files.find(path).kind == "missing", f"{path!r} is gone after the commit")
    plan(_SECOND, files).commit()
    second = {"a.txt": b"one\nII\n", "d/new.txt": b"fresh\n", "empty": b""}
    _expect_content(files, second, "a later plan reads what an earlier commit left")
    _expect(files.find("new/c.txt").kind == "missing", "'new/c.txt' is gone after the second commit")


def _check_refusing_to_commit(files: Files) -> None:
    made = plan(_PATCH, files)
    try:
        made.commit()
    except PatchkitError:
        _expect_content(files, _BEFORE, "a commit that is refused leaves everything as it was")
    else:
        raise AssertionError("commit() of a source that cannot be written to raises PatchkitError")


def _expect_content(files: Files, content: Mapping[str, bytes], rule: str) -> None:
    for path, data in content.items():
        entry = files.find(path)
        _expect(entry.kind == "file" and entry.data == data, f"{rule}: {path!r}")


def _expect(condition: bool, rule: str) -> None:
    if not condition:
        raise AssertionError(f"not so: {rule}")
