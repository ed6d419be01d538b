"""The output formats of a check, as one table.

Takes the name of a format and a Report; gives the text that goes into a file or a stream. A format is loaded when it
is asked for. To add one, write a function that renders a Report, and add its row.
"""

from __future__ import annotations

from patchkit.checking.report import Report
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class OutputFormat(Value):
    """One output format.

    `function` of `module` renders it. `lines` says that it shows lines of hunks and files,
    `suggestions` that it shows corrected patches: a check collects those only where a format needs them. `points`
    says that it points into files: its function also takes the directory that paths are relative to.
    """

    __slots__ = ("name", "module", "function", "lines", "suggestions", "points")
    name: str
    module: str
    function: str
    lines: bool
    suggestions: bool
    points: bool

    def __init__(
        self, name: str, render: str, lines: bool = False, suggestions: bool = False, points: bool = False
    ) -> None:
        self.name = name
        self.module, _, self.function = render.partition(":")
        self.lines = lines
        self.suggestions = suggestions
        self.points = points

    def render(self, report: Report, base: str = ".") -> str:
        """The report in this format. `base` is the directory that the paths of files are relative to."""
        from importlib import import_module  # a check prints text, which needs none of this

        render: Callable[..., str] = getattr(import_module(f"patchkit.{self.module}"), self.function)
        return render(report, base) if self.points else render(report)


_ROWS = (
    OutputFormat("text", "checking.text:render", suggestions=True),
    OutputFormat("concise", "checking.annotations:render_concise", lines=True, points=True),
    OutputFormat("json", "checking.text:render_json", suggestions=True),
    OutputFormat("jsonl", "checking.text:render_json_lines", suggestions=True),
    OutputFormat("github", "checking.annotations:render_github", points=True),
    OutputFormat("gitlab", "checking.annotations:render_gitlab", lines=True, points=True),
    OutputFormat("sarif", "checking.annotations:render_sarif", lines=True, points=True),
    OutputFormat("junit", "checking.annotations:render_junit"),
    OutputFormat("markdown", "checking.markdown:render", suggestions=True),
    OutputFormat("html", "checking.page:render", lines=True, suggestions=True),
)
FORMATS = {row.name: row for row in _ROWS}
