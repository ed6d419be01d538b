"""Events that try to pass by the rules: decoy fields, other directories, own rights, rules that nobody trusted."""

from __future__ import annotations

import itertools
import json
import os

import pytest

from patchkit.policy.settings import settings
from patchkit.policy.steering import STEERING, steers
from patchkit.policy.trust import trust
from patchkit.runtimes import hooks
from patchkit.runtimes.hooks import respond
from patchkit.runtimes.hooks.events import COMMANDS, DIRECTORIES, EDITING_MODES, PATCHES, PATHS

RULES = """[permissions]
read = { "*" = "allow", ".env*" = "deny" }
write = { "*" = "ask", "src/**" = "allow", "vendor/**" = "deny" }
execute = { "pytest" = "allow", "git push" = "deny" }
"""
FULL = os.environ.get("PATCHKIT_TESTS") == "full"
PROGRAM = ["/opt/patchkit/bin/apply_patch"]
DENIED = "*** Begin Patch\n*** Add File: vendor/new.py\n+x\n*** End Patch\n"
ALLOWED = DENIED.replace("vendor", "src")


@pytest.fixture
def project(tmp_path, monkeypatch):
    for name in ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "COPILOT_PROJECT_DIR", "SHELL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(hooks, "_has_terminal", lambda: True)
    root = tmp_path.resolve() / "project"
    for name in (".git", "src", "vendor", "sub/deep"):
        (root / name).mkdir(parents=True)
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (root / ".patchkit.toml").write_text(RULES)
    (root / ".env").write_text("TOKEN=1\n")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(root)
    return root


def decided(project, tool, given, **more):
    """The decision about a call; None where it is left to the runtime."""
    event = {"cwd": str(project), "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, **more}
    said = respond(json.dumps(event).encode(), PROGRAM)
    return json.loads(said)["hookSpecificOutput"].get("permissionDecision") if said else None


def pairs(names):
    """Two of the names in both orders: each with the one behind it, and all under PATCHKIT_TESTS=full."""
    names = list(names)
    beside = [*zip(names, [*names[1:], names[0]])]
    return itertools.permutations(names, 2) if FULL else [*beside, *(each[::-1] for each in beside)]


def test_the_strictest_of_several_commands_decides(project, subtests):
    for first, second in pairs(COMMANDS):
        with subtests.test(f"{first}, {second}"):
            assert decided(project, "Bash", {first: "pytest", second: "git push"}) == "deny"
            assert decided(project, "Bash", {first: "pytest", second: ["touch", "x"]}) == "ask"
            assert decided(project, "Bash", {first: "pytest"}) == "allow"


@pytest.mark.parametrize(
    "more",
    [
        {"dangerouslyDisableSandbox": True},
        {"sandbox_permissions": "require_escalated"},
        {"with_escalated_permissions": True},
        {"shell": "./evil"},
        {"env": {"PATH": "evil"}},
        {"args": ["; touch x"]},
        {"not_known_yet": 1},
    ],
)
def test_a_rule_for_a_command_does_not_allow_more_than_the_command(more, project):
    assert decided(project, "Bash", {"command": "pytest", **more}) is None
    assert decided(project, "Bash", {"command": "git push", **more}) == "deny"
    assert decided(project, "Bash", {"command": "touch x", **more}) == "ask"


def test_a_command_is_judged_by_the_shell_of_the_user_and_by_bash(project, monkeypatch):
    script = 'pytest "$x:t"'  # zsh reads a modifier there
    found = {}
    for shell in ("bash", "zsh"):
        monkeypatch.setenv("SHELL", f"/bin/{shell}")
        found[shell] = decided(project, "Bash", {"command": script}), decided(project, "Bash", {"command": "pytest"})

    assert found == {"bash": ("allow", "allow"), "zsh": ("ask", "allow")}


@pytest.mark.parametrize(
    "more", [{"dangerouslyDisableSandbox": False}, {"shell": "/bin/bash"}, {"timeout": 5, "description": "tests"}]
)
def test_plain_fields_of_a_command_change_nothing(more, project):
    assert decided(project, "Bash", {"command": "pytest", **more}) == "allow"


def test_the_strictest_of_several_paths_decides(project, subtests):
    for first, second in pairs(PATHS):
        with subtests.test(f"{first}, {second}"):
            given = {first: "src/a.py", second: f"{project}/vendor/a.py", "old_string": "a", "new_string": "b"}

            assert decided(project, "Edit", given) == "deny"
            assert decided(project, "Read", {first: "src/a.py", second: [".env"]}) == "deny"


@pytest.mark.parametrize("name", PATHS)
def test_paths_in_lists_of_edits_are_judged_too(name, project):
    edits = [{"old_string": "a"}, {name: "src/a.py"}, {"more": [{name: "vendor/a.py"}]}]

    assert decided(project, "MultiEdit", {"file_path": "src/a.py", "edits": edits}) == "deny"
    assert decided(project, "MultiEdit", {"file_path": "src/a.py", "edits": edits[:2]}) == "allow"


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        (["pytest", "git push"], "deny"),
        (["pytest", "touch x"], "ask"),
        ({"run": "pytest"}, "ask"),
        ([["pytest"]], "ask"),
    ],
)
def test_commands_that_may_be_several_or_cannot_be_read_are_not_taken_for_one(command, decision, project):
    assert decided(project, "Bash", {"commands": command}) == decision


def test_a_repository_that_is_put_around_a_session_does_not_end_the_search_for_rules(project, monkeypatch):
    (project / "sub/.git").mkdir()
    (project / "sub/.git/HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(project / "sub")

    assert decided(project / "sub", "Read", {"file_path": "../.env"}) == "deny"
    assert decided(project / "sub", "Bash", {"command": "git push"}) == "deny"


def test_the_strictest_of_several_patches_decides(project, subtests):
    for first, second in pairs(PATCHES):
        with subtests.test(f"{first}, {second}"):
            assert decided(project, "apply_patch", {first: ALLOWED, second: DENIED}) == "deny"
            assert decided(project, "apply_patch", {first: ALLOWED, second: "not a patch"}) == "ask"


def test_a_command_is_judged_in_every_directory_that_the_call_names(project, subtests):
    for first, second in pairs(DIRECTORIES):
        with subtests.test(f"{first}, {second}"):
            given = {"command": "pytest > a.py", first: "src", second: "vendor"}

            assert decided(project, "Bash", given) == "deny"


@pytest.mark.parametrize("cwd", [".", "sub", "sub/deep", "..", "../other", "/"])
@pytest.mark.parametrize("start", [".", "sub", "sub/deep"])
def test_the_rules_hold_wherever_session_and_call_are(cwd, start, project, monkeypatch):
    monkeypatch.chdir(project / start)
    where = str((project / cwd).resolve())

    assert decided(project, "Bash", {"command": f"cd {project} && git push"}, cwd=where) == "deny"
    assert decided(project, "Read", {"file_path": f"{project}/.env"}, cwd=where) == "deny"
    assert decided(project, "Edit", {"file_path": f"{project}/vendor/a.py"}, cwd=where) == "deny"
    call = f"cd {project} && apply_patch <<'EOF'\n{DENIED}EOF\n"
    assert decided(project, "Bash", {"command": call}, cwd=where) == "deny"


def test_a_relative_path_counts_from_the_directory_of_the_session(project):
    assert decided(project, "Read", {"file_path": "../.env"}, cwd=str(project / "sub")) == "deny"
    assert decided(project, "Read", {"file_path": "../../.env"}, cwd=str(project / "sub/deep")) == "deny"


@pytest.mark.parametrize("name", ["PATCHKIT_ROOT", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "COPILOT_PROJECT_DIR"])
def test_the_project_that_the_runtime_names_counts(name, project, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "other")
    monkeypatch.setenv(name, str(project))

    assert decided(project, "Edit", {"file_path": f"{project}/vendor/a.py"}) == "deny"


# -- what is never allowed on our own word -------------------------------------------------------


def example(pattern):
    """A path that a pattern covers."""
    return pattern.removeprefix("**/").replace("*", "x")


def test_files_that_steer_other_programs_are_left_to_the_runtime(project, subtests):
    (project / ".patchkit.toml").unlink()
    spellings = ("{}", "./{}", "sub/../{}", "sub/{}", "{}/below")
    cases = list(itertools.product(STEERING, spellings, sorted(EDITING_MODES)))
    for pattern, spelled, mode in cases if FULL else cases[::7]:  # every pattern, and every spelling of some
        with subtests.test(f"{spelled} {pattern} {mode}"):
            path = spelled.format(example(pattern))
            patch = f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"
            said = decided(project, "Bash", {"command": f"apply_patch <<'EOF'\n{patch}EOF\n"}, permission_mode=mode)

            assert said in (None, "deny")
            assert steers(path.replace("sub/../", "").removeprefix("./"))


def test_a_link_to_a_file_that_steers_is_not_allowed(project):
    (project / ".patchkit.toml").unlink()
    (project / ".claude").mkdir()
    (project / "plain").symlink_to(".claude")
    patch = "*** Begin Patch\n*** Add File: plain/settings.json\n+x\n*** End Patch\n"

    assert (
        decided(project, "Bash", {"command": f"apply_patch <<'EOF'\n{patch}EOF\n"}, permission_mode="acceptEdits")
        is None
    )


@pytest.mark.parametrize("mode", ["", "default", "plan", "dontAsk", "auto"])
def test_a_patch_is_not_allowed_where_the_runtime_would_ask_for_an_edit(mode, project):
    (project / ".patchkit.toml").unlink()

    assert decided(project, "Bash", {"command": f"apply_patch <<'EOF'\n{ALLOWED}EOF\n"}, permission_mode=mode) is None


def test_a_plain_file_is_allowed_where_the_runtime_would_not_ask_for_an_edit(project):
    (project / ".patchkit.toml").unlink()
    call = {"command": f"apply_patch <<'EOF'\n{ALLOWED}EOF\n"}

    assert decided(project, "Bash", call, permission_mode="acceptEdits") == "allow"


# -- trust ---------------------------------------------------------------------------------------


def test_rules_of_a_repository_allow_nothing_until_they_are_trusted(project, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    loose = RULES + '[permissions.Grep]\n"*" = "allow"\n'
    (project / ".patchkit.toml").write_text(loose.replace('"pytest" = "allow"', '"*" = "allow"'))

    def all_decided():
        call = f"apply_patch <<'EOF'\n{ALLOWED}EOF\n"
        return [
            decided(project, "Bash", {"command": "curl https://example.com -o x"}),
            decided(project, "Bash", {"command": call}),
            decided(project, "Bash", {"command": "git push"}),
            decided(project, "Read", {"file_path": ".env"}),
        ]

    before = all_decided()
    trust(settings(str(project)).project[0])
    after = all_decided()
    (project / ".patchkit.toml").write_text((project / ".patchkit.toml").read_text().replace("vendor", "vendors"))

    assert before == ["ask", "ask", "deny", "deny"]
    assert after == ["allow", "allow", "deny", "deny"]
    assert all_decided() == before


def test_where_no_person_can_be_asked_asking_is_a_refusal_with_its_reason(project, monkeypatch):
    event = {
        "cwd": str(project),
        "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command",
        "tool_input": {"command": "make"},
    }
    asked = json.loads(respond(json.dumps(event).encode(), PROGRAM))
    monkeypatch.setattr(hooks, "_has_terminal", lambda: False)
    headless = json.loads(respond(json.dumps(event).encode(), PROGRAM))
    monkeypatch.setattr(hooks, "_has_terminal", lambda: True)
    monkeypatch.setenv("PATCHKIT_AGENT", "1")
    agent = json.loads(respond(json.dumps(event).encode(), PROGRAM))

    assert asked["decision"] == "ask"
    assert headless["decision"] == agent["decision"] == "deny"
    assert "ask a person to allow it by a rule" in headless["reason"]


def test_a_patch_that_is_too_large_for_an_argument_is_handed_over_by_a_file(project):
    (project / ".patchkit.toml").unlink()
    patch = "*** Begin Patch\n*** Add File: src/big.txt\n" + "+x\n" * 60_000 + "*** End Patch\n"
    event = {
        "cwd": str(project),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": f"apply_patch <<'EOF'\n{patch}EOF\n"},
    }
    command = json.loads(respond(json.dumps(event).encode(), PROGRAM))["hookSpecificOutput"]["updatedInput"]["command"]
    words, _, file = command.strip().partition(" < ")

    assert len(command) < 1000
    assert words.startswith(PROGRAM[0])
    with open(file) as handed:
        assert handed.read() == patch


# -- events that cannot be judged ----------------------------------------------------------------

DEEP = "[" * 3000 + "]" * 3000


def unread_events(project):
    """Events whose call would be denied, each in a form that cannot be read or judged."""
    plain = {"cwd": str(project), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    call = {**plain, "tool_input": {"command": "git push"}}
    text = json.dumps(call)
    return {
        "a directory that is gone": json.dumps({**call, "cwd": f"{project}/gone"}),
        "a file": json.dumps({**call, "cwd": f"{project}/.env"}),
        "no directory": json.dumps({**call, "cwd": 7}),
        "a large number": text.replace('"tool_input": {', '"tool_input": {"timeout": ' + "9" * 5000 + ","),
        "a large number beside it": text[:-1] + ', "more": ' + "9" * 5000 + "}",
        "nesting": text.replace('"tool_input": {', f'"tool_input": {{"more": {DEEP},'),
        "nesting beside it": text[:-1] + f', "more": {DEEP}}}',
        "cut off": text[:-5],
        "not UTF-8": text.encode().replace(b"git", b"g\xffit").decode("latin-1"),
        "no input": json.dumps(plain),
        "a list as the input": json.dumps({**plain, "tool_input": ["git push"]}),
        "no name of a tool": json.dumps({**call, "tool_name": None}),
        "another kind inside": json.dumps({**plain, "tool_input": 7, "a": {"hook_event_name": "PostToolUse"}}),
        "half of a surrogate pair": text.replace("git push", "git push \\ud800"),
    }


def test_what_cannot_be_judged_is_asked_for_where_there_are_rules(project, monkeypatch, subtests):
    monkeypatch.delenv("PATCHKIT_AGENT", raising=False)
    assert decided(project, "Bash", {"command": "pytest"}) == "allow"
    for name, text in unread_events(project).items():
        with subtests.test(name):
            said = json.loads(respond(text.encode("latin-1"), PROGRAM))["hookSpecificOutput"]
            assert said["permissionDecision"] in ("ask", "deny")
            assert "UnicodeEncodeError" not in said["permissionDecisionReason"]
            codex = text.replace('"tool_name"', '"turn_id": "1", "tool_name"', 1)
            said = json.loads(respond(codex.encode("latin-1"), PROGRAM))["hookSpecificOutput"]
            assert said["permissionDecision"] == "deny"


def test_what_cannot_be_judged_passes_where_there_are_no_rules(project, subtests):
    (project / ".patchkit.toml").write_text("[check]\nmax-files = 3\n")
    for name, text in unread_events(project).items():
        with subtests.test(name):
            try:
                assert respond(text.encode("latin-1"), PROGRAM) == ""
            except hooks.UnreadableEvent:
                pass


def test_events_after_a_call_get_no_answer(project):
    with pytest.raises(hooks.UnreadableEvent):
        respond(json.dumps({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {}}).encode(), PROGRAM)
    with pytest.raises(hooks.UnreadableEvent):
        respond(b'{"hook_event_name": "PostToolUse", "tool_name": "Bash"', PROGRAM)


@pytest.mark.parametrize("broken", ["decide", "for_runtime", "note_call", "settings_files"])
def test_a_defect_of_ours_opens_nothing_that_rules_close(broken, project, monkeypatch):
    times = iter([True])

    def defect(*words):
        if next(times, False):
            raise ZeroDivisionError
        return usual(*words)

    usual = getattr(hooks, broken)
    monkeypatch.setattr(hooks, broken, defect)

    assert decided(project, "Bash", {"command": "git push"}) in ("ask", "deny")


def test_a_session_in_a_directory_that_was_removed_is_under_the_rules_above_it(project, monkeypatch):
    gone = project / "sub/deep"
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert decided(gone, "Bash", {"command": "git push"}) == "deny"


# -- tools of clients that are not ours ------------------------------------------------------------

# Under rules that allow every command but a push, and every file but '.env'.
TOOLS = [
    ("Bash", {"command": "make"}, "allow"),
    ("Read", {"file_path": "src/a.py"}, "allow"),
    ("write_stdin", {"session_id": 1, "chars": "git push\n"}, "deny"),
    ("write_stdin", {"session_id": 1, "chars": "y\n"}, "ask"),
    ("write_stdin", {"session_id": 1, "chars": ""}, None),
    ("write_bash", {"sessionId": "1", "input": "git push{enter}"}, "ask"),
    ("write_bash", {"sessionId": "1", "input": "git --no-pager push origin"}, "deny"),
    ("PowerShell", {"command": "git push"}, "deny"),
    ("powershell", {"command": "Remove-Item x"}, "ask"),
    ("read_many_files", {"paths": [".env"]}, "deny"),
    ("read_many_files", {"include": ["src/a.py", ".env"]}, "deny"),
    ("read_many_files", {"include": ["**/*"]}, "ask"),
    ("read_many_files", {"paths": ["."]}, "ask"),
    ("read_many_files", {"include": ["src/a.py"]}, "allow"),
    ("view_image", {"path": ".env"}, "deny"),
    ("rg", {"pattern": "x", "path": ".env"}, "deny"),
    ("Read", {"FilePath": ".env"}, "ask"),
    ("Read", {"uri": ".env"}, "ask"),
    ("Write", {"uri": ".env"}, "ask"),
    ("Grep", {"pattern": "x"}, None),
]


def test_tools_of_clients_are_judged_by_what_they_do(project, subtests):
    (project / ".patchkit.toml").write_text(
        "[permissions]\n"
        'read = { "*" = "allow", ".env*" = "deny" }\n'
        'write = { "*" = "allow", ".env*" = "deny" }\n'
        'execute = { "*" = "allow", "git push" = "deny" }\n'
    )
    for tool, given, wanted in TOOLS:
        with subtests.test(f"{tool} {given}"):
            assert decided(project, tool, given) == wanted
