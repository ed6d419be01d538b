"""Methods whose names are words of the language, or no words.

Takes a file's lines; says whether a line is directly in a class or an object. There `catch(done) {` and `[key](a) {`
are methods; elsewhere they are statements, or a lambda of C++.
"""

from __future__ import annotations

# Words that are names of methods, too. Not `if`, `for`, `switch`, `while`: these are statements wherever they are.
_NAMES = frozenset(
    "assert await break case catch continue default delete do except finally foreach from goto guard import lock loop "
    "match new not print raise return select throw try typeof unless until using when with yield".split()
)
_TYPES = frozenset("class enum extension extends impl implements interface object protocol record struct trait".split())
_OF_OBJECTS = ("=", "(", ",", "[", "?", ":", "return", "default")  # before the brace of an object
_CASES = ("case ", "default:")


def may_be_member(bare: str) -> bool:
    """Whether a line may begin a method with such a name, by a look that costs little; `bare` is stripped."""
    at = bare.find("(")
    if at < 1:
        return False
    if "](" in bare:
        return bare[0] == "[" or bare[: bare.find("[")].replace(" ", "").isalpha()
    words = bare[:at].partition("<")[0].split()
    return bool(words) and words[-1] in _NAMES


class Members:
    """The lines of one file that are directly in a class or an object; lines are asked for in the file's order."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self._known: dict[int, tuple[int, bool]] = {}  # by margin: a line, and whether it is a member

    def holds(self, line: int) -> bool:
        """Whether the block around a line is that of a class or an object."""
        text = self._texts[line]
        margin = len(text) - len(text.lstrip())
        known, answer = self._known.get(margin, (-1, False))
        for number in range(line - 1, -1, -1):
            if number == known:
                break
            if self._texts[number][:margin].strip():
                answer = self._opens_one(number)
                break
        else:
            answer = False
        self._known[margin] = line, answer
        return answer

    def _opens_one(self, line: int) -> bool:
        """Whether a line ends with the brace of a class or an object, or is that brace."""
        bare = self._texts[line].strip()
        if bare == "{" and line:
            bare = self._texts[line - 1].strip() + " {"
        if bare[-1] != "{":
            return False
        before = bare[:-1].rstrip()
        words = before.replace("(", " ( ").split()
        if not _TYPES.isdisjoint(words):
            return True
        if before.endswith(")"):
            return "new" in words  # a class without a name
        return before.endswith(_OF_OBJECTS) and not bare.startswith(_CASES)
