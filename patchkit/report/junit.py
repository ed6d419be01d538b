"""A Report as JUnit XML, which every CI server reads: a suite for each patch, a case for each of its sections.

Takes a Report; gives the text of the file. A patch that cannot be read, or breaks a limit as a whole, has a case of
its own for that. A case has one failure, with every error of its section in it: readers differ on what more mean.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.report.check_text import outcome
from patchkit.report.checked import CheckedFile, CheckedPatch, Report
from patchkit.report.diagnostics import each_rendered
from patchkit.report.notes import render_note
from patchkit.report.width import shown_char, visible

_VERBS = {"add": "Add", "delete": "Delete", "update": "Update", "move": "Move"}


def render(report: Report) -> str:
    suites = [_Suite(patch) for patch in report.patches]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="patchkit check" {_counts(suites)}>\n'
        f"{''.join(suite.text for suite in suites)}</testsuites>\n"
    )


class _Suite:
    """One patch: its cases as text, how many they are, and how many of them failed."""

    __slots__ = ("text", "tests", "failures", "_name", "_drawn")

    def __init__(self, patch: CheckedPatch) -> None:
        self.tests = self.failures = 0
        self._name = _attribute(patch.source)
        self._drawn = iter(each_rendered(patch.every_error, patch.text, patch.source))
        cases = self._case("the whole patch", patch.errors) if patch.errors or not patch.files else ""
        cases += "".join([self._case(_title(file), file.errors, _hunks(file)) for file in patch.files])
        notes = _element("system-out", "".join(map(render_note, patch.notes)), "    ")
        self.text = f'  <testsuite name="{self._name}" {_counts([self])}>\n{cases}{notes}  </testsuite>\n'

    def _case(self, name: str, errors: list[PatchkitError], out: str = "") -> str:
        self.tests += 1
        self.failures += bool(errors)
        body = self._failure(errors) + _element("system-out", out, "      ")
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


def _title(file: CheckedFile) -> str:
    moved = f" from {file.moved_from}" if file.moved_from else ""
    return f"{_VERBS[file.op]} {file.path}{moved}"


def _hunks(file: CheckedFile) -> str:
    return "".join(f"{hunk.title}: {outcome(hunk)}\n" for hunk in file.hunks)


def _element(name: str, text: str, margin: str) -> str:
    return f"{margin}<{name}>{_escaped(text)}</{name}>\n" if text else ""


def _attribute(text: str) -> str:
    return _escaped(text).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;")


def _escaped(text: str) -> str:
    """Text as XML can hold it: of the control characters it knows line feed and tab alone."""
    if not text.isprintable():
        text = "".join(char if char in "\n\t" or char.isprintable() else shown_char(char) for char in text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
