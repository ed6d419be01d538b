"""docs/permissions.md: configurations that decide what the page says they do, examples that say what it shows."""

from __future__ import annotations

import re
import tomllib
from contextlib import contextmanager
from pathlib import Path

import pytest
from doc_examples import Page

from patchkit.core.workspace.root import Workspace
from patchkit.policy.audit import logs
from patchkit.policy.permissions import Judge
from patchkit.policy.settings import settings
from patchkit.policy.steering import STEERING, steers
from patchkit.runtimes.hooks.events import SHELL_TOOLS, TOOL_NAMES
from patchkit.runtimes.setup.clients import CLIENTS, ClientSetup
from patchkit.tools.registry import TOOLS, effect_and_name, named

PAGE = Page("permissions.md")
STEERING_PAGE = Page("safety.md")
CONFIGURATIONS = {block.heading: block.text for block in PAGE.blocks if block.kind == "toml"}
READY = ["A reviewer that only reads", "An agent in a repository", "Continuous integration"]
ROWS = [(CONFIGURATIONS[name], *row) for name in READY for row in PAGE.rows(name)]
ROWS += [("[permissions]\n" + rules.replace("`, `", "\n").strip("`"), *row) for rules, *row in PAGE.rows("Rules")]


def plain(cell):
    return cell.strip("`")


@contextmanager
def judging(rules, root):
    """Decides about calls as a table of the page writes them: a tool, and what it is about."""
    (root / ".patchkit.toml").write_text(rules)
    with Workspace(root) as files:
        known = settings(files.real)
        judge = Judge(files, known, effect_and_name, [log.path for log in logs(known, files.real)])

        def judged_call(call):
            tool, about = call.split(" ", 1)
            arguments = {
                "Bash": {"command": about},
                "apply_patch": {"input": f"*** Begin Patch\n*** Add File: {about}\n+x\n*** End Patch\n"},
            }.get(tool, {"file_path": about})
            return judge.judge(named(tool).name, named(tool).deeds(judge.deeds, arguments))

        yield judged_call


def judged(rules, call, root):
    with judging(rules, root) as judged_call:
        return judged_call(call)


@pytest.mark.parametrize(("rules", "call", "decision"), ROWS)
def test_a_call_on_the_page_is_decided_as_the_page_says(rules, call, decision, tmp_path):
    assert judged(rules, plain(call), tmp_path).decision == decision


@pytest.mark.parametrize("name", READY)
def test_a_ready_configuration_shows_what_it_allows_and_what_it_does_not(name):
    decisions = {decision for _, decision in PAGE.rows(name)}

    assert decisions >= {"allow", "deny"}
    assert "[tool.patchkit" not in CONFIGURATIONS[name]


@pytest.mark.parametrize("text", [block.text for block in PAGE.blocks if block.kind == "toml"])
def test_every_configuration_on_the_page_can_be_read(text, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    own = tmp_path / "config/patchkit/config.toml"
    own.parent.mkdir(parents=True)
    (own if "[sandbox]" in text else tmp_path / ".patchkit.toml").write_text(text)
    with Workspace(tmp_path) as files:
        known = settings(files.real)
        Judge(files, known, effect_and_name)

        assert tomllib.loads(text)
        assert isinstance(logs(known, files.real), list)


@pytest.mark.parametrize("example", PAGE.examples, ids=lambda example: f"{example.heading}-{example.number}")
def test_an_example_says_what_the_page_of_permissions_shows(example, try_out):
    try_out(PAGE, example)


def test_the_keys_of_a_line_of_the_log_are_all_on_the_page(tmp_path, monkeypatch):
    from patchkit.policy.audit import Log, recorded
    from patchkit.tools.calling import Caller, call

    monkeypatch.setenv("PATCHKIT_AUDIT", str(tmp_path / "log"))
    call("Read", {"file_path": "a"}, Caller(str(tmp_path)))
    ((found,), _) = recorded([Log(str(tmp_path / "log"))])
    listed = [name for row in PAGE.rows("The audit log") for name in re.findall(r"`(\w+)`", row[0])]

    assert sorted(listed) == sorted(found.data)


def test_the_matchers_that_are_installed_name_tools_whose_events_are_judged():
    ours = {tool.name.lower() for tool in TOOLS} | SHELL_TOOLS | set(TOOL_NAMES)
    others = {other for tool in TOOLS for other in tool.others}
    hooks = [entry.value for client in CLIENTS.values() for entry in client.entries(ClientSetup([""], [], False))]
    matchers = [hook["matcher"] for hook in hooks if isinstance(hook, dict) and "matcher" in hook]

    assert len(matchers) == 3
    named = {name.lower() for matcher in matchers for name in re.findall(r"\w+", matcher)}
    assert named - ours - others == set()


# -- files that steer ------------------------------------------------------------------------------


def test_the_page_has_every_file_that_steers_in_the_order_of_the_rules():
    shown = [plain(name) for _, names in STEERING_PAGE.rows("Files that steer") for name in names.split(", ")]

    assert shown == [pattern.removeprefix("**/").rstrip("/") for pattern in STEERING]


def test_every_file_that_steers_is_asked_for_although_everything_may_be_written(tmp_path, subtests):
    names = [plain(name) for _, names in STEERING_PAGE.rows("Files that steer") for name in names.split(", ")]
    with judging('[permissions]\nwrite = "allow"\n', tmp_path) as judged_call:
        assert judged_call("Write src/app.py").decision == "allow"
        for name in names:
            real = name.replace("*", "x")
            with subtests.test(name):
                for path in (real, f"deep/er/{real}", f"{real}/below", real.upper()):
                    if path.upper() == path and name.upper() != name:
                        assert steers(path)  # a file system may ignore case, and then a rule does
                        continue
                    assert judged_call(f"Write {path}").decision == "ask"


def test_every_section_with_promises_names_tests_that_exist():
    top = Path(__file__).parents[2]
    missing, sections = [], set()
    for section, named_tests in PAGE.rows("What is attacked"):
        sections.add(section)
        for named_test in map(plain, named_tests.split(", ")):
            file, _, function = named_test.partition("::")
            text = (top / file).read_text(encoding="utf-8") if (top / file).exists() else ""
            if not text or f"def {function}" not in text:
                missing.append(named_test)
    headings = {heading for heading, level in PAGE.levels.items() if level == 1}

    assert missing == []
    assert headings - sections == {"Permissions and the audit log", "Examples", "What is attacked"}


def test_the_page_is_short_enough_to_be_read():
    assert len(PAGE.path.read_text(encoding="utf-8").split()) <= 2500
