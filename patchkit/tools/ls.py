"""LS: what is in a directory, page by page. A link has the type of its target where that is inside the root."""

from __future__ import annotations

from patchkit.core.workspace import Parts
from patchkit.errors import PatchkitError
from patchkit.globs.patterns import PatternError
from patchkit.reading import Listed, listing
from patchkit.report.result import Json, Result
from patchkit.search.walk import OURS, USUAL, FileFilter, Ignoring, SearchBudget, directory_at, rules_above
from patchkit.tools import answers
from patchkit.tools.answers import SECONDS
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall, field, fields

MOST, USUAL_LIMIT = 200, 100

DESCRIPTION = """\
Lists what is in a directory: directories first, then everything else, each in the order of their names.
- path is the directory to list; without it, the current one
- Hidden names, and what ignore files and the default ignore list leave out (node_modules, dist, .git and the like), are not listed; include_hidden and include_ignored bring them back, ignore takes further names out
- A long directory is listed page by page, and for 2 seconds at most: a partial result says how to go on
- To find files by name use Glob, to find them by content use Grep"""  # noqa: E501  # one point, one line
_LIMIT = answers.limit_field(MOST, USUAL_LIMIT, "entries")
SCHEMA: Json = fields(
    "",
    path=field("string", "The directory to list (default: the current one)"),
    ignore=field("array", "Patterns of names to leave out, for example '*.log'", items={"type": "string"}),
    limit=_LIMIT,
    **answers.COMMON,
)
EXTRAS: Json = {
    "limit": answers.unbounded(_LIMIT),
    "timeout": answers.timeout_field(SECONDS, "as long as it takes"),
}


def run(call: ToolCall) -> Result:
    path = call.text("path") or "."
    limit, offset = answers.limit_of(call, MOST, USUAL_LIMIT), call.number("offset", 0)
    budget = SearchBudget(call.number("timeout", SECONDS), cancelled=call.caller.cancelled)
    choice, wanted, stopped = _listed(call, path, budget)
    page = wanted[offset : offset + limit] if limit else wanted[offset:]
    data: Json = {
        "entries": [{"path": answers.spelled(call.files, choice.path(each)), "type": each.kind} for each in page],
        "total": len(wanted),
        "truncated": offset + len(page) < len(wanted),
        "aborted_reason": "timeout" if stopped else None,
        "next": None,
    }
    remarks = _cuts(call, data, offset, budget) + choice.remarks()
    if not wanted:
        remarks.insert(0, f"Nothing to list in '{answers.escaped(path)}'")
    elif offset and not page:
        there = "There is" if len(wanted) == 1 else "There are"
        remarks.insert(0, f"{there} {answers.counted(len(wanted), 'entry', 'entries')}, none from offset {offset:,} on")
    status = "partial" if data["truncated"] or stopped else "success"
    return Result(status, data, answers.text_of(answers.visible(call, [_line(each) for each in page]), remarks))


def _listed(call: ToolCall, path: str, budget: SearchBudget) -> tuple[_ShownNames, list[Listed], bool]:
    """What is to be shown of a directory, in its order, and whether time was up before all of it was seen."""
    try:
        parts = directory_at(call.files, path)
        listed, complete = listing(call.files, path, budget.late)
    except PatchkitError as error:
        raise answers.with_suggestion(call, path, error) from None
    # There may be many rules, and what was seen in time is shown.
    choosing = SearchBudget(budget.seconds, cancelled=budget.cancelled)
    choice = _ShownNames(call, parts, choosing)
    wanted = []
    for each in listed:
        shown = choice.shows(each)
        if choosing.late():
            complete = False
            break
        if shown:
            wanted.append(each)
    return choice, sorted(wanted, key=lambda each: (each.kind != "directory", each.name)), not complete


def _cuts(call: ToolCall, data: Json, offset: int, budget: SearchBudget) -> list[str]:
    """What is missing, and how to get it; the call that continues goes into the data."""
    shown, found = len(data["entries"]), answers.counted(data["total"], "entry", "entries")
    if data["aborted_reason"]:
        stopped = f"Stopped after {budget.elapsed:.1f} s: {shown:,} of {found} seen so far, and there are more"
        return [answers.going_on(call, data, {"timeout": 0}, f"{stopped}. Name a directory below, or see everything")]
    if data["truncated"]:
        return [answers.going_on(call, data, {"offset": offset + shown}, f"{shown:,} of {found}; the next")]
    return []


class _ShownNames:
    """What of a directory is shown; counts what is left out by default."""

    def __init__(self, call: ToolCall, parts: Parts, budget: SearchBudget) -> None:
        self._call = call
        self._parts = parts
        self._late = budget.late
        self._left_out = {"hidden": 0, "ignored": 0}
        self._rules: Ignoring | None = None
        if not call.flag("include_ignored"):
            self._rules = rules_above(call.files.directories, (*parts, ""), self._late)
        try:
            self._globs = [FileFilter(pattern) for pattern in call.get("ignore", [])]
        except PatternError as error:
            raise PatchkitError("P632", pattern=", ".join(call.get("ignore")), reason=str(error)) from None

    def path(self, listed: Listed) -> str:
        return "/".join((*self._parts, listed.name))

    def shows(self, listed: Listed) -> bool:
        if any(glob.admits([listed.name]) for glob in self._globs) or (not self._parts and listed.name == OURS):
            return False
        if self._call.may_read is not None and not self._call.may_read(self.path(listed)):
            return False
        why = self._left_out_as(listed)
        if why:
            self._left_out[why] += 1
        return not why

    def _left_out_as(self, listed: Listed) -> str:
        is_directory = listed.kind == "directory"
        if self._rules is not None and is_directory and listed.name in USUAL:
            return "ignored"
        if listed.name.startswith(".") and not self._call.flag("include_hidden"):
            return "hidden"
        ignored = self._rules is not None and self._rules.ignores(self._parts, listed.name, is_directory)
        return "ignored" if ignored and not self._late() else ""  # once it is late, every name would be

    def remarks(self) -> list[str]:
        """What is left out by default, and how to see it."""
        fields = {"hidden": "include_hidden", "ignored": "include_ignored"}
        if self._call.caller.by_hand:
            fields = {why: answers.COMMON_OPTIONS[field] for why, field in fields.items()}
        return [f"{count:,} {why} not shown: {fields[why]}" for why, count in self._left_out.items() if count]


def _line(listed: Listed) -> str:
    mark = "/" if listed.kind == "directory" else "" if listed.kind in ("file", "link") else f" ({listed.kind})"
    return f"{listed.name}{mark}" + (f" -> {listed.target}" if listed.target else "")


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    extras=EXTRAS,
    aliases={"directory": "path", "dir_path": "path", "file_path": "path", **answers.COMMON_ALIASES},
    command_line=FieldSpelling(positional=("path",), options=answers.COMMON_OPTIONS),
    operation="list",
)
