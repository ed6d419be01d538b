"""Words and heredoc bodies as they are read here, held against what real shells make of the same text."""

from __future__ import annotations

import subprocess
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from real_shells import SHELLS, missing

from patchkit.errors import PatchkitError
from patchkit.shell.heredoc import body_text
from patchkit.shell.lexer import read
from patchkit.shell.shells import SHELLS as KNOWN

MARK = "\x1e"
STEADY = settings(
    derandomize=True, database=None, deadline=None, max_examples=25, suppress_health_check=list(HealthCheck)
)

BODY_PIECES = (
    *["\\", "\\", "$", "`", '"', "'", "a", "b", "\n", "\n", "\t", "\t", "E", "EO", "EOF", "\nEOF\n", "\\\n", "\\\n"],
    *["F", "\r", " ", "{", "(", ")", "\x01", "\x02", "\x7f", "é", "\u0080", "🚀", "$a", "#"],
)
WORD_PIECES = (
    *["\\", "\\", "$", "`", '"', '"', "'", "'", "a", "b", "\n", "\t", "\\\n", "\r", " ", "{", "}", "(", ")", "\x01"],
    *["\x7f", "é", "#", "!", "*", "~", "=", "-", "/", "$'", "\\'", "\\n", "\\x", "<", ">", "|", "&", ";", "%", "@"],
    *[":", ",", "+", "^", "[", "]", "?", "\u00a0", "\u0085", "0"],
)


def written(shell: str, script: str) -> str:
    done = subprocess.run([shell, "-c", script.encode()], capture_output=True, check=False)
    return done.stdout.decode(errors="surrogateescape")


bodies = st.lists(st.sampled_from(BODY_PIECES), min_size=1, max_size=25).map(lambda pieces: "".join(pieces) + "\n")
operators = st.sampled_from(("<<EOF", "<<EOF", "<<-EOF", "<<'EOF'", "<<-'EOF'", '<<"EOF"', "<<E\\OF"))


@pytest.mark.parametrize("shell", SHELLS)
def test_a_heredoc_body_is_what_the_shell_reads(shell):
    if missing(shell):
        pytest.skip(missing(shell))
    compared = []

    @STEADY
    @given(st.lists(st.tuples(operators, bodies), min_size=20, max_size=40))
    def same(drawn):
        known = []
        for operator, body in drawn:
            source = f"cat {operator}\n{body}EOF\n"
            skeleton = read(source, KNOWN[shell])
            heredoc = next(token.heredoc for token in skeleton.tokens if token.heredoc)
            if skeleton.broken or heredoc.end != len(source):
                continue  # it ends earlier, and what follows would be run
            with suppress(PatchkitError):
                known.append((source, body_text(source, heredoc, KNOWN[shell])))
        compared.extend(known)
        script = "".join(source + "printf '\\036'\n" for source, _text in known)
        assert written(shell, script) == "".join(text + MARK for _source, text in known)

    same()
    assert len(compared) > 100


quoted = st.sampled_from(("{}", "'{}'", '"{}"', '"{}"', "$'{}'"))
words = st.tuples(quoted, st.lists(st.sampled_from(WORD_PIECES), min_size=1, max_size=12)).map(
    lambda drawn: drawn[0].format("".join(drawn[1]))
)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_word_without_anything_live_is_what_the_shell_makes_of_it(shell):
    if missing(shell):
        pytest.skip(missing(shell))
    compared = []

    @STEADY
    @given(st.lists(words, min_size=20, max_size=60))
    def same(drawn):
        known = []
        for word in drawn:
            tokens = [token for token in read(word + "\n", KNOWN[shell]).tokens if token.kind != "newline"]
            whole = (
                len(tokens) == 1 and tokens[0].kind == "word" and (tokens[0].begin, tokens[0].finish) == (0, len(word))
            )
            if whole and (text := tokens[0].static()) is not None:
                known.append((word, "x" + text))
        compared.extend(known)
        script = "".join(f"printf '%s\\036' x{word}\n" for word, _text in known)
        assert written(shell, script) == "".join(text + MARK for _word, text in known)

    same()
    assert len(compared) > 100
