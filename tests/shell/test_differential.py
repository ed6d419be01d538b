"""The law, held against real shells.

Every script of the grammar that is called apply_patch is run in the shell it was classified for, once with
a call that succeeds and once with one that fails. What comes with a `then` is run in both ways too: whole,
and applied first with the rest after it.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, seed, settings
from real_shells import SHELLS, Recorder, missing
from shell_forms import longer_scripts, scripts

from patchkit.shell import Verdict

EXAMPLES = int(os.environ.get("PATCHKIT_SHELL_EXAMPLES", "100" if os.environ.get("PATCHKIT_TESTS") == "full" else "40"))
SEED = os.environ.get("PATCHKIT_SEED", "1")
STEADY = settings(derandomize=False, database=None, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("shell", SHELLS)
def test_a_real_shell_does_what_an_apply_patch_verdict_says(shell, recorder):
    if missing(shell):
        pytest.skip(missing(shell))
    accepted = []

    @seed(SEED)
    @settings(STEADY, max_examples=EXAMPLES)
    @given(scripts())
    def holds(script):
        argv = [shell, "-c", script]
        verdict = recorder.classify(argv)
        if verdict.verdict == "apply_patch":
            accepted.append(script)
            assert recorder.broken_law(argv, verdict) == []

    holds()
    assert len(accepted) > EXAMPLES // 5  # else the law would hold for want of cases


def applied_first(recorder: Recorder, shell: str, verdict: Verdict, status: int) -> tuple[object, ...]:
    """What happens when the patch is applied by itself and the rest is run after it."""
    then = verdict.then
    first = recorder.run(["apply_patch", then.patch], status, cwd=then.workdir)
    written = first.stdout + first.stderr if verdict.merged else first.stdout
    if status and then.operator == "&&":
        return [(then.patch, then.workdir)], written, status, False
    second = recorder.run([shell, "-c", then.setup + "\n" + then.rest], status)
    calls = [(then.patch, then.workdir), *[(call.text, call.place) for call in second.calls]]
    return calls, written + second.stdout, second.status, second.changed


@pytest.mark.parametrize("shell", SHELLS)
def test_applying_first_and_running_the_rest_is_the_same_as_running_it_all(shell, recorder):
    if missing(shell):
        pytest.skip(missing(shell))
    parted = []

    @seed(SEED)
    @settings(STEADY, max_examples=EXAMPLES // 2)
    @given(longer_scripts())
    def same(script):
        verdict = recorder.classify([shell, "-c", script])
        if verdict.then is None:
            return
        parted.append(script)
        for status in (0, 1):
            ran = recorder.run([shell, "-c", script], status)
            whole = [(call.text, call.place) for call in ran.calls], ran.stdout, ran.status, ran.changed
            assert applied_first(recorder, shell, verdict, status) == whole

    same()
    assert len(parted) > EXAMPLES // 20
