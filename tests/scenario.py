"""A scenario: one folder fixtures/scenarios/NOUN/BEHAVIOUR, read by the tests and made from a run of the command.

    python -m tests.scenario new NOUN/BEHAVIOUR --why SENTENCE [--from DIR] [-- WORDS …] < patch

runs `apply_patch WORDS` in a copy of DIR with the patch on standard input, and writes the folder that says what
happened: `input/`, `patch.txt`, `expected/`, `suggested/` and `case.toml`. fixtures/README.md explains them. The
folder says what the command does, not what it should do: read it before you commit it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
SCENARIOS = REPOSITORY / "fixtures" / "scenarios"
NAMES = sorted(path.relative_to(SCENARIOS).as_posix() for path in SCENARIOS.glob("*/*"))
KEYS = {"why", "exit", "args", "dialect", "codes", "variants", "stdout", "modes", "links", "expected"}
PARTS = {"case.toml", "patch.txt", "input", "expected", "suggested"}
USUAL_MODE = "0644"


class Scenario:
    """One folder, read: named below fixtures/scenarios, or by its whole path."""

    def __init__(self, name: str | Path) -> None:
        self.folder = SCENARIOS / name
        self.case = tomllib.loads((self.folder / "case.toml").read_text(encoding="utf-8"))
        self.patch = (self.folder / "patch.txt").read_bytes()
        self.input = files_below(self.folder / "input")
        self.exit: int = self.case["exit"]
        self.codes: list[str] = self.case.get("codes", [])
        self.variants: list[str] = self.case.get("variants", [])
        self.links: dict[str, str] = self.case.get("links", {})
        self.modes: dict[str, str] = self.case.get("modes", {})
        self.args: list[str] = [*self.case.get("args", [])]
        if "dialect" in self.case:
            self.args += ["--dialect", self.case["dialect"]]

    @property
    def expected(self) -> dict[str, bytes]:
        """The files afterwards; a folder without `expected/` leaves the tree as it was."""
        wanted = self.folder / "expected"
        return files_below(wanted) if wanted.exists() else self.input

    @property
    def suggested(self) -> dict[str, bytes] | None:
        """The files after the suggestion of a refusal was applied; None when there is none."""
        wanted = self.folder / "suggested"
        return files_below(wanted) if wanted.exists() else None

    def tree_before(self) -> dict[str, object]:
        return tree_of(self.input, self.modes, self.links, {})

    def tree_after(self) -> dict[str, object]:
        after = self.case.get("expected", {})
        modes = {**self.modes, **after.get("modes", {})}
        # Directories are made where files need them and never removed.
        return tree_of(self.expected, modes, after.get("links", self.links), self.tree_before())

    def build(self, tree: Path) -> None:
        """Makes the tree the scenario starts from."""
        tree.mkdir(parents=True)
        for path, data in self.input.items():
            target = tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(int(self.modes.get(path, USUAL_MODE), 8))
        for path, goal in self.links.items():
            (tree / path).symlink_to(goal)


class Outcome:
    """What a run of the command said."""

    def __init__(self, status: int, stdout: bytes, stderr: bytes) -> None:
        self.status = status
        self.stdout = stdout
        self.stderr = stderr.decode("utf-8", "surrogateescape")

    @property
    def codes(self) -> list[str]:
        """The codes of all errors and notes, in the order they were printed."""
        heads = ("error[", "note[")
        return [line.partition("[")[2][:4] for line in self.stderr.split("\n") if line.startswith(heads)]


def files_below(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def tree_of(
    files: dict[str, bytes], modes: dict[str, str], links: dict[str, str], before: dict[str, object]
) -> dict[str, object]:
    """A tree as `seen` would give it: what is at every path, files with their modes."""
    tree: dict[str, object] = {path: what for path, what in before.items() if what == "directory"}
    for path in (*files, *links):
        tree.update({parent.as_posix(): "directory" for parent in Path(path).parents if parent.name})
    tree.update({path: (modes.get(path, USUAL_MODE), data) for path, data in files.items()})
    tree.update({path: f"-> {goal}" for path, goal in links.items()})
    return tree


def seen(tree: Path) -> dict[str, object]:
    """What is at every path of a tree on disk."""
    found: dict[str, object] = {}
    for path in tree.rglob("*"):
        name = path.relative_to(tree).as_posix()
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_dir():
            found[name] = "directory"
        else:
            found[name] = (f"{stat.S_IMODE(path.stat().st_mode):04o}", path.read_bytes())
    return found


@cache
def scenario(name: str) -> Scenario:
    return Scenario(name)


# -- making one from a run -----------------------------------------------------------------------


class ScenarioError(Exception):
    """Why no scenario came of a run."""


def new(name: str, why: str, source: Path | None, words: list[str], patch: bytes, below: Path = SCENARIOS) -> Path:
    """Makes the scenario of a run of the command in a copy of `source` and returns its folder."""
    noun, _, behaviour = name.partition("/")
    if not noun or not behaviour or "/" in behaviour or name != "-".join(name.split()).lower():
        raise ScenarioError(f"'{name}' is not NOUN/BEHAVIOUR in lower case, with hyphens between the words")
    if (below / name).exists():
        raise ScenarioError(f"'{name}' exists")
    if not why.endswith("."):
        raise ScenarioError("--why is a sentence and ends with a full stop")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "scenario"
        folder.mkdir()
        (folder / "patch.txt").write_bytes(patch)
        case = {"why": why, "exit": 0, **_options(words), **_written(source, folder / "input")}
        _write_case(folder, case)
        _record(folder, case, Path(place))
        (below / noun).mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(folder, below / name))


def _options(words: list[str]) -> dict[str, Any]:
    """The words as `case.toml` has them: the dialect has a key of its own."""
    words, found = list(words), dict[str, Any]()
    if "--dialect" in words[:-1]:
        at = words.index("--dialect")
        found["dialect"] = words[at + 1]
        del words[at : at + 2]
    return {"args": words, **found} if words else found


def _written(source: Path | None, folder: Path) -> dict[str, Any]:
    """Copies the files of a tree into a folder; returns its modes and links, which a folder in git does not hold."""
    tree = seen(source) if source is not None else {}
    modes, links = {}, {}
    for path, what in tree.items():
        if isinstance(what, tuple):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(what[1])
            if what[0] != USUAL_MODE:
                modes[path] = what[0]
        elif isinstance(what, str) and what.startswith("-> "):
            links[path] = what[3:]
    return {key: value for key, value in (("modes", modes), ("links", links)) if value}


def _record(folder: Path, case: dict[str, Any], place: Path) -> None:
    """Runs the scenario and adds what came of it."""
    given = Scenario(folder)
    outcome = _run(given, place / "tree", given.patch)
    if outcome.status not in (0, 1):
        raise ScenarioError(f"the command ended with status {outcome.status}:\n{outcome.stderr}")
    case["exit"] = outcome.status
    if outcome.codes:
        case["codes"] = outcome.codes
        notes = json.loads(_run(given, place / "notes", given.patch, "--json").stdout)["notes"]
        variants = [note["variant"] for note in notes if "variant" in note]
        case.update({"variants": variants} if variants else {})
    if outcome.status == 0:
        case["stdout"] = outcome.stdout.decode()
    if seen(place / "tree") != given.tree_before():
        after = _written(place / "tree", folder / "expected")
        if not (folder / "expected").exists():
            raise ScenarioError("no file is left, and git keeps no empty folder: leave one file in the tree")
        modes = {path: mode for path, mode in after.get("modes", {}).items() if given.modes.get(path) != mode}
        links = after.get("links", {})
        case["expected"] = {
            **({"modes": modes} if modes else {}),
            **({"links": links} if links != given.links else {}),
        }
    _write_case(folder, case)
    if outcome.status == 1:
        _record_suggestion(given, folder, place)


def _record_suggestion(given: Scenario, folder: Path, place: Path) -> None:
    envelope = json.loads(_run(given, place / "refused", given.patch, "--json").stdout)
    if envelope["data"]["suggestion"] is not None:
        _run(given, place / "suggested", envelope["data"]["suggestion"].encode())
        _written(place / "suggested", folder / "suggested")


def _run(given: Scenario, tree: Path, patch: bytes, *more: str) -> Outcome:
    """Runs the command in the scenario's tree, with no setting of the person who runs it."""
    given.build(tree)
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("PATCHKIT_", "XDG_"))}
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "scripts" / "apply_patch"), *given.args, *more],
        input=patch,
        cwd=tree,
        env={
            **outside,
            "PYTHONPATH": str(REPOSITORY),
            "XDG_STATE_HOME": f"{tree}.state",
            "XDG_CONFIG_HOME": f"{tree}.config",
        },
        capture_output=True,
        umask=0o022,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def _write_case(folder: Path, case: dict[str, Any]) -> None:
    plain = {key: value for key, value in case.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in case.items() if key in ("modes", "links")}
    tables.update({f"expected.{key}": value for key, value in case.get("expected", {}).items()})
    order = [key for key in ("why", "exit", "args", "dialect", "codes", "variants", "stdout") if key in plain]
    text = "".join(f"{key} = {_toml(plain[key])}\n" for key in order)
    for name, rows in tables.items():
        text += f"\n[{name}]\n" + "".join(f"{_toml(key)} = {_toml(rows[key])}\n" for key in sorted(rows))
    (folder / "case.toml").write_text(text, encoding="utf-8")


def _toml(value: object) -> str:
    if isinstance(value, str) and value.endswith("\n"):
        body = json.dumps(value, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f")
        return '"""\n' + body.replace("\\n", "\n").replace('\\"', '"') + '"""'
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def main(words: list[str]) -> int:
    command: list[str] = []
    if "--" in words:
        words, command = words[: words.index("--")], words[words.index("--") + 1 :]
    parser = argparse.ArgumentParser(prog="python -m tests.scenario", description="make a scenario from a run")
    parser.add_argument("action", choices=["new"])
    parser.add_argument("name", metavar="NOUN/BEHAVIOUR")
    parser.add_argument("--why", required=True, help="one sentence: what is right here, and for what reason")
    parser.add_argument("--from", dest="source", type=Path, metavar="DIR", help="the tree before; left out: empty")
    given = parser.parse_args(words)
    try:
        folder = new(given.name, given.why, given.source, command, sys.stdin.buffer.read())
    except ScenarioError as error:
        print(f"no scenario was made: {error}", file=sys.stderr)
        return 1
    print(folder.relative_to(REPOSITORY))
    print((folder / "case.toml").read_text(encoding="utf-8"), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
