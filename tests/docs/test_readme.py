"""The commands of the README are run, one after the other, and their output is compared with the page."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
SESSION = "".join(re.findall(r"```console\n(.*?)```", README, re.DOTALL))


def test_the_commands_of_the_readme_say_what_it_shows(tmp_path):
    (first, *steps) = re.split(r"^\$ ", SESSION, flags=re.MULTILINE)[1:]
    assert first.startswith("cat app.py\n")
    (tmp_path / "app.py").write_text(first.partition("\n")[2])
    shown, said = [], []
    for step in steps:
        patch, _, expected = step.removeprefix("apply_patch <<'EOF'\n").partition("EOF\n")
        command = [sys.executable, "-c", "from patchkit.cli.apply_patch import main; main()"]
        done = subprocess.run(command, input=patch, capture_output=True, text=True, cwd=tmp_path, check=False)
        shown.append(expected)
        said.append(done.stdout + done.stderr)

    assert said == shown
    assert len(said) == 2
