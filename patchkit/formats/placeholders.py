"""Comments in place of code that is left out: `# ... rest of the code unchanged ...`."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"^\s*(#|//|/\*|<!--|--|;|%|\{/\*|\*)")
_WORDS = re.compile(r"\b(existing|rest|remaining|unchanged|same|other|previous)\b", re.IGNORECASE)


def is_placeholder(line: str) -> bool:
    """Whether a line is a comment of dots in place of code that is not shown."""
    return ("..." in line or "…" in line) and _COMMENT.match(line) is not None and _WORDS.search(line) is not None
