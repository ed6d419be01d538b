"""Files that are read as documents: a notebook as its cells, a PDF page by page.

A PDF is read by the package `pypdf` (the extra 'pdf') in a second process (`pdf_process`), bounded in time and memory:
it can be made to keep its reader busy for ever, or to fill the memory.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

from patchkit.errors import PatchkitError
from patchkit.report.result import Json, Result
from patchkit.structure.notebook import heading, joined
from patchkit.tools.reading.content import FileContent

_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def cells_of(content: FileContent) -> list[Any] | None:
    """The cells of a notebook; None for a file that is not a notebook, whatever its name."""
    if not content.data:
        return None
    try:
        cells = json.loads(content.data)["cells"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return cells if isinstance(cells, list) and all(isinstance(cell, dict) for cell in cells) else None


def notebook(cells: list[Any]) -> Result:
    """All cells, each under a line that says what it is; images of outputs are blocks beside the text."""
    blocks: list[dict[str, str]] = []
    shown, data = [], []
    for number, cell in enumerate(cells, 1):
        kind, source = str(cell.get("cell_type", "raw")), joined(cell.get("source"))
        outputs = [_output(each, blocks) for each in _listed(cell.get("outputs"))]
        shown.append(f"{heading(number - 1, cell)}\n{source}")
        shown.extend(f"[output of cell {number}]\n{output}" for output in outputs)
        data.append({"cell": number, "id": cell.get("id"), "type": kind, "source": source, "outputs": outputs})
    return Result("success", {"cells": data, "blocks": blocks}, "\n\n".join(shown))


def _output(output: object, blocks: list[dict[str, str]]) -> str:
    """An output as text; an image goes to the blocks, and the text says so."""
    if not isinstance(output, dict):
        return ""
    if output.get("output_type") == "error":
        trace = "\n".join(str(line) for line in _listed(output.get("traceback")))
        return _plain(trace) or f"{output.get('ename')}: {output.get('evalue')}"
    if "text" in output:
        return _plain(joined(output["text"]))
    kinds = output.get("data")
    if not isinstance(kinds, dict):
        return ""
    for kind in _IMAGES:
        if kind in kinds:
            blocks.append({"type": "image", "base64": "".join(joined(kinds[kind]).split()), "mime_type": kind})
            return f"({kind}, image block {len(blocks)})"
    best = next((kind for kind in ("text/plain", "text/markdown", "text/html") if kind in kinds), None)
    return joined(kinds[best]) if best is not None else f"({', '.join(map(str, kinds)) or 'nothing'})"


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _plain(text: str) -> str:
    """Text without the colours that it has for a terminal."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)


MOST_PAGES = 20
SECONDS = 20
MEMORY = 1 << 30  # bytes
_ALLOWED = f"a page such as '3' or a range such as '1-5', of at most {MOST_PAGES} pages"
_CHILD = """\
import json, sys
sys.path[:] = json.loads(sys.argv.pop())
from patchkit.tools.reading.pdf_process import main
main(sys.argv[1:])
"""


def pdf(content: FileContent, pages: str) -> Result:
    """The pages that are asked for, or the first ones; `next_pages` are those that come then."""
    first, last = _range(content, pages) if pages else (1, MOST_PAGES)
    total, texts = _read(content, first, last)
    if pages and last > total:
        raise _no_pages(content, pages, f"it has {total} page{'s' if total != 1 else ''}")
    last = min(last, total)
    shown = [f"--- page {first + index} of {total} ---\n{text.rstrip()}" for index, text in enumerate(texts)]
    following = f"{last + 1}-{min(total, last + MOST_PAGES)}" if not pages and last < total else None
    data: Json = {
        "pages": [{"page": first + index, "text": text} for index, text in enumerate(texts)],
        "total_pages": total,
        "next_pages": following,
    }
    return Result("partial" if following else "success", data, "\n\n".join(shown))


def _range(content: FileContent, pages: str) -> tuple[int, int]:
    """The first and the last page that are asked for."""
    first, dash, last = pages.strip().partition("-")
    first, last = first.strip(), last.strip() if dash else first.strip()
    if not (_is_number(first) and _is_number(last) and 1 <= int(first) <= int(last)):
        raise _no_pages(content, pages, "that is not a range of pages")
    if int(last) - int(first) >= MOST_PAGES:
        raise _no_pages(content, pages, f"that is more than {MOST_PAGES} at once")
    return int(first), int(last)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10


def _no_pages(content: FileContent, pages: str, why: str) -> PatchkitError:
    return PatchkitError("P619", file=content.path, pages=pages, reason=why, allowed=_ALLOWED)


def _read(content: FileContent, first: int, last: int) -> tuple[int, list[str]]:
    """How many pages there are, and the text of those from `first` to `last`."""
    if find_spec("pypdf") is None:
        raise PatchkitError("P617", file=content.path, package="pypdf", extra="pdf")
    if content.data is None:
        raise _unreadable(content, "it is too large for a PDF")
    reported = _answer(content, [str(first), str(last), str(SECONDS), str(MEMORY)])
    if "fault" in reported:
        raise _unreadable(content, str(reported["fault"]))
    return reported["total"], reported["texts"]


def _answer(content: FileContent, words: list[str]) -> Json:
    """What the process that reads the file reports."""
    # No relative entry: the workspace must not bring modules of its own.
    modules = json.dumps([each for each in sys.path if each.startswith("/")])
    command = [sys.executable, "-I", "-c", _CHILD, *words, modules]
    try:
        done = subprocess.run(command, input=content.data, capture_output=True, timeout=SECONDS, cwd="/")
        reported: Json = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise _unreadable(content, f"reading it takes more than {SECONDS} seconds") from None
    except OSError as error:
        raise _unreadable(content, f"no process can be started for it ({error.strerror})") from None
    except ValueError:  # killed, perhaps by the kernel, before it could report
        if done.returncode == -signal.SIGXCPU:
            raise _unreadable(content, f"reading it takes more than {SECONDS} seconds") from None
        raise _unreadable(content, f"the process that read it ended with status {done.returncode}") from None
    return reported


def _unreadable(content: FileContent, why: str) -> PatchkitError:
    return PatchkitError("P618", file=content.path, reason=why)
