"""Spaces: at the ends of lines, and indentation lost, halved, doubled or spelled otherwise."""

from ..edits import Line, hunks_of
from ..placement import NO_INDENT, NO_TRAILING, well_posed
from .draft import SHARES, context_of, draft, has, old_of, replaced


def trailing_ws_patch(edit, draw, others):
    hunks = hunks_of(edit) or []
    share, noisy = draw.choice(SHARES), []
    for hunk in hunks:
        chosen = [i for i, _ in old_of(hunk) if draw.random() < share]
        swapped = {i: Line(hunk.lines[i].op, _other_end(hunk.lines[i].text, draw)) for i in chosen}
        noisy.append(hunk.with_lines(replaced(hunk.lines, swapped, None)))
    if noisy != hunks and well_posed(noisy, edit.before, NO_TRAILING):
        return draft(edit, noisy)
    return None


def trailing_ws_file(edit, draw, others):
    hunks = hunks_of(edit) or []
    places = [at for hunk in hunks for i, at in context_of(hunk) if hunk.lines[i].text.rstrip() == hunk.lines[i].text]
    share = draw.choice(SHARES)
    chosen = {at: edit.before[at] + draw.choice(_BLANKS) for at in places if draw.random() < share}
    before = tuple(replaced(edit.before, chosen, None))
    if chosen and well_posed(hunks, before, NO_TRAILING):
        from_file = _with_before(edit, before)
        return draft(from_file, hunks)
    return None


_BLANKS = (" ", "  ", "    ", "\t")


def _other_end(text, draw):
    return text.rstrip() if text != text.rstrip() else text + draw.choice(_BLANKS)


def _with_before(edit, before):
    return type(edit)(edit.package, edit.releases, edit.path, before, edit.changes)


def dedent(edit, draw, others):
    hunks = hunks_of(edit) or []
    return _reindented(edit, hunks, [_dedented(hunk) for hunk in hunks])


def flattened(edit, draw, others):
    """One hunk of code whose old lines are at two depths or more, and an added line that is indented."""
    hunks = hunks_of(edit) or []
    if len(hunks) != 1 or edit.language not in _CODE:
        return None
    depths = {_indent(line.text) for line in hunks[0].lines if line.op in " -" and line.text.strip()}
    if sum(line.op == "+" for line in hunks[0].lines) > 6 or not _is_laid_out(hunks[0], edit.before):
        return None
    noisy = [hunks[0].mapped(lambda text: text.lstrip(" \t"))]
    if len(depths) > 1 and has(hunks, "+", _indent) and well_posed(noisy, edit.before, NO_INDENT):
        return draft(edit, noisy)
    return None


def _is_laid_out(hunk, before):
    """The added lines are laid out as the file is: by its own step, with its kind of margin, and not for that alone."""
    new = [line for line in hunk.lines if line.op in " +" and line.text.strip()]
    signs = {op: sorted("".join(line.text.split()) for line in hunk.lines if line.op == op) for op in "-+"}
    moved = {line.text.strip(): line.text for line in hunk.lines if line.op == "-" and line.text.strip()}
    if len(signs["-"]) == len(signs["+"]) and has([hunk], "+", lambda text: moved.get(text.strip(), text) != text):
        return False
    tabs = {"\t" in _indent(text) for text in before if _indent(text)}
    steps = {len(_indent(b.text)) - len(_indent(a.text)) for a, b in zip(new, new[1:]) if "+" in a.op + b.op}
    step = 1 if True in tabs else _unit(before)
    return signs["-"] != signs["+"] and len(tabs) == 1 and step and all(each <= 0 or each == step for each in steps)


_CODE = ("python", "c", "rust", "javascript")


def _dedented(hunk):
    indents = [_indent(line.text) for line in hunk.lines if line.text.strip()]
    lost = 0
    while indents and all(len(indent) > lost and indent[lost] == indents[0][lost] for indent in indents):
        lost += 1
    return hunk.mapped(lambda text: text[lost:] if text.strip() else text)


def indent_width(edit, draw, others):
    unit = _unit(edit.before)
    hunks = hunks_of(edit) or []
    steps = [_indent(line.text) for hunk in hunks for line in hunk.lines if line.text.strip()]
    if not unit or any(set(step) - {" "} or len(step) % unit for step in steps):
        return None
    ratio = 0.5 if unit == 4 else 2
    noisy = [hunk.mapped(lambda text: _respaced(text, ratio)) for hunk in hunks]
    return _reindented(edit, hunks, noisy)


def tabs_to_spaces(edit, draw, others):
    hunks = hunks_of(edit) or []
    if any(set(_indent(line.text)) - {"\t"} for hunk in hunks for line in hunk.lines if line.text.strip()):
        return None
    width = draw.choice((4, 4, 8, 2))
    noisy = [hunk.mapped(lambda text: _untabbed(text, width)) for hunk in hunks]
    return _reindented(edit, hunks, noisy)


def _respaced(text, ratio):
    indent = _indent(text)
    return " " * int(len(indent) * ratio) + text[len(indent) :] if text.strip() else text


def _untabbed(text, width):
    indent = _indent(text)
    return " " * (len(indent) * width) + text[len(indent) :] if text.strip() else text


def _reindented(edit, hunks, noisy):
    """Only where an added line must be moved back, and the lines of the file show by how much."""
    moved = any(
        a.op == "+" and a.text != b.text for hunk, other in zip(hunks, noisy) for a, b in zip(hunk.lines, other.lines)
    )
    if not moved or has(hunks, "+", lambda text: text != "" and not text.strip()):
        return None
    unit = _unit(edit.before)
    if not all(is_determined(hunk, other, unit) for hunk, other in zip(hunks, noisy)):
        return None
    if well_posed(noisy, edit.before, NO_INDENT):
        return draft(edit, noisy)
    return None


def is_determined(hunk, noisy, unit):
    """Every reading of the indentation that the matched lines allow gives the true added lines.

    Readings: all of it lost a fixed prefix; its width was halved or doubled; tabs became spaces. A
    reading that puts an added line between two steps of the file's own indentation does not count.
    """
    shown, added = {}, set()
    for true, other in zip(hunk.lines, noisy.lines):
        if true.text.strip():
            pair = _indent(other.text), _indent(true.text)
            if true.op == "+":
                added.add(pair)
            elif shown.setdefault(*pair) != pair[1]:
                return False
    unseen = [pair for pair in added if pair[0] not in shown]
    if any(shown[short] != true for short, true in added if short in shown):
        return False
    readings = [reading for reading in _readings(shown) if all(reading(a) == b for a, b in shown.items())]
    guesses = {tuple(reading(short) for short, _ in unseen) for reading in readings}
    guesses = {guess for guess in guesses if all(_fits(indent, unit) for indent in guess)}
    return not unseen or guesses == {tuple(true for _, true in unseen)}


def _readings(shown):
    readings = [lambda indent: indent]
    for short, true in shown.items():
        if true.endswith(short):
            lost = true[: len(true) - len(short)]
            readings.append(lambda indent, lost=lost: lost + indent)
    readings.append(lambda indent: indent + indent if not indent.strip(" ") else None)
    readings.append(lambda indent: indent[: len(indent) // 2] if len(indent) % 2 == 0 else None)
    for width in (2, 4, 8):
        readings.append(lambda indent, n=width: "\t" * (len(indent) // n) if len(indent) % n == 0 else None)
    return readings


def _fits(indent, unit):
    return indent is not None and (set(indent) != {" "} or not unit or len(indent) % unit == 0)


def _unit(lines):
    """The file's indentation step, 2 or 4 spaces; 0 where it has no clear one."""
    depths = [len(_indent(line)) for line in lines if line.startswith(" ") and line.strip()]
    if len(depths) < 3 or any(line.startswith("\t") for line in lines):
        return 0
    off = sum(depth % 4 == 2 for depth in depths)
    if off <= 0.05 * len(depths) and sum(depth % 4 == 0 for depth in depths) >= 0.8 * len(depths):
        return 4
    even = sum(depth % 2 == 0 for depth in depths)
    return 2 if off >= 0.2 * len(depths) and even >= 0.95 * len(depths) else 0


def _indent(text):
    return text[: len(text) - len(text.lstrip(" \t"))]
