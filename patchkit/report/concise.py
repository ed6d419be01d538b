"""A Report with one line for each error and note, as editors and grep take it: `file:line:column: code message`.

Takes a Report; gives text. What is accepted (ignored, or in the baseline) is left out.
"""

from __future__ import annotations

from patchkit.report.checked import Report
from patchkit.report.findings import Finding, findings_of
from patchkit.report.locations import Locator
from patchkit.report.width import visible

_WIDEST = 1000


def render(report: Report, base: str = ".") -> str:
    """Errors and notes in the order of the patches."""
    paths = Locator(report, base)
    return "".join(_line(each, paths) for each in findings_of(report) if not each.accepted)


def _line(finding: Finding, paths: Locator) -> str:
    place = paths.main(finding.patch, finding.what)
    line = finding.what.facts.get("patch_line")
    where = f"{visible(place.path)}:{place.line}" if place is not None else f"-:{line if isinstance(line, int) else 1}"
    return f"{where}:1: {finding.what.code} {visible(finding.what.message, _WIDEST)}\n"
