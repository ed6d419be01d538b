"""The sentence and the next step of a code, with the facts of an error or a note filled in.

Takes a code and facts, among them the places that matching found. Of the tables only the one that has the code is
loaded, when the first of its errors or notes is put into words.
"""

from __future__ import annotations

from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Facts = dict[str, object]


# One row of the catalogue, and the exit classes that a row can have.
#
# A row says what kind of trouble a code is, its sentence, its next step, and with which status a command ends that was
# stopped by it. `apply_patch`, `check`, `grep` and `exec` have statuses of their own: `cli.exit_status` knows them.
#
# A next step is for a person, who types commands. Where it names an option, the row also has the words for a program
# that calls the library, and for a model that calls a tool: what only a person may decide is not offered to a model.
# The exit classes are the exit statuses of the commands that have none of their own.
REFUSED = 1
USAGE = 2
POLICY = 3  # the workspace or a rule does not allow it: outside the root, unread or stale, denied
INPUT_OUTPUT = 4  # failed, and was rolled back
RECOVERY = 5  # files may be mixed until 'patchkit recover' has run
INTERNAL = 70  # a defect of patchkit, the same for every command: it never has a status that means something else

PERSON, PROGRAM, MODEL = "person", "program", "model"  # who reads a next step


class Variant(Record):
    """Other words of a row, for errors and notes that have a fact: of one value, or of any that is not empty.

    `advice` is for every reader. A variant without words for a reader does not count for it.
    """

    fact: str
    value: str = ""
    sentence: str = ""
    advice: str = ""
    person: str = ""
    program: str = ""
    model: str = ""

    def holds(self, found: object) -> bool:
        """Whether the variant is for errors whose fact has this value."""
        return found == self.value if self.value else bool(found)

    def advice_for(self, audience: str) -> str:
        words: str = getattr(self, audience)
        return words or self.advice


class CatalogueEntry(Record):
    """What the catalogue knows of a code. `kind` and `advice` are empty for notes."""

    name: str
    kind: str
    sentence: str
    advice: str = ""
    variants: tuple[Variant, ...] = ()
    program: str = ""
    model: str = ""
    exit_class: int = REFUSED
    by: str = ""  # the fact that distinguishes what a note is about, where its code is for several things

    def advice_for(self, audience: str) -> str:
        """The next step for a reader; a model gets the words for programs where it has none of its own."""
        own = {PROGRAM: self.program, MODEL: self.model or self.program}.get(audience)
        return own or self.advice


def _rows(kind: str, exit_class: int = REFUSED) -> Callable[..., CatalogueEntry]:
    """Makes the rows of codes of a kind, which a row may change, and of an exit class."""

    def row(
        name: str, sentence: str, advice: str, *variants: Variant, program: str = "", model: str = "", kind: str = kind
    ) -> CatalogueEntry:
        return CatalogueEntry(name, kind, sentence, advice, variants, program, model, exit_class)

    return row


# This cannot be done as it was asked for.
refused, conflict, not_found, failed = map(_rows, ("INVALID_PARAM", "CONFLICT", "NOT_FOUND", "EXECUTION_ERROR"))
timed_out, forbidden = map(_rows, ("TIMEOUT", "ACCESS_DENIED"))
usage, missing = (_rows(kind, USAGE) for kind in ("INVALID_PARAM", "NOT_FOUND"))  # the call itself is wrong
policy = _rows("ACCESS_DENIED", POLICY)  # the workspace or a rule does not allow this
denied, stale, unconfined = (_rows(kind, POLICY) for kind in ("PERMISSION_DENIED", "CONFLICT", "EXECUTION_ERROR"))
input_output = _rows("EXECUTION_ERROR", INPUT_OUTPUT)  # reading or writing failed, and everything is as it was
recovery = _rows("EXECUTION_ERROR", RECOVERY)  # writing failed, and not everything could be undone
internal = _rows("INTERNAL_ERROR", INTERNAL)  # patchkit itself is wrong


def note(name: str, sentence: str, by: str = "", **sentences: str) -> CatalogueEntry:
    """A code that stops nothing: it says what was done on the way.

    A note for several things has a sentence for each value of the fact `by`, an underscore in the place of a hyphen.
    """
    variants = tuple(Variant(by, value.replace("_", "-"), words) for value, words in sentences.items())
    return CatalogueEntry(name, "", sentence, variants=variants, by=by)


# What a match ignored, by the name of its pass. The name itself is in JSON and in `--max-pass`.
READ_RIGHT = "read files as UTF-8 (in PowerShell 'Get-Content -Encoding utf8', after 'chcp 65001' in cmd)"
TOLERANCES = {
    "exact": "exactly",
    "trailing-space": "ignoring trailing whitespace",
    "surrounding-space": "ignoring leading and trailing whitespace",
    "typography": "ignoring whitespace and typographic variants of characters",
    "blank-lines": "ignoring blank lines",
    "context-line": "ignoring one context line",
    # What was done to the lines of a hunk or an edit before they matched, by the name of the rewrite.
    "entities": "after decoding HTML entities",
    "escapes": "after decoding escaped characters",
    "escaped quotes": "after removing backslashes in front of quotes",
    "lost backslashes": "after adding the backslashes that the file has",
    "line-numbers": "after removing line numbers",
    "cells": "in its cells, as they are shown, and not in the text it is kept in",
    "lost pluses": "after adding the missing '+' of blank lines",
    # The encoding in which a shell read the file, and how it reads the next one right.
    **{
        codec: f"after undoing a wrong reading: it has UTF-8 text read as {words}; {READ_RIGHT}"
        for codec, words in (
            ("gbk", "GBK"),
            ("cp1252", "Windows-1252"),
            ("cp932", "Shift_JIS"),
            ("cp949", "cp949"),
            ("cp437", "cp437"),
        )
    },
    "utf-8": f"after putting back characters that were lost when the file was read; {READ_RIGHT}",
}
UNWRITTEN = "; nothing was written"
# The next step that follows from a fact, whatever the code; the first that holds is taken.
_OF_FACTS = (
    Variant("choosing", advice="{choosing}" + UNWRITTEN),
    Variant("fill", advice="{fill}: {file} is empty" + UNWRITTEN),
    Variant("older", person="use '--base auto', which would apply this; {changed_in}" + UNWRITTEN),
    Variant(
        "searched",
        person="send a patch for the file as it is now, or name what it was made for with '--base REV' or "
        "'--base DIR': {searched}" + UNWRITTEN,
    ),
    Variant("quoted", advice="remove the quote marks ('> ') in front of the lines, or send the text that is quoted"),
    Variant(
        "elsewhere",
        advice="send the hunk in a section for '{elsewhere[0]}', which has its lines (line {elsewhere[1]})" + UNWRITTEN,
    ),
    Variant(
        "unread",
        person="give the encoding of {file} with '--encoding NAME': it is not UTF-8" + UNWRITTEN,
        program="pass encoding=NAME with the encoding of {file}: it is not UTF-8" + UNWRITTEN,
        model="read {file}, which is not UTF-8, and send the hunk with lines as they are shown" + UNWRITTEN,
    ),
    Variant("misread", advice="{read_right}: the hunk has text that was read as {misread}; send it again" + UNWRITTEN),
    Variant("made_at", advice="send nothing if line {made_at} of {file} is the result of this edit" + UNWRITTEN),
    Variant("correction", advice="send the edit again with these texts" + UNWRITTEN),
    Variant(
        "elided", advice="send the lines of {file} that '{elided}' is in place of, or an edit for each side" + UNWRITTEN
    ),
    Variant("cells", advice="read {file} whole, which shows its cells, and send text of one cell" + UNWRITTEN),
    Variant(
        "unmade",
        advice="send the changes of an earlier patch first, if it was refused: its lines are not in {file}" + UNWRITTEN,
    ),
    Variant(
        "absent",
        advice="name the file that the hunk is for ('*** Update File:'): none of its lines is in {file}" + UNWRITTEN,
    ),
    Variant(
        "scattered",
        advice="read {file} {scattered_lines}, where lines of the {unit} are, and send it again: they are not together"
        + UNWRITTEN,
    ),
    Variant("near", advice="read {file} {near_lines} and send the {unit} again" + UNWRITTEN),
    Variant("scope", advice="read {file} {scope_lines} and send the hunk with lines of the file" + UNWRITTEN),
    Variant(
        "skippable",
        person="leave it out with '--skip-unsupported', and {instead}",
        program="pass skip_unsupported=True to leave it out, and {instead}",
    ),
)
_FAMILIES = {
    "1": "language",
    "2": "matching",
    "3": "workspace",
    "4": "workspace",
    "5": "shell",
    "6": "tools",
    "9": "notes",
}


def entry(code: str) -> CatalogueEntry:
    """The row of a code, from the one table that has it: most runs need no other."""
    family = __import__(f"patchkit.catalogue.{_FAMILIES.get(code[1:2], 'tools')}", fromlist=["ENTRIES"])
    row: CatalogueEntry = family.ENTRIES[code]
    return row


def sentence(code: str, facts: Facts) -> str:
    row, known = entry(code), _Facts(code, facts)
    words = next((each.sentence for each in row.variants if each.sentence and each.holds(known[each.fact])), "")
    said = (words or row.sentence).format_map(known)
    return said if facts.get("patch_line") != 0 else said.replace(" (line 0)", "")


def help_for(code: str, facts: Facts, audience: str = PERSON) -> str:
    """What to do about an error: the step that follows from its facts, else the one that its code always has.

    The fact `by_call` means a model that called a tool. A command that never writes sets the fact `read_only`: the
    words that nothing was written are left out then.
    """
    audience = MODEL if facts.get("by_call") else audience
    row, known = entry(code), _Facts(code, facts)
    chosen: Variant | CatalogueEntry = row
    for each in (*_OF_FACTS, *row.variants):
        if each.advice_for(audience) and each.holds(known[each.fact]):
            chosen = each
            break
    words = chosen.advice_for(audience)
    step = words.format_map(known)
    return step.replace(UNWRITTEN, "") if facts.get("read_only") else step


def name_of(code: str) -> str:
    """The name of a code: `hunk-not-found` for P201."""
    return entry(code).name


def variant_of(code: str, facts: Facts) -> str:
    """Which of the things that a note is for: `heredoc` for a P901; '' where the code is for one thing."""
    return str(facts.get(entry(code).by) or "")


def label(code: str, facts: Facts) -> str:
    """What errors and notes are counted by: the code, and which of several things a note is: `P901:heredoc`."""
    variant = variant_of(code, facts)
    return f"{code}:{variant}" if variant else code


def about(label: str) -> str:
    """The sentence of a label without facts."""
    code, _, value = label.partition(":")
    row = entry(code)
    words = next((each.sentence for each in row.variants if value and each.value == value), row.sentence)
    return general(words.replace("{how}", tolerance(value)) if value else words)


def general(sentence: str) -> str:
    """A sentence of the catalogue without facts: `'FILE'` for `'{file}'`, N for numbers."""
    head, *parts = sentence.split("{")
    for part in parts:
        fact, _, rest = part.partition("}")
        fact = fact.replace("_", " ").removesuffix(" short").removesuffix(" bare")
        head += ("N" if fact in _NUMBERS else "" if fact in _OPTIONAL else fact.upper()) + rest
    return head


_NUMBERS = {"patch line", "line", "count", "limit", "hunk", "size", "seconds", "visited", "offset", "most", "missing"}
_OPTIONAL = {"at line", "mode", "others", "paths", "suggestion"}  # words that are not in every sentence of a code


def tolerance(name: str) -> str:
    """What was ignored or changed so that lines matched."""
    return TOLERANCES.get(name, f"by '{name}'")


# -- facts that follow from others -----------------------------------------------------------------


class _Facts(dict[str, "Any"]):
    """Facts as the sentences use them; one that is neither known nor derived shows as '?' and never raises."""

    def __init__(self, code: str, facts: Facts) -> None:
        super().__init__(facts)
        self.unit = "edit" if code.startswith("P62") else "hunk"

    def __missing__(self, name: str) -> object:
        derived = _DERIVED.get(name)
        return _Unknown() if derived is None else derived(self)


class _Unknown(str):
    """A fact that is missing: false, and a question mark in a sentence."""

    def __new__(cls) -> _Unknown:
        return super().__new__(cls, "")

    def __format__(self, spec: str) -> str:
        return "?"

    def __getitem__(self, _index: object) -> _Unknown:
        return self


def _expected(facts: _Facts) -> str:
    """The lines that may come next in the patch."""
    openings = facts.get("expected")
    openings = openings if isinstance(openings, list | tuple) else []
    words = [f"'{word.strip()}'" for word in openings if word.strip() and "Environment" not in word]
    if " " in openings:
        words.append("a context line with a leading space")
    return f"{'one of ' if len(words) > 1 else ''}{', '.join(words)}" or "nothing but blank lines"


def quoted(text: str) -> str:
    """A line in a sentence, or not too much of it."""
    return f"'{text}'" if len(text) <= 80 else f"'{text[:77]}…'"


def _how(facts: _Facts) -> str:
    how = tolerance(str(facts.get("tolerance") or facts.get("found_pass") or "?"))
    return f"{how}: {facts['ignored']}" if "ignored" in facts else how


def _choosing(facts: _Facts) -> str:
    """The instruction to use the lines that select one of the places; an edit format without anchors has none."""
    choices = facts.get("choices") if "edit_format" not in facts else None
    choice = next((each for each in choices or () if each.add), None)
    if choice is None:
        return ""
    several = len(choice.add) > 1
    if choice.where != "anchors":
        using = f"add the context line{'s' if several else ''} {choice.by}"
    elif several:
        using = f"use the anchors {choice.by}, one below the other,"
    elif facts.get("anchored"):
        using = f"use the anchor {choice.by} instead"
    else:
        using = f"add an anchor, for example {choice.by},"
    return f"{using} to choose line {choice.line}"


def _changed_in(facts: _Facts) -> str:
    """Since when a file is another than the patch was made for."""
    older = facts["older"]
    return f'the file changed in {older[0]} "{older[1]}"' if older[0] else "the file changed since the last commit"


def _lines(first: int, last: int) -> str:
    return f"lines {first}-{last}" if last > first else f"line {first}"


def _other_start(facts: _Facts) -> str:
    """How the paths of a diff are read from another directory, where that gives the one file that may be meant."""
    file, near = str(facts.get("file")), facts.get("near_names")
    name = str(near[0]) if isinstance(near, list) and len(near) == 1 else ""
    if facts.get("edit_format") != "unified":
        return ""
    if name and name.endswith(f"/{file}"):
        return f"start where the diff was made: '-C {name[: -len(file) - 1]}'"
    return "remove N leading parts of all paths with '-p N'" if name and file.endswith(f"/{name}") else ""


_DERIVED: dict[str, Callable[[_Facts], str]] = {
    "found_short": lambda facts: quoted(str(facts.get("found", ""))),
    "found_bare": lambda facts: str(facts.get("found", "")).strip(),
    "expected_list": _expected,
    "how": _how,
    "read_right": lambda _facts: READ_RIGHT,
    "at_line": lambda facts: f" at line {facts['line']}" if "line" in facts else "",
    "choosing": _choosing,
    "changed_in": _changed_in,
    "near_lines": lambda facts: _lines(facts["near"].line + 1, facts["near"].line + facts["near"].size),
    "scope_lines": lambda facts: _lines(*facts["scope"]),
    "scattered_lines": lambda facts: " and ".join(_lines(*each) for each in facts["scattered"]),
    "other_start": _other_start,
    "unit": lambda facts: facts.unit,
    "paths": lambda _: "",
    "suggestion": lambda _: "",
    "fate": lambda _: "is outside the workspace",
}
