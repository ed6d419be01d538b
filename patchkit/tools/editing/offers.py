"""What a refused edit offers: the calls to send instead, as data and in the words of the error.

Takes a refusal and the step it is about, and adds facts to it: for a text that is not there the corrected call, or that
the edit was made before; for a text at several places the call for each place and the call for all of them.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from patchkit.errors import PatchkitError
from patchkit.repair.near_miss import NearMiss
from patchkit.tools.editing.correction import CorrectedEdit, corrected
from patchkit.tools.editing.text import Text
from patchkit.tools.editing.unique_text import unique_edits
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.result import Json

_MOST_SHOWN = 5  # places that the text of an error lists
_MOST_LINES = 24  # of a corrected text that the text of an error shows
_LEAST_LETTERS = 3  # of a text that is recognised as the new one


class EditStep(Value):
    """One replacement; `number` counts those of a MultiEdit, 0 where there is only one."""

    __slots__ = ("old", "new", "everywhere", "number")
    old: str
    new: str
    everywhere: bool
    number: int

    def __init__(self, old: str, new: str, everywhere: bool, number: int = 0) -> None:
        self.old = old
        self.new = new
        self.everywhere = everywhere
        self.number = number

    def field(self, name: str) -> str:
        """What a field of this step is called in a message."""
        return f"{name} of edit {self.number}" if self.number else name


def offer_correction(fault: PatchkitError, path: str, text: Text, step: EditStep) -> None:
    """Adds what an edit whose text is not there should have been, or where its new text is already."""
    better = corrected(text, step.old, step.new) if not step.everywhere else None
    line = _line_of_new(text, step, better)
    if line:
        fault.facts.update(made_at=line, line=line, offers=[(line, f"{step.field('new_string')} is there already")])
        fault.facts["data"] = {"already_at_line": line}
    elif better is not None and not better.is_made:
        last = better.line + better.count - 1
        lines = f"{better.line}-{last}" if better.count > 1 else str(better.line)
        near = fault.facts.get("near")
        if isinstance(near, NearMiss) and not better.line <= near.line + 1 + near.index <= last:
            del fault.facts["near"]
        fault.facts["line"] = better.line
        fault.facts["correction"] = (lines, better.confidence, _differences(step, better))
        fault.facts["data"] = {
            "suggestion": {**_named(path, step), "old_string": better.old, "new_string": better.new},
            "confidence": better.confidence,
        }


def offer_each_place(fault: PatchkitError, path: str, text: Text, step: EditStep) -> None:
    """Adds the calls that an ambiguous edit could be meant by."""
    edits = unique_edits(text, step.old, step.new)
    call = _named(path, step)
    every = {**call, "old_string": step.old, "new_string": step.new, "replace_all": True}
    places = [{"line": each.line, "call": {**call, "old_string": each.old, "new_string": each.new}} for each in edits]
    fault.facts["data"] = {"every_place": every, "places": places}
    fault.facts["offers"] = [
        (each.line, f"unique with the line {each.added}" if each.added else "unique as a whole line")
        for each in edits[:_MOST_SHOWN]
    ]


def _named(path: str, step: EditStep) -> Json:
    """What a call needs beside its texts; of an edit of several, its number."""
    return {"file_path": path} if not step.number else {"file_path": path, "edit": step.number}


def _line_of_new(text: Text, step: EditStep, better: CorrectedEdit | None) -> int:
    """The line (from 1) at which the new text is, where that shows that the edit was made before; 0 else."""
    if better is not None and better.is_made:
        return better.line
    new = step.new.strip("\n")
    if sum(map(str.isalnum, new)) < _LEAST_LETTERS or new in step.old:
        return 0
    places = text.places(new)
    if len(places) != 1 or not text.is_apart(places[0]):
        return 0
    line = text.document.data.count(text.document.separator, 0, places[0][0]) + 1
    elsewhere = better is not None and not better.line - new.count("\n") <= line < better.line + better.count
    return 0 if elsewhere else line


def _differences(step: EditStep, better: CorrectedEdit) -> list[str]:
    """The lines of the two texts that are to be sent otherwise, as `-` and `+` lines; lines beside those put in."""
    old, new = _changed_lines(step.old, better.old), _changed_lines(step.new, better.new)
    named = step.field("new_string")
    if not new:
        rest = [f"{named}: as sent"]
    elif new == old:
        rest = [f"{named}: with the same change"]
    else:
        rest = [f"{named}:", *new]
    shown = [*old, *rest]
    if len(shown) > _MOST_LINES:
        shown[_MOST_LINES:] = [f"… {len(shown) - _MOST_LINES} more lines"]
    return shown


def _changed_lines(sent: str, right: str) -> list[str]:
    before, after = sent.replace("\r\n", "\n").split("\n"), right.split("\n")
    made = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "insert":  # where it goes is seen by the lines around it
            above, below = after[max(0, c - 1) : c], after[d : d + 1]
            made += [*(" " + line for line in above), *("+" + line for line in after[c:d])]
            made += [" " + line for line in below]
        elif tag != "equal":
            made += [*("-" + line for line in before[a:b]), *("+" + line for line in after[c:d])]
    return made
