"""What the tests of the sandbox share: which layers this machine has, and a root with rules."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sandbox_layers import ABI, namespaces

from patchkit.policy.trust import trust_below
from patchkit.sandbox import child as sandbox
from patchkit.sandbox import landlock
from patchkit.sandbox import prepared as sandboxing
from patchkit.tools.calling import Caller, call

# Root makes mounts without a namespace for users, and can be made to use one.
LAYERS = ("landlock", "mounts", "namespace")


@pytest.fixture(params=LAYERS)
def layer(request, monkeypatch):
    """One after the other, every layer that this machine has."""
    if ABI < landlock.WHOLE:
        pytest.skip(f"Landlock has version {ABI} here")
    if request.param == "landlock":
        monkeypatch.setattr(sandboxing, "_without_mounts", ["the test asks for none"])
        return "landlock"
    if not namespaces():
        pytest.skip("this machine lets users make no namespaces")
    if request.param == "namespace":
        if os.geteuid() != 0:
            pytest.skip("as 'mounts' for this user")
        monkeypatch.setattr(sandbox, "own_mounts", lambda: False)
    return "mounts"


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """An empty root whose rules are trusted, with a home and a state directory of its own."""
    base = Path(os.path.realpath(tmp_path))
    for name in ("root", "home", "state", "config"):
        (base / name).mkdir()
    monkeypatch.setenv("HOME", str(base / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(base / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(base / "config"))
    monkeypatch.delenv("PATCHKIT_AGENT", raising=False)
    trust_below(str(base / "root"))
    return base / "root"


@pytest.fixture
def inside(place):
    """Runs a command in the sandbox of the root; returns its result."""

    def run(command: str, mode: str | None = "require", network: str | None = None, agent: bool = False, **given):
        caller = Caller(str(place), str(place), agent)
        caller.sandbox, caller.network = mode, network
        return call("Bash", {"command": command, **given}, caller)

    return run
