"""The bundles of the wheel: what a command loads in one file, and nothing else about it changed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hatch_build import ENTRIES, bundle, modules

REPOSITORY = Path(__file__).resolve().parents[1]
PATH = "/usr/bin:/bin"
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+zwei\n three\n*** End Patch\n"
SCRIPT = (REPOSITORY / "scripts" / "apply_patch").read_text(encoding="utf-8")
PATCHKIT = (REPOSITORY / "scripts" / "patchkit").read_text(encoding="utf-8")
TELL = """
import json, os, sys
end = os._exit
def tell(status):
    ours = {name: module.__spec__ is None for name, module in sys.modules.items() if name.startswith("patchkit")}
    os.write(2, json.dumps(ours).encode())
    end(status)
os._exit = tell
"""


@pytest.fixture(scope="module")
def bundled(tmp_path_factory):
    """A directory with the package as the wheel has it."""
    place = tmp_path_factory.mktemp("bundled")
    shutil.copytree(REPOSITORY / "patchkit", place / "patchkit", ignore=shutil.ignore_patterns("__pycache__"))
    for command in ENTRIES:
        (place / "patchkit" / f"_bundle_{command}.py").write_text(bundle(REPOSITORY, command), encoding="utf-8")
    return place


def run(bundled, code, directory, text=""):
    command = [sys.executable, "-c", code]
    environment = {"PATH": PATH, "PYTHONPATH": str(bundled), "XDG_STATE_HOME": str(bundled / "state")}
    return subprocess.run(
        command, input=text, capture_output=True, text=True, cwd=directory, env=environment, check=False
    )


def test_a_plain_apply_takes_every_module_from_the_bundle(bundled, tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    done = run(bundled, TELL + SCRIPT, tmp_path, PATCH)
    loaded = json.loads(done.stderr)

    assert (done.returncode, done.stdout) == (0, "Success. Updated the following files:\nM a.txt\n")
    assert (tmp_path / "a.txt").read_text() == "one\nzwei\nthree\n"
    loaded.pop("patchkit.workspace.history.state", None)  # the first run in a workspace makes its place
    assert loaded == {
        "patchkit": False,
        "patchkit._bundle_apply": False,
        **dict.fromkeys(modules(REPOSITORY, "apply"), True),
    }


CALLS = {
    "read": "a.txt",
    "write": "b.txt --content x",
    "edit": "a.txt --old two --new zwei --force",
    "ls": "",
    "glob": "*.txt",
    "grep": "two",
}


NO_RIPGREP = pytest.mark.skipif(shutil.which("rg", path=PATH) is None, reason="no ripgrep here")


@pytest.mark.parametrize("command", [pytest.param(each, marks=NO_RIPGREP if each == "grep" else ()) for each in CALLS])
def test_a_plain_call_of_a_tool_takes_every_module_from_its_bundle(bundled, tmp_path, command):
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    words = ["patchkit", command, *CALLS[command].split(), "--root", str(tmp_path)]
    done = run(bundled, f"{TELL}sys.argv[:] = {words!r}\n{PATCHKIT}", tmp_path)
    loaded = json.loads(done.stderr)

    assert done.returncode == 0
    own = ("patchkit", "patchkit.cli", "patchkit.cli.main", f"patchkit._bundle_{command}")
    assert loaded == {**dict.fromkeys(modules(REPOSITORY, command), True), **dict.fromkeys(own, False)}


def test_every_bundle_is_that_of_a_command_that_is_tried_here():
    assert sorted(ENTRIES) == sorted([*CALLS, "apply"])


def test_a_bundle_that_cannot_be_loaded_leaves_no_half_module_behind(bundled, tmp_path):
    code = """
import sys
sys.modules["fcntl"] = None
try:
    import patchkit._bundle_apply
except ImportError as error:
    print(error.name, "patchkit.workspace.lock" in sys.modules, "patchkit.values" in sys.modules)
"""
    done = run(bundled, code, tmp_path)

    assert (done.stdout, done.stderr) == ("fcntl False True\n", "")


def test_modules_that_are_not_in_the_bundle_are_found_beside_it(bundled, tmp_path):
    done = run(bundled, SCRIPT, tmp_path, PATCH)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error[P302]: file 'a.txt' does not exist\n")


def test_every_scenario_is_the_same_with_the_bundle(bundled, tmp_path):
    """Loaded first, the bundle's modules are the ones the scenarios run through."""
    code = f"""
import sys
import patchkit._bundle_apply
import pytest
sys.exit(pytest.main(["-q", "-n", "0", "-p", "no:cacheprovider", "--rootdir", {str(REPOSITORY)!r},
                      "-c", {str(REPOSITORY / "pyproject.toml")!r}, "-o", "pythonpath=",
                      {str(REPOSITORY / "tests" / "test_scenarios.py")!r}, "-k", "ends_as_its_folder_says"]))
"""
    done = run(bundled, code, tmp_path)

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_the_wheel_holds_the_bundles_and_the_commands(tmp_path):
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(tmp_path),
    ]
    subprocess.run([*command, str(REPOSITORY)], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("apply_patch-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        made = {command: archive.read(f"patchkit/_bundle_{command}.py").decode() for command in ENTRIES}

    assert made == {command: bundle(REPOSITORY, command) for command in ENTRIES}
    scripts = {name.rpartition("/")[2] for name in names if ".data/scripts/" in name}
    assert scripts == {"apply_patch", "applypatch", "patchkit"}
