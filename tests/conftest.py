"""What every test may rely on: no setting of the person who runs the tests reaches the code under test."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_outside(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PATCHKIT_ROOT", "PATCHKIT_DIALECT", "PATCHKIT_SESSION", "PATCHKIT_AGENT", "PATCHKIT_AUDIT"):
            patch.delenv(name, raising=False)
        for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
            patch.delenv(name, raising=False)
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield
