"""Agent clients as data: which files of theirs start our hook and our server, and what is written there.

Only what a client documents is here: a client without hooks has no entries for them, and one that has no setting for
approvals has words that say what to do instead.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from json import dumps
from shlex import join

from patchkit.tools.registry import TOOLS
from patchkit.values import Record

HOOK, MCP, APPROVE = "hook", "mcp", "approve"
SECONDS = 30  # that a client waits for the hook

Entries = list["ClientEntry"]


class ClientFile(Record):
    """A file of a client: its path in the project, and in the user's home; '' where it has none."""

    project: str
    user: str
    kind: str = "json"  # or 'toml', or 'own' for a file that is ours as a whole
    new: str = ""  # what a new file begins with


class ClientEntry(Record):
    """One thing that is written into a file: a value under its keys, or an element of the list there."""

    part: str  # what it is for
    place: ClientFile
    key: str  # words that lead to the value, one for each object; none for the text of a file that is ours as a whole
    value: object
    in_list: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.key.split())


class ClientSetup(Record):
    """What is asked for: how our command is run, the arguments of the server, and whether its calls are approved."""

    command: list[str]
    server: list[str]
    approved: bool

    @property
    def hook(self) -> str:
        """The hook as a line for a shell, with the full path of the command."""
        return join([*self.command, "hook"])


class Client(Record):
    """One client."""

    name: str
    title: str
    program: str
    home: str
    entries: Callable[[ClientSetup], Entries]
    unapproved: str  # what happens to a call that no setting approves
    variable: str = ""  # what it writes for the directory of its workspace in the arguments of a server
    starts_elsewhere: bool = False  # it has no such variable, and starts servers anywhere
    sandboxes: bool = False  # its shell, so that ours is not offered
    has_path: bool = False  # it is started in a terminal, and finds commands by the PATH there; an editor may not
    alone: str = ""  # the words with which it runs our tools without a person, where no setting approves them
    trust: str = ""  # what a person has to do before it runs a hook
    own: str = ""  # its command for servers of the user, where it rewrites its file all the time

    def configuration(self, wanted: ClientSetup) -> tuple[str, str]:
        """The file in which the client looks for servers, and a text for it that has ours and nothing else."""
        entry = next(each for each in self.entries(wanted) if each.part == MCP)
        place = entry.place
        in_project = place.project and place.kind != "toml"
        where = f"{place.project} of the project" if in_project else f"~/{place.user}"
        return where, text_of(place.kind, entry.keys, entry.value)


def text_of(kind: str, keys: tuple[str, ...], value: object) -> str:
    """A text with one entry: a table in TOML, or an object in JSON."""
    if kind == "toml":
        assert isinstance(value, dict)
        return f"[{'.'.join(keys)}]\n" + "".join(f"{name} = {dumps(each)}\n" for name, each in value.items())
    for key in reversed(keys):
        value = {key: value}
    return dumps(value, indent=2) + "\n"


def our_command() -> list[str]:
    """How a client that may have another PATH runs our command: by its full path."""
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "patchkit")
    return [beside] if os.access(beside, os.X_OK) else [sys.executable, "-P", "-m", "patchkit"]


def shared_command(client: Client) -> list[str]:
    """How our command is named in a file that a team may share: without a path, where the client finds it so."""
    from shutil import which

    ours = our_command()
    found = which("patchkit") if client.has_path else None
    return ["patchkit"] if found and len(ours) == 1 and os.path.realpath(found) == os.path.realpath(ours[0]) else ours


def _stdio(wanted: ClientSetup, **more: object) -> dict[str, object]:
    first, *rest = wanted.command
    return {**more, "command": first, "args": [*rest, "mcp", *wanted.server]}


def _matched(matcher: str, wanted: ClientSetup, timeout: int = SECONDS, **more: object) -> dict[str, object]:
    """A hook in the form of Claude Code, for the tools that the matcher names."""
    return {"matcher": matcher, "hooks": [{**more, "type": "command", "command": wanted.hook, "timeout": timeout}]}


_CLAUDE_TOOLS = "Bash|Read|Edit|MultiEdit|Write|NotebookEdit|Glob|Grep"
_CLAUDE = ClientFile(".claude/settings.json", ".claude/settings.json")
# Without a person, Claude Code takes approvals only from the user's files: this one is theirs, too.
_CLAUDE_APPROVALS = ClientFile(".claude/settings.local.json", ".claude/settings.json")
_CLAUDE_SERVERS = ClientFile(".mcp.json", ".claude.json")


def _claude(wanted: ClientSetup) -> Entries:
    found = [
        ClientEntry(HOOK, _CLAUDE, "hooks PreToolUse", _matched(_CLAUDE_TOOLS, wanted), True),
        ClientEntry(MCP, _CLAUDE_SERVERS, "mcpServers patchkit", _stdio(wanted, type="stdio")),
    ]
    if wanted.approved:
        found += [
            ClientEntry(APPROVE, _CLAUDE_APPROVALS, "permissions allow", "mcp__patchkit", True),
            ClientEntry(APPROVE, _CLAUDE_APPROVALS, "enabledMcpjsonServers", "patchkit", True),
        ]
    return found


_CODEX_HOOKS = ClientFile(".codex/hooks.json", ".codex/hooks.json")
_CODEX = ClientFile(".codex/config.toml", ".codex/config.toml", "toml")


def _codex(wanted: ClientSetup) -> Entries:
    server = _stdio(wanted, **({"default_tools_approval_mode": "approve"} if wanted.approved else {}))
    return [
        ClientEntry(HOOK, _CODEX_HOOKS, "hooks PreToolUse", _matched("^(Bash|apply_patch|view_image)$", wanted), True),
        ClientEntry(MCP, _CODEX, "mcp_servers patchkit", server),
    ]


_GEMINI = ClientFile(".gemini/settings.json", ".gemini/settings.json")
_GEMINI_TOOLS = "run_shell_command|write_file|replace|read_file|read_many_files|list_directory|glob|grep_search"


def _gemini(wanted: ClientSetup) -> Entries:
    server = _stdio(wanted, **({"trust": True} if wanted.approved else {}))
    hook = _matched(_GEMINI_TOOLS, wanted, SECONDS * 1000, name="patchkit")  # the timeout is in milliseconds
    return [
        ClientEntry(HOOK, _GEMINI, "hooks BeforeTool", hook, True),
        ClientEntry(MCP, _GEMINI, "mcpServers patchkit", server),
    ]


_COPILOT_HOOKS = ClientFile(".github/hooks/patchkit.json", ".copilot/settings.json", new='{\n  "version": 1\n}\n')
_COPILOT = ClientFile("", ".copilot/mcp-config.json")


def _copilot_hook(wanted: ClientSetup, place: ClientFile) -> ClientEntry:
    hook = {"type": "command", "bash": wanted.hook, "timeoutSec": SECONDS}
    return ClientEntry(HOOK, place, "hooks preToolUse", hook, True)


def _copilot(wanted: ClientSetup) -> Entries:
    server = {**_stdio(wanted, type="local"), "tools": ["*"]}
    return [_copilot_hook(wanted, _COPILOT_HOOKS), ClientEntry(MCP, _COPILOT, "mcpServers patchkit", server)]


_OPENCODE_START = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'  # opencode adds it where it is missing
_OPENCODE = ClientFile("opencode.json", ".config/opencode/opencode.json", new=_OPENCODE_START)
_OPENCODE_PLUGIN = ClientFile(".opencode/plugin/patchkit.js", ".config/opencode/plugin/patchkit.js", "own")
_PLUGIN = """\
// Written by 'patchkit install opencode': asks 'patchkit hook' before a tool runs.
import {{ spawnSync }} from "node:child_process"

const NAMES = {{ bash: "Bash", patch: "apply_patch", edit: "Edit", write: "Write", read: "Read" }}

export const Patchkit = async ({{ directory }}) => ({{
  "tool.execute.before": async (input, output) => {{
    const event = {{
      hook_event_name: "tool.execute.before", session_id: input.sessionID, cwd: directory,
      tool_name: NAMES[input.tool] ?? input.tool, tool_input: output.args,
    }}
    const done = spawnSync({program}, {words}, {{ input: JSON.stringify(event), cwd: directory, encoding: "utf8" }})
    if (done.status === 2) throw new Error(done.stderr)
    const said = (done.stdout ? JSON.parse(done.stdout) : {{}}).hookSpecificOutput ?? {{}}
    if (said.permissionDecision) throw new Error(said.permissionDecisionReason)
    if (said.updatedInput) Object.assign(output.args, said.updatedInput)
  }},
}})
"""


def _opencode(wanted: ClientSetup) -> Entries:
    program, *words = [*wanted.command, "hook"]
    plugin = _PLUGIN.format(program=dumps(program), words=dumps(words))
    server = {"type": "local", "command": [*wanted.command, "mcp", *wanted.server], "enabled": True}
    return [ClientEntry(HOOK, _OPENCODE_PLUGIN, "", plugin), ClientEntry(MCP, _OPENCODE, "mcp patchkit", server)]


_CURSOR_HOOKS = ClientFile(".cursor/hooks.json", ".cursor/hooks.json", new='{\n  "version": 1\n}\n')
_CURSOR = ClientFile(".cursor/mcp.json", ".cursor/mcp.json")
_CURSOR_PERMISSIONS = ClientFile(".cursor/cli.json", "")


def _cursor(wanted: ClientSetup) -> Entries:
    hook = {"command": wanted.hook}
    events = ("preToolUse", "beforeShellExecution", "beforeReadFile")
    found = [ClientEntry(HOOK, _CURSOR_HOOKS, f"hooks {event}", hook, True) for event in events]
    found.append(ClientEntry(MCP, _CURSOR, "mcpServers patchkit", _stdio(wanted)))
    if wanted.approved:
        found.append(ClientEntry(APPROVE, _CURSOR_PERMISSIONS, "permissions allow", "Mcp(patchkit:*)", True))
    return found


_CODE = "Library/Application Support/Code/User" if sys.platform == "darwin" else ".config/Code/User"
_VSCODE = ClientFile(".vscode/mcp.json", f"{_CODE}/mcp.json")
_VSCODE_HOOKS = ClientFile(".github/hooks/patchkit.json", "", new='{\n  "version": 1\n}\n')


def _vscode(wanted: ClientSetup) -> Entries:
    server = ClientEntry(MCP, _VSCODE, "servers patchkit", _stdio(wanted, type="stdio"))
    return [_copilot_hook(wanted, _VSCODE_HOOKS), server]


_WINDSURF_HOOKS = ClientFile(".windsurf/hooks.json", ".codeium/windsurf/hooks.json")
_WINDSURF = ClientFile("", ".codeium/windsurf/mcp_config.json")


def _windsurf(wanted: ClientSetup) -> Entries:
    hook = {"command": wanted.hook, "show_output": False}
    events = ("pre_run_command", "pre_write_code", "pre_read_code")
    found = [ClientEntry(HOOK, _WINDSURF_HOOKS, f"hooks {event}", hook, True) for event in events]
    return [*found, ClientEntry(MCP, _WINDSURF, "mcpServers patchkit", _stdio(wanted))]


_CLINE_HOOK = ClientFile(".clinerules/hooks/PreToolUse", "Documents/Cline/Hooks/PreToolUse", "own")
_CLINE = (  # of the command line and newer editors, and of older ones
    ClientFile("", ".cline/data/settings/cline_mcp_settings.json"),
    ClientFile("", f"{_CODE}/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
)


def _cline(wanted: ClientSetup) -> Entries:
    approved = {"autoApprove": [tool.name for tool in TOOLS]} if wanted.approved else {}
    script = f"#!/bin/sh\n# Written by 'patchkit install cline'.\nexec {wanted.hook}\n"
    servers = [ClientEntry(MCP, place, "mcpServers patchkit", {**_stdio(wanted), **approved}) for place in _CLINE]
    return [ClientEntry(HOOK, _CLINE_HOOK, "", script), *servers]


_ZED = ClientFile(".zed/settings.json", ".config/zed/settings.json")


def _zed(wanted: ClientSetup) -> Entries:
    found = [ClientEntry(MCP, _ZED, "context_servers patchkit", _stdio(wanted, source="custom"))]
    if wanted.approved:
        allowed = {"default": "allow"}
        found += [
            ClientEntry(APPROVE, _ZED, f"agent tool_permissions tools mcp:patchkit:{tool.name}", allowed)
            for tool in TOOLS
        ]
    return found


_ASKS = "asks a person about each call"
CLIENTS = {
    client.name: client
    for client in (
        Client(
            *("claude", "Claude Code", "claude", ".claude"),
            _claude,
            "asks a person about each call, and refuses it where there is none",
            sandboxes=True,
            has_path=True,
            alone="--allowedTools mcp__patchkit",
            own="claude mcp add --scope user patchkit --",
        ),
        Client(
            *("codex", "Codex", "codex", ".codex"),
            _codex,
            "runs the tools that only read, and refuses the others where there is no person",
            sandboxes=True,
            has_path=True,
            alone='-c mcp_servers.patchkit.default_tools_approval_mode="approve"',
            trust="it is trusted: '/hooks' in Codex",
        ),
        Client(
            *("gemini", "Gemini CLI", "gemini", ".gemini"),
            _gemini,
            "asks a person about each call, and offers none of the tools where there is none",
            sandboxes=True,
            has_path=True,
            alone="--allowed-tools mcp_patchkit_*",
        ),
        Client(
            *("copilot", "Copilot CLI", "copilot", ".copilot"),
            _copilot,
            "runs the tools that only read, and refuses the others where there is no person",
            has_path=True,
            alone="--allow-tool patchkit",
            trust="the directory is trusted, which it asks at the first start there",
        ),
        Client(
            *("opencode", "opencode", "opencode", ".config/opencode"),
            _opencode,
            "runs every call, and asks about none",
            has_path=True,
        ),
        Client("cursor", "Cursor", "cursor", ".cursor", _cursor, _ASKS, variable="${workspaceFolder}", sandboxes=True),
        Client("vscode", "VS Code", "code", _CODE, _vscode, _ASKS, variable="${workspaceFolder}", sandboxes=True),
        Client("windsurf", "Windsurf", "windsurf", ".codeium/windsurf", _windsurf, _ASKS, starts_elsewhere=True),
        Client(*("cline", "Cline", "cline", ".cline"), _cline, _ASKS, starts_elsewhere=True),
        Client("zed", "Zed", "zed", ".config/zed", _zed, _ASKS),
    )
}
