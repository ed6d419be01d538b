"""Ordinary work in the sandbox: with mounts all of it, with Landlock alone what needs no new names beside a hole."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from ordinary_work import MODULES, MORE, NEEDED, WORK, plant, plant_holes, wrong
from sandbox_layers import ABI, namespaces

import patchkit

HERE = Path(__file__).parent
needs_landlock = pytest.mark.skipif(ABI < 6, reason=f"this kernel has Landlock version {ABI}")


@pytest.fixture
def project(place):
    plant(place)
    return place


@pytest.mark.parametrize("layer", ["landlock", "mounts"], indirect=True)
def test_ordinary_work_goes_on(layer, inside, project):
    assert wrong(inside, WORK) == {}


@pytest.mark.parametrize("layer", ["mounts"], indirect=True)
def test_with_mounts_also_what_needs_names_beside_a_hole_shared_memory_or_a_terminal(layer, inside, project):
    plant_holes(project)

    assert wrong(inside, MORE) == {}


@pytest.mark.parametrize("layer", ["landlock"], indirect=True)
def test_what_writes_nothing_goes_on_beside_a_hole_with_landlock_alone(layer, inside, project):
    plant_holes(project)

    assert wrong(inside, {name: WORK[name] for name in ("git status", "node", "npm run", "pytest", "rg")}) == {}


@needs_landlock
@pytest.mark.skipif(not namespaces(), reason="this machine lets users make no namespaces")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become an ordinary user")
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="there is no setpriv")
def test_an_ordinary_user_works_beside_what_may_not_be_read_or_written():
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).returncode:
        pytest.skip("the Python of the system is too old")
    base = Path(os.path.realpath("/tmp")) / f"patchkit-work-{os.getpid()}"
    base.mkdir(mode=0o755)
    try:
        (base / "code/tests").mkdir(parents=True)
        (base / "user").mkdir()
        shutil.copytree(Path(patchkit.__file__).parent, base / "code/patchkit")
        shutil.copytree(HERE, base / "code/tests/sandbox")
        for place, names in (("site", MODULES), ("code", NEEDED)):
            for name in names:
                found = find_spec(name)
                if found is not None and found.submodule_search_locations:
                    shutil.copytree(found.submodule_search_locations[0], base / place / name)
                elif found is not None:
                    shutil.copy(str(found.origin), base / place)
        subprocess.run(["chmod", "-R", "a+rX", str(base)], check=True)
        os.chown(base / "user", 65534, 65534)
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        program = [*words, python, str(base / "code/tests/sandbox/ordinary_work.py"), str(base / "user")]
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": str(base / "code")}
        environment |= {"SITE": str(base / "site"), "PYTHONDONTWRITEBYTECODE": "1"}
        if subprocess.run([python, "-c", f"import {', '.join(NEEDED)}"], env=environment).returncode:
            pytest.skip("the Python of the system cannot load the modules that patchkit needs")
        done = subprocess.run(program, capture_output=True, text=True, env=environment, cwd="/")
    finally:
        shutil.rmtree(base)

    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["sandbox"]["layer"], said["sandbox"]["lacks"], said["wrong"]) == ("mounts", [], {})
    assert said["command"]["sandbox"] == said["sandbox"]
    assert said["command"]["output"] == "new\ncat: .env: Permission denied\n"


@pytest.mark.parametrize("layer", ["landlock"], indirect=True)
def test_what_landlock_alone_cannot_have_is_said(layer, inside, project):
    (project / "build/.env").write_text("SECRET")

    assert inside("true").data["sandbox"]["lacks"] == [
        "modes, owners and times of files can be changed",
        "no process pools and no terminals",
        "no new files directly in '.git': it has '.git/config'",
        "no new files directly in 'src': it has 'src/package'",
        "no new files directly in 'src/package': it has 'src/package/pyproject.toml'",
        "new files cannot be read directly in 'build': it has 'build/.env'",
    ]
    for number in range(2):
        (project / f"src/{number}").mkdir()
        (project / f"src/{number}/pyproject.toml").touch()
    assert "no new files directly in 2 more directories" in inside("true").data["sandbox"]["lacks"]
