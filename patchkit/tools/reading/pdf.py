"""The text of a PDF, page by page, as the package `pypdf` (the extra 'pdf') reads it."""

from __future__ import annotations

from importlib import import_module

from patchkit.errors import Note, PatchkitError
from patchkit.tools.reading.source import Source
from patchkit.tools.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_PAGES = 20
_ALLOWED = f"a page such as '3' or a range such as '1-5', of at most {MOST_PAGES} pages"


def is_pdf(source: Source) -> bool:
    return source.path.lower().endswith(".pdf") and b"%PDF-" in source.head[:1024]


def pdf(source: Source, pages: str, notes: list[Note]) -> Result:
    """The pages that are asked for, or the first ones; a note tells how to get the others."""
    reader = _reader(source)
    total = _within(source, lambda: len(reader.pages))
    first, last = _range(source, pages, total)
    texts = _within(source, lambda: [page.extract_text() for page in reader.pages[first - 1 : last]])
    shown = [f"--- page {first + index} of {total} ---\n{text.rstrip()}" for index, text in enumerate(texts)]
    result = Result("success", {}, "\n\n".join(shown))
    result.data = {
        "pages": [{"page": first + index, "text": text} for index, text in enumerate(texts)],
        "total_pages": total,
        "next_pages": None,
    }
    if not pages and last < total:
        following = f"{last + 1}-{min(total, last + MOST_PAGES)}"
        result.status, result.data["next_pages"] = "partial", following
        notes.append(Note("P950", file=source.path, first=last + 1, last=total, next=following))
    return result


def _reader(source: Source) -> Any:
    try:
        pypdf: Any = import_module("pypdf")
    except ImportError:
        raise PatchkitError("P617", file=source.path, package="pypdf", extra="pdf") from None
    import logging
    from io import BytesIO

    # What pypdf finds odd in a file is nothing for the host's log, nor for standard error.
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    if source.data is None:
        raise PatchkitError("P618", file=source.path, reason="it is too large for a PDF")
    data = BytesIO(source.data)
    return _within(source, lambda: _unlocked(source, pypdf.PdfReader(data)))


def _unlocked(source: Source, reader: Any) -> Any:
    if reader.is_encrypted and not reader.decrypt(""):
        raise PatchkitError("P618", file=source.path, reason="it is encrypted")
    return reader


def _within(source: Source, work: Any) -> Any:
    """What the work gives; whatever goes wrong in a damaged file, it is the file."""
    try:
        return work()
    except PatchkitError:
        raise
    except Exception as error:
        reason = f"it is no PDF that can be read ({type(error).__name__})"
        raise PatchkitError("P618", file=source.path, reason=reason) from None


def _range(source: Source, pages: str, total: int) -> tuple[int, int]:
    """The first and the last page that are asked for; without a wish, as many as are shown at once."""
    if not pages:
        return 1, min(total, MOST_PAGES)
    first, dash, last = pages.strip().partition("-")
    first, last = first.strip(), last.strip() if dash else first.strip()
    if not (first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last)):
        raise PatchkitError("P619", file=source.path, pages=pages, reason="that is no range of pages", allowed=_ALLOWED)
    if int(last) > total:
        reason = f"it has {total} page{'s' if total != 1 else ''}"
        raise PatchkitError("P619", file=source.path, pages=pages, reason=reason, allowed=_ALLOWED)
    if int(last) - int(first) >= MOST_PAGES:
        reason = f"that is more than {MOST_PAGES} at once"
        raise PatchkitError("P619", file=source.path, pages=pages, reason=reason, allowed=_ALLOWED)
    return int(first), int(last)
