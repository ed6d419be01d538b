"""What a host gives to the library, and how its errors are worded.

Takes text, bytes or a Patch, and a directory, a mapping or any `Files`; gives what the packages below work with.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from patchkit.core.changes import Files, Options, Plan
from patchkit.core.language import Patch
from patchkit.core.language.lenience import refuse_half_characters, unwrap
from patchkit.core.language.parser import decode
from patchkit.errors import PatchkitError
from patchkit.exceptions import of_its_class
from patchkit.history import tracked_workspace
from patchkit.sources import MemoryFiles
from patchkit.writer import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypedDict

    AnyPatch = str | bytes | Patch
    Root = str | os.PathLike[str] | Mapping[str, bytes] | Files
    Start = str | os.PathLike[str] | None
    DialectName = Literal["safe", "codex"]
    Fix = Literal["", "certain", "likely"]
    FormatName = Literal[
        "auto", "v4a", "unified", "search-replace", "json-edits", "openai-ops", "whole-file", "snippet"
    ]
    WrittenFormat = Literal["v4a", "unified", "search-replace", "json-edits", "openai-ops", "whole-file"]
    Conflicts = Literal["", "markers"]
    Syntax = Literal["", "off", "note", "error"]
    Partial = Literal["", "files", "hunks"]
    PassName = Literal[
        "exact", "trailing-space", "surrounding-space", "typography", "rewritten", "blank-lines", "context-line"
    ]
else:

    class TypedDict:
        """At run time the names of the options are enough."""

        def __init_subclass__(cls, total=True):
            pass


class TextOptions(TypedDict, total=False):
    """How a patch is read and placed: what a patch that is still arriving has already. `apply` explains them."""

    strict: bool
    overwrite: bool
    dialect: DialectName
    max_pass: PassName
    forward: bool
    allow_vcs: bool
    allow_duplicate: bool
    allow_placeholder: bool
    encoding: str | None


class PlanningOptions(TextOptions, total=False):
    """What a whole text can be, besides: in another format, for another base, to be taken back."""

    syntax: Syntax
    from_format: FormatName
    strip: int | None
    skip_unsupported: bool
    reverse: bool
    base: Root | None
    conflicts: Conflicts


class PlanOptions(PlanningOptions, total=False):
    """And how the plan is committed."""

    no_sync: bool
    allow_owner_change: bool
    keep_links: bool
    history: bool


class CheckOptions(PlanningOptions, total=False):
    """And what becomes of a refusal."""

    partial: Partial
    suggest: bool
    fix: Fix


class PatchOptions(CheckOptions, PlanOptions, total=False):
    """All options of `apply`."""

    check: bool
    format: Sequence[str]
    verify: Sequence[str]
    verify_timeout: int
    commit: str | None


def option_names(kind: type) -> list[str]:
    return list(dict.fromkeys(name for each in kind.__mro__ for name in getattr(each, "__annotations__", ())))


def refuse_unknown(call: str, kind: type, given: Mapping[str, object]) -> None:
    """Raises TypeError for a keyword that a call does not have."""
    known = option_names(kind) if given else []
    for name in given:
        if name not in known:
            raise TypeError(f"{call}() got an unexpected keyword argument '{name}'")


def options_of(call: str, kind: type, given: Mapping[str, object], **more: object) -> Options:
    """The options that a call was given, which are of a kind; raises TypeError for others, and P601 for a value."""
    refuse_unknown(call, kind, given)
    values = {"history": False, **given, **more}
    for name in ("format", "verify"):
        values[name] = _commands(name, values.get(name, ()))
    source, base = values.pop("from_format", "v4a"), values.pop("base", None)
    made = Options(**values)  # type: ignore[arg-type]  # by their names
    made.source = "" if source == "v4a" else str(source)
    made.base = files_of(base, None, "base") if base is not None else None  # type: ignore[arg-type]  # which it checks
    if made.conflicts and base is None:
        raise PatchkitError("P601", option="conflicts", given=made.conflicts, allowed="'', or give a base as well")
    return made.checked()


def _commands(name: str, given: object) -> tuple[str, ...]:
    """The commands of an option: one, or several."""
    commands = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, (list, tuple)) else None
    if commands is None or not all(isinstance(each, str) for each in commands):
        raise PatchkitError("P601", option=name, given=given, allowed="a command, or a list of commands")
    return commands


def text_of(patch: str | bytes) -> str:
    if isinstance(patch, str):
        if not patch.isascii():
            refuse_half_characters(patch)
        return patch
    if isinstance(patch, bytes):
        return decode(patch)
    raise PatchkitError("P601", option="patch", given=type(patch).__name__, allowed="str, bytes or Patch")


def patch_of(patch: AnyPatch, options: Options) -> str | Patch:
    """The patch as it was given; one that is to be taken back or carried over is read as text."""
    if not isinstance(patch, Patch):
        return text_of(patch)
    if options.strip is not None:
        raise PatchkitError("P601", option="strip", given=options.strip, allowed="None: a Patch has its paths")
    options.source = ""  # which a Patch is in no other
    return write(patch) if options.reverse or options.base is not None else patch


def files_of(root: Root, start: Start, option: str = "root", options: Options | None = None) -> Files:
    if isinstance(root, (str, os.PathLike)):
        return tracked_workspace(root, start)
    if options is not None and options.history and getattr(type(root), "prepare", Files.prepare) is Files.prepare:
        raise PatchkitError("P601", option="history", given=True, allowed="False: only a directory has it")
    if start is not None:
        raise PatchkitError("P601", option="start", given=os.fspath(start), allowed="None: only a directory has it")
    if isinstance(root, Mapping):
        return MemoryFiles(root)
    if hasattr(root, "find") and hasattr(root, "commit"):
        return root
    allowed = "a directory, a mapping of paths to bytes, or an object of patchkit.Files"
    raise PatchkitError("P601", option=option, given=type(root).__name__, allowed=allowed)


def for_library(error: PatchkitError, patch: AnyPatch | None = None, strict: bool = False) -> PatchkitError:
    """The error as the library raises it: its class follows from its code, its words are for a program."""
    from patchkit.report.correction import refusal_text

    error.others = [of_its_class(each) for each in error.others]
    error = of_its_class(error)
    text = _quotable(patch, strict)
    for each in error.errors:
        each.for_library, each.patch, each.draw = True, text, refusal_text
        if each.code == "P601":
            option = str(each.facts.get("option")).replace("-", "_")
            each.facts["option"] = "from_format" if option == "from" else option
    return error


class WordedForPrograms:
    """Has an error of ours that is raised inside worded as the library words it: see `for_library`."""

    def __init__(self, patch: AnyPatch | None = None, strict: bool = False) -> None:
        self._patch, self._strict = patch, strict

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _where: object) -> None:
        if isinstance(error, PatchkitError):
            raise for_library(error, self._patch, self._strict) from None


class LibraryFront:
    """How the library shows a plan, and words a refusal to commit it."""

    def diff(self, plan: Plan) -> str:
        from patchkit.diffs.diff import unified

        return unified(plan).decode("utf-8", "surrogateescape")

    def summary(self, plan: Plan) -> str:
        from patchkit.applying import summary

        return summary(plan.updated, checked=True)

    def refusal(self, error: PatchkitError) -> PatchkitError:
        return for_library(error)


def _quotable(patch: AnyPatch | None, strict: bool) -> str | None:
    try:
        text = decode(patch) if isinstance(patch, bytes) else patch if isinstance(patch, str) else None
        return unwrap(text).text if text is not None and not strict else text
    except PatchkitError:
        return patch if isinstance(patch, str) else None
