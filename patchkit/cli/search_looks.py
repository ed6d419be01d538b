"""What `grep`, `glob`, `ls` and `log` print on a terminal: in colour as their peers do, names as links to the files.

Takes the Result of a tool and its arguments; gives spans with exactly the characters of its text. While a search runs,
a line says how far it is. Loaded for a terminal only.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # has no stub
import os
import re
import time
from urllib.parse import quote

from patchkit.cli import progress
from patchkit.report.progress import PATIENCE, lasting
from patchkit.report.result import Result
from patchkit.report.spans import Span, Spans, linked

Json = dict[str, object]
_ROW = re.compile(r"(?P<path>.+?)(?P<mark>[:-])(?P<number>\d+)(?P=mark)(?P<text>.*)", re.DOTALL)
_PAUSE = 0.25  # seconds between two lines that say how far a search is
_KINDS = {"directory": "directory", "link": "link"}  # the styles of entries


def looks(tool: str, result: Result, given: object) -> Spans:
    """The text of a result with its looks; a tool that has none here keeps its text."""
    asked = given if isinstance(given, dict) else {}
    lines = result.text.removesuffix("\n").split("\n")
    if tool == "LS":
        entries = _records(result, "entries")
        spans = [_entry(line, record) for line, record in zip(lines, entries)]
    elif tool == "Grep" and result.data.get("mode") == "content":
        around = _Pattern(asked)
        found = len(_records(result, "matches")) + len(_records(result, "context"))
        shown = _content_rows(lines, found)
        spans = [_row(line, around) for line in lines[:shown]]
    elif tool in ("Grep", "Glob"):
        records = _records(result, "matches") or _records(result, "files") or _records(result, "paths")
        spans = [[file_link(line, "path", str(record["path"]))] for line, record in zip(lines, records)]
    else:
        return [(result.text, "")]
    rest = "\n".join(lines[len(spans) :])
    out = [span for line in spans for span in (*line, ("\n", ""))]
    return [*out, (f"{rest}\n", "faint")] if rest else out


def file_link(text: str, style: str, path: str) -> Span:
    """A span that leads to a file of this machine."""
    address = quote(os.fsencode(os.path.abspath(path)))
    return linked(text, style, f"file://{os.uname().nodename}{address}")


def _records(result: Result, name: str) -> list[Json]:
    found = result.data.get(name)
    return [each if isinstance(each, dict) else {"path": each} for each in found] if isinstance(found, list) else []


def _entry(line: str, record: Json) -> Spans:
    """A line of `ls`: the name, and where a link leads."""
    name, arrow, target = line.partition(" -> ")
    style = "link" if arrow else _KINDS.get(str(record["type"]), "")
    return [file_link(name, style, str(record["path"])), (arrow, "faint"), (target, "")]


def _content_rows(lines: list[str], found: int) -> int:
    """How many lines of the text are matches, lines around them, and marks of what is left out."""
    rows = 0
    for place, line in enumerate(lines):
        if rows == found:
            return place
        rows += line != "--"
    return len(lines)


def _row(line: str, pattern: _Pattern) -> Spans:
    row = _ROW.fullmatch(line)
    if row is None:
        return [(line, "faint")]
    mark = (row["mark"], "faint")
    text = pattern.marked(row["text"]) if row["mark"] == ":" else [(row["text"], "faint")]
    return [file_link(row["path"], "path", row["path"]), mark, (row["number"], "number"), mark, *text]


class _Pattern:
    """What was searched for, to mark it in a line."""

    def __init__(self, asked: Json) -> None:
        text = str(asked.get("pattern", ""))
        is_expression = bool(asked.get("regex"))
        # An expression with groups could take very long here; the search itself has an engine that cannot.
        simple = not is_expression or not set("()") & set(text)
        folded = re.IGNORECASE if asked.get("case_insensitive") or asked.get("-i") else 0
        try:
            self._found = re.compile(text if is_expression else re.escape(text), folded) if simple and text else None
        except re.error:
            self._found = None

    def marked(self, text: str) -> Spans:
        spans: Spans = []
        at = 0
        for match in self._found.finditer(text) if self._found is not None else ():
            if match.end() > match.start():
                spans += [(text[at : match.start()], ""), (match[0], "match")]
                at = match.end()
        return [*spans, (text[at:], "")]


class Waiting:
    """The line of one search: a timer of the system writes how long it has run, and how long it may still run."""

    def __init__(self, doing: str, most: float = 0) -> None:
        self._line = progress(2)
        self._doing = doing
        self._most = most
        self._began = time.monotonic()
        self._before = _signal.signal(_signal.SIGALRM, self._show)
        if os.environ.get("TERM") != "dumb":  # such a terminal cannot take the line away again
            _signal.setitimer(_signal.ITIMER_REAL, PATIENCE, _PAUSE)

    def _show(self, _number: int, _frame: object) -> None:
        past = time.monotonic() - self._began
        words = f"{self._doing} … {lasting(past)}"
        if self._most:
            words += f", at most {lasting(max(self._most - past, 0))} more"
        self._line.put(words, past / self._most if self._most else 0)

    def end(self) -> None:
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, self._before)
        self._line.end()
