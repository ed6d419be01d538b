"""Lines that are not code: `// ... existing code ...` in place of it, and the numbers of a listing in front of it.

A model that leaves code out writes such a line. Applied as it is, it replaces the code that it leaves out. Takes texts;
returns the first such line of a new text when the old text has none. A listing that is copied has numbers, which no
file has.
"""

from __future__ import annotations

from patchkit.core.changes import Section
from patchkit.core.language import Hunk
from patchkit.core.text import Document
from patchkit.errors import PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


_COMMENTS = ("//", "#", "/*", "*", "--", "<!--", ";", "%", "{/*", '"""', "'''")
_DOCUMENTATION = ("*", "///", "//!", "##")  # begin sentences about the code below them, and headings
_AROUND = "/#*-<!>;%{}\"'[]() \t"
_DOTS = ("...", "\u2026")
_OPENINGS = ("rest of ", "the rest of ", "remaining ", "the remaining ", "existing code", "unchanged", "same as before")
_SUBJECTS = (
    *_OPENINGS,
    "existing",
    "other ",
    "all ",
    "the other",
    "the same",
    "same ",
    "previous",
    "keep ",
    "unchanged",
)
# What only a placeholder says beside its dots, and what an example in a document may say as well.
_CERTAIN = ("rest of", "remaining", "existing", "unchanged", "same as", "omitted", "... no change", "as before")
_LIKELY = (*_CERTAIN, "remain", "previous", "other ", "here")
_FRAMED = frozenset(("other", "previous", "remain", "remains"))  # words of one that has dots on both sides
_EXAMPLES = ("goes here", "go here")  # how a document says that its reader has other code there
# How a comment without dots is one: `rest of the file`, `rest of your code is the same`.
_OWNERS = ("the", "your", "this", "existing", "original")
_LEFT_OUT = tuple(
    "class code component content contents file function functions html implementation imports jsx logic markup method "
    "methods module page script styles test tests".split()
)
_ENDINGS = ("before", "existing", "here", "omitted", "same", "unchanged", "unmodified")
_OPERATORS = frozenset(("as", "await", "new", "or", "yield"))  # words of code between names
_SAID = ("existing code", "unchanged", "unchanged code")  # all that a comment in a part of a file says
_MOST_WORDS = 8  # of a comment that does not begin with what it leaves out
_AFTER_NUMBERS = ("\u2192", "| ", "\t")
_COLON = ":"  # may also be behind the keys of a mapping, unless what follows is text of the file
_DIGITS = tuple("0123456789")
_LONGEST = 200  # characters of a line that may be one


def placeholder(new: str, old: str) -> str:
    """The first line of `new` that takes the place of code, where `old` has no such line; '' without one."""
    if "..." not in new and "\u2026" not in new and "rest of " not in new.lower():
        return ""  # nearly always: no line without these is one
    found = _first(new.split("\n"), _CERTAIN)
    if not found:
        return ""
    # A file may have such lines on purpose. A comment that ends with dots, 'append remaining body...', says nothing
    # about a line that begins with them.
    dotted = _begins_dotted(found)
    alike = any(_begins_dotted(line) or not dotted for line in _placeholders(old.split("\n"), _CERTAIN))
    return "" if alike else found


def listed_line(new: str, old: str) -> str:
    """The first line of `new` where all of its lines have the numbers of a listing and those of `old` have none."""
    if new.lstrip()[:1] not in _DIGITS:
        return ""
    mark = next((mark for mark in (*_AFTER_NUMBERS, _COLON) if _is_listing(new, mark)), "")
    known = not mark or any(_number_of(line, mark) is not None for line in old.split("\n"))
    if mark == _COLON and not known:
        texts = {line.strip() for line in old.split("\n")} - {""}
        known = texts.isdisjoint(line.partition(mark)[2].strip() for line in new.split("\n"))
    return "" if known else new.split("\n")[0]


def _is_listing(text: str, mark: str) -> bool:
    """Whether every line begins with a number and the mark, and the numbers count up; one line alone by an arrow.

    Before a tab the numbers are padded, as `cat -n` has them: a table has columns of numbers, too.
    """
    lines = text.removesuffix("\n").split("\n")
    start = _number_of(lines[0], mark)
    return (
        start is not None
        and (len(lines) > 1 or mark == "\u2192")
        and (mark != "\t" or text.startswith(" "))
        and all(_number_of(line, mark) == start + row for row, line in enumerate(lines))
    )


def _number_of(line: str, mark: str) -> int | None:
    number, found, _rest = line.partition(mark.rstrip(" "))
    bare = number.strip(" ")
    return int(bare) if found and bare.isascii() and bare.isdigit() and len(bare) < 8 else None


def possible_placeholder(new: str, old: str) -> str:
    """The first line of `new` that may be a placeholder and is not in `old`; '' without one."""
    known = {line.strip() for line in old.split("\n")}
    return _first([line for line in new.split("\n") if line.strip() not in known], _LIKELY)


def elisions(lines: list[str]) -> list[str]:
    """Those of the lines that are in place of others, dots alone included, without the space around each."""
    bare = [text for text in map(str.strip, lines) if _may_replace(text)]
    return [text for text in bare if text in (*_DOTS, "....") or _first([text], _LIKELY)]


def is_placeholder(line: str) -> bool:
    """Whether a line is in place of other lines of the file: dots in a comment, alone or first, or such words."""
    bare = line.strip()
    if not 3 <= len(bare) <= _LONGEST:
        return False
    words = bare.strip(_AROUND)
    dotted = bare.startswith(_COMMENTS) and words.startswith(_DOTS) and len(words.split()) <= _MOST_WORDS
    return dotted or words.lower() in _SAID or bool(_first([line], _CERTAIN))


def _begins_dotted(line: str) -> bool:
    return line.strip(_AROUND).startswith(_DOTS)


def _first(lines: list[str], words: tuple[str, ...]) -> str:
    return next(_placeholders(lines, words), "")


def _placeholders(lines: list[str], words: tuple[str, ...]) -> Iterator[str]:
    for number in [number for number, size in enumerate(map(len, lines)) if size >= 3]:
        bare = lines[number].strip()
        if 3 <= len(bare) <= _LONGEST and _may_replace(bare) and _replaces_code(bare, words):
            above = lines[number - 1].strip() if number else ""
            below = lines[number + 1].strip() if number + 1 < len(lines) else ""
            if words is not _CERTAIN or not _belongs_to_neighbours(above, bare, below):
                yield bare


def _may_replace(bare: str) -> bool:
    """Whether a line is worth a closer look: most lines have neither dots nor the sign of a comment."""
    return "..." in bare or "\u2026" in bare or bare.startswith(_COMMENTS)


def _belongs_to_neighbours(above: str, line: str, below: str) -> bool:
    """Whether a line is a part of what is around it: of a comment over several lines, or of a line that goes on."""
    if above.endswith("\\"):
        return not line.startswith(("#", "//", "/*", "<!--"))  # no line goes on with a comment
    mark = next((mark for mark in _COMMENTS if line.startswith(mark)), "")
    if not mark or not above.startswith(mark) or above.strip(_AROUND) == "":
        return False
    return below.startswith(mark) or not _begins_dotted(line)


def _replaces_code(line: str, any_of: tuple[str, ...]) -> bool:
    """A comment of dots and words such as 'rest of'; without a comment's mark the dots come first.

    Dots alone may be meant as they are, so they count only for the longer list of words.
    """
    words = line.strip(_AROUND).lower()
    if any_of is _CERTAIN and words.endswith("?"):
        return False
    if any_of is _CERTAIN and words.rstrip(".\u2026 ").endswith(_EXAMPLES):
        return False
    dotted = any(dots in words for dots in _DOTS)
    if any_of is _CERTAIN and line.startswith(_DOCUMENTATION) and not words.startswith(_DOTS):
        return False
    if line.startswith(_COMMENTS):
        if words.startswith(_OPENINGS) and len(words.split()) <= _MOST_WORDS:
            return dotted or _is_rest_of_code(words)
        if not words.strip(".\u2026 "):
            return dotted and any_of is _LIKELY
        first = words.lstrip(".\u2026 (") if words.startswith(_DOTS) else ""
        if any_of is _CERTAIN and len(words.split()) > _MOST_WORDS and not first.startswith(_SUBJECTS):
            return False  # a sentence with dots somewhere in it, or one that goes on from the line above
        framed = words.startswith(_DOTS) and words.endswith(_DOTS)
        if framed and not _FRAMED.isdisjoint(words.replace("(", " ").split()):
            return True
        return dotted and any(word in words for word in any_of)
    return words.startswith(_DOTS) and not _is_spread(words) and any(word in words for word in any_of)


def _is_spread(words: str) -> bool:
    """Whether a line that begins with dots is code: `...existing,`, `...(previous ?? [])`, `...await existing()`.

    Not so where a space or the end follows the dots, dots end the line, too, or all it says is several words.
    """
    rest = words[3:]
    if not words.startswith("...") or rest[:1] in ("", " ", "\t", ".") or rest.endswith(_DOTS):
        return False
    said = rest.strip("([{}])").split()
    return len(said) < 2 or not all(map(str.isalpha, said)) or not _OPERATORS.isdisjoint(said)


def _is_rest_of_code(words: str) -> bool:
    """Whether words without dots can only speak of code that is left out, and not of something in the program."""
    rest = [word.strip(".,:;") for word in words.removeprefix("the ").removeprefix("rest of ").split()]
    while rest and rest[0] in _OWNERS:
        rest = rest[1:]
    return (
        words.startswith(("rest of", "the rest of"))
        and rest[:1] != []
        and rest[0] in _LEFT_OUT
        and (len(rest) == 1 or rest[-1] in _ENDINGS)
    )


# -- added lines in place of code that a patch leaves out: `# ... rest of the code ...` ------------
# Takes the new text of a file or of a hunk, and the old text of the file; gives the refusal of a new text with such a
# line, where the old one has none. Nothing expands it: it would replace the code that it leaves out.


def omission(new: bytes, old: bytes) -> PatchkitError | None:
    """The refusal of a new text that has a line in place of code, or is a listing, where the old text is not so."""
    texts = new.decode("utf-8", "surrogateescape"), old.decode("utf-8", "surrogateescape")
    numbered = listed_line(*texts)
    found = numbered or placeholder(*texts)
    return PatchkitError("P218", found=found, numbered=bool(numbered)) if found else None


def omissions(section: Section, document: Document, hunks: list[Hunk]) -> list[tuple[int, PatchkitError]]:
    """The hunks of a section that add such a line, by number from 0, each with its refusal."""
    found: list[tuple[int, PatchkitError]] = []
    for number, (start, stop) in enumerate(zip([0, *section.ends], section.ends)):
        error = omission(b"".join([each.new for each in section.replacements[start:stop]]), document.data)
        if error is not None:
            hunk, text = hunks[number], error.facts["found"]
            rows = [row for row, line in enumerate(hunk.lines) if line[0] == "+" and line[1:].strip() == text]
            error.facts["patch_line"] = hunk.body_line + rows[0] if rows else hunk.line
            found.append((number, error))
    return found
