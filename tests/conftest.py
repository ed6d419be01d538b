"""What every test may rely on: no setting of the person who runs the tests reaches the code under test."""

from __future__ import annotations

import gc
import os
import signal

import pytest
from hypothesis import settings
from installation import Installation, installed_below
from time_limits import raise_limits

from patchkit.policy.trust import trust_below

# The same examples in every run: a failure is found where it can be looked at, not once in a while somewhere else.
EXAMPLES = 100 if os.environ.get("PATCHKIT_TESTS") == "full" else 30
settings.register_profile("steady", max_examples=EXAMPLES, derandomize=True, database=None, deadline=None)
settings.load_profile("steady")

# What runs in the background of a shell, or under nohup, ignores these, and everything it starts would do so, too.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """All that is collected stays until the end: to look for garbage in it is in vain, now and later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_outside(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        for name in ("ROOT", "DIALECT", "SESSION", "RG", "AGENT", "AUDIT", "NO_HISTORY"):
            patch.delenv(f"PATCHKIT_{name}", raising=False)
        for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
            patch.delenv(name, raising=False)
        patch.setenv("PATCHKIT_SYNTAX", "off")  # the same with and without grammars; tests of it set it themselves
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        raise_limits()
        trust_below("/")  # rules of tests count; those about trust have a state directory of their own
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


@pytest.fixture(scope="session")
def installation(tmp_path_factory) -> Installation:
    """The wheel, installed: what a user runs."""
    for name in ("hatchling", "pip"):
        pytest.importorskip(name, reason=f"{name} is not installed: the wheel cannot be made")
    place = tmp_path_factory.getbasetemp()
    return installed_below(place.parent if "PYTEST_XDIST_WORKER" in os.environ else place)
