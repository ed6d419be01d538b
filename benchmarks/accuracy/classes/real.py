"""Slips seen in patches that models sent: signs and margins of single lines, pins, copies, lines in place of code."""

from ..edits import Hunk, Line, hunks_of, text_of
from ..nearness import is_lone
from ..placement import NO_INDENT, positions, well_posed
from ..writer import patch_text
from .draft import Draft, draft, replaced


def _indent(text):
    return text[: len(text) - len(text.lstrip(" \t"))]


def _inner(hunk, op):
    """Indexes of lines between two others of the same kind, with words in them and nothing that reads as a sign."""
    lines = hunk.lines
    return [
        i
        for i in range(1, len(lines) - 1)
        if {line.op for line in lines[i - 1 : i + 2]} == {op}
        and sum(map(str.isalnum, lines[i].text)) >= 4
        and lines[i].text[:1] not in ("+", "-", " ", "*", "@", "\\")
    ]


def _unsigned(edit, draw, op):
    hunks = hunks_of(edit) or []
    places = [(number, i) for number, hunk in enumerate(hunks) for i in _inner(hunk, op)]
    if not places or not well_posed(hunks, edit.before):
        return None
    number, i = draw.choice(places)
    text = hunks[number].lines[i].text
    if op == "+" and text in edit.before:
        return None
    bare = hunks[number].with_lines(replaced(hunks[number].lines, i, Line(op, text, text)))
    return draft(edit, replaced(hunks, number, bare), diff=False)


def lost_minus(edit, draw, others):
    return _unsigned(edit, draw, "-")


def lost_plus(edit, draw, others):
    return _unsigned(edit, draw, "+")


def removed_margin(edit, draw, others):
    """One removed line with another margin, the context as it is: nothing else moves."""
    hunks = hunks_of(edit) or []
    places = [
        (number, i)
        for number, hunk in enumerate(hunks)
        for i, line in enumerate(hunk.lines)
        if line.op == "-" and sum(map(str.isalnum, line.text)) >= 8
    ]
    if not places or not well_posed(hunks, edit.before, NO_INDENT):
        return None
    number, i = draw.choice(places)
    hunk = hunks[number]
    if not any(line.op == " " and _indent(line.text) for line in hunk.lines):
        return None
    text = hunk.lines[i].text
    other = hunk.with_lines(replaced(hunk.lines, i, Line("-", draw.choice(("  ", "    ")) + text)))
    return draft(edit, replaced(hunks, number, other))


def context_margins(edit, draw, others):
    """Context lines further in by the same or other margins, removed lines as they are."""
    hunks = hunks_of(edit) or []
    if not hunks or not well_posed(hunks, edit.before, NO_INDENT):
        return None
    if not all(any(line.op == "-" and _indent(line.text) for line in hunk.lines) for hunk in hunks):
        return None
    if any(line.op == " " and not any(map(str.isalnum, line.text)) for hunk in hunks for line in hunk.lines):
        return None
    moved = [hunk.mapped(lambda text: "  " + text if text.strip() else text, " ") for hunk in hunks]
    return draft(edit, moved) if moved != hunks else None


def tabs_in_added(edit, draw, others):
    """A file of tabs, the old lines with spaces, the added ones with their tabs: those keep them."""
    hunks = hunks_of(edit) or []
    texts = [line.text for hunk in hunks for line in hunk.lines if line.text.strip()]
    if not texts or any(set(_indent(text)) - {"\t"} for text in texts):
        return None
    if not any(line.op == "+" and line.text.startswith("\t") for hunk in hunks for line in hunk.lines):
        return None
    noisy = [hunk.mapped(lambda text: _indent(text).replace("\t", "    ") + text.lstrip("\t"), " -") for hunk in hunks]
    if noisy == hunks or not well_posed(noisy, edit.before, NO_INDENT):
        return None
    return draft(edit, noisy)


def pinned(edit, draw, others):
    """A hunk of context only, unique, above a change whose own lines are at several places: the nearest is meant."""
    hunks = hunks_of(edit, 0)
    if not hunks or len(hunks) != 1:
        return None
    hunk, lines = hunks[0], edit.before
    places = positions(hunk, lines)
    if len(places) < 2:
        return None
    above = max([place for place in places if place < hunk.start], default=-1)
    pins = [
        at
        for at in range(max(above + 1, hunk.start - 40), hunk.start)
        if lines.count(lines[at]) == 1 and sum(map(str.isalnum, lines[at])) >= 8
    ]
    if not pins or above >= hunk.start - len(hunk.old):
        return None
    at = draw.choice(pins)
    pin = Hunk((Line(" ", lines[at]),), at)
    return draft(edit, [pin, hunk], diff=False)


def brace_beside_added(edit, draw, others):
    """A context line that the file does not have, between added lines: the result would lack it."""
    hunks = hunks_of(edit) or []
    places = [(number, i) for number, hunk in enumerate(hunks) for i in _inner(hunk, "+")]
    if not places or not well_posed(hunks, edit.before):
        return None
    number, i = draw.choice(places)
    hunk = hunks[number]
    lines = [*hunk.lines[: i + 1], Line(" ", "    }  // end of " + str(i)), *hunk.lines[i + 1 :]]
    return draft(edit, replaced(hunks, number, hunk.with_lines(lines)))._replace(expected=None)


def weak_context(edit, draw, others):
    """Two lines of context, one of which says something else: too little to know the place."""
    for change in edit.changes:
        at = change.start
        if change.stop - at != 1 or not 0 < at < len(edit.before) - 1 or not change.new:
            continue
        above = edit.before[at - 1]
        if len(above.strip()) > 3 or sum(map(str.isalnum, edit.before[at])) > 8:
            continue
        lines = [Line(" ", above), Line("-", edit.before[at]), *[Line("+", text) for text in change.new]]
        hunk = Hunk((*lines, Line(" ", "zz")), at - 1)
        if "zz" not in edit.before:
            return draft(edit, [hunk])._replace(expected=None)
    return None


def second_definition(edit, draw, others):
    """An added definition that the file got meanwhile, a little different; the hunk shows the lines above it."""
    for change in edit.changes:
        new = list(change.new)
        while new and not new[0].strip():
            new.pop(0)
        if change.start != change.stop or len(new) < 4 or not new[0].lstrip().startswith(_DEFINES):
            continue
        start = max(0, change.start - 3)
        above = [Line(" ", text) for text in edit.before[start : change.start]]
        hunk = Hunk((*above, *[Line("+", text) for text in new]), start)
        upper = "".join(new[:-2])
        if upper.count("(") != upper.count(")"):
            continue  # the line that is changed below belongs to the head: other parameters are another definition
        body = [*new[:-2], new[-2] + "  # changed", *new[-1:]]
        before = (*edit.before[: change.start], *body, *edit.before[change.start :])
        if above and positions(hunk, before) == [start]:
            return draft(edit, [hunk], before=before)._replace(expected=None)
    return None


_DEFINES = ("def ", "class ", "function ", "fn ", "pub fn ", "async def ", "export function ")


def left_out(edit, draw, others):
    """A comment in place of lines that the change keeps."""
    hunks = hunks_of(edit) or []
    if not hunks or not well_posed(hunks, edit.before):
        return None
    number = draw.randrange(len(hunks))
    hunk = hunks[number]
    places = [i for i, line in enumerate(hunk.lines) if line.op == "+"]
    if not places:
        return None
    mark = "//" if edit.language in ("c", "rust", "javascript") else "#"
    comment = mark + draw.choice(
        (" ... existing code ...", " … rest of the file unchanged …", " ... same as before ...")
    )
    lines = [*hunk.lines[: places[-1] + 1], Line("+", comment), *hunk.lines[places[-1] + 1 :]]
    return draft(edit, replaced(hunks, number, hunk.with_lines(lines)))._replace(expected=None)


def past_the_end(edit, draw, others):
    """A blank line behind the last one, as an editor shows it, kept by a hunk that changes the end of the file."""
    hunks = hunks_of(edit) or []
    if not hunks or not well_posed(hunks, edit.before) or not edit.before[-1].strip():
        return None
    last = hunks[-1]
    if last.stop != len(edit.before) or last.lines[-1].op != " ":
        return None
    longer = last.with_lines([*last.lines, Line(" ", "")])
    return draft(edit, [*hunks[:-1], longer], diff=False)


def new_file(share):
    """A new file of which only some lines have their plus: `share` of them, the first ones."""

    def make(edit, draw, others):
        lines = list(edit.after)[:40]
        if len(lines) < 4 or any(line.startswith(("+", "***")) for line in lines) or not lines[0].strip():
            return None
        if lines[0][0] == " " or not lines[-1].strip():
            return None
        signed = int(len(lines) * share)
        shown = [("+" if number < signed else "") + line for number, line in enumerate(lines)]
        if not signed and len([line for line in shown if line.strip()]) < 2:
            return None
        body = "\n".join(shown)
        patch = f"*** Begin Patch\n*** Add File: new-{edit.path.rsplit('/', 1)[-1]}\n{body}\n*** End Patch\n"
        name = f"new-{edit.path.rsplit('/', 1)[-1]}"
        before = {edit.path: text_of(edit.before)}
        return Draft(before, patch, {**before, name: text_of(lines)}, None)

    return make


def idle_hunk(edit, draw, others):
    """A hunk that removes the line it adds, at many places, beside the change."""
    hunks = hunks_of(edit) or []
    if not hunks or not well_posed(hunks, edit.before):
        return None
    start = hunks[-1].stop
    rest = [text for text in edit.before[start:] if text.strip() and edit.before.count(text) > 1]
    if not rest:
        return None
    text = draw.choice(rest)
    idle = Hunk((Line("-", text), Line("+", text)), start)
    return Draft(
        {edit.path: text_of(edit.before)},
        patch_text([(edit.path, [*hunks, idle])]),
        {edit.path: text_of(edit.after)},
        None,
    )


def lone_context(edit, draw, others):
    """One of many context lines says something else beside added lines, and a brace is on their other side."""
    hunks = hunks_of(edit) or []
    for number, hunk in enumerate(hunks):
        for i in range(1, len(hunk.lines) - 1):
            line, below = hunk.lines[i], hunk.lines[i + 1]
            if line.op == " " and below.op == "+" and sum(map(str.isalnum, line.text)) >= 8:
                other = hunk.with_lines(replaced(hunk.lines, i, Line(" ", _indent(line.text) + "something_else_here")))
                if is_lone(other, edit.before) and well_posed(hunks, edit.before) and len(other.old) > 4:
                    return draft(edit, replaced(hunks, number, other))
    return None


def unplused_context(edit, draw, others):
    """A hunk of context only with a line that the file lacks: it lost its plus."""
    hunks = hunks_of(edit) or []
    if not hunks or not well_posed(hunks, edit.before):
        return None
    at = draw.randrange(max(1, len(edit.before) - 2))
    if any(at <= hunk.start + len(hunk.old) and hunk.start <= at + 2 for hunk in hunks):
        return None
    lines = (Line(" ", edit.before[at]), Line(" ", "added_by_nobody_else = 1"), Line(" ", edit.before[at + 1]))
    made = sorted([*hunks, Hunk(lines, at)], key=lambda hunk: hunk.start)
    return draft(edit, made, diff=False)._replace(expected=None)


def empty_hunk(edit, draw, others):
    """An `@@` without lines above the `@@` of each hunk."""
    made = draft(edit, hunks_of(edit) or [], diff=False)
    if not well_posed(hunks_of(edit) or [], edit.before) or "\n@@" not in made.patch:
        return None
    return made._replace(patch=made.patch.replace("\n@@", "\n@@\n@@", 1))


def number_a_little_off(edit, draw, others):
    """A change that fits several places, under a line number that is off by less than half the way to another one."""
    hunks = hunks_of(edit, 0)
    if not hunks or len(hunks) != 1:
        return None
    hunk, places = hunks[0], positions(hunks[0], edit.before)
    gap = min([abs(place - hunk.start) for place in places if place != hunk.start], default=0)
    if gap < 4 or not hunk.old:
        return None
    number = hunk.start + 1 + draw.choice((-1, 1)) * draw.randint(1, (gap - 1) // 3)
    if number < 2:
        return None  # a wrong 1 is written where nothing was counted
    made = draft(edit, hunks, diff=False)
    header = f"@@ -{number},{len(hunk.old)} +{number},{len(hunk.lines) - len(hunk.old)} @@\n"
    return made._replace(patch=made.patch.replace("@@\n", header, 1))


def ragged_context(edit, draw, others):
    """One context line with another margin, its neighbours and all that is changed exact."""
    hunks = hunks_of(edit) or []
    places = [
        (number, i)
        for number, hunk in enumerate(hunks)
        for i, line in enumerate(hunk.lines)
        if line.op == " " and sum(map(str.isalnum, line.text)) >= 4 and {"+", "-"}.isdisjoint(_beside(hunk, i))
    ]
    if not places or not well_posed(hunks, edit.before, NO_INDENT):
        return None
    number, i = draw.choice(places)
    ragged = replaced(hunks[number].lines, i, Line(" ", "  " + hunks[number].lines[i].text))
    return draft(edit, replaced(hunks, number, hunks[number].with_lines(ragged)))


def _beside(hunk, i):
    return {line.op for line in hunk.lines[max(0, i - 1) : i + 2]}


def open_block(edit, draw, others):
    """A change that ends in the block which it opens, and one right below the line that closes it."""
    lines = edit.before
    for change in edit.changes:
        at = change.start
        if change.stop - at != 1 or len(change.new) != 1 or not lines[at].rstrip().endswith("{"):
            continue
        margin = _indent(lines[at])
        closing = next((n for n in range(at + 1, len(lines)) if lines[n].rstrip() == margin + "}"), None)
        if closing is None or closing - at < 3 or closing + 1 >= len(lines) or lines[at + 1].strip() == "":
            continue
        first = Hunk((Line("-", lines[at]), Line("+", change.new[0]), Line(" ", lines[at + 1])), at)
        second = Hunk((Line(" ", lines[closing]), Line("+", margin + "// end")), closing)
        if len(positions(first, lines)) != 1 or len(positions(second, lines)) < 2 or len(edit.changes) != 1:
            continue
        after = [*lines[:at], change.new[0], *lines[at + 1 : closing + 1], margin + "// end", *lines[closing + 1 :]]
        return draft(edit, [first, second], after=after, diff=False)
    return None
