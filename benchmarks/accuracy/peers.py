"""Find or install the appliers that take part in a run.

Takes the names asked for and where to look; gives Appliers. A peer that can not be had is left out
with a line saying why. Python peers get an environment of their own under the cache directory.
"""

import importlib.util
import os
import shutil
import subprocess
import venv
from pathlib import Path

from .appliers import Command, GnuPatch, Library, Worker, codex_path

NAMES = ("patchkit", "codex", "agents", "aider", "patch")
PINNED = {"agents": "openai-agents==0.24.0", "aider": "aider-chat==0.86.2"}


def find_appliers(names, cache, patchkit="library", codex=None, say=print):
    found = []
    for name in names:
        try:
            found.append(_FINDERS[name](cache, patchkit, codex))
        except LookupError as error:
            say(f"left out: {name}: {error.args[0]}")
    return found


def _patchkit(cache, patchkit, codex):
    if patchkit == "library":
        if importlib.util.find_spec("patchkit") is None:
            raise LookupError("the package can not be imported here")
        return Library("patchkit", "library")
    path = shutil.which(patchkit)
    if not path:
        raise LookupError(f"no program at '{patchkit}'")
    return Command("patchkit", path, "command")


def _codex(cache, patchkit, codex):
    path = codex_path(codex)
    if not path:
        raise LookupError("no program; name it with --codex or PERF_CODEX")
    return Command("codex", path, _first_line(["codex", "--version"], os.path.realpath(path)))


def _agents(cache, patchkit, codex):
    # apply_diff takes one section of one file: no wrappers to remove, no second file to refuse.
    without = ("wrap-heredoc", "wrap-fence", "multifile-bad-second")
    return Worker("agents", _environment(cache, "agents"), without, PINNED["agents"])


def _aider(cache, patchkit, codex):
    return Worker("aider", _environment(cache, "aider"), (), PINNED["aider"])


def _patch(cache, patchkit, codex):
    if not shutil.which("patch"):
        raise LookupError("no program 'patch' on PATH")
    return GnuPatch("patch", _first_line(["patch", "--version"]))


_FINDERS = {"patchkit": _patchkit, "codex": _codex, "agents": _agents, "aider": _aider, "patch": _patch}


def _environment(cache, name):
    """The python of the peers' environment, with the peer in it.

    Without its dependencies: the part that applies patches needs none of them.
    """
    folder = Path(cache) / "peers"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    mark = folder / PINNED[name]
    if not mark.exists():
        command = [str(python), "-m", "pip", "install", "-q", "--no-deps", PINNED[name]]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise LookupError(f"pip could not install {PINNED[name]}")
        mark.touch()
    return python


def _first_line(command, executable=None):
    done = subprocess.run(command, executable=executable, capture_output=True, text=True)
    return (done.stdout.splitlines() or [""])[0]
