"""Facts as words."""

from __future__ import annotations

from patchkit.core.changes import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.spans import Spans
    from patchkit.results import FileResult


# -- the lines that say which files changed: as plain text to the byte what Codex prints -----------


_STYLES = {"A": "added", "M": "changed", "D": "removed"}


def summary(sections: list[Section], checked: bool = False) -> str:
    return "".join([text for text, _style in summary_spans(sections, checked)])


def summary_spans(sections: list[Section], checked: bool = False, results: list[FileResult] | None = None) -> Spans:
    """Added, then modified, then deleted files, each in the patch's order and spelling.

    With `results`, one for each section, it is for a person's terminal: of a moved file it shows where it was, and of
    every file how many lines were added and removed, which Codex does not.
    """
    if not sections:
        return [("Nothing to change.\n", "")]
    spans = [("Patch applies.", "good"), (" It would update the following files:\n", "")] if checked else _APPLIED[:]
    for letter, style in _STYLES.items():
        for number, section in enumerate(sections):
            if section.letter == letter:
                name = section.path.strip(" \t")
                if results is None:
                    spans += [(f"{letter} ", style), (f"{name}\n", "")]
                    continue
                old = f"{section.moved_from.strip(' ')} => " if section.moved_from else ""
                lines = (results[number].added, results[number].removed or 0)
                spans += [(f"{letter} ", style), (old + name, ""), *lines_spans(lines), ("\n", "")]
    return spans


def lines_spans(lines: tuple[int, int]) -> Spans:
    """How many lines were added and removed, behind the name of a file; nothing where none was."""
    shown = [(f"{sign}{count}", style) for sign, count, style in zip("+-", lines, ("added", "removed")) if count]
    return [span for number, each in enumerate(shown) for span in ((" " if number else "  ", ""), each)]


_APPLIED = [("Success.", "good"), (" Updated the following files:\n", "")]
