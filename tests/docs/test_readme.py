"""The README: its commands are run, one after the other, and their output is compared with the page; it is short."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "README.md"
README = PAGE.read_text(encoding="utf-8")
SESSION = "".join(re.findall(r"```console\n(.*?)```", README, re.DOTALL))
UPDATE = os.environ.get("PATCHKIT_UPDATE_DOCS") == "1"


def test_the_commands_of_the_readme_say_what_it_shows(tmp_path):
    (first, *steps) = re.split(r"^\$ ", SESSION, flags=re.MULTILINE)[1:]
    command, _, content = first.partition("\n")
    (tmp_path / command.removeprefix("cat ")).write_text(content)
    said = f"$ {first}"
    for step in steps:
        patch = step.removeprefix("apply_patch <<'EOF'\n").partition("EOF\n")[0]
        words = [sys.executable, "-c", "from patchkit.cli.apply_patch import main; main()"]
        done = subprocess.run(words, input=patch, capture_output=True, text=True, cwd=tmp_path, check=False)
        said += f"$ apply_patch <<'EOF'\n{patch}EOF\n{done.stdout}{done.stderr}"
    if UPDATE:
        PAGE.write_text(README.replace(SESSION, said), encoding="utf-8")

    assert said == SESSION
    assert len(steps) == 2


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 130
