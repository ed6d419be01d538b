"""The bundles of the wheel: what a command loads in one file, and nothing else about it changed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from lean_modules import CALLS, FILES, OTHERS, PATCH, PATH, STARTS, lazy_copy, measured, part_of
from lean_modules import run as run_command

from hatch_build import LEAN, PARTS, made, modules
from patchkit.processes import landlock

REPOSITORY = Path(__file__).resolve().parents[1]
SCRIPT = (REPOSITORY / "scripts" / "apply_patch").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def texts():
    """What the wheel has beside the modules and in their place."""
    return made(REPOSITORY)


@pytest.fixture(scope="module")
def bundled(tmp_path_factory, texts):
    """A directory with the package as the wheel has it."""
    place = tmp_path_factory.mktemp("bundled")
    shutil.copytree(REPOSITORY / "patchkit", place / "patchkit", ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


def run(bundled, code, directory, text=""):
    command = [sys.executable, "-c", code]
    environment = {"PATH": PATH, "PYTHONPATH": str(bundled), "XDG_STATE_HOME": str(bundled / "state")}
    return subprocess.run(
        command, input=text, capture_output=True, text=True, cwd=directory, env=environment, check=False
    )


NO_RIPGREP = pytest.mark.skipif(shutil.which("rg", path=PATH) is None, reason="no ripgrep here")
COMMANDS = [pytest.param(each, marks=NO_RIPGREP if each == "grep" else ()) for each in CALLS if each not in PARTS]
NO_SANDBOX = pytest.mark.skipif(
    landlock.version() < landlock.WHOLE, reason="this kernel has no Landlock, or an old one"
)
EVERY_PART = [pytest.param(each, marks=NO_SANDBOX if each == "sandbox" else ()) for each in PARTS]


@pytest.fixture(scope="module")
def lazy_package(tmp_path_factory):
    return lazy_copy(tmp_path_factory.mktemp("lazy"))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_bundle_holds_what_a_plain_run_of_its_command_needs_and_no_more(lazy_package, tmp_path, command):
    found = measured(lazy_package, command, tmp_path / "root")
    left_out = {name: set(called.split()) - set(LEAN[command].get(name, "").split()) for name, called in found.items()}

    assert sorted(LEAN[command]) == sorted(found), "run 'python tests/lean_modules.py --write'"
    assert {name: called for name, called in left_out.items() if called} == {}, "run it with --write"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_plain_run_takes_every_module_from_its_bundle(bundled, tmp_path, command):
    run_command(bundled, command, tmp_path / "root")
    status, names, _calls = run_command(bundled, command, tmp_path / "root")

    outside = {"patchkit", f"patchkit._bundle_{command}", *(STARTS if command != "apply" else ())}
    assert (status, sorted(names - outside)) == (0, sorted(set(modules(REPOSITORY, command)) - outside))


@pytest.mark.parametrize("part", EVERY_PART)
def test_a_part_holds_what_is_loaded_besides_the_bundle_of_the_command(lazy_package, tmp_path, part):
    command, *others = PARTS[part][1]
    before = [command, *(each for each in others if each in PARTS)]
    found = part_of(measured(lazy_package, part, tmp_path / "root"), [LEAN[each] for each in before])
    left_out = {name: set(called.split()) - set(LEAN[part].get(name, "").split()) for name, called in found.items()}

    assert sorted(LEAN[part]) == sorted(found), "run 'python tests/lean_modules.py --write'"
    assert {name: called for name, called in left_out.items() if called} == {}, "run it with --write"


@pytest.mark.parametrize("part", EVERY_PART)
def test_a_run_takes_every_module_of_a_part_from_its_file(bundled, tmp_path, part):
    run_command(bundled, part, tmp_path / "root")
    status, names, _calls = run_command(bundled, part, tmp_path / "root")

    command, *others = PARTS[part][1]
    lists = (command, *(each for each in others if each in PARTS), part)
    held = {name for each in lists for name in modules(REPOSITORY, each)}
    outside = {"patchkit", *STARTS, *(PARTS[each][0] for each in PARTS)}
    outside |= {f"patchkit._{kind}_{each}" for kind in ("bundle", "rest") for each in LEAN}
    assert (status, sorted(names - outside)) == (0, sorted(held - outside))


@NO_SANDBOX
def test_a_part_is_loaded_in_a_process_without_bundles_and_where_its_file_is_gone(bundled, tmp_path):
    code = """
import sys
from patchkit.tools.calling import Caller, call
caller = Caller(".", ".")
caller.sandbox = "require"
done = call("Bash", {"command": "echo one"}, caller)
print(done.text, "patchkit._bundle_sandbox" in sys.modules, "patchkit._bundle_exec" in sys.modules)
"""
    assert run(bundled, code, tmp_path).stdout == "one\n True False\n"

    gone = 'import sys\nsys.modules["patchkit._bundle_sandbox"] = sys.modules["patchkit._bundle_rules"] = None\n'
    assert run(bundled, gone + code, tmp_path).stdout == "one\n True False\n"


SLOW = {
    *["click", "re", "json", "dataclasses", "enum", "typing", "pathlib", "tempfile", "subprocess", "collections"],
    *["functools", "contextlib", "signal", "threading", "hashlib", "inspect", "logging", "shutil", "random"],
    *["tree_sitter", "argparse", "importlib.metadata", "traceback", "unicodedata", "difflib", "errno", "bisect"],
    "zlib",
}


REPORT_ALL = """
import os, sys
end = os._exit
def report(status):
    os.write(2, (" " + " ".join(sys.modules)).encode())
    end(status)
os._exit = report
"""


@pytest.mark.parametrize("patch", [PATCH, *OTHERS[:2]])  # an update, a new file, a deletion
def test_a_plain_apply_loads_no_slow_module(bundled, tmp_path, patch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-S", "-c", REPORT_ALL + SCRIPT]  # without `site`, so that all modules are the script's
    environment = {"PATH": PATH, "PYTHONPATH": str(bundled), "XDG_STATE_HOME": str(bundled / "state")}
    done = subprocess.run(command, input=patch, capture_output=True, text=True, cwd=tmp_path, env=environment)

    assert (done.returncode, sorted(SLOW.intersection(done.stderr.split()))) == (0, [])


# What a command may load although it is slow: a search of names and contents needs none of them.
_HASHES = {"hashlib", "errno"}
_CHILDREN = {"subprocess", "signal", "threading", "enum", "contextlib", "shutil", "zlib"}
USED = {
    "read": _HASHES,
    "write": _HASHES,
    "edit": _HASHES,
    "check": {"hashlib"},
    "exec": {*_HASHES, *_CHILDREN, "re", "collections", "functools"},
}


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.values[0] != "apply"])
def test_a_plain_run_of_a_command_loads_no_slow_module(bundled, tmp_path, command):
    code = (
        f"{REPORT_ALL}sys.argv[:] = {['patchkit', command, *CALLS[command].replace('ROOT', str(tmp_path)).split()]!r}\n"
    )
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    environment = {"PATH": PATH, "PYTHONPATH": str(bundled), "XDG_STATE_HOME": str(bundled / "state")}
    program = code + (REPOSITORY / "scripts" / "patchkit").read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], capture_output=True, text=True, cwd=tmp_path, env=environment
    )

    assert (done.returncode, sorted(SLOW.intersection(done.stderr.split()) - USED.get(command, set()))) == (0, [])


def test_a_bundle_that_cannot_be_loaded_leaves_no_half_module_behind(bundled, tmp_path):
    code = """
import sys
sys.modules["_signal"] = None
try:
    import patchkit._bundle_apply
except ImportError as error:
    print(error.name, "patchkit.cli.signals" in sys.modules, "patchkit.values" in sys.modules)
"""
    done = run(bundled, code, tmp_path)

    assert (done.stdout, done.stderr) == ("_signal False True\n", "")


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


def test_the_wheel_holds_the_bundles_and_the_commands(tmp_path, texts):
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
        held = {name: archive.read(name).decode() for name in texts}

    assert held == texts
    assert len(names) == len(archive.namelist())
    scripts = {name.rpartition("/")[2] for name in names if ".data/scripts/" in name}
    assert scripts == {"apply_patch", "applypatch", "patchkit"}


REFUSED = [
    *("read none", "write ../x --content y", "edit a.txt --old zz --new y --force", "ls none", "glob ["),
    *("grep ( --regex", "check none", "diff a.txt none", "convert --from unified --to v4a a.txt", "exec false"),
]


@pytest.mark.parametrize("words", REFUSED)
def test_a_refusal_of_a_bundled_command_is_a_message_and_no_traceback(bundled, tmp_path, words):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    program = f"import sys\nsys.argv[:] = {['patchkit', *words.split()]!r}\n"
    done = run(bundled, program + (REPOSITORY / "scripts" / "patchkit").read_text(encoding="utf-8"), tmp_path)

    assert done.returncode in (1, 2, 3)
    assert "Traceback" not in done.stderr
    assert "P499" not in done.stderr
