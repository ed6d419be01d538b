"""Runs that are proved before they count: formatted, verified, committed with git, and taken back where that fails."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from child_processes import HANG, number_in, wait_until
from fault_injection import Fault, attempt, every, through_command

import patchkit
import patchkit.cli.apply_patch
from patchkit.core.workspace.transaction import JOURNAL
from patchkit.tools.calling import Caller, call

PATCH = """\
*** Begin Patch
*** Update File: a.py
@@
-a = 1
+a = 2
*** Add File: new/n.txt
+new
*** Update File: old.txt
*** Move to: moved.txt
*** Delete File: gone.txt
*** End Patch
"""
BEFORE = {"a.py": b"a = 1\nb = 1\n", "old.txt": b"old\n", "gone.txt": b"gone\n", "other.txt": b"other\n"}
AFTER = {"a.py": b"a = 2\nb = 1\n", "new/n.txt": b"new\n", "moved.txt": b"old\n", "other.txt": b"other\n"}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "tree"
    root.mkdir()
    for name, data in BEFORE.items():
        (root / name).write_bytes(data)
    return root


def contents(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git/" not in f"{path}/"
    }


def command(root: Path, *words: str, patch: str = PATCH, **more) -> subprocess.CompletedProcess:
    code = "from patchkit.cli.apply_patch import main; main()"
    argv = [sys.executable, "-c", code, *words]
    return subprocess.run(argv, cwd=root, input=patch, text=True, capture_output=True, timeout=HANG, **more)


def refusal(root: Path, **options) -> patchkit.PatchkitError:
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.apply(PATCH, root, **options)
    return raised.value


# -- verify ------------------------------------------------------------------------------------------


def test_a_run_whose_command_succeeds_is_there(tree):
    patchkit.apply(PATCH, tree, verify="test -e moved.txt && test ! -e gone.txt")

    assert contents(tree) == AFTER


def test_a_run_whose_command_fails_is_taken_back_and_says_what_the_command_said(tree):
    error = refusal(tree, verify=["true", "echo first; echo last >&2; exit 7"])

    assert contents(tree) == BEFORE
    assert (error.code, error.kind) == ("P648", "EXECUTION_ERROR")
    assert error.facts["how"] == "status 7"
    assert error.facts["output"] == "first\nlast"


@pytest.mark.parametrize(
    "command_line",
    [
        "echo broken > a.py; false",
        "rm a.py new/n.txt; false",
        "rm -r new; false",
        "echo back > gone.txt; echo more >> moved.txt; false",
        "sed -i s/old/OLD/ moved.txt; false",
        "rm -f .patchkit-*.tmp new/.patchkit-*.tmp; false",
        "chmod 600 a.py; mv a.py b.py; mv b.py a.py; false",
    ],
)
def test_what_a_failing_command_did_to_files_of_the_run_is_taken_back(tree, command_line):
    refusal(tree, verify=command_line)

    assert contents(tree) == BEFORE


def test_other_files_that_a_failing_command_made_or_changed_are_named_and_stay(tree):
    os.utime(tree / "other.txt", (1, 1))
    error = refusal(tree, verify="echo x > made.txt; echo y > other.txt; false")

    assert error.facts["made"] == "'made.txt', 'other.txt'"
    assert contents(tree) == {**BEFORE, "made.txt": b"x\n", "other.txt": b"y\n"}


def test_a_command_that_never_ends_is_ended_with_all_that_it_started(tree):
    error = refusal(tree, verify="sleep 1000 & echo $! > pid; sleep 1000", verify_timeout=1)

    assert error.facts["how"] == "ended after 1 s"
    (tree / "pid").unlink()
    assert contents(tree) == BEFORE


def test_what_a_succeeding_command_changed_in_the_run_belongs_to_it_and_one_undo_takes_all_back(tree):
    done = patchkit.apply(PATCH, tree, verify="echo c >> a.py", history=True)

    assert contents(tree) == {**AFTER, "a.py": b"a = 2\nb = 1\nc\n"}
    assert [(note.code, note.facts["file"]) for note in done.notes] == [("P991", "a.py")]
    patchkit.undo(tree)
    assert contents(tree) == BEFORE


def test_a_verification_of_a_mapping_is_refused():
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.apply(PATCH, dict(BEFORE), verify="true")
    assert raised.value.code == "P601"


# -- format --------------------------------------------------------------------------------------------


def test_a_formatter_gets_the_changed_files_and_its_changes_are_shown_as_such(tree):
    given = command(tree, "--format", "sed -i 's/^b/bb/' {files}", "--json", "--diff")
    result = json.loads(given.stdout)

    assert given.returncode == 0
    assert (tree / "a.py").read_bytes() == b"a = 2\nbb = 1\n"
    assert (tree / "other.txt").read_bytes() == b"other\n"
    assert result["data"]["files"][0]["rewritten"] == {
        "command": "sed -i 's/^b/bb/' {files}",
        "diff": "@@ -1,2 +1,2 @@\n a = 2\n-b = 1\n+bb = 1\n",
    }
    assert "+bb = 1" in result["data"]["diff"]


def test_names_with_spaces_and_quotes_reach_the_formatter_whole(tree):
    patch = "*** Begin Patch\n*** Add File: -o 'x y\n+1\n*** End Patch\n"
    for written in ("{files}", '"{files}"', "'{files}'"):
        patchkit.apply(patch, tree, format=f"sed -i s/1/2/ {written}", overwrite=True)
        assert (tree / "-o 'x y").read_bytes() == b"2\n"


# -- settings and rules ----------------------------------------------------------------------------------


def test_commands_of_settings_count_once_the_project_is_trusted_and_for_the_files_of_their_patterns(tree):
    (tree / ".git").mkdir()
    (tree / ".patchkit.toml").write_text(
        '[apply]\nformat = { "*.py" = "sed -i s/b/bb/ {files}" }\nverify = { "*.rs" = "false" }\n'
    )
    before = command(tree)
    first = contents(tree)["a.py"]
    shown = subprocess.run([sys.executable, "-m", "patchkit", "trust"], cwd=tree, capture_output=True, text=True)
    after = command(tree, patch="*** Begin Patch\n*** Update File: a.py\n-a = 2\n+a = 3\n*** End Patch\n")

    assert (before.returncode, first, "P987" in before.stderr) == (0, b"a = 2\nb = 1\n", True)
    assert shown.stdout == (
        "The rules of '.patchkit.toml' are trusted.\n"
        '  apply.format = {"*.py": "sed -i s/b/bb/ {files}"}\n  apply.verify = {"*.rs": "false"}\n'
    )
    assert (after.returncode, contents(tree)["a.py"]) == (0, b"a = 3\nbb = 1\n")


def test_an_agent_needs_a_rule_for_the_command(tree):
    given = {"input": PATCH, "verify": ["touch ran"]}
    refused = call("apply_patch", given, Caller(str(tree), agent=True))

    assert refused.errors[0]["code"] == "P652"
    assert contents(tree) == BEFORE


def test_a_rule_allows_an_agent_a_formatter_of_the_changed_files(tree):
    (tree / ".git").mkdir()
    (tree / ".patchkit.toml").write_text('[permissions]\nwrite = { "**" = "allow" }\nexecute = { "sed" = "allow" }\n')
    subprocess.run([sys.executable, "-m", "patchkit", "trust"], cwd=tree, capture_output=True, check=True)
    made = call("apply_patch", {"input": PATCH, "format": ["sed -i s/b/bb/ {files}"]}, Caller(str(tree), agent=True))

    assert (made.errors, contents(tree)["a.py"]) == ([], b"a = 2\nbb = 1\n")


def test_an_edit_is_verified_like_a_patch(tree):
    caller = Caller(str(tree))
    call("Read", {"file_path": "a.py"}, caller)
    edit = {"file_path": "a.py", "old_string": "a = 1", "new_string": "a = 5"}
    refused = call("Edit", {**edit, "verify": ["false"]}, caller)
    kept = contents(tree)
    done = call("Edit", {**edit, "format": ["sed -i s/5/6/ {files}"]}, caller)

    assert (refused.errors[0]["code"], kept) == ("P648", BEFORE)
    assert (done.status, contents(tree)["a.py"]) == ("success", b"a = 6\nb = 1\n")
    assert done.data["bytes"] == 12


# -- git -------------------------------------------------------------------------------------------------


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tree):
    git(tree, "init", "-q")
    git(tree, "config", "user.name", "n")
    git(tree, "config", "user.email", "n@example.com")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "base")
    (tree / "staged.txt").write_text("staged\n")
    git(tree, "add", "staged.txt")
    (tree / "other.txt").write_text("changed\n")
    return tree


def test_a_commit_has_the_files_of_the_run_and_nothing_else(repository):
    done = command(repository, "--commit=do it")

    assert (done.returncode, done.stdout) == (0, command_summary())
    names = git(repository, "show", "--name-status", "--no-renames", "--format=%s", "HEAD").split("\n")
    assert names == ["do it", "", "M\ta.py", "D\tgone.txt", "A\tmoved.txt", "A\tnew/n.txt", "D\told.txt", ""]
    assert git(repository, "status", "--short") == " M other.txt\nA  staged.txt\n"
    run = git(repository, "log", "-1", "--format=%(trailers:key=Patchkit-Run,valueonly)").strip()
    assert run in os.listdir(next((repository.parent / "state" / "patchkit").iterdir()) / "history")[0]


def command_summary() -> str:
    listed = "A new/n.txt\nM a.py\nM moved.txt\nD gone.txt\n"
    return f"Success. Updated the following files:\n{listed}"


def test_a_hook_that_refuses_takes_the_run_back(repository):
    hook = repository / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho no; exit 1\n")
    hook.chmod(0o755)
    head = git(repository, "rev-parse", "HEAD")
    done = command(repository, "--commit=do it")

    assert done.returncode == 1
    assert "error[P649]" in done.stderr
    assert "  | no\n" in done.stderr
    assert git(repository, "rev-parse", "HEAD") == head
    assert git(repository, "status", "--short") == " M other.txt\nA  staged.txt\n"


def test_a_file_with_changes_of_the_users_own_is_not_committed(repository):
    (repository / "a.py").write_text("a = 1\nb = 9\n")
    done = command(repository, "--commit")

    assert done.returncode == 1
    assert "'a.py' has changes that are not committed" in done.stderr
    assert (repository / "a.py").read_text() == "a = 1\nb = 9\n"


# -- kills and signals -------------------------------------------------------------------------------------

CALLS = {"rename", "link", "unlink", "symlink", "fsync", "mkdir"}


@pytest.mark.parametrize("words", [["--verify", "echo c >> a.py"], ["--format", "sed -i s/b/bb/ {files}"]])
def test_a_kill_at_any_call_leaves_all_old_or_all_new_after_the_next_run(tree, words):
    new = {**AFTER, "a.py": b"a = 2\nb = 1\nc\n" if words[0] == "--verify" else b"a = 2\nbb = 1\n"}
    seen = set()
    patchkit.apply(PATCH, tree, history=True, **{words[0].strip("-"): words[1]})  # loads modules, once for all children

    def killed(fault):
        for name in contents(tree):
            (tree / name).unlink()
        for name, data in BEFORE.items():
            (tree / name).write_bytes(data)
        ended = attempt(through_command(str(tree), PATCH, *words), fault)
        recover(tree)
        now = contents(tree)
        assert now in (BEFORE, new), (fault, now)
        seen.add(now == new)
        return None if ended.status == 0 else ended.struck

    every(lambda at: Fault(at, kill=True, only=CALLS), killed)

    assert seen == {False, True}


def recover(root: Path) -> None:
    from patchkit.history import tracked_workspace

    with tracked_workspace(root) as files:
        files.begin()


def test_a_kill_while_the_command_runs_is_taken_back_by_the_next_run_which_waits_for_the_command(tree):
    words = ["--verify", "echo $$ > pid; echo broken > a.py; while [ ! -e go ]; do sleep 0.05; done; echo late > a.py"]
    code = "from patchkit.cli.apply_patch import main; main()"
    running = subprocess.Popen([sys.executable, "-c", code, *words, PATCH], cwd=tree)
    wait_until(lambda: number_in(tree / "pid") is not None, "the command runs")
    state = (tree / JOURNAL).read_bytes().split(b"\0")[1]
    running.send_signal(signal.SIGKILL)
    running.wait(HANG)
    (tree / "go").touch()
    recover(tree)
    for name in ("pid", "go"):
        (tree / name).unlink()

    assert state == b"under verification"
    assert contents(tree) == BEFORE


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_command_and_takes_the_run_back(tree, number):
    code = "from patchkit.cli.apply_patch import main; main()"
    words = ["--verify", "echo $$ > pid; echo broken > a.py; sleep 1000"]
    running = subprocess.Popen([sys.executable, "-c", code, *words, PATCH], cwd=tree, stderr=subprocess.DEVNULL)
    wait_until(lambda: number_in(tree / "pid") is not None, "the command runs")
    running.send_signal(number)

    assert running.wait(HANG) == -number
    (tree / "pid").unlink()
    assert contents(tree) == BEFORE


def test_a_kill_while_git_commits_leaves_files_and_branch_both_old_or_both_new(repository):
    base = git(repository, "rev-parse", "HEAD").strip()
    for hook, committed in (("pre-commit", False), ("post-commit", True)):
        path = repository / ".git/hooks" / hook
        wait = "echo $$ > ../pid; while [ ! -e ../go ]; do sleep 0.05; done"
        path.write_text(f"#!/bin/sh\ncd '{repository}'\n{wait}\nexit {0 if committed else 1}\n")
        path.chmod(0o755)
        code = "from patchkit.cli.apply_patch import main; main()"
        running = subprocess.Popen([sys.executable, "-c", code, "--commit", PATCH], cwd=repository)
        wait_until(lambda: number_in(repository.parent / "pid") is not None, "the hook runs")
        running.send_signal(signal.SIGKILL)
        running.wait(HANG)
        (repository.parent / "go").touch()
        recover(repository)
        here = git(repository, "rev-parse", "HEAD").strip()

        assert (here != base, (repository / "a.py").read_bytes() == AFTER["a.py"]) == (committed, committed)
        assert git(repository, "status", "--short") == " M other.txt\nA  staged.txt\n"
        path.unlink()
        (repository.parent / "pid").unlink()
        (repository.parent / "go").unlink()


def test_a_full_disk_while_a_run_is_proved_leaves_all_old(tree, monkeypatch):
    from patchkit.core.workspace.transaction import Transaction

    real = Transaction._write_journal

    def full(self, state):
        if state == "done":
            raise OSError(28, "No space left on device")
        real(self, state)

    monkeypatch.setattr(Transaction, "_write_journal", full)
    error = refusal(tree, verify="echo c >> a.py")

    assert error.code == "P402"
    assert contents(tree) == BEFORE


# -- hooks and signing -------------------------------------------------------------------------------------


@pytest.fixture
def signing(repository, tmp_path):
    """A repository whose commits are signed with a key of its own."""
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    (tmp_path / "signers").write_text("n@example.com " + key.with_suffix(".pub").read_text())
    for name, value in {
        "gpg.format": "ssh",
        "user.signingkey": key,
        "gpg.ssh.allowedSignersFile": tmp_path / "signers",
        "commit.gpgsign": "true",
    }.items():
        git(repository, "config", name, str(value))
    return repository


needs_keys = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")


@needs_keys
def test_a_commit_is_signed_where_the_user_signs(signing):
    done = command(signing, "--commit=do it")

    assert done.returncode == 0
    assert git(signing, "log", "-1", "--format=%G? %GS %s") == "G n@example.com do it\n"


@needs_keys
def test_a_commit_that_cannot_be_signed_takes_the_run_back(signing):
    head = git(signing, "rev-parse", "HEAD")
    git(signing, "config", "user.signingkey", str(signing.parent / "no-such-key"))
    done = command(signing, "--commit=do it")

    assert (done.returncode, "error[P649]" in done.stderr) == (1, True)
    assert git(signing, "rev-parse", "HEAD") == head
    assert git(signing, "status", "--short") == " M other.txt\nA  staged.txt\n"


def test_the_users_hooks_see_the_message_and_may_change_it(repository):
    hook = repository / ".git/hooks/commit-msg"
    hook.write_text('#!/bin/sh\nsed -i "1s/^/hook: /" "$1"\n')
    hook.chmod(0o755)
    command(repository, "--commit=do it")

    assert git(repository, "log", "-1", "--format=%s") == "hook: do it\n"


# -- commands that take more away than files of the run ----------------------------------------------------

HOSTILE = [
    "rm -rf src",
    "mv src away",
    "mv src away; ln -s away src",
    "rm -rf src; echo x > src",
    "rm src/a.py; mkdir src/a.py; touch src/a.py/x",
    "rm new/n.txt; mkdir new/n.txt; touch new/n.txt/x",
    "rm -rf new; echo x > new",
    "mkdir gone.txt; touch gone.txt/x",
    "rm -rf * .patchkit*",
    "(sleep 0.5; echo late >> src/a.py) > /dev/null 2>&1 &",
]


def test_files_of_the_run_are_as_they_were_whatever_a_failing_command_did_to_their_directories(tree):
    patch = PATCH.replace("a.py", "src/a.py")
    before = {"src/a.py": BEFORE["a.py"], "old.txt": b"old\n", "gone.txt": b"gone\n"}
    found = {}
    for line in HOSTILE:
        shutil.rmtree(tree)
        (tree / "src").mkdir(parents=True)
        for name, data in before.items():
            (tree / name).write_bytes(data)
        (tree / "src/a.py").chmod(0o750)
        with pytest.raises(patchkit.PatchkitError) as raised:
            patchkit.apply(patch, tree, verify=f"{line}\nfalse")
        time.sleep(1 if "sleep" in line else 0)
        left = {name: data for name, data in contents(tree).items() if name in before or name in AFTER}
        if (raised.value.code, left, (tree / "src/a.py").stat().st_mode & 0o777) != ("P648", before, 0o750):
            found[line] = (raised.value.code, left)

    assert found == {}


def test_a_file_that_a_hook_puts_into_the_commit_is_not_staged_for_deletion(repository):
    hook = repository / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho 1 > made.txt\ngit add made.txt\n")
    hook.chmod(0o755)
    patchkit.apply(PATCH, repository, commit="x")

    status = subprocess.run(["git", "status", "--short"], cwd=repository, capture_output=True, text=True)
    assert "made.txt" not in status.stdout


# -- what a model may ask for ---------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [{"verify": ["touch ran"]}, {"format": ["touch ran"]}, {"commit": "x"}])
def test_a_model_whose_changes_a_person_approves_needs_a_rule_for_the_commands(repository, asked):
    caller = Caller(str(repository))
    caller.by_call = True
    refused = call("apply_patch", {"input": PATCH, **asked}, caller)

    assert ([error["code"] for error in refused.errors], (repository / "ran").exists()) == (["P652"], False)
    assert (repository / "a.py").read_bytes() == BEFORE["a.py"]
    (repository / ".patchkit.toml").write_text('[permissions]\nexecute = { "touch" = "allow", "git" = "allow" }\n')
    subprocess.run([sys.executable, "-m", "patchkit", "trust"], cwd=repository, capture_output=True, check=True)
    assert call("apply_patch", {"input": PATCH, **asked}, caller).errors == []


def test_an_agent_needs_no_rule_for_commands_of_settings_that_its_files_do_not_ask_for(tree):
    (tree / ".git").mkdir()
    (tree / ".patchkit.toml").write_text(
        '[apply]\nverify = { "*.rs" = "cargo test" }\n[permissions]\nwrite = { "**" = "allow" }\n'
    )
    subprocess.run([sys.executable, "-m", "patchkit", "trust"], cwd=tree, capture_output=True, check=True)
    by_tool = call("apply_patch", {"input": PATCH}, Caller(str(tree), agent=True))
    rust = "*** Begin Patch\n*** Add File: a.rs\n+x\n*** End Patch\n"
    refused = call("apply_patch", {"input": rust}, Caller(str(tree), agent=True))
    by_command = command(tree, "--as-agent", patch="*** Begin Patch\n*** Add File: b.py\n+x\n*** End Patch\n")

    assert (by_tool.errors, [error["code"] for error in refused.errors]) == ([], ["P652"])
    assert (by_command.returncode, (tree / "a.rs").exists()) == (0, False)


@pytest.mark.parametrize("options", [{"verify": [" "]}, {"format": ""}, {"commit": 5}, {"verify": 3}])
def test_what_is_not_a_command_or_a_message_is_refused_before_anything_is_written(repository, options):
    error = refusal(repository, **options)

    assert (error.code, contents(repository)["a.py"]) == ("P601", BEFORE["a.py"])


def test_the_answer_of_a_tool_shows_what_a_formatter_changed(tree):
    caller = Caller(str(tree))
    call("Read", {"file_path": str(tree / "a.py")}, caller)
    line = "sed -i s/b/bb/ {files}"
    edit = {"file_path": str(tree / "a.py"), "old_string": "a = 1", "new_string": "a = 2", "format": [line]}
    shown = call("Edit", edit, caller).text

    assert shown.endswith("; that belongs to this run:\n@@ -1,2 +1,2 @@\n a = 2\n-b = 1\n+bb = 1\n")
