"""Next steps for a model that calls tools, for codes whose own texts name an option or a command.

Data only: a code, and its next step in terms of the arguments of the tool. What only a person may decide, such as
changing the insides of version control or another root, is not offered. What is in brackets is said only where the
tool declares the argument that it names; after a bar is what is said otherwise. `library` has the words for programs; a
code that is in neither has a text that fits every caller.
"""

from __future__ import annotations

ADVICE = {
    "P108": "send the change as a patch, with '*** Begin Patch', a line such as '*** Update File: PATH', and hunks",
    "P109": "send the text of the patch, not the name of a patch file",
    "P115": "split the patch",
    "P205": "remove the hunk[, or set 'forward' to true to skip applied hunks]; nothing was written",
    "P207": "send the lines as they are in the file (line {line}); nothing was written",
    "P213": "correct the patch[, or leave 'strict' out]; nothing was written",
    "P214": "[set 'encoding' to the encoding of the file, or leave it out|ask for its encoding]; nothing was written",
    "P215": "[set 'encoding' to the encoding of the file|ask a person to convert it to UTF-8]; nothing was written",
    "P216": "change the definition at line {other} instead; nothing was written",
    "P217": "leave out what is there already; nothing was written",
    "P218": "send the lines themselves; nothing was written",
    "P223": "leave the patch out[, or set 'forward' to true to skip what is applied]; nothing was written",
    "P301": "use a path inside the workspace; nothing was written",
    "P303": "change it with '*** Update File: {file}'[, or set 'overwrite' to true]; nothing was written",
    "P304": "choose another name, or delete '{file}' first[, or set 'overwrite' to true]; nothing was written",
    "P312": "ask the person to name the workspace of this server; nothing was written",
    "P317": "ask the person to run this as that user; nothing was written",
    "P318": "change it with its own tool; nothing was written",
    "P321": "change something first: only what these tools or apply_patch have changed can be undone",
    "P322": "leave the id out to undo what was changed last; nothing was written",
    "P615": "give offset and limit, for example offset 1 and limit 500, or search it with Grep",
    "P664": "split the patch",
    "P665": "split the patch",
}


def for_declared(words: str, declared: object) -> str:
    """The next step with what the arguments of a tool allow; `declared` are their names."""
    while "[" in words:
        before, _, rest = words.partition("[")
        offer, _, after = rest.partition("]")
        offer, _, otherwise = offer.partition("|")
        field = offer.split("'")[1]
        known = isinstance(declared, (tuple, list)) and field in declared
        words = f"{before}{offer if known else otherwise}{after}"
    return words
