"""Read: show a file, numbered and bounded.

The declaration of the tool, and the order of its work: open the file, see what it is, show a page of it, remember that
it was seen. Lines, pages, images, PDFs and notebooks have modules of their own.
"""

from __future__ import annotations

from patchkit.errors import Note, PatchkitError
from patchkit.tools.calling import Call
from patchkit.tools.continuing import continued
from patchkit.tools.named_file import path_of, with_suggestion
from patchkit.tools.reading.page import (
    CHARACTERS_A_TOKEN,
    LONGEST_LINE,
    LONGEST_PART,
    MOST_CHARACTERS,
    MOST_PARTS,
    Page,
    Window,
    page_of,
    shortened,
)
from patchkit.tools.reading.source import Source
from patchkit.tools.registry import Face
from patchkit.tools.result import Result
from patchkit.workspace.reading import Opened, open_file
from patchkit.workspace.sessions import Tracker

DESCRIPTION = """\
Reads a file from the local filesystem. You can access any file directly by using this tool.
Assume this tool is able to read all files on the machine. If the User provides a path to a file assume that path is valid. It is okay to read a file that does not exist; an error will be returned.

Usage:
- The file_path parameter must be an absolute path, not a relative path
- By default, it reads up to 2000 lines starting from the beginning of the file
- You can optionally specify a line offset and limit (especially handy for long files), but it's recommended to read the whole file by not providing these parameters
- Any lines longer than 2000 characters will be truncated
- Results are returned using cat -n format, with line numbers starting at 1
- This tool can only read files, not directories. To read a directory, use an ls command via the Bash tool.
- You have the capability to call multiple tools in a single response. It is always better to speculatively read multiple files as a batch that are potentially useful. 
- If you read a file that exists but has empty contents you will receive a system reminder warning in place of file contents."""  # noqa: E501, W291  # verbatim
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "file_path": {"type": "string", "description": "The absolute path to the file to read"},
        "offset": {
            "type": "number",
            "description": "The line number to start reading from. "
            "Only provide if the file is too large to read at once",
        },
        "limit": {
            "type": "number",
            "description": "The number of lines to read. Only provide if the file is too large to read at once.",
        },
    },
    "required": ["file_path"],
    "additionalProperties": False,
}
EXTRAS: dict[str, object] = {
    "pages": {"type": "string", "description": "Pages of a PDF: '3', or '1-5'; at most 20"},
    "long_lines": {
        "type": "string",
        "enum": ["cut", "split"],
        "description": "What becomes of long lines: cut at 2000 characters (default), or split into parts of 5000",
    },
    "part": {
        "type": "integer",
        "minimum": 0,
        "maximum": 1_000_000_000,
        "description": "Begin with this part of the line at offset, the first being 0; long lines are then split",
    },
    "max_tokens": {
        "type": "integer",
        "minimum": 1,
        "description": "Show no more than so many tokens, counted as four characters each",
    },
    "plain": {"type": "boolean", "description": "Leave the fixed reminder at the end out"},
}
ALIASES = {"path": "file_path", "start_line": "offset"}
FACE = Face(positional=("file_path",))
VERB = "read"

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


def run(call: Call) -> Result:
    path = path_of(call)
    with _opened(call, path) as opened:
        source = Source(opened, path)
        result = _shown(call, source)
    result.data = {"path": path, **_known(source), **result.data}
    if result.data.pop("unseen", False) or opened.entry.name.startswith("/"):  # an output of ours, outside the root
        result.data["modified_externally"] = False
        return result
    result.data["modified_externally"] = _remembered(call, opened, source)
    return result


def _opened(call: Call, path: str) -> Opened:
    """The file, open; a path that leads out of the workspace may still be an output that was announced."""
    try:
        return open_file(call.files, path)
    except PatchkitError as error:
        if error.code == "P301":
            from patchkit.workspace.outputs import opened

            output = opened(call.files, path)
            if output is not None:
                return output
        raise with_suggestion(call, path, error) from None


def _known(source: Source) -> dict[str, object]:
    return {
        "size": source.size,
        "file_mtime_ms": source.status.st_mtime_ns // 1_000_000,
        "sha256": source.sha256 or None,
    }


def _remembered(call: Call, opened: Opened, source: Source) -> bool:
    """Writes down that the file was seen; gives whether somebody else changed it since it was seen before."""
    tracker = Tracker(call.files)
    before = tracker.seen(opened.entry.name)
    changed = before is not None and not before.is_current(opened.status, lambda: source.sha256)
    if changed:
        call.notes.append(Note("P954", file=source.path))
    why = tracker.record(opened.entry.name, opened.status, source.sha256)
    if why:
        call.notes.append(Note("P955", file=source.path, reason=why))
    return changed


# -- what is shown -------------------------------------------------------------------------------


def _shown(call: Call, source: Source) -> Result:
    """The file as what it is: an image, a PDF, a notebook, text."""
    from patchkit.tools.reading import image, notebook, pdf

    window = not call.arguments.keys().isdisjoint(("offset", "limit", "part"))
    kind = image.mime_type(source)
    if kind:
        return image.image(source, kind)
    if pdf.is_pdf(source):
        return _with_next_pages(call, source, _finished(call, source, "pdf", pdf.pdf(source, call.text("pages"))))
    if "pages" in call.arguments:
        pages = call.text("pages")
        raise PatchkitError("P619", file=source.path, pages=pages, reason="it is no PDF", allowed="offset and limit")
    source.refuse_binary()
    cells = None if window else notebook.cells_of(source)
    if cells is not None:
        return _finished(call, source, "notebook", notebook.notebook(cells))
    if source.path.lower().endswith(".ipynb") and not window:
        call.notes.append(Note("P959", file=source.path))
    if source.size > MOST_BYTES and not window:
        size = f"{source.size / 1024:.1f}"
        said = f"File content ({size}KB) exceeds maximum allowed size ({MOST_BYTES >> 10}KB). {_INSTEAD}"
        raise PatchkitError("P615", file=source.path, size=size, limit=MOST_BYTES >> 10, said=said)
    return _text(call, source)


def _finished(call: Call, source: Source, kind: str, result: Result) -> Result:
    """What is no plain text, within the same bounds."""
    result.data["kind"] = kind
    result.text, cut = _bounded(call, source, result.text, len(result.text), "fewer pages, or offset and limit")
    if cut:
        result.status = "partial"
    return result


def _with_next_pages(call: Call, source: Source, result: Result) -> Result:
    """The pages of a PDF; where there are more of them, a note says which call goes on."""
    pages: str | None = result.data["next_pages"]
    result.data["next"] = None
    if pages is not None:
        result.data["next"], again = continued(call, {"pages": pages})
        first, last = pages.partition("-")[0], result.data["total_pages"]
        call.notes.append(Note("P950", file=source.path, first=first, last=last, next=again))
    return result


def _text(call: Call, source: Source) -> Result:
    limit = call.whole("limit", 0) if "limit" in call.arguments else None
    split = call.get("long_lines") == "split" or "part" in call.arguments
    window = Window(call.whole("offset", 1), limit, split, call.number("part", 0))
    lines = source.lines()
    page = page_of(lines, window)
    if lines.at_end and not lines.separated and (other := source.lines_by_return()) is not None:
        lines = other
        page = page_of(lines, window)
    if page is None:
        return _shorter(source, window.offset, lines.passed)
    _, less = continued(call, {"offset": page.offset, "limit": _fitting(page)})
    text, cut = _bounded(call, source, page.text, page.characters, less)
    if cut:
        page.keep(text.removesuffix(_cut_short(call)).count("\n"))
    truncated = cut or bool(page.remaining or page.cut)
    following, again = _following(call, page, window)
    if window.split and page.cut and not cut:
        text += f"\n... (more {page.cut[0][1]} characters in line {page.cut[0][0]} are truncated; go on with: {again})"
    reminder = "" if call.flag("plain") else _REMINDER
    result = Result("partial" if truncated or page.strange else "success", _page_data(source, page), text + reminder)
    result.data.update(truncated=truncated, next=None if page.is_all else following)
    result.data["next_offset"] = None if page.is_all else page.next[0]
    result.for_people = lambda _columns: [(text, "")]
    _tell(call, source, page, window, again)
    return result


def _following(call: Call, page: Page, window: Window) -> tuple[dict[str, object], str]:
    """The call that goes on behind the page: its arguments, and how the caller would spell it."""
    if not page.rows:  # not even one row fits into the tokens
        return continued(call, {"max_tokens": 2 * call.number("max_tokens", 0)})
    offset, part = page.next
    limit = page.remaining if page.remaining and window.limit is not None else window.limit
    if part and limit is None:
        limit = MOST_PARTS
    return continued(call, {"offset": offset, "part": part or None, "limit": limit})


def _page_data(source: Source, page: Page) -> dict[str, object]:
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
        "encoding": source.encoding,
    }


def _tell(call: Call, source: Source, page: Page, window: Window, again: str) -> None:
    """Says how much is missing, and which call goes on."""
    first, last = page.last + 1, page.last + page.remaining
    if page.remaining:
        call.notes.append(Note("P951", file=source.path, first=first, last=last, next=again))
    if page.cut:
        line, missing = page.cut[0]
        count = len(page.cut) - 1
        others = f", and {count} more line{'s' if count > 1 else ''}" if count else ""
        whole = again if window.split else _in_parts(call, line, missing)
        call.notes.append(Note("P952", file=source.path, line=line, missing=missing, others=others, next=whole))
    if page.strange:
        call.notes.append(Note("P953", file=source.path, line=page.strange))


def _in_parts(call: Call, line: int, missing: int) -> str:
    """The call that shows a line which was cut, or as much of it as can be shown at once."""
    parts = min((LONGEST_LINE + missing - 1) // LONGEST_PART + 1, MOST_PARTS)
    return continued(call, {"offset": line, "limit": parts, "long_lines": "split"})[1]


def _shorter(source: Source, offset: int, total: int) -> Result:
    """A window behind the end, or an empty file: a reminder in place of lines."""
    words = f"Warning: the file exists but is shorter than the provided offset ({offset}). "
    words += f"The file has {max(1, total)} lines."
    text = f"<system-reminder>{words}</system-reminder>"
    if not total:
        text += "\nSystem reminder: File exists but has empty contents"
    data = _page_data(source, Page(offset))
    data.update(total_lines=total, unseen=total > 0)
    result = Result("success", data, text)
    result.for_people = lambda _columns: [(words if total else "The file is empty.", "")]
    return result


def _bounded(call: Call, source: Source, text: str, characters: int, instead: str) -> tuple[str, bool]:
    """The text within the tokens that are asked for, and whether it was cut; refused when it is too long to show."""
    tokens = call.number("max_tokens", 0)
    cut = tokens > 0 and len(text) >= CHARACTERS_A_TOKEN * tokens
    if cut:
        text = shortened(text, tokens, _cut_short(call))
        characters = len(text)
    if characters > MOST_CHARACTERS:
        said = f"File content ({characters} chars) exceeds maximum allowed tokens ({MOST_CHARACTERS}). {_INSTEAD}"
        facts = {"size": characters, "limit": MOST_CHARACTERS, "instead": instead, "said": said}
        raise PatchkitError("P616", file=source.path, **facts)
    return text, cut


def _cut_short(call: Call) -> str:
    return _CUT_SHORT.format(tokens=call.number("max_tokens", 0))


def _fitting(page: Page) -> int:
    """How many lines of the page would be short enough to show."""
    room = MOST_CHARACTERS
    for number, text in enumerate(page.texts):
        room -= len(text) + 1
        if room < 0:
            return number
    return len(page.texts)
