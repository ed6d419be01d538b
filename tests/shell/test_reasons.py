"""What is said of a script that calls apply_patch and is not taken as one call: each kind of reason."""

from __future__ import annotations

import pytest

from patchkit.shell import classify_script

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


@pytest.mark.parametrize("kind", REASONS)
def test_what_is_in_the_way_is_the_reason(kind, tmp_path):
    script, reason = REASONS[kind]

    assert classify_script(script, str(tmp_path), {}).reason == reason
