"""The next step of an error: the one that follows from its facts, else the catalogue's.

Takes a code and the facts of an error, among them the places that matching found; gives one imperative sentence.
"""

from __future__ import annotations

from patchkit.catalogue.sentences import UNWRITTEN, advice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.matching.placer import Choice
    from patchkit.repair.near_miss import NearMiss

Facts = dict[str, object]

# What to do about a file that cannot be read, where that is not a matter of rights.
_UNREADABLE = {
    "no such file or directory": "check the name of the file",
    "is a directory": "name a file in the directory",
}


def near_of(facts: Facts) -> NearMiss | None:
    """The place that comes closest to what was looked for, where there is one."""
    return facts.get("near")  # type: ignore[return-value]  # facts are untyped; only matching sets this one


def choices_of(facts: Facts) -> list[Choice]:
    """The places of something ambiguous, each with what would choose it."""
    found = facts.get("choices")
    return found if isinstance(found, list) else []


def elsewhere_of(facts: Facts) -> tuple[str, int] | None:
    """Another file and the line where the lines of the hunk are."""
    found = facts.get("elsewhere")
    return found if isinstance(found, tuple) else None


def next_step(code: str, facts: Facts, for_library: bool = False) -> str:
    """What to do about an error.

    A command that never writes sets the fact `read_only`; the words that nothing was written are left out then. A
    program that calls the library reads of arguments and functions, not of command-line options.
    """
    step = _step(code, facts, for_library)
    return step.replace(UNWRITTEN, "") if facts.get("read_only") else step


def _step(code: str, facts: Facts, for_library: bool) -> str:
    for choice in choices_of(facts):
        if choice.add and "edit_format" not in facts:
            return f"{_choosing(choice, facts)} to choose line {choice.line}{UNWRITTEN}"
    older = facts.get("older")
    if isinstance(older, tuple) and not for_library:
        changed = (
            f'the file changed in {older[0]} "{older[1]}"' if older[0] else "the file changed since the last commit"
        )
        return f"use '--base auto', which would apply this; {changed}{UNWRITTEN}"
    if facts.get("searched") and not for_library:
        or_else = "name what it was made for with '--base REV' or '--base DIR'"
        return f"send a patch for the file as it is now, or {or_else}: {facts['searched']}{UNWRITTEN}"
    if code == "P302" and facts.get("since"):
        return f"send a patch for the files as they are now: it was {facts['since']}{UNWRITTEN}"
    if code == "P302" and facts.get("edit_format") == "unified" and not for_library and _other_start(facts):
        return f"check the path{facts.get('suggestion')}, or {_other_start(facts)}{UNWRITTEN}"
    if code == "P667" and facts.get("of_base"):
        where = "choose a root inside a git repository that 'git' can read"
        return f"{where}, or give the base as a directory: '--base DIR'{UNWRITTEN}"
    if code == "P667" and facts.get("of_directory"):
        return "run it inside a git repository that 'git' can read"
    if facts.get("quoted"):
        return "remove the quote marks ('> ') in front of the lines, or send the text that is quoted"
    if code == "P406" and facts.get("before"):
        return "run it again with the patches that are left; nothing of them was written"
    if code == "P401" and facts.get("of_client"):
        return f"correct the file, or add the entry by hand: 'patchkit install CLIENT --dry-run' shows it{UNWRITTEN}"
    if code == "P401" and facts.get("reason") in _UNREADABLE:
        return _UNREADABLE[str(facts["reason"])] + UNWRITTEN
    place = elsewhere_of(facts)
    if place is not None:
        return f"send the hunk in a section for '{place[0]}', which has its lines (line {place[1]}){UNWRITTEN}"
    if facts.get("unread") and for_library:
        return f"pass encoding=NAME with the encoding of {facts.get('file')}: it is not UTF-8{UNWRITTEN}"
    if facts.get("unread") and facts.get("by_call"):
        return advice("P215", facts)
    if facts.get("unread"):
        return f"give the encoding of {facts.get('file')} with '--encoding NAME': it is not UTF-8{UNWRITTEN}"
    if code == "P205" and facts.get("whole") and not facts.get("by_call"):
        again = "pass allow_duplicate=True" if for_library else "use '--allow-duplicate'"
        return f"remove the hunk, or {again} to have it a second time{UNWRITTEN}"
    if facts.get("made_at"):
        return f"send nothing if line {facts['made_at']} of {facts.get('file')} is the result of this edit{UNWRITTEN}"
    if facts.get("correction"):
        return f"send the edit again with these lines{UNWRITTEN}"
    if facts.get("elided"):
        found = str(facts["elided"])
        return (
            f"send the lines of {facts.get('file')} that '{found}' is in place of, or an edit for each side{UNWRITTEN}"
        )
    near = near_of(facts)
    if near is not None:
        first, last = near.line + 1, near.line + near.total
        what = "edit" if code.startswith("P62") else "hunk"
        return f"read {facts.get('file')} {_lines(first, last)} and send the {what} again{UNWRITTEN}"
    scope = facts.get("scope")
    if isinstance(scope, tuple):
        return f"read {facts.get('file')} {_lines(*scope)} and send the hunk with lines of the file{UNWRITTEN}"
    return advice(code, facts, for_library)


def _other_start(facts: Facts) -> str:
    """How the paths of a diff are read from another directory, where that gives the one file that may be meant."""
    file, near = str(facts.get("file")), facts.get("near_names")
    name = str(near[0]) if isinstance(near, list) and len(near) == 1 else ""
    if name and name.endswith(f"/{file}"):
        return f"start where the diff was made: '-C {name[: -len(file) - 1]}'"
    return "remove N leading parts of all paths with '-p N'" if name and file.endswith(f"/{name}") else ""


def _lines(first: int, last: int) -> str:
    return f"lines {first}-{last}" if last > first else f"line {first}"


def _choosing(choice: Choice, facts: Facts) -> str:
    """The instruction to use the lines that select one place."""
    several = len(choice.add) > 1
    if choice.where != "anchors":
        return f"add the context line{'s' if several else ''} {choice.by}"
    if several:
        return f"use the anchors {choice.by}, one below the other,"
    if facts.get("anchored"):
        return f"use the anchor {choice.by} instead"
    return f"add an anchor, for example {choice.by},"
