"""A Report as SARIF 2.1.0, for code scanning and editors.

Takes a Report; gives the text of a log with one run: every code that occurs is a rule, every error and note a result.
A result points at the patch file and relates to the lines of the tree that it is about. Its fingerprint is made of what
was found and not of where: moving lines leaves it as it is.
"""

from __future__ import annotations

import json
import os
from importlib import metadata
from urllib.parse import quote

from patchkit import __version__
from patchkit.catalogue.entries import ENTRIES
from patchkit.catalogue.names import general, name_of
from patchkit.errors import Note, PatchkitError
from patchkit.report.checked import CheckedPatch, Report
from patchkit.report.findings import failing, findings_of
from patchkit.report.locations import FileLine, Locator
from patchkit.report.width import visible

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_DISTRIBUTION = "apply-patch"

Finding = PatchkitError | Note
Data = dict[str, object]


def render(report: Report, base: str = ".") -> str:
    """The log as text. The same report gives the same text, byte for byte."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report, Locator(report, base))]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _run(report: Report, paths: Locator) -> Data:
    found = findings_of(report)
    rules = {code: number for number, code in enumerate(sorted({each.what.code for each in found}))}
    results = []
    for each in found:
        result = _result(each.patch, each.what, paths)
        result["ruleIndex"] = rules[each.what.code]
        result["partialFingerprints"] = {"primaryLocationLineHash": each.fingerprint}
        if each.accepted:
            result["suppressions"] = [{"kind": "external", "justification": _JUSTIFICATIONS[each.accepted]}]
        results.append(result)
    run: Data = {
        "tool": {"driver": {"name": "patchkit", "version": __version__, "rules": [_rule(code) for code in rules]}},
        "invocations": [_invocation(report)],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    if report.against:
        run["properties"] = {"against": report.against}
    return run


_JUSTIFICATIONS = {
    "ignored": "its code is ignored",
    "baseline": "it is in the baseline",
    "other": "only other codes fail",
}


def _invocation(report: Report) -> Data:
    invocation: Data = {"executionSuccessful": True, "exitCode": 1 if failing(report) else 0}
    if report.notes:  # of the run, and of no patch
        invocation["toolExecutionNotifications"] = [
            {"descriptor": {"id": note.code}, "level": "note", "message": {"text": visible(note.message, 1000)}}
            for note in report.notes
        ]
    return invocation


def _rule(code: str) -> Data:
    entry = ENTRIES[code]
    rule: Data = {
        "id": code,
        "name": "".join(word.capitalize() for word in name_of(code).split("-")),
        "shortDescription": {"text": general(entry.sentence)},
        "defaultConfiguration": {"level": "note" if code.startswith("P9") else "error"},
    }
    page = _page_of(code)
    if page:
        rule["helpUri"] = page
    if entry.advice:
        rule["help"] = {"text": general(entry.advice)}
    return rule


def _page_of(code: str) -> str:
    """The address of the page of a code: where the metadata of this installation says that documentation is."""
    try:
        rows = metadata.metadata(_DISTRIBUTION).get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    named = dict(row.split(", ", 1) for row in rows if ", " in row)
    home = named.get("Documentation", "")
    return f"{home.rstrip('/')}/errors.md#{code.lower()}" if home else ""


def _result(patch: CheckedPatch, finding: Finding, paths: Locator) -> Data:
    words = visible(finding.message, 1000)
    if isinstance(finding, PatchkitError) and finding.hint:
        words += f"\nhelp: {visible(finding.hint, 1000)}"
    main = paths.main(patch, finding)
    result: Data = {
        "ruleId": finding.code,
        "level": "error" if isinstance(finding, PatchkitError) else "note",
        "message": {"text": words},
        "locations": [_location(main)] if main is not None else [],
    }
    related = [place for place in paths.in_the_tree(finding) if main is not None and place.path != main.path]
    if related and isinstance(finding, PatchkitError):
        result["relatedLocations"] = [_location(place, number) for number, place in enumerate(related, 1)]
    return result


def _location(place: FileLine, number: int = 0) -> Data:
    location: Data = {"physicalLocation": {"artifactLocation": _uri(place.path), "region": {"startLine": place.line}}}
    if number:
        location = {"id": number, **location}
    if place.words:
        location["message"] = {"text": visible(place.words)}
    return location


def _uri(path: str) -> Data:
    quoted = quote(os.fsencode(path))
    return {"uri": f"file://{quoted}"} if path.startswith("/") else {"uri": quoted, "uriBaseId": _ROOT}
