"""What a line opens or closes, by its words and signs.

Takes a line of a file; says whether it opens a definition, a heading or a section, and at which depth. Heads over
several lines, and what follows from the lines around, are the work of other modules.
"""

from __future__ import annotations

from patchkit.core.matching import WORD

_MODIFIERS = frozenset(
    "abstract async declare default export extern final inline internal local open override private protected pub "
    "public sealed static suspend unsafe virtual".split()
)
_OPENERS = frozenset(
    "class def describe enum extension fn fun func function impl interface it macro_rules mod module namespace object "
    "package proc procedure protocol record struct sub test trait type union".split()
)
_CONTROL = frozenset(
    "break case catch do elif else except finally for foreach guard if loop match return select switch throw try "
    "unless until using when while with yield".split()
)
_CALLED = frozenset("describe it test".split())  # of the words that open; they are calls, as in `it("works", …)`
_KEYED = tuple("-,.;=:)/'")  # what follows a word that is a key, a member, an attribute, a part of another word
_BEHIND_NAMES = frozenset("end extends final func implements inherits interface returns struct where".split())
_NOT_PROSE = frozenset("({[<:=;*&#\"'")
_DIRECTIVES = frozenset("elif if ifdef ifndef pragma".split())  # of a preprocessor, with brackets behind them
_WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_GOES_ON = frozenset("{([<=>:&|?+\\")  # what the last sign of a line that is not complete may be
_OF_PYTHON = ("def ", "class ", "async def ")
_PART = tuple(_WORD + "=:?!(")  # of a word that goes on, or of a name that is given something
_MOST_MODIFIERS = 12  # in front of a definition


def opening(text: str) -> tuple[str, int] | None:
    """Returns the kind and depth of the scope a line opens, None when it opens none."""
    bare = text.lstrip()
    if not bare:
        return None
    depth = len(text) - len(bare)
    if bare[0] == "#" and depth == 0:
        level = len(bare) - len(bare.lstrip("#"))
        return ("heading", level) if level <= 6 and bare[level : level + 1] == " " else None
    if bare[0] == "[" and bare.rstrip().endswith("]"):
        return "section", 0
    word, rest = _first_word(bare)
    if word == "typedef" and ("{" in bare or not bare.rstrip().endswith(";")):
        word, rest = _first_word(rest.lstrip())
    for _ in range(_MOST_MODIFIERS):
        if word not in _MODIFIERS or (rest[:1] == "(" and word != "pub"):  # `open(` is a name
            break
        if rest[:1] == "(":  # pub(crate)
            rest = rest.partition(")")[2]
        rest = rest.lstrip()
        if word == "extern" and rest[:1] == '"':
            rest = rest[1:].partition('"')[2].lstrip()
        word, rest = _first_word(rest)
    if word in _OPENERS and _is_declaring(word, rest):
        return "code", depth
    # Behind modifiers: `<T>` of Java, `*` of a generator, `@interface`. A selector of CSS begins with other signs, too.
    signs = ".&~@$:*<" if len(rest) == len(bare) else "@*<"
    if not word and rest[:1] not in signs and not _is_method(rest):
        return None
    opens = _ends_in_a_method(bare) if word in _CONTROL else _opens_a_block(bare, depth)
    return ("code", depth) if opens else None


def is_end(text: str, depth: int, head: str) -> bool:
    """Whether a line closes what `head` opens at a depth: by a brace, by the word `end`, or in Python by a block.

    `if os.name == "nt":` below a function has definitions that are not in the function, though they are deeper.
    """
    if text[depth : depth + 1] == "}":
        return not text[:depth].strip()
    if text.endswith(":") and _first_word(text[depth:])[0] in _CONTROL:
        return not text[:depth].strip() and head.lstrip().startswith(_OF_PYTHON)
    return text[depth : depth + 3] == "end" and not text[:depth].strip() and text[depth + 3 : depth + 4] not in _PART


def reopens(text: str) -> bool:
    """Whether the block of a definition begins with a brace here: `{` alone, or `}) => {` behind its parameters."""
    bare = text.strip()
    return bare[:1] in ("{", "}") and (bare[-1] in _GOES_ON or bare[1:2] == ":" or "):" in bare)


def is_fence(text: str) -> bool:
    """Whether a line opens or closes a code fence of Markdown."""
    return text.lstrip().startswith(("```", "~~~"))


def _is_method(text: str) -> bool:
    """Whether a method of JavaScript begins whose name is not a word: `#name(`, `"name"(`, `[Symbol.iterator](`."""
    if text[:1] in ('"', "'"):
        return text[1:].partition(text[0])[2][:1] == "("
    if text[:1] == "[":  # without a dot it is what a lambda of C++ takes with it
        name, _, rest = text.partition("]")
        return rest[:1] == "(" and "." in name
    word, rest = _first_word(text[1:])
    return text[:1] == "#" and word not in ("", *_DIRECTIVES) and rest.lstrip(" ")[:1] == "("


def defines_another(one: str, other: str) -> bool:
    """Whether two lines define different names, which no slip of one letter turns into each other."""
    if (opening(one) or ("",))[0] != "code" or (opening(other) or ("",))[0] != "code":
        return False
    mine, theirs = _defined(one).casefold(), _defined(other).casefold()
    if not mine or not theirs or mine in other.casefold() or theirs in one.casefold():
        return False
    return not is_slip(mine, theirs)


def is_slip(one: str, other: str) -> bool:
    """Whether a word is another, or has one letter more, less or different, or two in the other order."""
    head = 0
    while head < min(len(one), len(other)) and one[head] == other[head]:
        head += 1
    mine, theirs = one[head:], other[head:]
    if not mine and not theirs:
        return True
    slip = mine[1:] == theirs[1:] or mine[1:] == theirs or mine == theirs[1:]
    slip = slip or (mine[:2], mine[2:]) == (theirs[1::-1], theirs[2:])
    return slip and head + min(len(mine), len(theirs)) >= WORD and not any(map(str.isdigit, mine[:2] + theirs[:2]))


def _defined(text: str) -> str:
    """The name a definition gives: the last word before the first bracket, or else the last word of the line."""
    head = text.strip()
    for bracket in "({<:=[":
        head = head.partition(bracket)[0] if head.partition(bracket)[0].strip() else head
    return head.split()[-1] if head.split() else ""


def _first_word(text: str) -> tuple[str, str]:
    end = len(text) - len(text.lstrip(_WORD))
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):  # letters beyond ASCII
        end += 1
    return text[:end], text[end:]


def _is_declaring(word: str, rest: str) -> bool:
    """Whether a word that declares does so here: it may also be a key, a member, an attribute or a word of prose."""
    if rest[:1] in _KEYED and rest[:2] != "::":
        return word in _CALLED and rest[:1] == "."  # `test.each(`
    if word in _CALLED:
        return rest.lstrip()[:1] in ("(", '"', "'", "`") or rest.rstrip().endswith((" do", "{"))
    if word == "def" or not _NOT_PROSE.isdisjoint(rest):
        return True
    words = [each.rstrip(",.") for each in rest.split()[:3]]
    prose = len(words) == 3 and words[1] not in _BEHIND_NAMES and all(map(str.isalpha, words))
    return not (prose and all(map(str.islower, words)))


def _opens_a_block(bare: str, depth: int) -> bool:
    """`name(…) {`, `selector {`, or a C function head whose brace is on the next line."""
    line = bare.rstrip()
    if line.endswith("{"):
        return True
    if line.endswith((";", "=>")):
        return ") =>" in line and _has_arrow(line)
    return depth == 0 and line.endswith(")") and "(" in line and "=" not in line


def _ends_in_a_method(bare: str) -> bool:
    """Whether a statement ends with the head of a method, in an object that begins on its line: `return { next() {`."""
    line = bare.rstrip()
    if "{ " not in line or not line.endswith(") {"):
        return False
    depth = 0
    for at in range(len(line) - 3, -1, -1):
        depth += (line[at] == ")") - (line[at] == "(")
        if not depth:
            name = line[:at].rstrip(_WORD)
            return len(name) < at and name.endswith("{ ")
    return False


def _has_arrow(line: str) -> bool:
    """Whether a line is `Type name(…) =>`, a method of C# or Dart whose body is an expression."""
    head = line.partition(") =>")[0]
    before, _, parameters = head.partition("(")
    named = before[-1:].isalnum() or before[-1:] in ("_", ">")
    return named and len(before.split()) > 1 and "=" not in before and parameters.count("(") == parameters.count(")")
