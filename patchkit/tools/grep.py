"""Grep: files by what is in them, the newest first.

The declaration of the tool, and the order of its work: read the question, search, show a page. How the answer is told
stands in `grep_answer`.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.search.budget import Budget
from patchkit.search.content import search
from patchkit.search.places import entry_at, parts_of
from patchkit.search.query import CONTENT, COUNT, FILES, Query, Start
from patchkit.search.segments import PatternError
from patchkit.search.sieve import Glob
from patchkit.tools.arguments import shown
from patchkit.tools.calling import Call
from patchkit.tools.grep_answer import answer
from patchkit.tools.named_file import with_suggestion
from patchkit.tools.registry import Face
from patchkit.tools.result import Result
from patchkit.tools.searching import (
    COMMON,
    COMMON_ALIASES,
    COMMON_OPTIONS,
    limit_field,
    limit_of,
    timeout_field,
    unbounded,
)
from patchkit.workspace.reading import Opened, open_file

MOST = 100
SECONDS = 2

DESCRIPTION = """\
Finds files by what is in them, the newest first.
- pattern is literal text: 'def __init__(self):' needs no escaping; regex makes it a regular expression, which is held against single lines
- output_mode: 'files_with_matches' (default) returns paths, 'content' the matching lines with their numbers (before, after and context add lines around them), 'count' how many lines match in each file
- path is a directory or file to search (default: the current directory); glob ('*.py', 'src/**/*.ts', '!*.min.js') and type ('py', 'js', 'rust') choose among its files
- Hidden names, and what ignore files and the default ignore list leave out (node_modules, dist, .git and the like), are not searched; include_hidden and include_ignored change that
- At most 100 results and 2 seconds: a partial result says what is missing and how to go on"""  # noqa: E501  # one point, one line
_LIMIT = limit_field(MOST, MOST, "results")
_LINES = {"type": "integer", "minimum": 0, "maximum": 1000}
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "pattern": {"type": "string", "description": "The text to look for, as it stands in the files"},
        "path": {"type": "string", "description": "The directory or file to search (default: the current directory)"},
        "glob": {
            "type": "string",
            "description": "Search only files that fit this pattern; with '!' in front, all others",
        },
        "output_mode": {
            "type": "string",
            "enum": [FILES, CONTENT, COUNT],
            "description": "What to return: paths (default), matching lines, or the number of matching lines by file",
        },
        "limit": _LIMIT,
        **COMMON,
    },
    "required": ["pattern"],
    "additionalProperties": False,
}
EXTRAS: dict[str, object] = {
    "limit": unbounded(_LIMIT),
    "paths": {"type": "array", "items": {"type": "string"}, "description": "Further directories and files to search"},
    "regex": {"type": "boolean", "description": "The pattern is a regular expression, in ripgrep's syntax"},
    "ignore_case": {"type": "boolean", "description": "Upper and lower case are the same"},
    "type": {"type": "string", "description": "Search only files of this type, for example 'py', 'js' or 'rust'"},
    "before": {**_LINES, "description": "Lines to show before each matching line"},
    "after": {**_LINES, "description": "Lines to show after each matching line"},
    "context": {**_LINES, "description": "Lines to show before and after each matching line"},
    "timeout": timeout_field(SECONDS, "as long as it takes"),
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
    **COMMON_ALIASES,
}
FACE = Face(
    positional=("pattern", "paths"),
    options={
        **COMMON_OPTIONS,
        "output_mode": "--mode",
        "ignore_case": "-i/--ignore-case",
        "after": "-A/--after",
        "before": "-B/--before",
        "context": "-C/--context",
    },
)


def run(call: Call) -> Result:
    limit, offset = limit_of(call, MOST, MOST), call.number("offset", 0)
    query = _query(call)
    budget = Budget(call.number("timeout", SECONDS))
    starts, opened = _starts(call)
    try:
        found = search(call.files, starts, query, budget, offset + limit if limit else 0, call.may_read)
    finally:
        for each in opened:
            each.close()
    return answer(call, query, found, budget, offset, limit)


def exit_status(result: Result, _usual: int) -> int:
    """0 found, 1 not found, 2 something is wrong."""
    return 2 if result.errors else 0 if result.data["files"] else 1


def _query(call: Call) -> Query:
    pattern = call.text("pattern")
    if not pattern:
        raise PatchkitError("P603", field="pattern", given="''", allowed="some text to look for")
    if "\n" in pattern:
        raise PatchkitError("P636", what="a line end")
    if "\0" in pattern or any("\ud800" <= char < "\udc80" or "\udcff" < char <= "\udfff" for char in pattern):
        allowed = "text that a file can hold: no NUL character, and no half of a character"
        raise PatchkitError("P603", field="pattern", given=shown(pattern), allowed=allowed)
    query = Query(pattern, call.text("output_mode") or FILES)
    query.regex, query.ignore_case = call.flag("regex"), call.flag("ignore_case")
    around = call.number("context", 0)
    query.before, query.after = call.number("before", around), call.number("after", around)
    query.hidden, query.ignored = call.flag("include_hidden"), call.flag("include_ignored")
    query.glob, query.type = call.text("glob"), call.text("type")
    try:
        Glob(query.glob)
    except PatternError as error:
        raise PatchkitError("P632", pattern=query.glob, reason=str(error)) from None
    return query


def _starts(call: Call) -> tuple[list[Start], list[Opened]]:
    """Where to search, and the files that had to be opened for it."""
    named = [*([call.text("path")] if call.text("path") else []), *call.get("paths", [])]  # type: ignore[misc]
    starts: list[Start] = []
    opened: list[Opened] = []
    for path in named or ["."]:
        for each in _at(call, str(path)):
            if isinstance(each, Opened):
                opened.append(each)
                starts.append(Start((), each.entry.name, each.fd))
            else:
                starts.append(each)
    return starts, opened


def _at(call: Call, path: str) -> list[Start | Opened]:
    """What a path names: a directory, a file, or outputs that were kept outside of the workspace."""
    try:
        entry = entry_at(call.files, path)
    except PatchkitError as error:
        outputs = _outputs(call, path)
        if outputs is None:
            raise with_suggestion(call, path, error) from None
        return outputs
    return [Start(parts_of(entry))] if entry.kind == "directory" else [open_file(call.files, path)]


def _outputs(call: Call, path: str) -> list[Start | Opened] | None:
    """The outputs a path names: one of them, or all in their directory; None for any other path."""
    from os import listdir
    from os.path import isdir

    from patchkit.workspace.outputs import announced, opened

    place = announced(call.files, path)
    if place is None:
        return None
    names = [f"{place}/{name}" for name in sorted(listdir(place))] if isdir(place) else [place]
    return [each for name in names if (each := opened(call.files, name)) is not None]
