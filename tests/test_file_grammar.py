"""The grammar for files: everything it derives applies to them by exact text, and nothing else is derived."""

from __future__ import annotations

import os
import random
import re

import pytest
from grammar_sampling import derived, matcher, tokenizer
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark

import patchkit
from patchkit.core.text import Document
from patchkit.errors import PatchkitError
from patchkit.file_grammar import FileGrammar, GrammarFile, NamePattern, lines_needed

FULL = os.environ.get("PATCHKIT_TESTS") == "full"
SAMPLES = 250 if FULL else 12  # of each kind of file
SOURCE = """\
import os
import sys


class Pump:
    def __init__(self, size):
        self.size = size
        self.open = False

    def start(self):
        if self.open:
            return None
        self.open = True
        return self

    def stop(self):
        if not self.open:
            return None
        self.open = False
        return self


def main():
    pump = Pump(3)
    pump.start()
    return 0
"""
KINDS = {
    "source": SOURCE.encode(),
    "crlf": SOURCE.replace("\n", "\r\n").encode(),
    "mixed endings": SOURCE.replace("\n", "\r\n", 9).encode(),
    "lone returns": SOURCE.replace("\n", "\r").encode(),
    "byte order mark": b"\xef\xbb\xbf" + SOURCE.encode(),
    "utf-16": SOURCE.replace("Pump", "Püмп").encode("utf-16"),
    "no final newline": SOURCE.rstrip("\n").encode(),
    "empty": b"",
    "one line": b"x\n",
    "one line without an end": b"x",
    "only blank lines": b"\n\n\n",
    "thirty equal lines": b"    }\n" * 30,
    "repeated blocks": (b"{\n  a\n  b\n}\n" * 6) + b"last\n",
    "text of many scripts": "größe = 1\nимя = 'ß'\n名前 = 2\n🙂 = 3\ne\u0301 = 4\nу\u2028т = 5\n\x85\n\x0c\n".encode(),
    "not utf-8": b"plain\ncaf\xe9 one\nsecond\ncaf\xe9 two\nthird\n",
    "ascii that declares an encoding": b"# coding: latin-1\nx = 1\ny = 2\n",
    "quotes, tabs and controls": b'\t"a"\n\\d\\\\\n\x01\x1b[0m\n\'b\'\n/* // */\n"""\n\x7f\n',
    "lines that look like markers": b"+plus\n-minus\n@@\n*** End Patch\n*** Update File: b\n  space\n\\ No\n",
    "NUL and a lone return": b"first\na\0b\nsecond\nc\rd\nthird\n",
    "trailing spaces": b"a\na \na  \n\ta\n b\nb\n",
    "a long line": b"short\n" + b"x" * 20_000 + b"\nend\n",
}


def applied_everywhere(patch: str, files: dict[str, bytes]) -> None:
    """Applies a patch as it is usually done, and strictly; both have to do the same."""
    results = []
    for strict in (False, True):
        now = dict(files)
        try:
            result = patchkit.apply(patch, now, strict=strict)
        except PatchkitError as error:
            raise AssertionError(f"{error}\n{patch}") from None
        passes = {hunk.pass_name for file in result.files for hunk in file.hunks if strict or hunk.status == "applied"}
        assert not strict or passes <= {"exact", None}, patch
        results.append(now)
    assert results[0] == results[1], patch


@pytest.mark.parametrize("kind", KINDS)
def test_every_derivation_applies_by_exact_text_also_strictly(kind):
    data = KINDS[kind]
    made = FileGrammar([GrammarFile("a.txt", Document(data))], ends=True)
    begin, chance = matcher(made.text), random.Random(kind)
    for _ in range(SAMPLES):
        applied_everywhere(derived(begin, chance), {"a.txt": data})


def test_every_derivation_for_several_files_with_all_that_is_allowed_applies():
    files = {"a.py": SOURCE.encode(), "b.txt": KINDS["not utf-8"], "c.txt": b"", "new/one.py": b"1\n"}
    given_files = [GrammarFile(name, Document(files[name])) for name in ("a.py", "b.txt", "c.txt")]
    given_files[0].deletes = given_files[1].deletes = True
    given_files[1].move_to = NamePattern("moved/b.txt").expression([])
    added = [NamePattern("new/*.py").expression(["one.py"]), NamePattern("plain.txt").expression([])]
    begin, chance = matcher(FileGrammar(given_files, added, ends=True).text), random.Random(7)
    seen = set()
    for _ in range(8 * SAMPLES):
        patch = derived(begin, chance, most=40)
        applied_everywhere(patch, files)
        seen.update(re.findall(r"^\*\*\* (?:Add|Update|Delete|Move to|End of)[^:\n]*(?::.?[a-z.]*)?", patch, re.M))
    assert {"*** Delete File: a.py", "*** Move to: moved", "*** Add File: new", "*** Update File: c.txt"} <= seen


@settings(max_examples=40 if not FULL else 1500, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "c", " a", "", "}"]), max_size=14), st.booleans(), st.randoms())
def test_derivations_for_files_of_few_different_lines_apply(lines, ended, chance):
    data = "\n".join(lines).encode() + (b"\n" if ended and lines else b"")
    texts = Document(data).texts
    if texts and not any(lines_needed(texts)):
        with pytest.raises(PatchkitError, match="P681"):
            FileGrammar([GrammarFile("f", Document(data))])
        return
    begin = matcher(FileGrammar([GrammarFile("f", Document(data))]).text)
    for _ in range(4):
        applied_everywhere(derived(begin, chance, most=60), {"f": data})


def test_hunks_show_only_the_lines_that_were_chosen():
    made = FileGrammar([GrammarFile("a.py", Document(SOURCE.encode()), [(9, 14)])])
    begin, chance = matcher(made.text), random.Random(3)
    within = SOURCE.split("\n")[8:14]
    for _ in range(40):
        patch = derived(begin, chance)
        shown = [line[1:] for line in patch.split("\n") if line[:1] in (" ", "-")]
        assert set(shown) <= set(within)
        applied_everywhere(patch, {"a.py": SOURCE.encode()})
    assert made.covered == [6]


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        ("@@\n-import os\n+import re\n", True),
        ("@@\n import os\n import sys\n", True),
        ("@@\n-    def start(self):\n@@\n-    def stop(self):\n", True),
        ("@@\n-import  os\n", False),  # not a line of the file
        ("@@\n import os\n \n", False),  # not the next line
        ("@@\n-        return self\n", False),  # at two places
        ("@@\n-    def stop(self):\n@@\n-    def start(self):\n", False),  # not in order
        ("@@\n+only added\n", False),  # nowhere
        ("", False),
    ],
)
def test_lark_and_llguidance_read_the_grammar_alike(body, allowed):
    text = FileGrammar([GrammarFile("a.py", Document(SOURCE.encode()))]).text
    patch = f"*** Begin Patch\n*** Update File: a.py\n{body}*** End Patch\n"
    at = matcher(text)
    tokens = tokenizer()[0].greedy_tokenize(patch)
    by_llguidance = at.try_consume_tokens(tokens) == len(tokens) and at.is_accepting()
    try:
        Lark(text, parser="earley", lexer="dynamic").parse(patch)
        by_lark = True
    except Exception:
        by_lark = False
    assert (by_llguidance, by_lark) == (allowed, allowed)


def test_the_size_grows_with_the_lines():
    lines = [f"    value_{number} = compute({number % 7}, other={number})" for number in range(800)]
    texts = ["\n".join(lines[:count]).encode() for count in (400, 800)]
    small, large = (len(FileGrammar([GrammarFile("a.py", Document(text))]).text) for text in texts)
    assert 1.9 < large / small < 2.2
    assert large / 800 < 240


def test_nine_hundred_starts_are_taken_by_llguidance_with_its_default_limits():
    data = "".join(f"line {number}\n" for number in range(900)).encode()
    made = FileGrammar([GrammarFile("a.txt", Document(data))])
    assert made.starts == 900
    chance = random.Random(5)
    applied_everywhere(derived(matcher(made.text), chance), {"a.txt": data})


def test_a_file_without_a_line_that_can_start_a_hunk_is_refused():
    with pytest.raises(PatchkitError) as caught:
        FileGrammar([GrammarFile("a.bin", Document(b"\0\n\0\n"))])
    assert (caught.value.code, caught.value.file) == ("P681", "a.bin")


# -- how many lines make a place -----------------------------------------------------------------


def test_lines_are_counted_until_they_are_unique():
    assert lines_needed(["a", "b", "a", "c", "a"]) == [2, 1, 2, 1, 0]
    assert lines_needed(["x"] * 4) == [4, 0, 0, 0]
    assert lines_needed(["x"] * 4, most=3) == [0, 0, 0, 0]
    assert lines_needed([]) == []


@given(st.lists(st.sampled_from("abc"), max_size=30))
def test_so_many_lines_and_no_fewer_are_at_one_place(texts):
    def places(start: int, size: int) -> int:
        return sum(texts[at : at + size] == texts[start : start + size] for at in range(len(texts) - size + 1))

    for start, size in enumerate(lines_needed(texts)):
        if size:
            assert places(start, size) == 1
            assert size == 1 or places(start, size - 1) > 1
        else:
            assert places(start, len(texts) - start) > 1


# -- names for new files -------------------------------------------------------------------------


@given(
    st.lists(st.text("abZ1-_.", min_size=1, max_size=6), max_size=8),
    st.text("abZ1_", min_size=1, max_size=5),
    st.sampled_from(["*", "a*", "*.py", "x*b"]),
)
def test_a_pattern_matches_names_of_its_form_that_do_not_exist(taken, word, name):
    pattern = NamePattern(f"src/{name}")
    expression = re.compile(pattern.expression([*taken, f"{word}.py"]))
    candidate = name.replace("*", word)
    exists = candidate.casefold() in {each.casefold() for each in [*taken, f"{word}.py"]}
    assert bool(expression.fullmatch(f"src/{candidate}")) is not exists
    assert expression.fullmatch(pattern.example([*taken, f"{word}.py"]))


@pytest.mark.parametrize("written", ["", "a/", "*/b", "a**", "a\nb", " a", ".*", "a/.e*"])
def test_other_patterns_are_refused(written):
    with pytest.raises(PatchkitError) as caught:
        NamePattern(written)
    assert caught.value.code == "P601"


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        ("a.py", "a.py", True),
        ("a.py", "A.py", True),
        ("a.py", "b.py", False),
        ("*.py", "b.py", True),
        ("*.py", "d/b.py", False),
        ("x*.py", "y*.py", False),
        ("*.py", "*.txt", False),
    ],
)
def test_two_patterns_may_mean_the_same_name(one, other, may):
    assert NamePattern(one).may_equal(NamePattern(other)) is may
