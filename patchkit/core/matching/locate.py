"""Find where hunks belong.

Takes a Document and the hunks of one file, in order; gives one Match per hunk, or a Miss for each hunk
that has no place or more than one. A place is taken only when the evidence leaves exactly one:
text, anchors, order, the end-of-file mark, indentation. Reads no files and changes nothing: splicing
is done by `changes`.

Hunks that occur exactly once, in order, in the bytes of the file are placed here: the usual case, at full speed. More
work is needed to decide about marks, endings that vary, a hunk that is missing, a hunk that may have a second place.
No line is split and nothing is decoded. Two searches a hunk suffice, and all of them together read the file twice: one
finds the first place after the hunk above, one looks for a second place before the hunk below. An in-order placement is
unique exactly when no such second place exists (by induction from the last hunk: everything below is fixed, so a second
place could be taken). A hunk below an anchor is in its scope for certain if all lines between the two are indented
deeper than the anchor. A hunk is settled if what it would leave is not at its place already.
"""

from __future__ import annotations

from patchkit.core.language import Hunk
from patchkit.core.matching import (
    FEW,
    LONGEST,
    NAMES,
    SEVERAL,
    Match,
    Miss,
    may_share,
    says_it_by_text,
    where_added,
)
from patchkit.core.text import Document
from patchkit.errors import Note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.matching import Tolerance

_NEAR = 20_000  # bytes above a hunk in which its anchor is looked for


def locate(document: Document, hunks: list[Hunk], policy: Tolerance) -> list[Match | Miss]:
    """Returns for each hunk its Match, or a Miss; when any hunk has a Miss, nothing may be applied.

    The fast searches settle what leaves no question; `HunkPlacer` decides the rest and gives the same answers.
    """
    placed = place_exact(document, hunks)
    if placed is None and hunks[0].hint is not None:
        placed = place_numbered(document, hunks, policy)
    if placed is None:
        # Here, because most hunks are where they say, and tolerance takes a dozen modules.
        from patchkit.core.matching.placer import HunkPlacer
        from patchkit.core.matching.tolerant import place_tolerant

        placed = place_tolerant(document, hunks, policy)
        if placed is None:
            return _noted(document, hunks, policy, HunkPlacer(document, hunks, policy).place())
    return _noted(document, hunks, policy, [*placed])


def _noted(document: Document, hunks: list[Hunk], policy: Tolerance, answers: list[Match | Miss]) -> list[Match | Miss]:
    """The answers, with a note where the file has what a lone hunk makes: it may have been applied there before.

    Of several hunks the others show that, or that it was not so. Who asks for exact places wants no opinion.
    """
    hunk, match = hunks[0], answers[0]
    if len(hunks) > 1 or hunk.of_texts or hunk.hint is not None:
        return answers
    if isinstance(match, Miss) or policy.max_pass == NAMES[0]:
        return answers
    added = [line for line in match.lines if line[0] == "+" and line[1:].strip()]
    try:
        if not added or document.encode(added[0][1:]) not in document.data:
            return answers  # as most are
        new = [line[1:] for line in match.lines if line[0] != "-"]
        at = document.data.find(block(document, new)) if len(new) >= SEVERAL else -1
    except UnicodeError:
        return answers  # it cannot be written into this file
    if at >= 0 and at != match.offset and (not at or document.data.endswith(document.separator, 0, at)):
        facts = {"line": match.line + 1, "other": document.data.count(document.separator, 0, at) + 1}
        match.notes.append(Note("P937", evidence="made-elsewhere", hunk=1, patch_line=hunk.line, **facts))
    return answers


def place_exact(document: Document, hunks: list[Hunk]) -> list[Match] | None:
    """Returns the one exact placement of the hunks, None when it takes more to know."""
    if document.endings == "mixed":
        return None
    separator = b"\r\n" if document.endings == "crlf" else document.separator
    needles: list[bytes] = []  # the old lines of each hunk between two line ends
    shared: list[bool] = []  # whether each may begin on the lines of the one above it
    counts: list[int] = []
    above: list[str] = []
    may_be_there = is_marked = False
    for number, hunk in enumerate(hunks):
        if hunk.anchors or hunk.hint is not None:
            if len(hunk.anchors) > 1:
                return None
            is_marked = True
        if not says_it_by_text(hunk):
            if not _adds(hunk):
                return None
            may_be_there = True
        old = [line[1:] for line in hunk.lines if line[0] != "+"]
        shared.append(old[0] in above and may_share(above, old, (hunks[number - 1], hunk)))
        above = old
        if document.endings == "cr" and any("\r" in text for text in old):
            return None  # one line of the patch would look like two of the file
        try:
            text = document.encode("\n".join(["", *old, ""]))
        except UnicodeError:
            return None
        needles.append(text if separator == b"\n" else text.replace(b"\n", separator))
        counts.append(len(old))
    places = _in_order(document, needles, shared, len(separator))
    if places is None or not _alone(document, needles, shared, places, len(separator)):
        return None
    matches = _as_matches(document, hunks, places, counts)
    anchored = [(hunk.anchors[0], at) for hunk, at in zip(hunks, places) if hunk.anchors] if is_marked else []
    # For many anchors `placer` finds all scopes at once.
    if anchored and (len(anchored) > FEW or not all(_is_below(document, separator, *each) for each in anchored)):
        return None
    for hunk, match in zip(hunks, matches) if is_marked else ():
        if hunk.hint is not None and hunk.hint != match.line + 1:
            return None  # the number may be that of another place
    if may_be_there and any(is_there(document, document.data, each.lines, each.offset) for each in matches):
        return None
    return matches


def is_settled(document: Document, hunk: Hunk, position: int) -> bool:
    """Whether a hunk whose text is at this one position belongs there; False where it takes more to know."""
    if hunk.hint is not None or len(hunk.anchors) > 1 or document.endings == "mixed":
        return False
    separator = b"\r\n" if document.endings == "crlf" else document.separator
    if hunk.anchors and not _is_below(document, separator, hunk.anchors[0], position):
        return False
    return says_it_by_text(hunk) or (_adds(hunk) and not is_there(document, document.data, hunk.lines, position))


def _adds(hunk: Hunk) -> bool:
    """Whether a hunk without a mark adds lines beside old ones."""
    return not hunk.at_eof and not hunk.unsigned and {line[0] for line in hunk.lines} > {"+"}


def is_there(document: Document, data: bytes, lines: list[str], position: int) -> bool:
    """Whether what a hunk would leave is at its place already, around its old lines; see `where_added`.

    `data` are the bytes of the document, or of another with the same line endings.
    """
    added = next((text for line in lines if line[0] == "+" and (text := line[1:].rstrip())), "")
    # The file's lines may be longer by what is at their ends.
    reach = 2 * len("\n".join(lines).encode("utf-8", "surrogatepass")) + LONGEST
    above, below = data[max(0, position - reach) : position], data[position : position + reach]
    if not added or (added.isascii() and (some := added.encode()) not in above and some not in below):
        return False  # nearly always
    separator = document.separator.decode()
    parts = (part.decode("utf-8", "surrogateescape").split(separator) for part in (above, below))
    texts = [line for part in parts for line in part]
    at = above.count(document.separator)
    del texts[at]  # nothing is between the end of the line above and the place
    return where_added(texts, lines, at, sum(line[0] != "+" for line in lines)) is not None


def block(document: Document, lines: list[str]) -> bytes:
    """Lines as the document has them, each with its end."""
    separator = b"\r\n" if document.endings == "crlf" else document.separator
    text = document.encode("\n".join([*lines, ""]))
    return text if separator == b"\n" else text.replace(b"\n", separator)


def _in_order(document: Document, needles: list[bytes], shared: list[bool], size: int) -> list[int] | None:
    """The first place of each hunk behind the one above it; None where that is on the lines of that one.

    `size` is that of a line's end. The search starts at the end of the line above, which the needle brings; only the
    file's first line has none above it, and only a last line without an ending ends where the data ends.
    """
    places: list[int] = []
    data, start = document.data, 0  # `start` is where a line ends that a needle may begin with
    for needle, may_overlap in zip(needles, shared):
        if may_overlap and (not document.terminated or data.find(needle, places[-1], start + len(needle) - 1) >= 0):
            return None
        if not places and data.startswith(needle[size:]):
            found = -size
        else:
            found = data.find(needle, start)
            if found < 0:
                found = _at_the_open_end(document, needle, size)
                if found < start - (0 if places else size):
                    return None
        places.append(found + size)
        start = found + len(needle) - size
    return places


def _alone(document: Document, needles: list[bytes], shared: list[bool], places: list[int], size: int) -> bool:
    data = document.data
    stop = len(data)
    for needle, position, may_overlap in zip(reversed(needles), reversed(places), reversed(shared)):
        # From behind this line's beginning on: a second place begins on a later line.
        if data.find(needle, position, stop) >= 0:
            return False
        if stop == len(data) and _at_the_open_end(document, needle, size) + size > position:
            return False
        stop = position if not may_overlap else position + len(needle)
    return True


def _at_the_open_end(document: Document, needle: bytes, size: int) -> int:
    """Where `needle` begins if it ends with the data, in a file whose last line has no ending; far below 0 if not."""
    data = document.data
    if not document.terminated:
        if data.endswith(needle[:-size]):
            return len(data) - len(needle) + size
        if data == needle[size:-size]:
            return -size
    return -2 * size


def _is_below(document: Document, separator: bytes, anchor: str, position: int) -> bool:
    """Whether a hunk that begins at a position is in the scope of an anchor: the nearest line above that is the anchor
    opens nothing that ends before. False where that takes more to know.
    """
    data, bare = document.data, anchor.strip()
    if not bare or bare[0] == "[" or anchor[-1].isspace():
        return False  # a section ends at the next one, however that is indented
    try:
        name, whole = document.encode(bare), document.encode(anchor)
    except UnicodeError:
        return False
    at = data.rfind(name, max(0, position - _NEAR), position)
    if at < 0:
        return False
    start = data.rfind(separator, 0, at) + 1
    start += len(separator) - 1 if start else 0
    stop = data.find(separator, at)
    line = data[start:stop]
    if line != whole and (line.strip() != name or data.startswith(whole) or separator + whole in data):
        return False  # not the whole line, or another one is more like the anchor
    depth = len(line) - len(line.lstrip()) + 1
    first = data.find(separator, position)  # the first line of the hunk is in the scope too
    between = data[stop + len(separator) : first if first >= 0 else len(data)].split(separator)
    return not any(text[:depth].strip() for text in between)


def _as_matches(document: Document, hunks: list[Hunk], places: list[int], counts: list[int]) -> list[Match]:
    matches: list[Match] = []
    numbers = document, dict.fromkeys(places, -1)  # a plain run never asks for its lines
    for hunk, position, count in zip(hunks, places, counts):
        match = Match(None, position, hunk.lines, count)
        match.numbers = numbers
        matches.append(match)
    return matches


# -- place hunks that are where their line numbers say, word for word: what a program wrote for this very file
# Takes a Document and the hunks of one file; gives their Matches, or None where more work is needed to decide. Other
# places do not matter: among places that fit alike and in order, `placer` follows the numbers, too.


def place_numbered(document: Document, hunks: list[Hunk], policy: Tolerance) -> list[Match] | None:
    """Returns the hunks at the lines that their headers say; None if one is not there, or says more than its text."""
    if policy.first_wins or document.endings == "mixed":
        return None
    offsets = document.offsets
    matches: list[Match] = []
    end = 0
    for hunk in hunks:
        if hunk.hint is None or hunk.anchors or hunk.unsigned:
            return None
        old = hunk.old()
        line = hunk.hint - 1
        stop = line + len(old)
        if not old or line < end or stop >= len(offsets) or old == hunk.new():
            return None
        try:
            text = block(document, old)
        except UnicodeError:
            return None
        if hunk.at_eof:
            is_ended = hunk.final_newline is False and not hunk.was_unended  # its last old line
            if stop < len(offsets) - 1 or not hunk.is_at(line) or document.terminated != is_ended:
                return None
            text = text if document.terminated else text[: -len(block(document, [""]))]
        if document.data[offsets[line] : offsets[stop]] != text:
            return None
        match = Match(line, offsets[line], hunk.lines, len(old))
        match.evidence = ["line-number"]
        is_made = hunk.is_made_for(line, len(offsets) - 1 if hunk is hunks[-1] else 0)
        if not is_made and is_there(document, document.data, hunk.lines, match.offset):
            return None
        matches.append(match)
        end = stop
    return matches
