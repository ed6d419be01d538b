"""Runs the attacks as a command of `exec`: `attack_runner.py BASE LAYER`, LAYER off, landlock or a kind of mounts.

Makes a tree with secrets below BASE, a neighbour with a secret in its memory, servers and shared memory; prints JSON:
what the sandbox was and which attacks succeeded. A program of its own, so that it can be run as another user.

The kinds of mounts are 'mounts', as this user has them in the process of a host; 'namespace', as a user has them who is
not root; and 'entered', as such a user has them in a process that belongs to patchkit.
"""

from __future__ import annotations

import ctypes
import json
import os
import pty
import shlex
import socket
import subprocess
import sys
import threading
from pathlib import Path

from patchkit.policy.trust import trust_below
from patchkit.sandbox import child as sandbox
from patchkit.sandbox import landlock
from patchkit.sandbox import prepared as sandboxing
from patchkit.sandbox.mounts import own_user_namespace
from patchkit.tools.calling import Caller, call

RULES = """\
[permissions]
read = { ".env*" = "deny", "secrets/**" = "deny", "vault/**" = "deny" }
write = { "src/**" = "allow", "moving/**" = "allow", ".env*" = "deny" }
execute = "allow"
[audit]
file = "src/audit.jsonl"
"""
FORBIDDEN = ("read", "link", "move", "exchange", "append", "truncate", "line\nend")
FILES = (
    *(f".env-{name}" for name in FORBIDDEN),
    *("secrets/deep/key", "vault/key", "src/.env-inner", "src/deep/.env-deep", "src/plain", "moving/file"),
    "src/shut/.env-shut",
    *("locked/opened", "locked/removed", "locked/replaced", "locked/mode"),
    *("src/pyproject.toml", "src/AGENTS.md", "src/.envrc", ".git/hooks/README", ".git/HEAD"),
)
NEIGHBOUR = """\
import ctypes, os, sys
memory = ctypes.create_string_buffer(b"SECRET", 64)
handle = os.open(".env-read", os.O_RDONLY)
print(handle, ctypes.addressof(memory), flush=True)
sys.stdin.read()
"""


def plant(base: Path) -> Path:
    root = base / "root"
    for name in FILES:
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("SECRET\n")
    (root / ".patchkit.toml").write_text(RULES)
    (root / "src/shut").chmod(0o444)  # its names can be listed, and nothing in it can be looked at
    for name in ("outside", "home/.ssh", "state"):
        (base / name).mkdir(parents=True)
    for name in ("outside/secret", "home/.ssh/id_test", "home/.bashrc"):
        (base / name).write_text("SECRET\n")
    return root


def answering(server: socket.socket) -> None:
    """Takes connections for ever, in the background."""

    def work() -> None:
        while True:
            server.accept()[0].close()

    server.listen()
    threading.Thread(target=work, daemon=True).start()


def main(base: Path, layer: str) -> None:
    os.environ.update(HOME=str(base / "home"), XDG_STATE_HOME=str(base / "state"))
    os.environ.pop("XDG_CONFIG_HOME", None)
    root = plant(base)
    if layer == "entered":
        assert own_user_namespace()
    trust_below(str(root))
    tcp, udp = socket.socket(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    stream, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    for server in (tcp, udp):
        server.bind(("127.0.0.1", 0))
    name = f"patchkit-{os.getpid()}"
    stream.bind(f"{base}/stream")
    datagrams.bind(f"{base}/datagrams")
    abstract.bind(f"\0{name}")
    for server in (tcp, stream, abstract):
        answering(server)
    neighbour = subprocess.Popen(
        [sys.executable, "-c", NEIGHBOUR],
        cwd=root,
        env={**os.environ, "TOKEN": "SECRET"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert neighbour.stdout is not None
    descriptor, address = map(int, neighbour.stdout.readline().split())
    shared = Path("/dev/shm") / name
    shared.write_text("SECRET")
    libc = ctypes.CDLL(None)
    libc.shmat.restype = ctypes.c_void_p
    segment = libc.shmget(os.getpid(), 64, 0o1600)
    ctypes.memmove(libc.shmat(segment, None, 0), b"SECRET", 6)
    queue = libc.msgget(0, 0o1600)
    libc.msgsnd(queue, (1).to_bytes(8, "little") + b"SECRET".ljust(16, b"\0"), 16, 0)
    _, terminal = pty.openpty()
    plan = {
        "root": str(root),
        "outside": str(base / "outside"),
        "state": str(base / "state"),
        "neighbour": neighbour.pid,
        "host": os.getpid(),
        "descriptor": descriptor,
        "address": address,
        "tcp": tcp.getsockname()[1],
        "udp": udp.getsockname()[1],
        "stream": f"{base}/stream",
        "datagrams": f"{base}/datagrams",
        "abstract": name,
        "key": os.getpid(),
        "shared": name,
        "queue": queue,
        "terminal": os.ttyname(terminal),
    }
    program = Path(__file__).with_name("attack_program.py").read_bytes()
    (root / "src/attack.py").write_bytes(program)
    (root / "src/plan.json").write_text(json.dumps(plan))
    if layer == "landlock":
        sandboxing._without_mounts.append("the test asks for none")
    if layer == "namespace":
        sandbox.own_mounts = lambda: False
    try:
        caller = Caller(str(root), str(root))
        held = "require" if landlock.version() >= landlock.WHOLE else "auto"
        caller.sandbox = "off" if layer == "off" else held
        result = call("Bash", {"command": shlex.join([sys.executable, "src/attack.py", "src/plan.json"])}, caller)
        if result.errors:
            print(json.dumps({"errors": result.errors}))
            return
        try:
            attacks = json.loads(result.data["output"].splitlines()[-1])
        except ValueError:
            attacks = result.data["output"]
        print(json.dumps({"sandbox": result.data["sandbox"], "attacks": attacks}))
    finally:
        neighbour.kill()
        shared.unlink()
        libc.shmctl(segment, 0, None)
        libc.msgctl(queue, 0, None)
        (root / "src/shut").chmod(0o755)


main(Path(os.path.realpath(sys.argv[1])), sys.argv[2])
