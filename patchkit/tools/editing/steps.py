"""One edit on its way, as Edit makes it once and MultiEdit one after the other.

Takes the Target, the Text as it is so far and a Step; gives what the step makes of it, or raises what is wrong with it.
Nothing is written here.
"""

from __future__ import annotations

import os

from patchkit.errors import Note, PatchkitError
from patchkit.text.document import Document
from patchkit.tools.editing.placeholders import placeholder
from patchkit.tools.editing.rules import EXISTS, execute, unchanged, valid
from patchkit.tools.editing.target import Target
from patchkit.tools.editing.text import Change, Edited, Text
from patchkit.values import Value


class Step(Value):
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


def refuse_same(target: Target, step: Step) -> None:
    if step.old == step.new:
        raise _about(target, step, unchanged())


def made(target: Target, text: Text | None, step: Step) -> Edited:
    """The text after the step; None for a text stands for a file that is not there yet."""
    found = placeholder(step.new, step.old)
    if not step.old:
        edited = _created(target, text, step)
    else:
        refuse_same(target, step)
        edited = _replaced(target, text or Text(b""), step)
    if found:
        target.call.notes.append(Note("P957", what=step.field("new_string"), found=found))
    return edited


def _created(target: Target, text: Text | None, step: Step) -> Edited:
    if text is not None:
        raise _about(target, step, PatchkitError("P623", said=EXISTS))
    target.refuse_unseen()
    try:
        new = step.new.encode("utf-8", "surrogateescape")
    except UnicodeError:
        raise _about(target, step, half_a_character("new_string"), "new_string") from None
    return Edited(Document(b""), [new], [Change(0, 0, new)], 1)


def _replaced(target: Target, text: Text, step: Step) -> Edited:
    fault = valid(text, step.old, step.new, step.everywhere)
    if fault is None:
        try:
            return execute(text, step.old, step.new, step.everywhere)
        except PatchkitError as error:
            raise _about(target, step, error, "new_string") from None
    if fault.code != "P621":
        raise _about(target, step, fault)
    edited = _forgiven(target, text, step) if _is_fuzzy(target) else None
    if edited is not None:
        return edited
    from patchkit.tools.editing.nearest import nearest

    near = nearest(text, step.old)
    if near is not None:
        fault.facts.update(near=near, line=near.line + 1)
    raise _about(target, step, fault)


def _is_fuzzy(target: Target) -> bool:
    """Whether more than exact text may count: asked for by the call, or for callers that cannot ask."""
    return target.call.flag("fuzzy") or os.environ.get("PATCHKIT_EDIT_FUZZY", "0") not in ("", "0")


def _forgiven(target: Target, text: Text, step: Step) -> Edited | None:
    """What the step makes by a pass that forgives something, which a note tells; None without one place for it."""
    from patchkit.tools.editing.fuzzy import fuzzy

    try:
        edited = fuzzy(text, step.old, step.new)
    except PatchkitError as error:
        raise _about(target, step, error) from None
    if edited is None:
        return None
    if not edited.changes:
        raise _about(target, step, unchanged())
    line = text.document.data.count(text.document.separator, 0, edited.changes[0].start) + 1
    told = {"what": step.field("old_string"), "file": target.path, "line": line, "pass_name": edited.level}
    target.call.notes.append(Note("P956", **told))
    return edited


def half_a_character(what: str) -> PatchkitError:
    """The refusal of a text that no file can hold."""
    return PatchkitError("P624", what=what, reason="it has half of a character, a lone surrogate")


def _about(target: Target, step: Step, fault: PatchkitError, field: str = "old_string") -> PatchkitError:
    """The fault, knowing the file and the step it is about."""
    fault.facts.update(file=target.path, what=step.field(field))
    return fault
