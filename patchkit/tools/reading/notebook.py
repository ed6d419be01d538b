"""A notebook as its cells with their outputs, instead of the JSON they are kept in."""

from __future__ import annotations

import json
import re

from patchkit.report.result import Result
from patchkit.structure.notebook import heading, joined
from patchkit.tools.reading.content import FileContent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
