"""Who is measured, and where they are: on PATH, or by name from npm and pip, kept in a cache."""

import os
import shutil
import subprocess
import sys

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "patchkit-speed")


class MissingError(Exception):
    """A program that is not here; its rows are left out, and the report says so."""


class Peers:
    """The programs of a run. `place` is where patchkit was installed by pip, not as editable."""

    def __init__(self, place, codex=None):
        self.place = place
        self._codex = codex

    def ours(self, name):
        return os.path.join(self.place, name)

    def codex(self):
        """Codex's applier: its binary does it when called by the name apply_patch."""
        found = self._codex or os.path.join(CACHE, "apply_patch")
        if not os.path.exists(found):
            found = _from_npm(found)
        return found

    def program(self, name):
        found = shutil.which(name)
        if found is None:
            raise MissingError(f"no {name} on PATH")
        return found


def installed(source):
    """The `bin` of an environment of its own with patchkit installed from `source` by pip; made anew when asked for."""
    place = os.path.join(CACHE, "environment")
    python = os.path.join(place, "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--force-reinstall", "--no-deps", source], check=True, env=environment)
    subprocess.run([*pip, source], check=True, env=environment)
    return os.path.join(place, "bin")


def _from_npm(place):
    if shutil.which("npm") is None:
        raise MissingError("no Codex: name it with --codex, or have npm")
    os.makedirs(CACHE, exist_ok=True)
    done = subprocess.run(["npm", "install", "--silent", "--prefix", CACHE, "@openai/codex"], check=False)
    binaries = [
        os.path.join(directory, name)
        for directory, _, names in os.walk(os.path.join(CACHE, "node_modules"))
        for name in names
        if name == "codex" and os.path.basename(directory) in ("bin", "codex")
    ]
    native = [path for path in binaries if "vendor" in path]
    if done.returncode or not native:
        raise MissingError("npm gave no Codex binary for this machine")
    os.symlink(native[0], place)
    return place
