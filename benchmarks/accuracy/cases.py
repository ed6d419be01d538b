"""Choose edits and make cases of them, the same ones for the same seed.

Takes mined edits; gives Cases, as many of each class and half as asked for or as there are. Languages
and packages take turns, so that a large one does not speak for all.
"""

import random

from .classes import CLASSES
from .edits import Case

HALVES = ("dev", "held-out")
SPOKEN = ("python", "c", "rust", "javascript", "html", "markdown")  # the rest take one turn together


def make_cases(edits, seed=1, per_class=140, halves=HALVES, classes=None):
    """Cases of every class, half of `per_class` from each half of the files."""
    cases = []
    for half in halves:
        mine = [edit for edit in edits if edit.half == half]
        by_language = {}
        for edit in mine:
            by_language.setdefault(edit.language, []).append(edit)
        for kind in CLASSES:
            if classes is None or kind.name in classes:
                turn = _in_turns(mine, f"{seed}/{kind.name}/{half}")
                cases += _fill(kind, turn, by_language, seed, -(-per_class // len(HALVES)))
    return cases


def _fill(kind, edits, by_language, seed, wanted):
    cases = []
    for edit in edits:
        if len(cases) == wanted:
            break
        draw = random.Random(f"{seed}/{kind.name}/{edit.name}")
        made = kind.make(edit, draw, by_language[edit.language])
        if made is not None:
            cases.append(
                Case(
                    kind.name,
                    kind.right,
                    edit.name,
                    edit.half,
                    edit.language,
                    made.before,
                    made.patch,
                    made.expected,
                    made.diff,
                )
            )
    return cases


def _in_turns(edits, seed):
    """Every edit once: languages take turns, and within a language its packages do."""
    draw = random.Random(seed)
    piles = {}
    for edit in draw.sample(edits, len(edits)):
        language = edit.language if edit.language in SPOKEN else "other"
        piles.setdefault(language, {}).setdefault(edit.package, []).append(edit)
    return _dealt([_dealt(_shuffled(packages, draw)) for packages in _shuffled(piles, draw)])


def _shuffled(piles, draw):
    return [piles[key] for key in draw.sample(sorted(piles), len(piles))]


def _dealt(piles):
    """One of each pile in turn, until all are used up."""
    longest = max(map(len, piles), default=0)
    return [pile[i] for i in range(longest) for pile in piles if i < len(pile)]
