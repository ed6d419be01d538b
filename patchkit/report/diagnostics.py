"""Errors and notes as people read them: code, sentence, place in the patch, place in the file, next step.

Takes an error's facts and the patch text; gives lines of text. Imported only when there is something
to say: a successful apply never pays for it.
"""

from __future__ import annotations

from patchkit.errors import Note, PatchkitError
from patchkit.report.causes import cause

_WIDEST = 160  # of a quoted line; what is longer is cut


def render_errors(errors: list[PatchkitError], patch: str | None = None) -> str:
    """All errors, one below the other, with a blank line between them."""
    lines = patch.split("\n") if patch is not None else []
    return "\n".join(_render(error, lines) for error in errors)


def render_note(note: Note) -> str:
    return f"note[{note.code}]: {visible(note.message)}\n"


def _render(error: PatchkitError, patch: list[str]) -> str:
    near = error.facts.get("near")
    number = error.facts.get("differs_at") or error.patch_line
    out = [f"error[{error.code}]: {visible(error.message)}"]
    if isinstance(number, int) and number:
        out.extend(_in_the_patch(number, error, patch, near))
    if near is not None:
        out.extend(_in_the_file(error, near))
    out.extend(_places(error))
    if error.hint:
        out.append(f"  = help: {visible(error.hint, 1000)}")
    return "\n".join(out) + "\n"


def _in_the_patch(number: int, error: PatchkitError, patch: list[str], near: object) -> list[str]:
    """The line of the patch that is in trouble, underlined when it is known to be the one."""
    column = error.facts.get("column")
    out = [f" --> patch:{number}" + (f":{column}" if column else "")]
    if number > len(patch):
        return out
    gutter, text = " " * len(str(number)), visible(patch[number - 1])
    out.extend([f"{gutter} |", f"{number} | {text}"])
    if near is not None:
        out.append(f"{gutter} | {'^' * max(1, width(text))} no such line here")
    out.append(f"{gutter} |")
    return out


def _in_the_file(error: PatchkitError, near: object) -> list[str]:
    """The place that comes nearest, and what differs there."""
    line, index = near.line + 1, near.index  # type: ignore[attr-defined]
    number = line + index
    agree = f"{near.agree} of {near.total} line{'s' if near.total != 1 else ''} agree"  # type: ignore[attr-defined]
    out = [f" ::: {visible(str(error.file))}:{number}, closest place ({agree})"]
    gutter, found = " " * len(str(number)), near.found  # type: ignore[attr-defined]
    before = width(visible(found[: near.column]))  # type: ignore[attr-defined]
    out.append(f"{number} | {visible(found)}")
    out.append(f"{gutter} | {' ' * before}- {cause(near.expected, found, near.column)}")  # type: ignore[attr-defined]
    return out


def _places(error: PatchkitError) -> list[str]:
    """The places in question, when there are several to choose from, each with what would choose it."""
    choices = error.facts.get("choices")
    if not isinstance(choices, list):
        return []
    out = []
    for choice in choices:
        inside = f", in '{visible(choice.inside)}'" if choice.inside else ""
        out.append(f" ::: {visible(str(error.file))}:{choice.line}{inside}")
    return out


def width(text: str) -> int:
    """How many columns a text takes on a terminal: wide characters two, marks that join none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def visible(text: str, widest: int = _WIDEST) -> str:
    """Text that can do no harm to a terminal: control characters shown, over-long lines cut."""
    shown = "".join(char if char.isprintable() else _escaped(char) for char in text[: widest + 1])
    return shown if len(shown) <= widest else shown[: widest - 1] + "…"


def _escaped(char: str) -> str:
    if char == "\t":
        return "    "
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")
