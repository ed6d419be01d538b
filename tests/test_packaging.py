"""What is published: the source distribution has every file, metadata say what is so, pages are those of the code."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import jsonschema
import pytest
from stored_schemas import stored_schema

import hatch_metadata
from patchkit.cli.group import summaries

REPOSITORY = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
VERSIONS = ["3.11", "3.12", "3.13", "3.14"]


def tracked() -> set[str]:
    """The files that belong to the project: those that git knows, or that it would not ignore."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this is not a git repository")
    return {name for name in done.stdout.split("\0") if name and (REPOSITORY / name).exists()}


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The source distribution, built and unpacked."""
    pytest.importorskip("hatchling")
    place = tmp_path_factory.mktemp("sdist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(place)]
    settings = {**os.environ, "PATCHKIT_REPOSITORY": "https://git.example/team/tool"}
    subprocess.run(build, cwd=REPOSITORY, env=settings, check=True, capture_output=True)
    with tarfile.open(next(place.glob("*.tar.gz"))) as archive:
        archive.extractall(place, filter="data")
    return next(path for path in place.iterdir() if path.is_dir())


def test_the_source_distribution_has_every_file_of_the_project(unpacked):
    having = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}

    assert sorted(tracked() - having) == []
    assert sorted(name for name in having - tracked() if name != "PKG-INFO") == []


@pytest.mark.skipif(os.environ.get("PATCHKIT_TESTS") != "full", reason="takes minutes")
def test_the_tests_of_the_pages_pass_in_the_source_distribution(unpacked):
    command = [sys.executable, "-m", "pytest", "-n", "2", "-q", "tests/docs"]
    settings = {**os.environ, "PYTHONPATH": str(unpacked)}
    done = subprocess.run(command, cwd=unpacked, env=settings, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout[-3000:]


def test_development_packages_are_in_one_place():
    command = [sys.executable, REPOSITORY / ".ci" / "dev_packages.py"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    assert printed == PROJECT["dependency-groups"]["dev"]
    assert not (REPOSITORY / "requirements-dev.txt").exists()


def test_the_versions_of_python_that_are_named_are_those_that_are_tested():
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    text = (REPOSITORY / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")

    assert named == VERSIONS
    assert "python: [" + ", ".join(f'"{version}"' for version in VERSIONS) + "]" in text
    assert PROJECT["project"]["requires-python"] == f">={VERSIONS[0]}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_one_that_github_takes(path):
    yaml = pytest.importorskip("yaml")
    text = path.read_text(encoding="utf-8")
    found = yaml.safe_load(text.replace("\non:\n", "\n'on':\n"))  # YAML 1.1 reads a bare 'on' as true

    jsonschema.validate(found, stored_schema("https://json.schemastore.org/github-workflow.json"))


@pytest.mark.parametrize("path", sorted((REPOSITORY / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_a_file_for_github_can_be_read(path):
    assert pytest.importorskip("yaml").safe_load(path.read_text(encoding="utf-8"))


# A name of ours that is not registered: a person who follows such advice would install whatever takes that name.
@pytest.mark.parametrize("name", ["apply-patch", "patchkit"])
def test_no_text_asks_to_install_a_name_that_is_not_registered(name):
    texts = [
        path
        for path in tracked()
        if path.endswith((".md", ".py", ".yml", "Dockerfile")) and not path.startswith(("tests/", "fixtures/"))
    ]
    pattern = re.compile(rf"(?:pip|pipx|uv tool|uvx)\s+install\s+(?:-\S+\s+)*['\"]?{name}\b")

    assert [path for path in texts if pattern.search((REPOSITORY / path).read_text(encoding="utf-8"))] == []


def test_install_is_the_first_section_of_the_readme():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")

    assert re.findall(r"(?m)^## (.*)$", text)[0] == "Install"


@pytest.mark.parametrize(
    "remote",
    [
        "https://git.example/team/tool.git",
        "https://git.example/team/tool/",
        "https://user:secret@git.example/team/tool.git",
        "git@git.example:team/tool.git",
        "ssh://git@git.example:2222/team/tool.git",
    ],
)
def test_the_addresses_of_a_build_are_those_of_its_repository_without_a_password(remote):
    assert hatch_metadata.urls(remote) == {
        "Homepage": "https://git.example/team/tool",
        "Documentation": "https://git.example/team/tool/blob/HEAD/docs",
        "Changelog": "https://git.example/team/tool/blob/HEAD/CHANGELOG.md",
        "Issues": "https://git.example/team/tool/issues",
    }


@pytest.mark.parametrize("remote", ["", "/srv/tool.git", "file:///srv/tool.git", "../tool", "C:\\tool"])
def test_a_repository_that_is_not_on_the_web_has_no_addresses(remote):
    assert hatch_metadata.urls(remote) == {}


def test_the_source_distribution_carries_the_addresses(unpacked):
    text = (unpacked / "PKG-INFO").read_text(encoding="utf-8")

    assert "Project-URL: Homepage, https://git.example/team/tool\n" in text


# -- manual pages --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    place = tmp_path_factory.mktemp("man")
    command = [sys.executable, REPOSITORY / "docs" / "man_pages.py", place]
    settings = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    subprocess.run(command, env=settings, check=True, capture_output=True)
    return place


def test_every_command_has_a_manual_page(manual):
    wanted = {"patchkit.1", "apply_patch.1", *(f"patchkit-{name}.1" for name in summaries())}

    assert {path.name for path in manual.iterdir()} == wanted


def test_a_manual_page_has_the_flags_of_the_command(manual):
    text = (manual / "apply_patch.1").read_text(encoding="utf-8")

    assert "\n.TP\n.B \\-\\-check, \\-\\-dry\\-run\ncheck whether" in text
    assert ".SH EXIT STATUS\n.TP\n.B 0\napplied" in text


def test_manual_pages_are_without_mistakes(manual):
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    for path in sorted(manual.iterdir()):
        done = subprocess.run([groff, "-man", "-Tutf8", "-ww", "-z", path], capture_output=True, text=True)
        assert (path.name, done.returncode, done.stderr) == (path.name, 0, "")


@pytest.fixture(scope="module")
def wheel(installation):
    """The wheel as an archive."""
    with zipfile.ZipFile(installation.wheel) as archive:
        yield archive


def test_the_wheel_holds_the_files_of_the_package_byte_for_byte_and_no_others(wheel):
    written = {name: (REPOSITORY / name).read_bytes() for name in tracked() if name.startswith("patchkit/")}
    written["patchkit/errors.md"] = (REPOSITORY / "docs" / "errors.md").read_bytes()  # what `explain` shows
    shipped = {name: wheel.read(name) for name in wheel.namelist() if name.startswith("patchkit/")}

    assert sorted(shipped) == sorted(written)
    assert [name for name in shipped if shipped[name] != written[name]] == []
