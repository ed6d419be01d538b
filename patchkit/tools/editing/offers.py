"""What a refused edit offers: the calls to send instead, as data and in the words of the error.

Takes a refusal and the step it is about, and adds facts to it: for a text that is not there the corrected call, or that
the edit was made before; for a text at several places the call for each place and the call for all of them.
"""

from __future__ import annotations

from patchkit.core.matching import WorkBudget
from patchkit.errors import PatchkitError
from patchkit.repair.alignment import likeness
from patchkit.repair.texts import CorrectedTexts, corrected_texts, nearest
from patchkit.tools.editing.placing import Unplaced
from patchkit.tools.editing.text import EditStep, Text, valid
from patchkit.tools.editing.unique_text import unique_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.result import Json

_MOST_SHOWN = 5  # places that the text of an error lists
_LARGEST = 4 << 20  # bytes of a file in which a place is looked for
_MOST_CONTEXT = 20  # lines that are added to make an old text unique
_LEAST_LETTERS = 3  # of a text that is recognised as the new one


def offer_correction(fault: PatchkitError, path: str, text: Text, step: EditStep, found: Unplaced) -> None:
    """Adds what an edit whose text is not there should have been, or where its new text is already."""
    budget = WorkBudget()
    near = nearest(text.document, found.hunk, found.miss, budget)
    if near is not None:
        fault.facts.update(near=near, line=near.line + 1)
    is_small = len(text.document.data) <= _LARGEST and not step.everywhere
    better = corrected_texts(text.document, found.hunk, found.miss, budget) if is_small else None
    line = _line_of_new(text, step, better)
    call = _unique(text, step, better) if better is not None and better.old != better.new else None
    if line:
        fault.facts.update(made_at=line, line=line, offers=[(line, f"{step.field('new_string')} is there already")])
        fault.facts["data"] = {"already_at_line": line}
    elif better is not None and call is not None:
        first, last = better.line + 1, better.line + len(better.old)
        if near is not None and not first <= near.line + 1 + near.index <= last:
            del fault.facts["near"]
        fault.facts["line"] = first
        lines = f"{first}-{last}" if last > first else str(first)
        new = None if call["new_string"] == step.new else call["new_string"]
        named = step.field("old_string"), step.field("new_string")
        fault.facts["correction"] = (lines, better.certainty, list(zip(named, (call["old_string"], new))))
        fault.facts["data"] = {"suggestion": {**_named(path, step), **call}, "confidence": better.certainty}


def _unique(text: Text, step: EditStep, better: CorrectedTexts) -> Json | None:
    """The corrected texts, from the first to the last line that was sent, with as many lines around them as make the
    old one unique; None where none do.
    """
    texts, old, new = text.document.texts, better.old, better.new
    sent = step.old.strip("\r\n").replace("\r\n", "\n").split("\n")
    first, last = better.line, better.line + len(old)
    top, bottom = _nearest(sent[0], old, new), _nearest(sent[-1], old[::-1], new[::-1])
    first, last = first + top, last - bottom
    old, new = old[top : len(old) - bottom], new[top : len(new) - bottom]
    for more in range(_MOST_CONTEXT):
        above, below = texts[max(0, first - more) : first], texts[last : last + more]
        call = {"old_string": "\n".join([*above, *old, *below]), "new_string": "\n".join([*above, *new, *below])}
        fault = valid(text, call["old_string"], call["new_string"])
        if fault is None or fault.code != "P622":
            better.line, better.old = first - len(above), [*above, *old, *below]
            return call if fault is None else None
    return None


def _nearest(line: str, old: list[str], new: list[str]) -> int:
    """How many of the first lines, which stay as they are, are above the one that is meant by a line."""
    same = 0
    while same < min(len(old), len(new)) - 1 and old[same] == new[same]:
        same += 1
    alike = [likeness(line.strip(), each.strip()) for each in old[: same + 1]]
    return alike.index(max(alike)) if max(alike) else 0


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


def _line_of_new(text: Text, step: EditStep, better: CorrectedTexts | None) -> int:
    """The line (from 1) at which the new text is, where that shows that the edit was made before; 0 else."""
    if better is not None and better.old == better.new:
        return better.line + 1
    new = step.new.strip("\n")
    if sum(map(str.isalnum, new)) < _LEAST_LETTERS or new in step.old:
        return 0
    places = text.places(new)
    if len(places) != 1 or not text.is_apart(places[0]):
        return 0
    line = text.document.data.count(text.document.separator, 0, places[0][0]) + 1
    elsewhere = better is not None and not better.line - new.count("\n") < line <= better.line + len(better.old)
    return 0 if elsewhere else line
