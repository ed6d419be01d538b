"""Whether added text may be of a kind that the guards doubt: most is not, and then they need not be loaded."""

from __future__ import annotations

from patchkit.core.changes import Plan, Replacement, Whole

RUN = 5  # lines that are added together before it is asked whether they are there in part
# Words that open a definition.
DEFINING = frozenset(
    b"class def enum fn fun func function interface macro_rules proc procedure protocol record struct sub trait "
    b"union".split()
)


def may_repeat(made: list[Replacement], added: bytes) -> bool:
    """Whether replacements add a run of lines, or in all they add a definition perhaps; most patches add neither."""
    for each in made:
        if each.added >= RUN:
            return True
    return not DEFINING.isdisjoint(added.split())


def may_leave_out(text: bytes) -> bool:
    """Whether a line of the text may be a placeholder, or of a listing: a quick look, for most have no dots or arrows.

    Searching backwards takes half the time of searching forwards.
    """
    if (b"." in text and text.rfind(b"...") >= 0) or text.rfind(b"est of ") >= 0:
        return True
    if text.startswith(b" ") and b"\t" in text[:8]:
        return True  # as 'cat -n' has it
    return not text.isascii() and (b"\xe2\x80\xa6" in text or b"\xe2\x86\x92" in text)


# The suffixes of all languages that `structure` knows; a test compares them.
PARSED = frozenset(
    "sh bash c h cs cc cpp cxx hh hpp hxx go java cjs js jsx mjs json php py pyi rb rs toml tsx cts mts ts "
    "yaml yml".split()
)
_QUICK = 1 << 18  # bytes of a Python file that is read at once


def may_break_syntax(made: Plan) -> bool:
    """Whether a plan leaves a source file that has to be looked at by a parser.

    Python sources are read by the interpreter itself, which loads nothing; nearly all of them are sound.
    """
    for name, change in made.changes.items():
        leaf = name.rpartition("/")[2]
        suffix = leaf.rpartition(".")[2].lower() if "." in leaf else ""
        if change.after is None or isinstance(change.after, Whole) or suffix not in PARSED:
            continue
        source = b"".join(change.after)
        if suffix not in ("py", "pyi") or len(source) > _QUICK:
            return True
        from patchkit.structure.python_source import fault  # for sources only

        if fault(source):
            return True
    return False
