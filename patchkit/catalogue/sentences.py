"""The sentence and the next step of a code, with the facts of an error or a note filled in.

Loaded when an error or a note is rendered; of the tables only those that are asked for.
"""

from __future__ import annotations

from patchkit.catalogue import input_output, language, matching, notes, shell, tools, workspace
from patchkit.catalogue.calls import ADVICE as BY_CALL
from patchkit.catalogue.calls import for_declared
from patchkit.catalogue.entry import CatalogueEntry
from patchkit.catalogue.library import ADVICE, SENTENCES

# What a match ignored, by the name of its pass. The name itself is in JSON and in `--max-pass`.
TOLERANCES = {
    "exact": "exactly",
    "trailing-space": "ignoring trailing whitespace",
    "surrounding-space": "ignoring leading and trailing whitespace",
    "typography": "ignoring whitespace and typographic variants of characters",
    "blank-lines": "ignoring blank lines",
    "context-line": "ignoring one context line",
    "quotes": "ignoring typographic variants of quotes",
    "outer-space": "ignoring whitespace around it",
}
# What was done to the lines of a hunk or an edit before they matched, by the name of the rewrite.
REWRITES = {
    "entities": "decoding HTML entities",
    "escapes": "decoding escaped tabs and line endings",
    "escaped quotes": "removing backslashes in front of quotes",
    "line-numbers": "removing line numbers",
    "lost pluses": "adding the missing '+' of blank lines",
}
UNWRITTEN = "; nothing was written"
# The next step where the text is in another edit format, which has no anchors and no sections.
_MORE_LINES = "add lines around it so that only one place matches"
BY_FORMAT = {
    ("P202", "unified"): "add lines of context so that only one place matches; nothing was written",
    ("P202", "search-replace"): f"{_MORE_LINES}, or send the block once for each place; nothing was written",
    ("P202", "json-edits"): f"{_MORE_LINES}, or set replace_all; nothing was written",
    ("P303", "unified"): "write '--- a/{file}' in place of '--- /dev/null', or replace it with '--overwrite'"
    "; nothing was written",
    ("P303", "openai-ops"): "send it as 'update_file', or replace it with '--overwrite'; nothing was written",
    ("P125", "unified"): "look at the file, and run 'rm {file}' if that is meant; nothing was written",
}
# What a code means for a patch that is taken back, where that is something else.
TAKEN_BACK = {
    "P205": "the hunk is not applied to '{file}' (line {line}), so nothing is to be taken back",
    "P209": "the hunk removes lines and keeps none, so their place in '{file}' is not known when it is taken back",
}
# And the next step then, for a person and for a program.
NOT_TAKEN_BACK = {
    "P205": (
        "remove the hunk, or skip hunks that are not applied with '--forward'; nothing was written",
        "remove the hunk, or pass forward=True to skip hunks that are not applied; nothing was written",
    ),
    "P209": (
        "name what the patch was made for, with '--base REV' or '--base auto'; nothing was written",
        "pass what the patch was made for as 'base'; nothing was written",
    ),
}


def entry(code: str) -> CatalogueEntry:
    """The row of a code, from the one table that has it: most runs need no other."""
    first = code[:2]
    if first == "P9":
        return notes.ENTRIES[code]
    if first == "P2":
        return matching.ENTRIES[code]
    if first == "P1":
        return language.ENTRIES[code]
    if first == "P3":
        return workspace.ENTRIES[code]
    if first == "P4":
        return input_output.ENTRIES[code]
    return shell.ENTRIES[code] if first == "P5" else tools.ENTRIES[code]


def sentence(code: str, facts: dict[str, object], for_library: bool = False) -> str:
    words = SENTENCES.get(code) if for_library else None
    words = TAKEN_BACK.get(code, words) if facts.get("taken_back") else words
    said = (words or entry(code).sentence).format_map(_Facts(facts))
    return said if facts.get("patch_line") != 0 else said.replace(" (line 0)", "")


def advice(code: str, facts: dict[str, object], for_library: bool = False) -> str:
    """The next step that holds for every error of the code; `report.advice` has more specific ones.

    A program that calls the library reads of arguments and functions, not of command-line options; a model that calls
    a tool (the fact `by_call`) of arguments of the tool.
    """
    if code in NOT_TAKEN_BACK and facts.get("taken_back"):
        return NOT_TAKEN_BACK[code][for_library]
    if facts.get("skippable") and not facts.get("by_call"):
        skipping = "pass skip_unsayable=True to leave it out" if for_library else "leave it out with '--skip-unsayable'"
        return f"{skipping}, and {facts['instead']}"
    words = BY_FORMAT.get((code, str(facts.get("edit_format")))) if "edit_format" in facts else None
    if words and not ("--overwrite" in words and (for_library or facts.get("by_call"))):
        return words.format_map(_Facts(facts))
    words = ADVICE.get(code) if for_library or facts.get("by_call") else None
    if facts.get("by_call"):
        words = for_declared(BY_CALL.get(code, words or ""), facts["by_call"]) or words
    return (words or entry(code).advice).format_map(_Facts(facts))


_DEFAULTS = {"suggestion": "", "fate": "is outside the workspace"}


class _Facts(dict[str, object]):
    """Facts as the sentences use them; an unknown one shows as '?' and never raises."""

    def __missing__(self, name: str) -> object:
        if name == "found_short":
            return _quoted(str(self.get("found", "")))
        if name == "found_bare":
            return str(self.get("found", "")).strip()
        if name == "expected_list":
            return _expected(self.get("expected"))
        if name in ("tolerance", "undone"):
            return tolerance(str(self.get("pass_name") or self.get("found_pass") or self.get("rewrite") or "?"))
        return _DEFAULTS.get(name, "?")


def tolerance(name: str) -> str:
    """What was ignored or changed so that lines matched."""
    return REWRITES.get(name) or TOLERANCES.get(name, f"by '{name}'")


def _expected(openings: object) -> str:
    """The lines that may come next in the patch."""
    openings = openings if isinstance(openings, list | tuple) else []
    words = [f"'{word.strip()}'" for word in openings if word.strip() and "Environment" not in word]
    if " " in openings:
        words.append("a context line with a leading space")
    return f"{'one of ' if len(words) > 1 else ''}{', '.join(words)}" or "nothing but blank lines"


def _quoted(text: str) -> str:
    return f"'{text}'" if len(text) <= 80 else f"'{text[:77]}…'"
