"""Where the faces of a check go: standard output, files, and GitHub's own places when it runs there.

Takes the options of the command line; writes what was asked for, and raises when a file cannot be written.
"""

from __future__ import annotations

import os

from patchkit.cli.answer import printed
from patchkit.cli.check_options import UsageError
from patchkit.cli.streams import say
from patchkit.errors import PatchkitError
from patchkit.report.check_text import Page
from patchkit.report.checked import Report
from patchkit.tools.calling import current_directory
from patchkit.tools.checking.faces import FACES, face
from patchkit.workspace.directories import reason


class Outputs:
    """What goes where: `files` are (face, path), `stream` is the face on standard output."""

    def __init__(self, given: dict[str, object]) -> None:
        self.files: list[tuple[str, str]] = []
        loose: list[str] = ["json"] if given["as_json"] else []
        for word in given["formats"]:  # type: ignore[attr-defined]
            name, _, file = word.partition("=")
            if name not in FACES:
                raise UsageError(f"there is no format '{name}'; use one of: {', '.join(FACES)}")
            if file:
                self.files.append((name, file))
            elif name not in loose:
                loose.append(name)
        self._place(loose, given["output"])
        self._given = given
        self._on_github = os.environ.get("GITHUB_ACTIONS") == "true"
        chosen = given["annotations"]
        self.annotates = (self._on_github if chosen is None else bool(chosen)) and self.stream != "github"

    def _place(self, loose: list[str], file: object) -> None:
        """Gives the formats without a file their place."""
        if len(loose) > 1:
            raise UsageError(f"only one format can go to one place: give '{loose[1]}' a file, '{loose[1]}=FILE'")
        self.stream = loose[0] if loose else "text"
        if isinstance(file, str) and file != "-":
            self.files.append((self.stream, file))
            self.stream = "text"

    @property
    def names(self) -> list[str]:
        return [self.stream, *(name for name, _file in self.files)]

    def write(self, report: Report, time_ms: int) -> None:
        """Writes every face to its place: files first, so that the last line on a screen is the verdict."""
        asked = {name: value for name, value in self._given.items() if value not in (None, False, (), "auto")}
        report.stats = {"time_ms": time_ms}
        report.context = {"cwd": current_directory(), "params_input": asked, "path_resolved": report.root}
        base = os.environ.get("GITHUB_WORKSPACE") if self._on_github else None
        for name, file in self.files:
            _write(file, _bytes(face(name, report, base or ".")))
        self._print(report, base or ".")

    def _print(self, report: Report, base: str) -> None:
        text = face(self.stream, report, base, self._page() if self.stream == "text" else None)
        if not self.annotates:
            _print(text)
            return
        from patchkit.report import github

        annotations = github.render(report, base, with_notes=not self._given["quiet"])
        if self.stream == "text":
            # Out of the reach of whoever wrote the patch: the runner obeys what it finds in a log.
            text = github.quoted(text, os.urandom(16).hex()) if text else ""
            _print(text + annotations)
        else:
            _print(text)
            say(2, _bytes(annotations))
        _summarise(report)

    def _page(self) -> Page:
        from patchkit.cli.streams import columns, takes_colour

        page = Page(None, columns(1), bool(self._given["quiet"]), bool(self._given["verbose"]))
        if takes_colour(1, str(self._given["color"])):
            from patchkit.report.colour import ink

            page.pen = ink
        return page


def _summarise(report: Report) -> None:
    """Adds the report to the summary of the step, as far as GitHub has room for it."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        from patchkit.report import github, markdown

        _write(path, _bytes(markdown.render(report, github.SUMMARY_BYTES)), "ab")


def _print(text: str) -> None:
    """Prints a face; a disk that is full behind standard output is as bad as one behind a file."""
    why = printed(_bytes(text))
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
            pass  # something else has that name: opening the file will say so


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
