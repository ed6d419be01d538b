"""Where the output formats of a check go: standard output, files, and GitHub's own places when it runs there.

Takes the options of the command line; writes what was asked for, and raises when a file cannot be written.
"""

from __future__ import annotations

import os

from patchkit.cli.check_options import Given, list_of, text_of
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.streams import columns, takes_colour, write
from patchkit.errors import PatchkitError
from patchkit.report import github, markdown
from patchkit.report.check_text import TextLayout, report_spans, statistics_spans
from patchkit.report.checked import Report
from patchkit.report.findings import baseline
from patchkit.report.formats import FORMATS, OutputFormat
from patchkit.report.spans import on_screen, plain
from patchkit.workspace.directories import current_directory, reason


class Outputs:
    """What goes where: `files` are formats with their paths, `stream` is the format on standard output."""

    def __init__(self, given: Given) -> None:
        self.files: list[tuple[OutputFormat, str]] = []
        loose: list[OutputFormat] = [FORMATS["json"]] if given["as_json"] else []
        for word in list_of(given, "formats"):
            name, _, file = word.partition("=")
            if name not in FORMATS:
                raise CommandLineError(f"there is no format '{name}'; use one of: {', '.join(FORMATS)}")
            if file:
                self.files.append((FORMATS[name], file))
            elif FORMATS[name] not in loose:
                loose.append(FORMATS[name])
        self._place(loose, text_of(given, "output"))
        self._given = given
        self._color = text_of(given, "color") or "auto"
        self._on_github = os.environ.get("GITHUB_ACTIONS") == "true"
        chosen = given["annotations"]
        self.annotates = (self._on_github if chosen is None else bool(chosen)) and self.stream.name != "github"

    def _place(self, loose: list[OutputFormat], file: str | None) -> None:
        """Gives the formats without a file their place."""
        if len(loose) > 1:
            name = loose[1].name
            raise CommandLineError(f"only one format can go to one place: give '{name}' a file, '{name}=FILE'")
        self.stream = loose[0] if loose else FORMATS["text"]
        if file is not None and file != "-":
            self.files.append((self.stream, file))
            self.stream = FORMATS["text"]

    @property
    def formats(self) -> list[OutputFormat]:
        return [self.stream, *(each for each, _file in self.files)]

    def write(self, report: Report, time_ms: int) -> None:
        """Writes every format to its place: files first, so that the last line on a screen is the verdict."""
        asked = {name: value for name, value in self._given.items() if value not in (None, False, (), "auto")}
        report.stats = {"time_ms": time_ms}
        report.context = {"cwd": current_directory(), "params_input": asked, "path_resolved": report.root}
        base = (os.environ.get("GITHUB_WORKSPACE") if self._on_github else None) or "."
        known = text_of(self._given, "write_baseline")
        if known is not None:
            _write(known, _bytes(baseline(report)))
        for each, file in self.files:
            _write(file, _bytes(each.render(report, base)))
        text = self._text(report) if self.stream.name == "text" else self.stream.render(report, base)
        if self.annotates:
            self._print_annotated(text, github.render(report, base, with_notes=not self._given["quiet"]))
            _summarise(report)
        else:
            _print(text)

    def _print_annotated(self, text: str, annotations: str) -> None:
        """Prints with GitHub's commands: behind the text, beside any other format."""
        if self.stream.name == "text":
            # The runner executes the commands it finds in a log: those in the text of a patch are switched off.
            text = github.quoted(text, os.urandom(16).hex()) if text else ""
            _print(text + annotations)
        else:
            _print(text)
            write(2, _bytes(annotations))

    def _text(self, report: Report) -> str:
        """The report as text, for the terminal if there is one."""
        layout = TextLayout(columns(1), bool(self._given["quiet"]), bool(self._given["verbose"]))
        spans = statistics_spans(report) if self._given["statistics"] else report_spans(report, layout)
        return on_screen(spans, colour=True) if takes_colour(1, self._color) else plain(spans)


def _summarise(report: Report) -> None:
    """Adds the report to the summary of the step, as far as GitHub takes it."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        _write(path, _bytes(markdown.render(report, github.SUMMARY_BYTES)), "ab")


def _print(text: str) -> None:
    """Prints a format; a disk that is full behind standard output is as bad as one behind a file."""
    why = write(1, _bytes(text))
    if why:
        raise PatchkitError("P668", file="standard output", reason=why)


def _write(path: str, data: bytes, mode: str = "wb") -> None:
    try:
        _make_directory(os.path.dirname(path))
        with open(path, mode) as file:
            file.write(data)
    except OSError as error:
        raise PatchkitError("P668", file=path, reason=reason(error)) from None


def _make_directory(path: str) -> None:
    if path:
        try:
            os.makedirs(path, exist_ok=True)
        except FileExistsError:
            pass  # something else has that name: opening the file will fail and name it


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
