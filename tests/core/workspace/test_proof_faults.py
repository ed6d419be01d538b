"""Runs that are proved, struck at their file calls: by a kill, by signals, by errors and by a disk that is full.

Each is all old or all new, its commit included: a run that was killed when the next run begins, any other at once, and
its status says which. Status 5 names what the next run puts back. Under PATCHKIT_TESTS=full every call is struck,
otherwise some of them.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import random
import shutil
import signal
import subprocess
import time

import pytest
from fault_injection import GROWING, Fault, attempt, through_command

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
*** Add File: gone.txt/in/it.txt
+new
*** Delete File: folder/in/it.txt
*** Add File: folder
+a file
*** End Patch
"""
BEFORE = {
    "a.py": "a = 1\nb = 1\n",
    "folder/in/it.txt": "in it\n",
    "gone.txt": "gone\n",
    "old.txt": "old\n",
    "other.txt": "other\n",
}
AFTER = {
    "a.py": "a = 2\nb = 1\n",
    "folder": "a file\n",
    "gone.txt/in/it.txt": "new\n",
    "moved.txt": "old\n",
    "new/n.txt": "new\n",
    "other.txt": "other\n",
}
REWRITES = "echo c >> a.py"
ENDLESS = "echo $$ > ../endless; rm -rf new; mkdir old.txt; setsid sleep 2 > /dev/null 2>&1 & sleep 1000"
FORKS = "(sleep 0.2; echo late > late.txt) > /dev/null 2>&1 & echo c >> a.py"
RUNS = {
    "a verification that rewrites a file of the run": (["--verify", REWRITES], AFTER["a.py"] + "c\n"),
    "a verification that forks": (["--verify", FORKS], AFTER["a.py"] + "c\n"),
    "a verification that fails": (["--verify", f"{REWRITES}; rm moved.txt; false"], None),
    "a verification that never ends": (["--verify", ENDLESS, "--verify-timeout", "1"], None),
    "a formatter": (["--format", "sed -i s/b/bb/ {files}"], "a = 2\nbb = 1\n"),
    "a commit": (["--commit=do it"], AFTER["a.py"]),
    "all of them": (["--format", "sed -i s/b/bb/ {files}", "--verify", "true", "--commit"], "a = 2\nbb = 1\n"),
}
FAULTS = {
    "a kill": lambda at: Fault(at, kill=True),
    "a signal": lambda at: Fault(at, signal=signal.SIGTERM),
    "an error": lambda at: Fault(at, code=errno.EIO),
    "a full disk": lambda at: Fault(at, code=errno.ENOSPC, stays=True, only=GROWING),
}
FULL = os.environ.get("PATCHKIT_TESTS") == "full"
FEW = 2  # calls of a run that are struck unless all are


def git(root: str, *words: str) -> str:
    return subprocess.run(["git", "-C", root, *words], check=True, capture_output=True, text=True).stdout


def build(root: str) -> None:
    os.makedirs(root)
    for name, text in BEFORE.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        with open(os.path.join(root, name), "w") as file:
            file.write(text)
    git(root, "init", "-q")
    git(root, "config", "user.name", "n")
    git(root, "config", "user.email", "n@example.com")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    with open(os.path.join(root, "staged.txt"), "w") as file:
        file.write("staged\n")
    git(root, "add", "staged.txt")


def place_of(names: str) -> list[str]:
    """The names that a message of P404 lists."""
    return names.partition("could not be rolled back for: ")[2].partition("\n")[0].split(", ")


def end_the_command(root: str, note: str) -> None:
    """Ends a command that outlived its run and holds its lock; on a busy machine it may say its number late."""
    handle = os.open(root, os.O_RDONLY)
    try:
        while is_locked(handle):
            with contextlib.suppress(FileNotFoundError, ValueError, ProcessLookupError), open(note) as file:
                os.killpg(int(file.read()), signal.SIGKILL)
            time.sleep(0.01)
    finally:
        os.close(handle)
    with contextlib.suppress(FileNotFoundError):
        os.remove(note)


def is_locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def files(root: str) -> dict[str, str]:
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            path = os.path.join(folder, name)
            if os.path.islink(path):
                found[os.path.relpath(path, root)] = "a link"
                continue
            with open(path) as file:
                found[os.path.relpath(path, root)] = file.read()
    others = ("late.txt", "staged.txt", "sed")  # which is what a sed that was killed leaves behind
    return {name: text for name, text in found.items() if not os.path.basename(name).startswith(others)}


def ended(root: str, words: list[str], new: str | None, fault: Fault | None) -> tuple[str, str, list[str]]:
    """What became of a run, which call was struck, and all calls."""
    from patchkit.history import tracked_workspace

    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(f"{root}.built", root)
    run = attempt(through_command(root, PATCH, *words), fault)
    killed = run.status == -signal.SIGKILL
    left = files(root) if not killed else {}  # the command of a killed run may go on, and take files away
    if killed and ENDLESS in words:
        end_the_command(root, f"{root}/../endless")
    with tracked_workspace(root) as place:
        place.begin()
    now = files(root)
    wanted = {**AFTER, "a.py": new} if new is not None else None
    found = "old" if now == BEFORE else "new" if now == wanted else f"mixed {now}"
    if "--commit" in words[-1]:
        commits = int(git(root, "rev-list", "--count", "HEAD"))
        if commits != (2 if found == "new" else 1):
            found = f"{found}, with {commits} commits"
        if git(root, "diff", "--cached", "--name-only").split() != ["staged.txt"]:
            found = f"{found}, with another index"
    said = {0: "new", 1: "old", 4: "old", 128 + signal.SIGTERM: "old"}.get(run.status, "")
    if run.status == 5:
        kept = {name: text for name, text in left.items() if ".patchkit-" not in name}
        mixed = {name for name in {*BEFORE, *kept} if BEFORE.get(name) != kept.get(name)}
        told = {*place_of(run.words)} >= mixed
    else:
        told = killed or (found == said and left == now)
    if not told:
        found = f"{found}, left {left}, status {run.status}: {run.words[-2000:]}"
    return found, run.struck, run.calls


@pytest.fixture(scope="module")
def _proofs_are_imported(tmp_path_factory):
    """Runs that are proved, in this process: a child that loads their modules itself takes ten times as long."""
    import patchkit

    root = str(tmp_path_factory.mktemp("proved") / "root")
    build(root)
    with pytest.raises(patchkit.PatchkitError):
        patchkit.apply(PATCH, root, verify="false")
    patchkit.apply(PATCH, root, format="true {files}", verify=REWRITES, commit="", history=True)


@pytest.mark.usefixtures("everything_is_imported", "_proofs_are_imported")
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("run", RUNS)
def test_a_run_that_is_proved_is_all_old_or_all_new_whatever_strikes_it(place, run, fault):
    words, new = RUNS[run]
    root = os.path.join(place, "root")
    build(f"{root}.built")
    _, _, calls = ended(root, words, new, None)
    count = sum(call in GROWING for call in calls) if fault == "a full disk" else len(calls)
    struck = range(1, count + 1)
    chosen = struck if FULL else sorted(random.Random(run + fault).sample(struck, min(FEW, count)))
    found = [(at, *ended(root, words, new, FAULTS[fault](at))[:2]) for at in chosen]

    assert [each for each in found if each[1] not in ("old", "new")] == []


def test_a_file_waits_for_what_is_left_in_the_new_directory_of_its_name(tmp_path, monkeypatch):
    import patchkit
    from patchkit.history import tracked_workspace

    root = str(tmp_path / "root")
    build(root)
    unlink = os.unlink

    def failing(name, *, dir_fd=None):
        if name == "it.txt":
            raise OSError(errno.EIO, "the disk fails")
        unlink(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", failing)
    with pytest.raises(patchkit.PatchkitError) as refused:
        patchkit.apply(PATCH, root, verify="false")
    monkeypatch.undo()
    named = (refused.value.code, sorted(refused.value.facts["left"].split(", ")))
    with tracked_workspace(root) as place:
        place.begin()

    assert (named, files(root)) == (("P404", ["gone.txt", "gone.txt/in/it.txt"]), BEFORE)
