"""Errors as people read them: code, sentence, place in the patch, place in the file, next step.

Takes an error's facts and the patch text; gives spans, or the same as plain text. Imported only when there is
something to report: a successful apply never pays for it.
"""

from __future__ import annotations

from patchkit.core.matching.passes import TYPOGRAPHY
from patchkit.core.matching.search import REWRITES
from patchkit.errors import PatchkitError, reason
from patchkit.repair.near_miss import NearMiss, indented_alike
from patchkit.report.spans import Spans, joined, plain
from patchkit.report.width import WIDEST, excerpt, filled, seen, visible, width, words_of, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.repair.choices import Choice


# Why two lines are not the same, in words, when it is one of the known reasons.
_LONGEST_CAUSE = 30  # characters of a word that are worth seeing


def cause(expected: str, found: str, column: int, by: str = "the patch") -> str:
    """What differs between the line that `by` expects and the file's: the most specific reason that holds."""
    for same, words in _REASONS:
        if same(expected) == same(found):
            return words
    for name, words in _REWRITTEN.items():
        if any([line[1:].strip() for line in undo([" " + expected])] == [found.strip()] for undo in REWRITES[name]):
            return f"{by} has {words}"
    expected = indented_alike(expected, found)
    if any("\ud800" <= char <= "\udfff" for char in found):  # what bytes that are not UTF-8 are read as
        return "the file's line is not UTF-8"
    mine, theirs = _word(expected, column, found), _word(found, column, expected)
    if not theirs:
        rest = _rest(expected, column)
        return f"the file's line ends here, {by} goes on with '{rest}'" if rest else "the file has nothing here"
    if not mine:
        return f"the file goes on with '{_rest(found, column)}', {by}'s line ends here"
    return f"the file has '{theirs}', {by} expects '{mine}'"


def _rest(text: str, column: int) -> str:
    """What a line has from a column on, as far as it helps to see it."""
    rest = text[column:].strip()
    return rest if len(rest) <= _LONGEST_CAUSE else rest[:_LONGEST_CAUSE].rstrip() + "…"


def _word(text: str, column: int, other: str) -> str:
    """The word around a column, as far as it helps to see it; '' where the line has ended before it.

    A word that ends within a longer one of the `other` is shown without what follows it.
    """
    if "\\" in text[column : column + 1] + other[column : column + 1]:
        return _run(text, column)
    start = column
    while start and column - start < _LONGEST_CAUSE and _is_of_a_word(text, start - 1):
        start -= 1
    if column >= len(text) or not _is_of_a_word(text, column):
        if start < column < len(other) and _is_of_a_word(other, column):
            return text[start:column]
        if column >= len(text):
            return ""
    stop = column + 1
    while stop < len(text) and stop - start < _LONGEST_CAUSE and _is_of_a_word(text, stop):
        stop += 1
    return text[start:stop]


def _run(text: str, column: int) -> str:
    """What is around a column without a blank in it: backslashes say nothing without what they are in front of."""
    start, stop = column, column
    while start and column - start < _LONGEST_CAUSE and not text[start - 1].isspace():
        start -= 1
    while stop < len(text) and stop - start < _LONGEST_CAUSE and not text[stop].isspace():
        stop += 1
    return text[start:stop]


def _is_of_a_word(text: str, at: int) -> bool:
    """Whether a character belongs to a word or a number, as the point in '0.05' does."""
    inside = text[at] in ".," and text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit()
    return inside or text[at].isalnum() or text[at] == "_"


_REASONS = (
    (lambda text: text.rstrip(), "only whitespace at the end of the line differs"),
    (lambda text: text.replace("\r", ""), "only carriage returns differ"),
    (lambda text: text.replace("\ufeff", ""), "only a byte order mark differs"),
    (lambda text: text.strip() if "\t" not in text else text, "only the indentation differs"),
    (lambda text: text.expandtabs(4).strip(), "tabs and spaces differ"),
    (lambda text: text.expandtabs(8).strip(), "tabs and spaces differ"),
    (lambda text: text.translate(TYPOGRAPHY).strip(), "typographic quotes, dashes or spaces differ"),
    (lambda text: "".join(text.split()), "only whitespace inside the line differs"),
    (lambda text: text.strip().casefold(), "only upper and lower case differ"),
)
_REWRITTEN = {
    "entities": "HTML entities where the file has characters",
    "escapes": "a backslash and a letter where the file has a tab",
    "escaped quotes": "backslashes in front of quotes",
    "line-numbers": "the line number of a listing in front",
}


_NARROWEST = 20  # columns of a quoted line, however narrow the terminal is
_LONGEST = 1000  # characters of a next step
_MOST = 1000  # errors that are shown


def render_errors(
    errors: list[PatchkitError], patch: str | None = None, columns: int | None = None, source: str = "patch"
) -> str:
    """All errors as plain text; `error_spans` says what the arguments mean."""
    return plain(error_spans(errors, patch, columns, source))


def error_spans(
    errors: list[PatchkitError], patch: str | None = None, columns: int | None = None, source: str = "patch"
) -> Spans:
    """All errors, one below the other, with a blank line between them.

    `columns` is the width of the terminal, None where there is none; `source` is the name of the patch. A reader has
    no use for more than a thousand errors: the rest is only counted.
    """
    shown = _Drawing(patch, columns, source)
    blocks = [joined(shown.lines(error)) for error in errors[:_MOST]]
    if len(errors) > _MOST:
        blocks.append([(f"and {len(errors) - _MOST:,} more errors; '--json' lists them all\n", "")])
    return [span for index, block in enumerate(blocks) for span in ([("\n", "")] if index else []) + block]


def each_rendered(errors: list[PatchkitError], patch: str | None, source: str) -> list[str]:
    """The errors one by one as plain text, for output formats that put something between them."""
    shown = _Drawing(patch, None, source)
    return [plain(joined(shown.lines(error))) for error in errors]


def help_spans(words: str, columns: int | None = None) -> Spans:
    """One more next step, below those that an error has."""
    return joined(_help(words, columns))


def _help(words: str, columns: int | None) -> list[Spans]:
    first, *more = _hung("  = help: ", words_of(words), columns)
    return [
        [("  = ", "frame"), ("help", "help"), (first.removeprefix("  = help"), "")],
        *([(line, "")] for line in more),
    ]


def place_lines(pieces: list[str], columns: int | None) -> list[Spans]:
    """A line that opens with ':::' and names a place in a file."""
    first, *more = _hung(" ::: ", pieces, columns)
    return [[(" :::", "frame"), (first.removeprefix(" :::"), "")], *([(line, "")] for line in more)]


def _hung(lead: str, pieces: list[str], columns: int | None) -> list[str]:
    """Pieces of a sentence behind a lead, broken between pieces where a terminal would break inside one."""
    whole = lead + " ".join(pieces)
    if columns is None or width(whole) <= columns:
        return [whole]
    lines = filled(pieces, max(_NARROWEST, columns - len(lead)))
    return [(" " * len(lead) if index else lead) + line for index, line in enumerate(lines)]


def quoted_line(line: str, columns: int | None, before: int = 0) -> str:
    """A line that may be copied: with its tabs, and cut only where a terminal is too narrow, `before` columns taken."""
    return seen(line[:_LONGEST]) if columns is None else excerpt(line, max(_NARROWEST, columns - before - 4))[0]


class _Drawing:
    """Draws the errors of a run: holds the lines of the patch, its name, and the width of the terminal."""

    def __init__(self, patch: str | None, columns: int | None, source: str) -> None:
        self.patch = patch.split("\n") if patch is not None else []
        self.columns = columns
        self.source = visible(source)
        self.gutter = 1  # columns of the numbers of lines, of the error that is drawn

    def lines(self, error: PatchkitError) -> list[Spans]:
        near = near_of(error.facts)
        self.gutter = 1
        if near is not None:  # the numbers of the file are below those of the patch, one column for both
            self.gutter = len(str(near.row + 1))
        number = error.facts.get("differs_at") or error.patch_line
        out: list[Spans] = [[(f"error[{error.code}]", "error"), (f": {visible(error.message)}", "strong")]]
        if isinstance(number, int) and number:
            out.extend(self._in_the_patch(number, error, near))
        if near is not None:
            out.extend(self._in_the_file(error, near))
        out.extend(self._corrected(error))
        output = error.facts.get("output")  # the end of what a command said
        if isinstance(output, str) and output:
            out.extend(framed(" ", f" {quoted_line(line, self.columns)}") for line in output.split("\n"))
        for place in _places(error):
            out.extend(place_lines(place, self.columns))
        if error.hint:
            out.extend(_help(visible(error.hint, _LONGEST), self.columns))
        return out

    def _in_the_patch(self, number: int, error: PatchkitError, near: NearMiss | None) -> list[Spans]:
        """The line of the patch that is in trouble, underlined when it is known to be the one."""
        column = error.facts.get("column")
        out: list[Spans] = [[(" -->", "frame"), (f" {self.source}:{number}" + (f":{column}" if column else ""), "")]]
        if number > len(self.patch) or error.facts.get("empty"):
            return out
        words = _no_such_line(error) if near is not None else _no_such_anchor(error)
        # Where nothing comes near, the lines of the hunk are what is not found, and not its bare '@@'.
        bare = error.code == "P201" and near is None and not words and self.patch[number - 1].strip() == "@@"
        shown = range(number, min(number + bare, len(self.patch)) + 1)
        self.gutter = max(self.gutter, len(str(shown[-1])))
        gutter = " " * self.gutter
        out.append(framed(gutter))
        for each in shown:
            text, _ = excerpt(self.patch[each - 1], self._room(gutter))
            out.append(framed(f"{each:>{self.gutter}}", f" {text}"))
        if words:
            out.extend(self._marked(gutter, 0, "^" * max(1, width(text)), words))
        out.append(framed(gutter))
        return out

    def _in_the_file(self, error: PatchkitError, near: NearMiss) -> list[Spans]:
        """The place that comes nearest, and what differs there."""
        number = near.row + 1
        closest = f"closest place ({near.agreement})" if near.total > 1 else "closest line"
        gutter = " " * self.gutter
        text, before = excerpt(near.found, self._room(gutter), near.column)
        by = str(error.facts.get("what") or "the patch")  # an edit names the field that expects the line
        more = cause(near.expected, near.found, near.column, by) if not near.is_apart else f"{by} lacks this line"
        return [
            *place_lines([f"{visible(str(error.file))}:{number},", closest], self.columns),
            framed(f"{number:>{self.gutter}}", f" {text}"),
            *self._marked(gutter, before, "-", visible(more)),
        ]

    def _corrected(self, error: PatchkitError) -> list[Spans]:
        """The texts that a refused edit should have had, whole; where they are, and how sure that is."""
        found = error.facts.get("correction")
        if not isinstance(found, tuple):
            kept = error.facts.get("new_text")  # what becomes of the text of an edit that has no place
            return [[(str(kept), "strong")]] if kept else []
        lines, confidence, texts = found
        out = place_lines([f"{visible(str(error.file))}:{lines},", f"corrected edit ({confidence})"], self.columns)
        for name, text in texts:
            out.append([(f"corrected {name}:" if text is not None else f"{name}: as sent", "strong")])
            out.extend([(seen(line), "")] for line in (text.split("\n") if text is not None else ()))
        return out

    def _marked(self, gutter: str, before: int, mark: str, words: str) -> list[Spans]:
        """A mark below a line and what it means: beside it, or below it where the terminal is too narrow."""
        style = "there" if mark == "-" else "wrong"
        lead = framed(gutter, " " * (before + 1))
        if self.columns is None or before + width(mark) + 1 + width(words) <= self._room(gutter):
            return [[*lead, (f"{mark} {words}", style)]]
        below = wrapped(words, self._room(gutter))
        return [[*lead, (mark, style)], *(framed(gutter, f" {line}") for line in below)]

    def _room(self, gutter: str) -> int:
        return WIDEST if self.columns is None else max(_NARROWEST, self.columns - len(gutter) - 3)


def framed(number: str, text: str = "") -> Spans:
    """A line behind the bar that separates numbers from text."""
    return [(f"{number} |", "frame"), (text, "")]


def _no_such_line(error: PatchkitError) -> str:
    anchor, line = error.facts.get("anchor"), error.facts.get("anchor_line")
    near = near_of(error.facts)
    if near is not None and near.is_apart:
        return "the file has other lines above this one"
    if not isinstance(anchor, str):
        return "no such line here"
    shown = visible(anchor.strip())
    return f"no such line below '{shown}' (line {line})" if line else f"no such line, and no anchor '{shown}' either"


def _no_such_anchor(error: PatchkitError) -> str:
    """What to say of the `@@` line of a hunk that nothing in the file comes near to; '' when its anchor is there."""
    lost = error.code == "P201" and "anchor" in error.facts and not error.facts["anchor_line"]
    return "neither this anchor nor the lines below it are in the file" if lost else ""


def _places(error: PatchkitError) -> list[list[str]]:
    """The places in question, when there are several to choose from, each with what would choose it."""
    elsewhere = error.facts.get("elsewhere")  # another file and the line where the lines of the hunk are
    if isinstance(elsewhere, tuple):
        other, line = elsewhere
        return [[f"{visible(other)}:{line},", "where the lines of the hunk stand"]]
    offers = error.facts.get("offers")
    if isinstance(offers, list):
        return [[f"{visible(str(error.file))}:{line},", visible(words, _LONGEST)] for line, words in offers]
    return [_pieces(error, choice) for choice in choices_of(error.facts)]


def _pieces(error: PatchkitError, choice: Choice) -> list[str]:
    pieces = [f"{visible(str(error.file))}:{choice.line}"]
    pieces += [f"in '{visible(choice.inside)}'"] if choice.inside else []
    pieces += [f"chosen by {visible(choice.by, _LONGEST)}"] if choice.add else []
    return [*(f"{piece}," for piece in pieces[:-1]), pieces[-1]]


def near_of(facts: dict[str, object]) -> NearMiss | None:
    """The place that comes closest to what was looked for, where there is one."""
    return facts.get("near")  # type: ignore[return-value]  # facts are untyped; only matching sets this one


def choices_of(facts: dict[str, object]) -> list[Choice]:
    """The places of something ambiguous, each with what would choose it."""
    found = facts.get("choices")
    return found if isinstance(found, list) else []


def as_error(error: BaseException) -> PatchkitError:
    """An error of ours as it is; a defect as one, without a traceback: a P499 with the exception and its line."""
    if isinstance(error, PatchkitError):
        return error
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    place = f" at {where.tb_frame.f_code.co_filename.rpartition('/')[2]}:{where.tb_lineno}" if where is not None else ""
    if isinstance(error, MemoryError):
        return PatchkitError("P405")
    if isinstance(error, FileNotFoundError) and error.filename is None:  # the current directory was removed
        return PatchkitError("P312", root=".", reason=reason(error))
    return PatchkitError("P499", reason=f"{type(error).__name__}: {error}{place}")
