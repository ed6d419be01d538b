"""Errors and notes as people read them: code, sentence, place in the patch, place in the file, next step.

Takes an error's facts and the patch text; gives lines of text, without colour (`colour` adds that to whole
texts). Imported only when there is something to say: a successful apply never pays for it.
"""

from __future__ import annotations

import os

from patchkit.errors import Note, PatchkitError
from patchkit.report.causes import cause
from patchkit.report.checked import STDIN, CheckedPatch, Report, counted
from patchkit.report.width import WIDEST, excerpt, filled, visible, width, words_of, wrapped
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.matching.disambiguation import Choice


_NARROWEST = 20  # columns of a quoted line, however narrow the terminal is
_LONGEST = 1000  # characters of a next step
_MOST = 1000  # errors that are told


def render_errors(
    errors: list[PatchkitError], patch: str | None = None, columns: int | None = None, source: str = "patch"
) -> str:
    """All errors, one below the other, with a blank line between them.

    `columns` is how wide the terminal is, None where there is none; `source` is what the patch is called. Nobody reads
    more than a thousand: of the others only the number is told.
    """
    shown = each_rendered(errors[:_MOST], patch, columns, source)
    if len(errors) > _MOST:
        shown.append(f"and {len(errors) - _MOST:,} more errors; '--json' lists them all\n")
    return "\n".join(shown)


def each_rendered(
    errors: list[PatchkitError], patch: str | None = None, columns: int | None = None, source: str = "patch"
) -> list[str]:
    """The errors one by one, for those who put something between them."""
    page = _Page(patch.split("\n") if patch is not None else [], columns, visible(source))
    return [page.render(error) for error in errors]


def render_note(note: Note) -> str:
    return f"note[{note.code}]: {visible(note.message)}\n"


def render_help(words: str, columns: int | None = None) -> str:
    """One more next step, below those that an error has."""
    return "\n".join(_hung("  = help: ", words_of(words), columns)) + "\n"


def _hung(lead: str, pieces: list[str], columns: int | None) -> list[str]:
    """Pieces of a sentence behind a lead, broken between them where a terminal would break it anywhere."""
    whole = lead + " ".join(pieces)
    if columns is None or width(whole) <= columns:
        return [whole]
    lines = filled(pieces, max(_NARROWEST, columns - len(lead)))
    return [(" " * len(lead) if index else lead) + line for index, line in enumerate(lines)]


class _Page:
    """What all errors of a run are drawn on: the lines of the patch, and how much room there is."""

    def __init__(self, patch: list[str], columns: int | None, source: str) -> None:
        self.patch = patch
        self.columns = columns
        self.source = source

    def render(self, error: PatchkitError) -> str:
        near = error.facts.get("near")
        number = error.facts.get("differs_at") or error.patch_line
        out = [f"error[{error.code}]: {visible(error.message)}"]
        if isinstance(number, int) and number:
            out.extend(self._in_the_patch(number, error, near))
        if near is not None:
            out.extend(self._in_the_file(error, near))
        out.extend(line for place in _places(error) for line in _hung(" ::: ", place, self.columns))
        if error.hint:
            out.extend(_hung("  = help: ", words_of(visible(error.hint, _LONGEST)), self.columns))
        return "\n".join(out) + "\n"

    def _in_the_patch(self, number: int, error: PatchkitError, near: object) -> list[str]:
        """The line of the patch that is in trouble, underlined when it is known to be the one."""
        column = error.facts.get("column")
        out = [f" --> {self.source}:{number}" + (f":{column}" if column else "")]
        if number > len(self.patch):
            return out
        gutter = " " * len(str(number))
        text, _ = excerpt(self.patch[number - 1], self._room(gutter))
        out.extend([f"{gutter} |", f"{number} | {text}"])
        words = _no_such_line(error) if near is not None else _no_such_anchor(error)
        if words:
            out.extend(self._marked(gutter, "^" * max(1, width(text)), words))
        out.append(f"{gutter} |")
        return out

    def _in_the_file(self, error: PatchkitError, near: object) -> list[str]:
        """The place that comes nearest, and what differs there."""
        number = near.line + 1 + near.index  # type: ignore[attr-defined]
        agree = f"{near.agree} of {near.total} line{'s' if near.total != 1 else ''} agree"  # type: ignore[attr-defined]
        gutter, found = " " * len(str(number)), near.found  # type: ignore[attr-defined]
        text, before = excerpt(found, self._room(gutter), near.column)  # type: ignore[attr-defined]
        by = str(error.facts.get("what") or "the patch")  # an edit names the field that expects the line
        return [
            *_hung(" ::: ", [f"{visible(str(error.file))}:{number},", f"closest place ({agree})"], self.columns),
            f"{number} | {text}",
            *self._marked(gutter, " " * before + "-", visible(cause(near.expected, found, near.column, by))),  # type: ignore[attr-defined]
        ]

    def _marked(self, gutter: str, mark: str, words: str) -> list[str]:
        """A mark below a line and what it means: beside it, or below it where a terminal has no room for that."""
        if self.columns is None or width(mark) + 1 + width(words) <= self._room(gutter):
            return [f"{gutter} | {mark} {words}"]
        return [f"{gutter} | {mark}", *(f"{gutter} | {line}" for line in wrapped(words, self._room(gutter)))]

    def _room(self, gutter: str) -> int:
        return WIDEST if self.columns is None else max(_NARROWEST, self.columns - len(gutter) - 3)


def _no_such_line(error: PatchkitError) -> str:
    anchor, line = error.facts.get("anchor"), error.facts.get("anchor_line")
    if not isinstance(anchor, str):
        return "no such line here"
    shown = visible(anchor.strip())
    return f"no such line below '{shown}' (line {line})" if line else f"no such line, and no anchor '{shown}' either"


def _no_such_anchor(error: PatchkitError) -> str:
    """What to say of the `@@` line of a hunk that nothing in the file comes near to; '' when its anchor is there."""
    lost = error.code == "P201" and "anchor" in error.facts and not error.facts["anchor_line"]
    return "neither this anchor nor the lines below it are in the file" if lost else ""


def _places(error: PatchkitError) -> list[list[str]]:
    """The places in question, when there are several to choose from, each with what would choose it."""
    elsewhere = error.facts.get("elsewhere")
    if isinstance(elsewhere, tuple):
        other, line = elsewhere
        return [[f"{visible(other)}:{line},", "where the lines of the hunk stand"]]
    choices = error.facts.get("choices")
    if not isinstance(choices, list):
        return []
    return [_pieces(error, choice) for choice in choices]


def _pieces(error: PatchkitError, choice: Choice) -> list[str]:
    pieces = [f"{visible(str(error.file))}:{choice.line}"]
    pieces += [f"in '{visible(choice.inside)}'"] if choice.inside else []
    pieces += [f"chosen by {visible(choice.by, _LONGEST)}"] if choice.add else []
    return [*(f"{piece}," for piece in pieces[:-1]), pieces[-1]]


# -- internal: Defects of ours as errors like any other: one sentence, no traceback.
def as_error(error: BaseException) -> PatchkitError:
    """Returns a P499 that names the exception and the line of ours it came from."""
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    place = f" at {where.tb_frame.f_code.co_filename.rpartition('/')[2]}:{where.tb_lineno}" if where is not None else ""
    if isinstance(error, MemoryError):
        return PatchkitError("P405")
    return PatchkitError("P499", reason=f"{type(error).__name__}: {error}{place}")


# -- places: Where an error or a note is to be shown, for faces that point into files: in the patch, and in the
# tree. Takes a Report's findings and the directory that paths shall be relative to; gives Places. A
# patch that came through a pipe is no file anybody could open, so its findings are shown in the tree,
# as far as they have a place there.

_MOST_PLACES = 20  # places of one error that are told


class Place(Value):
    """A line of a file, the path as the reader's tools know it; `words` say what is there."""

    __slots__ = ("path", "line", "words")
    path: str
    line: int
    words: str

    def __init__(self, path: str, line: int, words: str = "") -> None:
        self.path = path
        self.line = line
        self.words = words


class Map:
    """Paths of one report, relative to `base` where they lie below it."""

    def __init__(self, report: Report, base: str) -> None:
        self._report = report
        self._base = os.path.realpath(base)

    def shown(self, path: str) -> str:
        """A path from the base; an absolute one when it lies elsewhere."""
        full = os.path.realpath(path)
        inside = full.startswith(self._base.rstrip("/") + "/")
        return full[len(self._base.rstrip("/")) + 1 :] if inside else full

    def main(self, patch: CheckedPatch, finding: PatchkitError | Note) -> Place | None:
        """The line to show a finding at: that of the patch file; of a piped patch, that of the file in the tree."""
        if patch.name == STDIN:
            places = self.in_the_tree(finding)
            return places[0] if places else None
        facts = finding.facts
        line = facts.get("differs_at") or facts.get("patch_line")
        return Place(self.shown(patch.name), line if isinstance(line, int) and line > 0 else 1)

    def in_the_tree(self, finding: PatchkitError | Note) -> list[Place]:
        """The lines of the tree that a finding speaks of: the closest place, or every place in question."""
        facts = finding.facts
        file = facts.get("file")
        if not isinstance(file, str) or "\0" in file:
            return []
        path = self._in_tree(file)
        if path is None:
            return []
        near = facts.get("near")
        if near is not None:
            agree = f"{near.agree} of {counted(near.total, 'line')} agree"  # type: ignore[attr-defined]
            return [Place(path, near.line + 1 + near.index, f"closest place ({agree})")]  # type: ignore[attr-defined]
        choices = facts.get("choices")
        if isinstance(choices, list) and choices:
            return [
                Place(path, each.line, f"in '{each.inside}'" if each.inside else "") for each in choices[:_MOST_PLACES]
            ]
        line = facts.get("line")
        return [Place(path, line if isinstance(line, int) and line > 0 else 1)]

    def _in_tree(self, path: str) -> str | None:
        """A path of a patch as the reader's tools know it; None for one that leaves the workspace."""
        if not self._report.start:
            return path  # of a commit: where a work tree would stand is not known
        full = os.path.normpath(os.path.join(self._report.start, path.strip(" \t")))
        root = self._report.root.rstrip("/")
        return self.shown(full) if full.startswith(root + "/") else None
