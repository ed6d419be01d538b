"""The text of a PDF's pages, worked out in a process of its own.

Takes the file on standard input and the first and last page wanted as words; writes what it found as one JSON object.
The process limits its own time and memory, and `documents`, which starts it, ends it when time is up. Imports nothing
else of the package: it has to start fast and small.
"""

from __future__ import annotations

import json
import logging
import resource
import sys
from importlib import import_module
from io import BytesIO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST_CHARACTERS = 4_000_000  # of all pages together: far more than is ever shown


def main(words: list[str]) -> None:
    """Reads the file on standard input, and writes what it found as one JSON object."""
    first, last, seconds, memory = map(int, words)
    _limit(seconds, memory)
    try:
        found = _extracted(sys.stdin.buffer.read(), first, last)
    except MemoryError:
        found = {"fault": f"it takes more than {memory >> 20} MB of memory"}
    except Exception as error:  # whatever goes wrong, the file is damaged
        found = {"fault": f"it is not a PDF that can be read ({type(error).__name__})"}
    sys.stdout.write(json.dumps(found))


def _limit(seconds: int, memory: int) -> None:
    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        try:
            hard = resource.getrlimit(what)[1]
            resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
        except (OSError, ValueError):
            pass  # a system without this limit; the time limit still holds


def _extracted(data: bytes, first: int, last: int) -> dict[str, object]:
    logging.disable(logging.CRITICAL)  # pypdf writes warnings about files to standard error
    pypdf: Any = import_module("pypdf")
    reader = pypdf.PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        return {"fault": "it is encrypted"}
    total = len(reader.pages)
    texts: list[str] = []
    room = _MOST_CHARACTERS
    for number in range(first - 1, min(last, total)):
        texts.append(reader.pages[number].extract_text())
        room -= len(texts[-1])
        if room < 0:
            return {"fault": f"page {number + 1} has more text than can be shown"}
    return {"total": total, "texts": texts}
