"""Attacks that succeed without a sandbox, and are held in every layer, for root and for an ordinary user."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sandbox_layers import ABI, namespaces

import patchkit

HERE = Path(__file__).parent
# Landlock says nothing about these: see docs/permissions.md.
ONLY_MOUNTS = {"change_a_mode", "change_a_time", "change_an_attribute"}
# What no layer holds, which the page says.
OPEN = {"read_the_words_of_a_neighbour", "watch_outside"}
# What an ordinary user cannot do anyway, or only on some systems.
PRIVILEGED = {
    *("compare_with_a_neighbour", "copy_a_mount", "make_a_device", "make_a_file_system"),
    *("change_the_root", "change_a_setting_of_the_kernel", "enter_a_namespace", "handle_faults_of_the_kernel"),
    *("load_a_program_into_the_kernel", "read_by_a_file_handle", "type_into_the_terminal_of_a_neighbour"),
    *("watch_the_kernel", "make_namespaces", "mount_over_a_forbidden_place", "signal_the_program_that_runs_us"),
    *("keys_of_the_session", "ring_of_requests"),
}
# What some kernels do not have at all, such as calls of 32-bit programs, and attributes on a file system in memory.
OPTIONAL = {
    *("connect_by_sending", "connect_by_several_paths"),
    *("make_a_socket_by_a_32_bit_call", "ask_for_keys_by_a_32_bit_call", "learn_the_process_by_a_32_bit_call"),
    "change_an_attribute",
}
# What an older Landlock does not hold, by the first version that does: with Landlock alone, with mounts as well.
SIGNALS = {"signal_a_neighbour", "signal_a_neighbour_by_its_handle", "signal_the_program_that_runs_us"}
NOT_HELD = {
    "landlock": {3: {"empty_a_forbidden_file", "empty_it_by_opening"}, 6: SIGNALS},
    "mounts": {6: SIGNALS},
}
# A user of this test alone: other tests that run at the same time are others.
USER = 61_000 + os.getpid() % 4_000
needs_landlock = pytest.mark.skipif(ABI < 1, reason="this kernel has no Landlock")


def expected(layer: str) -> set[str]:
    """The attacks that succeed in a layer, on this kernel."""
    older = [attacks for version, attacks in NOT_HELD[layer].items() if version > ABI]
    return OPEN.union(*older, ONLY_MOUNTS if layer == "landlock" else ())


def succeeded(run: dict) -> set[str]:
    return {name for name, done in run["attacks"].items() if done}


def attacked(base: Path, layer: str, words: list[str], python: str = sys.executable, home: str = "") -> dict:
    base.mkdir()
    base.chmod(0o777)
    home = home or str(Path(patchkit.__file__).parents[1])
    here = Path(home) / "tests/sandbox"
    program = [*words, python, str(here / "attack_runner.py"), str(base), layer]
    env = {**os.environ, "PYTHONPATH": home, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(program, capture_output=True, text=True, env=env, cwd="/")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    base = tmp_path_factory.mktemp("attacks")
    layers = ["off", "landlock", *(["mounts", "namespace"] if namespaces() else [])]
    return {layer: attacked(base / layer, layer, []) for layer in layers}


@needs_landlock
def test_every_attack_succeeds_without_a_sandbox(runs):
    failed = set(runs["off"]["attacks"]) - succeeded(runs["off"])

    assert len(runs["off"]["attacks"]) >= 90
    assert failed - OPTIONAL - (PRIVILEGED if os.geteuid() else set()) == set()


@needs_landlock
def test_no_attack_succeeds_with_landlock_but_those_on_metadata(runs):
    assert runs["landlock"]["sandbox"]["layer"] == "landlock"
    assert succeeded(runs["landlock"]) == expected("landlock") & succeeded(runs["off"])


@needs_landlock
@pytest.mark.skipif(not namespaces(), reason="this machine lets users make no namespaces")
@pytest.mark.parametrize("layer", ["mounts", "namespace"])
def test_no_attack_succeeds_with_mounts(runs, layer):
    """Root makes mounts with a namespace for users and without one; anyone else only with it."""
    moves, signals = "files cannot be moved from one directory to another", "signals reach other processes"
    lacks = [*([moves] if ABI < 2 else []), *([signals] if ABI < 6 else [])]
    assert runs[layer]["sandbox"] == {"layer": "mounts", "abi": ABI, "network": "none", "lacks": lacks}
    assert succeeded(runs[layer]) == expected("mounts")


@needs_landlock
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become an ordinary user")
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="there is no setpriv")
def test_an_ordinary_user_is_held_as_well(tmp_path_factory):
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).returncode:
        pytest.skip("the Python of the system is too old")
    base = Path(os.path.realpath("/tmp")) / f"patchkit-attacks-{os.getpid()}"
    base.mkdir(mode=0o755)
    try:
        (base / "code/tests").mkdir(parents=True)
        shutil.copytree(Path(patchkit.__file__).parent, base / "code/patchkit")
        shutil.copytree(HERE, base / "code/tests/sandbox")
        subprocess.run(["chmod", "-R", "a+rX", str(base)], check=True)
        words = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        layers = ["off", "landlock", *(["mounts", "entered"] if namespaces(*words) else [])]
        runs = {layer: attacked(base / layer, layer, words, python, str(base / "code")) for layer in layers}
    finally:
        shutil.rmtree(base)

    free = succeeded(runs["off"])
    assert set(runs["off"]["attacks"]) - free <= PRIVILEGED | OPTIONAL
    assert len(free) > 60
    held = {layer: run for layer, run in runs.items() if layer != "off"}
    wanted = {layer: expected("landlock" if layer == "landlock" else "mounts") & free for layer in held}
    assert {layer: succeeded(run) for layer, run in held.items()} == wanted
    assert {run["sandbox"]["layer"] for layer, run in held.items() if layer != "landlock"} <= {"mounts"}
    assert directories_of(USER) == set()  # of runs, which are removed after them


def directories_of(user: int) -> set[str]:
    """Other tests make and remove such directories meanwhile, so one may be gone before it is asked for."""
    found = set()
    for name in os.listdir("/tmp"):
        with contextlib.suppress(FileNotFoundError):
            if name.startswith("patchkit-") and os.stat(f"/tmp/{name}").st_uid == user:
                found.add(name)
    return found
