"""A client of the Model Context Protocol for tests: lines of JSON to a server process, and its answers by id."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# A search takes as long as a busy machine needs for it.
PROGRAM = "from patchkit.tools import answers; answers.SECONDS = 570; from patchkit.cli.main import main; main()"
MODERN = "2026-07-28"


def command(*words: str) -> list[str]:
    return [sys.executable, "-P", "-c", PROGRAM, "mcp", *words]


class RawClient:
    """A server process and what was sent to it; `environment` is as bare as clients make it."""

    def __init__(self, root: Path, *words: str) -> None:
        environment = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "PYTHONPATH": str(REPOSITORY)}
        environment["XDG_STATE_HOME"] = str(root.parent / "state")
        self.process = subprocess.Popen(
            command(*words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=root,
            env=environment,
        )
        self.notifications: list[dict] = []
        self._answers: dict[object, dict] = {}
        self._next = 0

    def send(self, message: object) -> None:
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict | None = None, identity: object = None) -> object:
        """Sends a request and returns its id."""
        if identity is None:
            self._next += 1
            identity = self._next
        message = {"jsonrpc": "2.0", "id": identity, "method": method}
        self.send({**message, "params": params} if params is not None else message)
        return identity

    def notify(self, method: str, params: dict | None = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, **({"params": params} if params is not None else {})})

    def receive(self) -> dict | list:
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read().decode()
        assert line.endswith(b"\n")
        return json.loads(line)

    def answer(self, identity: object) -> dict:
        """The answer to a request; other answers and notifications that come first are kept."""
        while identity not in self._answers:
            message = self.receive()
            assert isinstance(message, dict)
            if "method" in message:
                self.notifications.append(message)
            else:
                self._answers[message["id"]] = message
        return self._answers.pop(identity)

    def ask(self, method: str, params: dict | None = None) -> dict:
        return self.answer(self.request(method, params))

    def initialize(self, version: str = "2025-11-25") -> dict:
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        answer = self.ask("initialize", params)
        self.notify("notifications/initialized")
        return answer["result"]

    def call(self, name: str, **arguments: object) -> dict:
        return self.ask("tools/call", {"name": name, "arguments": arguments})["result"]

    def close(self) -> tuple[int, bytes]:
        """Ends the input; returns the status and what was left of the output."""
        rest, _ = self.process.communicate()
        return self.process.returncode, rest


def modern(params: dict | None = None, version: str = MODERN) -> dict:
    """The parameters of a request that says its version itself."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    given = dict(params or {})
    return {**given, "_meta": {**meta, **given.get("_meta", {})}}
