"""The package as users have it: the wheel, built once in a run of the tests, in an environment of its own.

Nothing is downloaded: what the package depends on is taken from the environment that runs the tests.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


class Installation:
    """An environment with the wheel in it: `python` and the commands, in `bin`."""

    def __init__(self, place: Path) -> None:
        self.wheels = place / "wheels"
        self.environment = place / "environment"
        self.bin = self.environment / "bin"
        self.python = str(self.bin / "python")

    @property
    def wheel(self) -> Path:
        return next(self.wheels.glob("*.whl"))

    def settings(self, **more: str) -> dict[str, str]:
        """Variables for a process that finds the commands of this environment, and no module of the checkout."""
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return {**kept, "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}", **more}

    def make(self) -> None:
        _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(self.wheels))
        _run(sys.executable, "-m", "venv", "--without-pip", str(self.environment))
        offline = ["--no-deps", "--no-index", "--disable-pip-version-check"]
        _run(sys.executable, "-m", "pip", "--python", self.python, "install", *offline, str(self.wheel))
        found = _run(self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
        # Behind the packages of the environment itself. The .pth files there are not read: the checkout stays unknown.
        others = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
        Path(found.strip(), "dependencies.pth").write_text("".join(f"{path}\n" for path in others))


def installed_below(shared: Path) -> Installation:
    """The installation in a directory that the processes of one run share; the first that asks makes it."""
    place = shared / "installation"
    place.mkdir(exist_ok=True)
    found = Installation(place)
    with open(place / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "complete").exists():
            found.make()
            (place / "complete").touch()
    return found


def _run(*command: str) -> str:
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout
