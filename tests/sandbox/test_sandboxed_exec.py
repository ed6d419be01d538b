"""`exec` with a sandbox: modes, what is said, what the child gets, and that the host stays as free as it was."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from child_processes import wait_until
from sandbox_layers import ABI, namespaces

from patchkit.errors import PatchkitError
from patchkit.policy import EXECUTE, WRITE
from patchkit.policy.settings import settings
from patchkit.policy.trust import approve
from patchkit.processes import child
from patchkit.sandbox import child as sandbox
from patchkit.sandbox import landlock, mounts
from patchkit.sandbox import prepared as sandboxing
from patchkit.sandbox.choice import chosen
from patchkit.tools.calling import Caller, call

needs_landlock = pytest.mark.skipif(ABI < 6, reason=f"this kernel has Landlock version {ABI}")
PATCH = "*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n*** End Patch\n"


@pytest.fixture
def project(place):
    (place / "src").mkdir()
    (place / "src/a").write_text("one\n")
    (place / ".env").write_text("SECRET\n")
    (place / ".patchkit.toml").write_text(
        '[permissions]\nread = { ".env" = "deny" }\nwrite = { "src/**" = "allow" }\nexecute = "allow"\n'
    )
    return place


def settle(place: Path, text: str) -> None:
    """Writes the user's own settings."""
    own = place.parent / "config/patchkit/config.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(text)


# -- modes ---------------------------------------------------------------------------------------


@needs_landlock
def test_require_says_what_the_sandbox_is(layer, inside, project):
    result = inside("cat .env; echo x > out; echo $?")

    assert result.data["sandbox"]["layer"] == layer
    assert (result.data["sandbox"]["abi"], result.data["sandbox"]["network"]) == (ABI, "none")
    assert "SECRET" not in result.data["output"]
    assert result.data["output"].endswith("1\n")
    assert not (project / "out").exists()


@needs_landlock
def test_a_command_that_fails_where_nothing_may_be_written_says_so(inside, project):
    (project / ".patchkit.toml").write_text('[permissions]\nexecute = "allow"\n')

    assert [note["code"] for note in inside("echo x > src/a").notes] == ["P963"]
    assert [note["code"] for note in inside("cat src/a").notes] == []


@needs_landlock
def test_a_command_that_fails_where_something_may_be_written_has_no_such_note(inside, project):
    assert [note["code"] for note in inside("echo x > out").notes] == []


@needs_landlock
def test_an_agent_is_in_a_sandbox_by_itself_and_a_person_is_not(inside, project):
    assert inside("true", None, agent=True).data["sandbox"]["layer"] != "none"
    assert inside("true", None).data["sandbox"] is None
    assert inside("true", "off", agent=True).data["sandbox"] is None


@pytest.mark.parametrize(("abi", "code"), [(0, "P670"), (2, "P670"), (3, "P674"), (5, "P674")])
def test_require_refuses_a_kernel_that_has_too_little(inside, project, monkeypatch, abi, code):
    monkeypatch.setattr(landlock, "version", lambda: abi)

    result = inside("touch src/ran")

    assert [error["code"] for error in result.errors] == [code]
    assert not (project / "src/ran").exists()


def test_auto_runs_without_landlock_and_says_so(inside, project, monkeypatch):
    monkeypatch.setattr(landlock, "version", lambda: 0)

    result = inside("cat .env", "auto")

    assert result.data["output"] == "SECRET\n"
    assert result.data["sandbox"] == {
        "layer": "none",
        "abi": 0,
        "network": "all",
        "lacks": ["nothing is kept: this kernel has no Landlock"],
    }
    assert [note["code"] for note in result.notes] == ["P964"]


@needs_landlock
@pytest.mark.parametrize("abi", range(1, 6))
def test_auto_takes_an_older_landlock_and_says_what_it_lacks(inside, project, monkeypatch, abi):
    monkeypatch.setattr(landlock, "version", lambda: abi)

    result = inside("cat .env; cat src/a", "auto")

    assert "one\n" in result.data["output"]
    assert "SECRET" not in result.data["output"]
    assert "signals reach other processes" in result.data["sandbox"]["lacks"]
    assert [note["code"] for note in result.notes] == ["P964"]


@needs_landlock
def test_a_forbidden_file_with_two_names_is_refused_and_under_auto_named(inside, project):
    os.link(project / ".env", project / "other")

    assert [error["code"] for error in inside("true").errors] == ["P672"]
    assert inside("true", "auto").data["sandbox"]["lacks"] == [
        f"'{project}/.env' may not be read, but has 2 names, and one of the others may be"
    ]


@needs_landlock
def test_while_others_change_directories_it_is_refused_and_under_auto_named(layer, inside, project, monkeypatch):
    """A process of an earlier command could move a forbidden file past the walk of the next one."""
    monkeypatch.setattr(sandboxing.GrantWalk, "is_stable", False)
    monkeypatch.setattr(sandboxing, "_PAUSE", 0)

    assert [error["code"] for error in inside("true").errors] == ["P673"]
    lacks = inside("true", "auto").data["sandbox"]["lacks"]
    assert "forbidden files may be read that other processes moved while it was set up" in lacks


@needs_landlock
def test_a_forbidden_file_that_was_moved_before_it_is_covered_is_a_refusal(layer, inside, project, monkeypatch):
    if layer != "mounts":
        pytest.skip("nothing is covered without mounts")
    (project / "src/.env").write_text("SECRET\n")

    def late(*given):
        os.rename(project / "src/.env", project / "src/moved")
        return mounts.in_order(*given)

    monkeypatch.setattr(sandboxing, "in_order", late)

    result = inside("cat src/moved")

    assert [error["code"] for error in result.errors] == ["P673"]
    assert "'src/.env' was replaced" in result.errors[0]["message"].replace(f"{project}/", "")


@needs_landlock
def test_what_may_not_be_written_in_a_hidden_directory_needs_no_cover_of_its_own(layer, inside, project):
    (project / ".patchkit.toml").write_text(
        '[permissions]\nread = { "src/private/**" = "deny" }\n'
        'write = { "src/**" = "allow", "*.lock" = "deny" }\nexecute = "allow"\n'
    )
    (project / "src/private").mkdir()
    (project / "src/private/x.lock").write_text("SECRET\n")

    result = inside("grep -r SECRET src; echo two > src/a")

    assert (result.errors, (project / "src/private/x.lock").read_text()) == ([], "SECRET\n")
    assert ("SECRET" in result.data["output"], (project / "src/a").read_text()) == (False, "two\n")


@needs_landlock
def test_new_files_can_be_read_above_a_directory_that_may_not_be_written_and_has_a_hole(layer, inside, project):
    if layer != "mounts":
        pytest.skip("Landlock alone cannot have it: the note says so")
    (project / ".patchkit.toml").write_text(
        '[permissions]\nread = { ".env" = "deny" }\n'
        'write = { "src/**" = "allow", "src/vendor/**" = "deny" }\nexecute = "allow"\n'
    )
    (project / "src/vendor").mkdir()
    (project / "src/vendor/.env").write_text("SECRET\n")
    (project / "src/vendor/lib").write_text("kept\n")

    result = inside("echo new > src/new; cat src/new src/vendor/lib; grep -r SECRET .; touch src/vendor/x")

    assert result.data["output"].startswith("new\nkept\n")
    assert ("SECRET" in result.data["output"], sorted(os.listdir(project / "src/vendor"))) == (False, [".env", "lib"])


@needs_landlock
@pytest.mark.skipif(os.geteuid() != 0 or not namespaces(), reason="only root can mount for the others")
def test_a_mount_that_was_read_only_before_stays_so(project):
    (project / "src/kept").mkdir()
    script = (
        "mount --bind src/kept src/kept && mount -o remount,bind,ro src/kept && "
        f"exec {sys.executable} -m patchkit exec --sandbox -- 'touch src/kept/x; touch src/new; ls src/kept'"
    )
    words = ["unshare", "--mount", "sh", "-c", script]
    done = subprocess.run(words, cwd=project, capture_output=True, text=True)

    assert "touch: cannot touch 'src/kept/x': Read-only file system" in done.stdout, done.stderr
    assert ((project / "src/new").exists(), os.listdir(project / "src/kept")) == (True, [])


@needs_landlock
def test_an_audit_log_with_two_names_is_refused(layer, inside, project):
    with (project / ".patchkit.toml").open("a") as rules:
        rules.write('[audit]\nfile = "log"\n')
    inside("true", "off")
    os.link(project / "log", project / "src/other")

    assert [error["code"] for error in inside("echo forged >> src/other").errors] == ["P672"]
    assert "forged" not in (project / "log").read_text()


@needs_landlock
def test_what_the_settings_add_does_not_make_the_state_writable(layer, inside, project):
    above = project.parent
    settle(project, f'[sandbox]\nwrite = ["{above}", "{above}/more"]\n')
    (above / "more").mkdir()
    command = f"touch {above}/state/patchkit/forged {above}/beside; touch {above}/more/allowed"

    assert [error["code"] for error in inside(command).errors] == ["P673"]
    lacks = inside(command, "auto").data["sandbox"]["lacks"]

    assert [line for line in lacks if line.startswith(f"'{above}' is not made writable")] != []
    assert [(above / name).exists() for name in ("state/patchkit/forged", "beside", "more/allowed")] == [
        *(False, False, True)
    ]


@needs_landlock
def test_the_python_that_runs_patchkit_is_not_writable_where_everything_else_is(layer, inside, project, monkeypatch):
    (project / ".venv/lib").mkdir(parents=True)
    (project / "src/lib").mkdir()
    (project / ".patchkit.toml").write_text('[permissions]\nwrite = { "**" = "allow" }\nexecute = "allow"\n')
    monkeypatch.setattr(sys, "prefix", str(project / ".venv"))

    inside("echo x > .venv/lib/a.pth; echo x > src/lib/a")

    assert (os.listdir(project / ".venv/lib"), os.listdir(project / "src/lib")) == ([], ["a"])


@needs_landlock
def test_a_forbidden_name_that_the_command_made_is_reported(layer, inside, project):
    result = inside("mkdir src/new && echo x > src/new/pyproject.toml && echo y > src/AGENTS.md")

    assert [note["code"] for note in result.notes] == ["P965"]
    assert "'src/AGENTS.md', 'src/new/pyproject.toml'" in result.notes[0]["message"]


# -- the command line ----------------------------------------------------------------------------


def run(place: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "patchkit", "exec", "--root", str(place), *words]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env}, cwd=place)


@needs_landlock
def test_a_plain_flag_requires_and_takes_no_word(project):
    done = run(project, "--sandbox", "cat .env || echo held")

    assert (done.returncode, done.stdout) == (0, "cat: .env: Permission denied\nheld\n")


@needs_landlock
def test_a_refusal_ends_with_126(project):
    os.link(project / ".env", project / "other")

    done = run(project, "--sandbox", "--", "true")

    assert done.returncode == 126
    assert "error[P672]" in done.stderr


# -- settings ------------------------------------------------------------------------------------


def test_the_users_settings_are_the_least_for_an_agent_and_the_default_for_a_person(project):
    settle(project, '[sandbox]\nmode = "require"\nnetwork = "none"\n')
    known = settings(str(project))

    assert chosen(known, True, "off", "all").mode == "require"
    assert chosen(known, True, "off", "all").network == "none"
    assert chosen(known, False, None, None).mode == "require"
    assert chosen(known, False, "off", "all").mode == "off"
    assert chosen(known, False, "off", "all").network == "all"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('mode = "sometimes"', "P653"),
        ('network = "some"', "P653"),
        ('read = ["relative"]', "P653"),
        ("write = 1", "P653"),
        ("other = 1", "P655"),
    ],
)
def test_settings_that_cannot_be_are_refused(project, text, code):
    settle(project, f"[sandbox]\n{text}\n")

    with pytest.raises(PatchkitError) as refused:
        chosen(settings(str(project)), False, None, None)

    assert refused.value.code == code


@needs_landlock
def test_the_users_settings_add_paths(layer, inside, project):
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "data").write_text("data\n")
    assert "Permission denied" in inside(f"cat {outside}/data").data["output"]

    settle(project, f'[sandbox]\nread = ["{outside}"]\n')
    assert inside(f"cat {outside}/data; echo x > {outside}/new; true").data["output"].startswith("data\n")
    assert not (outside / "new").exists()

    settle(project, f'[sandbox]\nwrite = ["{outside}"]\n')
    assert inside(f"echo x > {outside}/new; cat {outside}/new").data["output"] == "x\n"


# -- what the child gets -------------------------------------------------------------------------


@needs_landlock
def test_a_run_has_temporary_files_of_its_own_that_are_gone_afterwards(layer, inside, project):
    first = inside("echo mine > $TMPDIR/x && cat $TMPDIR/x && echo $TMPDIR").data["output"].split()

    assert first[0] == "mine"
    assert not Path(first[1]).exists()
    assert inside("echo $TMPDIR").data["output"].strip() != first[1]


@needs_landlock
def test_there_is_a_network_where_it_is_asked_for(layer, inside, project):
    program = f"{sys.executable} -c 'import socket; socket.socket(); print(1)' 2>&1 | tail -1"

    assert inside(program, network="all").data["output"] == "1\n"
    assert "Address family not supported" in inside(program).data["output"]
    assert inside(program, network="all").data["sandbox"]["network"] == "all"


@needs_landlock
def test_a_long_script_runs(layer, inside, project):
    assert inside(f"true {'x' * 999}\n" * 200 + "echo end").data["output"] == "end\n"


@needs_landlock
@pytest.mark.parametrize("agent", [False, True])
def test_apply_patch_works_inside_alone_and_in_a_script(layer, inside, project, agent):
    script = f"for i in 1; do apply_patch <<'EOF'\n{PATCH.replace(' a', ' src/a')}EOF\ndone"

    result = inside(script, agent=agent)

    assert (result.data["exit_code"], (project / "src/a").read_text()) == (0, "two\n"), result.text
    alone = inside("cd src && apply_patch <<'EOF'\n" + PATCH.replace("-one\n+two", "-two\n+three") + "EOF", agent=agent)
    assert ((project / "src/a").read_text(), alone.data["sandbox"]) == ("three\n", None)


@needs_landlock
def test_a_sandbox_in_a_sandbox_takes_more_away(layer, inside, project):
    script = f"{sys.executable} -m patchkit exec --sandbox 'cat src/a; cat .env; echo x > src/b; cat src/b; touch out'"

    output = inside(f"cd {project} && PYTHONPATH={Path(child.__file__).parents[2]} {script}").data["output"]

    assert output.startswith("one\ncat: .env: Permission denied\nx\ntouch: cannot touch 'out'")
    assert sorted(os.listdir(project / "src")) == ["a", "b"]


@needs_landlock
def test_a_command_that_takes_too_long_is_ended(layer, inside, project):
    result = inside("sleep 3600 & sleep 3600", timeout=1)

    assert result.data["timed_out"] is True


# -- the host ------------------------------------------------------------------------------------


@needs_landlock
def test_the_host_is_as_free_afterwards_as_before(layer, inside, project):
    inside("true")
    (project / "free").write_text("x")

    assert (project / ".env").read_text() == "SECRET\n"
    status = Path("/proc/self/status").read_text()
    assert "NoNewPrivs:\t0" in status
    assert "Seccomp:\t0" in status
    assert inside("cat src/a").data["output"] == "one\n"


@needs_landlock
def test_calls_from_several_threads_are_all_held(layer, inside, project):
    outputs: list[str] = []
    work = [
        threading.Thread(target=lambda: outputs.append(inside("cat .env src/a 2>&1").data["output"])) for _ in "123"
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()

    assert outputs == ["cat: .env: Permission denied\none\n"] * 3


@needs_landlock
def test_without_a_thread_the_command_is_refused(inside, project, monkeypatch):
    def none_left(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(child, "start_new_thread", none_left)

    result = inside("touch src/ran")

    assert [error["code"] for error in result.errors] == ["P673"]
    assert not (project / "src/ran").exists()
    assert call("Bash", {"command": "echo free"}, Caller(str(project))).data["output"] == "free\n"


@needs_landlock
def test_a_program_that_cannot_be_started_is_reported_as_without_a_sandbox(layer, inside, project, monkeypatch):
    monkeypatch.setattr("patchkit.tools.exec._shell", lambda: "/nowhere/bash")

    assert [error["code"] for error in inside("true").errors] == ["P644"]


@needs_landlock
def test_a_file_that_others_replace_during_the_run_stays_forbidden(layer, inside, project):
    def replace() -> None:
        (project / "fresh").write_text("SECRET\n")
        os.rename(project / "fresh", project / ".env")

    def replace_when_it_runs() -> None:
        wait_until((project / "src/runs").exists, "the command runs")
        replace()
        (project / "src/go").touch()

    work = threading.Thread(target=replace_when_it_runs)
    work.start()
    output = inside("touch src/runs; while [ ! -e src/go ]; do sleep 0.05; done; cat .env").data["output"]
    work.join()

    assert output == "cat: .env: Permission denied\n"


@needs_landlock
def test_a_machine_without_namespaces_for_users_gets_landlock_alone(inside, project, monkeypatch):
    def refused(plan: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(sandboxing, "_without_mounts", [])
    monkeypatch.setattr(sandbox, "enter", refused)

    result = inside("cat .env src/a")

    assert result.data["output"] == "cat: .env: Permission denied\none\n"
    assert result.data["sandbox"]["layer"] == "landlock"
    assert sandboxing._without_mounts == ["Operation not permitted"]


@needs_landlock
@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no shared memory")
def test_a_workspace_in_shared_memory_has_no_mounts_which_says_nothing_about_others(monkeypatch):
    place = tempfile.mkdtemp(dir="/dev/shm")
    monkeypatch.setattr(sandboxing, "_without_mounts", [])
    try:
        caller = Caller(place, place)
        caller.sandbox = "require"
        there = call("Bash", {"command": "pwd"}, caller)
    finally:
        shutil.rmtree(place)

    assert (there.data["output"], there.data["sandbox"]["layer"]) == (f"{place}\n", "landlock")
    assert (
        "mounts: the workspace is in '/dev/shm', which is private where there are mounts"
        in there.data["sandbox"]["lacks"]
    )
    assert sandboxing._without_mounts == []


@needs_landlock
def test_without_a_directory_for_temporary_files_it_is_refused_and_under_auto_named(inside, project, monkeypatch):
    def none_left() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sandboxing, "RunDirectory", none_left)

    assert [error["code"] for error in inside("true").errors] == ["P673"]
    assert inside("true", "auto").data["sandbox"]["layer"] == "none"


@pytest.mark.skipif(not namespaces(), reason="this machine lets users make no namespaces")
def test_a_limit_of_namespaces_is_not_called_a_full_disk():
    script = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    asked = "from patchkit.sandbox import mounts; mounts.own_mounts = lambda: False; print(mounts.missing())"
    program = [sys.executable, "-c", asked]  # as for a user who may not mount

    done = subprocess.run(["unshare", "-Ur", "sh", "-c", script, "sh", *program], capture_output=True, text=True)

    assert (done.stdout, done.stderr) == ("their number is limited by 'user.max_user_namespaces'\n", "")


def test_a_command_that_a_person_approved_writes_in_the_workspace_and_no_more(place, layer, monkeypatch):
    """Which is what the person was shown: the command, and no file that a rule has a word about."""
    tried = ["new", "src/a", "docs/a", "x.lock", "AGENTS.md", ".patchkit.toml", "../home/a", ".git/hooks/pre-commit"]
    for name in ("src", "docs", ".git/hooks"):
        (place / name).mkdir(parents=True)
    for name in tried[1:]:
        (place / name).touch()
    words = " ".join(tried)
    loop = f"for f in {words}; do (echo changed >> $f) 2>/dev/null && printf '%s ' $f; done"
    (place / "work.sh").write_text(f"#!/bin/sh\n{loop}; true\n")
    (place / "work.sh").chmod(0o755)
    rules = '[permissions]\nexecute = { "date" = "allow" }\nwrite = { "docs/**" = "deny", "*.lock" = "ask" %s}\n'

    def written(script: str, more: str = "", ask: bool = False) -> str:
        (place / ".patchkit.toml").write_text(rules % more)
        caller = Caller(str(place), str(place), True)
        caller.sandbox, caller.approves = "require", (lambda *_: True) if ask else None
        done = call("Bash", {"command": script}, caller)
        return done.data["output"] if done.status == "success" else done.errors[0]["code"]

    everywhere = "new src/a " if layer == "mounts" else "src/a "  # without mounts, no names beside forbidden ones
    assert written("./work.sh") == "P652"
    assert written("./work.sh", ask=True) == everywhere
    approve(EXECUTE, "./work.sh", "directory", str(place))
    assert written("./work.sh") == everywhere
    assert written("./work.sh", ', "*" = "ask"') == everywhere
    assert written("./work.sh", ', "*" = "deny"') == ""
    assert written("./work.sh && date +x", ', "src/**" = "allow"') == "src/a x\n"  # nobody approved that 'date' writes
    assert written("cd src && ../work.sh") == "P652"
    approve(EXECUTE, "sh <<E\nexec ./work.sh\nE", "session", str(place), "one")
    assert written("sh <<E\nexec ./work.sh\nE") == written("sh") == written("sh <<E\nexec ./b.sh\nE") == "P652"
    monkeypatch.setenv("PATCHKIT_SESSION", "one")
    assert written("sh <<E\nexec ./work.sh\nE") == everywhere
    assert written("sh") == written("sh <<E\nexec ./b.sh\nE") == "P652"
    assert written("echo one > x.lock") == "P652"
    approve(WRITE, str(place / "x.lock"), "directory", str(place))
    assert written("echo one > x.lock") == ""
    assert (place / "x.lock").read_text() == "one\n"
    assert written("./work.sh") == everywhere  # which was approved, and the lock by another command
