"""Judging calls: the laws that rules keep to, what a refusal says, and every door that asks."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.workspace.root import Workspace
from patchkit.globs.rule_patterns import known, names_of
from patchkit.policy.permissions import Judge, folding
from patchkit.policy.rules import DECISIONS, rules_of
from patchkit.policy.settings import Settings, SettingsFile
from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import effect_and_name, named

STRICTNESS = {decision: number for number, decision in enumerate(DECISIONS)}
NAMES = ["a", "b", "src", "a.py", "b.md", ".env"]
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)
GLOBS = st.lists(st.sampled_from(["*", "**", "a*", "?", "*.py", *NAMES]), min_size=1, max_size=3).map("/".join)
DECIDED = st.sampled_from(DECISIONS)
KEYS = st.sampled_from(["write", "read", "Write", "Edit", "apply_patch"])
TABLES = st.dictionaries(KEYS, st.dictionaries(GLOBS, DECIDED, max_size=4), max_size=4)
TOOLS = ["Write", "Edit", "Read"]


def source(table, path="/project/.patchkit.toml"):
    return SettingsFile(path, "", {"permissions": table})


def rules(table, own=None):
    known = Settings([source(table)], source(own, "/home/config.toml") if own is not None else None)
    return rules_of(known, "/project", str, effect_and_name)


def decided(table, tool, path, own=None):
    """What is decided about a path under /project, as a number that grows with strictness."""
    effect = named(tool).effect
    return STRICTNESS[rules(table, own).deciding(effect, tool, [known(names_of(f"/project/{path}"))])[0]]


# -- laws ----------------------------------------------------------------------------------------


@given(TABLES, KEYS, GLOBS, st.sampled_from(TOOLS), PATHS)
def test_adding_a_rule_that_denies_never_allows_more(table, key, glob, tool, path):
    stricter = {**table, key: {**table.get(key, {}), glob: "deny"}}

    assert decided(stricter, tool, path) >= decided(table, tool, path)


@given(TABLES, TABLES, st.sampled_from(TOOLS), PATHS)
def test_the_users_own_rules_never_allow_more(table, own, tool, path):
    assert decided(table, tool, path, own) >= decided(table, tool, path)


@given(GLOBS, DECIDED, DECIDED, PATHS)
def test_of_two_rules_that_cover_the_same_the_stricter_wins(glob, one, other, path):
    twice = {"write": {f"./{glob}": one, f".//{glob}": other}}
    alone = {"write": {f"./{glob}": max(one, other, key=STRICTNESS.get)}}

    assert decided(twice, "Write", path) == decided(alone, "Write", path)


@given(TABLES, st.sampled_from(TOOLS), PATHS, DECIDED)
def test_a_rule_for_exactly_this_path_and_tool_decides(table, tool, path, decision):
    exact = {key: value for key, value in table.items() if key != tool}
    exact[tool] = {f"/project/{path}": decision}

    assert decided(exact, tool, path) == STRICTNESS[decision]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A workspace with directories, files, and links to all of them."""
    root = tmp_path_factory.mktemp("tree")
    for name in ("src/a", "b", "a"):
        (root / name).mkdir(parents=True)
    for name in ("src/a.py", "src/a/b.md", "b/.env", "a/a.py", "b.md"):
        (root / name).write_text("x\n")
    (root / "way").symlink_to("src")
    (root / "b" / "up").symlink_to("..")
    (root / "a" / "key").symlink_to("../b/.env")
    (root / "src" / "round").symlink_to(root / "b" / "up" / "a")
    return root


FILES = ["src/a.py", "src/a/b.md", "b/.env", "a/a.py", "b.md", "a/new.py", "src/a/new/er.md"]


def judge_of(files, table):
    known = Settings([SettingsFile(f"{files.real}/.patchkit.toml", "", {"permissions": table})], None)
    return Judge(files, known, effect_and_name)


def decision(judge: Judge, tool: str, arguments: dict[str, object]) -> str:
    return judge.judge(named(tool).name, named(tool).deeds(judge.deeds, arguments)).decision


def spellings(root, path):
    """The same file in many ways."""
    return [path, f"./{path}", f"src/../{path}", f"{root}/{path}", path.replace("/", "//")]


def ways_through_links(path):
    """Paths that reach the same file through links to directories."""
    ways = [f"b/up/{path}", f"b/up/b/up/./{path}"]
    if path.startswith("src/"):
        ways += [f"way/{path[4:]}", f"b/up/way/{path[4:]}"]
    if path.startswith("a/"):
        ways += [f"src/round/{path[2:]}", f"way/round/{path[2:]}"]
    return ways


@examples(100)
@given(TABLES, st.sampled_from(FILES), st.sampled_from(["Read", "Edit"]))
def test_a_path_reaches_one_decision_however_it_is_spelled(tree, table, path, tool):
    with Workspace(tree) as files:
        judge = judge_of(files, table)
        decisions = {spelled: decision(judge, tool, {"file_path": spelled}) for spelled in spellings(tree, path)}
        through = {way: decision(judge, tool, {"file_path": way}) for way in ways_through_links(path)}

    assert len(set(decisions.values())) == 1, decisions
    # A rule may also be about the path as it is written: it makes the decision stricter, never less strict.
    assert all(STRICTNESS[each] >= STRICTNESS[decisions[path]] for each in through.values()), (decisions, through)


@examples(100)
@given(TABLES)
def test_through_a_link_nothing_is_allowed_that_its_target_is_not(tree, table):
    with Workspace(tree) as files:
        judge = judge_of(files, table)
        target, link = (decision(judge, "Read", {"file_path": path}) for path in ("b/.env", "a/key"))

    assert STRICTNESS[link] >= STRICTNESS[target]


@examples(100)
@given(TABLES, st.lists(st.sampled_from(FILES), min_size=1, max_size=5, unique=True))
def test_the_decision_about_a_patch_is_the_strictest_of_its_files(tree, table, paths):
    sections = "".join(f"*** Delete File: {path}\n" for path in paths)
    with Workspace(tree) as files:
        judge = judge_of(files, table)
        whole = judge.judge("apply_patch", judge.deeds.of_patch(f"*** Begin Patch\n{sections}*** End Patch\n"))
        each = [
            judge.judge(
                "apply_patch", judge.deeds.of_patch(f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n")
            ).decision
            for path in paths
        ]

    assert [part.deed.what for part in whole.parts] == paths
    assert whole.decision == max(each, key=STRICTNESS.get)


# -- where the file system does not tell case apart ----------------------------------------------


def test_names_are_left_as_they_are_where_case_counts(tmp_path):
    assert folding(str(tmp_path))("SeCret") == "SeCret"


def test_names_are_one_where_the_file_system_takes_them_for_one(tmp_path):
    root = tmp_path / "Project"
    root.mkdir()
    (tmp_path / "pROJECT").symlink_to(root)  # what such a file system would show under that name
    fold = folding(str(root))

    assert fold("SeCret") == fold("sEcRET")
    assert fold("caf\u00e9") == fold("CAFE\u0301")


def test_a_rule_holds_for_a_name_in_other_letters_there(tmp_path):
    root = tmp_path / "Project"
    (root / "secret").mkdir(parents=True)
    (tmp_path / "pROJECT").symlink_to(root)
    with Workspace(root) as files:
        judge = judge_of(files, {"read": {"Secret/**": "deny"}})
        decisions = [decision(judge, "Read", {"file_path": path}) for path in ("secret/x", "SECRET/new")]

    assert decisions == ["deny", "deny"]


# -- the road of every call ----------------------------------------------------------------------

PATCH = "*** Begin Patch\n*** Add File: docs/n.md\n+x\n*** Add File: other.md\n+x\n*** End Patch\n"


@pytest.fixture
def ruled(tmp_path):
    (tmp_path / ".patchkit.toml").write_text('[permissions]\nwrite = { "docs/**" = "allow", "lib/**" = "deny" }\n')
    return tmp_path


def codes(result):
    return [error["code"] for error in result.errors]


def test_a_path_that_is_spelled_otherwise_is_judged_as_the_file_that_it_means(ruled):
    for name in ("docs", "lib"):
        (ruled / name).mkdir(exist_ok=True)
        (ruled / name / "spelled.txt").write_text("one\n")
    failures = []
    for spelled in ("`{}/spelled.txt`", "{}\\spelled.txt", "/testbed/{}/spelled.txt", "{}/SPELLED.txt"):
        for name, agent in (("docs", True), ("docs", False), ("lib", True), ("lib", False)):
            path = spelled.format(name)
            # An agent needs a rule for the path as it is sent, and rules know none outside of the workspace.
            known = name == "docs" and path[0] != "/" and (not agent or path.startswith("docs/"))
            wanted = "success" if known else "error"
            text = f"*** Begin Patch\n*** Update File: {path}\n@@\n-one\n+one\n+two\n*** End Patch\n"
            result = call("apply_patch", {"input": text}, Caller(str(ruled), agent=agent))
            changed = (ruled / name / "spelled.txt").read_text() != "one\n"
            if (result.status, changed) != (wanted, wanted == "success"):
                failures.append((path, agent, result.status, result.errors))
            (ruled / name / "spelled.txt").write_text("one\n")
    assert failures == []


def test_a_call_of_a_person_is_approved_by_being_made(ruled):
    result = call("apply_patch", {"input": PATCH}, Caller(str(ruled)))

    assert (result.status, (ruled / "other.md").exists()) == ("success", True)


def test_a_call_of_an_agent_needs_a_rule_that_allows_it(ruled):
    result = call("apply_patch", {"input": PATCH}, Caller(str(ruled), agent=True))

    assert (codes(result), result.errors[0]["file"], (ruled / "docs").exists()) == (["P652"], "other.md", False)


def test_a_call_of_an_agent_is_made_where_rules_allow_all_of_it(ruled):
    patch = PATCH.replace("other.md", "docs/other.md")

    assert call("apply_patch", {"input": patch}, Caller(str(ruled), agent=True)).status == "success"


def test_a_rule_that_denies_holds_for_people_too(ruled):
    patch = PATCH.replace("other.md", "lib/other.md")
    result = call("apply_patch", {"input": patch}, Caller(str(ruled)))

    assert (codes(result), (ruled / "docs").exists()) == (["P651"], False)


def test_every_file_that_is_refused_is_reported(ruled):
    sections = "".join(f"*** Add File: lib/{number}\n+x\n" for number in range(3))
    result = call("apply_patch", {"input": f"*** Begin Patch\n{sections}*** End Patch\n"}, Caller(str(ruled)))

    assert [error["file"] for error in result.errors] == ["lib/0", "lib/1", "lib/2"]


def test_without_settings_an_agent_may_read_and_not_write(tmp_path):
    (tmp_path / "a").write_text("x\n")
    read = call("Read", {"file_path": "a"}, Caller(str(tmp_path), agent=True))
    write = call("apply_patch", {"input": PATCH}, Caller(str(tmp_path), agent=True))

    assert (read.status, codes(write)) == ("success", ["P652", "P652"])


def test_a_check_of_a_patch_is_a_read(ruled):
    result = call("apply_patch", {"input": PATCH, "check": True}, Caller(str(ruled), agent=True))

    assert (result.status, result.data["applied"]) == ("success", False)


def test_a_path_outside_the_workspace_is_refused_in_the_tools_own_words(ruled):
    result = call("Read", {"file_path": "/etc/passwd"}, Caller(str(ruled), agent=True))

    assert codes(result) == ["P301"]


def test_broken_rules_stop_every_call_and_say_where(ruled):
    (ruled / ".patchkit.toml").write_text('[permissions]\nwrite = { "docs/**" = "perhaps" }\n')
    result = call("Read", {"file_path": "a"}, Caller(str(ruled)))

    assert (codes(result), result.errors[0]["line"]) == (["P653"], 2)


@pytest.mark.parametrize(
    ("text", "code", "key"),
    [
        ("write = 3", "P653", "permissions.write"),
        ('writes = "deny"', "P655", "permissions.writes"),
        ('write = { "../x" = "deny" }', "P653", "permissions.write"),
        ('execute = { "" = "deny" }', "P653", "permissions.execute"),
        ('read = { "a" = { b = "deny" } }', "P653", "permissions.read.a"),
    ],
)
def test_a_rule_that_means_nothing_is_reported_with_its_key(tmp_path, text, code, key):
    (tmp_path / ".patchkit.toml").write_text(f"[permissions]\n\n{text}\n")
    error = call("Read", {"file_path": "a"}, Caller(str(tmp_path))).errors[0]

    assert (error["code"], error["line"]) == (code, 3)
    assert f"'{key}'" in error["message"]


def test_a_rule_may_be_about_everything_of_the_users_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".patchkit.toml").write_text('[permissions]\nread = { "~/.ssh/**" = "deny" }\n')
    (tmp_path / ".ssh").mkdir()
    result = call("Read", {"file_path": ".ssh/id"}, Caller(str(tmp_path)))

    assert codes(result) == ["P651"]


def test_a_run_that_starts_further_down_has_the_same_rules(ruled, monkeypatch):
    (ruled / "lib").mkdir()
    monkeypatch.chdir(ruled / "lib")
    result = call("apply_patch", {"input": PATCH})

    assert codes(result) == ["P651", "P651"]
    assert os.listdir(ruled / "lib") == []


# -- what a search may show ----------------------------------------------------------------------


def test_a_search_knows_which_names_it_may_show(tmp_path):
    with Workspace(tmp_path) as files:
        judge = judge_of(files, {"read": {"secret/**": "deny", "draft/**": "ask"}})
        person, agent = judge.reader("Grep", agent=False), judge.reader("Grep", agent=True)
        names = ["a.py", "secret/key", "draft/a"]
        seen = ([person(name) for name in names], [agent(name) for name in names])

    assert seen == ([True, False, True], [True, False, False])


def test_a_search_need_not_ask_where_every_name_may_be_shown(tmp_path):
    with Workspace(tmp_path) as files:
        assert judge_of(files, {"write": "deny", "Read": {"a": "deny"}}).reader("Grep", agent=True) is None


def test_a_search_shows_nothing_of_what_may_not_be_read(tmp_path):
    (tmp_path / ".patchkit.toml").write_text('[permissions]\nread = { "secret" = "deny" }\n')
    for name in ("secret", "open"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.txt").write_text("needle\n")
    texts = [
        call("Grep", {"pattern": "needle"}, Caller(str(tmp_path))).text,
        call("Glob", {"pattern": "**/*.txt"}, Caller(str(tmp_path))).text,
        call("LS", {}, Caller(str(tmp_path))).text,
    ]

    assert ["secret" in text for text in texts] == [False, False, False]
    assert ["open" in text for text in texts] == [True, True, True]


def test_a_file_that_takes_the_place_of_a_link_is_judged_by_the_name_of_the_link(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    patch = "*** Begin Patch\n*** Add File: out\n+x\n*** End Patch\n"
    result = call("apply_patch", {"input": patch, "overwrite": True}, Caller(str(root), agent=True))

    assert (codes(result), (root / "out").is_symlink()) == (["P652"], True)


# -- a change is a look, too ---------------------------------------------------------------------

HIDDEN = """\
[permissions]
read = { "hidden" = "deny", "shy" = "ask" }
write = "allow"
"""


@pytest.fixture
def hiding(tmp_path):
    """A project whose files `hidden` and `shy` may be written by anybody, and not simply read."""
    (tmp_path / ".patchkit.toml").write_text(HIDDEN)
    for name in ("hidden", "shy", "open"):
        (tmp_path / name).write_text("password hunter2\n")
    return tmp_path


@pytest.mark.parametrize("name", ["hidden", "shy"])
@pytest.mark.parametrize(
    "section",
    [
        "*** Update File: {}\n@@\n-password\n+x",
        "*** Update File: {}\n*** Move to: seen\n@@\n-password hunter2\n+password hunter2!",
        "*** Delete File: {}",
    ],
)
def test_what_may_not_be_read_is_not_changed_moved_or_deleted_either(hiding, name, section):
    patch = f"*** Begin Patch\n{section.format(name)}\n*** End Patch\n"
    result = call("apply_patch", {"input": patch}, Caller(str(hiding), agent=True))

    assert [error["code"] for error in result.errors] == [{"hidden": "P651", "shy": "P652"}[name]]
    assert "hunter2" not in result.text + str(result.data)
    assert (hiding / name).read_text() == "password hunter2\n"


def test_a_new_file_of_that_name_is_not_a_read(hiding):
    (hiding / "hidden").unlink()
    patch = "*** Begin Patch\n*** Add File: hidden\n+x\n*** End Patch\n"

    assert call("apply_patch", {"input": patch}, Caller(str(hiding), agent=True)).status == "success"


def test_what_may_be_read_and_written_is_changed(hiding):
    patch = "*** Begin Patch\n*** Update File: open\n@@\n-password hunter2\n+x\n*** End Patch\n"

    assert call("apply_patch", {"input": patch}, Caller(str(hiding), agent=True)).status == "success"


def test_a_file_that_may_not_be_read_is_not_offered_for_one_that_is_not_there(hiding):
    patch = "*** Begin Patch\n*** Update File: {}\n@@\n-password hunter2 \n+x\n*** End Patch\n"
    results = {
        (tool, name): call(tool, {"input": patch.format(name)}, Caller(str(hiding)))
        for tool in ("apply_patch", "check")
        for name in ("hiddem", "opem")
    }
    told = {
        each: ("perhaps" in result.text, "*** Update File: " in str(result.data)) for each, result in results.items()
    }

    assert {result.errors[0]["code"] for result in results.values()} == {"P302"}
    assert told == {
        ("apply_patch", "hiddem"): (False, False),
        ("apply_patch", "opem"): (False, True),  # a model gets the corrected patch instead
        ("check", "hiddem"): (False, False),
        ("check", "opem"): (True, True),
    }


@pytest.mark.parametrize(("name", "offered"), [("hiddem", False), ("opem", True)])
def test_a_name_that_may_not_be_read_is_not_suggested_for_a_missing_file(hiding, name, offered):
    assert ("did you mean" in call("Read", {"file_path": name}, Caller(str(hiding))).text) == offered


def test_a_person_is_asked_about_the_file_that_a_misspelt_path_means(ruled):
    (ruled / "other").mkdir()
    (ruled / "other/spelled.txt").write_text("one\n")
    text = "*** Begin Patch\n*** Update File: `other/spelled.txt`\n@@\n-one\n+two\n*** End Patch\n"
    asked = []

    def approves(_judge, parts, _session):
        asked.append([part.deed.what for part in parts])
        return len(asked) == 1  # the path as it is spelled, and not the file

    caller = Caller(str(ruled))
    caller.approves = approves
    result = call("apply_patch", {"input": text}, caller)

    assert (asked, result.status) == ([["`other/spelled.txt`"], ["other/spelled.txt"]], "error")
    assert (ruled / "other/spelled.txt").read_text() == "one\n"
