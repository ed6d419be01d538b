"""Words for a program that calls the library, where the catalogue's own name an option or a command.

Data only: a code, and what its sentence or its next step says instead. A test scans the catalogue for entries that name
an option and have no words here.
"""

from __future__ import annotations

SENTENCES = {
    "P213": "strict=True does not accept this: {what}",
}
ADVICE = {
    "P109": "pass the text of the patch, not the name of a file that holds it",
    "P115": "split it, or raise the limit",
    "P205": "leave the hunk out, or pass forward=True to skip what is there already; nothing was written",
    "P213": "write it so that nothing has to be accepted, or pass strict=False; nothing was written",
    "P214": "pass the file's own encoding as encoding=NAME, or leave the argument out; nothing was written",
    "P215": "pass encoding=NAME with the encoding of the file; nothing was written",
    "P301": "use a path inside the workspace, or pass a root that contains it; nothing was written",
    "P303": "change it with '*** Update File: {file}', or pass overwrite=True; nothing was written",
    "P304": "choose another name, delete '{file}' in an earlier section, or pass overwrite=True; nothing was written",
    "P312": "pass an existing directory as the root",
    "P317": "run as that user, or pass allow_owner_change=True; nothing was written",
    "P318": "leave it to its own tool, or pass allow_vcs=True; nothing was written",
    "P321": "apply with history=True first: only runs that were recorded can be taken back",
    "P322": "pass the id of a run that was recorded for this root, or none for the latest",
    "P325": "choose another run; nothing was written",
    "P403": "pass the patch as text or bytes",
    "P404": "remove the cause, call begin() on the workspace again and compare these files with your version control",
    "P608": "look up one of these: {like}",
    "P615": "give offset and limit, for example offset 1 and limit 500, or search the file",
    "P664": "split the patch, or allow more files",
    "P665": "split the patch, or allow more lines",
    "P667": "pass the directory of the repository, and check that 'git' can read it",
    "P668": "choose another file",
}
