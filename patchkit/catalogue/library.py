"""Texts for a program that calls the library, for codes whose own texts name an option or a command.

Data only: a code, and its sentence or its next step for a program. A test scans the catalogue for entries that name an
option and have no text here.
"""

from __future__ import annotations

SENTENCES = {
    "P213": "not accepted with strict=True: {what}",
}
ADVICE = {
    "P108": "pass from_format='{format}'",
    "P109": "pass the text of the patch, not the name of a patch file",
    "P115": "split the patch, or raise the limit",
    "P120": "pass a patch, a unified diff, blocks, JSON edits or whole files, or name the format with from_format",
    "P121": "say which is meant: pass from_format='v4a', from_format='unified' or another format",
    "P123": "choose '{file}' with strip=1, or '{written}' with strip=0",
    "P205": "remove the hunk, or pass forward=True to skip applied hunks; nothing was written",
    "P207": "send the lines as they are in the file (line {line}), or pass another max_pass; nothing was written",
    "P216": "change the definition at line {other}, or pass allow_duplicate=True; nothing was written",
    "P217": "leave out what is there already, or pass allow_duplicate=True; nothing was written",
    "P218": "send the lines themselves; if it is meant so, pass allow_placeholder=True; nothing was written",
    "P213": "correct the patch, or pass strict=False; nothing was written",
    "P214": "pass the encoding of the file as encoding=NAME, or remove the argument; nothing was written",
    "P215": "pass encoding=NAME with the encoding of the file; nothing was written",
    "P220": "send a patch made from the file as it is now, or pass conflicts='markers'; nothing was written",
    "P222": "send a patch made from the file as it is now; nothing was written",
    "P226": "correct the patch, or pass syntax='note'; nothing was written",
    "P223": "leave the patch out, or pass forward=True to skip what is applied; nothing was written",
    "P301": "use a path inside the workspace, or pass a root that contains it; nothing was written",
    "P303": "change it with '*** Update File: {file}', or pass overwrite=True; nothing was written",
    "P304": "choose another name, delete '{file}' in an earlier section, or pass overwrite=True; nothing was written",
    "P312": "pass an existing directory as the root",
    "P317": "run as that user, or pass allow_owner_change=True; nothing was written",
    "P318": "change it with its own tool, or pass allow_vcs=True; nothing was written",
    "P321": "apply with history=True first: only recorded runs can be undone",
    "P322": "pass the id of a recorded run of this root, or no id for the latest run",
    "P325": "choose another run; nothing was written",
    "P403": "pass the patch as text or bytes",
    "P404": "fix the cause, call begin() on the workspace again and compare these files with your version control",
    "P608": "look up one of these: {like}",
    "P615": "give offset and limit, for example offset 1 and limit 500, or search the file",
    "P637": "choose another port",
    "P658": "ask the person who uses the program to trust the rules in a terminal of their own; nothing was done",
    "P664": "split the patch, or raise the limit of files",
    "P665": "split the patch, or raise the limit of lines",
    "P670": "use a newer kernel; for a command the sandbox 'auto' takes what there is, for a file tool unset "
    "PATCHKIT_SANDBOX; nothing was run",
    "P673": "fix the cause, or run it without a sandbox; nothing was run",
    "P674": "use a newer kernel, or choose the sandbox 'auto'; nothing was run",
    "P667": "pass the directory of the repository, and make sure that 'git' can read it",
    "P668": "choose another file",
    "P680": "pass the lines of the file, take those read in the session, or raise max_starts",
    "P682": "read the file or a part of it with the same session, or pass lines for it",
    "P694": "look at its patch, or give it more time",
    "P697": "resume the run, or choose another output",
    "P698": "fix the cause and resume the run; what is done is kept",
    "P699": "fix the cause and resume the run; what is done is kept",
}
