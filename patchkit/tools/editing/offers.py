"""What a refused edit offers: the calls to send instead, as data and in the words of the error.

Takes a refusal and the step it is about, and adds facts to it: for a text that is not there the corrected call, or that
the edit was made before; for a text at several places the call for each place and the call for all of them.
"""

from __future__ import annotations

from patchkit.core.matching import WorkBudget
from patchkit.errors import PatchkitError
from patchkit.formats.edits import EditStep, Span, Text, valid
from patchkit.repair.alignment import likeness
from patchkit.repair.corrections import CERTAIN, LIKELY
from patchkit.repair.texts import CorrectedTexts, corrected_texts, nearest
from patchkit.report.result import Json
from patchkit.tools.editing.placing import Unplaced, placed, rewrites
from patchkit.values import Record

_MOST_SHOWN = 5  # places that the text of an error lists
_LARGEST = 4 << 20  # bytes of a file in which a place is looked for
_MOST_CONTEXT = 20  # lines that are added to make an old text unique
_LEAST_LETTERS = 3  # of a text that is recognised as the new one


def offer_correction(fault: PatchkitError, path: str, text: Text, step: EditStep, found: Unplaced) -> None:
    """Adds what an edit whose text is not there should have been, or where its new text is already."""
    budget = WorkBudget()
    is_small = len(text.document.data) <= _LARGEST and not step.everywhere
    better = corrected_texts(text.document, found.hunk, found.miss, budget) if is_small else None
    line = _line_of_new(text, step, better)
    meant = step
    if is_small and not line and (better is None or better.certainty != CERTAIN):
        meant, found, better = _decoded(text, step, found, better, budget)
    near = nearest(text.document, found.hunk, found.miss, budget)
    if near is not None:
        fault.facts.update(near=near, line=near.line + 1)
    call = _unique(text, meant, better) if better is not None and better.old != better.new else None
    if line:
        fault.facts.update(
            made_at=line, line=line, new_text=None, offers=[(line, f"{step.field('new_string')} is there already")]
        )
        fault.facts["data"] = {"already_at_line": line}
    elif better is not None and call is not None:
        first, last = better.line + 1, better.line + len(better.old)
        if near is not None and not first <= near.row + 1 <= last:
            del fault.facts["near"]
        fault.facts.update(line=first, new_text=None)
        lines = f"{first}-{last}" if last > first else str(first)
        new = None if call["new_string"] == step.new else call["new_string"]
        named = step.field("old_string"), step.field("new_string")
        fault.facts["correction"] = (lines, better.certainty, list(zip(named, (call["old_string"], new))))
        fault.facts["data"] = {"suggestion": {**_named(path, step), **call}, "confidence": better.certainty}


def _decoded(
    text: Text, step: EditStep, found: Unplaced, better: CorrectedTexts | None, budget: WorkBudget
) -> tuple[EditStep, Unplaced, CorrectedTexts | None]:
    """An edit without what may have happened to both of its texts, where that is nearer to the file; else the edit."""
    best, meant = _nearness(step.old, better), step
    for _name, old, new in rewrites(step.old, step.new):
        again = placed(text, old, new) if old != step.old else None
        if isinstance(again, Unplaced):
            other = corrected_texts(text.document, again.hunk, again.miss, budget)
            if other is not None and _nearness(old, other) > best:
                other.certainty = LIKELY
                best, meant = _nearness(old, other), EditStep(old, new, False, step.number)
                found, better = again, other
    return meant, found, better


def _nearness(old: str, better: CorrectedTexts | None) -> float:
    return likeness(old.strip(), "\n".join(better.old).strip()) if better is not None else -1.0


def new_text(text: Text, step: EditStep) -> str:
    """What becomes of the new text of an edit that has no place: it may repeat what is not in the file."""
    there = {line.strip() for line in text.document.texts}
    gone = {line.strip() for line in step.old.split("\n")} - there
    repeats = not gone.isdisjoint(line.strip() for line in step.new.split("\n"))
    words = "as sent, but for lines of the old text that the file does not have" if repeats else "as sent"
    return f"{step.field('new_string')}: {words}"


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


# -- old texts that are in a file once, for each place of one that is there several times ----------
# The same edit with the fewest lines around it that no other place has, so that the caller can send it as it is.

_MOST_PLACES = 20
_MOST_LINES = 10  # that are added above or below


class UniqueEdit(Record):
    """An edit of one place: its line (from 1), the texts, and what was added ('' for the rest of the line)."""

    line: int
    old: str
    new: str
    added: str


def unique_edits(text: Text, old: str, new: str) -> list[UniqueEdit]:
    """The edits that the first places of a text could be meant by; a place without lines of its own has none."""
    document = text.document
    if len(document.data) > _LARGEST:
        return []
    found = []
    for span in text.spans(old, _MOST_PLACES):
        line = document.data.count(document.separator, 0, span[0]) + 1
        edit = _unique_place(text, span, line, old, new)
        if edit is not None:
            found.append(edit)
    return found


def _unique_place(text: Text, span: Span, line: int, old: str, new: str) -> UniqueEdit | None:
    data, separator = text.document.data, text.document.separator
    start = data.rfind(separator, 0, span[0]) + 1
    # An old text that ends with a line ending has its last line whole.
    stop = span[1] if data.endswith(separator, 0, span[1]) else _line_end(text, span[1])
    above, below = text.text_of((start, span[0])), text.text_of((span[1], stop))
    for added, wider in _wider(text, start, stop):
        before = text.text_of((wider[0], start)) + above
        after = below + text.text_of((stop, wider[1]))
        if len(text.places(before + old + after)) == 1:
            return UniqueEdit(line, before + old + after, before + new + after, added)
    return None


def _wider(text: Text, start: int, stop: int) -> list[tuple[str, Span]]:
    """The lines of a place with more and more lines around them, and the first line that was added."""
    data, separator = text.document.data, text.document.separator
    ways: list[tuple[str, Span]] = [("", (start, stop))]
    above, below = start, stop
    for _ in range(_MOST_LINES):
        if above:
            end = above
            above = data.rfind(separator, 0, above - 1) + 1
            ways.append((f"above: '{text.text_of((above, end)).strip()}'", (above, stop)))
        if below < len(data):
            begin = below
            below = _line_end(text, below + len(separator) if data.startswith(separator, below) else below + 2)
            ways.append((f"below: '{text.text_of((begin, below)).strip()}'", (start, below)))
    return [*ways, ("around it", (above, below))]


def _line_end(text: Text, position: int) -> int:
    """Where the line at a position ends, its ending not counted."""
    data = text.document.data
    end = data.find(text.document.separator, position)
    if end < 0:
        return len(data)
    return end - 1 if data[end - 1 : end + 1] == b"\r\n" else end
