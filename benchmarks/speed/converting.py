"""What `patchkit convert` costs beside `git apply --check` of the same diff, in processor time.

    python -m benchmarks.speed.converting [--bin DIR] [--rounds N] [--files N] [--lines N ...] [--to F ...]
    python -m benchmarks.speed.converting [--of REPOSITORY OLD NEW] ...

Makes a repository with so many files, changes three places of each, and takes git's diff of that; or takes the first
files that differ between two revisions of a repository. Round by round every command runs once on it:
`git apply --check`, an empty Python, `convert` with the files at hand and without. Figures are medians; the ratio is
the median over the rounds.
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


def taken(root: Path, repository: str, old: str, new: str, files: int) -> Path:
    """The files of a revision in `root`; returns git's diff of the first files that another has changed."""
    git = ["git", "-C", repository]
    root.mkdir()
    archive = subprocess.run([*git, "archive", old], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(root)], input=archive, check=True)
    changed = [*git, "diff", "--no-renames", "--diff-filter=M", "--numstat", "-z", old, new]
    rows = subprocess.run(changed, check=True, capture_output=True).stdout.split(b"\0")[:-1]
    paths = [row.split(b"\t")[2] for row in rows if not row.startswith(b"-")][:files]  # no binary ones
    if not paths:
        raise SystemExit(f"no text file of {repository} was changed between {old} and {new}")
    diff = root.parent / f"{root.name}.diff"
    made = subprocess.run([*git, "diff", "--no-renames", old, new, "--", *paths], check=True, capture_output=True)
    diff.write_bytes(made.stdout)
    return diff


def measured(commands: dict[str, list[str]], root: Path, environment: dict[str, str], rounds: int) -> None:
    """Runs the commands in turns, and prints what each costs, and how many times as much as the first."""
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            cost = run(command, str(root), environment=environment)
            if cost.status:
                raise SystemExit(f"{' '.join(command)} ended with status {cost.status}")
            spent[name].append(cost.cpu)
    first = next(iter(spent.values()))
    for name, costs in spent.items():
        ratio = statistics.median(ours / theirs for ours, theirs in zip(costs, first))
        print(f"  {name:28} {1000 * statistics.median(costs):8.1f} ms {ratio:6.1f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="", help="where the installed commands are (default: on PATH)")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--lines", type=int, nargs="+", default=[15, 500, 5000])
    parser.add_argument("--to", nargs="+", choices=FORMATS, default=list(FORMATS))
    parser.add_argument("--of", nargs=3, action="append", default=[], metavar=("REPOSITORY", "OLD", "NEW"))
    asked = parser.parse_args()
    place = f"{os.path.abspath(asked.bin)}/" if asked.bin else ""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as directory:
        environment = {"PATH": os.environ["PATH"], "HOME": directory, "XDG_STATE_HOME": f"{directory}/state"}
        cases: list[tuple[str, Path, Path]] = []
        for number, (repository, old, new) in enumerate(asked.of):
            root = Path(directory, f"tree{number}")
            cases.append((f"{repository} {old} {new}", root, taken(root, repository, old, new, asked.files)))
        for lines in asked.lines if not asked.of else ():
            root = Path(directory, f"tree{lines}")
            cases.append((f"{asked.files} files of {lines} lines", root, made(root, asked.files, lines)))
        for title, root, diff in cases:
            print(f"{title}, a diff of {os.path.getsize(diff) // 1000} KB")
            commands = {
                "git apply --check": ["git", "apply", "--check", str(diff)],
                "python": [f"{place}python3", "-c", ""],
            }
            for name in asked.to:
                commands[f"convert --to {name}"] = [f"{place}patchkit", "convert", "--to", name, str(diff)]
            commands["convert --no-files"] = [f"{place}patchkit", "convert", "--no-files", "--to", "v4a", str(diff)]
            measured(commands, root, environment, asked.rounds)


if __name__ == "__main__":
    main()
