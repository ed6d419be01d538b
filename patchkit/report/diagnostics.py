"""Errors and notes as people read them: code, sentence, place in the patch, place in the file, next step.

Takes an error's facts and the patch text; gives lines of text. Imported only when there is something
to say: a successful apply never pays for it.
"""

from __future__ import annotations

from patchkit.errors import Note, PatchkitError

_WIDEST = 160  # of a quoted line; the rest is cut around nothing, a caret still has to fit under it


def render_errors(errors: list[PatchkitError], patch: str | None = None) -> str:
    """All errors, one below the other, with a blank line between them."""
    lines = patch.split("\n") if patch is not None else []
    return "\n".join(_render(error, lines) for error in errors)


def render_note(note: Note) -> str:
    return f"note[{note.code}]: {_visible(note.message)}\n"


def _render(error: PatchkitError, patch: list[str]) -> str:
    out = [f"error[{error.code}]: {_visible(error.message)}"]
    number = error.patch_line
    if number:
        column = error.facts.get("column")
        out.append(f" --> patch:{number}" + (f":{column}" if column else ""))
        if number <= len(patch):
            gutter = " " * len(str(number))
            out.append(f"{gutter} |")
            out.append(f"{number} | {_visible(patch[number - 1])}")
            out.append(f"{gutter} |")
    out.extend(_places(error))
    if error.hint:
        out.append(f"  = help: {_visible(error.hint)}")
    return "\n".join(out) + "\n"


def _places(error: PatchkitError) -> list[str]:
    """The places in question, when there are several to choose from."""
    candidates: list[int] = error.facts.get("candidates") or []  # type: ignore[assignment]
    if error.code == "P202" or len(candidates) < 2:
        return []
    return [f" ::: {error.file}:{line}" for line in candidates[:20]]


def _visible(text: str) -> str:
    """Text that can do no harm to a terminal: control characters shown, over-long lines cut."""
    shown = "".join(char if char.isprintable() or char == " " else _escaped(char) for char in text)
    return shown if len(shown) <= _WIDEST else shown[: _WIDEST - 1] + "…"


def _escaped(char: str) -> str:
    if char == "\t":
        return "    "
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")
