"""A PDF, page by page, as the package `pypdf` (the extra 'pdf') reads it.

Takes a FileContent and the pages that are asked for; returns their text. A second process does the reading
(`pdf_process`), bounded in time and memory: a PDF can be made to keep its reader busy for ever, or to fill the memory.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from importlib.util import find_spec

from patchkit.errors import PatchkitError
from patchkit.report.result import Json, Result
from patchkit.tools.reading.content import FileContent

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
