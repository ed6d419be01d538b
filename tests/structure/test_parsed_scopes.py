"""Hunks that are refused because of the scope of their anchor, and what a grammar says about it.

Bash has its grammar everywhere: it is what reads command lines.
"""

from __future__ import annotations

import pytest

import patchkit
from patchkit.catalogue.sentences import label
from patchkit.sources import MemoryFiles
from patchkit.streaming import PatchStream
from patchkit.structure import grammars, parsed_scopes

# The text that is shown has a line like the head of a definition, which ends that of 'brew' for words and depths.
TEA = "brew() {\n  cat <<TEXT\nserve() {\nTEXT\n  cups=3\n  wait\n}\n\nserve() {\n  cups=3\n}\n"
FILES = {"tea.sh": TEA.encode()}
PATCH = "*** Begin Patch\n*** Update File: tea.sh\n@@ brew() {\n-  cups=3\n+  cups=4\n*** End Patch\n"


def planned(patch: str, files: dict[str, bytes], **options: bool) -> tuple[str, list[str]]:
    """The one file after the patch, or the places it was refused for; and the codes of notes or of the error."""
    try:
        plan = patchkit.plan(patch, files, **options)
    except patchkit.PatchkitError as error:
        return error.facts["places"], [error.code]
    (change,) = plan.changes.values()
    return b"".join(change.after).decode(), [label(note.code, note.facts) for note in plan.notes]


REFUSED = "lines 5, 10", ["P211"]


def test_a_hunk_is_placed_in_the_definition_that_a_grammar_sees():
    (note,) = patchkit.plan(PATCH, FILES).notes

    assert planned(PATCH, FILES) == (TEA.replace("cups=3", "cups=4", 1), ["P937:parsed-scope"])
    assert note.message == (
        "hunk 1 of 'tea.sh' (line 3): line 5, the only place in 'brew() {' as a grammar reads it (lines 1 to 7)"
    )


def test_a_hunk_may_add_right_behind_that_definition():
    patch = "*** Begin Patch\n*** Update File: tea.sh\n@@ brew() {\n+\n+pour() {\n+}\n \n*** End Patch\n"

    assert planned(patch, FILES) == (TEA.replace("}\n\n", "}\n\npour() {\n}\n\n", 1), ["P937:parsed-scope"])


def test_a_stream_of_the_patch_is_not_refused_either():
    arrivals = PatchStream(MemoryFiles(FILES)).feed(PATCH)

    assert [each.line for each in arrivals if each.what == "hunk"] == [5]


def test_a_hunk_is_refused_as_ever_where_the_grammar_is_missing_or_raises(monkeypatch):
    monkeypatch.setattr(grammars, "_parsers", {"bash": None})
    assert planned(PATCH, FILES) == REFUSED

    monkeypatch.setattr(parsed_scopes, "SyntaxScopes", lambda path, texts: 1 // 0)
    assert planned(PATCH, FILES) == REFUSED


def test_a_hunk_is_refused_as_ever_under_strict_and_in_a_file_without_a_language(monkeypatch):
    monkeypatch.setattr(parsed_scopes, "SyntaxScopes", None)  # it is not asked

    assert planned(PATCH, FILES, strict=True) == REFUSED
    assert planned(PATCH.replace("tea.sh", "tea"), {"tea": FILES["tea.sh"]}) == REFUSED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  wait\n", "  cups=3\n"),  # twice in the definition
        ("  wait\n}\n", "  wait\n}\n\nbrew() {\n  stir\n}\n"),  # two definitions
        ("  wait\n", "  wait ((\n"),  # an error in it
        ("  wait\n}\n", "  wait\n}\n)\n"),  # an error next to it
        ("  wait\n}\n", "  wait\n  }\n"),  # the brace is not where it should be
        ("TEXT\n  cups=3\n", "TEXT\n  cups=2\n"),  # not in it at all
    ],
)
def test_what_the_grammar_leaves_in_doubt_is_refused(old, new):
    text = TEA.replace(old, new, 1)

    assert planned(PATCH, {"tea.sh": text.encode()})[1][0] in ("P202", "P211")


def test_an_anchor_that_is_also_a_line_of_a_text_may_mean_that():
    assert planned(PATCH.replace("brew", "serve"), FILES) == ("lines 5, 10", ["P202"])


def test_a_hunk_that_needs_another_tolerance_as_well_is_refused():
    assert planned(PATCH.replace("  cups", "\tcups"), FILES) == REFUSED


def test_stacked_anchors_are_read_one_inside_the_other():
    shop = "shop() {\n" + "".join(f"  {line}\n" if line else "\n" for line in TEA.split("\n")[:-1]) + "}\n"
    shop = shop.replace("  serve() {\n  TEXT", "serve() {\nTEXT", 1)
    patch = PATCH.replace("@@ brew() {", "@@ shop() {\n@@ brew() {").replace("  cups", "    cups")

    assert planned(patch, {"tea.sh": shop.encode()}) == (shop.replace("cups=3", "cups=4", 1), ["P937:parsed-scope"])


def test_a_hunk_that_has_its_place_keeps_it():
    patch = PATCH.replace("*** End", "@@\n-  wait\n+  stir\n*** End")

    assert planned(patch, FILES) == (TEA.replace("cups=3", "cups=4", 1).replace("wait", "stir"), ["P937:parsed-scope"])


def test_a_hunk_without_any_place_leaves_all_refused():
    with pytest.raises(patchkit.PatchkitError) as caught:
        patchkit.plan(PATCH.replace("*** End", "@@\n-  milk=1\n+  milk=2\n*** End"), FILES)

    assert [each.code for each in caught.value.errors] == ["P211", "P201"]


def test_each_version_of_a_file_is_parsed_once_for_a_plan_and_a_large_one_never(monkeypatch):
    parsed = []
    parse = grammars.parsed
    monkeypatch.setattr(parsed_scopes, "parsed", lambda path, data: parsed.append(len(data)) or parse(path, data))
    section = PATCH.partition("\n")[2].rpartition("***")[0]
    lost = section.replace("cups", "milk")

    with pytest.raises(patchkit.PatchkitError):
        patchkit.plan(f"*** Begin Patch\n{section}{section}{section}{lost}*** End Patch\n", FILES)
    assert len(parsed) == 2

    assert planned(PATCH, {"tea.sh": FILES["tea.sh"] + b"# tea\n" * 200_000}) == REFUSED
    assert len(parsed) == 2


HEADS = [
    (
        "a.c",
        "static int\nbrew(int cups,\n     int milk)\n{\n    wait();\n}\nint x;\n",
        [6, 6, 6, None, None, None, None],
    ),
    ("a.c", "typedef struct tea {\n    int cups;\n} tea_t;\nint x;\n", [3, None, None, None]),
    ("a.cpp", "template <class T>\nclass Tea {\n  void brew() override {\n  }\n};\n", [5, 5, 4, None, None]),
    ("a.cs", "class Tea\n{\n    int Cups\n    {\n        get;\n    }\n}\n", [7, None, 6, None, None, None, None]),
    ("a.go", "func brew(\n\tcups int,\n) {\n\twait()\n}\ntype tea struct {\n\tcups int\n}\n", [5, 5, 5, None, None, 8]),
    ("A.java", "class Tea {\n    @Old\n    void brew(int a,\n              int b) {\n    }\n}\n", [6, 5, 5, 5]),
    ("a.js", "export const brew = async (a) => {\n  wait();\n};\nit('pours', () => {\n});\n", [3, None, None, 5]),
    ("a.php", "<?php\nclass Tea\n{\n    function brew() {\n    }\n}\n", [None, 6, None, 5]),
    ("a.py", "@old\ndef brew(\n    cups,\n):\n    wait()\n\nx = 1\n", [5, 5, 5, 5, None]),
    (
        "a.rb",
        "class Tea\n  def brew(cups)\n    wait\n  end\nend\nit 'pours' do\n  x\nend\n",
        [5, 4, None, None, None, 8],
    ),
    ("a.rs", "impl Tea {\n    fn brew<T>(\n        cups: T,\n    ) {\n    }\n}\n", [6, 5, 5, 5]),
    ("a.ts", "class Tea {\n  async brew(\n    cups: number,\n  ): Promise<void> {\n  }\n}\n", [6, 5, 5, 5]),
    ("a.sh", "brew()\n{\n  wait\n}\n", [4, None, None, None]),
]


BREW = "static int brew(int cups,\n                int milk)"
DECLARED = f"{BREW};\n\nint serve(int cups)\n{{\n    cups++;\n}}\n\n{BREW}\n{{\n    cups++;\n}}\n"


def test_a_definition_may_have_a_declaration_with_the_same_line():
    pytest.importorskip("tree_sitter_c", reason="the grammar is in the extra 'structure'")
    patch = "*** Begin Patch\n*** Update File: tea.c\n@@ static int brew(int cups,\n-{}\n+{}\n*** End Patch\n"
    body, head = patch.format("    cups++;", "    cups--;"), patch.format("                int milk);", "int milk);")

    assert planned(body, {"tea.c": DECLARED.encode()}) == (
        DECLARED[: -len("++;\n}\n")] + "--;\n}\n",
        ["P937:parsed-scope"],
    )
    assert planned(head, {"tea.c": DECLARED.encode()})[1] == []
    comment = f"/*\nstatic int brew(int cups,\n*/\n{DECLARED}"
    assert planned(body, {"tea.c": comment.encode()}) == ("lines 9, 15", ["P202"])


@pytest.mark.parametrize(("path", "text", "ends"), HEADS, ids=[f"{each[0]}-{n}" for n, each in enumerate(HEADS)])
def test_every_line_of_a_head_leads_to_the_end_of_its_definition(path, text, ends):
    package = grammars._PACKAGES[grammars.language_of(path)][0]
    pytest.importorskip(package, reason="the grammar is in the extra 'structure'")
    found = parsed_scopes.SyntaxScopes(path, text.split("\n")[:-1])

    assert [found.span_of(line) for line in range(len(ends))] == [
        None if end is None else parsed_scopes.SourceSpan(line, end, True) for line, end in enumerate(ends)
    ]
