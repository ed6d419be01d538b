"""Decide whether a patch says where it belongs: the benchmark's definition of well-posed.

A position is admissible for a hunk if the hunk's context and removed lines equal the file there,
and its `@@` header, if any, is the nearest enclosing definition or heading of the position, and its
`*** End of File`, if any, is met. A patch is well-posed if exactly one in-order choice of
admissible, non-overlapping positions exists for all its hunks together. What counts as equal is
given as a Likeness, loosened to what the noise of the class hides. Near misses are nearness's work.
"""

from bisect import bisect_left
from collections import namedtuple

# One character for one character; everything else stays itself.
PLAIN = str.maketrans(
    {
        **dict.fromkeys([*range(0x2010, 0x2016), 0x2212], "-"),
        **dict.fromkeys(range(0x2018, 0x201C), "'"),
        **dict.fromkeys(range(0x201C, 0x2020), '"'),
        **dict.fromkeys([0xA0, *range(0x2002, 0x200B), 0x202F, 0x205F, 0x3000], " "),
    }
)


def exact(text):
    return text


def plain(text):
    """The text with typographic quotes, dashes and spaces in ASCII."""
    return text.translate(PLAIN)


def loose(text):
    """Everything an applier may forgive in a whole line: spaces at both ends and typography."""
    return plain(text).strip()


# The key under which context lines, and removed lines, are compared with the file's.
Likeness = namedtuple("Likeness", "context removed")
EXACT = Likeness(exact, exact)
NO_TRAILING = Likeness(str.rstrip, str.rstrip)
NO_INDENT = Likeness(str.lstrip, str.lstrip)
LOOK_ALIKE = Likeness(plain, plain)
LOOSE = Likeness(loose, loose)


def positions(hunk, lines, likeness=EXACT):
    """Every start at which the hunk's old lines fit, headers and end of file aside."""
    indexes = {key: _index(lines, key) for key in set(likeness)}
    where = []
    for offset, line in enumerate(line for line in hunk.lines if line.op in " -"):
        key = likeness.context if line.op == " " else likeness.removed
        where.append((indexes[key].get(key(line.text), ()), offset))
    where.sort(key=lambda found: len(found[0]))
    starts = {at - where[0][1] for at in where[0][0]}
    for found, offset in where[1:]:
        if not starts:
            break
        starts &= {at - offset for at in found}
    return sorted(start for start in starts if start >= 0)


def admissible(hunk, lines, likeness=EXACT, scopes=None):
    """The starts that satisfy the hunk's header and end-of-file mark too."""
    starts = positions(hunk, lines, likeness)
    if hunk.at_eof:
        starts = [start for start in starts if start + len(hunk.old) == len(lines)]
    if hunk.anchors:
        starts = [start for start in starts if _under(hunk, start, lines, scopes)]
    return starts


def _under(hunk, start, lines, scopes):
    *outer, inner = [anchor.strip() for anchor in hunk.anchors]
    for chain in scopes.chains(hunk, start):
        names = [lines[at].strip() for at in chain]
        if names and names[0] == inner and all(name in names[1:] for name in outer):
            return True
    return False


def ways(choices, lengths):
    """How many in-order, non-overlapping choices of one position per hunk exist (2 means 2 or more)."""
    starts, counts = None, None
    for choice, length in zip(reversed(choices), reversed(lengths)):
        if starts is None:
            here = [1] * len(choice)
        else:
            # tails[i] is the number of ways to place the later hunks from the i-th start on.
            tails = [0]
            for count in reversed(counts):
                tails.append(min(2, tails[-1] + count))
            tails.reverse()
            here = [tails[bisect_left(starts, start + length)] for start in choice]
        starts, counts = choice, here
    return min(2, sum(counts))


def well_posed(hunks, lines, likeness=EXACT, scopes=None):
    """Exactly one joint placement exists; it is then the true one, which is always admissible."""
    choices = [admissible(hunk, lines, likeness, scopes) for hunk in hunks]
    if any(hunk.start not in choice for hunk, choice in zip(hunks, choices)):
        return False
    return ways(choices, [len(hunk.old) for hunk in hunks]) == 1


def placements(choices, lengths, after=0):
    """All in-order, non-overlapping joint placements, lazily, as tuples of starts."""
    if not choices:
        yield ()
        return
    for start in choices[0]:
        if start >= after:
            for rest in placements(choices[1:], lengths[1:], start + lengths[0]):
                yield (start, *rest)


def _index(lines, key):
    index = _CACHE.get((id(lines), key))
    if index is None or index[0] is not lines:
        table = {}
        for at, line in enumerate(lines):
            table.setdefault(key(line), []).append(at)
        if len(_CACHE) > 64:
            _CACHE.clear()
        index = _CACHE[id(lines), key] = (lines, table)
    return index[1]


# Files are indexed again and again by the hunks of one edit; a handful is remembered. Entries hold
# the lines themselves, so an id can not be taken over by another tuple while it is in use.
_CACHE = {}
