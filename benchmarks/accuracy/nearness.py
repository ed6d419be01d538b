"""Count how nearly a hunk fits elsewhere: the well-posedness of altered and shortened hunks.

Takes the old lines of a hunk as the patch shows them and a file; gives the alignments with few
misses: side by side, with one line of the file unlisted inside the hunk, or with one line of the
hunk absent from the file. Exact joint placement is placement's work.
"""

from collections import namedtuple

from .placement import exact, loose

# `gap` is the hunk line before which the file has an unlisted one, `skip` the hunk line it lacks.
Alignment = namedtuple("Alignment", "start misses gap skip", defaults=(None, None))


def alignments(old, lines, most, key=exact, gaps=False, skips=False):
    """Every alignment of `old` with at most `most` misses."""
    hits = _hits(old, lines, key)
    size, count = len(old), len(lines)
    for start in _worth_trying(hits, size, count, most):
        here = hits.get(start, ())
        if 0 <= start <= count - size and size - len(here) <= most:
            yield Alignment(start, size - len(here))
        if gaps and 0 <= start <= count - size - 1:
            yield from _broken(start, here, hits.get(start + 1, ()), size, most, "gap")
        if skips and 0 <= start <= count - size + 1:
            yield from _broken(start, here, hits.get(start - 1, ()), size, most, "skip")


def _broken(start, head, tail, size, most, name):
    if len(head) + len(tail) < size - 1 - most:
        return
    for at in range(1, size if name == "gap" else size - 1):
        found = sum(i < at for i in head)
        found += sum(i >= at for i in tail) if name == "gap" else sum(i > at for i in tail)
        misses = size - (name == "skip") - found
        if misses <= most:
            yield Alignment(start, misses, **{name: at})


def _hits(old, lines, key):
    """start -> the hunk lines that agree with the file when the hunk starts there."""
    where = {}
    for at, line in enumerate(lines):
        where.setdefault(key(line), []).append(at)
    hits = {}
    for offset, text in enumerate(old):
        for at in where.get(key(text), ()):
            hits.setdefault(at - offset, []).append(offset)
    return hits


def _worth_trying(hits, size, count, most):
    if size <= most:
        return range(-1, count + 1)
    near = {start + step for start in hits for step in (-1, 0, 1)}
    return sorted(near)


def signature(hunk, alignment):
    """Where the hunk's changes land: the same for alignments that give the same file."""
    places, offset = [], 0

    def file_index(i):
        moved = alignment.gap is not None and i >= alignment.gap
        return alignment.start + i + moved - (alignment.skip is not None and i > alignment.skip)

    for line in hunk.lines:
        if line.op == "-":
            places.append(("-", file_index(offset)))
        elif line.op == "+":
            places.append(("+", file_index(offset - 1) + 1 if offset else file_index(0)))
        offset += line.op in " -"
    return tuple(places)


def is_lone(hunk, lines, least=3):
    """Every window of the file but the true one differs from the hunk in at least `least` lines."""
    if len(hunk.old) < least:
        return False
    return all(found.start == hunk.start for found in alignments(hunk.old, lines, least - 1))


def is_lone_with_gap(hunk, lines, gap):
    """No other place fits the hunk, one unlisted line inside or none, with fewer than 2 misses."""
    truth = signature(hunk, Alignment(hunk.start, 0, gap))
    found = alignments(hunk.old, lines, 1, gaps=True)
    return len(hunk.old) > 2 and all(signature(hunk, alignment) == truth for alignment in found)


def fewest_misses(old, lines):
    """How far the file's most similar window is from the hunk, all forgivable noise forgiven."""
    most = max(1, (len(old) + 1) // 2)
    found = alignments(old, lines, most, loose, gaps=True, skips=True)
    return min((alignment.misses for alignment in found), default=most + 1)


def best_window(old, lines):
    """(start, equal lines) of the most similar side-by-side window, exactly compared."""
    hits = _hits(old, lines, exact)
    inside = [(len(found), -start) for start, found in hits.items() if 0 <= start <= len(lines) - len(old)]
    equal, start = max(inside, default=(0, 0))
    return -start, equal
