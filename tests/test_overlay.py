"""Patches planned on top of each other in memory come to what they come to when each is applied in turn."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, outcome

from patchkit.core.changes import ancestors
from patchkit.core.changes.planner import plan
from patchkit.core.language.parser import parse
from patchkit.errors import PatchkitError
from patchkit.sources import MemoryFiles, Overlay

NAMES = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a", "a/x"])
LINES = st.sampled_from(["1", "2", "3"])
SECTIONS = st.one_of(
    st.builds("*** Add File: {}\n+{}\n".format, NAMES, LINES),
    st.builds("*** Delete File: {}\n".format, NAMES),
    st.builds("*** Update File: {}\n@@\n-{}\n+{}\n".format, NAMES, LINES, LINES),
    st.builds("*** Update File: {}\n*** Move to: {}\n".format, NAMES, NAMES),
)
PATCHES = st.lists(SECTIONS, min_size=1, max_size=3).map(
    lambda parts: f"*** Begin Patch\n{''.join(parts)}*** End Patch\n"
)
TREES = st.dictionaries(st.sampled_from(["a", "b", "d/a", "d/e/a"]), LINES.map(lambda line: f"{line}\n".encode()))


def shown(result):
    """What planning one patch came to: a code and its file, or every name with what is there afterwards."""
    if isinstance(result, PatchkitError):
        return [(error.code, error.file) for error in result.errors]
    return {
        name: b"".join(change.after) if change.after is not None else None for name, change in result.changes.items()
    }


@given(TREES, st.lists(PATCHES, min_size=1, max_size=5))
@examples(250)
def test_an_overlay_says_what_the_files_would_say_if_every_patch_had_been_applied(tree, patches):
    applied = MemoryFiles(dict(tree))
    original = MemoryFiles(dict(tree))
    layered = Overlay(original)
    for text in patches:
        really = outcome(plan, parse(text), applied)
        in_memory = outcome(plan, parse(text), layered)

        assert shown(in_memory) == shown(really)
        before = directories(applied)
        for result in (really, in_memory):
            if not isinstance(result, PatchkitError):
                result.commit()
        if before - directories(applied):
            break  # a mapping has no directories without files; an overlay keeps them, as a workspace does
    assert original.content == tree


def directories(files: MemoryFiles) -> set[str]:
    return {parent for name in files.content for parent in ancestors(name)}


def test_new_files_end_their_lines_as_settings_say_that_an_earlier_patch_brought_or_took_away():
    layered = Overlay(MemoryFiles({"d/.gitattributes": b"* eol=crlf\n"}))
    added = []
    for text in (
        "*** Add File: d/a\n+1\n",
        "*** Add File: .editorconfig\n+[*]\n+end_of_line = crlf\n*** Add File: a\n+1\n",
        "*** Add File: b\n+1\n",
        "*** Delete File: .editorconfig\n",
        "*** Add File: c\n+1\n",
    ):
        made = plan(parse(f"*** Begin Patch\n{text}*** End Patch\n"), layered)
        added += [(path, b"".join(change.after or [])) for path, change in made.changes.items() if len(path) < 4]
        made.commit()

    assert added == [("d/a", b"1\r\n"), ("a", b"1\n"), ("b", b"1\r\n"), ("c", b"1\n")]
