"""Lines that stand for code nobody wrote: `// ... rest of the code`.

A model that leaves code out writes such a line, and it ends up in the file. It may be meant, so it is no error.
"""

from __future__ import annotations

_COMMENTS = ("//", "#", "/*", "*", "--", "<!--", ";", "%", "{/*", '"""', "'''")
_AROUND = "/#*-<!>;%{}\"'[]() \t"
_DOTS = ("...", "\u2026")
_OPENINGS = ("rest of ", "the rest of ", "remaining ", "the remaining ", "existing code", "unchanged", "same as before")
_WORDS = ("rest of", "remain", "existing", "unchanged", "previous", "same as", "omitted", "other ", "no change", "here")
_LONGEST = 200  # characters of a line that may be one


def placeholder(new: str, old: str) -> str:
    """The first line of `new` that looks like a placeholder and is not in `old`; '' without one."""
    known = {line.strip() for line in old.split("\n")}
    for line in new.split("\n"):
        bare = line.strip()
        if 3 <= len(bare) <= _LONGEST and bare not in known and _stands_for_code(bare):
            return bare
    return ""


def _stands_for_code(line: str) -> bool:
    """A comment of dots, or of dots and words such as 'rest of'; without a comment's mark the dots come first."""
    words = line.strip(_AROUND).lower()
    dotted = any(dots in words for dots in _DOTS)
    if line.startswith(_COMMENTS):
        if words.startswith(_OPENINGS) and len(words.split()) <= 8:
            return dotted or words.startswith(("rest of", "the rest of"))
        return dotted and (not words.strip(".\u2026 ") or any(word in words for word in _WORDS))
    return words.startswith(_DOTS) and any(word in words for word in _WORDS)
