"""The push parser: what it gives, when it gives it, and what its refusals say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CHARACTERS, cuts, examples, outcome, patches

from patchkit import PatchkitError, parse, write
from patchkit.core.language import AddFile, DeleteFile, Hunk, Patch, UpdateFile
from patchkit.core.language._grammar import KINDS, STATES
from patchkit.core.language.parser import Parser


def envelope(*lines: str) -> str:
    return "".join(line + "\n" for line in ["*** Begin Patch", *lines, "*** End Patch"])


# -- what a text says ----------------------------------------------------------------------------


def test_every_kind_of_section_is_read_as_written():
    text = envelope(
        "*** Environment ID: box 7",
        "*** Add File: new.txt",
        "+one",
        "+",
        "*** Delete File: old.txt",
        "*** Update File: a.py",
        "*** Move to: b.py",
        " kept",
        "-gone",
        "@@ class A",
        "@@   def f(self):",
        "+come",
        "*** End of File",
    )

    assert parse(text, strict=True) == Patch(
        [
            AddFile("new.txt", "one\n\n"),
            DeleteFile("old.txt"),
            UpdateFile(
                "a.py",
                "b.py",
                [
                    Hunk([], [" kept", "-gone"]),
                    Hunk(["class A", "  def f(self):"], ["+come"], at_eof=True),
                ],
            ),
        ],
        "box 7",
    )


def test_sections_and_hunks_know_their_line_in_the_patch():
    text = envelope("*** Add File: d", "+x", "+y", "+z", "*** Update File: a", " x", "@@ b", "@@ c", "-y")

    add, update = parse(text, strict=True).sections

    assert (add.line, update.line, [hunk.line for hunk in update.hunks]) == (2, 6, [7, 8])


def test_an_add_without_lines_is_an_empty_file():
    assert parse(envelope("*** Add File: a"), strict=True) == Patch([AddFile("a", "")])


def test_the_marker_after_the_last_added_line_leaves_the_final_newline_out():
    text = envelope("*** Add File: a", "+x", "+y", "\\ No newline at end of file")

    assert parse(text, strict=True) == Patch([AddFile("a", "x\ny")])


NO_NEWLINE = "\\ No newline at end of file"


@pytest.mark.parametrize(
    ("body", "hunk"),
    [
        (["-x", NO_NEWLINE, "+x"], Hunk([], ["-x", "+x"], at_eof=True, final_newline=True)),
        (["-x", NO_NEWLINE], Hunk([], ["-x"], at_eof=True, final_newline=True)),
        (["-x", "+x", NO_NEWLINE], Hunk([], ["-x", "+x"], at_eof=True, final_newline=False)),
        (["-x", NO_NEWLINE, "+y", NO_NEWLINE], Hunk([], ["-x", "+y"], at_eof=True, final_newline=False)),
    ],
)
def test_the_no_newline_marker_speaks_of_the_line_above_it(body, hunk):
    assert parse(envelope("*** Update File: a", "@@", *body), strict=True) == Patch([UpdateFile("a", None, [hunk])])


def test_a_no_newline_marker_under_a_kept_line_changes_nothing_about_the_final_newline():
    text = envelope("*** Update File: a", "@@", "-x", " y", NO_NEWLINE)

    assert parse(text, strict=True).sections[0].hunks[0].final_newline is None


def test_markers_after_a_sign_are_content():
    text = envelope("*** Update File: a", "@@", " *** End Patch", "-@@", "+*** Begin Patch")

    assert parse(text, strict=True).sections[0].hunks == [Hunk([], [" *** End Patch", "-@@", "+*** Begin Patch"])]


@given(text=st.text(CHARACTERS + "\r\n"))
@examples(100)
def test_no_character_but_the_line_feed_ends_a_line_of_the_patch(text):
    added = parse(envelope("*** Add File: a", *["+" + line for line in text.split("\n")]), strict=True)

    assert added == Patch([AddFile("a", text + "\n")])


@pytest.mark.parametrize("character", "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\r")
def test_a_separator_that_is_no_line_feed_stays_inside_its_line(character):
    text = envelope("*** Update File: a", "@@", f"-x{character}y", f"+{character}")

    assert parse(text, strict=True).sections[0].hunks == [Hunk([], [f"-x{character}y", f"+{character}"])]


@pytest.mark.parametrize(
    ("codec", "mark"),
    [
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("utf-32-le", b"\xff\xfe\x00\x00"),
        ("utf-32-be", b"\x00\x00\xfe\xff"),
    ],
)
def test_a_patch_in_another_encoding_is_read_by_its_mark(codec, mark):
    text = envelope("*** Add File: ä", "+€ 𝄞")

    assert parse(mark + text.encode(codec)) == Patch([AddFile("ä", "€ 𝄞\n")])


def test_patch_bytes_that_are_no_utf8_are_carried():
    data = envelope("*** Add File: a", "+@").encode().replace(b"+@", b"+\xff\xe9")

    assert parse(data, strict=True) == Patch([AddFile("a", "\udcff\udce9\n")])


@pytest.mark.parametrize("data", [b"\xff\xfeabc", b"\xff\xfe\x00\x00abc", b"\xfe\xff\xd8\x00"])
def test_patch_bytes_that_belie_their_mark_are_refused(data):
    with pytest.raises(PatchkitError) as refusal:
        parse(data)

    assert refusal.value.code == "P111"


# -- pieces --------------------------------------------------------------------------------------


def fed(pieces: list[str], strict: bool) -> tuple[list[list[object]], Patch | tuple[str, dict[str, object]]]:
    """The sections each piece completed, and the whole Patch or the refusal."""
    parser = Parser(strict)
    given_out: list[list[object]] = []
    try:
        for piece in pieces:
            given_out.append(list(parser.feed(piece)))
        return given_out, parser.finish()
    except PatchkitError as error:
        return given_out, (error.code, error.facts)


@given(data=st.data(), patch=patches(), strict=st.booleans())
@examples(100)
def test_any_pieces_give_what_the_whole_text_gives(data, patch, strict):
    text = write(patch)

    _, whole = fed([text], strict)
    _, pieced = fed(data.draw(cuts(text)), strict)

    assert pieced == whole
    assert whole == patch or not strict


LINES = [
    *(opening + ("x" if wanted == "solid" else "") for _, opening, wanted in KINDS),
    "",
    "x",
    " *** End Patch",
    "***Add File:x",
    "```",
    "@@ -1,2 +1,2 @@",
    "--- a",
    "+++ b",
]


@given(data=st.data(), lines=st.lists(st.sampled_from(LINES), max_size=8), strict=st.booleans())
@examples(250)
def test_any_pieces_of_a_bad_text_give_the_refusal_of_the_whole(data, lines, strict):
    text = "".join(line + "\n" for line in ["*** Begin Patch", *lines])

    _, whole = fed([text], strict)
    _, pieced = fed(data.draw(cuts(text)), strict)

    assert pieced == whole


@given(patch=patches())
@examples(50)
def test_the_one_shot_parse_is_the_push_parser_fed_once(patch):
    text = write(patch)

    assert fed([text], strict=True)[1] == parse(text, strict=True)


@given(data=st.data(), patch=patches())
@examples(100)
def test_completed_sections_come_out_once_and_in_order(data, patch):
    parser = Parser(strict=True)
    given_out: list[object] = []
    for piece in data.draw(cuts(write(patch))):
        given_out.extend(parser.feed(piece))
        assert given_out == patch.sections[: len(given_out)]

    assert parser.finish().sections[: len(given_out)] == given_out
    assert len(patch.sections) - len(given_out) <= 1  # the last may wait for the end of the text


def test_a_section_comes_out_with_the_line_that_ends_it():
    parser = Parser(strict=True)
    text = envelope("*** Add File: a", "+x", "*** Delete File: b", "*** Update File: c", "@@", "-y")

    given_out = [parser.feed(line + "\n") for line in text.splitlines()]

    assert given_out == [
        [],
        [],
        [],
        [AddFile("a", "x\n")],
        [DeleteFile("b")],
        [],
        [],
        [UpdateFile("c", None, [Hunk([], ["-y"])])],
    ]


def test_a_section_given_out_does_not_change_afterwards():
    parser = Parser(strict=True)
    first = parser.feed("*** Begin Patch\n*** Update File: a\n@@\n-x\n*** Add File: b\n+y\n")[0]
    parser.feed("+z\n*** End Patch\n")

    assert first == UpdateFile("a", None, [Hunk([], ["-x"])])
    assert parser.finish().sections[0] is first


# -- refusals ------------------------------------------------------------------------------------


def refusal(text: str, strict: bool = True) -> tuple[str, int, int, str, set[str]]:
    with pytest.raises(PatchkitError) as caught:
        parse(text, strict=strict)
    error = caught.value
    return (
        error.code,
        error.patch_line,
        error.facts["column"],
        error.facts["found"],
        set(error.facts["expected"]),
    )


SECTIONS = {"*** Add File: ", "*** Delete File: ", "*** Update File: "}
BODY = {" ", "-", "+"}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["hello"], ("P103", 2, 1, "hello", {"*** Environment ID: ", *SECTIONS, "*** End Patch"})),
        (["*** Delete File: a", "+x"], ("P103", 3, 1, "+x", {*SECTIONS, "*** End Patch"})),
        (["*** Add File:"], ("P104", 2, 14, "*** Add File:", {"*** Environment ID: ", *SECTIONS, "*** End Patch"})),
        (
            ["*** Update File: a", "*** Delete File: b"],
            ("P105", 2, 1, "*** Delete File: b", {"*** Move to: ", *BODY, "@@", "@@ "}),
        ),
        (["*** Update File: a", "@@", "@@"], ("P106", 3, 1, "@@", BODY)),
        (["*** Update File: a", "@@ b", "*** End of File"], ("P106", 3, 1, "*** End of File", {*BODY, "@@ "})),
        (["*** Add File: a", "x"], ("P107", 3, 1, "x", {*SECTIONS, "+", "*** End Patch"})),
    ],
)
def test_a_refusal_gives_line_column_what_was_found_and_what_may_come(lines, expected):
    assert refusal(envelope(*lines)) == expected


def test_a_text_that_does_not_begin_with_the_marker_is_refused_at_its_first_line():
    assert refusal("*** Begin Patches\n*** End Patch\n") == (
        "P101",
        1,
        1,
        "*** Begin Patches",
        {"*** Begin Patch"},
    )


def test_a_cut_off_patch_is_refused_at_its_last_line():
    text = "*** Begin Patch\n*** Update File: a\n@@\n-x\n"

    assert refusal(text) == ("P102", 4, 1, "", {"*** End Patch"})


@given(lines=st.lists(st.sampled_from(LINES), max_size=6), begun=st.booleans(), strict=st.booleans())
@examples(250)
def test_every_refusal_of_the_parser_carries_its_place_and_what_may_come_next(lines, begun, strict):
    text = "".join(line + "\n" for line in (["*** Begin Patch"] if begun else []) + lines)
    error = outcome(parse, text, strict=strict)

    if isinstance(error, PatchkitError):
        assert 1 <= error.patch_line <= max(1, text.count("\n"))
        assert error.facts["column"] >= 1
        assert error.facts.get("found") in {"", *text.split("\n")}
        assert error.facts["expected"] or "*** End Patch" in text  # nothing may come after the End marker
        assert set(error.facts["expected"]) <= {opening for _, opening, _ in KINDS}


def test_a_line_after_the_end_marker_is_refused_with_a_hint_that_makes_sense():
    with pytest.raises(PatchkitError) as caught:
        parse(envelope("*** Delete File: a") + "*** Delete File: b\n", strict=True)

    error = caught.value
    assert (error.code, error.patch_line, error.facts["found"]) == ("P103", 4, "*** Delete File: b")
    assert "write one of  here" not in error.hint


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "P108"),
        ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "P108"),
        ("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "P108"),
        ("a.py\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n", "P108"),
        ('{"file_path": "x", "old_string": "a", "new_string": "b"}', "P108"),
        ('[{"type": "delete_file", "path": "x"}]', "P108"),
        ("fix.patch", "P109"),
        ("/tmp/fix.patch\n", "P109"),
        ("", "P101"),
        ("one\ntwo\n", "P101"),
    ],
)
def test_what_is_no_patch_at_all_gets_the_hint_that_helps(text, code):
    with pytest.raises(PatchkitError) as caught:
        parse(text)

    assert caught.value.code == code


@given(text=st.text("\n\n\r" + CHARACTERS, max_size=60), strict=st.booleans())
@examples(150)
def test_any_text_parses_or_is_refused(text, strict):
    answer = outcome(parse, text, strict=strict)

    assert isinstance(answer, Patch) or "P101" <= answer.code <= "P109"


def test_after_a_bare_anchor_signs_may_come_in_any_order_and_only_the_last_one_counts():
    """The parser takes hunks of a bare anchor in one step because of this."""
    signs = ["KEPT", "REMOVED", "ADDED"]
    opened = {row["BARE_ANCHOR"] for row in STATES if "BARE_ANCHOR" in row}
    (after,) = opened
    ends = {sign: STATES[after][sign] for sign in signs}

    assert [{sign: STATES[state][sign] for sign in signs} for state in ends.values()] == [ends] * 3
    assert [STATES[state]["BARE_ANCHOR"] for state in ends.values()] == [after] * 3


def test_blank_lines_in_front_of_a_patch_are_counted_and_taken_in_one_step():
    parser = Parser()
    parser.take_line = None  # type: ignore[assignment]  # nothing is taken line by line
    parser.feed("\n \n" * 50_000)

    assert parser.number == 100_000
