"""Grep: files by what is in them, the newest first: records for programs, lines for readers, remarks on the rest."""

from __future__ import annotations

import os

from patchkit.errors import PatchkitError
from patchkit.globs.patterns import PatternError
from patchkit.reading import Opened, open_file
from patchkit.report.result import Json, Result
from patchkit.search.content import Findings, search
from patchkit.search.query import CONTENT, COUNT, FILES, FoundLine, Query, Start
from patchkit.search.walk import FileFilter, SearchBudget, entry_at
from patchkit.tools import answers
from patchkit.tools.answers import SECONDS
from patchkit.tools.arguments import shown
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall, field, fields
from patchkit.tools.registry import named

MOST = 100
DESCRIPTION = """\
Finds files by what is in them, the newest first.
- pattern is literal text: 'def __init__(self):' needs no escaping; regex makes it a regular expression, which is compared with single lines
- output_mode: 'files_with_matches' (default) returns paths, 'content' the matching lines with their numbers (before, after and context add lines around them), 'count' how many lines match in each file
- path is a directory or file to search (default: the current directory); glob ('*.py', 'src/**/*.ts', '!*.min.js') and type ('py', 'js', 'rust') choose among its files
- Hidden names, and what ignore files and the default ignore list leave out (node_modules, dist, .git and the like), are not searched; include_hidden and include_ignored change that
- At most 100 results and 2 seconds: a partial result says what is missing and how to go on"""  # noqa: E501  # one point, one line
_LIMIT = answers.limit_field(MOST, MOST, "results")
_LINES = {"type": "integer", "minimum": 0, "maximum": 1000}
SCHEMA: Json = fields(
    "pattern",
    pattern=field("string", "The text to look for, as it is in the files"),
    path=field("string", "The directory or file to search (default: the current directory)"),
    glob=field("string", "Search only files that match this pattern; with '!' in front, all others"),
    output_mode=field(
        "string",
        "What to return: paths (default), matching lines, or the number of matching lines by file",
        enum=[FILES, CONTENT, COUNT],
    ),
    limit=_LIMIT,
    **answers.COMMON,
)
EXTRAS: Json = {
    "limit": answers.unbounded(_LIMIT),
    "paths": field("array", "Further directories and files to search", items={"type": "string"}),
    "regex": field("boolean", "The pattern is a regular expression, in ripgrep's syntax"),
    "ignore_case": field("boolean", "Ignore upper and lower case"),
    "type": field("string", "Search only files of this type, for example 'py', 'js' or 'rust'"),
    "before": {**_LINES, "description": "Lines to show before each matching line"},
    "after": {**_LINES, "description": "Lines to show after each matching line"},
    "context": {**_LINES, "description": "Lines to show before and after each matching line"},
    "timeout": answers.timeout_field(SECONDS, "as long as it takes"),
    "encoding": field(
        "string", "The encoding of files that are not UTF-8; without it, what each declares or seems to have"
    ),
}
ALIASES = {
    "-A": "after",
    "-B": "before",
    "-C": "context",
    "-i": "ignore_case",
    "mode": "output_mode",
    "query": "pattern",
    "include": "glob",
    "head_limit": "limit",
    "file_path": "path",
    "dir_path": "path",
    **answers.COMMON_ALIASES,
}
COMMAND_LINE = FieldSpelling(
    positional=("pattern", "paths"),
    options={
        **answers.COMMON_OPTIONS,
        "output_mode": "--mode",
        "ignore_case": "-i/--ignore-case",
        "after": "-A/--after",
        "before": "-B/--before",
        "context": "-C/--context",
    },
)


def run(call: ToolCall) -> Result:
    limit, offset = answers.limit_of(call, MOST, MOST), call.number("offset", 0)
    seconds = call.number("timeout", SECONDS)
    query = _query(call)
    budget = SearchBudget(seconds, cancelled=call.caller.cancelled)
    starts, outputs = _starts(call)
    try:
        found = search(call.files, starts, query, budget, offset + limit if limit else 0, call.may_read)
    finally:
        for each in outputs:
            each.close()
    return answer(call, query, found, budget, offset, limit)


def _query(call: ToolCall) -> Query:
    pattern = call.text("pattern")
    if not pattern:
        raise PatchkitError("P603", field="pattern", given="''", allowed="some text to look for")
    if "\n" in pattern:
        raise PatchkitError("P636", what="a line end")
    if "\0" in pattern or any("\ud800" <= char < "\udc80" or "\udcff" < char <= "\udfff" for char in pattern):
        allowed = "text that a file can hold: no NUL character, and no half of a character"
        raise PatchkitError("P603", field="pattern", given=shown(pattern), allowed=allowed)
    query = Query(pattern, call.text("output_mode") or FILES, call.flag("regex"), call.flag("ignore_case"))
    around = call.number("context", 0)
    query.before, query.after = call.number("before", around), call.number("after", around)
    query.hidden, query.ignored = call.flag("include_hidden"), call.flag("include_ignored")
    query.glob, query.type = call.text("glob"), call.text("type")
    if call.text("encoding"):
        from patchkit.tools.editing.encodings import named_in  # few calls name one

        query.encoding = named_in(call) or ""
    try:
        FileFilter(query.glob)
    except PatternError as error:
        raise PatchkitError("P632", pattern=query.glob, reason=str(error)) from None
    return query


def _starts(call: ToolCall) -> tuple[list[Start], list[Opened]]:
    """Where to search, and the files that were opened for it."""
    named = [*([call.text("path")] if call.text("path") else []), *call.get("paths", [])]
    starts: list[Start] = []
    files: list[Opened] = []
    for path in named or ["."]:
        for each in _at(call, str(path)):
            if isinstance(each, Opened):
                files.append(each)
                starts.append(Start((), each.entry.name, each.fd))
            else:
                starts.append(each)
    return starts, files


def _at(call: ToolCall, path: str) -> list[Start | Opened]:
    """What a path names: a directory, a file, or saved outputs of commands, which are outside the workspace."""
    try:
        entry = entry_at(call.files, path)
    except PatchkitError as error:
        outputs = _outputs(call, path)
        if outputs is None:
            raise answers.with_suggestion(call, path, error) from None
        return outputs
    return [Start(entry.location.parts)] if entry.kind == "directory" else [open_file(call.files, path)]


def _outputs(call: ToolCall, path: str) -> list[Start | Opened] | None:
    """The outputs a path names: one of them, or all in their directory; None for any other path."""
    from patchkit.history.outputs import announced, opened  # only a path that is not in the workspace needs them

    place = announced(call.files, path)
    if place is None:
        return None
    names = [f"{place}/{name}" for name in sorted(os.listdir(place))] if os.path.isdir(place) else [place]
    return [each for name in names if (each := opened(call.files, name)) is not None]


_NARROWER = "Narrow it with a longer pattern, a path, a glob or a type"
_LIKE_AN_EXPRESSION = (".*", ".+", "\\", "|", "[^", "[a-z", "[A-Z", "[0-9", "(?")
_NAMED = 20  # places that are listed where more could not be read


def answer(call: ToolCall, query: Query, found: Findings, budget: SearchBudget, offset: int, limit: int) -> Result:
    """The page of what was found that begins at `offset`; a `limit` of 0 means all of it."""
    page = (_LinePage if query.mode == CONTENT else _FilePage)(call, query, found, offset, limit)
    data: Json = {
        "mode": query.mode,
        "matches": page.records,
        **({"context": page.around} if query.before or query.after else {}),
        "files": len(found.hits),
        "truncated": page.truncated,
        "fallback_used": bool(found.fallback),
        "aborted_reason": "timeout" if found.late else None,
        "unreadable": [{"path": path, "reason": why} for path, why in found.unreadable[:_NAMED]],
        "next": None,
    }
    remarks = _cuts(call, data, page, found, budget, offset)
    complete = not remarks
    if not page.records:
        remarks.insert(0, _nothing(call, query, found, offset))
    if page.clipped:
        remarks.append(_clipped(call, page.clipped))
    if found.fallback:
        remarks.append(f"Searched without ripgrep ({found.fallback})" + (". Nothing is known to be missing" * complete))
    whole = complete and not page.clipped and not found.fallback
    return Result("success" if whole else "partial", data, answers.text_of(page.text, remarks))


class _FilePage:
    """A page of files, with the number of matching lines where that was asked."""

    def __init__(self, call: ToolCall, query: Query, found: Findings, offset: int, limit: int) -> None:
        hits = found.hits[offset : offset + limit] if limit else found.hits[offset:]
        names = [_named(call, hit.path) for hit in hits]
        counting = query.mode == COUNT
        self.records: list[Json] = [
            {"path": name, "count": hit.count} if counting else {"path": name} for name, hit in zip(names, hits)
        ]
        self.around: list[Json] = []
        self.text = answers.visible(call, names)
        if counting:
            self.text = [f"{name}:{hit.count}" for name, hit in zip(self.text, hits)]
        self.truncated = offset + len(hits) < len(found.hits)
        self.clipped: list[FoundLine] = []
        self.shown = f"{len(hits):,} of {answers.counted(len(found.hits), 'file')}"


class _LinePage:
    """A page of matching lines, with those around them."""

    def __init__(self, call: ToolCall, query: Query, found: Findings, offset: int, limit: int) -> None:
        lines = _page(found.lines, offset, limit, query) if offset or found.more else found.lines
        names = {path: _named(call, path) for path in dict.fromkeys(line.path for line in lines)}
        shown = dict(zip(names, answers.visible(call, list(names.values()))))
        records = [({"path": names[line.path], "line": line.number, "text": line.text}, line) for line in lines]
        self.records: list[Json] = [record for record, line in records if line.matches]
        self.around: list[Json] = [record for record, line in records if not line.matches]
        self.text = _rows(lines, shown)
        self.truncated = found.more
        self.clipped = [line for line in lines if line.clipped]
        matching, files = answers.counted(len(self.records), "matching line"), answers.counted(len(found.hits), "file")
        self.shown = f"{matching}, and there are more, in {files}"


def _page(lines: list[FoundLine], offset: int, limit: int, query: Query) -> list[FoundLine]:
    """The matching lines from one number to another, each with its own lines around it."""
    places = [at for at, line in enumerate(lines) if line.matches]
    chosen = places[offset : offset + limit] if limit else places[offset:]
    if not chosen:
        return []
    first, last = lines[chosen[0]], lines[chosen[-1]]
    before = [
        line
        for line in lines[places[offset - 1] + 1 if offset else 0 : chosen[0]]
        if line.path == first.path and line.number >= first.number - query.before
    ]
    end = places[offset + len(chosen)] if offset + len(chosen) < len(places) else len(lines)
    after = [
        line
        for line in lines[chosen[-1] + 1 : end]
        if line.path == last.path and line.number <= last.number + query.after
    ]
    return [*before, *lines[chosen[0] : chosen[-1] + 1], *after]


def _rows(lines: list[FoundLine], names: dict[str, str]) -> list[str]:
    """Lines as ripgrep writes them: `path:12:text`, `path-13-text` for those around, `--` where some are left out."""
    rows: list[str] = []
    around = any(not line.matches for line in lines)
    above: FoundLine | None = None
    for line in lines:
        if around and above is not None and (above.path != line.path or above.number + 1 != line.number):
            rows.append("--")
        mark = ":" if line.matches else "-"
        rows.append(f"{names[line.path]}{mark}{line.number}{mark}{line.text}")
        above = line
    return rows


def _cuts(
    call: ToolCall, data: Json, page: _FilePage | _LinePage, found: Findings, budget: SearchBudget, offset: int
) -> list[str]:
    """What is missing, and how to get it; the call that continues goes into the data."""
    remarks = []
    if page.truncated:
        words = f"{page.shown}, the newest file first. {_NARROWER}, or continue"
        remarks.append(answers.going_on(call, data, {"offset": offset + len(page.records)}, words))
    if found.late:
        words = f"Stopped after {budget.elapsed:.1f} s: there may be more. {_NARROWER}, or search without a limit"
        remarks.append(answers.going_on(call, data, {"timeout": 0}, words))
    if found.unreadable:
        places = {_named(call, path): why for path, why in found.unreadable}
        remarks.append(f"Could not be read: {answers.some_of(places)}")
    if found.left_out:
        remarks.append(f"Not shown: {answers.counted(found.left_out, 'matching line')} of more than 32 MB")
    return remarks


def _nothing(call: ToolCall, query: Query, found: Findings, offset: int) -> str:
    pattern = query.pattern
    if offset:
        return f"No matches from offset {offset:,} on"
    if found.hits:
        return f"No line can be shown of {answers.counted(len(found.hits), 'file that matches', 'files that match')}"
    odd = any(mark in pattern for mark in _LIKE_AN_EXPRESSION) or pattern[0] == "^" or pattern[-1] == "$"
    if query.regex or not odd:
        return "No matches found"
    again = answers.follow_up(call, {"regex": True})
    return f"No matches found. The pattern was taken literally but looks like a regular expression: {again}"


def _clipped(call: ToolCall, lines: list[FoundLine]) -> str:
    """How to see long lines whole: in parts, as many as Read shows at once; Read says how to continue."""
    from patchkit.tools.reading.page import MOST_PARTS  # of Read, which few searches lead to

    arguments = {"offset": lines[0].number, "limit": MOST_PARTS, "long_lines": "split"}
    again = answers.FollowUp(call, named("Read"), {"file_path": _named(call, lines[0].path), **arguments})
    clipped = answers.counted(len(lines), "long line is", "long lines are")
    return f"{clipped} clipped around the match; to see the first whole: {again}"


def _named(call: ToolCall, path: str) -> str:
    """A path as the caller would write it; outputs kept outside of the workspace have no shorter one."""
    return path if path.startswith("/") else answers.spelled(call.files, path)


TOOL = Declaration(
    DESCRIPTION, SCHEMA, run, extras=EXTRAS, aliases=ALIASES, command_line=COMMAND_LINE, operation="search"
)
