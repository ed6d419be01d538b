"""Find the definition, or the Markdown heading, around a place in a file.

Takes lines and a language; gives line numbers. A few patterns and the indentation, as a person
skimming would do it: no parser, so where the layout misleads there is simply no header.
"""

import re

_C_WORDS = r"(?:if|for|while|switch|return|else|do|case|goto|sizeof|typedef|extern|using|defined)\b"
_JS_WORDS = r"(?:if|for|while|switch|return|else|do|catch|with|function|new|typeof|await|super|throw)\b"
_JS_MARKS = r"(?:(?:public|private|protected|static|async|get|set|override|abstract|readonly)\s+)*"

PATTERNS = {
    "python": re.compile(r"\s*(?:(?:async\s+)?def|class|cdef class|cpdef)\s+\w"),
    "c": re.compile(
        rf"(?!{_C_WORDS})(?![A-Z_0-9]+\s*\()(?:[A-Za-z_][\w\s*&:<>~]*\([^;]*$"
        r"|(?:struct|enum|union|class|namespace)\s+\w+[^;=()]*$)"
    ),
    "rust": re.compile(
        r"\s*(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:(?:async|unsafe|const|extern\s+\"C\")\s+)*"
        r"(?:fn|struct|enum|trait|impl|mod|union|macro_rules!)[\s<]"
    ),
    "javascript": re.compile(
        r"\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?"
        r"(?:function\b|class\s|interface\s|enum\s|namespace\s)"
        r"|\s*(?:export\s+)?(?:const|let|var)\s+\w+[^=]*=\s*(?:async\s*)?(?:\([^)]*\)|\w+)[^=]*=>\s*\{\s*$"
        rf"|\s+{_JS_MARKS}(?!{_JS_WORDS})[\w$#]+\s*(?:<[^>]*>)?\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?::[^={{]+)?\{{\s*$"
    ),
}

OUTER = re.compile(
    r"\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?"
    r"(?:class|cdef class|impl|trait|mod|interface|namespace)[\s<]"
)
HEADING = re.compile(r"#{1,6}\s+\S")


class Scopes:
    """The definitions of one file."""

    def __init__(self, lines, language):
        self.lines = lines
        self.language = language
        self._marks = _headings(lines) if language == "markdown" else _definitions(lines, language)

    def is_definition(self, index):
        return self._marks[index]

    def above(self, index):
        """The nearest definition line before `index`, enclosing or not; what git shows after `@@`."""
        return next((at for at in range(index - 1, -1, -1) if self._marks[at]), None)

    def chain(self, index, text):
        """Line numbers of the definitions around a line `text` standing at `index`, innermost first."""
        if self.language not in PATTERNS and self.language != "markdown":
            return []
        if self.language == "markdown":
            at = self.above(index)
            return [] if at is None else [at]
        found, depth = [], indent_of(text)
        for at in range(index - 1, -1, -1):
            line = self.lines[at]
            if depth == 0:
                break
            if not line.strip() or self._is_flush(line) or indent_of(line) >= depth:
                continue
            depth = indent_of(line)
            if self._marks[at]:
                found.append(at)
            elif line.strip()[0] in ")]}{":
                # The tail of a header spread over several lines: its head is at the same depth.
                depth += 1
        return found

    def enclosing(self, hunk, start):
        """The innermost definition of the hunk placed at `start`, read two ways.

        Seen from its first line, and from its first changed line: they differ when a definition
        line is part of the hunk's own leading context.
        """
        return {chain[0] if chain else None for chain in self.chains(hunk, start)}

    def chains(self, hunk, start):
        at, first = start, None
        for line in hunk.lines:
            if first is None and line.op in " -" and line.text.strip():
                first = (at, line.text)
            if line.op in "-+" and line.text.strip():
                changed = (at, line.text)
                break
            at += line.op in " -"
        else:
            changed = first
        return [self.chain(*place) if place else [] for place in (first or changed, changed or first)]

    def _is_flush(self, line):
        """Lines whose place at the margin says nothing: preprocessor directives and labels."""
        return self.language == "c" and (line[0] == "#" or re.match(r"\w+:\s*$", line))


def indent_of(line):
    return len(line) - len(line.lstrip())


def _definitions(lines, language):
    pattern = PATTERNS.get(language)
    return [bool(pattern and pattern.match(line)) for line in lines]


def _headings(lines):
    marks, fence = [], None
    for line in lines:
        opener = re.match(r"\s*(`{3,}|~{3,})", line)
        if opener and (fence is None or opener[1].startswith(fence)):
            fence = opener[1] if fence is None else None
        marks.append(fence is None and bool(HEADING.match(line)))
    return marks
