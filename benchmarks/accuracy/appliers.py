"""The appliers beside one another: each takes a case and a directory, and says whether it succeeded.

Gives (succeeded, note). What it did to the tree is for outcomes to judge. How patchkit is called
is in one small function, `apply_with_patchkit`.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

TIME_LIMIT = 60  # seconds for one case; more counts as a failure
WORKERS = Path(__file__).parent / "workers"


def apply_with_patchkit(patch, root):
    """Applies one patch in this process; a refusal is (False, why)."""
    import patchkit

    try:
        patchkit.apply(patch, root=root)
    except patchkit.PatchkitError as error:
        return False, str(error)
    return True, ""


class Applier:
    """`without` names the classes this applier has no way to be asked about."""

    without = frozenset()

    def __init__(self, name, version=""):
        self.name = name
        self.version = version

    def takes(self, case):
        return case.kind not in self.without

    def apply(self, case, root):
        raise NotImplementedError


class Library(Applier):
    """patchkit in this process: no start-up to pay for thousands of cases."""

    def apply(self, case, root):
        try:
            return apply_with_patchkit(case.patch, root)
        except Exception as error:  # a crash is a failure to be counted, not the end of the run
            return False, f"crashed: {type(error).__name__}: {error}"


class Command(Applier):
    """Any `apply_patch` command: the patch on standard input, the tree as working directory."""

    def __init__(self, name, path, version=""):
        super().__init__(name, version)
        self.path = os.path.abspath(path)

    def apply(self, case, root):
        # Codex is one program under many names and does what the name says.
        return _run(["apply_patch"], case.patch, root, executable=self.path)


class GnuPatch(Applier):
    """GNU patch, given the unified diff with true line numbers."""

    def takes(self, case):
        return case.diff is not None

    def apply(self, case, root):
        command = ["patch", "-p1", "-N", "-s", "-r", "-", "--no-backup-if-mismatch"]
        return _run(command, case.diff, root)


class Worker(Applier):
    """A Python peer in its own environment, asked case by case over a pipe.

    It ends when the pipe closes, that is with the process that asked.
    """

    def __init__(self, name, python, without=(), version=""):
        super().__init__(name, version)
        self.without = frozenset(without)
        self.python = str(python)
        self._process = None

    def apply(self, case, root):
        if self._process is None or self._process.poll() is not None:
            command = [self.python, "-I", str(WORKERS / f"{self.name}.py")]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._process.stdin.write(json.dumps({"root": root, "patch": case.patch}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '[false, "the worker died"]')
        return answer[0], answer[1]


def _run(command, text, root, executable=None):
    try:
        done = subprocess.run(
            command, input=text.encode(), cwd=root, capture_output=True, timeout=TIME_LIMIT, executable=executable
        )
    except subprocess.TimeoutExpired:
        return False, "timed out"
    return done.returncode == 0, (done.stderr or done.stdout).decode(errors="replace")


def codex_path(given):
    """The Codex program: as given, from PERF_CODEX, or `codex` on PATH."""
    path = given or os.environ.get("PERF_CODEX") or "codex"
    return shutil.which(path)
