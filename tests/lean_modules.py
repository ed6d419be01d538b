"""What each command that answers at once loads of patchkit, measured.

    python tests/lean_modules.py [--write]

prints the lists for `LEAN` in hatch_build.py, or writes them there. They come from real runs of a copy of the package
in which every import waits until it is used, so a list holds a module only because a plain run of the command needs it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from hatch_build import lazy  # noqa: E402  # run as a script, the repository is not on the path before

PATH = "/usr/bin:/bin"
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+zwei\n three\n*** End Patch\n"
CALLS = {
    "apply": "",
    "read": "a.txt",
    "write": "b.txt --content x",
    "edit": "a.txt --old two --new zwei --force",
    "ls": "",
    "glob": "*.txt",
    "grep": "two",
    "mcp": "",
}
# What a client sends before its first call; the other commands get a patch, which only `apply` reads.
INPUTS = {
    "mcp": '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n'
    '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
}
# What the `patchkit` script loads to find its command, before any bundle.
STARTS = {"patchkit.cli", "patchkit.cli.main"}
REPORT = """
import os, sys
end = os._exit
def report(status):
    os.write(2, ("\\n@" + " ".join(name for name in sys.modules if name.split(".")[0] == "patchkit")).encode())
    end(status)
os._exit = report
"""


def script(command: str, root: Path) -> str:
    """The program that runs a command as its script would, and reports the modules in memory at its end."""
    name = "apply_patch" if command == "apply" else "patchkit"
    words = [name] if command == "apply" else [name, command, *CALLS[command].split(), "--root", str(root)]
    text = (REPOSITORY / "scripts" / name).read_text(encoding="utf-8")
    return f"{REPORT}sys.argv[:] = {words!r}\n{text}"


def loaded(package: Path, command: str, root: Path) -> tuple[int, str, list[str]]:
    """Runs a command with the package found under `package`: its status, its output, the modules it loaded."""
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    environment = {"PATH": PATH, "PYTHONPATH": str(package), "XDG_STATE_HOME": str(package / "state")}
    done = subprocess.run(
        [sys.executable, "-c", script(command, root)],
        input=INPUTS.get(command, PATCH),
        capture_output=True,
        text=True,
        cwd=root,
        env=environment,
        check=False,
    )
    errors, _, names = done.stderr.rpartition("\n@")
    assert not errors, errors
    return done.returncode, done.stdout, names.split()


def lazy_copy(place: Path) -> Path:
    """A copy of the package in which every import waits until it is used."""
    for path in (REPOSITORY / "patchkit").rglob("*"):
        copy = place / path.relative_to(REPOSITORY)
        if path.suffix == ".py":
            name = ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(lazy(REPOSITORY, name, set()), encoding="utf-8")
        elif path.is_file() and "__pycache__" not in path.parts:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    return place


def measured(package: Path, command: str, root: Path) -> list[str]:
    """The modules that the second run of a command loads: the first may have to make a directory for its state."""
    loaded(package, command, root)
    status, _output, names = loaded(package, command, root)
    assert status == 0, (command, status)
    return sorted(set(names) - {"patchkit"} - (STARTS if command != "apply" else set()))


def lists() -> str:
    """The text of `LEAN`."""
    rows = []
    with tempfile.TemporaryDirectory() as place:
        package = lazy_copy(Path(place))
        for command in CALLS:
            root = Path(place, "work", command)
            root.mkdir(parents=True)
            names = " ".join(name.removeprefix("patchkit.") for name in measured(package, command, root))
            rows.append(
                f'    "{command}": """\n' + textwrap.indent(textwrap.fill(names, 108), " " * 8) + '\n    """,\n'
            )
    return "LEAN = {\n" + "".join(rows) + "}\n"


def main() -> None:
    found = lists()
    if sys.argv[1:] != ["--write"]:
        print(found, end="")
        return
    path = REPOSITORY / "hatch_build.py"
    before, _, rest = path.read_text(encoding="utf-8").partition("LEAN = {\n")
    path.write_text(before + found + rest.partition("\n}\n")[2], encoding="utf-8")


if __name__ == "__main__":
    main()
