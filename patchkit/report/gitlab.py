"""A Report as GitLab's Code Quality reads it: a JSON list, one object for each error and note.

Takes a Report; gives text. What is accepted (ignored, or in the baseline) is left out. GitLab needs a path below the
repository, so a finding without a file has the name of its patch.
"""

from __future__ import annotations

import json

from patchkit.catalogue.names import name_of
from patchkit.report.checked import Report
from patchkit.report.findings import Finding, findings_of
from patchkit.report.locations import Locator
from patchkit.report.width import visible

_WIDEST = 1000


def render(report: Report, base: str = ".") -> str:
    """The list as text. The same report gives the same text, byte for byte."""
    paths = Locator(report, base)
    rows = [_row(each, paths) for each in findings_of(report) if not each.accepted]
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"


def _row(finding: Finding, paths: Locator) -> dict[str, object]:
    place = paths.main(finding.patch, finding.what)
    return {
        "description": f"{finding.what.code}: {visible(finding.what.message, _WIDEST)}",
        "check_name": f"{finding.what.code}-{name_of(finding.what.code)}",
        "fingerprint": finding.fingerprint,
        "severity": "major" if finding.is_error else "info",
        "location": {
            "path": visible(place.path if place is not None else finding.patch.name, _WIDEST),
            "lines": {"begin": place.line if place is not None else 1},
        },
    }
