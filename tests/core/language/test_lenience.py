"""Each lenience by name: what it forgives, the note that says so, and that strict mode does not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from strategies import examples, outcome, patches

from patchkit import PatchkitError, parse, write
from patchkit.core.language import AddFile, DeleteFile, Hunk, Patch, UpdateFile
from patchkit.core.language.lenience import LENIENCES

UPDATE = UpdateFile("a", None, [Hunk([], [" x", "-y", "+z"])])
BODY = "*** Update File: a\n@@\n x\n-y\n+z\n"
PLAIN = f"*** Begin Patch\n{BODY}*** End Patch\n"
COMMAND = {"command": ["apply_patch", PLAIN]}

# Name of the lenience: texts that need it, and what they mean.
CASES: dict[str, list[tuple[str, Patch]]] = {
    "outside-text": [
        ("Here is the patch:\n" + PLAIN, Patch([UPDATE])),
        (PLAIN + "Done.\nAnything else\n", Patch([UPDATE])),
    ],
    "blank-between": [
        (PLAIN.replace("*** Update", "\n  \n*** Update"), Patch([UPDATE])),
        (PLAIN.replace("*** End", "\n*** End"), Patch([UPDATE])),
        (PLAIN.replace("*** End", "*** Add File: b\n+x\n\n*** End"), Patch([UPDATE, AddFile("b", "x\n")])),
        (
            PLAIN.replace("*** End", "\n@@ b\n+c\n*** End"),
            Patch([UpdateFile("a", None, [*UPDATE.hunks, Hunk(["b"], ["+c"])])]),
        ),
    ],
    "heredoc": [
        (f"apply_patch <<'EOF'\n{PLAIN}EOF\n", Patch([UPDATE])),
        (f'cat <<-"END_OF_IT" | patchkit apply\n{PLAIN}END_OF_IT\n', Patch([UPDATE])),
        (f"<<EOF\n{PLAIN}EOF", Patch([UPDATE])),
    ],
    "fence": [
        (f"```diff\n{PLAIN}```\n", Patch([UPDATE])),
        (f"~~~\n{PLAIN}~~~\n", Patch([UPDATE])),
    ],
    "byte-order-mark": [("\ufeff" + PLAIN, Patch([UPDATE]))],
    "marker-spelling": [
        (PLAIN.replace("Begin Patch", "Begin Patch ***"), Patch([UPDATE])),
        (PLAIN.replace("*** End", "***End"), Patch([UPDATE])),
        (PLAIN.replace("File: a", "File:a"), Patch([UPDATE])),
        (PLAIN.replace("Update File", "update file"), Patch([UPDATE])),
        (PLAIN.replace("@@", "@@ \t"), Patch([UPDATE])),
        (PLAIN.replace("@@", "@@b"), Patch([UpdateFile("a", None, [Hunk(["b"], UPDATE.hunks[0].lines)])])),
        (PLAIN.replace("*** Update", " *** Update"), Patch([UPDATE])),
    ],
    "bare-blank": [
        (PLAIN.replace("-y\n", "\n-y\n"), Patch([UpdateFile("a", None, [Hunk([], [" x", " ", "-y", "+z"])])])),
        (
            "*** Begin Patch\n*** Add File: b\n+x\n\n\n+y\n*** End Patch\n",
            Patch([AddFile("b", "x\n\n\ny\n")]),
        ),
    ],
    "indented": [
        ("".join(f"    {line}\n" for line in PLAIN.splitlines()), Patch([UPDATE])),
        ("".join(f"\t{line}\n" for line in PLAIN.splitlines()), Patch([UPDATE])),
    ],
    "carriage-returns": [(PLAIN.replace("\n", "\r\n"), Patch([UPDATE]))],
    "unified-file-header": [
        (PLAIN.replace("@@\n", "--- a/a\n+++ b/a\n@@\n"), Patch([UPDATE])),
    ],
    "unified-hunk-header": [
        (PLAIN.replace("@@", "@@ -3,2 +3,2 @@"), Patch([UPDATE])),
        (
            PLAIN.replace("@@", "@@ -3 +3 @@ def f():"),
            Patch([UpdateFile("a", None, [Hunk(["def f():"], UPDATE.hunks[0].lines)])]),
        ),
        (
            PLAIN.replace("@@", "@@ def f(): @@"),
            Patch([UpdateFile("a", None, [Hunk(["def f():"], UPDATE.hunks[0].lines)])]),
        ),
    ],
    "no-end-marker": [
        (f"apply_patch <<'EOF'\n*** Begin Patch\n{BODY}EOF\n", Patch([UPDATE])),
        (f"```\n*** Begin Patch\n{BODY}```\n", Patch([UPDATE])),
        (json.dumps({"input": f"*** Begin Patch\n{BODY}"}), Patch([UPDATE])),
    ],
    "json": [
        (json.dumps({"input": PLAIN}), Patch([UPDATE])),
        (json.dumps({"patch": PLAIN}), Patch([UPDATE])),
        (json.dumps(["apply_patch", PLAIN]), Patch([UPDATE])),
        (json.dumps(COMMAND), Patch([UPDATE])),
        ("apply_patch " + json.dumps({"input": PLAIN}), Patch([UPDATE])),
    ],
    "literal-newlines": [(PLAIN.replace("\n", "\\n"), Patch([UPDATE]))],
    "several-envelopes": [
        (PLAIN + "*** Begin Patch\n*** Delete File: b\n*** End Patch\n", Patch([UPDATE, DeleteFile("b")])),
    ],
    "empty-hunk": [(PLAIN.replace("@@", "@@\n@@", 1), Patch([UPDATE]))],
    "idle-end-of-file": [
        (
            PLAIN.replace("*** Update", "*** Add File: b\n+x\n*** End of File\n*** Update"),
            Patch([AddFile("b", "x\n"), UPDATE]),
        ),
        (
            "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End of File\n*** End Patch\n",
            Patch([UpdateFile("a", "b")]),
        ),
    ],
    "missing-sign": [(PLAIN.replace(" x", "x"), Patch([UPDATE]))],
    "missing-plus": [
        ("*** Begin Patch\n*** Add File: b\n+x\ny\n- z\n*** End Patch\n", Patch([AddFile("b", "x\ny\n- z\n")])),
        ("*** Begin Patch\n*** Add File: b\nx\n  y\n*** End Patch\n", Patch([AddFile("b", "x\n  y\n")])),
    ],
    "indented-end": [(PLAIN.replace("*** End", " *** End"), Patch([UPDATE]))],
}
# The wrapping that shows where a patch without its End marker ends is a lenience too.
BEFORE = {"no-end-marker": {"heredoc", "fence", "json"}}
TOGETHER = {
    "heredoc in json": (json.dumps({"command": f"apply_patch <<'EOF'\n{PLAIN}EOF"}), ["json", "heredoc"]),
    "fence and prose": (f"Sure:\n```\n{PLAIN}```\n", ["outside-text", "fence"]),
    "fence and carriage returns": (f"```\n{PLAIN}```\n".replace("\n", "\r\n"), ["carriage-returns", "fence"]),
}


def used(patch: Patch) -> list[str]:
    """The leniences that the notes of a patch name."""
    assert {note.code for note in patch.notes} <= {"P901"}
    return [note.facts["lenience"] for note in patch.notes]


def test_every_lenience_has_its_case_here():
    assert sorted(name for name, cases in CASES.items() if cases) == sorted(lenience.name for lenience in LENIENCES)


@pytest.mark.parametrize(
    ("name", "text", "meant"),
    [(name, text, meant) for name, cases in CASES.items() for text, meant in cases],
    ids=[f"{name}-{number}" for name, cases in CASES.items() for number, _ in enumerate(cases, 1)],
)
class TestALenience:
    def test_is_taken_as_it_was_meant_and_noted(self, name, text, meant):
        patch = parse(text)

        found = [lenience for lenience in used(patch) if lenience not in BEFORE.get(name, ())]
        assert (patch, found) == (meant, [name])

    def test_has_a_note_that_can_be_put_into_words(self, name, text, meant):
        assert [note.message for note in parse(text).notes if "?" in note.message] == []

    def test_is_refused_or_read_by_the_letter_in_strict_mode(self, name, text, meant):
        patch = outcome(parse, text, strict=True)

        assert isinstance(patch, PatchkitError) or (patch == meant, patch.notes) == (False, [])


@pytest.mark.parametrize("name", TOGETHER)
def test_a_patch_in_several_wrappings_is_found(name):
    text, leniences = TOGETHER[name]
    patch = parse(text)

    assert (patch, used(patch)) == (Patch([UPDATE]), leniences)


@pytest.mark.parametrize("name", TOGETHER)
def test_a_wrapped_patch_is_refused_in_strict_mode(name):
    with pytest.raises(PatchkitError):
        parse(TOGETHER[name][0], strict=True)


@given(patch=patches())
@examples(80)
def test_strict_mode_notes_nothing(patch):
    assert parse(write(patch), strict=True).notes == []


def test_notes_know_their_line():
    text = "Hello\n" + PLAIN.replace("-y\n", "\n-y\n")

    assert [(note.facts["lenience"], note.facts["patch_line"]) for note in parse(text).notes] == [
        ("outside-text", 1),
        ("bare-blank", 6),
    ]


# -- where a reading could lose or invent something ----------------------------------------------


def test_a_patch_that_just_stops_is_refused():
    with pytest.raises(PatchkitError) as refusal:
        parse(f"*** Begin Patch\n{BODY}")

    assert refusal.value.code == "P102"


def test_a_heredoc_that_just_stops_is_refused():
    with pytest.raises(PatchkitError) as refusal:
        parse(f"apply_patch <<'EOF'\n*** Begin Patch\n{BODY}")

    assert refusal.value.code == "P102"


def test_a_section_after_the_end_marker_is_refused():
    with pytest.raises(PatchkitError) as refusal:
        parse(PLAIN + "*** Delete File: b\n")

    assert refusal.value.code == "P103"


def test_a_new_file_whose_first_line_has_a_space_for_its_sign_is_refused():
    with pytest.raises(PatchkitError) as refusal:
        parse("*** Begin Patch\n*** Add File: b\n x\n y\n*** End Patch\n")

    assert refusal.value.code == "P107"


def test_a_unified_file_header_alone_does_not_make_an_update_of_nothing():
    text = "*** Begin Patch\n*** Update File: a\n--- a/a\n+++ b/a\n*** Delete File: b\n*** End Patch\n"

    patch = outcome(parse, text)

    by_the_letter = Patch([UpdateFile("a", None, [Hunk([], ["--- a/a", "+++ b/a"])]), DeleteFile("b")])
    assert patch == by_the_letter or patch.code == "P105"


def test_a_blank_line_after_a_no_newline_marker_is_spacing_or_refused():
    text = "*** Begin Patch\n*** Update File: a\n@@\n-x\n\\ No newline at end of file\n\n+y\n*** End Patch\n"

    patch = outcome(parse, text)

    spaced = Hunk([], ["-x", "+y"], at_eof=True, final_newline=True)
    assert patch == Patch([UpdateFile("a", None, [spaced])]) or isinstance(patch, PatchkitError)


def test_the_line_number_of_a_unified_header_becomes_a_hint():
    hunk = parse(PLAIN.replace("@@", "@@ -37,2 +40,2 @@")).sections[0].hunks[0]

    assert (hunk.hint, hunk.anchors) == (37, [])


def test_literal_newlines_leave_an_escaped_backslash_alone():
    text = "*** Begin Patch\\n*** Add File: a\\n+one\\ttab \\\\n \\d\\n*** End Patch"

    assert parse(text) == Patch([AddFile("a", "one\ttab \\n \\d\n")])


def test_a_carriage_return_inside_a_line_is_content():
    text = PLAIN.replace("+z", "+z\rw")

    assert parse(text).sections[0].hunks[0].lines == [" x", "-y", "+z\rw"]


def test_an_indented_marker_of_a_new_file_stays_its_content():
    text = "*** Begin Patch\n*** Add File: a\n+*** End Patch\n+```\n+EOF\n*** End Patch\n"

    assert parse(f"```\n{text}```\n") == Patch([AddFile("a", "*** End Patch\n```\nEOF\n")])


def test_a_kept_line_that_looks_like_a_marker_is_content():
    text = PLAIN.replace(" x", " *** Update File: b")

    patch = parse(text)

    assert (patch.sections[0].hunks[0].lines, patch.notes) == ([" *** Update File: b", "-y", "+z"], [])


def test_a_new_file_keeps_its_carriage_returns_where_the_markers_have_none():
    text = (
        "*** Begin Patch\n*** Add File: a.txt\n+one\r\n+two\r\n*** Update File: b.txt\n@@\n-x\r\n+y\r\n*** End Patch\n"
    )

    patch = parse(text)

    assert patch.sections[0].text == "one\r\ntwo\r\n"
    assert patch.sections[1].hunks[0].lines == ["-x", "+y"]
    assert used(patch) == ["carriage-returns"]


@pytest.mark.parametrize("sign", ["", "+"])  # with it, the blank line is the first one without
@pytest.mark.parametrize(("blank", "text"), [("\t", "\t"), ("  ", "  "), (" ", ""), ("", "")])
def test_whitespace_alone_on_a_line_of_a_new_file_without_pluses_is_its_text(sign, blank, text):
    lines = ["*** Add File: a.c", "+int a;", f"{sign}int f() {{", blank, "\treturn 1;", "}"]
    patch = parse("\n".join(["*** Begin Patch", *lines, "*** End Patch", ""]))

    assert patch.sections == [AddFile("a.c", f"int a;\nint f() {{\n{text}\n\treturn 1;\n}}\n")]


def test_a_tab_alone_below_a_new_file_with_all_its_pluses_is_not_its_text():
    lines = ["*** Add File: a.c", "+int a;", "\t", "*** Delete File: b"]
    patch = parse("\n".join(["*** Begin Patch", *lines, "*** End Patch", ""]))

    assert patch.sections[0] == AddFile("a.c", "int a;\n")


def test_a_tab_alone_on_a_line_of_a_hunk_below_such_a_file_is_an_empty_line():
    lines = ["*** Add File: a.c", "int a;", "int b;", "*** Update File: b", "@@", " x", "\t", "-y", "+z"]
    patch = parse("\n".join(["*** Begin Patch", *lines, "*** End Patch", ""]))

    assert patch.sections[1].hunks[0].lines == [" x", " ", "-y", "+z"]
