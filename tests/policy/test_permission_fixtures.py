"""Rules and calls as data: fixtures/permissions, every call of it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from patchkit.core.workspace.root import Workspace
from patchkit.policy.audit import logs
from patchkit.policy.permissions import Judge
from patchkit.policy.settings import settings
from patchkit.tools.arguments import checked
from patchkit.tools.registry import effect_and_name, named

FIXTURES = Path(__file__).parents[2] / "fixtures" / "permissions"
MATTERS = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FIXTURES.glob("*.toml"))}
CALLS = [
    pytest.param(matter, call, id=f"{name}-{number}")
    for name, matter in MATTERS.items()
    for number, call in enumerate(matter["calls"], 1)
]


def made(matter, project, config):
    """Makes the files and links of a matter; returns the workspace's root."""
    for name, text in matter.get("files", {}).items():
        path = config / name[1:] if name.startswith("~") else project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name, target in matter.get("links", {}).items():
        (project / name).symlink_to(target)
    root = project / matter.get("start", ".")
    root.mkdir(parents=True, exist_ok=True)
    return root


def judged(tool, arguments, root):
    with Workspace(root) as files:
        known = settings(files.real)
        judge = Judge(files, known, effect_and_name, [log.path for log in logs(known, files.real)])
        asked = named(tool)
        return judge.judge(asked.name, asked.deeds(judge.deeds, checked(asked, arguments)))


def filled(value, root):
    """The value with the root put in where a fixture names it."""
    if isinstance(value, str):
        return value.replace("{root}", str(root))
    return {name: filled(each, root) for name, each in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize(("matter", "call"), CALLS)
def test_a_call_is_decided_by_the_rule_that_the_fixture_names(matter, call, tmp_path, monkeypatch):
    project, config = tmp_path / "project", tmp_path / "config"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config))
    if not matter.get("trusted", True):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = made(matter, project, config / "patchkit")
    judgement = judged(call["tool"], filled(call["arguments"], root), root)

    def told(rule):
        return rule.replace(f"{config}/patchkit/", "~").replace(f"{project}/", "")

    assert (judgement.decision, told(judgement.rule)) == (call["decision"], call["rule"])
    if "parts" in call:
        parts = [
            [part.decision, part.deed.operation, part.deed.what, told(part.shown_rule)] for part in judgement.parts
        ]
        assert parts == call["parts"]
    if "person" in call:
        assert ("refused" if judgement.refusals(agent=False) else "done") == call["person"]
    if call["decision"] == "ask":
        assert [error.code for error in judgement.refusals(agent=True)][:1] == ["P652"]


def test_there_are_enough_calls():
    assert len(CALLS) >= 60


@pytest.mark.parametrize("name", MATTERS)
def test_a_fixture_says_why_and_no_more_than_it_may(name):
    matter = MATTERS[name]

    assert matter["why"]
    assert set(matter) <= {"why", "start", "trusted", "files", "links", "calls"}
    assert all(set(call) <= {"tool", "arguments", "decision", "rule", "parts", "person"} for call in matter["calls"])
