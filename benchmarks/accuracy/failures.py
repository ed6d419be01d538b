"""Show failures in full: the patch, what should have come of it and what did.

Takes a case, its outcome and the applier; runs the case once more to see the tree it leaves.
"""

import difflib
import tempfile

from .outcomes import GOOD, read_tree, write_tree


def failed(cases, outcomes):
    """The (case, outcome) pairs that are not good."""
    return [
        (case, outcome)
        for case, outcome in zip(cases, outcomes)
        if outcome is not None and outcome.name not in GOOD[case.right]
    ]


def described(case, outcome, applier):
    before = {path: text.encode() for path, text in case.before.items()}
    with tempfile.TemporaryDirectory(prefix="accuracy-") as root:
        write_tree(root, before)
        applier.apply(case, root)
        got = read_tree(root)
    blocks = [
        f"=== {case.kind} ({case.right}): {outcome.name} {outcome.kind}\n    {case.name}",
        "--- patch\n" + case.patch.rstrip("\n"),
        "--- the file should change so" if case.expected else "--- nothing should change",
    ]
    if case.expected:
        blocks.append(_difference(before, {path: text.encode() for path, text in case.expected.items()}))
    blocks.append("--- it changed so")
    blocks.append(_difference(before, got) or "(not at all)")
    if outcome.note:
        blocks.append("--- and this was said\n" + outcome.note.rstrip("\n"))
    return "\n".join(blocks) + "\n"


def _difference(before, after):
    lines = []
    for path in sorted({*before, *after}):
        old, new = _shown(before.get(path, b"")), _shown(after.get(path, b""))
        lines += difflib.unified_diff(old, new, path, path, lineterm="")
    return "\n".join(lines)


def _shown(content):
    """Lines with what the eye can not see made visible: carriage returns, tabs, a missing last newline."""
    text = content.decode("utf-8", "replace")
    lines = text.replace("\r", "␍").replace("\t", "→\t").split("\n")
    return lines[:-1] if lines[-1] == "" else [*lines[:-1], lines[-1] + " (no newline)"]
