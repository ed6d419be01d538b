"""Text on a terminal: how many columns it takes, and how much of a line fits.

Takes any text, hostile ones included; gives text that moves no cursor. Wide characters take two columns, marks
that join the character before them none, a tab is shown as four spaces.
"""

from __future__ import annotations

WIDEST = 160  # columns of a quoted line where no terminal says how many there are
_TAB = "    "


def width(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    if char < "\u0300":
        return 1
    from unicodedata import category, east_asian_width

    if category(char) in ("Mn", "Me") or "\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7fb":
        return 0  # marks, and the vowels and finals of Hangul, join the character before them
    return 2 if east_asian_width(char) in "WF" else 1


def visible(text: str, widest: int = WIDEST) -> str:
    """Text that cannot act on a terminal: control characters shown as escapes, over-long lines cut."""
    shown = _shown(text[: widest + 1])
    return shown if len(shown) <= widest else shown[: widest - 1] + "…"


def _shown(text: str) -> str:
    return text if text.isprintable() else "".join(map(shown_char, text))


def shown_char(char: str) -> str:
    """A character as it may be written: itself, or its escape where it would act instead of being seen."""
    if char.isprintable():
        return char
    if char == "\t":
        return _TAB
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")


def seen(text: str) -> str:
    """Text for a screen with its control characters visible; tabs and line feeds stay as they are."""
    return text if text.isprintable() else "".join([c if c in "\t\n" else shown_char(c) for c in text])


def excerpt(text: str, room: int = WIDEST, focus: int = 0) -> tuple[str, int]:
    """The part of a line around the character at `focus` that `room` columns hold, and the column of that character.

    What had to be left out is an ellipsis. Only as much of the line is looked at as could be shown: a line
    may be a whole minified program.
    """
    start = _start(text, room, focus)
    shown, taken, column = ["…"] if start else [], 1 if start else 0, 0
    for index, char in enumerate(text[start : start + 4 * room], start):
        if index == focus:
            column = taken
        piece = shown_char(char)
        shown.append(piece)
        taken += width(piece)
        if taken > room:
            return _cut(shown, room), column
    if start + 4 * room < len(text):
        shown.append("…")
    return "".join(shown), column if focus < len(text) else taken


def _start(text: str, room: int, focus: int) -> int:
    """Where the excerpt begins: with the line if it can, else so that half of the columns are before the focus."""
    if focus <= room and width(_shown(text[:focus])) < room - 8:
        return 0
    if len(text) <= room and width(_shown(text)) <= room:
        return 0
    start, left = focus, room // 2
    while start > 0 and focus - start < room:
        left -= width(shown_char(text[start - 1]))
        if left < 0:
            break
        start -= 1
    return start


def _cut(shown: list[str], room: int) -> str:
    """Pieces that do not fit, as far as they do before an ellipsis."""
    while shown and width("".join(shown)) > room - 1:
        shown.pop()
    return "".join(shown) + "…"


def wrapped(text: str, room: int) -> list[str]:
    """Text in lines of `room` columns, broken between words but never inside quotes: what is quoted will be copied."""
    return filled(words_of(text), room)


def filled(words: list[str], room: int) -> list[str]:
    """Words in lines of `room` columns; a word that is longer has a line for itself."""
    lines: list[str] = []
    for word in words:
        if lines and width(lines[-1]) + 1 + width(word) <= room:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def words_of(text: str) -> list[str]:
    """The words of a text, a quotation as one; an apostrophe behind a letter begins none."""
    words: list[str] = []
    quoted = False
    for each in text.split(" "):
        if quoted:
            words[-1] += " " + each
        else:
            words.append(each)
        for index, char in enumerate(each):
            if char == "'" and (quoted or index == 0 or not each[index - 1].isalnum()):
                quoted = not quoted
    return words


def counted(count: int, noun: str) -> str:
    """A number and its noun: `1 patch`, `2,000 patches`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun}{'es' if noun.endswith('ch') else 's'}"
