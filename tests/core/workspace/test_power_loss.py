"""A power cut after any file call of a run: after recovery every file is old or new, and nothing of ours is left.

The states that a disk may hold are built under three models, which `power_cuts` describes. They are sampled, with a
fixed seed; PATCHKIT_TESTS=full takes more of them.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from contextlib import nullcontext

import pytest
from power_cuts import MODELS, Recorder, disk_states
from sample_trees import SMALL_CASES, Case, File, add, build, envelope, lines, snapshot, update

import patchkit
from patchkit.history import tracked_workspace

FULL = os.environ.get("PATCHKIT_TESTS") == "full"
SAMPLES = 40 if FULL else 3
_LONG = lines("long", 900)
_WIDE: dict[str, File] = {f"{name}/f.txt": File(f"{name}\n".encode()) for name in ("a", "b", "c")}


def _replaced(text, *changes):
    for old, new in changes:
        text = text.replace(f"{old}\n", new)
    return text


CASES = {
    **SMALL_CASES,
    "three directories": Case(
        dict(_WIDE),
        envelope(*(update(name, (name[0], name[0].upper())) for name in _WIDE), add("d/e/f.txt", "new\n")),
        {**{name: File(f"{name[0].upper()}\n".encode()) for name in _WIDE}, "d/e/f.txt": File(b"new\n")},
    ),
    "more names than a link can hold": Case(
        {f"{number}.txt": File(b"one\n") for number in range(9)},
        envelope(*(update(f"{number}.txt", ("one", "ONE")) for number in range(9))),
        {f"{number}.txt": File(b"ONE\n") for number in range(9)},
    ),
}
KEEP_LINKS = {
    "same length": Case(
        {"a.txt": File(_LONG.encode())},
        envelope(update("a.txt", ("long line 1", "LONG line 1"), ("long line 850", "LONG line 850"))),
        {
            "a.txt": File(
                _replaced(_LONG, ("long line 1", "LONG line 1\n"), ("long line 850", "LONG line 850\n")).encode()
            )
        },
    ),
    "longer": Case(
        {"a.txt": File(_LONG.encode()), "s/b.txt": File(b"two\n")},
        envelope(update("a.txt", ("long line 1", lines("more", 900).rstrip())), update("s/b.txt", ("two", "TWO"))),
        {"a.txt": File(_replaced(_LONG, ("long line 1", lines("more", 900))).encode()), "s/b.txt": File(b"TWO\n")},
    ),
    "shorter": Case(
        {"a.txt": File((_LONG + "end\n").encode()), "b.txt": File(b"two\n")},
        "*** Begin Patch\n*** Update File: a.txt\n@@\n"
        + "".join(f"-{line}\n" for line in _LONG.splitlines()[:-300])
        + "*** Delete File: b.txt\n*** End Patch\n",
        {"a.txt": File("".join([*_LONG.splitlines(keepends=True)[-300:], "end\n"]).encode())},
    ),
}


class Findings:
    """Every state of a case after its recovery, counted; and those that are not as promised."""

    def __init__(self):
        self.states = 0
        self.wrong = []

    def judge(self, root, case, cut, acceptable):
        self.states += 1
        now = snapshot(root)
        litter = sorted(name for name in now if ".patchkit" in name)
        files = {name: what for name, what in now.items() if ".patchkit" not in name}
        found = "old" if files == case.before else "new" if files == case.after else "torn"
        if found not in acceptable or litter:
            self.wrong.append((cut, found, litter))


def recovered(root):
    """Does what the next run does first; returns the codes of what it reports."""
    with tracked_workspace(root) as workspace:
        return [note.code for note in workspace.begin()]


def cut_everywhere(place, case, model, *, during_recovery=False, fails=None, **options):
    """The findings of cuts after every call of a run, or after every call of the recovery from such a cut."""
    root, chance, findings = os.path.join(place, "root"), random.Random(f"{model} {options}"), Findings()
    build(root, case.before)
    recorder = Recorder(root, os.path.join(place, "vault"), fails)
    before, promised = recorder.disk, ("old",) if fails and "rename" in fails else ("new",)
    with recorder.recording(), nullcontext() if promised == ("new",) else pytest.raises(patchkit.PatchkitError):
        patchkit.apply(case.patch, root, **options)
    calls = recorder.calls
    for cut in range(len(calls) + 1):
        ended = promised if cut == len(calls) else ("old", "new")
        for disk in list(disk_states(before, calls[:cut], model, chance, SAMPLES)):
            if not during_recovery:
                recorder.restore(disk)
                recovered(root)
                findings.judge(root, case, cut, ended)
            elif FULL or chance.random() < 0.5:
                for second, torn in cut_again(recorder, root, disk, model, chance):
                    recorder.restore(torn)
                    recovered(root)
                    findings.judge(root, case, (cut, second), ended)
    return findings


def cut_again(recorder, root, disk, model, chance):
    """States after a cut during the recovery that begins on this disk, each with the number of the last call."""
    recorder.restore(disk)
    with recorder.recording():
        recovered(root)
    calls = recorder.calls
    for second in sorted(chance.sample(range(len(calls)), min(len(calls), 2))):
        yield second, list(disk_states(disk, calls[:second], model, chance, 3))[-1]


@pytest.fixture(autouse=True)
def _no_history(everything_is_imported):
    """No call of a recording only loads a module."""


@pytest.mark.parametrize("during_recovery", [False, True], ids=["in the run", "in the recovery"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", CASES)
def test_a_power_cut_leaves_nothing_torn_and_nothing_of_ours(place, name, model, during_recovery):
    findings = cut_everywhere(place, CASES[name], model, during_recovery=during_recovery)

    assert findings.wrong == []
    assert findings.states > 5


@pytest.mark.parametrize("during_recovery", [False, True], ids=["in the run", "in the recovery"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", KEEP_LINKS)
def test_a_power_cut_tears_no_file_that_is_written_in_place(place, name, model, during_recovery):
    findings = cut_everywhere(place, KEEP_LINKS[name], model, during_recovery=during_recovery, keep_links=True)

    assert findings.wrong == []
    assert findings.states > 20


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("at", [2, 3, 4])
def test_a_power_cut_while_a_failed_run_is_undone_leaves_nothing_torn(place, at, model):
    """The first rename puts the commit record in force; one of those that switch names fails."""
    findings = cut_everywhere(place, CASES["small"], model, fails={"rename": at})

    assert findings.wrong == []
    assert findings.states > 20


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("lacks", ["link", "symlink"])
@pytest.mark.parametrize("name", ["add", "update", "small", "move"])
def test_a_power_cut_leaves_nothing_where_a_file_system_has_no_links(place, name, lacks, model):
    findings = cut_everywhere(place, CASES[name], model, fails={lacks: 1})

    assert findings.wrong == []
    assert findings.states > 10


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("name", ["update", "small"])
def test_the_recording_has_every_call_that_the_system_sees(place, name):
    case, root = CASES[name], os.path.join(place, "root")
    build(root, case.before)
    recorder = Recorder(root, os.path.join(place, "vault"))
    with recorder.recording():
        patchkit.apply(case.patch, root)
    build(root, case.before)
    changing = "openat,write,writev,pwrite64,ftruncate,fchmod,fchmodat,fsync,fdatasync,linkat,symlinkat,mkdirat"
    program = f"import patchkit; patchkit.apply({case.patch!r}, {root!r})"
    words = ["strace", "-f", "-y", "-qq", "-e", f"trace={changing},link,symlink,mkdir,rename,renameat,renameat2,unlink"]
    words[-1] += ",unlinkat,rmdir,open,creat,truncate,copy_file_range,sendfile,fallocate,msync,syncfs,sync"
    done = subprocess.run([*words, sys.executable, "-c", program], capture_output=True, text=True)
    seen = []
    for line in done.stderr.splitlines():
        call, _, rest = line.removeprefix("[pid ").lstrip("0123456789] ").partition("(")
        if root in rest and " = -1 " not in rest and ("O_CREAT" in rest or call not in ("open", "openat")):
            seen.append(call.removesuffix("at").removesuffix("at2"))

    assert done.returncode == 0
    assert seen == [call.by for call in recorder.calls]
