"""The faces of a Report by name.

Takes a name and a Report; gives the text that goes into a file or a stream. Each face is loaded when it is asked for.
"""

from __future__ import annotations

from patchkit.report.check_text import Page
from patchkit.report.checked import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FACES = ("text", "json", "jsonl", "github", "sarif", "junit", "markdown", "html")
DRAWN = ("html", "sarif")  # those that need the lines of hunks
REMEMBERING = ("json", "jsonl", "html")  # those that show what a refused patch should have said
_PLACED = ("github", "sarif")  # those that point into files


def face(name: str, report: Report, base: str = ".", page: Page | None = None) -> str:
    """The report under one of its faces. `base` is what the paths of files are relative to."""
    if name == "text":
        from patchkit.report import check_text

        return check_text.render(report, page)
    if name in ("json", "jsonl"):
        return _json(name, report)
    from importlib import import_module

    render: Callable[..., str] = import_module(f"patchkit.report.{name}").render
    return render(report, base) if name in _PLACED else render(report)


def _json(name: str, report: Report) -> str:
    import json

    from patchkit.tools.checking.result import check_result, json_lines

    if name == "json":
        return json.dumps(check_result(report).envelope(), ensure_ascii=False, indent=2) + "\n"
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in json_lines(report))
