"""`patchkit check` under the rules of a project, and in its audit log: a tool call like any other."""

from __future__ import annotations

import json
import subprocess

import pytest

from patchkit.checking.report import FORMATS

GOOD = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
SECRET = "*** Begin Patch\n*** Update File: {}\n@@\n-pass word\n+known\n*** End Patch\n"
RULES = '[permissions]\nread = { ".env" = "deny", "ask/**" = "ask" }\n'


@pytest.fixture
def check(run, tree):
    """Runs `patchkit check` in a tree with rules, with a good patch and one for a file that may not be read."""
    (tree / ".patchkit.toml").write_text(RULES)
    (tree / ".env").write_text("password hunter2\n")
    (tree / "good.patch").write_text(GOOD)
    (tree / "secret.patch").write_text(SECRET.format(".env"))

    def run_check(*words, **settings):
        return run("check", *words, name="patchkit", **{"GITHUB_ACTIONS": "", **settings})

    return run_check


@pytest.fixture
def lines(tmp_path):
    """The log that every call is recorded in, and its lines."""
    path = tmp_path / "audit.jsonl"

    def read():
        return [json.loads(line) for line in path.read_text().splitlines()]

    read.settings = {"PATCHKIT_AUDIT": str(path)}
    return read


def told(entry):
    return {name: entry[name] for name in ("tool", "effect", "paths", "decision", "rule", "status", "code")}


def checked(*paths):
    return [{"path": path, "operation": "check"} for path in paths]


def test_a_base_shows_nothing_of_a_file_that_may_not_be_read(check, tree, lines):
    (tree / "old").mkdir()
    (tree / "old/.env").write_text("password hunter1\n")
    (tree / "old/a.txt").write_text("x\n")
    plain = check("good.patch", "secret.patch", "-v", **lines.settings)

    merged = check("good.patch", "secret.patch", "-v", "--base", "old", **lines.settings)

    assert (merged.status, merged.stderr) == (1, b"")
    assert merged.stdout == plain.stdout.replace(b"hunk 1 (patch line 3)  applies", b"hunk 1  applies")
    assert b"hunter1" not in merged.stdout
    assert told(lines()[1]) == told(lines()[0])


def test_a_patch_for_a_file_that_may_not_be_read_is_refused_and_the_others_are_judged(check):
    done = check("good.patch", "secret.patch")

    assert (done.status, done.stderr) == (1, b"")
    assert done.stdout.decode() == (
        "applies  good.patch  1 file, 1 hunk\n"
        "\n"
        "refused  secret.patch  1 file, 1 hunk\n"
        "  M .env\n"
        "    hunk 1 (patch line 3)  not checked\n"
        "\n"
        'error[P651]: reading \'.env\' is denied by the rule read.".env" = "deny" (.patchkit.toml:2)\n'
        " --> secret.patch:2\n"
        "  |\n"
        "2 | *** Update File: .env\n"
        "  |\n"
        "  = help: continue without it, or ask a person to change the rule; nothing was done\n"
        "\n"
        "2 patches checked: 1 applies, 1 refused (1 error)\n"
    )


@pytest.mark.parametrize("name", FORMATS)
def test_no_output_format_shows_what_is_in_a_file_that_may_not_be_read(check, name):
    done = check("secret.patch", "--format", name)

    assert (done.status, b"P651" in done.stdout) == (1, True)
    assert b"hunter2" not in done.stdout + done.stderr


@pytest.mark.parametrize("path", ["./.env", "sub/../.env", "way/.env", "link", "{tree}/.env"])
def test_however_the_path_is_spelled_the_rule_holds(check, tree, path):
    (tree / "sub").mkdir()
    (tree / "way").symlink_to(".")
    (tree / "link").symlink_to(".env")
    done = check("-", stdin=SECRET.format(path.replace("{tree}", str(tree))).encode())

    assert (done.status, b"error[P651]: reading '" in done.stdout, b"hunter2" in done.stdout) == (1, True, False)


def test_both_names_of_a_moved_file_are_judged(check):
    patch = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: .env\n@@\n-x\n+y\n*** End Patch\n"

    assert b"error[P651]: reading '.env'" in check("-", stdin=patch.encode()).stdout


def test_what_is_asked_for_is_done_for_a_person_and_refused_for_an_agent(check, tree):
    (tree / "ask").mkdir()
    (tree / "ask" / "a.txt").write_text("x\n")
    patch = GOOD.replace("a.txt", "ask/a.txt").encode()
    agent, other = check("-", "--as-agent", stdin=patch), check("-", stdin=patch, PATCHKIT_AGENT="1")

    assert check("-", stdin=patch).status == 0
    assert (agent, agent.status) == (other, 1)
    assert b"error[P652]: reading 'ask/a.txt' needs approval because of the rule" in agent.stdout


def test_a_file_that_may_not_be_read_is_not_offered_for_one_that_is_not_there(check, tree):
    (tree / ".patchkit.toml").write_text('[permissions]\nread = { "hidden.txt" = "deny" }\n')
    (tree / "hidden.txt").write_text("x\n")
    done = check("-", "--json", stdin=GOOD.replace("a.txt", "hiddem.txt").encode())

    assert (done.status, b"P302" in done.stdout, b"hidden.txt" in done.stdout) == (1, True, False)


def test_the_syntax_of_a_patch_may_be_checked_whatever_it_names(check):
    assert check("secret.patch", "--syntax-only", "--as-agent").status == 0


def test_the_rule_holds_for_a_file_in_a_commit_too(check, tree):
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *words], cwd=tree, check=True)
    (tree / ".env").unlink()
    for words in (["--against", "HEAD"], ["--against", "HEAD", "--git-dir", ".git"]):
        done = check("good.patch", "secret.patch", *words)

        assert (done.status, b"1 applies, 1 refused (1 error)" in done.stdout) == (1, True)
        assert (b"error[P651]: reading '.env'" in done.stdout, b"hunter2" in done.stdout) == (True, False)


def test_in_a_sequence_a_refused_patch_is_not_there_for_the_next(check):
    done = check("secret.patch", "good.patch", "--sequence")

    assert (done.status, b"1 applies, 1 refused" in done.stdout) == (1, True)


def test_rules_that_cannot_be_read_end_with_2(check, tree):
    (tree / ".patchkit.toml").write_text("[permissions]\nread = deny\n")
    done = check("good.patch")

    assert (done.status, done.stderr.startswith(b"error[P650]: line 2 of '.patchkit.toml' is not valid TOML")) == (
        2,
        True,
    )


# -- the log -------------------------------------------------------------------------------------


def test_a_run_is_one_line_with_every_path_once(check, lines):
    check("good.patch", "good.patch", "secret.patch", "-", stdin=GOOD.encode(), **lines.settings)

    assert [told(entry) for entry in lines()] == [
        {
            "tool": "check",
            "effect": "read",
            "paths": checked("a.txt", ".env"),
            "decision": "deny",
            "rule": 'read.".env" = "deny" (.patchkit.toml:2)',
            "status": "error",
            "code": "P651",
        }
    ]


def test_several_processes_make_one_line_too(check, lines, tree):
    (tree / "many").mkdir()
    for number in range(60):
        (tree / "many" / f"{number:02}.patch").write_text(GOOD.replace("a.txt", f"{number}.txt"))
    check("many", "secret.patch", "--jobs", "2", **lines.settings)
    (entry,) = lines()

    assert (entry["decision"], entry["code"]) == ("deny", "P302")
    assert sorted(path["path"] for path in entry["paths"]) == sorted([".env", *(f"{n}.txt" for n in range(60))])


def test_a_patch_that_does_not_fit_is_recorded_without_a_word_of_the_file(check, lines, tree):
    (tree / "a.txt").write_text("hunter2\n")
    check("good.patch", **lines.settings)
    (entry,) = lines()

    assert (entry["decision"], entry["status"], entry["code"]) == ("allow", "error", "P201")
    assert "hunter2" not in json.dumps(entry)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["good.patch", "--syntax-only"], None),
        (["gone.patch"], "P661"),
        (["good.patch", "--root", "gone"], "P312"),
        (["good.patch", "--against", "HEAD"], "P666"),
    ],
)
def test_a_run_that_looks_at_no_file_is_recorded_all_the_same(check, lines, tree, words, code):
    subprocess.run(["git", "init", "-q"], cwd=tree, check=True)
    check(*words, **lines.settings)
    (entry,) = lines()

    assert (entry["tool"], entry["paths"], entry["code"]) == ("check", [], code)


def test_a_log_that_cannot_be_written_stops_no_check_and_is_told(check):
    done = check("good.patch", PATCHKIT_AUDIT="/dev/full")

    assert done.status == 0
    assert done.stdout.decode().startswith("note[P985]: ")
    assert done.stdout.endswith(b"1 patch checked: it applies\n")


@pytest.mark.parametrize("path", ["`.env`", ".ENV", "/testbed/.env", ".\\.env"])
def test_a_hidden_file_whose_path_is_spelled_otherwise_is_not_shown(check, tree, path):
    (tree / "other.patch").write_text(SECRET.format(path))
    done = check("other.patch", "-v", "--as-agent")

    assert (done.status, b"hunter2" in done.stdout + done.stderr) == (1, False)


@pytest.mark.parametrize("path", ["a.txt", "`a.txt`", "A.TXT"])
def test_a_check_is_judged_as_reading_however_the_path_is_spelled(check, run, tree, path):
    (tree / ".patchkit.toml").write_text(RULES + 'write = { "*.txt" = "deny" }\n')
    patch = GOOD.replace("a.txt", path)
    (tree / "good.patch").write_text(patch)

    assert (check("good.patch").status, run(patch).status, (tree / "a.txt").read_text()) == (0, 1, "x\n")
