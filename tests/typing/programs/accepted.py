"""Calls of the library that both checkers accept, with the types they give."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import assert_type

import patchkit
from patchkit.testing import check_files

TEXT = "*** Begin Patch\n*** End Patch\n"

assert_type(patchkit.__version__, str)
assert_type(patchkit.parse(TEXT), patchkit.Patch)
assert_type(patchkit.parse(TEXT.encode(), strict=True), patchkit.Patch)
assert_type(patchkit.plan(TEXT, {"a": b""}), patchkit.Plan)
assert_type(patchkit.plan(TEXT, MappingProxyType({"a": b""})), patchkit.Plan)
assert_type(patchkit.plan(patchkit.parse(TEXT), Path("."), start="sub", dialect="codex"), patchkit.Plan)
assert_type(patchkit.apply(TEXT), patchkit.Applied)
assert_type(patchkit.apply(TEXT, root="repo", max_pass="trailing-space", history=True), patchkit.Applied)
assert_type(patchkit.apply(TEXT, patchkit.MemoryFiles({"a": b""}), forward=True), patchkit.Applied)
assert_type(patchkit.check(TEXT.encode(), ".", suggest=True, encoding="gbk"), patchkit.Applied)
assert_type(patchkit.undo("repo"), patchkit.Reversed)
assert_type(patchkit.make_patch({"a": b"1\n"}, {"a": b"2\n"}), str)
assert_type(patchkit.write(patchkit.Patch([patchkit.AddFile("a", "x\n"), patchkit.DeleteFile("b")])), str)
assert_type(patchkit.classify(["bash", "-lc", "ls"], "."), patchkit.Verdict)


def results(done: patchkit.Applied) -> list[str]:
    assert_type(done.applied, bool)
    assert_type(done.notes, list[patchkit.Note])
    assert_type(done.files, list[patchkit.FileResult])
    for file in done.files:
        assert_type((file.path, file.operation, file.moved_from), tuple[str, str, str | None])
        assert_type((file.added, file.removed), tuple[int, int | None])
        for hunk in file.hunks:
            assert_type(hunk, patchkit.HunkResult)
            assert_type((hunk.line, hunk.pass_name), tuple[int | None, str | None])
            assert_type((hunk.status, hunk.evidence), tuple[str, list[str]])
    return [note.message for note in done.notes]


def plans(plan: patchkit.Plan) -> str:
    for change in plan.effective:
        assert_type(change, patchkit.FileChange)
        assert_type(change.before, patchkit.Entry)
    plan.commit()
    assert_type(plan.files, patchkit.Files)
    return plan.diff() + plan.summary()


def refused(error: patchkit.PatchkitError) -> str:
    assert_type(error.errors, list[patchkit.PatchkitError])
    assert_type((error.code, error.kind, error.message, error.hint), tuple[str, str, str, str])
    assert_type((error.file, error.hunk, error.patch_line), tuple[str | None, int | None, int | None])
    assert_type(error.to_dict(), dict[str, object])
    assert_type(error.suggestion, str | None)
    return error.render(columns=80)


def caught() -> str:
    try:
        patchkit.apply(TEXT)
    except (patchkit.PatchSyntaxError, patchkit.PlacingError) as error:
        return error.render()
    except (patchkit.WorkspaceError, patchkit.InputOutputError, patchkit.UsageError) as error:
        return str(error)
    except patchkit.PatchkitError as error:
        return refused(error)
    return ""


class Smallest(patchkit.Files):
    """The least that a source of files has to write."""

    def __init__(self, content: dict[str, bytes]) -> None:
        self._files = patchkit.MemoryFiles(content)

    def find(self, path: str, follow: bool = True) -> patchkit.Entry:
        return self._files.find(path, follow)

    def commit(self, plan: patchkit.Plan) -> None:
        self._files.commit(plan)


def contract() -> None:
    check_files(lambda content: Smallest(dict(content)))
    check_files(lambda content: patchkit.MemoryFiles(content), writable=False)


def sections(patch: patchkit.Patch) -> list[str]:
    found: list[str] = []
    for op in patch.sections:
        if isinstance(op, patchkit.UpdateFile):
            assert_type(op.hunks, list[patchkit.Hunk])
            found.append(op.move_to or op.path)
        elif isinstance(op, patchkit.AddFile):
            found.append(op.text)
        else:
            assert_type(op, patchkit.DeleteFile)
    return found
