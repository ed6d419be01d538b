"""What `echo` and `printf` write and what `set` takes, held against real shells."""

from __future__ import annotations

import string
import subprocess
from contextlib import suppress

import pytest
from real_shells import SHELLS, missing
from shell_forms import single

from patchkit.errors import PatchkitError
from patchkit.shell.shells import SHELLS as KNOWN
from patchkit.shell.verdict import NotOurs
from patchkit.shell.walk import produced, set_errexit

ESCAPES = ["a\\" + ch + "b" for ch in string.printable if ch not in "\n\r\x0b\x0c"]
COMMANDS = [
    *[["echo", text] for text in ESCAPES],
    *[["echo", "-e", text] for text in ESCAPES],
    *[["printf", text] for text in ESCAPES],
    *[["printf", "%b", text] for text in ESCAPES],
    *[
        ["echo", *words]
        for words in ([], [""], ["-n", "a"], ["-n"], ["-nn", "a"], ["-n", "-n", "a"], ["-", "a"], ["a", "-n"])
    ],
    *[
        ["echo", *words]
        for words in (["-E", "a\\n"], ["-eE", "a\\n"], ["--", "a"], ["-x"], ["-ne", "a\\tb"], ["", "a", "b"])
    ],
    *[
        ["printf", *words]
        for words in (["%s"], ["%s-%s|", "a", "b", "c"], ["x%%y\\n", "a"], ["--", "-a"], ["-a"], ["%s\\n", "-n"])
    ],
    *[
        ["printf", *words]
        for words in (["%5s", "a"], ["%d", "3"], ["a%"], ["a\\"], ["%s%b|", "a", "\\t"], ["", "a"], ["%s", "%s"])
    ],
]


@pytest.mark.parametrize("shell", SHELLS)
def test_what_is_known_to_be_written_is_written(shell):
    if missing(shell):
        pytest.skip(missing(shell))
    known = []
    for command in COMMANDS:
        with suppress(PatchkitError):
            known.append((command, produced(command, KNOWN[shell], None)))
    script = "; ".join(" ".join(map(single, command)) + "; echo '|END|'" for command, _text in known)
    done = subprocess.run([shell, "-c", script], capture_output=True, check=False)

    assert done.stdout.decode() == "".join(text + "|END|\n" for _command, text in known)
    assert len(known) > len(COMMANDS) // 3


@pytest.mark.parametrize("shell", SHELLS)
def test_cat_passes_its_input_on_and_nothing_else(shell):
    assert produced(["cat"], KNOWN[shell], "text\n") == produced(["cat", "-"], KNOWN[shell], "text\n") == "text\n"
    for words in (["cat", "file"], ["cat", "-n"], ["cat", "--"]):
        with pytest.raises(PatchkitError) as refused:
            produced(words, KNOWN[shell], "text\n")
        assert refused.value.code == "P523"


@pytest.mark.parametrize(
    ("words", "after"),
    [
        *[(["-e"], True), (["-eu"], True), (["-euo", "pipefail"], True), (["-o", "errexit"], True), (["-u"], False)],
        *[
            (["+e"], False),
            (["-e", "+e"], False),
            (["+x"], False),
            (["-e", "-o", "nounset"], True),
            (["+o", "errexit"], False),
        ],
    ],
)
def test_set_turns_stopping_at_errors_on_and_off(words, after):
    assert set_errexit(words, KNOWN["bash"], False) is after


@pytest.mark.parametrize(
    "words", [[], [""], ["-x"], ["-o"], ["-o", "posix"], ["--"], ["a"], ["-ex"], ["-n"], ["-eo"], ["-"]]
)
def test_set_with_anything_else_is_not_known(words):
    with pytest.raises(NotOurs):
        set_errexit(words, KNOWN["bash"], False)


def test_dash_knows_no_pipefail():
    with pytest.raises(NotOurs):
        set_errexit(["-euo", "pipefail"], KNOWN["dash"], False)
