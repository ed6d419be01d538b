"""What every sandboxed command may use besides the files of its root, and what it never may: data, each row with why.

Takes the environment of the command; gives real paths with rights. The user's own settings add to it. What rules say
about a path still holds, except for the few `FIXED` ones, which every program needs.
"""

from __future__ import annotations

import os
import stat
import sys

from patchkit.policy import READ, WRITE
from patchkit.sandbox.landlock import DEVICE
from patchkit.sandbox.landlock import READ as READS
from patchkit.sandbox.landlock import RUN as RUNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# paths, rights, why
PROFILE = (
    ("/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /nix/store", RUNS, "programs and libraries"),
    ("/etc", READS, "users, locales, certificates; modes protect the rest"),
    ("/proc", READS, "a program's own status; that of others is behind the border of the sandbox"),
    ("/sys/devices/system/cpu /sys/devices/system/node /sys/fs/cgroup", READS, "the number of processors, limits"),
    ("/run/systemd/resolve /run/resolvconf", READS, "names of servers, where there is a network"),
    ("~/.gitconfig ~/.config/git", READS, "settings of git, without its secrets"),
    ("~/.npm ~/.cache/pip ~/.cache/uv", READS, "caches of packages"),
    ("~/.cargo ~/.rustup ~/.pyenv ~/.nvm ~/.volta ~/.asdf ~/.sdkman ~/go", RUNS, "toolchains where they usually are"),
    ("~/.local/bin ~/.local/lib ~/.local/share/uv", RUNS, "programs and modules of the user"),
)
# Variables that name a toolchain: the program finds its parts there.
TOOLCHAINS = "CARGO_HOME RUSTUP_HOME PYENV_ROOT NVM_DIR VIRTUAL_ENV GOROOT GOPATH JAVA_HOME"
FIXED = (
    ("/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty", DEVICE, "devices that every program uses"),
)
# effect, patterns below the home directory, why: nothing allows these inside, wherever the root is
NEVER = (
    (READ, ".ssh .gnupg .aws .azure .kube .docker .config/gcloud .config/gh .password-store", "keys and tokens"),
    (READ, ".netrc .npmrc .pypirc .git-credentials .config/git/credentials .cargo/credentials*", "passwords, tokens"),
    (READ, ".bash_history .zsh_history .python_history .psql_history .mysql_history", "what was typed, with secrets"),
    (WRITE, ".ssh .gnupg .bashrc .bash_profile .profile .zshrc .zshenv .gitconfig .config/git", "what runs at start"),
)


def readable(environment: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """The real paths that may be read, if there is something, with what reading them means."""
    real_paths = RealPaths()
    home = os.path.expanduser("~")
    for paths, rights, _ in PROFILE:
        for path in paths.split():
            yield real_paths.of(home + path[1:] if path[0] == "~" else path), rights
    for path in _toolchains(environment, real_paths, real_paths.of(home)):
        yield path, RUNS


class RealPaths:
    """The real paths of absolute ones that have directories in common, which are looked at once."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, str] = {"": ""}

    def of(self, path: str) -> str:
        known = self._known.get(path)
        if known is None:
            above, _, name = path.rpartition("/")
            known = f"{self.of(above).rstrip('/')}/{name}"
            if name in ("", ".", "..") or os.path.islink(known):
                known = os.path.realpath(path)
            self._known[path] = known
        return known


def _toolchains(environment: Mapping[str, str], real_paths: RealPaths, home: str) -> Iterator[str]:
    """Where the programs on the PATH, and those that variables name, have their parts; never a home, never all."""
    found = [environment[name] for name in TOOLCHAINS.split() if environment.get(name)]
    for entry in (environment.get("PATH") or os.defpath).split(":"):
        if entry.startswith("/"):
            real = real_paths.of(entry)
            above = os.path.dirname(real)
            found.append(real if above in ("/", home) else above)
    found += [sys.prefix, sys.base_prefix, sys.exec_prefix]
    found += [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    for path in dict.fromkeys(map(real_paths.of, map(os.path.abspath, found))):
        if path in ("/", home) or f"{home}/".startswith(f"{path}/"):
            continue
        try:
            mode = os.stat(path).st_mode
        except OSError:
            continue
        if not mode & stat.S_IWOTH:  # else anyone could have put something there
            yield path
