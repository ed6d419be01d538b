"""docs/errors.md: one section a code, and every example says what the command says."""

from __future__ import annotations

import pytest
from doc_examples import EXAMPLES, Page

from patchkit.catalogue.entries import ENTRIES
from patchkit.catalogue.sentences import general

PAGE, MORE = Page("errors.md"), Page(EXAMPLES)
CODES = [heading for heading, level in PAGE.levels.items() if level == 2]
# Codes that no small tree and patch can give on every machine and for every user.
NOT_SHOWN = [
    *["P117"],  # large files
    *["P222", "P225", "P226"],  # a repository with a history, permissions, a grammar, which is in an extra
    *["P311", "P315", "P316", "P317", "P319", "P324"],  # races, locks, files of other users, very large ones
    *["P402", "P404", "P405", "P406", "P499"],  # permissions, failing disks, memory, signals, defects
    *["P601"],  # a command reports it without its code
    *[
        "P614",
        "P615",
        "P616",
        "P617",
        "P618",
    ],  # bytes that no page can show, very large files, packages that are not installed
    *["P631", "P633"],  # very large trees, messages of another program
    *["P637"],  # a port that another program uses
    *["P644", "P646", "P647"],  # a system that starts no process, a program that cancels, a package that is missing
    *["P670", "P671", "P672", "P673", "P674"],  # kernels that have less, very large trees
    *["P691", "P692", "P693", "P694", "P695", "P699"],  # packages that are not installed, answers of rows, a cluster
    *["P944"],  # the remains of a run that was killed
    "P947",  # a state directory that cannot be written
    *["P963", "P964", "P965"],  # kernels that have less, or a sandbox at all
    *["P967"],  # a grammar, which is in an extra
    *["P972", "P974", "P975"],  # full disks, very large outputs, a note that follows an error
    *["P982", "P983"],  # their status is 1, although they are notes
]


@pytest.mark.timeout(600)  # for a process that hangs: some of them run ten commands or more
@pytest.mark.parametrize("tens", sorted({code[:3] for code in ENTRIES}))
def test_the_examples_of_ten_codes_say_what_is_shown(tens, try_out):
    wrong = {}
    shown = [(page, each) for page in (PAGE, MORE) for each in page.examples if each.heading.startswith(tens)]
    for page, example in shown:
        try:
            said = try_out(page, example)
            assert f"[{example.heading}]" in said.output
            assert (said.status == 0) == example.heading.startswith("P9")
        except AssertionError as difference:
            wrong[f"{example.heading}-{example.number}"] = str(difference)

    assert wrong == {}


def test_the_prose_names_the_options_of_its_example():
    options = [(each.heading, word) for each in PAGE.examples for word in each.options if word.startswith("-")]

    assert [(code, option) for code, option in options if f"`{option}`" not in PAGE.prose[code]] == []


def test_every_code_of_the_catalogue_has_its_section_in_order():
    assert sorted(ENTRIES) == CODES


def test_every_family_of_codes_has_an_introduction():
    families = [heading for heading, level in PAGE.levels.items() if level == 1][1:]

    assert [family[:4] for family in families] == sorted({f"{code[:2]}xx" for code in ENTRIES})
    assert [family for family in families if not PAGE.prose[family].strip()] == []


def test_every_section_opens_with_the_name_and_the_sentence_of_its_code():
    first = {code: PAGE.prose[code].strip().split("\n")[0] for code in CODES}

    assert first == {code: f"**{ENTRIES[code].name}**: `{general(ENTRIES[code].sentence)}`" for code in CODES}


def test_every_section_explains_its_code_and_says_what_to_do():
    paragraphs = {code: PAGE.prose[code].strip().split("\n\n") for code in CODES}
    opening = {code: "**Next time:** " if code.startswith("P9") else "**Fix:** " for code in CODES}

    assert [code for code, parts in paragraphs.items() if not parts[-1].strip().startswith(opening[code])] == []
    assert [code for code, parts in paragraphs.items() if len([part for part in parts if part.strip()]) < 3] == []


def test_the_codes_without_an_example_are_these():
    shown = {example.heading for example in [*PAGE.examples, *MORE.examples]}

    assert [code for code in CODES if code not in shown] == NOT_SHOWN


def test_the_page_can_be_read_in_an_hour():
    assert len(PAGE.path.read_text(encoding="utf-8").split()) <= 15_000
