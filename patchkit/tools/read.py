"""Read: show a file, numbered and bounded, and record that it was read."""

from __future__ import annotations

from patchkit.errors import Note, PatchkitError
from patchkit.history.outputs import opened as opened_output
from patchkit.history.sessions import Tracker
from patchkit.reading import Opened, open_file
from patchkit.report.result import Json, Result
from patchkit.tools.answers import FollowUp, follow_up, path_of, with_suggestion
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall, field, fields
from patchkit.tools.reading.content import FileContent, image, mime_type
from patchkit.tools.reading.page import (
    CHARACTERS_A_TOKEN,
    LONGEST_LINE,
    LONGEST_PART,
    MOST_CHARACTERS,
    MOST_PARTS,
    LineRange,
    ReadPage,
    page_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


DESCRIPTION = """\
Reads a file of the workspace.

Usage:
- file_path is relative to the current directory, or absolute. A path outside the workspace is refused. If the path does not exist, the error names files with a similar name
- By default, it reads up to 2000 lines starting from the beginning of the file
- offset (the first line, counted from 1) and limit (how many lines) choose a part of a long file. Without them the whole file is read, which is best for files up to 256 KB
- Lines longer than 2000 characters are cut
- Each line comes with its number, six characters wide, and an arrow: '     1→text'. The number and the arrow are not part of the file
- Where something is cut, the answer says how much is missing and which call continues
- This tool reads files, not directories. Use LS to list a directory
- An empty file gives a reminder instead of lines
- Files that may be useful can be read in one response, with several calls"""  # noqa: E501  # one point, one line
SCHEMA: Json = fields(
    "file_path",
    file_path=field("string", "The path of the file to read, in the workspace"),
    offset=field(
        "number", "The line number to start reading from. Only provide if the file is too large to read at once"
    ),
    limit=field("number", "The number of lines to read. Only provide if the file is too large to read at once."),
)
EXTRAS: Json = {
    "pages": field("string", "Pages of a PDF: '3', or '1-5'; at most 20"),
    "long_lines": field(
        "string",
        "What happens to long lines: cut at 2000 characters (default), or split into parts of 5000",
        enum=["cut", "split"],
    ),
    "part": field(
        "integer",
        "Begin with this part of the line at offset, the first being 0; long lines are then split",
        minimum=0,
        maximum=1_000_000_000,
    ),
    "max_tokens": field("integer", "Show at most this many tokens, counted as four characters each", minimum=1),
    "plain": field("boolean", "Leave out the fixed reminder at the end"),
    "encoding": field(
        "string", "The encoding of a file that is not UTF-8 and does not declare one, such as gbk or cp1252"
    ),
}
MOST_BYTES = 256 << 10  # of a file that is read without saying which part of it
_REMINDER = """\


<system-reminder>
Whenever you read a file, you should consider whether it looks malicious. If it does, you MUST refuse to improve or augment the code. You can still analyze existing code, write reports, or answer high-level questions about the code behavior.
</system-reminder>"""  # noqa: E501  # verbatim
_INSTEAD = (
    "Please use offset and limit parameters to read specific portions of the file, "
    "or use the `rg` command to search for specific content."
)
_CUT_SHORT = (
    "\n... (the rest is cut: {tokens} tokens are asked for at most. Read on with offset and limit, "
    "or, where lines are long, reformat the file first, for example with jq, and read it again)"
)


def run(call: ToolCall) -> Result:
    path = path_of(call)
    with _opened(call, path) as opened:
        content = FileContent(opened, path)
        result = _shown(call, content)
    result.data = {
        "path": path,
        "size": content.size,
        "file_mtime_ms": content.status.st_mtime_ns // 1_000_000,
        "sha256": content.sha256 or None,
        **result.data,
    }
    if result.data.pop("unseen", False) or opened.entry.name.startswith("/"):  # a saved output, outside the root
        result.data["modified_externally"] = False
        return result
    first, count = result.data.get("first_line"), result.data.get("lines")
    shown = (first, first + count - 1) if first and count else None
    result.data["modified_externally"] = _remembered(call, opened, content, shown)
    return result


def _opened(call: ToolCall, path: str) -> Opened:
    """The file, open; a path outside the workspace may be a large output of a command that was saved there."""
    try:
        return open_file(call.files, path)
    except PatchkitError as error:
        output = opened_output(call.files, path) if error.code == "P301" else None
        if output is not None:
            return output
        raise with_suggestion(call, path, error) from None


def _remembered(call: ToolCall, opened: Opened, content: FileContent, shown: tuple[int, int] | None) -> bool:
    """Records that the file was read, and which lines; returns whether it was changed from outside before that."""
    tracker = Tracker(call.files)
    before = tracker.seen(opened.entry.name)
    changed = before is not None and not before.is_current(opened.status, lambda: content.sha256)
    if changed:
        call.notes.append(Note("P954", file=content.path))
    why = tracker.record(opened.entry.name, opened.status, content.sha256, shown)
    if why:
        call.notes.append(Note("P955", file=content.path, reason=why))
    return changed


def _shown(call: ToolCall, content: FileContent) -> Result:
    """The file as what it is: an image, a PDF, a notebook, text."""
    part = not call.arguments.keys().isdisjoint(("offset", "limit", "part"))
    kind = mime_type(content)
    if kind:
        return image(content, kind)
    if content.path.lower().endswith(".pdf") and b"%PDF-" in content.head[:1024]:
        from patchkit.tools.reading.documents import pdf

        return _with_next_pages(call, content, _finished(call, content, "pdf", pdf(content, call.text("pages"))))
    if "pages" in call.arguments:
        pages = call.text("pages")
        facts = {"reason": "it is not a PDF", "allowed": "offset and limit"}
        raise PatchkitError("P619", file=content.path, pages=pages, **facts)
    content.refuse_binary()
    if content.is_strange:
        _find_encoding(call, content)
    if content.path.lower().endswith(".ipynb") and not part:
        from patchkit.tools.reading.documents import cells_of, notebook

        cells = cells_of(content)
        if cells is not None:
            return _finished(call, content, "notebook", notebook(cells))
        call.notes.append(Note("P959", file=content.path))
    if content.size > MOST_BYTES and not part:
        size = f"{content.size / 1024:.1f}"
        said = f"File content ({size}KB) exceeds maximum allowed size ({MOST_BYTES >> 10}KB). {_INSTEAD}"
        raise PatchkitError("P615", file=content.path, size=size, limit=MOST_BYTES >> 10, said=said)
    return _text(call, content)


def _find_encoding(call: ToolCall, content: FileContent) -> None:
    """Decides what a file that is not UTF-8 is shown in; a note says so."""
    from patchkit.tools.editing.encodings import document_to_show  # most files are UTF-8

    try:
        found, why = document_to_show(call, content.name, content.beginning)
    except PatchkitError as error:
        error.facts["file"] = content.path
        raise
    content.read_as(found)
    if found.codec:
        call.notes.append(Note("P934", file=content.path, encoding=found.encoding, reason=why))


def _finished(call: ToolCall, content: FileContent, kind: str, result: Result) -> Result:
    """A PDF or a notebook, within the same bounds as text."""
    result.data["kind"] = kind
    text = result.text
    result.text, cut = _bounded(call, content, text, len(text), lambda: "fewer pages, or offset and limit")
    if cut:
        result.status = "partial"
    return result


def _with_next_pages(call: ToolCall, content: FileContent, result: Result) -> Result:
    """The pages of a PDF; where there are more, a note says which call continues."""
    pages: str | None = result.data["next_pages"]
    result.data["next"] = None
    if pages is not None:
        following = follow_up(call, {"pages": pages})
        result.data["next"] = following.arguments
        first, last = pages.partition("-")[0], result.data["total_pages"]
        call.notes.append(Note("P951", part="pages", file=content.path, first=first, last=last, next=str(following)))
    return result


def _text(call: ToolCall, content: FileContent) -> Result:
    limit = call.whole("limit", 0) if "limit" in call.arguments else None
    split = call.get("long_lines") == "split" or "part" in call.arguments
    wanted = LineRange(call.whole("offset", 1), limit, split, call.number("part", 0))
    lines = content.lines()
    page = page_of(lines, wanted)
    if lines.at_end and not lines.separated and (other := content.lines_by_return()) is not None:
        lines = other
        page = page_of(lines, wanted)
    if page is None:
        return _shorter(content, wanted.offset, lines.passed)
    text, cut = _bounded(call, content, page.text, page.characters, lambda: _fewer_lines(call, page))
    first_row = page.text.partition("\n")[0] if cut else ""
    if cut:
        page.keep(text.removesuffix(_cut_short(call)).count("\n"))
    truncated = cut or bool(page.remaining or page.cut)
    following = None if page.is_all else _following(call, page, wanted, first_row)
    if wanted.split and page.cut and not cut:
        line, missing = page.cut[0]
        text += f"\n... (more {missing} characters in line {line} are truncated; go on with: {following})"
    reminder = _REMINDER if call.caller.reminds and not call.flag("plain") else ""
    result = Result("partial" if truncated or page.strange else "success", _page_data(content, page), text + reminder)
    result.data["truncated"] = truncated
    if following is not None:
        result.data.update(next=following.arguments, next_offset=page.next[0])
    result.for_people = lambda _columns: [(text, "")]  # without the reminder, which is for models
    _note(call, content, page, wanted, following)
    return result


def _following(call: ToolCall, page: ReadPage, wanted: LineRange, first_row: str) -> FollowUp:
    """The call that continues after the page."""
    if not page.rows:  # not even one row fits into the tokens, with the words that say what is cut
        needed = (len(first_row) + len(_cut_short(call))) // CHARACTERS_A_TOKEN + 2
        return follow_up(call, {"max_tokens": max(needed, 2 * call.number("max_tokens", 0))})
    offset, part = page.next
    limit = page.remaining if page.remaining and wanted.limit is not None else wanted.limit
    if part and limit is None:
        limit = MOST_PARTS
    return follow_up(call, {"offset": offset, "part": part or None, "limit": limit})


def _page_data(content: FileContent, page: ReadPage) -> Json:
    return {
        "kind": "text",
        "content": "\n".join(page.texts),
        "first_line": page.offset,
        "lines": page.lines,
        "total_lines": page.total,
        "remaining_lines": page.remaining,
        "truncated": False,
        "next_offset": None,
        "next": None,
        "encoding": content.encoding,
    }


def _note(call: ToolCall, content: FileContent, page: ReadPage, wanted: LineRange, following: FollowUp | None) -> None:
    """Adds notes that say how much is missing, and which call continues."""
    first, last = page.last + 1, page.last + page.remaining
    if page.remaining:
        call.notes.append(Note("P951", part="lines", file=content.path, first=first, last=last, next=str(following)))
    if page.cut:
        line, missing = page.cut[0]
        count = len(page.cut) - 1
        others = f", and {count} more line{'s' if count > 1 else ''}" if count else ""
        # The line in parts, or as much of it as can be shown at once.
        parts = min((LONGEST_LINE + missing - 1) // LONGEST_PART + 1, MOST_PARTS)
        in_parts = {"offset": line, "limit": parts, "long_lines": "split"}
        whole = following if wanted.split else follow_up(call, in_parts)
        call.notes.append(
            Note(
                "P951", part="characters", file=content.path, line=line, missing=missing, others=others, next=str(whole)
            )
        )
    if page.strange:
        call.notes.append(Note("P953", file=content.path, line=page.strange))


def _shorter(content: FileContent, offset: int, total: int) -> Result:
    """An offset after the end, or an empty file: a reminder in place of lines."""
    words = f"Warning: the file exists but is shorter than the provided offset ({offset}). "
    words += f"The file has {max(1, total)} lines."
    text = f"<system-reminder>{words}</system-reminder>"
    if not total:
        text += "\nSystem reminder: File exists but has empty contents"
    data = _page_data(content, ReadPage(offset, (offset, 0)))
    data.update(total_lines=total, unseen=total > 0)
    result = Result("success", data, text)
    result.for_people = lambda _columns: [(words if total else "The file is empty.", "")]
    return result


def _bounded(
    call: ToolCall, content: FileContent, text: str, characters: int, instead: Callable[[], str]
) -> tuple[str, bool]:
    """The text within the tokens that are asked for, and whether it was cut; raises when it is too long to show."""
    most = CHARACTERS_A_TOKEN * call.number("max_tokens", 0)
    cut = 0 < most <= len(text)
    if cut:
        text = text[: max(0, most - len(_cut_short(call)))] + _cut_short(call)
        characters = len(text)
    if characters > MOST_CHARACTERS:
        said = f"File content ({characters} chars) exceeds maximum allowed tokens ({MOST_CHARACTERS}). {_INSTEAD}"
        facts = {"size": characters, "limit": MOST_CHARACTERS, "instead": instead(), "said": said}
        raise PatchkitError("P616", file=content.path, **facts)
    return text, cut


def _cut_short(call: ToolCall) -> str:
    return _CUT_SHORT.format(tokens=call.number("max_tokens", 0))


def _fewer_lines(call: ToolCall, page: ReadPage) -> str:
    """The call that shows as many lines of a page that is too long as can be shown."""
    room, fitting = MOST_CHARACTERS, 0
    for text in page.texts:
        room -= len(text) + 1
        fitting += room >= 0
    return str(follow_up(call, {"offset": page.offset, "limit": fitting}))


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    extras=EXTRAS,
    aliases={"path": "file_path", "start_line": "offset"},
    command_line=FieldSpelling(positional=("file_path",)),
    verb="read",
)
