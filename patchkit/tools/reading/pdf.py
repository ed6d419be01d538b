"""A PDF, page by page, as the package `pypdf` (the extra 'pdf') reads it.

Takes a Source and the pages that are asked for; gives their text. The reading itself is done by `reading.pdf_pages` in
a process of its own, which is bounded in time and memory.
"""

from __future__ import annotations

import sys

from patchkit.errors import PatchkitError
from patchkit.tools.reading.source import Source
from patchkit.tools.result import Result

MOST_PAGES = 20
SECONDS = 20
MEMORY = 1 << 30  # bytes
_ALLOWED = f"a page such as '3' or a range such as '1-5', of at most {MOST_PAGES} pages"
_CHILD = """\
import json, sys
sys.path[:] = json.loads(sys.argv.pop())
from patchkit.tools.reading.pdf_pages import main
main(sys.argv[1:])
"""


def is_pdf(source: Source) -> bool:
    return source.path.lower().endswith(".pdf") and b"%PDF-" in source.head[:1024]


def pdf(source: Source, pages: str) -> Result:
    """The pages that are asked for, or the first ones; `next_pages` are those that come then."""
    first, last = _range(source, pages) if pages else (1, MOST_PAGES)
    total, texts = _read(source, first, last)
    if pages and last > total:
        raise _no_pages(source, pages, f"it has {total} page{'s' if total != 1 else ''}")
    last = min(last, total)
    shown = [f"--- page {first + index} of {total} ---\n{text.rstrip()}" for index, text in enumerate(texts)]
    following = f"{last + 1}-{min(total, last + MOST_PAGES)}" if not pages and last < total else None
    data: dict[str, object] = {
        "pages": [{"page": first + index, "text": text} for index, text in enumerate(texts)],
        "total_pages": total,
        "next_pages": following,
    }
    return Result("partial" if following else "success", data, "\n\n".join(shown))


def _range(source: Source, pages: str) -> tuple[int, int]:
    """The first and the last page that are asked for."""
    first, dash, last = pages.strip().partition("-")
    first, last = first.strip(), last.strip() if dash else first.strip()
    if not (_is_number(first) and _is_number(last) and 1 <= int(first) <= int(last)):
        raise _no_pages(source, pages, "that is no range of pages")
    if int(last) - int(first) >= MOST_PAGES:
        raise _no_pages(source, pages, f"that is more than {MOST_PAGES} at once")
    return int(first), int(last)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10


def _no_pages(source: Source, pages: str, why: str) -> PatchkitError:
    return PatchkitError("P619", file=source.path, pages=pages, reason=why, allowed=_ALLOWED)


# -- the process that reads ----------------------------------------------------------------------


def _read(source: Source, first: int, last: int) -> tuple[int, list[str]]:
    """How many pages there are, and the text of those from `first` to `last`."""
    from importlib.util import find_spec

    if find_spec("pypdf") is None:
        raise PatchkitError("P617", file=source.path, package="pypdf", extra="pdf")
    if source.data is None:
        raise _unreadable(source, "it is too large for a PDF")
    told = _told(source, [str(first), str(last), str(SECONDS), str(MEMORY)])
    if "fault" in told:
        raise _unreadable(source, str(told["fault"]))
    return told["total"], told["texts"]  # type: ignore[return-value]


def _told(source: Source, words: list[str]) -> dict[str, object]:
    """What the process that reads the file has to say."""
    import json
    import signal
    import subprocess

    # No relative entry: the workspace must not bring modules of its own.
    modules = json.dumps([each for each in sys.path if each.startswith("/")])
    command = [sys.executable, "-I", "-c", _CHILD, *words, modules]
    try:
        done = subprocess.run(command, input=source.data, capture_output=True, timeout=SECONDS, cwd="/")
        told: dict[str, object] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise _unreadable(source, f"reading it takes more than {SECONDS} seconds") from None
    except OSError as error:
        raise _unreadable(source, f"no process can be started for it ({error.strerror})") from None
    except ValueError:  # killed, by the kernel perhaps, before it could tell
        if done.returncode == -signal.SIGXCPU:
            raise _unreadable(source, f"reading it takes more than {SECONDS} seconds") from None
        raise _unreadable(source, f"the process that read it ended with status {done.returncode}") from None
    return told


def _unreadable(source: Source, why: str) -> PatchkitError:
    return PatchkitError("P618", file=source.path, reason=why)
