"""How much work an answer may cost, counted rather than timed."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from patchkit.shell import classify_script, lexer, tree
from patchkit.shell.lexer import MASKED_LIMIT

PATCH = "*** Begin Patch\n*** Add File: a\n" + "+a line of text, it's $HOME\n" * 10_000 + "*** End Patch\n"


@pytest.fixture
def parsed(monkeypatch):
    """The sizes of what the grammar was given."""
    sizes: list[int] = []
    parse = tree.parse

    def counted(text):
        sizes.append(len(text))
        return parse(text)

    monkeypatch.setattr(tree, "parse", counted)
    return sizes


@pytest.mark.parametrize(
    "script",
    [
        f"cd / && apply_patch <<'EOF'\n{PATCH}EOF\n",
        f"cat <<'EOF' | apply_patch\n{PATCH}EOF\n",
        "printf '%s\\n' '" + PATCH.replace("'", "'\\''") + "' | apply_patch",
        "apply_patch <<EOF\n" + PATCH.replace("$", "\\$") + "EOF\n",
    ],
    ids=["heredoc", "cat", "quotes", "unquoted heredoc"],
)
def test_the_grammar_never_sees_the_patch(script, parsed):
    assert classify_script(script, "/", {}).verdict == "apply_patch"
    assert len(parsed) == 1
    assert parsed[0] < MASKED_LIMIT


def test_a_plain_heredoc_leaves_the_grammar_a_line(parsed):
    classify_script(f"cd / && apply_patch <<'EOF'\n{PATCH}EOF\n", "/", {})

    assert parsed == [len("cd / && apply_patch <_\n")]


ALPHABETS = (
    "ab \n'\"$(){}[]<>|&;*`\\#=!~",
    "ab \n",
    "'\" a",
    "()",
    "$({",
    "< E\n",
    "\\\n",
    "`a",
    '"a$`\\',
    "{ ;",
    "<<",
)


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_a_million_characters_of_noise_reach_the_grammar_only_in_part(alphabet, parsed):
    noise = "".join(random.Random(alphabet).choices(alphabet, k=1_000_000)) + " apply_patch"
    for head in ("apply_patch ", "apply_patch <<E\n", "x; "):
        parsed.clear()

        assert classify_script(head + noise, "/", {}).verdict in ("other", "error"), head
        assert sum(parsed) <= MASKED_LIMIT, head


@pytest.mark.parametrize("text", ["<<A ", "$(", "( ", "${", '"$(', "{ ", "true && ", "x || "])
def test_what_is_nested_or_repeated_without_end_is_refused(text, parsed):
    verdict = classify_script("apply_patch " + text * 50_000, "/", {})

    assert verdict.verdict in ("other", "error")
    assert sum(parsed) <= MASKED_LIMIT


def test_heredocs_are_looked_for_a_few_times_only(monkeypatch):
    searches = []
    monkeypatch.setattr(lexer.heredocs, "find_body", lambda source, heredoc, start: searches.append(start))
    classify_script("apply_patch " + "<<A " * 10_000 + "\n" + "x\n" * 10_000, "/", {})

    assert len(searches) <= lexer.HEREDOC_LIMIT


def test_a_word_only_in_texts_and_comments_never_reaches_the_grammar(parsed):
    script = "cat <<'EOF'\napply_patch\nEOF\necho 'use apply_patch' # apply_patch\n"

    assert classify_script(script, "/", {}).verdict == "other"
    assert parsed == []


def test_a_script_without_the_word_does_not_load_the_grammar():
    code = (
        "import sys; from patchkit.shell import classify;"
        "verdict = classify(['bash', '-lc', 'ls -la && git status'], '/', {});"
        "print(verdict.verdict, [name for name in sys.modules if name.startswith(('tree_sitter', 'typing'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "other []\n"


def test_a_variable_that_is_put_twice_into_itself_again_and_again_is_refused():
    script = "a=xxxxxxxxxx;" + "a=$a$a;" * 200 + 'apply_patch "$a"'

    answer = classify_script(script, "/", {})

    assert (answer.verdict, answer.code) == ("error", "P117")
