"""Edit by definition: which lines a name such as `Class.method` means, and the edit that replaces them.

Takes the lines of a file and a dotted name; gives the lines of exactly one definition, its decorators and the comments
of its documentation included, or raises P628 with the candidates. Python is read by its own parser; everything else by
the rules that anchors follow, and by its braces and margins: one whose end these do not agree on is left out.
"""

from __future__ import annotations

import re

from patchkit.core.matching.scopes.anchors import Anchors, Definition
from patchkit.core.matching.scopes.heads import Braces
from patchkit.core.matching.scopes.openings import is_end
from patchkit.errors import PatchkitError
from patchkit.values import Record

_NAME = re.compile(
    r"\b(?:class|struct|enum|interface|trait|impl|module|namespace|record|union|protocol|object|type|def|fn|func|fun|"
    r"function|sub|proc|procedure|macro_rules!?)\s+(?:\([^)]*\)\s*)?(?:<[^>]*>\s*)?([\w$~!?.:]+)"
)
_CALLED = re.compile(r"([\w$~]+)\s*(?:<[^()]*>)?\s*(?:=\s*(?:async\s*)?(?:function\b.*)?)?\(")
_RECEIVER = re.compile(r"func\s+\(\s*(?:\w+\s+)?\*?\s*(\w+)[^)]*\)\s*(\w+)")
_COMMENT = re.compile(r"//|#(?:\s|#|$)|\*|/\*|--\s")  # not `#endif`
_ABOVE = re.compile(_COMMENT.pattern + r"|@|#\[|\[.*\]$|template\b")
_CLOSING = ("}", ")", "]", "{")


class NamedLines(Record):
    """A definition: its dotted name, its first line and the one behind its last, from 0."""

    name: str
    start: int
    stop: int


def lines_of(path: str, texts: list[str], symbol: str) -> NamedLines:
    """The one definition that a name means: the whole dotted name, or its last parts."""
    known = _by_parser(texts) if path.endswith((".py", ".pyi")) else None
    found = known if known is not None else _by_words(texts)
    wanted = symbol.replace("::", ".").replace("#", ".").strip(". ()")
    fits = [each for each in found if each.name == wanted]
    fits = fits or [each for each in found if f".{each.name}".endswith(f".{wanted}")]
    if len(fits) == 1:
        return fits[0]
    like = fits or [each for each in found if each.name.rpartition(".")[2].lower() == wanted.rpartition(".")[2].lower()]
    names = ", ".join(f"'{each.name}' (line {each.start + 1})" for each in (like or found)[:10])
    raise PatchkitError("P628", symbol=symbol, file=path, count=len(fits), candidates=names or "none")


def _by_parser(texts: list[str]) -> list[NamedLines] | None:
    """The definitions of a Python source; None where it cannot be parsed."""
    import ast  # an edit by text needs it not

    try:
        tree = ast.parse("\n".join(texts))
    except (SyntaxError, ValueError, RecursionError):
        return None
    found: list[NamedLines] = []
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, above = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                name = f"{above}.{child.name}".lstrip(".")
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)]) - 1
                found.append(NamedLines(name, _with_comments(texts, first), child.end_lineno or child.lineno))
                waiting.append((child, name))
            elif not isinstance(child, ast.expr):
                waiting.append((child, above))
    return sorted(found, key=lambda each: each.start)


def _by_words(texts: list[str]) -> list[NamedLines]:
    anchors = Anchors(texts)
    braces: Braces | None = None
    found = []
    for definition in anchors.all_definitions():
        line = definition.line
        name = _name(texts[line])
        if not name:
            continue
        around = [_name(texts[each.line]) for each in anchors.around(line) if each.line != line]
        braces = braces or Braces(anchors.lines)
        stop = definition.end if definition.kind == "heading" else _end(anchors.lines, definition, braces)
        while stop > line + 1 and not texts[stop - 1].strip():
            stop -= 1
        if stop:
            names = ".".join([*reversed([each for each in around if each]), name])
            found.append(NamedLines(names, _with_comments(texts, min(definition.lines)), stop))
    return found


def _with_comments(texts: list[str], start: int) -> int:
    """Where the comments and attributes begin that are right above a line."""
    margin = _margin(texts[start])
    while start > 0:
        above = texts[start - 1].strip()
        inner = margin + " " * (above[:1] == "*")  # ` * text` of a longer comment
        if not _ABOVE.match(above) or _margin(texts[start - 1]) not in (margin, inner):
            break
        start -= 1
    return start


def _end(lines: list[str], definition: Definition, braces: Braces) -> int:
    """The line behind the last one of a definition, where its scope may reach farther; 0 where that is in doubt."""
    line, depth = definition.line, definition.depth
    margins = {row: len(_margin(lines[row])) for row in range(line, definition.end) if lines[row].strip()}
    opened = next((row for row in margins if braces.opens(row)), None)
    if opened is not None and opened > line:
        own = margins[opened] == depth and lines[opened].lstrip().startswith(_CLOSING)
        head = [lines[row].rstrip() for row in range(line, opened)]
        own = own or (margins[opened] > depth and sum(text.count("(") - text.count(")") for text in head) > 0)
        opened = opened if own and not any(not text or text[-1] in ";}" for text in head) else None
    if opened is not None:
        stop = braces.closed(line, opened)
        behind = next((margins[row] for row in margins if row >= stop), 0)
        return stop if stop <= definition.end and margins[stop - 1] == depth >= behind else 0
    stop = line + 1
    for row in margins:
        closes = margins[row] == depth and (lines[row].lstrip().startswith(_CLOSING) or is_end(lines[row], depth, ""))
        if row > line and margins[row] <= depth and not closes:
            break
        stop = row + 1
    return stop


def _name(text: str) -> str:
    method = _RECEIVER.match(text)
    if method is not None:
        return f"{method[1]}.{method[2]}"
    said = _NAME.search(text)
    if said is None:
        said = _CALLED.search(text)
    return said[1].replace("::", ".").rstrip(":") if said is not None else ""


def _margin(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def edit_of(texts: list[str], found: NamedLines, new: str, mode: str) -> tuple[str, str]:
    """The text to replace, and what replaces it: enough lines that it is there once."""
    first = found.start
    while mode == "replace" and not _COMMENT.match(new.strip()) and _COMMENT.match(texts[first].strip()):
        first += 1  # the new text says nothing of the comments above: they stay
    old = texts[first : found.stop]
    given = _tabbed(new.strip("\n").split("\n"), texts[found.start : found.stop])
    lines = _fitted(given, _margin(texts[found.start])) if new.strip() else []
    above = found.start
    while above > 0 and not texts[above - 1].strip():
        above -= 1
    gap = [""] * min(max(found.start - above, 1), 2)
    if mode == "before":
        made = [*lines, *gap, *old]
    elif mode == "after":
        made = [*old, *gap, *lines]
    else:
        made = lines
    start, stop = first, found.stop
    if mode == "delete":
        while stop < len(texts) and not texts[stop].strip():
            stop += 1
        old = texts[start:stop]
    whole = "\n".join(texts)
    while whole.count("\n".join(old)) > 1 and start > 0:
        start -= 1
        old, made = [texts[start], *old], [texts[start], *made]
    behind = [""] if stop < len(texts) else []
    return "\n".join([*old, *behind]), "\n".join([*made, *behind]) if made else ""


def _tabbed(lines: list[str], old: list[str]) -> list[str]:
    """The lines with a tab for each step of their margins, where the old ones have tabs and they have spaces."""
    margins = [_margin(line) for line in lines]
    unit = min((len(each) for each in margins if each), default=0)
    if {*"".join(map(_margin, old))} != {"\t"} or "\t" in "".join(margins) or not unit:
        return lines
    return [
        "\t" * (len(margin) // unit) + " " * (len(margin) % unit) + line[len(margin) :]
        for margin, line in zip(margins, lines)
    ]


def _fitted(lines: list[str], margin: str) -> list[str]:
    """The lines with the margin of the definition, where they have none at all."""
    solid = [line for line in lines if line.strip()]
    if not margin or _margin(solid[0]) or any(len(_margin(line)) < len(_margin(solid[0])) for line in solid):
        return lines
    return [margin + line if line.strip() else line for line in lines]
