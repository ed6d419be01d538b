"""Hook events in a project with rules: allowed, denied, asked for, or none of our business."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from patchkit.policy import trust
from patchkit.runtimes import hooks
from patchkit.runtimes.hooks import Blocked, respond
from patchkit.runtimes.hooks.events import read_event

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "permissions" / "hooks"
CASES = {path.stem: json.loads(path.read_text()) for path in sorted(FIXTURES.glob("*.json"))}
RULES = (FIXTURES / "rules.toml").read_text()
PROGRAM = ["/opt/patchkit/bin/apply_patch"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with rules, which is the current directory, as it is for a hook."""
    for name in ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "COPILOT_PROJECT_DIR", "SHELL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(hooks, "_has_terminal", lambda: True)
    root = tmp_path.resolve() / "project"
    root.mkdir()
    (root / "sub").mkdir()
    (root / "app.py").write_text("x = 1\n")
    (root / ".patchkit.toml").write_text(RULES)
    monkeypatch.chdir(root)
    return root


def answer(event, project):
    said = respond(json.dumps(event).replace("{ROOT}", str(project)).encode(), PROGRAM)
    said = said.replace(PROGRAM[0], "{APPLY}").replace(str(project), "{ROOT}")
    return json.loads(said) if said else None


def write(project, **more):
    """An event of Claude Code that a rule denies."""
    event = CASES["claude-code-an-edit-that-a-rule-denies"]["event"]
    return json.loads(json.dumps({**event, **more}).replace("{ROOT}", str(project)))


def verb(said):
    return json.loads(said)["hookSpecificOutput"]["permissionDecision"] if said else None


@pytest.mark.parametrize("name", CASES)
def test_an_event_under_rules_gets_the_answer_beside_it(name, project):
    case = CASES[name]
    if "rules" in case:
        (project / ".patchkit.toml").write_text(case["rules"])

    assert answer(case["event"], project) == case["answer"]
    assert (project / "app.py").read_text() == "x = 1\n"


def test_events_of_every_runtime_are_allowed_denied_and_asked_for():
    seen = {}
    for name, case in CASES.items():
        said = case["answer"] or {}
        decided = said.get("hookSpecificOutput", {}).get("permissionDecision") or said.get("decision")
        seen.setdefault(name.split("-")[0], set()).add(decided)

    assert seen == {
        "claude": {"allow", "ask", "deny", None},
        "codex": {"allow", "deny", None},
        "gemini": {"allow", "ask", "deny"},
    }


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("codex")])
def test_codex_gets_only_answers_that_it_takes(name):
    said = (CASES[name]["answer"] or {}).get("hookSpecificOutput", {"permissionDecision": None})

    assert said["permissionDecision"] in (None, "deny", "allow")
    assert (said["permissionDecision"] == "allow") == ("updatedInput" in said)


def test_rules_are_those_of_the_project_that_the_runtime_names(project, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(project))

    assert verb(respond(json.dumps(write(project)).encode(), PROGRAM)) == "deny"
    assert verb(respond(json.dumps(write(project, cwd=str(tmp_path))).encode(), PROGRAM)) == "deny"


def test_rules_are_found_above_where_the_session_stands(project):
    (project / "lib").mkdir()

    assert verb(respond(json.dumps(write(project, cwd=str(project / "lib"))).encode(), PROGRAM)) == "deny"


@pytest.mark.parametrize("spelled", ['"cwd":"{}"', '"cwd" : "{}"', '"cwd":\n"{}"'])
def test_however_the_event_is_written_the_rules_are_found(project, spelled):
    event = write(project)
    cwd = event.pop("cwd")
    text = json.dumps(event)
    first = "{" + spelled.replace("{}", cwd) + ", " + text[1:]
    last = text[:-1] + ", " + spelled.replace("{}", cwd) + "}"

    assert [verb(respond(each.encode(), PROGRAM)) for each in (first, last)] == ["deny", "deny"]


def test_an_input_that_names_another_directory_does_not_hide_the_rules(project, tmp_path):
    event = write(project)
    event = {
        "tool_input": {**event["tool_input"], "cwd": str(tmp_path)},
        **{k: event[k] for k in event if k != "tool_input"},
    }

    assert verb(respond(json.dumps(event).encode(), PROGRAM)) == "deny"


def test_a_cwd_written_with_escapes_is_read(project):
    text = json.dumps(write(project)).replace(f'"cwd": "{project}', '"cwd": "' + str(project).replace("/", "\\/"))

    assert verb(respond(text.encode(), PROGRAM)) == "deny"


def test_without_settings_nothing_is_decoded(project, monkeypatch):
    event = json.dumps(write(project)).encode()
    (project / ".patchkit.toml").unlink()
    monkeypatch.setattr(json, "loads", None)

    assert respond(event, PROGRAM) == ""


# -- the shapes ----------------------------------------------------------------------------------

SHARED = {"session_id", "transcript_path", "cwd", "hook_event_name", "tool_name", "tool_input"}
FIELDS = {
    "claude": SHARED | {"permission_mode", "tool_use_id"},
    "codex": SHARED | {"permission_mode", "tool_use_id", "turn_id", "model"},
    "gemini": SHARED | {"timestamp"},
    "copilot": SHARED - {"transcript_path"} | {"timestamp"},
}
CAMEL = {"timestamp", "cwd", "toolName", "toolArgs"}
OTHERS = FIXTURES.parents[1] / "hooks"


@pytest.mark.parametrize(
    "path",
    [path for place in (FIXTURES, OTHERS) for path in place.glob("*.json") if path.name.split("-")[0] in FIELDS],
    ids=lambda path: f"{path.parent.parent.name}-{path.stem}",
)
def test_an_event_has_the_fields_that_its_runtime_sends(path):
    event = json.loads(path.read_text())["event"]

    known = CAMEL if "toolName" in event else FIELDS[path.name.split("-")[0]]

    assert set(event) - {"prompt_id", "effort"} == known


RECORDED = Path(__file__).resolve().parents[2] / "fixtures" / "hooks"


def _running(event: object, command: str) -> object:
    """A recorded event with another command in place of the one that has a patch."""
    if isinstance(event, dict):
        return {key: _running(value, command) for key, value in event.items()}
    if isinstance(event, list):
        return [_running(each, command) for each in event]
    return command if isinstance(event, str) and "*** Begin Patch" in event else event


def test_what_a_person_approves_once_is_answered_to_every_client_until_it_ends(project, monkeypatch, tmp_path):
    """Where a client can be answered nothing but a refusal, none is given."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "kept"))
    (project / ".patchkit.toml").write_text('[permissions]\nread = { ".env" = "deny" }\n')

    def said(event: object) -> str:
        try:
            answered = respond(json.dumps(event).replace("{ROOT}", str(project)).encode(), PROGRAM)
        except Blocked:
            return "no"
        found = json.loads(answered) if answered else {}
        found = found.get("hookSpecificOutput", found)
        asked = [found.get(name) for name in ("permissionDecision", "permission", "decision")]
        refused = {"ask", "deny", "block"}.intersection(map(str, asked)) or found.get("cancel") is True
        failing = "exit 1" in json.dumps(found.get("overrideInput", ""))
        return "no" if refused or failing else "yes"

    wrong, clients = [], set()
    for path in sorted(RECORDED.glob("*-a-patch-that-applies.json")):
        event = _running(json.loads(path.read_text())["event"], "mkdir new")
        known = read_event(json.loads(json.dumps(event).replace("{ROOT}", str(project))))
        scopes = [("session", known.session)] if known.session else []
        clients.add(known.shape.runtime)
        before = said(event)
        for scope, session in [*scopes, ("directory", ""), ("always", "")]:
            trust.approve("execute", "mkdir new", scope, str(project), session)
            other = json.loads(json.dumps(event).replace(session, "another")) if session else event
            found = [before, said(event), said(other), said(_running(json.loads(path.read_text())["event"], "mkdir b"))]
            cleared = trust.clear_approvals()
            found.append(said(event))
            if (found, cleared) != (["no", "yes", "no" if session else "yes", "no", "no"], 1):
                wrong.append((path.stem, scope, found))
    assert wrong == []
    assert len(clients) >= 11, clients
