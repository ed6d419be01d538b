"""Programs as a user of the installed package writes them: README, docs/library.md, guides, examples/.

`python tests/typing/user_programs.py` checks them by mypy and by pyright, outside of the repository, where nothing but
the installed package says which types the library has. Ends with status 1 when one of them finds a mistake.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CHECKERS = {"mypy": "mypy", "pyright": "basedpyright"}  # and the package that has it
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
IMPORTED = re.compile(r"^ *(?:import|from) (\w+)", re.MULTILINE)
GIVEN = 'text = "*** Begin Patch\\n*** End Patch\\n"\n'  # what a block takes for granted


def programs() -> dict[str, str]:
    """The programs by the name of a file each could have."""
    found = {path.name: path.read_text(encoding="utf-8") for path in sorted((REPOSITORY / "examples").glob("*.py"))}
    found = {name: text for name, text in found.items() if all(map(find_spec, IMPORTED.findall(text)))}  # not of an SDK
    found["accepted.py"] = (Path(__file__).parent / "programs" / "accepted.py").read_text(encoding="utf-8")
    for page in ("README.md", "docs/library.md", "docs/guides/runtime.md", "docs/guides/dataset.md"):
        for number, block in enumerate(BLOCK.findall((REPOSITORY / page).read_text(encoding="utf-8")), 1):
            name = re.sub(r"\W", "_", page.removesuffix(".md").lower())
            needs_text = re.search(r"\btext\b", block) and not re.search(
                r"^ *(text =|for text|def .*\btext\b)", block, re.M
            )
            found[f"{name}_{number}.py"] = (GIVEN if needs_text else "") + block
    return found


def is_installed(checker: str) -> bool:
    return find_spec(CHECKERS[checker]) is not None


def mistakes(checker: str, written: dict[str, str]) -> list[tuple[str, int, str]]:
    """What a checker finds in programs, in its strictest mode: file, line and words of each mistake."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in written.items():
            (Path(directory) / name).write_text(text, encoding="utf-8")
        (Path(directory) / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
        return (_by_mypy if checker == "mypy" else _by_pyright)(directory, sorted(written))


def _by_mypy(directory: str, names: list[str]) -> list[tuple[str, int, str]]:
    options = ["--strict", "--no-error-summary", "--hide-error-context", "--no-pretty"]
    command = [
        sys.executable,
        "-m",
        "mypy",
        *options,
        "--config-file=",
        f"--cache-dir={REPOSITORY / '.mypy_cache/users'}",
    ]
    done = subprocess.run([*command, *names], cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    rows = (re.fullmatch(r"(.+?):(\d+): error: (.*)", line) for line in done.stdout.splitlines())
    return [(row[1], int(row[2]), row[3]) for row in rows if row]


def _by_pyright(directory: str, names: list[str]) -> list[tuple[str, int, str]]:
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, *names]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1, each["message"])
        for each in json.loads(done.stdout)["generalDiagnostics"]
        if each["severity"] == "error"
    ]


def main() -> int:
    found = {checker: mistakes(checker, programs()) for checker in CHECKERS}
    for checker, rows in found.items():
        for name, line, words in rows:
            print(f"{checker}: {name}:{line}: {words}")
    print(f"{len(programs())} programs checked by {' and '.join(found)}")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
