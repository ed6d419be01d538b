"""Judge what an applier did to a tree.

correct: it reported success and the tree is the expected one, to the byte. refused: it reported
failure and the tree is untouched. dirty: it reported failure, yet the tree changed. wrong: it
reported success and the tree is any other; a file left over counts.
"""

import os
from collections import Counter, namedtuple

Outcome = namedtuple("Outcome", "name kind note", defaults=("", ""))
OUTCOMES = ("correct", "refused", "dirty", "wrong")
GOOD = {"apply": ("correct",), "either": ("correct", "refused"), "refuse": ("refused",), "ambiguous": ("refused",)}


def try_case(applier, case, root):
    """Builds the case's tree in the empty directory `root`, lets the applier loose and judges."""
    before = {path: text.encode() for path, text in case.before.items()}
    write_tree(root, before)
    succeeded, note = applier.apply(case, root)
    return judge(case, succeeded, before, read_tree(root), note)


def judge(case, succeeded, before, after, note=""):
    if not succeeded:
        return Outcome("refused" if after == before else "dirty", "", note)
    expected = None if case.expected is None else {path: text.encode() for path, text in case.expected.items()}
    if after == expected:
        return Outcome("correct")
    return Outcome("wrong", kind_of_error(before, expected, after), note)


def kind_of_error(before, expected, after):
    """What sort of wrong: files, noop, eol, space, place (the right lines elsewhere) or content."""
    if after.keys() != before.keys():
        return "files"
    if after == before:
        return "noop"
    if expected is None:
        return "content"
    for name, view in (("eol", _without_endings), ("space", _without_spaces), ("place", _as_heap)):
        if all(view(after[path]) == view(expected[path]) for path in after):
            return name
    return "content"


def _without_endings(content):
    return content.replace(b"\r\n", b"\n").rstrip(b"\n")


def _without_spaces(content):
    return [line.strip() for line in _without_endings(content).split(b"\n")]


def _as_heap(content):
    return Counter(_without_spaces(content))


def write_tree(root, files):
    for path, content in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(content)


def read_tree(root):
    files = {}
    for folder, _, names in os.walk(root):
        for name in names:
            full = os.path.join(folder, name)
            with open(full, "rb") as file:
                files[os.path.relpath(full, root)] = file.read()
    return files
