"""How deep added lines are that lost their indentation, by the lines around them.

Takes the line above and the one below some added lines, with the margins that the file has for them; gives all ways in
which the added lines can be indented between them: a block that is opened is one level deeper, what closes it is one
level up, and in languages without braces a line can end any number of blocks. One way is an answer, two are a doubt.
"""

from __future__ import annotations

_OPEN, _CLOSE = "([{", ")]}"
_ENDS = ("return", "raise", "break", "continue")  # of a block: nothing at its depth follows
_BRANCHES = ("else", "elif", "except", "finally", "catch")
_CONTROLS = ("if", "for", "while", "else")
_LABELS = ("case", "default", "public", "private", "protected", "when")
_JOINS = (".", "&&", "||", "?", ":", "|", "and ", "or ", "+ ")  # that go on with the line above
_OPERATORS = ("=", "+", "-", "*", "|", "&", "?", "\\", " and", " or", " not", "<", "->")
_MOST = 200  # added lines in a row

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
        len(added) > _MOST
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


def likely_way(above: tuple[str, str], added: list[str], step: str) -> list[str]:
    """The margins that added lines have below a line where nothing but their brackets and colons counts."""
    braces = any(text.endswith(("{", ";")) or text.startswith("}") for text in [above[1], *added])
    margin, last = above[0], Line(above[1], braces)
    found = []
    for text in added:
        line = Line(text, braces)
        if last.opens and text[:1] not in tuple(_CLOSE):
            margin += step
        elif not last.opens and line.closes:
            margin = margin.removesuffix(step)
        found.append(margin)
        last = line
    return found


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
