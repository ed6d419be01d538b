"""Where hunks belong: one place, or a refusal that lists the places."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.changes import Options
from patchkit.core.language import Hunk
from patchkit.core.matching import Match, Miss
from patchkit.core.matching.locate import locate
from patchkit.core.text import Document

TWO_FUNCTIONS = ["def f():", "    x = 1", "    return x", "", "def g():", "    x = 1", "    return x"]


def document(texts: list[str], ending: str = "\n") -> Document:
    return Document("".join(text + ending for text in texts).encode())


def found(texts: list[str], *hunks: Hunk, **allowed: object) -> list[object]:
    """For each hunk its line and pass, or the code of its Miss and the lines in question."""
    answers = locate(document(texts), list(hunks), Options(**allowed))
    return [
        (each.line, each.pass_name) if isinstance(each, Match) else (each.code, each.candidates) for each in answers
    ]


# -- text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (["a", "b", "c"], "exact"),
        (["a", "b ", "c"], "trailing-space"),
        (["a", "\tb", "c"], "surrounding-space"),
        (["a", "\u200bb", "c"], "typography"),
    ],
)
def test_a_hunk_is_found_by_the_strictest_pass_that_knows_it(texts, name):
    assert found(texts, Hunk([], [" a", "-b"])) == [(0, name)]


def test_an_exact_place_wins_over_one_that_is_only_like_it():
    assert found(["  a", "b", "a"], Hunk([], ["-a"])) == [(2, "exact")]


def test_a_place_that_lacks_the_whitespace_a_hunk_shows_does_not_win_over_one_that_has_it():
    """Whitespace at the end of a line is seldom invented; that it is lost is the rule."""
    texts, hunk = ["if a:", "b = 1", "c", "if\u00a0a:", "b = 1\t", "c"], [" if a:", " b = 1\t", "-c"]

    assert found(texts, Hunk([], hunk)) == [("P202", [0, 3])]
    assert found(texts, Hunk([], [line.rstrip("\t") for line in hunk])) == [(0, "exact")]
    assert found(["if a: ", *texts[1:]], Hunk([], [line.rstrip("\t") for line in hunk])) == [(0, "trailing-space")]


def test_a_pass_that_is_not_allowed_is_not_used():
    assert found(["a "], Hunk([], ["-a"]), max_pass="exact") == [("P207", [0])]


def test_a_tolerance_that_was_used_is_told():
    match = locate(document(["x", "a "]), [Hunk([], ["-a"], line=7)], Options())[0]

    assert [(note.code, note.facts) for note in match.notes] == [
        ("P921", {"hunk": 1, "patch_line": 7, "line": 2, "tolerance": "trailing-space"})
    ]


def test_an_exact_match_tells_nothing():
    assert locate(document(["a"]), [Hunk([], ["-a"])], Options())[0].notes == []


def test_a_hunk_whose_lines_are_nowhere_is_refused():
    assert found(["a", "b"], Hunk([], ["-z"])) == [("P201", [])]


def test_added_lines_take_the_indentation_of_a_place_found_without_it():
    match = locate(document(["    a", "    b"]), [Hunk([], [" a", "+if c:", "+    d", " b"])], Options())[0]

    assert [line for line in match.lines if line[0] == "+"] == ["+    if c:", "+        d"]


# -- several places ------------------------------------------------------------------------------


def test_a_hunk_that_fits_two_places_is_refused_with_both():
    assert found(["a", "b", "a"], Hunk([], ["-a"])) == [("P202", [0, 2])]


def test_places_that_overlap_are_several_places():
    assert found(["a", "a", "a"], Hunk([], ["-a", " a"])) == [("P202", [0, 1])]


def test_context_chooses_between_places():
    assert found(["a", "b", "a", "c"], Hunk([], ["-a", " c"])) == [(2, "exact")]


def test_the_order_of_hunks_chooses_between_places():
    assert found(["a", "x", "a", "y", "a"], Hunk([], ["-x"]), Hunk([], ["-a"]), Hunk([], ["-y"])) == [
        (1, "exact"),
        (2, "exact"),
        (3, "exact"),
    ]


def test_as_many_equal_hunks_as_places_take_one_each():
    assert found(["a", "b", "a"], Hunk([], ["-a"]), Hunk([], ["-a"])) == [(0, "exact"), (2, "exact")]


def test_fewer_equal_hunks_than_places_are_refused():
    answers = found(["a", "b", "a", "b", "a"], Hunk([], ["-a"]), Hunk([], ["-a"]))

    assert [code for code, _lines in answers] == ["P202", "P202"]


def test_hunks_out_of_the_files_order_are_placed_when_each_fits_one_place_only():
    assert found(["a", "b", "c"], Hunk([], ["-c"]), Hunk([], ["-a"])) == [(2, "exact"), (0, "exact")]


def test_hunks_may_share_context():
    assert found(["a", "b", "c"], Hunk([], ["-a", " b"]), Hunk([], [" b", "-c"])) == [(0, "exact"), (1, "exact")]


def test_two_hunks_that_change_the_same_line_are_refused():
    answers = found(["a", "b"], Hunk([], ["-a"]), Hunk([], ["-a", "-b"]))

    assert any(code == "P204" for code, _lines in answers)


def test_a_hunk_of_context_alone_does_not_let_its_neighbours_change_the_same_line():
    hunks = [Hunk([], [" a", " b", " c", "-d", "+D"]), Hunk([], [" c", " d"]), Hunk([], ["-d", "+E"])]

    answers = locate(document(["a", "b", "c", "d"]), hunks, Options())

    assert any(isinstance(answer, Miss) for answer in answers)


def test_the_first_place_is_taken_where_the_dialect_says_so():
    assert found(["a", "b", "a"], Hunk([], ["-a"]), dialect="codex") == [(0, "exact")]


# -- anchors and marks ---------------------------------------------------------------------------


@pytest.mark.parametrize(("anchor", "line"), [("def f():", 1), ("def g():", 5)])
def test_an_anchor_chooses_the_place_in_its_scope(anchor, line):
    assert found(TWO_FUNCTIONS, Hunk([anchor], ["-    x = 1"])) == [(line, "exact")]


def test_an_anchor_never_lets_a_hunk_into_the_next_definition():
    texts = ["def f():", "    pass", "def g():", "    x = 1"]

    assert found(texts, Hunk(["def f():"], ["-    x = 1"])) == [("P211", [3])]


def test_a_hunk_that_only_adds_goes_right_behind_its_anchor():
    assert found(TWO_FUNCTIONS, Hunk(["def g():"], ["+    y = 2"])) == [(5, "exact")]


def test_a_hunk_that_only_adds_goes_to_the_end_when_it_has_no_anchor():
    assert found(["a", "b"], Hunk([], ["+c"])) == [(2, "exact")]


def test_an_anchor_that_stands_twice_does_not_place_a_hunk_that_only_adds():
    code, lines = found(["def f():", "  x", "def f():", "  y"], Hunk(["def f():"], ["+  z"]))[0]

    assert (code, lines) == ("P208", [1, 3])


def test_an_anchor_that_is_not_there_is_forgiven_where_the_lines_fit_one_place_only():
    match = locate(document(["a", "b"]), [Hunk(["def h():"], ["-b"])], Options())[0]

    assert (match.line, [note.code for note in match.notes]) == (1, ["P922"])


def test_an_anchor_that_is_not_there_is_no_anchor_to_add_behind():
    assert found(["a", "b"], Hunk(["def h():"], ["+c"])) == [("P203", [])]


def test_an_anchor_that_is_not_there_is_refused_where_none_may_be_lost():
    assert found(["a", "b"], Hunk(["def h():"], ["-b"]), lost_anchors=False) == [("P203", [])]


def test_the_end_of_file_mark_chooses_the_last_place():
    assert found(["a", "b", "a"], Hunk([], ["-a"], at_eof=True)) == [(2, "exact")]


def test_the_end_of_file_mark_refuses_a_place_that_is_not_at_the_end():
    assert found(["a", "b"], Hunk([], ["-a"], at_eof=True)) == [("P206", [0])]


def test_a_deletion_is_not_done_while_most_of_it_stands():
    texts = ["head", "x", "one", "two", "x", "three", "tail", "head", "x", "tail"]
    hunk = Hunk([], [" head", " x", "-one", "-twoo", "-x", "-three", " tail"])

    assert found(texts, hunk) == [("P201", [])]


def test_a_change_is_not_done_while_lines_that_it_removes_are_beside_its_result():
    lines = ["-load one, two", "-load three", "-load four", "+load one"]

    assert found(["load one", "load three", "load four", "run"], Hunk([], lines)) == [("P201", [])]
    assert found(["start", "load one, two", "load one"], Hunk([], [*lines[1:3], *lines[:1], lines[3]])) == [
        ("P201", [])
    ]
    assert found(["load one", "run"], Hunk([], lines)) == [("P205", [0])]


def test_a_deletion_whose_lines_are_gone_is_done():
    assert found(["head", "tail"], Hunk([], [" head", "-one", " tail"])) == [("P205", [0])]


def test_an_anchor_of_the_definition_above_may_be_one_of_several_and_have_comments_below_it():
    one = ["def show(self):", "    return 1", ""]
    texts = [*one, *one, "# Two", "# lines", "# and", "# more", "@kept", "class Box:", "    size = 1", *one]

    assert found(texts, Hunk(["def show(self):"], [" class Box:", "-    size = 1", "+    size = 2"])) == [(11, "exact")]


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        ([" ", "-b = 2", "+b = 5", " "], (1, "blank-lines")),
        ([" ", "-b = 2", " "], (1, "blank-lines")),
        ([" ", "+b = 5", "-b = 2"], (1, "blank-lines")),
        # Where a line is only added, the blank one beside it is wanted there.
        ([" b = 2", "+b = 5", " "], ("P201", [])),
        ([" ", " b = 2", "+b = 5"], ("P201", [])),
        (["-", "-b = 2", "+b = 5"], ("P201", [])),
    ],
)
def test_blank_lines_around_what_is_replaced_need_not_be_there(lines, answer):
    assert found(["a = 1", "b = 2", "c = 3"], Hunk([], lines)) == [answer]


RELEASES = ["", "0.2 / May", "====", "", " * bump", "", "0.1 / April"]
SHELL = [
    "func run(cmd string) {",
    "\tif sh == nil {",
    "\t\tsh = find()",
    "\t}",
    "\treturn runWith(sh, cmd, group)",
    "}",
]
LATER = ["it('a', () => {", "  open(1)", "  same(one, '')", "})", "it('b, once more', () => {"]
LATER += ["  open(2)", "  same(two, 2)", "  open(3)", "  same(two, 3)", "  open(four)", "  same(one, 4)", "})"]
HEADED = ["package tty", "", "import (", '\t"errors"', ")", "", "func name() string {", '\treturn ""', "}"]


@pytest.mark.parametrize(
    ("texts", "lines", "answer"),
    [
        # Whitespace at the end of a line that was added has been removed since.
        (RELEASES, [" ", *("+" + x for x in ("0.2 / May", "====", "", " * bump", " ")), " 0.1 / April"], ("P205", [0])),
        # The line in the place of a kept one is another form of an added one.
        (
            SHELL,
            [
                *(" \tif sh == nil {", " \t\tsh = find()", " \t}"),
                *("+\treturn runWith(sh, cmd)", "+}", "+", "+func runWith(sh *Shell, cmd string) {"),
                *(' \treturn exec.Run(sh, "-c", cmd)', " }"),
            ],
            ("P201", []),
        ),
        # Half of what is added is there, in other words.
        (
            LATER,
            [
                *(" it('a', () => {", "   open(1)", "+  equal(one, '')", "+})", "+it('b', () => {"),
                *("+  open(2)", "+  equal(two, 2)", "+  open(3)", "+  equal(two, 3)", "+  open(four)"),
                *("   equal(one, '')", " })"),
            ],
            ("P201", []),
        ),
        # A kept line is elsewhere, and the one in its place is unlike it: what is added may go below the first.
        (
            HEADED,
            [" package tty", " ", '+import "os"', "+", " func name() string {", ' \treturn ""', " }"],
            ("P201", []),
        ),
    ],
)
def test_what_is_there_in_other_words_is_not_added_by_a_tolerance(texts, lines, answer):
    assert found(texts, Hunk([], lines)) == [answer]


def test_a_deletion_that_shows_one_side_only_is_not_known_to_be_done():
    assert found(["head", "tail"], Hunk([], [" head", "-one"])) == [("P201", [])]


def test_ten_thousand_scopes_of_one_anchor_are_no_hundred_million_questions():
    texts = [text for _ in range(4000) for text in ("def f():", "    x = 1")]

    code, lines = found(texts, Hunk(["def f():"], ["-    x = 1"]))[0]

    assert (code, lines[:2]) == ("P202", [1, 3])


def numbered(lines: list[str], hint: int) -> Hunk:
    hunk = Hunk([], lines)
    hunk.hint = hint
    return hunk


def test_the_line_number_of_a_unified_header_chooses_between_equal_places():
    assert found(["a", "b", "a"], numbered(["-a"], 3)) == [(2, "exact")]


def test_the_line_number_of_a_unified_header_does_not_outweigh_the_text():
    assert found(["a", "b", "c"], numbered(["-c"], 1)) == [(2, "exact")]


def test_a_line_number_alone_does_not_place_a_hunk_that_only_adds():
    assert [code for code, _ in found(["a", "b", "c"], numbered(["+x"], 2))] == ["P209"]


# -- never the wrong place in silence ------------------------------------------------------------

FEW = st.sampled_from(["a", "b", "c", "", "  a"])
SIGNS = st.sampled_from(["-", " "])


@st.composite
def placed_hunks(draw: st.DrawFn) -> tuple[list[str], int, Hunk]:
    """A file, a run of its lines, and a hunk that changes them and fits there and nowhere else."""
    texts = draw(st.lists(FEW, min_size=1, max_size=10))
    start = draw(st.integers(0, len(texts) - 1))
    stop = draw(st.integers(start + 1, min(start + 4, len(texts))))
    lines = [draw(SIGNS) + text for text in texts[start:stop]]
    lines.insert(draw(st.integers(0, len(lines))), "+new")
    hunk = Hunk([], lines)
    answer = locate(document(texts), [hunk], Options())[0]
    assume(isinstance(answer, Match))
    assert answer.line == start
    return texts, start, hunk


@given(placed=placed_hunks(), data=st.data())
@examples(250)
def test_a_second_copy_of_the_block_is_a_refusal_that_lists_both(placed, data):
    texts, start, hunk = placed
    block = hunk.old()
    at = data.draw(st.sampled_from([n for n in range(len(texts) + 1) if not start < n < start + len(block)]))
    copied = [*texts[:at], *block, *texts[at:]]

    answer = locate(document(copied), [hunk], Options())[0]

    assert isinstance(answer, Miss)
    assert (answer.code, len(answer.candidates) >= 2) == ("P202", True)


@given(placed=placed_hunks(), data=st.data())
@examples(250)
def test_fewer_context_lines_mean_the_same_place_or_a_refusal(placed, data):
    texts, start, hunk = placed
    kept_above = next(n for n, line in enumerate(hunk.lines) if line[0] != " ")
    kept_below = next(n for n, line in enumerate(reversed(hunk.lines)) if line[0] != " ")
    above = data.draw(st.integers(0, kept_above))
    below = data.draw(st.integers(0, kept_below))
    shorter = Hunk([], hunk.lines[above : len(hunk.lines) - below])
    assume(shorter.old())

    answer = locate(document(texts), [shorter], Options())[0]

    assert isinstance(answer, Miss) or answer.line == start + above


@st.composite
def anchored_hunks(draw: st.DrawFn) -> tuple[list[str], int, Hunk]:
    """Some functions, and a hunk anchored in one of them."""
    names = [f"def f{n}():" for n in range(draw(st.integers(1, 3)))]
    bodies = [draw(st.lists(FEW.map("    ".__add__), min_size=1, max_size=4)) for _ in names]
    which = draw(st.integers(0, len(names) - 1))
    first = draw(st.integers(0, len(bodies[which]) - 1))
    last = draw(st.integers(first + 1, len(bodies[which])))
    texts = [text for name, body in zip(names, bodies) for text in (name, *body)]
    start = texts.index(names[which]) + 1 + first
    hunk = Hunk([names[which]], ["-" + text for text in bodies[which][first:last]])
    return texts, start, hunk


@given(anchored=anchored_hunks(), data=st.data())
@examples(250)
def test_a_second_copy_of_an_anchored_block_means_the_same_place_or_a_refusal(anchored, data):
    texts, start, hunk = anchored
    assume(isinstance(locate(document(texts), [hunk], Options())[0], Match))
    block = hunk.old()
    at = data.draw(st.sampled_from([n for n in range(len(texts) + 1) if not start < n < start + len(block)]))
    copied = [*texts[:at], *block, *texts[at:]]
    there = start + len(block) if at <= start else start

    answer = locate(document(copied), [hunk], Options())[0]

    assert isinstance(answer, Miss) or answer.line == there


@given(anchored=anchored_hunks())
@examples(150)
def test_an_anchored_hunk_never_lands_outside_its_scope(anchored):
    texts, _start, hunk = anchored
    head = texts.index(hunk.anchors[0])
    end = next((n for n in range(head + 1, len(texts)) if texts[n].startswith("def ")), len(texts))

    answer = locate(document(texts), [hunk], Options())[0]

    assert isinstance(answer, Miss) or head < answer.line < end


@given(
    texts=st.lists(FEW, min_size=1, max_size=8),
    hunks=st.lists(st.lists(st.tuples(st.sampled_from(" -+"), FEW), min_size=1, max_size=3), min_size=1, max_size=3),
    at_eof=st.booleans(),
)
@examples(400)
def test_a_match_says_where_its_old_lines_stand(texts, hunks, at_eof):
    wanted = [Hunk([], [sign + text for sign, text in lines]) for lines in hunks]
    wanted[-1].at_eof = at_eof
    where = document(texts)

    answers = locate(where, wanted, Options(max_pass="typography"))

    assert len(answers) == len(wanted)
    if all(isinstance(answer, Match) for answer in answers):
        for hunk, match in zip(wanted, answers):
            standing = texts[match.line : match.line + match.count]
            assert [text.strip() for text in standing] == [text.strip() for text in hunk.old()]
            assert match.offset == where.offsets[match.line]


@given(
    texts=st.lists(FEW, min_size=1, max_size=8),
    hunks=st.lists(st.lists(st.tuples(st.sampled_from(" -+"), FEW), min_size=1, max_size=3), min_size=2, max_size=3),
)
@examples(400)
def test_no_two_matches_remove_the_same_line(texts, hunks):
    wanted = [Hunk([], [sign + text for sign, text in lines]) for lines in hunks]

    answers = locate(document(texts), wanted, Options(max_pass="typography"))

    if all(isinstance(answer, Match) for answer in answers):
        removed = []
        for match in answers:
            old = [line[0] for line in match.lines if line[0] != "+"]
            removed.extend(match.line + n for n, sign in enumerate(old) if sign == "-")
        assert len(removed) == len(set(removed))


def test_an_anchor_may_be_the_definition_above_one_that_begins_with_its_type():
    texts = [
        "static int first(int a) {",
        "    return a;",
        "}",
        "",
        "static int",
        "second(int a) {",
        "    return 2;",
        "}",
    ]
    hunk = Hunk(["static int first(int a) {"], [" second(int a) {", "-    return 2;", "+    return 3;"], line=1)

    match = locate(document(texts), [hunk], Options())[0]
    miss = locate(document([*texts[:4], "void third() {", "}", *texts[4:]]), [hunk], Options())[0]

    assert (match.line, [note.facts["anchor_match"] for note in match.notes]) == (5, ["above"])
    assert (miss.code, miss.candidates) == ("P211", [7])


def test_thousands_of_ambiguous_hunks_list_no_more_places_than_can_be_read():
    document = Document(b"x\n" * 2_000)
    hunks = [Hunk([], ["-x", f"+y {number}"], line=1) for number in range(300)]

    found = [each for each in locate(document, hunks, Options()) if isinstance(each, Miss)]

    assert {each.facts["count"] for each in found} == {1_701}
    assert [len(each.candidates) for each in found] == [1_000] + [20] * 299
