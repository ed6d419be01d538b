"""Our own commands for a command that is run: a directory with nothing else in it, to stand first on its PATH.

Not the directory we are installed in: that holds a Python too, and a child would find it instead of its own. The
small scripts are made once, in the user's state directory; where that cannot be, the installed ones have to do.
"""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from shlex import quote

from patchkit import __version__
from patchkit.workspace.outputs import place
from patchkit.workspace.root import Workspace

_MAINS = {
    "apply_patch": "patchkit.cli.apply_patch",
    "applypatch": "patchkit.cli.apply_patch",
    "patchkit": "patchkit.cli.main",
}
# -P: a 'patchkit' in the directory the command runs in must not be taken for ours.
_SCRIPT = '#!/bin/sh\nexec {python} -P -c {code} "$@"\n'
_CODE = "import sys; sys.path.append({home!r}); from {main} import main; main()"


def commands_directory(files: Workspace) -> str | None:
    """The directory with our commands; None where there is none."""
    scripts = {name: _script(main) for name, main in _MAINS.items()}
    mark = sha256("".join(scripts.values()).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    try:
        directory = place(files, f"bin-{__version__}-{mark}")
        for name, text in scripts.items():
            _write(directory, name, text)
        return directory
    except OSError:
        beside = os.path.dirname(os.path.abspath(sys.executable or sys.argv[0]))
        return beside if os.path.exists(f"{beside}/apply_patch") else None


def _script(main: str) -> str:
    import patchkit

    home = os.path.dirname(os.path.dirname(os.path.abspath(patchkit.__file__)))
    return _SCRIPT.format(python=quote(sys.executable or "python3"), code=quote(_CODE.format(home=home, main=main)))


def _write(directory: str, name: str, text: str) -> None:
    """Puts a script in place unless it is there: its directory is named after what is in it."""
    path = f"{directory}/{name}"
    if os.access(path, os.X_OK):
        return
    staged = f"{path}.{os.getpid()}"
    handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o700)
    try:
        os.write(handle, text.encode("utf-8", "surrogateescape"))
    finally:
        os.close(handle)
    os.replace(staged, path)
