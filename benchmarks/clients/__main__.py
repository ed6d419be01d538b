"""What agent clients make of the hook and the server, run headless in the clients themselves with a scripted model.

    python -m benchmarks.clients DIRECTORY [CLIENT…] [--record] [--show]

DIRECTORY is where the clients were installed, for example by `npm install --prefix DIRECTORY @openai/codex`, or has
links to them in node_modules/.bin (OpenHands is from PyPI). Each gets a home and a project of its own, is set up by
`patchkit install CLIENT --approve edits` and nothing else, and reaches nothing but the model on loopback. What is seen
is printed: which answers of the hook are carried out, and whether by the server a patch is applied, a refusal arrives
with its correction, and the patch is undone. `--record` writes it with versions and date into fixtures/clients.json,
from which docs/agents.md has it. Status 1 if a client that is recorded does less than before.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.clients.model import Call, ScriptedModel

SOURCE = Path(__file__).resolve().parents[2]
RECORD = SOURCE / "fixtures" / "clients.json"
LONGEST = 400  # seconds of a session, which only one that hangs takes
Json = dict[str, Any]

RULES = """\
[permissions]
write = { "*.py" = "allow" }
execute = { "touch allowed.txt" = "allow", "touch asked.txt" = "ask", "git push" = "deny" }
"""
FILES = {
    "app.py": "x = 1\n",
    "near.py": "def load(path):\n    with open(path) as stream:\n        return stream.read()\n",
    ".patchkit.toml": RULES,
}
FITS = "*** Begin Patch\n*** Update File: app.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
NEARLY = """\
*** Begin Patch
*** Update File: near.py
@@ def load(path):
     with open(path) as strem:
-        return stream.read()
+        return stream.read().strip()
*** End Patch
"""
CORRECTED = "*** Update File: near.py"  # in a refusal: the patch that should have been sent
# Our command, in a project of its own; what the hook is asked and answers is written down.
COMMAND = """\
#!{python}
import os, sys
sys.path.insert(0, {source!r})
if sys.argv[1:2] == ["hook"]:
    asked = sys.stdin.buffer.read()
    into, out = os.pipe(), os.pipe()
    child = os.fork()
    if child:
        os.close(into[0]), os.close(out[1])
        os.write(into[1], asked), os.close(into[1])
        said = b"".join(iter(lambda: os.read(out[0], 65536), b""))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with open({log!r}, "ab") as log:
            log.write(repr((asked, said, status)).encode() + b"\\n")
        os.write(1, said)
        sys.exit(status)
    os.dup2(into[0], 0), os.dup2(out[1], 1), os.close(into[1]), os.close(out[0])
from patchkit.cli.{module} import main
main()
"""


class Client:
    """One client: how it is told where the model is, how it is run, and what its tools are called."""

    name = title = program = ""
    shell, field = "bash", "command"
    more: Json = {"description": "Do it"}  # what the shell tool needs beside the command
    server = "patchkit_{}"  # the name of one of the server's tools
    namespace = ""
    always: Json = {}  # what every call needs
    hook_words: tuple[str, ...] = ()  # so that commands are run without a person
    server_words: tuple[str, ...] = ()
    waits = False  # it starts servers beside the first turn

    def environment(self, url: str) -> dict[str, str]:
        return {}

    def configure(self, session: Session, url: str) -> None:
        """What the client needs to find the model."""

    def words(self, url: str) -> list[str]:
        raise NotImplementedError

    def command(self, text: str) -> Call:
        return Call(self.shell, {self.field: text, **self.more, **self.always})


class Claude(Client):
    name, title, program = "claude", "Claude Code", "claude"
    shell, server = "Bash", "mcp__patchkit__{}"

    def environment(self, url: str) -> dict[str, str]:
        quiet = ("DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING")
        given = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "ENABLE_TOOL_SEARCH": "false"}
        return {**dict.fromkeys(quiet, "1"), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", **given}

    def words(self, url: str) -> list[str]:
        return ["-p", "Please do it."]


class Codex(Client):
    name, title, program = "codex", "Codex", "codex"
    shell, field, more = "exec_command", "cmd", {}
    server, namespace, waits = "{}", "mcp__patchkit", True
    hook_words = ("--sandbox", "danger-full-access", "--dangerously-bypass-hook-trust")
    server_words = ("--sandbox", "workspace-write")

    def configure(self, session: Session, url: str) -> None:
        session.write_home(
            ".codex/config.toml",
            'model = "gpt-5.1-codex"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n'
            f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
            f'request_max_retries = 0\n[projects."{session.root}"]\ntrust_level = "trusted"\n',
        )

    def words(self, url: str) -> list[str]:
        return ["exec", "Please do it."]


class Gemini(Client):
    name, title, program = "gemini", "Gemini CLI", "gemini"
    shell, server = "run_shell_command", "mcp_patchkit_{}"
    hook_words, server_words = ("--approval-mode", "yolo"), ("--approval-mode", "default")

    def environment(self, url: str) -> dict[str, str]:
        return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_NO_RELAUNCH": "true"}

    def configure(self, session: Session, url: str) -> None:
        quiet = {"privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}
        auth = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        session.write_home(".gemini/settings.json", json.dumps({**quiet, **auth}))
        session.write_home(".gemini/trustedFolders.json", json.dumps({str(session.root): "TRUST_FOLDER"}))

    def words(self, url: str) -> list[str]:
        return ["-m", "gemini-2.5-pro", "-p", "Please do it."]


class Copilot(Client):
    name, title, program = "copilot", "Copilot CLI", "copilot"
    server = "patchkit-{}"
    hook_words = server_words = ("--no-ask-user",)

    def environment(self, url: str) -> dict[str, str]:
        given = {"BASE_URL": f"{url}/v1", "TYPE": "openai", "API_KEY": "none"}
        quiet = {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "COPILOT_MODEL": "scripted"}
        return {**quiet, **{f"COPILOT_PROVIDER_{name}": value for name, value in given.items()}}

    def configure(self, session: Session, url: str) -> None:
        trusted = [str(session.root)]  # it runs the hooks of a project only where its person trusts that
        session.write_home(".copilot/config.json", json.dumps({"trusted_folders": trusted, "trustedFolders": trusted}))

    def words(self, url: str) -> list[str]:
        return ["-p", "Please do it.", "--no-color"]


class Opencode(Client):
    name, title, program = "opencode", "opencode", "opencode"

    def environment(self, url: str) -> dict[str, str]:
        names = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS")
        return {f"OPENCODE_DISABLE_{name}": "1" for name in names}

    def configure(self, session: Session, url: str) -> None:
        models = {"scripted": {"name": "scripted", "tool_call": True}}
        options = {"baseURL": f"{url}/v1", "apiKey": "none"}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options, "models": models}
        session.write_home(".config/opencode/opencode.json", json.dumps({"provider": {"scripted": provider}}))

    def words(self, url: str) -> list[str]:
        return ["run", "-m", "scripted/scripted", "Please do it."]


class Cline(Client):
    name, title, program = "cline", "Cline", "cline"
    shell, field, more = "run_commands", "commands", {}
    server = "patchkit__{}"

    def configure(self, session: Session, url: str) -> None:
        words = ["auth", "-p", "openai-compatible", "-k", "none", "-m", "scripted", "-b", f"{url}/v1"]
        session.run([session.program, *words], {})

    def words(self, url: str) -> list[str]:
        return ["--json", "Please do it."]

    def command(self, text: str) -> Call:
        return Call(self.shell, {self.field: [text]})


class Qwen(Client):
    """Set up by hand: `patchkit install` does not know it."""

    name, title, program = "", "Qwen Code", "qwen"
    shell, more = "run_shell_command", {"description": "Do it", "is_background": False}
    server = "mcp__patchkit__{}"
    hook_words, server_words = ("--approval-mode", "yolo"), ("--approval-mode", "yolo")

    def environment(self, url: str) -> dict[str, str]:
        return {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "scripted"}

    def configure(self, session: Session, url: str) -> None:
        hook = {"type": "command", "command": f"{session.command} hook", "timeout": 30000}
        hooks = {"PreToolUse": [{"matcher": "run_shell_command", "hooks": [hook]}]}
        server = {"command": session.command, "args": ["mcp", "--no-bash"], "trust": True}
        session.write(".qwen/settings.json", json.dumps({"hooks": hooks, "mcpServers": {"patchkit": server}}))

    def words(self, url: str) -> list[str]:
        return ["--auth-type", "openai", "-p", "Please do it."]


class Droid(Client):
    """Set up by hand: `patchkit install` does not know it."""

    name, title, program = "", "Droid", "droid"
    shell, more = "Execute", {"summary": "Do it", "riskLevel": "low", "riskLevelReason": "None"}
    server = "patchkit___{}"
    hook_words = server_words = ("--auto", "high")

    def environment(self, url: str) -> dict[str, str]:
        return {"FACTORY_API_KEY": "fk-none", "FACTORY_AIRGAP_ENABLED": "true"}

    def configure(self, session: Session, url: str) -> None:
        provider = {"provider": "generic-chat-completion-api", "baseUrl": f"{url}/v1", "apiKey": "none"}
        models = [{"model": "scripted", "displayName": "scripted", "maxOutputTokens": 4096, **provider}]
        hook = {"type": "command", "command": f"{session.command} hook", "timeout": 30}
        hooks = {"PreToolUse": [{"matcher": "Execute", "hooks": [hook]}]}
        session.write_home(".factory/settings.json", json.dumps({"customModels": models, "hooks": hooks}))
        server = {"type": "stdio", "command": session.command, "args": ["mcp", "--no-bash"], "disabled": False}
        session.write_home(".factory/mcp.json", json.dumps({"mcpServers": {"patchkit": server}}))

    def words(self, url: str) -> list[str]:
        return ["exec", "-m", "custom:scripted-0", "Please do it."]


class Goose(Client):
    """Set up by hand: `patchkit install` does not know it."""

    name, title, program = "", "Goose", "goose"
    shell, more = "shell", {}
    server = "patchkit__{}"

    def environment(self, url: str) -> dict[str, str]:
        model = {"GOOSE_PROVIDER": "openai", "GOOSE_MODEL": "scripted", "OPENAI_HOST": url, "OPENAI_API_KEY": "none"}
        return {**model, "GOOSE_MODE": "auto", "GOOSE_DISABLE_KEYRING": "1"}

    def configure(self, session: Session, url: str) -> None:
        hook = {"type": "command", "command": f"{session.command} hook"}
        hooks = {"PreToolUse": [{"hooks": [hook]}]}
        session.write(".agents/plugins/patchkit/plugin.json", json.dumps({"name": "patchkit", "version": "1.0.0"}))
        session.write(".agents/plugins/patchkit/hooks/hooks.json", json.dumps({"hooks": hooks}))
        server = {"type": "stdio", "name": "patchkit", "cmd": session.command, "args": ["mcp", "--no-bash"]}
        common = {"enabled": True, "timeout": 300, "description": "Files"}
        own = {"type": "builtin", "name": "developer", "bundled": True, **common}
        extensions = {"developer": own, "patchkit": {**server, **common}}
        session.write_home(".config/goose/config.yaml", json.dumps({"extensions": extensions}))

    def words(self, url: str) -> list[str]:
        return ["run", "--no-session", "-t", "Please do it."]


class OpenHands(Client):
    """Set up by hand: `patchkit install` does not know it."""

    name, title, program = "", "OpenHands", "openhands"
    shell, more = "terminal", {}
    server, always = "{}", {"security_risk": "LOW"}

    def environment(self, url: str) -> dict[str, str]:
        model = {"LLM_API_KEY": "none", "LLM_BASE_URL": f"{url}/v1", "LLM_MODEL": "openai/scripted"}
        return {**model, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENHANDS_SUPPRESS_BANNER": "1"}

    def configure(self, session: Session, url: str) -> None:
        hook = {"type": "command", "command": f"{session.command} hook", "timeout": 30}
        session.write(
            ".openhands/hooks.json", json.dumps({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]}})
        )
        server = {"command": session.command, "args": ["mcp", "--no-bash"]}
        session.write_home(".openhands/mcp.json", json.dumps({"mcpServers": {"patchkit": server}}))

    def words(self, url: str) -> list[str]:
        return ["--headless", "--json", "--override-with-envs", "-t", "Please do it."]


CLIENTS = (Claude(), Codex(), Gemini(), Copilot(), Opencode(), Cline(), Qwen(), Droid(), Goose(), OpenHands())


class Session:
    """A home and a project, and one run of a client in them."""

    def __init__(self, client: Client, place: Path, programs: Path) -> None:
        self.client, self.root, self.home = client, place / "project", place / "home"
        self.program = str(programs / client.program)
        self.log = place / "hook.log"
        self._bin = place / "bin"
        self.command = str(self._bin / "patchkit")
        self.done = subprocess.CompletedProcess[str]([], 0)
        for directory in (self.root, self.home, self._bin):
            directory.mkdir(parents=True)
        for module, name in (("main", "patchkit"), ("apply_patch", "apply_patch")):
            code = COMMAND.format(python=sys.executable, source=str(SOURCE), log=str(self.log), module=module)
            (self._bin / name).write_text(code)
            (self._bin / name).chmod(0o755)
        for name, text in FILES.items():
            self.write(name, text)
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def write_home(self, name: str, text: str) -> None:
        (self.home / name).parent.mkdir(parents=True, exist_ok=True)
        (self.home / name).write_text(text)

    def run(self, words: list[str], more: dict[str, str]) -> subprocess.CompletedProcess[str]:
        nowhere = dict.fromkeys(["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"], "http://127.0.0.1:9")
        loopback = dict.fromkeys(["no_proxy", "NO_PROXY"], "127.0.0.1,localhost")
        plain = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "SHELL": "/bin/bash", "TERM": "dumb"}
        try:
            return subprocess.run(
                words,
                cwd=self.root,
                env={**plain, "DO_NOT_TRACK": "1", "CI": "1", **nowhere, **loopback, **more},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=LONGEST,
            )
        except subprocess.TimeoutExpired as ended:
            return subprocess.CompletedProcess(words, -1, str(ended.stdout), f"it did not end: {ended.stderr!r}")

    def follow(self, script: list[Call], words: tuple[str, ...]) -> dict[int, str]:
        """Lets the client run with a model that follows the script; returns what the model is given, by call."""
        model = ScriptedModel(script)
        try:
            self.client.configure(self, model.url)
            alone: list[str] = []
            if self.client.name:
                made = self.run([self.command, "install", self.client.name, "--approve", "edits"], {})
                assert made.returncode == 0, made.stderr
                said = re.search(rf"without a person: {self.client.program} (.+)", made.stdout)
                alone = shlex.split(said[1]) if said else []
            self.run([self.command, "trust"], {})
            given = [self.program, *self.client.words(model.url), *words, *alone]
            self.done = self.run(given, self.client.environment(model.url))
            return model.results
        finally:
            model.close()

    def text(self, name: str) -> str:
        return (self.root / name).read_text() if (self.root / name).exists() else ""

    def answers(self, about: str) -> str:
        """What the hook said about the calls that contain some words."""
        rows = [eval(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []
        return "".join(said.decode() for asked, said, _status in rows if about in asked.decode())


def hook(session: Session) -> list[str]:
    """Which answers of the hook the client carries out."""
    client = session.client
    call = "apply_patch <<'EOF'\n{}EOF\n"
    commands = ["touch allowed.txt", call.format(FITS), "git push", call.format(NEARLY), "touch asked.txt"]
    found = session.follow([client.command(each) for each in commands], client.hook_words)
    patched = session.text("app.py") == "x = 2\n"
    ran = [("touch allowed.txt", (session.root / "allowed.txt").exists()), ("app.py", patched)]
    asked = session.answers("touch asked.txt")
    seen = {
        "allow": any(done and '"allow"' in session.answers(about) for about, done in ran),
        "ask": '"ask"' in asked and not (session.root / "asked.txt").exists(),
        "deny": "git push" in found.get(2, "") and "deny" in found.get(2, ""),
        "rewrite": patched,
        "correction": CORRECTED in found.get(3, ""),
    }
    return [name for name, is_seen in seen.items() if is_seen]


def server(session: Session) -> list[str]:
    """What comes of calls of the server without a person."""
    client = session.client
    calls = [("apply_patch", {"input": FITS}), ("apply_patch", {"input": NEARLY}), ("Undo", {})]
    script = [Call(client.server.format(tool), {**given, **client.always}, client.namespace) for tool, given in calls]
    first = [client.command("sleep 5")] if client.waits else []
    found = session.follow([*first, *script], client.server_words)
    patch, refusal, undo = (found.get(number + len(first), "") for number in range(3))
    seen = {
        "patch": "M app.py" in patch,
        "refusal with correction": CORRECTED in refusal,
        "undo": "app.py" in undo and session.text("app.py") == "x = 1\n" and "M app.py" in patch,
    }
    return [name for name, is_seen in seen.items() if is_seen]


def version_of(client: Client, programs: Path, place: Path) -> str:
    session = Session(client, place, programs)
    done = session.run([session.program, "--version"], client.environment(""))
    found = re.search(r"\d+\.\d+\.\d+", done.stdout)
    return found[0] if found else ""


def tried(client: Client, programs: Path, shows: bool = False) -> Json:
    """What is seen of a client: its version, which answers of the hook it carries out, what its server does."""
    with tempfile.TemporaryDirectory(prefix="clients-") as place:
        version = version_of(client, programs, Path(place, "version"))
        sessions = {name: Session(client, Path(place, name), programs) for name in ("hook", "mcp")}
        found = {"version": version, "hook": hook(sessions["hook"]), "mcp": server(sessions["mcp"])}
        for name, session in sessions.items() if shows else ():
            print(f"-- {name}: status {session.done.returncode}\n{session.done.stdout}\n{session.done.stderr}")
            print(session.log.read_text() if session.log.exists() else "the hook was not called")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("clients", nargs="*")
    parser.add_argument("--record", action="store_true", help="write what is seen into fixtures/clients.json")
    parser.add_argument("--show", action="store_true", help="print what the client prints, and what the hook answers")
    asked = parser.parse_args()
    known: Json = json.loads(RECORD.read_text())
    programs = asked.directory.resolve() / "node_modules" / ".bin"
    less = False
    for client in CLIENTS:
        if not os.access(programs / client.program, os.X_OK) or (asked.clients and client.program not in asked.clients):
            continue
        found = tried(client, programs, asked.show)
        before = known.get(client.title, {})
        missing = [each for part in ("hook", "mcp") for each in before.get(part, ()) if each not in found[part]]
        less = less or bool(missing)
        print(
            f"{client.title} {found['version']}: hook: {', '.join(found['hook'])}; mcp: {', '.join(found['mcp'])}",
            end="",
        )
        print(f"; NO MORE: {', '.join(missing)}" if missing else "", flush=True)
        known[client.title] = {**found, "date": datetime.date.today().isoformat()}
    if asked.record:
        rows = [f"  {json.dumps(title)}: {json.dumps(row)}" for title, row in known.items()]
        RECORD.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    sys.exit(less)


if __name__ == "__main__":
    main()
