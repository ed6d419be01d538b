"""The findings of a check, one by one: what each is, whether it fails the run, and what it is known by.

Takes a Report; gives a Finding for every error and note of every patch, with a fingerprint that is made of what was
found and not of where, so that moving lines leaves it as it is. Which findings do not fail a run is decided here, from
the Acceptance of the report: codes that are ignored, codes that alone count, and findings that a baseline knows.
"""

from __future__ import annotations

from patchkit.checking.report import Acceptance, CheckedHunk, CheckedPatch, Report
from patchkit.core.workspace import sha256
from patchkit.errors import Note, PatchkitError
from patchkit.values import Record

_VERSION = 1


class Finding(Record):
    """One error or note: its patch, the hunk that an error is about, its fingerprint."""

    patch: CheckedPatch
    what: PatchkitError | Note
    hunk: CheckedHunk | None
    fingerprint: str
    accepted: str  # why it does not fail the run: 'ignored', 'baseline', 'other' where only some codes fail; else ''

    @property
    def is_error(self) -> bool:
        return isinstance(self.what, PatchkitError)


def findings_of(report: Report) -> list[Finding]:
    """Every error and note of every patch, in the order of the report."""
    seen: dict[str, int] = {}
    found = []
    for patch in report.patches:
        for what, hunk in patch.findings:
            digest = _digest(patch, what, hunk)
            seen[digest] = seen.get(digest, 0) + 1
            mark = f"{digest}:{seen[digest]}"  # a number distinguishes findings of equal text, as GitHub writes them
            found.append(Finding(patch, what, hunk, mark, _accepted(what, mark, report.acceptance)))
    return found


def failing(report: Report) -> list[Finding]:
    """The findings for which a run ends with status 1."""
    only = report.acceptance.fail_on
    if not report.acceptance:
        return [each for each in findings_of(report) if each.is_error] if report.refused else []
    return [each for each in findings_of(report) if not each.accepted and (each.is_error or each.what.code in only)]


def _accepted(what: PatchkitError | Note, mark: str, acceptance: Acceptance) -> str:
    if what.code in acceptance.ignore:
        return "ignored"
    if mark in acceptance.known:
        return "baseline"
    if isinstance(what, PatchkitError) and acceptance.fail_on and what.code not in acceptance.fail_on:
        return "other"
    return ""


def hide_accepted(report: Report) -> None:
    """Takes what is accepted out of a report, so that every output shows what is new; how much it was is kept."""
    if not report.acceptance:
        return
    accepted = [each for each in findings_of(report) if each.accepted]
    for each in accepted:
        if each.is_error:
            report.accepted[each.accepted] = report.accepted.get(each.accepted, 0) + 1
    hidden = {id(each.what) for each in accepted}
    bad = report.refused
    for patch in report.patches:
        patch.errors = [error for error in patch.errors if id(error) not in hidden]
        patch.notes = [note for note in patch.notes if id(note) not in hidden]
        for file in patch.files:
            if file.errors:
                file.errors = [error for error in file.errors if id(error) not in hidden]
    known = {id(patch) for patch in bad if not patch.every_error}
    report.patches = [patch for patch in report.patches if id(patch) not in known]
    report.hidden = len(known)
    report.acceptance.ignore, report.acceptance.known = set(), set()


def accepted_words(report: Report) -> str:
    """What was accepted, in one sentence; '' where nothing was."""
    words = [f"{count:,} {_WORDS[why]}" for why, count in report.accepted.items()]
    return f"errors that do not fail: {', '.join(words)}" if words else ""


_WORDS = {"ignored": "ignored", "baseline": "in the baseline", "other": "of other codes"}


def codes_of(words: list[str]) -> set[str]:
    """The codes that words name: codes (P201), beginnings of codes (P2), names, several with commas; ValueError."""
    if not words:
        return set()
    from patchkit.catalogue.entries import ENTRIES, code_of  # all words about all codes

    found: set[str] = set()
    for word in [part.strip() for given in words for part in given.split(",")]:
        begun = {code for code in ENTRIES if word and code.startswith(word.upper())}
        named = code_of(word)
        if not begun and named is None:
            raise ValueError(word)
        found |= begun or {str(named)}
    return found


def baseline(report: Report) -> str:
    """The errors of a report as the text of a baseline file, which a later check accepts, and this one from now on."""
    import json  # few checks have a baseline

    rows = [
        {"fingerprint": each.fingerprint, "code": each.what.code, "patch": each.patch.name}
        for each in findings_of(report)
        if each.is_error
    ]
    report.acceptance.known |= {row["fingerprint"] for row in rows}
    return json.dumps({"version": _VERSION, "findings": rows}, ensure_ascii=False, indent=2) + "\n"


def known_by(text: str) -> set[str]:
    """The fingerprints in the text of a baseline file; ValueError where it is not one."""
    import json

    data = json.loads(text)
    if not isinstance(data, dict) or data.get("version") != _VERSION or not isinstance(data.get("findings"), list):
        raise ValueError("it is not a baseline of patchkit check")
    return {str(row["fingerprint"]) for row in data["findings"] if isinstance(row, dict) and "fingerprint" in row}


def _digest(patch: CheckedPatch, finding: PatchkitError | Note, hunk: CheckedHunk | None) -> str:
    """Sixteen digits of what a finding is, whatever line it is on: its code, patch, file and the text of its hunk."""
    text = hunk.lines if hunk is not None else [str(finding.facts.get("found", ""))]
    words = [finding.code, patch.name, str(finding.facts.get("file", "")), *text]
    return sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:16]
