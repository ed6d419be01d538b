"""The texts of every code: one sentence, one next step, and the kind of error.

Data only, loaded when an error or a note is rendered. `docs/errors.md` explains each code at length, and a
test compares the two lists. A sentence is lower case without a full stop, the problem first, names in
single quotes; the help is an imperative that can be followed at once.
"""

from __future__ import annotations

from patchkit.catalogue import input_output, language, matching, notes, shell, tools, workspace
from patchkit.catalogue.entry import Entry
from patchkit.catalogue.library import ADVICE, SENTENCES

# What a match ignored, by the name of its pass. The name itself is in JSON and in `--max-pass`.
TOLERANCES = {
    "exact": "exactly",
    "trailing-space": "ignoring trailing whitespace",
    "surrounding-space": "ignoring leading and trailing whitespace",
    "typography": "ignoring whitespace and typographic variants of characters",
    "blank-lines": "ignoring blank lines",
    "context-line": "ignoring one context line",
    "outer-space": "ignoring whitespace around it",
}
# What was done to the lines of a hunk or an edit before they matched, by the name of the rewrite.
REWRITES = {
    "entities": "decoding HTML entities",
    "escapes": "decoding escaped tabs and line endings",
    "line-numbers": "removing line numbers",
    "lost pluses": "adding the missing '+' of blank lines",
}
UNWRITTEN = "; nothing was written"

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


def sentence(code: str, facts: dict[str, object], for_library: bool = False) -> str:
    words = SENTENCES.get(code) if for_library else None
    return (words or ENTRIES[code].sentence).format_map(_Facts(facts))


def advice(code: str, facts: dict[str, object], for_library: bool = False) -> str:
    """The next step: the one that follows from the candidate places, else the catalogue's.

    A command that never writes sets the fact `read_only`; the words that nothing was written are left out then. A
    program that calls the library reads of arguments and functions, not of command-line options.
    """
    step = _next_step(code, facts, for_library)
    return step.replace(UNWRITTEN, "") if facts.get("read_only") else step


def _next_step(code: str, facts: dict[str, object], for_library: bool) -> str:
    for choice in facts.get("choices") or ():  # type: ignore[attr-defined]
        if choice.add:
            return f"{_choosing(choice, facts)} to choose line {choice.line}{UNWRITTEN}"
    if "elsewhere" in facts:
        place: tuple[str, int] = facts["elsewhere"]  # type: ignore[assignment]
        return f"send the hunk in a section for '{place[0]}', which has its lines (line {place[1]}){UNWRITTEN}"
    if facts.get("unread") and for_library:
        return f"pass encoding=NAME with the encoding of {facts.get('file')}: it is not UTF-8{UNWRITTEN}"
    if facts.get("unread"):
        return f"give the encoding of {facts.get('file')} with '--encoding NAME': it is not UTF-8{UNWRITTEN}"
    near = facts.get("near")
    if near is not None:
        first, last = near.line + 1, near.line + near.total  # type: ignore[attr-defined]
        what = "edit" if code.startswith("P62") else "hunk"
        lines = f"lines {first}-{last}" if last > first else f"line {first}"
        return f"read {facts.get('file')} {lines} and send the {what} again{UNWRITTEN}"
    words = ADVICE.get(code) if for_library else None
    return (words or ENTRIES[code].advice).format_map(_Facts(facts))


def _choosing(choice: object, facts: dict[str, object]) -> str:
    """The instruction to use the lines that select one place."""
    by, several = choice.by, len(choice.add) > 1  # type: ignore[attr-defined]
    if choice.where != "anchors":  # type: ignore[attr-defined]
        return f"add the context line{'s' if several else ''} {by}"
    if several:
        return f"use the anchors {by}, one below the other,"
    return f"use the anchor {by} instead" if facts.get("anchored") else f"add an anchor, for example {by},"


_DEFAULTS = {"suggestion": "", "fate": "is outside the workspace"}


class _Facts(dict[str, object]):
    """Facts as the sentences use them; an unknown one shows as '?' and never raises."""

    def __missing__(self, name: str) -> object:
        if name == "found_short":
            return _quoted(str(self.get("found", "")))
        if name == "found_bare":
            return str(self.get("found", "")).strip()
        if name == "expected_list":
            return _expected(self.get("expected", ()))  # type: ignore[arg-type]
        if name in ("tolerance", "undone"):
            return _tolerance(str(self.get("pass_name") or self.get("found_pass") or self.get("rewrite") or "?"))
        return _DEFAULTS.get(name, "?")


def _tolerance(name: str) -> str:
    """What was ignored or changed so that lines matched."""
    return REWRITES.get(name) or TOLERANCES.get(name, f"by '{name}'")


def _expected(openings: list[str]) -> str:
    """The lines that may come next in the patch."""
    words = [f"'{word.strip()}'" for word in openings if word.strip() and "Environment" not in word]
    if " " in openings:
        words.append("a context line with a leading space")
    return f"{'one of ' if len(words) > 1 else ''}{', '.join(words)}" or "nothing but blank lines"


def _quoted(text: str) -> str:
    return f"'{text}'" if len(text) <= 80 else f"'{text[:77]}…'"
