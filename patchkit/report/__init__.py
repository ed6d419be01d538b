"""Facts as words."""

from __future__ import annotations

from patchkit.core.changes import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.spans import Spans


# -- the lines that say which files changed: as plain text to the byte what Codex prints -----------


_STYLES = {"A": "added", "M": "changed", "D": "removed"}


def summary(sections: list[Section], checked: bool = False) -> str:
    """The summary as plain text."""
    return "".join([text for text, _style in summary_spans(sections, checked)])


def summary_spans(sections: list[Section], checked: bool = False, both_names: bool = False) -> Spans:
    """Added, then modified, then deleted files, each in the patch's order and spelling.

    `both_names` shows of a moved file where it was, too, which Codex does not: for a person's terminal.
    """
    if not sections:
        return [("Nothing to change.\n", "")]
    spans = [("Patch applies.", "good"), (" It would update the following files:\n", "")] if checked else _APPLIED[:]
    for letter, style in _STYLES.items():
        for section in sections:
            if section.letter == letter:
                old = f"{section.moved_from.strip(' ')} => " if both_names and section.moved_from else ""
                spans += [(f"{letter} ", style), (old + section.path.strip(" \t") + "\n", "")]
    return spans


_APPLIED = [("Success.", "good"), (" Updated the following files:\n", "")]
