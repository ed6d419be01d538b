"""The words for every code: one sentence, one next step, and what kind of trouble it is.

Data only, read when somebody asks an error or a note for its words. `docs/errors.md` explains each
code at length, and a test holds the two lists together. A sentence is lower case without a full
stop, the problem first, names in single quotes; the help is an imperative that can be followed at once.
"""

from __future__ import annotations

from patchkit.catalogue import input_output, language, matching, notes, shell, tools, workspace
from patchkit.catalogue.entry import Entry

ENTRIES: dict[str, Entry] = {
    **language.ENTRIES,
    **matching.ENTRIES,
    **workspace.ENTRIES,
    **input_output.ENTRIES,
    **shell.ENTRIES,
    **tools.ENTRIES,
    **notes.ENTRIES,
}


def entry(code: str) -> Entry:
    return ENTRIES[code]


def sentence(code: str, facts: dict[str, object]) -> str:
    return ENTRIES[code].sentence.format_map(_Facts(facts))


def advice(code: str, facts: dict[str, object]) -> str:
    """The next step: the one that follows from the places in question, else the catalogue's."""
    for choice in facts.get("choices") or ():  # type: ignore[attr-defined]
        if choice.add:
            return f"{_choosing(choice, facts)} to choose line {choice.line}; nothing was written"
    if "elsewhere" in facts:
        place: tuple[str, int] = facts["elsewhere"]  # type: ignore[assignment]
        return (
            f"send the hunk in a section for '{place[0]}', where its lines stand (line {place[1]}); nothing was written"
        )
    if facts.get("unread"):
        return f"say with '--encoding NAME' what {facts.get('file')} is kept in: it is not UTF-8; nothing was written"
    near = facts.get("near")
    if near is not None:
        first, last = near.line + 1, near.line + near.total  # type: ignore[attr-defined]
        what = "edit" if code.startswith("P62") else "hunk"
        lines = f"lines {first}-{last}" if last > first else f"line {first}"
        return f"read {facts.get('file')} {lines} and send the {what} again; nothing was written"
    return ENTRIES[code].advice.format_map(_Facts(facts))


def _choosing(choice: object, facts: dict[str, object]) -> str:
    """What to do with the lines that choose a place."""
    by, several = choice.by, len(choice.add) > 1  # type: ignore[attr-defined]
    if choice.where != "anchors":  # type: ignore[attr-defined]
        return f"add the context line{'s' if several else ''} {by}"
    if several:
        return f"stack the anchors {by}"
    return f"use the anchor {by} instead" if facts.get("anchored") else f"add an anchor, for example {by},"


_UNSAID = {"suggestion": "", "fate": "leads out of the workspace"}  # what holds where nothing else is said


class _Facts(dict[str, object]):
    """Facts as the sentences use them; one that is not known shows as '?', never as an exception."""

    def __missing__(self, name: str) -> object:
        if name == "found_short":
            return _quoted(str(self.get("found", "")))
        if name == "found_bare":
            return str(self.get("found", "")).strip()
        if name == "expected_list":
            return _expected(self.get("expected", ()))  # type: ignore[arg-type]
        return _UNSAID.get(name, "?")


def _expected(openings: list[str]) -> str:
    """What may stand at a place of the patch, in words."""
    words = [f"'{word.strip()}'" for word in openings if word.strip() and "Environment" not in word]
    if " " in openings:
        words.append("a context line with a leading space")
    return f"{'one of ' if len(words) > 1 else ''}{', '.join(words)}" or "nothing but blank lines"


def _quoted(text: str) -> str:
    return f"'{text}'" if len(text) <= 80 else f"'{text[:77]}…'"
