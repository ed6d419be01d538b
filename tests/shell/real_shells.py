"""Run a command in a real shell and record what it did.

A Recorder makes a tree, a PATH whose `apply_patch` writes down how it was called, and runs argument
vectors there. What it gives is what the law speaks of: how often, with which text, where, and what else.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from patchkit.shell import Verdict, classify

SHELLS = ("bash", "dash", "zsh", "sh")
TOOLS = ("bash", "dash", "zsh", "sh", "cat", "env", "timeout", "mkdir", "true", "false", "touch", "tee", "id")
DIRECTORIES = ("sub/deep", "other", "my dir", "-dash", "it's", "a*b", "été", "~", "$HOME")

_STUB = """#!/bin/sh
{{
  printf '%s\\0' "$#"; for argument; do printf '%s\\0' "$argument"; done; pwd -P
  env -u PWD -u OLDPWD -u _ -u SHLVL -u LOGNAME
  printf '\\0'; if [ $# -eq 0 ]; then cat; fi; printf '\\0END\\0'
}} >> '{log}'
echo out; echo err >&2
exit "$(cat '{status}')"
"""


class Call:
    def __init__(self, record: bytes) -> None:
        count, rest = record.split(b"\0", 1)
        *arguments, surroundings, stdin = rest.split(b"\0", int(count) + 1)
        place, *variables = surroundings.decode().splitlines()
        self.text = (stdin if not arguments else arguments[0]).decode("utf-8", "surrogateescape")
        self.arguments = len(arguments)
        self.place = place
        self.environment = dict(line.split("=", 1) for line in variables)


class Ran:
    def __init__(self, calls: list[Call], stdout: str, stderr: str, status: int, changed: bool) -> None:
        self.calls = calls
        self.stdout = stdout
        self.stderr = stderr
        self.status = status
        self.changed = changed


class Recorder:
    def __init__(self, base: Path) -> None:
        base = base.resolve()
        self.tree = base / "tree"
        self.log, self.status = base / "log", base / "status"
        (base / "bin").mkdir()
        (base / "home").mkdir()
        for name in TOOLS:
            found = shutil.which(name)
            if found:
                (base / "bin" / name).symlink_to(found)
        for name in ("apply_patch", "applypatch"):
            stub = base / "bin" / name
            stub.write_text(_STUB.format(log=self.log, status=self.status))
            stub.chmod(0o755)
        for name in (".bash_profile", ".profile", ".zshenv", ".zprofile"):  # a login shell forgets the PATH it is given
            (base / "home" / name).write_text(f"export PATH={base / 'bin'}\n")
        self.env = {"PATH": str(base / "bin"), "HOME": str(base / "home"), "LANG": "C.UTF-8"}
        self.reset()

    def reset(self) -> None:
        shutil.rmtree(self.tree, ignore_errors=True)
        for name in DIRECTORIES:
            (self.tree / name).mkdir(parents=True)
        (self.tree / "file.txt").write_text("alpha\n")
        (self.tree / "link").symlink_to("sub/deep")

    def snapshot(self) -> list[tuple[str, int]]:
        return sorted((str(path), path.lstat().st_mtime_ns) for path in self.tree.rglob("*"))

    def run(self, argv: list[str], status: int = 0, env: dict[str, str] | None = None, cwd: str = ".") -> Ran:
        self.log.write_bytes(b"")
        self.status.write_text(str(status))
        before = self.snapshot()
        done = subprocess.run(
            [word.encode("utf-8", "surrogateescape") for word in argv],
            cwd=self.tree / cwd,
            env=self.env if env is None else {**self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        calls = [Call(record) for record in self.log.read_bytes().split(b"\0END\0")[:-1]]
        changed = self.snapshot() != before
        if changed:
            self.reset()
        return Ran(
            calls, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"), done.returncode, changed
        )

    def classify(self, argv: list[str], env: dict[str, str] | None = None, cwd: str = ".") -> Verdict:
        return classify(argv, str(self.tree / cwd), {**self.env, **(env or {})})

    def broken_law(
        self, argv: list[str], verdict: Verdict, env: dict[str, str] | None = None, cwd: str = "."
    ) -> list[str]:
        """What a real shell does differently from an apply_patch verdict, whether the call succeeds or fails."""
        found: list[str] = []
        for status in (0, 1):
            ran = self.run(argv, status, env, cwd)
            streams = ("out\nerr\n", "") if verdict.merged else ("out\n", "err\n")
            if len(ran.calls) != 1:
                return [f"{len(ran.calls)} calls: {ran.stderr}"]
            if verdict.reason:  # it says what bash warns of, with the words of the shell
                ran.stderr = re.sub(r"^.*: warning: here-document .* delimited by end-of-file .*\n", "", ran.stderr)
            call = ran.calls[0]
            facts = {
                "text": (call.text, verdict.patch),
                "arguments": (call.arguments, 1 if verdict.form in ("argument", "direct") else 0),
                "directory": (call.place, os.path.realpath(str(verdict.workdir))),
                "streams": ((ran.stdout, ran.stderr), streams),
                "status": (ran.status, status),
                "changed files": (ran.changed, False),
                "environment": (call.environment, {**self.env, **(env or {})}),
            }
            facts["environment"][1].pop("PWD", None)
            found += [f"{name}: {real!r} but said {said!r}" for name, (real, said) in facts.items() if real != said]
        return found


def missing(shell: str) -> str:
    """Why a shell cannot be asked, '' when it can."""
    if sys.platform == "win32" or shutil.which(shell) is None:
        return f"{shell} is not installed"
    return ""
