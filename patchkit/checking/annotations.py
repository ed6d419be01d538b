"""A Report as SARIF 2.1.0, for code scanning and editors.

Takes a Report; gives the text of a log with one run: every code that occurs is a rule, every error and note a result.
A result points at the patch file and relates to the lines of the tree that it is about. Its fingerprint is made of what
was found and not of where: moving lines leaves it as it is.
"""

from __future__ import annotations

import json
import os
from urllib.parse import quote

from patchkit import __version__
from patchkit.catalogue.entries import ENTRIES
from patchkit.catalogue.sentences import general, name_of
from patchkit.checking.findings import Finding, accepted_words, failing, findings_of
from patchkit.checking.report import STDIN, CheckedPatch, Data, Report
from patchkit.checking.text import outcome
from patchkit.errors import Note, PatchkitError
from patchkit.report.diagnostics import choices_of, each_rendered, near_of
from patchkit.report.spans import note_spans, plain
from patchkit.report.width import counted, shown_char, visible
from patchkit.values import Record

# -- where an error or a note is to be shown, for output formats that point into files: in the patch, and in the tree
# Takes a Report's findings and the directory that paths shall be relative to; gives FileLines. A patch that came
# through a pipe is not a file that a tool could open, so its findings are shown in the tree, as far as they have a
# place there.


_MOST = 20  # locations of one error


class FileLine(Record):
    """A line of a file, the path as the reader's tools know it; `words` say what is there."""

    path: str
    line: int
    words: str = ""


class Locator:
    """Finds the locations of one report's findings; paths below `base` are relative to it."""

    def __init__(self, report: Report, base: str) -> None:
        self._report = report
        self._base = os.path.realpath(base)

    def main(self, patch: CheckedPatch, finding: PatchkitError | Note) -> FileLine | None:
        """The line to show a finding at: that of the patch file; of a piped patch, that of the file in the tree."""
        if patch.name == STDIN:
            found = self.in_the_tree(finding)
            return found[0] if found else None
        line = finding.facts.get("differs_at") or finding.facts.get("patch_line")
        return FileLine(self._shown(patch.name), _positive(line))

    def in_the_tree(self, finding: PatchkitError | Note) -> list[FileLine]:
        """The lines of the tree that a finding is about: the closest place, or every place in question."""
        facts = finding.facts
        file = facts.get("file")
        if not isinstance(file, str) or "\0" in file:
            return []
        path = self._in_tree(file)
        if path is None:
            return []
        near = near_of(facts)
        if near is not None:
            return [FileLine(path, near.row + 1, f"closest place ({near.agreement})")]
        choices = choices_of(facts)
        if choices:
            return [FileLine(path, each.line, f"in '{each.inside}'" if each.inside else "") for each in choices[:_MOST]]
        return [FileLine(path, _positive(facts.get("line")))]

    def _shown(self, path: str) -> str:
        """A path from the base; an absolute one when the file is elsewhere."""
        full = os.path.realpath(path)
        base = self._base.rstrip("/") + "/"
        return full[len(base) :] if full.startswith(base) else full

    def _in_tree(self, path: str) -> str | None:
        """A path of a patch as the reader's tools know it; None for one that leaves the workspace."""
        if not self._report.start:
            return path  # of a commit: there may be no work tree
        full = os.path.normpath(os.path.join(self._report.start, path.strip(" \t")))
        root = self._report.root.rstrip("/")
        return self._shown(full) if full.startswith(root + "/") else None


def _positive(line: object) -> int:
    return line if isinstance(line, int) and line > 0 else 1


# -- a Report as GitHub shows it: annotations at the lines of a pull request, and the guard around what is only text
# Takes a Report; gives workflow commands, one a line. The runner executes commands that it finds in anything a step
# prints, so text of a patch is never printed bare: `quoted` puts it between marks that switch commands off.


SHOWN = 10  # of each kind: GitHub shows no more of one step
SUMMARY_BYTES = 1 << 20  # what GitHub takes as the summary of a step
Found = tuple[CheckedPatch | None, PatchkitError | Note]
_LEVELS = {"error": "error", "notice": "note"}


def render_github(report: Report, base: str = ".", with_notes: bool = True) -> str:
    """Errors, then notes as notices. Where there are more than GitHub shows, the last one counts the rest."""
    paths = Locator(report, base)
    found = findings_of(report)
    errors: list[Found] = [(each.patch, each.what) for each in found if each.is_error]
    notes: list[Found] = [(None, note) for note in report.notes]  # of the run, and of no patch
    notes += [(each.patch, each.what) for each in found if not each.is_error]
    return "".join(_commands("error", errors, paths) + _commands("notice", notes if with_notes else [], paths))


def _commands(level: str, findings: list[Found], paths: Locator) -> list[str]:
    shown = findings if len(findings) <= SHOWN else findings[: SHOWN - 1]
    lines = [_annotation(level, finding, patch, paths) for patch, finding in shown]
    if len(findings) > len(shown):
        more = counted(len(findings) - len(shown), f"more {_LEVELS[level]}")
        lines.append(command(level, {"title": "patchkit"}, f"{more}: see the summary of this step"))
    return lines


def _annotation(level: str, finding: PatchkitError | Note, patch: CheckedPatch | None, paths: Locator) -> str:
    place = paths.main(patch, finding) if patch is not None else None
    properties = {"file": place.path, "line": str(place.line)} if place is not None else {}
    properties["title"] = f"patchkit {finding.code}"
    places = paths.in_the_tree(finding) if patch is not None else []
    return command(level, properties, "\n".join(_words(finding, places)))


def _words(finding: PatchkitError | Note, places: list[FileLine]) -> list[str]:
    """What is said of a finding: the sentence, the closest place, the next step."""
    words = [visible(finding.message, 1000)]
    words += [f"{visible(place.path)}:{place.line}: {visible(place.words)}" for place in places if place.words]
    if isinstance(finding, PatchkitError) and finding.hint:
        words.append(f"help: {visible(finding.hint, 1000)}")
    return words


def command(name: str, properties: dict[str, str], message: str) -> str:
    """One workflow command. The runner decodes exactly these escapes, and in properties two more."""
    known = {key: _data(value).replace(":", "%3A").replace(",", "%2C") for key, value in properties.items()}
    listed = ",".join(f"{key}={value}" for key, value in known.items())
    return f"::{name}{' ' + listed if listed else ''}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def quoted(text: str, token: str) -> str:
    """Text that the runner prints without executing commands in it; its author cannot know the random token."""
    return f"::stop-commands::{token}\n{text}{'' if text.endswith(chr(10)) else chr(10)}::{token}::\n"


# -- a Report as GitLab's Code Quality reads it: a JSON list, one object for each error and note ---
# GitLab needs a path below the repository, so a finding without a file has the name of its patch.


_WIDEST = 1000


def render_gitlab(report: Report, base: str = ".") -> str:
    """The list as text. The same report gives the same text, byte for byte."""
    paths = Locator(report, base)
    rows = [_row(each, paths) for each in findings_of(report)]
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


# -- a Report as JUnit XML, which every CI server reads: a suite for each patch, a case for each of its sections
# Takes a Report; gives the text of the file. A patch that cannot be read, or breaks a limit as a whole, has a case of
# its own for that. A case has one failure, with every error of its section in it: readers differ on what more mean.


_VERBS = {"add": "Add", "delete": "Delete", "update": "Update", "move": "Move"}


def render_junit(report: Report) -> str:
    suites = [_Suite(patch) for patch in report.patches]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="patchkit check" {_counts(suites)}>\n'
        f"{''.join(suite.text for suite in suites)}{_accepted(report)}</testsuites>\n"
    )


def _accepted(report: Report) -> str:
    """What is accepted, as a test that was skipped."""
    words = accepted_words(report)
    if not words:
        return ""
    case = f'<testcase classname="accepted" name="accepted"><skipped message="{_attribute(words)}"/></testcase>'
    return f'  <testsuite name="accepted" tests="1" failures="0" errors="0" skipped="1">{case}</testsuite>\n'


class _Suite:
    """One patch: its cases as text, how many they are, and how many of them failed."""

    def __init__(self, patch: CheckedPatch) -> None:
        self.tests = self.failures = 0
        self._name = _attribute(patch.source)
        self._drawn = iter(each_rendered(patch.every_error, patch.text, patch.source))
        cases = self._case("the whole patch", patch.errors) if patch.errors or not patch.files else ""
        for file in patch.files:
            hunks = "".join(f"{hunk.title}: {outcome(hunk)}\n" for hunk in file.hunks)
            moved = f" from {file.data['moved_from']}" if file.data["moved_from"] else ""
            title = f"{_VERBS[file.data['op']]} {file.data['path']}{moved}"
            cases += self._case(title, file.errors, hunks)
        notes = _output(plain(note_spans(patch.notes)), "    ")
        self.text = f'  <testsuite name="{self._name}" {_counts([self])}>\n{cases}{notes}  </testsuite>\n'

    def _case(self, name: str, errors: list[PatchkitError], out: str = "") -> str:
        self.tests += 1
        self.failures += bool(errors)
        body = self._failure(errors) + _output(out, "      ")
        head = f'    <testcase classname="{self._name}" name="{_attribute(name)}"'
        return f"{head}>\n{body}    </testcase>\n" if body else f"{head}/>\n"

    def _failure(self, errors: list[PatchkitError]) -> str:
        if not errors:
            return ""
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        message = _attribute(visible(errors[0].message, 1000) + more)
        words = _escaped("\n".join(next(self._drawn) for _ in errors))
        return f'      <failure type="{errors[0].code}" message="{message}">{words}</failure>\n'


def _counts(suites: list[_Suite]) -> str:
    tests, failures = sum(suite.tests for suite in suites), sum(suite.failures for suite in suites)
    return f'tests="{tests}" failures="{failures}" errors="0"'


def _output(text: str, margin: str) -> str:
    return f"{margin}<system-out>{_escaped(text)}</system-out>\n" if text else ""


def _attribute(text: str) -> str:
    return _escaped(text).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;")


def _escaped(text: str) -> str:
    """Text as XML can hold it: of the control characters it knows line feed and tab alone."""
    if not text.isprintable():
        text = "".join(char if char in "\n\t" or char.isprintable() else shown_char(char) for char in text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_DISTRIBUTION = "apply-patch"


def render_sarif(report: Report, base: str = ".") -> str:
    """The log as text. The same report gives the same text, byte for byte."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report, Locator(report, base))]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _run(report: Report, paths: Locator) -> Data:
    found = findings_of(report)
    rules = {code: number for number, code in enumerate(sorted({each.what.code for each in found}))}
    run: Data = {
        "tool": {"driver": {"name": "patchkit", "version": __version__, "rules": [_rule(code) for code in rules]}},
        "invocations": [_invocation(report)],
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, rules[each.what.code], paths) for each in found],
    }
    properties: Data = {"against": report.against} if report.against else {}
    properties.update({"accepted": report.accepted} if report.accepted else {})
    if properties:
        run["properties"] = properties
    return run


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
    # The address is not known to a copy from a local clone; the command is.
    rule["help"] = {"text": f"{general(entry.advice)}; 'patchkit explain {code}' has more".removeprefix("; ")}
    return rule


def _page_of(code: str) -> str:
    """The address of the page of a code: where the metadata of this installation says that documentation is."""
    from importlib import metadata  # loads much, and few formats name pages

    try:
        rows = metadata.metadata(_DISTRIBUTION).get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    named = dict(row.split(", ", 1) for row in rows if ", " in row)
    home = named.get("Documentation", "")
    return f"{home.rstrip('/')}/errors.md#{code.lower()}" if home else ""


def _result(found: Finding, rule: int, paths: Locator) -> Data:
    finding = found.what
    main = paths.main(found.patch, finding)
    result: Data = {
        "ruleId": finding.code,
        "level": "error" if isinstance(finding, PatchkitError) else "note",
        "message": {"text": "\n".join(_words(finding, []))},
        "locations": [_location(main)] if main is not None else [],
    }
    related = [place for place in paths.in_the_tree(finding) if main is not None and place.path != main.path]
    if related and isinstance(finding, PatchkitError):
        result["relatedLocations"] = [_location(place, number) for number, place in enumerate(related, 1)]
    return {**result, "ruleIndex": rule, "partialFingerprints": {"primaryLocationLineHash": found.fingerprint}}


def _location(place: FileLine, number: int = 0) -> Data:
    address: Data = {"uri": quote(os.fsencode(place.path)), "uriBaseId": _ROOT}
    if place.path.startswith("/"):
        address = {"uri": f"file://{address['uri']}"}
    location: Data = {"physicalLocation": {"artifactLocation": address, "region": {"startLine": place.line}}}
    if number:
        location = {"id": number, **location}
    if place.words:
        location["message"] = {"text": visible(place.words)}
    return location


def render_concise(report: Report, base: str = ".") -> str:
    """`file:line:column: code message`, in the order of the patches."""
    paths, lines = Locator(report, base), []
    for each in findings_of(report):
        place, line = paths.main(each.patch, each.what), each.what.facts.get("patch_line")
        where = f"-:{line if isinstance(line, int) else 1}"
        where = f"{visible(place.path)}:{place.line}" if place is not None else where
        lines.append(f"{where}:1: {each.what.code} {visible(each.what.message, _WIDEST)}\n")
    return "".join(lines)
