"""Oversight of calls: who is judged, and who is not."""

from __future__ import annotations

import pytest

from patchkit.core.workspace.root import Workspace
from patchkit.policy.oversight import Oversight
from patchkit.policy.permissions import Judge
from patchkit.tools.registry import effect_and_name


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """Whether calls in a workspace are judged."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("PATCHKIT_AUDIT", raising=False)
    (tmp_path / ".git").mkdir()

    def judge_of(agent):
        with Workspace(str(tmp_path)) as files:
            return isinstance(Oversight("check", agent, tool_names=effect_and_name).judge_over(files), Judge)

    return judge_of


def test_a_person_in_a_project_without_settings_is_not_judged(judged):
    assert judged(agent=False) is False


def test_an_agent_is_always_judged(judged):
    assert judged(agent=True) is True


def test_rules_of_the_project_are_asked_about_a_person_too(judged, tmp_path):
    (tmp_path / ".patchkit.toml").write_text('[permissions]\nread = "allow"\n')

    assert judged(agent=False) is True
