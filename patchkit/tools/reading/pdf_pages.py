"""The text of a PDF's pages, worked out in a process of its own.

Takes the file on standard input and the first and last page wanted as words; writes what it found as one JSON object.
A PDF can be made to keep its reader busy for ever, or to fill the memory: this process may take so much of both and no
more, and whoever started it ends it when time is up. Run by `reading.pdf`.
"""

from __future__ import annotations

import json
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_CHARACTERS = 4_000_000  # of all pages together: far more than is ever shown


def main(words: list[str]) -> None:
    """Reads, tells, ends. `words` are the first and the last page, and the seconds and bytes it may take."""
    first, last, seconds, memory = map(int, words)
    _keep_within(seconds, memory)
    try:
        told = _pages(sys.stdin.buffer.read(), first, last)
    except MemoryError:
        told = {"fault": f"it takes more than {memory >> 20} MB of memory"}
    except Exception as error:  # whatever goes wrong in a damaged file, it is the file
        told = {"fault": f"it is no PDF that can be read ({type(error).__name__})"}
    sys.stdout.write(json.dumps(told))


def _keep_within(seconds: int, memory: int) -> None:
    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        try:
            hard = resource.getrlimit(what)[1]
            resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
        except (OSError, ValueError):
            pass  # a system that knows no such limit; time still ends it


def _pages(data: bytes, first: int, last: int) -> dict[str, object]:
    import logging
    from importlib import import_module
    from io import BytesIO

    logging.disable(logging.CRITICAL)  # what pypdf finds odd in a file is nothing for standard error
    pypdf: Any = import_module("pypdf")
    reader = pypdf.PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        return {"fault": "it is encrypted"}
    total = len(reader.pages)
    texts: list[str] = []
    room = MOST_CHARACTERS
    for number in range(first - 1, min(last, total)):
        texts.append(reader.pages[number].extract_text())
        room -= len(texts[-1])
        if room < 0:
            return {"fault": f"page {number + 1} has more text than can be shown"}
    return {"total": total, "texts": texts}
