"""One replacement, as Edit makes it once and MultiEdit one after the other.

Takes the Target, the Text as it is so far and an EditStep; returns the text after the step, or raises what is wrong
with it. Lines that look like placeholders for code are found here too. Nothing is written.
"""

from __future__ import annotations

import os

from patchkit.errors import Note, PatchkitError
from patchkit.text.document import Document
from patchkit.tools.editing.inexact import fuzzy, nearest
from patchkit.tools.editing.target import Target
from patchkit.tools.editing.text import EXISTS, Edited, Text, change, execute, unchanged, valid
from patchkit.values import Value

_COMMENTS = ("//", "#", "/*", "*", "--", "<!--", ";", "%", "{/*", '"""', "'''")
_AROUND = "/#*-<!>;%{}\"'[]() \t"
_DOTS = ("...", "\u2026")
_OPENINGS = ("rest of ", "the rest of ", "remaining ", "the remaining ", "existing code", "unchanged", "same as before")
_WORDS = ("rest of", "remain", "existing", "unchanged", "previous", "same as", "omitted", "other ", "no change", "here")
_LONGEST = 200  # characters of a line that may be one


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


def refuse_same(target: Target, step: EditStep) -> None:
    if step.old == step.new:
        raise _about(target, step, unchanged())


def made(target: Target, text: Text | None, step: EditStep) -> Edited:
    """The text after the step; None for a text means a file that does not exist yet."""
    found = placeholder(step.new, step.old)
    if not step.old:
        edited = _created(target, text, step)
    else:
        refuse_same(target, step)
        edited = _replaced(target, text or Text(b""), step)
    if found:
        target.call.notes.append(Note("P957", what=step.field("new_string"), found=found))
    return edited


def _created(target: Target, text: Text | None, step: EditStep) -> Edited:
    if text is not None:
        raise _about(target, step, PatchkitError("P623", said=EXISTS))
    target.refuse_unseen()
    try:
        new = step.new.encode("utf-8", "surrogateescape")
    except UnicodeError:
        raise _about(target, step, half_a_character("new_string"), "new_string") from None
    return Edited(Document(b""), [new], [change(0, 0, new)], 1)


def _replaced(target: Target, text: Text, step: EditStep) -> Edited:
    fault = valid(text, step.old, step.new, step.everywhere)
    if fault is None:
        try:
            return execute(text, step.old, step.new, step.everywhere)
        except PatchkitError as error:
            raise _about(target, step, error, "new_string") from None
    if fault.code != "P621":
        raise _about(target, step, fault)
    edited = _tolerated(target, text, step) if _is_fuzzy(target) else None
    if edited is not None:
        return edited
    near = nearest(text, step.old)
    if near is not None:
        fault.facts.update(near=near, line=near.line + 1)
    raise _about(target, step, fault)


def _is_fuzzy(target: Target) -> bool:
    """Whether more than exact text may count: asked for by the call, or for callers that cannot ask."""
    return target.call.flag("fuzzy") or os.environ.get("PATCHKIT_EDIT_FUZZY", "0") not in ("", "0")


def _tolerated(target: Target, text: Text, step: EditStep) -> Edited | None:
    """The text after the step by a tolerant pass, which a note names; None without exactly one place for it."""
    try:
        edited = fuzzy(text, step.old, step.new)
    except PatchkitError as error:
        raise _about(target, step, error) from None
    if edited is None:
        return None
    if not edited.changes:
        raise _about(target, step, unchanged())
    line = text.document.data.count(text.document.separator, 0, edited.changes[0].start) + 1
    facts = {"what": step.field("old_string"), "file": target.path, "line": line, "pass_name": edited.level}
    target.call.notes.append(Note("P956", **facts))
    return edited


def half_a_character(what: str) -> PatchkitError:
    """The refusal of a text that no file can hold."""
    return PatchkitError("P624", what=what, reason="it has half of a character, a lone surrogate")


def _about(target: Target, step: EditStep, fault: PatchkitError, field: str = "old_string") -> PatchkitError:
    """The fault, knowing the file and the step it is about."""
    fault.facts.update(file=target.path, what=step.field(field))
    return fault


# -- placeholders --------------------------------------------------------------------------------


def placeholder(new: str, old: str) -> str:
    """The first line of `new` that looks like a placeholder and is not in `old`; '' without one.

    A model that leaves code out writes such a line (`// ... rest of the code`), and it ends up in the file. It may be
    intended, so it is a note and not an error.
    """
    known = {line.strip() for line in old.split("\n")}
    for line in new.split("\n"):
        bare = line.strip()
        if 3 <= len(bare) <= _LONGEST and bare not in known and _replaces_code(bare):
            return bare
    return ""


def _replaces_code(line: str) -> bool:
    """A comment of dots, or of dots and words such as 'rest of'; without a comment's mark the dots come first."""
    words = line.strip(_AROUND).lower()
    dotted = any(dots in words for dots in _DOTS)
    if line.startswith(_COMMENTS):
        if words.startswith(_OPENINGS) and len(words.split()) <= 8:
            return dotted or words.startswith(("rest of", "the rest of"))
        return dotted and (not words.strip(".\u2026 ") or any(word in words for word in _WORDS))
    return words.startswith(_DOTS) and any(word in words for word in _WORDS)
