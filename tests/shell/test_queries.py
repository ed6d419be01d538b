"""The queries of grammar/shell.scm: embedded as they are, and every capture has its reason."""

from __future__ import annotations

import re

import pytest
from embed_queries import SOURCE, TARGET, module

from patchkit.shell import classify_script


def test_the_embedded_queries_are_those_of_the_grammar():
    assert TARGET.read_text() == module()


CALL = "apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF\n"
REASONS = {
    "call": ("echo hi\n" + CALL, "'echo' runs besides 'apply_patch'"),
    "wrapper": ("nohup " + CALL, "'apply_patch' is run through 'nohup'"),
    "privilege": ("sudo -n " + CALL, "'apply_patch' is run through 'sudo'"),
    "function": ("f() { :; }\n" + CALL, "the script may change what 'apply_patch' means: it defines a function"),
    "meaning": ("trap : EXIT\n" + CALL, "the script may change what 'apply_patch' means: it uses 'trap'"),
    "assignment": ("export A=1\n" + CALL, "the command sets the variable 'export' for 'apply_patch'"),
    "background": ("sleep 1 & " + CALL, "'apply_patch' runs in the background"),
    "flow": ("if true; then\n" + CALL + "fi\n", "'apply_patch' is inside control flow ('if')"),
}


def test_every_capture_is_explained():
    captures = set(re.findall(r"@(\w+)", "".join(re.sub(r";.*", "", line) for line in SOURCE.read_text().splitlines())))

    assert captures == set(REASONS)


@pytest.mark.parametrize("capture", REASONS)
def test_a_capture_gives_its_reason(capture, tmp_path):
    script, reason = REASONS[capture]

    assert classify_script(script, str(tmp_path), {}).reason == reason
