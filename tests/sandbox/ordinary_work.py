"""Ordinary work, and a project to do it in; as a program, `ordinary_work.py BASE`, does all of it with mounts.

The program makes the project below BASE, with files in it that may not be read or written, and prints JSON: what the
sandbox was, and what did not go as it should. A program of its own, so that it can be run as another user.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.report.result import Result

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
SITE = "src/site"  # modules of Python that this user can read nowhere else
PYTEST = f"PYTHONPATH={SITE} {sys.executable} -m pytest -q -p no:cacheprovider src/test_it.py"
POOL = """\
from concurrent.futures import ProcessPoolExecutor

if __name__ == "__main__":
    print(list(ProcessPoolExecutor(2).map(abs, [-1])))
"""
GIT = "git -c user.name=a -c user.email=a@b"
PIP = f"{sys.executable} -m pip install -q --no-index --disable-pip-version-check --target build/lib"
IMPORT = "import small; print(small.value)"
TERMINAL = "import os, pty; m, s = pty.openpty(); os.write(s, b'hi'); print(os.read(m, 10).decode(), os.ttyname(s)[:9])"
PATCH = "*** Begin Patch\n*** Update File: src/one\n@@\n-one\n+two\n*** End Patch"
# name: (the program or module it needs, the command, what its output contains)
WORK = {
    "bash": (
        "bash",
        "for i in 1 2; do echo $((i * 2)); done > build/out; diff <(echo 2) build/out",
        "4",
    ),
    "new file": ("bash", "echo hi > build/new && cat build/new && rm build/new && mkdir -p build/d && ls build", "hi"),
    "git status": ("git", "git status --short && echo clean", "clean"),
    "git log": ("git", "git log --oneline", "first"),
    "pytest": ("python pytest", PYTEST, "1 passed"),
    "venv": (
        "python venv",
        f"{sys.executable} -m venv --without-pip build/venv && build/venv/bin/python -c 'print(6 * 7)'",
        "42",
    ),
    "pip": (
        "python pip",
        f"{PIP} src/small-1-py3-none-any.whl && PYTHONPATH=build/lib {sys.executable} -c '{IMPORT}'",
        "42",
    ),
    "node": ("node", "node -e 'console.log(40 + 2)'", "42"),
    "npm run": ("npm", "cd src/js && npm run --silent hello", "hello from npm"),
    "make and gcc": ("gcc", "make -s -C src/c OUT=../../build && build/prog", "compiled"),
    "rg": ("rg", "rg -l needle src", "src/hay"),
    "sort": ("sort", "seq 3 | sort -r | tee build/sorted | head -1", "3"),
    "tar": ("tar", "tar -C src -cf build/a.tar js && tar -C build -xf build/a.tar && ls build/js", "package.json"),
    "cp -a": ("cp", "cp -a src/js build/copy && ls build/copy", "package.json"),
    "compileall": ("", f"{sys.executable} -m compileall -q src/py && ls src/py/__pycache__", "pool.cpython"),
    "script with a heredoc": ("bash", "cat <<EOF > build/doc\nline\nEOF\ncat build/doc", "line"),
    "temporary files": ("", f"{sys.executable} -c 'import tempfile; print(tempfile.mkdtemp()[:5])'", "/"),
    "background": ("bash", "sleep 0.05 & wait $!; kill -0 $$ && echo alive", "alive"),
}
# What needs names in a directory that has a hole, shared memory or a terminal.
MORE = {
    "git commit": ("git", f"echo more >> src/hay && {GIT} commit -qam second && git log -1", "second"),
    "process pool": ("", f"{sys.executable} src/py/pool.py", "[1]"),
    "terminal": ("", f'{sys.executable} -c "{TERMINAL}"', "hi /dev/pts/"),
    "new file beside a hole": ("bash", "echo new > src/fresh && cat src/fresh", "new"),
    "sed -i": ("sed", "sed -i s/needle/thread/ src/hay && cat src/hay", "thread"),
    "apply_patch": ("bash", f"cd . && apply_patch <<'EOF' && cat src/one\n{PATCH}\nEOF", "two"),
}
NEEDED = ("tree_sitter", "tree_sitter_bash")  # by patchkit, and by some of the work
MODULES = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")


def plant(root: Path) -> None:
    """Makes the project in an empty directory."""
    files = {
        ".patchkit.toml": RULES,
        ".env": "SECRET",
        "secrets/key": "SECRET",
        "src/hay": "needle\n",
        "src/one": "one\n",
        "src/test_it.py": "def test_it(tmp_path):\n    (tmp_path / 'a').write_text('b')\n",
        "src/py/pool.py": POOL,
        "src/package/pyproject.toml": '[project]\nname = "p"\nversion = "1"\n',
        "src/js/package.json": '{"name": "x", "scripts": {"hello": "echo hello from npm"}}',
        "src/c/Makefile": "$(OUT)/prog: main.c\n\tgcc -o $@ main.c\n",
        "src/c/main.c": '#include <stdio.h>\nint main(void) { puts("compiled"); return 0; }\n',
        "build/keep": "",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with zipfile.ZipFile(root / "src/small-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("small.py", "value = 42\n")
        wheel.writestr("small-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: small\nVersion: 1\n")
        wheel.writestr("small-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("small-1.dist-info/RECORD", "")
    if shutil.which("git"):
        script = f"git init -q && {GIT} add src && {GIT} commit -qm first"
        subprocess.run(script, shell=True, cwd=root, check=True)


def plant_holes(root: Path) -> None:
    """Files that may not be read, in directories that may be written."""
    (root / "src/.env").write_text("SECRET")
    (root / "build/.env").write_text("SECRET")


def wrong(inside: Callable[[str], Result], work: dict[str, tuple[str, str, str]]) -> dict[str, str]:
    """What each piece of work said, where what it needs is installed and it did not say what it should."""
    found = {}
    for name, (needed, command, expected) in work.items():
        module = needed.removeprefix("python ") if needed.startswith("python ") else ""
        if find_spec(module) is not None if module else not needed or shutil.which(needed):
            result = inside(command)
            if expected not in result.data.get("output", ""):
                found[name] = result.text
    return found


def main(base: Path) -> None:
    from patchkit.policy.trust import trust_below
    from patchkit.tools.calling import Caller, call

    root = base / "root"
    for path in (root, base / "home"):
        path.mkdir()
    os.environ.update(HOME=str(base / "home"), XDG_STATE_HOME=str(base / "state"))
    os.environ.pop("XDG_CONFIG_HOME", None)
    plant(root)
    plant_holes(root)
    site = Path(os.environ["SITE"])
    shutil.copytree(site, root / SITE)
    sys.path.append(str(site))  # where `find_spec` looks
    trust_below(str(root))

    def inside(command: str) -> Result:
        caller = Caller(str(root), str(root))
        caller.sandbox = "require"
        return call("Bash", {"command": command}, caller)

    words = [sys.executable, "-m", "patchkit", "exec", "--sandbox", "--json", "--"]  # which owns its process
    done = subprocess.run([*words, "echo new > src/by && cat src/by .env"], cwd=root, capture_output=True, text=True)
    command = json.loads(done.stdout)["data"]
    result = inside("true").data["sandbox"]
    print(json.dumps({"sandbox": result, "wrong": wrong(inside, {**WORK, **MORE}), "command": command}))


if __name__ == "__main__":
    main(Path(os.path.realpath(sys.argv[1])))
