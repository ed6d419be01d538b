"""What `patchkit convert` costs beside `git apply --check` of the same diff, in processor time.

    python -m benchmarks.speed.converting [--bin DIR] [--rounds N] [--files N] [--lines N ...] [--to F ...]

Makes a repository with so many files, changes three places of each, and takes git's diff of that. Round by round every
command runs once on it: `git apply --check`, an empty Python, `convert` with the files at hand and without. Figures are
medians; the ratio is the median over the rounds.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

from benchmarks.speed.data import line
from benchmarks.speed.measure import run

FORMATS = ("v4a", "unified", "search-replace", "json-edits", "openai-ops", "whole-file")


def made(root: Path, files: int, lines: int, new_files: int = 0) -> Path:
    """A repository with files of so many lines in `root`; returns git's diff that changes three places of each."""
    git = ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", str(root)]
    root.mkdir()
    subprocess.run([*git, "init", "-q"], check=True)
    for number in range(files):
        path = root / f"src/part{number % 7}/module_{number:03d}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line(at, number) + "\n" for at in range(lines)))
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "files"], check=True)
    for path in root.rglob("*.py"):
        rows = path.read_text().split("\n")
        for third in range(3):
            at = lines // 6 + third * lines // 3
            rows[at : at + 1] = [f"    changed_{at:07d}()", f"    added_{at:07d}()"]
        path.write_text("\n".join(rows))
    diff = root.parent / f"{root.name}.diff"
    diff.write_bytes(subprocess.run([*git, "diff"], check=True, capture_output=True).stdout)
    subprocess.run([*git, "checkout", "-q", "."], check=True)
    shutil.rmtree(root / ".git")
    return diff


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="", help="where the installed commands are (default: on PATH)")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--lines", type=int, nargs="+", default=[15, 500, 5000])
    parser.add_argument("--to", nargs="+", choices=FORMATS, default=list(FORMATS))
    asked = parser.parse_args()
    place = f"{os.path.abspath(asked.bin)}/" if asked.bin else ""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as directory:
        environment = {"PATH": os.environ["PATH"], "HOME": directory, "XDG_STATE_HOME": f"{directory}/state"}
        for lines in asked.lines:
            root = Path(directory, f"tree{lines}")
            diff = str(made(root, asked.files, lines))
            commands = {"git apply --check": ["git", "apply", "--check", diff], "python": [f"{place}python3", "-c", ""]}
            for name in asked.to:
                commands[f"convert --to {name}"] = [f"{place}patchkit", "convert", "--to", name, diff]
            commands["convert --no-files"] = [f"{place}patchkit", "convert", "--no-files", "--to", "v4a", diff]
            spent: dict[str, list[float]] = {name: [] for name in commands}
            for _ in range(asked.rounds):
                for name, command in commands.items():
                    cost = run(command, str(root), environment=environment)
                    if cost.status:
                        raise SystemExit(f"{' '.join(command)} ended with status {cost.status}")
                    spent[name].append(cost.cpu)
            git = spent["git apply --check"]
            size = os.path.getsize(diff) // 1000
            print(f"{asked.files} files of {lines} lines, a diff of {size} KB")
            for name, costs in spent.items():
                ratio = statistics.median(ours / theirs for ours, theirs in zip(costs, git))
                print(f"  {name:28} {1000 * statistics.median(costs):8.1f} ms {ratio:6.1f}")


if __name__ == "__main__":
    main()
