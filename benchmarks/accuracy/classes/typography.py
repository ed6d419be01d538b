"""Characters that look alike or were escaped: curly quotes, dashes, no-break spaces, HTML entities."""

import html

from ..edits import Change, Edit, Line, hunks_of
from ..placement import LOOK_ALIKE, plain, positions, well_posed
from .draft import SHARES, draft, has, old_of, replaced

FANCY = {"'": "\u2019\u2018", '"': "\u201c\u201d", "-": "\u2013\u2014\u2010\u2011", " ": "\u00a0"}


def unicode_natural(edit, draw, others):
    """The file's own typography; the patch is ASCII throughout, and so are the lines it adds."""
    changes = tuple(Change(c.start, c.stop, tuple(map(plain, c.new))) for c in edit.changes)
    ascii_edit = Edit(edit.package, edit.releases, edit.path, edit.before, changes)
    hunks = hunks_of(ascii_edit) or []
    if not has(hunks, " -", _is_fancy) or any(_says_nothing(edit.before, change) for change in changes):
        return None
    noisy = [hunk.mapped(plain, " -") for hunk in hunks]
    if well_posed(noisy, edit.before, LOOK_ALIKE):
        return draft(ascii_edit, noisy)
    return None


def _is_fancy(text):
    return plain(text) != text


def _says_nothing(before, change):
    """A change of typography only: in ASCII its removed and added lines would be the same."""
    return any(plain(text) in change.new for text in before[change.start : change.stop])


def unicode_file(edit, draw, others):
    hunks = hunks_of(edit) or []
    share = draw.choice(SHARES)
    places = [at for hunk in hunks for _, at in old_of(hunk)]
    chosen = {at: _fancied(edit.before[at], draw) for at in places if draw.random() < share}
    before = tuple(replaced(edit.before, chosen, None))
    if before == edit.before or has(hunks, " -+", _is_fancy):
        return None
    if well_posed(hunks, before, LOOK_ALIKE):
        return draft(Edit(edit.package, edit.releases, edit.path, before, edit.changes), hunks)
    return None


def unicode_patch(edit, draw, others):
    hunks = hunks_of(edit) or []
    share, noisy = draw.choice(SHARES), []
    for hunk in hunks:
        chosen = [i for i, _ in old_of(hunk) if draw.random() < share]
        fancy = {i: Line(hunk.lines[i].op, _fancied(hunk.lines[i].text, draw)) for i in chosen}
        noisy.append(hunk.with_lines(replaced(hunk.lines, fancy, None)))
    if noisy != hunks and well_posed(noisy, edit.before, LOOK_ALIKE):
        return draft(edit, noisy)
    return None


def _fancied(text, draw):
    """The text with its quotes, or else its dashes, or else one inner space, made typographic."""
    body = text.strip()
    start = text.index(body) if body else 0
    for plain_ones in ("'\"", "-", " "):
        places = [start + i for i, char in enumerate(body) if char in plain_ones]
        if places:
            if plain_ones == " ":
                places = [draw.choice(places)]
            fancy = {at: draw.choice(FANCY[text[at]]) for at in places}
            return "".join(fancy.get(at, char) for at, char in enumerate(text))
    return text


def entities(edit, draw, others):
    """`&lt; &gt; &amp;` throughout; every hunk with an escaped line has one the file contradicts."""
    hunks = hunks_of(edit) or []
    noisy = [hunk.mapped(_escaped) for hunk in hunks]
    touched = [hunk for hunk, other in zip(hunks, noisy) if hunk != other]
    if not touched or not all(has([hunk], " -", lambda text: _escaped(text) != text) for hunk in touched):
        return None
    as_written = [positions(other, edit.before) for hunk, other in zip(hunks, noisy) if hunk != other]
    if well_posed(hunks, edit.before) and not any(as_written):
        return draft(edit, noisy)
    return None


def _escaped(text):
    return html.escape(text, quote=False)


WORDS = {"gbk": "显示提示信息", "cp932": "設定を読み込む", "cp949": "설정을 읽습니다", "cp1252": "geändert für später"}


def misread(codec):
    """A maker of cases: words of another script in old lines of the file, which a shell read in `codec`."""

    def make(edit, draw, others):
        hunks = hunks_of(edit) or []
        share = draw.choice(SHARES)
        places = [at for hunk in hunks for _, at in old_of(hunk) if edit.before[at].strip()]
        chosen = {at: f"{edit.before[at]} {WORDS[codec]}" for at in places if draw.random() < share}
        before = tuple(replaced(edit.before, chosen, None))
        made = Edit(edit.package, edit.releases, edit.path, before, edit.changes)
        right = hunks_of(made) or []
        if not chosen or not "".join(edit.before).isascii() or not well_posed(right, before):
            return None
        noisy = [hunk.mapped(lambda text: _misread(text, codec), " -") for hunk in right]
        return draft(made, noisy) if any(hunk != other for hunk, other in zip(right, noisy)) else None

    return make


def _misread(text, codec):
    """The text as a shell shows it; what it cannot show is a question mark."""
    data = text.encode()
    shown = data.decode(codec, "replace") if codec != "cp1252" else "".join(map(_of_windows, data))
    return shown.replace("\ufffd", "?")


def _of_windows(byte):
    return bytes([byte]).decode("cp1252", "replace").replace("\ufffd", chr(byte))
