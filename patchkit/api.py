"""The library as a host program calls it: parse, parse_stream, plan, check, apply, undo, convert, make_patch.

Takes text, bytes or a Patch, and a directory, a mapping or any `Files`; gives values a host can read, or raises
PatchkitError with words for a program. A guest in the host's process: no signal handler, no change of the working
directory, no output, any thread.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterable, Iterable, Mapping
from contextlib import nullcontext

from patchkit.applying import Applied, asks_for_nothing, notes_on_nothing, planned_as_meant, read_patch
from patchkit.applying import apply as _apply
from patchkit.converting import Converted
from patchkit.converting import convert as _convert
from patchkit.core.changes import Options, Plan
from patchkit.core.language import Patch
from patchkit.core.language.parser import parse as _parse
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.formats.making import make_patch as _make_patch
from patchkit.formats.model import NAMES
from patchkit.guards.syntax import check_syntax
from patchkit.history import tracked_workspace
from patchkit.host_input import (
    CheckOptions,
    LibraryFront,
    PatchOptions,
    PlanningOptions,
    PlanOptions,
    TextOptions,
    WordedForPrograms,
    files_of,
    options_of,
    patch_of,
    refuse_unknown,
    text_of,
)
from patchkit.policy.oversight import Oversight
from patchkit.results import read_deleted
from patchkit.sources import DocumentMemory
from patchkit.streaming import StreamedPatch
from patchkit.tools.registry import effect_and_name
from patchkit.tools.undo import Reversed, reversed_by
from patchkit.writer import write_bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from patchkit.host_input import AnyPatch, FormatName, Root, Start, WrittenFormat
    from patchkit.policy.deeds import Tree


def parse(patch: str | bytes, *, strict: bool = False) -> Patch:
    """Returns the patch that a text holds; `strict` refuses text that does not follow the grammar to the letter."""
    with WordedForPrograms(patch, strict):
        return _parse(text_of(patch), strict)


def plan(patch: AnyPatch, root: Root = ".", *, start: Start = None, **options: Unpack[PlanOptions]) -> Plan:
    """Returns what the patch would do to a directory, to a mapping of paths to bytes, or to any Files.

    Nothing is written until `commit` is called on the plan. The options are those of `apply`, but for `check` and
    those about a refusal or about commands.
    """
    with WordedForPrograms(patch, options.get("strict", False)):
        chosen = options_of("plan", PlanOptions, options)
    return _planned(patch, root, start, chosen)


def _planned(patch: AnyPatch, root: Root, start: Start, options: Options) -> Plan:
    strict = options.strict
    with WordedForPrograms(patch, strict):
        given = patch_of(patch, options)
        files = files_of(root, start, options=options)
        files.prepare(options)
        parsed = read_patch(given, files, options) if isinstance(given, str) else given
        if asks_for_nothing(parsed):
            made = Plan(files)
            made.notes = notes_on_nothing(parsed)
        else:
            made = planned_as_meant(parsed, files, options)
        if options.syntax not in ("", "off"):
            check_syntax(made, options.syntax)
    made.notes[:0] = parsed.notes
    made.front = LibraryFront()
    return made


def parse_stream(
    pieces: Iterable[str | bytes] | AsyncIterable[str | bytes] = (),
    root: Root | None = None,
    *,
    start: Start = None,
    **options: Unpack[TextOptions],
) -> StreamedPatch:
    """Reads a patch while it is being written; gives what has arrived, and raises as soon as it cannot apply.

    Iterate over it (`for`, or `async for` where the pieces come so), or call its `feed` and `finish`. With a `root`
    every part is looked for in the files when it has arrived; nothing is ever written. Without one the text is read.
    The options are those of `apply` about reading and placing: `strict`, `overwrite`, `dialect`, `max_pass`,
    `forward`, `allow_vcs`, `allow_duplicate`, `allow_placeholder` and `encoding`.
    """
    with WordedForPrograms():
        chosen = options_of("parse_stream", TextOptions, options, check=True)
        files = files_of(root, start) if root is not None else None
        if files is not None:
            files.prepare(chosen)
        return StreamedPatch(pieces, files, chosen)


class Planner:
    """Plans many patches, on files that are often the same: what was found out about a file serves the next patch.

    The options are those of `plan`, for all patches, but for those about writing. `max_bytes` bounds the memory that
    the files take which are remembered, by their content. Plans are the same as those of `plan`. A Planner is for one
    thread at a time.
    """

    def __init__(self, *, max_bytes: int = 64 << 20, **options: Unpack[PlanningOptions]) -> None:
        with WordedForPrograms():
            self._options = options_of("Planner", PlanningOptions, options)
        self._options.memory = DocumentMemory(max_bytes)

    def plan(self, patch: AnyPatch, root: Root = ".") -> Plan:
        """Returns what the patch would do to a directory, to a mapping of paths to bytes, or to any Files.

        Nothing is written until `commit` is called on the plan.
        """
        return _planned(patch, root, None, self._options)


def apply(patch: AnyPatch, root: Root = ".", *, start: Start = None, **options: Unpack[PatchOptions]) -> Applied:
    """Applies the patch: all of it, or PatchkitError and nothing.

    `root` is a directory, which no path of the patch can leave; or a mapping of paths to bytes, which is changed;
    or any Files. `start` is the directory under the root where relative paths start. `strict` accepts only exact
    places and text that follows the grammar; `max_pass` is the most tolerant way a hunk may match; `forward` skips
    what is there already; `overwrite` lets Add and Move replace files; `dialect` is 'safe' or 'codex'; `allow_vcs` lets
    the patch change the insides of '.git' and the like, `allow_duplicate` lets it add what a file has already, and
    `allow_placeholder` lines in place of code. `suggest` puts a corrected patch into `error.suggestion`, and how sure
    it is into `error.certainty`, where one reading is clearly best. `fix` applies such a correction instead of raising:
    'certain' those that are certain, 'likely' the others, too; a note says so. `history` records
    the run, with the old content of files, so that `undo` can take it back. `encoding` is that of files that are not
    UTF-8. `no_sync` does not wait for the disk; `keep_links` writes to files with several hard links instead of
    replacing them; `allow_owner_change` replaces files of other owners. `syntax` is 'note' or 'error' for new syntax
    errors of source files. `check` stops before writing. `from_format` is the format of a text in another one than the
    patch language; `strip` says that it is a unified diff, and how many leading parts its paths lose;
    `skip_unsupported` leaves out what a patch cannot say, with a note for each. `reverse` takes the patch back.
    `base` is what the patch was made for, where the files have changed since: a directory, a mapping or any Files;
    both changes are merged, `conflicts` 'markers' writes what cannot be. `partial` 'files' applies every file whose
    hunks all fit, 'hunks' also the hunks that fit of the others: the rest is a patch in `rest`, and why it does not
    fit is in `errors`. `format` are commands that change the files of the patch, with '{files}' in the place of
    their names; `verify` commands that must succeed, each within `verify_timeout` seconds; `commit` is the message
    of a commit of git, '' for one made from the names of the files. If one of them fails, everything is as it was,
    and P648 or P649 is raised with the end of its output. They are run as they are: no rules are asked.
    """
    with WordedForPrograms(patch, options.get("strict", False)):
        chosen = options_of("apply", PatchOptions, options)
        given = patch_of(patch, chosen)
        files = files_of(root, start, options=chosen)
        with files if isinstance(files, Workspace) and files is not root else nullcontext():
            if chosen.format or chosen.verify or chosen.commit is not None:
                _prove(files, chosen)
            return _apply(given, files, chosen, read_deleted)


def _prove(files: object, options: Options) -> None:
    if not isinstance(files, Workspace):
        allowed = "not given: commands need a directory"
        raise PatchkitError("P601", option="verify, format and commit", given="given", allowed=allowed)
    __import__("patchkit.tools.proving")  # by its name: `exec` imports the package itself, which imports this module
    proving = sys.modules["patchkit.tools.proving"]
    proving.prepare(proving.call_for(files, proving.Caller()), options, by_settings=False)


def check(patch: AnyPatch, root: Root = ".", *, start: Start = None, **options: Unpack[CheckOptions]) -> Applied:
    """Returns what `apply` would return, or raises what it would raise, and writes nothing.

    The options are those of `apply`, but for `check` and those about writing.
    """
    refuse_unknown("check", CheckOptions, options)
    return apply(patch, root, start=start, check=True, **options)


def undo(root: str | os.PathLike[str] = ".", run: str = "") -> Reversed:
    """Makes the files under a directory what they were before a run: the latest that was recorded, or the one named.

    Only runs with `history=True`, and those of the commands, are recorded.
    """
    with WordedForPrograms(), tracked_workspace(root) as files:
        return reversed_by(_Unjudged("undo", agent=False, tool_names=effect_and_name), files, run)


class _Unjudged(Oversight):
    """A library call is the host's own: no rules hold for it, and no log records it."""

    def judge_over(self, files: Tree) -> None:
        return None


def convert(
    text: str | bytes,
    to: WrittenFormat,
    root: Root | None = ".",
    *,
    start: Start = None,
    from_format: FormatName = "auto",
    strip: int | None = None,
    strict: bool = False,
    overwrite: bool = False,
    forward: bool = False,
    encoding: str | None = None,
    portable: bool = False,
    skip_unsupported: bool = False,
    reverse: bool = False,
) -> Converted:
    """Returns a text in one edit format as a text in another, with notes about what it does not say.

    The text is planned on the files, and the result is proved on them; nothing is written. With `root=None` no files
    are looked at. `reverse` gives what takes the text back, for files that have it applied.
    """
    with WordedForPrograms(text, strict):
        if to not in NAMES:
            raise PatchkitError("P601", option="to", given=to, allowed=", ".join(map(repr, NAMES)))
        if reverse and root is None:
            raise PatchkitError("P601", option="root", given=None, allowed="files, which 'reverse' needs")
        options = Options(
            source=from_format,
            strip=strip,
            strict=strict,
            overwrite=overwrite,
            forward=forward,
            encoding=encoding,
            skip_unsupported=skip_unsupported,
            reverse=reverse,
        ).checked()
        files = files_of(root, start) if root is not None else None
        with files if isinstance(files, Workspace) and files is not root else nullcontext():
            return _convert(text_of(text), files, to, options, portable)


def make_patch(before: Mapping[str, bytes], after: Mapping[str, bytes], *, portable: bool = False) -> str:
    """Returns the text of the patch that turns one mapping of paths to bytes into another.

    With `portable`, other programs for the patch language accept it as well.
    """
    with WordedForPrograms():
        for side in (before, after):
            for name, data in side.items():
                if not isinstance(data, bytes):
                    given = type(data).__name__
                    raise PatchkitError("P601", option=f"the content of '{name}'", given=given, allowed="bytes")
        return write_bare(_make_patch(before, after, portable))
