"""Give added lines the indentation of the place they land in.

Takes the hunk's lines and the file's lines they matched when leading whitespace was ignored; gives the
hunk's lines with the added ones re-indented the way the matched ones show: a common margin lost or
gained, another width, tabs for spaces. Where the matched lines agree with the patch nothing moves, and an added
line that already is indented as the matched lines are keeps its margin. Where the matched lines contradict each other
there is no answer.
"""

from __future__ import annotations

from bisect import bisect_left

from patchkit.core.matching import FEW, SEVERAL
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Guess = Callable[[str, list[str], str], list[str]]

WIDTHS = (4, 8, 2, 3)  # that files indent by, the likely ones first
_SAMPLE = 5000  # lines that show how a file indents


class Pair(Value):
    """One matched line: its row in the hunk, its margin there, its margin in the file."""

    __slots__ = ("row", "mine", "theirs")
    row: int
    mine: str
    theirs: str

    def __init__(self, row: int, mine: str, theirs: str) -> None:
        self.row = row
        self.mine = mine
        self.theirs = theirs


def margin_of(text: str) -> str:
    """The whitespace a line begins with, hard spaces included."""
    return text[: len(text) - len(text.lstrip())]


def unit_of(texts: list[str]) -> int:
    """How many spaces a file indents by: the step that its lines take most often; 0 when they take none."""
    steps: dict[int, int] = {}
    above = 0
    for text in texts[:_SAMPLE]:
        bare = text.lstrip()
        if bare:
            width = len(text) - len(bare)
            step = width - above
            if 1 < step <= max(WIDTHS) and "\t" not in text[:width]:
                steps[step] = steps.get(step, 0) + 1
            above = width
    return max(steps, key=lambda step: (steps[step], -step), default=0)


def follow(
    lines: list[str], matched: list[str], unit: Callable[[], int] = int, unsigned: bool = False
) -> list[str] | None:
    """Returns `lines` with added lines indented as `matched`, the file's lines for the old ones, shows.

    `unit` gives how many spaces the file indents by, 0 when that is not known; `unsigned` says that some kept lines
    certainly came without their sign. None when the matched lines do not show how, or show different things.
    """
    rows = [row for row, line in enumerate(lines) if line[0] != "+"]
    pairs = [
        Pair(row, margin_of(lines[row][1:]), margin_of(text))
        for row, text in zip(rows, matched)
        if lines[row][1:].strip() and text.strip()
    ]
    added = [margin_of(line[1:]) for line in lines if line[0] == "+" and line[1:].strip()]
    moved = _moved(pairs, None) if pairs else None
    if moved is None or None in map(moved, added) or any(moved(pair.mine) != pair.theirs for pair in pairs):
        pairs = [Pair(pair.row, _despaced(pair.mine, pair.theirs), pair.theirs) for pair in pairs]
    if _signs_were_spaced(lines, rows, matched):
        return [line[0] + line[2:] if line[:2] == "+ " else line for line in lines]
    if all(pair.mine == pair.theirs for pair in pairs) or _signs_were_lost(lines, pairs, unsigned):
        return lines
    if is_flat([line[1:] for line in lines]) and (len({pair.theirs for pair in pairs}) > 1 or _opens_or_ends(lines)):
        return unflattened(lines, dict(zip(rows, matched)), unit())
    slips = {(lines[pair.row][0], pair.mine) for pair in pairs} == {("-", pairs[0].mine)} and pairs[0].mine not in added
    if slips and added[:1] == [pairs[0].theirs]:  # what takes the place of these has the margin of the file
        return lines
    rule = _rule(lines, pairs, unit())
    if rule is None and (_is_in_place(lines, pairs) or _kinds_are_mixed(lines, pairs)):
        return None if _repeats_a_slip(lines, pairs) else lines
    if _changes_kind_alone(lines, pairs):
        return lines
    around = _as_around(lines, pairs) if rule is None else {}
    elsewhere = {mine: _as_elsewhere(mine, pairs) for mine in {*added}} if rule is None else {}
    out = []
    for row, line in enumerate(lines):
        if line[0] == "+" and line[1:].strip():
            mine = margin_of(line[1:])
            theirs = rule(mine) if rule is not None else around.get(row) or elsewhere[mine]
            if theirs is None:
                return None
            out.append("+" + theirs + line[1 + len(mine) :])
        else:
            out.append(line)
    return out


def is_flat(texts: list[str]) -> bool:
    """Whether several lines have no margin at all, as those have that lost all indentation on their way."""
    worded = [text for text in texts if text.strip()]
    return len(worded) > 1 and not any(map(margin_of, worded))


def _opens_or_ends(lines: list[str]) -> bool:
    """Whether an added line is next to one that is surely at another depth: a block opens or ends between them."""
    worded = [line for line in lines if line[1:].strip() and line[0] != "-"]
    return any(
        "+" in above[0] + below[0] and (above.rstrip()[-1] in "{([:" or shape(below[1:])[1])
        for above, below in zip(worded, worded[1:])
    )


def unflattened(lines: list[str], matched: dict[int, str], unit: int, guess: Guess | None = None) -> list[str] | None:
    """The lines of a hunk that lost every margin, added ones with the margin that the file's lines leave no doubt of.

    `matched` has the file's line for each old row. None where one line is left in doubt, unless a `guess` is given: the
    margins of added lines by the line above them and the step of the file.
    """
    margins = {margin_of(text) for text in matched.values() if text.strip()}
    tabs = any("\t" in margin for margin in margins)
    if tabs and any(" " in margin for margin in margins):
        return None
    step = "\t" if tabs else " " * unit
    out = list(lines)
    row = 0
    while row < len(lines):
        stop = row
        while stop < len(lines) and lines[stop][0] != " ":
            stop += 1
        added = [each for each in range(row, stop) if lines[each][0] == "+" and lines[each][1:].strip()]
        if added:
            removed = [matched[each] for each in range(row, stop) if lines[each][0] == "-" and matched[each].strip()]
            above = next((matched[each] for each in range(row - 1, -1, -1) if matched.get(each, "").strip()), None)
            below = next((matched[each] for each in range(stop, len(lines)) if matched.get(each, "").strip()), None)
            texts = [lines[each][1:].rstrip() for each in added]
            # What replaces as many lines is as deep as these, where each begins and ends a block as its own one does.
            alike = [*map(shape, texts)] == [*map(shape, removed)]
            found = [[margin_of(line) for line in removed]] if alike else []
            if not alike and above is not None and below is not None and step:
                # The line below shows no depth where the one that opens its block is removed and none is added.
                opening = [line for line in removed if shape(line)[0] and margin_of(line) < margin_of(below)]
                if not opening or any(shape(text)[0] for text in texts):
                    found = ways((margin_of(above), above.strip()), texts, (margin_of(below), below.strip()), step)
            if guess is not None and above is not None and not found:
                found = [guess(above, texts, step)]
            if not found or (len(found) > 1 and guess is None):
                return None
            for each, margin in zip(added, found[0]):
                out[each] = "+" + margin + lines[each][1:]
        row = stop + 1
    return out


def _is_in_place(lines: list[str], pairs: list[Pair]) -> bool:
    """Whether the kept lines have the file's margins, or the removed ones, one that is indented among them.

    Then nothing was moved: other margins are slips in their own lines. So is that of one kept line among several,
    unless an added line has it, and no other matched line one of its two margins: then it may be another width.
    """
    for sign in " -":
        pairs_of = [pair for pair in pairs if lines[pair.row][0] == sign]
        if any(pair.mine for pair in pairs_of) and all(pair.mine == pair.theirs for pair in pairs_of):
            return True
    first, *more = [pair for pair in pairs if pair.mine != pair.theirs]
    near = lines[max(0, first.row - 1) : first.row + 2]
    if more or len(pairs) <= SEVERAL or any(line[0] != " " for line in near):
        return False
    added = {margin_of(line[1:]) for line in lines if line[0] == "+"}
    others = {pair.mine for pair in pairs if pair is not first}
    return first.mine not in added or not others.isdisjoint((first.mine, first.theirs))


def _repeats_a_slip(lines: list[str], pairs: list[Pair]) -> bool:
    """Whether an added line has the margin of a removed line right above it, and the file has another for that line.

    The lines around say that nothing was moved, the line that it replaces says otherwise.
    """
    theirs = {pair.row: pair.theirs for pair in pairs}
    slips: set[str] = set()  # margins of removed lines that the file does not have for them
    right: set[str] = set()  # and those that it has
    for row, line in enumerate(lines):
        mine = margin_of(line[1:])
        if line[0] == " ":
            slips, right = set(), set()
        elif line[0] == "-" and row in theirs:
            (right if _same_depth(mine, theirs[row]) else slips).add(mine)
        elif line[0] == "+" and line[1:].strip() and mine in slips - right:
            return True
    return False


def _kinds_are_mixed(lines: list[str], pairs: list[Pair]) -> bool:
    """Whether the matched lines are as deep as in the patch, some with tabs for spaces, and the file has both here.

    Then an added line is as deep as it says, and has a kind that its neighbours have.
    """
    there = {pair.theirs[:1] for pair in pairs}
    added = {line[1] for line in lines if line[0] == "+" and line[1:2] in ("\t", " ") and line[1:].strip()}
    return added <= there and all(_same_depth(pair.mine, pair.theirs) for pair in pairs)


def _changes_kind_alone(lines: list[str], pairs: list[Pair]) -> bool:
    """Whether a hunk adds the very lines it removes, or with tabs for their spaces, where the file has the other kind.

    All that such a hunk can mean is the kind of indentation that it writes.
    """
    removed = [line[1:] for line in lines if line[0] == "-"]
    added = [line[1:] for line in lines if line[0] == "+"]
    if len(removed) != len(added) or _tabs_for_spaces(pairs) is None:
        return False
    return all(
        one == other or (one.strip() == other.strip() and ("\t" in margin_of(one)) != ("\t" in margin_of(other)))
        for one, other in zip(removed, added)
    )


def ranks(lines: list[str], matched: list[str], known: dict[object, int]) -> int:
    """How well the indentation of a place agrees: 0 the same, 1 by one rule throughout, 2 by none.

    `known` are answers for these lines: many places of a long hunk have the same margins.
    """
    both = dict.fromkeys(zip(lines, matched))
    margins = tuple(dict.fromkeys([(margin_of(a), margin_of(b)) for a, b in both if a.strip() and b.strip()]))
    if margins not in known:
        is_same = all(mine == theirs for mine, theirs in margins)
        rule = None if is_same else _rule([" " + line for line in lines], [Pair(0, *each) for each in margins])
        known[margins] = 0 if is_same else 2 if rule is None else 1
    return known[margins]


def is_askew(lines: list[str], matched: list[str]) -> bool:
    """Whether no one rule explains the margins of a place and a line without a word is at another depth there.

    A brace is recognised by its depth and nothing else: at another depth, among lines that stay, it is another brace.
    One column to the left is not another depth: it is a sign that was lost. Nor is none, where no line has any.
    """
    both = dict.fromkeys(zip(lines, matched))
    wordless = [each for each in both if each[0].strip() and not any(map(str.isalnum, each[0]))]
    wordless = [each for each in wordless if _despaced(*map(margin_of, each)) != margin_of(each[1])]
    is_moved = any(
        not _same_depth(margin_of(mine), margin_of(theirs)) and margin_of(theirs) != " " + margin_of(mine)
        for mine, theirs in wordless
    )
    return is_moved and not is_flat(lines) and ranks(lines, matched, {}) == 2


def _despaced(mine: str, theirs: str) -> str:
    """A margin of tabs without the space that came between it and the sign, in addition or for a tab.

    Further spaces between its tabs and behind them show no more than that one does.
    """
    if not mine.startswith(" \t") or theirs.strip("\t"):
        return mine
    return theirs if mine.replace(" ", "") in (theirs, theirs[1:]) else mine


def _same_depth(mine: str, theirs: str) -> bool:
    """Whether two margins are the same, or so many levels of tabs and of spaces."""
    if mine == theirs:
        return True
    tabs, spaces = (mine, theirs) if mine.startswith("\t") else (theirs, mine)
    if not tabs or not spaces or tabs.strip("\t") or spaces.strip(" "):
        return False
    return len(spaces) in [len(tabs) * width for width in WIDTHS]


def _signs_were_spaced(lines: list[str], rows: list[int], matched: list[str]) -> bool:
    """Whether the removed lines, and no kept ones, have a space behind their signs, and the added ones may have it."""
    there = [(lines[row], margin_of(text)) for row, text in zip(rows, matched) if text.strip()]
    added = {margin_of(line[1:]) for line in lines if line[0] == "+" and line[1:].strip()}
    if any(line[0] == "-" for line, _ in there) and added.isdisjoint([margin for _, margin in there]):
        spaced = all(margin_of(line[1:]) == " " * (line[0] == "-") + margin for line, margin in there)
        return spaced and all(margin[:1] == " " for margin in added)
    return False


def _signs_were_lost(lines: list[str], pairs: list[Pair], unsigned: bool) -> bool:
    """Whether kept lines came without their leading space, so that they alone lie one column too far left.

    A line that begins with a tab or with text shows the loss and was read right (`unsigned`).
    """
    short = 0
    for pair in pairs:
        kept = lines[pair.row][0] == " "
        if kept and pair.theirs == " " + pair.mine:
            short += 1
        elif pair.mine != pair.theirs or (kept and pair.mine.startswith(" ")):
            return False
    return short > 0 and (unsigned or not _added_like_the_patch(lines, pairs))


def _added_like_the_patch(lines: list[str], pairs: list[Pair]) -> bool:
    """Whether added lines have margins that kept lines have in the patch alone, and none of the file's alone.

    A plus was not lost, so beside kept lines that lost their sign added ones have the margins of the file. A removed
    line with the margin it has in the file proves the loss: a patch that was moved would have moved it, too.
    """
    if any(pair.mine == pair.theirs != "" for pair in pairs if lines[pair.row][0] == "-"):
        return False
    mine, theirs = {pair.mine for pair in pairs}, {pair.theirs for pair in pairs}
    added = {margin_of(line[1:]) for line in lines if line[0] == "+" and line[1:].strip()}
    return not added.isdisjoint(mine - theirs) and added.isdisjoint(theirs - mine)


# -- rules ---------------------------------------------------------------------------------------


def _rule(lines: list[str], pairs: list[Pair], unit: int = 0) -> Callable[[str], str | None] | None:
    """What turns a margin of the patch into one of the file, if one rule explains every matched line."""
    # Lines that have no margin on both sides keep none, such as what was broken off the end of a line.
    kept = {(pair.mine, pair.theirs): pair for pair in pairs}  # a margin seen again shows nothing new
    clear = len(kept) > SEVERAL and "" not in [mine for mine, theirs in kept if theirs]
    flat = kept.pop(("", ""), None) if clear else None
    rules = (rule for rule in _rules(lines, [*kept.values()], unit) if rule is not None)
    found = next((rule for rule in rules if all(rule(each.mine) == each.theirs for each in kept.values())), None)
    return found if flat is None or found is None else lambda margin: margin and found(margin)


def _rules(lines: list[str], pairs: list[Pair], unit: int) -> Iterator[Callable[[str], str | None] | None]:
    """What may have happened to the margins, the likeliest first."""
    yield _tabs_for_spaces(pairs)
    texts = [line[1:] for line in lines]
    margins = [len(text) - len(bare) for text, bare in zip(texts, map(str.lstrip, texts)) if bare]
    from math import gcd  # a library that most runs do without

    step = gcd(*margins)
    least = unit if _opens_by(texts, unit) else min(WIDTHS)
    widths = [width for width in dict.fromkeys((step, *sorted(WIDTHS))) if width >= max(least, 1)]
    if least <= step < unit:
        # A patch that steps otherwise than the file was written to another width, whatever else it may look like.
        yield _other_width(pairs, widths[0], unit)
    yield _moved(pairs, min(margins))
    odd = [width for width in widths if any(len(pair.mine) % width for pair in pairs)]
    for width in widths:
        if width not in odd:
            yield _other_width(pairs, width, unit)
    yield _moved(pairs, None)
    for width in odd:  # a margin that is not so many levels shows rather that all of them were moved
        yield _other_width(pairs, width, unit)
    yield _scaled(pairs)


def _opens_by(texts: list[str], unit: int) -> bool:
    """Whether a block of these lines is so many spaces deeper than the line that opens it."""
    worded = [text for text in texts if text.strip()]
    return any(
        above.rstrip()[-1] in "{:" and margin_of(below) == margin_of(above) + " " * unit
        for above, below in zip(worded, worded[1:])
    )


def _moved(pairs: list[Pair], lowest: int | None) -> Callable[[str], str | None] | None:
    """Every margin changed by the same whitespace at its left: a block dedented, or pasted further in.

    A block that lost its common margin has a line at column 0, so with `lowest` given only such a block
    counts: otherwise another width explains a single level just as well, and is the likelier slip.
    """
    first = pairs[0]
    common = 0
    while common < min(len(first.mine), len(first.theirs)) and first.mine[-1 - common] == first.theirs[-1 - common]:
        common += 1
    off, on = first.mine[: len(first.mine) - common], first.theirs[: len(first.theirs) - common]
    if lowest is not None and (lowest or off):
        return None
    if not all(pair.mine.startswith(off) for pair in pairs):
        return None  # what is not there cannot have been taken away
    return lambda margin: on + margin[len(off) :] if margin.startswith(off) else None


def _tabs_for_spaces(pairs: list[Pair]) -> Callable[[str], str | None] | None:
    """Tabs on one side, spaces on the other: so many spaces are one tab. Lines that do not differ agree.

    Spaces that are not so many tabs are behind them where matched lines have such; else they show another level.
    """
    differing = [pair for pair in pairs if pair.mine != pair.theirs]
    for tabbed, spaced, to_tabs in (("theirs", "mine", True), ("mine", "theirs", False)):
        sample = [(getattr(pair, tabbed), getattr(pair, spaced)) for pair in differing]
        if any("\t" in spaces for _, spaces in sample) or not any("\t" in tabs for tabs, _ in sample):
            continue
        widths = {len(spaces) // tabs.count("\t") for tabs, spaces in sample if "\t" in tabs}
        width = min(widths, default=0)
        if not width:
            continue
        if to_tabs:
            odd = any(" " in tabs for tabs, _ in sample)
            return lambda margin: _with_tabs(margin, width) if odd or not margin.count(" ") % width else None
        return lambda margin: " " * (width * margin.count("\t")) + margin.replace("\t", "")
    return None


def _with_tabs(margin: str, width: int) -> str:
    """A margin with tabs for its spaces; tabs that it has already are levels of their own."""
    tabs, spaces = margin.count("\t"), margin.count(" ")
    return "\t" * (tabs + spaces // width) + " " * (spaces % width)


def _other_width(pairs: list[Pair], unit: int, known: int) -> Callable[[str], str | None] | None:
    """Spaces on both sides, a level of `unit` in the patch being wider or narrower in the file.

    Less than a level is not a level of this width: it has no answer.

    Where the file's own width is `known`, no other will do: 8 to 12 is a block moved by 4 in a file that indents by 4,
    and not a width of 2 that became 3.
    """
    level = next((pair for pair in pairs if pair.mine and len(pair.mine) % unit == 0), None)
    if level is None or any("\t" in pair.mine + pair.theirs for pair in pairs):
        return None
    there = unit * len(level.theirs) // len(level.mine)
    if there not in ((known,) if known > 1 else WIDTHS) or any(0 < len(pair.mine) < unit for pair in pairs):
        return None  # not a width that is in use, or another one
    return lambda margin: None if 0 < len(margin) < unit else " " * (len(margin) // unit * there + len(margin) % unit)


def _scaled(pairs: list[Pair]) -> Callable[[str], str | None] | None:
    """Spaces on both sides, and all margins in one ratio, which two that differ prove; one alone proves none.

    A margin that the ratio does not divide has no answer.
    """
    margins = {(len(pair.mine), len(pair.theirs)) for pair in pairs if pair.mine or pair.theirs}
    if len(margins) < 2 or any((pair.mine + pair.theirs).strip(" ") for pair in pairs):
        return None
    mine, theirs = min(margins)
    if not mine or not theirs:
        return None  # a depth that is lost shows no ratio
    return lambda margin: None if len(margin) * theirs % mine else " " * (len(margin) * theirs // mine)


def _as_around(lines: list[str], pairs: list[Pair]) -> dict[int, str]:
    """The margins of added lines, by row, that what they replace has on both sides, or around which nothing moved."""
    found: dict[int, str] = {}
    rows, first = [pair.row for pair in pairs], 0
    for row, line in enumerate([*lines, " "]):
        if line[0] != " ":
            continue
        at, end = bisect_left(rows, first), bisect_left(rows, row)
        replaced = pairs[at:end]
        around = pairs[at - 1 : end + 1] if at > 0 and end < len(pairs) else []
        stays = any(pair.mine for pair in around) and all(pair.mine == pair.theirs for pair in around)
        moved = {pair.mine for pair in replaced if pair.mine != pair.theirs}
        kept = {pair.mine for pair in replaced} - moved
        margins = [(number, margin_of(lines[number][1:])) for number in range(first, row)]
        found.update((number, mine) for number, mine in margins if stays or mine in kept)
        first = row + 1
    return found


def _as_elsewhere(mine: str, pairs: list[Pair]) -> str | None:
    """The file's margin of the matched lines that have the same margin in the patch, if all matched lines agree.

    They do not where a margin would change into one that the file has for lines with another margin in the patch:
    two depths would become one.
    """
    theirs = {pair.theirs for pair in pairs if pair.mine == mine}
    if len(theirs) != 1:
        return None
    margin = theirs.pop()
    one_depth = margin == mine or all(pair.mine == mine for pair in pairs if pair.theirs == margin)
    return margin if one_depth else None


# -- how deep added lines are that lost their indentation -------------------------------------------
# By the line above and the one below them, with the margins that the file has for these: a block that is opened is one
# level deeper, what closes it is one level up, and in languages without braces a line can end any number of blocks. One
# way to indent the added lines is an answer, two are a doubt.

_OPEN, _CLOSE = "([{", ")]}"
_ENDS = ("return", "raise", "break", "continue")  # of a block: nothing at its depth follows
_BRANCHES = ("else", "elif", "except", "finally", "catch")
_CONTROLS = ("if", "for", "while", "else")
_LABELS = ("case", "default", "public", "private", "protected", "when")
_JOINS = (".", "&&", "||", "?", ":", "|", "and ", "or ", "+ ")  # that go on with the line above
_OPERATORS = ("=", "+", "-", "*", "|", "&", "?", "\\", " and", " or", " not", "<", "->")

Ways = list[list[str]]


class Line:
    """What a line says about the depth of others; `text` has no margin."""

    __slots__ = ("text", "word", "opens", "closes", "is_control", "is_lawless", "goes_on", "joins")

    def __init__(self, text: str, braces: bool) -> None:
        self.text = text
        code, net, is_whole = _scanned(text)
        self.word = code.replace("(", " ").replace(":", " ").split(" ")[0] if code else ""
        branch = code.lstrip(_CLOSE + " ").split(" ")[0].split("(")[0].rstrip(":{")
        self.closes = code[:1] in tuple(_CLOSE) or branch in _BRANCHES or self.word == "end"
        ends = code[-1:]
        self.is_control = braces and branch in _CONTROLS and (ends == ")" or code == "else")
        self.opens = ends in tuple(_OPEN) or code.endswith("=>") or self.is_control or (ends == ":" and not braces)
        self.joins = next((each for each in _JOINS if code.startswith(each)), "")
        self.goes_on = ends == "," or text[:1] == "@"
        # What is deeper or not by the taste of its author: labels, items, brackets and operators that go on below.
        self.is_lawless = (
            not is_whole
            or (net > 0 and not self.opens)
            or net < -1
            or (net < 0 and not self.closes)
            or code.endswith(_OPERATORS)
            or text[:2] in ("- ", "* ", "+ ")
            or self.word in _LABELS
            or (braces and ends == ":")
        )


def ways(above: tuple[str, str], added: list[str], below: tuple[str, str], step: str) -> Ways:
    """The margins of added lines between two lines of the file, which are given with their margins: up to two ways.

    `step` is what the file indents a level by. None where a line is among them whose depth follows no rule.
    """
    texts = [above[1], *added, below[1]]
    braces = any(text.endswith(("{", ";")) or text.startswith("}") for text in texts)
    lines = [Line(text, braces) for text in texts]
    if (
        len(added) > FEW
        or any(line.is_lawless for line in lines[:-1])
        or _is_comment(above[1])
        or _is_comment(below[1])
    ):
        return []
    if lines[0].opens and below[0].startswith(above[0]) and not any(line.opens for line in lines[1:-1]):
        step = below[0][len(above[0]) :] or step
    found: dict[str, Ways] = {above[0]: [[]]}  # by the margin of the last line: the margins up to it
    for at in range(1, len(lines)):
        longer: dict[str, Ways] = {}
        for margin, paths in found.items():
            for deep in _margins(lines, at, margin, step, braces):
                more = [[*path, deep] for path in paths]
                longer[deep] = [*longer.get(deep, []), *more][:2]
        found = longer
    return [path[:-1] for path in found.get(below[0], [])]


def _margins(lines: list[Line], at: int, margin: str, step: str, braces: bool) -> list[str]:
    """The margins that a line can have below one with this margin."""
    above, line = lines[at - 1], lines[at]
    if line.joins or above.joins:
        return [margin] if line.joins == above.joins else []
    if above.opens:
        if line.closes and line.text[:1] in tuple(_CLOSE):
            return [margin]
        return [margin] if above.is_control and line.text == "{" else [margin + step]
    if braces or above.goes_on:
        if at > 1 and lines[at - 2].is_control:
            margin = margin.removesuffix(step)  # the one line that belongs to it
        return [margin.removesuffix(step)] if line.closes and margin else [margin]
    outer = [margin[: len(margin) - len(step) * times] for times in range(len(margin) // len(step) + 1)]
    return outer[1:] if line.closes or above.word in _ENDS else outer


def shape(text: str) -> tuple[bool, bool, bool]:
    """Whether a line opens a block or goes on, whether it closes one or is another branch of it, and is an item."""
    line = Line(text.strip(), False)
    return line.opens or line.goes_on or text.endswith("\\"), line.closes, text.strip()[:2] in ("- ", "* ")


def _is_comment(text: str) -> bool:
    return text.startswith(("#", "//", "/*", "*", "--"))


def _scanned(text: str) -> tuple[str, int, bool]:
    """A line without the comment at its end, how many more brackets it opens than it closes, and whether all that is
    quoted ends in it.
    """
    quote, net, at = "", 0, 0
    while at < len(text):
        char = text[at]
        if quote:
            at += char == "\\"
            quote = "" if char == quote else quote
        elif char in "\"'`":
            quote = char
        elif char in _OPEN:
            net += 1
        elif char in _CLOSE:
            net -= 1
        elif text.startswith(("//", "# ", "#!"), at) and (not at or text[at - 1] == " "):
            return text[:at].rstrip(), net, True
        at += 1
    return text.rstrip(), net, not quote
