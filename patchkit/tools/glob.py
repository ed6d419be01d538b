"""Glob: files by name, the newest first. The walk starts in the directory that the plain part of a pattern names."""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.globs.patterns import PatternError, beginning, level
from patchkit.report.result import Json, Result
from patchkit.search.walk import DirectoryWalk, SearchBudget, directory_at, files_named, rules_above
from patchkit.tools import answers
from patchkit.tools.answers import SECONDS
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall, field, fields

MOST = 200
VISITS = 20_000
_NAMED = 20  # directories that are listed where more were not seen

DESCRIPTION = """\
Finds files by name, the newest first.
- pattern is compared with paths below path (default: the current directory): '*' and '?' stay within a name, '**' crosses directories, '{a,b}' is either, '[a-z]' is one of these; '*.py' finds files of that directory only, '**/*.py' at any depth
- Returns absolute paths; relative returns them as they would be written here
- Hidden names are found only where the pattern spells their dot; what ignore files and the default ignore list leave out (node_modules, dist, .git and the like) is not searched; include_hidden and include_ignored change that
- At most 200 files, 20000 names looked at and 2 seconds: a partial result says what is missing and how to go on
- To find files by content use Grep"""  # noqa: E501  # one point, one line
_LIMIT = answers.limit_field(MOST, MOST, "files")
SCHEMA: Json = fields(
    "pattern",
    pattern=field("string", "The pattern of paths, for example '**/*.py' or 'src/**/test_*.{js,ts}'"),
    path=field("string", "The directory to search (default: the current one)"),
    limit=_LIMIT,
    **answers.COMMON,
)
EXTRAS: Json = {
    "limit": answers.unbounded(_LIMIT),
    "relative": field("boolean", "Return paths from where relative paths start"),
    "timeout": answers.timeout_field(SECONDS, "as long and as far as it takes"),
}


def run(call: ToolCall) -> Result:
    limit, offset = answers.limit_of(call, MOST, MOST), call.number("offset", 0)
    seconds = call.number("timeout", SECONDS)
    budget = SearchBudget(seconds, VISITS if seconds else 0, cancelled=call.caller.cancelled)
    walk = _walk(call, budget)
    shared = not budget.visits and call.caller.may_fork
    found = files_named(call.files, walk, shared=shared) if walk is not None else []
    if call.may_read is not None:
        found = list(filter(call.may_read, found))
    call.refuse_cancelled()
    extent = _Extent(call, walk, budget)
    if extent.stopped and not found:
        raise extent.nothing_found()
    page = found[offset : offset + limit] if limit else found[offset:]
    paths = answers.absolute(call.files, page)
    if call.flag("relative"):
        paths = [answers.spelled(call.files, path) for path in page]
    data: Json = {
        "paths": paths,
        "total": len(found),
        "truncated": offset + len(page) < len(found),
        **extent.account(),
        "next": None,
    }
    remarks = _cuts(call, data, extent, offset)
    status = "partial" if remarks else "success"
    if not found:
        base = beginning(call.text("pattern"))[0]
        remarks.insert(
            0, "No files found" + (f": there is no directory '{answers.escaped(base)}'" if walk is None else "")
        )
    return Result(status, data, answers.text_of(answers.visible(call, paths), remarks))


def _walk(call: ToolCall, budget: SearchBudget) -> DirectoryWalk | None:
    """The walk a call asks for; None where the directory that its pattern names is not there."""
    path, pattern = call.text("path") or ".", call.text("pattern")
    base, rest = beginning(pattern)
    try:
        directory_at(call.files, path)
    except PatchkitError as error:
        raise answers.with_suggestion(call, path, error) from None
    try:
        wanted = level(rest, call.flag("include_hidden"))
        start = directory_at(call.files, f"{path}/{base}" if base and not base.startswith("/") else base or path)
    except PatternError as error:
        raise PatchkitError("P632", pattern=pattern, reason=str(error)) from None
    except PatchkitError as error:
        if error.code in ("P302", "P310", "P319"):
            return None
        raise
    rules = None if call.flag("include_ignored") else rules_above(call.files.directories, start, budget.late)
    return DirectoryWalk(call.files.directories, budget, start, wanted, rules)


class _Extent:
    """How far a walk came, as far as the caller may know; a search without a directory is complete."""

    def __init__(self, call: ToolCall, walk: DirectoryWalk | None, budget: SearchBudget) -> None:
        self.stopped = walk.stopped if walk is not None else ""
        self.visited = walk.visited if walk is not None else 0
        self.unseen = walk.unseen if walk is not None and walk.stopped else []
        self.unreadable = walk.unreadable if walk is not None else []
        self.seconds = f"{budget.elapsed:.1f}"
        if call.may_read is not None:
            self.unseen = list(filter(call.may_read, self.unseen))
            self.unreadable = [(path, why) for path, why in self.unreadable if call.may_read(path)]

    def account(self) -> Json:
        return {
            "visited": self.visited,
            "aborted_reason": self.stopped or None,
            "not_visited": self.unseen[:_NAMED],
            "not_visited_count": len(self.unseen),
            "unreadable": [{"path": path, "reason": why} for path, why in self.unreadable[:_NAMED]],
        }

    def words(self) -> str:
        """Where it was stopped."""
        spent = f"{self.visited:,} names" if self.stopped == "visits" else f"{self.seconds} s"
        left = answers.counted(len(self.unseen), "directory", "directories")
        return f"Stopped after {spent} with {left} not visited: {answers.some_of(dict.fromkeys(self.unseen, ''))}"

    def nothing_found(self) -> PatchkitError:
        return PatchkitError(
            "P631",
            seconds=self.seconds,
            visited=f"{self.visited:,}",
            unseen=answers.some_of(dict.fromkeys(self.unseen, "")),
            said=f"Error: glob timed out after {self.seconds}s. Try a more specific pattern.",
            data={"paths": [], "total": 0, "truncated": True, **self.account()},
        )


def _cuts(call: ToolCall, data: Json, extent: _Extent, offset: int) -> list[str]:
    """What is missing, and how to get it; the call that continues goes into the data."""
    remarks = []
    if data["truncated"]:
        shown = len(data["paths"])
        found = answers.counted(data["total"], "file") + (" found so far" if extent.stopped else "")
        words = f"{shown:,} of {found}, the newest first. Narrow the pattern, or continue"
        remarks.append(answers.going_on(call, data, {"offset": offset + shown}, words))
    if extent.stopped:
        words = f"{extent.words()}. Narrow the pattern or name a path, or search everything"
        remarks.append(answers.going_on(call, data, {"timeout": 0}, words))
    if extent.unreadable:
        remarks.append(f"Could not be read: {answers.some_of(dict(extent.unreadable))}")
    return remarks


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    extras=EXTRAS,
    aliases={"directory": "path", "dir_path": "path", "file_path": "path", **answers.COMMON_ALIASES},
    command_line=FieldSpelling(positional=("pattern", "path"), options=answers.COMMON_OPTIONS),
    operation="search",
)
