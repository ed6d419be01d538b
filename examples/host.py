"""A host program that lets a model change files: apply its patch, and answer with what became of it.

    python examples/host.py ROOT < patch

Prints what to send back to the model: the files that changed, or every error with its next step.
"""

from __future__ import annotations

import sys

import patchkit


def answer(patch: str | bytes, root: str) -> str:
    """Applies the patch under `root`; returns the words for the model."""
    try:
        done = patchkit.apply(patch, root, suggest=True)
    except patchkit.PatchkitError as error:
        words = error.render()  # every error of every file, with the place in the patch and the next step
        if error.suggestion is not None:
            words += f"\nThe patch was not applied. Send this one instead, if it is what you meant:\n{error.suggestion}"
        return words
    lines = [f"{file.operation} {file.path} (+{file.added} -{file.removed or 0})" for file in done.files]
    lines += [f"note: {note.message}" for note in done.notes]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/host.py ROOT < patch")
    print(answer(sys.stdin.buffer.read(), sys.argv[1]), end="")
