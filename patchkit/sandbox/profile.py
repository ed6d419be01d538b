"""What every sandboxed command may use besides the files of its root, and what it never may: data, each row with why.

Takes the environment of the command; gives real paths with rights. The user's own settings add to it. What rules say
about a path still holds, except for the few `FIXED` ones, which every program needs.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Mapping

from patchkit.policy import READ, WRITE
from patchkit.sandbox.landlock import DEVICE
from patchkit.sandbox.landlock import READ as READS
from patchkit.sandbox.landlock import RUN as RUNS

# paths, rights, why
PROFILE = (
    ("/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /nix/store", RUNS, "programs and libraries"),
    ("/etc", READS, "users, locales, certificates; modes protect the rest"),
    ("/proc", READS, "a program's own status; that of others is behind the border of the sandbox"),
    ("/sys/devices/system/cpu /sys/devices/system/node /sys/fs/cgroup", READS, "the number of processors, limits"),
    ("/run/systemd/resolve /run/resolvconf", READS, "names of servers, where there is a network"),
    ("~/.gitconfig ~/.config/git", READS, "settings of git, without its secrets"),
    ("~/.npm ~/.cache/pip ~/.cache/uv", READS, "caches of packages"),
    ("~/.cargo ~/.rustup ~/.pyenv ~/.nvm ~/.volta ~/.asdf ~/.sdkman", RUNS, "toolchains where they usually are"),
    ("~/go/bin ~/go/pkg ~/.local/bin ~/.local/lib ~/.local/share/uv", RUNS, "programs and modules of the user"),
)
# Variables that name a toolchain: the program finds its parts there.
TOOLCHAINS = "CARGO_HOME RUSTUP_HOME PYENV_ROOT NVM_DIR VIRTUAL_ENV GOROOT GOPATH JAVA_HOME"
# Of the directory above a `bin`, which may be a home's own (`~/.local`): a mark that has to be there, the parts that
# the programs in `bin` need then, and why. Never all of it.
_PARTS = (
    ("", "lib lib32 lib64 libexec include share/terminfo", "libraries of the programs on the PATH"),
    ("pyvenv.cfg", "pyvenv.cfg", "a Python environment"),
    ("lib/rustlib", "etc", "a toolchain of Rust"),
    ("pkg/tool", "src pkg misc api VERSION go.env", "a toolchain of Go"),
    ("lib/modules", "conf jmods release", "a toolchain of Java"),
    ("conda-meta", "conda-meta condabin etc ssl share", "a Python environment"),
)
_BINS = ("bin", "sbin", "Scripts", "shims")
FIXED = (
    ("/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty", DEVICE, "devices that every program uses"),
)
# Why, and patterns below the home directory that nothing allows to read inside, wherever the root is.
_SECRETS = {
    "keys and tokens": ".ssh .gnupg .aws .azure .kube .docker .config/gcloud .config/gh .password-store",
    "passwords, tokens": ".netrc .npmrc .pypirc .git-credentials .config/git/credentials .cargo/credentials*",
    "tokens": ".local/share/uv/credentials .vault-token .terraform.d/credentials* .config/containers/auth.json "
    ".config/glab-cli .config/hub .config/doctl .config/rclone .config/op .cache/huggingface/token",
    "tokens of Claude Code": ".claude/.credentials* .claude.json .claude/history* .claude/projects .config/claude",
    "tokens of Codex": ".codex/auth* .codex/history* .codex/sessions",
    "tokens of agents": ".gemini/oauth* .gemini/google_accounts* .gemini/.env .gemini/tmp .qwen/oauth* .qwen/tmp "
    ".copilot .config/github-copilot .local/share/opencode .local/share/goose .config/goose "
    ".aider* .config/amp .local/share/amp .config/crush .local/share/crush .factory/auth*",
    "tokens of editors": ".continue .cursor/auth* .config/cursor .config/Cursor .config/Windsurf .config/Code "
    ".config/zed .local/share/zed .config/JetBrains .local/share/JetBrains",
    "keyrings": ".local/share/keyrings .local/share/kwalletd .config/1Password .config/Bitwarden",
    "cookies, passwords": ".mozilla .thunderbird .config/google-chrome* .config/chromium .config/BraveSoftware "
    ".config/microsoft-edge* .config/vivaldi .config/opera .var/app snap .config/Signal "
    ".config/Slack .config/discord Library/Keychains Library/Cookies Library/Safari",
    "cookies, passwords, tokens on macOS": "Library/Application?Support",
    "what was typed, with secrets": ".bash_history .zsh_history .python_history .psql_history .mysql_history "
    ".node_repl_history .sqlite_history .irb_history .rediscli_history "
    ".local/share/fish .local/share/atuin .local/share/signal-cli .lesshst .viminfo",
}
# effect, patterns, why
NEVER = (
    *((READ, patterns, why) for why, patterns in _SECRETS.items()),
    (WRITE, ".ssh .gnupg .bashrc .bash_profile .profile .zshrc .zshenv .gitconfig .config/git", "what runs at start"),
)


def readable(environment: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    """The real paths that may be read, if there is something, with what reading them means, and why."""
    home = os.path.expanduser("~")
    for paths, rights, why in PROFILE:
        for path in paths.split():
            yield os.path.realpath(home + path[1:] if path[0] == "~" else path), rights, why
    for path, why in _toolchains(environment, os.path.realpath(home)):
        yield path, RUNS, why


def _toolchains(environment: Mapping[str, str], home: str) -> Iterator[tuple[str, str]]:
    """Where the programs on the PATH, and those that variables name, have their parts; never a home, never all."""
    found = {environment[name]: f"{name} names it" for name in TOOLCHAINS.split() if environment.get(name)}
    entries = [each for each in (environment.get("PATH") or os.defpath).split(":") if each.startswith("/")]
    for entry in dict.fromkeys(map(os.path.realpath, entries)):
        found.setdefault(entry, "it is on the PATH")
        if f"{entry}/".startswith(("/usr/", "/bin/", "/sbin/")):
            continue  # granted above
        for path, why in [*_parts(entry), *_linked(entry)]:
            found.setdefault(path, why)
    for prefix in dict.fromkeys((sys.prefix, sys.base_prefix, sys.exec_prefix)):
        found.setdefault(f"{prefix}/bin", "the Python of patchkit")
        for path, why in _parts(f"{prefix}/bin"):
            found.setdefault(path, why)
    for path in sys.path:
        if path.endswith(("site-packages", "dist-packages")):
            found.setdefault(path, "modules of the Python of patchkit")
    real = {os.path.realpath(path): why for path, why in found.items()}
    for path, why in real.items():
        if path in ("/", home) or f"{home}/".startswith(f"{path}/"):
            continue
        try:
            mode = os.stat(path).st_mode
        except OSError:
            continue
        if not mode & stat.S_IWOTH:  # else anyone could have put something there
            yield path, why


def _parts(entry: str) -> Iterator[tuple[str, str]]:
    """What the programs of a directory need of the one above it."""
    above, name = os.path.split(entry)
    if name == ".bin" and os.path.basename(above) == "node_modules":
        yield above, "modules of Node.js"
    if name not in _BINS:
        return
    for mark, parts, why in _PARTS:
        if os.path.exists(f"{above}/{mark}"):
            for part in parts.split():
                yield f"{above}/{part}", why
    for program in sorted({*_names(entry)}.intersection(_names(f"{above}/share"))):
        yield f"{above}/share/{program}", f"what '{program}' shares"


def _linked(entry: str) -> Iterator[tuple[str, str]]:
    """The environments and modules that links in a directory of programs lead to, as pipx, uv and npm make them."""
    for name in _names(entry):
        path = f"{entry}/{name}"
        if not os.path.islink(path):
            continue
        target = os.path.realpath(path)
        modules = target.rpartition("/node_modules/")[0]
        directory = os.path.dirname(target)
        if modules:
            yield f"{modules}/node_modules", f"modules of '{name}'"
        elif directory != entry and os.path.exists(f"{os.path.dirname(directory)}/pyvenv.cfg"):
            yield directory, f"the environment of '{name}'"
            yield from _parts(directory)


def _names(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []
