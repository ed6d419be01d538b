"""Ordinary work in the sandbox: with mounts all of it, with Landlock alone what needs no new names beside a hole."""

from __future__ import annotations

import os
import shutil
import sys
import zipfile

import pytest

RULES = """\
[permissions]
read = { ".env*" = "deny", "secrets/**" = "deny" }
execute = "allow"
[permissions.write]
"src/**" = "allow"
"build/**" = "allow"
".git/**" = "allow"
".git/hooks/**" = "deny"
".git/config" = "deny"
"""
PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider src/test_it.py"
POOL = """\
from concurrent.futures import ProcessPoolExecutor

if __name__ == "__main__":
    print(list(ProcessPoolExecutor(2).map(abs, [-1])))
"""
GIT = "git -c user.name=a -c user.email=a@b"
PIP = f"{sys.executable} -m pip install -q --no-index --disable-pip-version-check --target build/lib"
IMPORT = "import small; print(small.value)"
TERMINAL = "import os, pty; m, s = pty.openpty(); os.write(s, b'hi'); print(os.read(m, 10).decode(), os.ttyname(s)[:9])"
# name: (the program it needs, the command, what its output contains)
WORK = {
    "bash": (
        "bash",
        "for i in 1 2; do echo $((i * 2)); done > build/out; diff <(echo 2) build/out",
        "4",
    ),
    "new file": ("bash", "echo hi > build/new && cat build/new && rm build/new && mkdir -p build/d && ls build", "hi"),
    "git status": ("git", "git status --short && echo clean", "clean"),
    "git log": ("git", "git log --oneline", "first"),
    "pytest": ("", PYTEST, "1 passed"),
    "venv": ("", f"{sys.executable} -m venv --without-pip build/venv && build/venv/bin/python -c 'print(6 * 7)'", "42"),
    "pip": ("", f"{PIP} src/small-1-py3-none-any.whl && PYTHONPATH=build/lib {sys.executable} -c '{IMPORT}'", "42"),
    "node": ("node", "node -e 'console.log(40 + 2)'", "42"),
    "npm run": ("npm", "cd src/js && npm run --silent hello", "hello from npm"),
    "make and gcc": ("gcc", "make -s -C src/c OUT=../../build && build/prog", "compiled"),
    "rg": ("rg", "rg -l needle src", "src/hay"),
    "sort": ("sort", "seq 3 | sort -r | tee build/sorted | head -1", "3"),
    "tar": ("tar", "tar -C src -cf build/a.tar js && tar -tf build/a.tar", "js/package.json"),
    "script with a heredoc": ("bash", "cat <<EOF > build/doc\nline\nEOF\ncat build/doc", "line"),
    "temporary files": ("", f"{sys.executable} -c 'import tempfile; print(tempfile.mkdtemp()[:5])'", "/"),
    "background": ("bash", "sleep 0.05 & wait $!; kill -0 $$ && echo alive", "alive"),
}
# What needs names in a directory that has a hole, shared memory or a terminal.
MORE = {
    "git commit": ("git", f"echo more >> src/hay && {GIT} commit -qam second && git log -1", "second"),
    "process pool": ("", f"{sys.executable} src/pool.py", "[1]"),
    "terminal": ("", f'{sys.executable} -c "{TERMINAL}"', "hi /dev/pts/"),
    "new file beside a hole": ("bash", "echo new > src/fresh && cat src/fresh", "new"),
}  # fmt: skip


@pytest.fixture
def project(place):
    files = {
        ".patchkit.toml": RULES,
        ".env": "SECRET",
        "secrets/key": "SECRET",
        "src/hay": "needle\n",
        "src/test_it.py": "def test_it(tmp_path):\n    (tmp_path / 'a').write_text('b')\n",
        "src/pool.py": POOL,
        "src/package/pyproject.toml": '[project]\nname = "p"\nversion = "1"\n',
        "src/js/package.json": '{"name": "x", "scripts": {"hello": "echo hello from npm"}}',
        "src/c/Makefile": "$(OUT)/prog: main.c\n\tgcc -o $@ main.c\n",
        "src/c/main.c": '#include <stdio.h>\nint main(void) { puts("compiled"); return 0; }\n',
        "build/keep": "",
    }
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with zipfile.ZipFile(place / "src/small-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("small.py", "value = 42\n")
        wheel.writestr("small-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: small\nVersion: 1\n")
        wheel.writestr("small-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("small-1.dist-info/RECORD", "")
    if shutil.which("git"):
        os.system(f"cd {place} && git init -q && {GIT} add src && {GIT} commit -qm first")
    return place


def outputs(inside, work):
    """What each piece of work said, where its program is installed and it did not say what it should."""
    wrong = {}
    for name, (program, command, expected) in work.items():
        if not program or shutil.which(program):
            result = inside(command)
            if expected not in result.data.get("output", ""):
                wrong[name] = result.text
    return wrong


def test_ordinary_work_goes_on(layer, inside, project):
    assert outputs(inside, WORK) == {}


def test_ordinary_work_goes_on_beside_what_may_not_be_written(layer, inside, project):
    (project / "src/.env").write_text("SECRET")
    (project / "build/.env").write_text("SECRET")
    work = {name: WORK[name] for name in ("git status", "node", "npm run", "pytest", "rg")}

    assert outputs(inside, WORK if layer == "mounts" else work) == {}


def test_with_mounts_also_what_needs_names_beside_a_hole_shared_memory_or_a_terminal(layer, inside, project):
    if layer != "mounts":
        pytest.skip("Landlock alone cannot have it: the note says so")

    assert outputs(inside, MORE) == {}


def test_what_landlock_alone_cannot_have_is_said(layer, inside, project):
    if layer != "landlock":
        pytest.skip("about Landlock alone")
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
