"""What `apply -i` asks about a patch that is refused: which place a hunk is for, whether to take the correction.

Takes the patch and the person's answers; gives the patch and its plan, once it applies. What a person leaves out goes
into the rest. A patch that cannot be settled is refused as ever.
"""

from __future__ import annotations

from patchkit.cli.questions import Questions
from patchkit.core.changes import Files, Plan
from patchkit.core.changes.options import Options
from patchkit.core.language import FileOp, Patch
from patchkit.core.language.parser import parse
from patchkit.errors import PatchkitError
from patchkit.repair import planned
from patchkit.repair.suggestion import names_another_file, suggest
from patchkit.report.correction import correction_spans
from patchkit.report.diagnostics import error_spans
from patchkit.report.spans import Spans
from patchkit.report.width import excerpt, visible
from patchkit.selecting import Chosen, OpenHunk, open_hunks, with_chosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.matching.placer import Choice

_ROUNDS = 8  # of questions: each settles some of what is wrong
_MOST_LINES = 6  # of the file that are shown of a place
_CORRECTION_HELP = """\
y - take the corrected patch, and ask about its hunks
n - apply nothing
"""


class Declined(Exception):  # noqa: N818  # it ends a conversation, and is caught where that began
    """The person wants none of a patch that is refused; the refusal was shown."""


class Settling:
    """A conversation about what is wrong with a patch; `left` is what was left out of it."""

    def __init__(self, questions: Questions, text: str | None) -> None:
        self._questions = questions
        self._text = text  # what line numbers count in
        self.left: list[FileOp] = []

    def settle(self, patch: Patch, files: Files, options: Options) -> tuple[Patch, Plan]:
        """The patch and its plan, as soon as it applies; raises the refusal, or Declined."""
        for _ in range(_ROUNDS):
            try:
                return patch, planned(patch, files, options)
            except PatchkitError as error:
                found = open_hunks(error.plan) if isinstance(error.plan, Plan) else []
                asked = [each for each in found if each.choices]
                patch = self._chosen(patch, asked) if asked else self._corrected(patch, error, files, options)
        return patch, planned(patch, files, options)

    # -- places ----------------------------------------------------------------------------------

    def _chosen(self, patch: Patch, found: list[OpenHunk]) -> Patch:
        """The patch with each ambiguous hunk at the place that the person names, or without it."""
        chosen: Chosen = {}
        for number, each in enumerate(found, 1):
            self._questions.show(_hunk_spans(each))
            chosen[each.key] = None
            choice = self._which(each, f"({number}/{len(found)})")
            if choice is not None:
                chosen[each.key] = each.placed(choice)
        made, left = with_chosen(patch, chosen)
        self.left += left
        if not made.sections:
            raise Declined  # all of it was left out
        return made

    def _which(self, each: OpenHunk, count: str) -> Choice | None:
        """The place that the person chooses; None to leave the hunk out."""
        total = len(each.choices)
        places = f"1-{total}" if total > 1 else "1"
        help_text = (
            f"{places} - apply the hunk at this place\n"
            "n - leave the hunk out; it goes into the rest\n"
            "q - apply nothing\n"
        )
        while True:
            answer = self._questions.ask(f"{count} At which place", [places, "n", "q"], help_text)
            if answer is None or answer[0] == "q":
                raise Declined
            if answer[0] == "n":
                return None
            choice = each.choices[int(answer) - 1]
            if each.placed(choice) is not None:
                return choice
            self._questions.say("the lines around this place are the same as around others; choose another, or 'n'\n")

    # -- corrections -----------------------------------------------------------------------------

    def _corrected(self, patch: Patch, error: PatchkitError, files: Files, options: Options) -> Patch:
        """The corrected patch, if there is one and the person takes it."""
        better = suggest(patch, error, files, options, options.strict)
        if better is not None and names_another_file(error):
            error.suggestion, error.certainty = better.text, better.certainty
        if better is None or names_another_file(error):
            raise error
        wide = self._questions.columns
        self._questions.show(error_spans(error.errors, self._text, wide))
        self._questions.show(correction_spans(self._text, better.text, better.certainty, wide, "patch", {}))
        answer = self._questions.ask("Take the corrected patch", ["y", "n"], _CORRECTION_HELP)
        if answer is None or answer[0] == "n":
            raise Declined
        self._text = better.text
        return parse(better.text, options.strict)


def _hunk_spans(each: OpenHunk) -> Spans:
    """An ambiguous hunk, and its places with the lines of the file there."""
    op = each.section.op
    more = f" (the first {len(each.choices)} are shown)" if each.count > len(each.choices) else ""
    heading = (
        f"{visible(op.path)}: hunk {each.index + 1} of {len(each.section.results)} matches {each.count} places{more}"
    )
    spans: Spans = [(heading, "strong"), ("\n", "")]
    for line in each.hunk.lines:
        spans += [(excerpt(line)[0], {"-": "removed", "+": "added"}.get(line[0], "")), ("\n", "")]
    for number, choice in enumerate(each.choices, 1):
        spans += _place_spans(number, choice, each)
    return spans


def _place_spans(number: int, choice: Choice, each: OpenHunk) -> Spans:
    inside = f", in '{visible(choice.inside)}'" if choice.inside else ""
    spans: Spans = [(f"{number}: line {choice.line}{inside}", "place"), ("\n", "")]
    first = max(1, choice.line - 1)
    last = min(len(each.texts), choice.line + max(1, len(each.hunk.old())))
    digits = len(str(last))
    for row in range(first, min(last, first + _MOST_LINES - 1) + 1):
        spans += [(f"  {row:>{digits}} |", "frame"), (f" {excerpt(each.texts[row - 1])[0]}".rstrip(), ""), ("\n", "")]
    return spans
