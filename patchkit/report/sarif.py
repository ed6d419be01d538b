"""A Report as SARIF 2.1.0, for code scanning and editors.

Takes a Report; gives the text of a log with one run: every code that occurs is a rule, every error and note a result.
A result points at the patch file and relates to the lines of the tree that it is about. Its fingerprint is made of what
was found and not of where: moving lines leaves it as it is.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from urllib.parse import quote

from patchkit import __version__
from patchkit.catalogue import ENTRIES
from patchkit.errors import Note, PatchkitError
from patchkit.report.checked import CheckedHunk, CheckedPatch, Report
from patchkit.report.locations import FileLine, Locator
from patchkit.report.width import visible

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"

Finding = PatchkitError | Note
Data = dict[str, object]


def render(report: Report, base: str = ".") -> str:
    """The log as text. The same report gives the same text, byte for byte."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report, Locator(report, base))]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _run(report: Report, paths: Locator) -> Data:
    found = [(patch, finding, hunk) for patch in report.patches for finding, hunk in patch.findings]
    rules = {code: number for number, code in enumerate(sorted({finding.code for _, finding, _ in found}))}
    prints = _Fingerprints()
    results = []
    for patch, finding, hunk in found:
        result = _result(patch, finding, paths)
        result["ruleIndex"] = rules[finding.code]
        result["partialFingerprints"] = {"primaryLocationLineHash": prints.of(patch, finding, hunk)}
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


def _invocation(report: Report) -> Data:
    invocation: Data = {"executionSuccessful": True, "exitCode": 1 if report.refused else 0}
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
        "shortDescription": {"text": _general(entry.sentence)},
        "defaultConfiguration": {"level": "note" if code.startswith("P9") else "error"},
    }
    if entry.advice:
        rule["help"] = {"text": _general(entry.advice)}
    return rule


def _general(sentence: str) -> str:
    """A sentence of the catalogue without facts: with their names in their place."""
    facts = {name.removesuffix("_short").removesuffix("_bare"): name for name in _names(sentence)}
    for plain, name in facts.items():
        sentence = sentence.replace("{" + name + "}", "{" + plain.replace("_", " ") + "}")
    return sentence


def _names(sentence: str) -> list[str]:
    return [part.partition("}")[0] for part in sentence.split("{")[1:] if "}" in part]


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


class _Fingerprints:
    """What a finding is, whatever line it is on: its code, its patch, its file and the text of its hunk."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def of(self, patch: CheckedPatch, finding: Finding, hunk: CheckedHunk | None) -> str:
        """Sixteen digits, and a number that distinguishes findings of equal text, as GitHub writes them."""
        words = [
            finding.code,
            patch.name,
            str(finding.facts.get("file", "")),
            *(hunk.lines if hunk is not None else []),
        ]
        if hunk is None:
            words.append(str(finding.facts.get("found", "")))
        digest = sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._seen[digest] = self._seen.get(digest, 0) + 1
        return f"{digest}:{self._seen[digest]}"
