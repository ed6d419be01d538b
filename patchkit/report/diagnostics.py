"""Errors and notes as people read them: code, sentence, place in the patch, place in the file, next step.

Takes an error's facts and the patch text; gives lines of text, without colour (`colour` adds that to whole
texts). Imported only when there is something to say: a successful apply never pays for it.
"""

from __future__ import annotations

from patchkit.errors import Note, PatchkitError
from patchkit.report.causes import cause
from patchkit.report.width import WIDEST, excerpt, filled, visible, width, words_of, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.matching.choices import Choice

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
