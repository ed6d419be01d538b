"""What an `.editorconfig` file says about the ends of lines.

Takes the content of one file; gives the `end_of_line` of a name in its directory or below. Which files count, and in
what order, is left to `conventions`.
"""

from __future__ import annotations

from patchkit.globs.wildcards import MOST_WORK, Either, Many, Number, One, Part, Pattern, anything, literal, not_slash

_MOST_BYTES = 1 << 20
_DEEPEST = 40  # braces within braces
_LONGEST = 1024  # characters of a section's pattern: what the format promises to take


class EditorConfig:
    """One file: whether it is the last to be asked (`root`), and its sections that speak of line ends."""

    __slots__ = ("root", "_sections", "_patterns")

    def __init__(self, data: bytes) -> None:
        self.root = False
        self._sections: list[tuple[str, str]] = []
        self._patterns: dict[str, Pattern] = {}  # those that were needed
        section: str | None = None
        text = data[:_MOST_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
        for line in text.split("\n"):
            line = line.strip()
            if line[:1] in ("", "#", ";"):
                continue
            if line.startswith("[") and "]" in line:
                section = line[1 : line.rindex("]")]
                continue
            name, value = _setting(line)
            if name == "root" and section is None:
                self.root = value == "true"
            elif name == "end_of_line" and section is not None and 0 < len(section) <= _LONGEST:
                self._sections.append((section, value))

    def end_of_line(self, path: str) -> str | None:
        """The setting for a path from the file's directory: that of the last section that matches; None for none."""
        work = 0
        for section, value in reversed(self._sections):
            work += len(section) * len(path)
            if work > MOST_WORK:
                return None
            if section not in self._patterns:
                self._patterns[section] = _pattern(section)
            if self._patterns[section].matches(f"/{path}"):
                return value
        return None


def _setting(line: str) -> tuple[str, str]:
    """The name and the value of a line, both in lower case."""
    places = [place for place in (line.find("="), line.find(":")) if place >= 0]
    if not places:
        return "", ""
    name, value = line[: min(places)], line[min(places) + 1 :]
    for mark in (" #", " ;"):  # a comment behind the value
        value = value.partition(mark)[0]
    return name.strip().lower(), value.strip().lower()


def _pattern(section: str) -> Pattern:
    """A section's pattern, for paths that begin with a slash: one without any slash matches in every directory."""
    if "/" not in section:
        return Pattern([Many(anything), literal("/"), *_parts(section)])
    return Pattern(_parts("/" + section.removeprefix("/")))


def _parts(text: str) -> list[Part]:
    braces = _braces(text)
    return _Reader(text, braces).sequence(0, len(text))


def _braces(text: str) -> dict[int, int]:
    """Every opening brace with its closing one; none at all when they do not pair up, or stand too deep."""
    pairs: dict[int, int] = {}
    pending: list[int] = []
    index = 0
    while index < len(text):
        if text[index] == "\\":
            index += 1
        elif text[index] == "{":
            pending.append(index)
            if len(pending) > _DEEPEST:
                return {}
        elif text[index] == "}":
            if not pending:
                return {}
            pairs[pending.pop()] = index
        index += 1
    return pairs if not pending else {}


class _Reader:
    """Reads a pattern into parts."""

    def __init__(self, text: str, braces: dict[int, int]) -> None:
        self.text = text
        self.braces = braces

    def sequence(self, index: int, stop: int) -> list[Part]:
        parts: list[Part] = []
        while index < stop:
            index = self._take(index, stop, parts)
        return parts

    def _take(self, index: int, stop: int, parts: list[Part]) -> int:
        """Reads the part that begins here; returns where the next one does."""
        text, character = self.text, self.text[index]
        if character == "\\" and index + 1 < stop:
            parts.append(literal(text[index + 1]))
            return index + 2
        if text.startswith("/**/", index, stop):
            parts += [literal("/"), Either([[], [Many(anything), literal("/")]])]
            return index + 4
        if text.startswith("**", index, stop):
            parts.append(Many(anything))
            return index + 2
        if character == "*":
            parts.append(Many(not_slash))
        elif character == "?":
            parts.append(One(not_slash))
        elif character == "[":
            return self._take_class(index, stop, parts)
        elif character == "{" and index in self.braces:
            return self._take_braces(index, parts)
        else:
            parts.append(literal(character))
        return index + 1

    def _take_class(self, index: int, stop: int, parts: list[Part]) -> int:
        """Reads '[abc]' or '[!abc]'; a bracket that is not closed, or has a slash in it, is a bracket."""
        end = self.text.find("]", index + 2, stop)
        inside = self.text[index + 1 : end]
        if end < 0 or "/" in inside:
            parts.append(literal("["))
            return index + 1
        negated = inside[0] in "!^" and len(inside) > 1
        members = _members(inside[1:] if negated else inside)
        parts.append(One(lambda character: (character in members) != negated and (not negated or character != "/")))
        return end + 1

    def _take_braces(self, index: int, parts: list[Part]) -> int:
        """Reads '{one,two}' or '{1..9}'; braces around one thing are just braces."""
        end = self.braces[index]
        commas = self._commas(index + 1, end)
        if commas:
            bounds = [index, *commas, end]
            parts.append(Either([self.sequence(a + 1, b) for a, b in zip(bounds, bounds[1:])]))
            return end + 1
        least, dots, most = self.text[index + 1 : end].partition("..")
        if dots and _is_number(least) and _is_number(most):
            parts.append(Number(int(least), int(most)))
            return end + 1
        parts += [literal("{"), *self.sequence(index + 1, end), literal("}")]
        return end + 1

    def _commas(self, index: int, stop: int) -> list[int]:
        """The commas between two braces that stand in no deeper ones."""
        found = []
        while index < stop:
            character = self.text[index]
            if character == ",":
                found.append(index)
            elif character == "\\":
                index += 1
            elif character == "{" and index in self.braces:
                index = self.braces[index]
            index += 1
        return found


def _members(inside: str) -> set[str]:
    """The characters of a class; 'a-z' are all from the one to the other."""
    members: set[str] = set()
    index = 0
    while index < len(inside):
        if inside[index] == "\\" and index + 1 < len(inside):
            index += 1
        elif inside[index + 1 : index + 2] == "-" and index + 2 < len(inside):
            members.update(
                map(chr, range(ord(inside[index]), min(ord(inside[index + 2]), ord(inside[index]) + 4096) + 1))
            )
            index += 3
            continue
        members.add(inside[index])
        index += 1
    return members


def _is_number(text: str) -> bool:
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isascii() and digits.isdigit() and len(digits) < 20
