"""The golden set of patches: built as a tree, checked in every output format, and made the same on every machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from patchkit import __version__
from patchkit.checking.report import FORMATS
from patchkit.core.workspace.transaction import JOURNAL

REPOSITORY = Path(__file__).resolve().parents[2]
FIXTURES = REPOSITORY / "fixtures" / "diagnostics"
RUNS = tomllib.loads((FIXTURES / "runs.toml").read_text(encoding="utf-8"))
NAMES = {
    "text": "report.txt",
    "github": "github.txt",
    "junit": "junit.xml",
    "markdown": "report.md",
    "concise": "concise.txt",
    "gitlab": "gitlab.json",
}
PROJECT = "/home/you/project"  # where the tree is in a golden file


def golden(run: str, name: str) -> Path:
    """The file that holds a run in the output format of this name."""
    return FIXTURES / "expected" / run / NAMES.get(name, f"report.{name}")


def build(tree: Path) -> None:
    """Makes the tree that the patches are checked against, and the patches beside it."""
    shutil.copytree(FIXTURES / "tree", tree)
    made = tomllib.loads((FIXTURES / "made.toml").read_text(encoding="utf-8"))
    for name, text in made["files"].items():
        (tree / name).write_text(text, encoding="utf-8")
    for name, target in made["links"].items():
        (tree / name).symlink_to(target)
    for name in made["fifos"]:
        os.mkfifo(tree / name)
    for run in RUNS.values():
        shutil.copytree(FIXTURES / run["patches"], tree / run["patches"])


def formats_of(run: str, tree: Path, out: Path) -> dict[str, str]:
    """What `patchkit check` says about a run, in every output format at once."""
    formats = [word for name in FORMATS for word in ("--format", f"{name}={out / name}")]
    if "journal" in RUNS[run]:
        (tree / JOURNAL).write_text(RUNS[run]["journal"], encoding="utf-8")
    command = [sys.executable, "-c", "from patchkit.cli.main import main; main()", "check", RUNS[run]["patches"]]
    settings = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    done = subprocess.run(
        [*command, *RUNS[run]["options"], *formats],
        cwd=tree,
        env={**settings, "PYTHONPATH": str(REPOSITORY), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (1, "")
    return {name: everywhere((out / name).read_text(encoding="utf-8"), tree, out) for name in FORMATS}


def everywhere(text: str, tree: Path, out: Path) -> str:
    """Text without what is different from place to place and from time to time."""
    text = text.replace(str(out), "/tmp/out").replace(os.path.realpath(tree), PROJECT).replace(str(tree), PROJECT)
    text = re.sub(r'"time_ms": \d+', '"time_ms": 0', text)
    return text.replace(f'"version": "{__version__}"', '"version": "0"').replace(
        f"</code> {__version__}.", "</code> 0."
    )


def values(lines: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.splitlines()]
